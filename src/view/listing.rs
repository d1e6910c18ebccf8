//! The order of a list and its end: the most expensive first, up to the thresholds, `--top` and `--min`.

mod order;

use std::cmp::Reverse;

use super::call_counts::{CallCountTable, CallCounts};
use super::inclusive::ItemCosts;
use crate::profile::{CostTable, Count};
use crate::view::figure::{Extent, FigureTable, Total};
use crate::view::label::Item;
use crate::view::list::Fate;
use crate::view::list::List;
use crate::view::list::Omitted;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use order::Order;

/// All that may be listed.
pub(super) struct ListInput<'c> {
    pub(super) items: Vec<Item>,
    pub(super) costs: ItemCosts<'c>,
    /// Whether the filter chose it.
    pub(super) is_selected: &'c dyn Fn(Item) -> bool,
    /// Whether it can be listed; otherwise it is only counted among what is left out.
    pub(super) is_listed: &'c dyn Fn(Item) -> bool,
    /// What rows cost themselves, if what is left out is shown.
    pub(super) self_costs: Option<&'c FigureTable>,
    /// How often rows were called, if requested.
    pub(super) calls: Option<&'c CallCountTable>,
    pub(super) are_inclusive: bool,
}

impl ListInput<'_> {
    /// Puts what the filter chose in order, and ends where the selection says.
    pub(super) fn list(self, rows: &Rows<'_>, selection: &Selection, total: &Total) -> List {
        let is_compared = selection.compared.is_some();
        let mut candidates = self.items.clone();
        candidates.retain(|&item| {
            (!is_compared || self.is_changed(item, rows, selection))
                && self.is_chosen(item, rows)
                && (self.is_listed)(item)
        });
        let (items, values) = self.listed(&candidates, rows, selection, total);
        let mut list = List {
            costs: FigureTable::of_items(values, &items, self.costs),
            marks: Vec::new(),
            calls: self
                .calls
                .map(|calls| items.iter().map(|&item| calls.get(item)).collect()),
            extent: Extent::new(self.costs.width()),
            is_inclusive: self.are_inclusive,
            omitted: self.omitted(&items, rows, selection),
            items,
        };
        if selection.compared.is_some() {
            let items = list.items.iter();
            list.marks = items.map(|&item| self.costs.mark(item, rows)).collect();
            for at in 0..list.items.len() {
                list.extent.include_figure(list.costs.get(at));
            }
        } else {
            let costs = candidates.iter().map(|&item| self.costs.get(item));
            costs.for_each(|cost| list.extent.include(cost));
        }
        list
    }

    fn is_chosen(&self, item: Item, rows: &Rows<'_>) -> bool {
        !rows.is_filtered() || (self.is_selected)(item)
    }

    /// Whether a row of a difference shows any.
    fn is_changed(&self, item: Item, rows: &Rows<'_>, selection: &Selection) -> bool {
        let has_calls = || {
            let calls = self.calls.map(|calls| calls.get(item).value);
            calls.is_some_and(CallCounts::is_any)
        };
        selection.shows(self.costs.get(item)) || has_calls() || rows.is_changed(item)
    }

    /// What is not among the listed items, if that is shown.
    fn omitted(&self, listed: &[Item], rows: &Rows<'_>, selection: &Selection) -> Option<Omitted> {
        let costs = self.self_costs.filter(|_| selection.shows_omitted)?;
        let fate = |item| match (
            self.is_chosen(item, rows),
            self.is_changed(item, rows, selection),
        ) {
            (false, _) => Fate::NotChosen,
            (true, false) => Fate::Unchanged,
            (true, true) => Fate::Candidate,
        };
        // A difference says nothing of a row that is only called, unless it shows numbers of calls.
        let is_compared = selection.compared.is_some();
        let items = self.items.iter().copied();
        let items = items.filter(|&item| !is_compared || (self.is_listed)(item));
        let all = items.map(|item| (item, fate(item)));
        Some(Omitted::new(all, listed, rows, costs, self.are_inclusive))
    }

    /// The items to list, in order, and their costs.
    fn listed(
        &self,
        candidates: &[Item],
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> (Vec<Item>, CostTable) {
        let costs = self.costs;
        let calls = self.calls.filter(|_| selection.by_calls.is_some());
        let count_of =
            |item| calls.map_or(Count::UNDEFINED, |calls| calls.get(item).value.by_others);
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes: wholes(
                candidates.iter().map(|&item| costs.get(item)),
                selection,
                total,
                self.are_inclusive,
                rows.is_filtered(),
            ),
            are_inclusive: self.are_inclusive,
            calls: 0,
            all_calls: candidates.iter().map(|&item| size(count_of(item))).sum(),
        };
        let mut items: Vec<Item> = Vec::new();
        let mut values = CostTable::new(costs.width(), 0);
        let order = Order::new(candidates, costs, rows, selection);
        order.walk(&count_of, |next| {
            let begin = values.len();
            next.iter()
                .for_each(|&(_, item)| values.push(costs.get(item)));
            let taken = next.iter().enumerate().take_while(|&(at, (_, item))| {
                let (calls, cost) = (count_of(*item), values.get(begin + at));
                let goes_on = !end.is_reached(items.len(), cost, calls);
                if goes_on {
                    end.take(cost, calls);
                    items.push(*item);
                }
                goes_on
            });
            let taken = taken.count();
            values.resize(begin + taken);
            taken == next.len()
        });
        if let Some(ratio) = selection.by_ratio {
            items.sort_by_cached_key(|&item| Reverse(selection.rank(costs.get(item)[ratio])));
            items.truncate(selection.top.unwrap_or(usize::MAX));
            values.resize(0);
            items.iter().for_each(|&item| values.push(costs.get(item)));
        }
        (items, values)
    }
}

