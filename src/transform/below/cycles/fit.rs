//! How the shares of the functions of a cycle are fitted to what entered it.
//!
//! The functions of a cycle are on the stack only while a call that entered it is. So no function
//! costs more below than the entering calls that are below, and none costs more in the rest than
//! the other entering calls. Where levels of recursion tell which calls of a function are not
//! nested, these calls are all that it costs. If the shares of their callers are too large or too
//! small for that, the parts of the calls within the cycle become smaller or larger together, and
//! the rest of what their callers spent makes up for it.

use super::{CycleShares, Led};
use crate::graph::{Arc, ArcId};
use crate::profile::FunctionId;

/// By what the share of a caller is multiplied, and what is added, to have that of its calls of a
/// function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::transform::below) struct Fit {
    pub(super) factor: f64,
    pub(super) more: f64,
}

impl Fit {
    /// The share of the calls is that of their caller.
    pub(in crate::transform::below) const NONE: Fit = Fit { factor: 1.0, more: 0.0 };

    /// The share of a call by that of its caller.
    pub(in crate::transform::below) fn of(self, share: f64) -> f64 {
        self.more + self.factor * share
    }
}

/// What is below of calls, and the rest.
#[derive(Clone, Copy, Default)]
struct Parts {
    below: f64,
    rest: f64,
}

impl Parts {
    /// Adds a cost of which a part led to nested calls of a chosen function, and to outermost ones.
    fn add(&mut self, cost: f64, led: Led, share: f64) {
        let below = cost * (led.nested + led.rest() * share);
        self.below += below;
        self.rest += cost - below;
    }

    /// The fit by which neither what is below nor the rest is more than this.
    fn fit(&self, [most, most_of_rest]: [f64; 2]) -> Fit {
        if self.below > most.max(0.0) {
            Fit { factor: most.max(0.0) / self.below, more: 0.0 }
        } else if self.rest > most_of_rest.max(0.0) {
            let factor = most_of_rest.max(0.0) / self.rest;
            Fit { factor, more: 1.0 - factor }
        } else {
            Fit::NONE
        }
    }
}

impl CycleShares<'_, '_> {
    /// The fits of the calls of the functions of a cycle, by the present shares of their callers.
    /// Returns whether there are any, or were.
    pub(super) fn fit(&mut self, component: &[FunctionId]) -> bool {
        // Where a chosen function is in the cycle, what is below entered by that.
        if component.iter().any(|function| self.known.chosen[function.index()]) {
            return false;
        }
        let mut has_any = false;
        for event in 0..self.width - 1 {
            let (entered, of_each) = self.entered(component, event);
            for (&function, of_function) in component.iter().zip(&of_each) {
                if !self.graph.has_exact_levels(function) {
                    continue;
                }
                let mut divided = Parts::default();
                let (mut nested, mut outermost) = (0.0, 0.0);
                for (id, arc) in self.graph.into(function).filter(|&(_, arc)| self.is_inner(arc)) {
                    let (cost, led) = (self.cost(id, event), self.led(id, event));
                    let share = self.mean(self.graph.caller(arc), event);
                    divided.add(cost * led.rest(), Led::default(), share);
                    nested += cost * led.nested;
                    outermost += cost * led.outermost;
                }
                let most = entered.below - of_function.below - nested;
                let most_of_rest = entered.rest - of_function.rest - outermost;
                let fit = divided.fit([most, most_of_rest]);
                let known = &mut self.fits[function.index() * self.width + event];
                has_any |= fit != Fit::NONE || *known != Fit::NONE;
                *known = fit;
            }
        }
        has_any
    }

    /// What entered a cycle, and each of its functions.
    fn entered(&self, component: &[FunctionId], event: usize) -> (Parts, Vec<Parts>) {
        let mut all = Parts::default();
        let mut spent = 0.0;
        let mut of_each = Vec::new();
        for &function in component {
            let mut entered = Parts::default();
            for (id, arc) in self.graph.into(function) {
                let caller = self.graph.caller(arc);
                if self.graph.component_of(caller) != self.graph.component_of(function) {
                    let share = self.values[caller.index() * self.width + event];
                    let (cost, led) = (self.cost(id, event), self.led(id, event));
                    entered.add(cost, led, share);
                    all.add(cost, led, share);
                }
            }
            of_each.push(entered);
            spent += self.own[function.index() * self.width + event].abs();
            for fragment in self.graph.fragments_of(function) {
                for (id, arc) in self.graph.out_of(fragment) {
                    if self.graph.component_of(arc.callee) != self.graph.component_of(function) {
                        spent += self.cost(id, event);
                    }
                }
            }
        }
        // What nobody paid is below no function.
        all.rest += (spent - all.below - all.rest).max(0.0);
        (all, of_each)
    }

    fn cost(&self, id: ArcId, event: usize) -> f64 {
        self.graph.cost(id)[event].or_zero().unsigned_abs() as f64
    }

    fn mean(&self, function: FunctionId, event: usize) -> f64 {
        self.means[function.index() * self.width + event]
    }

    /// Whether the calls of an arc stay within a cycle and are not nested by their level.
    fn is_inner(&self, arc: Arc) -> bool {
        let caller = self.graph.caller(arc);
        !arc.is_nested
            && !self.graph.is_own_call(caller, arc.callee)
            && self.graph.component_of(caller) == self.graph.component_of(arc.callee)
    }

    /// How the shares of an arc's calls follow from that of their caller.
    pub(in crate::transform::below) fn fit_of(&self, arc: Arc, event: usize) -> Fit {
        if self.is_inner(arc) {
            self.fits[arc.callee.index() * self.width + event]
        } else {
            Fit::NONE
        }
    }
}
