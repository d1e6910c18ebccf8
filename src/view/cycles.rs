//! Call cycles: the strongly connected components of two or more functions.

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
        let members: Vec<_> = Graph::of(profile)
            .components()
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

/// Who calls whom: the callees of function `f` are `callees[starts[f]..starts[f + 1]]`.
pub(super) struct Graph {
    starts: Vec<u32>,
    callees: Vec<u32>,
}

impl Graph {
    /// All calls of a profile.
    pub(super) fn of(profile: &Profile) -> Graph {
        let calls = profile.calls.iter();
        let calls = calls.map(|(call, _)| (call.site.function, call.callee));
        Graph::new(profile.functions().count(), calls)
    }

    fn new(
        functions: usize,
        calls: impl Iterator<Item = (FunctionId, FunctionId)> + Clone,
    ) -> Graph {
        let mut starts = vec![0u32; functions + 1];
        for (caller, _) in calls.clone() {
            starts[caller.index() + 1] += 1;
        }
        for function in 0..functions {
            starts[function + 1] += starts[function];
        }
        let mut next = starts.clone();
        let mut callees = vec![0; starts[functions] as usize];
        for (caller, callee) in calls {
            let at = &mut next[caller.index()];
            callees[*at as usize] = callee.0;
            *at += 1;
        }
        Graph { starts, callees }
    }

    /// The strongly connected components, callees before their callers, by Tarjan's algorithm (1972) with a stack
    /// of its own, as call chains may be longer than the machine's.
    pub(super) fn components(&self) -> Vec<Vec<FunctionId>> {
        const NOT_SEEN: u32 = u32::MAX;
        let functions = self.starts.len() - 1;
        let mut number = vec![NOT_SEEN; functions];
        let mut low = vec![0u32; functions];
        let mut is_open = vec![false; functions];
        let mut open = Vec::new();
        let mut components = Vec::new();
        let mut numbered = 0;
        // Functions being walked, each with the position of its next callee.
        let mut walk: Vec<(u32, u32)> = Vec::new();
        for root in 0..functions as u32 {
            if number[root as usize] != NOT_SEEN {
                continue;
            }
            walk.push((root, self.starts[root as usize]));
            while let Some((function, next)) = walk.last_mut() {
                let f = *function as usize;
                if number[f] == NOT_SEEN {
                    (number[f], low[f]) = (numbered, numbered);
                    numbered += 1;
                    open.push(f as u32);
                    is_open[f] = true;
                }
                if *next < self.starts[f + 1] {
                    let callee = self.callees[*next as usize] as usize;
                    *next += 1;
                    if number[callee] == NOT_SEEN {
                        walk.push((callee as u32, self.starts[callee]));
                    } else if is_open[callee] {
                        low[f] = low[f].min(number[callee]);
                    }
                    continue;
                }
                walk.pop();
                if let Some(&(caller, _)) = walk.last() {
                    low[caller as usize] = low[caller as usize].min(low[f]);
                }
                if low[f] == number[f] {
                    let first = open
                        .iter()
                        .rposition(|&member| member as usize == f)
                        .unwrap_or(0);
                    let component: Vec<_> = open.drain(first..).map(FunctionId).collect();
                    component
                        .iter()
                        .for_each(|member| is_open[member.index()] = false);
                    components.push(component);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components of two or more of a graph given as "0>1 1>0", sorted.
    fn cycles(functions: usize, calls: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let calls = calls.iter().map(|&(a, b)| (FunctionId(a), FunctionId(b)));
        let components = Graph::new(functions, calls).components();
        assert_eq!(components.iter().map(Vec::len).sum::<usize>(), functions);
        let mut cycles: Vec<Vec<u32>> = components
            .into_iter()
            .filter(|c| c.len() > 1)
            .map(|c| c.into_iter().map(|f| f.0).collect())
            .collect();
        cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
        cycles.sort_unstable();
        cycles
    }

    #[test]
    fn small_graphs() {
        assert_eq!(cycles(3, &[(0, 1), (1, 2)]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(2, &[(0, 0), (0, 1)]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(3, &[(0, 1), (1, 2), (2, 1)]), [[1, 2]]);
        // A cycle that calls a cycle, each with two entries, and a self call inside.
        let calls = [
            (0, 1),
            (0, 2),
            (1, 2),
            (2, 1),
            (2, 2),
            (1, 3),
            (2, 4),
            (3, 4),
            (4, 3),
            (4, 5),
        ];
        assert_eq!(cycles(6, &calls), [[1, 2], [3, 4]]);
        // Nested circles are one component.
        assert_eq!(
            cycles(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 1)]),
            [[0, 1, 2, 3]]
        );
    }

    #[test]
    fn a_chain_of_100000_functions_and_back() {
        let mut calls: Vec<_> = (0..99_999).map(|f| (f, f + 1)).collect();
        assert!(cycles(100_000, &calls).is_empty());
        calls.push((99_999, 0));
        assert_eq!(cycles(100_000, &calls)[0].len(), 100_000);
    }
}
