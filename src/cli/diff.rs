//! The options of a difference.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use crate::view::{Limit, Percentage};

#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(super) struct DiffArguments {
    /// Compare with this profile: costs before and after
    ///
    /// May be repeated: several profiles are summed.
    #[arg(long, value_name = "BASE", value_hint = ValueHint::FilePath)]
    pub(super) diff: Vec<PathBuf>,

    /// Search this directory for BASE's sources (repeatable)
    ///
    /// Lines are then compared by their text: costs before and after are beside the same line, also where it moved, and
    /// removed lines are shown where they were. -I is for the sources of the new profile.
    #[arg(long, hide_short_help = true, value_name = "DIR", requires = "diff")]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(super) base_include: Vec<OsString>,

    /// The program that wrote BASE, if it is gprof's data
    #[arg(long, hide_short_help = true, value_name = "FILE", requires = "diff")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(super) diff_executable: Option<PathBuf>,

    /// With --diff: percent of the row before, or of BASE's total
    ///
    /// `row` is the change in percent of the same figure of BASE, `total` in percent of BASE's total.
    #[arg(long, hide_short_help = true, value_name = "row|total")]
    #[arg(requires = "diff", default_value = "row", hide_possible_values = true)]
    pub(super) diff_percent: PercentArgument,

    /// With --diff: how paths and names are compared
    ///
    /// `auto` pairs paths that only one side has by their ends, and leaves what varies from build to build out of names:
    /// [clone .isra.0], hashes, addresses of functions without names. `exact` does neither.
    #[arg(long = "match", hide_short_help = true, value_name = "auto|exact")]
    #[arg(requires = "diff", default_value = "auto", hide_possible_values = true)]
    pub(super) matching: MatchArgument,

    /// With --diff: exit status 3 if the total grew by more
    ///
    /// The total is that of the first event to sort by, or of EVENT; with --function, --file or --object it is the self
    /// cost of the matching rows. May be repeated. A line on standard error says what came of it.
    #[arg(long, value_name = "[EVENT:]PERCENT", requires = "diff", value_parser = parse_limit)]
    fail_above: Vec<Limit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PercentArgument {
    Row,
    Total,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatchArgument {
    Auto,
    Exact,
}

impl DiffArguments {
    /// The limits.
    pub(super) fn limits(&self) -> Vec<Limit> {
        self.fail_above.clone()
    }
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let (event, percent) = match text.rsplit_once(':') {
        Some((event, percent)) => (Some(event.as_bytes().to_vec()), percent),
        None => (None, text),
    };
    Ok(Limit {
        event,
        percent: Percentage::parse(percent).ok_or("expected a percentage")?,
    })
}
