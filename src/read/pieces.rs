//! The lines of a file in order, made by two threads: one that makes nothing else, and the reader's own
//! whenever the next lines are not there yet. What comes out does not depend on which of them made it.
//!
//! Measured 2026-11-21 with two cores (whole program, --auto=no, medians of one run): 42.7 ms in one thread and
//! 35.4 ms in two for 15 MB of rustc, where one makes all lines and the other reads them. With lines made by
//! whoever has time, and self costs of one source line taken together: 24.4 ms before, 20.2 ms so.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::ReadOptions;
use super::header::Layout;
use super::input::Input;
use super::keeper::Keeper;
use super::lex::Piece;
use super::line::Together;
use super::warning::Cause;

/// How many pieces the other thread may have ready, and how many this one.
const AHEAD: usize = 3;

/// Some lines, and which of the file's pieces they are.
struct Made {
    number: usize,
    piece: Result<Piece, Cause>,
}

/// What both threads work on.
struct Shared {
    source: Mutex<Source>,
    /// Pieces whose memory may be used again.
    spare: Mutex<Vec<Piece>>,
    together: Together,
    keeper: Arc<Keeper>,
}

/// What is left of the file.
struct Source {
    input: Input,
    /// The number of the next piece.
    next: usize,
    is_at_end: bool,
    /// What cost lines have, as far as is known: pieces still being made may change it.
    layout: Layout,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // If the other thread panicked, so does this one in the end.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Makes lines of the next bytes, unless there are none.
    fn make(&self) -> Option<Made> {
        let mut piece = lock(&self.spare).pop().unwrap_or_default();
        let mut source = lock(&self.source);
        if source.is_at_end {
            return None;
        }
        let read = source.input.read_lines(&mut piece.bytes);
        source.is_at_end = !matches!(read, Ok(true));
        let number = source.next;
        source.next += 1;
        let layout = source.layout;
        let failed = match read {
            Ok(true) => None,
            Ok(false) if source.input.is_broken() => Some(Cause::Broken),
            Ok(false) => return None,
            Err(cause) => Some(cause),
        };
        drop(source);
        if let Some(cause) = failed {
            return Some(Made {
                number,
                piece: Err(cause),
            });
        }
        piece.lex(layout, self.together, &self.keeper);
        if piece.end() != layout {
            lock(&self.source).layout = piece.end();
        }
        Some(Made {
            number,
            piece: Ok(piece),
        })
    }
}

/// The lines of a file, piece by piece.
pub(super) struct Pieces {
    shared: Arc<Shared>,
    /// The number of the next piece.
    next: usize,
    /// What cost lines have at its begin.
    layout: Layout,
    /// Pieces that are ready.
    ready: Vec<Made>,
    other: Option<Other>,
}

/// The thread that makes nothing but lines.
struct Other {
    made: Receiver<Made>,
    thread: JoinHandle<()>,
}

impl Other {
    /// Begins, if the machine has another thread.
    fn new(shared: &Arc<Shared>) -> Option<Other> {
        let (to, made) = sync_channel(AHEAD);
        let shared = Arc::clone(shared);
        let make = move || while shared.make().is_some_and(|made| to.send(made).is_ok()) {};
        let thread = thread::Builder::new().name("lexer".to_owned()).spawn(make);
        Some(Other {
            made,
            thread: thread.ok()?,
        })
    }
}

impl Pieces {
    /// The lines of `input`, with the names of functions kept by `keeper`.
    pub(super) fn new(input: Input, options: &ReadOptions, keeper: Arc<Keeper>) -> Pieces {
        let source = Source {
            input,
            next: 0,
            is_at_end: false,
            layout: Layout::default(),
        };
        Pieces {
            shared: Arc::new(Shared {
                source: Mutex::new(source),
                spare: Mutex::default(),
                together: options.detail.together(),
                keeper,
            }),
            next: 0,
            layout: Layout::default(),
            ready: Vec::new(),
            other: None,
        }
    }

    /// The next lines, until there are none.
    pub(super) fn next(&mut self) -> Option<Result<Piece, Cause>> {
        let mut piece = self.take()?;
        self.next += 1;
        if let Ok(piece) = &mut piece {
            if piece.begin() != self.layout {
                piece.lex(self.layout, self.shared.together, &self.shared.keeper);
            }
            self.layout = piece.end();
        }
        Some(piece)
    }

    /// The next lines, as they were made.
    fn take(&mut self) -> Option<Result<Piece, Cause>> {
        loop {
            if let Some(at) = self.ready.iter().position(|made| made.number == self.next) {
                return Some(self.ready.swap_remove(at).piece);
            }
            // All at once: the other thread, which waits when it is far ahead, then goes on for a while.
            let before = self.ready.len();
            if let Some(other) = &self.other {
                self.ready.extend(other.made.try_iter());
            }
            if self.ready.len() == before {
                let made = if before < AHEAD {
                    self.make()?
                } else {
                    self.wait()?
                };
                self.ready.push(made);
            }
        }
    }

    /// Makes lines here and now, or waits for those that the other thread is at.
    fn make(&mut self) -> Option<Made> {
        let made = self.shared.make();
        // A small file is read before another thread has begun.
        if self.other.is_none() && made.as_ref().is_some_and(|made| made.number > 0) {
            self.other = Other::new(&self.shared);
        }
        made.or_else(|| self.wait())
    }

    fn wait(&self) -> Option<Made> {
        self.other.as_ref()?.made.recv().ok()
    }

    /// Gives a piece back, so that its memory is used again.
    pub(super) fn give_back(&self, piece: Piece) {
        lock(&self.shared.spare).push(piece);
    }

    /// Ends the other thread after the last lines.
    pub(super) fn finish(self) {
        if let Some(Err(panic)) = self.other.map(|other| other.thread.join()) {
            std::panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::profile::Profile;

    /// Two pieces at a time are being made, so that what cost lines have changes behind the back of the second.
    #[test]
    fn parts_of_other_layouts_are_read_as_in_one_piece() {
        let mut text = String::new();
        for part in 0..200 {
            text += if part % 3 == 0 {
                "positions: instr line\nevents: A B\n"
            } else {
                "positions: line\nevents: A\n"
            };
            for line in 0..700 {
                text += &format!("{line} {} {}\n", part + line, line % 7);
            }
        }
        let options = ReadOptions::default();
        let keeper = Keeper::new(&mut Profile::default(), &options);
        let mut whole = Piece::default();
        whole.bytes = text.clone().into_bytes();
        whole.lex(Layout::default(), Together::OfLine, &keeper);
        let input = Input::new(Cursor::new(text)).unwrap();
        let mut pieces = Pieces::new(input, &options, keeper);
        let (mut lines, mut counts, mut number) = (Vec::new(), Vec::new(), 0);
        while let Some(piece) = pieces.next() {
            let piece = piece.unwrap();
            let (some_lines, some_counts) = piece.after(0);
            lines.extend(some_lines.iter().map(|line| format!("{line:?}")));
            counts.extend_from_slice(some_counts);
            number += 1;
            pieces.give_back(piece);
        }
        pieces.finish();
        assert!(number > 5);
        let (all_lines, all_counts) = whole.after(0);
        assert_eq!(lines.len(), all_lines.len());
        assert!(counts == all_counts);
        // (Where text stands in its piece differs.)
        let same = all_lines.iter().map(|line| format!("{line:?}")).zip(&lines);
        assert!(
            same.filter(|(a, _)| a.starts_with("Cost"))
                .all(|(a, b)| a == *b)
        );
    }
}