/// Where the list ends.
struct End<'e> {
    selection: &'e Selection,
    total: &'e Total,
    /// What was listed, by the events of the order.
    reached: Vec<i128>,
    wholes: Vec<i128>,
    are_inclusive: bool,
    /// How many calls of rows were listed, if these decide the order, and how many there are.
    calls: i128,
    all_calls: i128,
}

impl End<'_> {
    /// Whether the list ends before a row.
    fn is_reached(&self, listed: usize, cost: &[Count], calls: Count) -> bool {
        let selection = self.selection;
        let top = selection.top.filter(|_| selection.by_ratio.is_none());
        if top.is_some_and(|top| listed >= top) {
            return true;
        }
        let events = selection.is_reached(&self.reached, &self.wholes);
        let percent = |calls: i128| calls as f64 * 100.0 / self.all_calls.max(1) as f64;
        match &selection.by_calls {
            None => events || selection.is_below_min(cost, self.total.reference()),
            Some(threshold) => {
                let min = selection.min.as_ref().map_or(0.0, |min| min.percent);
                let is_below = min > 0.0 && percent(size(calls)) < min;
                is_below || events && percent(self.calls) >= threshold.percent
            }
        }
    }

    /// Takes in a row that is listed.
    fn take(&mut self, cost: &[Count], calls: Count) {
        self.calls += size(calls);
        let of_events = self.reached.iter_mut().zip(&self.selection.order);
        for ((reached, &event), whole) in of_events.zip(&self.wholes) {
            let count = i128::from(cost[event].or_zero());
            let count = if self.selection.compared.is_some() {
                count.abs()
            } else {
                count
            };
            // Inclusive costs do not add up: the list ends after the first row below what is left.
            *reached = if self.are_inclusive {
                whole - count
            } else {
                *reached + count
            };
        }
    }
}

/// How many calls, whatever the sign of a difference.
fn size(calls: Count) -> i128 {
    i128::from(calls.or_zero()).abs()
}

/// What 100% are for the thresholds: the total, or what a filter leaves of it; of differences the sum of their
/// sizes, and of inclusive ones, which do not add up, the largest.
fn wholes<'c>(
    costs: impl Iterator<Item = &'c [Count]> + Clone,
    selection: &Selection,
    total: &Total,
    are_inclusive: bool,
    is_filtered: bool,
) -> Vec<i128> {
    let whole = |&event: &usize| {
        let counts = costs.clone();
        let counts = counts.map(|cost| i128::from(cost[event].or_zero()));
        match (selection.compared.is_some(), are_inclusive) {
            (false, false) if is_filtered => counts.sum(),
            (false, _) => i128::from(total.figure.value[event].or_zero()),
            (true, false) => counts.map(i128::abs).sum(),
            (true, true) => counts.map(i128::abs).max().unwrap_or(0),
        }
    };
    selection.order.iter().map(whole).collect()
}
