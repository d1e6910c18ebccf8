//! The entries of the call graph: each function and cycle between its callers and its callees.

use super::graph::{Calls, EventGraph};
use super::order;
use super::time::{NodeTime, Times};
use crate::view::gprof::symspecs::Lists;

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOf {
    /// A function, by its number.
    Function(u32),
    /// All members of a cycle, by its number, from 1.
    Cycle(u32),
}

/// A function or cycle with its callers and callees, and counts or samples as costs. Its index is its position among all entries.
#[derive(Clone, Debug)]
pub struct Entry<C = i64> {
    /// What it is about.
    pub of: EntryOf,
    /// Whether it is one of those requested.
    pub is_shown: bool,
    /// Its own cost.
    pub self_cost: C,
    /// What the calls that leave it and its cycle cost.
    pub children: C,
    /// Calls from other functions; of a cycle from other functions than its members.
    pub calls: i64,
    /// Recursive calls; of a cycle between different members.
    pub self_calls: i64,
    /// Whether nobody calls it.
    pub is_spontaneous: bool,
    /// Its callers; of a cycle those outside.
    pub callers: Vec<Neighbour<C>>,
    /// The members of a cycle.
    pub members: Vec<Neighbour<C>>,
    /// Its callees; of a cycle those outside.
    pub callees: Vec<Neighbour<C>>,
}

/// The calls between two functions, or a member of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour<C = i64> {
    /// The caller, callee or member.
    pub function: u32,
    /// The number of the line with the calls, if callers are lines.
    pub site: u32,
    /// How many calls; of a member from other functions than itself.
    pub count: i64,
    /// How many there are of the callee, or of its cycle, from outside; of a member its calls of itself.
    pub of: Option<i64>,
    /// What of the callee's self cost and of its children the calls cost; none within a cycle.
    pub cost: Option<(C, C)>,
    /// Whether the function calls itself.
    pub is_itself: bool,
}

/// All entries in order.
#[derive(Clone, Debug)]
pub struct GraphTable {
    /// The entries; those that are not printed too, as others refer to them.
    pub entries: Vec<Entry>,
    /// By function the position of its entry.
    pub entry_of: Vec<u32>,
    /// By function the number of its cycle, from 1.
    pub cycle_of: Vec<Option<u32>>,
    /// By function whether its own lines cost anything, counted or not.
    pub has_cost: Vec<bool>,
    /// By cycle the position of its entry.
    pub entry_of_cycle: Vec<u32>,
    /// What 100% are: the sum of all self costs that count.
    pub reference: i64,
}

impl Entry {
    /// Self cost and children.
    pub fn inclusive(&self) -> i128 {
        i128::from(self.self_cost) + i128::from(self.children)
    }

    /// Whether all of its numbers are 0.
    pub fn is_empty(&self) -> bool {
        (self.self_cost, self.children, self.calls, self.self_calls) == (0, 0, 0, 0)
    }
}

impl EventGraph<'_> {
    /// The table of all entries.
    pub fn table(&self, lists: &Lists) -> GraphTable {
        let times = Times::new(self, lists);
        Entries { graph: self, times }.table(lists)
    }
}

/// What entries are made of.
struct Entries<'g> {
    graph: &'g EventGraph<'g>,
    times: Times<'g>,
}

