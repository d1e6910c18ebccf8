//! How often each row was called.

use crate::graph::CallGraph;
use crate::profile::{Count, Measured, Profile, Sides};
use crate::view::cycles::Cycles;
use crate::view::figure::{Compared, Figure};
use crate::view::label::Item;
use crate::view::rows::{RowId, Rows};

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

    fn subtract(&mut self, other: CallCounts) {
        self.by_others.subtract(other.by_others);
        self.recursive.subtract(other.recursive)
    }
}

/// The calls of all rows and cycles.
pub(super) struct CallCountTable {
    /// Those of NEW, or of a difference the changes.
    values: SideCounts,
    /// BASE and NEW of a difference.
    compared: Option<(SideCounts, SideCounts)>,
}

impl CallCountTable {
    /// Counts the calls of a profile; of a difference those of each side in its own cycles. Without graphs there are no
    /// cycles.
    pub(super) fn new(
        profile: &Profile,
        rows: &Rows<'_>,
        cycles: Option<(&Sides<CallGraph<'_>>, &Cycles)>,
    ) -> CallCountTable {
        let sides = profile.sides();
        let of_new = cycles.map(|(graphs, cycles)| (&graphs.new, cycles));
        let new = SideCounts::new(profile, &sides.new, rows, of_new, false);
        let Some(base) = &sides.base else {
            return CallCountTable {
                values: new,
                compared: None,
            };
        };
        let of_base = cycles.and_then(|(graphs, cycles)| Some((graphs.base.as_ref()?, cycles)));
        let base = SideCounts::new(profile, base, rows, of_base, true);
        CallCountTable {
            values: new.minus(&base),
            compared: Some((base, new)),
        }
    }

    /// The calls of a row or cycle.
    pub(super) fn get(&self, item: Item) -> Figure<CallCounts> {
        let compared = self.compared.as_ref().map(|(base, new)| Compared {
            base: base.get(item),
            new: new.get(item),
            mark: None,
        });
        Figure {
            value: self.values.get(item),
            compared,
        }
    }
}

/// The calls of one side.
#[derive(Clone)]
struct SideCounts {
    of_row: Vec<CallCounts>,
    of_cycle: Vec<CallCounts>,
}

impl SideCounts {
    fn new(
        profile: &Profile,
        side: &Measured,
        rows: &Rows<'_>,
        cycles: Option<(&CallGraph<'_>, &Cycles)>,
        is_base: bool,
    ) -> SideCounts {
        let cycles = cycles.map(|(graph, cycles)| (graph, cycles, cycles.numbers(graph, is_base)));
        let mut counts = SideCounts {
            of_row: vec![NEVER; rows.len()],
            of_cycle: vec![NEVER; cycles.as_ref().map_or(0, |(_, cycles, _)| cycles.len())],
        };
        for (number, &call) in profile.calls().iter().enumerate() {
            if !side.has_call(number) || !rows.row_by().has_callers() {
                continue;
            }
            let count = side.call_counts()[number];
            let caller = profile.fragment(call.site.fragment).function;
            let (site, callee) = rows.of_call(call);
            let is_recursive = site == callee || rows.of_function(caller) == callee;
            counts.of_row[callee.index()].add(count, is_recursive);
            if let Some((graph, _, numbers)) = &cycles
                && let Some(cycle) = numbers[graph.component_of(call.callee)]
            {
                let is_within = graph.component_of(caller) == graph.component_of(call.callee);
                counts.of_cycle[cycle as usize - 1].add(count, is_within);
            }
        }
        counts
    }

    fn minus(&self, base: &SideCounts) -> SideCounts {
        let mut counts = self.clone();
        let subtract = |own: &mut [CallCounts], base: &[CallCounts]| {
            let pairs = own.iter_mut().zip(base);
            pairs.for_each(|(own, base)| own.subtract(*base))
        };
        subtract(&mut counts.of_row, &base.of_row);
        subtract(&mut counts.of_cycle, &base.of_cycle);
        counts
    }

    fn get(&self, item: Item) -> CallCounts {
        let counts = match item {
            Item::Row(RowId(row)) => self.of_row.get(row as usize),
            Item::Cycle(number) => self.of_cycle.get((number as usize).wrapping_sub(1)),
        };
        counts.copied().unwrap_or(NEVER)
    }
}
