//! The inclusive costs of rows: the cost spent while a fragment of a row was on the stack, for rows
//! of any kind. A row of one function costs what the [function](super::function_costs) does.
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

use super::CallGraph;
use super::estimate::Estimate;
use super::row_part::{RowPart, WideRow};
use super::shares::Shares;
use crate::graph::partition::Partition;
use crate::profile::{Bounds, CostTable, Count, FragmentId, FunctionId, add_cost};

/// The inclusive costs of rows.
pub struct RowCosts {
    pub costs: CostTable,
    /// The bounds of the costs that are estimated in cycles, by row.
    pub bounds: Vec<Bounds<u32>>,
}

/// The cost of a row of several fragments.
struct RowCost {
    shown: Vec<Count>,
    /// What is shown at least: what the most expensive function is shown to cost, and the larger of
    /// what the row's functions in one component spent and were paid.
    floor: Vec<Count>,
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
        let of_levels = self.add_code_of_levels(rows, &mut costs);
        let is_other = |bounds: &Bounds<u32>| {
            of_levels.binary_search_by_key(&bounds.of, |of_row| of_row.of).is_err()
        };
        bounds.retain(is_other);
        bounds.extend(of_levels);
        self.add_bounds_of_recursive_parts(rows, &costs, &mut bounds);
        bounds.retain(|bounds| bounds.least != bounds.most);
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
        let (own, mut largest) = self.own_and_largest(&functions, &inlined);
        let mut sum = vec![Estimate::NONE; self.own.width()];
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
                && self.is_without_copies(function)
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
            self.add_part(RowPart { functions: &outermost, ..part }, shares, &mut sum);
        }
        let floor: Vec<Count> =
            largest.iter().zip(own).map(|(largest, own)| largest.larger(own)).collect();
        let sums = sum.into_iter().zip(&floor).zip(limits);
        let shown = sums.map(|((sum, &floor), &limit)| sum.within(floor, limit)).collect();
        RowCost { shown, floor }
    }
    /// The self cost of a row, and what the most expensive one of its functions costs.
    fn own_and_largest(
        &self,
        functions: &[FunctionId],
        inlined: &[FragmentId],
    ) -> (Vec<Count>, Vec<Count>) {
        let mut own = vec![Count::UNDEFINED; self.own.width()];
        let mut largest = own.clone();
        let of_functions = &self.inclusive_by_function().costs;
        for &function in functions {
            self.fragments_of(function).for_each(|fragment| add_cost(&mut own, self.own(fragment)));
            let cost = of_functions.get(function.index());
            for (largest, &cost) in largest.iter_mut().zip(cost) {
                *largest = largest.larger(cost);
            }
        }
        inlined.iter().for_each(|&fragment| add_cost(&mut own, self.own(fragment)));
        (own, largest)
    }

    /// Adds what a row has in one component to its cost: outermost functions, and parts of others.
    fn add_part(&self, part: RowPart<'_>, shares: &Shares<'_, '_>, sum: &mut [Estimate]) {
        let (joined, alone) = if self.are_joined(part.functions, part.fragments) {
            (part.fragments, &[][..])
        } else {
            (&[][..], part.fragments)
        };
        if !part.functions.is_empty() || !joined.is_empty() {
            let costs = self.inclusive_of_part(RowPart { fragments: joined, ..part }, shares);
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
}
