//! Divides a profile by functions: what happened while one of them was on the stack, and the rest.
//!
//! A profile has no stacks, only what each function paid for its calls. All of a chosen function is
//! **below** it, and so is the part of another function for which callers paid that are below
//! themselves. This part is exact if it is all or nothing; otherwise the self costs and the calls
//! of the function are divided by what its callers paid, event by event, in integers that add up.
//! Functions of a cycle depend on each other; see [`cycles`].
//!
//! The callers of a chosen function were on the stack, too: the part of their calls that led to it
//! is below as well, although nothing of their self cost is. So each self cost and each call is the
//! sum of what is below and of the rest. Trees of callers and stacks have these callers, lists of
//! functions and lines do not ([`Portion::None`]).

mod cycles;
mod share;

use hashbrown::HashMap;

use self::cycles::{CycleShares, Known};
use self::share::{Divider, Share};
use crate::graph::{CallEnd, CallGraph, Groups};
use crate::profile::{
    AddError, Call, CostTable, Count, Division, FunctionId, Jump, KeptOf, Measured, Place, Portion,
    Profile, ProfileBuilder, Sides, add_cost, difference,
};

/// The part of a profile that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// What happened while a chosen function was on the stack.
    Below,
    /// What did not.
    Rest,
}

/// How much of a side was kept.
#[derive(Debug, Default)]
pub struct KeptCost {
    /// The total before.
    pub all: Vec<Count>,
    pub kept: Vec<Count>,
    /// The number of calls of the chosen functions by others; none if nobody called them, or calls
    /// are not counted.
    pub calls: Option<i64>,
    /// The self costs that were not divided.
    pub exact: Vec<Count>,
    /// By event whether others were, though perhaps by so little that nothing of them was kept.
    pub is_divided: Vec<bool>,
    /// By function whether it was divided, which may have been before.
    divided: Vec<bool>,
    /// By function whether some of it was kept, not only calls that led to what was kept.
    has_part: Vec<bool>,
}

/// The number of calls of the chosen functions by others.
fn calls_of(profile: &Profile, side: &Measured, chosen: &[bool]) -> Option<i64> {
    let is_from_others = |call: &Call| {
        let caller = profile.fragment(call.site.fragment).function;
        chosen[call.callee.index()] && !chosen[caller.index()]
    };
    let calls = profile.calls.iter().zip(&side.call_counts);
    let counts = calls.filter(|(call, _)| is_from_others(call)).map(|(_, count)| *count);
    let sum = counts.fold(0, |sum: i64, count| sum.saturating_add(count));
    (sum > 0 && profile.counts_calls()).then_some(sum)
}

/// Keeps a part of a profile. `chosen` is by function; `before` is what was kept if the profile is
/// such a part itself, with the same functions.
pub fn keep(
    profile: &Profile,
    chosen: &[bool],
    kept: Kept,
    before: Option<&Sides<KeptCost>>,
) -> Result<(Profile, Sides<KeptCost>), AddError> {
    let mut builder = profile.builder_with_names();
    let graphs = CallGraph::of_sides(profile, true);
    let mut costs = graphs.as_ref().map(|_| KeptCost::default());
    builder.add_sides(profile, |builder, side, index| {
        if let (Some(graph), Some(of_side)) = (graphs.get(index), costs.get_mut(index)) {
            let before =
                before.and_then(|before| before.get(index)).map_or(&[][..], |side| &side.divided);
            *of_side = Split::new(graph, side, chosen, before).write(kept, builder)?;
            of_side.calls = calls_of(profile, side, chosen);
        }
        Ok(())
    })?;
    for function in (0..chosen.len() as u32).map(FunctionId) {
        let is_any = |of: fn(&KeptCost) -> &[bool]| {
            costs.iter().any(|side| of(side).get(function.index()) == Some(&true))
        };
        let portion = if !is_any(|side| &side.has_part) || !profile.has_part_of(function) {
            Portion::None
        } else if is_any(|side| &side.divided) {
            Portion::Divided
        } else if chosen[function.index()] {
            Portion::Chosen
        } else {
            Portion::Exact
        };
        builder.functions().set_portion(function, portion);
    }
    Ok((builder.finish(), costs))
}

