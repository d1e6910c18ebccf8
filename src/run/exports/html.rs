//! The page for a browser: its rows, stacks and sources.

use std::convert::Infallible;
use std::env;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Result;

use crate::options::{GivenOption, Page};
use crate::profile::{FunctionId, NameKind, Ordered};
use crate::render::{self, JsonReport, Report, SuggestedCommand};
use crate::run::Context;
use crate::run::base_sources::oldest;
use crate::run::first_screen::{CodeOfSources, PageJson};
use crate::run::message::display_name;
use crate::run::prepare::Prepared;
use crate::source::{is_foreign, is_of_system};
use crate::view::asm::{AsmOptions, Instructions};
use crate::view::{
    Annotator, Graphs, List, RowId, Rows, costly_threads, rows_of_threads, unlisted_contexts,
};

/// The maximum cost that a page leaves out without a note, in percent of the total.
const MAX_OMITTED_PERCENT: f64 = 5.0;
/// The size in bytes from which browsers are slow.
const MAX_BYTES: usize = 32 << 20;
/// The maximum size of a source that is in the page from its first line to its last, and that of
/// all of these; of others there are the lines with costs and those around them.
const MAX_WHOLE: u64 = 256 << 10;
const MAX_ALL_WHOLE: u64 = 1 << 20;
/// The maximum number of threads that have stacks of their own.
const MAX_THREADS: usize = 16;

impl<'r> Context<'r> {
    pub(in crate::run) fn write_html(
        &self,
        html: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let report = &prepared.report;
        let (list, rows, mut data) = (&report.list, &report.rows, Vec::new());
        let Some(Graphs { sides, .. }) = prepared.graphs else {
            return Ok(());
        };
        let why = self.why(prepared);
        let min_percent = html.min_percent;
        if self.series.is_some() {
            // A series has no sources.
            let page = PageJson { min_percent, sources: None };
            self.write_json(prepared, why.as_ref(), Some(page), &mut data)?;
            let bytes = render::write_html(&self.title(), report, &data, Vec::new(), out)?;
            self.note_page(list, bytes);
            return Ok(());
        }
        let mut choices = self.choose_sources(&html.annotation, list, rows).files;
        // Sources newer than a profile are shown with a caveat.
        self.find_base_sources(&mut choices, true);
        // What is inlined at lines is shown where the first screen's lines tell it.
        let reads_inlines = self.first_screen().is_some_and(|screen| screen.reads_inlines);
        let shows_inlined = reads_inlines && !self.profile.has_inlined();
        let of_sources =
            shows_inlined.then(|| CodeOfSources::of_functions(self.functions_in(&choices)));
        let page = PageJson { min_percent, sources: of_sources.as_ref() };
        self.write_json(prepared, why.as_ref(), Some(page), &mut data)?;
        let code = of_sources.map(|sources| self.code_of_page(sources));
        let (selection, context) = (&self.selection, html.annotation.context);
        let annotator = Annotator::new(sides, rows, selection, context, &choices, Some(list));
        let annotator = match &code {
            Some(code) => annotator.with_inlined(&code.objects),
            None => annotator,
        };
        let is_listed = list.is_listed(rows);
        let written = oldest(&self.input.paths);
        let sources = choices.iter().filter_map(|choice| {
            let found = choice.lookup.found.as_ref()?;
            let annotated = annotator.annotate(choice, found, &[], written).ok()?;
            annotated.annotation.is_some().then_some((choice, annotated))
        });
        let mut left = if html.annotation.has_whole_texts { MAX_ALL_WHOLE } else { 0 };
        let sources = sources.map(|(choice, annotated)| {
            let size = choice.lookup.found.as_ref().map_or(0, |found| found.size);
            let is_whole = !is_of_system(&choice.name) && size <= left.min(MAX_WHOLE);
            left -= if is_whole { size } else { 0 };
            let mut inlined =
                choice.file.map_or_else(Vec::new, |file| annotator.inlined_by_row(file));
            inlined.retain_mut(|copy| {
                if self.options.machine_code().is_none() {
                    copy.addresses.clear();
                }
                is_listed[copy.row.index()]
                    && selection.has_share(
                        &copy.cost.value,
                        &self.total.reference,
                        min_percent,
                        &self.profile.events().ratios(),
                    )
            });
            let inlined_once =
                choice.file.map_or_else(Vec::new, |file| annotator.inlined_once(file));
            let is_foreign = is_foreign(&choice.name);
            render::PageSource { choice, annotated, is_whole, is_foreign, inlined, inlined_once }
        });
        let bytes = render::write_html(&self.title(), report, &data, sources.collect(), out)?;
        self.note_page(list, bytes);
        Ok(())
    }

