//! Sums of costs of more than 64 bits, which no addition makes overflow.

use crate::profile::Count;

/// A sum of costs by event. There are a dozen for each component of a row: that of the first event,
/// which most profiles have alone, needs no memory of its own.
#[derive(Clone)]
pub(super) struct Sum {
    first: i128,
    others: Option<Box<[i128]>>,
}

impl Sum {
    pub(super) fn none(width: usize) -> Sum {
        Sum { first: 0, others: (width > 1).then(|| vec![0; width - 1].into()) }
    }

    pub(super) fn of_event(&self, event: usize) -> i128 {
        match &self.others {
            Some(others) if event > 0 => others[event - 1],
            _ => self.first,
        }
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut i128> {
        std::iter::once(&mut self.first).chain(self.others.iter_mut().flatten())
    }

    pub(super) fn add(&mut self, cost: &[Count]) {
        self.change(cost, |a, b| a + b);
    }

    pub(super) fn remove(&mut self, cost: &[Count]) {
        self.change(cost, |a, b| a - b);
    }

    fn change(&mut self, by: &[Count], of: impl Fn(i128, i128) -> i128) {
        let Some((first, others)) = by.split_first() else {
            return;
        };
        self.first = of(self.first, first.or_zero().into());
        for (sum, count) in self.others.iter_mut().flatten().zip(others) {
            *sum = of(*sum, count.or_zero().into());
        }
    }

    pub(super) fn join(&mut self, other: &Sum) {
        self.combine(other, |a, b| a + b);
    }

    pub(super) fn subtract(&mut self, other: &Sum) {
        self.combine(other, |a, b| a - b);
    }

    pub(super) fn raise(&mut self, at_least: &Sum) {
        self.combine(at_least, i128::max);
    }

    pub(super) fn lower(&mut self, at_most: &Sum) {
        self.combine(at_most, i128::min);
    }

    fn combine(&mut self, other: &Sum, of: impl Fn(i128, i128) -> i128) {
        self.first = of(self.first, other.first);
        for (sum, &other) in self.others.iter_mut().flatten().zip(other.others.iter().flatten()) {
            *sum = of(*sum, other);
        }
    }
}
