//! The list of functions: each row's cost, dearest first, as far as the threshold goes.

use std::cmp::{Ordering, Reverse};

use super::{Extent, Inclusive, Item, Label, RowId, Rows, Selection, Total};
use crate::profile::{Count, Overflow, Profile, add_cost};

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
    /// The extent of all rows, listed or not.
    pub extent: Extent,
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
        let width = profile.events.len();
        let mut costs = vec![Count::UNDEFINED; rows.len() * width];
        let mut is_listed = vec![false; rows.len()];
        for ((_, cost), row) in profile.costs.iter().zip(rows.of_costs()) {
            is_listed[row.index()] = true;
            let start = row.index() * width;
            add_cost(&mut costs[start..start + width], cost)?;
        }
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
            .map(|row| {
                (
                    Item::Row(RowId(row as u32)),
                    &costs[row * width..(row + 1) * width],
                )
            })
            .collect();
        Ok(list(rows, selection, total, items, false))
    }

    /// The rows and cycles by their inclusive cost.
    pub fn by_inclusive_cost(
        rows: &Rows<'_>,
        selection: &Selection,
        total: &Total,
        inclusive: &Inclusive,
    ) -> FunctionList {
        let cycles = inclusive
            .cycles()
            .enumerate()
            .map(|(i, cost)| (Item::Cycle(i + 1), cost));
        let items = inclusive
            .rows()
            .map(|(row, cost)| (Item::Row(row), cost))
            .chain(cycles)
            .collect();
        list(rows, selection, total, items, true)
    }
}

fn list(
    rows: &Rows<'_>,
    selection: &Selection,
    total: &Total,
    items: Vec<(Item, &[Count])>,
    are_inclusive: bool,
) -> FunctionList {
    let mut items = items;
    if selection.by_size {
        items.retain(|(_, cost)| selection.shows(0, cost));
    }
    let wholes = wholes(&items, selection, total, are_inclusive);
    let mut extent = Extent::new(total.cost.len());
    items.iter().for_each(|(_, cost)| extent.include(cost));
    let mut reached = vec![0i128; selection.order.len()];
    let (mut listed, mut costs) = (Vec::new(), Vec::new());
    // Only what is listed is put in full order: of many thousand rows most are too small, and equal. So
    // first by the first event alone, then, among those that it leaves equal, by all else.
    let first = selection.order.first().copied().unwrap_or(0);
    let mut order: Vec<(i64, u32)> = (0..)
        .zip(&items)
        .map(|(i, (_, cost))| (selection.rank(cost[first]), i))
        .collect();
    order.sort_unstable_by_key(|&(count, _)| Reverse(count));
    'listed: for equal in order.chunk_by_mut(|a, b| a.0 == b.0) {
        let mut equal: Vec<_> = equal.iter().map(|&(_, i)| items[i as usize]).collect();
        if equal.len() > 1 {
            sort_equal(&mut equal, rows, selection);
        }
        for (item, cost) in equal {
            if selection.is_reached(&reached, &wholes) {
                break 'listed;
            }
            for ((reached, &event), whole) in reached.iter_mut().zip(&selection.order).zip(&wholes)
            {
                let count = i128::from(cost[event].or_zero());
                let count = if selection.by_size {
                    count.abs()
                } else {
                    count
                };
                // Inclusive costs do not add up: the list ends after the first row below what is left.
                *reached = if are_inclusive {
                    whole - count
                } else {
                    *reached + count
                };
            }
            listed.push(item);
            costs.extend_from_slice(cost);
        }
    }
    FunctionList {
        items: listed,
        costs,
        extent,
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

/// What 100% are for the thresholds: the total; of differences the sum of their sizes, and of inclusive ones,
/// which do not add up, the largest.
fn wholes(
    items: &[(Item, &[Count])],
    selection: &Selection,
    total: &Total,
    are_inclusive: bool,
) -> Vec<i128> {
    let whole = |&event: &usize| {
        let mut sizes = items
            .iter()
            .map(|(_, cost)| i128::from(cost[event].or_zero()).abs());
        match (selection.by_size, are_inclusive) {
            (false, _) => i128::from(total.cost[event].or_zero()),
            (true, false) => sizes.sum(),
            (true, true) => sizes.by_ref().max().unwrap_or(0),
        }
    };
    selection.order.iter().map(whole).collect()
}
