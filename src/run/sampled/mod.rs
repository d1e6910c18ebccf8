//! gprof's own data: the program that was profiled, and the samples and calls that it recorded.

mod load;
mod views;

use crate::options::Options;
use crate::read::gmon::GmonFormat;
use crate::run::message::UsageError;
pub(super) use crate::run::sampled::load::{SampledFiles, add_to_profile, find, missing_half};
pub(super) use crate::run::sampled::views::{warn_not_found, write_source};
pub(super) use views::write as write_views;

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

/// Rejects options for what gprof's data does not have.
pub(super) fn check_views(all: &Options) -> Result<(), UsageError> {
    let (read, selection) = (&all.input.read, &all.selection);
    let is_folded = read.fold.callers || read.fold.recursion;
    let of_fold = "names in gprof's data have no suffixes of callers";
    let is_plain = all.input.charged.is_empty();
    let of_charged = "of gprof's data only without the command gprof";
    let has = |what| format!("gprof's data has {what}");
    let unused = [
        (selection.show.is_empty(), "--show", has("one event")),
        (selection.sort.is_empty(), "--sort", has("one event")),
        (all.input.events.is_empty(), "--event", has("one event")),
        (read.parts.is_empty(), "--part", has("no parts")),
        (read.threads.is_empty(), "--thread", has("no threads")),
        (!is_folded, "--fold", of_fold.to_owned()),
        (is_plain, "--charge-to-callers", of_charged.to_owned()),
    ];
    let given = unused.iter().find(|(is_unused, ..)| !is_unused);
    let error = |(_, option, why): &(_, _, _)| UsageError(format!("{option}: {why}"));
    given.map_or(Ok(()), |given| Err(error(given)))
}
