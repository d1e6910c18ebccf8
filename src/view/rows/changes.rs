//! What differs in the rows of a difference: which sides they are on, and whether anything in them changed.

use super::{RowId, Rows};
use crate::graph::Partition;
use crate::profile::{Count, Presence, Profile, Sides};
use crate::view::figure::{costs_of_place, sides_of_call};
use crate::view::{FigureTable, Inclusive, Item, Selection};

impl<'p> Rows<'p> {
    /// The same rows, after a look at their self and inclusive costs for a change.
    pub fn with_cost_changes(
        mut self,
        own: &FigureTable,
        inclusive: &Inclusive<'_>,
        selection: &Selection,
    ) -> Rows<'p> {
        let changes = |row: RowId| {
            let inclusive = inclusive.of_row(row);
            let is_changed = inclusive.is_some_and(|cost| selection.shows(cost.value));
            is_changed || selection.shows(own.get(row.index()).value)
        };
        self.is_changed = self.all().map(changes).collect();
        self
    }

    /// The same rows, after a look at each place, call and inclusive cost of these events for a change.
    pub fn with_changes(mut self, inclusive: &Inclusive<'_>, events: &[usize]) -> Rows<'p> {
        let profile = self.profile;
        let differs = |Sides { new, base }: Sides<&[Count]>| {
            let is_other = |base: &[Count]| {
                let mut events = events.iter();
                events.any(|&event| new[event].or_zero() != base[event].or_zero())
            };
            base.is_some_and(is_other)
        };
        let changes = |row: RowId| {
            let cost = inclusive.of_row(row).map(|cost| cost.value);
            cost.is_some_and(|cost| events.iter().any(|&event| cost[event].or_zero() != 0))
        };
        let mut is_changed: Vec<bool> = self.all().map(changes).collect();
        for (number, &place) in profile.places().iter().enumerate() {
            is_changed[self.of_place(place).index()] |= differs(costs_of_place(profile, number));
        }
        for (number, &call) in profile.calls().iter().enumerate() {
            let (counts, costs) = sides_of_call(profile, number);
            if Some(counts.new) != counts.base || differs(costs) {
                let (caller, callee) = self.of_call(call);
                is_changed[caller.index()] = true;
                is_changed[callee.index()] = true;
            }
        }
        self.is_changed = is_changed;
        self
    }

    /// Whether a row differs in anything, if that is known.
    pub(in crate::view) fn is_changed(&self, item: Item) -> bool {
        match item {
            Item::Row(row) => self.is_changed.get(row.index()) == Some(&true),
            Item::Cycle(_) => false,
        }
    }
}

/// Which sides of a difference each row is on; empty if there is none.
pub(super) fn presence(profile: &Profile, partition: &Partition) -> Vec<Presence> {
    if !profile.is_difference() {
        return Vec::new();
    }
    let mut presence = vec![Presence::default(); partition.len()];
    let mut join = |row: u32, other: Presence| {
        presence[row as usize] = presence[row as usize].or(other);
    };
    for (number, place) in profile.places().iter().enumerate() {
        let row = partition.of_fragment(place.fragment);
        join(row, profile.presence_of_place(number));
    }
    for (number, call) in profile.calls().iter().enumerate() {
        let on = profile.presence_of_call(number);
        join(partition.of_fragment(call.site.fragment), on);
        join(partition.of_function(call.callee), on);
    }
    presence
}
