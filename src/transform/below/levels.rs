//! What is known of calls by levels of recursion, where these tell which calls of the only chosen
//! function are nested.
//!
//! All of a nested call is below the function, and nothing of an outermost one is. A function that
//! was called below the chosen one and elsewhere, too, is divided; but the part of its calls that
//! led to nested calls is below as a whole, and the part that led to outermost ones is not. Only
//! what remains of the function is divided by its share. So what is below adds up to the cost of
//! the outermost calls.
//!
//! Which callers of a function paid for these parts is estimated: all paid the same fraction, but
//! for callers that the chosen function is always above, or never, whose calls are below with all
//! of what remains, or with nothing. The parts are found callees first, within a cycle in rounds.

use super::known::{Known, MAX_ROUNDS, MIN_CHANGE};
use crate::graph::{Arc, ArcId, CallGraph, Groups, components};
use crate::profile::{Count, FunctionId};

/// The parts of a cost that led to nested calls and to outermost ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Led {
    pub(super) nested: f64,
    pub(super) outermost: f64,
}

impl Led {
    /// The part that is not known to have led to any call.
    pub(super) fn rest(self) -> f64 {
        (1.0 - self.nested - self.outermost).max(0.0)
    }

    /// The part of a count that led to nested calls, and what is left without both parts.
    pub(super) fn of(self, count: Count) -> [Count; 2] {
        let Some(value) = count.value() else {
            return [Count::UNDEFINED; 2];
        };
        let part = |fraction: f64| (value as f64 * fraction).round() as i64;
        let (nested, both) = (part(self.nested), part((self.nested + self.outermost).min(1.0)));
        [nested, value - both].map(Count::new)
    }
}

/// When a chosen function is above a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Above {
    Always,
    Sometimes,
    Never,
}

/// The fractions of the calls of a function that led to calls of the chosen one, by callers.
#[derive(Clone, Copy, Debug, Default)]
struct Fractions {
    of_always: f64,
    of_sometimes: Led,
    of_never: f64,
}

impl Fractions {
    fn of(&self, above: Above) -> Led {
        match above {
            Above::Always => Led { nested: self.of_always, outermost: 0.0 },
            Above::Sometimes => self.of_sometimes,
            Above::Never => Led { nested: 0.0, outermost: self.of_never },
        }
    }

    /// The fractions if calls of a function led to this, by what its callers paid, or nobody did.
    fn new(led: Led, [always, sometimes, never]: [f64; 3]) -> Fractions {
        let rest = always + sometimes + never - led.nested - led.outermost;
        let share = |led: f64, paid: f64, others: f64| {
            if paid + others == 0.0 { 0.0 } else { led * paid / (paid + others) }
        };
        let within = |value: f64, least: f64, most: f64| value.min(most).max(least.min(most));
        // All that remains of these callers' calls is below, and it is at most all that remains.
        let least_of_always = (always - rest).max(led.nested - sometimes);
        let of_always =
            within(share(led.nested, always, sometimes), least_of_always, led.nested.min(always));
        let nested = (led.nested - of_always).min(sometimes);
        // The same of callers of which nothing is below.
        let rest_of_others = (rest - (always - of_always)).max(0.0);
        let least_of_never = (never - rest_of_others).max(led.outermost - (sometimes - nested));
        let of_never = within(
            share(led.outermost, never, sometimes),
            least_of_never,
            led.outermost.min(never),
        );
        let outermost = (led.outermost - of_never).min(sometimes - nested);
        let fraction = |led: f64, paid: f64| if paid == 0.0 { 0.0 } else { led / paid };
        Fractions {
            of_always: fraction(of_always, always),
            of_sometimes: Led {
                nested: fraction(nested, sometimes),
                outermost: fraction(outermost, sometimes),
            },
            of_never: fraction(of_never, never),
        }
    }

    fn change(&self, other: &Fractions) -> f64 {
        let all = |of: &Fractions| {
            [of.of_always, of.of_sometimes.nested, of.of_sometimes.outermost, of.of_never]
        };
        let changes = all(self).into_iter().zip(all(other)).map(|(a, b)| (a - b).abs());
        changes.fold(0.0, f64::max)
    }
}

/// The parts of calls that led to the only chosen function.
pub(super) struct Levels {
    only: FunctionId,
    /// By function when a chosen one is above it.
    above: Vec<Above>,
    width: usize,
    /// By function and event.
    fractions: Vec<Fractions>,
    /// By arc and event the parts that led to calls of the only one.
    of_arcs: Vec<Led>,
    /// By function whether some of its calls led to nested ones.
    leads_to_nested: Vec<bool>,
}

