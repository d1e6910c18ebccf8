//! The one place where all rooms meet: profiles are loaded, tables made of them, and written.

mod formats;
mod gprof;
mod output;
mod sources;

use std::io::Write;

use anyhow::{Context, Result};

use crate::load::{Input, default_profile, in_words, read_all, shown};
use crate::profile::Overflow;
use crate::render::{Format, ReportHeader, Style, Tree, TreeCalls};
use crate::view::{
    Calls, Cycles, FunctionList, Grouping, Inclusive, Rest, Rows, Selection, Total, both,
};
use crate::{AboveLimit, Config, UsageError, render};
use output::OutputFile;

/// How many calls make it worth a thread to find the cycles among them: these take some 0.3 ms.
const MANY_CALLS: usize = 10_000;

/// Reads the profiles and writes the report to `out`, or to the file that is asked for, and warnings to `err`.
/// `escapes` keeps control characters of the input from `out`.
///
/// # Errors
/// A [`UsageError`] if an option does not fit the profile, [`AboveLimit`] after the report if it says so, any
/// other if the profile cannot be reported.
pub fn run(
    config: &Config,
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
    config: &Config,
    escapes: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<Option<AboveLimit>> {
    let mut config = config.clone();
    if config.files.is_empty() {
        let none = "no profile named, and none here (callgrind.out*, cachegrind.out*)";
        let found = default_profile().ok_or_else(|| UsageError(none.to_owned()))?;
        let note = format!("Reading data from '{}'...", shown(&found));
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
    let input = read_all(&config, err)?;
    if let (Some(source), false) = (input.sources.first(), config.format == Format::Text) {
        let (source, format) = (source.escape_ascii(), config.format.name());
        let text = format!("{source}: no source is annotated with --format={format}");
        return Err(UsageError(text).into());
    }
    if !config.gprof.replaces_page() && !config.gprof.symspecs.all.is_empty() {
        gprof::narrow(&mut config, &input.profile, err)?;
    }
    let report = Report::new(&config, &input, escapes)?;
    let limited = report.limited_event()?;
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
struct Report<'r> {
    config: &'r Config,
    input: &'r Input,
    escapes: bool,
    selection: Selection,
    total: Total,
}

impl<'r> Report<'r> {
    fn new(config: &'r Config, input: &'r Input, escapes: bool) -> Result<Report<'r>> {
        let selection = Selection::new(&config.selection, &input.profile.events);
        let mut selection = selection.map_err(|error| UsageError(error.to_string()))?;
        selection.by_size = input.profile.base.is_some();
        let total = Total::of(&input.profile).with_context(|| in_words(&input.paths))?;
        Ok(Report {
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

    fn write(&self, out: &mut impl Write, err: &mut impl Write) -> Result<()> {
        let (config, profile) = (self.config, &self.input.profile);
        let annotates = config.auto || !self.input.sources.is_empty();
        let needs_cycles = config.inclusive || config.tree != Tree::None || annotates;
        // Groups are in no cycles, but the functions that are called in sources are.
        let are_groups = config.rows.grouping != Grouping::Function;
        let needs_cycles = if are_groups { annotates } else { needs_cycles };
        let needs_cycles = needs_cycles && config.cycles;
        let find_cycles = || match needs_cycles {
            true => Cycles::find(profile),
            false => Cycles::none(profile),
        };
        let are_many = needs_cycles && profile.calls.len() > MANY_CALLS;
        let find_rows = || Rows::new(profile, &config.rows);
        let (mut cycles, mut rows) = both(are_many, find_cycles, find_rows);
        if config.tree != Tree::None {
            rows.look_at_names();
        }
        let list = self
            .list(&mut rows, &mut cycles)
            .with_context(|| in_words(&self.input.paths))?;

        let header = ReportHeader {
            folders: &config.folders,
            user_annotated: &self.input.sources,
            auto: config.auto,
            base: profile.base.as_ref().map_or(&[], |base| &base.parts),
        };
        render::write_header(
            &header,
            &profile.parts,
            &profile.events,
            &self.selection,
            self.style(),
            out,
        )?;
        render::write_total(&self.total, &profile.events, self.style(), out)?;
        if profile.base.is_some()
            && list.items.is_empty()
            && list.rest.as_ref().is_none_or(Rest::is_empty)
            && self.total.cost.iter().all(|count| count.or_zero() == 0)
        {
            return Ok(render::write_no_difference(out)?);
        }
        self.write_list(&list, &rows, &cycles, out)?;
        if config.inclusive && !are_groups {
            render::write_cycles(&cycles, out)?;
        }
        if annotates {
            self.write_sources(&list, &rows, &cycles, out, err)?;
        }
        Ok(())
    }

    /// The event that `--fail-above` is about.
    fn limited_event(&self) -> Result<usize> {
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
    fn check_limit(&self, event: usize) -> Option<AboveLimit> {
        let limit = self.config.fail_above.as_ref()?.percent;
        let (change, whole) = (
            self.total.cost[event].or_zero(),
            self.total.whole[event].or_zero(),
        );
        let percent = change as f64 * 100.0 / whole as f64;
        let is_above = change > 0 && (whole <= 0 || percent > limit);
        is_above.then(|| {
            let event = self.input.profile.events.name(event).escape_ascii();
            AboveLimit(format!(
                "{event} grew by {change}, {percent:.2}% of {whole}; {limit}% is allowed"
            ))
        })
    }

    fn list(&self, rows: &mut Rows<'r>, cycles: &mut Cycles) -> Result<FunctionList, Overflow> {
        let (profile, selection) = (&self.input.profile, &self.selection);
        if self.config.inclusive {
            let inclusive = Inclusive::new(profile, rows, cycles, selection)?;
            FunctionList::by_inclusive_cost(rows, selection, &self.total, &inclusive)
        } else {
            FunctionList::by_self_cost(profile, rows, selection, &self.total)
        }
    }

    fn write_list(
        &self,
        list: &FunctionList,
        rows: &Rows<'r>,
        cycles: &Cycles,
        out: &mut impl Write,
    ) -> Result<()> {
        let tree = self.config.tree;
        let events = &self.input.profile.events;
        if tree == Tree::None {
            return Ok(render::write_functions(
                list,
                rows,
                None,
                events,
                self.style(),
                out,
            )?);
        }
        let calls = Calls::new(&self.input.profile, rows, cycles);
        let calls = calls.with_context(|| in_words(&self.input.paths))?;
        let tree = TreeCalls {
            tree,
            calls: &calls,
            selection: &self.selection,
        };
        Ok(render::write_functions(
            list,
            rows,
            Some(&tree),
            events,
            self.style(),
            out,
        )?)
    }
}
