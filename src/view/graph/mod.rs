//! The call graph as gprof has it: callers and callees, what each call cost, and which functions call each other in
//! cycles. It knows functions by number alone, and nothing of where calls and costs come from.
//!
//! A call costs what is said of it; its callee's own share of that is the only estimate. Children are the
//! calls that leave a function and its cycle, never a remainder.

mod costs;
mod lists;
mod order;
mod table;

use crate::graph::{Groups, components};
use crate::profile::Overflow;

use costs::Costs;
pub use lists::{List, Lists};
pub use table::{Entry, GraphTable, Line, Who};

/// A function.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// What its own lines cost.
    pub self_cost: i64,
    /// Its place among all functions in the order of their names.
    pub rank: u32,
    /// Whether its name begins with `_`: of equal ones it comes last.
    pub is_reserved: bool,
}

/// The calls of one function by another, from one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The number of the caller.
    pub caller: u32,
    /// The number of the callee.
    pub callee: u32,
    /// The place of the call, as a number that only the user of the graph understands.
    pub site: u32,
    /// How many calls.
    pub count: i64,
    /// What they cost, all that they called in turn included.
    pub cost: i64,
    /// Whether they are to be left out, and their cost with them.
    pub is_dropped: bool,
}

/// Functions and the calls between them.
pub struct Graph {
    nodes: Vec<Node>,
    /// In the order of callers, callees and sites.
    arcs: Vec<Arc>,
    /// The arcs of each callee, and where in this list they begin.
    by_callee: Vec<u32>,
    callee_starts: Vec<u32>,
    /// Where the arcs of each caller begin.
    caller_starts: Vec<u32>,
    /// All sets of functions that call each other, a set after those that it calls.
    components: Vec<Vec<u32>>,
    component_of: Vec<u32>,
}

impl Graph {
    /// Puts arcs in order and finds the cycles. There is one arc for each caller, callee and site.
    pub fn new(nodes: Vec<Node>, mut arcs: Vec<Arc>) -> Graph {
        arcs.sort_unstable_by_key(|arc| (arc.caller, arc.callee, arc.site));
        let kept = arcs.iter().filter(|arc| !arc.is_dropped);
        let callers = kept.clone().map(|arc| Some(arc.caller as usize));
        let out_of = Groups::new(nodes.len(), callers);
        let callees: Vec<u32> = kept.map(|arc| arc.callee).collect();
        let components = components(&out_of, |arc| callees[arc as usize]);
        let mut component_of = vec![0; nodes.len()];
        for (number, component) in (0..).zip(&components) {
            component
                .iter()
                .for_each(|&node| component_of[node as usize] = number);
        }
        let caller_starts = starts(nodes.len(), arcs.iter().map(|arc| arc.caller));
        let callee_starts = starts(nodes.len(), arcs.iter().map(|arc| arc.callee));
        let mut by_callee: Vec<u32> = (0..arcs.len() as u32).collect();
        by_callee.sort_by_key(|&arc| arcs[arc as usize].callee);
        Graph {
            nodes,
            arcs,
            by_callee,
            callee_starts,
            caller_starts,
            components,
            component_of,
        }
    }

    /// The table of all entries.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn table(&self, lists: &Lists) -> Result<GraphTable, Overflow> {
        let costs = Costs::new(self, lists)?;
        Ok(table::table(self, &costs, lists))
    }

    /// For each function the calls that leave it and its cycle, and how often others called it.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn children_and_calls(&self) -> Result<Vec<(i64, i64)>, Overflow> {
        let costs = Costs::new(self, &Lists::default())?;
        let own = costs.functions.iter();
        Ok(own.map(|own| (own.children, own.calls)).collect())
    }

    /// Whether two functions are one, or members of one cycle.
    pub fn are_together(&self, a: u32, b: u32) -> bool {
        self.component_of[a as usize] == self.component_of[b as usize]
    }

    /// Whether an arc stays within a function or its cycle, so that its cost is nested in that of another.
    fn is_nested(&self, arc: &Arc) -> bool {
        self.are_together(arc.caller, arc.callee)
    }

    /// The members of a component, if it is a cycle.
    fn cycle(&self, component: u32) -> Option<&[u32]> {
        let members = &self.components[component as usize];
        (members.len() > 1).then_some(members)
    }

    /// The calls by a function, with their numbers.
    fn calls_by(&self, node: u32) -> impl Iterator<Item = (usize, &Arc)> {
        let (from, to) = range(&self.caller_starts, node);
        let arcs = (from..to).zip(&self.arcs[from..to]);
        arcs.filter(|(_, arc)| !arc.is_dropped)
    }

    /// The calls of a function, likewise.
    fn calls_of(&self, node: u32) -> impl Iterator<Item = (usize, &Arc)> {
        let (from, to) = range(&self.callee_starts, node);
        let arcs = self.by_callee[from..to]
            .iter()
            .map(|&arc| (arc as usize, &self.arcs[arc as usize]));
        arcs.filter(|(_, arc)| !arc.is_dropped)
    }
}

/// Where the numbers of each node begin in a sorted list of them; one more for the end.
fn starts(nodes: usize, numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; nodes + 1];
    numbers.for_each(|number| starts[number as usize + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    starts
}

fn range(starts: &[u32], node: u32) -> (usize, usize) {
    (
        starts[node as usize] as usize,
        starts[node as usize + 1] as usize,
    )
}
