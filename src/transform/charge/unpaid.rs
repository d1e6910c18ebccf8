//! What charged components spent beyond what the calls into them cost, but for rounding.

use crate::profile::{Count, FunctionId, Measured, Profile};
use crate::transform::is_rounding;

/// By component and event the cost that no call into the component paid.
pub(super) struct Unpaid {
    width: usize,
    counts: Vec<i128>,
}

impl Unpaid {
    /// The functions of a component have its number; others have one that is no component.
    pub(super) fn new(
        profile: &Profile,
        side: &Measured,
        component_of: &[u32],
        components: usize,
    ) -> Unpaid {
        let width = side.costs.table.width();
        let [mut spent, mut paid] =
            [(); 2].map(|()| Unpaid { width, counts: vec![0; width * components] });
        let component = |function: FunctionId| component_of[function.index()] as usize;
        for (place, cost) in profile.costs_of(side) {
            spent.add(component(profile.fragment(place.fragment).function), cost);
        }
        // Without any cost of calls, who paid is not known.
        let mut has_calls = vec![false; width];
        for (call, _, cost) in profile.calls_of(side) {
            for (has_calls, count) in has_calls.iter_mut().zip(cost) {
                *has_calls |= count.or_zero() != 0;
            }
            let caller = component(profile.fragment(call.site.fragment).function);
            let callee = component(call.callee);
            if caller != callee {
                spent.add(caller, cost);
                paid.add(callee, cost);
            }
        }
        let mut unpaid = spent;
        for (at, (count, paid)) in unpaid.counts.iter_mut().zip(paid.counts).enumerate() {
            let is_beyond = has_calls[at % width] && !is_rounding(*count, paid);
            *count = if is_beyond { (*count - paid).max(0) } else { 0 };
        }
        unpaid
    }

    fn add(&mut self, component: usize, cost: &[Count]) {
        let start = component * self.width;
        let known = self.counts.get_mut(start..start + self.width).into_iter().flatten();
        for (sum, count) in known.zip(cost) {
            *sum += i128::from(count.or_zero());
        }
    }

    pub(super) fn of(&self, component: usize) -> &[i128] {
        &self.counts[component * self.width..][..self.width]
    }
}
