//! The chunks of some files in order, lexed by several threads: some that only lex, and the reader's own whenever the next
//! chunk is not ready. The result does not depend on which of them lexed a chunk. The next files are lexed while one is
//! still read, so that many small files are read as fast as a large one.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::chunk::Chunk;
use super::header::Layout;
use super::input::Input;
use super::name_interner::NameInterner;
use super::warning::ErrorKind;
use super::{Detail, ReadOptions};

/// How many chunks there are for each thread: lexed, waiting for their turn, or read.
const CHUNKS_PER_THREAD: usize = 3;

/// How many lexed chunks the other threads together may send without being received.
const MAX_QUEUED: usize = 3;

/// The number of the chunk from which on there is a thread that only lexes: two are read before another would have started.
const FIRST_LEXED_AHEAD: usize = 2;

/// After as many chunks each there is one more, up to this number.
const CHUNKS_PER_LEXER: usize = 16;
const MAX_LEXERS: usize = 8;

/// The files, opened one after the other.
pub(super) type Inputs = Box<dyn Iterator<Item = Result<Input, ErrorKind>> + Send>;

/// A piece of a file, and its number in all files.
struct Lexed {
    number: usize,
    piece: Piece,
}

/// What comes next in a file: a chunk, or the end of the file, which may be why no more of it can be read.
type Piece = Result<Chunk, Result<(), ErrorKind>>;

/// What another thread sends: at last, that it has ended.
type Sent = Result<Lexed, Ended>;

struct Ended {
    by_panic: bool,
}

/// Sends at the end of a thread that it has ended.
struct Running(SyncSender<Sent>);

impl Drop for Running {
    fn drop(&mut self) {
        let by_panic = thread::panicking();
        // Nobody needs to know after the last file.
        self.0.send(Err(Ended { by_panic })).ok();
    }
}

/// What both threads share.
struct Shared {
    unread: Mutex<Unread>,
    /// Chunks that are free to be used again. Whoever lexes needs one, so nobody runs far ahead of the reader.
    spare: Mutex<Vec<Chunk>>,
    is_spare: Condvar,
    detail: Detail,
    interner: Arc<NameInterner>,
}

/// The rest of the files.
struct Unread {
    inputs: Inputs,
    /// The current file; none before the first and between two.
    input: Option<Input>,
    /// How many files were begun.
    files: usize,
    /// The number of the next piece.
    next: usize,
    /// The layout of the next chunk as far as is known: chunks that are still being lexed may change it.
    layout: Layout,
}

