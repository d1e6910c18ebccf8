//! The nodes and edges to draw: those above a minimum percentage of one event's total.
//!
//! A call cycle is a node of its own, with an edge for each call into it. Below it are its
//! expensive members, with the calls by which they leave the cycle; calls of other members leave
//! from the cycle. Calls within a cycle and recursive calls have no edges: their cost is part of
//! that of the call into it.

use hashbrown::{HashMap, HashSet};

use crate::profile::{Count, Presence};
use crate::view::call_counts::CallCounts;
use crate::view::cycles::Cycles;
use crate::view::figure::Figure;
use crate::view::filter::Filter;
use crate::view::label::RowId;
use crate::view::row_costs::{Inclusive, Use, self_costs};
use crate::view::rows::Rows;
use crate::view::sums::SumsBuilder;

pub struct GraphOptions {
    pub event: usize,
    /// The cost that is 100%.
    pub total: i64,
    /// The minimum inclusive cost of a node, and the minimum cost of an edge, in percent of the
    /// total.
    pub min_percent: f64,
    pub top: Option<usize>,
}

pub struct DotGraph {
    /// The functions and cycles, the most expensive first.
    pub nodes: Vec<DotNode>,
    /// The calls between them, by caller.
    pub edges: Vec<DotEdge>,
    pub hidden_nodes: usize,
    pub hidden_edges: usize,
}

#[derive(Clone, Copy, Debug)]
pub struct DotNode {
    pub item: RowId,
    pub own: Figure<Count>,
    /// The cost including callees.
    pub inclusive: Figure<Count>,
    /// Whether that is estimated.
    pub is_estimated: bool,
    /// Whether the filter selected any of its code. Other nodes are callers or callees of a
    /// selected one.
    pub is_selected: bool,
}

/// All calls between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct DotEdge {
    /// The caller's position among the nodes.
    pub caller: usize,
    pub callee: usize,
    /// The number of calls; none for an edge from a cycle to a member.
    pub count: Option<Figure<CallCounts>>,
    pub cost: Figure<Count>,
}

impl DotGraph {
    /// Selects the rows (functions or groups) and calls above the minimum percentage. Rows without
    /// such calls are left out, unless no row has any.
    pub fn new(
        rows: &Rows<'_>,
        inclusive: &Inclusive<'_>,
        filter: &Filter,
        options: GraphOptions,
    ) -> DotGraph {
        let is_above_min = |cost: Count| {
            let [cost, total] =
                [cost.or_zero(), options.total].map(|cost| cost.unsigned_abs() as f64);
            cost > 0.0 && cost * 100.0 >= total * options.min_percent
        };
        let all = nodes(rows, inclusive, filter, options.event);
        let is_shown: Vec<bool> = all
            .iter()
            .map(|node| is_above_min(node.inclusive.value) || is_above_min(node.own.value))
            .collect();
        let edges = edges(inclusive, rows, options.event, &all, &is_shown);
        let is_drawn = |edge: &&DotEdge| {
            let touches_selected = all[edge.caller].is_selected || all[edge.callee].is_selected;
            touches_selected && is_above_min(edge.cost.value)
        };
        let mut drawn: Vec<DotEdge> = edges.iter().filter(is_drawn).copied().collect();
        let order = drawn_nodes(&all, &is_shown, &mut drawn, rows, options.top);
        let used = inclusive.uses.iter().filter(|of_row| **of_row != Use::None);
        DotGraph {
            hidden_nodes: used.count().saturating_sub(order.len()),
            hidden_edges: edges.len() - drawn.len(),
            nodes: order.into_iter().map(|at| all[at]).collect(),
            edges: drawn,
        }
    }
}

/// The positions of the nodes to draw, the most expensive first: selected nodes and their
/// neighbours. Those without edges are left out, unless no node has any. Of the edges, keeps those
/// between drawn nodes, with the positions of the nodes in this order.
fn drawn_nodes(
    all: &[DotNode],
    is_shown: &[bool],
    edges: &mut Vec<DotEdge>,
    rows: &Rows<'_>,
    top: Option<usize>,
) -> Vec<usize> {
    let mut touches_selected: Vec<bool> = all.iter().map(|node| node.is_selected).collect();
    for edge in edges.iter() {
        touches_selected[edge.caller] = true;
        touches_selected[edge.callee] = true;
    }
    let mut order: Vec<usize> =
        (0..all.len()).filter(|&at| is_shown[at] && touches_selected[at]).collect();
    let size = |at: usize| {
        let size = |figure: Figure<Count>| figure.value.or_zero().unsigned_abs();
        (size(all[at].inclusive), size(all[at].own))
    };
    order.sort_by(|&a, &b| {
        let by_name = || rows.cmp_items(all[a].item, all[b].item);
        size(b).cmp(&size(a)).then_with(by_name).then(a.cmp(&b))
    });
    for length in [usize::MAX, top.unwrap_or(usize::MAX)] {
        order.truncate(length);
        let nodes: HashSet<usize> = order.iter().copied().collect();
        edges.retain(|edge| nodes.contains(&edge.caller) && nodes.contains(&edge.callee));
        let connected: HashSet<usize> =
            edges.iter().flat_map(|edge| [edge.caller, edge.callee]).collect();
        order.retain(|node| connected.is_empty() || connected.contains(node));
    }
    let positions: HashMap<usize, usize> = order.iter().copied().zip(0..).collect();
    for edge in edges.iter_mut() {
        (edge.caller, edge.callee) = (positions[&edge.caller], positions[&edge.callee]);
    }
    edges.sort_by_key(|edge| (edge.caller, edge.callee));
    order
}

