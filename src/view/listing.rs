//! The order of a list and its end: the most expensive first, up to the thresholds, `--top` and `--min`.

mod keys;
mod order;

use super::call_counts::{CallCountTable, CallCounts};
use super::inclusive::ItemCosts;
use super::rest::Fate;
use super::{Extent, FigureTable, FunctionList, Item, Rest, Rows, Selection, Total};
use crate::profile::{CostTable, Count, Overflow};
use order::Order;

/// All that may be listed.
pub(super) struct ListInput<'c> {
    pub(super) items: Vec<Item>,
    pub(super) costs: ItemCosts<'c>,
    /// Whether the filter chose it.
    pub(super) is_selected: &'c dyn Fn(Item) -> bool,
    /// What rows cost themselves, if what is left out is shown.
    pub(super) self_costs: Option<&'c FigureTable>,
    /// How often rows were called, if requested.
    pub(super) calls: Option<&'c CallCountTable>,
    pub(super) are_inclusive: bool,
}

impl ListInput<'_> {
    /// Puts what the filter chose in order, and ends where the selection says.
    pub(super) fn list(
        self,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Result<FunctionList, Overflow> {
        let (mut items, costs) = (self.items, self.costs);
        let is_selected = |item| !rows.is_filtered() || (self.is_selected)(item);
        let calls_of = |item| self.calls.map(|calls| calls.get(item).value);
        let is_changed = |item| {
            let calls = || calls_of(item).is_some_and(CallCounts::is_any);
            selection.shows(costs.get(item)) || calls() || rows.is_changed(item)
        };
        let shown_rest = self.self_costs.filter(|_| selection.shows_rest);
        let shown_rest = shown_rest.map(|costs| {
            let fate = |item| match (is_selected(item), is_changed(item)) {
                (false, _) => Fate::NotChosen,
                (true, false) => Fate::Unchanged,
                (true, true) => Fate::Candidate,
            };
            let all = items.iter().map(|&item| (item, fate(item)));
            (costs, all.collect::<Vec<_>>())
        });
        let grown = selection.row_limit.as_ref().and_then(|limit| {
            let selected = items.iter().filter(|item| is_selected(**item));
            let figures = selected.map(|&item| {
                let figure = costs.figure(item).marked(costs.mark(item, rows));
                (item, figure.event(limit.event))
            });
            limit.most_grown(figures, rows, total)
        });
        if selection.compared.is_some() {
            items.retain(|&item| is_changed(item));
        }
        if rows.is_filtered() {
            items.retain(|&item| is_selected(item));
        }
        let wholes = wholes(
            items.iter().map(|&item| costs.get(item)),
            selection,
            total,
            self.are_inclusive,
            rows.is_filtered(),
        );
        let calls = self.calls.filter(|_| selection.by_calls.is_some());
        let count_of =
            |item| calls.map_or(Count::UNDEFINED, |calls| calls.get(item).value.by_others);
        let mut list = FunctionList {
            items: Vec::new(),
            costs: FigureTable::default(),
            marks: Vec::new(),
            calls: None,
            extent: Extent::new(costs.width()),
            is_inclusive: self.are_inclusive,
            grown,
            rest: None,
        };
        if selection.compared.is_none() {
            items
                .iter()
                .for_each(|&item| list.extent.include(costs.get(item)));
        }
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes,
            are_inclusive: self.are_inclusive,
            calls: 0,
            all_calls: items.iter().map(|&item| size(count_of(item))).sum(),
        };
        let order = Order::new(&items, costs, rows, selection);
        let mut values = CostTable::new(costs.width(), 0);
        order.walk(&count_of, |next| {
            let begin = values.len();
            next.iter()
                .for_each(|&(_, item)| values.push(costs.get(item)));
            let taken = next.iter().enumerate().take_while(|&(at, (_, item))| {
                let (calls, cost) = (count_of(*item), values.get(begin + at));
                let goes_on = !end.is_reached(list.items.len(), cost, calls);
                if goes_on {
                    end.take(cost, calls);
                    list.items.push(*item);
                }
                goes_on
            });
            let taken = taken.count();
            values.resize(begin + taken);
            taken == next.len()
        });
        if selection.by_name {
            list.items.sort_by_cached_key(|item| item.sort_name(rows));
            values.resize(0);
            let listed = list.items.iter();
            listed.for_each(|&item| values.push(costs.get(item)));
        }
        list.costs = FigureTable::of_items(values, &list.items, costs);
        if selection.compared.is_some() {
            let items = list.items.iter();
            list.marks = items.map(|&item| costs.mark(item, rows)).collect();
            for at in 0..list.items.len() {
                list.extent.include_figure(list.costs.get(at));
            }
        }
        let listed = list.items.iter();
        list.calls = self
            .calls
            .map(|calls| listed.map(|&item| calls.get(item)).collect());
        if let Some((costs, all)) = shown_rest {
            let rest = Rest::new(
                all.into_iter(),
                &list.items,
                rows,
                costs,
                self.are_inclusive,
            );
            list.rest = Some(rest?);
        }
        Ok(list)
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
        if selection.top.is_some_and(|top| listed >= top) {
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
