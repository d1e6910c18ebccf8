//! The lexer of cost lines: bytes in, numbers out, one position or count at a time.
//!
//! Those of nearly all lines are read by `window`, the others by the functions here.

/// The next thing on a line is not what the format has there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// No position where one is due, or one that is no number.
    Position,
    /// A position below 0, or above what is kept of its kind.
    PositionRange,
    /// A count that is no number.
    Count,
    /// A count outside of the 64-bit range. Unlike the others this one is an error, not a warning.
    CountRange,
    /// More counts than there are events.
    TooManyCounts,
}

/// How to get from one position to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whether the last position counts, or the next one is given as it is.
    pub is_relative: bool,
    /// How far, or the position itself, of which the bits count.
    pub by: i64,
}

impl Step {
    /// No step at all.
    pub const NONE: Step = Step {
        is_relative: true,
        by: 0,
    };

    /// Steps that become one are no longer than this, but for the first: seven digits.
    const LONG: u32 = 9_999_999;

    /// How many may become one: so many steps of seven digits lead no farther than 31 bits do.
    pub(super) const MOST: u8 = 200;

    /// How far from the largest position they have to end, for all on the way to be in range.
    pub(super) const SLACK: u32 = Step::MOST as u32 * Step::LONG;

    /// Makes it another step, field by field: what lies between the fields would be copied in pieces that do not fit
    /// what was written, and the processor would wait for each.
    #[inline(always)]
    pub(super) fn set(&mut self, to: Step) {
        self.is_relative = to.is_relative;
        self.by = to.by;
    }

    /// How far it and the next step lead. All on the way is then in range if both ends are, and the last is not within
    /// [`Step::SLACK`] of the largest position: a step goes back only from where it cannot fall below the
    /// begin, or has fallen below it all the way, and none of those behind the first is long.
    #[inline(always)]
    pub(super) fn then(self, next: Step) -> Option<i64> {
        match (self.is_relative, next.is_relative) {
            (false, false) => Some(next.by),
            (true, false) => None,
            (_, true) if next.by.unsigned_abs() > Step::LONG.into() => None,
            (true, true) if self.by < 0 && next.by > 0 => None,
            (true, true) => self.by.checked_add(next.by),
            (false, true) => {
                let by = self.by.cast_unsigned().checked_add_signed(next.by)?;
                Some(by.cast_signed())
            }
        }
    }

    /// The position that the step leads to.
    ///
    /// # Errors
    /// [`Malformed::PositionRange`] below 0 and above the last.
    #[inline(always)]
    pub fn from(self, base: u64) -> Result<u64, Malformed> {
        if self.is_relative {
            base.checked_add_signed(self.by)
                .ok_or(Malformed::PositionRange)
        } else {
            Ok(self.by.cast_unsigned())
        }
    }
}

