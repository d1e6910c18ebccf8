//! A long page in sections: several threads make them, each the next one that nobody has begun, and this one writes them
//! in their order. It makes sections too, while it has none to write.
//!
//! Measured 2026-11-22 on two cores, the whole program to a file, in turn: 115 sources and a page of 50 MB 67.4 ms when two
//! threads made all sections and this one only wrote them, 59.8 ms so; a list of 15 MB 80.3 and 68.0 ms.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

/// Sections of fewer bytes together are not worth other threads.
const WORTH_THREADS: u64 = 256 << 10;

/// How many threads there are at most.
const MOST_THREADS: usize = 4;

/// A section goes from thread to thread in pieces of about this many bytes: more than the buffer of standard output,
/// so that they are not copied once more. Measured 2026-11-21, 115 sources: 51.8 ms with 64 KiB, 48.5 ms with 256 KiB.
const PIECE: usize = 256 << 10;

/// How many pieces may wait to be written, for each thread.
const WAITING: usize = 4;

/// How many sections the writing thread makes before their turn, and how large ones: they wait in memory.
const AHEAD: usize = 2;
const SMALL: u64 = 1 << 20;

/// Makes sections.
pub trait Make: Sync {
    /// What came of a section besides its text.
    type Done: Send;

    /// How large each section is, about, in bytes.
    fn sizes(&self) -> &[u64];

    /// Writes a section. What has to be read for it may go into `buffer`.
    ///
    /// # Errors
    /// Those of `out`.
    fn make(
        &self,
        section: usize,
        buffer: &mut Vec<u8>,
        out: &mut Text<'_>,
    ) -> io::Result<Self::Done>;
}

/// The thread that writes.
const WRITER: usize = 0;

/// What all threads work on.
pub struct Work<M> {
    /// Makes each section.
    pub maker: M,
    /// Which threads make the sections that are begun.
    begun: Mutex<Vec<usize>>,
    /// Texts that were written, whose memory may be used again.
    spare: Mutex<Vec<Vec<u8>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // If another thread panicked, so does this one in the end.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Make> Work<M> {
    /// Nothing is begun yet.
    pub fn new(maker: M) -> Work<M> {
        Work {
            maker,
            begun: Mutex::default(),
            spare: Mutex::default(),
        }
    }

    /// Room for text.
    fn room(&self) -> Vec<u8> {
        let spare = lock(&self.spare).pop();
        spare.unwrap_or_else(|| Vec::with_capacity(PIECE))
    }

    /// Writes text, whose memory may then be used again.
    fn write(&self, mut text: Vec<u8>, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&text)?;
        text.clear();
        lock(&self.spare).push(text);
        Ok(())
    }

    /// The next section, if there is one that `fits`, is now begun by a thread.
    fn begin(&self, thread: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
        let mut begun = lock(&self.begun);
        let next = begun.len();
        let is_there = next < self.maker.sizes().len() && fits(next);
        is_there.then(|| begun.push(thread)).map(|()| next)
    }

    /// Who makes a section.
    fn thread_of(&self, section: usize) -> Option<usize> {
        lock(&self.begun).get(section).copied()
    }

    /// What other threads do: they make sections, until nobody wants any more.
    fn send_all(&self, thread: usize, pieces: &SyncSender<Piece<M::Done>>) {
        let mut buffer = Vec::new();
        let send = |text: &mut Vec<u8>, done| {
            let text = std::mem::replace(text, self.room());
            let sent = pieces.send(Piece { text, done });
            sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
        };
        let mut give = |text: &mut Vec<u8>| send(text, None);
        let mut text = Text {
            bytes: self.room(),
            give: Some(&mut give),
        };
        while let Some(section) = self.begin(thread, |_| true) {
            let done = self.maker.make(section, &mut buffer, &mut text);
            let sent = done.and_then(|done| send(&mut text.bytes, Some(done)));
            if sent.is_err() {
                return;
            }
        }
    }
}

/// What a thread sends of a section: text, and with the last of it what came of the section.
struct Piece<D> {
    text: Vec<u8>,
    done: Option<D>,
}

/// The sections on the side of the thread that writes them.
pub struct Sections<'w, M: Make> {
    work: &'w Work<M>,
    others: Vec<Receiver<Piece<M::Done>>>,
    /// What was made here before its turn.
    ahead: VecDeque<(Vec<u8>, M::Done)>,
    /// The next section to write.
    next: usize,
    buffer: Vec<u8>,
}

impl<'w, M: Make> Sections<'w, M> {
    /// Begins the other threads, if they are worth it.
    pub fn new<'s>(work: &'w Work<M>, scope: &'s Scope<'s, 'w>) -> Sections<'w, M> {
        let sizes = work.maker.sizes();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(MOST_THREADS).min(sizes.len());
        let is_worth_it = sizes.iter().sum::<u64>() >= WORTH_THREADS;
        let begin = |thread| {
            let (pieces, received) = sync_channel(WAITING);
            let builder = thread::Builder::new().name("sections".to_owned());
            // One that can't be begun begins no section.
            let _ = builder.spawn_scoped(scope, move || work.send_all(thread, &pieces));
            received
        };
        let others = WRITER + 1..if is_worth_it { threads } else { 0 };
        Sections {
            work,
            others: others.map(begin).collect(),
            ahead: VecDeque::new(),
            next: 0,
            buffer: Vec::new(),
        }
    }

