//! gprof's own data: the program that was profiled, and the samples and calls that it recorded.

mod load;

use crate::options::Options;
use crate::read::gmon::GmonFormat;
use crate::run::message::UsageError;
pub(crate) use crate::run::sampled::load::{SampledFiles, WantedLines, contents, load};
pub(super) use crate::run::sampled::load::{add_to_profile, find, missing_half};

/// Rejects options that need gprof's data.
pub(super) fn check_unused(all: &Options) -> Result<(), UsageError> {
    let options = &all.input.program;
    let why = if options.omits_locals {
        "-a: a Callgrind profile does not say which functions are static"
    } else if options.symbols.is_some() {
        "-S: a Callgrind profile has the names of its functions"
    } else if !matches!(options.format, GmonFormat::Auto) {
        "-O: the profile is in Callgrind's format"
    } else if options.base_executable.is_some() {
        "--diff: a Callgrind profile has the names of its programs"
    } else {
        return Ok(());
    };
    Err(UsageError(why.to_owned()))
}
