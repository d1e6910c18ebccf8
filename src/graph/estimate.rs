//! Parts of counts: estimated ones, and integers split by weights with the largest remainder
//! method.

use crate::profile::Count;

/// A sum of counts times fractions: exact as long as these are 0 or 1. Estimated parts have 53
/// bits.
#[derive(Clone, Copy)]
pub(super) struct Estimate {
    exact: Count,
    parts: f64,
}

impl Estimate {
    pub(super) const NONE: Estimate = Estimate { exact: Count::UNDEFINED, parts: 0.0 };

    pub(super) fn add(&mut self, count: Count, fraction: f64) {
        if fraction == 1.0 {
            self.exact.add(count);
        } else if let Some(value) = count.value() {
            self.exact.add(Count::ZERO);
            self.parts += value as f64 * fraction;
        }
    }

    pub(super) fn subtract(&mut self, count: Count, fraction: f64) {
        if fraction == 1.0 {
            self.exact.subtract(count);
        } else {
            self.parts -= count.or_zero() as f64 * fraction;
        }
    }

    /// The part of the cost of activations that is not of nested ones, if calls for `back` can lead
    /// to these, in a cycle that was entered for `entered`. It is at least `floor`.
    pub(super) fn counted_once(self, back: f64, entered: Estimate, floor: Estimate) -> Estimate {
        let (whole, entered_value) = (self.value(), entered.value());
        if self.exact.value().is_none() || back <= 0.0 && whole <= entered_value {
            return self;
        }
        let entered = if whole <= entered_value { self } else { entered };
        if back <= 0.0 {
            return if floor.exceeds(entered) { floor } else { entered };
        }
        let most = entered.value();
        let least = (whole - back).min(most);
        let [least, most, whole, back, entered_value] =
            [least, most, whole, back, entered_value].map(|cost| cost.round() as i128);
        let shown = estimate_between([least, most], whole, back, entered_value);
        let estimate = Estimate { exact: Count::ZERO, parts: shown as f64 };
        if floor.exceeds(estimate) { floor } else { estimate }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.exact.add(other.exact);
        self.parts += other.parts;
    }

    pub(super) fn value(self) -> f64 {
        self.exact.or_zero() as f64 + self.parts
    }

    /// Whether this bound is larger than `other` in size.
    pub(super) fn exceeds(self, other: Self) -> bool {
        if self.exact.value().is_none() || other.exact.value().is_none() {
            return self.exact.value().is_some();
        }
        if (self.parts, other.parts) == (0.0, 0.0) {
            return other.exact.larger(self.exact) != other.exact;
        }
        self.value().abs() > other.value().abs()
    }

    /// The sum, not above the limit and not below `least`.
    pub(super) fn within(self, least: Count, limit: Option<Count>) -> Count {
        let mut count = self.exact;
        if self.parts != 0.0 {
            count.add(Count::new(self.parts.round() as i64));
        }
        let Some(limit) = limit else { return count };
        let most = limit.larger(least);
        match count.or_zero() {
            value if value > most.or_zero() => most,
            value if value < least.or_zero() => least,
            _ => count,
        }
    }
}

/// A number and its proven bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimated {
    pub least: i128,
    pub shown: i128,
    pub most: i128,
}

impl Estimated {
    /// This with all three at most that.
    pub(super) fn at_most(self, limit: i128) -> Estimated {
        let Estimated { least, shown, most } = self;
        Estimated { least: least.min(limit), shown: shown.min(limit), most: most.min(limit) }
    }
}

/// The cost of activations that cost `whole` together, of which calls for `back` can lead to nested
/// ones, in a cycle that was entered for `entered`. The true cost is at least `floor`.
pub(super) fn estimate(whole: i128, back: i128, entered: i128, floor: i128) -> Estimated {
    let most = whole.min(entered).max(floor);
    let least = (whole - back).max(floor).min(most);
    let shown = estimate_between([least, most], whole, back, entered);
    Estimated { least, shown, most }
}

