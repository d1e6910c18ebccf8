//! Finding and reading source files. A profile may come from anybody: its file names are looked up as
//! names, and only regular files are opened.

mod finder;
mod line_map;
mod objdump;
mod walk;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use thiserror::Error;

pub use crate::source::finder::is_of_system;
pub use finder::{Finder, Lookup, SourceMap, Step, resolve_conflicts};
pub use line_map::{LineChange, LineKey, LineMap};
pub use objdump::{CodeLine, MAX_INSTRUCTION, Objdump, ObjdumpError, ObjectCode};
pub use walk::{basename, ends_with};

/// A source of more bytes than this is not one that people read.
const LARGEST: u64 = 64 << 20;

/// How much of a file is searched for a NUL byte, the mark of a binary.
const PROBE: usize = 8 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What was put before the name: nothing, or a folder with a slash at its end.
    pub folder: Vec<u8>,
    /// When it was last written, if the system says so.
    pub modified: Option<SystemTime>,
    pub size: u64,
    pub path: Vec<u8>,
    /// How many components at the end of its path are those of the name; none if it was not found by them.
    pub matched: Option<usize>,
    /// Why it may be another file than the one that was compiled.
    pub caveat: Option<Caveat>,
}

/// Why a file may be another one than that of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    /// Only the last component of its path is that of the name.
    OnlyBaseName,
    /// It is of another release of Rust.
    OtherRelease,
}

/// Why a source file that exists is not shown.
#[derive(Debug, Error)]
pub enum Unreadable {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It has a NUL byte near its begin.
    #[error("is binary")]
    Binary,
    #[error("is larger than {} MiB", LARGEST >> 20)]
    TooLarge,
    /// It is no regular file, or no longer.
    #[error("is not a regular file")]
    NotRegular,
}

impl Found {
    /// Reads its lines. The last one gets a newline if it has none.
    pub fn text(&self) -> Result<Text, Unreadable> {
        let mut bytes = self.read()?;
        if bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        let (lines, at) = (0, 0);
        Ok(Text { bytes, lines, at })
    }

    /// Whether it was written after another file, as far as that is known: in whole seconds, as files that are copied or unpacked
    /// together are of the same age.
    pub fn is_newer(&self, other: Option<SystemTime>) -> bool {
        let seconds = |time: SystemTime| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs())
        };
        let both = self.modified.zip(other);
        both.is_some_and(|(file, other)| seconds(file) > seconds(other))
    }

    /// Reads all of the file, as it is.
    pub fn read(&self) -> Result<Vec<u8>, Unreadable> {
        let file = File::open(path(&self.path))?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Unreadable::NotRegular);
        }
        if metadata.len() > LARGEST {
            return Err(Unreadable::TooLarge);
        }
        // No more than it has now: it may grow, and what the system only shows as a file, with a size of 0,
        // may never end.
        let mut bytes = Vec::new();
        file.take(metadata.len()).read_to_end(&mut bytes)?;
        if bytes[..bytes.len().min(PROBE)].contains(&0) {
            return Err(Unreadable::Binary);
        }
        Ok(bytes)
    }

    pub fn is_same(&self, other: &Found) -> bool {
        let real = |found: &Found| std::fs::canonicalize(path(&found.path)).ok();
        self.path == other.path || real(self).is_some_and(|file| real(other) == Some(file))
    }
}

/// The lines of a source, which are taken from the first one on.
pub struct Text {
    bytes: Vec<u8>,
    /// How many lines, and how many bytes, are behind.
    lines: u32,
    at: usize,
}

impl Text {
    /// The line of this number, from 1, with its newline. It is none of those before.
    pub fn line(&mut self, number: u32) -> Option<&[u8]> {
        let left = &self.bytes[self.at..];
        let mut ends = memchr::memchr_iter(b'\n', left).map(|at| at + 1);
        let start = match number.checked_sub(self.lines + 1)? {
            0 => 0,
            skipped => ends.nth(skipped as usize - 1)?,
        };
        let end = ends.next()?;
        (self.lines, self.at) = (number, self.at + end);
        Some(&left[start..end])
    }

    /// How many lines there are.
    pub fn length(&self) -> u32 {
        self.lines + memchr::memchr_iter(b'\n', &self.bytes[self.at..]).count() as u32
    }
}

#[cfg(unix)]
pub fn path(name: &[u8]) -> Cow<'_, Path> {
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(std::ffi::OsStr::from_bytes(name)))
}

#[cfg(not(unix))]
pub fn path(name: &[u8]) -> Cow<'_, Path> {
    Cow::Owned(String::from_utf8_lossy(name).into_owned().into())
}
