//! The command line: the one home of clap. Doc comments are the help text.
//!
//! Two commands share groups of arguments: [`page`] writes the report and its other formats, [`gprof`] gprof's views.

mod asm;
mod filters;
mod generate;
mod gprof;
mod list;
mod output;
mod page;
mod read;
mod sources;
mod terminal;
mod unsupported;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;

use crate::options::Options;

/// What is printed instead of a report.
#[derive(Debug)]
pub enum EarlyExit {
    /// The help, the version, or what is wrong with the command line.
    Clap(clap::Error),
    /// The output of `--generate`.
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

    /// The exit status of the program then.
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

/// Reads the command line, the first word of which is the program's name. `gprof` as the second word, or a program
/// name of `gprof` or `*-gprof`, selects gprof's views.
///
/// # Errors
/// [`EarlyExit`], if there is to be no report.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, EarlyExit> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let program = words.first().and_then(|word| Path::new(word).file_name());
    let is_link = program.and_then(|name| name.to_str()).is_some_and(|name| {
        let name = name.strip_suffix(".exe").unwrap_or(name);
        name == "gprof" || name.ends_with("-gprof")
    });
    if is_link {
        return gprof::parse(words);
    }
    if words.get(1).is_some_and(|word| word == "gprof") {
        words.remove(1);
        return gprof::parse(words);
    }
    page::parse(words)
}

/// The value of an option that can be turned on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum YesNo {
    Yes,
    No,
}

impl YesNo {
    fn is_yes(self) -> bool {
        self == YesNo::Yes
    }
}

/// Completes the options whose value is `yes|no`: bare, they mean yes.
fn with_yes_no(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let names = arg.get_value_names().unwrap_or_default();
        if names.iter().all(|name| name.as_str() != "yes|no") {
            return arg;
        }
        let arg = arg.num_args(0..=1).require_equals(true);
        arg.default_missing_value("yes").hide_possible_values(true)
    })
}
