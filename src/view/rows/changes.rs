//! What differs in the rows of a difference: which sides they are on, and whether anything in them changed.

use super::{RowId, Rows};
use crate::graph::Partition;
use crate::profile::{Count, Presence, Profile, Sides};
use crate::source::LineKey;
use crate::view::annotate::{Placing, on_sides};
use crate::view::figure::FigureTable;
use crate::view::figure::{costs_of_place, sides_of_call};
use crate::view::file_sides::Alignments;
use crate::view::inclusive::Inclusive;
use crate::view::item::Item;
use crate::view::row_by::RowBy;
use crate::view::selection::Selection;

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
        let mut is_changed = vec![false; self.len()];
        let placing = |row| Placing::new(profile, alignments.of(self.file(row)));
        let mut changes = Changes::new(events);
        for (number, &place) in profile.places().iter().enumerate() {
            let (row, line) = (self.of_place(place), profile.line(place.position));
            let file = self.paired_file(profile.fragment(place.fragment).file);
            let on = profile.presence_of_place(number);
            let none = Sides {
                new: 0,
                base: Some(0),
            };
            let sides = (none, costs_of_place(profile, number));
            changes.add((row, file.0), placing(row).of(line, on), sides);
        }
        changes.for_each(|(row, _), _| is_changed[row.index()] = true);
        let has_lines = self.row_by == RowBy::FileFunction;
        for (number, &call) in profile.calls().iter().enumerate() {
            let (caller, callee) = self.of_call(call);
            if self.row_by.is_group() && caller == callee {
                continue;
            }
            let line = profile.line(call.site.position);
            let line = if has_lines { line } else { 0 };
            let on = profile.presence_of_call(number);
            let sides = sides_of_call(profile, number);
            changes.add((caller, callee.0), placing(caller).of(line, on), sides);
        }
        changes.for_each(|(caller, callee), is_sum| {
            is_changed[caller.index()] = true;
            is_changed[callee as usize] |= is_sum;
        });
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

/// A row, and a file or what the row calls.
type Pair = (RowId, u32);

/// What differs at a line of a pair.
struct Change<'p> {
    at: (Pair, LineKey),
    calls: Sides<i64>,
    costs: Sides<&'p [Count]>,
}

/// What may differ: the same line may be in several places, one on each side.
struct Changes<'e, 'p> {
    events: &'e [usize],
    changes: Vec<Change<'p>>,
}

impl<'e, 'p> Changes<'e, 'p> {
    fn new(events: &'e [usize]) -> Changes<'e, 'p> {
        Changes {
            events,
            changes: Vec::new(),
        }
    }

    fn add(
        &mut self,
        pair: Pair,
        placed: impl Iterator<Item = (LineKey, Presence)>,
        (calls, costs): (Sides<i64>, Sides<&'p [Count]>),
    ) {
        for (key, on) in placed {
            let change = Change {
                at: (pair, key),
                calls: on_sides(calls, on, 0),
                costs: on_sides(costs, on, &[]),
            };
            if self.differ(std::slice::from_ref(&change)) {
                self.changes.push(change);
            }
        }
    }

    /// Calls `found` for each line at which the sums differ, and for each pair if its sums do; then nothing is left.
    fn for_each(&mut self, mut found: impl FnMut(Pair, bool)) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.sort_by_key(|change| change.at);
        for of_pair in changes.chunk_by(|a, b| a.at.0 == b.at.0) {
            let pair = of_pair[0].at.0;
            for of_line in of_pair.chunk_by(|a, b| a.at == b.at) {
                if self.differ(of_line) {
                    found(pair, false);
                }
            }
            if self.differ(of_pair) {
                found(pair, true);
            }
        }
    }

    /// Whether the sums of the sides differ.
    fn differ(&self, changes: &[Change<'_>]) -> bool {
        let delta = |of: &dyn Fn(&Change<'_>) -> Sides<i64>| {
            let deltas = changes.iter().map(|change| {
                let Sides { new, base } = of(change);
                i128::from(new) - i128::from(base.unwrap_or(0))
            });
            deltas.sum::<i128>() != 0
        };
        let count =
            |cost: &[Count], event: usize| cost.get(event).map_or(0, |count| count.or_zero());
        let mut events = self.events.iter();
        let of_event =
            |&event: &usize| delta(&|change| change.costs.map(|cost| count(cost, event)));
        delta(&|change| change.calls) || events.any(of_event)
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
