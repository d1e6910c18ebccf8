//! The share of each function that is below a chosen one, by what its callers paid, and the
//! division of its self costs and its calls by that. A share is exact if it is all or nothing.
//! Otherwise costs are divided event by event, in integers that add up.

use hashbrown::HashMap;

use super::cycles::Fit;
use super::share::{Divider, Share};
use super::{Split, components};
use crate::graph::CallEnd;
use crate::profile::{Count, FunctionId, add_cost, difference};
use crate::transform::is_rounding;

impl Split<'_, '_> {
    /// Divides all functions, callers first.
    pub(super) fn divide_all(&mut self) {
        for component in components(self.graph) {
            self.divide(component);
        }
        self.round_to_cost();
    }

    /// Divides the functions of a component, of which all callers outside it are divided.
    fn divide(&mut self, component: &[FunctionId]) {
        let are_reached = component.iter().any(|function| self.is_reached[function.index()]);
        if !are_reached {
            return;
        }
        if let [function] = component[..] {
            let shares = self.shares_of(function);
            self.set_shares(function, shares);
        } else {
            self.divide_cycle(component);
        }
        for &function in component {
            self.divide_costs(function);
        }
    }

    fn set_shares(&mut self, function: FunctionId, shares: Vec<Share>) {
        self.shares[function.index() * (self.width + 1)..][..=self.width].copy_from_slice(&shares);
    }

    /// The shares of a function that is in no cycle, by what its callers paid.
    fn shares_of(&self, function: FunctionId) -> Vec<Share> {
        if self.chosen[function.index()] {
            return vec![Share::ALL; self.width + 1];
        }
        let mut paid = vec![Count::UNDEFINED; self.width];
        let mut below = paid.clone();
        let (mut counts, mut counts_below) = (0, 0);
        for &row in self.calls_of.get(function.index()).iter().filter(|&&row| !self.is_own(row)) {
            let [known, rest] = self.known_parts(row, CallEnd::Callee);
            add_cost(&mut paid, &rest);
            add_cost(&mut below, &difference(self.paid_below.get(row as usize), &known));
            counts += i128::from(self.count(row));
            counts_below += i128::from(self.counts_below[row as usize]);
        }
        let spent = self.spent(function);
        let is_always = self.is_always[function.index()];
        let wholes = paid.iter().zip(spent).map(|(&paid, spent)| {
            let [cost, of_callers] = [spent, paid].map(|count| i128::from(count.or_zero()));
            if is_always && is_rounding(cost, of_callers) { paid } else { paid.larger(spent) }
        });
        let parts = below.iter().map(|count| i128::from(count.or_zero()));
        let of_events: Vec<Option<Share>> = parts
            .zip(wholes)
            .map(|(part, whole)| Share::new(part, whole.or_zero().into()))
            .collect();
        self.completed(function, of_events, Share::new(counts_below, counts))
    }

    /// The self cost of a function and its calls of others, but for what is known to be below or
    /// not.
    fn spent(&self, function: FunctionId) -> Vec<Count> {
        let mut spent = vec![Count::UNDEFINED; self.width];
        for &row in self.places_of.get(function.index()) {
            add_cost(&mut spent, self.side.costs.table.get(row as usize));
        }
        for &row in self.calls_by.get(function.index()).iter().filter(|&&row| !self.is_own(row)) {
            let [_, rest] = self.known_parts(row, CallEnd::Caller);
            add_cost(&mut spent, &rest);
        }
        spent
    }

    /// The shares of events and of the number of calls, where those that are not known are like the
    /// others.
    fn completed(
        &self,
        function: FunctionId,
        of_events: Vec<Option<Share>>,
        of_calls: Option<Share>,
    ) -> Vec<Share> {
        let mut known = of_events.iter().flatten().copied();
        let of_cost = known.find(|&share| share != Share::NONE);
        let of_number = match (of_calls, of_cost) {
            (Some(share), _) if share != Share::NONE => share,
            (_, Some(of_cost)) => of_cost,
            (Some(share), None) => share,
            (None, None) if self.is_always[function.index()] => Share::ALL,
            (None, None) => Share::NONE,
        };
        let all = of_events.into_iter().map(|share| share.unwrap_or(of_number));
        all.chain([of_number]).collect()
    }

