//! Plain cost lines, as nearly all are: decimal numbers with a single blank between. What reads them gives up on
//! anything else, and the line is then read again.
//!
//! Measured 2026-11-21, the lexer alone on 15 MB of rustc: 23.4 ms when all numbers were read eight bytes at a
//! time, 14.4 ms digit by digit, as most have one or two and the processor guesses well which. Those of two to
//! seven at once and those of one apart, the whole program: cc1plus 12.2 and 11.7 ms, with cache simulation 22.2
//! and 21.3 ms, rustc 13.3 and 12.9 ms.

use super::{Cursor, Step};

/// What of a cost line others may repeat: from which byte on.
pub(in crate::read) struct Same {
    /// All behind it, if that is of the same source line.
    pub(in crate::read) rest: Option<usize>,
    /// The counts, if it does not matter of which source line they are.
    pub(in crate::read) counts: Option<usize>,
}

/// At most eight bytes.
#[derive(Clone, Copy)]
struct ShortText {
    bytes: u64,
    mask: u64,
    length: usize,
}

impl ShortText {
    fn begins_with(&self, byte: u8) -> bool {
        self.bytes.to_le_bytes()[0] == byte
    }
}

/// Lines that say the same of other places.
#[derive(Default)]
pub(in crate::read) struct Repeats {
    /// How many.
    pub(in crate::read) count: u8,
    /// How far they went.
    pub(in crate::read) address: i64,
    pub(in crate::read) line: i64,
}

impl Cursor<'_> {
    /// A subposition with a decimal number and a single blank behind it. Otherwise the cursor is anywhere.
    #[inline(always)]
    pub(in crate::read) fn plain_step(&mut self) -> Option<Step> {
        let (is_relative, by) = match self.peek() {
            b'*' => {
                self.at += 1;
                (true, 0)
            }
            b'+' => {
                self.at += 1;
                (true, self.plain_number()?.cast_signed())
            }
            b'-' => {
                self.at += 1;
                (true, -self.plain_number()?.cast_signed())
            }
            b'0' if self.peek_at(self.at + 1) == b'x' => {
                self.at += 2;
                (false, self.plain_hex()?.cast_signed())
            }
            _ => (false, self.plain_number()?.cast_signed()),
        };
        self.skip(b' ').then_some(Step { is_relative, by })
    }

    /// A hex number of at most sixteen digits.
    #[inline(never)]
    fn plain_hex(&mut self) -> Option<u64> {
        let begin = self.at;
        let mut value = 0;
        loop {
            let byte = self.peek();
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b' ' => break,
                _ => return None,
            };
            value = value << 4 | u64::from(digit);
            self.at += 1;
        }
        (1..=16).contains(&(self.at - begin)).then_some(value)
    }

    /// A decimal number of at most eighteen digits.
    #[inline(always)]
    pub(in crate::read) fn plain_number(&mut self) -> Option<u64> {
        let digit = |cursor: &Self| cursor.peek().wrapping_sub(b'0');
        let first = digit(self);
        if first > 9 {
            return None;
        }
        let mut value = u64::from(first);
        self.at += 1;
        if digit(self) > 9 {
            return Some(value);
        }
        let next = self.bytes.get(self.at - 1..);
        if let Some((length, value)) = next.and_then(|next| few_digits(next.first_chunk()?)) {
            self.at += length - 1;
            return Some(value);
        }
        let last = self.at + 17;
        loop {
            let digit = digit(self);
            if digit > 9 {
                return Some(value);
            }
            if self.at == last {
                return None;
            }
            value = value.wrapping_mul(10).wrapping_add(digit.into());
            self.at += 1;
        }
    }

    /// Steps over lines that repeat the last one. Nine of ten cost lines of rustc do, and seven of cc1plus. Measured
    /// 2026-11-21, the whole program: 20.2 ms without and 16.3 ms with this for 15 MB of rustc, 31.0 and 26.6 ms for 20 MB
    /// of cc1plus. With repeated counts of other source lines 49 MB of python3 went from 60.2 to 55.2 ms.
    #[inline(always)]
    pub(in crate::read) fn repeats(&mut self, same: &Same) -> Repeats {
        let mut all = Repeats::default();
        let rest = same.rest.and_then(|from| self.short_text(from));
        let counts = same.counts.and_then(|from| self.short_text(from));
        loop {
            // A line that is given by its number is where the first one is.
            let is_same = |rest: &ShortText| all.line == 0 || rest.begins_with(b'*');
            if let Some(rest) = rest.filter(is_same) {
                self.repeats_of_line(rest, &mut all);
            }
            let next = counts.and_then(|counts| self.repeats_of_file(counts, &mut all));
            if next.is_none() {
                return all;
            }
        }
    }

    /// Steps over lines with this behind the address.
    #[inline(always)]
    fn repeats_of_line(&mut self, rest: ShortText, all: &mut Repeats) {
        while all.count < 200
            && let Some((step @ 0.., behind)) = self.short_step(self.at)
            && let Some(end) = self.behind(rest, behind)
        {
            all.count += 1;
            all.address += i64::from(step);
            self.at = end;
        }
    }

    /// Steps over one line with these counts, if it is not too far away and [`Step::then`] allows its step.
    #[inline(always)]
    fn repeats_of_file(&mut self, counts: ShortText, all: &mut Repeats) -> Option<()> {
        let (address, behind) = self.short_step(self.at)?;
        let (line, behind) = self.short_step(behind)?;
        let is_back = address < 0 || line > 0 && all.line < 0;
        let is_enough = all.count >= 200;
        self.at = self
            .behind(counts, behind)
            .filter(|_| !is_back && !is_enough)?;
        all.count += 1;
        all.address += i64::from(address);
        all.line += i64::from(line);
        Some(())
    }

    /// What is read from a position on, if it is at most eight bytes.
    #[inline(always)]
    fn short_text(&self, from: usize) -> Option<ShortText> {
        let length = self.at - from;
        let mask = u64::MAX >> (64 - 8 * (1..=8).contains(&length).then_some(length)?);
        let bytes = self.eight(from)? & mask;
        Some(ShortText {
            bytes,
            mask,
            length,
        })
    }

    /// Where a text ends that is here.
    #[inline(always)]
    fn behind(&self, text: ShortText, at: usize) -> Option<usize> {
        (self.eight(at)? & text.mask == text.bytes).then_some(at + text.length)
    }

    #[inline(always)]
    fn eight(&self, at: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..)?.first_chunk()?;
        Some(u64::from_le_bytes(*bytes))
    }

    /// A step of less than a hundred, and where it ends.
    #[inline(always)]
    fn short_step(&self, at: usize) -> Option<(i32, usize)> {
        let [sign, first, second, third] = *self.bytes.get(at..)?.first_chunk()?;
        let digit = |byte: u8| i32::from(byte.wrapping_sub(b'0'));
        if sign == b'*' {
            return (first == b' ').then_some((0, at + 2));
        }
        let (by, behind) = if second == b' ' {
            (digit(first), at + 3)
        } else if third == b' ' && digit(second) <= 9 {
            (digit(first) * 10 + digit(second), at + 4)
        } else {
            return None;
        };
        match sign {
            _ if digit(first) > 9 => None,
            b'+' => Some((by, behind)),
            b'-' => Some((-by, behind)),
            _ => None,
        }
    }
}

