//! The command line: the one home of clap. Doc comments are the help text.

mod filters;
mod generate;
mod gprof;
mod output;
mod sources;
mod terminal;
mod unsupported;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, ValueEnum};

use filters::FilterArguments;

use crate::options::{Limit, Options};
use crate::profile::Formula;
use crate::read::{ReadOptions, Rename};
use crate::render::{Format, Tree};
use crate::view::{RowOptions, SelectionOptions, Threshold};
use sources::SourceArguments;

/// Annotates profiles in the format of callgrind: functions, call trees and source lines with their costs.
#[derive(Debug, Parser)]
#[command(version, args_override_self = true)]
struct Arguments {
    /// Profiles, which are added up (`-` first: standard input), and sources to annotate, whatever they cost
    /// [default: the first callgrind.out* or cachegrind.out* here]
    file: Vec<PathBuf>,

    /// As in gprof.
    #[arg(short = 'v', hide = true, action = ArgAction::Version)]
    version_too: Option<bool>,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    list: ListArguments,

    #[command(flatten)]
    filters: FilterArguments,

    #[command(flatten)]
    sources: SourceArguments,

    #[command(flatten)]
    gprof: gprof::GprofArguments,

    #[command(flatten)]
    output: output::OutputArguments,

    #[command(flatten)]
    terminal: terminal::TerminalArguments,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "What is read")]
struct ReadArguments {
    /// Show what changed since this profile: counts less its counts, in percent of its total
    #[arg(long, value_name = "BASE")]
    diff: Option<PathBuf>,

    /// With --diff: end with status 3 if the program total (of the first event, or of EVENT) grew by more
    #[arg(long, value_name = "[EVENT:]PERCENT", requires = "diff", value_parser = parse_limit)]
    fail_above: Option<Limit>,

    /// Read only the parts (dumps) with these numbers
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    part: Vec<String>,

    /// Read only the parts of these threads
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    thread: Vec<String>,

    /// Define an event, such as 'CEst = Ir + 10 L1m + 100 LLm'; may be repeated
    #[arg(long, value_name = "NAME = FORMULA", value_parser = parse_event)]
    event: Vec<(Vec<u8>, Formula)>,

    /// Change the names of files, so that those that become equal are one; may be repeated
    #[arg(long, value_name = "s/REGEX/TEXT/[gi]", value_parser = Rename::parse)]
    mod_filename: Vec<Rename>,

    /// Change the names of functions likewise
    #[arg(long, value_name = "s/REGEX/TEXT/[gi]", value_parser = Rename::parse)]
    mod_funcname: Vec<Rename>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The list of functions")]
struct ListArguments {
    /// Events to show, in this order [default: all]
    #[arg(long, value_name = "A,B,C")]
    show: Option<OsString>,

    /// Events to sort by, each with a threshold of its own if it is to have one; `calls` may be the first [default: all]
    #[arg(long, value_name = "A[:PERCENT],B")]
    sort: Option<OsString>,

    /// List functions up to this percentage of the first sort event, or of what the questions leave of it [default: 99]
    #[arg(long, value_name = "0-100", value_parser = parse_threshold)]
    threshold: Option<Threshold>,

    /// Show percentages beside counts
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    show_percs: YesNo,

    /// Add to the cost of functions what they called
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    inclusive: YesNo,

    /// Show who calls each function, whom it calls, or both
    #[arg(long, default_value = "none")]
    tree: TreeArgument,

    /// Find call cycles and give each a row of its own; `no` adds up all callers, whatever they are
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    cycles: YesNo,

    /// Make mangled names of C++ and Rust readable
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "yes",
        default_missing_value = "yes"
    )]
    #[arg(num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    demangle: YesNo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TreeArgument {
    None,
    Caller,
    Calling,
    Both,
}

fn parse_threshold(text: &str) -> Result<Threshold, String> {
    Threshold::parse(text).ok_or_else(|| "not a percentage from 0 to 100".to_owned())
}

fn parse_limit(text: &str) -> Result<Limit, String> {
    let (event, percent) = match text.rsplit_once(':') {
        Some((event, percent)) => (Some(event.as_bytes().to_vec()), percent),
        None => (None, text),
    };
    let percent = percent
        .strip_suffix('%')
        .unwrap_or(percent)
        .parse::<f64>()
        .ok()
        .filter(|p| p.is_finite() && *p >= 0.0);
    Ok(Limit {
        event,
        percent: percent.ok_or("not a percentage")?,
    })
}

fn parse_event(text: &str) -> Result<(Vec<u8>, Formula), String> {
    Formula::parse_definition(text.as_bytes())
        .ok_or_else(|| "not of the form NAME = N EVENT + N EVENT".to_owned())
}

/// What is printed instead of a report.
#[derive(Debug)]
pub enum EarlyExit {
    /// The help, the version, or what is wrong with the command line.
    Clap(clap::Error),
    /// What `--generate` asks for.
    Generated(Vec<u8>),
}