struct Split<'a, 'p> {
    graph: &'a CallGraph<'p>,
    profile: &'p Profile,
    side: &'a Measured,
    chosen: &'a [bool],
    divided_before: &'a [bool],
    width: usize,
    /// The numbers of the places of each function, of the calls that it makes, and of those of it.
    places_of: Groups,
    calls_by: Groups,
    calls_of: Groups,
    /// By function, whether a chosen one can be above it.
    is_reached: Vec<bool>,
    /// By function, whether a chosen one is always above it, or it is chosen itself.
    is_always: Vec<bool>,
    /// The only chosen function, if it is known which calls of it are nested.
    only: Option<FunctionId>,
    /// Otherwise by event the part of the calls of chosen functions that is not nested.
    entries: Vec<Share>,
    /// By event the part of the calls that enter the current component that led to a chosen one.
    outside: Vec<Share>,
    /// The shares of functions of cycles, if some are not known.
    cycles: Option<CycleShares<'a, 'p>>,
    /// By function and event the share that is below; after the events that of its calls' number.
    shares: Vec<Share>,
    /// By place the part below.
    places: CostTable,
    /// By call the part that is paid by what is below, and its number of calls.
    paid_below: CostTable,
    counts_below: Vec<i64>,
    /// By call the part that others paid and that led to a chosen function.
    led_below: CostTable,
}

impl<'a, 'p> Split<'a, 'p> {
    fn new(
        graph: &'a CallGraph<'p>,
        side: &'a Measured,
        chosen: &'a [bool],
        divided_before: &'a [bool],
    ) -> Split<'a, 'p> {
        let profile = graph.profile;
        let (functions, width) = (profile.function_count(), side.costs.table.width());
        let places = profile.places.iter().enumerate().map(|(row, &place)| {
            side.costs.has(row).then(|| profile.fragment(place.fragment).function.index())
        });
        let callers = profile.calls.iter().enumerate().map(|(row, call)| {
            let caller = profile.fragment(call.site.fragment).function;
            side.calls.has(row).then(|| caller.index())
        });
        let callees = profile
            .calls
            .iter()
            .enumerate()
            .map(|(row, call)| side.calls.has(row).then(|| call.callee.index()));
        let mut split = Split {
            places_of: Groups::new(functions, places),
            calls_by: Groups::new(functions, callers),
            calls_of: Groups::new(functions, callees),
            is_reached: chosen.to_vec(),
            is_always: chosen.to_vec(),
            only: None,
            entries: Vec::new(),
            outside: vec![Share::NONE; width],
            cycles: None,
            shares: vec![Share::NONE; functions * (width + 1)],
            places: CostTable::new(width, profile.places.len()),
            paid_below: CostTable::new(width, profile.calls.len()),
            counts_below: vec![0; profile.calls.len()],
            led_below: CostTable::new(width, profile.calls.len()),
            graph,
            profile,
            side,
            chosen,
            divided_before,
            width,
        };
        split.find_reached();
        split.find_always();
        let (is_reached, is_always) = (split.is_reached.clone(), split.is_always.clone());
        split.only = split.find_only();
        let known = Known { chosen, is_reached, is_always, only: split.only };
        split.cycles = CycleShares::new(graph, known);
        let order = graph.in_order();
        for component in order.chunk_by(|&a, &b| graph.component_of(a) == graph.component_of(b)) {
            split.divide(component);
        }
        split.round_to_cost();
        split.entries = split.shares_of_entries();
        // What led to a function is known before what led to its callers.
        let is_chosen = |function: &&FunctionId| chosen[function.index()];
        for &function in order.iter().filter(is_chosen) {
            split.lead_to(function);
        }
        let are_one =
            |&a: &FunctionId, &b: &FunctionId| graph.component_of(a) == graph.component_of(b);
        for component in order.chunk_by(are_one).rev() {
            split.outside = split.share_of_entering(component);
            for function in component.iter().rev().filter(|function| !is_chosen(function)) {
                split.lead_to(*function);
            }
        }
        split
    }

