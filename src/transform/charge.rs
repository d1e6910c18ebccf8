//! Charges functions to their callers: in the new profile their cost is that of the functions and
//! lines that call them.
//!
//! Charged functions that call each other are handled together, as the strongly connected
//! components of the calls among charged functions, callees first. The self cost of a component and
//! the cost that its charged callees handed on go to the calls that enter it, in proportion to
//! their recorded inclusive costs (or to their counts if these are 0), by event, in integers that
//! add up exactly. Calls of functions that are not charged are handed on in the same way and become
//! calls from the component's callers. What no caller paid goes to the function `(start-up)`: the
//! cost of code that nothing called, and what a component spent beyond all calls that enter it, as
//! a thread's first function does, whose caller is recorded with nearly nothing.
//!
//! What the other functions cost with all that they call does not change. It is kept, as the calls
//! do not have it any more: charged functions join functions that never called each other in
//! cycles.
//!
//! Inlined code is charged separately: lines of a charged file go to the row of the function that
//! they were inlined into, and other lines that were inlined into a charged function become a
//! function that it calls.
//!
//! A component could get callers × callees new calls. If these are more than [`MAX_NEW_CALLS`] ×
//! (callers + callees), the calls out of it are split among only the callers that paid most, so
//! that the time stays linear in the profile. Their sums are the same.

mod targets;
mod unpaid;

pub use targets::own_files;

use std::collections::BTreeMap;

use crate::graph::{CallGraph, Groups, components, split};
use crate::profile::{
    AddError, Call, CostTable, Count, Fragment, FragmentId, FunctionId, Jump, LIMIT, Measured,
    Overflow, Place, Profile, ProfileBuilder, SuffixFold, add_cost,
};
use crate::transform::charge::targets::Targets;
use crate::transform::charge::unpaid::Unpaid;

/// The name of the function with the cost of code that nothing called.
const START_UP: &[u8] = b"(start-up)";

/// The maximum number of new calls for each caller and callee of a component.
pub const MAX_NEW_CALLS: usize = 32;

/// The functions and fragments that are charged to their callers.
pub struct ChargedCode {
    pub functions: Vec<bool>,
    /// The cost of a charged fragment of a function that is not charged goes to the function's
    /// fragment in its own file, without a line.
    pub fragments: Vec<bool>,
}

/// The suffixes of names that are folded when costs have been charged or parts have been kept, as
/// only the levels of recursion tell which call paid for what.
#[derive(Clone, Copy, Debug, Default)]
pub struct LateFold {
    pub suffixes: SuffixFold,
    /// Whether the code of folded levels becomes fragments of their own, as when names are folded
    /// while they are read by [`DivideBy::Levels`](crate::profile::DivideBy::Levels).
    pub divides_levels: bool,
}

/// Returns the new profile, and the number of components that exceeded `MAX_NEW_CALLS`.
pub fn charge_to_callers(
    profile: &Profile,
    charged: &ChargedCode,
    fold: LateFold,
) -> Result<(Profile, usize), AddError> {
    let mut builder = profile.builder_with_names();
    let mut limited = 0;
    let targets = Targets::new(profile, charged, fold, &mut builder)?;
    let graphs = CallGraph::of_sides(profile, true);
    builder.add_sides(profile, |builder, side, index| {
        builder.note_charged_calls();
        if let Some(graph) = graphs.get(index) {
            let functions = builder.function_count();
            builder.set_known(targets.known_inclusive(graph, functions));
        }
        limited += Charge::new(profile, side, &targets).run(builder)?;
        Ok(())
    })?;
    Ok((builder.finish(), limited))
}

/// Folds suffixes of names, where nothing is charged.
pub fn fold_suffixes(profile: &Profile, fold: LateFold) -> Result<Profile, AddError> {
    let mut builder = profile.builder_with_names();
    let none = ChargedCode {
        functions: vec![false; profile.function_count()],
        fragments: vec![false; profile.fragments().len()],
    };
    let targets = Targets::new(profile, &none, fold, &mut builder)?;
    builder.add_sides(profile, |builder, side, _| {
        Charge::new(profile, side, &targets).run(builder)?;
        for (place, cost) in side.skipped() {
            if let Some(place) = targets.place(place) {
                builder.add_skipped(place, cost);
            }
        }
        for (&jump, counts) in profile.jumps.iter().zip(side.jumps.table.iter()) {
            if let Some(site) = targets.place(jump.site) {
                let function = targets.of_function[jump.function.index()];
                let [taken, executed] = [counts[0], counts[1]].map(Count::or_zero);
                builder.add_jump(Jump { site, function, ..jump }, taken, executed)?;
            }
        }
        Ok(())
    })?;
    Ok(builder.finish())
}

