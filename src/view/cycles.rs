//! Call cycles: the strongly connected components of two or more functions.

use super::components::components;
use crate::profile::{FunctionId, Profile};

/// Which functions call each other in a circle.
#[derive(Clone, Debug, Default)]
pub struct Cycles {
    /// For each function the number of its cycle, from 0, if it is in one.
    of_function: Vec<Option<u32>>,
    /// The members of each cycle.
    members: Vec<Vec<FunctionId>>,
}

impl Cycles {
    /// Finds the cycles of a profile. A call that began before the profile did (`calls=0`) is a call too.
    pub fn find(profile: &Profile) -> Cycles {
        let functions = profile.functions().count();
        let members: Vec<_> = components_of(profile)
            .into_iter()
            .filter(|component| component.len() > 1)
            .collect();
        let mut of_function = vec![None; functions];
        for (cycle, members) in members.iter().enumerate() {
            for member in members {
                of_function[member.index()] = Some(cycle as u32);
            }
        }
        Cycles {
            of_function,
            members,
        }
    }

    /// No cycles, in a profile of so many functions: only calls of a function by itself are recursion.
    pub fn none(profile: &Profile) -> Cycles {
        Cycles {
            of_function: vec![None; profile.functions().count()],
            members: Vec::new(),
        }
    }

    /// The cycle of a function.
    pub fn of(&self, function: FunctionId) -> Option<usize> {
        self.of_function[function.index()].map(|cycle| cycle as usize)
    }

    /// The members of all cycles.
    pub fn members(&self) -> &[Vec<FunctionId>] {
        &self.members
    }

    /// Whether a call stays within a cycle, or is one of a function by itself: its cost is then nested in
    /// that of a call from outside.
    pub fn is_nested(&self, caller: FunctionId, callee: FunctionId) -> bool {
        caller == callee
            || self
                .of(caller)
                .is_some_and(|cycle| self.of(callee) == Some(cycle))
    }

    /// Gives the cycles new numbers: `order` lists the old ones.
    pub(super) fn renumber(&mut self, order: &[usize]) {
        let old = std::mem::take(&mut self.members);
        self.members = order.iter().map(|&cycle| old[cycle].clone()).collect();
        for (cycle, members) in self.members.iter().enumerate() {
            for member in members {
                self.of_function[member.index()] = Some(cycle as u32);
            }
        }
    }
}

/// All sets of functions that can reach each other, callees before their callers.
pub(super) fn components_of(profile: &Profile) -> Vec<Vec<FunctionId>> {
    let calls = profile
        .calls
        .iter()
        .map(|(call, _)| (call.site.function.0, call.callee.0));
    let components = components(profile.functions().count(), calls);
    let typed = |component: Vec<u32>| component.into_iter().map(FunctionId).collect();
    components.into_iter().map(typed).collect()
}
