//! Whole numbers split by weights.

/// Splits a whole number by weights so that the parts add up to it.
pub(super) struct Apportion {
    amount: i128,
    weights: i128,
    so_far: i128,
    given: i128,
}

impl Apportion {
    /// `weights` is the sum of all of them.
    pub(super) fn new(amount: i128, weights: i128) -> Apportion {
        Apportion {
            amount,
            weights,
            so_far: 0,
            given: 0,
        }
    }

    /// The next part.
    pub(super) fn next(&mut self, weight: i128) -> i128 {
        self.so_far += weight;
        let up_to_here = if self.weights == 0 {
            0
        } else {
            self.amount * self.so_far / self.weights
        };
        let part = up_to_here - self.given;
        self.given = up_to_here;
        part
    }
}
