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
//! - The costs of calls into a cycle and out of it are known, and so are the self costs of its
//!   functions. In between they go along [walks](super::stack_walks), in which no function is
//!   twice: what recursive calls cost is part of the call that was the first of them.
//! - Not all producers record what such walks need. For others, what functions of a cycle cost is
//!   apportioned to the calls of each of them, which may be more than the calls into the cycle
//!   cost. So more may be apportioned to a function than it spent: its callers get that, too. Each
//!   function is entered only by functions that come before it in the order of the call graph.
//! - Frames below the minimum percentage are not followed one by one. What a frame paid for them is
//!   taken along the calls below it in few amounts, by calls that have cost left without the frames
//!   that are followed. So all frames have the costs of what they called, and all functions have
//!   their self costs. If a stack would be too deep, or such stacks together would be much longer
//!   than those of the frames that are followed, the cost is added to the last frame.

use std::ops::Range;

use hashbrown::HashMap;

use crate::graph::{Arc, ArcId, CallGraph, part};
use crate::profile::FunctionId;
use crate::view::merged_stacks::MergedStacks;
use crate::view::rows::Rows;
use crate::view::stack_nodes::{NodeId, StackNodes};
use crate::view::stack_walks::{Cycle, WalkedFrame, Way, Ways};
use crate::view::sums::add_up_equal;

/// The maximum number of frames of a stack. A stack is written with all its frames, so a chain of
/// calls takes space quadratic in its length.
const MAX_DEPTH: usize = 1000;

/// The frames of a node that differ only in what is above the calls of their cycle: outside cycles
/// all frames of the node, in a cycle those with the same frames of the cycle above. The first
/// numbers are those of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct BranchId(u32);

impl BranchId {
    fn of(node: NodeId) -> BranchId {
        BranchId(node.index() as u32)
    }

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// As many times the minimum cost of a frame is taken together of those that are cut.
const CUT_FRAMES: i64 = 4;

/// The stacks of frames that are cut have at most as many times the frames of the stacks that are
/// followed, beyond some that all may have.
const CUT_FACTOR: usize = 3;
const CUT_BEYOND: usize = 1 << 16;

/// The costs of functions, of one event.
pub struct Stacks {
    nodes: StackNodes,
    /// By branch.
    node_of: Vec<NodeId>,
    costs: Vec<StackCosts>,
    /// All branches that have frames, callers first.
    order: Vec<BranchId>,
    /// The callees of each branch and what it pays them, the most expensive first.
    calls: Vec<(BranchId, i64)>,
    /// The self cost by node.
    own: Vec<i64>,
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

/// Whose stacks are visited. No stack has code of two threads.
#[derive(Clone, Copy)]
enum StacksOf {
    AllThreads,
    Thread(Option<u32>),
}

impl StacksOf {
    fn has(self, thread: Option<u32>) -> bool {
        match self {
            StacksOf::AllThreads => true,
            StacksOf::Thread(chosen) => chosen == thread,
        }
    }
}

/// A frame still to be visited, with its cost.
struct Task {
    branch: BranchId,
    cost: i64,
    depth: usize,
}

/// A frame that is visited.
struct Frame<'f> {
    branch: BranchId,
    /// The number of frames above it.
    depth: usize,
    own: i64,
    /// The calls that are followed, by number, with their costs.
    calls: &'f [(usize, i64)],
    /// The cost of all others.
    cut: i64,
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
        let mut selected = vec![0i64; nodes.len()];
        let mut all = selected.clone();
        for (id, fragment) in profile.fragments_with_ids() {
            let count = profile.events().count(graph.own(id), event).or_zero();
            let node = nodes.of(id, fragment.function).index();
            all[node] += count;
            if rows.is_selected(rows.of_fragment(id)) {
                selected[node] += count;
            }
        }
        if let Some(node) = nodes.all().find(|node| selected[node.index()] < 0) {
            return Err(NegativeCost(nodes.function(node)));
        }
        all.iter_mut().for_each(|own| *own = (*own).max(0));
        let own = all.iter().map(|&own| StackCosts { own, ..StackCosts::default() });
        let mut stacks = Stacks {
            node_of: nodes.all().collect(),
            costs: own.collect(),
            order: Vec::new(),
            calls: Vec::new(),
            total: selected.iter().sum(),
            own: all,
            nodes,
        };
        CallSplit::new(&mut stacks, graph, event, rows).split_all();
        if stacks.own != selected {
            stacks.keep(selected, rows);
        }
        Ok(stacks)
    }