/// The estimate between two bounds of activations that cost `whole` together, of which calls for
/// `back` can lead to nested ones, in a cycle that was entered for `entered`.
pub(super) fn estimate_between(
    [least, most]: [i128; 2],
    whole: i128,
    back: i128,
    entered: i128,
) -> i128 {
    let even =
        if entered + back == 0 { 0 } else { entered.saturating_mul(whole) / (entered + back) };
    (even.clamp(least, most) + most) / 2
}

/// `amount * weight / whole`, rounded towards 0; 0 if `whole` is 0.
pub fn part(amount: i128, weight: i128, whole: i128) -> i128 {
    match whole {
        0 => 0,
        _ if amount == whole => weight,
        _ => {
            let product = amount.saturating_mul(weight);
            // Most numbers are small, and dividing 128 bits is slow.
            match (u64::try_from(product), u64::try_from(whole)) {
                (Ok(product), Ok(whole)) => (product / whole).into(),
                _ => product / whole,
            }
        }
    }
}

/// Splits an integer by weights: each part is within one of its exact share, and the parts add up
/// to the integer. What remains after rounding down goes to the largest remainders, the first of
/// equal ones. Weights must not be negative, and one must be positive.
pub fn split(amount: i128, weights: &[i128]) -> Vec<i128> {
    let total: i128 = weights.iter().sum();
    if total == 0 || weights.len() == 1 {
        let whole = (0..weights.len()).map(|at| if at == 0 { amount } else { 0 });
        return whole.collect();
    }
    // A negative amount, as in a difference that was read as a profile, is split by absolute value.
    let (sign, amount) = (amount.signum(), amount.abs());
    let exact: Vec<i128> = weights.iter().map(|&weight| amount * weight).collect();
    let mut parts: Vec<i128> = exact.iter().map(|share| share / total).collect();
    let left = amount - parts.iter().sum::<i128>();
    if left > 0 {
        let remainders: Vec<i128> = exact.iter().map(|share| share % total).collect();
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(remainders[at]));
        // `left` is less than the number of parts.
        for &at in order.iter().take(left as usize) {
            parts[at] += 1;
        }
    }
    parts.iter_mut().for_each(|part| *part *= sign);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        const MOST: i128 = i64::MAX as i128;
        let table: [(i128, &[i128], &[i128]); 11] = [
            (10, &[1, 1, 1], &[4, 3, 3]),
            (10, &[2, 1], &[7, 3]),
            (5, &[0, 3, 0], &[0, 5, 0]),
            (-10, &[1, 1, 1], &[-4, -3, -3]),
            (0, &[1, 2], &[0, 0]),
            (7, &[0], &[7]),
            (7, &[0, 0], &[7, 0]),
            (1, &[3, 1], &[1, 0]),
            (10_000, &[2, 1], &[6667, 3333]),
            (2, &[3, 3, 4], &[1, 0, 1]),
            (MOST, &[MOST, MOST], &[MOST / 2 + 1, MOST / 2]),
        ];
        for (amount, weights, parts) in table {
            let split = split(amount, weights);
            assert_eq!(split, parts, "{amount} {weights:?}");
            assert_eq!(parts.iter().sum::<i128>(), amount);
        }
    }

    #[test]
    fn an_estimate_is_between_its_bounds() {
        // Paid for all activations, what can come back, what entered the cycle, the floor; then the
        // bounds and the estimate.
        let table = [
            // Nothing comes back: each activation counts once.
            ([100, 0, 100, 0], [100, 100, 100]),
            // Of a ring: the function that is entered from outside, and the other one.
            ([550, 450, 100, 100], [100, 100, 100]),
            ([500, 450, 100, 50], [50, 95, 100]),
            // A rare call that closes a cycle.
            ([99_020, 120, 100_130, 9_000], [98_900, 98_960, 99_020]),
            // What was spent is more than what was paid: the callers' costs were not recorded.
            ([10, 5, 100, 40], [40, 40, 40]),
            ([0, 0, 0, 0], [0, 0, 0]),
            // No product overflows.
            ([1 << 61, 1 << 61, 1 << 61, 0], [0, 3 << 59, 1 << 61]),
        ];
        for ([whole, back, entered, floor], [least, shown, most]) in table {
            let found = estimate(whole, back, entered, floor);
            assert_eq!(found, Estimated { least, shown, most }, "{whole} {back} {entered}");
        }
    }
}
