//! gprof's views of a Callgrind profile, in place of the normal report.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::gprof::options::{GprofOptions, GprofView};
use crate::gprof::pages::{self, RecordedStyle, SECTION_END};
use crate::gprof::report::check_symspecs;
use crate::gprof::report::sources::{warn_not_found, write_source};
use crate::gprof::report::static_calls::with_static_calls;
use crate::gprof::views::{
    CallgrindCosts, CountedFile, ExecCount, Flat, FlatRow, Graph, GraphTable, NamedFunctions,
    Scope, Selected, exec_counts, source_line,
};
use crate::options::AnnotationOptions;
use crate::profile::{Call, FileId, FunctionId};
use crate::render::Style;
use crate::run::Context;
use crate::run::message::{UsageError, and_more, display_name};
use crate::run::output::OutputFile;
use crate::source::is_of_system;
use crate::view::asm::{Instructions, LineExecutions, executions_of_lines};
use crate::view::{Choices, Rows};

pub(super) fn write(
    report: &Context<'_>,
    options: &GprofOptions,
    out: &mut impl Write,
) -> Result<()> {
    match with_static_calls(report, options)? {
        Some(profile) => write_views(&report.of_profile(&profile), options, out),
        None => write_views(report, options, out),
    }
}

fn write_views(report: &Context<'_>, options: &GprofOptions, out: &mut impl Write) -> Result<()> {
    let selection = &report.selection;
    if selection.by_calls.is_some() || selection.by_per_call {
        let text = "--sort by calls cannot be combined with gprof reports";
        return Err(UsageError(text.to_owned()).into());
    }
    let style = report.options.rows.demangles.then_some(options.style);
    let functions = NamedFunctions::new(report.profile, style);
    let mut options = options.clone();
    options.display.lists_hidden = report.options.rows.filter.is_empty();
    options.display.escapes = report.escapes;
    let views = GprofViews::new(report, options, &functions);
    let options = &views.options;
    check_symspecs(&options.symspecs, Some(report.profile), false, report.messages)?;
    if options.display.zeros && options.static_calls.is_none() {
        let text =
            "-z: a Callgrind profile has the functions that ran; those never called are not in it";
        report.messages.note(text);
    }
    let mut requested = options.views.clone();
    requested.retain(|&view| view != GprofView::Index || views.missing(GprofView::Graph).is_none());
    let has_none = requested.iter().all(|&view| views.missing(view).is_some());
    let (graph, table) = (OnceCell::new(), OnceCell::new());
    let mut before = &[][..];
    for &view in &requested {
        if let Some(text) = views.missing(view) {
            if has_none && requested.last() == Some(&view) {
                return Err(report.error(text));
            }
            report.messages.note(text);
            continue;
        }
        if view != GprofView::Sum {
            out.write_all(std::mem::replace(&mut before, SECTION_END))?;
        }
        views.write(view, &graph, &table, out)?;
    }
    Ok(())
}

struct GprofViews<'a> {
    report: &'a Context<'a>,
    options: GprofOptions,
    recorded: CallgrindCosts<'a>,
    selected: Selected,
    /// By fragment whether annotated sources show it; none if they show all.
    sources: Option<Vec<bool>>,
}

