//! Numbers of calls.

use crate::profile::Count;
use crate::view::figure::Figure;

/// Numbers of calls. Undefined if there were none, as for the roots of a program and inlined code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallCounts {
    pub by_others: Count,
    /// Recursive calls of a function, and calls within a group or cycle.
    pub recursive: Count,
    /// Whether there are executions of inlined copies too, which are not counted.
    pub has_inlined: bool,
    /// The calls by others, within a cycle, while the function was on the stack already; between
    /// two rows those whose cost is part of the cost of others.
    pub nested: Count,
    /// Whether others within a cycle called it, of which the profile does not say how many were
    /// nested.
    pub(super) may_be_nested: bool,
    /// Whether it is not known how many of these there are.
    pub(super) are_uncounted: bool,
    /// Whether the calls by others are an estimate, as those of a path whose functions have other
    /// callers, too.
    pub are_estimated: bool,
}

/// The calls that a cost is divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallDivisor {
    /// A self cost, which recursive calls have too.
    AllCalls,
    /// An inclusive cost: that of a call has the cost of those nested in it.
    OutermostCalls,
}

impl CallCounts {
    /// The calls by others and by itself.
    pub fn all(self) -> Count {
        match (self.by_others.value(), self.recursive.value()) {
            (None, None) => Count::UNDEFINED,
            (by_others, recursive) => {
                Count::new(by_others.unwrap_or(0).saturating_add(recursive.unwrap_or(0)))
            }
        }
    }

    /// The cost per call of one of these kinds; none if their number is not known.
    pub fn per_call(self, cost: Count, divisor: CallDivisor) -> Option<f64> {
        let by_others = i128::from(self.by_others.or_zero());
        let (calls, is_known) = match divisor {
            CallDivisor::AllCalls => (by_others + i128::from(self.recursive.or_zero()), true),
            CallDivisor::OutermostCalls => {
                (by_others - i128::from(self.nested.or_zero()), !self.may_be_nested)
            }
        };
        let is_known = is_known && calls > 0 && self.are_all_counted();
        is_known.then(|| cost.or_zero() as f64 / calls as f64)
    }

    /// Whether some calls have a cost, which others are part of.
    pub fn are_partly_nested(&self) -> bool {
        (1..self.by_others.or_zero()).contains(&self.nested.or_zero())
    }

    /// The number of calls by others that were not nested in one another, if some were and their
    /// number is known.
    pub fn outermost(self) -> Option<i64> {
        let nested = self.nested.or_zero();
        let is_known = nested > 0 && !self.may_be_nested;
        is_known.then(|| self.by_others.or_zero().saturating_sub(nested))
    }

    /// Whether all calls were counted.
    pub fn are_all_counted(self) -> bool {
        !self.has_inlined && !self.are_uncounted && !self.are_estimated
    }

    pub(super) fn is_any(self) -> bool {
        (self.by_others.or_zero(), self.recursive.or_zero()) != (0, 0)
    }
}

impl Figure<CallCounts> {
    /// The calls between two rows; undefined if all are executions of inlined copies.
    pub fn of_calls(counted: Figure<i64>, has_inlined: bool) -> Figure<CallCounts> {
        let is_any = counted.sides().unwrap_or((&0, &counted.value)) != (&0, &0);
        counted.map(|number| CallCounts {
            by_others: if is_any || !has_inlined { Count::new(number) } else { Count::UNDEFINED },
            recursive: Count::UNDEFINED,
            has_inlined,
            nested: Count::UNDEFINED,
            may_be_nested: false,
            are_uncounted: false,
            are_estimated: false,
        })
    }

    /// The calls from an instruction, if their number is known.
    pub fn of_known_calls(count: Option<i64>) -> Figure<CallCounts> {
        let calls = Figure::of_calls(Figure::plain(count.unwrap_or(0)), false);
        if count.is_none() { calls.uncounted() } else { calls }
    }

    /// The same with the numbers of those whose cost is part of the cost of others.
    pub(super) fn with_nested(mut self, nested: Figure<i64>) -> Figure<CallCounts> {
        self.add_with(nested, |calls, nested| calls.nested = Count::new(nested));
        self
    }

    /// Whether all calls between two rows are executions of inlined copies.
    pub fn is_inlined(&self) -> bool {
        self.value.has_inlined && self.value.by_others.value().is_none()
    }

    /// Whether calls between two rows were not counted.
    pub fn is_unknown(&self) -> bool {
        self.value.are_uncounted && !self.is_inlined()
    }

    /// The same calls, whose number is not known.
    pub(super) fn uncounted(self) -> Figure<CallCounts> {
        self.map(|calls| CallCounts { by_others: Count::UNDEFINED, are_uncounted: true, ..calls })
    }

    /// The same calls, whose number is an estimate.
    pub(super) fn estimated(self) -> Figure<CallCounts> {
        self.map(|calls| CallCounts { are_estimated: true, ..calls })
    }

    pub fn add(&mut self, other: Figure<CallCounts>) {
        let is_unknown = self.value.are_uncounted || other.value.are_uncounted;
        self.add_with(other, |sum, calls| {
            sum.by_others.add(calls.by_others);
            sum.nested.add(calls.nested);
            sum.has_inlined |= calls.has_inlined;
        });
        if is_unknown {
            *self = self.uncounted();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_per_call() {
        use CallDivisor::{AllCalls, OutermostCalls};
        let counts = |by_others: i64, recursive: i64| CallCounts {
            by_others: Count::new(by_others),
            recursive: Count::new(recursive),
            has_inlined: false,
            nested: Count::UNDEFINED,
            may_be_nested: false,
            are_uncounted: false,
            are_estimated: false,
        };
        let with_nested = CallCounts { nested: Count::new(1), ..counts(3, 0) };
        let in_cycle = CallCounts { may_be_nested: true, ..counts(3, 0) };
        // How often the copies were executed is not counted.
        let with_copies = CallCounts { has_inlined: true, ..counts(3, 0) };
        let with_parts = CallCounts { are_uncounted: true, ..counts(3, 0) };
        // The calls, and 60 for each of all, and of those that are not nested.
        let table = [
            (counts(3, 0), [Some(20.0), Some(20.0)]),
            (counts(3, 2), [Some(12.0), Some(20.0)]),
            (counts(0, 2), [Some(30.0), None]),
            (counts(0, 0), [None, None]),
            (with_nested, [Some(20.0), Some(30.0)]),
            (in_cycle, [Some(20.0), None]),
            (with_copies, [None, None]),
            (with_parts, [None, None]),
        ];
        for (calls, expected) in table {
            let divisors = [AllCalls, OutermostCalls];
            let costs = divisors.map(|divisor| calls.per_call(Count::new(60), divisor));
            assert_eq!(costs, expected, "{calls:?}");
        }
    }
}
