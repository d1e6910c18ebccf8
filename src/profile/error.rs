//! Why something cannot be added to a profile.

use thiserror::Error;

/// Counts that add up to more than the [`LIMIT`](super::LIMIT).
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("the counts add up to more than 2^61")]
pub struct Overflow;

/// More different things than there are ids, or than a profile may have.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("too many distinct names")]
pub struct LimitExceeded;

/// Why a cost could not be added.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AddError {
    #[error(transparent)]
    Overflow(#[from] Overflow),
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}
