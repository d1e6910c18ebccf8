//! The call graph of gprof's views: calls, cycles, and what callees cost their callers.
//!
//! Of samples it is known only how often functions call each other: as in gprof, the time of a callee is divided among its
//! calls by their number. So are recorded costs if not all of them count or if calls are left out; otherwise calls cost
//! what was recorded.

use std::cmp::Reverse;
use std::ops::{Add, AddAssign};

use super::symspecs::{Scope, Selected};
use crate::graph::{Groups, components};
use crate::profile::Factor;
use crate::view::asm::SourceLine;

/// What is counted: recorded costs, or samples.
pub trait Amount:
    Copy + Default + PartialOrd + Add<Output = Self> + AddAssign + Send + Sync
{
    /// Whether it was recorded. Entries follow gprof where it is wrong only of samples.
    const IS_RECORDED: bool;

    /// What calls of one function, by their numbers, cost: of its own cost, and of that of its callees.
    fn of_calls(graph: &Graph<'_, Self>, calls: &[u32]) -> (Self, Self);
}

/// The calls of one function by another, or from one line of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    pub caller: u32,
    pub callee: u32,
    /// The line that makes them, if recorded calls are by line, and its number among these.
    pub site: Option<(u32, SourceLine)>,
    pub count: i64,
    /// What they cost with all that was called in turn, if that was recorded.
    pub cost: i64,
}

/// The numbers of a function or cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node<C> {
    pub own: C,
    /// What its callees propagate to it, whatever share of it counts.
    pub children: C,
    /// Its own cost, as far as it counts.
    pub counted: C,
    /// That of its callees, as far as it counts.
    pub counted_children: C,
    /// Calls from other functions; of a cycle from other functions than its members.
    pub calls: i64,
    /// Recursive calls; of a cycle between different members.
    pub self_calls: i64,
    pub is_shown: bool,
    share: f64,
    /// What is divided among its calls is divided by this number.
    parts: i64,
}

/// All functions and calls, with what they cost.
pub struct Graph<'c, C> {
    pub(super) calls: &'c [Calls],
    /// By function the numbers of the calls to it and of those that it makes.
    pub(super) callers: Groups,
    pub(super) callees: Groups,
    /// By function its own number, or that of its cycle: what calls of it are calls of.
    unit_of: Vec<u32>,
    /// By cycle.
    members: Vec<Vec<u32>>,
    /// By function, then by cycle.
    pub(super) nodes: Vec<Node<C>>,
    /// By calls what they propagate of their callee's own cost, and of that of its callees.
    propagated: Vec<(f64, f64)>,
    /// Calls that were counted less often than this are taken as this many.
    least: i64,
    /// Whether calls cost what was recorded.
    is_exact: bool,
    /// All own cost that counts: 100% of the graph.
    pub total: C,
}

impl<C: Amount> Graph<'_, C> {
    /// Whether calls stay within a function or a cycle.
    pub(super) fn is_nested(&self, call: &Calls) -> bool {
        self.unit_of[call.caller as usize] == self.unit_of[call.callee as usize]
    }

    /// What the calls of a function are calls of: its cycle, if it is in one.
    pub(super) fn source(&self, callee: u32) -> &Node<C> {
        &self.nodes[self.unit_of[callee as usize] as usize]
    }

    pub fn functions(&self) -> &[Node<C>] {
        &self.nodes[..self.unit_of.len()]
    }

    /// The number of a function's cycle or of a cycle itself, from 0; none of a function in no cycle.
    pub(super) fn cycle(&self, number: u32) -> Option<u32> {
        let unit = self.unit_of.get(number as usize).unwrap_or(&number);
        unit.checked_sub(self.unit_of.len() as u32)
    }

    /// The members of a cycle; of a function itself.
    pub(super) fn members<'m>(&'m self, number: &'m u32) -> &'m [u32] {
        let cycle = (*number as usize).checked_sub(self.unit_of.len());
        cycle.map_or(std::slice::from_ref(number), |cycle| &self.members[cycle])
    }

    /// Hides the entries of other functions, and of cycles without any of these.
    pub fn show_only(&mut self, accepts: impl Fn(u32) -> bool) {
        for number in 0..self.nodes.len() as u32 {
            let is_accepted = self.members(&number).iter().any(|&member| accepts(member));
            self.nodes[number as usize].is_shown &= is_accepted;
        }
    }

    /// What calls, by their numbers, propagate of their callee's own cost, and of that of its callees.
    fn propagated_by(&self, calls: &[u32]) -> (f64, f64) {
        let propagated = calls.iter().map(|&call| self.propagated[call as usize]);
        propagated.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// Makes the costs that count of each cycle those of its members.
    fn add_up_members(&mut self) {
        for (cycle, members) in (self.unit_of.len()..).zip(&self.members) {
            let (mut counted, mut children) = (C::default(), C::default());
            for &member in members {
                counted += self.nodes[member as usize].counted;
                children += self.nodes[member as usize].counted_children;
            }
            let cycle = &mut self.nodes[cycle];
            (cycle.counted, cycle.counted_children) = (counted, children);
        }
    }
}

