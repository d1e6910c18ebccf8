//! The call cycles of a report: the cycles of the sides are paired, and numbered from the most
//! expensive.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use crate::graph::CallGraph;
use crate::profile::{BASE, Call, CostTable, FunctionId, NEW, Presence, Profile, Sides};
use crate::view::figure::{CostFigure, FigureTable, Mark};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::selection::Selection;

/// The call graphs of all sides, and the cycles in them.
pub struct Graphs<'p> {
    pub sides: Sides<CallGraph<'p>>,
    pub cycles: Cycles,
}

/// All call cycles, by their numbers from 1.
pub struct Cycles {
    list: Vec<Cycle>,
    /// The inclusive costs of all cycles, each as a row of its members.
    pub(super) costs: FigureTable,
    of_function: Vec<Option<u32>>,
    /// By side and function, the position of its cycle in the list.
    positions: Sides<Vec<Option<u32>>>,
}

/// A cycle of one side or of several.
#[derive(Clone)]
struct Cycle {
    /// By side the number of the cycle in the side's graph.
    numbers: Vec<Option<usize>>,
    /// The members on the first side that has the cycle.
    members: Vec<FunctionId>,
}

impl Cycle {
    fn mark(&self) -> Option<Mark> {
        Mark::of(Presence::of(self.number(NEW).is_some(), self.number(BASE).is_some()))
    }

    fn number(&self, side: usize) -> Option<usize> {
        self.numbers.get(side).copied().flatten()
    }
}

impl<'p> Graphs<'p> {
    /// Without `has_cycles`, only direct recursion counts as recursion.
    pub fn new(
        profile: &'p Profile,
        has_cycles: bool,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> Graphs<'p> {
        let sides = CallGraph::of_sides(profile, has_cycles);
        let cycles = Cycles::new(&sides, rows, selection);
        Graphs { sides, cycles }
    }

    /// The position of a function's cycle on one side, in the list of all sides' cycles.
    #[inline]
    pub(super) fn cycle(&self, side: usize, function: FunctionId) -> Option<usize> {
        let position = self.cycles.positions.get(side)?[function.index()]?;
        Some(position as usize)
    }

    /// Whether the caller and the callee of a call are the same function or in one cycle on a side.
    pub(super) fn are_in_one_cycle(&self, side: usize, call: Call) -> bool {
        let profile = self.sides.new.profile;
        let caller = profile.fragment(call.site.fragment).function;
        let cycle = self.cycle(side, caller);
        caller == call.callee || cycle.is_some() && cycle == self.cycle(side, call.callee)
    }
}

impl Cycles {
    /// Pairs the cycles of the sides, sums their costs, and numbers them by the sort events; ties
    /// are ordered by the first of their members' names. A function has the number of its cycle on
    /// the first side that it is on.
    fn new(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>, selection: &Selection) -> Cycles {
        let profile = graphs.new.profile;
        // Groups are in no cycle.
        let cycles = if rows.row_by.is_group() { Vec::new() } else { pairs(graphs, rows) };
        let costs_of = |(side, graph): (usize, &CallGraph<'_>)| {
            let mut costs = CostTable::new(profile.events().len(), cycles.len());
            if cycles.is_empty() {
                return costs;
            }
            let of_cycles = graph.inclusive_of_cycles();
            for (at, cycle) in cycles.iter().enumerate() {
                if let Some(number) = cycle.number(side) {
                    costs.add(at, of_cycles.get(number));
                }
            }
            costs
        };
        let costs = FigureTable::new(graphs.as_ref().indexed().map(costs_of), profile);
        let order = order(&cycles, &costs.tables.value, rows, selection);
        let sorted = costs.select(order.iter().copied());
        let mut of_function = vec![None; profile.function_count()];
        for (number, &cycle) in (1..).zip(&order) {
            for (side, graph) in graphs.iter().enumerate() {
                for member in own_members(graph, cycles[cycle].number(side)) {
                    let on = rows.presence(rows.of_function(member));
                    if !(NEW..side).any(|before| on.has(before)) {
                        of_function[member.index()].get_or_insert(number);
                    }
                }
            }
        }
        let list: Vec<Cycle> = order.iter().map(|&at| cycles[at].clone()).collect();
        let positions = graphs.as_ref().indexed().map(|(side, graph)| {
            let mut positions = vec![None; profile.function_count()];
            for (at, cycle) in (0..).zip(&list) {
                for member in members(graph, cycle.number(side)) {
                    positions[member.index()] = Some(at);
                }
            }
            positions
        });
        Cycles {
            costs: sorted.with_marks(list.iter().map(Cycle::mark)),
            list,
            of_function,
            positions,
        }
    }

    pub fn number_of(&self, function: FunctionId) -> Option<u32> {
        self.of_function.get(function.index()).copied().flatten()
    }

    /// The members of a cycle on one side, including inlined copies.
    pub(super) fn members_of(
        &self,
        number: u32,
        graph: &CallGraph<'_>,
        side: usize,
    ) -> impl Iterator<Item = FunctionId> {
        let cycle = self.list.get((number as usize).wrapping_sub(1));
        members(graph, cycle.and_then(|cycle| cycle.number(side)))
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn members(&self) -> impl ExactSizeIterator<Item = &[FunctionId]> {
        self.list.iter().map(|cycle| &cycle.members[..])
    }

    pub fn cost(&self, number: u32) -> CostFigure<'_> {
        self.costs.get(number as usize - 1)
    }
}

