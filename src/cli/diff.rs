//! The options of a difference.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args, ValueHint};

use crate::cli::list::{Grouping, ListArguments};
use crate::cli::spec::{EVERYWHERE, Given, about, options};
use crate::cli::words;
use crate::options::Against;
use crate::render::Feature;
use crate::view::{Limit, LimitNumber, RowBy};

/// The value of `--diff` without one, which no file can be given as.
pub(super) const FIRST_OF_TWO: &str = "--";

options! {
    #[derive(Args, Debug)]
    #[command(next_help_heading = "Input")]
    #[command(group(ArgGroup::new("comparison").args(["diff", "series"])))]
    pub(crate) struct DiffArguments {
        /// Show what changed since this profile
        ///
        /// May be repeated: several profiles are summed. If BASE is gprof's data of another
        /// program, that program is given with --diff too. Without BASE, the first of two profiles
        /// is compared with the second. Of a folder alone, the newest run is compared with the
        /// earlier one that is kept beside it (.old, .base@NAME).
        #[arg(long, value_name = "BASE", value_hint = ValueHint::FilePath)]
        #[arg(num_args = 0..=1, default_missing_value = FIRST_OF_TWO)]
        pub(super) diff: Vec<PathBuf> = about(Feature::Difference).not_repeated(),

        /// Compare several profiles: a column for each
        ///
        /// The files are profiles, in the order of the columns; a folder is its newest run, and
        /// files of one run are one profile; FILE#* are the parts of a file. A profile is called by
        /// what tells the names of the files apart, or as NAME=FILE says. What changed most comes
        /// first, with the profile at which it changed most.
        #[arg(long, hide_short_help = true, conflicts_with = "diff")]
        pub(super) series: bool = about(Feature::Series).changing_rows().not_repeated(),

        /// With --series: what limits compare the last profile with
        ///
        /// The first profile, the one before the last, or the one with this name.
        #[arg(long, hide_short_help = true, value_name = "first|previous|NAME")]
        #[arg(requires_all = ["series", "fail_above"], default_value = "previous")]
        #[arg(value_parser = parse_against)]
        pub(super) against: Against = EVERYWHERE.not_repeated(),

        /// Search this directory for BASE's sources (repeatable)
        ///
        /// Lines are then compared by their text: costs before and after are beside the same line,
        /// also where it moved, and removed lines are shown where they were. -I is for the sources
        /// of the new profile.
        #[arg(long, hide_short_help = true, value_name = "DIR", requires = "diff")]
        #[arg(value_hint = ValueHint::DirPath)]
        pub(super) base_include: Vec<OsString> = about(Feature::BaseSources).or(has_lines).repeated(),

        /// With --diff or --series: how paths and names are compared
        ///
        /// `auto` pairs paths that only one side has by their ends, leaves what varies from build
        /// to build out of names ([clone .isra.0], .constprop.0, hashes), and pairs sources and
        /// functions that got another name. `exact` does none of this.
        #[arg(long = "match", hide_short_help = true, value_name = "auto|exact")]
        #[arg(requires = "comparison", default_value = "auto", hide_possible_values = true)]
        #[arg(action = ArgAction::Set, value_parser = words(&[("auto", false), ("exact", true)]))]
        pub(super) is_exact: bool = EVERYWHERE.repeated(),

        /// Fail (status 3) if total is over BASE+N%, or N
        ///
        /// With --diff or --series N is the percentage by which the total may grow; of a series
        /// only the last profile is judged, against the one before it (--against). Without them N
        /// is the most that the total may be, a number above 100, one such as 50M or one with its
        /// EVENT, or that a ratio such as D1mr/Dr may be; with filters N% is the largest share of
        /// the total. It is an error (status 1) if a profile is damaged, if a
        /// pattern matches on one side only, or if a function that matched may have another name in
        /// NEW and decides. The total is that of EVENT, else of the first event to sort by. With
        /// filters (--function, --file, --object) it is the self cost of the matching rows, with
        /// --inclusive too what they cost with all that they called. May be repeated. A line on
        /// standard error reports the result. A table for people shows EVENT too. Other limits are
        /// conditions on --format=json that jq checks: with --diff `all(.rows[]; .base.self[0] ==
        /// null or .self[0] <= .base.self[0] * 0.05)` is one of each function.
        #[arg(long, value_name = "[EVENT:]N", value_parser = parse_limit)]
        pub(super) fail_above: Vec<Limit> = EVERYWHERE.not_repeated(),
    }
}