impl Entries<'_> {
    fn table(&self, lists: &Lists) -> GraphTable {
        let (functions, cycles) = (self.graph.functions, self.cycles());
        let size = functions.list().len();
        let mut cycle_of = vec![None; size];
        for (number, &component) in (1..).zip(&cycles) {
            let members = self.graph.members(component);
            members.for_each(|member| cycle_of[member as usize] = Some(number));
        }
        let time = |of: EntryOf| match of {
            EntryOf::Function(function) => &self.times.functions[function as usize],
            EntryOf::Cycle(number) => &self.times.components[cycles[number as usize - 1]],
        };
        let of_functions = (0..size as u32).map(EntryOf::Function);
        let of_cycles = (1..=cycles.len() as u32).map(EntryOf::Cycle);
        let mut all: Vec<_> = of_functions.chain(of_cycles).collect();
        all.sort_by(|&a, &b| order::entries(functions, (a, time(a)), (b, time(b))));
        let shown = shown(self.graph, lists);
        let mut table = GraphTable {
            entries: Vec::with_capacity(all.len()),
            entry_of: vec![0; size],
            cycle_of,
            has_cost: self.graph.own.iter().map(|&own| own != 0).collect(),
            entry_of_cycle: vec![0; cycles.len()],
            reference: self.times.reference,
        };
        for (position, &of) in (0..).zip(&all) {
            table.entries.push(match of {
                EntryOf::Function(function) => {
                    table.entry_of[function as usize] = position;
                    self.function(function, shown.functions[function as usize])
                }
                EntryOf::Cycle(number) => {
                    table.entry_of_cycle[number as usize - 1] = position;
                    let component = cycles[number as usize - 1];
                    self.cycle(of, component, shown.components[component])
                }
            });
        }
        table
    }

    /// The components that are cycles, the most expensive first, equal ones by the first of their members' names.
    fn cycles(&self) -> Vec<usize> {
        let cycles = self.graph.graph().cycles().map(|(component, _)| component);
        let mut cycles: Vec<usize> = cycles.collect();
        let rank = |member: u32| self.graph.functions.list()[member as usize].rank;
        cycles.sort_by_cached_key(|&component| {
            let cost = self.times.components[component].inclusive();
            let first = self.graph.members(component).map(rank).min();
            (std::cmp::Reverse(cost), first)
        });
        cycles
    }

    fn function(&self, function: u32, is_shown: bool) -> Entry {
        let functions = self.graph.functions;
        let mut callers = self.callers(function);
        let mut callees = self.callees(function);
        order::callers(functions, &mut callers);
        order::callees(functions, &mut callees);
        let time = &self.times.functions[function as usize];
        Entry {
            callers,
            callees,
            ..entry(EntryOf::Function(function), time, is_shown)
        }
    }

    fn callers(&self, function: u32) -> Vec<Neighbour> {
        let calls = self.graph.calls_from_lines(function);
        let callers = calls.iter();
        callers
            .map(|calls| self.neighbour(calls, calls.caller))
            .collect()
    }

    fn callees(&self, function: u32) -> Vec<Neighbour> {
        let calls = self.graph.calls_by(function);
        calls
            .map(|calls| self.neighbour(&calls, calls.callee))
            .collect()
    }

    fn cycle(&self, of: EntryOf, component: usize, is_shown: bool) -> Entry {
        let functions = self.graph.functions;
        let time = |member: u32| &self.times.functions[member as usize];
        let mut members: Vec<u32> = self.graph.members(component).collect();
        members.sort_by_key(|&member| order::member(functions, member, time(member)));
        let outside = |lines: &dyn Fn(u32) -> Vec<Neighbour>| {
            let lines = members.iter().flat_map(|&member| lines(member));
            merged(lines.filter(|line| line.cost.is_some()).collect())
        };
        let mut callers = outside(&|member| self.callers(member));
        let mut callees = outside(&|member| self.callees(member));
        order::callers(functions, &mut callers);
        order::callees(functions, &mut callees);
        let member = |function: u32| {
            let time = time(function);
            Neighbour {
                function,
                site: 0,
                count: time.calls,
                of: (time.self_calls != 0).then_some(time.self_calls),
                cost: Some((time.self_cost, time.children)),
                is_itself: false,
            }
        };
        Entry {
            callers,
            members: members.iter().map(|&function| member(function)).collect(),
            callees,
            ..entry(of, &self.times.components[component], is_shown)
        }
    }

    fn neighbour(&self, calls: &Calls, function: u32) -> Neighbour {
        let is_nested = self.graph.is_nested(calls.caller, calls.callee);
        let callee = &self.times.components[self.graph.component(calls.callee)];
        let time = || self.times.of_calls(calls);
        let cost = (!is_nested).then(time);
        Neighbour {
            function,
            site: calls.site,
            count: calls.count,
            of: (!is_nested).then_some(callee.calls),
            cost: cost.map(|cost| (cost.self_cost, cost.children)),
            is_itself: calls.caller == calls.callee,
        }
    }
}

/// Lines with those of the same function, at the same place, added up.
fn merged(mut lines: Vec<Neighbour>) -> Vec<Neighbour> {
    lines.sort_by_key(|line| (line.function, line.site));
    lines.dedup_by(|later, first| {
        let is_same = (later.function, later.site) == (first.function, first.site);
        if is_same {
            first.add(later);
        }
        is_same
    });
    lines
}

/// Which entries are shown, by function and by component.
struct Shown {
    functions: Vec<bool>,
    components: Vec<bool>,
}

/// What an included function calls is shown with it; an excluded function is not, whatever calls it. A cycle is
/// shown with its callers, and one that nobody calls with its members.
fn shown(graph: &EventGraph<'_>, lists: &Lists) -> Shown {
    let mut shown = Shown {
        functions: vec![false; graph.own.len()],
        components: vec![false; graph.graph().components().len()],
    };
    for component in 0..shown.components.len() {
        let calls = graph
            .members(component)
            .flat_map(|member| graph.calls_of(member));
        let mut callers = calls
            .filter(|calls| !graph.is_nested(calls.caller, calls.callee))
            .map(|calls| shown.functions[calls.caller as usize])
            .peekable();
        let is_called = callers.peek().is_some();
        let by_callers = callers.any(|is_shown| is_shown);
        let mut any_member = false;
        for member in graph.members(component) {
            let is_shown =
                (by_callers || lists.shown.includes(member)) && !lists.shown.excludes(member);
            shown.functions[member as usize] = is_shown;
            any_member |= is_shown;
        }
        shown.components[component] = by_callers || !is_called && any_member;
    }
    shown
}

fn entry(of: EntryOf, time: &NodeTime, is_shown: bool) -> Entry {
    Entry {
        of,
        is_shown,
        self_cost: time.self_cost,
        children: time.children,
        calls: time.calls,
        self_calls: time.self_calls,
        is_spontaneous: !time.is_called,
        callers: Vec::new(),
        members: Vec::new(),
        callees: Vec::new(),
    }
}

impl Neighbour {
    /// Adds calls of or by the same function. Sums that do not fit were reported when all calls of the function were
    /// added up.
    fn add(&mut self, other: &Neighbour) {
        self.count = self.count.saturating_add(other.count);
        if let (Some(cost), Some(more)) = (&mut self.cost, other.cost) {
            *cost = (cost.0.saturating_add(more.0), cost.1.saturating_add(more.1));
        }
    }
}
