//! The members of cycles that are on the stack whenever a function is, and never below it.
//!
//! Each way of calls to a function passes those that dominate it, so they are always above it. One
//! of them that is never nested is not called below it once more.

use super::CallGraph;
use super::dominators::Dominators;
use super::members::Component;
use super::never_nested::Known;
use crate::profile::FunctionId;

impl CallGraph<'_> {
    /// The functions of cycles that are never below a chosen one, although calls lead there: they
    /// are always above all chosen functions of their cycle, and are never nested.
    pub fn never_below(&self, chosen: &[bool]) -> Vec<FunctionId> {
        let known = Known { graph: self, members: &self.members };
        let is_chosen = |member: usize| chosen[self.members.list[member].index()];
        let may_begin = self.first_members();
        let cycles = self.members.components.iter().filter(|component| component.is_cycle);
        let above =
            cycles.flat_map(|component| always_above(&known, component, &may_begin, is_chosen));
        above
            .filter(|&member| self.levels.is_exact(member) && known.is_called_by_others(member))
            .map(|member| self.members.list[member])
            .collect()
    }
}

/// The members of a cycle that each way of calls to a chosen one passes; none if no member is
/// chosen.
fn always_above(
    known: &Known<'_, '_>,
    component: &Component,
    may_begin: &[bool],
    is_chosen: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let first = component.members.start;
    let all_chosen = component.members.clone().filter(|&member| is_chosen(member)).count();
    if all_chosen == 0 {
        return Vec::new();
    }
    let root = component.members.len() as u32;
    let arcs = known.calls_from_entries(component, |member| may_begin[member]);
    let dominators = Dominators::new(component.members.len() + 1, &arcs, root);
    let member = |number: usize| first + dominators.order[number] as usize;
    // By number how many chosen ones it dominates, with itself.
    let mut dominated = vec![0; dominators.order.len()];
    let mut above = Vec::new();
    for number in (1..dominators.order.len()).rev() {
        let is_one = is_chosen(member(number));
        dominated[number] += usize::from(is_one);
        dominated[dominators.nearest[number] as usize] += dominated[number];
        if dominated[number] == all_chosen && !is_one {
            above.push(member(number));
        }
    }
    above
}
