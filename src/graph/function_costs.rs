//! The inclusive costs of functions: the cost spent while a function was on the stack.
//!
//! The calls of a function by others, and what it spent beyond what they paid (a
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
//! Of a producer that counts the time of a pair of caller and callee once however often it is on
//! the stack, *least* is the most that one pair with the function cost: all of that passed while
//! the function was on the stack. There `back` proves nothing, as calls that are on the stack twice
//! cost once. *Most* is also what the function spent: whenever it is on the stack, its last
//! activation spends itself, or is in a pair with its callee.
//!
//! Between them, the estimate is the mean of *most* and of a number that is mostly too low: if what
//! comes back continues like any other way through the function, one activation that is counted
//! once has `back / entered` nested ones. But outermost activations cost more than nested ones, so
//! that less of what was paid is nested. Where pairs are counted once, a function may spend more
//! than was paid for it although it was always called. It is taken for one that was if another
//! function of its cycle may alone have begun all that nobody called.

use super::estimate::{Estimated, estimate, estimate_between};
use super::members::{Component, Members};
use super::{Arc, CallGraph};
use crate::profile::{Bounds, CostTable, Count, FunctionId, KnownInclusive, add_cost};

/// The inclusive costs of all functions.
pub struct FunctionCosts {
    pub costs: CostTable,
    /// The bounds of the costs that are estimated, by function.
    pub bounds: Vec<Bounds<FunctionId>>,
    /// What each function spent beyond what was paid for all of its calls.
    pub(super) unpaid: CostTable,
}

/// What is known of the cost of a member of a cycle beside its calls.
struct KnownOfMember {
    pairs: Option<PairsOfMember>,
    /// Of a level of recursion that is not the outermost one, what that one costs.
    of_outermost: Option<i64>,
    /// The total, if that is a limit.
    limit: Option<Count>,
}

/// What the pairs of a member with others of its cycle tell, if each cost is the time of the pair.
#[derive(Clone, Copy)]
struct PairsOfMember {
    /// The cost of the most expensive pair, all of which passed while the member was on the stack.
    largest: i64,
    /// Whether another member may alone have begun all that nobody called, and this one may not.
    is_called: bool,
}

/// The pairs of callers and callees in cycles, if each cost is the time of the pair.
struct Pairs<'m> {
    members: &'m Members,
    largest: CostTable,
    /// By component and event whether a member may alone have begun all that nobody called.
    has_first: Vec<Vec<bool>>,
}

impl Pairs<'_> {
    fn new(members: &Members) -> Pairs<'_> {
        let mut pairs = Pairs { members, largest: members.largest_pair(), has_first: Vec::new() };
        for component in &members.components {
            let may_begin =
                |event| component.members.clone().any(|member| pairs.may_begin_all(member, event));
            pairs.has_first.push((0..component.entered.len()).map(may_begin).collect());
        }
        pairs
    }

    /// Whether a member spent so much beyond what was paid for it that it may alone have begun all
    /// that nobody called.
    fn may_begin_all(&self, member: usize, event: usize) -> bool {
        let uncalled = self.members.component(member).uncalled(event);
        self.members.beyond_paid(member, event) >= uncalled
    }

    fn of_member(&self, member: usize, event: usize) -> PairsOfMember {
        let component = self.members.component_of[member] as usize;
        PairsOfMember {
            largest: self.largest.get(member)[event].or_zero(),
            is_called: self.has_first[component][event] && !self.may_begin_all(member, event),
        }
    }
}