/// Who some costs of a component are handed on to.
#[derive(Clone, Copy)]
enum Payer {
    /// A call into it.
    Call(u32),
    /// No call: the costs are those that [`Unpaid`] has.
    Nobody,
}

struct Charge<'a> {
    profile: &'a Profile,
    side: &'a Measured,
    targets: &'a Targets,
    component_of: Vec<u32>,
    /// The numbers of the calls into each component from outside.
    into: Groups,
    /// The self cost of each component, and what its callees handed on.
    own: CostTable,
    /// What each component spent beyond what the calls into it cost.
    unpaid: Unpaid,
    callbacks: Vec<Callbacks>,
    limited: usize,
}

impl<'a> Charge<'a> {
    fn new(profile: &'a Profile, side: &'a Measured, targets: &'a Targets) -> Charge<'a> {
        let functions = profile.function_count();
        let is_charged = |function: FunctionId| targets.is_charged[function.index()];
        let calls = &profile.calls;
        // The charged function that makes a call; none if the calling code is not charged.
        let charged_caller = |call: &Call| {
            let is_of_charged = targets.place(call.site).is_none();
            is_of_charged.then(|| profile.fragment(call.site.fragment).function)
        };
        let callers = calls.iter().enumerate().map(|(row, call)| {
            let is_among = side.calls.has(row) && is_charged(call.callee);
            let caller = charged_caller(call).filter(|_| is_among);
            caller.map(|caller| caller.index())
        });
        let out_of = Groups::new(functions, callers);
        let found = components(&out_of, |row| calls[row as usize].callee.0);
        let mut component_of = vec![u32::MAX; functions];
        let mut count = 0;
        for members in found.iter() {
            // A function that is not charged is a component of its own.
            if members.iter().all(|&member| is_charged(FunctionId(member))) {
                let members = members.iter();
                members.for_each(|&member| component_of[member as usize] = count);
                count += 1;
            }
        }
        let component = |function: FunctionId| component_of[function.index()];
        let into = calls.iter().enumerate().map(|(row, call)| {
            let entered = component(call.callee);
            let is_nested = charged_caller(call).map(component) == Some(entered);
            let enters = side.calls.has(row) && is_charged(call.callee) && !is_nested;
            enters.then_some(entered as usize)
        });
        Charge {
            into: Groups::new(count as usize, into),
            own: CostTable::new(side.costs.table.width(), count as usize),
            unpaid: Unpaid::new(profile, side, &component_of, count as usize),
            callbacks: (0..count).map(|_| Callbacks::default()).collect(),
            limited: 0,
            profile,
            side,
            targets,
            component_of,
        }
    }

    /// Adds the costs and calls of the side to a profile. Returns the number of components that
    /// exceeded the limit.
    fn run(mut self, out: &mut ProfileBuilder) -> Result<usize, AddError> {
        self.add_places(out)?;
        self.add_calls(out)?;
        self.add_kept()?;
        for component in 0..self.own.len() {
            self.hand_on(component, out)?;
        }
        Ok(self.limited)
    }

    /// Whether the caller is nested by its level of recursion.
    fn is_from_nested(&self, call: Call) -> bool {
        let caller = self.profile.fragment(call.site.fragment).function;
        call.is_from_nested || self.targets.is_nested[caller.index()]
    }

    fn component(&self, fragment: FragmentId) -> usize {
        let function = self.profile.fragment(fragment).function;
        self.component_of[function.index()] as usize
    }

    fn add_places(&mut self, out: &mut ProfileBuilder) -> Result<(), AddError> {
        for (place, cost) in self.profile.costs_of(self.side) {
            match self.targets.place(place) {
                Some(place) => out.add_cost(place, cost)?,
                None => self.own.add(self.component(place.fragment), cost),
            }
        }
        Ok(())
    }

    fn add_calls(&mut self, out: &mut ProfileBuilder) -> Result<(), AddError> {
        for (call, count, cost) in self.profile.calls_of(self.side) {
            let old = call.callee.index();
            if self.targets.is_charged[old] {
                continue;
            }
            let callee = ChargedCallee {
                function: self.targets.of_function[old],
                is_nested: call.is_nested || self.targets.is_nested[old],
            };
            match self.targets.place(call.site) {
                Some(site) => {
                    let is_from_nested = self.is_from_nested(call);
                    out.add_call(callee.called_from(site, is_from_nested), count, cost)?
                }
                None => {
                    let component = self.component(call.site.fragment);
                    self.callbacks[component].add(callee, with_calls(cost, count));
                }
            }
        }
        Ok(())
    }

    /// Adds calls of uncharged code in charged functions: as many as of these, at the inclusive
    /// cost of the code.
    fn add_kept(&mut self) -> Result<(), AddError> {
        if self.targets.kept.is_empty() {
            return Ok(());
        }
        let (profile, side) = (self.profile, self.side);
        let mut costs = CostTable::new(side.costs.table.width(), profile.fragments().len());
        for (place, cost) in profile.costs_of(side) {
            costs.add(place.fragment.index(), cost);
        }
        let mut calls_of = vec![0i64; profile.function_count()];
        for (call, count, cost) in profile.calls_of(side) {
            calls_of[call.callee.index()] += count;
            let caller = profile.fragment(call.site.fragment).function;
            let component = |function: FunctionId| self.component_of[function.index()];
            if component(caller) != component(call.callee) {
                costs.add(call.site.fragment.index(), cost);
            }
        }
        // A function may be kept in many files, each with all of its calls.
        let mut all_calls = 0u64;
        for &(fragment, new) in &self.targets.kept {
            let cost = costs.get(fragment.index());
            if is_zero(cost) {
                continue;
            }
            let component = self.component(fragment);
            let calls = calls_of[profile.fragment(fragment).function.index()];
            all_calls += calls.unsigned_abs();
            if all_calls > LIMIT {
                return Err(Overflow.into());
            }
            let callee = ChargedCallee { function: new, is_nested: false };
            self.callbacks[component].add(callee, with_calls(cost, calls));
        }
        Ok(())
    }

    /// The calls that enter a component, sorted by names and lines of their sites, so that rounding
    /// does not depend on the order of reading.
    fn calls_into(&self, component: usize) -> Vec<u32> {
        let profile = self.profile;
        let mut rows = self.into.get(component).to_vec();
        rows.sort_by_cached_key(|&row| {
            let Call { site, callee, is_nested, is_from_nested } = profile.calls[row as usize];
            let Fragment { function, file, .. } = profile.fragment(site.fragment);
            let caller = profile.function(function);
            let files = (profile.file(file), profile.file(caller.file));
            let names = (profile.name(caller.name), profile.object(caller.object));
            let callee = profile.name(profile.function(callee).name);
            let levels = (is_nested, is_from_nested);
            ((files, names, site.fragment), profile.line(site), callee, levels)
        });
        rows
    }

    /// Hands on the costs of a component to the calls that enter it.
    fn hand_on(&mut self, component: usize, out: &mut ProfileBuilder) -> Result<(), AddError> {
        let own = self.own.get(component).to_vec();
        let callbacks = std::mem::take(&mut self.callbacks[component]);
        let payers = self.payers(component);
        if let [payer] = payers[..] {
            return self.add_to_payer(payer, &own, callbacks, out);
        }
        let weights = self.weights(component, &payers);
        let parts = parts_of(&own, &weights, payers.len());
        for (&payer, own) in payers.iter().zip(parts) {
            self.add_to_payer(payer, &own, Callbacks::default(), out)?;
        }
        let callers = self.callers_of_callbacks(payers, weights.first(), callbacks.0.len());
        let split = callbacks.split(&self.weights(component, &callers), callers.len());
        for (&payer, callbacks) in callers.iter().zip(split) {
            self.add_to_payer(payer, &[], callbacks, out)?;
        }
        Ok(())
    }

    /// Who the costs of a component are handed on to.
    fn payers(&self, component: usize) -> Vec<Payer> {
        let mut payers: Vec<Payer> =
            self.calls_into(component).into_iter().map(Payer::Call).collect();
        if payers.is_empty() || self.unpaid.of(component).iter().any(|&count| count > 0) {
            payers.push(Payer::Nobody);
        }
        payers
    }

    /// The payers over which the calls out of a component are split: all, or those that paid the
    /// most.
    fn callers_of_callbacks(
        &mut self,
        payers: Vec<Payer>,
        weights: Option<&Vec<i128>>,
        callees: usize,
    ) -> Vec<Payer> {
        let max = MAX_NEW_CALLS * (payers.len() + callees);
        let Some(weights) = weights.filter(|_| payers.len() * callees > max) else {
            return payers;
        };
        self.limited += 1;
        largest(weights, max / callees).into_iter().map(|at| payers[at]).collect()
    }

    /// By event what each payer paid or, if all paid nothing, the counts of their calls.
    fn weights(&self, component: usize, payers: &[Payer]) -> Vec<Vec<i128>> {
        let count = |payer: &Payer| match *payer {
            Payer::Call(row) => self.side.call_counts[row as usize].max(0).into(),
            Payer::Nobody => 0,
        };
        let mut counts: Vec<i128> = payers.iter().map(count).collect();
        if counts.iter().all(|&count| count == 0) {
            counts.fill(1);
        }
        let of_event = |event: usize| {
            let cost = |payer: &Payer| match *payer {
                Payer::Call(row) => {
                    self.side.calls.table.get(row as usize)[event].or_zero().max(0).into()
                }
                Payer::Nobody => self.unpaid.of(component)[event],
            };
            let costs: Vec<i128> = payers.iter().map(cost).collect();
            if costs.iter().any(|&cost| cost > 0) { costs } else { counts.clone() }
        };
        (0..self.side.calls.table.width()).map(of_event).collect()
    }

    /// Adds costs that a component hands on to the site of a call into it, or to the code that
    /// nothing called.
    fn add_to_payer(
        &mut self,
        payer: Payer,
        own: &[Count],
        callbacks: Callbacks,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let (site, is_from_nested) = match payer {
            Payer::Nobody => (self.targets.start_up, false),
            Payer::Call(row) => {
                let call = self.profile.calls[row as usize];
                let Some(site) = self.targets.place(call.site) else {
                    let component = self.component(call.site.fragment);
                    self.own.add(component, own);
                    self.callbacks[component].merge(callbacks);
                    return Ok(());
                };
                (site, self.is_from_nested(call))
            }
        };
        if !is_zero(own) {
            out.add_cost(site, own)?;
        }
        callbacks.add_to(site, is_from_nested, out)
    }
}

/// The indices of this many of the largest weights, in order.
fn largest(weights: &[i128], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(weights[at]));
    order.truncate(count);
    order.sort_unstable();
    order
}

