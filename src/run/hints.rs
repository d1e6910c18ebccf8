//! The hints below a list: which options show more of it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::Context;
use super::commands::{MAX_NAMED_FILES, with_kept};
use super::hints_of_callers::hint_at_callers;
use super::message::display_name;
use super::mine::{has_crates, has_objects};
use crate::options::Page;
use crate::profile::{NameKind, recursion_level, without_suffixes};
use crate::render::{SuggestedCommand, counted, not_shown_text};
use crate::source;
use crate::view::{CallKey, Charged, List, PathDirection, RowBy, RowId, Rows, Rule, Subject};

/// The minimum change of a total that is noted, in percent.
const MIN_CHANGE: f64 = 0.05;

impl Context<'_> {
    /// What a profile is added up of, and the option that has a row for each of these.
    pub(super) fn division(&self) -> Option<(&'static str, &'static str)> {
        if self.series.is_some() {
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

    /// The hints below a list.
    pub(super) fn hints(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        let (row_by, is_difference) = (rows.row_by, self.profile.is_difference());
        if rows.is_filtered {
            return self.hints_of_filtered(list, rows);
        }
        if row_by == RowBy::Line && !is_difference {
            return self.hints_at_shown(list, rows).collect();
        }
        let page = self.options.report.page();
        let has_functions = row_by.is_group() && !matches!(row_by, RowBy::Name | RowBy::Template);
        if has_functions && page.is_some_and(|page| !page.list.nested && page.list.tree.is_empty())
        {
            return self.hints_of_groups(list, rows);
        }
        if let Some((each, option)) = self.division().filter(|_| !row_by.is_group()) {
            return vec![format!("each {each}: {option}")];
        }
        let [path] = &self.input.paths[..] else {
            return Vec::new();
        };
        if is_difference {
            let hints = self.hint_at_events().into_iter();
            return hints.chain(self.hint_at_inlines(list, rows)).collect();
        }
        if self.input.is_sampled || row_by != RowBy::Function {
            return Vec::new();
        }
        self.hints_of_functions(path, list, rows)
    }

    /// The page of a list with rows whose calls are known.
    fn page_with_calls(&self, list: &List) -> Option<&Page> {
        let has_calls = !list.items.is_empty() && !self.profile.calls.is_empty();
        self.options.report.page().filter(|_| has_calls)
    }

    /// The page of a list with a tree of one level.
    fn page_of_one_level(&self, list: &List) -> Option<&Page> {
        self.page_with_calls(list).filter(|page| {
            let list = &page.list;
            !list.tree.is_empty() && list.depth.is_none() && !list.by_line
        })
    }

    /// What shows more of the levels, events and lines that a list has, and what its costs include.
    fn hints_at_shown(&self, list: &List, rows: &Rows<'_>) -> impl Iterator<Item = String> {
        let of_tree = self.page_of_one_level(list);
        let of_lines = of_tree.filter(|_| rows.row_by == RowBy::Function);
        let has_library = self.options.input.charged.iter().any(Charged::has_no_pattern);
        let library = has_library
            .then(|| "self costs include those of the library code that was called".to_owned());
        of_tree
            .filter(|page| page.list.tree.contains(&PathDirection::Callers))
            .and_then(|_| self.note_on_callers())
            .into_iter()
            .chain(of_tree.map(|_| "more levels: --depth 10".to_owned()))
            .chain(of_lines.map(|_| "the lines of the direct calls: -g line".to_owned()))
            .chain(self.hints_at_calls(list, rows))
            .chain(self.hint_at_events())
            .chain(library)
            .chain(self.own_share().filter(|_| has_library))
            .chain(self.note_on_charged_inlines())
            .chain(self.notes_on_lines(list, rows))
    }

    fn hints_of_filtered(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        let is_one = rows.row_by == RowBy::Function && list.items.len() == 1;
        let one = self.page_with_calls(list).filter(|page| is_one && page.list.tree.is_empty());
        let callers = one.and_then(|_| {
            let by_line = self.has_one_caller(list.items[0], rows);
            hint_at_callers(list, rows, 0, by_line)
        });
        self.hints_at_shown(list, rows)
            .chain(self.hint_at_more_names())
            .chain(self.hint_at_suffixes(list, rows))
            .chain(self.hint_at_same_name(list, rows))
            .chain(callers)
            .chain(self.hint_at_callees(list, rows))
            .chain(self.hint_at_inlines(list, rows))
            .collect()
    }

    fn hints_of_groups(&self, list: &List, rows: &Rows<'_>) -> Vec<String> {
        std::iter::once("functions of each: --nested".to_owned())
            .chain(self.hint_at_groups(list, rows))
            .chain(self.note_on_charged_inlines())
            .collect()
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

    /// Commands that show the source lines and the callers of the first function that has them.
    fn hints_of_functions(&self, path: &Path, list: &List, rows: &Rows<'_>) -> Vec<String> {
        // The requested event, unless rows are sorted by calls, which lines do not have.
        let event = self
            .options
            .selection
            .sort
            .first()
            .map(|(event, _)| event)
            .filter(|event| CallKey::named(event).is_none());
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
        let one_tree = self
            .page_of_one_level(list)
            .filter(|page| page.list.tree == [PathDirection::Callees] && self.has_main())
            .map(|_| "one tree, from main: --tree=callees -f main --depth 10".to_owned());
        source
            .into_iter()
            .chain(lines)
            .chain(hint_at_callers(list, rows, 2, false))
            .chain(self.hint_at_inlines(list, rows))
            .chain(one_tree)
            .collect()
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
}
