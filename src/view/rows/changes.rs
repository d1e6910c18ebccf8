//! What differs in the rows of a difference: which sides they are on, and whether anything in them changed.

use super::{RowId, Rows};
use crate::graph::Partition;
use crate::profile::{Count, Presence, Profile};
use crate::view::figure::FigureTable;
use crate::view::inclusive::Inclusive;
use crate::view::label::Item;
use crate::view::row_by::RowBy;
use crate::view::selection::Selection;
use crate::view::sums::{Alignments, SumsBuilder};

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

    /// The same rows, after a look at their lines, calls and inclusive costs for a change in these events.
    pub fn with_changes(
        mut self,
        inclusive: &Inclusive<'_>,
        events: &[usize],
        alignments: &Alignments,
    ) -> Rows<'p> {
        let mut is_changed = self.changes(events, alignments);
        for row in self.all() {
            let cost = inclusive.of_row(row).map(|cost| cost.value);
            let differs = |cost: &[Count]| events.iter().any(|&event| cost[event].or_zero() != 0);
            is_changed[row.index()] |= cost.is_some_and(differs);
        }
        self.is_changed = is_changed;
        self
    }

    /// Whether both sides have the same costs and calls, line by line.
    pub fn are_identical(&self) -> bool {
        let events: Vec<usize> = (0..self.profile.events().len()).collect();
        !self
            .changes(&events, &Alignments::default())
            .contains(&true)
    }

    /// By row, whether the cost of a line or the calls made there differ in these events, or the calls of a row to it.
    fn changes(&self, events: &[usize], alignments: &Alignments) -> Vec<bool> {
        let profile = self.profile;
        let placing = |row| alignments.placing(self.file(row));
        let mut lines = SumsBuilder::new(profile);
        for (number, &place) in profile.places().iter().enumerate() {
            let (row, line) = (self.of_place(place), profile.line(place.position));
            let file = profile.fragment(place.fragment).file;
            for (key, on) in placing(row).of(line, profile.presence_of_place(number)) {
                lines.add_place((row, file, key), number, on);
            }
        }
        let has_lines = self.row_by == RowBy::FileFunction;
        let (mut sites, mut calls) = (SumsBuilder::new(profile), SumsBuilder::new(profile));
        for (number, &call) in profile.calls().iter().enumerate() {
            let (caller, callee) = self.of_call(call);
            if self.row_by.is_group() && caller == callee {
                continue;
            }
            let line = profile.line(call.site.position);
            let line = if has_lines { line } else { 0 };
            let on = profile.presence_of_call(number);
            calls.add_call((caller, callee), number, on);
            for (key, on) in placing(caller).of(line, on) {
                sites.add_call((caller, callee, key), number, on);
            }
        }
        let (lines, sites, calls) = (lines.finish(), sites.finish(), calls.finish());
        let lines = lines.changed(events).map(|(row, ..)| row);
        let sites = sites.changed(events).map(|(caller, ..)| caller);
        let calls = calls.changed(events).flat_map(<[RowId; 2]>::from);
        let mut is_changed = vec![false; self.len()];
        let mark = |row: RowId| is_changed[row.index()] = true;
        lines.chain(sites).chain(calls).for_each(mark);
        is_changed
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
pub(super) fn presence(profile: &Profile, partition: &Partition<'_>) -> Vec<Presence> {
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
