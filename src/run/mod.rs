//! Runs a report from its options to its output.
//!
//! [`run`] opens the output, and `write_report` goes through the steps: `arguments` finds the files
//! that are read; `input` reads them, and makes of the profile what is reported; `events` finds the
//! events of the report, which with the input are its [`Context`]; `compare` judges the limits;
//! and `Context::write` calls the writer of the format. Most of these write a report that `prepare`
//! makes, of the costs that `needed_costs` says: `page` on a terminal and as callgrind_annotate's
//! page, with the sections of `first_screen`, `why`, `sources` and `asm`; `exports` all other
//! formats. The rest of the files is about one option, or has messages.

mod addresses;
mod arguments;
mod asm;
mod base_sources;
mod buckets;
mod compare;
mod events;
mod exports;
mod file_kinds;
mod first_profile;
mod first_screen;
mod given_instead;
mod given_sources;
mod hints;
mod inlines;
mod input;
mod judgeable;
mod kept;
mod lost_code;
mod lost_names;
pub(crate) mod message;
mod mine;
mod misses;
mod needed_costs;
mod new_names;
mod newest;
mod notes;
mod other_side;
pub(crate) mod output;
mod overwrite;
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
mod style;
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
use crate::profile::Profile;
use crate::program::is_program;
use crate::render::{Feature, FormatWriter, HeaderKind, ReportLines, SuggestedCommand};
use crate::run::compare::Gate;
use crate::run::given_instead::GivenInstead;
use crate::run::input::Input;
pub use crate::run::message::{LimitFailed, Messages, UsageError, message_lines};
use crate::run::message::{display_name, display_path, display_paths};
use crate::run::newest::{Newest, newest_empty, newest_run};
use crate::run::output::OutputFile;
pub use crate::run::output::Pager;
use crate::run::overwrite::{check_output, check_output_of_profile};
pub use crate::run::record::{NotRecorded, OWN_FAILURE, Recorded, record};
use crate::run::sampled::SampledFiles;
use crate::view::{Charged, PathDirection, RowBy, Selection, Series, Threshold, Total};

/// The size of the output buffer of a report, in bytes. What is longer, as chunks of many rows are,
/// is written without a copy of it.
const BUFFER: usize = 16 << 10;

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
    buckets::read_files(&mut options)?;
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
    check_charged(&options)?;
    let mut files = options.input.files.clone();
    if files.is_empty() && sampled.is_none() {
        let newest = newest_here(&options, out, messages)?;
        options.to_mut().input.is_newest_of_several |= newest.is_newest_of_several();
        files = newest.files;
    }
    read_all_parts(&mut options, &mut files, messages);
    check_output(&options, &files, None)?;
    let read_files = |options: &Options, files: &[PathBuf], messages: &Messages| match &sampled {
        Some(sampled) => input::read(options, &sampled.sources, Some(sampled), messages),
        None => first_profile::explained(input::read(options, files, None, messages), files),
    };
    let mut read_input = read_files(&options, &files, messages);
    if let Err(error) = &read_input
        && let Some(given) = error.downcast_ref::<GivenInstead>()
        && let Some(instead) = given.options(&options)
    {
        messages.note(given.note());
        files.retain(|file| file != given.path());
        options = Cow::Owned(instead);
        // The messages about the files were printed when they were read first.
        read_input = read_files(&options, &files, &Messages::held());
    }
    let read = |options: &Options, messages: &Messages| read_files(options, &files, messages);
    let mut input = read_input?;
    check_sources(&options, &input)?;
    check_output_of_profile(&options, &input)?;
    read_threshold_of_cg_annotate(&mut options, &input, messages);
    if let Some(own) = &input.own_code {
        own.choose_in(&mut options.to_mut().rows.filter);
    }
    if let Err(error) = match_filter(options.to_mut(), &input, messages) {
        let inlined = with_inlined(&options, &input, read).ok_or(error)?;
        messages.note("only inlined functions match: shown with --inlines");
        (options, input) = (Cow::Owned(inlined.0), inlined.1);
    }
    if let Some(without) = without_mine(&options, &input, read) {
        messages.note("with --mine the code of libraries is part of its callers; shown without it");
        (options, input) = (Cow::Owned(without.0), without.1);
    }
    let written = Context::new(&options, &input, escapes, messages)?.write::<V>(gate, out);
    messages.note_refused(&input.finder);
    written
}

