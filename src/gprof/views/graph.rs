//! The call graph of gprof's views: calls, cycles, and the costs that callees propagate to their
//! callers.
//!
//! With samples only the numbers of calls are known: as in gprof, the time of a callee is divided
//! among its calls by number. Calls of a Callgrind profile have their recorded cost; what is left
//! of it if calls are left out or if only some functions count is in [`super::counted`].

use std::cmp::Reverse;
use std::ops::{Add, AddAssign};

use super::symspecs::{Included, Scope, Selected};
use crate::graph::{Groups, components};
use crate::profile::Factor;
use crate::view::asm::SourceLine;
use crate::view::threads::beside;

/// A type of costs: `i64` for recorded costs, `f64` for samples.
pub trait Amount:
    Copy + Default + PartialOrd + Add<Output = Self> + AddAssign + Send + Sync
{
    /// Whether costs were recorded. Only for samples do entries follow gprof where it is wrong.
    const IS_RECORDED: bool;

    /// The minimum number of calls to assume: recorded calls that began before the profile have a
    /// count of 0, and are taken as one.
    const MIN_CALLS: i64;

    /// A number in the order of amounts; recorded ones are ordered by size.
    fn order(self) -> i64;

    /// The cost of these calls (by number) of one function: the parts of its self cost and of its
    /// callees' cost.
    fn of_calls(graph: &Graph<'_, Self>, calls: &[u32]) -> (Self, Self);
}

/// The number of a call site's line among all call sites, and the line.
pub type Site = (u32, SourceLine);

/// The calls from one function, or from one line of it, to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    pub caller: u32,
    pub callee: u32,
    pub count: i64,
    /// The inclusive cost of the calls; 0 for samples.
    pub cost: i64,
    /// Whether no call was recorded: it is in the code of the caller.
    pub is_static: bool,
}

/// The costs and calls of a function or cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node<C> {
    pub own: C,
    /// The cost that its callees propagate to it, before its `share` is applied.
    pub children: C,
    /// The part of its self cost that counts.
    pub counted: C,
    /// The part of its callees' cost that counts.
    pub counted_children: C,
    /// The number of calls from other functions; for a cycle, from functions outside it.
    pub calls: i64,
    /// The number of recursive calls; for a cycle, of calls within it, which are those between
    /// different members if it is a cycle of samples.
    pub self_calls: i64,
    pub is_shown: bool,
    /// Of samples: the share of its cost that counts.
    share: f64,
    /// Of samples, the divisor of its cost: the calls from outside its cycle, at least
    /// [`Amount::MIN_CALLS`] for each of `calls`.
    parts: i64,
}

/// The call graph of `gprof`, of recorded or sampled costs.
pub struct Graph<'c, C> {
    pub(super) calls: &'c [Calls],
    /// By number in `calls`, if these are recorded and by line.
    pub(super) sites: &'c [Site],
    /// By function, the numbers of the calls to it and of the calls it makes.
    pub(super) callers: Groups,
    pub(super) callees: Groups,
    /// By function, the number of the node that calls of it are charged to: its cycle, or itself if
    /// it is in none.
    pub(super) unit_of: Vec<u32>,
    pub(super) members: Vec<Vec<u32>>,
    /// The functions, then the cycles.
    pub(super) nodes: Vec<Node<C>>,
    /// Of samples: by number in `calls`, the propagated parts of the callee's self cost and of its
    /// callees' cost.
    propagated: Vec<(f64, f64)>,
    /// Of recorded costs: by number in `calls` the part that counts; empty if all of it does.
    counted: Vec<i64>,
    /// The sum of the self costs that count: 100% of the graph.
    pub total: C,
}