    /// The cost that a list leaves out, in percent of the total.
    fn omitted_percent(&self, list: &List) -> f64 {
        let (event, omitted) = (self.event(), list.omitted.as_ref());
        let more = omitted.map_or(0, |omitted| omitted.more.cost.value[event].or_zero());
        more as f64 * 100.0 / self.total.reference[event].or_zero() as f64
    }

    /// Whether a page with the default minimum would leave out much: there are many functions that
    /// all cost little.
    pub(in crate::run) fn leaves_out_much(&self, list: &List) -> bool {
        let page = self.options.report.page();
        page.is_some_and(|page| page.is_min_default)
            && self.omitted_percent(list) > MAX_OMITTED_PERCENT
    }

    /// Notes the cost that the page leaves out, and a large size.
    fn note_page(&self, list: &List, bytes: usize) {
        let (event, percent) = (self.event(), self.omitted_percent(list));
        if percent.abs() > MAX_OMITTED_PERCENT {
            let name = display_name(self.profile.events().name(event));
            let mut note =
                format!("the page leaves out {percent:.1}% of {name}; --min=0 keeps all");
            let has_suffixes = self.profile.name_kind() == NameKind::Symbol;
            if has_suffixes && self.profile.has_contexts() {
                note += ", or --fold=callers, which merges contexts";
            }
            self.messages.note(note);
        }
        if bytes > MAX_BYTES {
            self.messages.warn(format!(
                "the page has {} MiB, which browsers open slowly; --min leaves more out",
                bytes >> 20
            ));
        }
    }

    /// Writes what the page has beside the rows.
    pub(super) fn write_page_members(
        &self,
        graphs: &Graphs<'r>,
        json: &JsonReport<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let report = json.listed;
        let (rows, list) = (&report.rows, &report.list);
        let is_listed = list.is_listed(rows);
        let options = &self.options;
        render::write_json_sums(rows, &is_listed, graphs, &options.rows, self.style(), out)?;
        if let Some(inclusive) = &report.inclusive
            && !self.profile.is_difference()
            && self.series.is_none()
        {
            let contexts = unlisted_contexts(rows, &is_listed, inclusive);
            render::write_json_contexts(&contexts, self.style(), out)?;
        }
        render::write_json_command(&self.kept_by_event(), self.page_command(), out)?;
        render::write_json_messages("warnings", &self.messages.warned(), out)?;
        if json.screen.is_some_and(|screen| screen.no_lines.is_none()) {
            render::write_json_messages("notes", &self.notes_on_code(), out)?;
        }
        if self.series.is_some() {
            return Ok(());
        }
        if let Some(event) = self.style().sorted
            && !self.profile.is_difference()
        {
            let threads = rows_of_threads(rows, &is_listed, event);
            render::write_json_threads(json, &threads, out)?;
        }
        self.write_stacks(graphs, rows, list, out)?;
        if let Some(asm) = options.machine_code()
            && self.profile.sides().new.has_addresses
        {
            self.write_machine_code(asm, report, out)?;
        }
        if let Some(editor) = options.report.page().and_then(|page| page.editor.as_ref()) {
            let folder = env::current_dir().unwrap_or_default();
            render::write_json_editor(editor, folder.as_os_str().as_encoded_bytes(), out)?;
        }
        Ok(())
    }

    /// How much options kept of the profile, by shown event and in words.
    fn kept_by_event(&self) -> Vec<Vec<String>> {
        self.selection.shown.iter().map(|&event| self.kept_lines(event)).collect()
    }

