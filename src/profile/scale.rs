//! Counts of a profile multiplied by a factor.

use super::Profile;
use crate::profile::budget::Overflow;
use crate::profile::count::Count;
use crate::profile::sides::Sides;

/// A fraction whose products with integers are rounded to integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    pub times: i64,
    /// The denominator; more than 0.
    pub by: i64,
}

impl Factor {
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

    /// Multiplies rows of counts. The rounding error of each is carried to the next of its column,
    /// so that the sum of consecutive rows, such as the lines of a function, is that of their
    /// products: many small counts are not lost.
    pub(super) fn apply<'a>(
        self,
        rows: impl Iterator<Item = &'a mut [Count]>,
    ) -> Result<(), Overflow> {
        let mut sums = Vec::new();
        for row in rows {
            sums.resize(row.len(), 0);
            for (count, sum) in row.iter_mut().zip(&mut sums) {
                if let Some(value) = count.value() {
                    *count = Count::new(self.of_next(value, sum)?);
                }
            }
        }
        Ok(())
    }

    /// The increase of the product of a sum to which a number is added.
    pub(super) fn of_next(self, number: i64, sum: &mut i64) -> Result<i64, Overflow> {
        let before = self.of(*sum)?;
        *sum = sum.checked_add(number).ok_or(Overflow)?;
        Ok(self.of(*sum)? - before)
    }
}

impl Profile {
    /// The same profile with the counts, calls and totals of each side multiplied by a factor.
    /// Skipped costs and jumps are not.
    pub fn scaled(mut self, factors: Sides<Factor>) -> Result<Profile, Overflow> {
        self.fragment_costs.take();
        for (side, factor) in self.sides.iter_mut().zip(factors.iter()) {
            side.scale(*factor)?;
        }
        for side in self.sides.iter() {
            side.budget.covers(self.events.derived_sums())?;
        }
        Ok(self)
    }
}
