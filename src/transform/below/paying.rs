//! The functions of which it is not known how much of what they paid led to a chosen function: what
//! is left of it without that is an estimate, though their self cost is exact.
//!
//! What was paid for a call of a chosen function is known, and so is what a function with one
//! caller led to. If several functions call one that led to a chosen one, it is not known on whose
//! behalf. That all of it passed below a function is known again if every way to the chosen
//! functions is through that function: it is met in the order of functions while no call leads from
//! before it to one behind it.
//!
//! Where the time of a pair of caller and callee is counted once, however often it is on the stack,
//! nobody paid for what is nested in a cycle: nothing that led to such a cycle is known.

use super::Kept;
use crate::graph::{CallGraph, Groups};
use crate::profile::{FunctionId, Measured};

struct Paying<'a, 'p> {
    graph: &'a CallGraph<'p>,
    chosen: &'a [bool],
    /// Caller and callee of each call of another function.
    calls: Vec<(FunctionId, FunctionId)>,
    calls_by: Groups,
    calls_of: Groups,
}

/// Notes these functions of a side.
pub(super) fn note_paying(
    graph: &CallGraph<'_>,
    side: &Measured,
    chosen: &[bool],
    kept: Kept,
    is_paying: &mut [bool],
) {
    let of_side = graph.profile.calls.iter().enumerate().filter(|&(row, _)| side.calls.has(row));
    let ends =
        of_side.map(|(_, call)| (graph.profile.fragment(call.site.fragment).function, call.callee));
    let mut calls: Vec<(FunctionId, FunctionId)> =
        ends.filter(|(caller, callee)| caller != callee).collect();
    calls.sort_unstable();
    calls.dedup();
    let paying = Paying {
        graph,
        chosen,
        calls_by: Groups::new(chosen.len(), calls.iter().map(|(of, _)| Some(of.index()))),
        calls_of: Groups::new(chosen.len(), calls.iter().map(|(_, of)| Some(of.index()))),
        calls,
    };
    if side.counts_outermost_calls() {
        paying.note_pairs(is_paying);
    }
    // Below a chosen function all that led to it is left out.
    if kept == Kept::Rest {
        paying.note_divided(is_paying);
    }
}

impl Paying<'_, '_> {
    fn callees(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> {
        self.calls_by.get(function.index()).iter().map(|&call| self.calls[call as usize].1)
    }

    fn callers(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> {
        self.calls_of.get(function.index()).iter().map(|&call| self.calls[call as usize].0)
    }

    /// The functions that lead to those of a list, and these.
    fn leading_to(&self, functions: impl Iterator<Item = FunctionId>) -> Vec<bool> {
        let mut open: Vec<FunctionId> = functions.collect();
        let mut leads = vec![false; self.chosen.len()];
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut leads[function.index()], true) {
                open.extend(self.callers(function));
            }
        }
        leads
    }

    /// Notes what led to cycles in which pairs are counted once.
    fn note_pairs(&self, is_paying: &mut [bool]) {
        let in_cycles = self.functions().filter(|&of| self.graph.calls_others_that_call_it(of));
        let leads = self.leading_to(in_cycles);
        self.functions().for_each(|of| is_paying[of.index()] |= leads[of.index()]);
    }

    /// Notes what led to a chosen function by one that others call as well.
    fn note_divided(&self, is_paying: &mut [bool]) {
        let leads = self.leading_to(self.functions().filter(|of| self.chosen[of.index()]));
        let has_all = self.having_all(&leads);
        // Callees come before their callers, but for those of a cycle, which are all noted.
        let from_callees = self.graph.in_order().iter().rev();
        for &function in from_callees.filter(|of| leads[of.index()]) {
            let is_divided = |callee: FunctionId| {
                leads[callee.index()]
                    && !self.chosen[callee.index()]
                    && (is_paying[callee.index()]
                        || self.callers(callee).any(|caller| caller != function))
            };
            let is_unknown = self.callees(function).any(is_divided) && !has_all[function.index()];
            is_paying[function.index()] |=
                is_unknown || self.graph.calls_others_that_call_it(function);
        }
    }

    fn functions(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.chosen.len() as u32).map(FunctionId)
    }

    /// By function whether every way to a chosen one is through it, or through its cycle.
    fn having_all(&self, leads: &[bool]) -> Vec<bool> {
        let on_ways = || self.graph.in_order().iter().copied().filter(|of| leads[of.index()]);
        let begins = on_ways().filter(|&of| self.graph.may_begin(of));
        // The components are in this order.
        let mut furthest = begins.map(|of| self.graph.component_of(of)).max().unwrap_or(0);
        let mut has_all = vec![false; leads.len()];
        for function in on_ways() {
            has_all[function.index()] = furthest <= self.graph.component_of(function);
            let callees = self.callees(function).filter(|of| leads[of.index()]);
            furthest = callees.map(|of| self.graph.component_of(of)).fold(furthest, usize::max);
        }
        has_all
    }
}
