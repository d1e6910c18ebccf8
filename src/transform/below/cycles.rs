//! The shares of functions whose callers depend on each other, because they are in a cycle.
//!
//! The share of a function is the mean of the shares of its callers, weighted by what each paid.
//! Within a cycle that is computed in rounds. It tells how large these shares are compared with
//! each other, but not how large all of them are: a call within a cycle is recorded again and again
//! with what is nested in it. If Callgrind recorded levels of recursion, the call graph has the
//! exact cost of a chosen function. Then the shares are made larger or smaller together, until what
//! is below costs as much. What entered a cycle limits what its functions cost ([`fit`]).

mod fit;

use std::rc::Rc;

pub(super) use self::fit::Fit;
use super::known::{Known, MAX_ROUNDS, MIN_CHANGE};
use super::levels::{Led, Levels};
use crate::graph::{ArcId, CallGraph};
use crate::profile::{Count, FunctionId};

/// The most rounds in which the shares of a cycle's functions are computed again after small
/// changes. Shares that still change would hide what a step does to their size.
const MAX_MORE_ROUNDS: usize = 100;

/// The steps in which the size of all shares is found, and the largest logarithm of its odds.
const STEPS: usize = 40;
const MAX_LOG: f64 = 30.0;

/// A difference of costs, as a part of them, that rounding may explain.
const MIN_DIFFERENCE: f64 = 1e-6;

pub(super) struct CycleShares<'g, 'p> {
    graph: &'g CallGraph<'p>,
    known: Known<'g>,
    levels: Option<Rc<Levels>>,
    /// The number of events, and one more for the number of calls.
    width: usize,
    /// By function and event what was paid for it and what it spent without being called, but for
    /// what is known to have led to calls of the only chosen function.
    whole: Vec<f64>,
    own: Vec<f64>,
    /// By function and event the mean share of its callers, and the share after it was made larger
    /// or smaller.
    means: Vec<f64>,
    values: Vec<f64>,
    /// By function and event how the shares of its calls follow from those of their callers.
    fits: Vec<Fit>,
    /// By event the self cost that is below.
    total: Vec<Count>,
}

impl<'g, 'p> CycleShares<'g, 'p> {
    /// The shares, if some function of a cycle has one that is not known.
    pub(super) fn new(
        graph: &'g CallGraph<'p>,
        known: Known<'g>,
        levels: Option<Rc<Levels>>,
    ) -> Option<CycleShares<'g, 'p>> {
        let is_unknown = |function: &FunctionId| {
            let at = function.index();
            let unpaid = || graph.unpaid_by_component(*function).into_iter().flatten();
            let is_in_cycle = graph.calls_others_that_call_it(*function);
            let begins = || unpaid().any(|count| count.or_zero() != 0);
            let is_open = is_in_cycle && known.is_reached[at] && !known.chosen[at];
            is_open && (!known.is_always[at] || begins())
        };
        if !graph.in_order().iter().any(is_unknown) {
            return None;
        }
        let width = graph.profile.sides().new.costs.table.width() + 1;
        let count = graph.profile.function_count() * width;
        let always = known
            .is_always
            .iter()
            .flat_map(|&is| std::iter::repeat_n(if is { 1.0 } else { 0.0 }, width));
        let means: Vec<f64> = always.collect();
        let mut shares = CycleShares {
            graph,
            known,
            levels,
            width,
            whole: vec![0.0; count],
            own: vec![0.0; count],
            values: means.clone(),
            means,
            fits: vec![Fit::NONE; count],
            total: Vec::new(),
        };
        shares.add_costs();
        shares.find_size();
        let totals = shares.totals().into_iter();
        shares.total = totals.map(|total| Count::new(total.round() as i64)).collect();
        Some(shares)
    }

    /// By event the share of a function.
    pub(super) fn of(&self, function: FunctionId) -> &[f64] {
        &self.values[function.index() * self.width..][..self.width]
    }

    /// By event the self cost that is below.
    pub(super) fn total(&self) -> &[Count] {
        &self.total
    }

