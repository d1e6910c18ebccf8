//! Numbers with commas, and percentages. A report has some on every line, so they are formatted
//! without allocating, in a third of the time of `format!`.

use std::fmt;

use super::EXACT_DECIMALS;
use crate::profile::Count;

/// The width of a percentage after its count: ` (12.34%)`.
pub(crate) const PERCENTAGE_WIDTH: usize = 9;

/// A percentage, and whether the number that it is of is estimated.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct ShownPercent {
    pub(super) percent: f64,
    pub(super) is_estimated: bool,
}

/// The mark of percentages of estimated costs.
pub(super) const ESTIMATED: u8 = b'~';

/// The capacity for the longest text (four numbers of 26 bytes: 19 digits, 6 commas, a sign) with
/// separators, and some leading spaces.
const CAPACITY: usize = 128;

/// The maximum number of spaces after a text.
pub(crate) const MAX_AFTER: usize = 32;

/// The numbers below 1,000 as three digits after a comma, and without leading zeros after spaces:
/// one division gives three digits.
static GROUPS: [[u8; 4]; 1000] = groups(*b",000");
static FIRST_GROUPS: [[u8; 4]; 1000] = groups(*b"    ");

const fn groups(empty: [u8; 4]) -> [[u8; 4]; 1000] {
    let mut groups = [empty; 1000];
    let mut number = 0;
    while number < 1000 {
        let (mut rest, mut at) = (number, 3);
        while rest > 0 || at == 3 {
            groups[number][at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            at -= 1;
        }
        number += 1;
    }
    groups
}

/// Appends an exact number without commas, divided by a unit.
#[inline]
pub(crate) fn push_count(value: i64, unit: i64, text: &mut Vec<u8>) {
    if unit != 1 {
        return push_quotient(value, unit, EXACT_DECIMALS, text);
    }
    if value < 0 {
        text.push(b'-');
    }
    push_digits(value.unsigned_abs(), text);
}

/// Appends a quotient without commas.
pub(crate) fn push_quotient(value: i64, unit: i64, decimals: u32, text: &mut Vec<u8>) {
    let mut number = NumberText::new();
    number.prepend_quotient(value, unit, decimals, false);
    text.extend_from_slice(number.as_bytes());
}

/// Smaller ratios have significant digits.
const SMALL_RATIO: f64 = 0.001;

/// A ratio, which a count holds, with this many decimals; a small one has as many significant
/// digits instead, and a very large one no decimals.
pub(crate) fn ratio_text(count: i64, decimals: u32, commas: bool) -> String {
    let ratio = Count::new(count).ratio().unwrap_or(0.0);
    let (size, digits) = (ratio.abs(), decimals as i32);
    let decimals = if size >= 1e10 {
        0
    } else if size == 0.0 || size >= SMALL_RATIO {
        digits
    } else {
        // The scientific notation has the exponent after rounding.
        let scientific = format!("{size:.*e}", digits as usize - 1);
        let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
        digits - 1 - exponent.unwrap_or(0)
    };
    let plain = format!("{size:.*}", decimals as usize);
    let (whole, rest) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let grouped = match whole.parse() {
        Ok(whole) if commas => NumberText::number(whole).to_string(),
        _ => whole.to_owned(),
    };
    let sign = if ratio < 0.0 { "-" } else { "" };
    [sign, &grouped, rest].concat()
}

pub(crate) fn push_digits(number: u64, text: &mut Vec<u8>) {
    if number >= 1000 {
        push_digits(number / 1000, text);
        return text.extend_from_slice(&GROUPS[(number % 1000) as usize][1..]);
    }
    // All four bytes are appended, which is faster than a variable number of them.
    let unused = 3 - usize::from(number >= 10) - usize::from(number >= 100);
    let digits = u32::from_le_bytes(FIRST_GROUPS[number as usize]) >> (8 * unused);
    text.extend_from_slice(&digits.to_le_bytes());
    text.truncate(text.len() - unused);
}

/// A text that is written from its end to its start, as digits are computed, over spaces.
pub struct NumberText {
    text: [u8; CAPACITY + MAX_AFTER],
    start: usize,
}

impl NumberText {
    pub(crate) fn new() -> NumberText {
        NumberText { text: [b' '; CAPACITY + MAX_AFTER], start: CAPACITY }
    }

    pub(crate) fn of(prepend: impl FnOnce(&mut NumberText)) -> NumberText {
        let mut text = NumberText::new();
        prepend(&mut text);
        text
    }

    /// A number with a comma before each group of three digits.
    pub(crate) fn number(value: i64) -> NumberText {
        NumberText::of(|text| text.prepend_number(value))
    }

    pub(crate) fn decimal(number: f64, decimals: u32) -> NumberText {
        NumberText::of(|text| text.prepend_decimal(number, decimals, false))
    }

    /// A percentage with one decimal and its sign.
    pub(super) fn percentage(share: ShownPercent) -> NumberText {
        NumberText::of(|text| {
            text.prepend(b'%');
            text.prepend_decimal(share.percent, 1, false);
            text.prepend_estimated(share);
        })
    }

    /// A time with three digits and its unit.
    pub(crate) fn time(microseconds: f64) -> NumberText {
        let units = [(1e6, "s"), (1e3, "ms"), (1.0, "us")];
        let fitting = units.iter().find(|(unit, _)| microseconds >= *unit);
        let (unit, name) = fitting.copied().unwrap_or((1e-3, "ns"));
        let value = microseconds / unit;
        let decimals = match value {
            100.0.. => 0,
            10.0.. => 1,
            _ => 2,
        };
        NumberText::of(|text| text.prepend_text(&format!("{value:.decimals$} {name}")))
    }

    pub(crate) fn prepend(&mut self, byte: u8) {
        self.start -= 1;
        self.text[self.start] = byte;
    }

    /// Prepends as many spaces as fit before a group of digits; returns how many are left.
    pub(crate) fn prepend_spaces(&mut self, count: usize) -> usize {
        let now = count.min(self.start.saturating_sub(GROUPS[0].len()));
        self.start -= now;
        count - now
    }

    /// Prepends spaces up to a width, as many as fit; returns how many are left.
    pub(crate) fn pad(&mut self, width: usize) -> usize {
        self.prepend_spaces(width.saturating_sub(self.len()))
    }

    pub(crate) fn prepend_number(&mut self, value: i64) {
        self.prepend_groups(value.unsigned_abs());
        if value < 0 {
            self.prepend(b'-');
        }
    }

    fn prepend_groups(&mut self, number: u64) {
        let mut rest = number;
        while rest >= 1000 {
            self.prepend_group(&GROUPS, rest % 1000, 4);
            rest /= 1000;
        }
        self.prepend_first_group(rest);
    }

    /// Prepends a group of digits; may overwrite the bytes before it, which are unused.
    #[inline]
    fn prepend_group(&mut self, groups: &[[u8; 4]; 1000], number: u64, length: usize) {
        if let Some(to) = self.text[..self.start].last_chunk_mut() {
            *to = groups[number as usize];
        }
        self.start -= length;
    }

    fn prepend_first_group(&mut self, number: u64) {
        let length = 1 + usize::from(number >= 10) + usize::from(number >= 100);
        self.prepend_group(&FIRST_GROUPS, number, length);
    }

    /// Prepends a quotient with decimals, the last of which is rounded.
    pub(crate) fn prepend_quotient(&mut self, value: i64, by: i64, decimals: u32, commas: bool) {
        let (power, by) = (10i128.pow(decimals), i128::from(by));
        let scaled = (i128::from(value).abs() * power * 2 + by) / (2 * by);
        // These fit: they are at most the value and that power.
        let parts = [(scaled / power) as u64, (scaled % power) as u64];
        self.prepend_parts(parts, decimals, commas, value < 0);
    }

    /// Prepends the digits before the decimal point and `decimals` digits after it.
    #[inline]
    fn prepend_parts(&mut self, parts: [u64; 2], decimals: u32, commas: bool, is_negative: bool) {
        let [whole, rest] = parts;
        self.prepend_digits(rest, decimals as usize);
        self.prepend(b'.');
        if commas {
            self.prepend_groups(whole)
        } else {
            self.prepend_digits(whole, 1)
        }
        if is_negative {
            self.prepend(b'-');
        }
    }

    /// Prepends a number without commas.
    pub(crate) fn prepend_plain(&mut self, value: i64) {
        self.prepend_digits(value.unsigned_abs(), 1);
        if value < 0 {
            self.prepend(b'-');
        }
    }

    /// Prepends the digits of a number, padded with zeros to `min_digits`.
    #[inline]
    pub(crate) fn prepend_digits(&mut self, number: u64, min_digits: usize) {
        let (mut rest, end) = (number, self.start);
        while rest >= 1000 {
            self.prepend_group(&GROUPS, rest % 1000, 3);
            rest /= 1000;
        }
        self.prepend_first_group(rest);
        while end - self.start < min_digits {
            self.prepend(b'0');
        }
    }

    /// Prepends four digits of a percentage, ` 0.12`, `12.34` or `100.0`, rounded from the exact
    /// value as printf does.
    pub(crate) fn prepend_percent(&mut self, percent: f64) {
        let end = self.start;
        if percent > -9.995 && percent < 99.995 {
            self.prepend_decimal(percent, 2, false)
        } else {
            self.prepend_decimal(percent, 1, false)
        }
        self.start = self.start.min(end - 5);
    }

    /// Prepends an estimated percentage, as wide as another one: `~89.1` or `~100`.
    fn prepend_estimate(&mut self, percent: f64) {
        let end = self.start;
        let decimals = if percent > -9.95 && percent < 99.95 { 1 } else { 0 };
        self.prepend_text(&format!("{percent:.decimals$}"));
        self.prepend(ESTIMATED);
        self.start = self.start.min(end - 5);
    }

    /// Prepends the mark of an estimated percentage to it.
    pub(super) fn prepend_estimated(&mut self, share: ShownPercent) {
        if share.is_estimated {
            self.prepend(ESTIMATED);
        }
    }

    /// Prepends a number with one or two decimals, rounded half to even.
    #[inline]
    pub(crate) fn prepend_decimal(&mut self, number: f64, decimals: u32, commas: bool) {
        let power = 10u64.pow(decimals);
        let parts = match scaled(number, power) {
            Some(scaled) => [scaled / power, scaled % power],
            // The number is a large integer.
            None if commas => [number.abs() as u64, 0],
            None => return self.prepend_text(&format!("{number:.*}", decimals as usize)),
        };
        self.prepend_parts(parts, decimals, commas, number.is_sign_negative());
    }

    pub(crate) fn prepend_text(&mut self, text: &str) {
        text.bytes().rev().for_each(|byte| self.prepend(byte));
    }

    /// Prepends a percentage that follows a count, or spaces in its place.
    pub(super) fn prepend_percentage(&mut self, share: Option<ShownPercent>) {
        match share {
            Some(share) => {
                self.prepend(b')');
                self.prepend(b'%');
                if share.is_estimated {
                    self.prepend_estimate(share.percent);
                } else {
                    self.prepend_percent(share.percent);
                }
                self.prepend(b'(');
                self.prepend(b' ');
            }
            None => self.start -= PERCENTAGE_WIDTH,
        }
    }

    pub(crate) fn len(&self) -> usize {
        CAPACITY - self.start
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.with_spaces_after(0)
    }

    pub(crate) fn with_spaces_after(&self, count: usize) -> &[u8] {
        &self.text[self.start..CAPACITY + count]
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

impl fmt::Display for NumberText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The range of the numbers of a column: the smallest and the largest determine its width.
#[derive(Default)]
pub(crate) struct NumberRange {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl NumberRange {
    pub(crate) fn include(&mut self, number: i64) {
        self.low = self.low.min(number);
        self.high = self.high.max(number);
    }

    pub(crate) fn join(&mut self, other: NumberRange) {
        self.include(other.low);
        self.include(other.high);
    }

    pub(crate) fn width(&self) -> usize {
        let (low, high) = (NumberText::number(self.low), NumberText::number(self.high));
        low.len().max(high.len())
    }
}

/// The absolute value of `number` times `scale`, rounded to the nearest integer, half to even. None
/// if the number is very large. `scale` is at most 100.
fn scaled(number: f64, scale: u64) -> Option<u64> {
    // 53 bits, times 2^-down; 60 bits with the scale.
    let bits = number.abs().to_bits();
    let mantissa = bits & ((1 << 52) - 1) | 1 << 52;
    let down = 1075 - (bits >> 52) as i64;
    let product = mantissa * scale;
    match down {
        ..1 => None,
        1..64 => {
            let (whole, rest) = (product >> down, product & ((1 << down) - 1));
            let half = 1 << (down - 1);
            let up = rest > half || rest == half && whole % 2 == 1;
            Some(whole + u64::from(up))
        }
        64.. => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn quotients() {
        let table = [
            (0, 7, 2, "0.00"),
            (1, 3, 2, "0.33"),
            (2, 3, 6, "0.666667"),
            (-1, 2, 2, "-0.50"),
            (5, 1000, 2, "0.01"),
            (999_999, 1000, 2, "1,000.00"),
            (i64::MAX, 1, 6, "9,223,372,036,854,775,807.000000"),
            (i64::MIN, i64::MAX, 2, "-1.00"),
        ];
        for (value, by, decimals, text) in table {
            let number = NumberText::of(|text| text.prepend_quotient(value, by, decimals, true));
            assert_eq!(number.as_str(), text);
        }
    }

    #[test]
    fn small_ratios_have_significant_digits() {
        let table = [
            (0.0, "0.0000", "0.000000"),
            (0.131_782_945, "0.1318", "0.131783"),
            (0.069_8, "0.0698", "0.069800"),
            (0.007_5, "0.0075", "0.007500"),
            (0.000_999_96, "0.001000", "0.000999960"),
            (0.000_001_6, "0.000001600", "0.00000160000"),
            (-0.000_002_499, "-0.000002499", "-0.00000249900"),
            (4.336_808_689_942_018e-19, "0.0000000000000000004337", "0.000000000000000000433681"),
            (1234.5, "1,234.5000", "1234.500000"),
            (9_999_999_999.0, "9,999,999,999.0000", "9999999999.000000"),
            (1e10, "10,000,000,000", "10000000000"),
            (2f64.powi(61), "2,305,843,009,213,693,952", "2305843009213693952"),
        ];
        for (ratio, text, exact) in table {
            let count = Count::of_ratio(ratio).or_zero();
            assert_eq!(ratio_text(count, 4, true), text);
            assert_eq!(ratio_text(count, 6, false), exact);
        }
    }

    fn text(percent: f64) -> String {
        NumberText::of(|text| text.prepend_percent(percent)).to_string()
    }

    /// The same by the standard library, which rounds as printf does.
    fn formatted(percent: f64) -> String {
        if percent > -9.995 && percent < 99.995 {
            format!("{percent:5.2}")
        } else {
            format!("{percent:5.1}")
        }
    }

    #[test]
    fn percentages_are_rounded_half_to_even() {
        // Halves, quarters and eighths of a digit are exact.
        for eighth in -100_000..100_000 {
            let percent = f64::from(eighth) / 800.0;
            let exact = f64::from(eighth) / 8.0;
            for percent in [percent, exact, percent.next_up(), percent.next_down()] {
                assert_eq!(text(percent), formatted(percent), "{percent:e}");
            }
        }
    }

    proptest! {
        #[test]
        fn percentages_are_those_of_the_standard_library(
            count in any::<i64>(), total in any::<i64>(), down in 0u32..63, total_down in 0u32..63,
        ) {
            let (count, total) = (count >> down, total >> total_down);
            prop_assume!(count != 0 && total != 0);
            let percent = count as f64 * 100.0 / total as f64;
            prop_assert_eq!(text(percent), formatted(percent));
        }
    }
}
