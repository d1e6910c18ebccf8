//! Runs a report from its options to its output.
//!
//! [`run`] opens the output, and `write_report` goes through the steps: `arguments` finds the files
//! that are read; `input` reads them, and makes of the profile what is reported; `reading` fits the
//! options to it, and has it read once more where only other options give a report; `events` finds
//! the events of the report, which with the input are its [`Context`]; `compare` judges the limits;
//! and `report` calls the writer of the format. Most of these write a report that `prepare` makes,
//! of the costs that `needed_costs` says: `page` on a terminal and as callgrind_annotate's page,
//! with the sections of `first_screen`, `why`, `sources` and `asm`; `exports` all other formats.
//! The rest of the files is about one option, or has messages.

mod addresses;
mod arguments;
mod asm;
mod base_sources;
mod buckets;
mod commands;
mod compare;
mod events;
mod exports;
mod file_kinds;
mod first_lines;
mod first_profile;
mod first_screen;
mod forks;
mod given_instead;
mod given_sources;
mod hints;
mod hints_of_callers;
mod hints_of_inlines;
mod inlines;
mod input;
mod judgeable;
mod kept;
mod lacking_code;
mod lost_code;
mod lost_names;
pub(crate) mod message;
mod mine;
mod misses;
mod needed_costs;
mod new_names;
mod newest;
mod not_there;
mod notes;
mod other_side;
pub(crate) mod output;
mod overwrite;
mod page;
mod prepare;
mod programs;
mod read_files;
mod reading;
mod record;
mod report;
mod reused_threads;
mod run_name;
mod runs;
mod same_files;
mod same_name;
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
use std::fmt::Display;
use std::io::{BufWriter, Write};

use anyhow::{Result, anyhow};

use crate::gprof::options::GprofOptions;
use crate::options::{Options, ReportKind};
use crate::profile::Profile;
use crate::run::compare::Gate;
use crate::run::input::Input;
use crate::run::message::display_paths;
pub use crate::run::message::{LimitFailed, Messages, UsageError, error_text, message_lines};
use crate::run::output::OutputFile;
pub use crate::run::output::Pager;
use crate::run::overwrite::check_output;
use crate::run::reading::Reading;
pub use crate::run::record::{NotRecorded, OWN_FAILURE, Recorded, record};
use crate::run::sampled::SampledFiles;
use crate::view::{Selection, Series, Total};

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
    let files = arguments::files_of_new(&mut options, sampled.is_some(), out, messages)?;
    check_output(&options, &files, None)?;
    let Reading { options, input } = Reading::new(options, files, sampled.as_ref(), messages)?;
    let written = Context::new(&options, &input, escapes, messages)?.write::<V>(gate, out);
    messages.note_refused(&input.finder);
    written
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

    /// An error of the whole profile, which begins with the names of its files.
    pub(crate) fn error(&self, text: impl Display) -> anyhow::Error {
        anyhow!("{}: {text}", display_paths(&self.input.paths))
    }
}