    /// Replaces the self costs by a part of them, and all calls by the part that led to that.
    fn keep(&mut self, own: Vec<i64>, rows: &Rows<'_>) {
        let by_node = own.iter().zip(&self.own);
        let mut of_nodes: Vec<Apportion> =
            by_node.map(|(&part, &whole)| Apportion::new(part, whole)).collect();
        for &branch in &self.order {
            let costs = &mut self.costs[branch.index()];
            costs.own = of_nodes[self.node_of[branch.index()].index()].next(costs.own);
        }
        let mut of_callees: Vec<Apportion> = Vec::new();
        of_callees.resize_with(self.costs.len(), Apportion::default);
        for at in (0..self.order.len()).rev() {
            let branch = self.order[at];
            let costs = self.costs[branch.index()].clone();
            let calls = &mut self.calls[costs.calls.clone()];
            for (callee, cost) in &mut *calls {
                *cost = of_callees[callee.index()].next(*cost);
            }
            sort_calls(calls, &self.node_of, &self.nodes, rows);
            let sum = costs.own + calls.iter().map(|call| call.1).sum::<i64>();
            let called_before = costs.sum - costs.uncalled;
            let called = share(sum, called_before, costs.sum);
            of_callees[branch.index()] = Apportion::new(called, called_before);
            self.costs[branch.index()] = StackCosts { sum, uncalled: sum - called, ..costs };
        }
        self.own = own;
    }

    fn node(&self, branch: BranchId) -> NodeId {
        self.node_of[branch.index()]
    }

    fn function(&self, branch: BranchId) -> FunctionId {
        self.nodes.function(self.node(branch))
    }

    /// Calls `write` for each stack (outermost frame first) with its cost. Frames below
    /// `min_percent` percent of the total are cut. With `keeps_all`, their costs get stacks of
    /// their functions, unless these are too deep or too long together; otherwise they are added to
    /// the frames above.
    pub fn for_each<E>(
        &self,
        min_percent: f64,
        keeps_all: bool,
        rows: &Rows<'_>,
        write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        // A frame may be that of all threads together, each of which has less than the minimum.
        let threads = self.nodes.most_of_a_function().unwrap_or(1);
        let min_cost = self.min_cost(min_percent);
        let min_of_thread = (min_cost / threads.max(1) as i64).max(1);
        let merged = self.merged(StacksOf::AllThreads, min_of_thread, min_cost, keeps_all);
        merged.for_each(if keeps_all { 1 } else { min_cost }, rows, write)
    }

    /// The same of one thread, by the number of its division. The minimum is that of the whole.
    pub fn for_each_of_thread<E>(
        &self,
        thread: Option<u32>,
        min_percent: f64,
        keeps_all: bool,
        rows: &Rows<'_>,
        write: impl FnMut(&[FunctionId], i64) -> Result<(), E>,
    ) -> Result<(), E> {
        let min_cost = self.min_cost(min_percent);
        let merged = self.merged(StacksOf::Thread(thread), min_cost, min_cost, keeps_all);
        merged.for_each(if keeps_all { 1 } else { min_cost }, rows, write)
    }

    /// These stacks as a tree, whose frames are followed from `min_followed` on.
    fn merged(
        &self,
        of: StacksOf,
        min_followed: i64,
        min_cost: i64,
        keeps_all: bool,
    ) -> MergedStacks {
        let mut merged = MergedStacks::default();
        // Without frames below the minimum, only what rounding left is taken along the calls.
        if keeps_all || min_cost == 1 {
            self.add_all(of, min_followed, &mut merged);
        } else {
            self.walk(of, min_followed, |frame| {
                merged.enter(frame.depth, self.function(frame.branch));
                merged.add(frame.own + frame.cut);
            });
        }
        merged
    }

    fn min_cost(&self, percent: f64) -> i64 {
        ((self.total as f64 * percent / 100.0).ceil() as i64).max(1)
    }

