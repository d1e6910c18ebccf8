//! The lexer of any cost line: bytes in, numbers out, one position or count at a time. `fast_line` reads the usual ones.

/// What is malformed on a cost line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A position is missing or is not a number.
    Position,
    /// A position below 0, or above the largest that is supported.
    PositionRange,
    /// A count that is not a number.
    Count,
    /// A count outside of the 64-bit range. Unlike the others this one is an error, not a warning.
    CountRange,
    /// More counts than there are events.
    TooManyCounts,
}

/// How to get from one position to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To this position.
    To(u64),
    /// By a difference from the last position.
    By(i64),
}

impl Step {
    /// No step: the same position.
    pub const NONE: Step = Step::By(0);

    /// The position that the step leads to from `base`.
    ///
    /// # Errors
    /// [`Malformed::PositionRange`] below 0 and above the largest position.
    #[inline(always)]
    pub fn apply(self, base: u64) -> Result<u64, Malformed> {
        match self {
            Step::To(position) => Ok(position),
            Step::By(by) => base.checked_add_signed(by).ok_or(Malformed::PositionRange),
        }
    }
}

/// The positions that relative ones are relative to.
#[derive(Clone, Copy, Default)]
pub(super) struct LastPosition {
    pub(super) address: u64,
    pub(super) line: u64,
}

/// Reads positions and counts from bytes that end with a newline.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`, the last of which is a newline.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// The next byte; a newline at the end of the bytes.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.peek_at(self.at)
    }

    #[inline(always)]
    fn peek_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    /// The number of bytes read.
    #[inline(always)]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The bytes not read yet.
    #[inline(always)]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Steps over `by` bytes.
    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        self.at += by;
    }

    /// The rest of the line without its newline or CR LF, and steps over both.
    #[inline]
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Steps over the end of the line, if only blanks are before it.
    pub fn end_line(&mut self) -> bool {
        self.skip_blanks();
        if self.peek() == b'\r' && self.peek_at(self.at + 1) == b'\n' {
            self.at += 1;
        }
        self.skip(b'\n')
    }

    /// Steps over the next byte if it is `byte`.
    #[inline(always)]
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.at += 1;
        true
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// One position and the blank after it: absolute, `+n`, `-n`, or `*` for the same again; decimal or hexadecimal.
    /// Of a range (`n-m`, `n:m`, `n+length`) it is the start.
    ///
    /// # Errors
    /// [`Malformed::Position`] and [`Malformed::PositionRange`].
    pub fn step(&mut self) -> Result<Step, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.at += usize::from(matches!(sign, b'*' | b'+' | b'-'));
        let signed = |value: u64| i64::try_from(value).map_err(|_| Malformed::PositionRange);
        let step = match sign {
            b'*' => Step::NONE,
            b'+' => Step::By(signed(self.number().map_err(in_position)?)?),
            b'-' => Step::By(-signed(self.number().map_err(in_position)?)?),
            _ => Step::To(self.number().map_err(in_position)?),
        };
        if matches!(self.peek(), b'-' | b'+' | b':') {
            self.at += 1;
            self.number().map_err(in_position)?;
        }
        if self.end_word() {
            Ok(step)
        } else {
            Err(Malformed::Position)
        }
    }

    /// One count and the blank after it; `None` for a `.`, an event that was not counted here.
    /// A number above 2^63 is a negative one that its producer wrapped.
    ///
    /// # Errors
    /// [`Malformed::Count`] and [`Malformed::CountRange`].
    pub fn count(&mut self) -> Result<Option<i64>, Malformed> {
        self.skip_blanks();
        let sign = self.peek();
        self.at += usize::from(matches!(sign, b'.' | b'-'));
        let value = match sign {
            b'.' => None,
            b'-' => Some(
                0i64.checked_sub_unsigned(self.number()?)
                    .ok_or(Malformed::CountRange)?,
            ),
            _ => Some(self.number()?.cast_signed()),
        };
        match self.end_word() {
            true if value == Some(i64::MIN) => Err(Malformed::CountRange),
            true => Ok(value),
            false => Err(Malformed::Count),
        }
    }

    /// Steps over the blanks after a word; false if the word goes on.
    fn end_word(&mut self) -> bool {
        let is_end = self.peek() <= b' ';
        self.skip_blanks();
        is_end
    }

    /// A decimal or hex number without sign.
    fn number(&mut self) -> Result<u64, Malformed> {
        let is_hex = self.bytes[self.at..].starts_with(b"0x");
        let radix = if is_hex { 16 } else { 10 };
        self.at += if is_hex { 2 } else { 0 };
        let start = self.at;
        let mut value = Some(0u64);
        while let Some(digit) = char::from(self.peek()).to_digit(radix) {
            value = value.and_then(|v| {
                v.checked_mul(u64::from(radix))?
                    .checked_add(u64::from(digit))
            });
            self.at += 1;
        }
        if self.at == start {
            Err(Malformed::Count)
        } else {
            value.ok_or(Malformed::CountRange)
        }
    }
}

fn in_position(number: Malformed) -> Malformed {
    match number {
        Malformed::CountRange => Malformed::PositionRange,
        _ => Malformed::Position,
    }
}
