//! The nodes and edges to draw: those above a minimum percentage of one event's total.
//!
//! A call cycle is a node of its own, to which all calls into it lead. Below it are its expensive members, with the
//! calls by which they leave the cycle; the calls of the others leave from the cycle. Calls
//! within a cycle, and of functions by themselves, are no edges: their cost is part of what entered.

use crate::graph::CallGraph;
use crate::profile::{Count, FunctionId, Presence};
use crate::view::cycles::{Cycles, Graphs};
use crate::view::figure::{CallFigure, CostFigure, Figure, FigureTable};
use crate::view::inclusive::Inclusive;
use crate::view::label::{Item, RowId};
use crate::view::list::self_costs;
use crate::view::rows::Rows;
use crate::view::sums::SumsBuilder;

/// What a graph shows.
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    pub event: usize,
    /// What 100% are.
    pub total: i64,
    /// The least inclusive cost of a function, and the least cost of calls, in percent of the total.
    pub min_percent: f64,
    pub top: Option<usize>,
}

#[derive(Default)]
pub struct DotGraph {
    /// The functions and cycles, the most expensive first.
    pub nodes: Vec<DotNode>,
    /// The calls between them, by caller.
    pub edges: Vec<DotEdge>,
    /// How many functions and cycles with costs are left out.
    pub hidden_nodes: usize,
    pub hidden_edges: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DotNodeKind {
    /// A function, and the number of its call cycle.
    Function(FunctionId, Option<u32>),
    Group(RowId),
    /// A call cycle by its number, and how many functions it has.
    Cycle(u32, usize),
}

#[derive(Clone, Copy, Debug)]
pub struct DotNode {
    pub kind: DotNodeKind,
    pub own: Figure<i64>,
    /// With what it called. Of a member of a call cycle only calls that leave the cycle count.
    pub inclusive: Figure<i64>,
    /// Whether the filter chose it. The others are there because they call, or are called by, one that it chose.
    pub is_selected: bool,
}

impl DotNode {
    /// The row or the cycle that it is; functions of one file and name are the same row.
    pub fn item(&self, rows: &Rows<'_>) -> Item {
        match self.kind {
            DotNodeKind::Function(function, _) => Item::Row(rows.of_function(function)),
            DotNodeKind::Group(row) => Item::Row(row),
            DotNodeKind::Cycle(number, _) => Item::Cycle(number),
        }
    }
}

/// All calls between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct DotEdge {
    /// The caller's position among the nodes.
    pub caller: usize,
    pub callee: usize,
    /// How many calls; none if it leads from a cycle to a member.
    pub count: Option<CallFigure>,
    pub cost: Figure<i64>,
}

impl DotGraph {
    /// Picks the functions and calls of at least a share of the total. Functions without such calls are left out, unless
    /// that is all of them.
    pub fn new(rows: &Rows<'_>, inclusive: &Inclusive<'_>, options: GraphOptions) -> DotGraph {
        let is_above_min = |cost: i64| {
            let [cost, total] = [cost, options.total].map(|cost| cost.unsigned_abs() as f64);
            cost > 0.0 && cost * 100.0 >= total * options.min_percent
        };
        let are_groups = rows.row_by.is_group();
        let all = if are_groups {
            groups(rows, inclusive, options.event)
        } else {
            functions_and_cycles(rows, inclusive, options.event)
        };
        let is_shown =
            |node: &DotNode| is_above_min(node.inclusive.value) || is_above_min(node.own.value);
        let is_shown: Vec<bool> = all.iter().map(is_shown).collect();
        let edges = edges(inclusive.graphs, rows, options.event, &all, &is_shown);
        let is_drawn = |edge: &&DotEdge| {
            let touches_selected = all[edge.caller].is_selected || all[edge.callee].is_selected;
            touches_selected && is_above_min(edge.cost.value)
        };
        let drawn: Vec<DotEdge> = edges.iter().filter(is_drawn).copied().collect();
        let order = drawn_nodes(&all, &is_shown, &drawn, rows, options.top);
        let placed = placed(&order, all.len(), &drawn);
        let worth = all.iter();
        let worth = worth.filter(|node| node.own.value != 0 || node.inclusive.value != 0);
        DotGraph {
            hidden_nodes: worth.count().saturating_sub(order.len()),
            hidden_edges: edges.len() - placed.len(),
            nodes: order.into_iter().map(|at| all[at]).collect(),
            edges: placed,
        }
    }
}

