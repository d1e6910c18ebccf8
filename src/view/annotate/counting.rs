//! What counts of the cost of inlined code at a line, so that no time counts twice.
//!
//! **Recursion.** Calls within a cycle are part of the cost of others, unless those that outermost
//! activations of a function make there, as far as levels tell, cost more than all of the code
//! without calls within the cycle. Both are lower bounds.
//!
//! **Functions that lead to each other.** A recursive function is inlined into its callers and into
//! itself: the line at which it is inlined is in all of these, and those that call it have the cost
//! of what is inlined in it. As everywhere, the larger of two lower bounds [counts](counted): what
//! the line costs in one of the functions, and what it costs in all without the calls that lead to
//! them.

use hashbrown::{HashMap, HashSet};

use super::Annotator;
use super::inlined::{CostSource, InlinedCallee, InlinedCost};
use crate::profile::{FunctionId, Presence};
use crate::view::leading::{Counted, Group, Leading, SpentInCode, counted};

/// What is inlined at a line.
type Key = (u32, InlinedCallee);

/// How the cost of what is inlined at a line is counted in one function, if it is not all that is
/// part of no other call.
enum HowCounted {
    /// The calls within a cycle that outermost activations make.
    Outermost,
    /// Nothing: another function leads to it there.
    Not,
    /// All but the calls that lead to a function of the group with this number.
    Once(usize),
}

/// How the cost of what is inlined at the lines of a file is counted, by function.
#[derive(Default)]
pub(super) struct Counting {
    of_functions: HashMap<Key, HashMap<FunctionId, HowCounted>>,
    /// What is in functions that lead to each other.
    joined: HashSet<Key>,
    /// The groups of functions that lead to each other.
    groups: Vec<Group>,
    leading: Leading,
}

/// What a function spent in code that is inlined at a line.
#[derive(Default)]
struct InFunction {
    outermost: i128,
    /// Without calls within a cycle.
    leaving: i128,
    spent: SpentInCode,
}

impl Counting {
    /// Whether what is inlined at a line is in functions that lead to each other.
    pub(super) fn is_joined(&self, line: u32, callee: InlinedCallee) -> bool {
        self.joined.contains(&(line, callee))
    }

    fn add(&mut self, key: Key, functions: &HashMap<FunctionId, InFunction>) {
        let mut in_order: Vec<FunctionId> = functions.keys().copied().collect();
        in_order.sort_unstable();
        let mut how = HashMap::new();
        for group in self.leading.groups(&in_order) {
            let spent = |function| &functions[&function].spent;
            let explained_by = counted(&group, spent, &self.leading);
            for &function in &group.functions {
                let of_function = match explained_by {
                    Counted::Once if group.has_several() => {
                        Some(HowCounted::Once(self.groups.len()))
                    }
                    Counted::Of(most) if most != function => Some(HowCounted::Not),
                    _ => {
                        let of = &functions[&function];
                        (of.outermost > of.leaving).then_some(HowCounted::Outermost)
                    }
                };
                how.extend(of_function.map(|of_function| (function, of_function)));
            }
            if group.has_several() {
                self.joined.insert(key);
                self.groups.push(group);
            }
        }
        if !how.is_empty() {
            self.of_functions.insert(key, how);
        }
    }
}

impl Annotator<'_, '_> {
    /// How the inlined code in the files of a profile alone is counted.
    pub(super) fn counting<'c>(&self, costs: impl Iterator<Item = &'c InlinedCost>) -> Counting {
        if self.graphs.base.is_some() {
            return Counting::default();
        }
        let (side, events) = (&self.profile.sides().new, self.profile.events());
        let event = self.selection.order.first().copied().unwrap_or(0);
        let mut found: HashMap<Key, HashMap<FunctionId, InFunction>> = HashMap::new();
        for cost in costs {
            let (counts, callee) = match cost.spent {
                CostSource::Place(number) => (side.costs.table.get(number as usize), None),
                CostSource::Call(number) => {
                    let callee = self.profile.calls[number as usize].callee;
                    (side.calls.table.get(number as usize), Some(callee))
                }
            };
            let count = i128::from(events.count(counts, event).or_zero());
            let functions = found.entry((cost.line, cost.callee)).or_default();
            let of = functions.entry(self.fragment_with(cost).function).or_default();
            let is_outermost = self.shows_outermost && self.is_of_outermost(cost);
            of.outermost += if is_outermost { count } else { 0 };
            of.leaving += if self.on_own_of(cost, cost.on).new { count } else { 0 };
            of.spent.add(callee, count);
        }
        let in_several = found.values().filter(|functions| functions.len() > 1);
        let leading = Leading::to(in_several.flat_map(|of| of.keys().copied()), &self.graphs.new);
        let mut counting = Counting { leading, ..Counting::default() };
        for (key, mut functions) in found {
            for of in functions.values_mut() {
                of.spent.inclusive = of.outermost.max(of.leaving);
            }
            counting.add(key, &functions);
        }
        counting
    }

    /// Whether a cost is counted, as far as that does not depend on the calls of a cycle.
    pub(super) fn is_counted(&self, cost: &InlinedCost, counting: &Counting) -> bool {
        match (self.how_counted(cost, counting), cost.spent) {
            (Some(HowCounted::Not), _) => false,
            (Some(HowCounted::Outermost), CostSource::Place(_)) => false,
            (Some(&HowCounted::Once(group)), CostSource::Call(number)) => {
                let callee = self.profile.calls[number as usize].callee;
                !counting.leading.leads_to_any(callee, &counting.groups[group])
            }
            _ => true,
        }
    }

    /// The sides on which a cost is counted.
    pub(super) fn counted_on(
        &self,
        cost: &InlinedCost,
        counting: &Counting,
        on: Presence,
    ) -> Presence {
        let is_counted = match self.how_counted(cost, counting) {
            None => return self.on_own_of(cost, on),
            Some(HowCounted::Outermost) => self.is_of_outermost(cost),
            Some(_) => self.is_counted(cost, counting),
        };
        if is_counted { on } else { Presence::default() }
    }

    fn how_counted<'c>(
        &self,
        cost: &InlinedCost,
        counting: &'c Counting,
    ) -> Option<&'c HowCounted> {
        let functions = counting.of_functions.get(&(cost.line, cost.callee))?;
        functions.get(&self.fragment_with(cost).function)
    }
}
