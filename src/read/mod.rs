//! Reading: bytes in, a [`Profile`] filled. This room alone knows the file format.
//!
//! `input` opens and unpacks, [`cursor`] and [`record`] know what a line looks like and `window` what nearly all
//! do, `lex` makes each `line` of bytes with them and has `keeper` keep the names of functions, `pieces` has two
//! threads do so, `callgrind` is the reader with all that has to be remembered between lines, [`warning`] holds the
//! wording of all that can be wrong.

mod callgrind;
pub mod cursor;
mod header;
mod ids;
mod input;
mod keeper;
mod lex;
mod line;
mod pieces;
pub mod record;
mod rename;
pub mod warning;
mod window;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::profile::{Fold, Part, Profile};
use callgrind::Reader;
use input::Input;
use keeper::Keeper;
use line::Together;
use pieces::Pieces;
use record::Record;
pub use rename::Rename;
use warning::{Cause, Error, Warning, Warnings};

/// How finely costs are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// By source line; else all lines of a function's file are line 0.
    pub lines: bool,
    /// Calls too; else the places that make them are kept, without cost.
    pub calls: bool,
}

impl Detail {
    /// The line that stands for a line.
    #[inline(always)]
    fn line(self, line: u32) -> u32 {
        if self.lines { line } else { 0 }
    }

    /// Which self costs need not be apart.
    fn together(self) -> Together {
        if self.lines {
            Together::OfLine
        } else {
            Together::OfFile
        }
    }
}

impl Default for Detail {
    fn default() -> Detail {
        Detail {
            lines: true,
            calls: true,
        }
    }
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The folder that is cut from file names below it, without a slash at its end.
    pub working_dir: Option<Vec<u8>>,
    /// What is done to the names of files, before the folder is cut from them.
    pub rename_files: Vec<Rename>,
    /// What callgrind adds to the names of functions and is taken from them.
    pub fold: Fold,
    /// What is done to the names of functions then.
    pub rename_functions: Vec<Rename>,
    /// The parts to read, by their `part:`; all if none is named.
    pub parts: Vec<Vec<u8>>,
    /// The threads to read, by their `thread:`; all if none is named.
    pub threads: Vec<Vec<u8>>,
    /// What is kept of the costs: less is read in less time.
    pub detail: Detail,
    /// Counts the bytes that were read so far of all files, packed if they are.
    pub bytes_read: Arc<AtomicU64>,
}

impl ReadOptions {
    /// Whether a part is to be read.
    fn wants(&self, part: &Part) -> bool {
        let named = |wanted: &[Vec<u8>], value: &Option<Vec<u8>>| {
            wanted.is_empty() || value.as_ref().is_some_and(|value| wanted.contains(value))
        };
        named(&self.parts, &part.number) && named(&self.threads, &part.thread)
    }
}

/// Whether the file at `path` looks like a profile: lines of a header, then `events:`.
pub fn is_profile(path: &Path) -> bool {
    let Ok(mut input) = input::open(path, &Arc::default()) else {
        return false;
    };
    let mut lines = Vec::new();
    while let Ok(true) = input.read_lines(&mut lines) {
        for line in lines.split(|&b| b == b'\n') {
            match Record::parse(line.strip_suffix(b"\r").unwrap_or(line)) {
                Record::Header(b"events", _) => return true,
                Record::Header(..) | Record::Blank => {}
                _ => return false,
            }
        }
    }
    false
}

/// Adds what the file at `path` holds to `profile`. `-` is standard input.
///
/// # Errors
/// [`Error`] if it is no profile, or holds numbers that do not fit. `profile` is then of no use.
pub fn read(path: &Path, options: &ReadOptions, profile: &mut Profile) -> Result<Warnings, Error> {
    let file = path.as_os_str().as_encoded_bytes();
    read_input(
        input::open(path, &options.bytes_read)?,
        file,
        options,
        profile,
    )
}

/// Adds what `bytes` hold to `profile`, which knows them by the name `file`.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    bytes: impl io::Read + Send + 'static,
    file: &[u8],
    options: &ReadOptions,
    profile: &mut Profile,
) -> Result<Warnings, Error> {
    read_input(Input::new(bytes)?, file, options, profile)
}

/// The first half of reading by itself: makes lines of what `bytes` hold, and tells how many. A line that no
/// profile has is one too, as what lines mean is not looked at.
///
/// # Errors
/// Those of reading and unpacking, and a line without end.
pub fn count_lines(bytes: impl io::Read + Send + 'static) -> Result<u64, Error> {
    let mut profile = Profile::default();
    let options = ReadOptions::default();
    let keeper = Keeper::new(&mut profile, &options);
    let mut pieces = Pieces::new(Input::new(bytes)?, &options, keeper);
    let mut count = 0;
    while let Some(piece) = pieces.next() {
        let piece = piece?;
        count += piece.count();
        pieces.give_back(piece);
    }
    pieces.finish();
    Ok(count)
}

fn read_input(
    input: Input,
    file: &[u8],
    options: &ReadOptions,
    profile: &mut Profile,
) -> Result<Warnings, Error> {
    let keeper = Keeper::new(profile, options);
    let mut pieces = Pieces::new(input, options, Arc::clone(&keeper));
    let mut reader =
        Reader::new(profile, options, file, Arc::clone(&keeper)).map_err(|_| Cause::TooMany)?;
    while let Some(piece) = pieces.next() {
        match piece {
            Ok(mut piece) => {
                reader.read(&mut piece)?;
                pieces.give_back(piece);
            }
            Err(Cause::Broken) if reader.line() > 0 => reader.warn(Warning::Broken),
            Err(cause) => {
                let line = matches!(cause, Cause::LongLine).then(|| reader.line() + 1);
                return Err(Error { line, cause });
            }
        }
    }
    pieces.finish();
    let warnings = reader.finish()?;
    keeper.give_back(profile);
    Ok(warnings)
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Error {
        Error { line: None, cause }
    }
}
