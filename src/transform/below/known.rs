//! What is known before shares of functions are computed.

use crate::profile::FunctionId;

/// The most rounds in which fractions of functions of a cycle are computed, and the change in a
/// round that is small enough to end them.
pub(super) const MAX_ROUNDS: usize = 4000;
pub(super) const MIN_CHANGE: f64 = 1e-9;

/// What decides the shares: by function whether it is chosen, reached from a chosen one, and only
/// called while one is on the stack.
pub(super) struct Known<'a> {
    pub(super) chosen: &'a [bool],
    pub(super) is_reached: Vec<bool>,
    pub(super) is_always: Vec<bool>,
    /// The only chosen function but for levels of its recursion, if it is known what it costs.
    pub(super) only: Option<FunctionId>,
}
