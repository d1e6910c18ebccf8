//! The threads, processes or parts of a side, if fragments are divided by these. They call nothing
//! of each other, so that each is a profile of its own.

use crate::profile::budget::LimitExceeded;
use crate::profile::division::{Division, FragmentId};
use crate::profile::measured::Measured;
use crate::profile::records::{Call, Jump, Place};
use crate::profile::sides::Sides;
use crate::profile::{Ordered, Profile};

/// The rows of one thread on a side, by their numbers in the profile of all.
#[derive(Default)]
pub struct ThreadRows {
    places: Vec<usize>,
    calls: Vec<usize>,
    jumps: Vec<usize>,
    skipped: Vec<Place>,
}

/// The number of functions of all threads, each of which has those of all, from which on there have
/// to be rows for them.
const MAX_FUNCTIONS: usize = 4_000_000;

/// How many functions there may be for each row.
const FUNCTIONS_PER_ROW: usize = 8;

impl Profile {
    /// The rows of each thread on a side, by its number; empty if there is one thread, or they are
    /// too many to be apart.
    pub fn rows_of_threads(&self, side: &Measured) -> Vec<(Option<u32>, ThreadRows)> {
        let mut threads: Ordered<Option<u32>, ThreadRows> = Ordered::default();
        let thread = |fragment: FragmentId| self.fragment(fragment).division.executed();
        for (row, place) in self.places.iter().enumerate().filter(|&(row, _)| side.costs.has(row)) {
            threads.entry(thread(place.fragment)).or_default().places.push(row);
        }
        for (row, call) in self.calls.iter().enumerate().filter(|&(row, _)| side.calls.has(row)) {
            threads.entry(thread(call.site.fragment)).or_default().calls.push(row);
        }
        for (row, jump) in self.jumps.iter().enumerate() {
            threads.entry(thread(jump.site.fragment)).or_default().jumps.push(row);
        }
        for (place, _) in side.skipped() {
            threads.entry(thread(place.fragment)).or_default().skipped.push(place);
        }
        let functions = threads.len().saturating_mul(self.function_count() + side.parts.len());
        let rows = self.places.len() + self.calls.len();
        let max = rows.saturating_mul(FUNCTIONS_PER_ROW).max(MAX_FUNCTIONS);
        if threads.len() < 2 || functions > max {
            return Vec::new();
        }
        threads.into_iter().collect()
    }
}

/// A profile of one thread after the other, with the names and functions of a profile of all.
pub struct OneThread<'p> {
    all: &'p Profile,
    profile: Profile,
    /// By fragment of all threads that of one.
    fragment_of: Vec<FragmentId>,
}

impl OneThread<'_> {
    pub fn new(all: &Profile) -> Result<OneThread<'_>, LimitExceeded> {
        let mut profile = all.builder_with_names().finish();
        let fragment_of = profile.functions.divide_again(|division| match division.executed() {
            Some(_) => Division::None.of_level(division.is_deeper()),
            None => division,
        })?;
        Ok(OneThread { all, profile, fragment_of })
    }

    /// The profile with these rows of a side.
    pub fn with(&mut self, side: &Measured, rows: &ThreadRows) -> &Profile {
        let (all, profile) = (self.all, &mut self.profile);
        let at =
            |place: Place| Place { fragment: self.fragment_of[place.fragment.index()], ..place };
        let mut measured = Measured::default();
        // All threads have the same parts.
        measured.parts = std::mem::take(&mut profile.sides.new.parts);
        if measured.parts.is_empty() {
            measured.parts.clone_from(&side.parts);
        }
        measured.kept.clone_from(&side.kept);
        measured.has_addresses = side.has_addresses;
        measured.has_lines = side.has_lines;
        measured.widen(profile.events.len());
        for (number, &row) in rows.places.iter().enumerate() {
            measured.costs.add(number, side.costs.table.get(row));
        }
        for (number, &row) in rows.calls.iter().enumerate() {
            measured.add_call(number, side.call_counts[row], side.calls.table.get(row));
        }
        for (number, &row) in rows.jumps.iter().enumerate() {
            measured.jumps.add(number, side.jumps.table.get(row));
        }
        for &place in &rows.skipped {
            measured.add_skipped(at(place), side.skipped_at(place).unwrap_or_default());
        }
        profile.places = rows.places.iter().map(|&row| at(all.places[row])).collect();
        let of_calls = rows.calls.iter().map(|&row| all.calls[row]);
        profile.calls = of_calls.map(|call| Call { site: at(call.site), ..call }).collect();
        let of_jumps = rows.jumps.iter().map(|&row| all.jumps[row]);
        profile.jumps = of_jumps.map(|jump| Jump { site: at(jump.site), ..jump }).collect();
        profile.sides = Sides { new: measured, base: None, earlier: Vec::new() };
        profile.fragment_costs.take();
        profile
    }
}