/// The members of a cycle of a graph.
fn members(
    graph: &CallGraph<'_>,
    cycle: Option<usize>,
) -> impl Iterator<Item = FunctionId> + Clone {
    let members = cycle.map_or(&[][..], |number| &graph.cycles()[number]);
    members.iter().copied()
}

/// The members of a cycle without inlined copies, which are not shown.
fn own_members(
    graph: &CallGraph<'_>,
    cycle: Option<usize>,
) -> impl Iterator<Item = FunctionId> + Clone {
    members(graph, cycle).filter(|&member| !graph.profile.is_inlined(member))
}

/// The cycles of all sides, each side's paired with those of the sides after it. Cycles that share
/// at least half of the members of the smaller one are paired, those that share the most first.
/// Members are compared by row: by file and name, in any object.
fn pairs(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>) -> Vec<Cycle> {
    let count = graphs.count();
    let rows_of = |members: &[FunctionId]| -> HashSet<RowId> {
        members.iter().map(|&member| rows.of_function(member)).collect()
    };
    let mut cycles: Vec<Cycle> = Vec::new();
    // By cycle the rows of its members on the last side that has it.
    let mut known: Vec<HashSet<RowId>> = Vec::new();
    for (side, graph) in graphs.iter().enumerate() {
        let of_side = 0..graph.cycles().len();
        let own: Vec<Vec<FunctionId>> =
            of_side.map(|number| own_members(graph, Some(number)).collect()).collect();
        let own_rows: Vec<HashSet<RowId>> = own.iter().map(|members| rows_of(members)).collect();
        let partners = partners(&known, &own_rows);
        for ((number, members), own_rows) in own.into_iter().enumerate().zip(own_rows) {
            let at = partners[number].unwrap_or(cycles.len());
            if at == cycles.len() {
                cycles.push(Cycle { numbers: vec![None; count], members });
                known.push(HashSet::new());
            }
            cycles[at].numbers[side] = Some(number);
            known[at] = own_rows;
        }
    }
    cycles
}

/// By cycle of a side, given by the rows of its members, the known cycle that it is.
fn partners(known: &[HashSet<RowId>], own: &[HashSet<RowId>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; own.len()];
    if known.is_empty() {
        return partners;
    }
    let mut of_row: HashMap<RowId, Vec<usize>> = HashMap::new();
    for (number, rows) in known.iter().enumerate() {
        for &row in rows {
            of_row.entry(row).or_default().push(number);
        }
    }
    let mut candidates = Vec::new();
    for (number, rows) in own.iter().enumerate() {
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for row in rows {
            for &cycle in of_row.get(row).into_iter().flatten() {
                *shared.entry(cycle).or_default() += 1;
            }
        }
        for (cycle, count) in shared {
            if count * 2 >= rows.len().min(known[cycle].len()) {
                candidates.push((std::cmp::Reverse(count), cycle, number));
            }
        }
    }
    candidates.sort_unstable();
    let mut is_paired = vec![false; known.len()];
    for (_, cycle, number) in candidates {
        if partners[number].is_none() && !std::mem::replace(&mut is_paired[cycle], true) {
            partners[number] = Some(cycle);
        }
    }
    partners
}

/// The order of the cycles, the most expensive first; ties are ordered by the first of their
/// members' names.
fn order(
    cycles: &[Cycle],
    costs: &CostTable,
    rows: &Rows<'_>,
    selection: &Selection,
) -> Vec<usize> {
    let first_name = |cycle: &Cycle| {
        let members = cycle.members.iter().map(|&member| rows.of_function(member));
        members.min_by(|&a, &b| rows.cmp_names(a, b))
    };
    let names: Vec<Option<RowId>> = cycles.iter().map(first_name).collect();
    let by_name = |a: usize, b: usize| {
        let both = names[a].zip(names[b]);
        both.map_or(Ordering::Equal, |(a, b)| rows.cmp_names(a, b))
    };
    let mut order: Vec<usize> = (0..cycles.len()).collect();
    order.sort_by(|&a, &b| {
        let by_cost = selection.cmp_descending(costs.get(a), costs.get(b));
        by_cost.then_with(|| by_name(a, b))
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycles of a side, by their rows, and the known one that each is.
    type Case = (&'static [&'static [u32]], &'static [Option<usize>]);

    #[test]
    fn cycles_that_share_rows_with_known_ones() {
        let rows = |rows: &[u32]| rows.iter().map(|&row| RowId(row)).collect::<HashSet<_>>();
        let known = [rows(&[0, 1, 2, 3]), rows(&[5, 6])];
        let table: [Case; 5] = [
            (&[&[0, 1, 2]], &[Some(0)]),
            // One known cycle is one of the side: that with most of its rows, or the first.
            (&[&[2, 3], &[0, 1]], &[Some(0), None]),
            (&[&[3, 7], &[0, 1, 2]], &[None, Some(0)]),
            // Fewer than half of the rows of both.
            (&[&[0, 7, 8]], &[None]),
            (&[&[6, 7], &[3, 2]], &[Some(1), Some(0)]),
        ];
        for (own, expected) in table {
            let own: Vec<HashSet<RowId>> = own.iter().map(|of| rows(of)).collect();
            assert_eq!(partners(&known, &own), expected, "{own:?}");
        }
    }
}
