//! Inclusive costs: the cost spent while a fragment of a row was on the stack. The one rule for rows of any kind.
//!
//! Component by component, callers first, two lower bounds are known, and the larger one holds, event by event: what the
//! row's fragments spent themselves, with the calls that leave the component, and what callers outside the component paid
//! for the row's functions in it. Neither counts anything twice.
//!
//! A component may be called on behalf of the row itself, by way of other functions: that part has been counted before
//! and is left out. It is exact where all of an arc is on behalf of the row; where both the row and others call what
//! leads there, the profile does not say how much, and it is taken in proportion to what its callers paid (`shares`).
//! What a component spent beyond what its callers paid entered from outside, on behalf of no row: a thread's first
//! function is called for next to nothing. So no row costs less than its self cost, and none more than the program.
//!
//! callgrind_annotate adds nested recursion up again and again; KCachegrind and gprof know the same cycles, and show of a
//! member what it spent with the calls that leave, the first bound, alone.

use super::shares::Shares;
use super::{Arc, ArcId, CallGraph};
use crate::graph::partition::Partition;
use crate::profile::{CostTable, Count, FragmentId, FunctionId, add_cost};

impl CallGraph<'_> {
    /// The inclusive costs of all rows of a partition. In a profile without calls they are the self costs.
    ///
    /// Takes time in proportion to functions and arcs where the functions of a row do not call each other by way of
    /// others. At worst it is rows × arcs.
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
            // Of a difference the row may have functions that only the other side has.
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

    /// The inclusive cost of each function by itself: no part of its component is on its own behalf.
    pub fn inclusive_by_function(&self) -> CostTable {
        let functions = self.profile.function_count();
        let mut spent = CostTable::new(self.own.width(), functions);
        let mut paid = spent.clone();
        for (fragment, own) in self.profile.fragments().iter().zip(self.own.iter()) {
            spent.add(fragment.function.index(), own);
        }
        for (id, arc) in self.arcs() {
            let caller = self.caller(arc);
            if !self.is_nested(caller, arc.callee) {
                let cost = self.cost(id);
                // What a copy spent is added below. Others than its host call it where the host is charged to its callers.
                if self.copies.is_none() || self.profile.inlined_into(arc.callee) != Some(caller) {
                    spent.add(caller.index(), cost);
                }
                paid.add(arc.callee.index(), cost);
            }
        }
        if self.copies.is_some() {
            // A copy comes after what it is inlined into.
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

    /// The total of each event that has no negative count: more than that no row of several functions cost, however much more
    /// callers paid than was spent.
    fn limits(&self) -> Vec<Option<Count>> {
        let (total, _) = self.side.total(self.profile.events());
        let limits = total.into_iter().enumerate().map(|(event, total)| {
            let mut counts = self.own.iter().map(|own| own[event].or_zero());
            let is_limit = total.or_zero() >= 0 && counts.all(|count| count >= 0);
            is_limit.then_some(total)
        });
        limits.collect()
    }

    /// The rule for a row of several fragments.
    fn inclusive_of_row(
        &self,
        row: u32,
        rows: &Partition<'_>,
        shares: &mut Shares<'_, '_>,
        limits: &[Option<Count>],
    ) -> Vec<Count> {
        let parts = parts_of_row(self, rows, row);
        shares.begin_row(row, &parts);
        let mut sum = ExactAndShares::new(self.own.width());
        let mut largest = vec![Count::UNDEFINED; self.own.width()];
        for part in &parts {
            let entered = shares.of_component(part.component);
            let mut paid = ExactAndShares::new(self.own.width());
            let mut all_paid = vec![Count::UNDEFINED; self.own.width()];
            let into = part.functions.iter().flat_map(|&f| self.into(f));
            for (id, arc) in into.filter(|&(_, arc)| self.leaves_component(arc)) {
                let source = shares.source(arc);
                paid.add(self.cost(id), |event| shares.share(source, event));
                add_cost(&mut all_paid, self.cost(id));
            }
            let all_spent = self.spent_by_part(part);
            for (event, largest) in largest.iter_mut().enumerate() {
                let bound = all_spent[event].larger(all_paid[event]);
                *largest = largest.larger(bound);
            }
            if part.functions.len() == self.components.get(part.component).len() {
                paid.add_excess(&all_spent, &all_paid);
                sum.take(&paid, |_| true);
                continue;
            }
            let mut spent = ExactAndShares::new(self.own.width());
            spent.add(&all_spent, |event| entered[event]);
            let is_paid = (0..self.own.width()).map(|event| paid.exceeds(&spent, event));
            let is_paid: Vec<bool> = is_paid.collect();
            sum.take(&spent, |event| !is_paid[event]);
            sum.take(&paid, |event| is_paid[event]);
            shares.count(part, &all_spent, &is_paid);
        }
        let mut sum = sum.finish();
        for (event, sum) in sum.iter_mut().enumerate() {
            if let Some(limit) = limits[event] {
                let limit = limit.larger(largest[event]);
                if sum.or_zero() > limit.or_zero() {
                    *sum = limit;
                }
            }
        }
        sum
    }

    /// What a row's fragments in a component spent, with the calls that leave the component.
    fn spent_by_part(&self, part: &Part) -> Vec<Count> {
        let functions = part.functions.iter();
        let fragments = functions.flat_map(|&function| self.fragments_of(function));
        let mut sum = vec![Count::UNDEFINED; self.own.width()];
        for fragment in fragments.chain(part.inlined.iter().copied()) {
            self.add_leaving(fragment, &mut sum);
        }
        sum
    }

    /// Adds what a fragment spent, with the calls that leave its component.
    fn add_leaving(&self, fragment: FragmentId, sum: &mut [Count]) {
        add_cost(sum, self.own(fragment));
        let leaving = self.out_of(fragment);
        for (id, _) in leaving.filter(|&(_, arc)| self.leaves_component(arc)) {
            add_cost(sum, self.cost(id));
        }
    }

    /// Whether this side has costs or calls of a fragment.
    fn has_fragment(&self, fragment: FragmentId) -> bool {
        let own = self.own(fragment).iter();
        self.out_of(fragment).next().is_some() || own.copied().any(|own| own != Count::UNDEFINED)
    }

    /// Whether this side has costs or calls of a function, or calls it.
    fn has_function(&self, function: FunctionId) -> bool {
        self.into(function).next().is_some()
            || self.fragments_of(function).any(|f| self.has_fragment(f))
    }

    /// Whether an arc leads to another component, be cycles shown or not.
    pub(super) fn leaves_component(&self, arc: Arc) -> bool {
        self.component_of(self.caller(arc)) != self.component_of(arc.callee)
    }

    /// The arcs that lead into a component from others.
    pub(super) fn entering(&self, component: usize) -> impl Iterator<Item = (ArcId, Arc)> {
        let members = self.components.get(component).iter();
        let arcs = members.flat_map(|&member| self.into(FunctionId(member)));
        arcs.filter(|&(_, arc)| self.leaves_component(arc))
    }
}

pub(super) struct Part {
    pub(super) component: usize,
    /// Functions that are at home in the row.
    pub(super) functions: Vec<FunctionId>,
    /// Code of other functions.
    pub(super) inlined: Vec<FragmentId>,
}

/// What a row has in each component, callers first.
fn parts_of_row(graph: &CallGraph<'_>, rows: &Partition<'_>, row: u32) -> Vec<Part> {
    let at_home = rows.at_home(row);
    let functions: Vec<FunctionId> = match graph.copies {
        None => at_home.collect(),
        // Copies count with what they are inlined into where they are in one cycle.
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

/// A sum of counts and of parts of counts.
struct ExactAndShares {
    exact: Vec<Count>,
    shares: Vec<f64>,
}

impl ExactAndShares {
    fn new(width: usize) -> ExactAndShares {
        ExactAndShares {
            exact: vec![Count::UNDEFINED; width],
            shares: vec![0.0; width],
        }
    }

    /// Adds what of `cost` has not been counted before; `share` of it has been.
    fn add(&mut self, cost: &[Count], share: impl Fn(usize) -> f64) {
        for (event, &count) in cost.iter().enumerate() {
            let share = share(event);
            if share == 0.0 {
                self.exact[event].add(count);
            } else if let Some(value) = count.value() {
                self.exact[event].add(Count::ZERO);
                self.shares[event] += value as f64 * (1.0 - share);
            }
        }
    }

    /// Adds what was spent beyond what callers paid, where it is the larger of these two bounds.
    fn add_excess(&mut self, spent: &[Count], paid: &[Count]) {
        for (sum, (&spent, &paid)) in self.exact.iter_mut().zip(spent.iter().zip(paid)) {
            if spent.value().is_some() {
                sum.add(Count::new(spent.larger(paid).or_zero() - paid.or_zero()));
            }
        }
    }

    /// Adds the counts of some events of another sum.
    fn take(&mut self, other: &Self, takes: impl Fn(usize) -> bool) {
        for event in (0..self.exact.len()).filter(|&event| takes(event)) {
            self.exact[event].add(other.exact[event]);
            self.shares[event] += other.shares[event];
        }
    }

    /// Whether this is the larger of two bounds of an event.
    fn exceeds(&self, other: &Self, event: usize) -> bool {
        let (own, others) = (self.exact[event], other.exact[event]);
        if own.value().is_none() || others.value().is_none() {
            return own.value().is_some();
        }
        if (self.shares[event], other.shares[event]) == (0.0, 0.0) {
            return others.larger(own) != others;
        }
        let size = |sum: &Self| (sum.exact[event].or_zero() as f64 + sum.shares[event]).abs();
        size(self) > size(other)
    }

    fn finish(mut self) -> Vec<Count> {
        for (count, share) in self.exact.iter_mut().zip(self.shares) {
            if share != 0.0 {
                count.add(Count::new(share.round() as i64));
            }
        }
        self.exact
    }
}
