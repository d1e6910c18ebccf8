//! The chunks of some files in order, lexed by several threads: some only lex, and the reader's own
//! does whenever the next chunk is not ready. The next files are lexed while one is still read, so
//! that many small files are read as fast as a large one.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::chunk::Chunk;
use super::header::Layout;
use super::input::{CHUNK, ProfileBytes};
use super::name_interner::NameInterner;
use super::warning::ErrorKind;
use super::{Detail, ReadOptions};
use crate::in_order::{InOrder, lock};

/// A thread that only lexes starts after the second chunk, as one is read before another would have
/// started, and another after every this many chunks, up to the maximum.
const CHUNKS_PER_LEXER: usize = if cfg!(fuzzing) { 2 } else { 16 };
const MAX_LEXERS: usize = 8;

/// The files, opened one after the other.
pub(super) type Inputs = Box<dyn Iterator<Item = Result<ProfileBytes, ErrorKind>> + Send>;

/// A piece, as [`InOrder`] calls what comes in order: the next chunk of a file, or its end, perhaps
/// with the error that ends it.
type ChunkOrEnd = Result<Chunk, Result<(), ErrorKind>>;

struct Shared {
    unread: Mutex<Unread>,
    pieces: InOrder<Chunk, ChunkOrEnd>,
    detail: Detail,
    interner: Arc<NameInterner>,
}

/// The rest of the files.
struct Unread {
    inputs: Inputs,
    /// The current file; none before the first and between two.
    input: Option<ProfileBytes>,
    /// The number of files begun.
    files: usize,
    /// The number of the next piece.
    next: usize,
    /// The layout of the next chunk, unless a chunk that is still being lexed changes it.
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
            Ok(false) if input.is_corrupt => Err(ErrorKind::CorruptGzip),
            read => read,
        };
        if !matches!(read, Ok(true)) {
            self.input = None;
        }
        Some(read)
    }
}

impl Shared {
    /// Lexes the next piece, and sets its number; none after the last file.
    fn lex_next(&self, mut chunk: Chunk, number: &mut usize) -> Option<ChunkOrEnd> {
        let mut unread = lock(&self.unread);
        *number = unread.next;
        unread.next += 1;
        let read = unread.read_lines(&mut chunk.bytes)?;
        chunk.len = chunk.bytes.len();
        let (layout, files) = (unread.layout, unread.files);
        drop(unread);
        if let Err(_) | Ok(false) = read {
            self.pieces.recycle(chunk);
            return Some(Err(read.map(drop)));
        }
        chunk.lex(layout, self.detail, &self.interner);
        if chunk.layout_after != layout {
            self.set_layout(files, chunk.layout_after);
        }
        Some(Ok(chunk))
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
    /// The threads that only lex.
    lexers: Vec<JoinHandle<()>>,
    /// The maximum number of these; none until it is needed, as finding the number of cores takes
    /// 18 system calls.
    max_lexers: Option<usize>,
}

impl Chunks {
    /// The chunks of `inputs`, with the names of functions interned by `interner`.
    pub(super) fn new(
        inputs: Inputs,
        options: &ReadOptions,
        interner: Arc<NameInterner>,
    ) -> Chunks {
        let unread = Unread { inputs, input: None, files: 0, next: 0, layout: Layout::default() };
        Chunks {
            shared: Arc::new(Shared {
                unread: Mutex::new(unread),
                pieces: InOrder::new(),
                detail: options.detail,
                interner,
            }),
            next: 0,
            layout: Layout::default(),
            lexers: Vec::new(),
            max_lexers: options.lexers.map(|max| max.min(MAX_LEXERS)),
        }
    }

