//! The order of a list and its end: dearest first, up to the thresholds, `--top` and `--min`.

use std::cmp::{Ordering, Reverse};

use super::call_counts::AllCallCounts;
use super::halves::on_both;
use super::rest::SelfCosts;
use super::{Extent, FunctionList, Item, Rest, Rows, Selection, Total};
use crate::profile::{Count, Overflow};

/// How many items are enough for two threads.
const MANY: usize = 4000;

/// For how many items the names are fetched at a time.
const FETCHED: usize = 256;

/// All that may be listed.
pub(super) struct Candidates<'c> {
    pub(super) items: Vec<Item>,
    pub(super) costs: ItemCosts<'c>,
    /// Whether the filter chose it.
    pub(super) is_chosen: &'c dyn Fn(Item) -> bool,
    /// What rows cost themselves, if it is to be told what is left out.
    pub(super) self_costs: Option<&'c SelfCosts>,
    /// How often rows were called, if that is asked for.
    pub(super) calls: Option<&'c AllCallCounts>,
    pub(super) are_inclusive: bool,
}

/// The costs of rows and cycles, one after the other.
#[derive(Clone, Copy)]
pub(super) struct ItemCosts<'c> {
    pub(super) rows: &'c [Count],
    pub(super) cycles: &'c [Count],
    /// How many counts a cost has.
    pub(super) width: usize,
}

impl<'c> ItemCosts<'c> {
    #[inline]
    fn of(&self, item: Item) -> &'c [Count] {
        let (costs, number) = match item {
            Item::Row(row) => (self.rows, row.index()),
            Item::Cycle(number) => (self.cycles, number as usize - 1),
        };
        &costs[number * self.width..(number + 1) * self.width]
    }
}

