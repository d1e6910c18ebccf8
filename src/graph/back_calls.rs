//! The calls within cycles by which nested activations can be reached.

use std::ops::Range;

use super::CallGraph;
use super::members::Members;
use crate::profile::FunctionId;

/// The costs of the calls within components of several functions, by member and event.
pub(super) struct BackCalls {
    /// The cost of the back calls to members at or before the place of this one.
    to: Vec<i128>,
    /// The cost of the back calls by members before this one.
    from: Vec<i128>,
    /// The cost of the calls by other members.
    into: Vec<i128>,
    /// The cost of the calls of other members.
    out_of: Vec<i128>,
    /// The cost of the back calls by copies that are inlined into this member.
    own: Vec<i128>,
    width: usize,
}

impl BackCalls {
    pub(super) fn new(graph: &CallGraph<'_>) -> BackCalls {
        let (members, width) = (&graph.members, graph.own.width());
        let none = vec![0; members.list.len() * width];
        let mut calls = BackCalls {
            to: none.clone(),
            from: none.clone(),
            into: none.clone(),
            out_of: none.clone(),
            own: none,
            width,
        };
        for (inner, cost) in members.inner.iter().zip(members.inner_costs.iter()) {
            let [caller, callee] = [inner.caller, inner.callee].map(|at| at as usize);
            let place = |member: usize| graph.order.place(members.list[member]);
            let goes_back = place(callee) < place(caller);
            let [function, called] = [members.list[caller], members.list[callee]];
            let is_own = graph.is_own_call(function, called);
            for (event, count) in cost.iter().enumerate() {
                let count = i128::from(count.or_zero());
                calls.out_of[caller * width + event] += count;
                calls.into[callee * width + event] += count;
                if is_own && goes_back {
                    calls.own[callee * width + event] += count;
                }
                if goes_back {
                    calls.to[callee * width + event] += count;
                    calls.from[caller * width + event] += count;
                }
            }
        }
        for component in &members.components {
            calls.add_up(graph, component.members.clone());
        }
        calls
    }

    /// Makes sums over all earlier members of a component.
    fn add_up(&mut self, graph: &CallGraph<'_>, members: Range<usize>) {
        let mut in_order: Vec<usize> = members.collect();
        in_order.sort_unstable_by_key(|&at| graph.order.place(graph.members.list[at]));
        for event in 0..self.width {
            let (mut to, mut from) = (0, 0);
            for member in &in_order {
                let at = member * self.width + event;
                to += self.to[at];
                self.to[at] = to;
                // Those by the member itself come after it.
                from += std::mem::replace(&mut self.from[at], from);
            }
        }
    }

    /// The cost of the calls of which one lies between any two activations of a member: of the back
    /// calls that span its place, of the calls into it within the cycle, or of those out of it,
    /// whichever cost least. Those by its copies are no calls of it.
    pub(super) fn of_member(&self, member: usize, event: usize) -> i128 {
        let at = member * self.width + event;
        let spanning = self.spanning(member, member, event);
        (spanning.min(self.into[at]) - self.own[at]).min(self.out_of[at])
    }

    /// The cost of the back calls that lead to the member `last`, or to one before it, from the
    /// member `first` of the same component, or from one after it.
    pub(super) fn spanning(&self, first: usize, last: usize, event: usize) -> i128 {
        self.to[last * self.width + event] - self.from[first * self.width + event]
    }

    /// The cost of the calls of which one lies between any two activations of several members of
    /// one component, which are in ascending order. `forward` is what was paid for forward calls of
    /// them by others after the first of them.
    pub(super) fn of_members(
        &self,
        graph: &CallGraph<'_>,
        row: &[usize],
        forward: i128,
        event: usize,
    ) -> i128 {
        let members: &Members = &graph.members;
        let place = |member: &&usize| graph.order.place(members.list[**member]);
        let (Some(&first), Some(&last)) =
            (row.iter().min_by_key(place), row.iter().max_by_key(place))
        else {
            return 0;
        };
        let at = |member: usize| member * self.width + event;
        let mut spanning = self.spanning(first, last, event) + forward;
        let own: i128 = row.iter().map(|&member| self.own[at(member)]).sum();
        let mut into: i128 = row.iter().map(|&member| self.into[at(member)]).sum();
        let mut out_of: i128 = row.iter().map(|&member| self.out_of[at(member)]).sum();
        for &caller in row {
            for calls in members.inner_by(caller) {
                let callee = members.inner[calls].callee as usize;
                if row.binary_search(&callee).is_ok() {
                    let cost = i128::from(members.inner_costs.get(calls)[event].or_zero());
                    let [from, to]: [FunctionId; 2] = [members.list[caller], members.list[callee]];
                    out_of -= cost;
                    if graph.is_own_call(from, to) {
                        continue;
                    }
                    if graph.order.place(to) < graph.order.place(from) {
                        spanning -= cost;
                    }
                    into -= cost;
                }
            }
        }
        (spanning.min(into) - own).max(0).min(out_of)
    }
}
