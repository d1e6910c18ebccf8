//! The members of cycles that are never within themselves by the calls that were recorded, whatever
//! is known of levels of recursion.
//!
//! A function that was **called once** in all is not. Nor is a function `f` if there is a function
//! `g` that was called once, that each way of calls to `f` passes, and that each way from `f` back
//! to `f` passes: on a stack with `f` twice, `g` would be above the first `f`, and between both.
//! Interpreted languages have many such functions: one that loads a module in the middle of the
//! program makes a cycle with what runs the program, `exec`.
//!
//! The functions that were called once and dominate others are the roots of **regions**: the region
//! of a function is that of its nearest such dominator `g`. A way from `f` back to `f` without `g`
//! stays among the functions that `g` dominates, or it could come from outside to `f` without `g`.
//! It enters another region there only by its root. So, if each of those regions is taken as one
//! function, such a way is a cycle of the functions of the region of `g`.
//!
//! All of this holds for the ways of calls that were recorded. A stack may begin with any function
//! that callers outside the cycle call, or whose calls by others cost anything else than it spent:
//! it may have begun by itself, or by calls that were not recorded.

use super::components::components;
use super::dominators::Dominators;
use super::members::{Component, Members};
use super::{Arc, ArcId, CallGraph, Groups};

/// Whether each member is never nested. `is_exact` is whether that is known from its levels.
///
/// None is known of a producer that has one call for each pair of functions, as it does not count
/// them, and of costs that were divided.
pub(super) fn never_nested(
    graph: &CallGraph<'_>,
    members: &Members,
    is_exact: impl Fn(usize) -> bool,
) -> Vec<bool> {
    let counts_calls =
        graph.profile.counts_calls() && graph.arcs().any(|(id, _)| graph.calls(id) > 1);
    if !counts_calls || graph.side.kept.is_some() {
        return Vec::new();
    }
    let known = Known { graph, members };
    let mut never: Vec<bool> =
        (0..members.list.len()).map(|member| known.is_called_once(member)).collect();
    for component in members.components.iter().filter(|component| component.is_cycle) {
        if component.members.clone().any(|member| !never[member] && !is_exact(member)) {
            known.add_dominated(component, &mut never);
        }
    }
    never
}

/// What the recorded calls tell about members of cycles.
pub(super) struct Known<'k, 'p> {
    pub(super) graph: &'k CallGraph<'p>,
    pub(super) members: &'k Members,
}

impl Known<'_, '_> {
    fn is_called_once(&self, member: usize) -> bool {
        let arcs = || self.graph.into(self.members.list[member]);
        let has_cost =
            |&(id, _): &(ArcId, Arc)| self.graph.cost(id).iter().any(|count| count.or_zero() != 0);
        arcs().filter(has_cost).count() == 1
            && arcs().map(|(id, _)| i128::from(self.graph.calls(id))).sum::<i128>() == 1
            && self.is_paid(member)
    }

    /// Whether what was paid for a member may be what it costs.
    fn is_paid(&self, member: usize) -> bool {
        let component = self.members.component(member);
        component.plain_events().all(|event| {
            let entered = component.entered[event].or_zero();
            let may_cost = self.members.floor(member, event)..=entered.into();
            self.members.unpaid(member, event) == 0
                && may_cost.contains(&self.members.once(member, event))
        })
    }

    /// Whether a member spent what others paid for it.
    fn is_balanced(&self, member: usize) -> bool {
        let spent = self.members.spent.get(member).iter();
        spent
            .zip(self.members.paid.get(member))
            .all(|(spent, paid)| spent.or_zero() == paid.or_zero())
    }

    /// Whether only others call a member, as far as is recorded: it is no copy or instance, of
    /// which calls are not counted, and has no deeper level.
    pub(super) fn is_called_by_others(&self, member: usize) -> bool {
        let function = self.members.list[member];
        let is_nested =
            |arc: Arc| arc.is_nested || self.graph.is_own_call(self.graph.caller(arc), function);
        !self.graph.profile.is_inlined(function)
            && !self.graph.profile.is_instance(function)
            && !self.graph.into(function).any(|(_, arc)| is_nested(arc))
    }

    /// Adds the members of a cycle that can only be nested in a member that was called once.
    fn add_dominated(&self, component: &Component, never: &mut [bool]) {
        let first = component.members.start;
        let has_cost = |calls: usize| {
            self.members.inner_costs.get(calls).iter().any(|count| count.or_zero() != 0)
        };
        let is_gate = |member: usize| {
            never[member] && self.is_balanced(member) && self.is_called_by_others(member)
        };
        let is_gate: Vec<bool> = component.members.clone().map(is_gate).collect();
        // Data of gprof does not say what calls within a cycle cost.
        if !is_gate.contains(&true) || !component.inner.clone().any(has_cost) {
            return;
        }
        let calls = self.calls_from_entries(component, |member| !self.is_balanced(member));
        for at in outside_cycles_of_regions(&calls, &is_gate) {
            let member = first + at;
            never[member] |= self.is_balanced(member)
                && self.is_paid(member)
                && self.is_called_by_others(member);
        }
    }