    /// Writes the next section.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_next(&mut self, out: &mut impl Write) -> io::Result<M::Done> {
        let section = self.next;
        self.next += 1;
        loop {
            match self.work.thread_of(section) {
                None => {
                    let is_next = |begun| begun == section;
                    if self.work.begin(WRITER, is_next).is_some() {
                        let mut give = |text: &mut Vec<u8>| {
                            out.write_all(text)?;
                            text.clear();
                            Ok(())
                        };
                        let mut text = Text {
                            bytes: self.work.room(),
                            give: Some(&mut give),
                        };
                        let maker = &self.work.maker;
                        let done = maker.make(section, &mut self.buffer, &mut text)?;
                        text.flush()?;
                        lock(&self.work.spare).push(text.bytes);
                        return Ok(done);
                    }
                }
                Some(WRITER) => {
                    // Made ahead, as the others that were begun here are written.
                    if let Some((text, done)) = self.ahead.pop_front() {
                        self.work.write(text, out)?;
                        return Ok(done);
                    }
                }
                Some(other) => return self.write_of(other, out),
            }
        }
    }

    /// Writes the section that another thread is at.
    fn write_of(&mut self, thread: usize, out: &mut impl Write) -> io::Result<M::Done> {
        loop {
            let pieces = &self.others[thread - 1];
            let piece = match pieces.try_recv() {
                Ok(piece) => piece,
                Err(_) if self.make_ahead()? => continue,
                // It ends before its last piece only if it panics, and then so does this one.
                Err(_) => self.others[thread - 1]
                    .recv()
                    .map_err(|_| io::ErrorKind::BrokenPipe)?,
            };
            self.work.write(piece.text, out)?;
            if let Some(done) = piece.done {
                return Ok(done);
            }
        }
    }

    /// Makes the next section that nobody has begun, to be written when its turn comes; false if it is not to be.
    fn make_ahead(&mut self) -> io::Result<bool> {
        let maker = &self.work.maker;
        let has_room = self.ahead.len() < AHEAD;
        let fits = |section: usize| has_room && maker.sizes()[section] <= SMALL;
        let Some(section) = self.work.begin(WRITER, fits) else {
            return Ok(false);
        };
        let mut text = Text {
            bytes: self.work.room(),
            give: None,
        };
        let done = maker.make(section, &mut self.buffer, &mut text)?;
        self.ahead.push_back((text.bytes, done));
        Ok(true)
    }
}

/// What text goes to.
type Give<'t> = dyn FnMut(&mut Vec<u8>) -> io::Result<()> + 't;

/// Text of a section, which is given away whenever there is enough of it.
pub struct Text<'t> {
    bytes: Vec<u8>,
    give: Option<&'t mut Give<'t>>,
}

impl Write for Text<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.bytes.len() + bytes.len() > PIECE {
            self.flush()?;
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.give
            .as_mut()
            .map_or(Ok(()), |give| give(&mut self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sections of some lines each, that take a while.
    struct Lines(Vec<u64>);

    impl Make for Lines {
        type Done = usize;

        fn sizes(&self) -> &[u64] {
            &self.0
        }

        fn make(&self, section: usize, _: &mut Vec<u8>, out: &mut Text<'_>) -> io::Result<usize> {
            for line in 0..self.0[section] / 32 {
                writeln!(out, "section {section:9}, line {line:9}")?;
            }
            Ok(section)
        }
    }

    fn write(work: &Work<Lines>, out: &mut impl Write) -> io::Result<()> {
        thread::scope(|scope| {
            let mut sections = Sections::new(work, scope);
            for section in 0..work.maker.0.len() {
                assert_eq!(sections.write_next(out)?, section);
            }
            Ok(())
        })
    }

    #[test]
    fn sections_keep_their_order() {
        let sizes = (0..50).map(|section| section * 7919 % 10 * 30_000);
        // Too large to be made ahead, nothing at all, and few enough for one thread.
        let large = [SMALL * 4, 32, SMALL * 4, 0, 32, SMALL + 1, 64];
        for sizes in [sizes.collect(), large.to_vec(), vec![64, 32], vec![]] {
            let mut expected = Vec::new();
            let work = Work::new(Lines(sizes));
            for section in 0..work.maker.0.len() {
                let mut text = Text {
                    bytes: Vec::new(),
                    give: None,
                };
                let made = work.maker.make(section, &mut Vec::new(), &mut text);
                made.unwrap();
                expected.extend(text.bytes);
            }
            let mut out = Vec::new();
            write(&work, &mut out).unwrap();
            assert!(out == expected);
        }
    }

    #[test]
    fn an_error_ends_all_threads() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 = self
                    .0
                    .checked_sub(bytes.len())
                    .ok_or(io::ErrorKind::StorageFull)?;
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let work = Work::new(Lines(vec![1_000_000; 20]));
        let error = write(&work, &mut Full(3_000_000)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