/// The positions of the nodes to draw, the most expensive first: what the filter chose, and what these edges connect it with.
fn drawn_nodes(
    all: &[DotNode],
    is_shown: &[bool],
    edges: &[DotEdge],
    rows: &Rows<'_>,
    top: Option<usize>,
) -> Vec<usize> {
    let mut touches_selected: Vec<bool> = all.iter().map(|node| node.is_selected).collect();
    for edge in edges {
        touches_selected[edge.caller] = true;
        touches_selected[edge.callee] = true;
    }
    let order = (0..all.len()).filter(|&at| is_shown[at] && touches_selected[at]);
    let mut order: Vec<usize> = order.collect();
    let size = |at: usize| {
        let size = |figure: Figure<i64>| figure.value.unsigned_abs();
        (size(all[at].inclusive), size(all[at].own))
    };
    let item = |at: usize| all[at].item(rows);
    order.sort_by(|&a, &b| {
        let by_name = || rows.cmp_items(item(a), item(b));
        size(b).cmp(&size(a)).then_with(by_name).then(a.cmp(&b))
    });
    remove_unconnected(&mut order, all.len(), edges);
    order.truncate(top.unwrap_or(usize::MAX));
    remove_unconnected(&mut order, all.len(), edges);
    order
}

/// The edges between the nodes that are drawn, by their positions among these.
fn placed(order: &[usize], nodes: usize, edges: &[DotEdge]) -> Vec<DotEdge> {
    let mut position = vec![None; nodes];
    for (at, &node) in order.iter().enumerate() {
        position[node] = Some(at);
    }
    let place = |edge: &DotEdge| {
        let (caller, callee) = (position[edge.caller]?, position[edge.callee]?);
        Some(DotEdge {
            caller,
            callee,
            ..*edge
        })
    };
    let mut placed: Vec<DotEdge> = edges.iter().filter_map(place).collect();
    placed.sort_by_key(|edge| (edge.caller, edge.callee));
    placed
}

/// Removes the nodes that no edge leads to or from, unless that is all of them.
fn remove_unconnected(order: &mut Vec<usize>, nodes: usize, edges: &[DotEdge]) {
    let mut is_node = vec![false; nodes];
    order.iter().for_each(|&node| is_node[node] = true);
    let mut is_connected = vec![false; nodes];
    let edges = edges.iter();
    for edge in edges.filter(|edge| is_node[edge.caller] && is_node[edge.callee]) {
        is_connected[edge.caller] = true;
        is_connected[edge.callee] = true;
    }
    if order.iter().any(|&node| is_connected[node]) {
        order.retain(|&node| is_connected[node]);
    }
}

fn figure(cost: CostFigure<'_>, event: usize) -> Figure<i64> {
    cost.event(event).map(Count::or_zero)
}

/// All groups by the numbers of their rows.
fn groups(rows: &Rows<'_>, inclusive: &Inclusive<'_>, event: usize) -> Vec<DotNode> {
    let costs = self_costs(rows);
    let group = |row: RowId| DotNode {
        kind: DotNodeKind::Group(row),
        own: figure(costs.get(row.index()), event),
        inclusive: match inclusive.of_row(row) {
            Some(cost) => figure(cost, event),
            None => Figure::same(0, rows.profile.is_difference()),
        },
        is_selected: rows.is_selected(row),
    };
    rows.all().map(group).collect()
}

