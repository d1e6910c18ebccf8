//! Commands that are suggested below a report, and notes on standard error for problems that need
//! another command: code without debug information, sources that are elsewhere, events that only
//! one profile has.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Context;
use crate::options::{GivenOption, ScreenOptions};
use crate::profile::{
    Fragment, FunctionId, NameKind, ObjectId, Part, recursion_level, without_suffixes,
};
use crate::render::{SuggestedCommand, counted, not_shown_text, with_commas};
use crate::run::message::{display_name, display_path};
use crate::run::mine::{costliest_object, has_crates, has_objects};
use crate::run::newest::files_of_run;
use crate::run::programs::sibling_names;
use crate::source::{self, Finder};
use crate::view::{
    Charged, Choice, KeptCode, List, ListRow, PathDirection, RowBy, RowId, Rows, Rule, ScreenLine,
    Subject,
};

/// The minimum cost of code without debug information that is noted, in percent of the total.
const MIN_LACKING_PERCENT: i128 = 50;

/// The minimum change of a total that is noted, in percent.
const MIN_CHANGE: f64 = 0.05;

/// The minimum cost without source files in an object without debug information, in percent of its
/// cost.
const MIN_UNKNOWN_PERCENT: i128 = 90;

/// Inlined code of the user's other files is noted from this part of the total on.
const CHARGED_PARTS: i128 = 1000;

/// The minimum number of equal path components for a file to be suggested.
const MIN_COMMON: usize = 2;

/// The number of rows whose callers may be suggested: others are not what a list is read for.
const MAX_WITH_CALLERS: usize = 3;

/// The maximum number of files that a suggested command names one by one, if a shell's `*` finds
/// them.
const MAX_NAMED_FILES: usize = 5;

/// The maximum length of a suggested pattern.
const MAX_PATTERN: usize = 80;

/// A command with the options that keep the same part of the profile.
fn with_kept(mut command: SuggestedCommand, kept: &[KeptCode]) -> SuggestedCommand {
    for code in kept {
        for pattern in &code.patterns {
            command = command.option(&format!("--{}", code.option()), &pattern.text);
        }
    }
    command
}