    /// What was paid for a function of a cycle, and what it spent without being called.
    pub(super) fn whole(&self, function: FunctionId) -> &[f64] {
        &self.whole[function.index() * self.width..][..self.width]
    }

    /// The sizes of counts, as costs of mixed sign are no part of their sum.
    fn add_costs(&mut self) {
        let (graph, width) = (self.graph, self.width);
        let mut spent = vec![0.0; self.whole.len()];
        for (id, fragment) in graph.profile.fragments_with_ids() {
            for (event, count) in graph.own(id).iter().enumerate() {
                let at = fragment.function.index() * width + event;
                self.own[at] += count.or_zero() as f64;
                spent[at] += count.or_zero().abs() as f64;
            }
        }
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc);
            if graph.is_own_call(caller, arc.callee) {
                continue;
            }
            let costs: Vec<f64> = self.sizes(id).collect();
            for (event, cost) in costs.into_iter().enumerate() {
                self.whole[arc.callee.index() * width + event] += cost;
                if event + 1 < width {
                    spent[caller.index() * width + event] += cost;
                }
            }
        }
        for &function in graph.in_order() {
            let at = function.index() * width;
            match graph.unpaid_by_component(function) {
                Some(unpaid) => {
                    for (event, count) in unpaid.into_iter().enumerate() {
                        self.whole[at + event] += count.or_zero().abs() as f64;
                    }
                }
                None => {
                    for event in 0..width {
                        self.whole[at + event] = self.whole[at + event].max(spent[at + event]);
                    }
                }
            }
        }
    }

    /// The size of an arc's cost by event, and of its number of calls, but for what is known to
    /// have led to calls of the only chosen function.
    fn sizes(&self, id: ArcId) -> impl Iterator<Item = f64> + use<'_, 'g, 'p> {
        let costs =
            self.graph.cost(id).iter().enumerate().map(move |(event, count)| {
                count.or_zero().abs() as f64 * self.led(id, event).rest()
            });
        costs.chain([self.graph.calls(id).abs() as f64])
    }

    /// The parts of an arc's calls that are known to have led to calls of the only chosen function.
    fn led(&self, id: ArcId, event: usize) -> Led {
        self.levels.as_ref().map_or_else(Led::default, |levels| levels.led(id, event))
    }

    /// Computes the shares, and makes them as large as what the only chosen function costs, or at
    /// least as what is known of several.
    fn find_size(&mut self) {
        let events = self.width - 1;
        let mut logs = vec![0.0; self.width];
        self.compute(&logs, MAX_ROUNDS);
        let target = match self.known.only {
            Some(only) => {
                let cost = self.graph.inclusive_by_function().costs.get(only.index()).iter();
                cost.map(|count| count.or_zero() as f64).collect()
            }
            None => self.least_cost(),
        };
        let off = |total: f64, target: f64| {
            let is_too_much = self.known.only.is_some() && total > target;
            let difference = (total - target).abs();
            (is_too_much || total < target) && difference > MIN_DIFFERENCE * target.abs()
        };
        let totals = self.totals();
        let wanted: Vec<bool> = totals
            .iter()
            .zip(&target)
            .map(|(&total, &target)| total > 0.0 && off(total, target))
            .collect();
        if !wanted.contains(&true) {
            return;
        }
        let mut bounds = vec![[-MAX_LOG, MAX_LOG]; events];
        for _ in 0..STEPS {
            let totals = self.totals();
            for event in (0..events).filter(|&event| wanted[event]) {
                let [least, most] = &mut bounds[event];
                if totals[event] < target[event] {
                    *least = logs[event];
                } else {
                    *most = logs[event];
                }
                logs[event] = (*least + *most) / 2.0;
            }
            logs[events] = logs[0];
            self.compute(&logs, MAX_MORE_ROUNDS);
        }
    }

    /// By event what the chosen functions cost at least: the most that one of them is known to.
    fn least_cost(&self) -> Vec<f64> {
        let graph = self.graph;
        let is_known = |function: &FunctionId| {
            let is_exact = || graph.has_exact_levels(*function);
            self.known.chosen[function.index()]
                && (!graph.calls_others_that_call_it(*function) || is_exact())
        };
        let mut least = vec![0.0f64; self.width - 1];
        for function in graph.in_order().iter().filter(|function| is_known(function)) {
            let cost = graph.inclusive_by_function().costs.get(function.index());
            for (least, count) in least.iter_mut().zip(cost) {
                *least = least.max(count.or_zero() as f64);
            }
        }
        least
    }

    /// By event the self cost that is below.
    fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.width - 1];
        for (own, values) in self.own.chunks(self.width).zip(self.values.chunks(self.width)) {
            for (total, (own, value)) in totals.iter_mut().zip(own.iter().zip(values)) {
                *total += own * value;
            }
        }
        totals
    }

    /// Computes all shares, callers first; those of cycles by these logarithms of the odds by which
    /// they are larger than their means.
    fn compute(&mut self, logs: &[f64], max_rounds: usize) {
        let graph = self.graph;
        let order = graph.in_order();
        for component in order.chunk_by(|&a, &b| graph.component_of(a) == graph.component_of(b)) {
            if !component.iter().any(|function| self.known.is_reached[function.index()]) {
                continue;
            }
            if let [function] = component[..] {
                self.find_mean(function);
                self.take_mean(function, None);
                continue;
            }
            for _ in 0..max_rounds {
                let changes = component.iter().map(|&function| self.find_mean(function));
                if changes.fold(0.0, f64::max) < MIN_CHANGE {
                    break;
                }
            }
            for _ in 0..MAX_MORE_ROUNDS {
                if !self.fit(component) {
                    break;
                }
                let changes = component.iter().map(|&function| self.find_mean(function));
                if changes.fold(0.0, f64::max) < MIN_CHANGE {
                    break;
                }
            }
            for &function in component {
                self.take_mean(function, Some(logs));
            }
        }
    }

    /// Sets the mean share of a function's callers. Returns the largest change.
    fn find_mean(&mut self, function: FunctionId) -> f64 {
        let (graph, width) = (self.graph, self.width);
        // All of a chosen function is below, and nothing of one that none can be above.
        let is_known =
            self.known.chosen[function.index()] || !self.known.is_reached[function.index()];
        if is_known {
            return 0.0;
        }
        let mut below = vec![0.0; width];
        for (id, arc) in graph.into(function) {
            let caller = graph.caller(arc);
            if graph.is_own_call(caller, function) {
                continue;
            }
            let is_inside = graph.component_of(caller) == graph.component_of(function);
            let of_callers = if is_inside { &self.means } else { &self.values };
            let shares = &of_callers[caller.index() * width..][..width];
            for (event, (cost, share)) in self.sizes(id).zip(shares).enumerate() {
                below[event] += cost * self.fit_of(arc, event).of(*share);
            }
        }
        let at = function.index() * width;
        let mut wholes = self.whole[at..][..width].to_vec();
        for fragment in graph.fragments_of(function) {
            for (id, arc) in graph.out_of(fragment) {
                for (event, cost) in self.sizes(id).enumerate() {
                    let fit = self.fit_of(arc, event);
                    below[event] -= cost * fit.more;
                    wholes[event] -= cost * (1.0 - fit.factor);
                }
            }
        }
        let mut change: f64 = 0.0;
        for (event, (below, whole)) in below.into_iter().zip(wholes).enumerate() {
            let mean = if whole <= 0.0 { 0.0 } else { (below / whole).clamp(0.0, 1.0) };
            change = change.max((mean - self.means[at + event]).abs());
            self.means[at + event] = mean;
        }
        change
    }

    /// Sets the share of a function: the mean, or what it is by odds. Nothing and all stay so.
    fn take_mean(&mut self, function: FunctionId, logs: Option<&[f64]>) {
        let at = function.index() * self.width;
        for event in 0..self.width {
            let mean = self.means[at + event];
            let odds = logs.map_or(1.0, |logs| logs[event].exp());
            self.values[at + event] = odds * mean / (1.0 - mean + odds * mean);
        }
    }
}
