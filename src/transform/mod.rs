//! What changes a profile before it is looked at: each file here makes another profile of one, so that views know of none of it.

mod charge;
mod divide;
mod pair;

pub use charge::{Charged, ChargedCode, MAX_NEW_CALLS, charge_to_callers};
pub use divide::divide_by_line;
pub use pair::pair;
