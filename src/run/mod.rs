//! Runs a report from its options to its output.
//!
//! [`run`] opens the output, and `write_report` goes through the steps: `arguments` says what the
//! files of the command line stand for; `input` reads them, and makes of the profile what is
//! reported; [`Context::new`] finds the events of the report; `compare` judges the limits; and
//! `Context::write` calls the writer of the format. Most of these write a report that `prepare`
//! makes, of the costs that `needed_costs` says: `page` on a terminal and as callgrind_annotate's
//! page, with the sections of `first_screen`, `why`, `sources` and `asm`; `exports` all other
//! formats. The rest of the files is about one option, or has messages.

mod addresses;
mod arguments;
mod asm;
mod base_sources;
mod compare;
mod exports;
mod first_profile;
mod first_screen;
mod hints;
mod inlines;
mod input;
mod judgeable;
mod kept;
pub(crate) mod message;
mod mine;
mod misses;
mod needed_costs;
mod newest;
pub(crate) mod output;
mod page;
mod prepare;
mod programs;
mod read_files;
mod record;
mod run_name;
mod same_files;
pub(crate) mod sampled;
mod scale;
mod series;
mod sources;
mod temporary;
pub(crate) mod unmatched;
mod warnings;
mod why;
mod words;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::Display;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::gprof::options::GprofOptions;
use crate::options::{Options, ReportKind};
use crate::profile::{Events, Profile};
use crate::program::is_program;
use crate::read::file_of;
use crate::render::{
    self, Feature, FormatWriter, HeaderKind, RatioStyle, ReportLines, Style, SuggestedCommand,
};
use crate::run::compare::Gate;
use crate::run::input::Input;
pub use crate::run::message::{LimitFailed, Messages, UsageError, message_lines};
use crate::run::message::{display_name, display_path, display_paths};
use crate::run::newest::{Newest, newest_empty, newest_run};
use crate::run::output::OutputFile;
pub use crate::run::output::Pager;
pub use crate::run::record::{NotRecorded, OWN_FAILURE, Recorded, record};
use crate::run::sampled::SampledFiles;
use crate::source::{self, basename};
use crate::view::{Selection, Series, Threshold, Total};

/// The size of the output buffer of a report, in bytes.
const BUFFER: usize = 64 << 10;

/// Writes the reports of the command `gprof`. Nothing here knows what is in them: whoever calls
/// [`run`] passes the writer.
pub(crate) trait WriteViews {
    /// Notes the options that have no effect.
    fn note_unused(views: &GprofOptions, messages: &Messages);

    /// Reads gprof's data, and writes views of it.
    fn write_samples(
        files: &SampledFiles,
        options: &Options,
        views: &GprofOptions,
        escapes: bool,
        out: &mut impl Write,
        messages: &Messages,
    ) -> Result<()>;

    /// Writes views of a profile that was read.
    fn write_profile(
        report: &Context<'_>,
        views: &GprofOptions,
        out: &mut impl Write,
    ) -> Result<()>;
}

/// Reads the profiles and writes the report to `out` or to the requested file, and warnings to
/// `messages`. `escapes` keeps control characters of the input from `out`. The error is a
/// [`UsageError`] if an option does not fit the profile, and [`LimitFailed`] after the report if it
/// says so.
pub(crate) fn run<V: WriteViews>(
    options: &Options,
    escapes: bool,
    out: &mut dyn Write,
    messages: &Messages,
) -> Result<()> {
    let mut gate = Gate::default();
    // A file that becomes too large is an error of writing, not the end by a signal.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    // Buffered here, so that each report is compiled once, not once per kind of output.
    let mut write = |out: &mut dyn Write, escapes| {
        let mut out = BufWriter::with_capacity(BUFFER, out);
        let written = write_report::<V>(options, escapes, &mut gate, &mut out, messages)
            .and_then(|()| Ok(out.flush()?));
        // Otherwise the rest of a failed report would still be written.
        let _ = out.into_parts();
        written
    };
    let written = match &options.output {
        None => write(out, escapes),
        Some(path) => {
            let mut file = OutputFile::create(path)?;
            let escapes = file.is_terminal();
            write(&mut file, escapes).and_then(|()| file.finish())
        }
    };
    // Limits decide even if the report was not read to its end, or could not be written.
    gate.end(written, messages)
}

