//! Reading: bytes in, a [`Profile`] filled. This room alone knows the file format.
//!
//! [`record`] is the lexer, `callgrind` the reader with all that has to be remembered between lines,
//! `input` opens and unpacks, [`warning`] holds the wording of all that can be wrong.

mod callgrind;
mod header;
mod ids;
mod input;
pub mod record;
pub mod warning;

use std::path::Path;

use crate::profile::Profile;
use callgrind::Reader;
use warning::{Cause, Error, Warnings};

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The folder that is cut from file names below it, without a slash at its end.
    pub working_dir: Option<Vec<u8>>,
}

/// Adds what the file at `path` holds to `profile`. `-` is standard input.
///
/// # Errors
/// [`Error`] if it is no profile, or holds numbers that do not fit. `profile` is then of no use.
pub fn read(path: &Path, options: &ReadOptions, profile: &mut Profile) -> Result<Warnings, Error> {
    let in_no_line = |cause| Error { line: None, cause };
    let input = input::open(path).map_err(in_no_line)?;
    let mut reader = Reader::new(profile, options).map_err(|_| in_no_line(Cause::TooMany))?;
    match input::chunks(input, |piece| reader.read(piece)) {
        Ok(()) => reader.finish(),
        Err(Error {
            line: None,
            cause: Cause::LongLine,
        }) => Err(Error {
            line: Some(reader.line() + 1),
            cause: Cause::LongLine,
        }),
        Err(error) => Err(error),
    }
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Error {
        Error { line: None, cause }
    }
}
