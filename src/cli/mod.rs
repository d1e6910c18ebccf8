//! The command line. Only this module and `gprof::cli` use clap; doc comments of options are their
//! help text.
//!
//! `page` writes the report in all formats, `record` records a profile. The command `gprof`, which
//! shares groups of arguments with `page`, is in a module of its own.
//!
//! Options are in groups: `read` and `diff` say what is read, `filters` which code counts, `list`
//! how rows are listed, `asm` which sources and instructions follow, `output` the format and where
//! the report goes. Each has its entry beside it (`spec`), by which `conflicts` refuses it in a
//! format without effect. `unsupported` explains options of other programs, `help` has the texts
//! around those of the options, and `generate` writes the man page and completions.

pub(crate) mod asm;
mod conflicts;
pub(crate) mod diff;
pub(crate) mod filters;
mod generate;
pub(crate) mod help;
pub(crate) mod list;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod read;
mod record;
pub(crate) mod spec;
pub(crate) mod unsupported;

pub use self::output::message_width;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};

use crate::options::{Options, RecordOptions};

/// Text to print instead of a report.
#[derive(Debug)]
pub enum EarlyExit {
    /// The help, the version, or an error in the command line.
    Clap(clap::Error),
    /// The version, a man page or completions.
    Text(Vec<u8>),
    /// An error in the command line of `record`: its statuses below 125 are the program's.
    Unrecorded(String),
}

impl EarlyExit {
    pub fn print(&self) -> io::Result<()> {
        match self {
            EarlyExit::Clap(error) => error.print(),
            EarlyExit::Text(text) => {
                let mut out = io::stdout().lock();
                out.write_all(text)?;
                out.flush()
            }
            EarlyExit::Unrecorded(text) => writeln!(io::stderr(), "error: {text}"),
        }
    }

    pub fn exit_code(&self) -> i32 {
        match self {
            EarlyExit::Clap(error) => error.exit_code(),
            EarlyExit::Text(_) => 0,
            EarlyExit::Unrecorded(_) => 125,
        }
    }
}

impl From<clap::Error> for EarlyExit {
    fn from(error: clap::Error) -> EarlyExit {
        EarlyExit::Clap(error)
    }
}

/// What a command line requests.
#[derive(Debug)]
pub enum Request {
    Report(Box<Options>),
    Record(RecordOptions),
}

/// The command `gprof`. Nothing here knows its options: whoever calls [`parse`] passes it.
pub(crate) struct OtherCommand {
    pub(crate) command: fn() -> Command,
    /// Parses the words of the command line without `gprof`.
    pub(crate) parse: fn(Vec<OsString>) -> Result<Options, EarlyExit>,
    pub(crate) texts: &'static help::Texts,
    /// Whether an option is one of GNU gprof.
    pub(crate) knows: fn(&str) -> bool,
}

/// The name under which the program was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProgramName {
    Own,
    CallgrindAnnotate,
}

/// Parses the command line; the first word is the program's name. `gprof` as the second word, or a
/// program name of `gprof` or `*-gprof`, selects gprof's views, `record` as the second word a
/// recording. Under the name `callgrind_annotate` a terminal gets the page that a pipe gets.
pub(crate) fn parse(
    words: impl IntoIterator<Item = OsString>,
    gprof: &OtherCommand,
) -> Result<Request, EarlyExit> {
    let report = |options| Request::Report(Box::new(options));
    let generate = |what| generate::generate(what, gprof);
    let parse_page = |words, name| page::parse(words, name, gprof.knows, generate).map(report);
    let parse_gprof = |words| (gprof.parse)(words).map(report);
    let mut words: Vec<OsString> = words.into_iter().collect();
    let program = words.first().and_then(|word| Path::new(word).file_name());
    let is_link = program.and_then(|name| name.to_str()).is_some_and(|name| {
        let name = name.strip_suffix(".exe").unwrap_or(name);
        name == "gprof" || name.ends_with("-gprof")
    });
    if is_link {
        words.insert(1, "--as-gprof".into());
        return parse_gprof(words);
    }
    if program.is_some_and(|name| name == "callgrind_annotate") {
        // The same output for scripts that expect it, even on a terminal.
        let options = ["--color=never", "--pager=no"];
        words.splice(1..1, options.map(OsString::from));
        return parse_page(words, ProgramName::CallgrindAnnotate);
    }
    if words.get(1).is_some_and(|word| word == "gprof") {
        words.remove(1);
        return parse_gprof(words);
    }
    if words.get(1).is_some_and(|word| word == "record") {
        return record::parse(words.into_iter().skip(1), page::command).map(Request::Record);
    }
    if let [_, option] = &words[..]
        && (option == "--version" || option == "-V")
    {
        // Without clap, which would build the whole command first.
        let version = concat!("cgannotate ", env!("CARGO_PKG_VERSION"), "\n");
        return Err(EarlyExit::Text(version.into()));
    }
    parse_page(words, ProgramName::Own)
}

/// A parser that maps words, `NAME|OTHER SPELLING...`, to values.
pub(crate) fn words<T: Copy + Send + Sync + 'static>(
    table: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let values = table.iter().map(|(words, _)| {
        let mut words = words.split('|');
        PossibleValue::new(words.next().unwrap_or_default()).aliases(words)
    });
    PossibleValuesParser::new(values).map(|given| {
        let is_given = |(words, _): &&(&str, T)| words.split('|').any(|word| word == given);
        table.iter().find(is_given).unwrap_or(&table[0]).1
    })
}

pub(crate) fn is_given(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(option) == Some(ValueSource::CommandLine)
}

pub(crate) fn parse_count<N: FromStr>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|_| "expected a whole number")
}

const YES_NO: &[(&str, bool)] = &[("yes|true|on", true), ("no|false|off", false)];

/// Completes the definitions of options: a bare option whose value is `yes|no` means yes.
pub(crate) fn with_values(command: Command) -> Command {
    help::with_flags(command).mut_args(|arg| {
        let names = arg.get_value_names().unwrap_or_default();
        if names.iter().any(|name| name.as_str() == "yes|no") {
            let arg = arg
                .action(ArgAction::Set)
                .value_parser(words(YES_NO))
                .num_args(0..=1)
                .require_equals(true);
            return arg.default_missing_value("yes").hide_possible_values(true);
        }
        arg
    })
}