    /// The words of a command for a part of the page: the options that were given, but for
    /// `--below`; this; the files; and those options that every report needs. None if a file is
    /// standard input, which cannot be read again.
    fn page_command(&self) -> Option<[SuggestedCommand; 4]> {
        let (page, input) = (self.options.report.page()?, &self.options.input);
        let given = if input.files.is_empty() { &self.input.paths } else { &input.files };
        let mut all = given.iter().chain(&input.base).chain(input.earlier.iter().flatten());
        if all.any(|file| file == Path::new("-")) {
            return None;
        }
        let [mut options, mut below] = [SuggestedCommand::new(""), SuggestedCommand::new("")];
        let mut always = SuggestedCommand::new("");
        for GivenOption { option, value } in &page.always_given {
            always = always.given(option, value.as_deref());
        }
        for GivenOption { option, value } in &page.given {
            let words = if option == "--below" { &mut below } else { &mut options };
            *words = words.clone().given(option, value.as_deref());
        }
        if input.is_series {
            let mut files = SuggestedCommand::new("--series");
            let sides = [given, &input.base].into_iter().chain(&input.earlier);
            let labelled: Vec<_> = input.labels.iter().zip(sides).collect();
            for (label, side) in labelled.into_iter().rev() {
                for file in side {
                    let name = file.as_os_str().as_encoded_bytes();
                    files = files.word(&[label.as_bytes(), b"=", name].concat());
                }
            }
            return Some([options, below, files, always]);
        }
        let mut files = SuggestedCommand::new("");
        for base in &input.base {
            files = files.option("--diff", base.as_os_str().as_encoded_bytes());
        }
        for file in given {
            files = files.file(file);
        }
        Some([options, below, files, always])
    }

    /// Writes the instructions of the most expensive functions.
    fn write_machine_code(
        &self,
        asm: &AsmOptions,
        report: &Report<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let rows = &report.rows;
        let is_listed = report.list.is_listed(rows);
        let row_of = |function| {
            let row = rows.of_function(function).index();
            is_listed[row].then_some(row)
        };
        let instructions = Instructions::new(self.profile, self.input.copies_at());
        let mut separator = "\n";
        out.write_all(b",\"code\":[")?;
        let left_out = self.for_each_asm_page(asm, &instructions, report, |page| {
            let mut text = Vec::new();
            render::write_page_function(page, row_of, self.style(), &mut text)?;
            if !text.is_empty() {
                out.write_all(std::mem::replace(&mut separator, ",\n").as_bytes())?;
                out.write_all(&text)?;
            }
            Ok(())
        })?;
        out.write_all(b"\n]")?;
        let left_out =
            left_out.iter().filter_map(|&(function, count)| Some((row_of(function)?, count)));
        Ok(render::write_json_code_left_out(&left_out.collect::<Vec<_>>(), out)?)
    }

    /// Writes the stacks of each shown event, then those of each of the threads that cost most.
    fn write_stacks(
        &self,
        graphs: &Graphs<'r>,
        rows: &Rows<'r>,
        list: &List,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let is_listed = list.is_listed(rows);
        // Stacks follow cycles even if the list does not.
        let has_cycles = self.options.report.list().is_some_and(|list| list.cycles);
        let own = (!has_cycles).then(|| self.graphs_of_functions().new);
        let graph = own.as_ref().unwrap_or(&graphs.sides.new);
        let threads = costly_threads(self.profile, self.event(), MAX_THREADS);
        let mut of_threads: Vec<Vec<u8>> = vec![Vec::new(); threads.len()];
        out.write_all(b",\"stacks\":[")?;
        let events = self.selection.shown.iter();
        let options = self.stack_options();
        for (at, &event) in events.enumerate() {
            out.write_all(if at > 0 { b",\n[" } else { b"\n[" })?;
            // Negative costs have no stacks.
            if let Ok(stacks) = self.stacks(graph, rows, event) {
                let mut frames = FlameFrames::new(rows, &is_listed);
                let add = |path: &[FunctionId], cost| frames.add(path, cost);
                let Ok(()) = stacks.for_each(options.min, options.keeps_all, rows, add);
                frames.write(out)?;
                for (&thread, text) in threads.iter().zip(&mut of_threads) {
                    let mut frames = FlameFrames::new(rows, &is_listed);
                    let add = |path: &[FunctionId], cost| frames.add(path, cost);
                    let (min, keeps_all) = (options.min, options.keeps_all);
                    let Ok(()) = stacks.for_each_of_thread(thread, min, keeps_all, rows, add);
                    text.extend(if at > 0 { &b",["[..] } else { b"[" });
                    frames.write(text)?;
                    text.push(b']');
                }
            }
            out.write_all(b"]")?;
        }
        out.write_all(b"\n]")?;
        let mut lead = ",\"thread_stacks\":{\n";
        for (thread, text) in threads.iter().zip(&of_threads) {
            // The first thread has no number.
            write!(out, "{lead}\"{}\":[", thread.unwrap_or(0))?;
            out.write_all(text)?;
            out.write_all(b"]")?;
            lead = ",\n";
        }
        out.write_all(if threads.is_empty() { b"" } else { b"\n}" })
    }
}

