//! What each thread spent in which functions.

use std::collections::HashMap;

use crate::profile::{Count, Place, add_cost};
use crate::view::label::RowId;
use crate::view::rows::Rows;

/// The maximum number of rows of a thread.
const MAX_ROWS: usize = 12;

/// By thread, in the order in which files have them, the listed rows that cost most of an event
/// themselves there, with all costs there; empty if code is not apart by its thread.
pub fn rows_of_threads(
    rows: &Rows<'_>,
    is_listed: &[bool],
    event: usize,
) -> Vec<Vec<(RowId, Vec<Count>)>> {
    let (profile, events) = (rows.profile, rows.profile.events());
    let thread_of = |place: Place| {
        // The first thread has no number.
        profile.fragment(place.fragment).division.executed().unwrap_or(0) as usize
    };
    let last = profile.places.iter().map(|&place| thread_of(place)).max().unwrap_or(0);
    if last == 0 {
        return Vec::new();
    }
    let mut of_threads: Vec<HashMap<RowId, Vec<Count>>> = vec![HashMap::new(); last + 1];
    for (number, &place) in profile.places.iter().enumerate() {
        let row = rows.of_place(place);
        if is_listed[row.index()] {
            let of_row = of_threads[thread_of(place)].entry(row);
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
