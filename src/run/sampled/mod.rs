//! gprof's own data: the program that was profiled, and the samples and calls that it recorded.

mod files;
mod load;
mod views;

use std::io::Write;

use anyhow::Result;

use crate::options::{Options, ProgramOptions, Report};
use crate::run::{LimitFailed, UsageError};
pub(super) use files::{SampledFiles, find};

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

/// Writes the report.
pub(super) fn write(
    files: &SampledFiles,
    options: &Options,
    escapes: bool,
    out: &mut impl Write,
    err: &mut impl Write,
) -> Result<Option<LimitFailed>> {
    match &options.report {
        Report::Gprof(gprof) => views::write(files, options, gprof, escapes, out, err)?,
        _ => {
            let text = "gprof's data is read by 'cgannotate gprof' only";
            return Err(UsageError(text.to_owned()).into());
        }
    }
    Ok(None)
}
