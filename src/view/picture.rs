//! The call graph of one event: the dear functions and the dear calls between them.
//!
//! A call cycle is a vertex of its own, which all calls into it lead to. From it the members hang that are dear
//! by themselves, with the calls by which they leave the cycle; those of the others leave from the cycle. Calls
//! within a cycle, and of functions by themselves, are no edges: their cost is part of what entered.

use super::{Cycles, Grouping, Inclusive, Item, RowId, Rows};
use crate::profile::{FunctionId, Overflow, Profile};

/// What a graph shows.
#[derive(Clone, Copy, Debug)]
pub struct GraphOptions {
    /// Which event.
    pub event: usize,
    /// What 100% are.
    pub total: i64,
    /// The least inclusive cost of a function, and the least cost of calls, in percent of the total.
    pub least: f64,
    /// How many vertices at most.
    pub top: Option<usize>,
}

/// Functions and calls.
#[derive(Default)]
pub struct CallGraph {
    /// The functions and cycles, the dearest first.
    pub vertices: Vec<Vertex>,
    /// The calls between them, by caller.
    pub edges: Vec<Edge>,
    /// How many functions and cycles with costs are left out.
    pub hidden_vertices: usize,
    /// How many edges are left out.
    pub hidden_edges: usize,
}

/// What a vertex stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexKind {
    /// A function, and the number of its call cycle.
    Function(FunctionId, Option<usize>),
    /// All functions of a group.
    Group(RowId),
    /// A call cycle by its number, and how many functions it has.
    Cycle(usize, usize),
}

/// A function or a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Vertex {
    /// Which.
    pub kind: VertexKind,
    /// What it spent itself.
    pub own: i64,
    /// With what it called. Of a member of a call cycle only calls that leave the cycle count.
    pub inclusive: i64,
    /// Whether the filter chose it. The others are there because they call, or are called by, one that it chose.
    pub is_chosen: bool,
}

/// All calls between two vertices.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The caller's position among the vertices.
    pub caller: usize,
    /// The callee's.
    pub callee: usize,
    /// How many calls; none if it leads from a cycle to a member.
    pub count: Option<i64>,
    /// What they cost.
    pub cost: i64,
}

impl CallGraph {
    /// Picks the functions and calls of at least a share of the total.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn new(
        profile: &Profile,
        rows: &Rows<'_>,
        cycles: &Cycles,
        inclusive: &Inclusive,
        options: GraphOptions,
    ) -> Result<CallGraph, Overflow> {
        let is_dear = |cost: i64| {
            let (cost, total) = (
                cost.unsigned_abs() as f64,
                options.total.unsigned_abs() as f64,
            );
            cost > 0.0 && cost * 100.0 >= total * options.least
        };
        let are_groups = rows.grouping() != Grouping::Function;
        let all = if are_groups {
            groups(profile, rows, inclusive, options.event)?
        } else {
            vertices(profile, rows, cycles, options.event)?
        };
        let is_shown: Vec<bool> = all
            .iter()
            .map(|vertex| is_dear(vertex.inclusive) || is_dear(vertex.own))
            .collect();
        let edges = if are_groups {
            edges_of_groups(profile, rows, options.event)?
        } else {
            edges(profile, cycles, options.event, &all, &is_shown)?
        };
        let dear = || edges.iter().filter(|edge| is_dear(edge.cost));

        let mut is_near: Vec<bool> = all.iter().map(|vertex| vertex.is_chosen).collect();
        for edge in dear() {
            let is_touched = all[edge.caller].is_chosen || all[edge.callee].is_chosen;
            is_near[edge.caller] |= is_touched;
            is_near[edge.callee] |= is_touched;
        }
        let mut order: Vec<usize> = (0..all.len())
            .filter(|&at| is_shown[at] && is_near[at])
            .collect();
        let size = |at: usize| (all[at].inclusive.unsigned_abs(), all[at].own.unsigned_abs());
        let item = |at: usize| match all[at].kind {
            VertexKind::Function(function, _) => Item::Row(rows.of_function(function)),
            VertexKind::Group(row) => Item::Row(row),
            VertexKind::Cycle(number, _) => Item::Cycle(number as u32),
        };
        order.sort_by(|&a, &b| {
            let by_size = size(b).cmp(&size(a));
            by_size
                .then_with(|| item(a).by_name(item(b), rows))
                .then(a.cmp(&b))
        });
        order.truncate(options.top.unwrap_or(usize::MAX));

        let mut position = vec![None; all.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(at, &vertex)| position[vertex] = Some(at));
        let placed = dear().filter(|edge| all[edge.caller].is_chosen || all[edge.callee].is_chosen);
        let mut placed: Vec<Edge> = placed
            .filter_map(|edge| {
                let (caller, callee) = (position[edge.caller]?, position[edge.callee]?);
                Some(Edge {
                    caller,
                    callee,
                    ..*edge
                })
            })
            .collect();
        placed.sort_by_key(|edge| (edge.caller, edge.callee));
        let worth = all
            .iter()
            .filter(|vertex| vertex.own != 0 || vertex.inclusive != 0);
        Ok(CallGraph {
            hidden_vertices: worth.count().saturating_sub(order.len()),
            hidden_edges: edges.len() - placed.len(),
            vertices: order.into_iter().map(|at| all[at]).collect(),
            edges: placed,
        })
    }
}

/// Adds to a sum.
fn add(sum: &mut i64, cost: i64) -> Result<(), Overflow> {
    *sum = sum.checked_add(cost).ok_or(Overflow)?;
    Ok(())
}

