//! Calls out of charged functions, on their way to whoever led to them.

use std::collections::BTreeMap;

use super::{Sums, fit, parts_of, split};
use crate::profile::{AddError, Call, Count, FunctionId, Place, ProfileBuilder};

/// How often each function was called, and what that cost.
#[derive(Debug, Default)]
pub(super) struct Callbacks(BTreeMap<FunctionId, (i128, Sums)>);

impl Callbacks {
    /// How many functions are called.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds calls of a function.
    pub(super) fn add(&mut self, callee: FunctionId, count: i128, cost: &[Count]) {
        let calls = self.0.entry(callee).or_default();
        calls.0 += count;
        calls.1.add(cost);
    }

    /// The same with a cost that is a sum.
    pub(super) fn add_sums(&mut self, callee: FunctionId, count: i128, cost: &Sums) {
        let calls = self.0.entry(callee).or_default();
        calls.0 += count;
        calls.1.add_sums(cost);
    }

    /// Adds others. The smaller ones are added to the larger ones.
    pub(super) fn merge(&mut self, mut other: Callbacks) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (callee, (count, cost)) in other.0 {
            self.add_sums(callee, count, &cost);
        }
    }

    /// Splits them by weights of each event. The number of calls is split by those of the first event.
    pub(super) fn split(self, weights: &[Vec<i128>], count: usize) -> Vec<Callbacks> {
        let mut parts: Vec<Callbacks> = (0..count).map(|_| Callbacks::default()).collect();
        for (callee, (calls, cost)) in self.0 {
            let calls = match weights.first() {
                Some(weights) => split(calls, weights),
                None => Vec::new(),
            };
            let costs = parts_of(&cost, weights, count);
            for ((part, calls), cost) in parts.iter_mut().zip(calls).zip(costs) {
                if calls != 0 || !cost.is_zero() {
                    part.0.insert(callee, (calls, cost));
                }
            }
        }
        parts
    }

    /// Adds them to a profile as calls of a place.
    pub(super) fn add_to(self, site: Place, out: &mut ProfileBuilder) -> Result<(), AddError> {
        for (callee, (count, cost)) in self.0 {
            out.add_call(Call { site, callee }, fit(count)?, &cost.cost()?)?;
        }
        Ok(())
    }
}
