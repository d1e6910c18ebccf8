//! One count of one event, and how counts add up.
//!
//! A count that no line of the profile gave is *undefined*. That is not 0: it is printed as `.`,
//! sorts after 0 and adds nothing.
//!
//! Sums of counts always fit: a profile's budget refuses too large ones when it is read, and
//! whatever is computed from a profile is a subset, a share or a difference of its counts.

/// The number of times that one event happened at one place; signed, as a difference of profiles is
/// a profile too.
///
/// Eight bytes, because a large profile holds millions of them: the number furthest from the
/// [`LIMIT`](super::LIMIT) means "undefined".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count(i64);

impl Count {
    /// The count that no line gave.
    pub const UNDEFINED: Count = Count(i64::MIN);
    /// The count of an event that did not happen.
    pub const ZERO: Count = Count(0);

    /// A defined count, which is not `i64::MIN`.
    #[inline]
    pub const fn new(value: i64) -> Count {
        debug_assert!(value != i64::MIN);
        Count(value)
    }

    #[inline]
    pub fn value(self) -> Option<i64> {
        (self != Count::UNDEFINED).then_some(self.0)
    }

    #[inline]
    pub fn or_zero(self) -> i64 {
        self.value().unwrap_or(0)
    }

    /// The count that holds a ratio: the bits of a floating-point number, which are ordered as
    /// the numbers are, and negative for a negative one. Counts of ratios are not added up.
    pub fn of_ratio(ratio: f64) -> Count {
        let size = ratio.abs().to_bits().cast_signed();
        Count(if ratio < 0.0 { -size } else { size })
    }

    /// The ratio that a count holds.
    pub fn ratio(self) -> Option<f64> {
        let bits = self.value()?;
        let size = f64::from_bits(bits.unsigned_abs());
        Some(if bits < 0 { -size } else { size })
    }

    /// The count of larger absolute value; of equal ones this one.
    #[inline]
    pub fn larger(self, other: Count) -> Count {
        match (self.value(), other.value()) {
            (None, _) => other,
            (Some(value), Some(others)) if others.unsigned_abs() > value.unsigned_abs() => other,
            _ => self,
        }
    }

    /// Adds `other`; an undefined one changes nothing. Only sums of ratios may wrap, which are
    /// computed again for each sum.
    #[inline]
    pub fn add(&mut self, other: Count) {
        if other != Count::UNDEFINED {
            *self = Count(self.or_zero().wrapping_add(other.0));
        }
    }

    /// Subtracts `other`; an undefined one changes nothing, and from an undefined count it leaves
    /// its negative.
    #[inline]
    pub fn subtract(&mut self, other: Count) {
        if let Some(other) = other.value() {
            *self = Count(self.or_zero().wrapping_sub(other));
        }
    }
}

/// Adds `cost` to `sum`, event by event.
#[inline]
pub fn add_cost(sum: &mut [Count], cost: &[Count]) {
    match (sum, cost) {
        // Most profiles count one event only.
        ([sum], [count]) => sum.add(*count),
        (sum, cost) => {
            let pairs = sum.iter_mut().zip(cost);
            pairs.for_each(|(sum, &count)| sum.add(count));
        }
    }
}

/// A cost minus another one, event by event.
pub fn difference(new: &[Count], base: &[Count]) -> Vec<Count> {
    let mut cost = new.to_vec();
    let counts = cost.iter_mut().zip(base);
    counts.for_each(|(count, base)| count.subtract(*base));
    cost
}

/// Moves counts to other columns: the first to `columns[0]`, and so on; the rest are undefined.
pub fn to_columns(counts: &[Count], columns: &[usize], wide: &mut [Count]) {
    wide.fill(Count::UNDEFINED);
    for (&count, &column) in counts.iter().zip(columns) {
        wide[column] = count;
    }
}

/// The sum of counts of a cost, each with its factor; undefined if all of them are.
pub(super) fn sum_of(cost: &[Count], terms: &[(i64, usize)]) -> Count {
    let mut sum = Count::UNDEFINED;
    for &(factor, term) in terms {
        let count = cost[term].value();
        sum.add(count.map_or(Count::UNDEFINED, |count| Count(count * factor)));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_ratios_are_ordered_as_the_ratios_are() {
        let ratios = [-1e18, -2.5, -1e-18, 0.0, 1e-18, 0.000_001_6, 0.1, 1.0, 9.3e12, 1e18];
        let counts = ratios.map(Count::of_ratio);
        assert_eq!(counts.map(Count::ratio), ratios.map(Some));
        assert!(counts.is_sorted_by_key(|count| count.value()));
        assert_eq!(Count::of_ratio(-0.0), Count::ZERO);
    }
}
