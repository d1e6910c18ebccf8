//! The list of functions: each row's cost, dearest first, as far as the threshold goes.

use super::{Cost, Extent, Inclusive, Item, Label, RowId, Rows, Selection, Total};
use crate::profile::{Count, Overflow, Profile, add_cost};

/// How many rows are sorted at first.
const FIRST_SORTED: usize = 256;

/// One line of the list.
pub struct FunctionRow<'p> {
    /// What it is about.
    pub label: Label<'p>,
    /// Its self or inclusive cost.
    pub cost: Cost,
    /// The row; of a cycle as a whole its number.
    pub item: Item,
}

/// The list of functions.
pub struct FunctionList<'p> {
    /// The lines within the threshold.
    pub rows: Vec<FunctionRow<'p>>,
    /// The extent of all rows, listed or not.
    pub extent: Extent,
}

impl<'p> FunctionList<'p> {
    /// The rows by their self cost.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    pub fn by_self_cost(
        profile: &Profile,
        rows: &Rows<'p>,
        selection: &Selection,
        total: &Total,
    ) -> Result<FunctionList<'p>, Overflow> {
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
        rows: &Rows<'p>,
        selection: &Selection,
        total: &Total,
        inclusive: &Inclusive,
    ) -> FunctionList<'p> {
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

fn list<'p>(
    rows: &Rows<'p>,
    selection: &Selection,
    total: &Total,
    mut items: Vec<(Item, &[Count])>,
    are_inclusive: bool,
) -> FunctionList<'p> {
    let mut extent = Extent::new(total.cost.len());
    items.iter().for_each(|(_, cost)| extent.include(cost));
    let mut reached = vec![0i128; selection.order.len()];
    let mut shown = Vec::new();
    let mut rest = &mut items[..];
    let mut size = FIRST_SORTED;
    // Only as much is sorted as is listed: of many thousand rows most are too small, and equal.
    while !rest.is_empty() && !selection.is_reached(&reached, &total.cost) {
        let by_cost_and_name = |a: &(Item, &[Count]), b: &(Item, &[Count])| {
            selection
                .falling(a.1, b.1)
                .then_with(|| a.0.by_name(b.0, rows))
        };
        if size < rest.len() {
            rest.select_nth_unstable_by(size, by_cost_and_name);
        }
        let (dearest, others) = rest.split_at_mut(size.min(rest.len()));
        dearest.sort_unstable_by(by_cost_and_name);
        for &mut (item, cost) in dearest {
            if selection.is_reached(&reached, &total.cost) {
                break;
            }
            for (reached, &event) in reached.iter_mut().zip(&selection.order) {
                let count = i128::from(cost[event].or_zero());
                // Inclusive costs do not add up: the list ends after the first row below what is left.
                *reached = match are_inclusive {
                    true => i128::from(total.cost[event].or_zero()) - count,
                    false => *reached + count,
                };
            }
            shown.push(FunctionRow {
                label: item.label(rows),
                cost: cost.to_vec(),
                item,
            });
        }
        rest = others;
        size *= 4;
    }
    FunctionList {
        rows: shown,
        extent,
    }
}
