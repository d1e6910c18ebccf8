//! The entries of the call graph: each function and cycle between its callers and its callees.

use std::cmp::Ordering;

use super::costs::{Costs, Own, Share};
use super::{Arc, Graph, Lists, order};

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A function, by its number.
    Function(u32),
    /// All members of a cycle, by its number, from 1.
    Cycle(u32),
}

/// A function or cycle with its callers and callees. Its index is its place among all entries.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is about.
    pub who: Who,
    /// Whether it is one of those that the user requested.
    pub is_shown: bool,
    /// Its own cost.
    pub self_cost: i64,
    /// What the calls that leave it and its cycle cost.
    pub children: i64,
    /// Calls by other functions; of a cycle from other functions than its members.
    pub calls: i64,
    /// Recursive calls; of a cycle between different members.
    pub self_calls: i64,
    /// Whether nobody calls it.
    pub is_spontaneous: bool,
    /// Its callers. A cycle has none here, its members have them.
    pub callers: Vec<Line>,
    /// Its callees; of a cycle its members.
    pub callees: Vec<Line>,
}

/// The calls between two functions, or a member of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The caller, callee or member.
    pub function: u32,
    /// Where the call is, if the line is that of a caller.
    pub site: u32,
    /// How many calls; of a member from other functions than itself.
    pub count: i64,
    /// How many there are of the callee, or of its cycle, from outside; of a member its calls of itself.
    pub of: Option<i64>,
    /// What the callee's own lines and its children are charged; none within a cycle.
    pub cost: Option<(i64, i64)>,
    /// Whether the function calls itself.
    pub is_itself: bool,
}

/// All entries in order.
#[derive(Clone, Debug)]
pub struct GraphTable {
    /// The entries; those that are not to be printed too, as others refer to them.
    pub entries: Vec<Entry>,
    /// By function the place of its entry.
    pub entry_of: Vec<u32>,
    /// By function the number of its cycle, from 1.
    pub cycle_of: Vec<Option<u32>>,
    /// By function whether its own lines cost anything, counted or not.
    pub has_cost: Vec<bool>,
    /// By cycle the place of its entry.
    pub entry_of_cycle: Vec<u32>,
    /// What 100% are: the sum of all self costs that count.
    pub whole: i64,
}

impl Entry {
    /// Self cost and children.
    pub fn inclusive(&self) -> i128 {
        i128::from(self.self_cost) + i128::from(self.children)
    }

    /// Whether there is nothing to say of it.
    pub fn is_blank(&self) -> bool {
        (self.self_cost, self.children, self.calls, self.self_calls) == (0, 0, 0, 0)
    }
}

pub(super) fn table(graph: &Graph, costs: &Costs, lists: &Lists) -> GraphTable {
    let cycles = number_cycles(graph, costs);
    let mut cycle_of = vec![None; graph.nodes.len()];
    for (number, &component) in (1..).zip(&cycles) {
        for &member in &graph.components[component as usize] {
            cycle_of[member as usize] = Some(number);
        }
    }
    let own = |who: Who| match who {
        Who::Function(node) => &costs.functions[node as usize],
        Who::Cycle(number) => &costs.components[cycles[number as usize - 1] as usize],
    };
    let functions = (0..graph.nodes.len() as u32).map(Who::Function);
    let mut whos: Vec<_> = functions
        .chain((1..=cycles.len() as u32).map(Who::Cycle))
        .collect();
    whos.sort_by(|&a, &b| order::entries(graph, (a, own(a)), (b, own(b))));
    let shown = shown(graph, lists);
    let (mut entry_of, mut entry_of_cycle) = (vec![0; graph.nodes.len()], vec![0; cycles.len()]);
    let mut entries = Vec::with_capacity(whos.len());
    for (place, &who) in (0..).zip(&whos) {
        entries.push(match who {
            Who::Function(node) => {
                entry_of[node as usize] = place;
                function(graph, costs, node, shown.functions[node as usize])
            }
            Who::Cycle(number) => {
                entry_of_cycle[number as usize - 1] = place;
                let component = cycles[number as usize - 1];
                let is_shown = shown.components[component as usize];
                cycle(graph, costs, who, component, is_shown)
            }
        });
    }
    GraphTable {
        entries,
        entry_of,
        cycle_of,
        has_cost: graph.nodes.iter().map(|node| node.self_cost != 0).collect(),
        entry_of_cycle,
        whole: costs.whole,
    }
}