/// The number that eight bytes begin with, if it has less than eight digits, and how many it has.
#[inline(always)]
fn few_digits(bytes: &[u8; 8]) -> Option<(usize, u64)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // A digit is now its value, and any other byte, up to the first carry behind it, above 9.
    let digits = u64::from_le_bytes(*bytes) ^ (EACH * 0x30);
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    let length = others.trailing_zeros() / 8;
    if !(1..8).contains(&length) {
        return None;
    }
    // Zeros before it; then two digits become one number, and these with their weights the whole.
    let digits = digits << (64 - 8 * length);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let [first, second] = [pairs, pairs >> 16].map(|pairs| pairs & 0x0000_00ff_0000_00ff);
    let first = first.wrapping_mul(1_000_000 << 32 | 100);
    let second = second.wrapping_mul(10_000 << 32 | 1);
    Some((length as usize, first.wrapping_add(second) >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_of_all_lengths() {
        let mut text = String::new();
        for length in 1..=19 {
            text.clear();
            text.extend((0..length).map(|i| char::from(b'1' + (i % 9) as u8)));
            let value: u64 = text.parse().unwrap();
            for behind in ["\n", " 12345678\n", "\n99999999", "+\n", ".é~é~é"] {
                let line = [&text, behind].concat();
                let mut cursor = Cursor::new(line.as_bytes());
                let number = cursor.plain_number();
                assert_eq!(number, (length <= 18).then_some(value), "{line:?}");
                assert!(number.is_none() || cursor.position() == length);
            }
        }
        assert_eq!(Cursor::new(b"x12345678").plain_number(), None);
    }
}
