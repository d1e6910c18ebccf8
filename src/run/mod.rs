//! The one place where all rooms meet: profiles are loaded, tables made of them, and written.

mod exports;
mod gprof;
mod input;
mod output;
mod page;
mod progress;
mod sources;

use std::io::Write;

use anyhow::{Context as _, Result};

use self::input::{Input, default_profile, display_path, display_paths};
use crate::render::{Format, Style};
use crate::view::{Selection, Total};
use crate::{LimitFailed, Options, UsageError};
use output::OutputFile;

/// Reads the profiles and writes the report to `out`, or to the file that is asked for, and warnings to `err`.
/// `escapes` keeps control characters of the input from `out`.
///
/// # Errors
/// A [`UsageError`] if an option does not fit the profile, [`LimitFailed`] after the report if it says so, any
/// other if the profile cannot be reported.
pub fn run(
    config: &Options,
    escapes: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<()> {
    let above = match &config.output {
        None => {
            let above = write_report(config, escapes, out, err)?;
            out.flush()?;
            above
        }
        Some(path) => {
            let mut file = OutputFile::create(path)?;
            let escapes = file.is_terminal();
            let above = write_report(config, escapes, &mut file, err)?;
            file.finish()?;
            above
        }
    };
    above.map_or(Ok(()), |above| Err(above.into()))
}

/// Returns what `--fail-above` finds.
fn write_report(
    config: &Options,
    escapes: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<Option<LimitFailed>> {
    let mut config = config.clone();
    if config.files.is_empty() {
        let none = "no profile named, and none here (callgrind.out*, cachegrind.out*)";
        let found = default_profile().ok_or_else(|| UsageError(none.to_owned()))?;
        let note = format!("Reading data from '{}'...", display_path(&found));
        match config.format {
            Format::Text if !config.gprof.replaces_page() => writeln!(out, "{note}")?,
            _ => writeln!(err, "cgannotate: {note}")?,
        }
        config.files.push(found);
    }
    if config.format == Format::Callgrind || config.gprof.sum {
        // The profile is to hold wherever it is read, not only from here.
        config.read.working_dir = None;
    }
    let input = input::read(&config, err)?;
    if let (Some(source), false) = (input.sources.first(), config.format == Format::Text) {
        let (source, format) = (source.escape_ascii(), config.format.name());
        let text = format!("{source}: no source is annotated with --format={format}");
        return Err(UsageError(text).into());
    }
    if !config.gprof.replaces_page() && !config.gprof.symspecs.all.is_empty() {
        gprof::add_symspec_filter(&mut config, &input.profile, err)?;
    }
    let report = Context::new(&config, &input, escapes)?;
    let limited = report.limit_event()?;
    match config.format {
        Format::Text if config.gprof.replaces_page() => report.write_gprof(out, err)?,
        Format::Text => report.write(out, err)?,
        Format::Json => report.write_json(out)?,
        Format::Csv => report.write_csv(out)?,
        Format::Folded => report.write_stacks(out)?,
        Format::Dot => report.write_graph(out)?,
        Format::Callgrind => report.write_profile(out)?,
    }
    Ok(report.check_limit(limited))
}

/// All that the sections of a report are made of.
struct Context<'r> {
    config: &'r Options,
    input: &'r Input,
    escapes: bool,
    selection: Selection,
    total: Total,
}

impl<'r> Context<'r> {
    fn new(config: &'r Options, input: &'r Input, escapes: bool) -> Result<Context<'r>> {
        let selection = Selection::new(&config.selection, &input.profile.events);
        let mut selection = selection.map_err(|error| UsageError(error.to_string()))?;
        selection.by_size = input.profile.base.is_some();
        let total = Total::of(&input.profile).with_context(|| display_paths(&input.paths))?;
        Ok(Context {
            config,
            input,
            escapes,
            selection,
            total,
        })
    }

    fn style(&self) -> Style<'_> {
        Style {
            percentages: self.config.percentages,
            // Colours and widths are for a terminal, also if it gets them through a pipe.
            escapes: self.escapes || self.config.colours || self.config.width.is_some(),
            colours: self.config.colours,
            width: self.config.width,
            signed: self.input.profile.base.is_some(),
            shown: &self.selection.shown,
            total: &self.total.whole,
        }
    }

    /// The event that `--fail-above` is about.
    fn limit_event(&self) -> Result<usize> {
        let limit = self.config.fail_above.as_ref();
        match limit.and_then(|limit| limit.event.as_ref()) {
            None => Ok(self.selection.order.first().copied().unwrap_or(0)),
            Some(name) => self.input.profile.events.find(name).ok_or_else(|| {
                let name = name.escape_ascii();
                UsageError(format!("--fail-above: the profile has no event '{name}'")).into()
            }),
        }
    }

    /// Holds the change of a total against `--fail-above`.
    fn check_limit(&self, event: usize) -> Option<LimitFailed> {
        let limit = self.config.fail_above.as_ref()?.percent;
        let (change, whole) = (
            self.total.cost[event].or_zero(),
            self.total.whole[event].or_zero(),
        );
        let percent = change as f64 * 100.0 / whole as f64;
        let is_above = change > 0 && (whole <= 0 || percent > limit);
        is_above.then(|| {
            let event = self.input.profile.events.name(event).escape_ascii();
            LimitFailed(format!(
                "{event} grew by {change}, {percent:.2}% of {whole}; {limit}% is allowed"
            ))
        })
    }
}