/// An error if code is charged to its callers, and executions of its lines are requested.
fn check_charged(options: &Options) -> Result<()> {
    if let Some(charged) = options.input.charged.first()
        && options.code.is_shown()
    {
        let option = charged.option();
        let text = format!("{option} cannot be combined with executions of lines (-lA, -lC)");
        return Err(UsageError(text).into());
    }
    Ok(())
}

/// Puts the files of a run's parts or threads in the place of its empty file, or of its last part
/// if rows are parts, on every side; the files of NEW are `files`.
fn read_all_parts(options: &mut Cow<'_, Options>, files: &mut Vec<PathBuf>, messages: &Messages) {
    let are_rows = options.rows.row_by == RowBy::Part;
    let parts_of = |files: &[PathBuf]| first_profile::parts_of_run(files, are_rows, messages);
    if let Some(of_new) = parts_of(files) {
        *files = of_new;
    }
    if let Some(of_base) = parts_of(&options.input.base) {
        options.to_mut().input.base = of_base;
    }
    for side in 0..options.input.earlier.len() {
        if let Some(of_side) = parts_of(&options.input.earlier[side]) {
            options.to_mut().input.earlier[side] = of_side;
        }
    }
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

/// A threshold of a sort event below this percentage looks like the minimum of a row.
const SMALL_THRESHOLD: f64 = 20.0;

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

/// The options and the profile without `--mine`, if the callers of functions of libraries are
/// requested, none of which is a row with it. A tree of callers ends at the user's own code anyway.
fn without_mine(
    options: &Options,
    input: &Input,
    read: impl Fn(&Options, &Messages) -> Result<Input>,
) -> Option<(Options, Input)> {
    let is_mine = options.input.charged.iter().any(Charged::leaves_own);
    let filter = &options.rows.filter;
    // That of functions, and that of --mine.
    let [of_functions, of_mine] = &filter.choices[..] else {
        return None;
    };
    let are_alone = of_functions.include.iter().any(|rule| rule.function.is_some())
        && of_mine.include.len() == 1
        && of_mine.exclude.is_empty();
    let list = options.report.list()?;
    if !is_mine || !are_alone || !list.tree.contains(&PathDirection::Callers) {
        return None;
    }
    let profile = &input.profile;
    if profile.fragments_in_use().any(|fragment| filter.accepts_fragment(profile, fragment)) {
        return None;
    }
    let mut options = options.clone();
    options.input.progress = false;
    options.input.charged.retain(|charged| !charged.leaves_own());
    options.rows.filter.choices.truncate(1);
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
            Some(file) => anyhow!("{}: {}", display_path(&file), newest::EMPTY),
            None => none().into(),
        });
    };
    other_side::check_limits(Path::new("."), &newest, !options.limits.is_empty())?;
    if let Some(file) = &newest.newer_empty {
        let (file, empty) = (display_path(file), newest::EMPTY);
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

/// The input and the options of a report, and what all formats derive from them: `events` finds it.
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

    /// An error of the whole profile, which begins with the names of its files.
    pub(crate) fn error(&self, text: impl Display) -> anyhow::Error {
        anyhow!("{}: {text}", display_paths(&self.input.paths))
    }

    /// Notes what a small threshold of a sort event is, which looks like the minimum of a row.
    fn note_small_threshold(&self) {
        let sort = &self.options.selection.sort;
        let of_events = sort.iter().filter_map(|(event, of)| Some((event, of.as_ref()?)));
        let mut small = of_events.filter(|(_, of)| of.percent < SMALL_THRESHOLD);
        if let Some((event, Threshold { text, .. })) =
            small.next().filter(|_| self.options.is_text())
        {
            let event = display_name(event);
            self.messages.note(format!(
                "{event}:{text}: the rows listed have {text}% in all; --min={text} lists each row that has {text}%"
            ));
        }
    }

    /// Notes that the table of a series, which says nothing itself, has only what changed.
    fn note_unchanged(&self) {
        if self.series.is_some() && self.selection.compared.is_some() {
            self.messages
                .note("rows that are equal in all profiles are left out: --min=0 has these, too");
        }
    }

    /// Writes the requested report; the verdicts on the limits are in `gate` before any of it is
    /// written.
    fn write<V: WriteViews>(&self, gate: &mut Gate, out: &mut impl Write) -> Result<()> {
        *gate = self.gate()?;
        self.warn_of_events();
        self.note_small_threshold();
        self.note_sides();
        let pairs = self.input.pairs.iter();
        pairs.for_each(|text| self.messages.note(text));
        self.note_kept();
        self.note_nothing();
        self.note_no_calls();
        self.note_sum_of_runs();
        self.note_other_parts();
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
                if !format.is_for_people {
                    self.note_unchanged();
                }
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
}
