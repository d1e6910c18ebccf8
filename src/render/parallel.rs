//! Long output in chunks, which several threads make and one writes, in order.

use std::io::{self, Write};
use std::mem;
use std::ops::Range;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// The fewest bytes for which threads are started.
const MIN_BYTES: u64 = 256 << 10;

/// The most threads that make chunks.
const MAX_THREADS: usize = 4;

/// Chunks are sent to the writer in pieces of about this many bytes: more than the buffer of standard output holds,
/// which would copy smaller ones.
const PIECE: usize = 256 << 10;

/// How many chunks may wait for the writer, and how many pieces of each.
const MAX_CHUNKS: usize = 4;
const MAX_PIECES: usize = 4;

/// The rows of a list in one chunk, and the size of a row in bytes that decides on threads.
const ROWS: usize = 512;
const ROW_SIZE: u64 = 128;

/// Writes one chunk for each of `sizes`, which are estimates in bytes. Several threads call `make` with the chunk's
/// number and where to write; this thread writes the chunks in order, and calls `finish`
/// after each. Without threads it makes them too.
/// The first error stops all threads.
pub fn write_in_order<T: Send, E: From<io::Error>>(
    sizes: &[u64],
    make: impl Fn(usize, &mut ChunkWriter<'_>) -> io::Result<T> + Sync,
    mut finish: impl FnMut(usize, T) -> Result<(), E>,
    out: &mut impl Write,
) -> Result<(), E> {
    let shared = Shared {
        count: sizes.len(),
        ..Shared::default()
    };
    thread::scope(|scope| {
        let (started, chunks) = sync_channel(MAX_CHUNKS);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let is_long = sizes.iter().sum::<u64>() >= MIN_BYTES;
        let threads = match is_long && threads > 1 {
            true => threads.min(MAX_THREADS),
            false => 0,
        };
        for _ in 0..threads {
            let (shared, make, started) = (&shared, &make, started.clone());
            let builder = thread::Builder::new().name("chunks".to_owned());
            let _ = builder.spawn_scoped(scope, move || shared.make_chunks(make, &started));
        }
        drop(started);
        for chunk in 0..sizes.len() {
            let done = match chunks.recv() {
                Ok(pieces) => shared.write_pieces(&pieces, out)?,
                // No thread could be started, or none is needed.
                Err(_) => {
                    let mut write = |text: Vec<u8>| shared.write(text, out);
                    let mut writer = ChunkWriter::new(&shared, &mut write);
                    let done = make(chunk, &mut writer)?;
                    writer.flush()?;
                    done
                }
            };
            finish(chunk, done)?;
        }
        Ok(())
    })
}

/// Writes rows in order, in chunks of consecutive ones.
pub(super) fn write_rows(
    rows: usize,
    make: impl Fn(Range<usize>, &mut ChunkWriter<'_>) -> io::Result<()> + Sync,
    out: &mut impl Write,
) -> io::Result<()> {
    let sizes = vec![ROWS as u64 * ROW_SIZE; rows.div_ceil(ROWS)];
    let make = |chunk: usize, out: &mut ChunkWriter<'_>| {
        let first = chunk * ROWS;
        make(first..rows.min(first + ROWS), out)
    };
    write_in_order(&sizes, make, |_, ()| Ok(()), out)
}

/// What a thread sends of a chunk: its text, then what `make` returned.
enum Piece<T> {
    Text(Vec<u8>),
    End(io::Result<T>),
}

#[derive(Default)]
struct Shared {
    /// How many chunks there are, and how many of them are started.
    count: usize,
    started: Mutex<usize>,
    /// The memory of texts that were written.
    spare: Mutex<Vec<Vec<u8>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Makes chunks, each the next that is not started, until there are no more or the writer has stopped.
    fn make_chunks<T>(
        &self,
        make: impl Fn(usize, &mut ChunkWriter<'_>) -> io::Result<T>,
        started: &SyncSender<Receiver<Piece<T>>>,
    ) {
        loop {
            let (sender, pieces) = sync_channel(MAX_PIECES);
            let mut next = lock(&self.started);
            let chunk = *next;
            // Sent while `next` is locked, so that the writer gets the chunks in order.
            if chunk == self.count || started.send(pieces).is_err() {
                return;
            }
            *next += 1;
            drop(next);
            let mut send = |text| {
                let sent = sender.send(Piece::Text(text));
                sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
            };
            let mut writer = ChunkWriter::new(self, &mut send);
            let done = make(chunk, &mut writer);
            let done = done.and_then(|done| writer.flush().map(|()| done));
            if sender.send(Piece::End(done)).is_err() {
                return;
            }
        }
    }

    /// Writes the pieces of a chunk as they arrive.
    fn write_pieces<T>(&self, pieces: &Receiver<Piece<T>>, out: &mut impl Write) -> io::Result<T> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.write(text, out)?,
                Piece::End(done) => return done,
            }
        }
        // Its panic becomes one of this thread.
        Err(io::Error::other("a thread has panicked"))
    }

    fn write(&self, mut text: Vec<u8>, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&text)?;
        text.clear();
        lock(&self.spare).push(text);
        Ok(())
    }
}

