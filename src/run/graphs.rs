//! The call graphs of a report with their cycles.

use super::Context;
use crate::graph::CallGraph;
use crate::profile::{Overflow, Sides};
use crate::view::{Cycles, Rows};

/// What the views of calls are made from.
pub(super) struct Graphs<'r> {
    pub(super) sides: Sides<CallGraph<'r>>,
    pub(super) cycles: Cycles,
}

impl<'r> Context<'r> {
    /// The graphs of both sides. Without `has_cycles` only calls of a function by itself are recursion.
    pub(super) fn graphs(&self, has_cycles: bool, rows: &Rows<'r>) -> Result<Graphs<'r>, Overflow> {
        let sides = CallGraph::of_sides(&self.input.profile, has_cycles)?;
        let cycles = Cycles::new(&sides, rows, &self.selection)?;
        Ok(Graphs { sides, cycles })
    }
}
