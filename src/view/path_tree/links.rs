//! The calls between two functions, and what of the costs of both they account for.

use hashbrown::HashMap;

use super::PathDirection;
use crate::graph::{CallGraph, Groups};
use crate::profile::{Count, FunctionId};
use crate::view::rows::is_address;

/// All calls of a graph by caller and callee.
pub(super) struct Links<'g, 'p> {
    pub(super) graph: &'g CallGraph<'p>,
    events: Vec<usize>,
    list: Vec<Link>,
    of_ends: HashMap<(FunctionId, FunctionId), u32>,
    into: Groups,
    out_of: Groups,
    /// By function: its self cost and the calls that leave its cycle.
    spent: Vec<Vec<i128>>,
    is_skipped: Vec<bool>,
}

/// All calls from one function to another, and costs by event.
pub(super) struct Link {
    pub(super) caller: FunctionId,
    pub(super) callee: FunctionId,
    pub(super) is_nested: bool,
    pub(super) calls: i128,
    pub(super) recorded: Vec<i128>,
    /// The part of the callee's inclusive cost that the caller paid.
    pub(super) paid: Vec<i128>,
    /// The part of the caller's inclusive cost that the callee spent.
    pub(super) spent: Vec<i128>,
}

impl<'g, 'p> Links<'g, 'p> {
    /// Adds the calls of a graph up, with costs of these events.
    pub(super) fn new(graph: &'g CallGraph<'p>, events: Vec<usize>) -> Links<'g, 'p> {
        let mut links = Links {
            graph,
            events,
            list: Vec::new(),
            of_ends: HashMap::new(),
            into: Groups::new(0, std::iter::empty()),
            out_of: Groups::new(0, std::iter::empty()),
            spent: Vec::new(),
            is_skipped: Vec::new(),
        };
        links.add_links();
        links.split_nested();
        let functions = graph.profile().functions();
        let is_skipped = functions.map(|(function, _)| links.is_trampoline(function));
        links.is_skipped = is_skipped.collect();
        links
    }

    /// The calls between two functions.
    pub(super) fn between(&self, ends: (FunctionId, FunctionId)) -> Option<&Link> {
        let link = self.of_ends.get(&ends);
        link.map(|&link| &self.list[link as usize])
    }

    /// The calls of a function, or those to it.
    pub(super) fn of(
        &self,
        direction: PathDirection,
        function: FunctionId,
    ) -> impl Iterator<Item = &Link> + Clone {
        let groups = match direction {
            PathDirection::Callers => &self.into,
            PathDirection::Callees => &self.out_of,
        };
        let links = groups.get(function.index()).iter();
        links.map(|&link| &self.list[link as usize])
    }

    /// The calls to a function.
    fn into(&self, function: FunctionId) -> impl Iterator<Item = &Link> + Clone {
        self.of(PathDirection::Callers, function)
    }

    /// The calls of a function.
    fn out_of(&self, function: FunctionId) -> impl Iterator<Item = &Link> + Clone {
        self.of(PathDirection::Callees, function)
    }

    /// The self cost of a function and the calls that leave its cycle.
    pub(super) fn spent(&self, function: FunctionId) -> &[i128] {
        &self.spent[function.index()]
    }

    /// Whether a function has no name and only passes calls on.
    pub(super) fn is_skipped(&self, function: FunctionId) -> bool {
        self.is_skipped[function.index()]
    }

    /// Adds the calls up by caller and callee. Calls of a function by itself are on no path.
    fn add_links(&mut self) {
        let (graph, width) = (self.graph, self.events.len());
        for (id, arc) in graph.arcs() {
            let ends = (graph.caller(arc), arc.callee);
            if ends.0 == ends.1 {
                continue;
            }
            let links = &mut self.list;
            let at = *self.of_ends.entry(ends).or_insert_with(|| {
                links.push(Link {
                    caller: ends.0,
                    callee: ends.1,
                    is_nested: graph.is_nested_arc(arc),
                    calls: 0,
                    recorded: vec![0; width],
                    paid: Vec::new(),
                    spent: Vec::new(),
                });
                links.len() as u32 - 1
            });
            let costs = self.costs(graph.cost(id));
            let link = &mut self.list[at as usize];
            link.calls += i128::from(graph.calls(id));
            add(&mut link.recorded, &costs);
        }
        let functions = graph.profile().function_count();
        let callees = self.list.iter().map(|link| Some(link.callee.index()));
        self.into = Groups::new(functions, callees);
        let callers = self.list.iter().map(|link| Some(link.caller.index()));
        self.out_of = Groups::new(functions, callers);
    }

