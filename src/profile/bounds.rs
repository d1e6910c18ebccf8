//! Bounds of estimated costs.

use crate::profile::count::Count;
use crate::profile::division::FunctionId;

/// The lower and upper bounds of an estimated cost, of a function or of a row.
#[derive(Clone, Debug)]
pub struct Bounds<T> {
    pub of: T,
    pub least: Vec<Count>,
    pub most: Vec<Count>,
    /// The events of which the costs have bounds: those without negative counts in the cycle.
    pub is_bounded: Vec<bool>,
}

impl Bounds<FunctionId> {
    /// The bounds of a row that is this function.
    pub fn of_row(&self, row: u32) -> Bounds<u32> {
        let Bounds { least, most, is_bounded, .. } = self.clone();
        Bounds { of: row, least, most, is_bounded }
    }
}