impl Levels {
    /// The parts, if functions are divided that call the only chosen one.
    pub(super) fn new(graph: &CallGraph<'_>, known: &Known<'_>) -> Option<Levels> {
        let functions = 0..graph.profile.function_count();
        let above = functions.map(|at| match (known.is_reached[at], known.is_always[at]) {
            (_, true) => Above::Always,
            (true, false) => Above::Sometimes,
            (false, false) => Above::Never,
        });
        let width = graph.profile.sides().new.costs.table.width();
        let mut levels = Levels {
            only: known.only?,
            above: above.collect(),
            width,
            fractions: vec![Fractions::default(); known.chosen.len() * width],
            of_arcs: Vec::new(),
            leads_to_nested: vec![false; known.chosen.len()],
        };
        let is_divided = |arc: &Arc| levels.above_caller(graph, *arc) == Above::Sometimes;
        let are_divided = || graph.arcs().map(|(_, arc)| arc).filter(is_divided);
        if !are_divided().any(|arc| known.chosen[arc.callee.index()]) {
            return None;
        }
        let arcs: Vec<Arc> =
            are_divided().filter(|arc| !known.chosen[arc.callee.index()]).collect();
        let callers = arcs.iter().map(|arc| Some(graph.caller(*arc).index()));
        let out_of = Groups::new(known.chosen.len(), callers);
        for component in components(&out_of, |arc| arcs[arc as usize].callee.0).iter() {
            let divided: Vec<FunctionId> = component
                .iter()
                .map(|&function| FunctionId(function))
                .filter(|function| levels.above[function.index()] == Above::Sometimes)
                .collect();
            let max_rounds = if divided.len() > 1 { MAX_ROUNDS } else { 1 };
            for _ in 0..max_rounds {
                let changes = divided.iter().map(|&function| levels.find(graph, known, function));
                if changes.fold(0.0, f64::max) < MIN_CHANGE {
                    break;
                }
            }
        }
        let parts = graph
            .arcs()
            .flat_map(|(_, arc)| (0..width).map(move |event| (arc, event)))
            .map(|(arc, event)| levels.of_arc(graph, known, arc, event));
        levels.of_arcs = parts.collect();
        Some(levels)
    }

    fn above_caller(&self, graph: &CallGraph<'_>, arc: Arc) -> Above {
        self.above[graph.caller(arc).index()]
    }

    /// Finds which callers of a function paid for what its calls led to. Returns the largest change
    /// of a fraction.
    fn find(&mut self, graph: &CallGraph<'_>, known: &Known<'_>, function: FunctionId) -> f64 {
        let mut led = vec![Led::default(); self.width];
        let mut spent = vec![0.0; self.width];
        let mut paid = vec![[0.0; 3]; self.width];
        let is_by_others = |arc: Arc| !graph.is_own_call(graph.caller(arc), arc.callee);
        let size = |count: &Count| count.or_zero().unsigned_abs() as f64;
        for fragment in graph.fragments_of(function) {
            for (spent, own) in spent.iter_mut().zip(graph.own(fragment)) {
                *spent += size(own);
            }
            for (id, arc) in graph.out_of(fragment).filter(|&(_, arc)| is_by_others(arc)) {
                for (event, cost) in graph.cost(id).iter().enumerate() {
                    let part = self.of_arc(graph, known, arc, event);
                    led[event].nested += part.nested * size(cost);
                    led[event].outermost += part.outermost * size(cost);
                    spent[event] += size(cost);
                }
            }
        }
        for (id, arc) in graph.into(function).filter(|&(_, arc)| is_by_others(arc)) {
            let above = self.above_caller(graph, arc) as usize;
            for (paid, cost) in paid.iter_mut().zip(graph.cost(id)) {
                paid[above] += size(cost);
            }
        }
        let mut change: f64 = 0.0;
        for event in 0..self.width {
            // What nobody paid is below no function.
            let [always, sometimes, never] = paid[event];
            let unpaid = (spent[event] - always - sometimes - never).max(0.0);
            let new = Fractions::new(led[event], [always, sometimes, never + unpaid]);
            let fractions = &mut self.fractions[function.index() * self.width + event];
            change = change.max(fractions.change(&new));
            *fractions = new;
            self.leads_to_nested[function.index()] |= led[event].nested > 0.0;
        }
        change
    }

    /// The parts of the calls of an arc that led to calls of the chosen function.
    fn of_arc(&self, graph: &CallGraph<'_>, known: &Known<'_>, arc: Arc, event: usize) -> Led {
        if known.chosen[arc.callee.index()] {
            return self.of_chosen(arc.callee == self.only && !arc.is_nested);
        }
        self.of_call(graph.caller(arc), arc.callee, event)
    }

    /// The parts of an arc's calls that led to calls of the chosen function.
    pub(super) fn led(&self, arc: ArcId, event: usize) -> Led {
        self.of_arcs[arc.index() * self.width + event]
    }

    /// The parts of a call of a chosen function.
    pub(super) fn of_chosen(&self, is_outermost: bool) -> Led {
        let nested = if is_outermost { 0.0 } else { 1.0 };
        Led { nested, outermost: 1.0 - nested }
    }

    /// The parts of a call of another function.
    pub(super) fn of_call(&self, caller: FunctionId, callee: FunctionId, event: usize) -> Led {
        let above = self.above[caller.index()];
        self.fractions[callee.index() * self.width + event].of(above)
    }

    /// Whether some of a divided function's calls led to nested ones.
    pub(super) fn lead_to_nested(&self, function: FunctionId) -> bool {
        self.leads_to_nested[function.index()]
    }
}