impl Context<'_> {
    /// The commands that show lines in their sources, with the given options that change numbers or
    /// find sources.
    pub(super) fn commands_of_lines<'l>(
        &self,
        options: &ScreenOptions,
        lines: impl IntoIterator<Item = &'l ScreenLine>,
    ) -> Vec<SuggestedCommand> {
        let Some(command) = self.command_again("", options) else {
            return Vec::new();
        };
        let command = |line: &ScreenLine| {
            let place = [&line.file[..], format!(":{}", line.line).as_bytes()].concat();
            command.clone().file(&source::path(&place))
        };
        lines.into_iter().map(command).collect()
    }

    /// The command that reads the same files again, with an option and the given ones that change
    /// numbers or find sources; none if standard input is one of the files.
    pub(super) fn command_again(
        &self,
        option: &str,
        options: &ScreenOptions,
    ) -> Option<SuggestedCommand> {
        let input = &self.options.input;
        let files = if input.files.is_empty() { &self.input.paths } else { &input.files };
        if files.iter().chain(&input.base).any(|file| file == Path::new("-")) {
            return None;
        }
        let mut start = SuggestedCommand::new("cgannotate").words(option);
        for GivenOption { option, value } in &options.repeated {
            start = start.given(option, value.as_deref());
        }
        for base in &input.base {
            start = start.option("--diff", base.as_os_str().as_encoded_bytes());
        }
        Some(with_files(start, files))
    }

    /// What a profile is added up of, and the option that has a row for each of these. What is below
    /// a function is divided in proportion, over threads that never ran it, too.
    pub(super) fn division(&self) -> Option<(&'static str, &'static str)> {
        if self.series.is_some() || !self.options.input.kept.is_empty() {
            return None;
        }
        let parts = || self.profile.parts().iter();
        let threads: HashSet<_> = parts().filter_map(|part| part.thread.as_ref()).collect();
        let processes: HashSet<_> = parts().filter_map(|part| part.pid.as_ref()).collect();
        // The processes of two sides are different ones.
        if processes.len() > 1 && !self.profile.is_difference() {
            Some(("process", "-g process"))
        } else if threads.len() > 1 {
            Some(("thread", "-g thread"))
        } else if parts().count() > 1 {
            Some(("part", "-g part"))
        } else {
            None
        }
    }

    /// Commands that show the source lines and the callers of the first function that has them.
    pub(super) fn hints(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        let (row_by, page) = (rows.row_by, self.options.report.page());
        let has_calls = !self.profile.calls.is_empty();
        let page_of_tree = page.filter(|_| !list.items.is_empty() && has_calls);
        let of_tree = page_of_tree.filter(|page| {
            let list = &page.list;
            !list.tree.is_empty() && list.depth.is_none() && !list.by_line
        });
        let of_lines = of_tree.filter(|_| row_by == RowBy::Function);
        let levels = of_tree
            .filter(|page| page.list.tree.contains(&PathDirection::Callers))
            .and_then(|_| self.note_on_callers())
            .into_iter()
            .chain(of_tree.map(|_| "more levels: --depth 10".to_owned()))
            .chain(of_lines.map(|_| "the lines of the direct calls: -g line".to_owned()))
            .chain(self.hints_at_calls(list, rows))
            .chain(self.hint_at_events());
        let has_library = self.options.input.charged.iter().any(Charged::has_no_pattern);
        let library = has_library
            .then(|| "self costs include those of the library code that was called".to_owned());
        let share = self.own_share().filter(|_| has_library);
        let hints = levels
            .chain(library)
            .chain(share)
            .chain(self.note_on_charged_inlines())
            .chain(self.notes_on_lines(list, rows));
        if rows.is_filtered {
            let is_one = row_by == RowBy::Function && list.items.len() == 1;
            let one = page_of_tree.filter(|page| is_one && page.list.tree.is_empty());
            let callers = one.and_then(|_| {
                let by_line = self.has_one_caller(list.items[0], rows);
                hint_at_callers(list, rows, 0, by_line)
            });
            return hints
                .chain(self.hint_at_more_names())
                .chain(self.hint_at_suffixes(list, rows))
                .chain(callers)
                .chain(self.hint_at_callees(list, rows))
                .chain(self.hint_at_inlines(list, rows))
                .collect();
        }
        if row_by == RowBy::Line && !self.profile.is_difference() {
            return hints.collect();
        }
        let has_functions = row_by.is_group() && !matches!(row_by, RowBy::Name | RowBy::Template);
        if has_functions && page.is_some_and(|page| !page.list.nested && page.list.tree.is_empty())
        {
            let nested = std::iter::once("functions of each: --nested".to_owned());
            let of_kind = self.hint_at_groups(list, rows);
            return nested.chain(of_kind).chain(self.note_on_charged_inlines()).collect();
        }
        if let Some((each, option)) = self.division().filter(|_| !row_by.is_group()) {
            return vec![format!("each {each}: {option}")];
        }
        let [path] = &self.input.paths[..] else {
            return Vec::new();
        };
        if self.profile.is_difference() {
            let hints = self.hint_at_events().into_iter();
            return hints.chain(self.hint_at_inlines(list, rows)).collect();
        }
        if self.input.is_sampled || row_by != RowBy::Function {
            Vec::new()
        } else {
            let one_tree = of_tree
                .filter(|page| page.list.tree == [PathDirection::Callees] && self.has_main())
                .map(|_| "one tree, from main: --tree=callees -f main --depth 10".to_owned());
            self.hints_of_functions(path, list, rows).into_iter().chain(one_tree).collect()
        }
    }

    /// Of a list by object or crate, what has none, or what tells more.
    fn hint_at_groups(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        let has_nameless = list.lines(rows).any(|row| row.label.name.is_empty());
        let text = match rows.row_by {
            RowBy::Part if !self.profile.is_difference() && list.items.len() > 1 => {
                return self.hint_at_parts();
            }
            RowBy::Object if !has_objects(self.profile) => {
                "(none): the profile names no objects; -g file has a row for each file"
            }
            RowBy::Object if has_crates(self.profile) => "crates in the programs: -g crate",
            RowBy::Crate if has_nameless => {
                "(none): functions of no crate or namespace, such as those of the C library"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// The command that compares parts with each other.
    fn hint_at_parts(&self) -> Option<String> {
        let series = SuggestedCommand::new("cgannotate --series");
        let command = match &self.input.paths[..] {
            [path] if path == Path::new("-") => return None,
            [path] => series.word(&[path.as_os_str().as_encoded_bytes(), b"#*"].concat()),
            paths if paths.len() <= MAX_NAMED_FILES => {
                let mut numbered = self.numbers_of_parts(paths)?;
                numbered.sort_by_key(|(number, _)| *number);
                // Files of one run are one profile of a series, unless they have names.
                numbered.iter().fold(series, |command, (number, path)| {
                    let path = path.as_os_str().as_encoded_bytes();
                    command.word(&[number.to_string().as_bytes(), b"=", path].concat())
                })
            }
            _ => return None,
        };
        Some(format!("from part to part: {command}"))
    }

    /// The number of the part in each file; none if one is not known, or all are equal.
    fn numbers_of_parts<'p>(&self, paths: &'p [PathBuf]) -> Option<Vec<(u64, &'p PathBuf)>> {
        let number_of = |path: &'p PathBuf| {
            let mut parts = self.profile.parts().iter();
            let part = parts.find(|part| *part.file == *path.as_os_str().as_encoded_bytes())?;
            let number = str::from_utf8(part.part_number.as_deref()?).ok()?;
            Some((number.parse().ok()?, path))
        };
        let numbered: Vec<(u64, &PathBuf)> = paths.iter().map(number_of).collect::<Option<_>>()?;
        let numbers: HashSet<u64> = numbered.iter().map(|(number, _)| *number).collect();
        (numbers.len() > 1).then_some(numbered)
    }

    fn has_main(&self) -> bool {
        self.profile.functions().any(|(_, function)| self.profile.name(function.name) == b"main")
    }

    /// Of a tree that would follow callers up to the user's own code, that the profile has none.
    fn note_on_callers(&self) -> Option<String> {
        self.options.foreign.as_ref()?;
        let text = "callers are not followed to your own code: no source is known to be yours";
        self.foreign_functions().is_none().then(|| text.to_owned())
    }

    /// The events that a difference has, but does not show by default, and by how much their totals
    /// changed.
    fn hint_at_events(&self) -> Option<String> {
        let (selection, events) = (&self.selection, self.profile.events());
        let is_default = self.profile.is_difference() && self.options.selection.show.is_empty();
        let others = selection
            .order
            .iter()
            .filter(|_| is_default)
            .filter(|event| !selection.shown.contains(event));
        let ratios = events.ratios();
        let change = |event: usize| {
            let figure = self.total.figure.counts().event(event);
            if ratios.contains(&event) { figure.percent_of_ratio() } else { figure.percent() }
        };
        let texts = others.map(|&event| {
            let name = events.name(event);
            let change = change(event).filter(|change| change.abs() >= MIN_CHANGE);
            let change = change.map_or_else(String::new, |change| format!(" ({change:+.1}%)"));
            (name, change)
        });
        not_shown_text(texts)
    }

    fn hints_of_functions(&self, path: &Path, list: &List, rows: &Rows<'_>) -> Vec<String> {
        // The requested event, unless rows are sorted by calls, which lines do not have.
        let event = self
            .options
            .selection
            .sort
            .first()
            .map(|(event, _)| event)
            .filter(|_| self.selection.by_calls.is_none());
        let mut files = list.lines(rows).filter_map(|row| row.label.file);
        // Libraries' files have absolute paths, or are not found.
        let is_own = |file: &[u8]| !file.starts_with(b"/");
        let own = files.find(|file| is_own(file) && self.input.finder.has(file));
        let source = own.map(|source| {
            let mut command =
                with_kept(SuggestedCommand::new("cgannotate"), &self.options.input.kept);
            if let Some(event) = event {
                command = command.option("-s", event);
            }
            format!("source lines: {}", command.file(path).file(&source::path(source)))
        });
        let lines = event.map(|event| {
            let options = SuggestedCommand::new("-g line").option("-s", event);
            format!("hottest lines: {options}")
        });
        let hints = source.into_iter().chain(lines).chain(hint_at_callers(list, rows, 2, false));
        hints.chain(self.hint_at_inlines(list, rows)).collect()
    }

    /// Of one function with the inlined ones as functions, what shows of which its cost consists.
    fn hint_at_callees(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        let page = self.options.report.page().filter(|_| self.options.input.inlines)?;
        let [item] = list.items[..] else { return None };
        let is_one = rows.row_by == RowBy::Function && page.list.tree.is_empty();
        let name = rows.pattern_of(item).filter(|_| is_one && !self.profile.calls.is_empty())?;
        let options = SuggestedCommand::new("--inlines --tree=callees").option("-f", &name);
        Some(format!("what it consists of: {options}"))
    }

    /// Of filtered functions, what the levels of recursion and the contexts are that rows add up,
    /// or that are rows.
    fn hint_at_suffixes(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        if rows.row_by != RowBy::Function || self.profile.name_kind() != NameKind::Symbol {
            return None;
        }
        let listed: HashSet<RowId> = list.items.iter().copied().collect();
        let fold = self.options.fold();
        let mut ends = self.profile.calls.iter().map(|&call| rows.of_call(call));
        let is_callgrind = self.profile.is_from_callgrind();
        if fold.recursion
            && is_callgrind
            && ends.any(|(caller, callee)| caller == callee && listed.contains(&callee))
        {
            return Some("a row for each level of recursion: --fold=none".to_owned());
        }
        let names: Vec<Vec<u8>> = list.lines(rows).map(|row| row.label.name.into_owned()).collect();
        let calls_itself = |name: &[u8]| {
            let mut calls = self.profile.calls.iter();
            calls.any(|call| {
                let caller = self.profile.fragment(call.site.fragment).function;
                caller == call.callee
                    && self.profile.name(self.profile.function(caller).name) == name
            })
        };
        let deepest = names
            .iter()
            .max_by_key(|name| recursion_level(name))
            .filter(|name| recursion_level(name) > 1 && calls_itself(name));
        if let Some(name) = deepest {
            let (level, shown) = (recursion_level(name), display_name(name));
            return Some(format!("{shown} is level {level} and all deeper ones"));
        }
        let mut functions: HashSet<&[u8]> = HashSet::new();
        let with_callers = names.iter().filter(|name| without_suffixes(name).len() < name.len());
        let mut own_names = with_callers.map(|name| without_suffixes(name));
        let has_contexts =
            is_callgrind && !fold.callers && own_names.any(|name| !functions.insert(name));
        has_contexts.then(|| "all contexts of a function as one row: --fold=callers".to_owned())
    }

    /// The option that also lists functions that have the requested name as a part of theirs.
    fn hint_at_more_names(&self) -> Option<String> {
        let [choice] = &self.options.rows.filter.choices[..] else {
            return None;
        };
        let [rule] = &choice.include[..] else {
            return None;
        };
        let named = rule.function.as_ref()?;
        let anywhere = named.anywhere()?;
        let pattern = display_name(&anywhere.text);
        let text = pattern.trim_matches('*');
        let option = SuggestedCommand::new("").option("-f", &anywhere.text);
        let wider = Rule::of("function", anywhere);
        let fragments = self.profile.fragments().iter();
        let functions: HashSet<_> = fragments
            .filter(|fragment| {
                let subject = Subject::of_fragment(self.profile, **fragment);
                wider.matches(&subject) && !rule.matches(&subject)
            })
            .map(|fragment| fragment.function)
            .collect();
        let more = counted(functions.len(), "more function");
        let hint = || format!("{more} with {text} in the name: {option}");
        (!functions.is_empty()).then(hint)
    }

    /// Of a list of the user's own code, that inlined functions of other own files are not told
    /// apart from those that they were inlined into, if they have a thousandth of the total: what
    /// they call may have more.
    fn note_on_charged_inlines(&self) -> Option<String> {
        let (options, profile) = (self.options, self.profile);
        let is_of_own = options.input.charged.iter().any(Charged::leaves_own);
        if !is_of_own || options.input.inlines || profile.is_difference() {
            return None;
        }
        let option = match (self.input.has_addresses, self.command_to_record()) {
            (true, _) => "--inlines",
            (false, Some(_)) => "record with --dump-instr=yes, then --inlines",
            (false, None) => return None,
        };
        let is_own: Vec<bool> = profile
            .files()
            .map(|file| !source::is_of_system(file) && self.input.finder.has(file))
            .collect();
        let costs = profile.self_costs_by(1, |_, fragment| {
            let home = profile.function(fragment.function).file;
            let is_inlined = fragment.file != home && is_own[fragment.file.index()];
            (is_inlined && is_own[home.index()]).then_some(0)
        });
        let inlined = i128::from(costs.new.get(0)[self.event()].or_zero());
        let total = i128::from(self.total.reference[self.event()].or_zero());
        let what = "what inlined functions of other files call is charged where they were inlined";
        (inlined > 0 && inlined * CHARGED_PARTS >= total)
            .then(|| format!("{what}; apart: {option}"))
    }

    /// Of a list of lines, what its rows without a line are, and where inlined code is.
    fn notes_on_lines(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        if rows.row_by != RowBy::Line {
            return Vec::new();
        }
        let lacks_lines =
            list.lines(rows).any(|row| row.label.line.is_none() && !row.label.name.is_empty());
        let is_told_by_inlines = self.input.has_addresses && !self.options.input.inlines;
        let of_function = "a row with the name of a function is its code whose";
        let mut notes: Vec<String> =
            self.only_first_lines().map(str::to_owned).into_iter().collect();
        if lacks_lines {
            notes.push(if is_told_by_inlines {
                format!("{of_function} lines --inlines tells")
            } else {
                format!("{of_function} line is unknown")
            });
        }
        if self.profile.is_difference() {
            return notes;
        }
        let has_charged = self.options.input.charged.iter().any(Charged::leaves_own);
        let of_charged = self.command_to_record().filter(|_| lacks_lines && has_charged);
        if let Some(record) = self.command_for_page().or(of_charged) {
            notes.push(
                "code inlined from other files is at its lines there, not at those that it was \
                 inlined into; this records these:"
                    .to_owned(),
            );
            notes.push(format!("  {record}"));
        } else if is_told_by_inlines && !lacks_lines {
            notes.push(
                "code inlined from other files is at its lines there; with --inlines --mine it is at \
                 yours"
                    .to_owned(),
            );
        }
        notes
    }

    /// The option that also lists inlined functions; of a filtered list only if the filter is about
    /// functions and some have code of other files, or costs are charged to the user's own
    /// functions. Without addresses, what has to be recorded, if a pattern was to find several
    /// functions. With the option, what the profile does not know of them.
    fn hint_at_inlines(&self, list: &List, rows: &Rows<'_>) -> Option<String> {
        let (options, input) = (self.options, self.input);
        if options.input.inlines {
            let counted_calls = |row: ListRow<'_, '_>| {
                let calls = row.calls.map(|calls| calls.value)?;
                calls.has_inlined.then(|| calls.by_others.value().is_some())
            };
            let known: Vec<bool> = list.lines(rows).filter_map(counted_calls).collect();
            return if known.contains(&false) {
                Some("how often inlined functions were called is not known".to_owned())
            } else if known.contains(&true) {
                Some("how often inlined copies were executed is not among the calls".to_owned())
            } else {
                None
            };
        }
        let rules = || options.rows.filter.choices.iter().flat_map(|of| &of.include);
        // Code of other files in an object shows that it has debug information.
        let has_code_of_others = || {
            let listed: HashSet<RowId> = list.items.iter().copied().collect();
            let is_listed = |(id, _): &(FunctionId, _)| listed.contains(&rows.of_function(*id));
            let functions = self.profile.functions().filter(is_listed);
            let objects: HashSet<ObjectId> = functions.map(|(_, of)| of.object).collect();
            self.profile.fragments().iter().any(|fragment| {
                let function = self.profile.function(fragment.function);
                let is_of_listed = objects.is_empty() || objects.contains(&function.object);
                fragment.file != function.file && is_of_listed
            })
        };
        let may_have_inlined = !rows.is_filtered
            || options.input.charged.iter().any(Charged::leaves_own)
            || rules().any(|rule| rule.function.is_some()) && has_code_of_others();
        let has_addresses = input.has_addresses || input.is_sampled && rows.is_filtered;
        let is_of_several =
            |rule: &Rule| rule.function.as_ref().is_some_and(|pattern| !pattern.is_text());
        let lacks_addresses = rows.is_filtered && self.command_to_record().is_some();
        if may_have_inlined && has_addresses {
            Some("inlined functions: --inlines".to_owned())
        } else if lacks_addresses && rules().any(is_of_several) && has_code_of_others() {
            Some("inlined functions: record with --dump-instr=yes, then --inlines".to_owned())
        } else {
            None
        }
    }

    /// Notes that most of the cost is in objects without debug information.
    pub(super) fn note_missing_debug(&self) {
        if let Some(note) = self.missing_debug() {
            self.messages.note(note);
        }
    }

    /// What is to be known of the code of a profile whose lines are shown.
    pub(super) fn notes_on_code(&self) -> Vec<String> {
        let of_objects = self.missing_debug().or_else(|| self.interpreter());
        of_objects.into_iter().chain(self.only_first_lines().map(str::to_owned)).collect()
    }

    /// That most of the cost is in objects without debug information, if it is.
    fn missing_debug(&self) -> Option<String> {
        let profile = self.profile;
        let event = self.selection.order.first();
        let &event = event.or(self.selection.shown.first())?;
        let is_of_other_language = profile.name_kind() == NameKind::Other;
        if profile.is_difference() || self.input.is_sampled || is_of_other_language {
            return None;
        }
        let files = profile.files();
        let is_unknown: Vec<bool> = files.map(|file| matches!(file, b"" | b"???")).collect();
        let object_of = |of: &Fragment| profile.function(of.function).object;
        let last = profile.functions().map(|(_, of)| of.object).max();
        let objects = last.map_or(0, |last| last.index() + 1);
        // For each object the cost of code with a source file, and of code without.
        let costs = profile.self_costs_by(2 * objects, |_, of| {
            let is_unknown = is_unknown[of.file.index()];
            Some(2 * object_of(&of).index() + usize::from(is_unknown))
        });
        let cost_of = |row| i128::from(costs.new.get(row)[event].or_zero());
        let total: i128 = (0..2 * objects).map(cost_of).sum();
        let lacking: Vec<(i128, ObjectId)> = (0..objects)
            .filter_map(|at| {
                let (known, unknown) = (cost_of(2 * at), cost_of(2 * at + 1));
                let (object, cost) = (ObjectId(at as u32), known + unknown);
                let is_named = !matches!(profile.object(object), b"" | b"???");
                let lacks = cost > 0 && unknown * 100 >= cost * MIN_UNKNOWN_PERCENT;
                (is_named && lacks).then_some((cost, object))
            })
            .collect();
        let sum: i128 = lacking.iter().map(|(cost, _)| cost).sum();
        let (_, largest) = lacking.iter().max()?;
        if sum * 100 < total * MIN_LACKING_PERCENT {
            return None;
        }
        let event = display_name(profile.events().name(event));
        let object = display_name(profile.object(*largest));
        let percent = sum * 100 / total;
        let without = "programs and libraries without debug information, such as";
        let remedy = source::remedy_of_stripped(profile.object(*largest));
        let of_script = source::interpreter(profile.object(*largest)).map(source::not_of_script);
        let script = of_script.map_or_else(String::new, |text| format!("; {text}"));
        Some(format!("{percent}% of {event} is in {without} {object}: {remedy}{script}"))
    }

    /// That most of the cost is that of an interpreter with debug information, whose lines look
    /// like those of the user's program, if it is.
    fn interpreter(&self) -> Option<String> {
        let object = costliest_object(self.profile)?;
        let of_script = source::not_of_script(source::interpreter(object)?);
        Some(format!("{} is an interpreter: {of_script}", display_name(object)))
    }

    /// Notes that the costs of several processes of one program are added up, if their files were
    /// named, since runs of two versions may have been meant to be compared. Those of processes
    /// that forked each other are counted twice as far as they are the same.
    pub(super) fn note_sum_of_runs(&self) {
        let (files, paths) = (&self.options.input.files, &self.input.paths);
        let is_sum = self.is_format(|format| format.is_columns)
            && self.series.is_none()
            && !self.profile.is_difference();
        if !is_sum || paths.len() < 2 || files.len() < paths.len() {
            return;
        }
        let parts = self.profile.parts();
        let program = |part: &Part| {
            let command = part.command.as_deref()?;
            let words = command.split(u8::is_ascii_whitespace).next()?;
            Some(source::basename(words).to_vec())
        };
        let pids: HashSet<_> = parts.iter().filter_map(|part| part.pid.as_ref()).collect();
        let programs: HashSet<_> = parts.iter().map(program).collect();
        if pids.len() < paths.len() || programs.len() != 1 {
            return;
        }
        let start = SuggestedCommand::new("cgannotate");
        let command = match &paths[..] {
            [base, new] => start.option("--diff", base.as_os_str().as_encoded_bytes()).file(new),
            // A star may have another order.
            paths => paths.iter().fold(start.words("--series"), |command, path| command.file(path)),
        };
        let count = with_commas(pids.len());
        let text = if self.may_have_forked(pids.len()) {
            "if one forked another, what it did before is in both profiles and counted twice; to \
             compare them"
        } else {
            "to compare runs"
        };
        self.messages
            .note(format!("the costs of {count} processes are added up; {text}: {command}"));
    }

    /// Notes that a file is the last of several parts of a run that are beside it.
    pub(super) fn note_other_parts(&self) {
        let ([path], [only]) = (&self.input.paths[..], self.profile.parts()) else {
            return;
        };
        let number = only.part_number.as_deref().and_then(|text| str::from_utf8(text).ok());
        let is_later = number.is_some_and(|text| text.parse().is_ok_and(|number: u32| number > 1));
        let is_named = self.options.input.files.contains(path);
        let is_list = self.is_format(|format| format.is_columns) && !self.profile.is_difference();
        if !is_later || !is_named || !is_list {
            return;
        }
        let mut files = files_of_run(path);
        if !files.contains(path) {
            files.push(path.clone());
        }
        if files.len() > 1 {
            let command = with_files(SuggestedCommand::new("cgannotate"), &files);
            let (file, part) = (display_path(path), number.unwrap_or_default());
            self.messages.note(format!("{file} is part {part} of its run; all parts: {command}"));
        }
    }

    /// Suggests where sources are that were not found.
    pub(crate) fn note_missing_sources(&self, choices: &[Choice]) {
        let is_missing = |choice: &&Choice| choice.lookup.found.is_none();
        let missing: Vec<&Choice> = choices.iter().filter(is_missing).collect();
        let lacks_rust = |choice: &&&Choice| choice.lookup.lacks_rust_source;
        let in_rust_src = missing.iter().filter(lacks_rust).count();
        if in_rust_src > 0 {
            let s = if in_rust_src == 1 { " is" } else { "s are" };
            let text = format!(
                "{in_rust_src} source{s} part of Rust's library: rustup component add rust-src"
            );
            self.messages.note(text);
        }
        // Not the sources of the C library and of Rust's library, which are never below the current
        // directory.
        let is_own = |name: &[u8]| !name.starts_with(b"./") && !name.starts_with(b"/rustc/");
        let mut own = missing.iter().filter(|choice| is_own(&choice.name)).peekable();
        let folders = &self.options.input.folders;
        if own.peek().is_none() || folders.iter().any(|folder| folder == b"./") {
            return;
        }
        let finder = Finder::quick();
        let here: Vec<_> = own
            .filter_map(|choice| {
                let found = finder.find(&choice.name).found?;
                let is_likely = found.matched.is_some_and(|matched| matched >= MIN_COMMON);
                let path = display_name(&found.path);
                is_likely.then(|| (display_name(&choice.name), path))
            })
            .collect();
        let Some((name, path)) = here.first() else {
            return;
        };
        let more = match here.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more are here too"),
        };
        let note = format!("{path} is probably {name}{more}: use -I .");
        self.messages.note(note);
    }
}

