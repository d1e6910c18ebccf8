//! The chunks of a file in order, lexed by two threads: one that only lexes, and the reader's own whenever the next
//! chunk is not ready. The result does not depend on which of them lexed a chunk.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::chunk::Chunk;
use super::header::Layout;
use super::input::Input;
use super::name_interner::NameInterner;
use super::warning::ErrorKind;
use super::{Detail, ReadOptions};

/// How many lexed chunks each of the two threads may have waiting.
const MAX_QUEUED: usize = 3;

/// A lexed chunk and its number in the file.
struct Lexed {
    number: usize,
    chunk: Result<Chunk, ErrorKind>,
}

/// What both threads share.
struct Shared {
    unread: Mutex<Unread>,
    /// Chunks whose memory is free to be used again.
    spare: Mutex<Vec<Chunk>>,
    detail: Detail,
    interner: Arc<NameInterner>,
}

/// The rest of the file.
struct Unread {
    input: Input,
    /// The number of the next chunk.
    next: usize,
    is_at_end: bool,
    /// The layout of the next chunk as far as is known: chunks that are still being lexed may change it.
    layout: Layout,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of the other thread is passed on when it is joined.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Lexes the next chunk; `None` at the end of the file.
    fn lex_next(&self) -> Option<Lexed> {
        let mut chunk = lock(&self.spare).pop().unwrap_or_default();
        let mut unread = lock(&self.unread);
        if unread.is_at_end {
            return None;
        }
        let read = unread.input.read_lines(&mut chunk.bytes);
        unread.is_at_end = !matches!(read, Ok(true));
        let number = unread.next;
        unread.next += 1;
        let layout = unread.layout;
        let error = match read {
            Ok(true) => None,
            Ok(false) if unread.input.is_corrupt() => Some(ErrorKind::CorruptGzip),
            Ok(false) => return None,
            Err(error) => Some(error),
        };
        drop(unread);
        if let Some(error) = error {
            return Some(Lexed {
                number,
                chunk: Err(error),
            });
        }
        chunk.lex(layout, self.detail, &self.interner);
        if chunk.layout_after() != layout {
            lock(&self.unread).layout = chunk.layout_after();
        }
        Some(Lexed {
            number,
            chunk: Ok(chunk),
        })
    }
}

/// The chunks of a file in order.
pub(super) struct Chunks {
    shared: Arc<Shared>,
    /// The number of the next chunk.
    next: usize,
    /// Its layout.
    layout: Layout,
    /// Chunks lexed ahead.
    ready: Vec<Lexed>,
    lexer: Option<LexerThread>,
}

/// The thread that only lexes.
struct LexerThread {
    lexed: Receiver<Lexed>,
    thread: JoinHandle<()>,
}

impl LexerThread {
    /// Starts the thread, if that is possible.
    fn start(shared: &Arc<Shared>) -> Option<LexerThread> {
        let (sender, lexed) = sync_channel(MAX_QUEUED);
        let shared = Arc::clone(shared);
        let lex = move || {
            while shared
                .lex_next()
                .is_some_and(|chunk| sender.send(chunk).is_ok())
            {}
        };
        let thread = thread::Builder::new().name("lexer".to_owned()).spawn(lex);
        Some(LexerThread {
            lexed,
            thread: thread.ok()?,
        })
    }
}

impl Chunks {
    /// The chunks of `input`, with the names of functions interned by `interner`.
    pub(super) fn new(input: Input, options: &ReadOptions, interner: Arc<NameInterner>) -> Chunks {
        let unread = Unread {
            input,
            next: 0,
            is_at_end: false,
            layout: Layout::default(),
        };
        Chunks {
            shared: Arc::new(Shared {
                unread: Mutex::new(unread),
                spare: Mutex::default(),
                detail: options.detail,
                interner,
            }),
            next: 0,
            layout: Layout::default(),
            ready: Vec::new(),
            lexer: None,
        }
    }

    /// The next chunk; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Option<Result<Chunk, ErrorKind>> {
        let mut chunk = self.next_lexed()?;
        self.next += 1;
        if let Ok(chunk) = &mut chunk {
            if chunk.layout_before() != self.layout {
                chunk.lex(self.layout, self.shared.detail, &self.shared.interner);
            }
            self.layout = chunk.layout_after();
        }
        Some(chunk)
    }

    /// The next chunk, perhaps lexed with an earlier layout.
    fn next_lexed(&mut self) -> Option<Result<Chunk, ErrorKind>> {
        loop {
            if let Some(at) = self
                .ready
                .iter()
                .position(|lexed| lexed.number == self.next)
            {
                return Some(self.ready.swap_remove(at).chunk);
            }
            // Takes all at once: the other thread, which waits when its queue is full, then has room for several.
            let before = self.ready.len();
            if let Some(lexer) = &self.lexer {
                self.ready.extend(lexer.lexed.try_iter());
            }
            if self.ready.len() == before {
                let lexed = if before < MAX_QUEUED {
                    self.lex_here()?
                } else {
                    self.wait()?
                };
                self.ready.push(lexed);
            }
        }
    }

    /// Lexes a chunk in this thread, or waits for the other thread if no bytes are left.
    fn lex_here(&mut self) -> Option<Lexed> {
        let lexed = self.shared.lex_next();
        // A file of one chunk is read before another thread would have started.
        if self.lexer.is_none() && lexed.as_ref().is_some_and(|lexed| lexed.number > 0) {
            self.lexer = LexerThread::start(&self.shared);
        }
        lexed.or_else(|| self.wait())
    }

    fn wait(&self) -> Option<Lexed> {
        self.lexer.as_ref()?.lexed.recv().ok()
    }

    /// Takes back a chunk, so that its memory is used again.
    pub(super) fn recycle(&self, chunk: Chunk) {
        lock(&self.shared.spare).push(chunk);
    }

    /// Joins the other thread after the last chunk.
    pub(super) fn finish(self) {
        if let Some(Err(panic)) = self.lexer.map(|lexer| lexer.thread.join()) {
            std::panic::resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::profile::ProfileBuilder;

    /// Two chunks are lexed at a time, so the layout may change after the second one was begun.
    #[test]
    fn parts_of_different_layouts_are_lexed_as_in_one_chunk() {
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
        let interner = NameInterner::new(&mut ProfileBuilder::default(), &options);
        let mut whole = Chunk::default();
        whole.bytes = text.clone().into_bytes();
        whole.lex(Layout::default(), Detail::default(), &interner);
        let input = Input::new(Cursor::new(text)).unwrap();
        let mut chunks = Chunks::new(input, &options, interner);
        let (mut lines, mut counts, mut number) = (Vec::new(), Vec::new(), 0);
        while let Some(chunk) = chunks.next() {
            let chunk = chunk.unwrap();
            let (some_lines, some_counts) = chunk.lines_from(0);
            lines.extend(some_lines.iter().map(|line| format!("{line:?}")));
            counts.extend_from_slice(some_counts);
            number += 1;
            chunks.recycle(chunk);
        }
        chunks.finish();
        assert!(number > 5);
        let (all_lines, all_counts) = whole.lines_from(0);
        assert_eq!(lines.len(), all_lines.len());
        assert!(counts == all_counts);
        // (The ranges of unparsed lines differ from chunk to chunk.)
        let same = all_lines.iter().map(|line| format!("{line:?}")).zip(&lines);
        assert!(
            same.filter(|(a, _)| a.starts_with("Cost"))
                .all(|(a, b)| a == *b)
        );
    }
}
