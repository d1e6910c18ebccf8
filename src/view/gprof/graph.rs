//! The call graph of merged functions with the counts of one event, which gprof's views are made of. Functions are given
//! by their numbers among the merged ones.

use hashbrown::HashMap;

use crate::graph::{Arc, ArcId, CallGraph, Groups, Merge};
use crate::profile::FunctionId;
use crate::view::gprof::sampled::{SampledCalls, SampledGraph};
use crate::view::gprof::symspecs::Lists;
use crate::view::gprof::{MergedFunctions, SourceLine};

/// The calls of one function by another; by line from one line of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Calls {
    pub(super) caller: u32,
    pub(super) callee: u32,
    /// The number of the line, if calls are by line.
    pub(super) site: u32,
    pub(super) count: i64,
    /// What they cost, with all that was called in turn.
    pub(super) cost: i64,
}

/// The call graph with the counts of one event.
pub struct EventGraph<'p> {
    pub(super) functions: &'p MergedFunctions<'p>,
    /// The graph without the calls that are excluded.
    graph: CallGraph<'p>,
    /// What calls cost, by arc.
    costs: Vec<i64>,
    /// Whether calls are excluded.
    is_reduced: bool,
    pub(super) event: usize,
    /// Self costs by function.
    pub(super) own: Vec<i64>,
    /// The calls of each function by line, if they are.
    by_line: Option<CallsByLine>,
}

/// The calls of functions by line.
struct CallsByLine {
    lines: Vec<SourceLine>,
    calls: Vec<Calls>,
    /// The calls of each function.
    into: Groups,
}

impl<'p> EventGraph<'p> {
    /// The graph of an event. `excluded` has by call of the profile whether it is left out. With `by_line` callers are lines.
    pub fn new(
        functions: &'p MergedFunctions<'p>,
        event: usize,
        excluded: &[bool],
        by_line: bool,
    ) -> EventGraph<'p> {
        let profile = functions.profile();
        let merge = Merge {
            functions: &functions.representatives(),
            excluded,
        };
        let graph = CallGraph::merged(profile, &merge);
        let cost = |(id, _)| profile.events().count(graph.cost(id), event).or_zero();
        let costs = graph.arcs().map(cost).collect();
        let own = functions.list().iter().map(|function| {
            let cost = graph.own(profile.home(function.id));
            profile.events().count(cost, event).or_zero()
        });
        EventGraph {
            own: own.collect(),
            functions,
            event,
            costs,
            is_reduced: excluded.contains(&true),
            graph,
            by_line: by_line.then(|| CallsByLine::new(functions, event, excluded)),
        }
    }

    /// The sum of all self costs.
    pub fn own_cost(&self) -> i64 {
        self.own.iter().sum()
    }

    /// The lines with calls, if callers are lines.
    pub fn lines(&self) -> &[SourceLine] {
        self.by_line.as_ref().map_or(&[], |calls| &calls.lines)
    }

    /// The graph without the calls that are excluded.
    pub(super) fn graph(&self) -> &CallGraph<'p> {
        &self.graph
    }

    /// Whether calls are excluded.
    pub(super) fn is_reduced(&self) -> bool {
        self.is_reduced
    }

    fn id(&self, function: u32) -> FunctionId {
        self.functions.list()[function as usize].id
    }

    pub(super) fn component(&self, function: u32) -> usize {
        self.graph().component_of(self.id(function))
    }

    /// The functions of a component.
    pub(super) fn members(&self, component: usize) -> impl Iterator<Item = u32> + Clone {
        let members = self.graph().components().get(component).iter();
        let members =
            members.map(|&member| (FunctionId(member), self.functions.of(FunctionId(member))));
        // Functions that are merged into another one have components without calls.
        let members = members.filter(|&(id, number)| self.id(number) == id);
        members.map(|(_, number)| number)
    }

    /// Whether calls stay within a function or its cycle, so that their cost is nested in that of others.
    pub(super) fn is_nested(&self, caller: u32, callee: u32) -> bool {
        self.graph().is_nested(self.id(caller), self.id(callee))
    }

    /// All calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = Calls> {
        self.graph.arcs().map(|arc| self.calls_of_arc(arc))
    }

    /// The calls by a function.
    pub(super) fn calls_by(&self, function: u32) -> impl Iterator<Item = Calls> {
        let home = self.graph.profile().home(self.id(function));
        let arcs = self.graph.out_of(home);
        arcs.map(|arc| self.calls_of_arc(arc))
    }

    /// The calls of a function, by line if they are.
    pub(super) fn calls_from_lines(&self, function: u32) -> Vec<Calls> {
        match &self.by_line {
            None => self.calls_of(function).collect(),
            Some(CallsByLine { calls, into, .. }) => {
                let calls_of = into.get(function as usize).iter();
                calls_of.map(|&number| calls[number as usize]).collect()
            }
        }
    }

    /// The calls of a function.
    pub(super) fn calls_of(&self, function: u32) -> impl Iterator<Item = Calls> {
        let arcs = self.graph().into(self.id(function));
        arcs.map(|arc| self.calls_of_arc(arc))
    }

    /// All calls from lines, if they are by line.
    pub(super) fn calls_by_line(&self) -> impl Iterator<Item = (SourceLine, &Calls)> {
        let calls = self.by_line.iter();
        calls.flat_map(|by_line| {
            let calls = by_line.calls.iter();
            calls.map(|calls| (by_line.lines[calls.site as usize], calls))
        })
    }

    fn calls_of_arc(&self, (id, arc): (ArcId, Arc)) -> Calls {
        Calls {
            caller: self.functions.of(self.graph.caller(arc)),
            callee: self.functions.of(arc.callee),
            site: 0,
            count: self.graph.calls(id),
            cost: self.costs[id.index()],
        }
    }
}