impl<'c> Graph<'c, f64> {
    /// Propagates samples from callees to callers. `own` are those of each function itself.
    pub fn new(own: &[f64], calls: &'c [Calls], selected: &Selected) -> Graph<'c, f64> {
        Graph::propagated(own.iter().copied(), calls, selected, (0, false))
    }

    /// If the graph `is_exact`, costs are propagated by what was recorded.
    fn propagated(
        own: impl ExactSizeIterator<Item = f64>,
        calls: &'c [Calls],
        selected: &Selected,
        (least, is_exact): (i64, bool),
    ) -> Graph<'c, f64> {
        let size = own.len();
        let callers = calls.iter().map(|call| Some(call.callee as usize));
        let callees = calls.iter().map(|call| Some(call.caller as usize));
        let (callers, callees) = (Groups::new(size, callers), Groups::new(size, callees));
        let (members, bottom_up) = cycles_and_bottom_up(size, calls);
        let node = |own| Node {
            own,
            ..Node::default()
        };
        let mut nodes: Vec<_> = own.map(node).collect();
        nodes.resize(size + members.len(), Node::default());
        let mut graph = Graph {
            calls,
            callers,
            callees,
            unit_of: unit_of(size, &members),
            members,
            nodes,
            propagated: vec![(0.0, 0.0); calls.len()],
            least,
            is_exact,
            total: 0.0,
        };
        graph.count();
        graph.find_shares(&bottom_up, selected);
        if !is_exact {
            graph.add_up_cycles();
            for &function in &bottom_up {
                graph.propagate(function);
            }
        }
        graph
    }

    /// Counts the calls of functions and cycles. Sums were checked when the calls were read.
    fn count(&mut self) {
        for call in self.calls {
            let unit = self.unit_of[call.callee as usize];
            let is_nested = self.is_nested(call);
            let parts = if is_nested {
                0
            } else {
                call.count.max(self.least)
            };
            let callee = &mut self.nodes[call.callee as usize];
            if call.caller == call.callee {
                callee.self_calls += call.count;
                continue;
            }
            callee.calls += call.count;
            callee.parts += parts;
            if unit != call.callee {
                let cycle = &mut self.nodes[unit as usize];
                let calls = match is_nested {
                    true => &mut cycle.self_calls,
                    false => &mut cycle.calls,
                };
                *calls += call.count;
                cycle.parts += parts;
            }
        }
    }

    /// Finds which share of each function counts, and which are shown: callers first.
    fn find_shares(&mut self, bottom_up: &[u32], selected: &Selected) {
        let mut last = None;
        for &function in bottom_up.iter().rev() {
            let unit = self.unit_of[function as usize];
            if last.replace(unit) != Some(unit) {
                let (share, is_shown) = self.share_of(unit);
                let node = &mut self.nodes[unit as usize];
                (node.share, node.is_shown) = (share, is_shown);
            }
            let Node {
                share, is_shown, ..
            } = self.nodes[unit as usize];
            let node = &mut self.nodes[function as usize];
            node.is_shown = match is_shown {
                true => !selected.of(Scope::Shown).excludes(function),
                false => selected.of(Scope::Shown).includes(function),
            };
            node.share = match share {
                0.0 if selected.of(Scope::Counted).includes(function) => 1.0,
                _ if share != 0.0 && selected.of(Scope::Counted).excludes(function) => 0.0,
                _ => share,
            };
            node.counted = node.share * node.own;
            self.total += node.counted;
        }
    }

