//! All errors of the library, and warnings about what it read.

use std::error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{FormulaError, PatternError};
use crate::profile::Overflow;
use crate::read::warning::{self, ErrorKind};

/// Any error of this library. `?` makes one of each of them.
///
/// Its text and its [`source`](error::Error::source) are those of the error that it holds.
///
/// ```
/// use cgannotate::{CallGraph, Error, Formula, Profile};
///
/// fn check() -> Result<(), Error> {
///     let profile = Profile::read("testdata/words/words.out")?; // ReadError
///     CallGraph::new(&profile)?; // Overflow
///     Formula::parse("Ir +")?; // FormulaError
///     Ok(())
/// }
/// assert!(matches!(check(), Err(Error::Formula(_))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A profile cannot be read.
    Read(ReadError),
    /// A sum or a difference does not fit into 64 bits.
    Overflow(Overflow),
    /// A pattern is malformed.
    Pattern(PatternError),
    /// A formula is malformed.
    Formula(FormulaError),
}

impl Error {
    fn inner(&self) -> &(dyn error::Error + 'static) {
        match self {
            Error::Read(error) => error,
            Error::Overflow(error) => error,
            Error::Pattern(error) => error,
            Error::Formula(error) => error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.inner(), f)
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.inner().source()
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Error {
        Error::Read(error)
    }
}

impl From<Overflow> for Error {
    fn from(error: Overflow) -> Error {
        Error::Overflow(error)
    }
}

impl From<PatternError> for Error {
    fn from(error: PatternError) -> Error {
        Error::Pattern(error)
    }
}

impl From<FormulaError> for Error {
    fn from(error: FormulaError) -> Error {
        Error::Formula(error)
    }
}

/// A file that cannot be read, is no profile, or lacks what [`ReadOptions`](super::ReadOptions) request.
///
/// Its text begins with the file, and the line if there is one: `callgrind.out.7:12: 64-bit overflow in a number`. Its
/// [`source`](error::Error::source) is the [`io::Error`] if the file could not be opened or read.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    cause: Cause,
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum Cause {
    /// It cannot be read.
    File(warning::Error),
    /// It has no part of this number.
    Part(String),
    /// It has no thread of this number.
    Thread(String),
    /// It has the parts and the threads, but no such part of such a thread.
    PartOfThread,
    /// It has neither this event nor any that it can be derived from.
    Event(String),
    /// It lacks an event of a formula.
    Formula {
        /// The event that the formula defines.
        event: String,
        /// The one that it lacks.
        unknown: String,
    },
}

impl ReadError {
    pub(super) fn new(path: &Path, cause: Cause) -> ReadError {
        let path = path.to_owned();
        ReadError { path, cause }
    }

    /// The file; the first of several if none of them has what the options request.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of the line that is wrong, if it is one.
    pub fn line(&self) -> Option<u64> {
        match &self.cause {
            Cause::File(error) => error.line,
            _ => None,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.path, self.line())?;
        self.cause.fmt(f)
    }
}

impl error::Error for ReadError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.cause {
            Cause::File(warning::Error {
                kind: ErrorKind::Io(error),
                ..
            }) => Some::<&io::Error>(error).map(|error| error as _),
            _ => None,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::File(error) => error.fmt(f),
            Cause::Part(number) => write!(f, "no part {number}"),
            Cause::Thread(number) => write!(f, "no thread {number}"),
            Cause::PartOfThread => {
                f.write_str("none of these parts belongs to one of these threads")
            }
            Cause::Event(name) => {
                write!(f, "no event '{name}', and none that it can be derived from")
            }
            Cause::Formula { event, unknown } => {
                write!(f, "event {event}: the profile has no event '{unknown}'")
            }
        }
    }
}

/// Something in a profile that is malformed or contradictory, and was left out or ignored.
///
/// As text it is `file:line: text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    file: PathBuf,
    line: Option<u64>,
    text: String,
}

impl Warning {
    /// The warnings about a file: the first ones, and how many more there are.
    pub(super) fn of_file(file: &Path, warnings: &warning::Warnings) -> Vec<Warning> {
        let new = |line, text| Warning {
            file: file.to_owned(),
            line,
            text,
        };
        let listed = warnings.listed().iter();
        let listed = listed.map(|(line, warning)| new(Some(*line), warning.to_string()));
        let unlisted = match warnings.unlisted() {
            0 => None,
            1 => Some("1 more warning not shown".to_owned()),
            more => Some(format!("{more} more warnings not shown")),
        };
        let unlisted = unlisted.map(|text| new(None, text));
        listed.chain(unlisted).collect()
    }

    /// The file; `-` for bytes that were not read from one.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The number of the line, from 1. None for the last warning about a file that has more of them than are listed; it
    /// says how many.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// What is wrong, without file and line.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_place(f, &self.file, self.line)?;
        f.write_str(&self.text)
    }
}

/// Writes `file:line: `.
fn write_place(f: &mut fmt::Formatter<'_>, file: &Path, line: Option<u64>) -> fmt::Result {
    write!(f, "{}:", file.display())?;
    match line {
        Some(line) => write!(f, "{line}: "),
        None => f.write_str(" "),
    }
}
