//! Stacks, as flame graphs show them: the cost of each function, split over the call paths that
//! lead to it.
//!
//! A call graph does not record these paths: only how much each direct caller paid. So every stack
//! that reaches a function gets the same share of its self cost and of each of its calls. The
//! stacks that end with a function add up exactly to its self cost:
//!
//! - Cost that no call accounts for starts at the function itself: `main`, and functions whose
//!   callers were not profiled.
//! - If the calls cost more than the callee (the profile began within it), they are scaled down.
//! - What functions of a cycle cost is apportioned to the calls of each of them, which may be more
//!   than the calls into the cycle cost. So more may be apportioned to a function than it spent:
//!   its callers get that, too.
//! - Each function is entered only by functions that come before it in the order of the call graph,
//!   so that no function is twice in a stack: what recursive calls cost is part of the call that
//!   was the first of them.
//! - Costs in frames below the minimum percentage and rounding remainders are added to the largest
//!   stack of the function. If it has none, it gets a stack of its own by way of its most expensive
//!   callers, from the nearest of them that has one, so that each frame was called by the one above
//!   it; if this would be too deep, its costs are added to that caller.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use crate::graph::{Arc, CallGraph, part};
use crate::profile::FunctionId;
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::stack_nodes::{NodeId, StackNodes};
use crate::view::sums::{add_up_equal, part_of};
use crate::view::threads::sort_by;

/// The maximum number of frames of a stack. A stack is written with all its frames, so a chain of
/// calls takes space quadratic in its length.
const MAX_DEPTH: usize = 1000;

/// The costs of functions, of one event.
pub struct Stacks {
    nodes: StackNodes,
    /// By node.
    costs: Vec<StackCosts>,
    /// All nodes, callers first.
    order: Vec<NodeId>,
    /// The callees of each node and what it pays them, the most expensive first.
    calls: Vec<(NodeId, i64)>,
    total: i64,
}

#[derive(Clone, Default)]
struct StackCosts {
    own: i64,
    /// The indices of its calls.
    calls: Range<usize>,
    /// Its self cost plus these calls.
    sum: i64,
    /// The part of that for which no call accounts.
    uncalled: i64,
}

/// The function has a negative cost, which stacks cannot represent.
pub struct NegativeCost(pub FunctionId);

/// A frame still to be visited, with its cost.
struct Task {
    node: NodeId,
    cost: i64,
    depth: usize,
}

impl Task {
    /// The frames below it with these functions and costs, the largest first, without those below
    /// the minimum.
    fn below(
        &self,
        frames: impl Iterator<Item = (NodeId, i64)>,
        min_cost: i64,
    ) -> impl Iterator<Item = Task> {
        let depth = self.depth + 1;
        let frames = frames.take_while(move |&(_, cost)| cost >= min_cost && depth < MAX_DEPTH);
        frames.map(move |(node, cost)| Task { node, cost, depth })
    }
}

/// A call of a function by one that has a frame, or by one that is called below it.
#[derive(Clone, Copy)]
struct CallBelow {
    host: NodeId,
    caller: NodeId,
    paid: i64,
}

/// The costs that no frame has, and the frames that they are added to.
struct Remainders {
    /// By node the part of its self cost that is in none of its frames.
    of_node: Vec<i64>,
    /// By node the number of its largest frame, and that frame's self cost.
    largest: Vec<Option<(usize, i64)>>,
    /// Functions without a frame, each after the function below whose largest frame its remainder
    /// is added; sorted by the latter, the largest first.
    below: Vec<(NodeId, NodeId)>,
    /// By node the most expensive one of its callers below such a frame, or with one.
    callers: Vec<Option<NodeId>>,
}

impl Remainders {
    /// The functions that lead from the one with a frame to one without, which is the last; none if
    /// they are more than `max`.
    fn way(&self, (from, to): (NodeId, NodeId), max: usize) -> Option<Vec<NodeId>> {
        let caller = |&at: &NodeId| self.callers[at.index()].filter(|&caller| caller != from);
        let back = std::iter::successors(Some(to), caller);
        let mut way: Vec<NodeId> = back.take(max + 1).collect();
        way.reverse();
        Some(way).filter(|way| way.len() <= max)
    }
}