/// Writes the report; the verdicts on the limits are in `gate` as soon as they are known.
fn write_report<V: WriteViews>(
    options: &Options,
    escapes: bool,
    gate: &mut Gate,
    out: &mut impl Write,
    messages: &Messages,
) -> Result<()> {
    let mut options = Cow::Borrowed(options);
    for path in &options.input.bucket_files.clone() {
        let buckets = input::read_buckets(path)?;
        options.to_mut().rows.buckets.extend(buckets);
    }
    arguments::resolve(&mut options, messages)?;
    find_program_of_base(&mut options)?;
    if options.input.all_files().filter(|path| *path == Path::new("-")).count() > 1 {
        return Err(UsageError("standard input (-) can be read only once".to_owned()).into());
    }
    let sampled = sampled::find(&options)?;
    check_output(&options, &options.input.files, sampled.as_ref())?;
    if let ReportKind::Gprof(views) = &options.report {
        V::note_unused(views, messages);
    }
    match (&sampled, &options.report) {
        (Some(files), ReportKind::Gprof(views)) => {
            return V::write_samples(files, &options, views, escapes, out, messages);
        }
        (Some(_), _) => {}
        (None, _) => sampled::check_unused(&options)?,
    }
    if let Some(charged) = options.input.charged.first()
        && options.code.is_shown()
    {
        let option = charged.option();
        let text = format!("{option} cannot be combined with executions of lines (-lA, -lC)");
        return Err(UsageError(text).into());
    }
    let mut files = options.input.files.clone();
    if files.is_empty() && sampled.is_none() {
        let newest = newest_here(&options, out, messages)?;
        options.to_mut().input.is_newest_of_several |= newest.is_newest_of_several();
        files = newest.files;
    }
    if let Some(parts) = first_profile::parts_of_empty(&files, messages) {
        files = parts;
    }
    if let Some(parts) = first_profile::parts_of_empty(&options.input.base, messages) {
        options.to_mut().input.base = parts;
    }
    for side in 0..options.input.earlier.len() {
        if let Some(parts) = first_profile::parts_of_empty(&options.input.earlier[side], messages) {
            options.to_mut().input.earlier[side] = parts;
        }
    }
    check_output(&options, &files, None)?;
    let read = |options: &Options, messages: &Messages| match &sampled {
        Some(sampled) => input::read(options, &sampled.sources, Some(sampled), messages),
        None => first_profile::explained(input::read(options, &files, None, messages), &files),
    };
    let mut input = read(&options, messages)?;
    check_sources(&options, &input)?;
    check_output_of_profile(&options, &input)?;
    read_threshold_of_cg_annotate(&mut options, &input, messages);
    if let Err(error) = match_filter(options.to_mut(), &input, messages) {
        let inlined = with_inlined(&options, &input, read).ok_or(error)?;
        messages.note("only inlined functions match: shown with --inlines");
        (options, input) = (Cow::Owned(inlined.0), inlined.1);
    }
    let written = Context::new(&options, &input, escapes, messages)?.write::<V>(gate, out);
    messages.note_refused(&input.finder);
    written
}

/// Takes the program that wrote BASE, if there is one, from BASE's profiles.
fn find_program_of_base(options: &mut Cow<'_, Options>) -> Result<()> {
    if !options.input.base.iter().any(|file| is_program(file)) {
        return Ok(());
    }
    let input = &mut options.to_mut().input;
    let files = std::mem::take(&mut input.base).into_iter();
    let (mut programs, profiles): (Vec<_>, Vec<_>) = files.partition(|file| is_program(file));
    if let [first, second, ..] = &programs[..] {
        let (first, second) = (display_path(first), display_path(second));
        let text = format!("--diff: {first}, {second}: only one program can be BASE's");
        return Err(UsageError(text).into());
    }
    if profiles.is_empty() {
        let text = format!("--diff: {}: a program, and no profile of it", display_paths(&programs));
        return Err(UsageError(text).into());
    }
    (input.base, input.program.base_executable) = (profiles, programs.pop());
    Ok(())
}