    /// What callers of a function, or of the members of a cycle, pass on: their share, and whether any is shown.
    fn share_of(&self, unit: u32) -> (f64, bool) {
        let (mut share, mut is_shown) = (0.0, false);
        let parts = self.nodes[unit as usize].parts;
        for &member in self.members(&unit) {
            for &number in self.callers.get(member as usize).iter().rev() {
                let call = &self.calls[number as usize];
                if self.is_nested(call) {
                    continue;
                }
                let caller = &self.nodes[call.caller as usize];
                is_shown |= caller.is_shown;
                if parts != 0 {
                    share += caller.share * (call.count.max(self.least) as f64 / parts as f64);
                }
            }
        }
        (share, is_shown)
    }

    /// Adds up the costs of each cycle's members that count.
    fn add_up_cycles(&mut self) {
        for (cycle, members) in (self.unit_of.len()..).zip(&self.members) {
            for &member in members {
                let member = &self.nodes[member as usize];
                if member.share != 0.0 {
                    self.nodes[cycle].own += member.own;
                }
            }
            let cycle = &mut self.nodes[cycle];
            cycle.counted = cycle.share * cycle.own;
        }
    }

    /// Propagates costs from the callees of a function, which have theirs already, to it.
    fn propagate(&mut self, function: u32) {
        let share = self.nodes[function as usize].share;
        if share == 0.0 {
            return;
        }
        let unit = self.unit_of[function as usize];
        for at in (0..self.callees.get(function as usize).len()).rev() {
            let number = self.callees.get(function as usize)[at];
            let call = self.calls[number as usize];
            let (count, source) = (call.count.max(self.least), self.source(call.callee));
            let is_counted = self.nodes[call.callee as usize].share != 0.0;
            if count == 0 || !is_counted || self.is_nested(&call) || source.parts == 0 {
                continue;
            }
            let part = count as f64 / source.parts as f64;
            let own = source.own * part;
            let children = source.children * part;
            let sum = own + children;
            self.propagated[number as usize] = (own * share, children * share);
            let of_cycle = (unit != function).then_some(unit);
            for number in of_cycle.into_iter().chain([function]) {
                let node = &mut self.nodes[number as usize];
                node.children += sum;
                node.counted_children += share * sum;
            }
        }
    }
}

impl<'c> Graph<'c, i64> {
    /// The graph of recorded costs, in the order of functions and their calls. `is_reduced`: calls are left out.
    pub fn recorded(
        own: &[i64],
        calls: &'c [Calls],
        selected: &Selected,
        is_reduced: bool,
    ) -> Graph<'c, i64> {
        // Calls that began before the profile have no count.
        let own_costs = own.iter().map(|&own| own as f64);
        let is_exact = selected.of(Scope::Counted).is_empty() && !is_reduced;
        let mut graph = Graph::propagated(own_costs, calls, selected, (1, is_exact));
        graph.members.iter_mut().for_each(|of| of.sort_unstable());
        graph.add_up_members();
        for (cycle, members) in (own.len()..).zip(&graph.members) {
            // gprof has no entry for a cycle that nobody calls.
            let is_called = graph.nodes[cycle].parts > 0;
            let mut members = members.iter().map(|&at| &graph.nodes[at as usize]);
            graph.nodes[cycle].is_shown |= !is_called && members.any(|member| member.is_shown);
        }
        let mut graph = Graph {
            nodes: graph.nodes.into_iter().map(Node::rounded).collect(),
            total: graph.total.round() as i64,
            is_exact,
            calls,
            callers: graph.callers,
            callees: graph.callees,
            unit_of: graph.unit_of,
            members: graph.members,
            propagated: graph.propagated,
            least: graph.least,
        };
        for (node, &own) in graph.nodes.iter_mut().zip(own) {
            node.own = own;
        }
        if graph.is_exact {
            graph.take_recorded();
        }
        graph.number_cycles();
        graph
    }

    /// Takes what was recorded in place of what was propagated.
    fn take_recorded(&mut self) {
        for node in &mut self.nodes {
            (node.counted, node.counted_children) = (node.own, 0);
        }
        for call in self.calls {
            if !self.is_nested(call) {
                self.nodes[call.caller as usize].counted_children += call.cost;
            }
        }
        self.add_up_members();
        self.total = self.functions().iter().map(|node| node.own).sum();
    }

    /// Numbers cycles: the most expensive first, equal ones by their first members.
    fn number_cycles(&mut self) {
        let nodes = self.nodes.split_off(self.unit_of.len());
        let members = std::mem::take(&mut self.members).into_iter();
        let mut cycles: Vec<_> = members.zip(nodes).collect();
        cycles.sort_by_key(|(members, cycle)| (Reverse(cycle.inclusive()), members[0]));
        for (members, cycle) in cycles {
            self.members.push(members);
            self.nodes.push(cycle);
        }
        self.unit_of = unit_of(self.unit_of.len(), &self.members);
    }
}