impl Stacks {
    /// Computes the costs of one event, counting only the self costs of rows that the filter
    /// selected.
    pub fn new(
        graph: &CallGraph<'_>,
        rows: &Rows<'_>,
        event: usize,
    ) -> Result<Stacks, NegativeCost> {
        let profile = graph.profile;
        let nodes = StackNodes::new(graph);
        let mut stacks = Stacks {
            costs: vec![StackCosts::default(); nodes.len()],
            order: nodes.in_order(graph.in_order()),
            nodes,
            calls: Vec::new(),
            total: 0,
        };
        for (id, fragment) in profile.fragments_with_ids() {
            if rows.is_selected(rows.of_fragment(id)) {
                let count = profile.events().count(graph.own(id), event).or_zero();
                let node = stacks.nodes.of(id, fragment.function);
                stacks.costs[node.index()].own += count;
            }
        }
        let is_negative = |&node: &NodeId| stacks.costs[node.index()].own < 0;
        if let Some(node) = stacks.nodes.all().find(is_negative) {
            return Err(NegativeCost(stacks.nodes.function(node)));
        }
        stacks.total = stacks.costs.iter().map(|of_node| of_node.own).sum();
        stacks.add_calls(graph, event, rows);
        Ok(stacks)
    }

    /// Apportions the cost of each node to the calls of it, callees before callers.
    fn add_calls(&mut self, graph: &CallGraph<'_>, event: usize, rows: &Rows<'_>) {
        let mut into = Vec::new();
        // The calls by nodes that come later here, each with the number of the node's call before.
        let mut pending: Vec<(NodeId, i64, u32)> = Vec::new();
        let mut last = vec![u32::MAX; self.costs.len()];
        for at in (0..self.order.len()).rev() {
            let node = self.order[at];
            let (first, mut next) = (self.calls.len(), last[node.index()]);
            while let Some(&(callee, cost, before)) = pending.get(next as usize) {
                self.calls.push((callee, cost));
                next = before;
            }
            let nodes = &self.nodes;
            let calls = &mut self.calls[first..];
            calls.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| by_name(a.0, b.0, nodes, rows)));
            let sum = self.costs[node.index()].own + calls.iter().map(|call| call.1).sum::<i64>();
            into.clear();
            add_edges_into(node, nodes, graph, event, &mut into);
            add_up_equal(&mut into, |edge| edge.caller, |edge, more| edge.cost += more.cost);
            let paid: i64 = into.iter().map(|edge| edge.cost).sum();
            let called = if let Some(unpaid) = unpaid_in_cycle(node, nodes, graph, event) {
                // Calls that go back are among the recorded costs, but in no stack.
                let whole = i128::from(unpaid) + i128::from(paid);
                part(sum.into(), paid.into(), whole) as i64
            } else if sum > paid {
                // Of calls in a cycle below it more was apportioned to it than it spent.
                let spent = spent(node, nodes, graph, event);
                if sum > spent { share(sum, paid, spent.max(paid)) } else { paid }
            } else {
                sum
            };
            let mut split = Apportion::new(called, paid);
            for edge in &into {
                let share = split.next(edge.cost);
                if share > 0 {
                    let before = &mut last[edge.caller.index()];
                    let number = pending.len() as u32;
                    pending.push((node, share, std::mem::replace(before, number)));
                }
            }
            let spent = &mut self.costs[node.index()];
            spent.calls = first..self.calls.len();
            (spent.sum, spent.uncalled) = (sum, sum - called);
        }
    }

    fn calls_of(&self, node: NodeId) -> &[(NodeId, i64)] {
        &self.calls[self.costs[node.index()].calls.clone()]
    }

    /// Calls `write` for each stack (outermost frame first) with its cost. Frames below
    /// `min_percent` percent of the total are cut. With `keeps_all`, a function with only such
    /// frames gets a stack of its own, unless it is too deep; otherwise its cost is added to the
    /// frame above.
    pub fn for_each<E>(
        &self,
        min_percent: f64,
        keeps_all: bool,
        rows: &Rows<'_>,
        write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let min_cost = self.min_cost(min_percent);
        let Some(threads) = self.nodes.most_of_a_function() else {
            return self.for_each_of_nodes(min_cost, keeps_all, rows, write);
        };
        // A frame may be that of all threads together, each of which has less than the minimum.
        let min_of_thread = (min_cost / threads.max(1) as i64).max(1);
        let mut merged = MergedStacks::default();
        let Ok(()) = self.for_each_of_nodes(min_of_thread, keeps_all, rows, |path, cost| {
            merged.add(path, cost);
            Ok::<(), std::convert::Infallible>(())
        });
        merged.for_each(if keeps_all { 1 } else { min_cost }, rows, write)
    }

    fn min_cost(&self, percent: f64) -> i64 {
        ((self.total as f64 * percent / 100.0).ceil() as i64).max(1)
    }

    /// The same for the stacks of each thread.
    fn for_each_of_nodes<E>(
        &self,
        min_cost: i64,
        keeps_all: bool,
        rows: &Rows<'_>,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let nodes = &self.nodes;
        let mut remainders = self.remainders(min_cost, rows);
        let rest = &remainders.of_node;
        sort_by(&mut remainders.below, |&(above_a, a), &(above_b, b)| {
            let by_rest = || rest[b.index()].cmp(&rest[a.index()]);
            let by_cost = above_a.cmp(&above_b).then_with(by_rest);
            by_cost.then_with(|| by_name(a, b, nodes, rows))
        });
        let mut write = |path: &[FunctionId], cost: i64| match cost {
            0 => Ok(()),
            cost => write(path, cost),
        };
        let mut number = 0;
        self.walk(min_cost, |node, path, mut own| {
            let is_largest = remainders.largest[node.index()].is_some_and(|(at, _)| at == number);
            number += 1;
            if !is_largest {
                return write(path, own);
            }
            own += remainders.of_node[node.index()];
            let below = part_of(&remainders.below, node, |one| one.0);
            if below.is_empty() {
                return write(path, own);
            }
            let mut path = path.to_vec();
            let depth = path.len();
            let room = if keeps_all { MAX_DEPTH.saturating_sub(depth) } else { 0 };
            let mut stacks = Vec::new();
            for &(from, to) in below {
                let cost = rest[to.index()];
                match remainders.way((from, to), room) {
                    Some(way) => stacks.push((way, cost)),
                    None => own += cost,
                }
            }
            write(&path, own)?;
            for (way, cost) in stacks {
                path.extend(way.into_iter().map(|node| nodes.function(node)));
                write(&path, cost)?;
                path.truncate(depth);
            }
            Ok(())
        })
    }

    /// Determines the cost that no frame has, and the frames that it is added to.
    fn remainders(&self, min_cost: i64, rows: &Rows<'_>) -> Remainders {
        let nodes = self.costs.len();
        let mut remainders = Remainders {
            of_node: self.costs.iter().map(|spent| spent.own).collect(),
            largest: vec![None; nodes],
            below: Vec::new(),
            callers: Vec::new(),
        };
        let mut number = 0;
        let walked = self.walk(min_cost, |node, _, own| {
            remainders.of_node[node.index()] -= own;
            let largest = &mut remainders.largest[node.index()];
            if largest.is_none_or(|(_, most)| own > most) {
                *largest = Some((number, own));
            }
            number += 1;
            Ok::<(), std::convert::Infallible>(())
        });
        let Ok(()) = walked;
        // By node its most expensive call below a frame: the node with that frame, the caller, and
        // the cost.
        let mut above: Vec<Option<CallBelow>> = vec![None; nodes];
        for &node in &self.order {
            let has_frame = remainders.largest[node.index()].is_some();
            let host = match &above[node.index()] {
                _ if has_frame => node,
                Some(call) => call.host,
                None => continue,
            };
            if !has_frame && remainders.of_node[node.index()] > 0 {
                remainders.below.push((host, node));
            }
            for &(callee, paid) in self.calls_of(node) {
                let is_better = above[callee.index()].as_ref().is_none_or(|known| {
                    let is_first = || by_name(node, known.caller, &self.nodes, rows).is_lt();
                    paid > known.paid || paid == known.paid && is_first()
                });
                if is_better {
                    above[callee.index()] = Some(CallBelow { host, caller: node, paid });
                }
            }
        }
        remainders.callers = above.into_iter().map(|call| Some(call?.caller)).collect();
        remainders
    }

    /// Calls `visit` for each frame with its node, the functions of its stack and its self cost.
    /// Self costs are rounded, but all frames of a node never exceed its self cost.
    fn walk<E>(
        &self,
        min_cost: i64,
        mut visit: impl FnMut(NodeId, &[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut path = Vec::new();
        let mut tasks = Vec::new();
        let mut left: Vec<i64> = self.costs.iter().map(|spent| spent.own).collect();
        for &node in &self.order {
            let cost = self.costs[node.index()].uncalled;
            if cost == 0 {
                continue;
            }
            tasks.push(Task { node, cost, depth: 0 });
            while let Some(task) = tasks.pop() {
                path.truncate(task.depth);
                path.push(self.nodes.function(task.node));
                let spent = &self.costs[task.node.index()];
                let left_of_own = &mut left[task.node.index()];
                let own = share(task.cost, spent.own, spent.sum).min(*left_of_own);
                *left_of_own -= own;
                visit(task.node, &path, own)?;
                self.call(&task, min_cost, &mut tasks);
            }
        }
        Ok(())
    }

    /// Splits the cost of a frame over the calls of its node.
    fn call(&self, task: &Task, min_cost: i64, tasks: &mut Vec<Task>) {
        let spent = &self.costs[task.node.index()];
        let mut split = Apportion::new(task.cost, spent.sum);
        let first = tasks.len();
        let calls =
            self.calls_of(task.node).iter().map(|&(callee, weight)| (callee, split.next(weight)));
        tasks.extend(task.below(calls, min_cost));
        // The last is done first.
        tasks[first..].reverse();
    }
}

/// Stacks of several threads as one tree of frames.
#[derive(Default)]
struct MergedStacks {
    frames: Vec<MergedFrame>,
    /// The numbers of the frames by that of the caller, from 1, and function.
    known: HashMap<(usize, FunctionId), usize>,
}

struct MergedFrame {
    function: FunctionId,
    /// The self cost, and that of all frames below it.
    own: i64,
    cost: i64,
    callees: Vec<usize>,
}

impl MergedStacks {
    fn add(&mut self, path: &[FunctionId], cost: i64) {
        let mut caller = 0;
        for &function in path {
            let next = self.frames.len() + 1;
            let number = *self.known.entry((caller, function)).or_insert(next);
            if number == next {
                self.frames.push(MergedFrame { function, own: 0, cost: 0, callees: Vec::new() });
                if let Some(above) = caller.checked_sub(1) {
                    self.frames[above].callees.push(number);
                }
            }
            self.frames[number - 1].cost += cost;
            caller = number;
        }
        if let Some(last) = caller.checked_sub(1) {
            self.frames[last].own += cost;
        }
    }

    /// Calls `write` for each stack, of the frames below one that with the largest cost first. The
    /// cost of frames with less than `min_cost` is added to the frame above.
    fn for_each<E>(
        mut self,
        min_cost: i64,
        rows: &Rows<'_>,
        mut write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let is_below: HashSet<usize> =
            self.frames.iter().flat_map(|frame| frame.callees.iter().copied()).collect();
        let mut tasks: Vec<(usize, usize)> = (1..=self.frames.len())
            .filter(|number| !is_below.contains(number))
            .map(|number| (number, 0))
            .collect();
        tasks.reverse();
        let mut path = Vec::new();
        while let Some((number, depth)) = tasks.pop() {
            let all = std::mem::take(&mut self.frames[number - 1].callees);
            let has_minimum = |&callee: &usize| self.frames[callee - 1].cost >= min_cost;
            let (mut callees, small): (Vec<usize>, Vec<usize>) =
                all.into_iter().partition(has_minimum);
            let of_small: i64 = small.iter().map(|callee| self.frames[callee - 1].cost).sum();
            let MergedFrame { function, own: own_cost, .. } = self.frames[number - 1];
            let own = own_cost + of_small;
            path.truncate(depth);
            path.push(function);
            if own != 0 {
                write(&path, own)?;
            }
            callees.sort_by(|&a, &b| {
                let [a, b] = [a, b].map(|number| &self.frames[number - 1]);
                let names =
                    || rows.cmp_names(rows.of_function(b.function), rows.of_function(a.function));
                a.cost.cmp(&b.cost).then_with(names).then(b.function.cmp(&a.function))
            });
            tasks.extend(callees.into_iter().map(|number| (number, depth + 1)));
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Edge {
    caller: NodeId,
    cost: i64,
}

/// Adds all calls of a node by earlier ones with a cost above 0, grouped by caller.
fn add_edges_into(
    callee: NodeId,
    nodes: &StackNodes,
    graph: &CallGraph<'_>,
    event: usize,
    into: &mut Vec<Edge>,
) {
    let (first, events) = (into.len(), graph.profile.events());
    let edges = nodes.entering(callee, graph).map(|(id, arc)| Edge {
        caller: nodes.of(arc.caller, graph.caller(arc)),
        cost: events.count(graph.cost(id), event).or_zero(),
    });
    into.extend(edges.filter(|edge| edge.cost > 0));
    into[first..].sort_unstable_by_key(|edge| edge.caller);
}

/// What a member of a component with several functions spent beyond what was paid for its calls.
fn unpaid_in_cycle(
    node: NodeId,
    nodes: &StackNodes,
    graph: &CallGraph<'_>,
    event: usize,
) -> Option<i64> {
    let events = graph.profile.events();
    let unpaid = graph.unpaid_by_component(nodes.function(node))?;
    let of_function = events.count(&unpaid, event).or_zero();
    if of_function == 0 || nodes.is_whole(node) {
        return Some(of_function);
    }
    let is_own = |arc: Arc| graph.caller(arc) == arc.callee;
    let all_spent = nodes.fragments(node, graph).map(|fragment| {
        let calls = graph.out_of(fragment).filter(|&(_, arc)| !is_own(arc));
        let of_calls = calls.map(|(id, _)| events.count(graph.cost(id), event).or_zero());
        events.count(graph.own(fragment), event).or_zero() + of_calls.sum::<i64>()
    });
    let calls = nodes.into(node, graph).filter(|&(_, arc)| !is_own(arc));
    let all_paid = calls.map(|(id, _)| events.count(graph.cost(id), event).or_zero());
    Some((all_spent.sum::<i64>() - all_paid.sum::<i64>()).clamp(0, of_function.max(0)))
}

/// The self cost of a node and the recorded cost of its calls, but those that go back.
fn spent(node: NodeId, nodes: &StackNodes, graph: &CallGraph<'_>, event: usize) -> i64 {
    let events = graph.profile.events();
    let of_fragments = nodes.fragments(node, graph).map(|fragment| {
        let calls = graph.out_of(fragment).filter(|&(_, arc)| !graph.goes_back(arc));
        let of_calls = calls.map(|(id, _)| events.count(graph.cost(id), event).or_zero());
        events.count(graph.own(fragment), event).or_zero() + of_calls.sum::<i64>()
    });
    of_fragments.sum()
}

fn by_name(a: NodeId, b: NodeId, nodes: &StackNodes, rows: &Rows<'_>) -> std::cmp::Ordering {
    let row = |node| -> RowId { rows.of_function(nodes.function(node)) };
    rows.cmp_names(row(a), row(b)).then(a.cmp(&b))
}

/// The part of an amount that is due to a weight, which is at most the whole.
fn share(amount: i64, weight: i64, whole: i64) -> i64 {
    part(amount.into(), weight.into(), whole.into()) as i64
}

/// Splits an integer by weights; the parts add up to it exactly.
#[derive(Default)]
pub(super) struct Apportion {
    amount: i64,
    weights: i64,
    so_far: i64,
    given: i64,
}

impl Apportion {
    /// `weights` is the sum of all of them.
    pub(super) fn new(amount: i64, weights: i64) -> Apportion {
        Apportion { amount, weights, ..Apportion::default() }
    }

    pub(super) fn next(&mut self, weight: i64) -> i64 {
        self.so_far += weight;
        let up_to_here = share(self.amount, self.so_far, self.weights);
        up_to_here - std::mem::replace(&mut self.given, up_to_here)
    }
}
