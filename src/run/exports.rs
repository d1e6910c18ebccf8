//! The report in other forms than the page.

use std::io::Write;

use anyhow::{Context as _, Result, anyhow};

use super::Context;
use super::input::display_paths;
use crate::options::ListOptions;
use crate::render::{self, JsonReport, WriteError};
use crate::view::{
    CallGraph, Calls, Cycles, Details, FunctionList, GraphOptions, Inclusive, NoStacks, Rows,
    Stacks, Written,
};

/// The least frame of a stack, in percent of the total.
const LEAST_FRAME: f64 = 0.01;

/// The least function and the least calls of a graph, likewise.
const LEAST_NODE: f64 = 1.0;

impl<'r> Context<'r> {
    /// Writes the report as JSON.
    pub(super) fn write_json(&self, options: &ListOptions, out: &mut impl Write) -> Result<()> {
        let (rows, profile) = (&self.options.rows, &self.input.profile);
        let in_files = || display_paths(&self.input.paths);
        let mut cycles = self.cycles(options.cycles);
        let mut rows = Rows::new(profile, rows);
        let inclusive = Inclusive::new(profile, &mut rows, &mut cycles, &self.selection);
        let inclusive = inclusive.with_context(in_files)?;
        let list = if options.inclusive {
            FunctionList::by_inclusive_cost(&rows, &self.selection, &self.total, &inclusive)
        } else {
            FunctionList::by_self_cost(profile, &rows, &self.selection, &self.total)
        };
        let list = list.with_context(in_files)?;
        let calls = options
            .tree
            .has_callers()
            .then(|| Calls::new(profile, &rows, &cycles));
        let calls = calls.transpose().with_context(in_files)?;
        let report = JsonReport {
            profile,
            total: &self.total,
            selection: &self.selection,
            list: &list,
            is_inclusive: options.inclusive,
            rows: &rows,
            details: &Details::new(profile, &rows, &inclusive, &cycles, &self.selection),
            callers: calls.as_ref(),
        };
        Ok(render::write_json(&report, out)?)
    }

    /// Writes the list as comma-separated values.
    pub(super) fn write_csv(&self, options: &ListOptions, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let mut cycles = self.cycles(options.inclusive && options.cycles);
        let mut rows = Rows::new(profile, &self.options.rows);
        let list = self.list(options, &mut rows, &mut cycles);
        let list = list.with_context(|| display_paths(&self.input.paths))?;
        Ok(render::write_csv(
            &list,
            &rows,
            &profile.events,
            self.style(),
            out,
        )?)
    }

    /// Writes stacks, of the first event to sort by, or else the first to show.
    pub(super) fn write_folded(&self, out: &mut impl Write) -> Result<()> {
        let (profile, asked) = (&self.input.profile, &self.options.selection);
        let rows = Rows::new(profile, &self.options.rows);
        let stacks = Stacks::new(profile, &rows, self.event()).map_err(|error| {
            let event = profile.events.name(self.event()).escape_ascii();
            let why = match error {
                NoStacks::Overflow => format!("a sum of {event} does not fit into 64 bits"),
                NoStacks::Negative(function) => format!(
                    "no stacks of {event}, which is below 0 for {}",
                    rows.name_of(function).escape_ascii()
                ),
            };
            anyhow!("{}: {why}", display_paths(&self.input.paths))
        })?;
        let least = asked.min.as_ref().map_or(LEAST_FRAME, |min| min.percent);
        Ok(render::write_folded(
            &stacks,
            profile,
            &rows,
            least,
            self.style(),
            out,
        )?)
    }

    /// Writes the call graph, of that event too.
    pub(super) fn write_dot(&self, cycles: bool, out: &mut impl Write) -> Result<()> {
        let (profile, asked) = (&self.input.profile, &self.options.selection);
        let in_files = || display_paths(&self.input.paths);
        let mut cycles = self.cycles(cycles);
        let mut rows = Rows::new(profile, &self.options.rows);
        // Gives the cycles the numbers that they have on the page.
        let inclusive = Inclusive::new(profile, &mut rows, &mut cycles, &self.selection);
        let inclusive = inclusive.with_context(in_files)?;
        let options = GraphOptions {
            event: self.event(),
            total: self.total.whole[self.event()].or_zero(),
            least: asked.min.as_ref().map_or(LEAST_NODE, |min| min.percent),
            top: asked.top,
        };
        let graph =
            CallGraph::new(profile, &rows, &cycles, &inclusive, options).with_context(in_files)?;
        Ok(render::write_dot(
            &graph,
            profile,
            &rows,
            self.event(),
            self.style(),
            out,
        )?)
    }

    /// The call cycles, if they are needed.
    pub(super) fn cycles(&self, are_needed: bool) -> Cycles {
        if are_needed {
            Cycles::find(&self.input.profile)
        } else {
            Cycles::none(&self.input.profile)
        }
    }

    /// The event of a report that is about one.
    fn event(&self) -> usize {
        let events = match self.options.selection.sort.is_empty() {
            true => &self.selection.shown,
            false => &self.selection.order,
        };
        events.first().copied().unwrap_or(0)
    }

    /// Writes the profile back.
    pub(super) fn write_callgrind(&self, out: &mut impl Write) -> Result<()> {
        let rows = Rows::new(&self.input.profile, &self.options.rows);
        let written = Written::new(&self.input.profile, &rows, &self.selection);
        let done = render::write_callgrind(
            &written,
            &self.input.profile,
            &self.total,
            self.style(),
            out,
        );
        match done {
            Err(WriteError::Io(error)) => Err(error.into()),
            done => done.with_context(|| display_paths(&self.input.paths)),
        }
    }
}
