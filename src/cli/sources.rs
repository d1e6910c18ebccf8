//! The options of annotated sources, for both commands.

use std::ffi::OsString;

use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::YesNo;
use crate::options::AnnotationOptions;
use crate::source::SourceMap;

#[derive(Args, Debug)]
#[command(next_help_heading = "Annotated sources")]
pub(super) struct SourceArguments {
    /// Lines of context around annotated lines
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub(super) context: u32,

    /// Also search this directory for sources, by full path and by path suffix (repeatable)
    #[arg(short = 'I', long, value_name = "DIR")]
    include: Vec<OsString>,

    /// Replace path prefix OLD by NEW when searching for sources (repeatable, last match wins)
    #[arg(long, value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(parse_map))]
    source_map: Vec<SourceMap>,

    /// Print where sources were searched to standard error
    #[arg(long, value_name = "yes|no", default_value = "no")]
    verbose: YesNo,
}

impl SourceArguments {
    /// What is annotated.
    pub(super) fn annotation(&self, auto: bool) -> AnnotationOptions {
        AnnotationOptions {
            auto,
            context: self.context,
            verbose: self.verbose.is_yes(),
        }
    }

    /// The folders and maps by which sources are found.
    pub(super) fn into_places(self) -> (Vec<Vec<u8>>, Vec<SourceMap>) {
        (
            self.include.into_iter().map(folder).collect(),
            self.source_map,
        )
    }
}

/// A folder with a slash at its end, ready to have names put behind it.
fn folder(name: OsString) -> Vec<u8> {
    let mut name = name.into_encoded_bytes();
    if !name.ends_with(b"/") {
        name.push(b'/');
    }
    name
}

fn parse_map(text: OsString) -> Result<SourceMap, &'static str> {
    SourceMap::parse(text.as_encoded_bytes()).ok_or("not of the form OLD=NEW")
}