impl Candidates<'_> {
    /// Puts what the filter chose in order, and ends where the selection says.
    pub(super) fn list(
        self,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Result<FunctionList, Overflow> {
        let (mut items, costs) = (self.items, self.costs);
        if selection.by_size {
            items.retain(|&item| selection.shows(0, costs.of(item)));
        }
        let is_chosen = |item| !rows.are_filtered() || (self.is_chosen)(item);
        let told = self.self_costs.filter(|_| selection.tells_rest);
        let told = told.map(|costs| {
            let all = items.iter().map(|&item| (item, is_chosen(item)));
            (costs, all.collect::<Vec<_>>())
        });
        if rows.are_filtered() {
            items.retain(|&item| is_chosen(item));
        }
        let wholes = wholes(
            items.iter().map(|&item| costs.of(item)),
            selection,
            total,
            self.are_inclusive,
            rows.are_filtered(),
        );
        let calls = self.calls.filter(|_| selection.by_calls.is_some());
        let count_of = |item| calls.map_or(Count::UNDEFINED, |calls| calls.of(item).by_others);
        let mut list = FunctionList {
            items: Vec::new(),
            costs: Vec::new(),
            calls: None,
            extent: Extent::new(total.cost.len()),
            is_inclusive: self.are_inclusive,
            rest: None,
        };
        items
            .iter()
            .for_each(|&item| list.extent.include(costs.of(item)));
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes,
            are_inclusive: self.are_inclusive,
            calls: 0,
            all_calls: items.iter().map(|&item| size(count_of(item))).sum(),
        };
        let order = Order {
            items: &items,
            costs,
            rows,
            selection,
        };
        order.walk(&count_of, |item| {
            let (cost, calls) = (costs.of(item), count_of(item));
            let goes_on = !end.is_reached(list.items.len(), cost, calls);
            if goes_on {
                end.take(cost, calls);
                list.items.push(item);
                list.costs.extend_from_slice(cost);
            }
            goes_on
        });
        let listed = list.items.iter();
        list.calls = self
            .calls
            .map(|calls| listed.map(|&item| calls.of(item)).collect());
        if let Some((costs, all)) = told {
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
            None => events || selection.is_below_min(cost, &self.total.whole),
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
            let count = if self.selection.by_size {
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

/// What is to be put in order, and how.
struct Order<'o, 'p> {
    items: &'o [Item],
    costs: ItemCosts<'o>,
    rows: &'o Rows<'p>,
    selection: &'o Selection,
}

impl Order<'_, '_> {
    /// Goes through the items in their order until `take` says no.
    ///
    /// Only what is listed is put in full order: of many thousand rows most are too small, and equal. So
    /// first by the first event alone, then, among those that it leaves equal, by all else.
    fn walk(&self, count_of: &impl Fn(Item) -> Count, mut take: impl FnMut(Item) -> bool) {
        let first = self.selection.order.first().copied().unwrap_or(0);
        let by_calls = self.selection.by_calls.is_some();
        let key = |item: Item| match by_calls {
            true => count_of(item),
            false => self.costs.of(item)[first],
        };
        let ranks = self.items.iter();
        let ranks = ranks.map(|&item| (self.selection.rank(key(item)), item));
        let mut order: Vec<(i64, Item)> = ranks.collect();
        let mut rest = &mut order[..];
        while !rest.is_empty() {
            let count = largest_first(rest);
            let (largest, others) = rest.split_at_mut(count);
            largest.sort_unstable_by_key(|&(rank, _)| Reverse(rank));
            // Names lie far apart in memory, so it pays to wait for them in two threads.
            let middle = end_of_run(largest, largest.len() / 2);
            if largest.len() > MANY && middle < largest.len() {
                on_both(largest, middle, |half| self.sort_runs(half));
            } else {
                self.sort_runs(largest);
            }
            if !largest.iter().all(|&(_, item)| take(item)) {
                return;
            }
            rest = others;
        }
    }

    /// Puts items in full order that are in that of the first event.
    fn sort_runs(&self, items: &mut [(i64, Item)]) {
        let (mut at, mut fetched) = (0, 0);
        while at < items.len() {
            if at >= fetched {
                fetched = items.len().min(at + FETCHED);
                self.rows
                    .fetch(items[at..fetched].iter().map(|&(_, item)| item));
            }
            let end = end_of_run(items, at);
            if end - at > 1 {
                self.sort_equal(&mut items[at..end]);
            }
            at = end;
        }
    }

    /// Orders items that are equal in the first event. The first bytes of the names decide most comparisons.
    fn sort_equal(&self, equal: &mut [(i64, Item)]) {
        let has_more = self.selection.order.len() > 1 || self.selection.by_calls.is_some();
        let mut keyed: Vec<_> = equal
            .iter()
            .map(|&(_, item)| (item.name_key(self.rows), item))
            .collect();
        keyed.sort_unstable_by(|(key_a, a), (key_b, b)| {
            let by_cost = if has_more {
                let (cost_a, cost_b) = (self.costs.of(*a), self.costs.of(*b));
                self.selection.falling(cost_a, cost_b)
            } else {
                Ordering::Equal
            };
            let by_key = if key_a.0 == key_b.0 {
                key_a.1.cmp(&key_b.1)
            } else {
                Ordering::Equal
            };
            by_cost.then(by_key).then_with(|| a.by_name(*b, self.rows))
        });
        for (place, (_, item)) in equal.iter_mut().zip(keyed) {
            place.1 = item;
        }
    }
}

/// Where the items end that have the rank of the one at a position.
fn end_of_run(items: &[(i64, Item)], at: usize) -> usize {
    let run = items[at..].iter();
    at + run.take_while(|item| item.0 == items[at].0).count()
}

/// Brings the items with the largest ranks, some eighth of them, before the others, which may never be needed, and
/// tells how many they are. All of a rank are on one side.
fn largest_first(order: &mut [(i64, Item)]) -> usize {
    let eighth = (order.len() / 8).max(1000);
    if eighth >= order.len() {
        return order.len();
    }
    let (_, &mut (least, _), others) =
        order.select_nth_unstable_by_key(eighth - 1, |&(rank, _)| Reverse(rank));
    let mut equal = 0;
    for at in 0..others.len() {
        if others[at].0 == least {
            others.swap(at, equal);
            equal += 1;
        }
    }
    eighth + equal
}

/// What 100% are for the thresholds: the total, or what a filter leaves of it; of differences the sum of their
/// sizes, and of inclusive ones, which do not add up, the largest.
fn wholes<'c>(
    costs: impl Iterator<Item = &'c [Count]> + Clone,
    selection: &Selection,
    total: &Total,
    are_inclusive: bool,
    are_filtered: bool,
) -> Vec<i128> {
    let whole = |&event: &usize| {
        let counts = costs.clone();
        let counts = counts.map(|cost| i128::from(cost[event].or_zero()));
        match (selection.by_size, are_inclusive) {
            (false, false) if are_filtered => counts.sum(),
            (false, _) => i128::from(total.cost[event].or_zero()),
            (true, false) => counts.map(i128::abs).sum(),
            (true, true) => counts.map(i128::abs).max().unwrap_or(0),
        }
    };
    selection.order.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RowId;

    #[test]
    fn the_largest_come_first_and_equal_ones_stay_together() {
        // Each rank from 0 to 99 a hundred times, mixed.
        let mut order: Vec<_> = (0..10_000)
            .map(|i| (i64::from(i * 7919 % 100), Item::Row(RowId(i))))
            .collect();
        let (mut rest, mut least, mut all) = (&mut order[..], i64::MAX, 0);
        while !rest.is_empty() {
            let count = largest_first(rest);
            let (largest, others) = rest.split_at_mut(count);
            assert_eq!(largest.len() % 100, 0);
            assert!(largest.iter().all(|&(rank, _)| rank < least));
            least = largest.iter().map(|&(rank, _)| rank).min().unwrap();
            all += largest.len();
            rest = others;
        }
        assert_eq!((least, all), (0, 10_000));
    }
}
