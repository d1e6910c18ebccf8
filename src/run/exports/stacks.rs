//! Stacks: folded, as a profile of pprof, as a flame graph.

use std::io::Write;

use anyhow::{Result, anyhow};

use crate::graph::CallGraph;
use crate::profile::Sides;
use crate::render::{self, FlameGraphHead, StackOptions};
use crate::run::Context;
use crate::run::input::display_paths;
use crate::view::{NegativeCost, Rows, Stacks};

/// The least frame of a stack, in percent of the total.
const LEAST_FRAME: f64 = 0.01;

impl Context<'_> {
    /// Writes stacks, of the first event to sort by, or else the first to show.
    pub(in crate::run) fn write_folded(&self, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let (graphs, style) = (self.graphs_of_functions(), self.style());
        let graphs = graphs.as_ref();
        let stacks = graphs.try_map(|graph| self.stacks(graph, &rows, self.event()))?;
        let options = self.stack_options();
        Ok(render::write_folded(
            &stacks, profile, &rows, options, style, out,
        )?)
    }

    /// Writes stacks of all events that are shown as a profile of pprof.
    pub(in crate::run) fn write_pprof(&self, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let graph = self.graphs_of_functions().new;
        let events = self.selection.shown.iter();
        let events: Result<Vec<_>> = events
            .map(|&event| Ok((event, self.stacks(&graph, &rows, event)?)))
            .collect();
        let options = self.stack_options();
        Ok(render::write_pprof(&events?, profile, &rows, options, out)?)
    }

    fn graphs_of_functions(&self) -> Sides<CallGraph<'_>> {
        CallGraph::of_sides(&self.input.profile, true)
    }

    fn stacks(&self, graph: &CallGraph<'_>, rows: &Rows<'_>, event: usize) -> Result<Stacks> {
        Stacks::new(graph, rows, event).map_err(|NegativeCost(function)| {
            let event = self.input.profile.events().name(event).escape_ascii();
            let why = format!(
                "cannot make stacks: {event} is negative for {}",
                rows.name_of(function).escape_ascii()
            );
            anyhow!("{}: {why}", display_paths(&self.input.paths))
        })
    }

    fn stack_options(&self) -> StackOptions {
        let min = self.options.selection.min.as_ref();
        StackOptions {
            least: min.map_or(LEAST_FRAME, |min| min.percent),
            keeps_all: min.is_none(),
            top: self.options.selection.top,
        }
    }

    /// Writes these stacks as a flame graph.
    pub(in crate::run) fn write_flame_graph(&self, out: &mut impl Write) -> Result<()> {
        let mut folded = Vec::new();
        self.write_folded(&mut folded)?;
        let in_files = || display_paths(&self.input.paths);
        if folded.is_empty() {
            return Err(anyhow!("{}: no cost to draw", in_files()));
        }
        let mut command = self.input.profile.sides().new.parts().iter();
        let command = command.find_map(|part| part.command.as_deref());
        let command = command.map(|command| String::from_utf8_lossy(command).into_owned());
        let head = FlameGraphHead {
            title: &command.unwrap_or_else(in_files),
            event: &String::from_utf8_lossy(self.input.profile.events().name(self.event())),
            is_difference: self.input.profile.is_difference(),
        };
        Ok(render::write_flame_graph(&folded, &head, out)?)
    }
}
