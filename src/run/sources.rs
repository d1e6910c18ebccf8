//! The annotated sources, the most expensive first.

use std::io::{self, Write};
use std::time::SystemTime;

use anyhow::Result;
use hashbrown::HashSet;

use super::Context;
use super::base_sources::oldest;
use super::inlines::{CodeOfFunctions, UnknownLines};
use crate::graph::CallGraph;
use crate::options::{AnnotationOptions, CodeOptions};
use crate::profile::{FileId, Profile};
use crate::render::{self, SourceFlow, SuggestedCommand, UnknownInlines, write_in_order};
use crate::run::message::display_name;
use crate::run::prepare::Prepared;
use crate::source::{Finder, Unreadable, basename, folder, normal};
use crate::transform::InlinedObjects;
use crate::view::asm::{Instructions, LineFlow};
use crate::view::{Annotator, Choice, Choices, Cost, Figure, List, RowBy, RowId, Rows};

/// The minimum number of equal path components for a file to be suggested.
const MIN_COMMON: usize = 2;

struct SectionWriter<'a, 'r> {
    report: &'a Context<'r>,
    annotator: Option<Annotator<'a, 'r>>,
    /// The time at which the profile was written.
    written: Option<SystemTime>,
    choices: &'a [Choice],
    flow: Option<LineFlow>,
    /// Why the lines of inlined code are unknown, and the command that records them.
    unknown: UnknownInlines,
}

/// The cost shown beside the lines of a source, if the profile has any there; or why the source
/// cannot be read.
type Outcome = Result<Option<Figure<Cost>>, Unreadable>;

/// How often lines of the sources that were found were executed, in functions that the filter
/// selected, and how often jumps from there were taken.
fn line_flow(
    instructions: &Instructions<'_>,
    copies: &InlinedObjects,
    rows: &Rows<'_>,
    choices: &[Choice],
) -> LineFlow {
    let found = choices.iter().filter(|choice| choice.lookup.found.is_some());
    let annotated: HashSet<FileId> = found.filter_map(|choice| choice.file).collect();
    let mut lines_with_code = copies.lines_of(rows.profile);
    if rows.is_filtered {
        // What is said of a line that did not run is true of all functions.
        let of_all = |_, file: FileId| annotated.contains(&file).then(|| file.index());
        let all = LineFlow::new(instructions, copies, rows, of_all);
        lines_with_code.retain(|&(file, line)| all.executed(file, line).is_none());
    }
    let of_selected = |row: RowId, file: FileId| {
        (annotated.contains(&file) && rows.is_selected(row)).then(|| file.index())
    };
    LineFlow::new(instructions, copies, rows, of_selected).with_code(lines_with_code)
}

impl<'r> Context<'r> {
    pub(crate) fn choose_sources(
        &self,
        options: &AnnotationOptions,
        list: &List,
        rows: &Rows<'_>,
    ) -> Choices {
        let (user, finder) = (&self.input.sources, &self.input.finder);
        // Named sources come without others, and those of the system are left out, unless all are
        // requested.
        let are_few = self.style().is_columns && !options.is_requested;
        let auto = options.auto && (user.is_empty() || !are_few);
        let mut choices = Choices::new(rows, &self.selection, list, finder, user, auto, are_few);
        for (source, lines) in &self.input.lines {
            choices.set_lines(self.profile, source, lines);
        }
        choices
    }

