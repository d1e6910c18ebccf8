//! A report of rows: the list with its costs, the columns, and the figures of each row. What is
//! around rows are its [lines](super::line); a [column](super::columns) has a cell of each line.

use super::Style;
use super::cell::{DIVIDED_NOTE, ESTIMATED_NOTE};
use super::chosen::{ChosenColumns, ShownCosts};
use super::header::RenamedName;
use super::measure::{Figures, Measure, MeasureTables};
use crate::profile::{recursion_level, split_suffixes};
use crate::view::{Divided, FigureTable, Inclusive, List, ListRow, RowId, Rows, Total};

/// A list of rows, as all of its formats write it.
pub struct Report<'a, 'p> {
    pub rows: Rows<'p>,
    pub list: List,
    pub total: &'a Total,
    pub style: Style<'a>,
    /// The verdicts of the limits, one line each.
    pub verdicts: &'a [String],
    /// How much options kept of the profile, in words, in tables for people.
    pub kept: Vec<String>,
    /// The functions that have another name in BASE, in tables for people.
    pub renamed: Vec<RenamedName>,
    /// Which costs of a row are shown.
    pub costs: ShownCosts,
    /// The self costs of all rows, if the format has columns of both costs.
    pub own: Option<FigureTable>,
    pub inclusive: Option<Inclusive<'a>>,
    pub tables: MeasureTables,
    pub columns: ChosenColumns,
    /// The base name of the profiled program.
    pub program: Option<&'a [u8]>,
}

impl Report<'_, '_> {
    /// The inclusive costs, if they are shown beside self costs.
    pub(super) fn inclusive_beside_own(&self) -> Option<&Inclusive<'_>> {
        self.inclusive.as_ref().filter(|_| self.costs == ShownCosts::SelfAndInclusive)
    }

    /// The figures of a row; inclusive ones only next to self costs. A cycle has no self cost,
    /// because its members have it.
    pub(super) fn figures<'l>(&'l self, row: &ListRow<'l, '_>) -> Figures<'l> {
        let mark = row.cost.mark();
        let cost = match &self.own {
            Some(own) if self.costs != ShownCosts::Listed => {
                own.known_item(row.item.index()).map(|cost| cost.marked(mark))
            }
            _ => Some(row.cost),
        };
        let inclusive = self.inclusive_beside_own().and_then(|of| of.item(row.item));
        let is_listed_by = self.list.is_inclusive && self.costs == ShownCosts::Listed;
        let divided = self.rows.divided(row.item);
        let estimates = self.inclusive.as_ref().filter(|_| inclusive.is_some() || is_listed_by);
        Figures {
            cost,
            inclusive: inclusive.map(|cost| cost.marked(mark)),
            row: Some((&self.tables, row.item)),
            calls: row.calls,
            estimate: estimates.and_then(|inclusive| inclusive.estimate(row.item)),
            divided: if is_listed_by { Divided { own: divided.paid, ..divided } } else { divided },
            is_of_divided: self.rows.has_divided(),
            ..Figures::default()
        }
    }

    /// What the mark of estimated costs means, if a row of the list has it, and how to get exact
    /// costs; and what costs of more than the program are.
    pub(super) fn estimated_notes(&self) -> Vec<String> {
        let notes = [self.nested_note(), self.divided_note(), self.beyond_note()];
        notes.into_iter().flatten().collect()
    }

    /// Says that callers paid more than all that was spent, if the costs of the list tell.
    fn beyond_note(&self) -> Option<String> {
        let profile = self.rows.profile;
        let has_inclusive = self.inclusive_beside_own().is_some() || self.list.is_inclusive;
        let inclusive = self.inclusive.as_ref().filter(|_| has_inclusive)?;
        let is_page = self.style.is_columns && inclusive.counts_cycles_once();
        if !is_page || profile.is_part() || profile.sides().count() > 1 {
            return None;
        }
        let side = &profile.sides().new;
        let (total, _) = side.total(profile.events());
        let is_beyond = |event: usize| {
            let total = total[event].or_zero();
            // What is more by rounding is not worth a note.
            let is_more = |cost: i64| total > 0 && cost - total > total / 100;
            let costs = self.list.items.iter().filter_map(|&row| inclusive.of_row(row));
            costs.into_iter().any(|cost| is_more(cost.event(event).value.or_zero()))
                && side.costs.table.iter().all(|own| own[event].or_zero() >= 0)
        };
        let mut shown = self.style.shown.iter().filter(|event| !self.style.ratios.contains(event));
        shown.any(|&event| is_beyond(event)).then(|| {
            "inclusive costs above the total: by this profile, callers paid more than all functions spent"
                .to_owned()
        })
    }

    /// Whether the inclusive cost of all rows that the filter selected is estimated.
    fn is_sum_estimated(&self) -> bool {
        let omitted = self.list.omitted.as_ref();
        let sum = omitted.and_then(|omitted| omitted.inclusive.as_ref());
        let event = self.style.sorted.or(self.style.shown.first().copied());
        let marked = sum.zip(event).and_then(|(sum, event)| sum.is_marked.get(event));
        marked == Some(&true)
    }

    fn divided_note(&self) -> Option<String> {
        let is_any = self.list.items.iter().any(|&row| self.rows.divided(row).is_any());
        is_any.then(|| {
            let exact = if self.rows.profile.is_from_callgrind() {
                "; for exact costs run Callgrind with --separate-callers=10, \
                 or for --below with --toggle-collect=FUNCTION"
            } else {
                ""
            };
            format!("{DIVIDED_NOTE}{exact}")
        })
    }

    fn nested_note(&self) -> Option<String> {
        let has_inclusive = self.inclusive_beside_own().is_some() || self.list.is_inclusive;
        let inclusive = self.inclusive.as_ref().filter(|_| has_inclusive);
        let is_marked = |&row: &RowId| {
            let estimate = inclusive.and_then(|inclusive| inclusive.estimate(row));
            let mut columns = self.columns.all.iter().filter(|column| match column.measure {
                Measure::Inclusive => true,
                Measure::Cost => self.list.is_inclusive,
                _ => false,
            });
            estimate.is_some_and(|estimate| columns.any(|of| estimate.is_marked[of.event]))
        };
        let mut marked = self.list.items.iter().copied().filter(is_marked);
        let Some(row) = marked.next().filter(|_| self.style.percentages) else {
            return self.is_sum_estimated().then(|| ESTIMATED_NOTE.to_owned());
        };
        let profile = self.rows.profile;
        let function = self.rows.first_function(row).map(|function| profile.function(function));
        let name = function.map_or(&b""[..], |function| profile.name(function.name));
        let suffixes = split_suffixes(name).count() - 1;
        // Costs of groups are estimated in recursion whatever is recorded.
        let exact = if !profile.is_from_callgrind() || self.rows.row_by.is_group() {
            ""
        } else if suffixes > 1 || suffixes == 1 && recursion_level(name) == 1 {
            "; --fold=callers,recursion makes costs exact"
        } else if suffixes == 1 {
            "; --fold=recursion makes costs exact"
        } else if inclusive.is_some_and(Inclusive::has_levels) {
            ""
        } else {
            "; run Callgrind with --separate-recs=2 (the default) for exact costs"
        };
        Some(format!("{ESTIMATED_NOTE}{exact}"))
    }
}