    /// The costs of the events, none of which is below 0.
    pub(super) fn costs(&self, cost: &[Count]) -> Vec<i128> {
        let events = self.graph.profile().events();
        let count = |&event| i128::from(events.count(cost, event).or_zero().max(0));
        self.events.iter().map(count).collect()
    }

    /// Calls within a cycle share what other calls leave of the inclusive costs of caller and callee.
    fn split_nested(&mut self) {
        let (graph, width) = (self.graph, self.events.len());
        let inclusive = graph.inclusive_by_function();
        let functions = graph.profile().function_count();
        // By function what callers outside of its cycle paid, and what is recorded of the others.
        let mut paid = vec![vec![0; width]; functions];
        let (mut nested_in, mut nested_out) = (paid.clone(), paid.clone());
        for link in &self.list {
            if link.is_nested {
                add(&mut nested_in[link.callee.index()], &link.recorded);
                add(&mut nested_out[link.caller.index()], &link.recorded);
            } else {
                add(&mut paid[link.callee.index()], &link.recorded);
            }
        }
        for (function, _) in graph.profile().functions() {
            let mut spent = vec![Count::UNDEFINED; graph.profile().events().len()];
            graph.add_spent(function, &mut spent);
            self.spent.push(self.costs(&spent));
        }
        for at in 0..self.list.len() {
            let Link { caller, callee, .. } = self.list[at];
            let (caller, callee) = (caller.index(), callee.index());
            let of_callee = self.costs(inclusive.get(callee));
            let of_caller = self.costs(inclusive.get(caller));
            let link = &mut self.list[at];
            (link.paid, link.spent) = (link.recorded.clone(), link.recorded.clone());
            for event in (0..width).filter(|_| link.is_nested) {
                let recorded = link.recorded[event];
                let rest = (of_callee[event] - paid[callee][event]).max(0);
                link.paid[event] = part(rest, recorded, nested_in[callee][event]);
                let rest = (of_caller[event] - self.spent[caller][event]).max(0);
                link.spent[event] = part(rest, recorded, nested_out[caller][event]);
            }
        }
    }

    /// Whether a function has no name and only passes calls on: it calls one other function, as often as it is called,
    /// and costs less than that. The dynamic linker may look that function up the first time.
    fn is_trampoline(&self, function: FunctionId) -> bool {
        let profile = self.graph.profile();
        let name = |function: FunctionId| profile.name(profile.function(function).name);
        if !is_address(name(function)) {
            return false;
        }
        let calls_into: i128 = self.into(function).map(|l| l.calls).sum();
        let targets = self.out_of(function);
        let mut targets =
            targets.filter(|link| !name(link.callee).starts_with(b"_dl_runtime_resolve"));
        let (Some(target), None) = (targets.next(), targets.next()) else {
            return false;
        };
        let spent = self.spent[function.index()][0];
        calls_into > 0 && target.calls == calls_into && spent < target.recorded[0] * 2
    }
}

impl Link {
    /// The function to which a path in a direction leads.
    pub(super) fn end(&self, direction: PathDirection) -> FunctionId {
        match direction {
            PathDirection::Callers => self.caller,
            PathDirection::Callees => self.callee,
        }
    }
}

pub(super) fn add(sum: &mut [i128], costs: &[i128]) {
    sum.iter_mut()
        .zip(costs)
        .for_each(|(sum, cost)| *sum += cost);
}

/// A part of a whole number, rounded down.
pub(super) fn part(amount: i128, weight: i128, total: i128) -> i128 {
    match total {
        0 => 0,
        _ => amount.saturating_mul(weight) / total,
    }
}