    /// Sets the shares of the functions of a cycle.
    fn divide_cycle(&mut self, component: &[FunctionId]) {
        for &function in component {
            let shares = match &self.cycles {
                Some(cycles) if !self.chosen[function.index()] => {
                    let parts = cycles.of(function).iter().zip(cycles.whole(function));
                    let mut shares: Vec<Option<Share>> = parts
                        .map(|(share, &whole)| {
                            Share::new((share * whole).round() as i128, whole as i128)
                        })
                        .collect();
                    let of_calls = shares.pop().flatten();
                    self.completed(function, shares, of_calls)
                }
                _ => vec![Share::ALL; self.width + 1],
            };
            self.set_shares(function, shares);
        }
    }

    /// Divides the self costs and the calls of a function by its shares.
    fn divide_costs(&mut self, function: FunctionId) {
        let shares = self.shares(function).to_vec();
        if !self.has_some(function) {
            return;
        }
        let (of_events, of_calls) = (&shares[..self.width], shares[self.width]);
        let mut places = self.places_of.get(function.index()).to_vec();
        let mut calls = self.calls_by.get(function.index()).to_vec();
        if !self.has_all(function) {
            places =
                self.in_order_of(&places, |row| self.key_of(self.profile.places[row as usize]));
            calls = self.in_order_of(&calls, |row| self.key_of_call(row));
            // The costs of calls that go back are part of those of others.
            calls.sort_by_key(|&row| self.graph.goes_back(self.graph.arc_of(self.call(row))));
        }
        let mut divider = Divider::new(of_events);
        for row in places {
            let part = divider.next(self.side.costs.table.get(row as usize));
            self.places.add(row as usize, &part);
        }
        // The parts of the calls of one callee add up to the part of all of them.
        let mut counts: HashMap<FunctionId, i64> = HashMap::new();
        for row in calls {
            let part = if self.has_all(function) {
                self.cost(row).to_vec()
            } else {
                self.part_of_call(row, &mut divider)
            };
            self.paid_below.add(row as usize, &part);
            let so_far = counts.entry(self.call(row).callee).or_default();
            let before = of_calls.of_calls(*so_far);
            *so_far += self.count(row);
            self.counts_below[row as usize] = match self.single_calls.is_below(row) {
                Some(is_below) => self.count(row) * i64::from(is_below),
                None => of_calls.of_calls(*so_far) - before,
            };
        }
    }

    /// The part of a call by a function whose calls and costs are divided one after the other.
    fn part_of_call(&self, row: u32, divider: &mut Divider<'_>) -> Vec<Count> {
        let [mut part, mut rest] = self.known_parts(row, CallEnd::Caller);
        let arc = self.graph.arc_of(self.call(row));
        if let Some(cycles) = &self.cycles {
            for event in 0..self.width {
                let fit = cycles.fit_of(arc, event);
                if fit != Fit::NONE {
                    let share = fit.of(cycles.of(self.caller(row))[event]);
                    let fitted = (rest[event].or_zero() as f64 * share).round() as i64;
                    part[event].add(Count::new(fitted));
                    rest[event] = Count::ZERO;
                }
            }
        }
        add_cost(&mut part, &divider.next(&rest));
        part
    }

    /// Adds to the largest part of a divided function what rounding the shares of a cycle added or
    /// left out, if it is known what the only chosen function costs.
    fn round_to_cost(&mut self) {
        let is_rounded = self.cycles.is_some() || self.levels.is_some();
        let Some(only) = self.only.filter(|_| is_rounded) else {
            return;
        };
        let cost = self.graph.inclusive_by_function().costs.get(only.index()).to_vec();
        let max = self.profile.places.len() as i64;
        for (event, cost) in cost.into_iter().enumerate() {
            let parts = self.places.iter().map(|part| part[event].or_zero());
            let missing = cost.or_zero() - parts.sum::<i64>();
            if missing == 0 || missing.abs() > max {
                continue;
            }
            let largest = (0..self.profile.places.len())
                .filter(|&row| {
                    let place = self.profile.places[row];
                    let function = self.profile.fragment(place.fragment).function;
                    let is_divided = self.is_divided(function, self.shares(function)[event]);
                    let own = self.side.costs.table.get(row)[event].or_zero();
                    let part = self.places.get(row)[event].or_zero();
                    is_divided && (0..=own).contains(&(part + missing))
                })
                .max_by_key(|&row| {
                    let key = self.key_of(self.profile.places[row]);
                    (self.places.get(row)[event].or_zero(), std::cmp::Reverse(key))
                });
            if let Some(row) = largest {
                self.places.get_mut(row)[event].add(Count::new(missing));
            }
        }
    }
}