/// All functions by their ids, and after them all cycles.
fn functions_and_cycles(
    rows: &Rows<'_>,
    inclusive_of_rows: &Inclusive<'_>,
    event: usize,
) -> Vec<DotNode> {
    let (profile, cycles) = (rows.profile, &inclusive_of_rows.graphs.cycles);
    let node_of = nodes_of_functions(rows);
    let own = profile.self_costs_by(profile.function_count(), |_, of| {
        Some(node_of[of.function.index()])
    });
    let own = FigureTable::new(own, profile.events());
    let sides = inclusive_of_rows.graphs.sides.as_ref();
    let inclusive = sides.map(CallGraph::inclusive_by_function);
    let inclusive = FigureTable::new(inclusive, profile.events());
    let count =
        |table: &FigureTable, function: FunctionId| figure(table.get(function.index()), event);
    let mark = |function| rows.mark(rows.of_function(function));
    let node = |(function, _): (FunctionId, _)| {
        let inclusive = match inclusive_of_rows.of_row(rows.of_function(function)) {
            _ if node_of[function.index()] != function.index() => {
                Figure::same(0, profile.is_difference())
            }
            Some(cost) if profile.is_difference() || profile.has_inlined() => figure(cost, event),
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
        for (place, _) in profile.places_and_sites() {
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
            own: Figure::same(0, is_difference),
            inclusive: figure(cycles.cost(number), event),
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

/// The node of each function: its own, or that of the first function in the same row, of NEW of a difference, as BASE may
/// have the function elsewhere, and of inlined copies there may be many.
fn nodes_of_functions(rows: &Rows<'_>) -> Vec<usize> {
    let profile = rows.profile;
    let functions = profile.functions().map(|(function, _)| function);
    if !profile.is_difference() && !profile.has_inlined() {
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

/// All calls between groups, or between functions and cycles, of each side in its own cycles.
fn edges(
    graphs: &Graphs<'_>,
    rows: &Rows<'_>,
    event: usize,
    nodes: &[DotNode],
    is_shown: &[bool],
) -> Vec<DotEdge> {
    let (profile, are_groups) = (rows.profile, rows.row_by.is_group());
    let (functions, node_of) = (profile.function_count(), nodes_of_functions(rows));
    let mut sums = SumsBuilder::new(profile);
    for (number, &call) in profile.calls.iter().enumerate() {
        let caller = profile.fragment(call.site.fragment).function;
        for &(is_base, graph) in graphs.sides.as_ref().marked().iter() {
            let on = profile.presence_of_call(number).only(is_base);
            let is_nested = !are_groups && graph.is_nested(caller, call.callee);
            if on == Presence::default() || is_nested {
                continue;
            }
            let cycle_of = |function| Some(functions + graphs.cycle(is_base, function)?);
            let (from, to) = if are_groups {
                let (from, to) = rows.of_call(call);
                (from.index(), to.index())
            } else {
                let from = node_of[caller.index()];
                let cycle = cycle_of(caller).filter(|_| !is_shown[from]);
                let to = cycle_of(call.callee).unwrap_or(node_of[call.callee.index()]);
                (cycle.unwrap_or(from), to)
            };
            if from != to {
                sums.add_call((from, to), number, on);
            }
        }
    }
    let sums = sums.finish();
    let edge = |(at, &(caller, callee)): (usize, &(usize, usize))| DotEdge {
        caller,
        callee,
        count: Some(sums.calls(at)),
        cost: figure(sums.cost(at), event),
    };
    let calls = sums.keys.iter().enumerate().map(edge);
    let members = nodes.iter().enumerate().filter(|&(at, _)| is_shown[at]);
    let members = members.filter_map(|(callee, node)| match node.kind {
        DotNodeKind::Function(_, Some(number)) => Some(DotEdge {
            caller: functions + number as usize - 1,
            callee,
            count: None,
            cost: node.inclusive,
        }),
        _ => None,
    });
    calls.chain(members).collect()
}