    /// Writes the sources of these rows with their costs. The graphs are made here if they are
    /// needed and not made yet.
    pub(super) fn write_sources(
        &self,
        options: &AnnotationOptions,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let (profile, selection, style) = (self.profile, &self.selection, self.style());
        let (list, rows) = (&prepared.report.list, &prepared.report.rows);
        let graphs = prepared.graphs;
        let Choices { files: mut choices, skipped } = self.choose_sources(options, list, rows);
        self.find_base_sources(&mut choices, options.is_requested);
        let of_functions = (rows.row_by != RowBy::FileFunction).then(|| self.rows_of_functions());
        let rows = of_functions.as_ref().unwrap_or(rows);
        let is_found = choices.iter().any(|choice| choice.lookup.found.is_some());
        // No cycle has a name in a source.
        let made = (is_found && graphs.is_none())
            .then(|| CallGraph::of_sides(profile, prepared.options.cycles));
        let sides = graphs.map(|graphs| &graphs.sides).or(made.as_ref()).filter(|_| is_found);
        // callgrind_annotate's page does not know what is inlined, and with --inlines it is called.
        let has_code = is_found && style.is_columns && !profile.has_inlined();
        let code_of_sources = has_code.then(|| self.code_of_sources(&choices));
        let annotator = sides.map(|sides| {
            let mut annotator =
                Annotator::new(sides, rows, selection, options.context, &choices, None)
                    .with_total(&self.total);
            if let Some(code) = &code_of_sources {
                annotator = annotator.with_inlined(&code.objects);
            }
            if style.is_columns { annotator.with_outermost() } else { annotator }
        });
        let CodeOptions { counts, asm, .. } = &self.options.code;
        let counted = prepared.instructions.as_ref().filter(|_| is_found && *counts);
        let unknown_copies = InlinedObjects::new();
        let copies = code_of_sources.as_ref().map_or(&unknown_copies, |code| &code.objects.new);
        let flow = counted.map(|instructions| line_flow(instructions, copies, rows, &choices));
        let writer = SectionWriter {
            report: self,
            annotator,
            written: oldest(&self.input.paths),
            choices: &choices,
            flow,
            unknown: self.unknown_inlines(code_of_sources.as_ref()),
        };
        let annotated = writer.write_all(out)?;
        self.warn_of_large_folders();
        self.note_missing_sources(&choices);
        if style.is_columns && is_found {
            self.note_first_lines();
        }
        if style.is_columns && !is_found && *counts && asm.is_none() {
            self.messages.note(
                "--counts is shown beside lines of sources: none of the listed functions has one that is found",
            );
        }
        self.write_not_found(&choices, skipped, out)?;
        // In columns each title has the cost of its source.
        let is_one = style.is_columns && choices.len() == 1;
        if let Some(mut annotated) = annotated.filter(|_| !is_one) {
            annotated.derive(profile.events());
            render::write_annotated_total(&annotated, self.style(), out)?;
        }
        Ok(())
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

    /// Why lines of inlined code are unknown, and the command that records them.
    fn unknown_inlines(&self, code: Option<&CodeOfFunctions>) -> UnknownInlines {
        let unknown = code.map_or(&[][..], |code| &code.unknown);
        let is_not_recorded = unknown.contains(&UnknownLines::NotRecorded);
        UnknownInlines {
            why: self.why_lines_are_unknown(unknown),
            record: self.command_to_record().filter(|_| is_not_recorded),
            lines: self.remedy_of_lines(),
        }
    }

    /// What may have the lines of code whose lines Callgrind did not know, as it knows none of a
    /// library that was closed: the debug information, by the addresses.
    fn remedy_of_lines(&self) -> Option<&'static str> {
        if self.options.input.inlines {
            None
        } else if self.profile.sides().new.has_addresses {
            Some("--inlines looks them up by address")
        } else {
            self.command_to_record().map(|_| "record with --dump-instr=yes, then --inlines")
        }
    }

    /// Warns of folders in which not all files were searched for sources.
    fn warn_of_large_folders(&self) {
        for walked in self.input.finder.cut_short() {
            let (folder, files) = (display_name(&walked.folder), walked.files);
            let text = format!("{folder}: too many files; searched only the first {files}");
            self.messages.warn(text);
        }
    }

    fn rows_of_functions(&self) -> Rows<'r> {
        let rows = self.rows_by(RowBy::FileFunction);
        // Callees have the same names as in the list.
        if self.style().is_columns { self.named(rows, &[], false) } else { rows }
    }

    /// Writes the sources that were not found; in columns the number of those that are not
    /// annotated.
    fn write_not_found(
        &self,
        choices: &[Choice],
        skipped: usize,
        out: &mut impl Write,
    ) -> Result<()> {
        let mut not_found: Vec<_> = choices
            .iter()
            .filter(|choice| choice.lookup.found.is_none())
            .map(|choice| &choice.name[..])
            .collect();
        not_found.sort_unstable();
        if self.style().is_columns {
            render::write_not_annotated(&not_found, skipped, self.style(), out)?;
        } else if !not_found.is_empty() {
            render::write_not_found(&not_found, self.style(), out)?;
        }
        Ok(())
    }

    pub(super) fn source_flow<'f>(&'f self, flow: &'f LineFlow) -> SourceFlow<'f> {
        let profile = self.profile;
        SourceFlow { flow, profile, counts: flow.is_exact, jumps: !profile.jumps.is_empty() }
    }

    /// Warns why none of several files was used for a source.
    pub(crate) fn warn_of_tie(&self, choice: &Choice) {
        if let Some(why) = choice.lookup.tie() {
            self.messages.warn(format!("{}: {why}", display_name(&choice.name)));
        }
    }
}

