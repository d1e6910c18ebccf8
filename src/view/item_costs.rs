//! The costs of all that may be listed, side by side.

use super::{Item, Rows};
use crate::profile::{Count, Overflow, add_cost};

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
    pub(super) fn of(&self, item: Item) -> &'c [Count] {
        let (costs, number) = match item {
            Item::Row(row) => (self.rows, row.index()),
            Item::Cycle(number) => (self.cycles, number as usize - 1),
        };
        &costs[number * self.width..(number + 1) * self.width]
    }
}

/// The self costs of all rows.
pub(super) struct SelfCosts {
    width: usize,
    counts: Vec<Count>,
    /// Whether a row has anything.
    pub(super) has_cost: Vec<bool>,
}

impl SelfCosts {
    /// Adds the self costs of the profile up by rows.
    pub(super) fn new(rows: &Rows<'_>) -> Result<SelfCosts, Overflow> {
        let profile = rows.profile();
        let width = profile.events.len();
        let mut counts = vec![Count::UNDEFINED; rows.len() * width];
        let mut has_cost = vec![false; rows.len()];
        for ((_, cost), row) in profile.costs.iter().zip(rows.of_costs()) {
            has_cost[row.index()] = true;
            let start = row.index() * width;
            add_cost(&mut counts[start..start + width], cost)?;
        }
        Ok(SelfCosts {
            width,
            counts,
            has_cost,
        })
    }

    /// The same by items.
    pub(super) fn as_items(&self) -> ItemCosts<'_> {
        ItemCosts {
            rows: &self.counts,
            cycles: &[],
            width: self.width,
        }
    }

    /// How many counts a cost has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The self cost of a row.
    pub(super) fn of(&self, row: usize) -> &[Count] {
        &self.counts[row * self.width..(row + 1) * self.width]
    }
}
