//! What each thread spent in which functions.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::profile::{Count, Place, Profile, add_cost};
use crate::view::label::RowId;
use crate::view::rows::Rows;

/// The maximum number of rows of a thread.
const MAX_ROWS: usize = 12;

/// The number of the thread that executed the code of a place.
pub(super) fn thread_of(profile: &Profile, place: Place) -> usize {
    // The first thread has no number.
    profile.fragment(place.fragment).division.executed().unwrap_or(0) as usize
}

/// The largest of these numbers; none if code is not apart by its thread.
pub(super) fn last_thread(profile: &Profile) -> Option<usize> {
    let last = profile.places.iter().map(|&place| thread_of(profile, place)).max();
    last.filter(|&last| last > 0)
}

/// The threads that cost most of an event, by their divisions, the most expensive first; empty if
/// code is not apart by its thread.
pub fn costly_threads(profile: &Profile, event: usize, number: usize) -> Vec<Option<u32>> {
    let Some(last) = last_thread(profile) else { return Vec::new() };
    let mut costs = vec![0i128; last + 1];
    for (place, cost) in profile.costs_of(&profile.sides().new) {
        costs[thread_of(profile, place)] += i128::from(cost[event].or_zero());
    }
    let mut threads: Vec<usize> = (0..costs.len()).collect();
    threads.sort_by_key(|&thread| (Reverse(costs[thread]), thread));
    threads.truncate(number);
    threads.into_iter().map(|thread| (thread > 0).then_some(thread as u32)).collect()
}

/// By thread, in the order in which files have them, the listed rows that cost most of an event
/// themselves there, with all costs there; empty if code is not apart by its thread.
pub fn rows_of_threads(
    rows: &Rows<'_>,
    is_listed: &[bool],
    event: usize,
) -> Vec<Vec<(RowId, Vec<Count>)>> {
    let (profile, events) = (rows.profile, rows.profile.events());
    let Some(last) = last_thread(profile) else { return Vec::new() };
    let mut of_threads: Vec<HashMap<RowId, Vec<Count>>> = vec![HashMap::new(); last + 1];
    for (number, &place) in profile.places.iter().enumerate() {
        let row = rows.of_place(place);
        if is_listed[row.index()] {
            let of_row = of_threads[thread_of(profile, place)].entry(row);
            let sum = of_row.or_insert_with(|| vec![Count::UNDEFINED; events.len()]);
            add_cost(sum, profile.sides().new.costs.table.get(number));
        }
    }
    let largest = |of_thread: HashMap<RowId, Vec<Count>>| {
        let mut all: Vec<(RowId, Vec<Count>)> = of_thread.into_iter().collect();
        all.iter_mut().for_each(|(_, cost)| events.derive(cost));
        all.sort_by(|(a, x), (b, y)| {
            y[event].or_zero().cmp(&x[event].or_zero()).then_with(|| rows.cmp_items(*a, *b))
        });
        all.truncate(MAX_ROWS);
        all
    };
    of_threads.into_iter().map(largest).collect()
}