/// The cycles, the members of each in the order in which gprof's walk comes to them: it decides in which order their costs
/// are added up, and which of two equal ones is printed first. Also all functions, callees before their callers, members of
/// a cycle together by address.
fn cycles_and_bottom_up(size: usize, calls: &[Calls]) -> (Vec<Vec<u32>>, Vec<u32>) {
    // The last calls first.
    let out_of = Groups::new(
        size,
        calls.iter().rev().map(|call| Some(call.caller as usize)),
    );
    let found = components(&out_of, |call| {
        calls[calls.len() - 1 - call as usize].callee
    });
    let mut bottom_up = found.members.clone();
    let mut rest = &mut bottom_up[..];
    for members in found.iter() {
        let (of_component, others) = rest.split_at_mut(members.len());
        of_component.sort_unstable();
        rest = others;
    }
    let cycles = found.iter().filter(|members| members.len() > 1);
    let mut cycles: Vec<Vec<u32>> = cycles.map(<[u32]>::to_vec).collect();
    // They are numbered by the addresses of their first members.
    cycles.sort_by_key(|members| members[0]);
    (cycles, bottom_up)
}

/// By function its own number, or that of its cycle.
fn unit_of(size: usize, members: &[Vec<u32>]) -> Vec<u32> {
    let mut unit_of: Vec<u32> = (0..size as u32).collect();
    for (number, members) in (size as u32..).zip(members) {
        for &member in members {
            unit_of[member as usize] = number;
        }
    }
    unit_of
}

impl<C: Amount> Node<C> {
    /// Its own cost and that of its callees, as far as it counts.
    pub fn inclusive(&self) -> C {
        self.counted + self.counted_children
    }
}

impl Node<f64> {
    fn rounded(self) -> Node<i64> {
        let round = |cost: f64| cost.round() as i64;
        Node {
            own: round(self.own),
            children: round(self.children),
            counted: round(self.counted),
            counted_children: round(self.counted_children),
            calls: self.calls,
            self_calls: self.self_calls,
            is_shown: self.is_shown,
            share: self.share,
            parts: self.parts,
        }
    }
}

impl Amount for f64 {
    const IS_RECORDED: bool = false;

    fn of_calls(graph: &Graph<'_, f64>, calls: &[u32]) -> (f64, f64) {
        graph.propagated_by(calls)
    }
}

impl Amount for i64 {
    const IS_RECORDED: bool = true;

    fn of_calls(graph: &Graph<'_, i64>, calls: &[u32]) -> (i64, i64) {
        if !graph.is_exact {
            let (own, children) = graph.propagated_by(calls);
            return (own.round() as i64, children.round() as i64);
        }
        let mut calls = calls.iter().map(|&call| &graph.calls[call as usize]);
        let cost: i64 = calls.clone().map(|calls| calls.cost).sum();
        let own = calls.next().map_or(0, |calls| {
            let source = graph.source(calls.callee);
            part(cost, source.counted, source.inclusive())
        });
        (own, cost.saturating_sub(own))
    }
}

/// The part of `total` that is to it as `some` is to `whole`, rounded; nothing of no whole.
fn part(total: i64, some: i64, whole: i64) -> i64 {
    let (times, by) = match whole {
        0 => return 0,
        1.. => (some, whole),
        _ => (-some, -whole),
    };
    Factor { times, by }.of(total).unwrap_or(total)
}
