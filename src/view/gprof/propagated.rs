//! What counts if not all functions do or if calls are left out: as in gprof, what a function costs is divided among the
//! calls of it that are left by their number, whatever each of them cost.

use super::graph::{Calls, EventGraph};
use super::included::Lists;
use super::sampled::{SampledCalls, SampledGraph};

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
