//! gprof's own data: the program that was profiled, and the samples and calls that it recorded.

mod check;
mod files;
mod load;
mod text;
mod views;

use crate::options::ProgramOptions;
use crate::run::UsageError;
pub(super) use files::{SampledFiles, find};
pub(super) use text::as_callgrind;
pub(super) use views::write as write_views;

/// Refuses options that have no meaning without gprof's data.
///
/// # Errors
/// [`UsageError`], with the reason.
pub(super) fn check_unused(options: &ProgramOptions) -> Result<(), UsageError> {
    let why = if options.omits_locals {
        "-a: a Callgrind profile does not say which functions are static"
    } else if options.symbols.is_some() {
        "-S: a Callgrind profile has the names of its functions"
    } else if options.executable.is_some() {
        "--executable: a Callgrind profile has the names of its programs"
    } else {
        return Ok(());
    };
    Err(UsageError(why.to_owned()))
}