    /// The next chunk of the current file; `None` at its end. After that, and after an error, the
    /// next file begins.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, ErrorKind> {
        let lexed = Cell::new(None);
        let piece = self.shared.pieces.take(self.next, |chunk, number| {
            let piece = self.shared.lex_next(chunk, number);
            // A short one is mostly the end of a small file.
            let is_short = |chunk: &Chunk| *number < 3 && chunk.len < CHUNK / 2;
            let is_chunk = matches!(&piece, Some(Ok(chunk)) if !is_short(chunk));
            lexed.set(is_chunk.then_some(*number));
            piece
        });
        self.next += 1;
        match piece {
            Ok(mut chunk) => {
                if let Some(number) = lexed.get() {
                    self.start_lexer(number);
                }
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

    /// Starts a thread that lexes, if chunk `number` is worth one more and it can be started.
    fn start_lexer(&mut self, number: usize) {
        let lexers = self.lexers.len();
        if number < 1 + lexers * CHUNKS_PER_LEXER {
            return;
        }
        let cores = || thread::available_parallelism().map_or(1, usize::from);
        let max = || MAX_LEXERS.min(cores() - 1);
        if lexers >= *self.max_lexers.get_or_insert_with(max) {
            return;
        }
        self.shared.pieces.add_thread();
        let shared = Arc::clone(&self.shared);
        let lex_all = move || {
            let lex_next = |chunk, number: &mut usize| shared.lex_next(chunk, number);
            shared.pieces.make_all(lex_next);
        };
        let thread = thread::Builder::new().name("lexer".to_owned());
        self.lexers.extend(thread.spawn(lex_all));
    }

    /// Takes back a chunk, so that its memory is used again.
    pub(super) fn recycle(&self, chunk: Chunk) {
        self.shared.pieces.recycle(chunk);
    }

    /// Joins the other threads after the last file.
    pub(super) fn join(mut self) {
        self.shared.pieces.end();
        self.lexers.drain(..).for_each(|lexer| drop(lexer.join()));
    }
}

impl Drop for Chunks {
    /// Ends the other threads after an error, without waiting for what they read.
    fn drop(&mut self) {
        self.shared.pieces.end();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::profile::ProfileBuilder;

    struct Panicking;

    impl io::Read for Panicking {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("as a thread may")
        }
    }

    fn chunks(input: impl Read + Send + 'static) -> Chunks {
        let (options, inputs) = (ReadOptions::default(), std::iter::once(ProfileBytes::new(input)));
        let interner = NameInterner::new(&mut ProfileBuilder::default(), &options);
        let mut chunks = Chunks::new(Box::new(inputs), &options, interner);
        chunks.max_lexers = Some(3);
        chunks
    }

    /// As a chunk is if another thread began it before the header in the chunk before it was lexed.
    #[test]
    fn a_chunk_that_was_lexed_with_an_earlier_layout_is_lexed_again() {
        let functions = "fn=f\n1 5 7\n".repeat(CHUNK / 4);
        let text = format!("positions: instr line\nevents: Ir\n{functions}");
        let mut chunks = chunks(io::Cursor::new(text));
        let shared = &chunks.shared;
        let earlier = Layout { events: 1, ..Layout::default() };
        shared.pieces.add_thread();
        let begun = Cell::new(0);
        shared.pieces.make_all(|chunk, number| {
            if begun.replace(begun.get() + 1) == 1 {
                // That of a chunk at the end of the file before is not for this file.
                shared.set_layout(0, earlier);
                assert!(lock(&shared.unread).layout != earlier);
                shared.set_layout(1, earlier);
            }
            (begun.get() < 3).then(|| shared.lex_next(chunk, number))?
        });
        let layouts = [(); 2].map(|()| {
            let chunk = chunks.next().ok().flatten().unwrap();
            (chunk.layout_before, chunk.layout_after)
        });
        assert!(layouts[1].0 == layouts[0].1 && layouts[0].1 != earlier);
    }

    #[test]
    fn a_panic_of_any_thread_is_passed_on() {
        for functions in [1_000, CHUNK / 4, 2 * CHUNK] {
            let text = "fn=f\n1 5 7\n".repeat(functions);
            let mut chunks = chunks(io::Cursor::new(text).chain(Panicking));
            let read = || {
                while let Ok(Some(chunk)) = chunks.next() {
                    chunks.recycle(chunk);
                }
            };
            assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
        }
    }

    #[test]
    fn a_small_file_starts_no_thread_and_all_end_after_an_error() {
        for (functions, lexers) in [(CHUNK / 16, 0), (CHUNK, 1)] {
            let mut chunks = chunks(io::Cursor::new("fn=f\n1 5 7\n".repeat(functions)));
            let read = [(); 2].map(|()| chunks.next().is_ok_and(|chunk| chunk.is_some()));
            assert_eq!((read, chunks.lexers.len()), ([true; 2], lexers));
            let shared = Arc::downgrade(&chunks.shared);
            drop(chunks);
            let mut waits = (0..1000).map(|_| thread::sleep(std::time::Duration::from_millis(10)));
            assert!(waits.any(|()| shared.strong_count() == 0));
        }
    }
}
