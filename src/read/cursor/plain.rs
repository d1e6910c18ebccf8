//! Plain cost lines, as nearly all are: decimal numbers with a single blank between. What reads them gives up on
//! anything else, and the line is then read again.
//!
//! Measured 2026-11-21, the lexer alone on 15 MB of rustc: 23.4 ms when all numbers were read eight bytes at a
//! time, 14.4 ms digit by digit, as most have one or two and the processor guesses well which. Those of two to
//! seven at once and those of one apart, the whole program: cc1plus 12.2 and 11.7 ms, with cache simulation 22.2
//! and 21.3 ms, rustc 13.3 and 12.9 ms.

use super::{Cursor, Step};

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

    /// Steps over lines that are as the last one from its byte `tail` on, and before have an address of one or two
    /// digits after a `+`. Gives back how many, at most 200, and how far the address went. Nine of ten cost lines of
    /// rustc are such, and seven of ten of cc1plus. Measured 2026-11-21, the whole program: 20.2 ms without and
    /// 16.3 ms with this for 15 MB of rustc, 31.0 and 26.6 ms for 20 MB of cc1plus.
    #[inline(always)]
    pub(in crate::read) fn repeats(&mut self, tail: usize) -> (u8, u32) {
        let (mut count, mut by) = (0, 0);
        let length = self.at - tail;
        let eight = |at: usize| {
            let bytes = self.bytes.get(at..)?.first_chunk()?;
            Some(u64::from_le_bytes(*bytes))
        };
        if !(1..=8).contains(&length) {
            return (count, by);
        }
        let mask = u64::MAX >> (64 - 8 * length);
        let Some(last) = eight(tail) else {
            return (count, by);
        };
        let mut at = self.at;
        while count < 200
            && let Some(&[b'+', first, second, third]) =
                self.bytes.get(at..).and_then(|rest| rest.first_chunk())
        {
            let digit = |byte: u8| u32::from(byte.wrapping_sub(b'0'));
            let (step, rest) = if second == b' ' {
                (digit(first), at + 3)
            } else if third == b' ' && digit(second) <= 9 {
                (digit(first) * 10 + digit(second), at + 4)
            } else {
                break;
            };
            if digit(first) > 9 || eight(rest).is_none_or(|line| (line ^ last) & mask != 0) {
                break;
            }
            (count, by, at) = (count + 1, by + step, rest + length);
        }
        self.at = at;
        (count, by)
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