    /// Adds all frames with the minimum cost, and what is below them.
    fn add_all(&self, of: StacksOf, min_cost: i64, merged: &mut MergedStacks) {
        let mut own: Vec<i64> = self.costs.iter().map(|costs| costs.own).collect();
        let mut calls: Vec<i64> = self.calls.iter().map(|call| call.1).collect();
        let mut followed = 0;
        self.walk(of, min_cost, |frame| {
            own[frame.branch.index()] -= frame.own;
            frame.calls.iter().for_each(|&(call, cost)| calls[call] -= cost);
            followed += frame.depth + 1;
        });
        let ways = Vec::from_iter(self.costs.iter().map(|_| None));
        let left = CUT_FACTOR * followed + CUT_BEYOND;
        let mut unfollowed = Unfollowed { stacks: self, own, calls, ways, left };
        self.walk(of, min_cost, |frame| {
            merged.enter(frame.depth, self.function(frame.branch));
            merged.add(frame.own);
            let together = CUT_FRAMES.saturating_mul(min_cost);
            let amounts = frame.cut.saturating_add(together - 1) / together;
            let mut split = Apportion::new(frame.cut, amounts);
            for _ in 0..amounts {
                merged.leave_to(frame.depth + 1);
                unfollowed.add_below(frame.branch, split.next(1), merged);
            }
        });
    }

    /// Calls `visit` for each frame with the minimum cost. Costs are rounded, but those of all
    /// frames of a branch never exceed its self cost, and what it paid for a call.
    fn walk(&self, of: StacksOf, min_cost: i64, mut visit: impl FnMut(&Frame<'_>)) {
        let mut tasks = Vec::new();
        let mut calls = Vec::new();
        let mut left: Vec<i64> = self.costs.iter().map(|spent| spent.own).collect();
        let mut left_of_calls: Vec<i64> = self.calls.iter().map(|call| call.1).collect();
        for &branch in &self.order {
            let cost = self.costs[branch.index()].uncalled;
            if cost == 0 || !of.has(self.nodes.thread(self.node(branch))) {
                continue;
            }
            tasks.push(Task { branch, cost, depth: 0 });
            while let Some(task) = tasks.pop() {
                let spent = &self.costs[task.branch.index()];
                let left_of_own = &mut left[task.branch.index()];
                let own = share(task.cost, spent.own, spent.sum).min(*left_of_own);
                *left_of_own -= own;
                calls.clear();
                self.split(&task, min_cost, &mut calls);
                for (call, cost) in &mut calls {
                    *cost = (*cost).min(left_of_calls[*call]);
                    left_of_calls[*call] -= *cost;
                }
                calls.retain(|&(_, cost)| cost > 0);
                let of_calls: i64 = calls.iter().map(|call| call.1).sum();
                visit(&Frame {
                    branch: task.branch,
                    depth: task.depth,
                    own,
                    calls: &calls,
                    cut: task.cost - own - of_calls,
                });
                // The last is done first.
                let depth = task.depth + 1;
                tasks.extend(calls.iter().rev().map(|&(call, cost)| {
                    let (branch, _) = self.calls[call];
                    Task { branch, cost, depth }
                }));
            }
        }
    }

    /// Splits the cost of a frame over the calls of its branch, the most expensive first, without
    /// those below the minimum.
    fn split(&self, task: &Task, min_cost: i64, calls: &mut Vec<(usize, i64)>) {
        let spent = &self.costs[task.branch.index()];
        let mut split = Apportion::new(task.cost, spent.sum);
        let all = spent.calls.clone().map(|call| (call, split.next(self.calls[call].1)));
        if task.depth + 1 < MAX_DEPTH {
            calls.extend(all.take_while(|&(_, cost)| cost >= min_cost));
        }
    }
}

/// What branches cost without the frames that are followed.
struct Unfollowed<'s> {
    stacks: &'s Stacks,
    /// By branch.
    own: Vec<i64>,
    /// By call.
    calls: Vec<i64>,
    /// By branch where its cost goes, from when it is first asked for.
    ways: Vec<Option<Ways>>,
    /// The frames that its stacks may have together.
    left: usize,
}

impl Unfollowed<'_> {
    /// Takes an amount from the current stack, whose last frame is of this branch, along calls that
    /// have cost left to where it was spent.
    fn add_below(&mut self, from: BranchId, amount: i64, merged: &mut MergedStacks) {
        let mut open = vec![Task { branch: from, cost: amount, depth: merged.depth() }];
        while let Some(Task { mut branch, mut cost, depth }) = open.pop() {
            merged.leave_to(depth);
            while merged.depth() < self.left
                && let Some((way, taken)) = self.ways(branch).take(cost)
            {
                if taken < cost {
                    open.push(Task { branch, cost: cost - taken, depth: merged.depth() });
                }
                cost = taken;
                let Way::Call(call) = way else { break };
                if merged.depth() >= MAX_DEPTH {
                    break;
                }
                branch = self.stacks.calls[call].0;
                merged.enter(merged.depth(), self.stacks.function(branch));
            }
            self.left = self.left.saturating_sub(merged.depth());
            merged.add(cost);
        }
    }

    fn ways(&mut self, branch: BranchId) -> &mut Ways {
        self.ways[branch.index()].get_or_insert_with(|| {
            let of_calls = self.stacks.costs[branch.index()].calls.clone();
            let all = [(Way::Own, self.own[branch.index()])]
                .into_iter()
                .chain(of_calls.map(|call| (Way::Call(call), self.calls[call])));
            Ways::new(all.filter(|&(_, cost)| cost > 0))
        })
    }
}