impl<'a> GprofViews<'a> {
    fn new(
        report: &'a Context<'a>,
        mut options: GprofOptions,
        functions: &'a NamedFunctions<'a>,
    ) -> GprofViews<'a> {
        let event = report.selection.order.first().copied().unwrap_or(0);
        let (symspecs, by_line) = (&mut options.symspecs, options.display.by_line);
        // Most reports have no symspecs, and subjects are large.
        let subjects = if symspecs.all.is_empty() { Vec::new() } else { functions.subjects() };
        let profile = functions.profile;
        let site = |call: &Call| profile.code_place(call.site);
        let ends = |call| (functions.of(site(call).function), functions.of(call.callee));
        let calls: Vec<_> = profile.calls.iter().map(ends).collect();
        let line = |call: usize| {
            let line = by_line.then(|| source_line(site(&profile.calls[call])));
            line.map(|line| functions.line(calls[call].0, line))
        };
        let included = symspecs.included_calls(&calls, line, &subjects, None);
        let selected = symspecs.select(&subjects, |_, _| ());
        // Symspecs that match only lines, or only the code of functions in other files, are also
        // marked as matched.
        if by_line && symspecs.scope(Scope::Flat) {
            let lines: Vec<_> = functions.lines().collect();
            symspecs.list(Scope::Flat, &lines);
        }
        let sources = symspecs.scope(Scope::Sources).then(|| {
            let fragments = functions.fragments();
            let list = symspecs.list(Scope::Sources, &fragments);
            (0..fragments.len()).map(|id| list.allows(id)).collect()
        });
        let has_more = !report.options.selection.show.is_empty();
        let shown = report.selection.shown.iter().copied();
        let more_events = shown.filter(|&other| has_more && other != event);
        GprofViews {
            report,
            options,
            recorded: CallgrindCosts::new(
                functions,
                event,
                more_events.collect(),
                &included,
                by_line,
            ),
            selected,
            sources,
        }
    }

    /// The message in place of a view that the profile has no data for.
    fn missing(&self, view: GprofView) -> Option<&'static str> {
        let (profile, display) = (self.report.profile, &self.options.display);
        let has_addresses = display.by_line && self.report.input.has_addresses;
        let has_executions = has_addresses && profile.events().find(b"Ir").is_some();
        let has_calls = !profile.calls.is_empty();
        // Those of Go and of xtree files are not counted.
        let has_counts = profile.sides().new.call_counts.iter().any(|&of| of != 0);
        match view {
            GprofView::Info | GprofView::LinkOrder | GprofView::ObjectOrder => {
                Some("-i, -r and -R need gprof's data (gmon.out)")
            }
            GprofView::Graph if !has_calls => Some("no call graph: the profile has no calls"),
            GprofView::ExecCounts if !has_counts && !display.zeros && !has_executions => {
                Some("no call counts: the profile counts no calls")
            }
            GprofView::Sources if !has_counts && !has_executions => {
                Some("no annotated sources: the profile counts no calls")
            }
            _ => None,
        }
    }

    /// Writes a view. The call graph and its table are made for the first view that needs them.
    fn write<'t>(
        &'t self,
        view: GprofView,
        graph: &'t OnceCell<Graph<'t, i64>>,
        table: &OnceCell<GraphTable<'t, i64>>,
        out: &mut impl Write,
    ) -> Result<()> {
        let functions = self.recorded.functions;
        let table = || {
            table.get_or_init(|| {
                let graph = graph.get_or_init(|| self.graph());
                GraphTable::new(graph, |function| functions.name(function))
            })
        };
        match view {
            GprofView::Sum => write_sum(self.report)?,
            GprofView::Info | GprofView::LinkOrder | GprofView::ObjectOrder => {}
            GprofView::Flat => {
                let flat = self.flat();
                let has_graph = self.missing(GprofView::Graph).is_none();
                let numbers = (self.options.display.is_traditional && has_graph).then(table);
                pages::write_flat(&flat, numbers, &self.style(), out)?;
            }
            GprofView::Graph => pages::write_graph(table(), &self.style(), out)?,
            GprofView::Index => pages::write_index(table(), &self.style(), out)?,
            GprofView::ExecCounts => {
                let exec_counts = self.exec_counts();
                pages::write_exec_counts(&exec_counts, &self.style(), out)?;
            }
            GprofView::Sources => self.write_annotated(out)?,
        }
        Ok(())
    }

    fn style(&self) -> RecordedStyle<'_> {
        RecordedStyle { recorded: &self.recorded, display: self.options.display }
    }

    fn total(&self) -> i64 {
        self.report.total.figure.value[self.recorded.event].or_zero()
    }

    fn accepts(&self, function: u32) -> bool {
        let filter = &self.report.options.rows.filter;
        filter.is_empty() || filter.accepts(&self.recorded.functions.at_start(function))
    }

    /// Whether the filter options accept a function and the symspecs of a scope include it.
    fn selects(&self, scope: Scope, function: u32) -> bool {
        self.selected.of(scope).includes(function) && self.accepts(function)
    }

    fn flat(&self) -> Flat<i64> {
        let rows = if self.options.display.by_line {
            self.recorded.line_rows()
        } else {
            self.recorded.function_rows()
        };
        let subject = |row: &FlatRow<i64>| match row.site {
            Some(site) => self.recorded.functions.line(row.number, site),
            None => self.recorded.functions.at_start(row.number),
        };
        let subjects: Vec<_> = rows.iter().map(subject).collect();
        let mut list = self.selected.of(Scope::Flat).clone();
        if self.options.display.by_line {
            let mut symspecs = self.options.symspecs.clone();
            list = symspecs.list(Scope::Flat, &subjects);
            // As in gprof, a symspec that matches a function applies to all of its lines.
            let functions = self.selected.of(Scope::Flat);
            for (excludes, functions) in [(false, &functions.include), (true, &functions.exclude)] {
                let of_row = |row: &FlatRow<i64>| functions.get(row.number as usize) == Some(&true);
                let of_rows: Vec<bool> = rows.iter().map(of_row).collect();
                if of_rows.contains(&true) {
                    list.add(excludes, &of_rows);
                }
            }
        }
        // The cost of excluded rows is subtracted from the total.
        let mut whole = self.total();
        let filter = &self.report.options.rows.filter;
        let mut shown = Vec::new();
        for ((number, row), subject) in (0..).zip(rows).zip(&subjects) {
            if !list.includes(number) {
                whole -= row.own;
            } else if filter.accepts(subject) {
                shown.push(row);
            }
        }
        let key = |row: &FlatRow<i64>| (row.number, row.site);
        Flat::new(shown.into_iter(), whole, self.options.display.zeros, key)
    }

    fn graph(&self) -> Graph<'_, i64> {
        let mut graph = self.recorded.graph(&self.selected);
        if !self.report.options.rows.filter.is_empty() {
            graph.show_only(|function| self.accepts(function));
        }
        // Costs that do not count are subtracted from the program's total, which may have more than
        // its functions do. What only these functions spend has nothing of that.
        if self.selected.of(Scope::Counted).include.is_empty() {
            graph.total += self.total() - self.recorded.own.iter().sum::<i64>();
        }
        graph
    }

    /// The executions of lines, if views are by line and the profile has addresses of instructions.
    fn executed<G: Copy + Ord>(
        &self,
        group: impl Fn(FunctionId, FileId) -> Option<G>,
    ) -> Option<Vec<LineExecutions<G>>> {
        let input = &self.report.input;
        let profile = &input.profile;
        let display = self.options.display;
        let is_by_line = display.by_line && profile.sides().new.has_addresses;
        let instructions = is_by_line
            .then(|| Instructions::new(profile, input.copies_at()))
            .filter(Instructions::has_executions);
        instructions
            .map(|code| executions_of_lines(&code, &self.report.copies_of_lines(), group, |_| ()))
    }

    fn exec_counts(&self) -> Vec<ExecCount> {
        let executed = self
            .executed(|function, file| {
                let function = self.recorded.functions.of(function);
                let is_selected = self.selects(Scope::ExecCounts, function);
                is_selected.then_some((function, file))
            })
            .unwrap_or_default();
        self.counts_of(Scope::ExecCounts, executed, self.options.min_count)
    }

    /// The calls of the selected functions, and the executions of their lines.
    fn counts_of(
        &self,
        scope: Scope,
        lines: Vec<LineExecutions<(u32, FileId)>>,
        min_count: u64,
    ) -> Vec<ExecCount> {
        exec_counts(
            self.recorded.functions,
            &self.recorded.graph(&Selected::default()),
            |function| self.selects(scope, function),
            self.options.display.by_line,
            lines,
            u64::from(!self.options.display.zeros).max(min_count),
        )
    }
}

