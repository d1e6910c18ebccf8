//! What changes a profile before it is looked at: each file here makes another profile of one, so that views know of none of it.

mod charge;
mod pair;

pub use charge::{Charged, ChargedCode, MAX_NEW_CALLS, charge_to_callers};
pub use pair::pair;