fn is_zero(cost: &[Count]) -> bool {
    cost.iter().all(|count| count.or_zero() == 0)
}

/// A cost with the number of calls as its last count.
fn with_calls(cost: &[Count], calls: i64) -> Vec<Count> {
    [cost, &[Count::new(calls)]].concat()
}

/// Splits a cost by the weights of each event. A number of calls after them is split by the first.
fn parts_of(cost: &[Count], weights: &[Vec<i128>], count: usize) -> Vec<Vec<Count>> {
    let mut parts = vec![vec![Count::UNDEFINED; cost.len()]; count];
    for (event, count) in cost.iter().enumerate() {
        let weights = weights.get(event).or(weights.first());
        let Some((count, weights)) = count.value().zip(weights) else {
            continue;
        };
        for (part, amount) in parts.iter_mut().zip(split(count.into(), weights)) {
            // Fits: no part is larger than the count.
            part[event] = Count::new(amount as i64);
        }
    }
    parts
}

/// Calls of functions that are not charged: by callee their cost, followed by their number.
#[derive(Debug, Default)]
struct Callbacks(BTreeMap<ChargedCallee, Vec<Count>>);

/// The callee of a call in the new profile, before its site is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChargedCallee {
    function: FunctionId,
    is_nested: bool,
}