/// Frames by the frame above and their row. Unlisted functions that call each other are one frame.
type FrameTree = Ordered<(Option<usize>, Option<RowId>), FlameFrame>;

#[derive(Default)]
struct FlameFrame {
    cost: i128,
    below: Vec<usize>,
}

/// Frames that are made of stacks, each of which mostly begins like the one before it.
struct FlameFrames<'a, 'p> {
    rows: &'a Rows<'p>,
    is_listed: &'a [bool],
    tree: FrameTree,
    roots: Vec<usize>,
    /// The functions of the last stack and their frames.
    last: Vec<(FunctionId, usize)>,
}

impl<'a, 'p> FlameFrames<'a, 'p> {
    fn new(rows: &'a Rows<'p>, is_listed: &'a [bool]) -> FlameFrames<'a, 'p> {
        let (tree, roots, last) = (FrameTree::default(), Vec::new(), Vec::new());
        FlameFrames { rows, is_listed, tree, roots, last }
    }

    /// Adds a stack with its cost.
    fn add(&mut self, path: &[FunctionId], cost: i64) -> Result<(), Infallible> {
        let both = self.last.iter().zip(path);
        let known = both.take_while(|((of, _), function)| of == *function).count();
        self.last.truncate(known);
        for &function in &path[known..] {
            let row = self.rows.of_function(function);
            let listed = Some(row).filter(|row| self.is_listed[row.index()]);
            let above = self.last.last().map(|&(_, above)| above);
            let next = self.tree.len();
            let frame = self.tree.entry((above, listed));
            let at = frame.index();
            frame.or_default();
            if at == next {
                let of_above = above.map(|above| &mut self.tree[above].below);
                of_above.unwrap_or(&mut self.roots).push(at);
            }
            self.last.push((function, at));
        }
        if let Some(&(_, at)) = self.last.last() {
            self.tree[at].cost += i128::from(cost);
        }
        Ok(())
    }

    /// Writes the frames in preorder: depth, row or -1, and inclusive cost.
    fn write(mut self, out: &mut impl Write) -> io::Result<()> {
        add_costs_below(&mut self.tree);
        write_frames(&self.tree, &self.roots, out)
    }
}

/// Adds the cost of each frame to that of the frame above, which is before it.
fn add_costs_below(tree: &mut FrameTree) {
    for at in (0..tree.len()).rev() {
        let Some((&(above, _), &FlameFrame { cost, .. })) = tree.get_index(at) else {
            continue;
        };
        if let Some(above) = above {
            tree[above].cost += cost;
        }
    }
}

/// Writes `roots` and the frames below them in preorder: depth, row and cost.
fn write_frames(tree: &FrameTree, roots: &[usize], out: &mut impl Write) -> io::Result<()> {
    let mut left: Vec<(usize, usize)> = roots.iter().rev().map(|&root| (0, root)).collect();
    let mut separator = "";
    while let Some((depth, at)) = left.pop() {
        let Some((&(_, row), FlameFrame { cost, below })) = tree.get_index(at) else {
            continue;
        };
        let row = row.map_or(-1, |row| row.index() as i64);
        write!(out, "{separator}{depth},{row},{cost}")?;
        separator = ",";
        left.extend(below.iter().rev().map(|&frame| (depth + 1, frame)));
    }
    Ok(())
}
