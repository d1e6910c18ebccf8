//! In which proportion functions and calls count, if not all do or if calls are excluded.
//!
//! Calls count what they cost, less the share of it that their callee spent in what does not count. An excluded call
//! takes away what it carried and nothing else: calls within a cycle carry nothing. If a cycle is broken by excluded calls,
//! the recorded costs of the remaining calls between its functions are nested in each other; each of these functions is
//! then divided among its remaining callers by the number of their calls, as in gprof.

use super::graph::{Calls, EventGraph};
use super::included::Lists;
use super::time::ArcTime;

pub(super) struct Scaling {
    /// By function: what share of its calls came from what counts.
    fractions: Vec<f64>,
    /// By component.
    components: Vec<Counted>,
}

/// What counts of a component.
#[derive(Clone, Copy, Default)]
struct Counted {
    /// Its self cost, as far as it counts.
    own: f64,
    /// Its calls, likewise.
    children: f64,
    /// What calls of it are divided by: its cost if all counted; if it is part of a broken cycle, the number of calls.
    divisor: f64,
    is_broken: bool,
}

impl Counted {
    /// What calls of it are weighed by. Calls that began before the profile have no count.
    fn weight(&self, calls: &Calls) -> f64 {
        match self.is_broken {
            true => calls.count.max(1) as f64,
            false => calls.cost as f64,
        }
    }

    /// The part of `weight` that is to it as `some` is to all that calls are divided by.
    fn part(&self, weight: f64, some: f64) -> f64 {
        match self.divisor {
            0.0 => 0.0,
            divisor => weight * (some / divisor),
        }
    }
}

impl Scaling {
    pub(super) fn new(graph: &EventGraph<'_>, lists: &Lists) -> Scaling {
        let count = graph.graph().components().len();
        let mut scaling = Scaling {
            fractions: fractions(graph, lists),
            components: vec![Counted::default(); count],
        };
        for component in (0..count).rev() {
            scaling.components[component] = scaling.counted(graph, component);
        }
        scaling
    }

    /// What counts of a component, when it is known of all those that it calls.
    fn counted(&self, graph: &EventGraph<'_>, component: usize) -> Counted {
        let is_broken = graph.is_broken(component);
        let (mut own, mut children, mut all) = (0.0, 0.0, 0.0);
        for member in graph.members(component) {
            let self_cost = graph.own[member as usize] as f64;
            all += self_cost;
            let outside = |calls: &Calls| graph.component(calls.callee) != component;
            all += (graph.all_calls_by(member).filter(outside))
                .map(|calls| calls.cost as f64)
                .sum::<f64>();
            if self.fractions[member as usize] == 0.0 {
                continue;
            }
            own += self_cost;
            for calls in graph.calls_by(member).filter(outside) {
                if self.fractions[calls.callee as usize] != 0.0 {
                    let callee = &self.components[graph.component(calls.callee)];
                    children += callee.part(callee.weight(&calls), callee.own + callee.children);
                }
            }
        }
        let mut counted = Counted {
            own,
            children,
            divisor: all,
            is_broken,
        };
        if is_broken {
            let calls = entering(graph, component);
            counted.divisor = calls.map(|calls| counted.weight(&calls)).sum();
        }
        counted
    }

    /// The self cost of a function, as far as it counts.
    pub(super) fn own(&self, function: u32, own: i64) -> i64 {
        match self.fractions[function as usize] {
            1.0 => own,
            fraction => (own as f64 * fraction).round() as i64,
        }
    }

    /// What counts of calls that are not nested.
    pub(super) fn of_calls(&self, graph: &EventGraph<'_>, calls: &Calls) -> ArcTime {
        if self.fractions[calls.callee as usize] == 0.0 {
            return ArcTime::default();
        }
        let callee = &self.components[graph.component(calls.callee)];
        let weight = callee.weight(calls) * self.fractions[calls.caller as usize];
        let part = |some: f64| callee.part(weight, some).round() as i64;
        ArcTime {
            total: part(callee.own + callee.children),
            self_cost: part(callee.own),
        }
    }
}

/// The calls into a component from outside.
fn entering(graph: &EventGraph<'_>, component: usize) -> impl Iterator<Item = Calls> {
    let members = graph.members(component);
    let calls = members.flat_map(|member| graph.calls_of(member));
    calls.filter(move |calls| graph.component(calls.caller) != component)
}

/// For each function the share of its calls that came from what counts, by what they cost. A function without
/// such calls begins to count if the list includes it.
fn fractions(graph: &EventGraph<'_>, lists: &Lists) -> Vec<f64> {
    let mut fractions = vec![0.0; graph.own.len()];
    for component in 0..graph.graph().components().len() {
        let entering = || entering(graph, component);
        // Calls that all cost nothing are weighed by their number.
        let by_cost = !graph.is_broken(component) && entering().any(|calls| calls.cost > 0);
        let (mut some, mut all, mut largest, mut is_whole) = (0.0, 0.0, 0.0f64, true);
        for calls in entering() {
            let weight = if by_cost { calls.cost } else { calls.count };
            let of_caller: f64 = fractions[calls.caller as usize];
            largest = largest.max(of_caller);
            is_whole &= of_caller == 1.0;
            all += weight.max(0) as f64;
            some += weight.max(0) as f64 * of_caller;
        }
        let called = match all {
            0.0 => largest,
            _ if is_whole => 1.0,
            _ => some / all,
        };
        for member in graph.members(component) {
            fractions[member as usize] = match called {
                0.0 if lists.counted.includes(member) => 1.0,
                _ if lists.counted.excludes(member) => 0.0,
                called => called,
            };
        }
    }
    fractions
}