/// Splits what each node costs over the calls of it, callees before callers.
struct CallSplit<'s, 'p> {
    stacks: &'s mut Stacks,
    graph: &'s CallGraph<'p>,
    event: usize,
    rows: &'s Rows<'p>,
    /// The calls by nodes that are not done yet, each with the number of the node's call before.
    pending: Vec<(BranchId, i64, u32)>,
    last: Vec<u32>,
}

impl<'s, 'p> CallSplit<'s, 'p> {
    fn new(
        stacks: &'s mut Stacks,
        graph: &'s CallGraph<'p>,
        event: usize,
        rows: &'s Rows<'p>,
    ) -> CallSplit<'s, 'p> {
        let last = vec![u32::MAX; stacks.node_of.len()];
        CallSplit { stacks, graph, event, rows, pending: Vec::new(), last }
    }

    fn split_all(mut self) {
        let graph = self.graph;
        let order = self.stacks.nodes.in_order(graph.in_order());
        let nodes = &self.stacks.nodes;
        let component_of = |node: NodeId| graph.component_of(nodes.function(node));
        let components: Vec<&[NodeId]> =
            order.chunk_by(|&a, &b| component_of(a) == component_of(b)).collect();
        for component in components.into_iter().rev() {
            let function = self.stacks.nodes.function(component[0]);
            let is_walked =
                graph.calls_others_that_call_it(function) && self.split_cycle(component);
            for &node in component.iter().rev().filter(|_| !is_walked) {
                self.split_node(node);
            }
        }
        self.stacks.order.reverse();
    }

    /// The calls that a node makes.
    fn calls_by(&self, node: NodeId) -> Vec<(BranchId, i64)> {
        let mut calls = Vec::new();
        let mut next = self.last[node.index()];
        while let Some(&(callee, cost, before)) = self.pending.get(next as usize) {
            calls.push((callee, cost));
            next = before;
        }
        calls
    }

    /// Splits what was paid for a branch over the calls of it.
    fn hand_on(&mut self, branch: BranchId, called: i64, edges: &[Edge]) {
        let mut split = Apportion::new(called, edges.iter().map(|edge| edge.cost).sum());
        for edge in edges {
            let share = split.next(edge.cost);
            if share > 0 {
                let before = &mut self.last[edge.caller.index()];
                let number = self.pending.len() as u32;
                self.pending.push((branch, share, std::mem::replace(before, number)));
            }
        }
    }

    /// Sets the costs of a branch with these calls, and adds it before its callees. Returns their
    /// sum, for none of which calls account yet.
    fn add_branch(&mut self, branch: BranchId, mut calls: Vec<(BranchId, i64)>) -> i64 {
        let stacks = &mut *self.stacks;
        sort_calls(&mut calls, &stacks.node_of, &stacks.nodes, self.rows);
        let first = stacks.calls.len();
        stacks.calls.append(&mut calls);
        let of_calls: i64 = stacks.calls[first..].iter().map(|call| call.1).sum();
        let costs = &mut stacks.costs[branch.index()];
        costs.calls = first..stacks.calls.len();
        costs.sum = costs.own + of_calls;
        costs.uncalled = costs.sum;
        stacks.order.push(branch);
        costs.sum
    }

    fn split_node(&mut self, node: NodeId) {
        let (graph, event) = (self.graph, self.event);
        let branch = BranchId::of(node);
        let calls = self.calls_by(node);
        let sum = self.add_branch(branch, calls);
        let nodes = &self.stacks.nodes;
        let into = edges_of(nodes.entering(node, graph), nodes, graph, event);
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
        self.stacks.costs[branch.index()].uncalled = sum - called;
        self.hand_on(branch, called, &into);
    }