impl EarlyExit {
    /// Prints it where it belongs.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn print(&self) -> io::Result<()> {
        match self {
            EarlyExit::Clap(error) => error.print(),
            EarlyExit::Generated(text) => {
                let mut out = io::stdout().lock();
                out.write_all(text)?;
                out.flush()
            }
        }
    }

    /// With which status the program ends then.
    pub fn exit_code(&self) -> i32 {
        match self {
            EarlyExit::Clap(error) => error.exit_code(),
            EarlyExit::Generated(_) => 0,
        }
    }
}

impl From<clap::Error> for EarlyExit {
    fn from(error: clap::Error) -> EarlyExit {
        EarlyExit::Clap(error)
    }
}

/// Reads the command line, the first word of which is the program's name.
///
/// # Errors
/// [`EarlyExit`], if there is to be no report.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, EarlyExit> {
    let command = unsupported::with_unsupported(Arguments::command());
    let words = gprof::attach_values(&command, words.into_iter());
    let matches = command.try_get_matches_from(words)?;
    unsupported::check(&matches)?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    if let Some(text) = arguments.output.generated(Arguments::command()) {
        return Err(EarlyExit::Generated(text));
    }
    output::check(&matches, &Arguments::command(), arguments.output.format())
        .map_err(|text| Arguments::command().error(ErrorKind::ArgumentConflict, text))?;
    let Arguments {
        file,
        version_too: _,
        read,
        list,
        filters,
        sources,
        gprof,
        output,
        terminal,
    } = arguments;
    let ReadArguments {
        diff,
        fail_above,
        part,
        thread,
        event,
        mod_filename,
        mod_funcname,
    } = read;
    let ListArguments {
        show,
        sort,
        threshold,
        show_percs,
        inclusive,
        tree,
        cycles,
        demangle,
    } = list;
    let sources = sources.into_options();
    let working_dir = std::env::current_dir()
        .ok()
        .map(|dir| dir.into_os_string().into_encoded_bytes());
    let filters = filters.into_options();
    let mut selection = SelectionOptions {
        show: show.map(|names| split(names).collect()).unwrap_or_default(),
        sort: sort
            .map(|names| split(names).map(with_threshold).collect())
            .unwrap_or_default(),
        ..SelectionOptions::default()
    };
    filters.apply_to(threshold.or_else(|| output.threshold()), &mut selection);
    selection.tells_rest |= output.format() == Format::Json;
    let gprof = gprof
        .into_options(terminal.width)
        .map_err(|text| Arguments::command().error(ErrorKind::ValueValidation, text))?;
    let (is_page, on_stdout) = (output.format() == Format::Text, output.file().is_none());
    gprof::check(&matches, &gprof)
        .map_err(|text| Arguments::command().error(ErrorKind::ArgumentConflict, text))?;
    let bytes = |words: Vec<String>| words.into_iter().map(String::into_bytes).collect();
    Ok(Options {
        files: file,
        progress: terminal::shows_progress(),
        read: ReadOptions {
            working_dir,
            fold: filters.fold,
            rename_files: mod_filename,
            rename_functions: mod_funcname,
            parts: bytes(part),
            threads: bytes(thread),
            ..ReadOptions::default()
        },
        diff,
        fail_above,
        events: event,
        selection,
        percentages: show_percs == YesNo::Yes,
        inclusive: inclusive == YesNo::Yes,
        tree: match tree {
            TreeArgument::None => Tree::None,
            TreeArgument::Caller => Tree::Caller,
            TreeArgument::Calling => Tree::Calling,
            TreeArgument::Both => Tree::Both,
        },
        cycles: cycles == YesNo::Yes,
        rows: RowOptions {
            demangles: demangle == YesNo::Yes,
            filter: filters.filter,
            grouping: filters.grouping,
        },
        auto: sources.auto,
        context: sources.context,
        folders: sources.folders,
        source_maps: sources.source_maps,
        verbose: sources.verbose,
        format: output.format(),
        output: output.file(),
        gprof,
        colours: is_page && terminal.colours(on_stdout),
        width: terminal.columns(on_stdout).filter(|_| is_page),
    })
}

/// The words between commas.
fn split(list: OsString) -> impl Iterator<Item = Vec<u8>> {
    let words: Vec<_> = list
        .as_encoded_bytes()
        .split(|&b| b == b',')
        .map(<[u8]>::to_vec)
        .collect();
    words.into_iter().filter(|word| !word.is_empty())
}

/// `EVENT:PERCENT`. What stands behind the colon and is no percentage is part of the event's name.
fn with_threshold(word: Vec<u8>) -> (Vec<u8>, Option<Threshold>) {
    let colon = word.iter().rposition(|&b| b == b':');
    let threshold =
        colon.and_then(|at| Threshold::parse(std::str::from_utf8(&word[at + 1..]).ok()?));
    match (colon, threshold) {
        (Some(at), Some(threshold)) => (word[..at].to_vec(), Some(threshold)),
        _ => (word, None),
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
