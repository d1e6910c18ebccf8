//! The inclusive cost of a part of a function's code, such as a line.

use super::CallGraph;
use super::estimate::estimate;
use crate::profile::{Count, FragmentId, FunctionId, add_cost};

impl CallGraph<'_> {
    /// The cost of a part of a function's code: its own lines and the calls made there, but none
    /// that is part of another one. In a cycle it is estimated like that of a function.
    pub(super) fn inclusive_of_fragment(&self, fragment: FragmentId) -> Vec<Count> {
        let function = self.profile.fragment(fragment).function;
        let is_once = self.is_never_nested(function);
        let mut sum = self.own(fragment).to_vec();
        for (id, arc) in self.out_of(fragment) {
            let is_part =
                if is_once { self.is_own_call(function, arc.callee) } else { self.goes_back(arc) };
            if !is_part {
                add_cost(&mut sum, self.cost(id));
            }
        }
        if !is_once && self.is_in_cycle(function) {
            self.estimate_fragment(fragment, &mut sum);
        }
        if self.members.number(function).is_some() {
            let whole = self.inclusive_by_function().costs.get(function.index());
            for ((sum, &whole), own) in sum.iter_mut().zip(whole).zip(self.own(fragment)) {
                if sum.or_zero() > whole.or_zero() && whole.or_zero() >= own.or_zero() {
                    *sum = whole;
                }
            }
        }
        sum
    }

    /// Estimates the cost of a part of a function's code, for events without negative counts there.
    fn estimate_fragment(&self, fragment: FragmentId, cost: &mut [Count]) {
        let function = self.profile.fragment(fragment).function;
        let member = self.members.number(function);
        let (mut least, mut all) = (self.own(fragment).to_vec(), self.own(fragment).to_vec());
        let mut is_negative = vec![false; all.len()];
        for (id, arc) in self.out_of(fragment) {
            add_cost(&mut all, self.cost(id));
            if self.leaves_component(arc) {
                add_cost(&mut least, self.cost(id));
            }
            for (is_negative, count) in is_negative.iter_mut().zip(self.cost(id)) {
                *is_negative |= count.or_zero() < 0;
            }
        }
        let entered = match member {
            Some(member) => &self.members.component(member).entered[..],
            None => self.inclusive_by_function().costs.get(function.index()),
        };
        for (event, cost) in cost.iter_mut().enumerate() {
            let own = self.own(fragment)[event].or_zero();
            let is_mixed = member.is_some_and(|at| self.members.component(at).is_mixed[event]);
            if cost.value().is_some() && own >= 0 && !is_mixed && !is_negative[event] {
                let [all, least, entered] =
                    [all[event], least[event], entered[event]].map(|sum| sum.or_zero().into());
                *cost = Count::new(estimate(all, all - least, entered, least).shown as i64);
            }
        }
    }

    /// Whether it is known of a function that is in a component with others that it has one
    /// activation on the stack at most, which makes all of its calls.
    pub fn is_never_nested(&self, function: FunctionId) -> bool {
        self.members.number(function).is_some_and(|member| {
            let nested = self.members.nested.get(member).iter();
            self.levels.is_exact(member) && nested.copied().all(|count| count.or_zero() == 0)
        })
    }
}