/// Refuses an output that would replace an input.
fn check_output(
    options: &Options,
    files: &[PathBuf],
    sampled: Option<&SampledFiles>,
) -> Result<()> {
    let (Some(output), input) = (&options.output, &options.input) else {
        return Ok(());
    };
    let of_program = [&input.program.base_executable, &input.program.symbols].into_iter().flatten();
    let of_samples = sampled.into_iter().flat_map(SampledFiles::files);
    let mut inputs = files
        .iter()
        .chain(&input.base)
        .chain(input.earlier.iter().flatten())
        .chain(&input.bucket_files)
        .chain(of_program)
        .chain(of_samples);
    if let Some(input) = inputs.find(|input| output::is_same_file(file_of(input), output)) {
        let (input, output) = (display_path(input), display_path(output));
        let text = format!("{output}: the output would replace the input {input}");
        return Err(UsageError(text).into());
    }
    Ok(())
}

/// Refuses an output that would replace a source or a program of the profile.
fn check_output_of_profile(options: &Options, input: &Input) -> Result<()> {
    let Some(output) = &options.output else {
        return Ok(());
    };
    // Also the name of what a link leads to; only files of these names are looked for.
    let real = output.canonicalize().ok();
    let names: Vec<&[u8]> = [Some(output), real.as_ref()]
        .into_iter()
        .flatten()
        .filter_map(|path| Some(path.file_name()?.as_encoded_bytes()))
        .collect();
    let has_name = |recorded: &&[u8]| names.contains(&basename(recorded));
    let (profile, finder) = (&input.profile, &input.finder);
    let sources = profile.files().filter(has_name).filter_map(|name| finder.find_silently(name));
    let objects = profile.functions().map(|(_, function)| profile.object(function.object));
    let programs = objects.filter(has_name).filter_map(|name| finder.find_object(name));
    let mut files = sources
        .map(|source| ("source", source))
        .chain(programs.map(|program| ("program", program)));
    if let Some((what, _)) =
        files.find(|(_, file)| output::is_same_file(&source::path(&file.path), output))
    {
        let output = display_path(output);
        let text = format!("{output}: the output would replace a {what} of the profile");
        return Err(UsageError(text).into());
    }
    Ok(())
}

/// The largest threshold of cg_annotate in percent.
const MAX_OF_CG_ANNOTATE: f64 = 20.0;

/// Of a Cachegrind profile, a threshold that cg_annotate accepts is the percentage of each row.
fn read_threshold_of_cg_annotate(
    options: &mut Cow<'_, Options>,
    input: &Input,
    messages: &Messages,
) {
    let selection = &options.selection;
    let percent = selection.threshold.percent;
    let is_its = selection.may_be_of_cg_annotate && percent <= MAX_OF_CG_ANNOTATE;
    if !is_its || selection.min.is_some() || !input.profile.is_from_cachegrind() {
        return;
    }
    let text = &selection.threshold.text;
    messages.note(format!(
        "--threshold={text} of a Cachegrind profile is cg_annotate's, the same as --min={text}"
    ));
    let selection = &mut options.to_mut().selection;
    selection.min = Some(std::mem::replace(&mut selection.threshold, Threshold::all()));
    selection.has_own_threshold = false;
}

/// Checks that the filter matches something. Unless limits depend on it, names are also searched
/// for the text of a pattern.
fn match_filter(options: &mut Options, input: &Input, messages: &Messages) -> Result<()> {
    let is_chosen = !options.rows.filter.is_empty() || options.code.asm.is_some();
    if options.limits.is_empty() && is_chosen {
        unmatched::widen(options, &input.profile, input.has_addresses, messages);
    }
    unmatched::check_filter(options, &input.profile, input.has_addresses, messages)
}

/// The options and the profile with inlined functions, if the filter matches only them.
fn with_inlined(
    options: &Options,
    input: &Input,
    read: impl Fn(&Options, &Messages) -> Result<Input>,
) -> Option<(Options, Input)> {
    if !input.has_addresses || options.input.inlines || !options.limits.is_empty() {
        return None;
    }
    let mut options = options.clone();
    (options.input.inlines, options.input.progress) = (true, false);
    // The messages about the files were printed when they were read first.
    let held = Messages::held();
    let input = read(&options, &held).ok()?;
    match_filter(&mut options, &input, &held).ok()?;
    Some((options, input))
}

