//! The two sides of a difference: NEW, and BASE if two profiles are compared.

use crate::profile::Profile;
use crate::profile::cost_table::{CostTable, FragmentCosts};
use crate::profile::count::{Count, Overflow};
use crate::profile::measured::{Measured, Part};

/// Something that NEW has and that BASE has too, if two profiles are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    /// Of the profile that is reported.
    pub new: T,
    /// Of the profile that it is compared with; none if it is compared with nothing.
    pub base: Option<T>,
}

impl<T> Sides<T> {
    /// References to both.
    pub fn as_ref(&self) -> Sides<&T> {
        Sides {
            new: &self.new,
            base: self.base.as_ref(),
        }
    }

    /// The result of a function for each side.
    pub fn map<U>(self, mut of_side: impl FnMut(T) -> U) -> Sides<U> {
        Sides {
            new: of_side(self.new),
            base: self.base.map(of_side),
        }
    }

    /// The result of a function for each side, or its first error.
    pub fn try_map<U, E>(self, mut of_side: impl FnMut(T) -> Result<U, E>) -> Result<Sides<U>, E> {
        Ok(Sides {
            new: of_side(self.new)?,
            base: self.base.map(of_side).transpose()?,
        })
    }

    /// Pairs of the same side. Only a side that both have has a pair.
    pub fn zip<U>(self, other: Sides<U>) -> Sides<(T, U)> {
        Sides {
            new: (self.new, other.new),
            base: self.base.zip(other.base),
        }
    }

    /// NEW, then BASE if there is one.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.new).chain(&self.base)
    }
}

impl Sides<CostTable> {
    /// NEW minus BASE, row by row; NEW if there is no BASE.
    pub fn delta(self) -> CostTable {
        let mut table = self.new;
        if let Some(base) = &self.base {
            table.subtract_all(base);
        }
        table
    }
}

impl Sides<i64> {
    /// NEW minus BASE.
    pub fn delta(self) -> i64 {
        self.new - self.base.unwrap_or(0)
    }
}

/// On which sides something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// In NEW.
    pub new: bool,
    /// In BASE.
    pub base: bool,
}

impl Presence {
    /// On the sides of either.
    pub fn or(self, other: Presence) -> Presence {
        Presence {
            new: self.new || other.new,
            base: self.base || other.base,
        }
    }
}

/// A factor: a fraction, the products with which are rounded to the nearest integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factor {
    /// What counts are multiplied by.
    pub times: i64,
    /// What the products are divided by; more than 0.
    pub by: i64,
}

impl Factor {
    /// The factor that changes nothing.
    pub const ONE: Factor = Factor { times: 1, by: 1 };

    /// The product with a number.
    pub fn of(self, number: i64) -> Result<i64, Overflow> {
        let (product, by) = (
            i128::from(number) * i128::from(self.times),
            i128::from(self.by),
        );
        let rounded = (product.abs() + by / 2) / by * product.signum();
        i64::try_from(rounded).map_err(|_| Overflow)
    }

    /// The factor as a number.
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
        self.fragment_costs = FragmentCosts::default();
        self.sides.new.scale(factors.new)?;
        if let Some((base, factor)) = self.sides.base.as_mut().zip(factors.base) {
            base.scale(factor)?;
        }
        let events = &self.events;
        self.sides
            .iter()
            .try_for_each(|side| side.budget.covers(events))?;
        Ok(self)
    }
}

impl Measured {
    fn scale(&mut self, factor: Factor) -> Result<(), Overflow> {
        if factor == Factor::ONE {
            return Ok(());
        }
        self.scale_tables(factor)?;
        let parts = &mut self.parts;
        parts.iter_mut().try_for_each(|part| part.scale(factor))
    }
}

impl Part {
    fn scale(&mut self, factor: Factor) -> Result<(), Overflow> {
        factor.apply(&mut self.self_cost)?;
        factor.apply(&mut self.total)
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
