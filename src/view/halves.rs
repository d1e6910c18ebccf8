//! Two halves of a work, each in a thread of its own.

use std::thread;

/// Works on what is before a position of a list, and on what is from there on, at the same time.
pub(super) fn on_both<T: Send>(items: &mut [T], at: usize, work: impl Fn(&mut [T]) + Sync) {
    let (first, second) = items.split_at_mut(at);
    let is_done = thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, || work(second));
        work(first);
        other.is_ok()
    });
    // There may be no other thread.
    if !is_done {
        work(&mut items[at..]);
    }
}

/// Does two things, at the same time if they are `much` work.
pub fn both<A: Send, B>(
    much: bool,
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    let (first_done, second_done) = thread::scope(|scope| {
        let other = much.then(|| thread::Builder::new().spawn_scoped(scope, &first));
        let second = second();
        let first = other
            .and_then(Result::ok)
            .and_then(|other| other.join().ok());
        (first, second)
    });
    // There may be no other thread.
    (first_done.unwrap_or_else(first), second_done)
}
