//! The modules of the program `cgannotate`, which annotates Callgrind and Cachegrind profiles. The
//! crate is the program: what is public here serves its binary, and [`internal`] its tests and fuzz
//! targets.
//!
//! ```text
//! data     bytes ──> read ──> profile ──> transform ──> graph ──> view ──> render ──> bytes
//!                    blocks   records    records      arcs      tables   text, json, dot, …
//! imports  read ──> profile <── graph <── transform <── view <── render
//!          leaves, which import none of these: in_order, io_text, source, demangle, program
//!          cli ──> options; run: every module but cli; read of gprof's data ──> graph
//! gprof    its views and pages know no cli and no run; gprof::cli imports cli, gprof::report
//!          imports run, and only this file imports these two of gprof
//! ```
//!
//! **A run.** `cli` parses the words of the command line into `options`, and `run` goes from these
//! to the output: `run::run` opens it, `run::input` has the files read and the profile changed, and
//! the writer of the format gets what the options request.
//!
//! **A cost.** Several threads of `read` lex the lines of functions; the reader adds their costs to
//! the places of the `profile`, whose page explains the model. A `transform` makes another profile
//! of it: costs are charged to callers, the two sides of a difference paired. `graph` adds up calls
//! by the functions that they connect. A `view` selects and orders what the options request
//! (`view::Rows`, `view::List`), and `render` writes it.
//!
//! **An option** is a field of a group in `cli` (`cli::list`, `cli::filters`, ...), with its name,
//! its help and its entry beside it (`cli::spec`), which says in which formats it has an effect.
//! `cli::page` makes the `options` of a run of all groups. A **format** is an entry of
//! `render::formats`, and a **column** shows a measure of `render::measure`; `render::chosen` says
//! which columns a table has. All else can be read without `gprof`.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod cli;
mod demangle;
mod gprof;
mod graph;
mod in_order;
#[doc(hidden)]
pub mod internal;
mod io_text;
mod options;
mod profile;
mod program;
mod read;
mod render;
mod run;
mod source;
mod transform;
mod view;

use std::ffi::OsString;
use std::io::Write;

pub use cli::{EarlyExit, Request, message_width};
pub use io_text::io_text;
pub use options::{Options, RecordOptions};
pub use run::{
    LimitFailed, Messages, NotRecorded, OWN_FAILURE, Pager, Recorded, UsageError, error_text,
    message_lines, record,
};

/// Parses the command line; the first word is the program's name.
///
/// # Errors
/// The text to print in place of a report.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Request, EarlyExit> {
    cli::parse(words, &gprof::cli::COMMAND)
}

/// Reads the profiles and writes the report to `out` or to the requested file, and warnings to
/// `messages`. `escapes` keeps control characters of the input from `out`.
///
/// # Errors
/// A [`UsageError`] if an option does not fit the profile, and [`LimitFailed`] after the report if
/// it says so.
pub fn run(
    options: &Options,
    escapes: bool,
    out: &mut dyn Write,
    messages: &Messages,
) -> anyhow::Result<()> {
    run::run::<gprof::report::GprofReports>(options, escapes, out, messages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReportKind;

    #[test]
    fn a_program_name_that_ends_in_gprof_selects_gprofs_views() {
        for (name, is_gprof) in [
            ("gprof", true),
            ("/usr/bin/x86_64-linux-gnu-gprof", true),
            ("gprof.exe", true),
            ("cgannotate", false),
            ("callgrind_annotate", false),
        ] {
            let Ok(Request::Report(options)) = parse([name, "p.out"].map(OsString::from)) else {
                panic!("{name}: no report");
            };
            assert_eq!(matches!(options.report, ReportKind::Gprof(_)), is_gprof, "{name}");
        }
    }

    #[test]
    fn lines_are_read_only_for_reports_that_have_them() {
        for (words, has_lines) in [
            (&["--nested", "--format=text"][..], true),
            (&["--nested", "--format=text", "-g", "file"], false),
            (&["--format=csv", "-g", "line"], true),
            (&["--format=csv"], false),
            (&["--format=json"], true),
        ] {
            let all = [&["cgannotate", "p.out"], words].concat();
            let Ok(Request::Report(options)) = parse(all.into_iter().map(OsString::from)) else {
                panic!("{words:?}: no report");
            };
            assert_eq!(options.needs().lines, has_lines, "{words:?}");
        }
    }

    #[test]
    fn a_profile_keeps_the_names_of_files_in_the_current_folder() {
        for (format, are_shortened) in [("text", true), ("callgrind", false)] {
            let words = ["cgannotate".to_owned(), format!("--format={format}"), "p.out".to_owned()];
            let Ok(Request::Report(options)) = parse(words.map(OsString::from)) else {
                panic!("{format}: no report");
            };
            assert_eq!(options.input.read.working_dir.is_some(), are_shortened, "{format}");
        }
    }
}