impl SectionWriter<'_, '_> {
    /// Writes all sections; returns the sum of the costs beside their lines if there are any.
    fn write_all(&self, out: &mut impl Write) -> io::Result<Option<Figure<Cost>>> {
        let found = |choice: &Choice| choice.lookup.found.as_ref().map_or(0, |found| found.size);
        let sizes: Vec<u64> = self.choices.iter().map(found).collect();
        let mut sum = None;
        let finish = |number: usize, done: Option<Outcome>| {
            let choice = &self.choices[number];
            self.report.warn_of_tie(choice);
            if let Some(done) = done {
                self.end(choice, done, &mut sum);
            }
            Ok(())
        };
        let make = |number, out: &mut Vec<u8>| self.write_source(&self.choices[number], out);
        write_in_order(&sizes, make, finish, out).map(|()| sum)
    }

    fn write_source(&self, choice: &Choice, out: &mut Vec<u8>) -> io::Result<Option<Outcome>> {
        let (Some(found), Some(annotator)) = (&choice.lookup.found, &self.annotator) else {
            return Ok(None);
        };
        let jumps = self
            .flow
            .as_ref()
            .zip(choice.file)
            .map_or_else(Vec::new, |(flow, file)| flow.lines_with_jumps(file.index()));
        let mut annotated = match annotator.annotate(choice, found, &jumps, self.written) {
            Ok(annotated) => annotated,
            Err(error) => return Ok(Some(Err(error))),
        };
        let input = self.report.input;
        let file = input.paths[0].as_os_str().as_encoded_bytes();
        let (events, style) = (input.profile.events(), self.report.style());
        let flow = self.flow.as_ref().map(|flow| self.report.source_flow(flow));
        let unknown = &self.unknown;
        render::write_annotated(choice, &mut annotated, file, unknown, flow, style, out)?;
        let shown = annotated.annotation;
        Ok(Some(Ok(shown.map(|shown| shown.cost(events)))))
    }

    /// Adds the cost shown beside lines to the sum, or warns why a source is not annotated.
    fn end(&self, choice: &Choice, done: Outcome, sum: &mut Option<Figure<Cost>>) {
        let (profile, name) = (&self.report.input.profile, display_name(&choice.name));
        let why = match done {
            Ok(shown) => {
                let nothing = || Figure::undefined(profile.events().len(), profile.is_difference());
                let sum = sum.get_or_insert_with(nothing);
                match shown {
                    Some(cost) => return sum.add(cost.counts()),
                    None => {
                        let other = other_of_its_name(&choice.name, profile);
                        let lacking =
                            || self.report.own_without_lines().map(|why| format!("; {why}"));
                        let why = other.or_else(lacking).unwrap_or_default();
                        format!("no profile has costs for this source{why}")
                    }
                }
            }
            Err(why) => format!("{why}, not annotated"),
        };
        self.report.messages.warn(format!("{name}: {why}"));
    }
}

/// What is said of the sources of the profile that have the name of a given one in other folders:
/// one may be the same on another machine.
fn other_of_its_name(given: &[u8], profile: &Profile) -> Option<String> {
    let is_other = |file: &&[u8]| basename(file) == basename(given) && *file != given;
    let mut others = profile.files().filter(is_other);
    let (other, more) = (others.next()?, others.count());
    let map = [folder(&normal(other)), b"=", folder(&normal(given))].concat();
    let option = SuggestedCommand::new("").option("--source-map", &map);
    let of_name = match more {
        0 => String::new(),
        _ => format!(" and {more} more of this name"),
    };
    Some(format!("; the profile has {}{of_name}: {option}", display_name(other)))
}
