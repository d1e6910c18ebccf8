//! gprof's views of gprof's own data.

use std::cell::OnceCell;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::gprof::options::{GprofOptions, GprofView};
use crate::gprof::pages::{self, DisplayOptions, SECTION_END, SampledStyle};
use crate::gprof::report::check_symspecs;
use crate::gprof::report::sources::{warn_not_found, write_source};
use crate::gprof::report::static_calls::add_static_calls;
use crate::gprof::views::{
    BasicBlocks, Calls, CountsShown, Flat, Graph, GraphTable, ReadableNames, Scope, Selected,
    Symspecs, Ticks, calls_of, function_order, object_order, place_counts,
};
use crate::options::Options;
use crate::profile::{RawCall, RecordCounts, Unit};
use crate::read::gmon::{ProgramPlaces, Recording, is_measuring, write_gmon};
use crate::run::message::{Messages, display_paths};
use crate::run::output::OutputFile;
use crate::run::sampled::{SampledFiles, WantedLines, contents, load};
use crate::source::Finder;
use crate::view::Subject;

pub(super) fn write(
    files: &SampledFiles,
    options: &Options,
    gprof: &GprofOptions,
    escapes: bool,
    out: &mut impl Write,
    messages: &Messages,
) -> Result<()> {
    let mut gprof = gprof.clone();
    gprof.display.escapes = escapes;
    if gprof.views == [GprofView::Info] {
        return write_contents(files, options, &gprof, out);
    }
    // A sum keeps the addresses of call sites, so places must be lines.
    gprof.display.by_line |= gprof.views.contains(&GprofView::Sum);
    let wanted = wanted_lines(&gprof);
    let mut recording = load(files, &options.input.program, wanted, messages)?;
    gprof.views = views(files, &gprof, &recording)?;
    let subjects = subjects(&recording.places);
    gprof.symspecs.prefer_symbols(&subjects);
    let recorded = &mut recording.calls.between;
    let ends: Vec<_> = recorded.keys().copied().collect();
    let places = Some(&recording.places);
    let mut keeps = gprof.symspecs.included_calls(&ends, |_| None, &subjects, places).into_iter();
    recorded.retain(|_, _| keeps.next().unwrap_or(true));
    let mut calls = calls_of(&recording.calls);
    add_static_calls(&mut calls, &files.program, &gprof, &recording, messages)?;
    let selected = selected(&mut gprof.symspecs, &subjects, &recording.places);
    let views_of = SampledViews::new(&recording, &calls, options, &gprof, selected);
    let are_ignored = options.input.program.as_gprof;
    check_symspecs(&gprof.symspecs, None, are_ignored, messages)?;
    let has_blocks = !recording.samples.blocks.is_empty();
    if !gprof.display.by_line && has_blocks && gprof.has_counts() {
        messages.note("executions of basic blocks are omitted; -l shows them");
    }
    let table = OnceCell::new();
    let mut before = &[][..];
    for &view in &gprof.views {
        match view {
            GprofView::Sum => {
                write_sum(&recording)?;
                continue;
            }
            GprofView::Sources => views_of.write_sources(&files.profiles, before, out, messages)?,
            // As in gprof, nothing separates orders from what is before them.
            GprofView::LinkOrder | GprofView::ObjectOrder => {
                views_of.write(view, &table, &files.profiles, out)?;
            }
            view => {
                out.write_all(before)?;
                views_of.write(view, &table, &files.profiles, out)?;
            }
        }
        before = SECTION_END;
    }
    Ok(())
}

/// The requested views; by default those for which there is data, else the call counts.
fn views(
    files: &SampledFiles,
    gprof: &GprofOptions,
    recording: &Recording,
) -> Result<Vec<GprofView>> {
    let has_data = |view: &GprofView| match view {
        GprofView::Flat => !recording.samples.histograms().is_empty(),
        GprofView::Graph | GprofView::Index => has_calls(recording),
        _ => true,
    };
    let mut views = gprof.views.clone();
    if gprof.is_default {
        views.retain(has_data);
        if views.is_empty() {
            views.push(GprofView::ExecCounts);
        }
    } else if let Some(view) = views.iter().find(|view| !has_data(view)) {
        let profiles = display_paths(&files.profiles);
        let missing = match view {
            GprofView::Flat => "there are no samples, which the flat profile needs",
            _ => "there are no calls, which the call graph needs",
        };
        return Err(anyhow!("{profiles}: {missing}"));
    }
    Ok(views)
}

/// Whether there is a call graph. The older formats always have one.
fn has_calls(recording: &Recording) -> bool {
    let mut files = recording.samples.files.iter();
    recording.calls.records > 0 || files.any(|file| file.version.is_none())
}

