//! Pieces that several threads make and one uses in order: the chunks of a file, or those of a
//! report. The result does not depend on which thread made a piece.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The number of buffers for each thread: of pieces being made, waiting for their turn, or being
/// used.
const BUFFERS_PER_THREAD: usize = 2;

/// Pieces by number, and the buffers of type `B` in which they are made.
pub struct InOrder<B, T> {
    queue: Mutex<Queue<B, T>>,
    changed: Condvar,
}

struct Queue<B, T> {
    /// Buffers to use again. A piece needs one, so that no thread runs far ahead of the one that
    /// uses the pieces.
    spare: Vec<B>,
    /// The pieces that are made, by their numbers; or the panic of the thread that made one.
    made: BTreeMap<usize, thread::Result<T>>,
    has_more: bool,
    /// Whether a thread waits for a change: waking none is a system call, too.
    is_awaited: bool,
}

pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of another thread is passed on with its piece.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<B: Default, T> InOrder<B, T> {
    /// No pieces yet, with buffers for one thread.
    pub fn new() -> InOrder<B, T> {
        let new = InOrder {
            queue: Mutex::new(Queue {
                spare: Vec::new(),
                made: BTreeMap::new(),
                has_more: true,
                is_awaited: false,
            }),
            changed: Condvar::new(),
        };
        new.add_thread();
        new
    }

    /// Adds the buffers for one more thread.
    pub fn add_thread(&self) {
        let buffers = (0..BUFFERS_PER_THREAD).map(|_| B::default());
        self.change(|queue| queue.spare.extend(buffers));
    }

    /// Takes back a buffer, so that its memory is used again.
    pub fn recycle(&self, buffer: B) {
        self.change(|queue| queue.spare.push(buffer));
    }

    /// Ends the making of pieces.
    pub fn end(&self) {
        self.change(|queue| queue.has_more = false);
    }

    /// Makes pieces until there are no more, on a thread that does nothing else. `make` gets a
    /// buffer, and sets the number of the piece before it does anything that can panic; it returns
    /// none if there are no more.
    pub fn make_all(&self, make: impl Fn(B, &mut usize) -> Option<T>) {
        let mut queue = lock(&self.queue);
        while queue.has_more {
            // No deadlock: the next piece to be used is with the thread that makes it.
            queue = match queue.spare.pop() {
                Some(buffer) => self.make(queue, buffer, &make),
                None => self.wait(queue),
            };
        }
    }

    /// The piece of the next number. While another thread makes it, this one makes later pieces by
    /// `make`.
    ///
    /// # Panics
    /// If the thread that made the piece did.
    pub fn take(&self, number: usize, make: impl Fn(B, &mut usize) -> Option<T>) -> T {
        let mut queue = lock(&self.queue);
        loop {
            if let Some(piece) = queue.made.remove(&number) {
                return piece.unwrap_or_else(|panic| resume_unwind(panic));
            }
            queue = match queue.spare.pop().filter(|_| queue.has_more) {
                Some(buffer) => self.make(queue, buffer, &make),
                None => self.wait(queue),
            };
        }
    }

    fn make<'q>(
        &'q self,
        queue: MutexGuard<'q, Queue<B, T>>,
        buffer: B,
        make: &impl Fn(B, &mut usize) -> Option<T>,
    ) -> MutexGuard<'q, Queue<B, T>> {
        drop(queue);
        let mut number = 0;
        let piece = catch_unwind(AssertUnwindSafe(|| make(buffer, &mut number))).transpose();
        self.change(|queue| {
            queue.has_more &= matches!(piece, Some(Ok(_)));
            queue.made.extend(piece.map(|piece| (number, piece)));
        });
        lock(&self.queue)
    }

    fn change(&self, change: impl FnOnce(&mut Queue<B, T>)) {
        let mut queue = lock(&self.queue);
        change(&mut queue);
        let is_awaited = std::mem::take(&mut queue.is_awaited);
        drop(queue);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    fn wait<'q>(&self, mut queue: MutexGuard<'q, Queue<B, T>>) -> MutexGuard<'q, Queue<B, T>> {
        queue.is_awaited = true;
        let woken = self.changed.wait(queue);
        woken.unwrap_or_else(PoisonError::into_inner)
    }
}