impl CallsByLine {
    fn new(functions: &MergedFunctions<'_>, event: usize, excluded: &[bool]) -> CallsByLine {
        let profile = functions.profile();
        let (events, side) = (profile.events(), &profile.sides().new);
        let (mut lines, mut calls) = (Vec::new(), Vec::new());
        let (mut line_index, mut index) = (HashMap::new(), HashMap::new());
        for (row, call) in profile.calls().iter().enumerate() {
            if excluded[row] {
                continue;
            }
            let (at, callee) = (profile.location(call.site), functions.of(call.callee));
            let (caller, line) = (functions.of(at.function), SourceLine::of(at));
            let site = *line_index.entry(line).or_insert_with(|| {
                lines.push(line);
                lines.len() as u32 - 1
            });
            let number = *index.entry((caller, callee, site)).or_insert_with(|| {
                calls.push(Calls {
                    caller,
                    callee,
                    site,
                    count: 0,
                    cost: 0,
                });
                calls.len() - 1
            });
            let sum: &mut Calls = &mut calls[number];
            let cost = events.count(side.call_costs().get(row), event).or_zero();
            sum.count += side.call_counts()[row];
            sum.cost += cost;
        }
        let callees = calls.iter().map(|calls| Some(calls.callee as usize));
        CallsByLine {
            into: Groups::new(functions.list().len(), callees),
            lines,
            calls,
        }
    }
}

/// Self cost and children.
pub(super) type Counted = (f64, f64);

pub(super) struct Propagated {
    /// By function, as far as they count.
    pub(super) functions: Vec<Counted>,
    /// All self costs that count.
    pub(super) total: f64,
    calls: SampledCalls,
    /// By calls.
    of_calls: Vec<Counted>,
}

impl Propagated {
    pub(super) fn new(graph: &EventGraph<'_>, lists: &Lists) -> Propagated {
        let mut calls = SampledCalls::default();
        for arc in graph.calls() {
            calls.add_between(arc.caller, arc.callee, number(&arc));
        }
        let own: Vec<f64> = graph.own.iter().map(|&own| own as f64).collect();
        let graph = SampledGraph::new(&own, &calls, lists);
        let of_calls = (0..calls.list().len() as u32).map(|number| graph.of_calls(number));
        Propagated {
            functions: (0..own.len() as u32)
                .map(|place| graph.counted(place))
                .collect(),
            total: graph.total(),
            of_calls: of_calls.collect(),
            calls,
        }
    }

    /// What is propagated along calls that are not nested.
    pub(super) fn of_calls(&self, calls: &Calls) -> Counted {
        let Some(arc) = self.calls.find(calls.caller, calls.callee) else {
            return Counted::default();
        };
        let (own, children) = self.of_calls[arc as usize];
        let all = self.calls.list()[arc as usize].count;
        let part = number(calls) as f64 / all as f64;
        (own * part, children * part)
    }
}

/// How many calls they are. Calls that began before the profile have no count.
fn number(calls: &Calls) -> u64 {
    calls.count.max(1) as u64
}
