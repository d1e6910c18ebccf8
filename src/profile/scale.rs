//! Counts of a profile multiplied by a factor.

use super::Profile;
use crate::profile::budget::Overflow;
use crate::profile::count::Count;
use crate::profile::sides::Sides;

/// A factor: a fraction, the products with which are rounded to the nearest integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    pub times: i64,
    /// What the products are divided by; more than 0.
    pub by: i64,
}

impl Factor {
    /// The factor that changes nothing.
    pub const ONE: Factor = Factor { times: 1, by: 1 };

    pub fn of(self, number: i64) -> Result<i64, Overflow> {
        let product = i128::from(number) * i128::from(self.times);
        let by = i128::from(self.by);
        let rounded = (product.abs() + by / 2) / by * product.signum();
        i64::try_from(rounded).map_err(|_| Overflow)
    }

    pub fn value(self) -> f64 {
        self.times as f64 / self.by as f64
    }

    /// Multiplies all of some counts.
    pub(super) fn apply(self, counts: &mut [Count]) -> Result<(), Overflow> {
        for count in counts {
            if let Some(value) = count.value() {
                *count = Count::new(self.of(value)?);
            }
        }
        Ok(())
    }
}

impl Profile {
    /// The same profile with the counts, calls and totals of each side multiplied by a factor. What is known by address
    /// stays as it is.
    pub fn scaled(mut self, factors: Sides<Factor>) -> Result<Profile, Overflow> {
        self.fragment_costs.take();
        self.sides.new.scale(factors.new)?;
        if let Some((base, factor)) = self.sides.base.as_mut().zip(factors.base) {
            base.scale(factor)?;
        }
        for side in self.sides.iter() {
            side.budget.covers(&self.events)?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_rounded_to_the_nearest_integer() {
        let factor = |times, by| Factor { times, by };
        let table = [
            (factor(1, 2), 3, Ok(2)),
            (factor(1, 2), -3, Ok(-2)),
            (factor(1, 3), 4, Ok(1)),
            (factor(2, 3), 1, Ok(1)),
            (factor(-1, 3), 2, Ok(-1)),
            (factor(i64::MAX, i64::MAX), i64::MIN, Ok(i64::MIN)),
            (factor(2, 1), i64::MAX, Err(Overflow)),
        ];
        for (factor, number, expected) in table {
            assert_eq!(factor.of(number), expected, "{factor:?} {number}");
        }
    }
}