/// Refuses source files in formats that show none; the error names what shows their lines.
fn check_sources(options: &Options, input: &Input) -> Result<()> {
    let (Some(source), Some(page)) = (input.sources.first(), options.report.page()) else {
        return Ok(());
    };
    let format = page.format.name();
    let mut instead = String::new();
    if page.format.is_classic && !input.lines.is_empty() {
        let text = "single lines of sources cannot be shown with --format=classic: callgrind_annotate's page has whole sources";
        return Err(UsageError(text.to_owned()).into());
    }
    if page.format.has(Feature::Sources) && page.format.is_for_people {
        return Ok(());
    }
    if page.format.has_list() && page.format.has(Feature::Rows) {
        let options = SuggestedCommand::new("-g line").option("--file", source);
        instead = format!("; its lines: {}", options.words(&format!("--format={format}")));
    }
    let source = display_name(source);
    let text =
        format!("{source}: source files cannot be annotated with --format={format}{instead}");
    Err(UsageError(text).into())
}

/// The newest run in the current directory, after a line or a note that names its files.
fn newest_here(options: &Options, out: &mut impl Write, messages: &Messages) -> Result<Newest> {
    let new = if options.input.base.is_empty() {
        ""
    } else {
        "--diff compares two profiles, BASE and NEW: "
    };
    let is_gprof = matches!(options.report, ReportKind::Gprof(_));
    let none = || UsageError([new, &first_profile::no_profile(is_gprof)].concat());
    let Some(newest) = newest_run() else {
        return Err(match newest_empty() {
            Some((file, _)) => anyhow!("{}: {}", display_path(&file), first_profile::EMPTY),
            None => none().into(),
        });
    };
    arguments::check_limits(Path::new("."), &newest, !options.limits.is_empty())?;
    if let Some(file) = newest.newer_empty() {
        let (file, empty) = (display_path(&file), first_profile::EMPTY);
        messages.note(format!("{file} is newer and {empty}"));
    }
    let page = options.report.page();
    let header = page.map_or(HeaderKind::None, |page| page.header);
    if header == HeaderKind::Full {
        for file in &newest.files {
            writeln!(out, "Reading data from '{}'...", display_path(file))?;
        }
    }
    if newest.runs > 1 && header != HeaderKind::Line || header == HeaderKind::None {
        messages.note(&newest);
    }
    if first_profile::is_piped() {
        messages.note("to read standard input: cgannotate -");
    }
    Ok(newest)
}

/// The input and the options of a report, and what all formats derive from them.
pub(crate) struct Context<'r> {
    pub(crate) options: &'r Options,
    pub(crate) input: &'r Input,
    pub(crate) profile: &'r Profile,
    pub(crate) messages: &'r Messages,
    pub(crate) escapes: bool,
    pub(crate) selection: Selection,
    pub(crate) total: Total,
    ratios: Vec<usize>,
    /// The profiles of a series.
    pub(crate) series: Option<Series>,
}

