//! The chunks of some files in order, lexed by two threads: one that only lexes, and the reader's own whenever the next
//! chunk is not ready. The result does not depend on which of them lexed a chunk. The next files are lexed while one is
//! still read, so that many small files are read as fast as a large one.

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

/// The files, opened one after the other.
pub(super) type Inputs = Box<dyn Iterator<Item = Result<Input, ErrorKind>> + Send>;

/// A piece of a file, and its number in all files.
struct Lexed {
    number: usize,
    piece: Piece,
}

/// What comes next in a file.
enum Piece {
    Chunk(Chunk),
    /// The end of the file, or why no more of it can be read.
    End(Result<(), ErrorKind>),
}

/// What both threads share.
struct Shared {
    unread: Mutex<Unread>,
    /// Chunks whose memory is free to be used again.
    spare: Mutex<Vec<Chunk>>,
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
    /// Lexes the next chunk; `None` after the last file.
    fn lex_next(&self) -> Option<Lexed> {
        let mut chunk = lock(&self.spare).pop().unwrap_or_default();
        let mut unread = lock(&self.unread);
        let read = unread.read_lines(&mut chunk.bytes)?;
        let (number, layout, files) = (unread.next, unread.layout, unread.files);
        unread.next += 1;
        drop(unread);
        let piece = match read {
            Ok(true) => {
                chunk.lex(layout, self.detail, &self.interner);
                if chunk.layout_after() != layout {
                    self.set_layout(files, chunk.layout_after());
                }
                Piece::Chunk(chunk)
            }
            end => {
                lock(&self.spare).push(chunk);
                Piece::End(end.map(drop))
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
                .is_some_and(|lexed| sender.send(lexed).is_ok())
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

    /// The next chunk of the current file; `None` at its end. After that, and after an error, the next file begins.
    pub(super) fn next(&mut self) -> Result<Option<Chunk>, ErrorKind> {
        let piece = self
            .next_lexed()
            .map_or(Piece::End(Ok(())), |lexed| lexed.piece);
        self.next += 1;
        match piece {
            Piece::Chunk(mut chunk) => {
                if chunk.layout_before() != self.layout {
                    chunk.lex(self.layout, self.shared.detail, &self.shared.interner);
                }
                self.layout = chunk.layout_after();
                Ok(Some(chunk))
            }
            Piece::End(end) => {
                self.layout = Layout::default();
                end.map(|()| None)
            }
        }
    }

    /// The next piece, perhaps lexed with an earlier layout.
    fn next_lexed(&mut self) -> Option<Lexed> {
        loop {
            if let Some(at) = self
                .ready
                .iter()
                .position(|lexed| lexed.number == self.next)
            {
                return Some(self.ready.swap_remove(at));
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
        // Two chunks are read before another thread would have started.
        let is_more = |lexed: &Lexed| lexed.number > 1 && matches!(lexed.piece, Piece::Chunk(_));
        if self.lexer.is_none() && lexed.as_ref().is_some_and(is_more) {
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

    /// Joins the other thread after the last file.
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
        let input = Input::new(Cursor::new(text));
        let mut chunks = Chunks::new(Box::new([input].into_iter()), &options, interner);
        let (mut lines, mut counts, mut number) = (Vec::new(), Vec::new(), 0);
        while let Some(chunk) = chunks.next().unwrap() {
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

    fn cost_lines(files: &[&str]) -> Vec<Vec<String>> {
        let options = ReadOptions::default();
        let interner = NameInterner::new(&mut ProfileBuilder::default(), &options);
        let inputs = files
            .iter()
            .map(|text| Input::new(Cursor::new(text.to_string())));
        let inputs: Vec<_> = inputs.collect();
        let mut chunks = Chunks::new(Box::new(inputs.into_iter()), &options, interner);
        let mut lines_of = |_| {
            let mut lines = Vec::new();
            while let Some(chunk) = chunks.next().unwrap() {
                let all = chunk.lines_from(0).0.iter().map(|line| format!("{line:?}"));
                lines.extend(all.filter(|line| line.starts_with("Cost")));
                chunks.recycle(chunk);
            }
            lines
        };
        files.iter().map(&mut lines_of).collect()
    }

    /// The next file is begun with the layout of none, whatever the file before it ended with.
    #[test]
    fn files_are_lexed_as_if_each_were_alone() {
        let lines = |header: &str, costs: usize| {
            let lines = (0..costs).map(|line| format!("{line} {line} 7\n"));
            format!("{header}\n{}", lines.collect::<String>())
        };
        let large = lines("positions: instr line\nevents: A", 30_000);
        let small = lines("events: A B", 3);
        let other = lines("events: A B", 30_000);
        let files = [&large[..], "", &small, &other, &small, &large];
        let together = cost_lines(&files);
        for (file, lines) in files.iter().zip(&together) {
            assert_eq!(cost_lines(&[file])[0], *lines);
        }
        assert!(together[0].len() > 1000 && together[0] != together[3]);
    }
}