    /// The calls between the members of a cycle, by their numbers in it, and before them those by a
    /// root after all members, of the members with which a stack may begin, or a way into the cycle.
    pub(super) fn calls_from_entries(
        &self,
        component: &Component,
        may_begin: impl FnMut(usize) -> bool,
    ) -> Vec<[u32; 2]> {
        let (first, root) = (component.members.start, component.members.len() as u32);
        let mut is_entry: Vec<bool> = component.members.clone().map(may_begin).collect();
        for id in &component.entering {
            if let Some(callee) = self.members.number(self.graph.arcs[id.index()].callee) {
                is_entry[callee - first] = true;
            }
        }
        let entries = (0..root).filter(|&at| is_entry[at as usize]).map(|at| [root, at]);
        let inner = self.members.inner[component.inner.clone()].iter();
        let calls =
            inner.map(|calls| [calls.caller, calls.callee].map(|member| member - first as u32));
        entries.chain(calls).collect()
    }
}

/// The nodes that a gate dominates, and that no way without it leads back to. The calls begin at a
/// root after all nodes.
fn outside_cycles_of_regions(calls: &[[u32; 2]], is_gate: &[bool]) -> Vec<usize> {
    let root = is_gate.len() as u32;
    let dominators = Dominators::new(is_gate.len() + 1, calls, root);
    let regions = Regions::new(&dominators, is_gate);
    let within: Vec<[u32; 2]> = calls.iter().filter_map(|&call| regions.within_one(call)).collect();
    let callers = within.iter().map(|&[caller, _]| Some(caller as usize));
    let out_of = Groups::new(regions.order.len(), callers);
    let cycles = components(&out_of, |call| within[call as usize][1]);
    let alone = cycles.iter().filter_map(|cycle| match cycle {
        &[number] if regions.root[number as usize] != 0 => Some(number),
        _ => None,
    });
    alone.map(|number| regions.order[number as usize] as usize).collect()
}

/// The regions of a graph as a tree: above each node is the root of its region. All but `order` and
/// `number` have numbers of nodes in the order of the dominators.
struct Regions<'d> {
    order: &'d [u32],
    /// By node its number in the order; none if it is not reached.
    number: Vec<Option<u32>>,
    /// The nearest gate that dominates the node; 0 without one, which is the root of the graph.
    root: Vec<u32>,
    /// The pre-order number in the tree.
    enter: Vec<u32>,
    /// The nodes of each region.
    nodes: Groups,
}

impl<'d> Regions<'d> {
    fn new(dominators: &'d Dominators, is_gate: &[bool]) -> Regions<'d> {
        let Dominators { order, nearest } = dominators;
        let mut number = vec![None; is_gate.len() + 1];
        let mut root = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            number[node as usize] = Some(at as u32);
            let above = nearest[at] as usize;
            let is_root = is_gate.get(order[above] as usize) == Some(&true);
            root[at] = if is_root { nearest[at] } else { root[above] };
        }
        let mut size = vec![1; order.len()];
        for at in (1..order.len()).rev() {
            size[root[at] as usize] += size[at];
        }
        let (mut enter, mut free) = (vec![0; order.len()], vec![1; order.len()]);
        for at in 1..order.len() {
            let of_region = &mut free[root[at] as usize];
            enter[at] = *of_region;
            *of_region += size[at];
            free[at] = enter[at] + 1;
        }
        let of_region = (0..order.len()).map(|at| (at > 0).then_some(root[at] as usize));
        let nodes = Groups::new(order.len(), of_region);
        Regions { order, number, root, enter, nodes }
    }

