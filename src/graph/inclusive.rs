//! Inclusive costs: the cost spent while a fragment of a row was on the stack, for rows of any kind.
//!
//! For each component (callers first) and event there are two lower bounds, of which the larger is used: what the row's
//! fragments spent, and what callers outside the component paid for the row's functions in it. Neither counts anything
//! twice.
//!
//! A component may be called on behalf of the row itself, via other functions: that part has already been counted and
//! is left out. It is exact if all of an arc is on behalf of the row; if the functions that lead there are called by
//! the row and by others, the profile does not have the amount, and it is estimated in proportion to what the callers
//! paid (`shares`). What a component spent beyond what its callers paid is on behalf of no row: a thread's first
//! function is called at almost no cost. So no row costs less than its self cost, and none more than the program.
//!
//! callgrind_annotate counts nested recursion repeatedly; KCachegrind and gprof find the same cycles, but show for a
//! member only what it spent, the first bound.

use super::estimate::Estimate;
use super::shares::{Part, Shares};
use super::{Arc, ArcId, CallGraph};
use crate::graph::partition::Partition;
use crate::profile::{CostTable, Count, FragmentId, FunctionId, add_cost};

impl CallGraph<'_> {
    /// The inclusive costs of all rows of a partition. In a profile without calls they are the self costs.
    ///
    /// Linear in functions and arcs if the functions of a row do not call each other via other rows; O(rows × arcs) at
    /// worst.
    pub fn inclusive(&self, rows: &Partition<'_>) -> CostTable {
        if self.arcs.is_empty() {
            let fragments = (0..self.own.len() as u32).map(FragmentId);
            let rows_of = fragments.map(|fragment| Some(rows.of_fragment(fragment) as usize));
            return self.own.sum_by(rows.len(), rows_of);
        }
        let mut costs = CostTable::new(self.own.width(), rows.len());
        let mut shares = Shares::new(self, rows);
        let (limits, of_functions) = (self.limits(), self.inclusive_by_function());
        for row in 0..rows.len() as u32 {
            // In a difference, the row may have functions that only the other side has.
            let mut functions = rows.at_home(row).filter(|&f| self.has_function(f));
            let mut inlined = rows.inlined(row).filter(|&f| self.has_fragment(f));
            let first = (functions.next(), inlined.next());
            match (first, functions.next(), inlined.next()) {
                ((Some(function), None), None, _) => {
                    let cost = of_functions.get(function.index());
                    costs.get_mut(row as usize).copy_from_slice(cost);
                }
                ((None, Some(fragment)), _, None) => {
                    self.add_leaving(fragment, costs.get_mut(row as usize));
                }
                _ => {
                    let cost = self.inclusive_of_row(row, rows, &mut shares, &limits);
                    costs.add(row as usize, &cost);
                }
            }
        }
        costs
    }

    /// The inclusive cost of each function as a row of its own: no part of its component is on its own behalf.
    pub fn inclusive_by_function(&self) -> CostTable {
        let functions = self.profile.function_count();
        let counts = |arc: Arc| {
            let (caller, is_paid) = (self.caller(arc), !self.is_nested_arc(arc));
            // What a copy spent is added below to what it is inlined into; other callers exist if that is charged to callers.
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
        for (function, paid) in paid.iter().enumerate() {
            for (spent, &paid) in spent.get_mut(function).iter_mut().zip(paid) {
                *spent = spent.larger(paid);
            }
        }
        spent
    }

    /// The total of each event without negative counts: the maximum for a row of several functions, even if callers
    /// paid more than was spent.
    fn limits(&self) -> Vec<Option<Count>> {
        let (total, _) = self.side.total(self.profile.events());
        let limits = total.into_iter().enumerate().map(|(event, total)| {
            let mut counts = self.own.iter().map(|own| own[event].or_zero());
            let is_limit = total.or_zero() >= 0 && counts.all(|count| count >= 0);
            is_limit.then_some(total)
        });
        limits.collect()
    }

    /// Applies the rule to a row of several fragments.
    fn inclusive_of_row(
        &self,
        row: u32,
        rows: &Partition<'_>,
        shares: &mut Shares<'_, '_>,
        limits: &[Option<Count>],
    ) -> Vec<Count> {
        let parts = parts_of_row(self, rows, row);
        shares.begin_row(row, &parts);
        let width = self.own.width();
        let mut sum = vec![Estimate::NONE; width];
        let (mut own, mut largest) = (vec![Count::UNDEFINED; width], vec![Count::UNDEFINED; width]);
        for part in &parts {
            let entered = shares.of_component(part.component);
            let mut paid = vec![Estimate::NONE; width];
            let mut all_paid = vec![Count::UNDEFINED; width];
            let into = part.functions.iter().flat_map(|&f| self.into(f));
            for (id, arc) in into.filter(|&(_, arc)| self.leaves_component(arc)) {
                let (source, cost) = (shares.source(arc), self.cost(id));
                for (event, (paid, &count)) in paid.iter_mut().zip(cost).enumerate() {
                    paid.add(count, 1.0 - shares.share(source, event));
                }
                add_cost(&mut all_paid, cost);
            }
            let all_spent = self.spent_by_part(part, &mut own);
            let is_whole = part.functions.len() == self.components.get(part.component).len();
            let mut is_paid = vec![true; width];
            for (event, sum) in sum.iter_mut().enumerate() {
                let (all_spent, all_paid) = (all_spent[event], all_paid[event]);
                let bound = all_spent.larger(all_paid);
                largest[event] = largest[event].larger(bound);
                let mut counted = paid[event];
                if !is_whole {
                    let mut spent = Estimate::NONE;
                    spent.add(all_spent, 1.0 - entered[event]);
                    is_paid[event] = counted.exceeds(spent);
                    counted = if is_paid[event] { counted } else { spent };
                } else if all_spent.value().is_some() {
                    counted.add(Count::new(bound.or_zero() - all_paid.or_zero()), 1.0);
                }
                sum.join(counted);
            }
            if !is_whole {
                shares.count(part, &all_spent, &is_paid);
            }
        }
        let least = largest.iter().zip(own);
        let least = least.map(|(largest, own)| largest.larger(own));
        let sums = sum.into_iter().zip(least).zip(limits);
        let counts = sums.map(|((sum, least), &limit)| sum.within(least, limit));
        counts.collect()
    }

    /// What a row's fragments in a component spent. Their self costs are added to `own`.
    fn spent_by_part(&self, part: &Part, own: &mut [Count]) -> Vec<Count> {
        let functions = part.functions.iter();
        let fragments = functions.flat_map(|&function| self.fragments_of(function));
        let mut sum = vec![Count::UNDEFINED; self.own.width()];
        for fragment in fragments.chain(part.inlined.iter().copied()) {
            add_cost(own, self.own(fragment));
            self.add_leaving(fragment, &mut sum);
        }
        sum
    }

    /// Adds what a fragment spent: its self cost and the calls that leave its component.
    pub fn add_leaving(&self, fragment: FragmentId, sum: &mut [Count]) {
        add_cost(sum, self.own(fragment));
        let leaving = self.out_of(fragment);
        for (id, _) in leaving.filter(|&(_, arc)| self.leaves_component(arc)) {
            add_cost(sum, self.cost(id));
        }
    }

    /// Whether this side has costs of a fragment, or calls from it.
    fn has_fragment(&self, fragment: FragmentId) -> bool {
        let own = self.own(fragment).iter();
        self.out_of(fragment).next().is_some() || own.copied().any(|own| own != Count::UNDEFINED)
    }

    /// Whether this side has costs of a function, or calls from it or to it.
    fn has_function(&self, function: FunctionId) -> bool {
        self.into(function).next().is_some()
            || self.fragments_of(function).any(|f| self.has_fragment(f))
    }

    /// Whether an arc leads to another component, whether or not cycles are shown.
    pub(super) fn leaves_component(&self, arc: Arc) -> bool {
        self.component_of(self.caller(arc)) != self.component_of(arc.callee)
    }

    pub(super) fn entering(&self, component: usize) -> impl Iterator<Item = (ArcId, Arc)> {
        let members = self.components.get(component).iter();
        let arcs = members.flat_map(|&member| self.into(FunctionId(member)));
        arcs.filter(|&(_, arc)| self.leaves_component(arc))
    }
}

