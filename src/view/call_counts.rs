//! How often each row was called.

use crate::graph::CallGraph;
use crate::profile::{Count, Measured, Profile, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::Figure;
use crate::view::label::Item;
use crate::view::rows::Rows;

/// How often something was called. Undefined if it never was, as the roots of a program and inlined code are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCounts {
    /// From other functions.
    pub by_others: Count,
    /// By itself: recursion of a function, calls within a group or within a cycle.
    pub recursive: Count,
}

const NEVER: CallCounts = CallCounts {
    by_others: Count::UNDEFINED,
    recursive: Count::UNDEFINED,
};

impl CallCounts {
    /// What one call cost, for a row with this cost. Each call counts for what a row spent itself, and only those from
    /// other functions for what it cost inclusively, as nested calls are part of them.
    pub fn per_call(self, cost: Count, is_inclusive: bool) -> Option<f64> {
        let nested = if is_inclusive {
            0
        } else {
            i128::from(self.recursive.or_zero())
        };
        let calls = i128::from(self.by_others.or_zero()) + nested;
        (calls > 0).then(|| cost.or_zero() as f64 / calls as f64)
    }

    /// The numbers of calls between two rows.
    pub fn of_calls(calls: Figure<i64>) -> Figure<CallCounts> {
        calls.map(|calls| CallCounts {
            by_others: Count::new(calls),
            recursive: Count::UNDEFINED,
        })
    }

    /// Whether any count is not 0.
    pub(super) fn is_any(self) -> bool {
        (self.by_others.or_zero(), self.recursive.or_zero()) != (0, 0)
    }

    fn add(&mut self, count: i64, is_recursive: bool) {
        let counts = if is_recursive {
            &mut self.recursive
        } else {
            &mut self.by_others
        };
        counts.add(Count::new(count))
    }

    fn minus(mut self, other: CallCounts) -> CallCounts {
        self.by_others.subtract(other.by_others);
        self.recursive.subtract(other.recursive);
        self
    }
}

/// The calls of all rows and cycles.
pub(super) struct CallCountTable {
    rows: usize,
    /// By row, and then by cycle.
    counts: Sides<Vec<CallCounts>>,
}

impl CallCountTable {
    /// Counts the calls of a profile; of a difference those of each side in its own cycles. Without graphs there are no
    /// cycles.
    pub(super) fn new(
        profile: &Profile,
        rows: &Rows<'_>,
        cycles: Option<(&Sides<CallGraph<'_>>, &Cycles)>,
    ) -> CallCountTable {
        let count = cycles.map_or(0, |(_, cycles)| cycles.len());
        let cycles = cycles.map(|(graphs, cycles)| cycles.by_side(graphs));
        let of_side = |side: &Measured, is_base| {
            let cycles = cycles.as_ref().and_then(|cycles| cycles.get(is_base));
            let mut counts = vec![NEVER; rows.len() + count];
            let calls = profile.calls().iter().enumerate();
            let calls = calls.filter(|_| rows.row_by().has_callers());
            for (number, &call) in calls.filter(|&(number, _)| side.has_call(number)) {
                let count = side.call_counts()[number];
                let caller = profile.fragment(call.site.fragment).function;
                let (site, callee) = rows.of_call(call);
                let is_recursive = site == callee || rows.of_function(caller) == callee;
                counts[callee.index()].add(count, is_recursive);
                if let Some(cycles) = cycles
                    && let Some(cycle) = cycles.cycle(call.callee)
                {
                    let is_within = cycles.cycle(caller) == Some(cycle);
                    counts[rows.len() + cycle].add(count, is_within);
                }
            }
            counts
        };
        let sides = profile.sides();
        CallCountTable {
            rows: rows.len(),
            counts: Sides {
                new: of_side(&sides.new, false),
                base: sides.base.as_ref().map(|side| of_side(side, true)),
            },
        }
    }

    /// The calls of a row or cycle.
    pub(super) fn get(&self, item: Item) -> Figure<CallCounts> {
        let at = match item {
            Item::Row(row) => row.index(),
            Item::Cycle(number) => self.rows + number as usize - 1,
        };
        let counts = self.counts.as_ref();
        let of_side = |counts: &Vec<CallCounts>| counts.get(at).copied().unwrap_or(NEVER);
        Figure::of(counts.map(of_side), |new, base| new.minus(*base))
    }
}
