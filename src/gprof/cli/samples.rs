//! The options of a program and of the data that it wrote.

use std::path::PathBuf;

use clap::Args;

use crate::cli::{parse_count, words};
use crate::options::ProgramOptions;
use crate::read::gmon::GmonFormat;

#[derive(Args, Debug)]
#[command(next_help_heading = "gprof's data")]
pub(super) struct SampleArguments {
    /// Add static functions to the function before them
    #[arg(short = 'a', long)]
    no_static: bool,

    /// Ignore static symbols that are not functions
    #[arg(short = 'D', long)]
    ignore_non_functions: bool,

    /// Follow gprof where it leaves out static functions
    ///
    /// These are functions such as f.part.0. It is also followed in the order of -r, in names of
    /// -C, in -S without source lines, in -lA, and in that a SYMSPEC that matches nothing is
    /// ignored.
    #[arg(long)]
    as_gprof: bool,

    /// Lines in the summary after an annotated source
    #[arg(short = 't', long, help_heading = "Output", value_name = "N", default_value_t = 10, value_parser = parse_count::<usize>)]
    pub(super) table_length: usize,

    /// Write each annotated source to ./NAME-ann
    #[arg(short = 'y', long, help_heading = "Output")]
    pub(super) separate_files: bool,

    /// Omit what was executed less often in -C
    #[arg(short = 'm', long, help_heading = "Output", value_name = "N")]
    #[arg(default_value_t = 0)]
    pub(super) min_count: u64,

    /// The format of gprof's data
    #[arg(short = 'O', long, value_name = "FORMAT", default_value = "auto", value_parser = words(FORMATS))]
    file_format: GmonFormat,

    /// Take addresses and names of functions from this file
    ///
    /// It has lines `ADDRESS TYPE NAME`, as nm prints them.
    #[arg(short = 'S', long, value_name = "FILE")]
    external_symbol_table: Option<PathBuf>,
}

const FORMATS: &[(&str, GmonFormat)] = &[
    ("auto", GmonFormat::Auto),
    ("magic", GmonFormat::Magic),
    ("bsd", GmonFormat::Bsd),
    ("4.4bsd", GmonFormat::Bsd44),
];

impl SampleArguments {
    pub(super) fn into_options(self, program: ProgramOptions) -> ProgramOptions {
        ProgramOptions {
            omits_locals: self.no_static,
            only_functions: self.ignore_non_functions,
            as_gprof: self.as_gprof,
            symbols: self.external_symbol_table,
            format: self.file_format,
            ..program
        }
    }
}