impl<'c, C: Amount> Graph<'c, C> {
    /// The graph of self costs and numbers of calls, which are also given by callee and by caller.
    fn of_calls(
        own: impl ExactSizeIterator<Item = C>,
        calls: &'c [Calls],
        callers: Groups,
        callees: Groups,
        members: Vec<Vec<u32>>,
    ) -> Graph<'c, C> {
        let size = own.len();
        let mut nodes = Vec::with_capacity(size + members.len());
        nodes.extend(own.map(|own| Node { own, ..Node::default() }));
        nodes.resize(size + members.len(), Node::default());
        let mut graph = Graph {
            calls,
            sites: &[],
            callers,
            callees,
            unit_of: unit_of(size, &members),
            members,
            nodes,
            propagated: Vec::new(),
            counted: Vec::new(),
            total: C::default(),
        };
        graph.count();
        graph
    }

    /// Counts the calls of functions and cycles. The reader has checked that the sums do not
    /// overflow.
    fn count(&mut self) {
        for call in self.calls {
            let unit = self.unit_of[call.callee as usize];
            let is_nested = self.is_nested(call);
            let is_paid = !is_nested && !call.is_static;
            let parts = if is_paid { call.count.max(C::MIN_CALLS) } else { 0 };
            let callee = &mut self.nodes[call.callee as usize];
            if call.caller == call.callee {
                callee.self_calls += call.count;
                // gprof does not count these calls within a cycle of samples, against its manual.
                if C::IS_RECORDED && unit != call.callee {
                    self.nodes[unit as usize].self_calls += call.count;
                }
                continue;
            }
            callee.calls += call.count;
            callee.parts += parts;
            if unit != call.callee {
                let cycle = &mut self.nodes[unit as usize];
                let calls = if is_nested { &mut cycle.self_calls } else { &mut cycle.calls };
                *calls += call.count;
                cycle.parts += parts;
            }
        }
    }

    /// Whether calls stay within a function or a cycle.
    pub(super) fn is_nested(&self, call: &Calls) -> bool {
        self.unit_of[call.caller as usize] == self.unit_of[call.callee as usize]
    }

    /// The node that calls of a function are charged to: its cycle, if it is in one.
    pub(super) fn source(&self, callee: u32) -> &Node<C> {
        &self.nodes[self.unit_of[callee as usize] as usize]
    }

    pub fn functions(&self) -> &[Node<C>] {
        &self.nodes[..self.unit_of.len()]
    }

    /// The index of a cycle, or of the cycle that a function is in; none for a function outside
    /// cycles.
    pub(super) fn cycle(&self, number: u32) -> Option<u32> {
        let unit = self.unit_of.get(number as usize).unwrap_or(&number);
        unit.checked_sub(self.unit_of.len() as u32)
    }

    /// The members of a cycle; for a function, the function alone.
    pub(super) fn members<'m>(&'m self, number: &'m u32) -> &'m [u32] {
        let cycle = (*number as usize).checked_sub(self.unit_of.len());
        cycle.map_or(std::slice::from_ref(number), |cycle| &self.members[cycle])
    }

    /// Determines which functions and cycles are shown: those that symspecs include or, unless they
    /// exclude it, one whose caller is shown. Callers come before callees.
    fn find_shown<'n>(&mut self, top_down: impl Iterator<Item = &'n u32>, shown: &Included) {
        let mut last = None;
        for &function in top_down {
            let unit = self.unit_of[function as usize];
            if last.replace(unit) != Some(unit) {
                let callers = self.members(&unit).iter();
                let mut callers = callers.flat_map(|&member| self.callers.get(member as usize));
                let is_shown = callers.any(|&number| {
                    let call = &self.calls[number as usize];
                    !self.is_nested(call) && self.nodes[call.caller as usize].is_shown
                });
                self.nodes[unit as usize].is_shown = is_shown;
            }
            let is_shown = self.nodes[unit as usize].is_shown;
            self.nodes[function as usize].is_shown =
                if is_shown { !shown.excludes(function) } else { shown.includes(function) };
        }
    }

    /// The number of other functions, or of their lines, that call a function.
    pub fn caller_count(&self, of: u32) -> usize {
        let callers = self.callers.get(of as usize).iter();
        callers.filter(|&&call| self.calls[call as usize].caller != of).count()
    }

    /// Hides the entries of functions that are not accepted, and of cycles without an accepted
    /// member.
    pub fn show_only(&mut self, accepts: impl Fn(u32) -> bool) {
        for number in 0..self.nodes.len() as u32 {
            let is_accepted = self.members(&number).iter().any(|&member| accepts(member));
            self.nodes[number as usize].is_shown &= is_accepted;
        }
    }

    /// The sum of what these calls (by number) propagate: of the callees' self cost, and of their
    /// callees' cost.
    fn propagated_by(&self, calls: &[u32]) -> (f64, f64) {
        let propagated = calls.iter().map(|&call| self.propagated[call as usize]);
        propagated.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1))
    }

    /// Sets the counted costs of each cycle to the sums over its members.
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
    /// Propagates samples from callees to callers. `own` has the self samples of each function.
    pub fn new(own: &[f64], calls: &'c [Calls], selected: &Selected) -> Graph<'c, f64> {
        let (members, bottom_up) = cycles_and_bottom_up(own.len(), calls);
        let by = |end: fn(&Calls) -> u32| by(own.len(), calls, end);
        let (callers, callees) = (by(|call| call.callee), by(|call| call.caller));
        let mut graph = Graph::of_calls(own.iter().copied(), calls, callers, callees, members);
        graph.propagated = vec![(0.0, 0.0); calls.len()];
        graph.find_shown(bottom_up.iter().rev(), selected.of(Scope::Shown));
        graph.find_shares(&bottom_up, selected.of(Scope::Counted));
        graph.add_up_cycles();
        for &function in &bottom_up {
            graph.propagate(function);
        }
        graph
    }

    /// Determines the share of each function that counts; callers come before callees.
    fn find_shares(&mut self, bottom_up: &[u32], counted: &Included) {
        let mut last = None;
        for &function in bottom_up.iter().rev() {
            let unit = self.unit_of[function as usize];
            if last.replace(unit) != Some(unit) {
                self.nodes[unit as usize].share = self.share_of(unit);
            }
            let share = self.nodes[unit as usize].share;
            let node = &mut self.nodes[function as usize];
            node.share = match share {
                0.0 if counted.includes(function) => 1.0,
                _ if counted.excludes(function) => 0.0,
                _ => share,
            };
            node.counted = node.share * node.own;
            self.total += node.counted;
        }
    }

    /// The share of a function or cycle that counts because its callers do.
    fn share_of(&self, unit: u32) -> f64 {
        let mut share = 0.0;
        let parts = self.nodes[unit as usize].parts;
        for &member in self.members(&unit) {
            for &number in self.callers.get(member as usize).iter().rev() {
                let call = &self.calls[number as usize];
                if !self.is_nested(call) && parts != 0 {
                    let caller = &self.nodes[call.caller as usize];
                    share += caller.share * (call.count as f64 / parts as f64);
                }
            }
        }
        share
    }

    /// Sets the self cost of each cycle to that of the members whose cost counts.
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

    /// Propagates costs to a function from its callees, whose costs are already complete.
    fn propagate(&mut self, function: u32) {
        let share = self.nodes[function as usize].share;
        if share == 0.0 {
            return;
        }
        let unit = self.unit_of[function as usize];
        for at in (0..self.callees.get(function as usize).len()).rev() {
            let number = self.callees.get(function as usize)[at];
            let call = self.calls[number as usize];
            let (count, source) = (call.count, self.source(call.callee));
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
    /// The graph of all calls, and the members of its cycles and all other functions, callees
    /// before their callers.
    pub(super) fn complete(own: &[i64], calls: &'c [Calls]) -> (Graph<'c, i64>, Groups) {
        let callees = by(own.len(), calls, |call| call.caller);
        // Functions that did not call each other are no cycle, whatever their code says.
        let made = calls.iter().any(|call| call.is_static).then(|| {
            let callers =
                calls.iter().map(|call| (!call.is_static).then_some(call.caller as usize));
            Groups::new(own.len(), callers)
        });
        let (found, callers) = beside(
            calls.len(),
            || components(made.as_ref().unwrap_or(&callees), |call| calls[call as usize].callee),
            || by(own.len(), calls, |call| call.callee),
        );
        let mut cycles: Vec<_> =
            found.iter().filter(|members| members.len() > 1).map(<[u32]>::to_vec).collect();
        cycles.iter_mut().for_each(|of| of.sort_unstable());
        let own = own.iter().copied();
        (Graph::of_calls(own, calls, callers, callees, cycles), found)
    }

    /// Finds the functions and cycles that are shown; `bottom_up` has the members of components,
    /// callees before their callers.
    pub(super) fn show(&mut self, shown: &Included, bottom_up: &Groups) {
        if shown.is_empty() {
            self.nodes.iter_mut().for_each(|node| node.is_shown = true);
            return;
        }
        self.find_shown(bottom_up.members.iter().rev(), shown);
        if !shown.include.is_empty() && !shown.exclude.is_empty() {
            self.hide_reached(shown);
        }
        self.show_cycles_without_callers();
    }

    /// Sets what counts of the self cost of each function and of each call: of all if there are no
    /// calls. Adds up the costs of callees.
    pub(super) fn set_counted(&mut self, own: &[i64], calls: Vec<i64>) {
        for (node, &own) in self.nodes.iter_mut().zip(own) {
            node.counted = own;
        }
        self.counted = calls;
        self.add_up_callees();
        self.number_cycles();
    }

    /// Hides what excluded functions call, directly or not. As gprof's manual has it, but not
    /// gprof, that is so where others are included.
    fn hide_reached(&mut self, shown: &Included) {
        let functions = 0..self.functions().len() as u32;
        let mut reached: Vec<u32> = functions.filter(|&of| shown.excludes(of)).collect();
        let mut is_reached = vec![false; self.nodes.len()];
        reached.iter().for_each(|&of| is_reached[of as usize] = true);
        while let Some(of) = reached.pop() {
            self.nodes[of as usize].is_shown = false;
            for &call in self.callees.get(of as usize) {
                let callee = self.calls[call as usize].callee;
                if !std::mem::replace(&mut is_reached[callee as usize], true) {
                    reached.push(callee);
                }
            }
        }
        for cycle in self.functions().len()..self.nodes.len() {
            let members = &self.members[cycle - self.unit_of.len()];
            let is_shown = members.iter().any(|&member| self.nodes[member as usize].is_shown);
            self.nodes[cycle].is_shown &= is_shown;
        }
    }

    /// gprof has no entry for a cycle without callers; here it has one if a member has.
    fn show_cycles_without_callers(&mut self) {
        for (cycle, members) in (self.unit_of.len()..).zip(&self.members) {
            let is_called = self.nodes[cycle].parts > 0;
            let mut members = members.iter().map(|&at| &self.nodes[at as usize]);
            self.nodes[cycle].is_shown |= !is_called && members.any(|member| member.is_shown);
        }
    }

    /// The recorded cost of calls (by number), as far as it counts.
    pub(super) fn counted_cost(&self, call: usize) -> i64 {
        self.counted.get(call).copied().unwrap_or(self.calls[call].cost)
    }

    /// Adds up what functions and cycles paid for their callees, and all that counts.
    fn add_up_callees(&mut self) {
        for (number, call) in self.calls.iter().enumerate() {
            if !self.is_nested(call) {
                let cost = self.counted_cost(number);
                self.nodes[call.caller as usize].counted_children += cost;
            }
        }
        self.add_up_members();
        self.total = self.functions().iter().map(|node| node.counted).sum();
    }

    /// Numbers cycles: the most expensive first, equal ones by their first members.
    fn number_cycles(&mut self) {
        let nodes = self.nodes.split_off(self.unit_of.len());
        let members = std::mem::take(&mut self.members).into_iter();
        let mut cycles: Vec<_> = members.zip(nodes).collect();
        cycles.sort_by_key(|(members, cycle)| (Reverse(cycle.inclusive().order()), members[0]));
        for (members, cycle) in cycles {
            self.members.push(members);
            self.nodes.push(cycle);
        }
        self.unit_of = unit_of(self.unit_of.len(), &self.members);
    }
}

/// The cycles, with members in the order of gprof's search, which decides the order in which their
/// costs are added up and the order of equal ones. Also all functions, callees before their
/// callers, with the members of a cycle together in the order of their numbers.
fn cycles_and_bottom_up(size: usize, calls: &[Calls]) -> (Vec<Vec<u32>>, Vec<u32>) {
    // Each function's last call comes first.
    let callers = calls.iter().rev().map(|call| Some(call.caller as usize));
    let out_of = Groups::new(size, callers);
    let found = components(&out_of, |call| calls[calls.len() - 1 - call as usize].callee);
    let mut bottom_up = found.members.clone();
    let mut rest = &mut bottom_up[..];
    for members in found.iter() {
        let (of_component, others) = rest.split_at_mut(members.len());
        of_component.sort_unstable();
        rest = others;
    }
    let mut cycles: Vec<Vec<u32>> =
        found.iter().filter(|members| members.len() > 1).map(<[u32]>::to_vec).collect();
    // Cycles are ordered by their first members.
    cycles.sort_by_key(|members| members[0]);
    (cycles, bottom_up)
}

/// The numbers of the calls by the function at one end.
fn by(size: usize, calls: &[Calls], end: impl Fn(&Calls) -> u32 + Copy) -> Groups {
    Groups::new(size, calls.iter().map(|call| Some(end(call) as usize)))
}

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
    /// The parts of its self cost and of its callees' cost that count.
    pub fn inclusive(&self) -> C {
        self.counted + self.counted_children
    }
}

impl Amount for f64 {
    const IS_RECORDED: bool = false;
    const MIN_CALLS: i64 = 0;

    fn order(self) -> i64 {
        // Adding 0 makes 0 of -0. The bits of negative numbers are in reverse order.
        let bits = (self + 0.0).to_bits() as i64;
        if bits < 0 { bits ^ i64::MAX } else { bits }
    }

    fn of_calls(graph: &Graph<'_, f64>, calls: &[u32]) -> (f64, f64) {
        graph.propagated_by(calls)
    }
}

impl Amount for i64 {
    const IS_RECORDED: bool = true;
    const MIN_CALLS: i64 = 1;

    fn order(self) -> i64 {
        self.saturating_abs()
    }

    fn of_calls(graph: &Graph<'_, i64>, calls: &[u32]) -> (i64, i64) {
        let Some(&first) = calls.first() else {
            return (0, 0);
        };
        let cost: i64 = calls.iter().map(|&call| graph.counted_cost(call as usize)).sum();
        let source = graph.source(graph.calls[first as usize].callee);
        let own = part(cost, source.counted, source.inclusive());
        (own, cost.saturating_sub(own))
    }
}

/// `total * some / whole`, rounded; 0 if `whole` is 0.
fn part(total: i64, some: i64, whole: i64) -> i64 {
    let (times, by) = match whole {
        0 => return 0,
        1.. => (some, whole),
        _ => (-some, -whole),
    };
    Factor { times, by }.of(total).unwrap_or(total)
}
