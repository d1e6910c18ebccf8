//! The options about where sources are.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::{YesNo, folder};
use crate::source::SourceMap;

#[derive(Args, Debug)]
#[command(next_help_heading = "Annotated sources")]
pub(super) struct SourceArguments {
    /// Annotate the sources of all listed functions
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    auto: YesNo,

    /// Lines to show before and after each line with costs
    #[arg(long, value_name = "N", default_value_t = 8)]
    context: u32,

    /// Look for sources in this folder too, by their whole names and by the ends of their paths; may be repeated
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<OsString>,

    /// Look for sources whose names begin with OLD under NEW; may be repeated, the last that fits counts
    #[arg(long, value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(parse_map))]
    source_map: Vec<SourceMap>,

    /// Tell on standard error where sources were looked for
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    verbose: YesNo,
}

/// What these options say.
pub(super) struct SourceOptions {
    pub(super) auto: bool,
    pub(super) context: u32,
    pub(super) folders: Vec<Vec<u8>>,
    pub(super) source_maps: Vec<SourceMap>,
    pub(super) verbose: bool,
}

impl SourceArguments {
    /// What they ask for.
    pub(super) fn into_options(self) -> SourceOptions {
        SourceOptions {
            auto: self.auto == YesNo::Yes,
            context: self.context,
            folders: self.include.into_iter().map(folder).collect(),
            source_maps: self.source_map,
            verbose: self.verbose == YesNo::Yes,
        }
    }
}

fn parse_map(text: OsString) -> Result<SourceMap, &'static str> {
    SourceMap::parse(text.as_encoded_bytes()).ok_or("not of the form OLD=NEW")
}
