//! What a list leaves out: rows that the filter did not choose, and chosen ones that are past its end.

use super::{Cost, Item, Rows};
use crate::profile::{CostTable, Count, Overflow, add_cost};

/// Rows and what they cost themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The number of rows, including cycles, which have no cost in addition to that of their members.
    pub rows: usize,
    /// The sum of their self costs.
    pub cost: Cost,
}

/// What became of all the rows that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// Rows past the end of the list.
    pub more: Share,
    /// If there is a filter: the rows that it chose, listed or not.
    pub chosen: Option<Share>,
    /// The rows that it did not choose.
    pub not_chosen: Share,
    /// Whether the list is one of inclusive costs, so that shares are of something else than its costs.
    pub are_inclusive: bool,
}

impl Share {
    fn new(events: usize) -> Share {
        Share {
            rows: 0,
            cost: vec![Count::UNDEFINED; events],
        }
    }

    fn add(&mut self, item: Item, costs: &CostTable) -> Result<(), Overflow> {
        self.rows += 1;
        match item {
            Item::Row(row) => add_cost(&mut self.cost, costs.get(row.index())),
            Item::Cycle(_) => Ok(()),
        }
    }
}

impl Rest {
    /// Adds up what is not in `listed` of all `items`; `chosen` says which the filter matches.
    pub(super) fn new(
        items: impl Iterator<Item = (Item, bool)>,
        listed: &[Item],
        rows: &Rows<'_>,
        costs: &CostTable,
        are_inclusive: bool,
    ) -> Result<Rest, Overflow> {
        let listed: hashbrown::HashSet<Item> = listed.iter().copied().collect();
        let new = || Share::new(costs.width());
        let (mut more, mut chosen, mut not_chosen) = (new(), new(), new());
        for (item, is_chosen) in items {
            if !is_chosen {
                not_chosen.add(item, costs)?;
                continue;
            }
            chosen.add(item, costs)?;
            if !listed.contains(&item) {
                more.add(item, costs)?;
            }
        }
        Ok(Rest {
            more,
            chosen: rows.is_filtered().then_some(chosen),
            not_chosen,
            are_inclusive,
        })
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.more.rows == 0 && self.not_chosen.rows == 0
    }

    /// Whether there is anything to show.
    pub fn is_worth_a_line(&self) -> bool {
        self.more.rows > 0 || self.chosen.is_some()
    }
}
