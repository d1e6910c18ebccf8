//! The lexer of cost lines: bytes in, numbers out, one position or count at a time.

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

    /// Whether all bytes are read.
    #[inline(always)]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The rest of the line, without its newline or CR LF, which are stepped over.
    #[inline]
    pub fn take_line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += end + 1;
        let line = &rest[..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Steps over the end of the line, if nothing but blanks is before it.
    #[inline(always)]
    pub fn end_line(&mut self) -> bool {
        let byte = self.peek();
        if byte == b'\n' {
            self.at += 1;
            return true;
        }
        byte <= b' ' && self.end_line_behind_blanks()
    }

    #[cold]
    fn end_line_behind_blanks(&mut self) -> bool {
        self.skip_blanks();
        if self.peek() == b'\r' && self.peek_at(self.at + 1) == b'\n' {
            self.at += 1;
        }
        let is_end = self.peek() == b'\n';
        self.at += usize::from(is_end);
        is_end
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
    #[inline(always)]
    pub fn step(&mut self) -> Result<Step, Malformed> {
        let sign = self.peek();
        if sign == b'*' && self.peek_at(self.at + 1) == b' ' {
            self.at += 2;
            return Ok(Step::NONE);
        }
        let is_relative = matches!(sign, b'+' | b'-');
        match self.short_number(self.at + usize::from(is_relative)) {
            Some((value, end)) => {
                self.at = end;
                let by = value.cast_signed();
                Ok(Step {
                    is_relative,
                    by: if sign == b'-' { -by } else { by },
                })
            }
            None => self.rare_step(),
        }
    }

    /// Any subposition.
    #[cold]
    fn rare_step(&mut self) -> Result<Step, Malformed> {
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
    #[inline(always)]
    pub fn count(&mut self) -> Result<Option<i64>, Malformed> {
        match self.short_number(self.at) {
            Some((value, end)) => {
                self.at = end;
                Ok(Some(value.cast_signed()))
            }
            None => self.rare_count(),
        }
    }

    /// Any count.
    #[cold]
    fn rare_count(&mut self) -> Result<Option<i64>, Malformed> {
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

    /// The decimal number of one to seven digits that stands at `at` with a single blank or a newline behind
    /// it, and where the next word or the newline begins. Nearly all numbers are like this, so they are
    /// read eight bytes at a time and without a branch for each digit.
    #[inline(always)]
    fn short_number(&self, at: usize) -> Option<(u64, usize)> {
        let word = u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?);
        // Half of all numbers have one digit.
        let digit = (word as u8).wrapping_sub(b'0');
        let after = (word >> 8) as u8;
        if digit <= 9 && (after == b' ' || after == b'\n') {
            return Some((u64::from(digit), at + 1 + usize::from(after == b' ')));
        }
        // A digit becomes its value; then each byte that is above 9 gets its highest bit set. A carry only
        // reaches bytes behind the first of them.
        let digits = word ^ 0x3030_3030_3030_3030;
        let others = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
        let bits = others.trailing_zeros() & !7;
        if !(8..64).contains(&bits) {
            return None;
        }
        let after = (word >> bits) as u8;
        let end = at + bits as usize / 8 + usize::from(after == b' ');
        (after == b' ' || after == b'\n').then(|| (decimal(digits << (64 - bits)), end))
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

/// The number of eight decimal digits, one a byte, the first in the lowest byte: pairs of digits are
/// added up, then pairs of pairs, then both halves.
#[inline(always)]
fn decimal(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let even = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let odd = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    even.wrapping_add(odd) >> 32
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
        assert!(cursor.is_at_end());
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
