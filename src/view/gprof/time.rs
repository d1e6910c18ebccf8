//! What functions, cycles and calls cost.
//!
//! If all functions count and no call is excluded, all of it is exact, but for the part of a call's cost that is its
//! callee's own. Otherwise a call counts in the proportion in which its callee counts; such numbers are rounded.

use super::graph::{Calls, EventGraph};
use super::included::Lists;
use super::scaling::Scaling;
use crate::profile::Overflow;

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
}

/// What calls cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ArcTime {
    pub(super) total: i64,
    /// The part of it that is estimated to be their callee's own.
    pub(super) self_cost: i64,
}

/// All numbers of a graph.
pub(super) struct Times<'g> {
    graph: &'g EventGraph<'g>,
    pub(super) functions: Vec<NodeTime>,
    /// By component.
    pub(super) components: Vec<NodeTime>,
    /// What 100% are: all self costs that count.
    pub(super) reference: i64,
    scaling: Option<Scaling>,
}

impl<'g> Times<'g> {
    pub(super) fn new(graph: &'g EventGraph<'g>, lists: &Lists) -> Result<Times<'g>, Overflow> {
        let is_exact = lists.counted.is_empty() && !graph.is_reduced();
        let mut times = Times {
            graph,
            functions: vec![NodeTime::default(); graph.own.len()],
            components: vec![NodeTime::default(); graph.graph().components().len()],
            reference: 0,
            scaling: (!is_exact).then(|| Scaling::new(graph, lists)),
        };
        for (number, &own) in (0..).zip(&graph.own) {
            let scaling = times.scaling.as_ref();
            let own = scaling.map_or(own, |scaling| scaling.own(number, own));
            times.functions[number as usize].self_cost = own;
        }
        for calls in graph.calls() {
            times.count(&calls)?;
            if !graph.is_nested(calls.caller, calls.callee) {
                let total = match &times.scaling {
                    None => calls.cost,
                    Some(scaling) => scaling.of_calls(graph, &calls).total,
                };
                let children = &mut times.functions[calls.caller as usize].children;
                *children = add(*children, total)?;
            }
        }
        for (number, own) in (0..).zip(&times.functions) {
            times.reference = add(times.reference, own.self_cost)?;
            let component = &mut times.components[graph.component(number)];
            component.self_cost = add(component.self_cost, own.self_cost)?;
            component.children = add(component.children, own.children)?;
        }
        Ok(times)
    }

    /// Adds calls to those of the callee and of its cycle.
    fn count(&mut self, calls: &Calls) -> Result<(), Overflow> {
        let own = &mut self.functions[calls.callee as usize];
        own.is_called = true;
        if calls.caller == calls.callee {
            own.self_calls = add(own.self_calls, calls.count)?;
            return Ok(());
        }
        own.calls = add(own.calls, calls.count)?;
        let component = &mut self.components[self.graph.component(calls.callee)];
        if self.graph.is_nested(calls.caller, calls.callee) {
            component.self_calls = add(component.self_calls, calls.count)?;
        } else {
            component.is_called = true;
            component.calls = add(component.calls, calls.count)?;
        }
        Ok(())
    }

    /// What calls cost that are not nested.
    pub(super) fn of_calls(&self, calls: &Calls) -> ArcTime {
        if let Some(scaling) = &self.scaling {
            return scaling.of_calls(self.graph, calls);
        }
        let callee = &self.components[self.graph.component(calls.callee)];
        ArcTime {
            total: calls.cost,
            self_cost: part(calls.cost, callee.self_cost, callee.inclusive()),
        }
    }
}

fn add(a: i64, b: i64) -> Result<i64, Overflow> {
    a.checked_add(b).ok_or(Overflow)
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
