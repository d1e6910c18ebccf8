//! Which figures of a row are estimates, because only a part of a function was kept: below one
//! function, or without one.

use crate::graph::Partition;
use crate::profile::{Call, FunctionId, Measured, Portion, Profile};

/// Which figures are estimates, because only a part of a function was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Divided {
    /// The self cost: a function of the row was divided.
    pub own: bool,
    /// What was paid for the row, and the number of calls of it: a function that calls it was
    /// divided.
    pub paid: bool,
}

impl Divided {
    pub fn is_any(self) -> bool {
        self.own || self.paid
    }
}

/// By row what is divided; empty if no function was.
pub(super) fn divided_rows(profile: &Profile, partition: &Partition<'_>) -> Vec<Divided> {
    let is_divided = |function: FunctionId| profile.portion(function) == Portion::Divided;
    // Where pairs are counted once, what a divided function paid is not known by what it was paid.
    let counts_pairs = profile.sides().iter().any(Measured::counts_outermost_calls);
    let is_paying = |function: FunctionId| match profile.portion(function) {
        Portion::Paying => true,
        Portion::Divided => counts_pairs,
        _ => false,
    };
    if !profile.functions().any(|(of, _)| is_divided(of) || is_paying(of)) {
        return Vec::new();
    }
    let mut rows = vec![Divided::default(); partition.len()];
    for (id, fragment) in profile.fragments_with_ids() {
        let row = &mut rows[partition.of_fragment(id) as usize];
        row.own |= is_divided(fragment.function);
        row.paid |= is_paying(fragment.function);
    }
    if !partition.has_homes {
        // Lines are not called: what they cost with their calls is what they paid for these.
        rows.iter_mut().for_each(|row| row.paid = row.own);
        return rows;
    }
    for call in &profile.calls {
        let caller = partition.of_fragment(call.site.fragment);
        let callee = partition.of_function(call.callee);
        rows[callee as usize].paid |= caller != callee && is_paid_in_part(profile, *call);
    }
    rows
}

/// By cycle whether a divided function outside it calls its members: then what was paid for it is
/// an estimate.
pub(super) fn divided_cycles(
    profile: &Profile,
    number_of: impl Fn(FunctionId) -> Option<u32>,
) -> Vec<Divided> {
    let all = profile.functions().filter_map(|(function, _)| number_of(function)).max();
    let mut cycles = vec![Divided::default(); all.unwrap_or(0) as usize];
    for &call in &profile.calls {
        let caller = profile.fragment(call.site.fragment).function;
        let number = number_of(call.callee).filter(|_| is_paid_in_part(profile, call));
        if let Some(number) = number.filter(|&number| number_of(caller) != Some(number)) {
            cycles[number as usize - 1].paid = true;
        }
    }
    cycles
}

/// Whether a call is one by a divided function. What callers paid for a function below which all
/// happened is known, whoever they are.
fn is_paid_in_part(profile: &Profile, call: Call) -> bool {
    let caller = profile.fragment(call.site.fragment).function;
    let is_known = profile.portion(call.callee) == Portion::Chosen;
    profile.portion(caller) == Portion::Divided && !is_known
}