impl<'r> Context<'r> {
    /// The same report of another profile, with the same events.
    pub(crate) fn of_profile(&self, profile: &'r Profile) -> Context<'r> {
        let (selection, total) = (self.selection.clone(), self.total.clone());
        let (ratios, series) = (self.ratios.clone(), self.series.clone());
        Context { profile, selection, total, ratios, series, ..*self }
    }
}

/// The shown events that are ratios. In JSON they have members of their own, as events with
/// decimals have, since its costs are whole numbers; other formats have none.
fn take_ratios(
    options: &Options,
    selection: &mut Selection,
    events: &Events,
) -> Result<Vec<usize>> {
    let mut ratios = events.ratios();
    let is_ratio = |name: &[u8]| ratios.iter().any(|&ratio| name == events.name(ratio));
    let sort = &options.selection.sort;
    let mut thresholds = sort.iter().filter_map(|(name, own)| Some((name, own.as_ref()?)));
    if let Some((name, own)) = thresholds.find(|(name, _)| is_ratio(name)) {
        let (name, percent) = (display_name(name), &own.text);
        let text = format!("--sort={name}:{percent}: ratios do not add up to 100%");
        return Err(UsageError(text).into());
    }
    let requested: Vec<_> =
        options.selection.show.iter().chain(sort.iter().map(|(name, _)| name)).collect();
    ratios.retain(|ratio| selection.shown.contains(ratio));
    let kind = options.report.format().map_or(RatioStyle::Refused, |format| format.ratios);
    if kind == RatioStyle::Columns {
        return Ok(ratios);
    }
    let has_decimals = |event: &usize| events.unit(*event) != 1;
    if kind != RatioStyle::Decimals {
        ratios.extend(selection.shown.iter().copied().filter(has_decimals));
    }
    let is_requested = |event: &usize| requested.iter().any(|name| *name == events.name(*event));
    if let Some(&event) =
        ratios.iter().find(|event| is_requested(event) && kind != RatioStyle::Members)
    {
        let format = options
            .report
            .format()
            .map(|format| format!("--format={}", format.name()))
            .unwrap_or_else(|| "a report of gprof".to_owned());
        let what = match events.unit(event) {
            1 => "a ratio".to_owned(),
            _ => format!("{}, which has decimals", display_name(events.name(event))),
        };
        return Err(UsageError(format!("{format} cannot show {what}")).into());
    }
    selection.shown.retain(|event| !ratios.contains(event));
    Ok(ratios)
}

impl<'r> Context<'r> {
    /// Writes the requested report; the verdicts on the limits are in `gate` before any of it is
    /// written.
    fn write<V: WriteViews>(&self, gate: &mut Gate, out: &mut impl Write) -> Result<()> {
        *gate = self.gate()?;
        self.warn_of_events();
        self.note_sides();
        let pairs = self.input.pairs.iter();
        pairs.for_each(|text| self.messages.note(text));
        self.note_kept();
        self.note_nothing();
        self.note_no_calls();
        self.note_sum_of_runs();
        let page = match &self.options.report {
            ReportKind::Gprof(views) => return V::write_profile(self, views, out),
            ReportKind::Page(page) => page,
        };
        let graphs = OnceCell::new();
        let format = page.format;
        if self.escapes && format.is_for_browsers {
            self.messages.note("a page for a browser: -o report.html writes it to a file");
        }
        let prepared = || self.prepare(&page.list, &graphs, gate);
        match format.writer {
            FormatWriter::Page if self.series.is_some() => {
                self.write_series(page, &prepared()?, out)
            }
            FormatWriter::Page => self.write_page(page, &prepared()?, out),
            FormatWriter::Json => {
                let prepared = prepared()?;
                self.write_json(&prepared, self.why(&prepared).as_ref(), None, out)
            }
            FormatWriter::Html => self.write_html(page, &prepared()?, out),
            FormatWriter::Table(write) => {
                let prepared = prepared()?;
                let (tree, why) = (self.tree(&prepared), self.why(&prepared));
                let report = &prepared.report;
                let lines = ReportLines { report, tree: tree.as_ref(), nested: None };
                Ok(write(&lines, why.as_ref(), out)?)
            }
            FormatWriter::Folded => self.write_folded(self.style(), out),
            FormatWriter::FlameGraph => self.write_flame_graph(out),
            FormatWriter::Pprof { is_for_speedscope } => {
                if is_for_speedscope {
                    self.messages
                        .note("this is pprof's format, compressed, which Speedscope opens");
                }
                self.write_pprof(out)
            }
            FormatWriter::Dot => self.write_dot(page.list.cycles, out),
            FormatWriter::Callgrind => self.write_callgrind(self.style(), out),
        }
    }

