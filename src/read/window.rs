//! Plain lines, as nearly all are: decimal numbers with a single blank between. What reads them gives up on
//! anything else, and the line is then read again by the [`Cursor`](super::cursor::Cursor).
//!
//! Measured 2026-11-21, the lexer alone on 15 MB of rustc: 23.4 ms when all numbers were read eight bytes at a
//! time, 14.4 ms digit by digit, as most have one or two and the processor guesses well which. Those of one digit
//! apart and those of two to seven at once, the whole program: cc1plus 12.2 ms before and 11.7 ms so.

mod counts;

use super::cursor::Step;

/// How many bytes are looked at.
pub(super) const WINDOW: usize = 256 + 8;

/// A number of more digits is not plain, so that many of them add up to one of 64 bits.
const DIGITS: usize = 16;

/// The next bytes. Wherever `at` points to there are eight of them, so that nothing has to be checked.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    bytes: &'a [u8; WINDOW],
    at: u8,
}

impl<'a> Window<'a> {
    /// What some bytes begin with, if there are enough of them.
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Option<Window<'a>> {
        let bytes = bytes.first_chunk()?;
        Some(Window { bytes, at: 0 })
    }

    /// All of it.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &'a [u8; WINDOW] {
        self.bytes
    }

    /// How many bytes are read.
    #[inline(always)]
    pub(super) fn position(&self) -> usize {
        self.at.into()
    }

    /// The next byte.
    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        self.bytes[self.position()]
    }

    /// Steps over some bytes.
    #[inline(always)]
    pub(super) fn advance(&mut self, by: u8) {
        self.at = self.at.wrapping_add(by);
    }

    /// Steps over the next byte if it is this one. A processor that guesses right goes on at once, so this is to
    /// stay a branch: a step of 0 or 1 that is computed made lexing a third slower.
    #[inline(always)]
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.advance(1);
        true
    }

    /// A subposition and the blank behind it. Without one the window is anywhere; so below.
    #[inline(always)]
    pub(super) fn step(&mut self) -> Option<Step> {
        if self.peek() == b'0' && self.bytes[self.position() + 1] == b'x' {
            self.advance(2);
            let (by, behind) = self.hex()?;
            *self = behind;
            let by = by.cast_signed();
            let is_relative = false;
            return self.skip(b' ').then_some(Step { is_relative, by });
        }
        self.step_by(Window::number)
    }

    /// A subposition of at most seven digits.
    #[inline(always)]
    pub(super) fn short_step(&mut self) -> Option<Step> {
        self.step_by(Window::short_number)
    }

    #[inline(always)]
    fn step_by(&mut self, number: impl Fn(&mut Self) -> Option<u64>) -> Option<Step> {
        let sign = self.peek();
        let relative = |by| Step {
            is_relative: true,
            by,
        };
        let step = if sign == b'+' {
            self.advance(1);
            relative(number(self)?.cast_signed())
        } else if sign == b'*' {
            self.advance(1);
            Step::NONE
        } else if sign == b'-' {
            self.advance(1);
            relative(-number(self)?.cast_signed())
        } else {
            Step {
                is_relative: false,
                by: number(self)?.cast_signed(),
            }
        };
        self.skip(b' ').then_some(step)
    }

    /// A step from the last subposition, of at most seven digits, and the blank behind it.
    #[inline(always)]
    pub(super) fn relative_step(&mut self) -> Option<i64> {
        let step = self.short_step()?;
        step.is_relative.then_some(step.by)
    }

    /// What was read from a position on, if it is at most eight bytes.
    #[inline(always)]
    pub(super) fn short_text(&self, from: usize) -> Option<ShortText> {
        let length = self.position().wrapping_sub(from);
        let mask = u64::MAX >> (64 - 8 * (1..=8).contains(&length).then_some(length)?);
        let bytes = u64::from_le_bytes(*self.bytes.get(from..)?.first_chunk()?) & mask;
        Some(ShortText {
            bytes,
            mask,
            length,
        })
    }

    /// Whether a text is what comes next.
    #[inline(always)]
    pub(super) fn is_at(&self, text: &ShortText) -> bool {
        let next = self.bytes[self.position()..].first_chunk();
        next.is_some_and(|&next| u64::from_le_bytes(next) & text.mask == text.bytes)
    }

    /// A decimal number of at most [`DIGITS`] digits.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u64> {
        let begin = *self;
        if let Some(number) = self.short_number() {
            return Some(number);
        }
        let (value, behind) = begin.many_digits()?;
        *self = behind;
        Some(value)
    }

    /// A decimal number of at most seven digits.
    #[inline(always)]
    fn short_number(&mut self) -> Option<u64> {
        let at = self.position();
        let digit = |at: usize| self.bytes[at].wrapping_sub(b'0');
        let first = digit(at);
        if first > 9 {
            return None;
        }
        if digit(at + 1) > 9 {
            self.advance(1);
            return Some(first.into());
        }
        let (length, value) = few_digits(self.bytes[at..].first_chunk()?)?;
        self.advance(length);
        Some(value)
    }

    /// What it is, and what is behind it: a window that this could change would have to stay in memory.
    #[cold]
    #[inline(never)]
    fn many_digits(mut self) -> Option<(u64, Window<'a>)> {
        let mut value = 0;
        for digits in 0..=DIGITS {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                return (digits > 0).then_some((value, self));
            }
            value = value * 10 + u64::from(digit);
            self.advance(1);
        }
        None
    }

    /// A hex number of at most sixteen digits.
    #[inline(never)]
    fn hex(mut self) -> Option<(u64, Window<'a>)> {
        let mut value = 0;
        for digits in 0..=16 {
            let byte = self.peek();
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                _ => return (digits > 0).then_some((value, self)),
            };
            value = value << 4 | u64::from(digit);
            self.advance(1);
        }
        None
    }
}

/// At most eight bytes.
#[derive(Clone, Copy)]
pub(super) struct ShortText {
    bytes: u64,
    mask: u64,
    length: usize,
}

impl ShortText {
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        self.length
    }

    #[inline(always)]
    pub(super) fn begins_with(&self, byte: u8) -> bool {
        self.bytes.to_le_bytes()[0] == byte
    }
}

/// The number that eight bytes begin with, if it has less than eight digits, and how many it has.
#[inline(always)]
fn few_digits(bytes: &[u8; 8]) -> Option<(u8, u64)> {
    const EACH: u64 = 0x0101_0101_0101_0101;
    // A digit is now its value, and any other byte, up to the first carry behind it, above 9.
    let digits = u64::from_le_bytes(*bytes) ^ (EACH * 0x30);
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    if others == 0 {
        return None;
    }
    // Zeros before it; then two digits become one number, and these with their weights the whole.
    let last = others.trailing_zeros();
    let digits = digits << (63 - last) << 8;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let [first, second] = [pairs, pairs >> 16].map(|pairs| pairs & 0x0000_00ff_0000_00ff);
    let first = first.wrapping_mul(1_000_000 << 32 | 100);
    let second = second.wrapping_mul(10_000 << 32 | 1);
    Some(((last / 8) as u8, first.wrapping_add(second) >> 32))
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
                let line = [&text, behind, &"\n".repeat(WINDOW)].concat();
                let mut window = Window::new(line.as_bytes()).unwrap();
                let number = window.number();
                assert_eq!(number, (length <= DIGITS).then_some(value), "{line:?}");
                assert!(number.is_none() || window.position() == length);
            }
        }
        let text = ["x12345678", &"\n".repeat(WINDOW)].concat();
        assert_eq!(Window::new(text.as_bytes()).unwrap().number(), None);
    }
}
