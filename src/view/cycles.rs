//! The call cycles of a report: the cycles of NEW and BASE are paired, and numbered from the most
//! expensive.

use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use crate::graph::CallGraph;
use crate::profile::{Call, CostTable, FunctionId, Presence, Profile, Sides};
use crate::view::figure::{CostFigure, FigureTable, Mark};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::selection::Selection;

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
    positions: Sides<HashMap<FunctionId, usize>>,
}

/// A cycle of NEW, of BASE, or of both.
#[derive(Clone)]
struct Cycle {
    /// The number of the cycle in NEW's graph, and in BASE's.
    numbers: [Option<usize>; 2],
    /// The members in NEW, or in BASE if only BASE has the cycle.
    members: Vec<FunctionId>,
}

impl Cycle {
    fn mark(&self) -> Option<Mark> {
        let [new, base] = self.numbers.map(|number| number.is_some());
        Mark::of(Presence { new, base })
    }

    fn number(&self, is_base: bool) -> Option<usize> {
        self.numbers[usize::from(is_base)]
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

    /// The position of a function's cycle on one side, in the list of both sides' cycles.
    #[inline]
    pub(super) fn cycle(&self, is_base: bool, function: FunctionId) -> Option<usize> {
        self.cycles.positions.get(is_base)?.get(&function).copied()
    }

    /// Whether the caller and the callee of a call are the same function or in one cycle on a side.
    pub(super) fn are_in_one_cycle(&self, is_base: bool, call: Call) -> bool {
        let profile = self.sides.new.profile;
        let caller = profile.fragment(call.site.fragment).function;
        let cycle = self.cycle(is_base, caller);
        caller == call.callee || cycle.is_some() && cycle == self.cycle(is_base, call.callee)
    }
}

impl Cycles {
    /// Pairs the cycles of both sides, sums their costs, and numbers them by the sort events; ties
    /// are ordered by the first of their members' names. A function has the number of its cycle in
    /// NEW, or in BASE if it is gone.
    fn new(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>, selection: &Selection) -> Cycles {
        let profile = graphs.new.profile;
        // Groups are in no cycle.
        let cycles = if rows.row_by.is_group() { Vec::new() } else { pairs(graphs, rows) };
        let costs_of = |(is_base, graph): (bool, &CallGraph<'_>)| {
            let mut costs = CostTable::new(profile.events().len(), cycles.len());
            if cycles.is_empty() {
                return costs;
            }
            let of_cycles = graph.inclusive_of_cycles();
            for (at, cycle) in cycles.iter().enumerate() {
                if let Some(number) = cycle.number(is_base) {
                    costs.add(at, of_cycles.get(number));
                }
            }
            costs
        };
        let costs = graphs.as_ref().marked().map(costs_of);
        let costs = FigureTable::new(costs, profile.events());
        let order = order(&cycles, &costs.tables.value, rows, selection);
        let sorted = costs.select(order.iter().copied());
        let mut of_function = vec![None; profile.function_count()];
        for (number, &cycle) in (1..).zip(&order) {
            let [new, base] = cycles[cycle].numbers;
            for member in own_members(&graphs.new, new) {
                of_function[member.index()] = Some(number);
            }
            let base_graph = graphs.base.iter();
            for member in base_graph.flat_map(|graph| own_members(graph, base)) {
                if !rows.presence(rows.of_function(member)).new {
                    of_function[member.index()].get_or_insert(number);
                }
            }
        }
        let list: Vec<Cycle> = order.iter().map(|&at| cycles[at].clone()).collect();
        let positions = graphs.as_ref().marked().map(|(is_base, graph)| {
            let positions = list.iter().enumerate().flat_map(|(at, cycle)| {
                members(graph, cycle.number(is_base)).map(move |member| (member, at))
            });
            positions.collect()
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
        is_base: bool,
    ) -> impl Iterator<Item = FunctionId> {
        let cycle = self.list.get((number as usize).wrapping_sub(1));
        members(graph, cycle.and_then(|cycle| cycle.number(is_base)))
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

/// The cycles of both sides. Cycles that share at least half of the members of the smaller one are
/// paired, those that share the most first. Members are compared by row: by file and name, in any
/// object.
fn pairs(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>) -> Vec<Cycle> {
    let cycle = |graph: &CallGraph<'_>, number, is_base: bool| Cycle {
        numbers: [false, true].map(|of_base| Some(number).filter(|_| of_base == is_base)),
        members: own_members(graph, Some(number)).collect(),
    };
    let new = 0..graphs.new.cycles().len();
    let mut cycles: Vec<Cycle> = new.map(|at| cycle(&graphs.new, at, false)).collect();
    let Some(base_graph) = &graphs.base else {
        return cycles;
    };
    let rows_of = |cycle: &Cycle| -> HashSet<RowId> {
        let members = cycle.members.iter();
        members.map(|&member| rows.of_function(member)).collect()
    };
    let mut of_row: HashMap<RowId, Vec<usize>> = HashMap::new();
    let sizes: Vec<usize> = cycles.iter().map(|cycle| rows_of(cycle).len()).collect();
    for (number, cycle) in cycles.iter().enumerate() {
        for row in rows_of(cycle) {
            of_row.entry(row).or_default().push(number);
        }
    }
    let base = 0..base_graph.cycles().len();
    let base: Vec<Cycle> = base.map(|at| cycle(base_graph, at, true)).collect();
    let mut candidates = Vec::new();
    for (number, cycle) in base.iter().enumerate() {
        let own_rows = rows_of(cycle);
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for row in &own_rows {
            for &new in of_row.get(row).into_iter().flatten() {
                *shared.entry(new).or_default() += 1;
            }
        }
        for (new, count) in shared {
            if count * 2 >= own_rows.len().min(sizes[new]) {
                candidates.push((std::cmp::Reverse(count), new, number));
            }
        }
    }
    candidates.sort_unstable();
    let mut is_paired = vec![false; base.len()];
    for (_, new, number) in candidates {
        if cycles[new].numbers[1].is_none() && !std::mem::replace(&mut is_paired[number], true) {
            cycles[new].numbers[1] = base[number].numbers[1];
        }
    }
    let mut is_paired = is_paired.into_iter();
    cycles.extend(base.into_iter().filter(|_| is_paired.next() != Some(true)));
    cycles
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
        let names = names[a].zip(names[b]);
        names.map_or(Ordering::Equal, |(a, b)| rows.cmp_names(a, b))
    };
    let mut order: Vec<usize> = (0..cycles.len()).collect();
    order.sort_by(|&a, &b| {
        let by_cost = selection.cmp_descending(costs.get(a), costs.get(b));
        by_cost.then_with(|| by_name(a, b))
    });
    order
}