/// Reads the parts of cost lines from bytes that end with a newline.
#[derive(Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Begins at the first of `bytes`, the last of which is a newline.
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// The next byte; at the end the newline that should stand there.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.peek_at(self.at)
    }

    #[inline(always)]
    fn peek_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    /// How many bytes are read.
    pub fn position(&self) -> usize {
        self.at
    }

    /// The bytes that are not read.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Steps over some bytes.
    #[inline(always)]
    pub(super) fn advance(&mut self, by: usize) {
        self.at += by;
    }

    /// The rest of the line, without its newline or CR LF, which are stepped over.
    #[inline]
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Steps over the end of the line, if nothing but blanks is before it.
    pub fn end_line(&mut self) -> bool {
        self.skip_blanks();
        if self.peek() == b'\r' && self.peek_at(self.at + 1) == b'\n' {
            self.at += 1;
        }
        self.skip(b'\n')
    }

    /// Steps over the next byte if it is this one. A processor that guesses right goes on at once, so this is to
    /// stay a branch: a step of 0 or 1 that is computed made lexing a third slower.
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

    /// One subposition and the blank after it: absolute, `+n`, `-n` or `*` for the last one, each decimal
    /// or hex. Of a range (`n-m`, `n:m`, `n+length`) it is the begin.
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
            b'+' => Step {
                is_relative: true,
                by: signed(self.number().map_err(in_position)?)?,
            },
            b'-' => Step {
                is_relative: true,
                by: -signed(self.number().map_err(in_position)?)?,
            },
            _ => Step {
                is_relative: false,
                by: self.number().map_err(in_position)?.cast_signed(),
            },
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

    /// One count and the blank after it. `None` is a `.`, an event that was not counted here.
    /// From 2^63 to 2^64-1 it is a negative number that its producer wrapped.
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
        if self.end_word() {
            Ok(value)
        } else {
            Err(Malformed::Count)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions against base 100, then counts, of a whole line.
    fn cost(positions: usize, line: &str) -> Result<(Vec<u64>, Vec<Option<i64>>), Malformed> {
        let text = format!("{line}\n");
        let mut cursor = Cursor::new(text.as_bytes());
        let at = (0..positions)
            .map(|_| cursor.step().and_then(|step| step.from(100)))
            .collect::<Result<_, _>>()?;
        let mut counts = Vec::new();
        while !cursor.end_line() {
            counts.push(cursor.count()?);
        }
        assert_eq!(cursor.position(), text.len());
        Ok((at, counts))
    }

    #[test]
    fn cost_lines() {
        type Row<'a> = (usize, &'a str, &'a [u64], &'a [Option<i64>]);
        let table: &[Row<'_>] = &[
            (1, "7 1", &[7], &[Some(1)]),
            (1, "+3 1 2", &[103], &[Some(1), Some(2)]),
            (1, "-3 . 2", &[97], &[None, Some(2)]),
            (1, "* 5 \t", &[100], &[Some(5)]),
            (1, "12", &[12], &[]),
            (1, "12  4\r", &[12], &[Some(4)]),
            (2, "0x4b67af +0x10 20", &[0x4b67af, 116], &[Some(20)]),
            (2, "0x10-0x20 5+3 1", &[0x10, 5], &[Some(1)]),
            (1, "5:9 1", &[5], &[Some(1)]),
            (1, "1 0x1F -0x1f", &[1], &[Some(31), Some(-31)]),
            (1, "0 00000000000000000000000000000000007", &[0], &[Some(7)]),
            (1, "0 18446744073709550655", &[0], &[Some(-961)]),
            (
                1,
                "0 9223372036854775807 9223372036854775808",
                &[0],
                &[Some(i64::MAX), Some(i64::MIN)],
            ),
            (1, "0 -9223372036854775808", &[0], &[Some(i64::MIN)]),
            (1, "18446744073709551615", &[u64::MAX], &[]),
        ];
        for (positions, line, at, counts) in table {
            assert_eq!(
                cost(*positions, line),
                Ok((at.to_vec(), counts.to_vec())),
                "{line}"
            );
        }
    }

    #[test]
    fn malformed_cost_lines() {
        let table = [
            ("x 1", Malformed::Position),
            ("+ 1", Malformed::Position),
            ("1x 1", Malformed::Position),
            ("*1 1", Malformed::Position),
            ("5- 1", Malformed::Position),
            ("-101 1", Malformed::PositionRange),
            ("+18446744073709551615 1", Malformed::PositionRange),
            ("18446744073709551616 1", Malformed::PositionRange),
            ("1 five", Malformed::Count),
            ("1 5x", Malformed::Count),
            ("1 1.5", Malformed::Count),
            ("1 0x", Malformed::Count),
            ("1 --5", Malformed::Count),
            ("1 .5", Malformed::Count),
            ("1 18446744073709551616", Malformed::CountRange),
            ("1 -9223372036854775809", Malformed::CountRange),
            ("1 100000000000000000000000000000", Malformed::CountRange),
        ];
        for (line, malformed) in table {
            assert_eq!(cost(1, line), Err(malformed), "{line}");
        }
    }
}
