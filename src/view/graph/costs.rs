//! What functions, cycles and calls cost.
//!
//! Without a list of what counts, and with no call left out, all of it is exact. Otherwise a call counts in
//! the proportion in which its callee counts; such numbers are rounded.

use super::{Arc, Graph, Lists};
use crate::profile::Overflow;

/// The numbers of one function or cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Own {
    pub(super) self_cost: i64,
    /// The calls that leave it, and its cycle.
    pub(super) children: i64,
    /// Calls from other functions; of a cycle from other functions than its members.
    pub(super) calls: i64,
    /// Recursive calls; of a cycle between different members.
    pub(super) self_calls: i64,
    /// Whether there is any call of it.
    pub(super) is_called: bool,
}

impl Own {
    fn inclusive(&self) -> i128 {
        i128::from(self.self_cost) + i128::from(self.children)
    }
}

/// What a call costs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) total: i64,
    /// The part of it that is estimated to be its callee's own.
    pub(super) self_cost: i64,
}

/// All numbers of a graph.
pub(super) struct Costs {
    pub(super) functions: Vec<Own>,
    /// By component.
    pub(super) components: Vec<Own>,
    /// By arc; nothing for those within a cycle.
    pub(super) arcs: Vec<Share>,
    /// What 100% are: all self costs that count.
    pub(super) whole: i64,
}

impl Costs {
    pub(super) fn new(graph: &Graph, lists: &Lists) -> Result<Costs, Overflow> {
        let is_exact = lists.counted.is_empty() && !graph.arcs.iter().any(|arc| arc.is_dropped);
        let scales = (!is_exact).then(|| Scales::new(graph, lists));
        let mut costs = Costs {
            functions: vec![Own::default(); graph.nodes.len()],
            components: vec![Own::default(); graph.components.len()],
            arcs: vec![Share::default(); graph.arcs.len()],
            whole: 0,
        };
        for (own, node) in costs.functions.iter_mut().zip(&graph.nodes) {
            own.self_cost = node.self_cost;
        }
        if let Some(scales) = &scales {
            scales.apply(graph, &mut costs);
        }
        for (number, arc) in graph.arcs.iter().enumerate() {
            if !graph.is_nested(arc) && !arc.is_dropped {
                if scales.is_none() {
                    costs.arcs[number].total = arc.cost;
                }
                let children = &mut costs.functions[arc.caller as usize].children;
                *children = children
                    .checked_add(costs.arcs[number].total)
                    .ok_or(Overflow)?;
            }
            if !arc.is_dropped {
                costs.count(graph, arc)?;
            }
        }
        for (node, own) in costs.functions.iter().enumerate() {
            costs.whole = costs.whole.checked_add(own.self_cost).ok_or(Overflow)?;
            let component = &mut costs.components[graph.component_of[node] as usize];
            component.self_cost = add(component.self_cost, own.self_cost)?;
            component.children = add(component.children, own.children)?;
        }
        if scales.is_none() {
            for (arc, share) in graph.arcs.iter().zip(&mut costs.arcs) {
                let callee = &costs.components[graph.component_of[arc.callee as usize] as usize];
                share.self_cost = part(share.total, callee.self_cost, callee.inclusive());
            }
        }
        Ok(costs)
    }

    /// Adds calls to those of the callee and of its cycle.
    fn count(&mut self, graph: &Graph, arc: &Arc) -> Result<(), Overflow> {
        let own = &mut self.functions[arc.callee as usize];
        own.is_called = true;
        if arc.caller == arc.callee {
            own.self_calls = add(own.self_calls, arc.count)?;
            return Ok(());
        }
        own.calls = add(own.calls, arc.count)?;
        let component = &mut self.components[graph.component_of[arc.callee as usize] as usize];
        if graph.is_nested(arc) {
            component.self_calls = add(component.self_calls, arc.count)?;
        } else {
            component.is_called = true;
            component.calls = add(component.calls, arc.count)?;
        }
        Ok(())
    }
}

fn add(a: i64, b: i64) -> Result<i64, Overflow> {
    a.checked_add(b).ok_or(Overflow)
}

