//! The list of functions: each row's cost, dearest first, as far as the threshold goes.

use std::ops::Range;

use super::call_counts::{AllCallCounts, CallCounts};
use super::item_costs::SelfCosts;
use super::listing::Candidates;
use super::{Cycles, Extent, Inclusive, Item, Label, Rest, Rows, Selection, Total};
use crate::profile::{Count, Overflow, Profile};

/// For how many lines the names are fetched at a time.
const SOME: usize = 256;

/// One line of the list.
pub struct FunctionRow<'a, 'p> {
    /// What it is about.
    pub label: Label<'p>,
    /// Its self or inclusive cost.
    pub cost: &'a [Count],
    /// The row; of a cycle as a whole its number.
    pub item: Item,
    /// How often it was called, if that is asked for.
    pub calls: Option<CallCounts>,
}

/// The list of functions.
pub struct FunctionList {
    /// What is listed, the lines within the threshold.
    pub items: Vec<Item>,
    /// Their costs, one after the other.
    pub(super) costs: Vec<Count>,
    /// How often they were called, if that is asked for.
    pub(super) calls: Option<Vec<CallCounts>>,
    /// The extent of all rows that the filter chose, listed or not.
    pub extent: Extent,
    /// Whether the costs are inclusive.
    pub is_inclusive: bool,
    /// What is not listed, if that is to be told.
    pub rest: Option<Rest>,
}

impl FunctionList {
    /// The lines. Labels are made one by one, as there may be many and long ones.
    pub fn lines<'a, 'p>(
        &'a self,
        rows: &'a Rows<'p>,
    ) -> impl Iterator<Item = FunctionRow<'a, 'p>> {
        let begins = (0..self.items.len()).step_by(SOME);
        begins.flat_map(move |begin| {
            let end = self.items.len().min(begin + SOME);
            self.lines_at(begin..end, rows)
        })
    }

    /// Those at some positions of the list, not too many.
    pub fn lines_at<'a, 'p>(
        &'a self,
        positions: Range<usize>,
        rows: &'a Rows<'p>,
    ) -> impl Iterator<Item = FunctionRow<'a, 'p>> {
        rows.fetch(self.items[positions.clone()].iter().copied());
        let width = self.extent.ranges.len();
        positions.map(move |i| FunctionRow {
            label: self.items[i].label(rows),
            cost: &self.costs[i * width..(i + 1) * width],
            item: self.items[i],
            calls: self.calls.as_ref().and_then(|calls| calls.get(i).copied()),
        })
    }

    /// How often what is listed was called, if that is asked for, each with its cost.
    pub fn call_counts(&self) -> Option<impl Iterator<Item = (CallCounts, &[Count])>> {
        let calls = self.calls.as_ref()?.iter().copied();
        let width = self.extent.ranges.len().max(1);
        Some(calls.zip(self.costs.chunks(width)))
    }

    /// The rows by their self cost.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn by_self_cost(
        profile: &Profile,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Result<FunctionList, Overflow> {
        let costs = SelfCosts::new(rows)?;
        let mut is_listed = costs.has_cost.clone();
        // Who only calls, or is only named by an `fn=`, has a row too, with nothing in it.
        profile
            .functions()
            .filter(|(_, function)| function.last_seen > 0)
            .for_each(|(id, _)| {
                is_listed[rows.of_function(id).index()] = true;
            });
        rows.of_calls()
            .iter()
            .for_each(|(caller, _)| is_listed[caller.index()] = true);
        let items = rows.all().filter(|row| is_listed[row.index()]);
        let calls = selection
            .calls
            .then(|| AllCallCounts::new(profile, rows, &Cycles::none(profile)))
            .transpose()?;
        let candidates = Candidates {
            items: items.map(Item::Row).collect(),
            costs: costs.as_items(),
            is_chosen: &|item| is_chosen(item, rows),
            self_costs: Some(&costs),
            calls: calls.as_ref(),
            are_inclusive: false,
        };
        candidates.list(rows, selection, total)
    }

    /// The rows and cycles by their inclusive cost.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn by_inclusive_cost(
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
        inclusive: &Inclusive,
    ) -> Result<FunctionList, Overflow> {
        let self_costs = selection
            .tells_rest
            .then(|| SelfCosts::new(rows))
            .transpose()?;
        let candidates = Candidates {
            items: inclusive.items().collect(),
            costs: inclusive.costs(),
            is_chosen: &|item| match item {
                Item::Cycle(number) => inclusive.is_chosen(number as usize),
                Item::Row(_) => is_chosen(item, rows),
            },
            self_costs: self_costs.as_ref(),
            calls: inclusive.calls(),
            are_inclusive: true,
        };
        candidates.list(rows, selection, total)
    }
}

fn is_chosen(item: Item, rows: &Rows<'_>) -> bool {
    match item {
        Item::Row(row) => rows.is_chosen(row),
        Item::Cycle(_) => true,
    }
}