/// Where a chunk is written to.
pub struct ChunkWriter<'t> {
    shared: &'t Shared,
    text: Vec<u8>,
    send: &'t mut dyn FnMut(Vec<u8>) -> io::Result<()>,
}

impl<'t> ChunkWriter<'t> {
    fn new(
        shared: &'t Shared,
        send: &'t mut dyn FnMut(Vec<u8>) -> io::Result<()>,
    ) -> ChunkWriter<'t> {
        ChunkWriter {
            shared,
            text: Vec::new(),
            send,
        }
    }
}

impl Write for ChunkWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.text.len() + bytes.len() > self.text.capacity() {
            self.make_room(bytes.len())?;
        }
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.text.is_empty() {
            true => Ok(()),
            false => (self.send)(mem::take(&mut self.text)),
        }
    }
}

impl ChunkWriter<'_> {
    #[cold]
    fn make_room(&mut self, count: usize) -> io::Result<()> {
        self.flush()?;
        self.text = lock(&self.shared.spare).pop().unwrap_or_default();
        self.text.reserve(PIECE.max(count));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(sizes: &[u64]) -> impl Fn(usize, &mut ChunkWriter<'_>) -> io::Result<usize> {
        |chunk, out| {
            for line in 0..sizes[chunk] / 32 {
                writeln!(out, "chunk {chunk:9}, line {line:11}")?;
            }
            Ok(chunk)
        }
    }

    #[test]
    fn chunks_keep_their_order() {
        let many = (0..50).map(|chunk| chunk * 7919 % 10 * 30_000).collect();
        let large = vec![5_000_000, 32, 5_000_000, 0, 32];
        for sizes in [many, large, vec![64, 32], vec![]] {
            let mut expected = String::new();
            for (chunk, size) in sizes.iter().enumerate() {
                for line in 0..size / 32 {
                    expected += &format!("chunk {chunk:9}, line {line:11}\n");
                }
            }
            let (mut out, mut finished) = (Vec::new(), Vec::new());
            let finish = |chunk, made| {
                finished.push((chunk, made));
                io::Result::Ok(())
            };
            write_in_order(&sizes, make(&sizes), finish, &mut out).unwrap();
            assert!(out == expected.as_bytes());
            assert!(finished.into_iter().eq((0..sizes.len()).map(|n| (n, n))));
        }
    }

    #[test]
    fn rows_keep_their_order() {
        for rows in [0, 1, ROWS, ROWS + 1, 2 * ROWS, 9 * ROWS + 5] {
            let write = |mut rows: Range<usize>, out: &mut ChunkWriter<'_>| {
                rows.try_for_each(|row| writeln!(out, "{row}"))
            };
            let mut out = Vec::new();
            write_rows(rows, write, &mut out).unwrap();
            let expected: String = (0..rows).map(|row| format!("{row}\n")).collect();
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{rows} rows");
        }
    }

    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let left = self.0.checked_sub(bytes.len());
            self.0 = left.ok_or(io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_error_stops_all_threads() {
        let fails = |does: bool, kind: io::ErrorKind| match does {
            true => Err(io::Error::from(kind)),
            false => Ok(()),
        };
        let make = |chunk, out: &mut ChunkWriter<'_>| {
            out.write_all(&[b'x'; 50_000])?;
            fails(chunk == 17, io::ErrorKind::InvalidData)
        };
        // With one thread, and with several.
        for size in [1_000, 1_000_000] {
            let error = |disk, last| {
                let finish = |chunk, ()| fails(chunk == last, io::ErrorKind::Other);
                let written = write_in_order(&[size; 20], make, finish, &mut Disk(disk));
                written.unwrap_err().kind()
            };
            assert_eq!(error(200_000, 20), io::ErrorKind::StorageFull);
            assert_eq!(error(2_000_000, 20), io::ErrorKind::InvalidData);
            assert_eq!(error(2_000_000, 5), io::ErrorKind::Other);
        }
    }
}