impl ChargedCallee {
    fn called_from(self, site: Place, is_from_nested: bool) -> Call {
        Call { site, callee: self.function, is_nested: self.is_nested, is_from_nested }
    }
}

impl Callbacks {
    fn add(&mut self, callee: ChargedCallee, cost: Vec<Count>) {
        let known = self.0.entry(callee);
        known.and_modify(|sum| add_cost(sum, &cost)).or_insert(cost);
    }

    /// Adds others: the shorter list to the longer one.
    fn merge(&mut self, mut other: Callbacks) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        let others = other.0.into_iter();
        others.for_each(|(callee, cost)| self.add(callee, cost));
    }

    fn split(self, weights: &[Vec<i128>], count: usize) -> Vec<Callbacks> {
        let mut parts: Vec<Callbacks> = (0..count).map(|_| Callbacks::default()).collect();
        for (callee, cost) in self.0 {
            let costs = parts_of(&cost, weights, count);
            for (part, cost) in parts.iter_mut().zip(costs) {
                if !is_zero(&cost) {
                    part.0.insert(callee, cost);
                }
            }
        }
        parts
    }

    fn add_to(
        self,
        site: Place,
        is_from_nested: bool,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        for (callee, cost) in self.0 {
            if let Some((calls, cost)) = cost.split_last() {
                let call = callee.called_from(site, is_from_nested);
                out.add_call(call, calls.or_zero(), cost)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callers_that_paid_the_most_are_kept_in_their_order() {
        let table: [(&[i128], usize, &[usize]); 4] = [
            (&[5, 9, 1, 9, 7], 3, &[1, 3, 4]),
            (&[5, 9, 1], 1, &[1]),
            // Of equal ones the first.
            (&[4, 4, 4], 2, &[0, 1]),
            (&[4, 5], 9, &[0, 1]),
        ];
        for (weights, count, expected) in table {
            assert_eq!(largest(weights, count), expected, "{weights:?}");
        }
    }
}
