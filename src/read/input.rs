//! Where the bytes come from: a file or standard input, plain or gzip, in chunks of whole lines.
//! The buffer has a fixed size, whatever the size of the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::warning::Cause;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// A line longer than this is none of the format's: the longest names of real programs, C++ template
/// instances with their whole calling context, have some ten thousand bytes.
const LONGEST_LINE: usize = 1 << 20;

/// Opens a profile. `-` is standard input; gzip is known by its first bytes.
/// Bytes that are read, as they come, add to `count`.
pub(super) fn open(path: &Path, count: &Arc<AtomicU64>) -> Result<Input, Cause> {
    let count = Arc::clone(count);
    if path == Path::new("-") {
        let input = io::stdin();
        return Input::new(Counted { input, count });
    }
    let file = File::open(path).map_err(Cause::Io)?;
    if file.metadata().map_err(Cause::Io)?.is_dir() {
        return Err(Cause::Directory);
    }
    Input::new(Counted { input: file, count })
}

/// Counts what is read, a chunk at a time, for those who wait.
struct Counted<R> {
    input: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.count.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Bytes to read, by whole lines.
pub(super) struct Input {
    bytes: Box<dyn Read + Send>,
    /// What was read of the next line.
    rest: Vec<u8>,
    is_gzip: bool,
    /// Whether there were any lines yet.
    has_given: bool,
    /// Whether the packed data broke off, or something else follows it.
    is_broken: bool,
}

impl Input {
    pub(super) fn new(input: impl Read + Send + 'static) -> Result<Input, Cause> {
        // Reads of more than its size pass a `BufReader` by: a plain file is copied once.
        let mut input = BufReader::with_capacity(CHUNK / 4, input);
        let is_gzip = input
            .fill_buf()
            .map_err(Cause::Io)?
            .starts_with(&[0x1f, 0x8b]);
        let bytes: Box<dyn Read + Send> = if is_gzip {
            Box::new(MultiGzDecoder::new(input))
        } else {
            Box::new(input)
        };
        Ok(Input {
            bytes,
            rest: Vec::new(),
            is_gzip,
            has_given: false,
            is_broken: false,
        })
    }

    /// Whether the lines ended because the packed data broke off, or is followed by something else.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Puts the next lines into `lines`, whole and each with its newline; a last one without gets it. False at
    /// the end of the file.
    pub(super) fn read_lines(&mut self, lines: &mut Vec<u8>) -> Result<bool, Cause> {
        let mut filled = self.rest.len();
        lines.resize(lines.len().max(filled), 0);
        lines[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            if filled >= LONGEST_LINE {
                return Err(Cause::LongLine);
            }
            // What was in `lines` before is room too: only what is beyond has to be filled with zeros.
            let room = filled.max(CHUNK / 2) + CHUNK / 2;
            lines.resize(lines.len().max(room), 0);
            let read = match self.bytes.read(&mut lines[filled..room]) {
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // What was unpacked so far is whole lines, and good; of the last one nobody knows.
                Err(error) if self.has_given && is_damage(&error, self.is_gzip) => {
                    self.is_broken = true;
                    lines.clear();
                    return Ok(false);
                }
                Err(error) if is_damage(&error, self.is_gzip) => return Err(Cause::Broken),
                Err(error) => return Err(Cause::Io(error)),
            };
            if read == 0 {
                lines.truncate(filled);
                if filled > 0 {
                    lines.push(b'\n');
                }
                return Ok(filled > 0);
            }
            let begin = filled;
            filled += read;
            if let Some(at) = memchr::memrchr(b'\n', &lines[begin..filled]) {
                let end = begin + at + 1;
                self.rest.extend_from_slice(&lines[end..filled]);
                lines.truncate(end);
                self.has_given = true;
                return Ok(true);
            }
        }
    }
}

/// Whether reading failed because of what is in the packed data.
fn is_damage(error: &io::Error, is_gzip: bool) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    is_gzip && matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces of at most three.
    struct Drip(&'static [u8]);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.0.len().min(buffer.len()).min(3);
            buffer[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    fn lines_of(input: impl Read + Send + 'static) -> Result<Vec<Vec<u8>>, Cause> {
        let mut input = Input {
            bytes: Box::new(input),
            rest: Vec::new(),
            is_gzip: false,
            has_given: false,
            is_broken: false,
        };
        let (mut all, mut lines) = (Vec::new(), Vec::new());
        while input.read_lines(&mut lines)? {
            all.push(lines.clone());
        }
        Ok(all)
    }

    #[test]
    fn pieces_end_with_lines_and_nothing_is_lost() {
        let text = b"a\nbcdefg\n\n\nhi\njklmnop";
        let pieces = lines_of(Drip(text)).unwrap();
        assert!(pieces.iter().all(|piece| piece.ends_with(b"\n")));
        assert_eq!(pieces.concat(), [&text[..], b"\n"].concat());
        assert!(lines_of(Drip(b"")).unwrap().is_empty());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        assert!(matches!(lines_of(io::repeat(b'x')), Err(Cause::LongLine)));
    }
}
