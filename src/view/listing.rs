//! The order of a list and its end: the most expensive first, up to the thresholds, `--top` and `--min`.

use std::cmp::{Ordering, Reverse};

use crate::profile::Count;
use crate::view::figure::{Extent, FigureTable, Total};
use crate::view::label::Item;
use crate::view::list::{CallCountTable, CallCounts, Fate, List, Omitted};
use crate::view::rows::Rows;
use crate::view::selection::Selection;

pub(super) struct ListInput<'c> {
    pub(super) items: Vec<Item>,
    /// Of all rows, and then of all cycles.
    pub(super) costs: &'c FigureTable,
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
        let items = self.listed(&candidates, rows, selection, total);
        let numbers = items.iter().map(|&item| rows.number(item));
        let calls_of = |calls: &CallCountTable| numbers.clone().map(|at| calls.get(at)).collect();
        let marks = items.iter().map(|&item| match item {
            Item::Row(row) => rows.mark(row),
            Item::Cycle(_) => self.costs.get(rows.number(item)).mark(),
        });
        let mut list = List {
            costs: self.costs.select(numbers.clone()).with_marks(marks),
            calls: self.calls.map(calls_of),
            extent: Extent::new(self.costs.values().width()),
            is_inclusive: self.are_inclusive,
            omitted: self.omitted(&items, rows, selection),
            items,
        };
        if is_compared {
            for at in 0..list.items.len() {
                list.extent.include_figure(list.costs.get(at));
            }
        } else {
            let costs = candidates.iter().map(|&item| self.cost(item, rows));
            costs.for_each(|cost| list.extent.include(cost));
        }
        list
    }

    fn cost(&self, item: Item, rows: &Rows<'_>) -> &[Count] {
        self.costs.values().get(rows.number(item))
    }

    fn is_chosen(&self, item: Item, rows: &Rows<'_>) -> bool {
        !rows.is_filtered() || (self.is_selected)(item)
    }

    /// Whether a row of a difference shows any.
    fn is_changed(&self, item: Item, rows: &Rows<'_>, selection: &Selection) -> bool {
        let has_calls = || {
            let calls = self.calls.map(|calls| calls.get(rows.number(item)).value);
            calls.is_some_and(CallCounts::is_any)
        };
        selection.shows(self.cost(item, rows)) || has_calls() || rows.is_changed(item)
    }

    /// What is not among the listed items, if that is shown.
    fn omitted(&self, listed: &[Item], rows: &Rows<'_>, selection: &Selection) -> Option<Omitted> {
        let costs = self.self_costs.filter(|_| selection.shows_omitted)?;
        let fate = |item| match self.is_chosen(item, rows) {
            false => Fate::NotChosen,
            true if self.is_changed(item, rows, selection) => Fate::Candidate,
            true => Fate::Unchanged,
        };
        // A difference says nothing of a row that is only called, unless it shows numbers of calls.
        let is_compared = selection.compared.is_some();
        let items = self.items.iter().copied();
        let items = items.filter(|&item| !is_compared || (self.is_listed)(item));
        let all = items.map(|item| (item, fate(item)));
        Some(Omitted::new(all, listed, rows, costs, self.are_inclusive))
    }

    fn listed(
        &self,
        candidates: &[Item],
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Vec<Item> {
        let calls = self.calls.filter(|_| selection.by_calls.is_some());
        let count_of = |item| {
            calls.map_or(Count::UNDEFINED, |calls| {
                calls.get(rows.number(item)).value.by_others
            })
        };
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes: wholes(
                candidates.iter().map(|&item| self.cost(item, rows)),
                selection,
                total,
                self.are_inclusive,
                rows.is_filtered(),
            ),
            are_inclusive: self.are_inclusive,
            calls: 0,
            all_calls: candidates.iter().map(|&item| size(count_of(item))).sum(),
        };
        // Only what is listed is put in full order: of many thousand rows most are too small, and equal. So first by the first
        // event alone, then, among those that it leaves equal, by all else.
        let first = selection.order.first().copied().unwrap_or(0);
        let rank = |item: Item| match calls {
            Some(_) => selection.rank(count_of(item)),
            None => selection.rank(self.cost(item, rows)[first]),
        };
        let ranked = candidates.iter().map(|&item| (rank(item), item));
        let mut order: Vec<(i64, Item)> = ranked.collect();
        order.sort_unstable_by_key(|&(rank, _)| Reverse(rank));
        let mut items: Vec<Item> = Vec::new();
        'list: for equal in order.chunk_by_mut(|a, b| a.0 == b.0) {
            self.sort_equal(equal, rows, selection);
            for &(_, item) in &*equal {
                let (calls, cost) = (count_of(item), self.cost(item, rows));
                if end.is_reached(items.len(), cost, calls) {
                    break 'list;
                }
                end.take(cost, calls);
                items.push(item);
            }
        }
        if let Some(ratio) = selection.by_ratio {
            let rank = |item: Item| selection.rank(self.cost(item, rows)[ratio]);
            items.sort_by_cached_key(|&item| Reverse(rank(item)));
            items.truncate(selection.top.unwrap_or(usize::MAX));
        }
        items
    }

    /// Orders items that are equal in what decides first: by the other events, and by name.
    fn sort_equal(&self, equal: &mut [(i64, Item)], rows: &Rows<'_>, selection: &Selection) {
        // The first key decides the order of a difference, and the name.
        let has_more = selection.order.len() > 1 || selection.by_calls.is_some();
        let has_more = has_more && selection.compared.is_none();
        let by_cost = |a: Item, b: Item| match has_more {
            true => selection.falling(self.cost(a, rows), self.cost(b, rows)),
            false => Ordering::Equal,
        };
        equal.sort_unstable_by(|&(_, a), &(_, b)| by_cost(a, b).then_with(|| rows.cmp_items(a, b)));
    }
}

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
