//! Writes the part of a side that is kept, and finds how much of that is exact.

use super::share::{Divider, Share};
use super::{Kept, KeptCost, Split};
use crate::profile::{
    AddError, Call, Count, Division, Fragment, FunctionId, Jump, KeptOf, LimitExceeded, Place,
    ProfileBuilder, add_cost, difference,
};

impl Split<'_, '_> {
    /// Writes the part that is kept.
    pub(super) fn write(&self, kept: Kept, out: &mut ProfileBuilder) -> Result<KeptCost, AddError> {
        let (profile, side) = (self.profile, self.side);
        let (all, _) = side.total(profile.events());
        let mut cost = KeptCost {
            kept: zero_of(&all),
            exact: zero_of(&all),
            has_calls: false,
            is_estimated: false,
            calls: None,
            is_divided: vec![false; all.len()],
            has_levels: self.graph.has_levels(),
            divided: self.divided(),
            has_part: self.has_part(kept),
            all,
        };
        let mut below = cost.kept.clone();
        for (row, &place) in profile.places.iter().enumerate() {
            if side.costs.has(row) {
                add_cost(&mut below, self.places.get(row));
                self.write_cost(row, place, kept, &mut cost, out)?;
            }
        }
        for row in 0..profile.calls.len() {
            if side.calls.has(row) {
                self.write_call(row as u32, kept, out)?;
            }
        }
        for (place, skipped) in side.skipped() {
            self.write_skipped(place, skipped, kept, out)?;
        }
        for (&jump, counts) in profile.jumps.iter().zip(side.jumps.table.iter()) {
            self.write_jump(jump, [counts[0], counts[1]].map(Count::or_zero), kept, out)?;
        }
        cost.is_estimated = self.is_estimated(&below);
        cost.kept = match kept {
            Kept::Below => below,
            Kept::Rest => difference(&cost.all, &below),
        };
        out.set_kept(KeptOf { total: cost.kept.clone(), has_levels: cost.has_levels });
        for costs in [&mut cost.kept, &mut cost.exact] {
            profile.events().derive(costs);
        }
        Ok(cost)
    }

    /// Writes the self cost of a place, and adds what is exact of it to what is known of the side.
    fn write_cost(
        &self,
        row: usize,
        place: Place,
        kept: Kept,
        cost: &mut KeptCost,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let function = self.profile.fragment(place.fragment).function;
        let (own, below) = (self.side.costs.table.get(row), self.places.get(row));
        let shares = &self.shares(function)[..self.width];
        for (event, (count, &share)) in own.iter().zip(shares).enumerate() {
            if self.is_divided(function, share) && count.or_zero() != 0 {
                cost.is_divided[event] = true;
            }
        }
        let rest = difference(own, below);
        let (part, is_kept) = match kept {
            Kept::Below => (below, self.has_some(function)),
            Kept::Rest => (&rest[..], !self.has_all(function)),
        };
        if is_kept {
            let place = self.place_of_all(place, out)?;
            out.add_cost(place, part)?;
            for ((exact, &count), &share) in cost.exact.iter_mut().zip(part).zip(shares) {
                if !self.is_divided(function, share) {
                    exact.add(count);
                }
            }
        }
        Ok(())
    }

    /// Writes what the code skipped at a place cost.
    fn write_skipped(
        &self,
        place: Place,
        skipped: &[Count],
        kept: Kept,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let function = self.profile.fragment(place.fragment).function;
        let part = Divider::new(&self.shares(function)[..self.width]).next(skipped);
        let place = self.place_of_all(place, out)?;
        match kept {
            Kept::Below if self.has_some(function) => out.add_skipped(place, &part),
            Kept::Rest if !self.has_all(function) => {
                out.add_skipped(place, &difference(skipped, &part));
            }
            _ => {}
        }
        Ok(())
    }

    /// A place in the profile of all threads.
    fn place_of_all(&self, place: Place, out: &mut ProfileBuilder) -> Result<Place, LimitExceeded> {
        let Fragment { function, file, division } = self.profile.fragment(place.fragment);
        let of_thread = |thread| Division::Executed(thread).of_level(division.is_deeper());
        let division = self.thread.map_or(division, of_thread);
        Ok(Place { fragment: out.functions().fragment(function, file, division)?, ..place })
    }