/// All rows by their numbers, and after them all cycles.
fn nodes(
    rows: &Rows<'_>,
    inclusive: &Inclusive<'_>,
    filter: &Filter,
    event: usize,
) -> Vec<DotNode> {
    let (profile, costs) = (rows.profile, self_costs(rows));
    let nothing = Figure::same(Count::ZERO, profile.is_difference());
    let node = |row: RowId| {
        let mark = rows.mark(row).filter(|_| !rows.row_by.is_group());
        let cost = inclusive.of_row(row).map(|cost| cost.event(event));
        DotNode {
            item: row,
            own: costs.get(row.index()).event(event).marked(mark),
            inclusive: cost.unwrap_or(nothing).marked(mark),
            is_estimated: inclusive.estimate(row).is_some_and(|of| of.is_marked[event]),
            is_selected: false,
        }
    };
    let mut nodes: Vec<DotNode> = rows.all().map(node).collect();
    for (id, _) in profile.fragments_with_ids() {
        let is_selected = &mut nodes[rows.of_fragment(id).index()].is_selected;
        *is_selected |= filter.accepts_fragment(profile, id);
    }
    let cycles = inclusive.with_cycles().map(|graphs| &graphs.cycles);
    let members = cycles.into_iter().flat_map(Cycles::members);
    for (number, members) in (1..).zip(members) {
        let mut cycle = DotNode {
            item: rows.of_cycle(number),
            own: nothing,
            inclusive: inclusive.graphs.cycles.cost(number).event(event),
            is_estimated: false,
            is_selected: false,
        };
        for &member in members {
            let row = rows.of_function(member);
            let node = nodes[row.index()];
            cycle.is_selected |= node.is_selected;
            if rows.first_function(row) == Some(member) {
                cycle.own.add(node.own);
            }
        }
        nodes.push(cycle);
    }
    nodes
}

/// All calls between rows and cycles; each side has its own cycles.
fn edges(
    inclusive: &Inclusive<'_>,
    rows: &Rows<'_>,
    event: usize,
    nodes: &[DotNode],
    is_shown: &[bool],
) -> Vec<DotEdge> {
    let (profile, graphs) = (rows.profile, inclusive.with_cycles());
    let mut sums = SumsBuilder::new(profile);
    for (number, &call) in profile.calls.iter().enumerate() {
        let caller = profile.fragment(call.site.fragment).function;
        for (side, graph) in inclusive.graphs.sides.iter().enumerate() {
            let on = profile.presence_of_call(number).only(side);
            let cycle_of = |function| Some(rows.len() + graphs?.cycle(side, function)?);
            let is_within_cycle =
                cycle_of(caller).is_some_and(|cycle| Some(cycle) == cycle_of(call.callee));
            let is_recursive = graphs.is_some() && graph.is_repeated(call);
            if on == Presence::default() || is_recursive || is_within_cycle {
                continue;
            }
            let (RowId(from), RowId(to)) = rows.of_call(call);
            let cycle = cycle_of(caller).filter(|_| !is_shown[from as usize]);
            let from = cycle.unwrap_or(from as usize);
            let to = cycle_of(call.callee).unwrap_or(to as usize);
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
        cost: sums.cost(at).event(event),
    };
    let calls = sums.keys.iter().enumerate().map(edge);
    let cycle_of_row = |row| graphs?.cycles.number_of(rows.first_function(row)?);
    let members = nodes
        .iter()
        .enumerate()
        .filter(|&(at, _)| is_shown[at])
        .filter(|(_, node)| rows.is_row(node.item))
        .filter_map(|(callee, node)| {
            Some(DotEdge {
                caller: rows.of_cycle(cycle_of_row(node.item)?).index(),
                callee,
                count: None,
                cost: node.inclusive,
            })
        });
    calls.chain(members).collect()
}
