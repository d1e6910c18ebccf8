//! The limits of a difference, which decide the exit status.

use std::io::Write;

use anyhow::Result;

use super::{Context, unmatched};
use crate::render::{Style, verdict_line};
use crate::run::error::LimitFailed;
use crate::view::{Limit, Rows, Verdict, selected_cost};

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
        let selected = selected_cost(profile, &Rows::new(profile, &self.options.rows));
        let verdicts = limits.iter().map(|limit| {
            let event = self.limit_event(limit)?;
            let figure = selected.counts().event(event);
            Ok(Verdict::new(&limit.percent, event, figure))
        });
        let verdicts = verdicts.collect::<Result<Vec<_>>>()?;
        let ratios = profile.events().ratios();
        let style = Style {
            ratios: &ratios,
            ..self.style()
        };
        let lines = verdicts.iter();
        let lines = lines.map(|verdict| verdict_line(verdict, profile.events(), style));
        Ok(Gate {
            lines: lines.collect(),
            verdicts,
        })
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
