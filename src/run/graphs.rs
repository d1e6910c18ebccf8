//! The call graphs of a report with their cycles.

use super::Context;
use crate::graph::CallGraph;
use crate::profile::Sides;
use crate::view::{Cycles, Inclusive, Rows};

/// What the views of calls are made from.
pub(super) struct Graphs<'r> {
    pub(super) sides: Sides<CallGraph<'r>>,
    pub(super) cycles: Cycles,
}

impl Graphs<'_> {
    /// The inclusive costs of these rows.
    pub(super) fn inclusive(&self, rows: &Rows<'_>) -> Inclusive<'_> {
        Inclusive::new(&self.sides, rows, &self.cycles)
    }
}

impl<'r> Context<'r> {
    /// The graphs of both sides. Without `has_cycles` only calls of a function by itself are recursion.
    pub(super) fn graphs(&self, has_cycles: bool, rows: &Rows<'r>) -> Graphs<'r> {
        let sides = CallGraph::of_sides(&self.input.profile, has_cycles);
        let cycles = Cycles::new(&sides, rows, &self.selection);
        Graphs { sides, cycles }
    }

    /// All rows with their cycles, and the graphs of both sides.
    pub(super) fn rows_with_cycles(&self, has_cycles: bool) -> (Rows<'r>, Graphs<'r>) {
        let rows = Rows::new(&self.input.profile, &self.options.rows);
        let graphs = self.graphs(has_cycles, &rows);
        (rows.with_cycles(&graphs.cycles), graphs)
    }
}
