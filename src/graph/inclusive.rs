//! Inclusive costs: the cost spent while a fragment of a row was on the stack, for rows of any
//! kind.
//!
//! **Functions.** The calls of a function by others, and what it spent beyond what they paid (a
//! thread's first function is called at almost no cost), are the cost of all its activations. This
//! is its inclusive cost if no activation is within another: outside cycles, and where Callgrind
//! recorded [levels of recursion](super::levels). In other cycles nested activations are counted
//! again in that, and the profile does not say how much they are. There are bounds:
//!
//! - *most*: the cost of all activations, and at most what the cycle cost as a whole.
//! - *least*: the cost of all activations less all calls by which a nested one can be reached. In
//!   the [order](super::order) of functions, a way from a function back to itself has a back call
//!   that spans its place, a call of the function within the cycle, and one by it: the cheapest of
//!   the three sums is called `back`.
//!
//! Between them, the estimate is the mean of *most* and of a number that is mostly too low: if what
//! comes back continues like any other way through the function, one activation that is counted
//! once has `back / entered` nested ones. But outermost activations cost more than nested ones, so
//! that less of what was paid is nested.
//!
//! **Rows of several functions** cost the time that any of them was on the stack. A function may be
//! called on behalf of the row itself, via other functions: that part has already been counted and
//! is left out. It is exact if all of an arc is on behalf of the row; if the functions that lead
//! there are called by the row and by others, the profile does not have the amount, and it is
//! estimated in proportion to what the callers paid ([`Shares`]). In a cycle, the estimate is that
//! of one function which has all code of the row: its calls of itself are left out, and all that
//! others of the cycle paid is the cost of all its activations. Of a function whose levels are
//! recorded, calls that are not nested are on behalf of no other activation of it.
//!
//! So no row costs less than its self cost or than what callers outside its cycle paid, and none
//! more than the program. callgrind_annotate counts nested recursion repeatedly; KCachegrind and
//! gprof show for a member of a cycle only what it spent without the calls within the cycle.

use std::ops::Range;

use super::estimate::{Estimate, estimate_between};
use super::members::Component;
use super::shares::{ShareSource, Shares};
use super::{Arc, CallGraph};
use crate::graph::partition::Partition;
use crate::profile::{CostTable, Count, FragmentId, FunctionId, add_cost};

/// The inclusive costs of all functions.
pub struct FunctionCosts {
    pub costs: CostTable,
    /// The bounds of the costs that are estimated, by function.
    pub bounds: Vec<Bounds<FunctionId>>,
    /// What each function spent beyond what was paid for all of its calls.
    pub(super) unpaid: CostTable,
}

/// The inclusive costs of rows.
pub struct RowCosts {
    pub costs: CostTable,
    /// The bounds of the costs that are estimated in cycles, by row.
    pub bounds: Vec<Bounds<u32>>,
}

/// The lower and upper bounds of an estimated cost, of a function or of a row.
#[derive(Clone, Debug)]
pub struct Bounds<T> {
    pub of: T,
    pub least: Vec<Count>,
    pub most: Vec<Count>,
    /// The events of which the costs have bounds: those without negative counts in the cycle.
    pub is_bounded: Vec<bool>,
}

/// A row with the functions that count with all their code, and the parts of other functions.
pub(super) struct WideRow {
    pub(super) row: u32,
    pub(super) functions: Vec<FunctionId>,
    pub(super) fragments: Vec<FragmentId>,
    /// What is shown at least: the cost of a function of the row may be estimated itself.
    pub(super) floor: Vec<Count>,
}

/// What a row has in one component.
#[derive(Clone, Copy)]
pub(super) struct RowPart<'r> {
    pub(super) component: usize,
    pub(super) functions: &'r [FunctionId],
    pub(super) fragments: &'r [FragmentId],
}

/// The cost of a row of several fragments.
struct RowCost {
    shown: Vec<Count>,
    /// What is shown at least: what the most expensive function is shown to cost, and the larger of
    /// what the row's functions in one component spent and were paid.
    floor: Vec<Count>,
}

