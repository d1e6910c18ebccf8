//! The lexer for plain lines, as nearly all are: decimal numbers separated by single blanks. On
//! anything else these functions return `None`, and the [`Cursor`](super::cursor::Cursor) reads the
//! line again.

use super::cursor::{LAST_LINE, LinePosition, PositionColumns};

/// The number of bytes that a [`FastLine`] has.
pub(super) const MAX_FAST_LINE: usize = 256 + 8;

/// The maximum length of a plain number. As many of them as a chunk may have add up to less than
/// 2^63.
const MAX_DIGITS: usize = 13;

/// The largest plain number.
pub(super) const MAX_PLAIN: u64 = 10u64.pow(MAX_DIGITS as u32) - 1;

/// The last index at which a number may begin, so that it ends within [`MAX_FAST_LINE`] bytes.
const LAST_NUMBER: usize = 220;

/// The product with a byte has that byte eight times.
const EACH: u64 = 0x0101_0101_0101_0101;

/// The bytes from the start of a line. There are always eight from `at` on, so that no bounds have
/// to be checked.
#[derive(Clone, Copy)]
pub(super) struct FastLine<'a> {
    pub(super) bytes: &'a [u8; MAX_FAST_LINE],
    at: u8,
}

impl<'a> FastLine<'a> {
    /// Starts at the first of `bytes`; none if there are fewer than [`MAX_FAST_LINE`].
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Option<FastLine<'a>> {
        let bytes = bytes.first_chunk()?;
        Some(FastLine { bytes, at: 0 })
    }

    /// The number of bytes read.
    #[inline(always)]
    pub(super) fn position(&self) -> usize {
        self.at.into()
    }

    #[inline(always)]
    pub(super) fn peek(&self) -> u8 {
        self.bytes[self.position()]
    }

    #[inline(always)]
    pub(super) fn advance(&mut self, by: u8) {
        self.at = self.at.wrapping_add(by);
    }

    /// Steps over the next byte if it is `byte`. A branch, as the processor nearly always predicts
    /// it: computing a step of 0 or 1 instead makes lexing a third slower.
    #[inline(always)]
    pub(super) fn skip(&mut self, byte: u8) -> bool {
        if self.peek() != byte {
            return false;
        }
        self.advance(1);
        true
    }

    /// Reads the position of a cost line, relative to `last`; kinds that are not `given` are
    /// unchanged. After a `None`, here and below, the number of bytes read is unspecified.
    #[inline(always)]
    pub(super) fn line_position(
        &mut self,
        given: PositionColumns,
        last: LinePosition,
    ) -> Option<LinePosition> {
        let mut at = last;
        if given.address {
            at.address = self.address_from(last.address)?;
        }
        if given.block {
            self.address_from(0)?;
        }
        if given.line {
            at.line = self.line_from(last.line)?;
        }
        (at.line <= LAST_LINE).then_some(at)
    }

    /// Reads an address, absolute or relative to `last`, and the blank after it.
    #[inline(always)]
    pub(super) fn address_from(&mut self, last: u64) -> Option<u64> {
        if self.peek() == b'0' && self.bytes[self.position() + 1] == b'x' {
            self.advance(2);
            let (address, after) = self.long_number(16, 16)?;
            *self = after;
            return self.ends_position().then_some(address);
        }
        self.position_from(last, false)
    }

    /// Reads a line of at most seven digits, absolute or relative to `last`, and the blank after
    /// it.
    #[inline(always)]
    pub(super) fn line_from(&mut self, last: u64) -> Option<u64> {
        self.position_from(last, true)
    }

    #[inline(always)]
    fn position_from(&mut self, last: u64, is_line: bool) -> Option<u64> {
        // No function as a parameter here, and no closure: they may not be inlined.
        let sign = self.peek();
        let position = if sign == b'+' {
            self.advance(1);
            last.checked_add(self.position_number(is_line)?)?
        } else if sign == b'*' {
            self.advance(1);
            last
        } else if sign == b'-' {
            self.advance(1);
            last.checked_sub(self.position_number(is_line)?)?
        } else {
            self.position_number(is_line)?
        };
        self.ends_position().then_some(position)
    }

    #[inline(always)]
    fn position_number(&mut self, is_line: bool) -> Option<u64> {
        if is_line { self.up_to_7_digits() } else { self.number() }
    }

    /// Steps over the blank after a position, unless it is the last on its line.
    #[inline(always)]
    fn ends_position(&mut self) -> bool {
        self.skip(b' ') || self.peek() == b'\n'
    }

    /// Adds the count at the end of a line to `sum`, and returns the number of counts: the cost
    /// lines of calls and jumps may have none.
    #[inline(always)]
    pub(super) fn add_count(&mut self, sum: &mut u64) -> Option<usize> {
        let Some(count) = self.number() else {
            return self.skip(b'\n').then_some(0);
        };
        *sum = sum.wrapping_add(self.skip(b'\n').then_some(count)?);
        Some(1)
    }

    /// Adds the counts at the end of a line to `sums`, and returns their number. After a `None` the
    /// sums are unspecified.
    #[inline(always)]
    pub(super) fn add_counts(&mut self, sums: &mut [u64]) -> Option<usize> {
        if self.skip(b'\n') {
            return Some(0);
        }
        let mut len = 0;
        while self.position() <= LAST_NUMBER {
            let sum = sums.get_mut(len)?;
            *sum = sum.wrapping_add(self.number()?);
            len += 1;
            if !self.skip(b' ') {
                return self.skip(b'\n').then_some(len);
            }
        }
        None
    }

    /// Reads the counts at the end of a line, and returns their number; the others become 0.
    #[inline(always)]
    pub(super) fn counts(&mut self, counts: &mut [u64]) -> Option<usize> {
        match counts {
            // Most profiles count one event only.
            [count] => {
                *count = 0;
                if self.skip(b'\n') {
                    return Some(0);
                }
                *count = self.large_number()?;
                self.skip(b'\n').then_some(1)
            }
            counts => {
                counts.fill(0);
                self.add_counts(counts)
            }
        }
    }

    /// Steps over the rest of the line; none if it is too long.
    #[inline(always)]
    pub(super) fn skip_line(&mut self) -> Option<()> {
        while self.position() < LAST_NUMBER {
            let next = u64::from_le_bytes(*self.bytes[self.position()..].first_chunk()?);
            // The lowest byte that is a newline is the first to become 0x80; others are above it.
            let others = next ^ (EACH * u64::from(b'\n'));
            let newlines = others.wrapping_sub(EACH) & !others & (EACH * 0x80);
            if newlines != 0 {
                self.advance((newlines.trailing_zeros() / 8) as u8 + 1);
                return Some(());
            }
            self.advance(8);
        }
        None
    }

    /// Reads a compressed id in parentheses, which must be below 2^31.
    #[inline(always)]
    pub(super) fn id(&mut self) -> Option<u32> {
        let id = self.skip(b'(').then(|| self.large_number())??;
        self.skip(b')').then_some(u32::try_from(id).ok().filter(|&id| id < 1 << 31)?)
    }

    /// Reads a decimal number of at most [`MAX_DIGITS`] digits.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<u64> {
        match self.up_to_7_digits() {
            Some(number) => Some(number),
            None => self.up_to_max_digits(),
        }
    }

    /// Reads a [number](FastLine::number) that mostly has more than three digits, as ids and the
    /// costs of calls have: all digits at once.
    #[inline(always)]
    fn large_number(&mut self) -> Option<u64> {
        match parse_digits(self.bytes[self.position()..].first_chunk()?) {
            Some((0, _)) => None,
            Some((length, value)) => {
                self.advance(length);
                Some(value)
            }
            None => self.up_to_max_digits(),
        }
    }

    #[inline(always)]
    fn up_to_max_digits(&mut self) -> Option<u64> {
        let (value, after) = self.long_number(10, MAX_DIGITS)?;
        *self = after;
        Some(value)
    }

    /// Reads a decimal number of at most seven digits.
    #[inline(always)]
    fn up_to_7_digits(&mut self) -> Option<u64> {
        let at = self.position();
        let digit = |at: usize| self.bytes[at].wrapping_sub(b'0');
        let first = digit(at);
        if first > 9 {
            return None;
        }
        let second = digit(at + 1);
        if second > 9 {
            self.advance(1);
            return Some(first.into());
        }
        if digit(at + 2) > 9 {
            self.advance(2);
            return Some(u64::from(first) * 10 + u64::from(second));
        }
        if digit(at + 3) > 9 {
            self.advance(3);
            let tens = u64::from(first) * 10 + u64::from(second);
            return Some(tens * 10 + u64::from(digit(at + 2)));
        }
        let (length, value) = parse_digits(self.bytes[at..].first_chunk()?)?;
        self.advance(length);
        Some(value)
    }

    /// Reads a number of at most `most` digits; also returns the rest. (Changing `self` would keep
    /// it in memory instead of registers.)
    #[inline(never)]
    fn long_number(mut self, radix: u64, most: usize) -> Option<(u64, FastLine<'a>)> {
        let mut value = 0u64;
        for digits in 0..=most {
            let byte = self.peek();
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' if radix == 16 => byte - b'a' + 10,
                _ => return (digits > 0).then_some((value, self)),
            };
            value = value.wrapping_mul(radix).wrapping_add(digit.into());
            self.advance(1);
        }
        None
    }
}

/// The number at the start of eight bytes, if it has fewer than eight digits, and its length.
#[inline(always)]
fn parse_digits(bytes: &[u8; 8]) -> Option<(u8, u64)> {
    // Each digit becomes its value. The first other byte becomes more than 9; a carry reaches only
    // the bytes after it.
    let digits = u64::from_le_bytes(*bytes) ^ (EACH * 0x30);
    let others = (digits.wrapping_add(EACH * 0x76) | digits) & (EACH * 0x80);
    if others == 0 {
        return None;
    }
    // The digits are shifted to the end, after zeros; pairs become one number each, and the
    // weighted sum is the value.
    let last = others.trailing_zeros();
    let digits = digits << (63 - last) << 8;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    // No `map` of an array here: it may not be inlined.
    let mask = 0x0000_00ff_0000_00ff;
    let (first, second) = (pairs & mask, (pairs >> 16) & mask);
    let first = first.wrapping_mul(1_000_000 << 32 | 100);
    let second = second.wrapping_mul(10_000 << 32 | 1);
    Some(((last / 8) as u8, first.wrapping_add(second) >> 32))
}
