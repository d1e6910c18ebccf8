//! The options that divide or multiply all counts.

use clap::Args;

use crate::options::{Per, ScaleOptions};
use crate::view::Pattern;

#[derive(Args, Debug)]
#[command(next_help_heading = "Report")]
pub(super) struct ScaleArguments {
    /// Divide all counts by N, or by the calls of a function
    ///
    /// `calls:PATTERN` divides by the number of calls to matching functions from functions that do not match, which gives the
    /// cost per request or iteration. With --diff each side is divided by its own number. Limits apply to the result.
    #[arg(long, hide_short_help = true, value_name = "N|calls:PATTERN", value_parser = parse_per)]
    pub(super) per: Option<Per>,

    /// With --diff: scale BASE to NEW's total of the first event
    ///
    /// What remains is how the shares of the total changed. Counts are rounded to the nearest integer.
    #[arg(
        long,
        hide_short_help = true,
        requires = "diff",
        conflicts_with = "fail_above"
    )]
    normalize: bool,
}

impl ScaleArguments {
    /// Whether counts are scaled.
    pub(super) fn is_given(&self) -> bool {
        self.per.is_some() || self.normalize
    }

    pub(super) fn into_options(self) -> ScaleOptions {
        ScaleOptions {
            per: self.per,
            normalizes: self.normalize,
        }
    }
}

fn parse_per(text: &str) -> Result<Per, String> {
    if let Some(pattern) = text.strip_prefix("calls:") {
        let pattern = Pattern::parse(pattern).map_err(|error| error.to_string())?;
        return Ok(Per::Calls(pattern));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    number
        .map(Per::Number)
        .ok_or_else(|| "expected a positive integer, or calls: and a pattern".to_owned())
}
