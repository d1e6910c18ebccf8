//! The lexer for all forms of cost lines, one position or count at a time. `fast_line` lexes the
//! usual forms.

use thiserror::Error;

/// The reason why a cost line cannot be read.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Malformed {
    /// A position is missing or is not a number.
    #[error("cost line without a position, skipped")]
    Position,
    /// A position below 0, or above the largest that is supported.
    #[error("position out of range, line skipped")]
    PositionRange,
    #[error("invalid count, line skipped")]
    Count,
    /// A count outside of the 64-bit range. Unlike the others this one is an error, not a warning.
    #[error("invalid count, line skipped")]
    CountRange,
    #[error("more counts than events, line skipped")]
    TooManyCounts,
}

/// The kinds of positions that cost lines have, in this order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PositionColumns {
    pub(super) address: bool,
    pub(super) block: bool,
    pub(super) line: bool,
}

impl PositionColumns {
    /// The number of positions on a cost line.
    pub(super) fn count(self) -> usize {
        let kinds = [self.address, self.block, self.line];
        kinds.into_iter().filter(|&is_given| is_given).count()
    }
}

/// The positions that relative ones are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LinePosition {
    pub(super) address: u64,
    pub(super) line: u64,
}

/// The largest line, and the largest number in the position of a line, absolute or relative.
pub(super) const LAST_LINE: u64 = u32::MAX as u64;
const LAST_WRITTEN_LINE: u64 = i32::MAX as u64;

/// The positions of basic blocks are not kept. From this one, any relative position is in range.
const ANY_BLOCK: u64 = u64::MAX / 2;

/// Reads positions and counts from bytes that end with a newline.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    pub(super) rest: &'a [u8],
    len: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`, the last of which is a newline.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        let len = bytes.len();
        Cursor { rest: bytes, len }
    }

    /// The next byte; a newline at the end of the bytes.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.peek_at(0)
    }

    #[inline(always)]
    fn peek_at(&self, at: usize) -> u8 {
        self.rest.get(at).copied().unwrap_or(b'\n')
    }

    /// The number of bytes read.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.len - self.rest.len()
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        self.rest = self.rest.get(by..).unwrap_or_default();
    }

    /// Returns the rest of the line without its LF or CR LF, and steps over both.
    #[inline]
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = self.rest;
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.advance(end + 1);
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Steps over the end of the line, if only blanks precede it.
    pub fn end_line(&mut self) -> bool {
        self.skip_blanks();
        if self.peek() == b'\r' && self.peek_at(1) == b'\n' {
            self.advance(1);
        }
        self.skip(b'\n')
    }

    /// Steps over the next byte if it is `byte`.
    #[inline(always)]
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.advance(1);
        true
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.advance(1);
        }
    }

    /// Reads the position of a cost line, relative to `last`; kinds that are not `given` are
    /// unchanged. None if one is out of range.
    ///
    /// # Errors
    /// [`Malformed::Position`] if a position is missing or is not a number.
    pub(super) fn line_position(
        &mut self,
        given: PositionColumns,
        last: LinePosition,
    ) -> Result<Option<LinePosition>, Malformed> {
        let mut from = |is_given: bool, last: u64, most: u64| {
            if is_given { self.position_from(last, most) } else { Ok(Some(last)) }
        };
        let address = from(given.address, last.address, u64::MAX)?;
        let block = from(given.block, ANY_BLOCK, u64::MAX)?;
        let line = from(given.line, last.line, LAST_WRITTEN_LINE)?;
        let line = line.filter(|&line| line <= LAST_LINE);
        let place = address.zip(line).map(|(address, line)| LinePosition { address, line });
        Ok(block.and(place))
    }

    /// Reads one position and the blank after it: absolute, `+n`, `-n`, or `*` for the last one;
    /// decimal or hexadecimal. Of a range (`n-m`, `n:m`, `n+length`) it is the start. None if it is
    /// out of range, or its number is above `most`.
    fn position_from(&mut self, last: u64, most: u64) -> Result<Option<u64>, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.advance(usize::from(matches!(sign, b'*' | b'+' | b'-')));
        let number = match sign {
            b'*' => Ok(0),
            _ => self.number(),
        };
        let position = match number {
            Ok(number) if number > most => None,
            Ok(number) if sign == b'-' => last.checked_sub(number),
            Ok(number) if matches!(sign, b'*' | b'+') => last.checked_add(number),
            Ok(number) => Some(number),
            Err(Malformed::CountRange) => None,
            Err(_) => return Err(Malformed::Position),
        };
        if matches!(self.peek(), b'-' | b'+' | b':') {
            self.advance(1);
            if let Err(Malformed::Count) = self.number() {
                return Err(Malformed::Position);
            }
        }
        if self.end_word() { Ok(position) } else { Err(Malformed::Position) }
    }

    /// Reads one count and the blank after it; `None` for a `.`, an event that was not counted
    /// here. A number above 2^63 is a negative one that its producer wrapped.
    ///
    /// # Errors
    /// [`Malformed::Count`] if there is no valid number, [`Malformed::CountRange`] if it does not
    /// fit into 64 bits.
    pub fn count(&mut self) -> Result<Option<i64>, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.advance(usize::from(matches!(sign, b'.' | b'-')));
        let value = match sign {
            b'.' => None,
            b'-' => Some(0i64.checked_sub_unsigned(self.number()?).ok_or(Malformed::CountRange)?),
            _ => Some(self.number()?.cast_signed()),
        };
        if !self.end_word() {
            return Err(Malformed::Count);
        }
        if value == Some(i64::MIN) { Err(Malformed::CountRange) } else { Ok(value) }
    }

    /// Steps over the blanks after a word; false if the word goes on.
    fn end_word(&mut self) -> bool {
        let is_end = self.peek() <= b' ';
        self.skip_blanks();
        is_end
    }

    /// Reads a decimal or hexadecimal number without a sign.
    fn number(&mut self) -> Result<u64, Malformed> {
        let is_hex = self.rest.starts_with(b"0x");
        let radix = if is_hex { 16 } else { 10 };
        self.advance(if is_hex { 2 } else { 0 });
        let start = self.position();
        let mut value = Some(0u64);
        while let Some(digit) = char::from(self.peek()).to_digit(radix) {
            value =
                value.and_then(|v| v.checked_mul(u64::from(radix))?.checked_add(u64::from(digit)));
            self.advance(1);
        }
        if self.position() == start {
            Err(Malformed::Count)
        } else {
            value.ok_or(Malformed::CountRange)
        }
    }
}
