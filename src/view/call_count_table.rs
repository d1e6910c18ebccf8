//! The numbers of calls of all rows, as a table of counts.

use crate::graph::CallEnd;
use crate::profile::{Call, CostTable, Count, Measured};
use crate::view::call_counts::CallCounts;
use crate::view::cycles::Graphs;
use crate::view::figure::{Figure, FigureTable, ItemFigure};
use crate::view::label::RowId;
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
        let sides = rows.profile.sides().as_ref().indexed();
        let counts = |(index, side): (usize, &Measured)| {
            SideCounts::new(rows, graphs, index, are_lines_counted).of(side)
        };
        CallCountTable(FigureTable::of_sides(sides.map(counts)))
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

/// Counts the calls of a side.
struct SideCounts<'c, 'p> {
    rows: &'c Rows<'p>,
    graphs: Option<&'c Graphs<'c>>,
    side: usize,
    is_by_line: bool,
    has_calls: bool,
    counts: CostTable,
}

/// The position of a row or a cycle in a table, and of one of its numbers.
type CountAt = (usize, usize);

impl<'c, 'p> SideCounts<'c, 'p> {
    fn new(
        rows: &'c Rows<'p>,
        graphs: Option<&'c Graphs<'_>>,
        side: usize,
        are_lines_counted: bool,
    ) -> SideCounts<'c, 'p> {
        let cycles = graphs.map_or(0, |graphs| graphs.cycles.len());
        let is_by_line = rows.row_by == RowBy::Line;
        SideCounts {
            rows,
            graphs,
            side,
            is_by_line,
            has_calls: rows.row_by.has_callers() || is_by_line && are_lines_counted,
            counts: CostTable::new(CALL_COUNTS, rows.len() + cycles),
        }
    }

    fn of(mut self, side: &Measured) -> CostTable {
        let profile = self.rows.profile;
        let mut uncounted = Vec::new();
        let all = if self.has_calls { &profile.calls[..] } else { &[] };
        let calls = all.iter().enumerate();
        for (number, &call) in calls.filter(|&(number, _)| side.calls.has(number)) {
            let row = self.row_of(call);
            if profile.is_inlined(call.callee) {
                self.counts.get_mut(row.index())[HAS_INLINED] = Count::ZERO;
                continue;
            }
            let called = self.called(call, row);
            if !profile.is_counted(call) {
                uncounted.extend(called);
                continue;
            }
            let count = Count::new(side.call_counts[number]);
            self.add_nested(call, row, count);
            for (of, kind) in called {
                self.counts.get_mut(of)[kind].add(count);
            }
        }
        for (of, kind) in uncounted {
            let counts = self.counts.get_mut(of);
            (counts[kind], counts[ARE_UNCOUNTED]) = (Count::UNDEFINED, Count::ZERO);
        }
        self.counts
    }

    /// The row that has a call: the callee. Lines are not called: theirs are the calls that they
    /// make.
    fn row_of(&self, call: Call) -> RowId {
        let (caller, callee) = self.rows.of_call(call);
        if self.is_by_line { caller } else { callee }
    }

    fn is_recursive(&self, call: Call, row: RowId) -> bool {
        let caller = self.rows.profile.fragment(call.site.fragment).function;
        let rows = [self.rows.of_call(call).0, self.rows.of_function(caller)];
        !self.is_by_line && rows.contains(&row)
    }

    /// The numbers that a call is part of: that of its row, and before it that of a cycle.
    fn called(&self, call: Call, row: RowId) -> impl Iterator<Item = CountAt> + use<> {
        let kind = |is_within| if is_within { RECURSIVE } else { BY_OTHERS };
        let cycle = self.graphs.and_then(|graphs| {
            let caller = self.rows.profile.fragment(call.site.fragment).function;
            let cycle = graphs.cycle(self.side, call.callee)?;
            let is_within = graphs.cycle(self.side, caller) == Some(cycle);
            Some((self.rows.len() + cycle, kind(is_within)))
        });
        let of_row = (row.index(), kind(self.is_recursive(call, row)));
        cycle.into_iter().chain([of_row])
    }

    /// Adds a call by others within a cycle to those that are nested, or may be.
    fn add_nested(&mut self, call: Call, row: RowId, count: Count) {
        let Some(graphs) = self.graphs.filter(|graphs| graphs.are_in_one_cycle(self.side, call))
        else {
            return;
        };
        if self.is_by_line || self.is_recursive(call, row) {
            return;
        }
        let counts = self.counts.get_mut(row.index());
        let graph = graphs.sides.get(self.side);
        match graph.and_then(|graph| graph.is_outermost(call, CallEnd::Callee)) {
            Some(true) => {}
            Some(false) => counts[NESTED].add(count),
            None => counts[MAY_BE_NESTED] = Count::ZERO,
        }
    }
}
