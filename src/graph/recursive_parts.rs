//! Bounds of rows that have only a part of the code of a function that calls itself, such as a
//! line.
//!
//! A call of a function by itself adds nothing to the cost of the function, but a line that makes
//! the call costs what it leads to. Where levels of recursion are apart, the outermost activation
//! `f` calls `f'2` and not itself, and what a line of `f` paid for `f'2` is its cost. What is left
//! are the activations that were entered from other rows: of what they cost, the part that was
//! spent below the line is not known. It is at most what they cost, and at most the self cost and
//! all calls of the line; and the row costs at most what its functions do.

use hashbrown::{HashMap, HashSet};

use super::CallGraph;
use crate::graph::partition::Partition;
use crate::profile::{Bounds, CostTable, Count, FragmentId, FunctionId, add_cost, difference};

/// What is known of a row with a part of a function that calls itself.
struct RecursivePart {
    /// What the row costs at least: its self cost, or what some of its code costs by itself.
    own: Vec<Count>,
    of_outermost: Vec<Count>,
    /// What it may cost beyond what is shown.
    beyond: Vec<Count>,
    functions: HashSet<FunctionId>,
}

impl CallGraph<'_> {
    /// Adds the bounds of such rows, if they have none yet: those of rows in cycles are proven.
    pub(super) fn add_bounds_of_recursive_parts(
        &self,
        rows: &Partition<'_>,
        costs: &CostTable,
        bounds: &mut Vec<Bounds<u32>>,
    ) {
        let parts = self.recursive_parts(rows);
        if parts.is_empty() {
            return;
        }
        let limits = self.limits();
        let known: HashSet<u32> = bounds.iter().map(|bounds| bounds.of).collect();
        for (row, part) in parts {
            let shown = costs.get(row as usize);
            let of_functions = self.cost_of_functions(&part.functions);
            let mut of_row = Bounds {
                of: row,
                least: shown.to_vec(),
                most: shown.to_vec(),
                is_bounded: limits.iter().map(Option::is_some).collect(),
            };
            for (event, &count) in shown.iter().enumerate() {
                let Some((shown, limit)) = count.value().zip(limits[event]) else {
                    continue;
                };
                let least = part.own[event].or_zero().max(part.of_outermost[event].or_zero());
                let most = shown
                    .saturating_add(part.beyond[event].or_zero())
                    .min(of_functions[event].or_zero())
                    .min(limit.or_zero());
                of_row.least[event] = Count::new(least.min(shown));
                of_row.most[event] = Count::new(most.max(shown));
            }
            if of_row.least != of_row.most && !known.contains(&row) {
                bounds.push(of_row);
            }
        }
    }

    /// By row what is known of the parts of functions that call themselves, if some of these were
    /// entered from other rows.
    fn recursive_parts(&self, rows: &Partition<'_>) -> HashMap<u32, RecursivePart> {
        let (functions, width) = (self.profile.function_count(), self.own.width());
        let mut calls_itself = vec![false; functions];
        let mut parts: HashMap<u32, RecursivePart> = HashMap::new();
        for (_, arc) in self.arcs() {
            let caller = self.caller(arc);
            calls_itself[caller.index()] |= caller == arc.callee;
        }
        let fragments = || {
            let all = self.profile.fragments_with_ids();
            all.map(|(id, fragment)| (id, fragment.function, rows.of_fragment(id)))
        };
        let of_recursive: Vec<(FragmentId, FunctionId, u32)> = fragments()
            .filter(|&(id, function, row)| {
                calls_itself[function.index()]
                    && !rows.counts_whole(function, row)
                    && self.out_of(id).any(|(_, arc)| arc.callee == function)
            })
            .collect();
        if of_recursive.is_empty() {
            return parts;
        }
        // What such functions cost, and the part of it that was entered from each row.
        let mut entered_from: HashMap<(FunctionId, u32), Vec<Count>> = HashMap::new();
        for (id, arc) in self.arcs().filter(|(_, arc)| calls_itself[arc.callee.index()]) {
            if self.caller(arc) != arc.callee {
                let key = (arc.callee, rows.of_fragment(arc.caller));
                let sum = entered_from.entry(key).or_insert_with(|| vec![Count::ZERO; width]);
                add_cost(sum, self.cost(id));
            }
        }
        for (id, function, row) in of_recursive {
            let whole = self.inclusive_by_function().costs.get(function.index());
            let others = match entered_from.get(&(function, row)) {
                Some(of_row) => difference(whole, of_row),
                None => whole.to_vec(),
            };
            let all = self.with_all_calls(id);
            let beyond: Vec<Count> = others
                .iter()
                .zip(&all)
                .map(|(others, all)| Count::new(others.or_zero().min(all.or_zero()).max(0)))
                .collect();
            if beyond.iter().any(|&count| count != Count::ZERO) {
                let none = || RecursivePart {
                    own: vec![Count::ZERO; width],
                    of_outermost: vec![Count::ZERO; width],
                    beyond: vec![Count::ZERO; width],
                    functions: HashSet::new(),
                };
                add_cost(&mut parts.entry(row).or_insert_with(none).beyond, &beyond);
            }
        }
        for (id, function, row) in fragments() {
            if let Some(part) = parts.get_mut(&row) {
                add_cost(&mut part.own, self.own(id));
                part.functions.insert(function);
                let least = self.least_of_code(id, row, rows, &calls_itself);
                for (most, count) in part.of_outermost.iter_mut().zip(least) {
                    *most = if count.or_zero() > most.or_zero() { count } else { *most };
                }
            }
        }
        parts
    }

    /// What the time in which a fragment was on the stack costs at least, beyond its self cost: of
    /// a function that is whole in the row what it costs, of a part of one whose activations are
    /// never nested its calls. In cycles of several functions neither is known.
    fn least_of_code(
        &self,
        fragment: FragmentId,
        row: u32,
        rows: &Partition<'_>,
        calls_itself: &[bool],
    ) -> Vec<Count> {
        let function = self.profile.fragment(fragment).function;
        if self.calls_others_that_call_it(function) {
            Vec::new()
        } else if rows.counts_whole(function, row) {
            self.inclusive_by_function().costs.get(function.index()).to_vec()
        } else if calls_itself[function.index()] {
            Vec::new()
        } else {
            self.with_all_calls(fragment)
        }
    }

    /// What some functions cost at most: a deeper level of recursion is on the stack only while the
    /// outermost one is.
    fn cost_of_functions(&self, functions: &HashSet<FunctionId>) -> Vec<Count> {
        let mut sum = vec![Count::ZERO; self.own.width()];
        for &function in functions {
            let outermost = self.levels.outermost(function);
            if outermost.is_none_or(|outermost| !functions.contains(&outermost)) {
                add_cost(&mut sum, self.inclusive_by_function().costs.get(function.index()));
            }
        }
        sum
    }

    /// The self cost of a fragment and all calls made there.
    fn with_all_calls(&self, fragment: FragmentId) -> Vec<Count> {
        let mut sum = self.own(fragment).to_vec();
        self.out_of(fragment).for_each(|(id, _)| add_cost(&mut sum, self.cost(id)));
        sum
    }
}
