//! Renders long output in chunks on several threads; one thread writes them in order.

use std::io::{self, Write};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::in_order::InOrder;

/// The minimum number of bytes for starting threads.
const MIN_BYTES: u64 = 256 << 10;

/// The maximum number of threads that make chunks.
const MAX_THREADS: usize = 4;

/// The number of rows in a chunk, and the estimated size of a row in bytes. A chunk of an eighth of
/// these rows would fit into the buffer of the output, and be copied there.
pub(crate) const ROWS: usize = 256;
const ROW_SIZE: u64 = 128;

/// Writes one chunk for each of `sizes`, which are estimates in bytes. Several threads call `make`
/// with the chunk's number and its buffer; this thread writes the chunks in order, calls `finish`
/// after each, and makes chunks while the next one is not ready. The first error stops all threads.
pub fn write_in_order<T: Send, E: From<io::Error>>(
    sizes: &[u64],
    make: impl Fn(usize, &mut Vec<u8>) -> io::Result<T> + Sync,
    mut finish: impl FnMut(usize, T) -> Result<(), E>,
    out: &mut impl Write,
) -> Result<(), E> {
    let is_long = sizes.iter().sum::<u64>() >= MIN_BYTES;
    // Finding the number of cores takes 18 system calls.
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if is_long { cores().min(MAX_THREADS) } else { 1 };
    let (chunks, next) = (InOrder::new(), AtomicUsize::new(0));
    let make = |mut text: Vec<u8>, number: &mut usize| {
        *number = next.fetch_add(1, Ordering::Relaxed);
        text.clear();
        let made = (*number < sizes.len()).then(|| make(*number, &mut text));
        made.map(|made| (text, made))
    };
    let mut write = |chunk| {
        let (text, made) = chunks.take(chunk, make);
        out.write_all(&text)?;
        chunks.recycle(text);
        finish(chunk, made?)
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            chunks.add_thread();
            let thread = thread::Builder::new().name("chunks".to_owned());
            // Without it, this thread makes all chunks.
            let started = thread.spawn_scoped(scope, || chunks.make_all(make));
            drop(started);
        }
        // After a panic, too, the other threads have to end before this one leaves.
        let written = catch_unwind(AssertUnwindSafe(|| (0..sizes.len()).try_for_each(&mut write)));
        chunks.end();
        written.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Writes rows in order, in chunks of consecutive ones.
pub(crate) fn write_rows(
    rows: usize,
    make: impl Fn(Range<usize>, &mut Vec<u8>) -> io::Result<()> + Sync,
    out: &mut impl Write,
) -> io::Result<()> {
    let make = |chunk: usize, out: &mut Vec<u8>| {
        let first = chunk * ROWS;
        make(first..rows.min(first + ROWS), out)
    };
    write_in_order(&sizes(rows), make, |_, ()| Ok(()), out)
}

/// The estimated sizes in bytes of the chunks of rows.
fn sizes(rows: usize) -> Vec<u64> {
    vec![ROWS as u64 * ROW_SIZE; rows.div_ceil(ROWS)]
}

/// Calls `make` for consecutive row numbers, and returns the results in order.
pub(crate) fn map_rows<T: IntoIterator + Send>(
    rows: usize,
    make: impl Fn(Range<usize>) -> T + Sync,
) -> Vec<T::Item> {
    let mut all = Vec::new();
    let make = |chunk: usize, _: &mut Vec<u8>| {
        let first = chunk * ROWS;
        Ok(make(first..rows.min(first + ROWS)))
    };
    let finish = |_, made| {
        all.extend(made);
        io::Result::Ok(())
    };
    // Nothing is written.
    let _ = write_in_order(&sizes(rows), make, finish, &mut io::sink());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(sizes: &[u64]) -> impl Fn(usize, &mut Vec<u8>) -> io::Result<usize> {
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
            let write = |mut rows: Range<usize>, out: &mut Vec<u8>| {
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
        let fails = |does: bool, kind: io::ErrorKind| {
            if does { Err(io::Error::from(kind)) } else { Ok(()) }
        };
        let make = |chunk, out: &mut Vec<u8>| {
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

    #[test]
    fn a_panic_of_any_thread_is_passed_on() {
        for last in [0, 7, 19] {
            let make = |chunk, _: &mut Vec<u8>| {
                assert_ne!(chunk, last);
                Ok(())
            };
            let finish = |_, ()| io::Result::Ok(());
            let write = || write_in_order(&[1_000_000; 20], make, finish, &mut Disk(0));
            assert!(catch_unwind(write).is_err());
        }
    }
}