impl CallGraph<'_> {
    /// The inclusive cost of each function as a row of its own, calculated once.
    pub fn inclusive_by_function(&self) -> &FunctionCosts {
        self.of_functions.get_or_init(|| {
            let [mut costs, paid] = self.spent_and_paid_for_functions();
            let mut unpaid = costs.clone();
            let limits = self.limits_of_parts();
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
                    if let Some(&Some(limit)) = limits.get(event)
                        && cost.or_zero() > limit.or_zero()
                    {
                        *cost = limit;
                    }
                }
            }
            let bounds = self.add_members(&mut costs);
            let mut found = FunctionCosts { costs, bounds, unpaid };
            if let Some(known) = self.side.known.as_ref().filter(|_| self.has_cycles) {
                self.add_known(known, &mut found);
            }
            found
        })
    }

    /// Replaces costs by those that are known from before calls were changed, which are at least
    /// the self costs.
    fn add_known(&self, known: &KnownInclusive, found: &mut FunctionCosts) {
        let is_known = |function: FunctionId| known.is_known.get(function.index()) == Some(&true);
        for (function, _) in self.profile.functions().filter(|&(function, _)| is_known(function)) {
            let mut own = vec![Count::UNDEFINED; self.own.width()];
            self.fragments_of(function).for_each(|fragment| add_cost(&mut own, self.own(fragment)));
            let cost = found.costs.get_mut(function.index());
            for ((cost, own), &known) in
                cost.iter_mut().zip(own).zip(known.costs.get(function.index()))
            {
                *cost = known.larger(own);
            }
        }
        found.bounds.retain(|bounds| !is_known(bounds.of));
        found.bounds.extend_from_slice(&known.bounds);
        found.bounds.sort_unstable_by_key(|bounds| bounds.of);
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
        let members = &self.members;
        let width = self.own.width();
        let limits = self.limits();
        let mut all_bounds = Vec::new();
        // The outermost level of a function comes before the deeper ones, whose cost it limits.
        let is_cycle = |component: &&Component| component.is_cycle;
        let in_cycles =
            || members.components.iter().filter(is_cycle).flat_map(|of| of.members.clone());
        let exact = in_cycles().filter(|&member| self.levels.is_exact(member));
        let others = in_cycles().filter(|&member| !self.levels.is_exact(member));
        let pairs = self.pairs();
        let mut least = vec![Count::UNDEFINED; width];
        let mut most = vec![Count::UNDEFINED; width];
        for member in exact.chain(others) {
            let function = members.list[member];
            let outermost = self.levels.outermost(function);
            for event in 0..width {
                let of_outermost =
                    outermost.map(|outermost| costs.get(outermost.index())[event].or_zero());
                let known = KnownOfMember {
                    pairs: pairs.as_ref().map(|pairs| pairs.of_member(member, event)),
                    of_outermost,
                    limit: limits[event],
                };
                let mut estimated = self.estimated_member(member, event, &known);
                // What was divided may add up to more than all of the part.
                if let Some(limit) = limits[event].filter(|_| self.side.kept.is_some()) {
                    estimated = estimated.at_most(limit.or_zero().into());
                }
                // Each is at most the sum of all calls and self costs.
                let paid = members.paid.get(member)[event].value();
                let count = |value: i128| match paid.or(members.spent.get(member)[event].value()) {
                    Some(_) => Count::new(value as i64),
                    None => Count::UNDEFINED,
                };
                costs.get_mut(function.index())[event] = count(estimated.shown);
                least[event] = count(estimated.least);
                most[event] = count(estimated.most);
            }
            if least != most {
                let is_mixed = &members.component(member).is_mixed;
                let is_bounded = is_mixed.iter().map(|is_mixed| !is_mixed).collect();
                let (least, most) = (least.clone(), most.clone());
                all_bounds.push(Bounds { of: function, least, most, is_bounded });
            }
        }
        all_bounds.sort_unstable_by_key(|bounds| bounds.of);
        all_bounds
    }

    /// Whether what was recorded for the calls of one function by another is the time of that pair.
    /// What was divided or is of several functions is not.
    pub fn counts_pairs(&self) -> bool {
        self.side.counts_outermost_calls()
            && self.side.kept.is_none()
            && !self.profile.has_rewritten_names()
    }

    /// The pairs of callers and callees, if each cost is the time of one.
    fn pairs(&self) -> Option<Pairs<'_>> {
        self.counts_pairs().then(|| Pairs::new(&self.members))
    }

    /// By member whether a stack may begin with it: for some event it spent more than was paid for
    /// it, and where pairs are counted once, no other member may alone have begun all of that.
    pub(super) fn first_members(&self) -> Vec<bool> {
        let pairs = self.pairs();
        let is_called = |member: usize, event: usize| {
            pairs.as_ref().is_some_and(|pairs| pairs.of_member(member, event).is_called)
        };
        let may_begin = |member: usize| {
            (0..self.own.width())
                .any(|event| self.members.unpaid(member, event) != 0 && !is_called(member, event))
        };
        (0..self.members.list.len()).map(may_begin).collect()
    }

    /// What a member of a cycle costs.
    fn estimated_member(&self, member: usize, event: usize, known: &KnownOfMember) -> Estimated {
        let members = &self.members;
        let component = members.component(member);
        let floor = members.floor(member, event);
        let most_of_total = known.limit.map(|limit| i128::from(limit.or_zero()));
        if component.is_mixed[event] {
            return Estimated { least: floor, shown: floor, most: floor };
        }
        if self.levels.is_exact(member) {
            let paid = members.once(member, event);
            return Estimated { least: paid, shown: paid, most: paid };
        }
        let entered = [most_of_total, known.of_outermost.map(i128::from)]
            .into_iter()
            .flatten()
            .fold(component.entered[event].or_zero().into(), i128::min);
        let whole = members.all(member, event);
        let back = self.back_calls().of_member(member, event);
        let Some(pair) = known.pairs else {
            return estimate(whole, back, entered, floor);
        };
        let [spent, paid] = [&members.spent, &members.paid]
            .map(|costs| i128::from(costs.get(member)[event].or_zero()));
        let most = whole.min(entered).min(spent).max(floor);
        let least = floor.max(pair.largest.into()).min(most);
        let likely = if pair.is_called { most.min(paid).max(least) } else { most };
        let shown = estimate_between([least, likely], whole, back, entered);
        Estimated { least, shown, most }
    }

    /// The limits of a part of a profile whose pairs are counted once: what is left of what callers
    /// paid may be more than all that was spent.
    fn limits_of_parts(&self) -> Vec<Option<Count>> {
        let is_part = self.side.kept.is_some() && self.side.counts_outermost_calls();
        if is_part { self.limits() } else { Vec::new() }
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
}
