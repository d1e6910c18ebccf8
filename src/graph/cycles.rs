//! The cycles that reports name: the functions that still call each other without rare back calls.
//!
//! One rare call, such as that of the resolver of a library's functions, is enough to make a cycle
//! of most functions of a program. The costs of functions do not depend on which cycles are named.

use super::components::components;
use super::members::Component;
use super::{CallGraph, Groups};
use crate::graph::partition::Partition;
use crate::profile::{CostTable, FunctionId};

/// A back call is rare if it cost less than this part of what its callee cost.
const RARE: i128 = 100;

impl CallGraph<'_> {
    /// The members of each cycle, in ascending order.
    pub fn cycles(&self) -> &[Vec<FunctionId>] {
        self.cycles.get_or_init(|| {
            let components = self.members.components.iter();
            let components = components.filter(|component| component.is_cycle);
            components.flat_map(|component| self.cycles_of(component)).collect()
        })
    }

    /// The cycles that are left of a component without its rare back calls.
    fn cycles_of(&self, component: &Component) -> Vec<Vec<FunctionId>> {
        let (members, event) = (&self.members, component.event);
        let first = component.members.start;
        let costs = &self.inclusive_by_function().costs;
        let paid = |at: usize| i128::from(members.inner_costs.get(at)[event].or_zero()).abs();
        // Data of gprof does not say what calls within a cycle cost.
        let is_known = component.inner.clone().any(|at| paid(at) > 0);
        let is_rare = |at: usize| {
            let calls = members.inner[at];
            let [caller, callee] =
                [calls.caller, calls.callee].map(|member| members.list[member as usize]);
            let cost = i128::from(costs.get(callee.index())[event].or_zero()).abs();
            let goes_back = self.order.place(callee) < self.order.place(caller);
            is_known && goes_back && paid(at) * RARE < cost
        };
        let kept: Vec<usize> = component.inner.clone().filter(|&at| !is_rare(at)).collect();
        let callers = kept.iter().map(|&at| Some(members.inner[at].caller as usize - first));
        let out_of = Groups::new(component.members.len(), callers);
        let callee = |number: u32| members.inner[kept[number as usize]].callee - first as u32;
        let found = components(&out_of, callee).reversed();
        let found = found.iter().map(|group| {
            let mut group: Vec<FunctionId> =
                group.iter().map(|&member| members.list[first + member as usize]).collect();
            group.sort_unstable();
            group
        });
        let is_own = |member: &&FunctionId| !self.profile.is_inlined(**member);
        found.filter(|group| group.iter().filter(is_own).count() > 1).collect()
    }

    /// The inclusive costs of the cycles, each as a row of its members, which is exact.
    pub fn inclusive_of_cycles(&self) -> CostTable {
        let cycles = self.cycles();
        if cycles.is_empty() {
            return CostTable::new(self.own.width(), 0);
        }
        let mut rows = vec![cycles.len() as u32; self.profile.function_count()];
        for (row, members) in (0..).zip(cycles) {
            members.iter().for_each(|member| rows[member.index()] = row);
        }
        let of_fragment = self.profile.fragments().iter();
        let of_fragment = of_fragment.map(|fragment| rows[fragment.function.index()]).collect();
        let partition = Partition::new(self.profile, cycles.len() + 1, of_fragment);
        let (of_cycles, _) = self.inclusive_of_rows(&partition, 0..cycles.len() as u32);
        of_cycles.costs
    }
}
