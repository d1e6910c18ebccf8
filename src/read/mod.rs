//! Reading: bytes in, a [`Profile`] filled. This room alone knows the file format.
//!
//! `input` opens and unpacks, [`cursor`] and [`record`] know what a line looks like, `lex` makes lines
//! of bytes with them, `callgrind` is the reader with all that has to be remembered between lines,
//! [`warning`] holds the wording of all that can be wrong.

mod callgrind;
pub mod cursor;
mod header;
mod ids;
mod input;
mod lex;
pub mod record;
pub mod warning;

use std::path::Path;

use crate::profile::Profile;
use callgrind::Reader;
use lex::Lexer;
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
    let lexer = Lexer::new(input)?;
    while let Some(piece) = lexer.next() {
        let piece = piece.map_err(|cause| {
            let line = matches!(cause, Cause::LongLine).then(|| reader.line() + 1);
            Error { line, cause }
        })?;
        reader.read(&piece)?;
        lexer.give_back(piece);
    }
    lexer.finish();
    reader.finish()
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Error {
        Error { line: None, cause }
    }
}
