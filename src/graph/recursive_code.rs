//! The inclusive cost of a part of a recursive function's code, such as a line.
//!
//! Where the outermost activations of the function are known, they have no time in common: what
//! they spent in the code, with all calls made there, is part of its cost. The code may also be
//! executed in deeper activations, below calls that outermost ones make elsewhere in the function.
//! Which part of these calls was spent below the code again is not recorded. It is taken to be the
//! same part of all calls that lead to deeper activations, and what deeper activations spent in the
//! code is estimated like the cost of nested activations of a function.

use super::components::{Groups, components};
use super::estimate::{Estimated, estimate};
use super::partition::Partition;
use super::{Arc, CallGraph};
use crate::profile::{Bounds, CostTable, Count, FragmentId, FunctionId};

/// What a function spent in a part of its code, of one event.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodeCost {
    outermost: Spent,
    /// In deeper activations; in all if it is not known which are outermost.
    deeper: Spent,
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    /// The self cost, and the calls that do not lead to the function again.
    leaving: i128,
    /// The calls that may lead to it again.
    returning: i128,
}

impl CodeCost {
    /// Adds a self cost or a call.
    pub fn add(&mut self, cost: i64, is_outermost: bool, is_returning: bool) {
        let spent = if is_outermost { &mut self.outermost } else { &mut self.deeper };
        let sum = if is_returning { &mut spent.returning } else { &mut spent.leaving };
        *sum += i128::from(cost);
    }

    /// Whether outermost activations with all their calls cost more than all activations without
    /// the calls that may lead to the function again.
    pub fn is_mostly_outermost(&self) -> bool {
        self.outermost.returning > self.deeper.leaving
    }

    /// The self cost and all calls.
    fn all(&self) -> i128 {
        [self.outermost, self.deeper].iter().map(|of| of.leaving + of.returning).sum()
    }

    /// The cost of the code in a function that costs `whole`, of which outermost activations paid
    /// `returning` for calls that may lead to the function again.
    fn in_known_activations(self, whole: i128, returning: i128) -> Estimated {
        let CodeCost { outermost, deeper } = self;
        let first = outermost.leaving + outermost.returning;
        let below_others = (returning - outermost.returning).max(0);
        let below_any = estimate(
            deeper.leaving + deeper.returning,
            deeper.returning,
            returning,
            deeper.leaving,
        );
        let again = match returning {
            0 => 0,
            _ => below_any.shown.saturating_mul(below_others) / returning,
        };
        let least = first.max(outermost.leaving + deeper.leaving);
        let most = (first + below_any.most.min(below_others)).min(whole).max(least);
        Estimated { least, shown: (first + again).clamp(least, most), most }
    }

    /// The same if outermost activations are not known, in a cycle that cost `entered`; none if the
    /// function calls only itself.
    fn in_any_activations(self, whole: i128, entered: Option<i128>) -> Estimated {
        let Spent { leaving, returning } = self.deeper;
        let most_of_function = whole.max(leaving);
        match entered {
            Some(entered) => {
                let limit = entered.min(most_of_function);
                let Estimated { least, shown, most } =
                    estimate(leaving + returning, returning, entered, leaving);
                Estimated { least, shown: shown.min(limit), most: most.min(limit) }
            }
            None => Estimated {
                least: leaving,
                shown: leaving,
                most: (leaving + returning).min(most_of_function),
            },
        }
    }
}