    fn caller(&self, row: u32) -> FunctionId {
        self.profile.fragment(self.call(row).site.fragment).function
    }

    fn call(&self, row: u32) -> Call {
        self.profile.calls[row as usize]
    }

    fn cost(&self, row: u32) -> &'a [Count] {
        self.side.calls.table.get(row as usize)
    }

    fn count(&self, row: u32) -> i64 {
        self.side.call_counts[row as usize]
    }

    /// Whether a call is one of a function by itself, which is on nobody else's behalf.
    fn is_own(&self, row: u32) -> bool {
        self.graph.is_own_call(self.caller(row), self.call(row).callee)
    }

    fn shares(&self, function: FunctionId) -> &[Share] {
        &self.shares[function.index() * (self.width + 1)..][..=self.width]
    }

    fn has_all(&self, function: FunctionId) -> bool {
        self.shares(function).iter().all(|&share| share == Share::ALL)
    }

    fn find_reached(&mut self) {
        let mut open: Vec<usize> = (0..self.chosen.len()).filter(|&at| self.chosen[at]).collect();
        while let Some(function) = open.pop() {
            for &row in self.calls_by.get(function) {
                let callee = self.profile.calls[row as usize].callee.index();
                if !std::mem::replace(&mut self.is_reached[callee], true) {
                    open.push(callee);
                }
            }
        }
    }

    /// Of the functions that are reached, those that are only called by such functions.
    fn find_always(&mut self) {
        self.is_always.clone_from(&self.is_reached);
        let mut open: Vec<usize> =
            (0..self.chosen.len()).filter(|&at| !self.is_reached[at]).collect();
        while let Some(function) = open.pop() {
            for &row in self.calls_by.get(function) {
                let callee = self.profile.calls[row as usize].callee.index();
                let is_other = !self.chosen[callee] && callee != function;
                if is_other && std::mem::replace(&mut self.is_always[callee], false) {
                    open.push(callee);
                }
            }
        }
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
            add_cost(&mut paid, self.cost(row));
            add_cost(&mut below, self.paid_below.get(row as usize));
            counts += i128::from(self.count(row));
            counts_below += i128::from(self.counts_below[row as usize]);
        }
        let spent = self.spent(function);
        let wholes = paid.iter().zip(spent).map(|(&paid, spent)| paid.larger(spent));
        let parts = below.iter().map(|count| i128::from(count.or_zero()));
        let of_events: Vec<Option<Share>> = parts
            .zip(wholes)
            .map(|(part, whole)| Share::new(part, whole.or_zero().into()))
            .collect();
        self.completed(function, of_events, Share::new(counts_below, counts))
    }

    /// The self cost of a function and its calls of others.
    fn spent(&self, function: FunctionId) -> Vec<Count> {
        let mut spent = vec![Count::UNDEFINED; self.width];
        for &row in self.places_of.get(function.index()) {
            add_cost(&mut spent, self.side.costs.table.get(row as usize));
        }
        for &row in self.calls_by.get(function.index()).iter().filter(|&&row| !self.is_own(row)) {
            add_cost(&mut spent, self.cost(row));
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
        let of_calls = match (of_calls, of_cost) {
            (Some(share), _) if share != Share::NONE => share,
            (_, Some(of_cost)) => of_cost,
            (Some(share), None) => share,
            (None, None) if self.is_always[function.index()] => Share::ALL,
            (None, None) => Share::NONE,
        };
        let all = of_events.into_iter().map(|share| share.unwrap_or(of_calls));
        all.chain([of_calls]).collect()
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

    /// The rows of places, or of calls, in an order that does not depend on that of reading.
    fn in_order_of<K: Ord>(&self, rows: &[u32], key: impl Fn(u32) -> K) -> Vec<u32> {
        let mut rows = rows.to_vec();
        rows.sort_by_cached_key(|&row| key(row));
        rows
    }

    /// Where a cost is: by file first, so that the parts of a function in a file do not depend on
    /// whether lines were read.
    fn key_of(&self, place: Place) -> (&'p [u8], Division, u32, u64) {
        let at = self.profile.code_place(place);
        (self.profile.file(at.file), at.division, at.line, at.address)
    }

    fn key_of_call(&self, row: u32) -> impl Ord + 'p {
        let call = self.call(row);
        let (file, division, line, address) = self.key_of(call.site);
        let callee = self.profile.function(call.callee);
        let name = (self.profile.name(callee.name), self.profile.file(callee.file));
        (file, division, (name, self.profile.object(callee.object)), (line, address))
    }

    /// Divides the self costs and the calls of a function by its shares.
    fn divide_costs(&mut self, function: FunctionId) {
        let shares = self.shares(function).to_vec();
        if shares.iter().all(|&share| share == Share::NONE) {
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
            let part = divider.next(self.cost(row));
            self.paid_below.add(row as usize, &part);
            let so_far = counts.entry(self.call(row).callee).or_default();
            let before = of_calls.of_calls(*so_far);
            *so_far += self.count(row);
            self.counts_below[row as usize] = of_calls.of_calls(*so_far) - before;
        }
    }

    /// Adds to the largest part of a divided function what rounding the shares of a cycle added or
    /// left out, if it is known what the only chosen function costs.
    fn round_to_cost(&mut self) {
        let Some(only) = self.only.filter(|_| self.cycles.is_some()) else {
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
            let cost = self.side.calls.table.get(row as usize);
            if self.chosen[function.index()] && !self.chosen[self.caller(row).index()] {
                let led = match self.only {
                    Some(only) if self.is_outermost(row, only) => cost.to_vec(),
                    Some(_) => zero_of(cost),
                    None => divider.next(&difference(cost, self.paid_below.get(row as usize))),
                };
                let nested = difference(cost, &led);
                self.paid_below.get_mut(row as usize).copy_from_slice(&nested);
                self.led_below.add(row as usize, &led);
            } else {
                let rest = difference(cost, self.paid_below.get(row as usize));
                let caller = self.graph.component_of(self.caller(row));
                let is_inside = caller == self.graph.component_of(function);
                let divider = if is_inside { &mut divider } else { &mut divider_outside };
                let part = divider.next(&rest);
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
                let own = self.side.costs.table.get(row as usize);
                add_cost(&mut spent, &difference(own, self.places.get(row as usize)));
            }
            for &row in self.calls_by.get(function.index()) {
                let callee = self.call(row).callee;
                if is_chosen(callee) || number(callee) != number(function) {
                    add_cost(&mut led, self.led_below.get(row as usize));
                    let rest = difference(self.cost(row), self.paid_below.get(row as usize));
                    add_cost(&mut spent, &rest);
                }
            }
            for &row in self.calls_of.get(function.index()) {
                if number(self.caller(row)) != number(function) {
                    let rest = difference(self.cost(row), self.paid_below.get(row as usize));
                    add_cost(&mut paid, &rest);
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

    /// The only chosen function, if others are levels of its recursion and it is known which calls
    /// of it are not nested.
    fn find_only(&self) -> Option<FunctionId> {
        let chosen = (0..self.chosen.len() as u32)
            .map(FunctionId)
            .filter(|function| self.chosen[function.index()] && self.is_on_side(*function));
        let mut first = chosen.map(|function| self.graph.outermost_level(function));
        let only = first.next().filter(|&only| first.all(|other| other == only))?;
        let is_known =
            !self.graph.calls_others_that_call_it(only) || self.graph.has_exact_levels(only);
        is_known.then_some(only)
    }

    /// Whether the side has costs or calls of a function; another side may have a function that the
    /// same pattern matches.
    fn is_on_side(&self, function: FunctionId) -> bool {
        let groups = [&self.places_of, &self.calls_by, &self.calls_of];
        groups.iter().any(|rows| !rows.get(function.index()).is_empty())
    }

    /// Whether the only chosen function was not on the stack when it was called.
    fn is_outermost(&self, row: u32, only: FunctionId) -> bool {
        let call = self.call(row);
        call.callee == only && self.graph.is_outermost(call, CallEnd::Callee) != Some(false)
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
            let is_entry = self.chosen[self.call(row).callee.index()]
                && !self.chosen[self.caller(row).index()];
            if is_entry {
                let rest = difference(self.cost(row), self.paid_below.get(row as usize));
                add_cost(&mut paid, &rest);
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
                let rest = difference(self.cost(row), self.paid_below.get(row as usize));
                add_cost(&mut spent, &rest);
                add_cost(&mut led, self.led_below.get(row as usize));
            }
        }
        if led.iter().all(|count| count.or_zero() == 0) {
            return vec![Share::NONE; self.width];
        }
        for &row in self.places_of.get(function.index()) {
            let own = self.side.costs.table.get(row as usize);
            add_cost(&mut spent, &difference(own, self.places.get(row as usize)));
        }
        let mut paid = vec![Count::UNDEFINED; self.width];
        for &row in self.calls_of.get(function.index()) {
            if !self.graph.goes_back(self.graph.arc_of(self.call(row))) {
                let rest = difference(self.cost(row), self.paid_below.get(row as usize));
                add_cost(&mut paid, &rest);
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

    /// Writes the part that is kept.
    fn write(&self, kept: Kept, out: &mut ProfileBuilder) -> Result<KeptCost, AddError> {
        let (profile, side) = (self.profile, self.side);
        let (all, _) = side.total(profile.events());
        let mut cost = KeptCost {
            kept: zero_of(&all),
            exact: zero_of(&all),
            calls: None,
            is_divided: vec![false; all.len()],
            divided: self.divided(),
            has_part: self.has_part(kept),
            all,
        };
        let mut below = cost.kept.clone();
        for (row, &place) in profile.places.iter().enumerate() {
            if !side.costs.has(row) {
                continue;
            }
            let function = profile.fragment(place.fragment).function;
            let (own, part) = (side.costs.table.get(row), self.places.get(row));
            add_cost(&mut below, part);
            let shares = &self.shares(function)[..self.width];
            for (event, (count, &share)) in own.iter().zip(shares).enumerate() {
                if self.is_divided(function, share) && count.or_zero() != 0 {
                    cost.is_divided[event] = true;
                }
            }
            let rest = difference(own, part);
            let (part, is_kept) = match kept {
                Kept::Below => (part, self.has_some(function)),
                Kept::Rest => (&rest[..], !self.has_all(function)),
            };
            if is_kept {
                out.add_cost(place, part)?;
                for ((exact, &count), &share) in cost.exact.iter_mut().zip(part).zip(shares) {
                    if !self.is_divided(function, share) {
                        exact.add(count);
                    }
                }
            }
        }
        for row in 0..profile.calls.len() {
            if side.calls.has(row) {
                self.write_call(row as u32, kept, out)?;
            }
        }
        for (place, skipped) in side.skipped() {
            let function = profile.fragment(place.fragment).function;
            let part = Divider::new(&self.shares(function)[..self.width]).next(skipped);
            match kept {
                Kept::Below if self.has_some(function) => out.add_skipped(place, &part),
                Kept::Rest if !self.has_all(function) => {
                    out.add_skipped(place, &difference(skipped, &part));
                }
                _ => {}
            }
        }
        for (&jump, counts) in profile.jumps.iter().zip(side.jumps.table.iter()) {
            self.write_jump(jump, [counts[0], counts[1]].map(Count::or_zero), kept, out)?;
        }
        cost.kept = match kept {
            Kept::Below => below,
            Kept::Rest => difference(&cost.all, &below),
        };
        out.set_kept(KeptOf { total: cost.kept.clone(), has_levels: self.graph.has_levels() });
        for costs in [&mut cost.kept, &mut cost.exact] {
            profile.events().derive(costs);
        }
        Ok(cost)
    }

    /// By function whether it is an estimate which part of its cost is kept, of any event.
    fn divided(&self) -> Vec<bool> {
        let functions = (0..self.chosen.len() as u32).map(FunctionId);
        let is_divided = |function: FunctionId| {
            let mut shares = self.shares(function).iter();
            shares.any(|&share| self.is_divided(function, share))
        };
        functions.map(is_divided).collect()
    }

    /// By function whether some of it is kept. Without what is below, the callers of a chosen
    /// function are as they were.
    fn has_part(&self, kept: Kept) -> Vec<bool> {
        let functions = (0..self.chosen.len() as u32).map(FunctionId);
        match kept {
            Kept::Below => functions.map(|function| self.has_some(function)).collect(),
            Kept::Rest => vec![true; self.chosen.len()],
        }
    }

    /// Whether some of a function is below.
    fn has_some(&self, function: FunctionId) -> bool {
        self.shares(function).iter().any(|&share| share != Share::NONE)
    }

    /// Whether it is an estimate which part of a function's cost is below. In a cycle a share of
    /// nothing may be a very small one.
    fn is_divided(&self, function: FunctionId, share: Share) -> bool {
        let at = function.index();
        if self.divided_before.get(at) == Some(&true) {
            return true;
        }
        let is_unknown = self.is_reached[at] && !self.is_always[at];
        let may_be_small = is_unknown && self.graph.calls_others_that_call_it(function);
        let is_some = share != Share::NONE && (is_unknown || share != Share::ALL);
        is_some || may_be_small
    }

    fn write_call(&self, row: u32, kept: Kept, out: &mut ProfileBuilder) -> Result<(), AddError> {
        let (call, count, at) = (self.call(row), self.count(row), row as usize);
        let (caller, count_below) = (self.caller(row), self.counts_below[at]);
        let led = self.led_below.get(at);
        let mut below = self.paid_below.get(at).to_vec();
        add_cost(&mut below, led);
        let is_zero = |cost: &[Count]| cost.iter().all(|count| count.or_zero() == 0);
        let enters = self.chosen[call.callee.index()];
        match kept {
            Kept::Below => {
                // A part of no call that cost nothing may be no call.
                let may_be_none = || count_below == 0 && is_zero(&below) && !self.has_all(caller);
                let is_kept = if self.has_some(caller) {
                    enters || !may_be_none()
                } else {
                    enters || !is_zero(led)
                };
                // Only calls of a chosen function, and calls by what is below, are part of what
                // happened below it. Above it, all calls of a function count that led to it.
                let is_counted = enters || !self.has_some(caller) && !self.has_some(call.callee);
                if is_kept {
                    out.add_call(call, if is_counted { count } else { count_below }, &below)?;
                }
            }
            Kept::Rest => {
                let rest = difference(self.cost(row), &below);
                let is_all = is_zero(&rest) && !is_zero(&below);
                if !enters && !self.has_all(caller) && !is_all {
                    out.add_call(call, count - count_below, &rest)?;
                }
            }
        }
        Ok(())
    }

    fn write_jump(
        &self,
        jump: Jump,
        counts: [i64; 2],
        kept: Kept,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let function = self.profile.fragment(jump.site.fragment).function;
        let share = self.shares(function)[self.width];
        let below = counts.map(|count| share.of_calls(count));
        let [taken, executed] = match kept {
            Kept::Below => below,
            Kept::Rest => [counts[0] - below[0], counts[1] - below[1]],
        };
        // A jump that was never executed is where its function is.
        let is_kept = match (counts, kept) {
            ([0, 0], Kept::Below) => self.has_some(function),
            ([0, 0], Kept::Rest) => !self.has_all(function),
            _ => (taken, executed) != (0, 0),
        };
        if is_kept { out.add_jump(jump, taken, executed) } else { Ok(()) }
    }
}

/// Zero of each event that is defined.
fn zero_of(cost: &[Count]) -> Vec<Count> {
    let zero = |count: &Count| count.value().map_or(Count::UNDEFINED, |_| Count::ZERO);
    cost.iter().map(zero).collect()
}
