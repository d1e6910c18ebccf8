//! The options of annotated sources, for both commands.

use std::ffi::OsString;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueHint};

use super::YesNo;
use crate::options::AnnotationOptions;
use crate::source::SourceMap;

#[derive(Args, Debug)]
#[command(next_help_heading = "Sources and instructions")]
pub(super) struct SourceArguments {
    /// Lines of context around annotated lines
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 8, value_parser = super::parse_count::<u32>)]
    pub(super) context: u32,

    /// Also search this directory for sources (repeatable)
    ///
    /// Sources are found by their full paths and by the ends of their paths.
    #[arg(short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    include: Vec<OsString>,

    /// Search for sources with prefix OLD under NEW (repeatable)
    ///
    /// If several match a source, the last one counts.
    #[arg(long, hide_short_help = true, value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(parse_map))]
    source_map: Vec<SourceMap>,

    /// Print where sources were searched
    #[arg(
        long,
        hide_short_help = true,
        value_name = "yes|no",
        default_value = "no"
    )]
    verbose: YesNo,
}

impl SourceArguments {
    /// What is annotated.
    pub(super) fn annotation(&self, auto: bool) -> AnnotationOptions {
        AnnotationOptions {
            auto,
            context: self.context,
            verbose: self.verbose.is_yes(),
            includes_newer: false,
            skips_system: false,
            counts_missing: false,
        }
    }

    /// The folders to search, and where the sources of another machine are.
    pub(super) fn into_places(self) -> (Vec<OsString>, Vec<SourceMap>) {
        (self.include, self.source_map)
    }
}

/// Folders with slashes at their ends, ready to have names appended.
pub(super) fn folders(names: impl IntoIterator<Item = OsString>) -> Vec<Vec<u8>> {
    let with_slash = |name: OsString| {
        let mut name = name.into_encoded_bytes();
        if !name.ends_with(b"/") {
            name.push(b'/');
        }
        name
    };
    names.into_iter().map(with_slash).collect()
}

fn parse_map(text: OsString) -> Result<SourceMap, &'static str> {
    SourceMap::parse(text.as_encoded_bytes()).ok_or("expected OLD=NEW")
}
