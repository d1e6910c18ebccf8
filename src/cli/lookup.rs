//! The options about where sources are.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::{YesNo, folder};
use crate::source::SourceMap;

#[derive(Args, Debug)]
#[command(next_help_heading = "Annotated sources")]
pub(super) struct LookupArguments {
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

impl LookupArguments {
    /// The include folders, the maps, and whether to tell.
    pub(super) fn parts(self) -> (Vec<Vec<u8>>, Vec<SourceMap>, bool) {
        let LookupArguments {
            include,
            source_map,
            verbose,
        } = self;
        let folders = include.into_iter().map(folder).collect();
        (folders, source_map, verbose == YesNo::Yes)
    }
}

fn parse_map(text: OsString) -> Result<SourceMap, &'static str> {
    SourceMap::parse(text.as_encoded_bytes()).ok_or("not of the form OLD=NEW")
}
