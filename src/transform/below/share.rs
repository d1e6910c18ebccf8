//! The fraction of a function that is in one part, and the division of its costs by that, in
//! integers that add up.

use crate::profile::Count;

/// The fraction of a function that is in one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) part: i128,
    pub(super) whole: i128,
}

impl Share {
    pub(super) const NONE: Share = Share { part: 0, whole: 1 };
    pub(super) const ALL: Share = Share { part: 1, whole: 1 };

    /// A fraction between 0 and 1; none of it is known if the whole is 0. Costs of mixed sign may
    /// be no part of their sum.
    pub(super) fn new(part: i128, whole: i128) -> Option<Share> {
        if whole == 0 {
            return None;
        }
        Some(match (part.signum() * whole.signum(), part.abs() >= whole.abs()) {
            (1, true) => Share::ALL,
            (1, false) => Share { part, whole },
            _ => Share::NONE,
        })
    }

    pub(super) fn of(self, amount: i128) -> i128 {
        if self == Share::ALL { amount } else { amount * self.part / self.whole }
    }

    /// The part of a number of calls or executions, rounded to the nearest whole number.
    pub(super) fn of_calls(self, count: i64) -> i64 {
        let twice = 2 * i128::from(count) * self.part + self.whole;
        twice.div_euclid(2 * self.whole) as i64
    }
}

/// Divides amounts one after the other, so that the parts of several add up to the part of their
/// sum.
pub(super) struct Divider<'s> {
    shares: &'s [Share],
    so_far: Vec<i128>,
}

impl<'s> Divider<'s> {
    pub(super) fn new(shares: &'s [Share]) -> Divider<'s> {
        Divider { shares, so_far: vec![0; shares.len()] }
    }

    pub(super) fn next(&mut self, cost: &[Count]) -> Vec<Count> {
        let parts = cost.iter().zip(self.shares).zip(&mut self.so_far);
        let part = |((count, share), so_far): ((&Count, &Share), &mut i128)| {
            let Some(value) = count.value() else {
                return Count::UNDEFINED;
            };
            let before = share.of(*so_far);
            *so_far += i128::from(value);
            Count::new((share.of(*so_far) - before) as i64)
        };
        parts.map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_sum_add_up() {
        let shares = [Share { part: 2300, whole: 3300 }];
        let mut divider = Divider::new(&shares);
        let parts = [300, 3000].map(|count| divider.next(&[Count::new(count)])[0]);
        assert_eq!(parts, [Count::new(209), Count::new(2091)]);
    }

    #[test]
    fn a_part_of_calls_is_none_if_it_is_less_than_half_of_one() {
        let table = [(1, 3, 1, 0), (1, 2, 1, 1), (1, 3, 2, 1), (1, 3, 9, 3), (0, 1, 5, 0)];
        for (part, whole, count, expected) in table {
            let share = Share { part, whole };
            assert_eq!(share.of_calls(count), expected, "{part} of {whole}, {count} calls");
        }
        assert_eq!(Share::ALL.of_calls(7), 7);
    }

    #[test]
    fn costs_of_mixed_sign_are_no_part_of_their_sum() {
        let table = [
            (2, 4, Some(Share { part: 2, whole: 4 })),
            (4, 4, Some(Share::ALL)),
            (5, 4, Some(Share::ALL)),
            (-4, -4, Some(Share::ALL)),
            (-1, 4, Some(Share::NONE)),
            (0, 4, Some(Share::NONE)),
            (1, 0, None),
        ];
        for (part, whole, share) in table {
            assert_eq!(Share::new(part, whole), share, "{part} of {whole}");
        }
    }
}