    /// The events that are shown and sorted by, the total, and the profiles of a series.
    fn new(
        options: &'r Options,
        input: &'r Input,
        escapes: bool,
        messages: &'r Messages,
    ) -> Result<Context<'r>> {
        let events = input.profile.events();
        let of_misses =
            misses::selection_of_misses(options, events).filter(|_| input.sources.is_empty());
        let selection = of_misses.as_ref().unwrap_or(&options.selection);
        let mut selection = Selection::new(selection, events).map_err(|unknown| {
            let option = format!("--{}", unknown.option);
            unmatched::no_event(&option, &unknown.event, events)
        })?;
        let is_classic = options.report.format().is_some_and(|format| format.is_classic);
        if selection.by_calls.is_some() && is_classic {
            let text = "--sort=calls cannot be combined with --format=classic: callgrind_annotate's page has no numbers of calls";
            return Err(UsageError(text.to_owned()).into());
        }
        if options.passes_over_zeros() {
            let has_cost = |event| input.profile.has_cost_of(event);
            let passed = selection.pass_over_zeros(&options.selection, has_cost);
            if let Some((zero, event)) = passed {
                let [zero, event] = [zero, event].map(|event| display_name(events.name(event)));
                messages.note(format!(
                    "{zero} is 0 everywhere, so {event} takes its place (not with --sort={zero})"
                ));
            }
            // Formats for programs, and the page with their data, keep the order of the file.
            let keeps_order =
                options.report.format().is_some_and(|format| format.is_for_programs());
            if let Some((_, event)) = passed.filter(|_| !keeps_order) {
                selection.show_first(event);
            }
        }
        if options.shows_all_in_columns() {
            selection.show_sorted_first(events);
        }
        if input.profile.is_difference() {
            let common = compare::leave_out_events(&mut selection, options, &input.profile)?;
            compare::compare(&mut selection, options, events, common);
        } else {
            selection.by_size = input.profile.negative_events();
        }
        if options.report.list().is_some_and(|list| !list.tree.is_empty())
            && !options.rows.filter.is_empty()
        {
            // The minimum is that of the lines of trees: the filter names the rows.
            selection.min = None;
        }
        if options.rows.filter.is_empty() && !input.profile.is_difference() {
            selection.leave_out_few(&options.selection);
        }
        let total = Total::of(&input.profile);
        let ratios = take_ratios(options, &mut selection, events)?;
        Ok(Context {
            options,
            input,
            profile: &input.profile,
            messages,
            escapes,
            selection,
            total,
            ratios,
            series: options.input.is_series.then(|| input.series(options)),
        })
    }

    /// Notes that calls are missing if the report needs them, as in a profile of cachegrind.
    fn note_no_calls(&self) {
        let list = self.options.report.list();
        let are_wanted = self.options.selection.lists_called
            || list.is_some_and(|list| list.inclusive || !list.tree.is_empty());
        let has_calls = !self.profile.calls.is_empty();
        let are_charged = !self.options.input.charged.is_empty();
        if self.options.is_text() && are_wanted && !has_calls && !are_charged {
            let text = "the profile has no calls (callgrind records them)";
            self.messages.note(text);
        }
    }

    fn note_nothing(&self) {
        let mut totals = self.total.figure.value.iter();
        let is_nothing = totals.all(|count| count.or_zero() == 0);
        let profile = self.profile;
        if !is_nothing || profile.is_difference() || !self.input.kept.is_empty() {
            return;
        }
        if profile.is_from_callgrind() {
            self.messages.note(
                "nothing was collected: either a function of --toggle-collect was never called, or with --instr-atstart=no or \
                 --collect-atstart=no no client request was made that begins it (CALLGRIND_START_INSTRUMENTATION, \
                 CALLGRIND_TOGGLE_COLLECT)",
            );
        } else if profile.is_from_cachegrind() {
            self.messages.note(
                "nothing was collected: with --instr-atstart=no a client request begins it \
                 (CACHEGRIND_START_INSTRUMENTATION), which was probably never made",
            );
        }
    }

    /// An error of the whole profile, which begins with the names of its files.
    pub(crate) fn error(&self, text: impl Display) -> anyhow::Error {
        anyhow!("{}: {text}", display_paths(&self.input.paths))
    }

    pub(crate) fn style(&self) -> Style<'_> {
        let style = self.options.style;
        let is_escaped = self.is_format(|format| format.is_escaped);
        Style {
            percentages: style.percentages,
            unit: self.input.scale.unit,
            is_ratio: false,
            decimals: render::DECIMALS,
            exact_decimals: render::EXACT_DECIMALS,
            events: self.profile.events(),
            ratios: &self.ratios,
            // Colours and widths are for a terminal, even behind a pipe.
            escapes: self.escapes || style.colours || style.width.is_some() || is_escaped,
            colours: style.colours,
            width: style.width,
            delimiter: self.options.report.format().map_or(b',', |format| format.delimiter),
            has_heading: style.has_heading,
            names: self.profile.name_kind(),
            is_columns: self.options.is_text(),
            difference: (self.profile.is_difference()).then(|| self.selection.first().unwrap_or(0)),
            series: self.series.as_ref(),
            shown: &self.selection.shown,
            sorted: self.selection.order.first().copied(),
            total: &self.total.reference,
        }
    }
}
