//! The list of functions: each row's cost, dearest first, as far as the threshold goes.

use std::cmp::{Ordering, Reverse};

use super::rest::SelfCosts;
use super::{Extent, Inclusive, Item, Label, Rest, RowId, Rows, Selection, Total};
use crate::profile::{Count, Overflow, Profile};

/// One line of the list.
pub struct FunctionRow<'a, 'p> {
    /// What it is about.
    pub label: Label<'p>,
    /// Its self or inclusive cost.
    pub cost: &'a [Count],
    /// The row; of a cycle as a whole its number.
    pub item: Item,
}

/// The list of functions.
pub struct FunctionList {
    /// What is listed, the lines within the threshold.
    pub items: Vec<Item>,
    /// Their costs, one after the other.
    costs: Vec<Count>,
    /// The extent of all rows that the filter chose, listed or not.
    pub extent: Extent,
    /// What is not listed, if that is to be told.
    pub rest: Option<Rest>,
}

impl FunctionList {
    /// The lines. Labels are made one by one, as there may be many and long ones.
    pub fn lines<'a, 'p>(
        &'a self,
        rows: &'a Rows<'p>,
    ) -> impl Iterator<Item = FunctionRow<'a, 'p>> {
        let width = self.extent.ranges.len();
        let line = move |(i, &item): (usize, &Item)| FunctionRow {
            label: item.label(rows),
            cost: &self.costs[i * width..(i + 1) * width],
            item,
        };
        self.items.iter().enumerate().map(line)
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
        let items = (0..rows.len()).filter(|&row| is_listed[row]);
        let items = items
            .map(|row| (Item::Row(RowId(row as u32)), costs.of(row)))
            .collect();
        let candidates = Candidates {
            items,
            is_chosen: &|item| is_chosen(item, rows),
            self_costs: Some(&costs),
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
        let cycles = inclusive
            .cycles()
            .enumerate()
            .map(|(i, cost)| (Item::Cycle(i + 1), cost));
        let items = inclusive
            .rows()
            .map(|(row, cost)| (Item::Row(row), cost))
            .chain(cycles)
            .collect();
        let self_costs = selection
            .tells_rest
            .then(|| SelfCosts::new(rows))
            .transpose()?;
        let candidates = Candidates {
            items,
            is_chosen: &|item| match item {
                Item::Cycle(number) => inclusive.is_chosen(number),
                Item::Row(_) => is_chosen(item, rows),
            },
            self_costs: self_costs.as_ref(),
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

/// All that may be listed.
struct Candidates<'c> {
    items: Vec<(Item, &'c [Count])>,
    /// Whether the filter chose it.
    is_chosen: &'c dyn Fn(Item) -> bool,
    /// What rows cost themselves, if it is to be told what is left out.
    self_costs: Option<&'c SelfCosts>,
    are_inclusive: bool,
}

impl Candidates<'_> {
    fn list(
        self,
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
    ) -> Result<FunctionList, Overflow> {
        let mut all = self.items;
        if selection.by_size {
            all.retain(|(_, cost)| selection.shows(0, cost));
        }
        let is_chosen = |item| !rows.are_filtered() || (self.is_chosen)(item);
        let told = self.self_costs.filter(|_| selection.tells_rest);
        let told = told.map(|costs| {
            let all = all.iter().map(|&(item, _)| (item, is_chosen(item)));
            (costs, all.collect::<Vec<_>>())
        });
        let mut items = all;
        items.retain(|&(item, _)| is_chosen(item));
        let wholes = wholes(
            &items,
            selection,
            total,
            self.are_inclusive,
            rows.are_filtered(),
        );
        let mut list = FunctionList {
            items: Vec::new(),
            costs: Vec::new(),
            extent: Extent::new(total.cost.len()),
            rest: None,
        };
        items.iter().for_each(|(_, cost)| list.extent.include(cost));
        let mut end = End {
            selection,
            total,
            reached: vec![0; selection.order.len()],
            wholes,
            are_inclusive: self.are_inclusive,
        };
        in_order(&items, rows, selection, |item, cost| {
            let goes_on = !end.is_reached(list.items.len(), cost);
            if goes_on {
                end.take(cost);
                list.items.push(item);
                list.costs.extend_from_slice(cost);
            }
            goes_on
        });
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
}

impl End<'_> {
    /// Whether the list ends before a row.
    fn is_reached(&self, listed: usize, cost: &[Count]) -> bool {
        self.selection.is_reached(&self.reached, &self.wholes)
            || self.selection.top.is_some_and(|top| listed >= top)
            || self.selection.is_below_min(cost, &self.total.whole)
    }

    /// Takes in a row that is listed.
    fn take(&mut self, cost: &[Count]) {
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

/// Goes through the items in their order until `take` says no.
///
/// Only what is listed is put in full order: of many thousand rows most are too small, and equal. So
/// first by the first event alone, then, among those that it leaves equal, by all else.
fn in_order(
    items: &[(Item, &[Count])],
    rows: &Rows<'_>,
    selection: &Selection,
    mut take: impl FnMut(Item, &[Count]) -> bool,
) {
    let first = selection.order.first().copied().unwrap_or(0);
    let mut order: Vec<(i64, u32)> = (0..)
        .zip(items)
        .map(|(i, (_, cost))| (selection.rank(cost[first]), i))
        .collect();
    order.sort_unstable_by_key(|&(count, _)| Reverse(count));
    for equal in order.chunk_by_mut(|a, b| a.0 == b.0) {
        let mut equal: Vec<_> = equal.iter().map(|&(_, i)| items[i as usize]).collect();
        if equal.len() > 1 {
            sort_equal(&mut equal, rows, selection);
        }
        if !equal.into_iter().all(|(item, cost)| take(item, cost)) {
            return;
        }
    }
}

/// Orders rows that are equal in the first event. Names lie far apart in memory, so their first bytes are
/// fetched once and decide most comparisons.
fn sort_equal(equal: &mut Vec<(Item, &[Count])>, rows: &Rows<'_>, selection: &Selection) {
    let has_more = selection.order.len() > 1;
    let mut keyed: Vec<_> = equal
        .drain(..)
        .map(|(item, cost)| (item.name_key(rows), item, cost))
        .collect();
    keyed.sort_unstable_by(|(key_a, a, cost_a), (key_b, b, cost_b)| {
        let by_cost = if has_more {
            selection.falling(cost_a, cost_b)
        } else {
            Ordering::Equal
        };
        let by_key = if key_a.0 == key_b.0 {
            key_a.1.cmp(&key_b.1)
        } else {
            Ordering::Equal
        };
        by_cost.then(by_key).then_with(|| a.by_name(*b, rows))
    });
    equal.extend(keyed.into_iter().map(|(_, item, cost)| (item, cost)));
}

/// What 100% are for the thresholds: the total, or what a filter leaves of it; of differences the sum of their
/// sizes, and of inclusive ones, which do not add up, the largest.
fn wholes(
    items: &[(Item, &[Count])],
    selection: &Selection,
    total: &Total,
    are_inclusive: bool,
    are_filtered: bool,
) -> Vec<i128> {
    let whole = |&event: &usize| {
        let counts = items
            .iter()
            .map(|(_, cost)| i128::from(cost[event].or_zero()));
        match (selection.by_size, are_inclusive) {
            (false, false) if are_filtered => counts.sum(),
            (false, _) => i128::from(total.cost[event].or_zero()),
            (true, false) => counts.map(i128::abs).sum(),
            (true, true) => counts.map(i128::abs).max().unwrap_or(0),
        }
    };
    selection.order.iter().map(whole).collect()
}
