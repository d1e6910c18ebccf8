//! What a list leaves out: rows that the filter did not choose, and chosen ones that are past its end.

use crate::view::figure::{Cost, Figure, FigureTable};
use crate::view::item::Item;
use crate::view::rows::Rows;

/// Rows and what they cost themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The number of rows, including cycles, which have no cost in addition to that of their members.
    pub rows: usize,
    /// The sum of their self costs.
    pub cost: Figure<Cost>,
}

/// What became of all the rows that there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omitted {
    /// Rows past the end of the list.
    pub more: Omission,
    /// If there is a filter: the rows that it chose, listed or not.
    pub chosen: Option<Omission>,
    /// The rows that it did not choose.
    pub not_chosen: Omission,
    /// Of a difference: chosen rows that are left out because nothing of them changed.
    pub unchanged: Option<Omission>,
    /// Whether the list is one of inclusive costs, so that what is omitted is not part of its costs.
    pub are_inclusive: bool,
}

/// Whether a row may be listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is listed if it comes before the end.
    Candidate,
    /// Nothing of it changed.
    Unchanged,
    /// The filter did not choose it.
    NotChosen,
}

impl Omission {
    fn new(costs: &FigureTable) -> Omission {
        Omission {
            rows: 0,
            cost: Figure::undefined(costs.values().width(), costs.is_difference()),
        }
    }

    fn add(&mut self, item: Item, costs: &FigureTable) {
        self.rows += 1;
        match item {
            Item::Row(row) => self.cost.add(costs.get(row.index())),
            Item::Cycle(_) => (),
        }
    }
}

impl Omitted {
    /// Adds up what is not in `listed` of all `items`.
    pub(super) fn new(
        items: impl Iterator<Item = (Item, Fate)>,
        listed: &[Item],
        rows: &Rows<'_>,
        costs: &FigureTable,
        are_inclusive: bool,
    ) -> Omitted {
        let listed: hashbrown::HashSet<Item> = listed.iter().copied().collect();
        let new = || Omission::new(costs);
        let (mut more, mut chosen, mut not_chosen, mut unchanged) = (new(), new(), new(), new());
        for (item, fate) in items {
            if fate == Fate::NotChosen {
                not_chosen.add(item, costs);
                continue;
            }
            chosen.add(item, costs);
            if fate == Fate::Unchanged {
                unchanged.add(item, costs);
            } else if !listed.contains(&item) {
                more.add(item, costs);
            }
        }
        Omitted {
            more,
            chosen: rows.is_filtered().then_some(chosen),
            not_chosen,
            unchanged: costs.is_difference().then_some(unchanged),
            are_inclusive,
        }
    }

    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.more.rows == 0 && self.not_chosen.rows == 0
    }

    /// Whether there is anything to show.
    pub fn is_shown(&self) -> bool {
        let unchanged = self.unchanged.as_ref().map_or(0, |omission| omission.rows);
        self.more.rows > 0 || self.chosen.is_some() || unchanged > 0
    }
}