impl CallGraph<'_> {
    /// What a part of the code of a recursive function costs, of an event that `count` finds in
    /// costs. `knows_outermost` is whether all outermost activations of the function are known.
    pub fn cost_of_code(
        &self,
        function: FunctionId,
        code: CodeCost,
        knows_outermost: bool,
        count: impl Fn(&[Count]) -> Count,
    ) -> Estimated {
        let count = |cost: &[Count]| i128::from(count(cost).or_zero());
        let whole = count(self.inclusive_by_function().costs.get(function.index()));
        if code.all() == count(self.spent_with_all_calls().get(function.index())) {
            // All code of the function.
            let bounds = self.estimated(function);
            let [least, most] =
                bounds.map_or([whole; 2], |bounds| [count(&bounds.least), count(&bounds.most)]);
            return Estimated { least, shown: whole, most };
        }
        if knows_outermost {
            let returning = self.paid_for_returning().get(function.index());
            return code.in_known_activations(whole, count(returning));
        }
        let component = self.members.number(function).map(|member| self.members.component(member));
        let of_cycle = component.filter(|component| component.is_cycle);
        code.in_any_activations(whole, of_cycle.map(|component| count(&component.entered)))
    }

    /// By function its self cost and all of its calls.
    fn spent_with_all_calls(&self) -> &CostTable {
        self.spent_with_all_calls.get_or_init(|| {
            let functions = self.profile.function_count();
            let [spent, _] = self.spent_and_paid(functions, FunctionId::index, |_| [true, false]);
            spent
        })
    }

    /// By function what its outermost activations paid for calls that may lead to it again.
    fn paid_for_returning(&self) -> &CostTable {
        self.returning.get_or_init(|| {
            let mut paid = CostTable::new(self.own.width(), self.profile.function_count());
            for (id, arc) in self.arcs() {
                if !self.is_deeper(arc.caller) && self.may_return(arc) {
                    paid.add(self.caller(arc).index(), self.cost(id));
                }
            }
            paid
        })
    }

    /// Whether code was executed by deeper levels of recursion, as far as these are apart.
    fn is_deeper(&self, fragment: FragmentId) -> bool {
        let fragment = self.profile.fragment(fragment);
        fragment.division.is_deeper() || self.levels.outermost(fragment.function).is_some()
    }

    /// Whether a call may lead to a level of recursion of its caller.
    fn may_return(&self, arc: Arc) -> bool {
        let caller = self.caller(arc);
        if !self.levels.has_deeper() {
            return self.is_inner(caller, arc.callee);
        }
        let [caller, callee] = [caller, arc.callee].map(|of| self.outermost_level(of));
        let of_levels = self.of_levels.get_or_init(|| self.components_of_levels());
        caller == callee
            || self.has_cycles && of_levels[caller.index()] == of_levels[callee.index()]
    }

    /// By function the number of its component if all levels of a function were one.
    fn components_of_levels(&self) -> Vec<u32> {
        let callers =
            self.arcs.iter().map(|&arc| Some(self.outermost_level(self.caller(arc)).index()));
        let out_of = Groups::new(self.profile.function_count(), callers);
        let all = components(&out_of, |arc| self.outermost_level(self.arcs[arc as usize].callee).0);
        let mut of_function = vec![0; self.profile.function_count()];
        for (number, functions) in (0..).zip(all.iter()) {
            functions.iter().for_each(|&function| of_function[function as usize] = number);
        }
        of_function
    }

    /// The function that all code of a row is of, if it is known which code deeper levels of it
    /// executed, and there is such code.
    fn function_of_levels(&self, fragments: &[FragmentId]) -> Option<FunctionId> {
        let mut functions = fragments.iter().map(|&of| self.profile.fragment(of).function);
        let outermost = self.outermost_level(functions.next()?);
        let is_same = functions.all(|function| self.outermost_level(function) == outermost);
        let is_any_deeper = fragments.iter().any(|&fragment| self.is_deeper(fragment));
        let is_exact =
            || self.members.number(outermost).is_none_or(|member| self.levels.is_exact(member));
        let calls_itself = || self.into(outermost).any(|(_, arc)| self.caller(arc) == outermost);
        (is_same && is_any_deeper && is_exact() && !calls_itself()).then_some(outermost)
    }

    /// Sets the costs of rows that are parts of one function's code, such as lines, executed by
    /// several levels of recursion. Returns their bounds, by row.
    pub(super) fn add_code_of_levels(
        &self,
        rows: &Partition<'_>,
        costs: &mut CostTable,
    ) -> Vec<Bounds<u32>> {
        let mut found = Vec::new();
        if rows.has_homes || !self.levels.has_deeper() || self.copies.is_some() {
            return found;
        }
        let limits = self.limits();
        let is_bounded: Vec<bool> = limits.iter().map(Option::is_some).collect();
        for row in 0..rows.len() as u32 {
            let fragments: Vec<FragmentId> =
                rows.inlined(row).filter(|&fragment| self.has_fragment(fragment)).collect();
            let Some(function) = self.function_of_levels(&fragments) else {
                continue;
            };
            let mut bounds = Bounds {
                of: row,
                least: costs.get(row as usize).to_vec(),
                most: costs.get(row as usize).to_vec(),
                is_bounded: is_bounded.clone(),
            };
            for (event, cost) in costs.get_mut(row as usize).iter_mut().enumerate() {
                if let Some(limit) = limits[event].filter(|_| cost.value().is_some()) {
                    // Callers may have recorded more than the program cost.
                    let within = |count: i128| Count::new(count.min(limit.or_zero().into()) as i64);
                    let code = self.code_of(&fragments, event);
                    let estimated = self.cost_of_code(function, code, true, |cost| cost[event]);
                    *cost = within(estimated.shown);
                    bounds.least[event] = within(estimated.least);
                    bounds.most[event] = within(estimated.most);
                }
            }
            found.push(bounds);
        }
        found
    }

    /// What fragments of a function and its levels of recursion spent.
    fn code_of(&self, fragments: &[FragmentId], event: usize) -> CodeCost {
        let mut code = CodeCost::default();
        for &fragment in fragments {
            let is_outermost = !self.is_deeper(fragment);
            code.add(self.own(fragment)[event].or_zero(), is_outermost, false);
            for (id, arc) in self.out_of(fragment) {
                code.add(self.cost(id)[event].or_zero(), is_outermost, self.may_return(arc));
            }
        }
        code
    }
}
