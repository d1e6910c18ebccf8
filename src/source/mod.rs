//! Finding and reading source files. Profiles are untrusted: the file names in them are only looked
//! up, and only regular files are opened.
//!
//! A [`Finder`] looks a recorded name up in the folders that may have it, and below them (`walk`);
//! `readable` says which files may be read, and `normal_path` which spellings are one path.
//! `system` tells what is not the user's own code. A [`LineMap`] aligns the lines of two versions
//! of a text, and `objdump` disassembles the code of a program.

mod finder;
mod indexed_text;
mod line_map;
mod normal_path;
mod objdump;
mod readable;
mod system;
mod walk;

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use thiserror::Error;

use crate::io_text::io_text;

pub use finder::{Finder, Lookup, SourceMap, resolve_conflicts};
pub use indexed_text::{IndexedText, is_of_word};
pub use line_map::{
    CONTROL_WORDS, Change, LineChange, LineKey, LineMap, RenamedWords, equal_in_order,
    is_identifier, out_of_order, tokens, with_new_words,
};
pub use normal_path::{below, folder, normal, normal_below};
pub use objdump::{CodeLine, MAX_INSTRUCTION, Objdump, ObjdumpError, ObjectCode};
pub use system::{
    FunctionsByOwner, bare_c_name, c_function, interpreter, is_c_library, is_foreign, is_no_file,
    is_of_distribution, is_of_package, is_of_system, is_of_user, not_of_script, remedy_of_stripped,
};
pub use walk::{MAX_ENTRIES, WalkBounds, basename, ends_with, walk};

/// The maximum size of a source file in bytes; larger files are not written by people.
const MAX_SIZE: u64 = 64 << 20;

/// How many bytes of a file are searched for a NUL byte, which marks a binary.
const PROBE_SIZE: usize = 8 << 10;

/// What is known of the texts of a source that BASE and NEW were built from.
#[derive(Debug)]
pub enum TextsOfSides {
    Unknown,
    /// The text of NEW alone.
    OnlyNew(Vec<u8>),
    /// One text for both sides.
    Same(Vec<u8>),
    Both {
        base: Vec<u8>,
        new: Vec<u8>,
    },
}

/// A source file on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The prefix of the name: empty, or a folder with a trailing slash.
    pub folder: Vec<u8>,
    pub modified: Option<SystemTime>,
    pub size: u64,
    pub path: Vec<u8>,
    /// The number of components that its path and the name share at their ends; none if it was not
    /// found by suffix.
    pub matched: Option<usize>,
    pub caveat: Option<Caveat>,
}

/// Why a file may not be the one that was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caveat {
    OnlyBaseName,
    /// The file is from another release of Rust.
    OtherRelease,
}

/// Why a source file that exists is not shown.
#[derive(Debug, Error)]
pub enum Unreadable {
    #[error("{}", io_text(.0))]
    Io(#[from] io::Error),
    /// There is a NUL byte near its start.
    #[error("is binary")]
    Binary,
    #[error("is larger than {} MiB", MAX_SIZE >> 20)]
    TooLarge,
    #[error("is not a regular file")]
    NotRegular,
}

impl Found {
    /// Reads the lines. A missing final newline is added.
    pub fn text(&self) -> Result<Text, Unreadable> {
        let mut bytes = self.read()?;
        if bytes.last().is_some_and(|&last| last != b'\n') {
            bytes.push(b'\n');
        }
        let (lines, at) = (0, 0);
        Ok(Text { bytes, lines, at })
    }

    /// Whether it is known to be newer than another file. Compares whole seconds, because files
    /// that are copied or unpacked together have almost equal times.
    pub fn is_newer(&self, other: Option<SystemTime>) -> bool {
        let seconds = |time: SystemTime| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs())
        };
        let both = self.modified.zip(other);
        both.is_some_and(|(file, other)| seconds(file) > seconds(other))
    }

    pub fn read(&self) -> Result<Vec<u8>, Unreadable> {
        let file = File::open(path(&self.path))?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(Unreadable::NotRegular);
        }
        if metadata.len() > MAX_SIZE {
            return Err(Unreadable::TooLarge);
        }
        // Not more than the stated size: the file may grow, and a pseudo-file of size 0 may never
        // end.
        let mut bytes = Vec::new();
        file.take(metadata.len()).read_to_end(&mut bytes)?;
        if bytes[..bytes.len().min(PROBE_SIZE)].contains(&0) {
            return Err(Unreadable::Binary);
        }
        Ok(bytes)
    }

    pub fn is_same(&self, other: &Found) -> bool {
        let real = |found: &Found| std::fs::canonicalize(path(&found.path)).ok();
        self.path == other.path || real(self).is_some_and(|file| real(other) == Some(file))
    }
}

/// The source and the line that an argument `SOURCE:LINE` names. The line may be no number.
pub fn split_line(argument: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = argument.iter().rposition(|&byte| byte == b':')?;
    let (source, line) = (&argument[..colon], &argument[colon + 1..]);
    (!source.is_empty() && !line.is_empty()).then_some((source, line))
}

/// Whether an argument is `SOURCE:LINE` or `SOURCE:FIRST-LAST`: a file of that very name comes
/// first.
pub fn is_line_of_source(argument: &Path) -> bool {
    let line = split_line(argument.as_os_str().as_encoded_bytes());
    line.is_some_and(|(_, line)| is_lines(line)) && !argument.exists()
}

/// Whether a text is the number of a line, or a first and a last one.
pub fn is_lines(text: &[u8]) -> bool {
    let (first, last) = first_and_last(text);
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_number(first) && is_number(last)
}

/// The numbers of the first and the last of some lines; they are equal if there is only one.
pub fn first_and_last(text: &[u8]) -> (&[u8], &[u8]) {
    match text.iter().position(|&byte| byte == b'-') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, text),
    }
}

/// The lines of a source, for reading in ascending order.
pub struct Text {
    bytes: Vec<u8>,
    /// The number of lines and bytes already passed.
    lines: u32,
    at: usize,
}

impl Text {
    /// The line with this number (from 1) and its newline; none if it is not after the last one
    /// returned.
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

    /// The line with this number (from 1) and all after it.
    pub fn lines_from(&self, number: u32) -> &[u8] {
        let Some(skipped) = number.checked_sub(2) else {
            return &self.bytes;
        };
        let mut ends = memchr::memchr_iter(b'\n', &self.bytes);
        ends.nth(skipped as usize).map_or(&[], |end| &self.bytes[end + 1..])
    }

    pub fn length(&self) -> u32 {
        self.lines + memchr::memchr_iter(b'\n', &self.bytes[self.at..]).count() as u32
    }
}

/// A line without its newline, and without the carriage return that some editors write before it.
pub fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_sources() {
        let table: [(&str, Option<(&str, &str)>); 7] = [
            ("a.c:12", Some(("a.c", "12"))),
            ("a.c:x", Some(("a.c", "x"))),
            ("php:internal:7", Some(("php:internal", "7"))),
            ("a.c", None),
            ("a.c:", None),
            (":12", None),
            ("", None),
        ];
        for (argument, expected) in table {
            let expected = expected.map(|(source, line)| (source.as_bytes(), line.as_bytes()));
            assert_eq!(split_line(argument.as_bytes()), expected, "{argument}");
        }
    }
}