impl DiffArguments {
    /// Whether several profiles are compared.
    pub(super) fn compares(&self) -> bool {
        !self.diff.is_empty() || self.series
    }
}

/// Without a profile to compare with, a limit up to this one that names no event is meant to be a
/// percentage.
const MAX_PERCENTAGE: u16 = 100;

/// With a profile to compare with, a limit above this one is meant to be no percentage.
const MAX_GROWTH: u16 = 1000;

impl DiffArguments {
    /// The message for a limit that is a percentage without anything that it is of, or that is none
    /// with a profile to compare with.
    pub(super) fn unlikely_limit(&self, has_filters: bool) -> Option<String> {
        let is_ratio = |limit: &Limit| limit.event.as_ref().is_some_and(|of| of.contains(&b'/'));
        let is_unlikely = |limit: &&Limit| {
            if self.compares() {
                !limit.number.is_at_most(MAX_GROWTH)
            } else if limit.number.is_percentage {
                !has_filters && !is_ratio(limit)
            } else {
                limit.number.is_at_most(MAX_PERCENTAGE) && limit.event.is_none()
            }
        };
        let limit = self.fail_above.iter().find(is_unlikely)?;
        let event = limit.event.as_ref().map(|event| String::from_utf8_lossy(event) + ":");
        let unit = if limit.number.is_percentage { "%" } else { "" };
        let given = format!("{}{}{unit}", event.unwrap_or_default(), limit.number.text);
        Some(if self.compares() {
            format!(
                "--fail-above={given}: with --diff and --series a limit is the percentage by which \
                 the total may grow, up to {MAX_GROWTH}; without them it is the total itself"
            )
        } else {
            format!(
                "--fail-above={given} is a percentage by which the total may grow, and needs \
                 --diff=BASE or --series; without them the limit is the total itself \
                 (--fail-above=10000000, --fail-above=EVENT:50), or with filters a share of it (-f \
                 NAME --fail-above=30%)"
            )
        })
    }
}

fn parse_against(text: &str) -> Result<Against, String> {
    match text {
        "" => Err("expected first, previous or the name of a profile".to_owned()),
        "first" => Ok(Against::First),
        "previous" => Ok(Against::Previous),
        label => Ok(Against::Label(label.to_owned())),
    }
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let (event, number) = match text.rsplit_once(':') {
        Some((event, _)) if event.contains(',') => {
            return Err("more than one limit: repeat the option".to_owned());
        }
        Some((event, number)) => (Some(event.as_bytes().to_vec()), number),
        None => (None, text),
    };
    let number = LimitNumber::parse(number).ok_or(
        "expected a number, of at most 18 digits before and after the point, such as 1.5 or 50M",
    )?;
    Ok(Limit { event, number })
}

/// Whether lines of sources are read for a list: for rows by line, nested lines, or the alignment
/// of the sides of a difference.
pub(super) fn has_lines(given: &Given<'_>) -> bool {
    let is_by_line = given.value(ListArguments::group_by()) == Some(Grouping::By(RowBy::Line));
    let has_reasons = given.format.has(Feature::Reasons);
    let is_aligned = (given.format.has_details || has_reasons) && given.has(DiffArguments::diff());
    given.format.has_list() && (is_by_line || given.has(ListArguments::nested()) || is_aligned)
}