impl Unread {
    /// Reads the next lines; false at the end of a file, `None` after the last one.
    fn read_lines(&mut self, lines: &mut Vec<u8>) -> Option<Result<bool, ErrorKind>> {
        let input = match &mut self.input {
            Some(input) => input,
            None => {
                self.files += 1;
                self.layout = Layout::default();
                match self.inputs.next()? {
                    Ok(input) => self.input.insert(input),
                    Err(error) => return Some(Err(error)),
                }
            }
        };
        let read = match input.read_lines(lines) {
            Ok(false) if input.is_corrupt() => Err(ErrorKind::CorruptGzip),
            read => read,
        };
        if !matches!(read, Ok(true)) {
            self.input = None;
        }
        Some(read)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic of the other thread is passed on when it is joined.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Waits for a spare chunk. The chunk that the reader waits for is none: whoever lexes it has it.
    fn wait_for_spare(&self) -> Chunk {
        let mut spare = lock(&self.spare);
        loop {
            match spare.pop() {
                Some(chunk) => return chunk,
                None => {
                    let woken = self.is_spare.wait(spare);
                    spare = woken.unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn add_spare(&self, chunks: impl IntoIterator<Item = Chunk>) {
        lock(&self.spare).extend(chunks);
        self.is_spare.notify_all();
    }

    /// Lexes the next chunk; `None` after the last file.
    fn lex_next(&self, mut chunk: Chunk) -> Option<Lexed> {
        let mut unread = lock(&self.unread);
        let Some(read) = unread.read_lines(&mut chunk.bytes) else {
            drop(unread);
            self.add_spare([chunk]);
            return None;
        };
        let (number, layout, files) = (unread.next, unread.layout, unread.files);
        unread.next += 1;
        drop(unread);
        let piece = match read {
            Ok(true) => {
                chunk.lex(layout, self.detail, &self.interner);
                if chunk.layout_after != layout {
                    self.set_layout(files, chunk.layout_after);
                }
                Ok(chunk)
            }
            end => {
                self.add_spare([chunk]);
                Err(end.map(drop))
            }
        };
        Some(Lexed { number, piece })
    }

    /// Sets the layout of the chunks to come, if they are of the same file.
    fn set_layout(&self, files: usize, layout: Layout) {
        let mut unread = lock(&self.unread);
        if unread.files == files {
            unread.layout = layout;
        }
    }
}

/// The chunks of some files in order.
pub(super) struct Chunks {
    shared: Arc<Shared>,
    /// The number of the next piece.
    next: usize,
    /// The layout of the next chunk.
    layout: Layout,
    /// Pieces lexed ahead.
    ready: Vec<Lexed>,
    /// The threads that only lex, how many there may be, and what they send.
    lexers: Vec<JoinHandle<()>>,
    max_lexers: usize,
    /// How many of them run.
    running: usize,
    sender: SyncSender<Sent>,
    lexed: Receiver<Sent>,
}

/// The chunks of one more thread.
fn new_chunks() -> impl Iterator<Item = Chunk> {
    (0..CHUNKS_PER_THREAD).map(|_| Chunk::default())
}

impl Chunks {
    /// The chunks of `inputs`, with the names of functions interned by `interner`.
    pub(super) fn new(
        inputs: Inputs,
        options: &ReadOptions,
        interner: Arc<NameInterner>,
    ) -> Chunks {
        let unread = Unread {
            inputs,
            input: None,
            files: 0,
            next: 0,
            layout: Layout::default(),
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let (sender, lexed) = sync_channel(MAX_QUEUED);
        Chunks {
            max_lexers: options.lexers.unwrap_or(cores - 1).min(MAX_LEXERS),
            sender,
            lexed,
            lexers: Vec::new(),
            running: 0,
            shared: Arc::new(Shared {
                unread: Mutex::new(unread),
                spare: Mutex::new(new_chunks().collect()),
                is_spare: Condvar::new(),
                detail: options.detail,
                interner,
            }),
            next: 0,
            layout: Layout::default(),
            ready: Vec::new(),
        }
    }

    /// The next chunk of the current file; `None` at its end. After that, and after an error, the next file begins.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, ErrorKind> {
        let piece = self.next_lexed().map_or(Err(Ok(())), |lexed| lexed.piece);
        self.next += 1;
        match piece {
            Ok(mut chunk) => {
                if chunk.layout_before != self.layout {
                    chunk.lex(self.layout, self.shared.detail, &self.shared.interner);
                }
                self.layout = chunk.layout_after;
                Ok(Some(chunk))
            }
            Err(end) => {
                self.layout = Layout::default();
                end.map(|()| None)
            }
        }
    }

    /// The next piece, perhaps lexed with an earlier layout; none after the last one, or if a thread has ended by a panic.
    fn next_lexed(&mut self) -> Option<Lexed> {
        loop {
            let mut ready = self.ready.iter();
            if let Some(at) = ready.position(|lexed| lexed.number == self.next) {
                return Some(self.ready.swap_remove(at));
            }
            // Takes all at once: the other threads, which wait when their queue is full, then have room for several.
            let before = self.ready.len();
            while let Ok(sent) = self.lexed.try_recv() {
                self.receive(sent);
            }
            if self.ready.len() > before {
                continue;
            }
            let spare = lock(&self.shared.spare).pop();
            if let Some(chunk) = spare
                && let Some(lexed) = self.shared.lex_next(chunk)
            {
                if lexed.piece.is_ok() {
                    self.start_lexer(lexed.number);
                }
                self.ready.push(lexed);
                continue;
            }
            if self.running == 0 {
                return None;
            }
            let sent = self.lexed.recv().ok()?;
            self.receive(sent);
        }
    }

    fn receive(&mut self, sent: Sent) {
        match sent {
            Ok(lexed) => self.ready.push(lexed),
            Err(Ended { by_panic: false }) => self.running -= 1,
            // The chunk that it was lexing will not come.
            Err(Ended { by_panic: true }) => self.join(),
        }
    }

    /// Starts a thread that lexes, if this number of chunks is worth one more and it is possible.
    fn start_lexer(&mut self, number: usize) {
        let lexers = self.lexers.len();
        if lexers >= self.max_lexers || number < FIRST_LEXED_AHEAD + lexers * CHUNKS_PER_LEXER {
            return;
        }
        let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
        let lex = move || {
            let running = Running(sender);
            while let Some(lexed) = shared.lex_next(shared.wait_for_spare()) {
                if running.0.send(Ok(lexed)).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("lexer".to_owned()).spawn(lex);
        self.lexers.extend(thread.ok());
        if self.lexers.len() > lexers {
            self.running += 1;
            self.shared.add_spare(new_chunks());
        }
    }

    /// Takes back a chunk, so that its memory is used again.
    pub(super) fn recycle(&self, chunk: Chunk) {
        self.shared.add_spare([chunk]);
    }

    /// Joins the other threads after the last file, and goes on with the panic of one.
    pub(super) fn join(&mut self) {
        // They can send nothing any more, and end.
        self.lexed = sync_channel(0).1;
        self.shared
            .add_spare(self.lexers.iter().map(|_| Chunk::default()));
        for lexer in self.lexers.drain(..) {
            if let Err(panic) = lexer.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;
    use crate::profile::ProfileBuilder;
    use crate::read::read_from;

    /// Panics after some chunks.
    struct Panicking(usize);

    impl io::Read for Panicking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 -= 1;
            buffer.fill(b'\n');
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_panic_of_any_thread_is_passed_on() {
        for chunks in [1, 5, 50] {
            let read = || {
                let input = io::Cursor::new(b"events: Ir\n").chain(Panicking(chunks));
                let options = ReadOptions {
                    lexers: Some(3),
                    ..ReadOptions::default()
                };
                let mut profile = ProfileBuilder::default();
                read_from(input, b"file", &options, &mut profile).is_ok()
            };
            assert!(std::panic::catch_unwind(read).is_err());
        }
    }
}
