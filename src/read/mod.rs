//! Reading: bytes in, a filled [`ProfileBuilder`] out. Only this room knows the file formats.
//!
//! The way of a cost line: `input` opens, unpacks and cuts the bytes into chunks of whole lines; `chunks` has two threads
//! lex them; `chunk` makes a `line` of each, with `fast_line` for the usual ones and [`cursor`] and [`record`] for all
//! others; `join` makes one of those that belong to one place; `callgrind` has the state from line to line and adds costs to the
//! profile. `name_interner` interns the names of functions while lines are lexed, and [`warning`] has all messages.

mod callgrind;
mod chunk;
mod chunks;
mod compressed_names;
pub mod cursor;
mod fast_line;
pub mod gmon;
mod head;
mod header;
mod input;
mod join;
mod line;
mod name_interner;
pub mod record;
mod substitution;
pub mod warning;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::profile::{Part, ProfileBuilder, SuffixFold};
use callgrind::Reader;
use chunks::Chunks;
pub use head::is_profile;
use input::Input;
use join::Joining;
use name_interner::NameInterner;
pub use substitution::Substitution;
use warning::{Error, ErrorKind, Warning, Warnings};

/// What is kept of the costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Source lines; without them all costs of a function in a file are on line 0.
    pub lines: bool,
    /// Calls; without them the places that make calls are kept, without cost.
    pub calls: bool,
    /// The targets of calls: the lines at which called functions begin.
    pub targets: bool,
    /// Instructions and jumps, if there are any.
    pub code: bool,
}

impl Detail {
    /// The line under which the costs of `line` are kept.
    #[inline(always)]
    fn line(self, line: u32) -> u32 {
        if self.lines { line } else { 0 }
    }

    /// Which self costs may be joined, of lines that have addresses or not.
    fn joining(self, has_addresses: bool) -> Joining {
        if self.code && has_addresses {
            Joining::Never
        } else if self.lines {
            Joining::SameLine
        } else {
            Joining::SameFile
        }
    }
}

impl Default for Detail {
    fn default() -> Detail {
        Detail {
            lines: true,
            calls: true,
            targets: true,
            code: false,
        }
    }
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The folder that is removed from the start of file names, without a slash at its end.
    pub working_dir: Option<Vec<u8>>,
    /// Substitutions in file names, before the folder is removed.
    pub rename_files: Vec<Substitution>,
    /// Which suffixes of callgrind's are removed from names of functions.
    pub fold: SuffixFold,
    /// Substitutions in names of functions, after that.
    pub rename_functions: Vec<Substitution>,
    /// The parts to read, by their `part:`; empty for all.
    pub parts: Vec<Vec<u8>>,
    /// The threads to read, by their `thread:`; empty for all.
    pub threads: Vec<Vec<u8>>,
    /// What is kept of the costs: less is read in less time.
    pub detail: Detail,
    /// The number of bytes read so far of all files, compressed if they are.
    pub bytes_read: Arc<AtomicU64>,
}

impl ReadOptions {
    /// Whether a part is to be read.
    fn includes(&self, part: &Part) -> bool {
        let is_listed = |list: &[Vec<u8>], value: &Option<Vec<u8>>| {
            list.is_empty() || value.as_ref().is_some_and(|value| list.contains(value))
        };
        is_listed(&self.parts, &part.part_number) && is_listed(&self.threads, &part.thread)
    }
}

/// Adds the file at `path` to `profile`. `-` is standard input.
///
/// # Errors
/// [`Error`] if it is not a profile, or has numbers out of range. `profile` is then unspecified.
pub fn read(
    path: &Path,
    options: &ReadOptions,
    profile: &mut ProfileBuilder,
) -> Result<Warnings, Error> {
    let file = path.as_os_str().as_encoded_bytes();
    read_input(
        input::open(path, &options.bytes_read)?,
        file,
        options,
        profile,
    )
}

/// Adds a profile in memory to `profile`, under the name `file`.
///
/// # Errors
/// As [`read`].
pub fn read_from(
    bytes: impl io::Read + Send + 'static,
    file: &[u8],
    options: &ReadOptions,
    profile: &mut ProfileBuilder,
) -> Result<Warnings, Error> {
    read_input(Input::new(bytes)?, file, options, profile)
}

/// Lexes `bytes` and returns the number of lines, whatever they mean: the first half of reading, for benchmarks.
///
/// # Errors
/// Those of reading and unpacking, and a line that is too long.
pub fn count_lines(bytes: impl io::Read + Send + 'static) -> Result<u64, Error> {
    let mut profile = ProfileBuilder::default();
    let options = ReadOptions::default();
    let interner = NameInterner::new(&mut profile, &options);
    let mut chunks = Chunks::new(Input::new(bytes)?, &options, interner);
    let mut count = 0;
    while let Some(chunk) = chunks.next() {
        let chunk = chunk?;
        count += chunk.count();
        chunks.recycle(chunk);
    }
    chunks.finish();
    Ok(count)
}

fn read_input(
    input: Input,
    file: &[u8],
    options: &ReadOptions,
    profile: &mut ProfileBuilder,
) -> Result<Warnings, Error> {
    let interner = NameInterner::new(profile, options);
    let mut chunks = Chunks::new(input, options, Arc::clone(&interner));
    let mut reader = Reader::new(profile, options, file, Arc::clone(&interner))
        .map_err(|_| ErrorKind::TooMany)?;
    while let Some(chunk) = chunks.next() {
        match chunk {
            Ok(mut chunk) => {
                reader.read(&mut chunk)?;
                chunks.recycle(chunk);
            }
            Err(ErrorKind::CorruptGzip) if reader.line() > 0 => reader.warn(Warning::CorruptGzip),
            Err(kind) => {
                let line = matches!(kind, ErrorKind::LongLine).then(|| reader.line() + 1);
                return Err(Error { line, kind });
            }
        }
    }
    chunks.finish();
    let warnings = reader.finish()?;
    interner.return_to(profile);
    Ok(warnings)
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error { line: None, kind }
    }
}
