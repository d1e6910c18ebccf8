//! Work on two threads, for what takes long with hundreds of thousands of rows.
//!
//! With rayon in their place (`join`, `par_sort_unstable_by`), sorting 5,000 to 130,000 rows on two
//! cores took 1.2 to 1.4 times the processor time and 1.0 to 1.5 times as long; two functions side
//! by side began 12 to 50 microseconds earlier. Six crates more are not worth that. Pieces that are
//! [in order](crate::in_order) have a bounded number of buffers, which rayon's iterators do not.

use std::cmp::Ordering;
use std::panic::resume_unwind;
use std::thread::{self, Builder};

/// The minimum number of elements that are worth a thread.
const MIN_ELEMENTS: usize = 4096;

/// The results of two functions of this many elements. Another thread calls the first, if it is
/// worth one and one can be started.
pub fn beside<A: Send, B>(
    elements: usize,
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if elements < MIN_ELEMENTS {
        return (first(), second());
    }
    thread::scope(|scope| {
        let started = Builder::new().spawn_scoped(scope, &first);
        let second = second();
        let first = match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => first(),
        };
        (first, second)
    })
}

/// Sorts by a total order, or by one in which the order of equal elements does not matter.
pub(crate) fn sort_by<T: Send>(
    elements: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering + Copy + Send,
) {
    let middle = elements.len() / 2;
    if elements.len() < MIN_ELEMENTS {
        return elements.sort_unstable_by(compare);
    }
    let (smaller, _, larger) = elements.select_nth_unstable_by(middle, compare);
    let is_sorted = thread::scope(|scope| {
        let sort = move || larger.sort_unstable_by(compare);
        let started = Builder::new().spawn_scoped(scope, sort);
        smaller.sort_unstable_by(compare);
        started.is_ok()
    });
    if !is_sorted {
        elements[middle..].sort_unstable_by(compare);
    }
}
