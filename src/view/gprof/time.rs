//! What functions, cycles and calls cost.
//!
//! If all functions count and no call is excluded, all of it is exact, but for the part of a call's cost that is its
//! callee's own. Otherwise costs are propagated along the calls that are left, and rounded.

use super::graph::{Calls, EventGraph};
use crate::view::gprof::graph::{Counted, Propagated};
use crate::view::gprof::symspecs::Lists;

/// The numbers of one function or cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeTime {
    pub(super) self_cost: i64,
    /// The calls that leave it, and its cycle.
    pub(super) children: i64,
    /// Calls from other functions; of a cycle from other functions than its members.
    pub(super) calls: i64,
    /// Recursive calls; of a cycle between different members.
    pub(super) self_calls: i64,
    /// Whether there is any call of it.
    pub(super) is_called: bool,
}

impl NodeTime {
    pub(super) fn inclusive(&self) -> i128 {
        i128::from(self.self_cost) + i128::from(self.children)
    }

    fn set(&mut self, (own, children): Counted) {
        self.self_cost = own.round() as i64;
        self.children = children.round() as i64;
    }
}

/// What calls cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArcTime {
    /// The part of it that is estimated to be their callee's own.
    pub(super) self_cost: i64,
    pub(super) children: i64,
}

/// All numbers of a graph.
pub(super) struct Times<'g> {
    graph: &'g EventGraph<'g>,
    pub(super) functions: Vec<NodeTime>,
    /// By component.
    pub(super) components: Vec<NodeTime>,
    /// What 100% are: all self costs that count.
    pub(super) reference: i64,
    propagated: Option<Propagated>,
}

impl<'g> Times<'g> {
    pub(super) fn new(graph: &'g EventGraph<'g>, lists: &Lists) -> Times<'g> {
        let is_exact = lists.counted.is_empty() && !graph.is_reduced();
        let mut times = Times {
            graph,
            functions: vec![NodeTime::default(); graph.own.len()],
            components: vec![NodeTime::default(); graph.graph().components().len()],
            reference: 0,
            propagated: (!is_exact).then(|| Propagated::new(graph, lists)),
        };
        for calls in graph.calls() {
            times.count(&calls);
        }
        match times.propagated.take() {
            Some(propagated) => {
                times.round(&propagated);
                times.propagated = Some(propagated);
            }
            None => times.add_up(),
        }
        times
    }

    /// Takes what was recorded.
    fn add_up(&mut self) {
        let graph = self.graph;
        for (time, &own) in self.functions.iter_mut().zip(&graph.own) {
            time.self_cost = own;
        }
        for calls in graph.calls() {
            if !graph.is_nested(calls.caller, calls.callee) {
                let children = &mut self.functions[calls.caller as usize].children;
                *children = add(*children, calls.cost);
            }
        }
        for (number, own) in (0..).zip(&self.functions) {
            self.reference = add(self.reference, own.self_cost);
            let component = &mut self.components[graph.component(number)];
            component.self_cost = add(component.self_cost, own.self_cost);
            component.children = add(component.children, own.children);
        }
    }

    /// Takes what was propagated, rounded.
    fn round(&mut self, propagated: &Propagated) {
        let mut components = vec![(0.0, 0.0); self.components.len()];
        for (number, &(own, children)) in (0..).zip(&propagated.functions) {
            self.functions[number as usize].set((own, children));
            let sum = &mut components[self.graph.component(number)];
            *sum = (sum.0 + own, sum.1 + children);
        }
        for (component, sum) in self.components.iter_mut().zip(components) {
            component.set(sum);
        }
        self.reference = propagated.total.round() as i64;
    }

    /// Adds calls to those of the callee and of its cycle.
    fn count(&mut self, calls: &Calls) {
        let own = &mut self.functions[calls.callee as usize];
        own.is_called = true;
        if calls.caller == calls.callee {
            own.self_calls = add(own.self_calls, calls.count);
            return;
        }
        own.calls = add(own.calls, calls.count);
        let component = &mut self.components[self.graph.component(calls.callee)];
        if self.graph.is_nested(calls.caller, calls.callee) {
            component.self_calls = add(component.self_calls, calls.count);
        } else {
            component.is_called = true;
            component.calls = add(component.calls, calls.count);
        }
    }

    /// What calls cost that are not nested.
    pub(super) fn of_calls(&self, calls: &Calls) -> ArcTime {
        let (self_cost, children) = match &self.propagated {
            Some(propagated) => {
                let (own, children) = propagated.of_calls(calls);
                (own.round() as i64, children.round() as i64)
            }
            None => {
                let callee = &self.components[self.graph.component(calls.callee)];
                let own = part(calls.cost, callee.self_cost, callee.inclusive());
                (own, calls.cost.saturating_sub(own))
            }
        };
        ArcTime {
            self_cost,
            children,
        }
    }
}

fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The part of `total` that is to it as `some` is to `whole`, rounded; nothing of no whole.
fn part(total: i64, some: i64, whole: i128) -> i64 {
    if whole == 0 {
        return 0;
    }
    let (product, size) = (i128::from(total) * i128::from(some), whole.abs());
    let product = if whole < 0 { -product } else { product };
    let rounded = (product + product.signum() * (size / 2)) / size;
    i64::try_from(rounded).unwrap_or(total)
}
