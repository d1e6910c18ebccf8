//! How often each row was called.

use super::{Cycles, Item, RowId, Rows};
use crate::profile::{Count, Overflow, Profile};

/// How often something was called. Undefined if it never was, as the roots of a program and inlined code are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCounts {
    /// By others.
    pub by_others: Count,
    /// By itself: recursion of a function, calls within a group or within a cycle.
    pub by_itself: Count,
}

const NEVER: CallCounts = CallCounts {
    by_others: Count::UNDEFINED,
    by_itself: Count::UNDEFINED,
};

impl CallCounts {
    /// What one call cost, for a row with this cost. Each call counts for what a row spent itself, and only those by
    /// others for what it cost inclusively, as nested calls are part of them.
    pub fn per_call(self, cost: Count, is_inclusive: bool) -> Option<f64> {
        let nested = if is_inclusive {
            0
        } else {
            i128::from(self.by_itself.or_zero())
        };
        let calls = i128::from(self.by_others.or_zero()) + nested;
        (calls > 0).then(|| cost.or_zero() as f64 / calls as f64)
    }

    fn add(&mut self, count: i64, is_by_itself: bool) -> Result<(), Overflow> {
        let counts = if is_by_itself {
            &mut self.by_itself
        } else {
            &mut self.by_others
        };
        counts.add(Count::new(count)?)
    }
}

/// The calls of all rows and cycles.
pub(super) struct AllCallCounts {
    of_row: Vec<CallCounts>,
    of_cycle: Vec<CallCounts>,
}

impl AllCallCounts {
    /// Counts the calls of a profile.
    pub(super) fn new(
        profile: &Profile,
        rows: &Rows<'_>,
        cycles: &Cycles,
    ) -> Result<AllCallCounts, Overflow> {
        let mut counts = AllCallCounts {
            of_row: vec![NEVER; rows.len()],
            of_cycle: vec![NEVER; cycles.members().len()],
        };
        for ((call, count, _), &(site, callee)) in profile.calls().zip(rows.of_calls()) {
            let is_by_itself = site == callee || rows.of_function(call.site.function) == callee;
            counts.of_row[callee.index()].add(count, is_by_itself)?;
            if let Some(cycle) = cycles.of(call.callee) {
                let is_within = cycles.of(call.site.function) == Some(cycle);
                counts.of_cycle[cycle].add(count, is_within)?;
            }
        }
        Ok(counts)
    }

    /// Those of a row, or of a cycle, numbered from 1.
    pub(super) fn of(&self, item: Item) -> CallCounts {
        let counts = match item {
            Item::Row(RowId(row)) => self.of_row.get(row as usize),
            Item::Cycle(number) => self.of_cycle.get((number as usize).wrapping_sub(1)),
        };
        counts.copied().unwrap_or(NEVER)
    }
}
