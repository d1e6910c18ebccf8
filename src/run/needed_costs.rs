//! Which costs of rows a report needs: those that it shows, and those that decide which rows are
//! listed. Everything that format and options say about this is asked here, once for a report.

use crate::options::ListOptions;
use crate::render::{Measure, ShownCosts};
use crate::run::Context;
use crate::view::RowBy;

/// The costs of rows that a report is made of.
#[derive(Clone, Copy)]
pub(super) struct NeededCosts {
    /// The call graphs, from which inclusive costs, trees and reasons are made.
    pub(super) graphs: bool,
    /// The inclusive costs of rows.
    pub(super) inclusive: bool,
    /// Whether rows are listed by them.
    pub(super) by_inclusive: bool,
    /// A table of the self costs of rows, beside the cost by which rows are listed.
    pub(super) own: bool,
    /// Whether they come before the list: it is by inclusive cost, or they decide which rows it
    /// has.
    pub(super) before_list: bool,
    /// Those that have columns.
    pub(super) shown: ShownCosts,
    /// What decides in a difference which rows have changed; none if only their self cost does.
    pub(super) changed_by: Option<ChangedBy>,
}

/// What a row of a difference has changed by.
#[derive(Clone, Copy)]
pub(super) struct ChangedBy {
    /// Whether the list has columns of both costs: then only these count. Else also lines, calls
    /// and the number of calls do, as in JSON.
    pub(super) has_columns: bool,
    pub(super) own: bool,
    pub(super) inclusive: bool,
}

impl Context<'_> {
    pub(super) fn needed_costs(&self, list: &ListOptions) -> NeededCosts {
        let profile = self.profile;
        let is_of_browsers = self.is_format(|format| format.is_for_browsers);
        let has_details = self.is_format(|format| format.has_details);
        let has_columns = self.has_columns_of_both_costs();
        let is_list_of_series = self.series.is_some() && self.is_for_people();
        let by_inclusive = list.inclusive;
        let inclusive =
            by_inclusive || !is_list_of_series && (!self.is_for_people() || has_columns);
        NeededCosts {
            graphs: inclusive
                || !list.tree.is_empty()
                || self.why_options().is_some()
                || self.explains_row(),
            inclusive,
            by_inclusive,
            own: has_columns || has_details,
            before_list: by_inclusive || is_of_browsers || profile.is_difference(),
            shown: self.shown_costs(by_inclusive),
            changed_by: self.changed_by(),
        }
    }

    /// Whether the list has columns of self and inclusive costs. Rows of JSON have both anyway.
    fn has_columns_of_both_costs(&self) -> bool {
        let are_requested = !self.options.columns.is_empty();
        self.is_format(|format| !format.has_details && format.layout.has_both_costs(are_requested))
    }

    /// The costs that have columns. Lines have an inclusive cost only beside their calls. A
    /// difference for people has the cost that it is sorted by.
    fn shown_costs(&self, by_inclusive: bool) -> ShownCosts {
        let (profile, columns) = (self.profile, &self.options.columns);
        let (is_text, row_by) = (self.options.is_text(), self.options.rows.row_by);
        let are_calls_counted = self.options.selection.list.lists_called;
        let has_both = if !is_text {
            self.has_columns_of_both_costs() || self.is_format(|format| format.has_details)
        } else if self.series.is_some() {
            false
        } else {
            are_calls_counted && !by_inclusive || !columns.is_empty() || !profile.is_difference()
        };
        let has_calls = !profile.calls.is_empty() || columns.contains(&Measure::Inclusive);
        let has_inclusive = if !is_text {
            true
        } else if self.first_screen().is_some() {
            !profile.calls.is_empty()
        } else {
            let are_lines_with_calls =
                row_by == RowBy::Line && self.selection.list.shows_calls_of_lines;
            by_inclusive || has_calls && (row_by.has_callers() || are_lines_with_calls)
        };
        match (has_both, has_inclusive) {
            (false, _) => ShownCosts::Listed,
            (true, false) => ShownCosts::SelfCost,
            (true, true) => ShownCosts::SelfAndInclusive,
        }
    }

    /// What decides which rows have changed, in a difference for programs or with requested
    /// columns: the costs in its columns, or for JSON anything. A browser has all rows.
    fn changed_by(&self) -> Option<ChangedBy> {
        let has_details = self.is_format(|format| format.has_details);
        let columns = if has_details { &[][..] } else { &self.options.columns[..] };
        // Lines have no inclusive cost in a text.
        let has_both = !self.options.is_text() || self.options.rows.row_by.has_callers();
        let is_by_listed_cost = self.is_for_people() && (columns.is_empty() || !has_both);
        let is_of_browsers = self.is_format(|format| format.is_for_browsers);
        if !self.profile.is_difference() || is_of_browsers || is_by_listed_cost {
            return None;
        }
        let [own, inclusive] = [Measure::Cost, Measure::Inclusive].map(|cost| {
            columns.is_empty() || columns.iter().any(|measure| measure.is_made_of(cost))
        });
        Some(ChangedBy { has_columns: self.has_columns_of_both_costs(), own, inclusive })
    }
}
