//! One count of one event, and how counts add up.
//!
//! A count that no line of the profile gave is *undefined*. That is not 0: it is printed as `.`,
//! sorts after 0 and adds nothing.

use std::error::Error;
use std::fmt;

/// How often one event happened at one place; signed, as differences of profiles are profiles too.
///
/// Eight bytes, because a large profile holds millions of them: one bit pattern that no producer
/// writes means "undefined". A number or a sum that would hit it is refused like one that does
/// not fit, so it can never be mistaken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Count(i64);

/// The pattern of [`Count::UNDEFINED`]. Neither end of the range, which real counters do reach.
const UNDEFINED: i64 = -0x7a3c_51d9_26e8_4b0f;

/// A number or a sum outside of the signed 64-bit range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Count {
    /// The count that no line gave.
    pub const UNDEFINED: Count = Count(UNDEFINED);
    /// Counted, and nothing happened.
    pub const ZERO: Count = Count(0);

    /// A defined count.
    #[inline]
    pub fn new(value: i64) -> Result<Count, Overflow> {
        if value == UNDEFINED {
            Err(Overflow)
        } else {
            Ok(Count(value))
        }
    }

    /// The number, if there is one.
    #[inline]
    pub fn value(self) -> Option<i64> {
        if self.0 == UNDEFINED {
            None
        } else {
            Some(self.0)
        }
    }

    /// The number, or 0.
    #[inline]
    pub fn or_zero(self) -> i64 {
        self.value().unwrap_or(0)
    }

    /// The larger in size; of two of equal size this one.
    #[inline]
    pub fn larger(self, other: Count) -> Count {
        match (self.value(), other.value()) {
            (None, _) => other,
            (Some(value), Some(others)) if others.unsigned_abs() > value.unsigned_abs() => other,
            _ => self,
        }
    }

    /// Adds `other`; an undefined one changes nothing.
    #[inline]
    pub fn add(&mut self, other: Count) -> Result<(), Overflow> {
        if other == Count::UNDEFINED {
            return Ok(());
        }
        *self = match self.value() {
            None => other,
            Some(value) => Count::new(value.checked_add(other.0).ok_or(Overflow)?)?,
        };
        Ok(())
    }

    /// Subtracts `other`; an undefined one changes nothing, and from an undefined count it leaves its negative.
    #[inline]
    pub fn subtract(&mut self, other: Count) -> Result<(), Overflow> {
        if let Some(other) = other.value() {
            let value = self.or_zero().checked_sub(other).ok_or(Overflow)?;
            *self = Count::new(value)?;
        }
        Ok(())
    }

    /// Multiplies the count by `factor`.
    #[inline]
    pub fn checked_mul(self, factor: i64) -> Result<Count, Overflow> {
        self.value().map_or(Ok(self), |value| {
            Count::new(value.checked_mul(factor).ok_or(Overflow)?)
        })
    }

    /// The number that rows are sorted by. Undefined is -1, which in descending order is right after 0, as in
    /// callgrind_annotate.
    #[inline]
    pub fn sort_key(self) -> i64 {
        self.value().unwrap_or(-1)
    }
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value}"),
            None => f.write_str("."),
        }
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("64-bit overflow in a sum of counts")
    }
}

impl Error for Overflow {}

/// Adds `cost` to `sum`, event by event.
#[inline]
pub fn add_cost(sum: &mut [Count], cost: &[Count]) -> Result<(), Overflow> {
    match (sum, cost) {
        // Most profiles count one event only.
        ([sum], [count]) => sum.add(*count),
        (sum, cost) => {
            let fits = |(sum, &count): (&Count, &Count)| Count::add(&mut sum.clone(), count);
            sum.iter().zip(cost).try_for_each(fits)?;
            let mut pairs = sum.iter_mut().zip(cost);
            pairs.try_for_each(|(sum, &count)| sum.add(count))
        }
    }
}

/// Moves counts to other columns: the first to `columns[0]`, and so on; the rest are undefined.
pub fn to_columns(counts: &[Count], columns: &[usize], wide: &mut [Count]) {
    wide.fill(Count::UNDEFINED);
    for (&count, &column) in counts.iter().zip(columns) {
        wide[column] = count;
    }
}

/// The sum of counts of a cost, each with its factor; undefined if all of them are.
pub(super) fn sum_of(cost: &[Count], terms: &[(i64, usize)]) -> Result<Count, Overflow> {
    let mut sum = Count::UNDEFINED;
    for &(factor, term) in terms {
        sum.add(cost[term].checked_mul(factor)?)?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(value: i64) -> Count {
        Count::new(value).unwrap()
    }

    #[test]
    fn undefined_adds_nothing_and_is_not_zero() {
        let mut sum = Count::UNDEFINED;
        sum.add(Count::UNDEFINED).unwrap();
        assert_eq!(sum.value(), None);
        sum.add(Count::ZERO).unwrap();
        assert_eq!(sum.value(), Some(0));
        sum.add(count(-3)).unwrap();
        sum.add(Count::UNDEFINED).unwrap();
        assert_eq!(sum.value(), Some(-3));
    }

    #[test]
    fn the_ends_of_the_range_fit_and_nothing_beyond() {
        let mut sum = count(i64::MAX);
        assert_eq!(sum.add(count(1)), Err(Overflow));
        assert_eq!(sum.value(), Some(i64::MAX));
        sum.add(count(i64::MIN)).unwrap();
        assert_eq!(sum.value(), Some(-1));
        assert_eq!(count(i64::MIN).add(count(-1)), Err(Overflow));
    }

    #[test]
    fn the_mark_of_undefined_is_refused_as_number_and_as_sum() {
        assert_eq!(Count::new(UNDEFINED), Err(Overflow));
        assert_eq!(count(UNDEFINED - 1).add(count(1)), Err(Overflow));
    }

    #[test]
    fn undefined_sorts_after_zero_and_before_minus_two() {
        assert!(Count::ZERO.sort_key() > Count::UNDEFINED.sort_key());
        assert!(Count::UNDEFINED.sort_key() > count(-2).sort_key());
    }
}
