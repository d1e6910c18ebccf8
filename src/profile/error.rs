//! Why something cannot be added to a profile.

use std::error::Error;
use std::fmt;

/// Counts that add up to more than the [`LIMIT`](super::LIMIT).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counts add up to more than 2^61")
    }
}

impl Error for Overflow {}

/// More different things than there are ids, or than a profile may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitExceeded;

impl fmt::Display for LimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many distinct names")
    }
}

impl Error for LimitExceeded {}

/// Why a cost could not be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddError {
    /// A sum does not fit into 64 bits.
    Overflow,
    /// There are more rows than ids.
    LimitExceeded,
}

impl fmt::Display for AddError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AddError::Overflow => Overflow.fmt(f),
            AddError::LimitExceeded => LimitExceeded.fmt(f),
        }
    }
}

impl Error for AddError {}

impl From<Overflow> for AddError {
    fn from(_: Overflow) -> AddError {
        AddError::Overflow
    }
}

impl From<LimitExceeded> for AddError {
    fn from(_: LimitExceeded) -> AddError {
        AddError::LimitExceeded
    }
}