/// The part of `total` that is to it as `some` is to `whole`, rounded; nothing of no whole.
fn part(total: i64, some: i64, whole: i128) -> i64 {
    if whole == 0 {
        return 0;
    }
    let (product, size) = (i128::from(total) * i128::from(some), whole.abs());
    let product = if whole < 0 { -product } else { product };
    let rounded = (product + product.signum() * (size / 2)) / size;
    i64::try_from(rounded).unwrap_or(total)
}

/// In which proportion functions and calls count.
struct Scales {
    /// By function: what share of its calls came from what counts.
    fraction: Vec<f64>,
    /// By component: the self cost that counts, what counts of its calls, and the cost of both if all counted.
    counted: Vec<(f64, f64, f64)>,
}

impl Scales {
    fn new(graph: &Graph, lists: &Lists) -> Scales {
        let fraction = fractions(graph, lists);
        let mut counted = vec![(0.0, 0.0, 0.0); graph.components.len()];
        // A component comes after those that it calls.
        for (number, members) in graph.components.iter().enumerate() {
            let (mut own, mut children, mut all) = (0.0, 0.0, 0.0);
            for &member in members {
                let (from, to) = super::range(&graph.caller_starts, member);
                let counts = fraction[member as usize] != 0.0;
                let self_cost = graph.nodes[member as usize].self_cost as f64;
                all += self_cost;
                if counts {
                    own += self_cost;
                }
                for arc in &graph.arcs[from..to] {
                    let callee = graph.component_of[arc.callee as usize] as usize;
                    if callee == number {
                        continue;
                    }
                    all += arc.cost as f64;
                    if counts && !arc.is_dropped && fraction[arc.callee as usize] != 0.0 {
                        let of_callee = counted[callee];
                        children += arc.cost as f64 * ratio(of_callee.0 + of_callee.1, of_callee.2);
                    }
                }
            }
            counted[number] = (own, children, all);
        }
        Scales { fraction, counted }
    }

    /// Sets self costs and those of calls.
    fn apply(&self, graph: &Graph, costs: &mut Costs) {
        for (own, fraction) in costs.functions.iter_mut().zip(&self.fraction) {
            if *fraction != 1.0 {
                own.self_cost = (own.self_cost as f64 * fraction).round() as i64;
            }
        }
        for (arc, share) in graph.arcs.iter().zip(&mut costs.arcs) {
            let callee = self.counted[graph.component_of[arc.callee as usize] as usize];
            let counts = self.fraction[arc.callee as usize] != 0.0;
            if graph.is_nested(arc) || arc.is_dropped || !counts {
                continue;
            }
            let cost = arc.cost as f64 * self.fraction[arc.caller as usize];
            share.total = (cost * ratio(callee.0 + callee.1, callee.2)).round() as i64;
            share.self_cost = (cost * ratio(callee.0, callee.2)).round() as i64;
        }
    }
}

fn ratio(some: f64, all: f64) -> f64 {
    if all == 0.0 { 0.0 } else { some / all }
}

/// For each function the share of its calls that came from what counts, by what they cost. A function without
/// such calls begins to count if the list admits it.
fn fractions(graph: &Graph, lists: &Lists) -> Vec<f64> {
    let mut fraction = vec![0.0; graph.nodes.len()];
    for members in graph.components.iter().rev() {
        let entering = || {
            let calls = members.iter().flat_map(|&member| graph.calls_of(member));
            calls
                .map(|(_, arc)| arc)
                .filter(|arc| !graph.is_nested(arc))
        };
        // Calls that all cost nothing are weighed by their number.
        let has_cost = entering().any(|arc| arc.cost > 0);
        let weight = |arc: &Arc| {
            let weight = if has_cost { arc.cost } else { arc.count };
            weight.max(0) as f64
        };
        let (mut some, mut all, mut is_whole) = (0.0, 0.0, true);
        for arc in entering() {
            let of_caller = fraction[arc.caller as usize];
            is_whole &= of_caller == 1.0;
            all += weight(arc);
            some += weight(arc) * of_caller;
        }
        let called = match all {
            0.0 => entering()
                .map(|arc| fraction[arc.caller as usize])
                .fold(0.0, f64::max),
            _ if is_whole => 1.0,
            _ => some / all,
        };
        for &member in members {
            fraction[member as usize] = match called {
                0.0 if lists.counted.admits(member) => 1.0,
                _ if lists.counted.bars(member) => 0.0,
                called => called,
            };
        }
    }
    fraction
}