/// The components that are cycles, the most expensive first, equal ones by the first of their members' names.
fn number_cycles(graph: &Graph, costs: &Costs) -> Vec<u32> {
    let mut cycles: Vec<u32> = (0..graph.components.len() as u32)
        .filter(|&component| graph.cycle(component).is_some())
        .collect();
    let cost = |component: u32| {
        let own = &costs.components[component as usize];
        i128::from(own.self_cost) + i128::from(own.children)
    };
    let first = |component: u32| {
        let members = graph.components[component as usize].iter();
        members.map(|&node| graph.nodes[node as usize].rank).min()
    };
    cycles.sort_by(|&a, &b| match cost(b).cmp(&cost(a)) {
        Ordering::Equal => first(a).cmp(&first(b)),
        order => order,
    });
    cycles
}

/// Which entries are shown, by function and by component.
struct Shown {
    functions: Vec<bool>,
    components: Vec<bool>,
}

/// What an included function calls is shown with it; an excluded function is not, whatever calls it. A cycle is
/// shown with those who call it, and one that nobody calls with its members.
fn shown(graph: &Graph, lists: &Lists) -> Shown {
    let mut shown = Shown {
        functions: vec![false; graph.nodes.len()],
        components: vec![false; graph.components.len()],
    };
    for (component, members) in graph.components.iter().enumerate().rev() {
        let calls = members.iter().flat_map(|&member| graph.calls_of(member));
        let mut callers = calls
            .filter(|(_, arc)| !graph.is_nested(arc))
            .map(|(_, arc)| shown.functions[arc.caller as usize])
            .peekable();
        let is_called = callers.peek().is_some();
        let by_callers = callers.any(|is_shown| is_shown);
        for &member in members {
            shown.functions[member as usize] =
                (by_callers || lists.shown.admits(member)) && !lists.shown.bars(member);
        }
        let any_member = || members.iter().any(|&m| shown.functions[m as usize]);
        shown.components[component] = by_callers || !is_called && any_member();
    }
    shown
}

fn function(graph: &Graph, costs: &Costs, node: u32, is_shown: bool) -> Entry {
    let own = &costs.functions[node as usize];
    let mut callers: Vec<Line> = graph
        .calls_of(node)
        .map(|(number, arc)| line(graph, costs, number, arc, arc.caller))
        .collect();
    let mut callees: Vec<Line> = Vec::new();
    // A callee has one line, wherever it is called.
    for (number, arc) in graph.calls_by(node) {
        let line = line(graph, costs, number, arc, arc.callee);
        match callees.last_mut() {
            Some(last) if last.function == arc.callee => last.take_in(&line),
            _ => callees.push(Line { site: 0, ..line }),
        }
    }
    order::callers(graph, &mut callers);
    order::callees(graph, &mut callees);
    Entry {
        callers,
        callees,
        ..entry(Who::Function(node), own, is_shown)
    }
}

fn cycle(graph: &Graph, costs: &Costs, who: Who, component: u32, is_shown: bool) -> Entry {
    let mut members = graph.components[component as usize].clone();
    members.sort_by(|&a, &b| order::members(graph, costs, a, b));
    let member = |function: u32| {
        let own = &costs.functions[function as usize];
        Line {
            function,
            site: 0,
            count: own.calls,
            of: (own.self_calls != 0).then_some(own.self_calls),
            cost: Some((own.self_cost, own.children)),
            is_itself: false,
        }
    };
    Entry {
        callees: members.into_iter().map(member).collect(),
        ..entry(who, &costs.components[component as usize], is_shown)
    }
}

fn entry(who: Who, own: &Own, is_shown: bool) -> Entry {
    Entry {
        who,
        is_shown,
        self_cost: own.self_cost,
        children: own.children,
        calls: own.calls,
        self_calls: own.self_calls,
        is_spontaneous: !own.is_called,
        callers: Vec::new(),
        callees: Vec::new(),
    }
}

fn line(graph: &Graph, costs: &Costs, number: usize, arc: &Arc, function: u32) -> Line {
    let Share { total, self_cost } = costs.arcs[number];
    let is_nested = graph.is_nested(arc);
    let calls = costs.components[graph.component_of[arc.callee as usize] as usize].calls;
    Line {
        function,
        site: arc.site,
        count: arc.count,
        of: (!is_nested).then_some(calls),
        cost: (!is_nested).then(|| (self_cost, total.saturating_sub(self_cost))),
        is_itself: arc.caller == arc.callee,
    }
}

impl Line {
    /// Adds calls of the same function from another place. Sums that overflow were reported when all calls of the
    /// function were added up.
    fn take_in(&mut self, other: &Line) {
        self.count = self.count.saturating_add(other.count);
        if let (Some(cost), Some(more)) = (&mut self.cost, other.cost) {
            *cost = (cost.0.saturating_add(more.0), cost.1.saturating_add(more.1));
        }
    }
}
