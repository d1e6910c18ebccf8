//! The call tree: for each row its callers and callees, each call as it was recorded.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::{HashMap, HashSet};

use crate::graph::{CallEnd, Groups};
use crate::profile::{Call, Count, FileId, NEW, Profile};
use crate::view::call_counts::CallCounts;
use crate::view::cycles::Graphs;
use crate::view::figure::{CostFigure, Figure};
use crate::view::label::RowId;
use crate::view::row_costs::CostEstimate;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Sums, SumsBuilder};

/// The direction of a path, which is also the index among caller and callee of the function at the
/// end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDirection {
    Callers,
    Callees,
}

impl PathDirection {
    pub(super) const BOTH: [PathDirection; 2] = [PathDirection::Callers, PathDirection::Callees];

    /// The index among caller and callee of the function at the start of a call.
    pub(super) fn start(self) -> usize {
        1 - self as usize
    }
}

/// A caller or a callee of a row.
#[derive(Debug)]
pub struct CallLine<'c> {
    /// The number of lines between it and the row.
    pub level: usize,
    pub row: RowId,
    /// The line of the calls, if the tree has a line for each.
    pub site: Option<LineOfCall>,
    /// The caller's only caller, the only caller of that, and so on.
    pub chain: Vec<RowId>,
    /// The number of calls on the path, if known.
    pub count: Option<Figure<CallCounts>>,
    /// The inclusive cost of the calls.
    pub cost: Figure<Cow<'c, [Count]>>,
    /// What is known of the cost, if it is estimated.
    pub estimate: Option<CostEstimate>,
    /// Whether the calls go back to a function that was entered before, so that their cost is part
    /// of that of other calls: the path ends.
    pub is_recursive: bool,
    /// Whether the cost is unknown: it includes that of nested calls, and how much was not
    /// recorded.
    pub is_unknown: bool,
    /// Whether no call has a cost, because none is of an outermost activation.
    pub is_nested: bool,
}

fn is_undefined(cost: CostFigure<'_>) -> bool {
    let is_none = |cost: &[Count]| cost.iter().all(|count| *count == Count::UNDEFINED);
    cost.sides().map_or(is_none(cost.value), |(base, new)| is_none(base) && is_none(new))
}

/// A caller or a callee that is found and to be sorted.
struct FoundCall<'c> {
    /// The first key of its cost; none if that is unknown.
    key: Option<i64>,
    row: RowId,
    /// The position of its calls.
    at: usize,
    cost: Option<CostFigure<'c>>,
    /// The sums that have this cost and the number of calls that it is divided by, and the position
    /// there; none if the cost is unknown.
    calls: Option<(&'c Sums<CallKey>, usize)>,
    is_nested: bool,
}

impl CallLine<'_> {
    pub fn cost(&self) -> CostFigure<'_> {
        self.cost.as_ref().map(|cost| &**cost)
    }

    pub fn rows(&self) -> impl Iterator<Item = RowId> {
        std::iter::once(self.row).chain(self.chain.iter().copied())
    }
}

/// A line at which calls are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineOfCall {
    pub file: FileId,
    pub line: u32,
}

/// The caller and the callee of calls, and their line in a tree that has a line for each.
type CallKey = ([u32; 2], Option<LineOfCall>);

/// All calls between rows, and into and out of cycles. Cycles are numbered after the rows.
pub struct CallTree {
    calls: Sums<CallKey>,
    /// By direction the positions of the calls of each item.
    of: [Groups; 2],
    /// By direction the costs of calls within cycles, if these are of outermost activations.
    outermost: Option<[Outermost; 2]>,
}

/// The costs of calls of which some stay within a cycle or a function: those of the outermost
/// activations of the function at one end. A producer that counts the time of each pair of
/// functions tells that of the calls of one by another, which those of others may overlap.
struct Outermost {
    costs: Sums<CallKey>,
    /// The position of each cost; none if it is unknown.
    at: HashMap<CallKey, Option<usize>>,
}

impl Outermost {
    fn new(end: CallEnd, graphs: &Graphs<'_>, rows: &Rows<'_>, by_line: bool) -> Outermost {
        let profile = rows.profile;
        let ends_of = |call: Call| {
            let (RowId(caller), RowId(callee)) = rows.of_call(call);
            ([caller, callee], site_of(call, profile, by_line))
        };
        let sides = || graphs.sides.iter().enumerate();
        let going_round =
            profile.calls.iter().filter(|&&call| sides().any(|(_, graph)| graph.goes_round(call)));
        let wanted: HashSet<CallKey> = going_round.map(|&call| ends_of(call)).collect();
        let mut costs = SumsBuilder::new(profile);
        let mut at: HashMap<CallKey, Option<usize>> = HashMap::new();
        // The pairs of caller and callee that a side has already.
        let mut pairs: HashSet<(usize, CallKey)> = HashSet::new();
        for (number, &call) in profile.calls.iter().enumerate() {
            let ends = ends_of(call);
            if !wanted.contains(&ends) {
                continue;
            }
            let on = profile.presence_of_call(number);
            let (mut costs_on, mut is_known) = (on, true);
            for (side, graph) in sides().filter(|(_, graph)| graph.goes_round(call)) {
                let is_on = on.has(side);
                let of_side = if side == NEW { &mut costs_on.new } else { &mut costs_on.base };
                // The times of several pairs have no known sum.
                let is_pair = graph.counts_pairs() && (!is_on || pairs.insert((side, ends)));
                let is_outermost = graph.is_outermost(call, end).or(is_pair.then_some(true));
                let is_one = graphs.are_in_one_cycle(side, call);
                is_known &= !is_on || is_outermost.is_some() || !is_one;
                *of_side &= is_outermost.unwrap_or(!is_one);
            }
            let position = costs.add_recursive_calls(ends, number, on, costs_on);
            let position_of_ends = at.entry(ends).or_insert(Some(position));
            *position_of_ends = position_of_ends.filter(|_| is_known);
        }
        Outermost { costs: costs.finish(), at }
    }
}