    /// A call within the region of its callee, by the caller or by the root of the region that the
    /// caller is in there; none if the root of the callee's region makes the call.
    fn within_one(&self, call: [u32; 2]) -> Option<[u32; 2]> {
        let [caller, callee] = call.map(|node| self.number[node as usize]);
        let (caller, callee) = (caller?, callee?);
        let region = self.root[callee as usize];
        let enter = self.enter[caller as usize];
        let nodes = self.nodes.get(region as usize);
        let before = nodes.partition_point(|&node| self.enter[node as usize] <= enter);
        (caller != region).then_some([nodes[before.checked_sub(1)?], callee])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls, and those of entries by a root after all nodes.
    fn from_root(calls: &[[u32; 2]], is_entry: &[bool]) -> Vec<[u32; 2]> {
        let root = is_entry.len() as u32;
        let entries = (0..root).filter(|&node| is_entry[node as usize]).map(|node| [root, node]);
        entries.chain(calls.iter().copied()).collect()
    }

    /// The nodes of `text`, calls such as `m>f`, which a gate keeps from being nested. The first
    /// node is the only entry; gates are in capitals.
    fn found(text: &str) -> String {
        let mut names: Vec<&str> = text.split([' ', '>']).collect();
        names.sort_unstable();
        names.dedup();
        let at = |name| names.iter().position(|&of| of == name).unwrap();
        let calls: Vec<[u32; 2]> = text
            .split(' ')
            .map(|call| call.split_once('>').unwrap())
            .map(|(caller, callee)| [at(caller) as u32, at(callee) as u32])
            .collect();
        let is_entry: Vec<bool> = (0..names.len()).map(|node| node as u32 == calls[0][0]).collect();
        let is_gate: Vec<bool> = names.iter().map(|name| *name == name.to_uppercase()).collect();
        let mut found: Vec<&str> =
            outside_cycles_of_regions(&from_root(&calls, &is_entry), &is_gate)
                .into_iter()
                .map(|node| names[node])
                .collect();
        found.sort_unstable();
        found.join(" ")
    }

    #[test]
    fn functions_that_only_a_function_called_once_leads_back_to() {
        let table = [
            // What was imported in the middle of the program may run anything but main again.
            ("exec>MAIN MAIN>f f>g g>import import>exec", "f g import"),
            ("exec>main main>f f>g g>import import>exec", ""),
            // f and g call each other without MAIN; h does not call them.
            ("exec>MAIN MAIN>f f>g g>f g>h h>exec", "h"),
            // f is also called without MAIN.
            ("exec>MAIN MAIN>f f>exec exec>f f>g g>exec", ""),
            // A region within a region, of which f and h are on a way without MAIN, by G.
            ("exec>MAIN MAIN>f f>G G>h h>f h>i i>exec", "h i"),
            // The same, but what G leads to comes back to MAIN only.
            ("exec>MAIN MAIN>f f>G G>h h>i i>exec", "G f h i"),
            // The region of MAIN is called by its own functions, which adds no way without MAIN.
            ("exec>MAIN MAIN>f f>g g>MAIN g>exec", "f g"),
        ];
        for (calls, expected) in table {
            assert_eq!(found(calls), expected, "{calls}");
        }
    }

    /// The nodes that the starts reach without passing one of them.
    fn reached(calls: &[[u32; 2]], starts: &[bool], without: Option<usize>) -> Vec<bool> {
        let mut is_reached = starts.to_vec();
        for _ in 0..starts.len() {
            without.into_iter().for_each(|node| is_reached[node] = false);
            for call in calls {
                let [caller, callee] = call.map(|node| node as usize);
                is_reached[callee] |= is_reached[caller] && without != Some(caller);
            }
        }
        without.into_iter().for_each(|node| is_reached[node] = false);
        is_reached
    }

    /// Of all functions but gates, those are found that are reached from entries, but not without
    /// some gate, and that do not reach themselves without that gate.
    #[test]
    fn functions_found_are_those_that_a_gate_leads_to_and_back_to() {
        let mut seed = 1u64;
        let mut below = |end: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % end as u64) as usize
        };
        let mut all_found = 0;
        for _ in 0..3000 {
            let nodes = 2 + below(10);
            let mut calls: Vec<[u32; 2]> =
                (0..below(2 * nodes)).map(|_| [below(nodes) as u32, below(nodes) as u32]).collect();
            calls.retain(|[caller, callee]| caller != callee);
            let is_gate: Vec<bool> = (0..nodes).map(|_| below(3) == 0).collect();
            let is_entry: Vec<bool> = (0..nodes).map(|node| node == 0 || below(8) == 0).collect();
            let all = reached(&calls, &is_entry, None);
            let is_found = |node: usize, gate: usize| {
                let callees_of_node: Vec<bool> = (0..nodes)
                    .map(|callee| calls.contains(&[node as u32, callee as u32]))
                    .collect();
                is_gate[gate]
                    && gate != node
                    && !reached(&calls, &is_entry, Some(gate))[node]
                    && !reached(&calls, &callees_of_node, Some(gate))[node]
            };
            let expected: Vec<usize> = (0..nodes)
                .filter(|&node| !is_gate[node] && all[node])
                .filter(|&node| (0..nodes).any(|gate| is_found(node, gate)))
                .collect();
            let mut found = outside_cycles_of_regions(&from_root(&calls, &is_entry), &is_gate);
            found.retain(|&node| !is_gate[node]);
            found.sort_unstable();
            all_found += found.len();
            assert_eq!(found, expected, "{calls:?}, entries {is_entry:?}, gates {is_gate:?}");
        }
        assert!(all_found > 300, "{all_found}");
    }
}