fn wanted_lines(gprof: &GprofOptions) -> WantedLines {
    let has_specs = !gprof.symspecs.all.is_empty();
    if gprof.display.by_line {
        WantedLines::All
    } else if gprof.display.with_files || has_specs || gprof.has_counts() {
        WantedLines::OfFunctions
    } else if gprof.views.contains(&GprofView::Graph) {
        WantedLines::OfLocals
    } else {
        WantedLines::None
    }
}

fn subjects(places: &ProgramPlaces) -> Vec<Subject<'_>> {
    let subject = |place: usize| {
        let file = places.file(place).unwrap_or_default();
        let subject = Subject::new(None, file, places.name(place));
        match places.list[place].line {
            0 => subject,
            line => subject.at(line),
        }
    };
    (0..places.list.len()).map(subject).collect()
}

/// The places that the symspecs select. Except for counts and sources, functions that do the
/// profiling are excluded.
fn selected(symspecs: &mut Symspecs, subjects: &[Subject<'_>], places: &ProgramPlaces) -> Selected {
    let measuring: Vec<bool> = subjects.iter().map(|subject| is_measuring(subject.name)).collect();
    symspecs.select(subjects, |scope, list| {
        if !matches!(scope, Scope::ExecCounts | Scope::Sources) {
            list.add(true, &measuring);
        }
        places.extend_symbols(&mut list.include, true);
        places.extend_symbols(&mut list.exclude, true);
    })
}

struct SampledViews<'a> {
    recording: &'a Recording,
    options: &'a Options,
    gprof: &'a GprofOptions,
    unit: Unit,
    readable_names: ReadableNames,
    ticks: Ticks,
    graph: Graph<'a, f64>,
    selected: Selected,
    /// The basic blocks, if places are lines.
    blocks: Option<BasicBlocks>,
}

impl<'a> SampledViews<'a> {
    fn new(
        recording: &'a Recording,
        calls: &'a [Calls],
        options: &'a Options,
        gprof: &'a GprofOptions,
        selected: Selected,
    ) -> SampledViews<'a> {
        let places = &recording.places;
        let (histograms, blocks) = (recording.samples.histograms(), &recording.samples.blocks);
        let by_line = gprof.display.by_line;
        let ticks =
            Ticks::new(histograms, places, |place| selected.of(Scope::Flat).includes(place as u32));
        SampledViews {
            graph: Graph::new(&ticks.of, calls, &selected),
            ticks,
            recording,
            options,
            gprof,
            unit: recording.samples.unit(),
            readable_names: ReadableNames::new(places, gprof.style),
            selected,
            blocks: by_line.then(|| BasicBlocks::new(blocks, places)),
        }
    }

    fn style(&self) -> SampledStyle<'_> {
        SampledStyle {
            places: &self.recording.places,
            unit: &self.unit,
            scale: self.ticks.scale,
            longest_call: self.graph.longest_call(),
            readable_names: self.options.rows.demangles.then_some(&self.readable_names),
            display: self.gprof.display,
        }
    }

    /// Writes a view. `table` is that of the call graph, made for the first view that needs it.
    fn write<'t>(
        &'t self,
        view: GprofView,
        table: &OnceCell<GraphTable<'t, f64>>,
        profiles: &[PathBuf],
        out: &mut impl Write,
    ) -> Result<()> {
        let name = |place: u32| self.recording.places.name(place as usize);
        let display = &self.gprof.display;
        let zeros = display.zeros;
        let table = || table.get_or_init(|| GraphTable::new(&self.graph, name));
        match view {
            GprofView::Flat => {
                let rows = self
                    .graph
                    .rows()
                    .filter(|row| self.selected.of(Scope::Flat).includes(row.number));
                let flat = Flat::new(rows, self.ticks.total, zeros, |row| name(row.number));
                // Without calls there are no entries whose numbers names could have.
                let has_numbers = display.is_traditional && has_calls(self.recording);
                let numbers = has_numbers.then(table);
                pages::write_flat(&flat, numbers, &self.style(), out)?;
            }
            GprofView::Graph => pages::write_graph(table(), &self.style(), out)?,
            GprofView::Index => pages::write_index(table(), &self.style(), out)?,
            GprofView::ExecCounts => {
                let selects = |place| self.selected.of(Scope::ExecCounts).includes(place);
                let min_count = u64::from(!zeros).max(self.gprof.min_count);
                let (places, blocks) = (&self.recording.places, self.blocks.as_ref());
                let counts = place_counts(&self.graph, places, blocks, selects, min_count);
                let mut style = self.style();
                if self.options.input.program.as_gprof {
                    // gprof does not demangle names there.
                    style.readable_names = None;
                }
                pages::write_exec_counts(&counts, &style, out)?;
            }
            GprofView::LinkOrder => self.write_link_order(out)?,
            GprofView::ObjectOrder => self.write_object_order(out)?,
            GprofView::Info => {
                write_record_counts(profiles, &self.recording.samples.files, display, out)?;
            }
            GprofView::Sources | GprofView::Sum => {}
        }
        Ok(())
    }
}