    /// Splits what the nodes of a cycle cost, if that flows along its calls.
    fn split_cycle(&mut self, component: &[NodeId]) -> bool {
        let (graph, event) = (self.graph, self.event);
        let numbers: HashMap<NodeId, usize> =
            component.iter().enumerate().map(|(number, &node)| (node, number)).collect();
        let mut leaving = Vec::new();
        let mut ways: Vec<Vec<(Way, i64)>> = Vec::new();
        for &node in component {
            let own = Some((Way::Own, self.stacks.own[node.index()]));
            let calls = self.calls_by(node).into_iter().map(|(callee, cost)| {
                leaving.push(callee);
                (Way::Leave(leaving.len() - 1), cost)
            });
            ways.push(own.into_iter().chain(calls).filter(|&(_, cost)| cost > 0).collect());
        }
        let mut entering: Vec<Vec<Edge>> = Vec::new();
        let mut entered = Vec::new();
        for (callee, &node) in component.iter().enumerate() {
            let nodes = &self.stacks.nodes;
            let is_by_others =
                |&(_, arc): &(ArcId, Arc)| !graph.is_own_call(graph.caller(arc), arc.callee);
            let calls = nodes.into(node, graph).filter(is_by_others);
            let (inner, outer): (Vec<Edge>, Vec<Edge>) = edges_of(calls, nodes, graph, event)
                .into_iter()
                .partition(|edge| numbers.contains_key(&edge.caller));
            for edge in inner {
                ways[numbers[&edge.caller]].push((Way::Call(callee), edge.cost));
            }
            let unpaid = unpaid_in_cycle(node, nodes, graph, event).unwrap_or(0);
            entered.push(unpaid + outer.iter().map(|edge| edge.cost).sum::<i64>());
            entering.push(outer);
        }
        let Some(frames) = Cycle::new(ways, entered.clone()).frames() else {
            return false;
        };
        self.add_frames(component, &frames, &leaving);
        let first = self.stacks.costs.len() - frames.len();
        for (number, frame) in frames.iter().enumerate().filter(|(_, one)| one.above.is_none()) {
            let branch = BranchId((first + number) as u32);
            let costs = &mut self.stacks.costs[branch.index()];
            let edges = &entering[frame.member];
            let paid: i64 = edges.iter().map(|edge| edge.cost).sum();
            let called = share(costs.sum, paid, entered[frame.member]);
            costs.uncalled = costs.sum - called;
            self.hand_on(branch, called, edges);
        }
        true
    }

    /// Adds a branch for each frame of a cycle, of which these callees are outside.
    fn add_frames(&mut self, component: &[NodeId], frames: &[WalkedFrame], leaving: &[BranchId]) {
        let first = self.stacks.costs.len();
        let branch = |number: usize| BranchId((first + number) as u32);
        let mut calls: Vec<Vec<(BranchId, i64)>> = Vec::new();
        for frame in frames {
            self.stacks.node_of.push(component[frame.member]);
            self.stacks.costs.push(StackCosts { own: frame.own, ..StackCosts::default() });
            let of_frame = frame.leaving.iter().map(|&(call, cost)| (leaving[call], cost));
            calls.push(of_frame.collect());
        }
        for (number, frame) in frames.iter().enumerate().rev() {
            let of_frame = std::mem::take(&mut calls[number]);
            let sum = self.add_branch(branch(number), of_frame);
            if let Some(above) = frame.above {
                self.stacks.costs[branch(number).index()].uncalled = 0;
                calls[above].push((branch(number), sum));
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Edge {
    caller: NodeId,
    cost: i64,
}

/// The calls with a cost above 0, by caller.
fn edges_of(
    arcs: impl Iterator<Item = (ArcId, Arc)>,
    nodes: &StackNodes,
    graph: &CallGraph<'_>,
    event: usize,
) -> Vec<Edge> {
    let events = graph.profile.events();
    let edges = arcs.map(|(id, arc)| Edge {
        caller: nodes.of(arc.caller, graph.caller(arc)),
        cost: events.count(graph.cost(id), event).or_zero(),
    });
    let mut edges: Vec<Edge> = edges.filter(|edge| edge.cost > 0).collect();
    edges.sort_unstable_by_key(|edge| edge.caller);
    add_up_equal(&mut edges, |edge| edge.caller, |edge, more| edge.cost += more.cost);
    edges
}

/// Sorts calls, the most expensive first.
fn sort_calls(
    calls: &mut [(BranchId, i64)],
    node_of: &[NodeId],
    nodes: &StackNodes,
    rows: &Rows<'_>,
) {
    let row = |branch: BranchId| rows.of_function(nodes.function(node_of[branch.index()]));
    calls.sort_by(|&(a, paid_for_a), &(b, paid_for_b)| {
        let by_name = || rows.cmp_names(row(a), row(b)).then(a.cmp(&b));
        paid_for_b.cmp(&paid_for_a).then_with(by_name)
    });
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