/// The line of a call, if trees have a line for each.
fn site_of(call: Call, profile: &Profile, by_line: bool) -> Option<LineOfCall> {
    by_line.then(|| {
        let at = profile.code_place(call.site);
        LineOfCall { file: at.file, line: at.line }
    })
}

impl CallTree {
    /// The same, but calls that stay within a cycle or a function have the cost of outermost
    /// activations, so that no cost is counted twice. Calls between groups have their recorded
    /// costs.
    pub fn of_outermost(graphs: &Graphs<'_>, rows: &Rows<'_>, by_line: bool) -> CallTree {
        let tree = CallTree::new(graphs, rows, by_line);
        if rows.row_by.is_group() {
            return tree;
        }
        let ends = [CallEnd::Callee, CallEnd::Caller];
        CallTree {
            outermost: Some(ends.map(|end| Outermost::new(end, graphs, rows, by_line))),
            ..tree
        }
    }

    /// Sums the calls of a profile by rows, and the calls into and out of each cycle. Calls within
    /// a group are left out, and groups have no cycles. In a difference each side has its own
    /// cycles. With `by_line` the calls of each line are apart.
    pub fn new(graphs: &Graphs<'_>, rows: &Rows<'_>, by_line: bool) -> CallTree {
        let profile = rows.profile;
        // Most arcs are the calls between two rows, or between a row and a cycle.
        let mut builder = SumsBuilder::with_capacity(profile, graphs.sides.new.arcs().len());
        let are_groups = rows.row_by.is_group();
        // NEW, and BASE of a difference.
        let sides_with_cycles = if are_groups { 0 } else { graphs.sides.count().min(2) };
        for (number, &call) in profile.calls.iter().enumerate() {
            let on = profile.presence_of_call(number);
            let (RowId(caller), RowId(callee)) = rows.of_call(call);
            let site = site_of(call, profile, by_line);
            if !are_groups || caller != callee {
                builder.add_call(([caller, callee], site), number, on);
            }
            let function = profile.fragment(call.site.fragment).function;
            for side in (0..sides_with_cycles).filter(|&side| on.has(side)) {
                let on = on.only(side);
                let cycle_of = |function| Some((rows.len() + graphs.cycle(side, function)?) as u32);
                let (from, to) = (cycle_of(function), cycle_of(call.callee));
                if let Some(cycle) = to.filter(|_| from != to) {
                    builder.add_call(([caller, cycle], site), number, on);
                }
                if let Some(cycle) = from.filter(|_| from != to) {
                    builder.add_call(([cycle, callee], site), number, on);
                }
            }
        }
        let (calls, items) = (builder.finish(), rows.len() + graphs.cycles.len());
        let of = PathDirection::BOTH.map(|direction| {
            let ends = calls.keys.iter();
            let starts = ends.map(|(ends, _)| Some(ends[direction.start()] as usize));
            Groups::new(items, starts)
        });
        CallTree { calls, of, outermost: None }
    }

    /// The callers or callees of `item`, which may be a cycle, the most expensive first. They are
    /// rows, never cycles.
    pub fn calls<'c>(
        &'c self,
        direction: PathDirection,
        item: RowId,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> Vec<CallLine<'c>> {
        let of_item = self.of[direction as usize].get(item.index());
        let found = |&at: &u32| {
            let at = at as usize;
            let key = self.calls.keys[at];
            let row = RowId(key.0[direction as usize]);
            if !rows.is_row(row) || !self.calls.is_shown(at, selection) {
                return None;
            }
            let of_outermost = self.outermost.as_ref().map(|of| &of[direction as usize]);
            let outermost = of_outermost.and_then(|of| Some((&of.costs, *of.at.get(&key)?)));
            let (sums, position) = outermost.unwrap_or((&self.calls, Some(at)));
            let cost = position.map(|position| sums.cost(position));
            Some(FoundCall {
                key: cost.map(|cost| selection.first_key(cost.value)),
                row,
                at,
                cost,
                calls: position.map(|position| (sums, position)),
                is_nested: outermost.is_some() && cost.is_some_and(is_undefined),
            })
        };
        let mut calls: Vec<FoundCall<'c>> = Vec::with_capacity(of_item.len());
        calls.extend(of_item.iter().filter_map(found));
        let site_of = |at: usize| self.calls.keys[at].1;
        calls.sort_by(|a, b| {
            // Unknown costs come last.
            let by_cost = || match (a.cost, b.cost) {
                (Some(a), Some(b)) => selection.cmp_descending(a.value, b.value),
                _ => Ordering::Equal,
            };
            let place = |site: LineOfCall| (rows.profile.file(site.file), site.line);
            b.key
                .cmp(&a.key)
                .then_with(by_cost)
                .then_with(|| rows.cmp_items(a.row, b.row))
                .then_with(|| site_of(a.at).map(place).cmp(&site_of(b.at).map(place)))
        });
        let line = |FoundCall { row, at, cost, calls, is_nested, .. }: FoundCall<'c>| {
            let (sums, position) = calls.unwrap_or((&self.calls, at));
            CallLine {
                level: 0,
                row,
                site: site_of(at),
                chain: Vec::new(),
                count: Some(sums.calls(position)),
                is_unknown: cost.is_none(),
                cost: cost.unwrap_or_else(|| self.calls.cost(at)).map(Cow::Borrowed),
                estimate: None,
                is_recursive: false,
                is_nested,
            }
        };
        calls.into_iter().map(line).collect()
    }
}
