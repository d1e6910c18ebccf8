//! The two halves of a long list, each in a thread of its own.

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