/// A number and its proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Estimated {
    least: i128,
    shown: i128,
    most: i128,
}

/// The cost of activations that cost `whole` together, of which calls for `back` can lead to nested
/// ones, in a cycle that was entered for `entered`. The true cost is at least `floor`.
fn estimate(whole: i128, back: i128, entered: i128, floor: i128) -> Estimated {
    let most = whole.min(entered).max(floor);
    let least = (whole - back).max(floor).min(most);
    let shown = estimate_between([least, most], whole, back, entered);
    Estimated { least, shown, most }
}

impl Bounds<FunctionId> {
    /// The bounds of a row that is this function.
    fn of_row(&self, row: u32) -> Bounds<u32> {
        let Bounds { least, most, is_bounded, .. } = self.clone();
        Bounds { of: row, least, most, is_bounded }
    }
}

impl CallGraph<'_> {
    /// The inclusive costs of all rows of a partition. In a profile without calls they are the self
    /// costs.
    ///
    /// Linear in functions and arcs if the functions of a row do not call each other via other
    /// rows; O(rows × arcs) at worst.
    pub fn inclusive(&self, rows: &Partition<'_>) -> RowCosts {
        if self.arcs.is_empty() {
            let fragments = (0..self.own.len() as u32).map(FragmentId);
            let rows_of = fragments.map(|fragment| Some(rows.of_fragment(fragment) as usize));
            return RowCosts { costs: self.own.sum_by(rows.len(), rows_of), bounds: Vec::new() };
        }
        let (RowCosts { mut costs, mut bounds }, wide) =
            self.inclusive_of_rows(rows, 0..rows.len() as u32);
        for (of_row, estimates) in self.bounds_of_rows(rows, &wide, &self.limits()) {
            let shown = costs.get_mut(of_row.of as usize);
            for (event, shown) in shown.iter_mut().enumerate() {
                let [least, most] = [of_row.least[event], of_row.most[event]];
                if shown.value().is_some() && of_row.is_bounded[event] {
                    *shown = estimates.as_ref().map_or(*shown, |estimates| estimates[event]);
                    *shown = if shown.or_zero() < least.or_zero() { least } else { *shown };
                    *shown = if shown.or_zero() > most.or_zero() { most } else { *shown };
                }
            }
            if of_row.least != of_row.most {
                bounds.push(of_row);
            }
        }
        self.add_bounds_of_recursive_parts(rows, &costs, &mut bounds);
        bounds.sort_unstable_by_key(|bounds| bounds.of);
        RowCosts { costs, bounds }
    }

    /// The inclusive costs of the rows in a range, which begins with the first one; and the rows of
    /// it whose bounds are not those of a function.
    pub(super) fn inclusive_of_rows(
        &self,
        rows: &Partition<'_>,
        range: Range<u32>,
    ) -> (RowCosts, Vec<WideRow>) {
        let mut costs = CostTable::new(self.own.width(), range.len());
        let mut bounds = Vec::new();
        let mut wide = Vec::new();
        let has_cycles = self.members.components.iter().any(|component| component.is_cycle);
        let mut shares = Shares::new(self, rows);
        let limits = self.limits();
        for row in range {
            // In a difference, the row may have functions that only the other side has.
            let mut functions = rows.at_home(row).filter(|&f| self.has_function(f));
            let mut inlined = rows.inlined(row).filter(|&f| self.has_fragment(f));
            match (functions.next(), functions.next(), inlined.next(), inlined.next()) {
                (Some(function), None, None, _) => {
                    let cost = self.inclusive_by_function().costs.get(function.index());
                    costs.get_mut(row as usize).copy_from_slice(cost);
                    if let Some(of_function) = self.estimated(function) {
                        bounds.push(of_function.of_row(row));
                    }
                    continue;
                }
                (None, _, Some(fragment), None) => {
                    let cost = self.inclusive_of_fragment(fragment);
                    costs.get_mut(row as usize).copy_from_slice(&cost);
                    if has_cycles {
                        wide.extend(self.wide_row(row, rows, self.own(fragment).to_vec()));
                    }
                }
                _ => {
                    let RowCost { shown, floor } =
                        self.inclusive_of_row(row, rows, &mut shares, &limits);
                    costs.add(row as usize, &shown);
                    if has_cycles {
                        wide.extend(self.wide_row(row, rows, floor));
                    }
                }
            }
        }
        (RowCosts { costs, bounds }, wide)
    }

    /// The inclusive cost of each function as a row of its own, calculated once.
    pub fn inclusive_by_function(&self) -> &FunctionCosts {
        self.of_functions.get_or_init(|| {
            let [mut costs, paid] = self.spent_and_paid_for_functions();
            let mut unpaid = costs.clone();
            for (function, paid) in paid.iter().enumerate() {
                let member = self.members.number(FunctionId(function as u32));
                let of_function = costs.get_mut(function);
                for (event, &paid) in paid.iter().enumerate() {
                    let cost = &mut of_function[event];
                    *cost = cost.larger(paid);
                    let beyond = match member {
                        // At most what was spent.
                        Some(member) => self.members.unpaid(member, event) as i64,
                        None => cost.or_zero() - paid.or_zero(),
                    };
                    let is_defined =
                        beyond != 0 || paid.value().is_none() && cost.value().is_some();
                    unpaid.get_mut(function)[event] =
                        if is_defined { Count::new(beyond) } else { Count::UNDEFINED };
                }
            }
            let bounds = self.add_members(&mut costs);
            FunctionCosts { costs, bounds, unpaid }
        })
    }

    /// The bounds of the inclusive cost of a function, if it is estimated.
    pub(super) fn estimated(&self, function: FunctionId) -> Option<&Bounds<FunctionId>> {
        let bounds = &self.inclusive_by_function().bounds;
        let at = bounds.binary_search_by_key(&function, |bounds| bounds.of).ok()?;
        bounds.get(at)
    }

    /// What each function spent, and what other functions paid for it. Calls within its component
    /// are left out: they are those of a function and copies that are inlined into it, or the
    /// function is a member of a cycle.
    fn spent_and_paid_for_functions(&self) -> [CostTable; 2] {
        let functions = self.profile.function_count();
        let counts = |arc: Arc| {
            let caller = self.caller(arc);
            let is_paid = !self.is_inner(caller, arc.callee);
            // What a copy spent is added below to what it is inlined into; other callers exist if
            // that is charged to callers.
            let is_copy =
                || self.copies.is_some() && self.profile.inlined_into(arc.callee) == Some(caller);
            [is_paid && !is_copy(), is_paid]
        };
        let [mut spent, paid] = self.spent_and_paid(functions, FunctionId::index, counts);
        if self.copies.is_some() {
            // A copy comes after the function or copy that it is inlined into.
            for function in (0..functions as u32).rev().map(FunctionId) {
                if let Some(into) = self.profile.inlined_into(function) {
                    let cost = spent.get(function.index()).to_vec();
                    spent.add(into.index(), &cost);
                }
            }
        }
        [spent, paid]
    }

    /// Sets the costs of members of cycles. Returns the bounds of those that are estimated.
    fn add_members(&self, costs: &mut CostTable) -> Vec<Bounds<FunctionId>> {
        let (members, width) = (&self.members, self.own.width());
        let limits = self.limits();
        let mut all_bounds = Vec::new();
        // The outermost level of a function comes before the deeper ones, whose cost it limits.
        let is_cycle = |component: &&Component| component.is_cycle;
        let in_cycles =
            || members.components.iter().filter(is_cycle).flat_map(|of| of.members.clone());
        let exact = in_cycles().filter(|&member| self.levels.is_exact(member));
        let others = in_cycles().filter(|&member| !self.levels.is_exact(member));
        let mut least = vec![Count::UNDEFINED; width];
        let mut most = vec![Count::UNDEFINED; width];
        for member in exact.chain(others) {
            let (function, component) = (members.list[member], members.component(member));
            let outermost = self.levels.outermost(function);
            for event in 0..width {
                let (paid, spent) =
                    (members.paid.get(member)[event], members.spent.get(member)[event]);
                let floor = members.floor(member, event);
                let limit = limits[event].map(|limit| i128::from(limit.or_zero()));
                let estimated = if component.is_mixed[event] {
                    Estimated { least: floor, shown: floor, most: floor }
                } else if self.levels.is_exact(member) {
                    let paid = members.once(member, event);
                    // Costs that were divided may add up to more than the total.
                    let limit = limit.filter(|_| self.side.kept.is_some());
                    let once = limit.map_or(paid, |limit| paid.min(limit.max(floor)));
                    Estimated { least: once, shown: once, most: once }
                } else {
                    let mut entered = i128::from(component.entered[event].or_zero());
                    entered = limit.unwrap_or(entered).min(entered);
                    if let Some(outermost) = outermost {
                        let cost = costs.get(outermost.index())[event].or_zero();
                        entered = entered.min(cost.into());
                    }
                    let whole = members.all(member, event);
                    estimate(whole, self.back_calls().of_member(member, event), entered, floor)
                };
                // Each is at most the sum of all calls and self costs.
                let count = |value: i128| match paid.value().or(spent.value()) {
                    Some(_) => Count::new(value as i64),
                    None => Count::UNDEFINED,
                };
                costs.get_mut(function.index())[event] = count(estimated.shown);
                least[event] = count(estimated.least);
                most[event] = count(estimated.most);
            }
            if least != most {
                let is_bounded = component.is_mixed.iter().map(|is_mixed| !is_mixed).collect();
                let (least, most) = (least.clone(), most.clone());
                all_bounds.push(Bounds { of: function, least, most, is_bounded });
            }
        }
        all_bounds.sort_unstable_by_key(|bounds| bounds.of);
        all_bounds
    }

    /// The total of each event without negative counts: the maximum for a row of several functions,
    /// even if callers paid more than was spent.
    pub(super) fn limits(&self) -> Vec<Option<Count>> {
        let (total, _) = self.side.total(self.profile.events());
        let limits = total.into_iter().enumerate().map(|(event, total)| {
            let mut counts = self.own.iter().map(|own| own[event].or_zero());
            let is_limit = total.or_zero() >= 0 && counts.all(|count| count >= 0);
            is_limit.then_some(total)
        });
        limits.collect()
    }

    /// The cost of a part of a function's code: its own lines and the calls made there, but none
    /// that is part of another one. In a cycle it is estimated like that of a function.
    fn inclusive_of_fragment(&self, fragment: FragmentId) -> Vec<Count> {
        let function = self.profile.fragment(fragment).function;
        let is_once = self.is_never_nested(function);
        let mut sum = self.own(fragment).to_vec();
        for (id, arc) in self.out_of(fragment) {
            let is_part =
                if is_once { self.is_own_call(function, arc.callee) } else { self.goes_back(arc) };
            if !is_part {
                add_cost(&mut sum, self.cost(id));
            }
        }
        if !is_once && self.is_in_cycle(function) {
            self.estimate_fragment(fragment, &mut sum);
        }
        if self.members.number(function).is_some() {
            let whole = self.inclusive_by_function().costs.get(function.index());
            for ((sum, &whole), own) in sum.iter_mut().zip(whole).zip(self.own(fragment)) {
                if sum.or_zero() > whole.or_zero() && whole.or_zero() >= own.or_zero() {
                    *sum = whole;
                }
            }
        }
        sum
    }

    /// Estimates the cost of a part of a function's code, for events without negative counts there.
    fn estimate_fragment(&self, fragment: FragmentId, cost: &mut [Count]) {
        let function = self.profile.fragment(fragment).function;
        let member = self.members.number(function);
        let (mut least, mut all) = (self.own(fragment).to_vec(), self.own(fragment).to_vec());
        let mut is_negative = vec![false; all.len()];
        for (id, arc) in self.out_of(fragment) {
            add_cost(&mut all, self.cost(id));
            if self.leaves_component(arc) {
                add_cost(&mut least, self.cost(id));
            }
            for (is_negative, count) in is_negative.iter_mut().zip(self.cost(id)) {
                *is_negative |= count.or_zero() < 0;
            }
        }
        let entered = match member {
            Some(member) => &self.members.component(member).entered[..],
            None => self.inclusive_by_function().costs.get(function.index()),
        };
        for (event, cost) in cost.iter_mut().enumerate() {
            let own = self.own(fragment)[event].or_zero();
            let is_mixed = member.is_some_and(|at| self.members.component(at).is_mixed[event]);
            if cost.value().is_some() && own >= 0 && !is_mixed && !is_negative[event] {
                let [all, least, entered] =
                    [all[event], least[event], entered[event]].map(|sum| sum.or_zero().into());
                *cost = Count::new(estimate(all, all - least, entered, least).shown as i64);
            }
        }
    }

    /// Whether it is known of a function that is in a component with others that it has one
    /// activation on the stack at most, which makes all of its calls.
    pub(super) fn is_never_nested(&self, function: FunctionId) -> bool {
        self.members.number(function).is_some_and(|member| {
            let nested = self.members.nested.get(member).iter();
            self.levels.is_exact(member) && nested.copied().all(|count| count.or_zero() == 0)
        })
    }

    /// Applies the rule to a row of several fragments.
    fn inclusive_of_row(
        &self,
        row: u32,
        rows: &Partition<'_>,
        shares: &mut Shares<'_, '_>,
        limits: &[Option<Count>],
    ) -> RowCost {
        let mut functions: Vec<FunctionId> = rows.at_home(row).collect();
        let mut inlined: Vec<FragmentId> = rows.inlined(row).collect();
        shares.begin_row(row, &functions, &inlined);
        let width = self.own.width();
        let of_functions = &self.inclusive_by_function().costs;
        let mut sum = vec![Estimate::NONE; width];
        let (mut own, mut largest) = (vec![Count::UNDEFINED; width], vec![Count::UNDEFINED; width]);
        for &function in &functions {
            self.fragments_of(function).for_each(|fragment| add_cost(&mut own, self.own(fragment)));
            let cost = of_functions.get(function.index());
            for (largest, &cost) in largest.iter_mut().zip(cost) {
                *largest = largest.larger(cost);
            }
        }
        inlined.iter().for_each(|&fragment| add_cost(&mut own, self.own(fragment)));
        // `f'2` is on the stack only while `f` is.
        let is_within_other = |function: FunctionId| {
            let outermost = self.levels.outermost(function);
            outermost.is_some_and(|outermost| rows.counts_whole(outermost, row))
        };
        let mut of_function = sum.clone();
        for part in self.parts(&mut functions, &mut inlined) {
            // As most are: what it spent and what was paid for it is its cost, which is known.
            if let RowPart { functions: &[function], fragments: [], .. } = part
                && self.members.number(function).is_none()
                && self.copies.is_none()
            {
                if !is_within_other(function) {
                    of_function.fill(Estimate::NONE);
                    self.add_paid_for_others(function, shares, &mut of_function);
                    sum.iter_mut().zip(&of_function).for_each(|(sum, &cost)| sum.join(cost));
                }
                continue;
            }
            for bound in self.bounds_of_part(part.functions) {
                for (largest, count) in largest.iter_mut().zip(bound) {
                    *largest = largest.larger(count);
                }
            }
            let mut outermost = part.functions.to_vec();
            outermost.retain(|&function| !is_within_other(function));
            let (joined, alone) = if self.are_joined(&outermost, part.fragments) {
                (part.fragments, &[][..])
            } else {
                (&[][..], part.fragments)
            };
            if !outermost.is_empty() || !joined.is_empty() {
                let part = RowPart { functions: &outermost, fragments: joined, ..part };
                let costs = self.inclusive_of_part(part, shares);
                sum.iter_mut().zip(costs).for_each(|(sum, cost)| sum.join(cost));
            }
            for &fragment in alone {
                let source = shares.source_of(self.profile.fragment(fragment).function);
                let cost = self.inclusive_of_fragment(fragment);
                for (event, (sum, count)) in sum.iter_mut().zip(cost).enumerate() {
                    sum.add(count, 1.0 - shares.share(source, event));
                }
            }
        }
        let floor: Vec<Count> =
            largest.iter().zip(own).map(|(largest, own)| largest.larger(own)).collect();
        let sums = sum.into_iter().zip(&floor).zip(limits);
        let shown = sums.map(|((sum, &floor), &limit)| sum.within(floor, limit)).collect();
        RowCost { shown, floor }
    }

    /// The code of a row by component, which puts its functions and its parts of others into that
    /// order.
    pub(super) fn parts<'r>(
        &self,
        functions: &'r mut [FunctionId],
        fragments: &'r mut [FragmentId],
    ) -> impl Iterator<Item = RowPart<'r>> {
        let of_function = |function: &FunctionId| self.component_of(*function);
        let of_fragment =
            |fragment: &FragmentId| self.component_of(self.profile.fragment(*fragment).function);
        functions.sort_by_key(of_function);
        fragments.sort_by_key(of_fragment);
        let (mut functions, mut fragments) = (&*functions, &*fragments);
        std::iter::from_fn(move || {
            let first = [functions.first().map(of_function), fragments.first().map(of_fragment)];
            let component = first.into_iter().flatten().min()?;
            let is_function_here = |function: &&FunctionId| of_function(function) == component;
            let is_fragment_here = |fragment: &&FragmentId| of_fragment(fragment) == component;
            let here = (
                functions.iter().take_while(is_function_here).count(),
                fragments.iter().take_while(is_fragment_here).count(),
            );
            Some(RowPart {
                component,
                functions: functions.split_off(..here.0).unwrap_or_default(),
                fragments: fragments.split_off(..here.1).unwrap_or_default(),
            })
        })
    }

    /// Whether functions of a row, and parts of others in the same component, are on the stack
    /// together, so that their costs do not add up.
    fn are_joined(&self, functions: &[FunctionId], fragments: &[FragmentId]) -> bool {
        let first = fragments.first().map(|&fragment| self.profile.fragment(fragment).function);
        let member = first.and_then(|function| self.members.number(function));
        let component = member.map(|member| self.members.component(member));
        functions.len() + fragments.len() > 1
            && component.is_some_and(|of| of.is_cycle && !of.is_mixed.contains(&true))
    }

    /// What functions of a component spent there and outside of it, and what callers outside paid.
    fn bounds_of_part(&self, functions: &[FunctionId]) -> [Vec<Count>; 2] {
        let mut spent = vec![Count::UNDEFINED; self.own.width()];
        let mut paid = spent.clone();
        for &function in functions {
            for fragment in self.fragments_of(function) {
                add_cost(&mut spent, self.own(fragment));
                let leaving = self.out_of(fragment).filter(|&(_, arc)| self.leaves_component(arc));
                leaving.for_each(|(id, _)| add_cost(&mut spent, self.cost(id)));
            }
            let entering = self.into(function).filter(|&(_, arc)| self.leaves_component(arc));
            entering.for_each(|(id, _)| add_cost(&mut paid, self.cost(id)));
        }
        [spent, paid]
    }

    /// Adds what a function costs on behalf of others than the row, if it is in no component with
    /// others.
    fn add_paid_for_others(
        &self,
        function: FunctionId,
        shares: &Shares<'_, '_>,
        whole: &mut [Estimate],
    ) {
        let unpaid = self.inclusive_by_function().unpaid.get(function.index());
        for (event, &unpaid) in unpaid.iter().enumerate() {
            whole[event].add(unpaid, 1.0);
        }
        for (id, arc) in self.into(function).filter(|&(_, arc)| self.is_counted(arc)) {
            let source = shares.source(arc);
            for (event, &count) in self.cost(id).iter().enumerate() {
                whole[event].add(count, 1.0 - shares.share(source, event));
            }
        }
    }

    /// Whether the calls of an arc begin activations whose cost counts: those that are nested by
    /// their level do not, but those of copies are no levels.
    fn is_counted(&self, arc: Arc) -> bool {
        !arc.is_nested || self.profile.is_inlined(arc.callee)
    }

    /// What a row's code in one component costs on behalf of others, by event. Parts of functions
    /// are only in cycles.
    fn inclusive_of_part(&self, part: RowPart<'_>, shares: &Shares<'_, '_>) -> Vec<Estimate> {
        let (members, width) = (&self.members, self.own.width());
        let mut whole = vec![Estimate::NONE; width];
        let numbers: Option<Vec<usize>> =
            part.functions.iter().map(|&function| members.number(function)).collect();
        let Some(mut numbers) = numbers else {
            for &function in part.functions {
                self.add_paid_for_others(function, shares, &mut whole);
            }
            return whole;
        };
        let one = part.fragments.is_empty().then_some(&numbers[..]);
        let entered_for_others = self.part_entered_for_others(one, shares);
        let (mut from_outside, mut from_inside) = (whole.clone(), whole.clone());
        let mut forward = vec![Count::UNDEFINED; width];
        let first = part.functions.iter().map(|&function| self.place(function)).min();
        let unpaid = &self.inclusive_by_function().unpaid;
        for &function in part.functions {
            for (whole, &unpaid) in whole.iter_mut().zip(unpaid.get(function.index())) {
                whole.add(unpaid, 1.0);
            }
            for (id, arc) in self.into(function).filter(|&(_, arc)| self.is_counted(arc)) {
                let source = shares.source(arc);
                let is_outside = self.leaves_component(arc);
                let is_by_row = matches!(source, ShareSource::All);
                let from = if is_outside { &mut from_outside } else { &mut from_inside };
                if !is_outside
                    && !is_by_row
                    && !self.goes_back(arc)
                    && Some(self.place(self.caller(arc))) > first
                {
                    add_cost(&mut forward, self.cost(id));
                }
                for (event, &count) in self.cost(id).iter().enumerate() {
                    let share = match &entered_for_others {
                        Some(of_cycle) if !is_outside => of_cycle[event],
                        None if !is_outside && !is_by_row => 1.0,
                        _ => 1.0 - shares.share(source, event),
                    };
                    whole[event].add(count, share);
                    from[event].add(count, share);
                }
            }
        }
        if entered_for_others.is_some() {
            return whole;
        }
        numbers.sort_unstable();
        let mut out_of = vec![Count::UNDEFINED; width];
        for &fragment in part.fragments {
            whole.iter_mut().zip(self.own(fragment)).for_each(|(whole, &own)| whole.add(own, 1.0));
            for (id, arc) in self.out_of(fragment) {
                let cost = self.cost(id);
                whole.iter_mut().zip(cost).for_each(|(whole, &count)| whole.add(count, 1.0));
                if !self.leaves_component(arc) {
                    add_cost(&mut out_of, cost);
                }
            }
        }
        let fragment = part.fragments.first();
        let function = fragment.map(|&fragment| self.profile.fragment(fragment).function);
        let first = numbers.first().copied().or(function.and_then(|of| members.number(of)));
        let Some(component) = first.map(|member| members.component(member)) else {
            return whole;
        };
        let entered = self.entered_for_others(component, shares);
        for event in 0..width {
            let mut floor = from_outside[event];
            if component.is_mixed[event] || !shares.can_come_back() {
                let leaving = numbers.iter().map(|&member| members.leaving.get(member)[event]);
                let mut spent = Estimate::NONE;
                leaving.for_each(|count| spent.add(count, 1.0));
                floor = if floor.exceeds(spent) { floor } else { spent };
            }
            whole[event] = if component.is_mixed[event] {
                floor
            } else {
                // No more comes back than what was paid on behalf of others, or is called by parts
                // of functions.
                let forward = forward[event].or_zero().into();
                let back = self.back_calls().of_members(self, &numbers, forward, event) as f64;
                let of_functions = back.min(from_inside[event].value());
                let back = of_functions + out_of[event].or_zero() as f64;
                whole[event].counted_once(back, entered[event], floor)
            };
        }
        whole
    }

    /// The part of what a cycle cost that it was entered for by others than the row, by event, if
    /// the only one of the row's functions there, by its number, has exact costs. That function is
    /// not on the stack when a call of it that is not nested begins: so also of such calls within
    /// the cycle only what others of the row entered it for has been counted.
    fn part_entered_for_others(
        &self,
        numbers: Option<&[usize]>,
        shares: &Shares<'_, '_>,
    ) -> Option<Vec<f64>> {
        let &[one] = numbers? else {
            return None;
        };
        if !self.levels.is_exact(one) {
            return None;
        }
        let component = self.members.component(one);
        let entered = self.entered_for_others(component, shares).into_iter();
        let parts = entered.zip(&component.entered).map(|(for_others, entered)| {
            let whole = entered.or_zero() as f64;
            if whole == 0.0 { 1.0 } else { (for_others.value() / whole).clamp(0.0, 1.0) }
        });
        Some(parts.collect())
    }

    /// What a component cost on behalf of others than the row, by event.
    fn entered_for_others(&self, component: &Component, shares: &Shares<'_, '_>) -> Vec<Estimate> {
        let mut entered: Vec<Estimate> = component
            .entered
            .iter()
            .map(|&count| {
                let mut all = Estimate::NONE;
                all.add(count, 1.0);
                all
            })
            .collect();
        if !shares.can_come_back() {
            return entered;
        }
        for &id in &component.entering {
            let source = shares.source(self.arcs[id.index()]);
            for (event, &count) in self.cost(id).iter().enumerate() {
                entered[event].subtract(count, shares.share(source, event));
            }
        }
        entered
    }

    /// Whether this side has costs of a fragment, or calls from it.
    pub(super) fn has_fragment(&self, fragment: FragmentId) -> bool {
        let own = self.own(fragment).iter();
        self.out_of(fragment).next().is_some() || own.copied().any(|own| own != Count::UNDEFINED)
    }

    /// Whether this side has costs of a function, or calls from it or to it.
    pub(super) fn has_function(&self, function: FunctionId) -> bool {
        self.into(function).next().is_some()
            || self.fragments_of(function).any(|f| self.has_fragment(f))
    }

    /// Whether an arc leads to another component, whether or not cycles are shown.
    pub(super) fn leaves_component(&self, arc: Arc) -> bool {
        self.component_of(self.caller(arc)) != self.component_of(arc.callee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_between_its_bounds() {
        // Paid for all activations, what can come back, what entered the cycle, the floor; then the
        // bounds and the estimate.
        let table = [
            // Nothing comes back: each activation counts once.
            ([100, 0, 100, 0], [100, 100, 100]),
            // Of a ring: the function that is entered from outside, and the other one.
            ([550, 450, 100, 100], [100, 100, 100]),
            ([500, 450, 100, 50], [50, 95, 100]),
            // A rare call that closes a cycle.
            ([99_020, 120, 100_130, 9_000], [98_900, 98_960, 99_020]),
            // What was spent is more than what was paid: the callers' costs were not recorded.
            ([10, 5, 100, 40], [40, 40, 40]),
            ([0, 0, 0, 0], [0, 0, 0]),
            // No product overflows.
            ([1 << 61, 1 << 61, 1 << 61, 0], [0, 3 << 59, 1 << 61]),
        ];
        for ([whole, back, entered, floor], [least, shown, most]) in table {
            let found = estimate(whole, back, entered, floor);
            assert_eq!(found, Estimated { least, shown, most }, "{whole} {back} {entered}");
        }
    }
}
