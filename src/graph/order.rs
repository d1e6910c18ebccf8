//! One order of all functions, in which callers come before what they call, as far as there is no
//! recursion.
//!
//! Components are in the order of calls. In a component with several functions, the next function
//! is again and again the one of which the largest part was paid from outside or by functions that
//! already have their place; of equal parts the one that cost most, then the one that is first in
//! the profile. So every function is entered from outside, or called by one before it. A **back
//! call** leads to an earlier function.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::CallGraph;
use super::members::{Component, Members};
use crate::profile::{CostTable, FunctionId};

#[derive(Default)]
pub(super) struct Order {
    /// All functions, callers first.
    pub(super) functions: Vec<FunctionId>,
    /// By function its index in the order.
    place: Vec<u32>,
    /// By function the index of the last one of its component.
    last: Vec<u32>,
}

impl Order {
    /// Nested calls do not decide who comes first.
    pub(super) fn new(graph: &CallGraph<'_>, members: &Members) -> Order {
        let mut functions = Vec::with_capacity(graph.profile.function_count());
        let mut components = members.components.iter();
        let mut last = vec![0; graph.profile.function_count()];
        for component in graph.components.iter() {
            match component {
                &[function] => functions.push(FunctionId(function)),
                _ => {
                    if let Some(component) = components.next() {
                        let in_order = order_of(members, component).into_iter();
                        functions.extend(in_order.map(|member| members.list[member]));
                    }
                }
            }
            for &function in component {
                last[function as usize] = functions.len() as u32 - 1;
            }
        }
        let mut place = vec![0; functions.len()];
        for (at, function) in (0..).zip(&functions) {
            place[function.index()] = at;
        }
        Order { functions, place, last }
    }

    pub(super) fn last_of_component(&self, function: FunctionId) -> u32 {
        self.last[function.index()]
    }

    pub(super) fn place(&self, function: FunctionId) -> u32 {
        self.place[function.index()]
    }
}

/// A member that has no place yet.
struct Next {
    /// The part of its cost that was paid from outside and by members with a place.
    part: f64,
    all: i64,
    member: Reverse<u32>,
    /// The amount of which `part` is the quotient.
    known: i64,
}

impl Next {
    fn new(member: usize, known: i64, all: i64) -> Next {
        let part = if all == 0 { 0.0 } else { known as f64 / all as f64 };
        Next { part, all, member: Reverse(member as u32), known }
    }
}

impl Ord for Next {
    #[inline]
    fn cmp(&self, other: &Next) -> Ordering {
        let by_part = self.part.total_cmp(&other.part);
        by_part.then(self.all.cmp(&other.all)).then(self.member.cmp(&other.member))
    }
}

impl PartialOrd for Next {
    #[inline]
    fn partial_cmp(&self, other: &Next) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Next) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Next {}

/// The members of a component in order.
fn order_of(members: &Members, component: &Component) -> Vec<usize> {
    let (event, first) = (component.event, component.members.start);
    // Sums of costs fit into 64 bits, and what is unpaid is at most what was spent.
    let count = |table: &CostTable, row: usize| table.get(row)[event].or_zero();
    let entering = |at| count(&members.outside, at) + members.unpaid(at, event) as i64;
    let cost = |calls: usize| {
        if members.inner[calls].is_nested { 0 } else { count(&members.inner_costs, calls).abs() }
    };
    let mut known: Vec<i64> = component.members.clone().map(entering).collect();
    let mut all = known.clone();
    for calls in component.inner.clone() {
        all[members.inner[calls].callee as usize - first] += cost(calls);
    }
    let mut heap: BinaryHeap<Next> =
        (0..known.len()).map(|at| Next::new(at, known[at], all[at])).collect();
    let mut is_placed = vec![false; known.len()];
    let mut order = Vec::with_capacity(known.len());
    while let Some(found) = heap.pop() {
        let at = found.member.0 as usize;
        // The entries of a member whose known part has grown since are skipped.
        if is_placed[at] || found.known != known[at] {
            continue;
        }
        is_placed[at] = true;
        order.push(first + at);
        for calls in members.inner_by(first + at) {
            let callee = members.inner[calls].callee as usize - first;
            let cost = cost(calls);
            if !is_placed[callee] && cost > 0 {
                known[callee] += cost;
                heap.push(Next::new(callee, known[callee], all[callee]));
            }
        }
    }
    order
}
