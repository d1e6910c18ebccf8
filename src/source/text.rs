//! The lines of a source, from the first one on. A source may be large and little of it shown, so it is read block by
//! block, never all at once.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Take};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// Bytes per skipped line in which newlines are counted at once: fewer than most lines have.
const STEP: usize = 16;

pub struct Text<R = Take<File>> {
    file: BufReader<R>,
    /// How many bytes of the block the last line has, which is shown where it was read.
    taken: usize,
    /// The last line if it is in several blocks.
    line: Vec<u8>,
    /// How many lines are behind.
    lines: u32,
    is_at_end: bool,
    error: Option<io::Error>,
}

impl<R: Read> Text<R> {
    pub(super) fn new(file: R) -> Text<R> {
        Text {
            file: BufReader::with_capacity(BLOCK, file),
            taken: 0,
            line: Vec::new(),
            lines: 0,
            is_at_end: false,
            error: None,
        }
    }

    /// What is read and still to come; of a text that was not read so far its first block.
    pub(super) fn ahead(&mut self) -> io::Result<&[u8]> {
        self.file.fill_buf()
    }

    /// The next line with its newline, if there is one more. The last line gets one if it has none.
    pub fn next_line(&mut self) -> Option<&[u8]> {
        self.pass();
        self.lines += 1;
        if let Some(at) = memchr::memchr(b'\n', self.file.buffer()) {
            self.taken = at + 1;
            return Some(&self.file.buffer()[..=at]);
        }
        self.line.clear();
        if self.error.is_none() {
            self.error = self.file.read_until(b'\n', &mut self.line).err();
        }
        if self.line.is_empty() {
            self.lines -= 1;
            self.is_at_end = true;
            return None;
        }
        if !self.line.ends_with(b"\n") {
            self.line.push(b'\n');
        }
        Some(&self.line)
    }

    /// Lets go of the last line.
    fn pass(&mut self) {
        self.file.consume(std::mem::take(&mut self.taken));
    }

    /// The line of this number, which is none of those before; from 1.
    pub fn line(&mut self, number: u32) -> Option<&[u8]> {
        while self.lines + 1 < number {
            self.pass();
            let left = number - self.lines - 1;
            let block = self.file.fill_buf().unwrap_or_default();
            let step = &block[..block.len().min(left as usize * STEP)];
            let newlines = memchr::memchr_iter(b'\n', step).count() as u32;
            if (1..=left).contains(&newlines) {
                let last = memchr::memrchr(b'\n', step).unwrap_or(0);
                self.file.consume(last + 1);
                self.lines += newlines;
            } else if self.next_line().is_none() {
                return None;
            }
        }
        self.next_line()
    }

    /// How many lines there are, if the end was met.
    pub fn length(&self) -> Option<u32> {
        self.is_at_end.then_some(self.lines)
    }

    /// Why the end came too early, if it did.
    pub fn into_error(self) -> Option<io::Error> {
        self.error
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    /// Gives its bytes out a few at a time, then an error if it has one.
    struct Slow<'a>(&'a [u8], Option<ErrorKind>);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return self.1.map_or(Ok(0), |kind| Err(kind.into()));
            }
            let count = self.0.len().min(3).min(buffer.len());
            self.0.read(&mut buffer[..count])
        }
    }

    #[test]
    fn the_last_line_may_have_no_newline() {
        let lines = |bytes| {
            let mut text = Text::new(Slow(bytes, None));
            let lines = std::iter::from_fn(|| text.next_line().map(<[u8]>::to_vec));
            let lines: Vec<_> = lines.collect();
            assert_eq!(text.length(), Some(lines.len() as u32));
            String::from_utf8(lines.join(&b'|')).unwrap()
        };
        assert_eq!(lines(b""), "");
        assert_eq!(lines(b"\n"), "\n");
        assert_eq!(lines(b"one\n\ntwo\n"), "one\n|\n|two\n");
        assert_eq!(lines(b"one\ntwo and more"), "one\n|two and more\n");
    }

    #[test]
    fn lines_are_skipped_as_if_they_were_read() {
        let length = |line: usize| if line == 30_000 { 3 * BLOCK } else { line % 90 };
        let line = |number| [vec![b'x'; length(number)], b"\n".to_vec()].concat();
        let all: Vec<Vec<u8>> = (0..50_000).map(line).collect();
        let bytes = all.concat();
        let near = [[1, 3, 49, 96], [101, 30_001, 30_003, 30_005]];
        let far = [
            [29_991, 30_012, 40_013, 49_014],
            [2, 70_003, 70_005, 70_007],
        ];
        for numbers in near.into_iter().chain(far) {
            let mut text = Text::new(&bytes[..]);
            for number in numbers {
                let expected = all.get(number as usize - 1).map(Vec::as_slice);
                assert_eq!(text.line(number), expected, "{number}");
            }
            let is_at_end = numbers[3] as usize > all.len();
            assert_eq!(text.length(), is_at_end.then_some(all.len() as u32));
        }
    }

    #[test]
    fn an_error_is_an_early_end() {
        let mut text = Text::new(Slow(b"1\n2\n3", Some(ErrorKind::TimedOut)));
        assert_eq!(text.line(3), Some(&b"3\n"[..]));
        assert_eq!(text.next_line(), None);
        assert_eq!(text.length(), Some(3));
        let error = text.into_error().map(|error| error.kind());
        assert_eq!(error, Some(ErrorKind::TimedOut));
    }
}
