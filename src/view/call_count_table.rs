//! The numbers of calls of all rows, as a table of counts.

use crate::graph::CallEnd;
use crate::profile::{CostTable, Count, Measured};
use crate::view::call_counts::CallCounts;
use crate::view::cycles::Graphs;
use crate::view::figure::{Figure, FigureTable, ItemFigure};
use crate::view::row_by::RowBy;
use crate::view::rows::Rows;

/// The positions of numbers of calls in a row of a table. [`HAS_INLINED`], [`MAY_BE_NESTED`] and
/// [`ARE_UNCOUNTED`] are 0 if there are such calls, else undefined.
const BY_OTHERS: usize = 0;
const RECURSIVE: usize = 1;
const HAS_INLINED: usize = 2;
const NESTED: usize = 3;
const MAY_BE_NESTED: usize = 4;
const ARE_UNCOUNTED: usize = 5;
/// How many there are.
const CALL_COUNTS: usize = 6;

/// The numbers of a row of a table of calls.
fn of_counts(counts: &[Count]) -> CallCounts {
    CallCounts {
        by_others: counts[BY_OTHERS],
        recursive: counts[RECURSIVE],
        has_inlined: counts[HAS_INLINED].value().is_some(),
        nested: counts[NESTED],
        may_be_nested: counts[MAY_BE_NESTED].value().is_some(),
        are_uncounted: counts[ARE_UNCOUNTED].value().is_some(),
        are_estimated: false,
    }
}

impl ItemFigure<'_, CallCounts> {
    /// The numbers on one side of a comparison.
    pub fn on(self, side: usize) -> Option<CallCounts> {
        match self.item {
            Some((table, row)) => table.side(side, row).map(of_counts),
            None => self.figure.on(side),
        }
    }
}

/// By row, then by cycle, the counts of [`of_counts`].
pub(super) struct CallCountTable(FigureTable);

impl CallCountTable {
    /// Counts the calls of a profile; each side of a difference has its own cycles. Without graphs
    /// there are no cycles.
    pub(super) fn new(
        rows: &Rows<'_>,
        graphs: Option<&Graphs<'_>>,
        are_lines_counted: bool,
    ) -> CallCountTable {
        let profile = rows.profile;
        let cycles = graphs.map_or(0, |graphs| graphs.cycles.len());
        let of_side = |(index, side): (usize, &Measured)| {
            let mut counts = CostTable::new(CALL_COUNTS, rows.len() + cycles);
            let is_by_line = rows.row_by == RowBy::Line;
            let has_calls = rows.row_by.has_callers() || is_by_line && are_lines_counted;
            let calls = profile.calls.iter().enumerate().filter(|_| has_calls);
            let mut uncounted = Vec::new();
            for (number, &call) in calls.filter(|&(number, _)| side.calls.has(number)) {
                let (caller_row, mut callee_row) = rows.of_call(call);
                if is_by_line {
                    // Lines are not called: theirs are the calls that they make.
                    callee_row = caller_row;
                }
                if profile.is_inlined(call.callee) {
                    counts.get_mut(callee_row.index())[HAS_INLINED] = Count::ZERO;
                    continue;
                }
                let count = Count::new(side.call_counts[number]);
                let caller = profile.fragment(call.site.fragment).function;
                let is_recursive = !is_by_line
                    && (caller_row == callee_row || rows.of_function(caller) == callee_row);
                let kind = if is_recursive { RECURSIVE } else { BY_OTHERS };
                let cycle = graphs.and_then(|graphs| {
                    let cycle = graphs.cycle(index, call.callee)?;
                    let is_within = graphs.cycle(index, caller) == Some(cycle);
                    Some((rows.len() + cycle, if is_within { RECURSIVE } else { BY_OTHERS }))
                });
                let called = cycle.into_iter().chain([(callee_row.index(), kind)]);
                if !profile.is_counted(call) {
                    uncounted.extend(called);
                    continue;
                }
                for (of, kind) in called {
                    counts.get_mut(of)[kind].add(count);
                }
                if let Some(graphs) = graphs
                    && !is_recursive
                    && !is_by_line
                    && graphs.are_in_one_cycle(index, call)
                {
                    let counts = counts.get_mut(callee_row.index());
                    let graph = graphs.sides.get(index);
                    match graph.and_then(|graph| graph.is_outermost(call, CallEnd::Callee)) {
                        Some(true) => {}
                        Some(false) => counts[NESTED].add(count),
                        None => counts[MAY_BE_NESTED] = Count::ZERO,
                    }
                }
            }
            for (of, kind) in uncounted {
                let counts = counts.get_mut(of);
                (counts[kind], counts[ARE_UNCOUNTED]) = (Count::UNDEFINED, Count::ZERO);
            }
            counts
        };
        let sides = profile.sides().as_ref().indexed();
        CallCountTable(FigureTable::of_sides(sides.map(of_side)))
    }

    pub(super) fn get(&self, number: usize) -> Figure<CallCounts> {
        self.0.get(number).map(of_counts)
    }

    /// The numbers of a row on all sides.
    pub(super) fn item(&self, row: usize) -> ItemFigure<'_, CallCounts> {
        let item = self.0.item(row);
        ItemFigure { figure: item.map(of_counts), item: item.item }
    }

    /// The numbers of these rows, in this order.
    pub(super) fn select(
        &self,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> CallCountTable {
        CallCountTable(self.0.select(rows))
    }

    /// Whether a side before BASE has other numbers than BASE.
    pub(super) fn has_changed_before(&self, row: usize) -> bool {
        self.0.has_changed_before(row)
    }
}
