//! The part of the calls above a chosen function that led to it.
//!
//! The calls of a chosen function by others are known. A call of a function that led to one of them
//! has as much of the cost as the function's own calls have, callees first.

use super::share::{Divider, Share};
use super::{Split, components, write::zero_of};
use crate::profile::{Count, FunctionId, add_cost, difference};

impl Split<'_, '_> {
    /// Finds the part of all calls that led to a chosen function.
    pub(super) fn lead_all(&mut self) {
        self.entries = self.shares_of_entries();
        let (graph, chosen) = (self.graph, self.chosen);
        let is_chosen = |function: &&FunctionId| chosen[function.index()];
        for &function in graph.in_order().iter().filter(is_chosen) {
            self.lead_to(function);
        }
        // What led to a function is known before what led to its callers.
        for component in components(graph).rev() {
            self.outside = self.share_of_entering(component);
            for &function in component.iter().rev().filter(|function| !is_chosen(function)) {
                self.lead_to(function);
            }
        }
    }

    /// Finds the part of the calls of a function that led to a chosen one, although none was above
    /// its caller: of other functions as much as of their own calls.
    fn lead_to(&mut self, function: FunctionId) {
        let rows = self.calls_of.get(function.index());
        if rows.is_empty() || self.has_all(function) && !self.chosen[function.index()] {
            return;
        }
        let shares = if self.chosen[function.index()] {
            self.entries.clone()
        } else {
            self.shares_that_led(function)
        };
        let key = |row: u32| {
            let caller = self.profile.function(self.caller(row));
            let names = (self.profile.name(caller.name), self.profile.object(caller.object));
            (names, self.key_of(self.call(row).site))
        };
        let outside = self.outside.clone();
        if [&shares, &outside].iter().all(|of| of.iter().all(|&share| share == Share::NONE)) {
            return;
        }
        let (mut divider, mut divider_outside) = (Divider::new(&shares), Divider::new(&outside));
        for row in self.in_order_of(rows, key) {
            let cost = self.cost(row);
            if self.chosen[function.index()] && !self.chosen[self.caller(row).index()] {
                let led = match self.only {
                    Some(only) if self.is_outermost(row, only) => cost.to_vec(),
                    Some(_) => zero_of(cost),
                    None => divider.next(&self.rest_of_call(row)),
                };
                let nested = difference(cost, &led);
                self.paid_below.get_mut(row as usize).copy_from_slice(&nested);
                self.led_below.add(row as usize, &led);
            } else if !self.graph.goes_back(self.graph.arc_of(self.call(row))) {
                // A call that goes back is no way by which the function was first entered.
                let component = self.graph.component_of(function);
                let is_inside = self.graph.component_of(self.caller(row)) == component;
                let rest = self.rest_of_call(row);
                let part =
                    if is_inside { divider.next(&rest) } else { divider_outside.next(&rest) };
                self.led_below.add(row as usize, &part);
            }
        }
    }

    /// By event the part of the calls that enter a component, without what is below, that led to a
    /// chosen function: as much as the calls that its members make of chosen functions, and of
    /// those of other components.
    fn share_of_entering(&self, component: &[FunctionId]) -> Vec<Share> {
        let mut led = vec![Count::UNDEFINED; self.width];
        let (mut spent, mut paid) = (led.clone(), led.clone());
        let is_chosen = |function: FunctionId| self.chosen[function.index()];
        let number = |function: FunctionId| self.graph.component_of(function);
        for &function in component.iter().filter(|&&function| !is_chosen(function)) {
            for &row in self.places_of.get(function.index()) {
                add_cost(&mut spent, &self.rest_of_place(row));
            }
            for &row in self.calls_by.get(function.index()) {
                let callee = self.call(row).callee;
                if is_chosen(callee) || number(callee) != number(function) {
                    add_cost(&mut led, self.led_below.get(row as usize));
                    add_cost(&mut spent, &self.rest_of_call(row));
                }
            }
            for &row in self.calls_of.get(function.index()) {
                if number(self.caller(row)) != number(function) {
                    add_cost(&mut paid, &self.rest_of_call(row));
                }
            }
        }
        let share = |event: usize| {
            let whole =
                if component.len() == 1 { paid[event].larger(spent[event]) } else { paid[event] };
            Share::new(led[event].or_zero().into(), whole.or_zero().into()).unwrap_or(Share::NONE)
        };
        (0..self.width).map(share).collect()
    }

    /// By event the part of the calls of chosen functions, without what is paid below, that was not
    /// nested: together they paid for all that is below.
    fn shares_of_entries(&self) -> Vec<Share> {
        let Some(cycles) = &self.cycles else {
            return vec![Share::ALL; self.width];
        };
        let mut paid = vec![Count::UNDEFINED; self.width];
        for row in
            (0..self.profile.calls.len() as u32).filter(|&row| self.side.calls.has(row as usize))
        {
            // Nothing is left of a call by a chosen function: all of it is below.
            if self.chosen[self.call(row).callee.index()] {
                add_cost(&mut paid, &self.rest_of_call(row));
            }
        }
        let parts = cycles.total().iter().zip(&paid);
        let share = |(total, paid): (&Count, &Count)| {
            Share::new(total.or_zero().into(), paid.or_zero().into()).unwrap_or(Share::ALL)
        };
        parts.map(share).collect()
    }

    /// By event the part of what was paid for a function, without what is below, that led to a
    /// chosen function: as much as its own calls did.
    fn shares_that_led(&self, function: FunctionId) -> Vec<Share> {
        let mut led = vec![Count::UNDEFINED; self.width];
        let mut spent = led.clone();
        for &row in self.calls_by.get(function.index()) {
            let call = self.call(row);
            let enters = self.chosen[call.callee.index()];
            if enters || !self.graph.goes_back(self.graph.arc_of(call)) {
                add_cost(&mut spent, &self.rest_of_call(row));
                add_cost(&mut led, self.led_below.get(row as usize));
            }
        }
        if led.iter().all(|count| count.or_zero() == 0) {
            return vec![Share::NONE; self.width];
        }
        for &row in self.places_of.get(function.index()) {
            add_cost(&mut spent, &self.rest_of_place(row));
        }
        let mut paid = vec![Count::UNDEFINED; self.width];
        for &row in self.calls_of.get(function.index()) {
            if !self.graph.goes_back(self.graph.arc_of(self.call(row))) {
                add_cost(&mut paid, &self.rest_of_call(row));
            }
        }
        let unpaid = self.graph.unpaid_by_component(function);
        let share = |event: usize| {
            let whole = match &unpaid {
                Some(unpaid) => paid[event].or_zero() + unpaid[event].or_zero(),
                None => paid[event].larger(spent[event]).or_zero(),
            };
            Share::new(led[event].or_zero().into(), whole.into()).unwrap_or(Share::NONE)
        };
        (0..self.width).map(share).collect()
    }
}