/// The parts of a row in each component, callers first.
fn parts_of_row(graph: &CallGraph<'_>, rows: &Partition<'_>, row: u32) -> Vec<Part> {
    let at_home = rows.at_home(row);
    let functions: Vec<FunctionId> = match graph.copies {
        None => at_home.collect(),
        // Copies count as part of what they are inlined into if they are in the same component.
        Some(_) => {
            let mut all: Vec<_> = at_home.flat_map(|f| graph.with_copies(f)).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
    };
    let inlined = rows.inlined(row).map(|fragment| {
        let function = graph.profile.fragment(fragment).function;
        (function, Some(fragment))
    });
    let is_other =
        |of: &(FunctionId, _)| graph.copies.is_none() || functions.binary_search(&of.0).is_err();
    let inlined = inlined.filter(is_other);
    let functions = functions.iter().map(|&function| (function, None));
    let mut items: Vec<_> = functions.chain(inlined).collect();
    items.sort_by_key(|&(function, _)| graph.component_of(function));
    let same = |a: &(FunctionId, _), b: &(FunctionId, _)| {
        graph.component_of(a.0) == graph.component_of(b.0)
    };
    let whole = |&(function, part): &(FunctionId, Option<_>)| part.is_none().then_some(function);
    let parts = items.chunk_by(same).map(|items| Part {
        component: graph.component_of(items[0].0),
        functions: items.iter().filter_map(whole).collect(),
        inlined: items.iter().filter_map(|item| item.1).collect(),
    });
    parts.collect()
}
