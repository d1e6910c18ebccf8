//! The nodes of functions and call cycles, and the calls between them.

use super::{DotEdge, DotNode, DotNodeKind, figure, sum_by_ends};
use crate::graph::CallGraph;
use crate::profile::{CostTable, FunctionId, Profile, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::{Figure, FigureTable};
use crate::view::inclusive::Inclusive;
use crate::view::rows::Rows;

/// All functions by their ids, and after them all cycles.
pub(super) fn functions_and_cycles(
    graphs: &Sides<CallGraph<'_>>,
    rows: &Rows<'_>,
    cycles: &Cycles,
    inclusive_of_rows: &Inclusive<'_>,
    event: usize,
) -> Vec<DotNode> {
    let profile = graphs.new.profile();
    let sides = graphs.as_ref();
    let node_of = nodes_of_functions(profile, rows);
    let own = sides.map(|graph| {
        let mut costs = CostTable::new(profile.events().len(), profile.function_count());
        for (fragment, of) in profile.fragments_with_ids() {
            costs.add(node_of[of.function.index()], graph.own(fragment));
        }
        costs
    });
    let own = FigureTable::new(own, profile.events());
    let inclusive = sides.map(CallGraph::inclusive_by_function);
    let inclusive = FigureTable::new(inclusive, profile.events());
    let count =
        |table: &FigureTable, function: FunctionId| figure(table.get(function.index()), event);
    let mark = |function| rows.mark(rows.of_function(function));
    let node = |(function, _): (FunctionId, _)| {
        let inclusive = match inclusive_of_rows.of_row(rows.of_function(function)) {
            _ if node_of[function.index()] != function.index() => {
                Figure::no_call(profile.is_difference())
            }
            Some(cost) if profile.is_difference() => figure(cost, event),
            _ => count(&inclusive, function),
        };
        DotNode {
            kind: DotNodeKind::Function(function, cycles.number_of(function)),
            own: count(&own, function).marked(mark(function)),
            inclusive: inclusive.marked(mark(function)),
            is_selected: rows.is_selected(rows.of_function(function)),
        }
    };
    let mut nodes: Vec<DotNode> = profile.functions().map(node).collect();
    if rows.is_filtered() {
        let sites = profile.calls().iter().map(|call| call.site);
        for place in profile.places().iter().copied().chain(sites) {
            let function = profile.fragment(place.fragment).function;
            nodes[function.index()].is_selected |= rows.is_selected(rows.of_place(place));
        }
    }
    add_cycles(cycles, event, profile.is_difference(), &mut nodes);
    nodes
}

/// Adds a node for each cycle after those of functions.
fn add_cycles(cycles: &Cycles, event: usize, is_difference: bool, nodes: &mut Vec<DotNode>) {
    for (number, members) in (1..).zip(cycles.members()) {
        let mut cycle = DotNode {
            kind: DotNodeKind::Cycle(number, members.len()),
            own: Figure::no_call(is_difference),
            inclusive: figure(cycles.cost(number as usize), event),
            is_selected: false,
        };
        for member in members {
            let member = nodes[member.index()];
            cycle.own.add(member.own);
            cycle.is_selected |= member.is_selected;
        }
        nodes.push(cycle);
    }
}

/// The node of each function: its own, or of a difference that of the first function of NEW in the same row, as BASE may
/// have the function elsewhere.
fn nodes_of_functions(profile: &Profile, rows: &Rows<'_>) -> Vec<usize> {
    let functions = profile.functions().map(|(function, _)| function);
    if !profile.is_difference() {
        return functions.map(FunctionId::index).collect();
    }
    // Functions of NEW come first.
    let mut first = vec![None; rows.len()];
    let node = |function: FunctionId| {
        let row = rows.of_function(function).index();
        *first[row].get_or_insert(function.index())
    };
    functions.map(node).collect()
}

/// All calls between functions and cycles, of each side in its own cycles.
pub(super) fn edges(
    graphs: &Sides<CallGraph<'_>>,
    rows: &Rows<'_>,
    cycles: &Cycles,
    event: usize,
    nodes: &[DotNode],
    is_shown: &[bool],
) -> Vec<DotEdge> {
    let functions = graphs.new.profile().function_count();
    let node_of = nodes_of_functions(graphs.new.profile(), rows);
    let mut calls = Vec::new();
    for (graph, is_base) in
        std::iter::once((&graphs.new, false)).chain(graphs.base.iter().map(|graph| (graph, true)))
    {
        let numbers = cycles.numbers(graph, is_base);
        let cycle_of = |function: FunctionId| {
            let number = numbers[graph.component_of(function)]?;
            Some(functions + number as usize - 1)
        };
        for (id, arc) in graph.arcs().filter(|&(_, arc)| !graph.is_nested_arc(arc)) {
            let caller = graph.caller(arc);
            let from = match cycle_of(caller) {
                Some(cycle) if !is_shown[node_of[caller.index()]] => cycle,
                _ => node_of[caller.index()],
            };
            let to = cycle_of(arc.callee).unwrap_or(node_of[arc.callee.index()]);
            if from == to {
                continue;
            }
            let cost = graph.profile().events().count(graph.cost(id), event);
            let of_side = |number: i64| match is_base {
                false => Sides {
                    new: number,
                    base: None,
                },
                true => Sides {
                    new: 0,
                    base: Some(number),
                },
            };
            let (count, cost) = (of_side(graph.calls(id)), of_side(cost.or_zero()));
            calls.push((from, to, count, cost));
        }
    }
    let mut edges = sum_by_ends(calls, graphs.base.is_some());
    for (function, node) in nodes[..functions].iter().enumerate() {
        if let DotNodeKind::Function(_, Some(number)) = node.kind
            && is_shown[function]
        {
            edges.push(DotEdge {
                caller: functions + number as usize - 1,
                callee: function,
                count: None,
                cost: node.inclusive,
            });
        }
    }
    edges
}