    /// By function whether it is an estimate which part of its cost is kept, of any event.
    fn divided(&self) -> Vec<bool> {
        let functions = (0..self.chosen.len() as u32).map(FunctionId);
        let is_divided = |function: FunctionId| {
            let mut shares = self.shares(function).iter();
            shares.any(|&share| self.is_divided(function, share))
        };
        functions.map(is_divided).collect()
    }

    /// By function whether some of it is kept. Without what is below, the callers of a chosen
    /// function are as they were.
    fn has_part(&self, kept: Kept) -> Vec<bool> {
        let functions = (0..self.chosen.len() as u32).map(FunctionId);
        match kept {
            Kept::Below => functions.map(|function| self.has_some(function)).collect(),
            Kept::Rest => vec![true; self.chosen.len()],
        }
    }

    /// Whether some of a function is below.
    pub(super) fn has_some(&self, function: FunctionId) -> bool {
        let leads = || {
            self.levels.as_ref().is_some_and(|levels| levels.lead_to_nested(function))
                || self.single_calls.is_on_way(function, true)
        };
        self.shares(function).iter().any(|&share| share != Share::NONE) || leads()
    }

    /// Whether it is an estimate which part of a function's cost is below. In a cycle a share of
    /// nothing may be a very small one.
    pub(super) fn is_divided(&self, function: FunctionId, share: Share) -> bool {
        let at = function.index();
        if self.divided_before.get(at) == Some(&true) || self.single_calls.is_likely(function) {
            return true;
        }
        let is_unknown = self.is_reached[at] && !self.is_always[at];
        let may_be_small = is_unknown && self.graph.calls_others_that_call_it(function);
        let is_some = share != Share::NONE && (is_unknown || share != Share::ALL);
        is_some || may_be_small
    }

    fn write_call(&self, row: u32, kept: Kept, out: &mut ProfileBuilder) -> Result<(), AddError> {
        let (call, count, at) = (self.call(row), self.count(row), row as usize);
        let (caller, count_below) = (self.caller(row), self.counts_below[at]);
        let led = self.led_below.get(at);
        let call = Call { site: self.place_of_all(call.site, out)?, ..call };
        let mut below = self.paid_below.get(at).to_vec();
        add_cost(&mut below, led);
        let is_zero = |cost: &[Count]| cost.iter().all(|count| count.or_zero() == 0);
        let enters = self.chosen[call.callee.index()];
        match kept {
            Kept::Below => {
                // A part of no call that cost nothing may be no call.
                let may_be_none = || count_below == 0 && is_zero(&below) && !self.has_all(caller);
                let is_kept = if self.has_some(caller) {
                    enters || !may_be_none()
                } else {
                    enters || !is_zero(led)
                };
                // Only calls of a chosen function, and calls by what is below, are part of what
                // happened below it. Above it, all calls of a function count that led to it.
                let is_counted = enters || !self.has_some(caller) && !self.has_some(call.callee);
                if is_kept {
                    out.add_call(call, if is_counted { count } else { count_below }, &below)?;
                }
            }
            Kept::Rest => {
                let rest = difference(self.cost(row), &below);
                let is_all = is_zero(&rest) && !is_zero(&below);
                if !enters && !self.has_all(caller) && !is_all {
                    out.add_call(call, count - count_below, &rest)?;
                }
            }
        }
        Ok(())
    }

    fn write_jump(
        &self,
        jump: Jump,
        counts: [i64; 2],
        kept: Kept,
        out: &mut ProfileBuilder,
    ) -> Result<(), AddError> {
        let function = self.profile.fragment(jump.site.fragment).function;
        let share = self.shares(function)[self.width];
        let below = counts.map(|count| share.of_calls(count));
        let [taken, executed] = match kept {
            Kept::Below => below,
            Kept::Rest => [counts[0] - below[0], counts[1] - below[1]],
        };
        // A jump that was never executed is where its function is.
        let is_kept = match (counts, kept) {
            ([0, 0], Kept::Below) => self.has_some(function),
            ([0, 0], Kept::Rest) => !self.has_all(function),
            _ => (taken, executed) != (0, 0),
        };
        let site = self.place_of_all(jump.site, out)?;
        if is_kept { out.add_jump(Jump { site, ..jump }, taken, executed) } else { Ok(()) }
    }
}

/// Zero of each event that is defined.
pub(super) fn zero_of(cost: &[Count]) -> Vec<Count> {
    let zero = |count: &Count| count.value().map_or(Count::UNDEFINED, |_| Count::ZERO);
    cost.iter().map(zero).collect()
}
