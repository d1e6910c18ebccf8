//! Where the bytes come from: a file or standard input, plain or gzip, in chunks of whole lines.
//! The buffer has a fixed size, whatever the size of the file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use super::warning::Cause;

/// The size of the buffer. Measured 2026-11-21 on a 49 MB profile: 64 KiB to 1 MiB read at the same
/// speed within 2%; this one stays in the second-level cache.
const CHUNK: usize = 256 << 10;

/// A line longer than this is none of the format's: the longest names of real programs, C++ template
/// instances with their whole calling context, have some ten thousand bytes.
const LONGEST_LINE: usize = 1 << 20;

/// Opens a profile. `-` is standard input; gzip is known by its first bytes.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>, Cause> {
    if path == Path::new("-") {
        return decompress(io::stdin().lock());
    }
    let file = File::open(path).map_err(Cause::Io)?;
    if file.metadata().map_err(Cause::Io)?.is_dir() {
        return Err(Cause::Directory);
    }
    decompress(file)
}

fn decompress(input: impl Read + 'static) -> Result<Box<dyn Read>, Cause> {
    // Reads of more than its size pass a `BufReader` by: a plain file is copied once.
    let mut input = BufReader::with_capacity(CHUNK / 8, input);
    let begin = input.fill_buf().map_err(Cause::Io)?;
    if begin.starts_with(&[0x1f, 0x8b]) {
        Ok(Box::new(MultiGzDecoder::new(input)))
    } else {
        Ok(Box::new(input))
    }
}

/// Hands all of `input` to `each` in pieces that end with a newline. A last line without one gets it.
pub(super) fn chunks<E: From<Cause>>(
    mut input: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = vec![0; CHUNK];
    let mut filled = 0;
    loop {
        if filled == buffer.len() {
            if filled >= LONGEST_LINE {
                return Err(Cause::LongLine.into());
            }
            buffer.resize(2 * filled, 0);
        }
        let read = match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Cause::Io(error).into()),
        };
        let end = memchr::memrchr(b'\n', &buffer[filled..filled + read]).map(|at| filled + at + 1);
        filled += read;
        if let Some(end) = end {
            each(&buffer[..end])?;
            buffer.copy_within(end..filled, 0);
            filled -= end;
        }
    }
    if filled == 0 {
        return Ok(());
    }
    buffer.truncate(filled);
    buffer.push(b'\n');
    each(&buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces of at most three.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.0.len().min(buffer.len()).min(3);
            buffer[..size].copy_from_slice(&self.0[..size]);
            self.0 = &self.0[size..];
            Ok(size)
        }
    }

    #[test]
    fn pieces_end_with_lines_and_nothing_is_lost() {
        let text = b"a\nbcdefg\n\n\nhi\njklmnop";
        let mut got = Vec::new();
        let all: Result<(), Cause> = chunks(Drip(text), |piece| {
            assert_eq!(piece.last(), Some(&b'\n'));
            got.extend_from_slice(piece);
            Ok(())
        });
        all.unwrap();
        assert_eq!(got, [&text[..], b"\n"].concat());
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let endless: Result<(), Cause> = chunks(io::repeat(b'x'), |_| Ok(()));
        assert!(matches!(endless, Err(Cause::LongLine)));
    }
}