/// Whether a source is probably one of a library that was built in a folder that is not known:
/// those of the C library begin with `./`.
fn is_of_library(name: &[u8]) -> bool {
    name.starts_with(b"./") || name.starts_with(b"../")
}

const SUM: &str = "callgrind.sum";

/// Writes the sum of all profiles to [`SUM`]. Its names are not escaped, even if the output is a
/// terminal.
fn write_sum(report: &Context<'_>) -> Result<()> {
    let style = Style { escapes: false, ..report.style() };
    let mut file = OutputFile::create(Path::new(SUM))?;
    report.write_callgrind(style, &mut file)?;
    file.finish()?;
    report.messages.note(format!("the sum is in {SUM}"));
    Ok(())
}

impl GprofViews<'_> {
    /// Writes the annotated sources that the symspecs select.
    fn write_annotated(&self, out: &mut impl Write) -> Result<()> {
        let report = self.report;
        let mut options = report.options.rows.clone();
        options.filter.fragments.clone_from(&self.sources);
        let rows = Rows::new(report.profile, &options);
        let listed = report.list(&rows);
        let options = AnnotationOptions { auto: true, ..AnnotationOptions::default() };
        let choices = report.choose_sources(&options, &listed, &rows);
        let selected = rows.selected_fragments();
        let executed =
            self.executed(|function, file| selected.contains(&(function, file)).then_some(file));
        let counts: Vec<_> = match executed {
            Some(executed) => {
                let executed = executed.into_iter();
                executed.map(|line| (line.line, line.executed.count)).collect()
            }
            None => {
                if self.options.display.by_line {
                    let without = "without addresses of instructions (--dump-instr=yes)";
                    let text = format!("{without} executions are unknown: -A prints calls");
                    report.messages.note(text);
                }
                // The first lines of functions, with their calls.
                let counts = self.counts_of(Scope::Sources, Vec::new(), 0).into_iter();
                let functions = self.recorded.functions;
                let lines = counts.map(|one| (functions.start(one.function), one.count));
                lines.filter(|((_, line), _)| *line > 0).collect()
            }
        };
        let mut files = BTreeMap::<FileId, CountedFile>::new();
        for ((file, line), count) in counts {
            let count = u64::try_from(count).unwrap_or(0);
            let file = files.entry(file).or_default();
            file.entry(line).or_default().add(count);
        }
        self.write_counted(&choices, files, out)
    }

    fn write_counted(
        &self,
        choices: &Choices,
        mut files: BTreeMap<FileId, CountedFile>,
        out: &mut impl Write,
    ) -> Result<()> {
        let (report, mut before) = (self.report, &b""[..]);
        let mut of_libraries = Vec::new();
        let cuts = report.options.input.program.as_gprof;
        for choice in &choices.files {
            let file = choice.file.and_then(|file| files.remove(&file));
            let Some(file) = file else {
                continue;
            };
            report.warn_of_tie(choice);
            let (name, found) = (&choice.name, choice.lookup.found.as_ref());
            let is_written =
                write_source(name, &file, found, &self.options, cuts, &mut before, out)?;
            if is_written || is_of_system(name) {
                continue;
            }
            if is_of_library(name) {
                of_libraries.push(name);
            } else {
                warn_not_found(name, report.messages);
            }
        }
        if let Some(first) = of_libraries.first() {
            let (first, more) = (display_name(first), and_more(of_libraries.len() - 1));
            report
                .messages
                .note(format!("{first}{more}: sources of libraries that were not found"));
        }
        report.note_missing_sources(&choices.files);
        Ok(())
    }
}