/// Writes what is in each file. Files of different programs, units and rates are not added up, and
/// need no symbols.
fn write_contents(
    files: &SampledFiles,
    options: &Options,
    gprof: &GprofOptions,
    out: &mut impl Write,
) -> Result<()> {
    let counts = contents(files, &options.input.program)?;
    write_record_counts(&files.profiles, &counts, &gprof.display, out)
}

fn write_record_counts(
    profiles: &[PathBuf],
    counts: &[RecordCounts],
    display: &DisplayOptions,
    out: &mut impl Write,
) -> Result<()> {
    for (path, counts) in profiles.iter().zip(counts) {
        let path = path.as_os_str().as_encoded_bytes();
        pages::write_record_counts(path, counts, display.escapes, out)?;
    }
    Ok(())
}

const SUM: &str = "gmon.sum";

impl SampledViews<'_> {
    /// Writes annotated sources, with `before` before the first one, and warns about those that are
    /// not found.
    fn write_sources(
        &self,
        profiles: &[PathBuf],
        mut before: &[u8],
        out: &mut impl Write,
        messages: &Messages,
    ) -> Result<()> {
        let selects = |place| self.selected.of(Scope::Sources).includes(place);
        let (symbols, places) = (&self.recording.symbols, &self.recording.places);
        let blocks = self.blocks.as_ref();
        let shown = CountsShown {
            zeros: self.gprof.display.zeros,
            repeats: self.gprof.display.by_line && self.gprof.all_blocks,
            all_functions: !self.options.input.program.as_gprof,
        };
        let files = self.graph.counted_files(symbols, places, blocks, selects, shown);
        let input = &self.options.input;
        let mut finder = Finder::new(input.folders.clone(), input.source_maps.clone());
        finder.add_folders_of(profiles);
        for (place, file) in files {
            let name = places.file(place as usize).unwrap_or_default();
            let found = finder.find(name).found;
            let cuts = self.options.input.program.as_gprof;
            if !write_source(name, &file, found.as_ref(), self.gprof, cuts, &mut before, out)? {
                warn_not_found(name, messages);
            }
        }
        messages.note_refused(&finder);
        Ok(())
    }

    /// The calls between places, in the order in which they were recorded.
    fn recorded_calls(&self) -> impl Iterator<Item = (u32, u32, u64)> {
        let between = self.recording.calls.between.iter();
        between.map(|(&(caller, callee), count)| (caller, callee, count.unsigned_abs()))
    }

    /// Writes the object files of the map in link order.
    fn write_object_order(&self, out: &mut impl Write) -> Result<()> {
        let Recording { symbols, places, .. } = self.recording;
        let order = object_order(symbols, places, self.recorded_calls());
        Ok(pages::write_names(&order, self.gprof.display.escapes, out)?)
    }

    /// Writes the names of functions in link order.
    fn write_link_order(&self, out: &mut impl Write) -> Result<()> {
        let places = &self.recording.places;
        let order = if self.options.input.program.as_gprof {
            let is_called: Vec<bool> =
                self.graph.functions().iter().map(|function| function.calls > 0).collect();
            function_order(&is_called, self.recorded_calls())
        } else {
            self.functions_by_use()
        };
        let names: Vec<&[u8]> =
            order.into_iter().map(|place| places.name(place as usize)).collect();
        let escapes = self.gprof.display.escapes;
        Ok(pages::write_names(&names, escapes, out)?)
    }

    /// The functions by number of samples, then by number of calls, then by number of callers, then
    /// by address.
    fn functions_by_use(&self) -> Vec<u32> {
        let places = (0..).zip(&self.recording.places.list);
        let functions = places.filter(|(_, place)| place.is_function).map(|(place, _)| place);
        let mut order: Vec<u32> = functions.collect();
        let samples = |place: u32| self.ticks.of[place as usize];
        let calls = |place: u32| {
            (self.graph.functions()[place as usize].calls, self.graph.caller_count(place))
        };
        order.sort_by(|&a, &b| {
            let by_samples = samples(b).total_cmp(&samples(a));
            by_samples.then_with(|| calls(b).cmp(&calls(a)))
        });
        order
    }
}

fn write_sum(recording: &Recording) -> Result<()> {
    let places = &recording.places.list;
    let mut between: Vec<_> = recording.calls.between.iter().rev().collect();
    between.sort_by_key(|&(&(caller, _), _)| caller);
    let calls = between.into_iter().map(|(&(caller, callee), count)| RawCall {
        from: places[caller as usize].address,
        to: places[callee as usize].address,
        count: count.unsigned_abs(),
    });
    let mut blocks = BasicBlocks::new(&recording.samples.blocks, &recording.places).list.to_vec();
    blocks.sort_by_key(|block| block.address);
    let mut file = OutputFile::create(Path::new(SUM))?;
    write_gmon(&recording.samples, calls, &blocks, recording.layout, &mut file)?;
    file.finish()
}
