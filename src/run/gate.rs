//! The limits of a difference, which decide the exit status.

use std::io::Write;

use anyhow::Result;

use super::{Context, unmatched};
use crate::options::{ListOptions, Options};
use crate::profile::Count;
use crate::render::{Style, verdict_line};
use crate::run::error::LimitFailed;
use crate::view::{
    Figure, Item, Limit, Limited, Percentage, RowLimit, Rows, Selection, Verdict, selected_cost,
};

/// A row with the figure that a limit is about.
type Grown = (Item, Figure<Count>);

/// The part of NEW's total that a row has to have, if `--min` does not say it.
const MIN_ROW: &str = "1";

/// What came of all limits, in their order.
#[derive(Default)]
pub(super) struct Gate {
    verdicts: Vec<Verdict>,
    /// The verdicts as lines of text.
    pub(super) lines: Vec<String>,
}

impl<'r> Context<'r> {
    /// Compares the difference with all limits; `grown` is the row that grew most.
    pub(super) fn gate(&self, rows: &Rows<'_>, grown: Option<Grown>) -> Result<Gate> {
        let (profile, limits) = (&self.input.profile, &self.options.limits);
        let verdicts = limits.iter().map(|limit| {
            let event = self.limit_event(limit)?;
            Ok(match limit.of {
                Limited::Total => self.verdict_on_total(limit, event, rows),
                Limited::Row => Verdict::of_rows(&limit.percent, event, grown),
            })
        });
        let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
        let ratios = profile.events().ratios();
        let style = Style {
            ratios: &ratios,
            ..self.style()
        };
        let lines = verdicts.iter();
        let lines = lines.map(|verdict| verdict_line(verdict, profile.events(), rows, style));
        Ok(Gate {
            lines: lines.collect(),
            verdicts,
        })
    }

    /// The same for a report without a list.
    pub(super) fn gate_without_list(&self) -> Result<Gate> {
        if self.options.limits.is_empty() {
            return Ok(Gate::default());
        }
        if self.selection.row_limit.is_none() {
            return self.gate(&Rows::new(&self.input.profile, &self.options.rows), None);
        }
        let (rows, list) = self.rows_and_list(&ListOptions::default());
        self.gate(&rows, list.grown)
    }

    fn verdict_on_total(&self, limit: &Limit, event: usize, rows: &Rows<'_>) -> Verdict {
        let selected = selected_cost(&self.input.profile, rows);
        let figure = selected.counts().event(event);
        Verdict::of_total(&limit.percent, event, figure)
    }

    /// The event that a limit is about.
    fn limit_event(&self, limit: &Limit) -> Result<usize> {
        let Some(name) = &limit.event else {
            return Ok(self.selection.first().unwrap_or(0));
        };
        let events = self.input.profile.events();
        let unknown = || unmatched::no_event("--fail-above", name, events);
        events.find(name).ok_or_else(unknown)
    }
}

/// The rows that a limit on rows applies to, if there is one.
pub(super) fn row_limit(options: &Options, selection: &Selection) -> Option<RowLimit> {
    let mut limits = options.limits.iter();
    limits.find(|limit| limit.of == Limited::Row)?;
    let min = options.selection.min.as_ref().map(|min| &min.text[..]);
    Some(RowLimit {
        event: selection.first().unwrap_or(0),
        min: Percentage::parse(min.unwrap_or(MIN_ROW))?,
    })
}

impl Gate {
    /// The verdict that a report shows: the first failed one, or the first.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        let failed = self.verdicts.iter().find(|verdict| !verdict.passed);
        failed.or(self.verdicts.first())
    }

    /// Writes a line for each limit; an error if one was exceeded, or the report could not be written.
    pub(super) fn end(&self, written: Result<()>, err: &mut impl Write) -> Result<()> {
        for line in &self.lines {
            writeln!(err, "{line}")?;
        }
        match self.verdicts.iter().all(|verdict| verdict.passed) {
            true => written,
            false => Err(LimitFailed(written.err()).into()),
        }
    }
}
