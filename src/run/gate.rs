//! The limits of a difference, which decide the exit status.

use std::io::{self, Write};

use anyhow::{Context as _, Result};

use super::input::display_paths;
use super::{Context, LimitFailed, unmatched};
use crate::profile::Overflow;
use crate::render::{Style, verdict_line};
use crate::view::{Limit, Limited, Percentage, Rows, Verdict, selected_cost};

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
    /// Compares the difference with all limits.
    pub(super) fn gate(&self) -> Result<Gate> {
        let (profile, limits) = (&self.input.profile, &self.options.limits);
        if limits.is_empty() {
            return Ok(Gate::default());
        }
        let rows = Rows::new(profile, &self.options.rows);
        let verdicts = limits.iter().map(|limit| {
            let event = self.limit_event(limit)?;
            let verdict = match limit.of {
                Limited::Total => self.verdict_on_total(limit, event, &rows),
                Limited::Row => self.verdict_on_rows(limit, event, &rows),
            };
            verdict.with_context(|| display_paths(&self.input.paths))
        });
        let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
        let style = Style {
            plain: false,
            ..self.style()
        };
        let lines = verdicts.iter();
        let lines = lines.map(|verdict| verdict_line(verdict, profile.events(), &rows, style));
        Ok(Gate {
            lines: lines.collect(),
            verdicts,
        })
    }

    fn verdict_on_total(
        &self,
        limit: &Limit,
        event: usize,
        rows: &Rows<'_>,
    ) -> Result<Verdict, Overflow> {
        let figure = match rows.is_filtered() {
            false => self.total.figure.counts().event(event),
            true => {
                let selected = selected_cost(&self.input.profile, rows)?;
                selected.counts().event(event)
            }
        };
        Ok(Verdict::of_total(&limit.percent, event, figure))
    }

    fn verdict_on_rows(
        &self,
        limit: &Limit,
        event: usize,
        rows: &Rows<'r>,
    ) -> Result<Verdict, Overflow> {
        let min = self.options.selection.min.as_ref().map(|min| &min.text[..]);
        let min = Percentage::parse(min.unwrap_or(MIN_ROW)).or_else(|| Percentage::parse(MIN_ROW));
        let (_, total) = self.total.figure.sides().ok_or(Overflow)?;
        let list = self.options.report.list();
        let is_inclusive = list.is_some_and(|list| list.inclusive);
        let graphs = is_inclusive.then(|| self.graphs(list.is_none_or(|list| list.cycles), rows));
        let graphs = graphs.transpose()?;
        let options = list.copied().unwrap_or_default();
        let mut all = self.selection.clone();
        all.list_all(event);
        let list = self.list_of(&options, rows, graphs.as_ref(), &all)?;
        let figures = list.figures(event);
        let min = min.ok_or(Overflow)?;
        Ok(Verdict::of_rows(
            &limit.percent,
            event,
            rows,
            figures,
            (&min, total[event]),
        ))
    }

    /// The event that a limit is about.
    fn limit_event(&self, limit: &Limit) -> Result<usize> {
        let Some(name) = &limit.event else {
            return Ok(self.selection.order.first().copied().unwrap_or(0));
        };
        let events = self.input.profile.events();
        let unknown = || unmatched::no_event("--fail-above", name, events);
        events.find(name).ok_or_else(unknown)
    }
}

impl Gate {
    /// The verdict that a report shows: the first failed one, or the first.
    pub(super) fn verdict(&self) -> Option<&Verdict> {
        let failed = self.verdicts.iter().find(|verdict| !verdict.passed);
        failed.or(self.verdicts.first())
    }

    /// Writes a line for each limit; returns whether one was exceeded.
    pub(super) fn end(&self, err: &mut impl Write) -> io::Result<Option<LimitFailed>> {
        for line in &self.lines {
            writeln!(err, "{line}")?;
        }
        let has_failed = self.verdicts.iter().any(|verdict| !verdict.passed);
        Ok(has_failed.then_some(LimitFailed))
    }
}