/// A command that reads these files.
fn with_files(command: SuggestedCommand, files: &[PathBuf]) -> SuggestedCommand {
    match glob_of(files) {
        Some(start_of_names) => command.glob(&start_of_names),
        None => files.iter().fold(command, |command, file| command.file(file)),
    }
}

/// The start of the names of many files, if no other file in their folder begins with it: a shell
/// finds them by that and a star.
fn glob_of(files: &[PathBuf]) -> Option<PathBuf> {
    let (first, rest) = files.split_first().filter(|_| files.len() > MAX_NAMED_FILES)?;
    let folder = first.parent()?;
    let mut start = first.file_name()?.to_str()?;
    let mut names = HashSet::from([start]);
    for file in rest {
        let name = file.file_name()?.to_str().filter(|_| file.parent() == Some(folder))?;
        let is_same = |(a, b): &(char, char)| a == b;
        let length = start.chars().zip(name.chars()).take_while(is_same);
        start = &start[..length.map(|(c, _)| c.len_utf8()).sum()];
        names.insert(name);
    }
    let beside = sibling_names(first).filter(|name| name.starts_with(start)).count();
    let is_all = !start.is_empty() && !start.starts_with('.') && beside == names.len();
    is_all.then(|| folder.join(start))
}

/// The option that shows the callers of one of the first rows that was called at least `min` times,
/// with `by_line` apart by the lines of their calls.
fn hint_at_callers(list: &List, rows: &Rows<'_>, min: i64, by_line: bool) -> Option<String> {
    let calls =
        |row: &ListRow<'_, '_>| row.calls.map_or(0, |calls| calls.value.by_others.or_zero());
    let is_function = |row: &ListRow<'_, '_>| row.label.file.is_some();
    let mut first = list.lines(rows).take(MAX_WITH_CALLERS);
    let called = first.find(|row| calls(row) >= min && is_function(row))?;
    // A `!` would exclude the function.
    let is_short = |name: &Vec<u8>| name.len() <= MAX_PATTERN && !name.starts_with(b"!");
    let name = rows.pattern_of(called.item).filter(is_short)?;
    let mut options = SuggestedCommand::new("--tree=callers");
    if by_line {
        options = options.words("-g line");
    }
    let options = options.option("-f", &name);
    Some(format!("callers: {options}"))
}
