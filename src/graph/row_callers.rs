//! Whether a row of several functions may be on the stack when a function is called, and whether it
//! may not be: found for many rows at once, callers first.

use super::row_part::WideRow;
use super::{Arc, CallGraph};
use crate::graph::partition::Partition;
use crate::profile::FunctionId;

/// The number of rows whose callers are found at once: one for each bit.
pub(super) const BATCH: usize = 64;

/// The number of such batches of one partition. Beyond it, any function is taken to be called
/// within the row, and without it: so the time is in proportion to the calls.
pub(super) const MAX_BATCHES: usize = 16;

/// The number of times that the calls of a cycle are followed. Beyond it, any of its functions is
/// taken to be called without the row.
const MAX_ROUNDS: usize = 16;

/// For the rows of a batch, with a bit for each: how the functions are called.
pub(super) struct Callers<'g, 'p> {
    rows: &'g Partition<'p>,
    /// By row its bit, if it is in the batch.
    bits: Vec<u64>,
    /// By function the rows that may be on the stack when it is called. A function of a cycle is
    /// called within all rows of the cycle.
    within: Vec<u64>,
    /// By function the rows that may not be on the stack when its outermost activation begins.
    without: Vec<u64>,
}

impl<'g, 'p> Callers<'g, 'p> {
    pub(super) fn new(
        graph: &CallGraph<'p>,
        rows: &'g Partition<'p>,
        batch: &[&WideRow],
    ) -> Callers<'g, 'p> {
        let mut bits = vec![0; rows.len()];
        for (number, row) in batch.iter().enumerate() {
            bits[row.row as usize] = 1 << number;
        }
        let functions = graph.profile.function_count();
        let (within, without) = (vec![0; functions], vec![0; functions]);
        let mut callers = Callers { rows, bits, within, without };
        for component in graph.components.iter() {
            callers.follow(graph, component);
        }
        callers
    }

    /// The rows of which all of a function is.
    fn of_function(&self, function: FunctionId) -> u64 {
        if self.rows.has_homes { self.bits[self.rows.of_function(function) as usize] } else { 0 }
    }

    /// The rows that are on the stack because of an arc's caller.
    fn of_caller(&self, graph: &CallGraph<'_>, arc: Arc) -> u64 {
        let of_code = self.bits[self.rows.of_fragment(arc.caller) as usize];
        of_code | self.of_function(graph.caller(arc))
    }

    /// Finds the callers of a component's functions from those of the components before.
    fn follow(&mut self, graph: &CallGraph<'_>, component: &[u32]) {
        let mut within = 0;
        let mut all_entries = 0;
        for &member in component {
            let function = FunctionId(member);
            let is_unpaid = graph.unpaid(function).iter().any(|unpaid| unpaid.or_zero() != 0);
            let mut entries = if is_unpaid { u64::MAX } else { 0 };
            let mut is_called = false;
            for (_, arc) in graph.into(function) {
                let caller = graph.caller(arc);
                if caller == function {
                    continue;
                }
                is_called = true;
                let of_caller = self.of_caller(graph, arc);
                within |= of_caller;
                if graph.leaves_component(arc) {
                    within |= self.within[caller.index()];
                    entries |= self.without[caller.index()] & !of_caller;
                }
            }
            if !is_called {
                entries = u64::MAX;
            }
            self.without[function.index()] = entries;
            all_entries |= entries;
        }
        for &member in component {
            self.within[member as usize] = within;
        }
        if component.len() > 1 {
            self.follow_inner(graph, component, all_entries);
        }
    }

    /// Follows the calls within a component until nothing changes. Calls that are nested by their
    /// level of recursion begin no outermost activation.
    fn follow_inner(&mut self, graph: &CallGraph<'_>, component: &[u32], all_entries: u64) {
        let mut in_order: Vec<FunctionId> = component.iter().map(|&f| FunctionId(f)).collect();
        in_order.sort_unstable_by_key(|&function| graph.place(function));
        for _ in 0..MAX_ROUNDS {
            let mut is_changed = false;
            for &function in &in_order {
                let mut entries = self.without[function.index()];
                for (_, arc) in graph.into(function) {
                    if !arc.is_nested && !graph.leaves_component(arc) {
                        let without = self.without[graph.caller(arc).index()];
                        entries |= without & !self.of_caller(graph, arc);
                    }
                }
                is_changed |= entries != self.without[function.index()];
                self.without[function.index()] = entries;
            }
            if !is_changed {
                return;
            }
        }
        for function in in_order {
            self.without[function.index()] = all_entries;
        }
    }
}

/// How functions are called, as seen from one row.
pub(super) struct Seen<'c, 'g, 'p> {
    pub(super) row: u32,
    pub(super) rows: &'c Partition<'p>,
    /// The callers and the bit of the row; none if they are not known.
    pub(super) callers: Option<(&'c Callers<'g, 'p>, u64)>,
}

impl Seen<'_, '_, '_> {
    /// Whether the row may be on the stack when a function is called.
    pub(super) fn may_be_within(&self, function: FunctionId) -> bool {
        self.callers.is_none_or(|(callers, bit)| callers.within[function.index()] & bit != 0)
    }

    /// Whether a function's outermost activation begins only while the row is on the stack.
    pub(super) fn is_within(&self, function: FunctionId) -> bool {
        self.callers.is_some_and(|(callers, bit)| callers.without[function.index()] & bit == 0)
    }

    /// Whether a function is a deeper level of recursion of one of the row.
    pub(super) fn is_level_of_row(&self, graph: &CallGraph<'_>, function: FunctionId) -> bool {
        let outermost = graph.levels.outermost(function);
        outermost.is_some_and(|outermost| self.rows.counts_whole(outermost, self.row))
    }

    /// Whether the row is on the stack when a function calls another one.
    pub(super) fn is_on_stack(&self, function: FunctionId) -> bool {
        self.rows.counts_whole(function, self.row) || self.is_within(function)
    }
}
