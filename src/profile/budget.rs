//! The limit of a profile's counts: a budget that is checked while it is read, so that no later sum
//! overflows; and the errors of adding to a profile.

use thiserror::Error;

use crate::profile::count::Count;

/// The maximum sum of the absolute counts of one event, on each side of a difference. Twice as
/// much, as a difference or self costs and calls together have, still fits into 64 bits.
pub const LIMIT: u64 = 1 << 61;

/// The sums of the absolute counts of one side, event by event: of self costs and calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    spent: Vec<u64>,
    calls: u64,
}

impl Budget {
    pub(super) fn widen(&mut self, events: usize) {
        self.spent.resize(self.spent.len().max(events), 0);
    }

    /// Adds a cost in the profile's columns, or nothing if an event exceeds the [`LIMIT`].
    #[inline(always)]
    pub(super) fn spend(&mut self, cost: &[Count]) -> Result<(), Overflow> {
        if !self.has_room(cost, 0) {
            return Err(Overflow);
        }
        // Most profiles count one event only.
        if let ([spent], [count]) = (&mut self.spent[..], cost) {
            *spent += size(count);
            return Ok(());
        }
        let pairs = self.spent.iter_mut().zip(cost);
        pairs.for_each(|(spent, count)| *spent += size(count));
        Ok(())
    }

    /// Whether a cost and a number of calls can be added.
    #[inline(always)]
    pub(super) fn has_room(&self, cost: &[Count], calls: i64) -> bool {
        // No overflow: both are below 2^63.
        let fits = |(spent, count): (&u64, &Count)| *spent + size(count) <= LIMIT;
        let has_room = match (&self.spent[..], cost) {
            ([spent], [count]) => fits((spent, count)),
            (spent, cost) => spent.iter().zip(cost).all(fits),
        };
        has_room && self.calls + calls.unsigned_abs() <= LIMIT
    }

    /// Whether the sums of several sides fit together, so that what is added up of all of them
    /// does.
    pub(super) fn fit_together<'b>(budgets: impl Iterator<Item = &'b Budget> + Clone) -> bool {
        let events = budgets.clone().map(|budget| budget.spent.len()).max().unwrap_or(0);
        (0..events).all(|event| {
            let spent = budgets.clone().filter_map(|budget| budget.spent.get(event));
            spent.fold(0, |sum: u64, &spent| sum.saturating_add(spent)) <= 2 * LIMIT
        })
    }

    #[inline]
    pub(super) fn spend_calls(&mut self, number: i64) -> Result<(), Overflow> {
        self.calls += number.unsigned_abs();
        (self.calls <= LIMIT).then_some(()).ok_or(Overflow)
    }

    /// Whether sums of counts are within the limit too, each a list of factors and events.
    pub(super) fn covers<'s>(
        &self,
        sums: impl Iterator<Item = &'s [(i64, usize)]>,
    ) -> Result<(), Overflow> {
        let size = |&(factor, event): &(i64, usize)| {
            let spent = self.spent.get(event).copied().unwrap_or(0);
            i128::from(factor.unsigned_abs()) * i128::from(spent)
        };
        let largest = |terms: &[(i64, usize)]| terms.iter().map(size).sum::<i128>();
        let mut sums = sums.map(largest);
        let fits = sums.all(|sum| sum <= i128::from(LIMIT));
        fits.then_some(()).ok_or(Overflow)
    }

    /// Multiplies all by a factor, with the rounding of `rows` products.
    pub(super) fn scale(
        &mut self,
        rows: usize,
        product: impl Fn(i64) -> Result<i64, Overflow>,
    ) -> Result<(), Overflow> {
        for spent in self.spent.iter_mut().chain([&mut self.calls]) {
            let product = product(spent.cast_signed())?.unsigned_abs();
            *spent = product.saturating_add(rows as u64);
            if *spent > LIMIT {
                return Err(Overflow);
            }
        }
        Ok(())
    }
}

fn size(count: &Count) -> u64 {
    count.or_zero().unsigned_abs()
}

#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the counts add up to more than 2^61")]
pub struct Overflow;

/// More distinct names than there are ids, or than a profile may have.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("too many distinct names")]
pub struct LimitExceeded;

/// Why something cannot be added to a profile.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AddError {
    #[error(transparent)]
    Overflow(#[from] Overflow),
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}