/// All functions by their ids, and behind them all cycles.
fn vertices(
    profile: &Profile,
    rows: &Rows<'_>,
    cycles: &Cycles,
    event: usize,
) -> Result<Vec<Vertex>, Overflow> {
    let function = |(function, _)| Vertex {
        kind: VertexKind::Function(function, cycles.of(function).map(|cycle| cycle + 1)),
        own: 0,
        inclusive: 0,
        is_chosen: rows.is_chosen(rows.of_function(function)),
    };
    let mut vertices: Vec<Vertex> = profile.functions().map(function).collect();
    for ((place, cost), &row) in profile.costs.iter().zip(rows.of_costs()) {
        let vertex = &mut vertices[place.function.index()];
        add(&mut vertex.own, cost[event].or_zero())?;
        vertex.is_chosen |= rows.is_chosen(row);
    }
    let mut paid = vec![None; vertices.len()];
    vertices
        .iter_mut()
        .for_each(|vertex| vertex.inclusive = vertex.own);
    for ((call, cost), &(row, _)) in profile.calls.iter().zip(rows.of_calls()) {
        let (caller, callee, cost) = (call.site.function, call.callee, cost[event].or_zero());
        let vertex = &mut vertices[caller.index()];
        vertex.is_chosen |= rows.is_chosen(row);
        if !cycles.is_nested(caller, callee) {
            add(&mut vertex.inclusive, cost)?;
            add(paid[callee.index()].get_or_insert(0), cost)?;
        }
    }
    for (function, paid) in profile.functions().map(|(id, _)| id).zip(paid) {
        if let (Some(paid), None) = (paid, cycles.of(function)) {
            vertices[function.index()].inclusive = paid;
        }
    }
    for (number, members) in (1..).zip(cycles.members()) {
        let mut cycle = Vertex {
            kind: VertexKind::Cycle(number, members.len()),
            own: 0,
            inclusive: 0,
            is_chosen: false,
        };
        for member in members {
            let member = vertices[member.index()];
            add(&mut cycle.own, member.own)?;
            add(&mut cycle.inclusive, member.inclusive)?;
            cycle.is_chosen |= member.is_chosen;
        }
        vertices.push(cycle);
    }
    Ok(vertices)
}

/// All groups by the numbers of their rows.
fn groups(
    profile: &Profile,
    rows: &Rows<'_>,
    inclusive: &Inclusive,
    event: usize,
) -> Result<Vec<Vertex>, Overflow> {
    let group = |row| Vertex {
        kind: VertexKind::Group(row),
        own: 0,
        inclusive: 0,
        is_chosen: rows.is_chosen(row),
    };
    let mut groups: Vec<Vertex> = rows.all().map(group).collect();
    for (row, cost) in inclusive.rows() {
        groups[row.index()].inclusive = cost[event].or_zero();
    }
    for ((_, cost), row) in profile.costs.iter().zip(rows.of_costs()) {
        add(&mut groups[row.index()].own, cost[event].or_zero())?;
    }
    Ok(groups)
}

/// All calls between groups.
fn edges_of_groups(
    profile: &Profile,
    rows: &Rows<'_>,
    event: usize,
) -> Result<Vec<Edge>, Overflow> {
    let calls = profile.calls().zip(rows.of_calls());
    let calls = calls.map(|((_, count, cost), &(caller, callee))| {
        let (caller, callee) = (caller.index(), callee.index());
        (caller, callee, count, cost[event].or_zero())
    });
    sum_up(
        calls
            .filter(|(caller, callee, ..)| caller != callee)
            .collect(),
    )
}

/// All calls between vertices.
fn edges(
    profile: &Profile,
    cycles: &Cycles,
    event: usize,
    vertices: &[Vertex],
    is_shown: &[bool],
) -> Result<Vec<Edge>, Overflow> {
    let functions = profile.functions().count();
    let cycle_of = |function: FunctionId| Some(functions + cycles.of(function)?);
    let callee_of = |function: FunctionId| cycle_of(function).unwrap_or(function.index());
    let caller_of = |function: FunctionId| match cycle_of(function) {
        Some(cycle) if !is_shown[function.index()] => cycle,
        _ => function.index(),
    };
    let calls = profile
        .calls()
        .filter(|(call, ..)| !cycles.is_nested(call.site.function, call.callee));
    let calls: Vec<_> = calls
        .map(|(call, count, cost)| {
            (
                caller_of(call.site.function),
                callee_of(call.callee),
                count,
                cost[event].or_zero(),
            )
        })
        .collect();
    let mut edges = sum_up(calls)?;
    for (function, _) in profile
        .functions()
        .filter(|(function, _)| is_shown[function.index()])
    {
        if let Some(cycle) = cycle_of(function) {
            let cost = vertices[function.index()].inclusive;
            edges.push(Edge {
                caller: cycle,
                callee: function.index(),
                count: None,
                cost,
            });
        }
    }
    Ok(edges)
}

/// Adds up calls, each with the positions of its caller and callee, its number and its cost.
fn sum_up(mut calls: Vec<(usize, usize, i64, i64)>) -> Result<Vec<Edge>, Overflow> {
    calls.sort_unstable_by_key(|&(caller, callee, ..)| (caller, callee));
    let mut edges = Vec::new();
    for calls in calls.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (mut count, mut cost) = (0, 0);
        for call in calls {
            add(&mut count, call.2)?;
            add(&mut cost, call.3)?;
        }
        edges.push(Edge {
            caller: calls[0].0,
            callee: calls[0].1,
            count: Some(count),
            cost,
        });
    }
    Ok(edges)
}
