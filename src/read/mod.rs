//! Reads profiles into a [`ProfileBuilder`]. Only this module knows the file formats.
//!
//! How a cost line is read: `input` opens and unpacks a file, and cuts it into chunks before `fn=`
//! lines; `chunks` has several threads cut these into functions. `lexer` says what each line is,
//! with `fast_line` for plain numbers, [`cursor`] for all others, and the rule in `line_files` for
//! the file that a line is in. It is called by two: on a thread for one function, which
//! `block_writer` makes a `block` of, with one row for all costs of a line; and by `callgrind`,
//! which has the state from function to function, for all that depends on it or is odd. `callgrind`
//! adds blocks and lines to the profile. `name_interner` interns the names of functions while
//! blocks are written, and [`warning`] has all messages.

mod block;
mod block_writer;
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
mod jump;
mod lexer;
mod line_files;
mod name_interner;
mod part_list;
mod part_name;
pub mod record;
mod substitution;
pub mod warning;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use crate::profile::{DivideBy, Part, ProfileBuilder, SuffixFold};
use callgrind::Reader;
use chunks::{Chunks, Inputs};
pub use head::{begins_as_profile, is_profile};
pub use header::decimal;
use input::ProfileBytes;
use name_interner::NameInterner;
pub use part_list::parts_of;
pub use part_name::{file_and_part, file_of};
pub use substitution::Substitution;
use substitution::substitute_all;
use warning::{Error, ErrorKind, Warning, Warnings};

/// How much of a file is kept: less is read in less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Source lines; without them all costs of a function in a file are on line 0.
    pub lines: bool,
    /// Calls; without them the places that make calls are kept, without cost.
    pub calls: bool,
    /// The targets of calls: the lines at which called functions begin.
    pub targets: bool,
    /// Instructions, if there are any.
    pub code: bool,
    pub jumps: bool,
    pub divide_by: DivideBy,
}

impl Detail {
    /// The line under which the costs of `line` are kept.
    #[inline(always)]
    fn line(self, line: u32) -> u32 {
        if self.lines { line } else { 0 }
    }
}

impl Default for Detail {
    fn default() -> Detail {
        Detail {
            lines: true,
            calls: true,
            targets: true,
            code: false,
            jumps: false,
            divide_by: DivideBy::Nothing,
        }
    }
}

/// By the name that a file has in lists the name that was recorded, by which its source is found.
pub type RecordedFiles = Arc<Mutex<HashMap<Vec<u8>, Vec<u8>>>>;

/// What is read of files, and by which names.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The folder that is removed from the start of file names, without a slash at its end.
    pub working_dir: Option<Vec<u8>>,
    /// Substitutions in file names, before the folder is removed.
    pub rename_files: Vec<Substitution>,
    /// The files read so far whose names were substituted.
    pub recorded_files: RecordedFiles,
    /// The suffixes of callgrind that are removed from names of functions.
    pub fold: SuffixFold,
    /// Substitutions in names of functions, after suffixes are removed.
    pub rename_functions: Vec<Substitution>,
    /// The parts to read, by their `part:` or their name; empty for all.
    pub parts: Vec<Vec<u8>>,
    /// The threads to read, by their `thread:`; empty for all.
    pub threads: Vec<Vec<u8>>,
    /// The part of a file to read, which its name has after a `#`; none for all.
    pub file_part: Option<Vec<u8>>,
    /// The detail in which costs are kept; less is read in less time.
    pub detail: Detail,
    /// The maximum number of threads that only lex; by default one less than there are cores.
    pub lexers: Option<usize>,
    /// Whether a peak is the total of its event, as callgrind_annotate has it.
    pub has_peaks_as_totals: bool,
    /// Whether limits are judged on what is read, so that it is checked for more kinds of damage.
    pub is_judged: bool,
    /// The number of bytes read so far of all files, compressed if they are.
    pub bytes_read: Arc<AtomicU64>,
}

impl ReadOptions {
    /// The name that a file has in profiles read with these options.
    pub fn file_name<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        let renamed = substitute_all(name, &self.rename_files);
        if matches!(renamed, Cow::Borrowed(_)) {
            return self.below_working_dir(renamed);
        }
        let shown = self.below_working_dir(renamed);
        let recorded = self.below_working_dir(Cow::Borrowed(name)).into_owned();
        let mut names = self.recorded_files.lock().unwrap_or_else(PoisonError::into_inner);
        names.entry(shown.to_vec()).or_insert(recorded);
        drop(names);
        shown
    }

    fn below_working_dir<'n>(&self, name: Cow<'n, [u8]>) -> Cow<'n, [u8]> {
        let dir = self.working_dir.as_deref();
        let start = dir.map_or(0, |dir| match name.strip_prefix(dir) {
            Some([b'/', _, ..]) => dir.len() + 1,
            _ => 0,
        });
        match name {
            Cow::Borrowed(name) => Cow::Borrowed(&name[start..]),
            Cow::Owned(name) => Cow::Owned(name[start..].to_vec()),
        }
    }

    /// The name that a function has in profiles read with these options.
    pub fn function_name<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        substitute_all(name, &self.rename_functions)
    }

    /// Whether a part is read; `number` is its place in its file, from 1.
    fn includes(&self, part: &Part, number: usize) -> bool {
        let is_named = |name: &Vec<u8>| part_name::is_named(part, number, name);
        self.file_part.as_ref().is_none_or(is_named)
            && self.part_options().all(|option| (option.takes)(self, part))
    }

    /// The given options that choose parts.
    pub fn part_options(&self) -> impl Iterator<Item = &'static PartOption> {
        PART_OPTIONS.iter().filter(|option| (option.is_given)(self))
    }
}

/// An option that chooses the parts to read.
pub struct PartOption {
    pub name: &'static str,
    /// What a profile must have for it.
    pub needs: &'static str,
    is_given: fn(&ReadOptions) -> bool,
    takes: fn(&ReadOptions, &Part) -> bool,
}

/// A part is read if all given ones take it.
const PART_OPTIONS: &[PartOption] = &[
    PartOption {
        name: "--part",
        needs: "parts",
        is_given: |options| !options.parts.is_empty(),
        takes: |options, part| {
            let names = [part.part_number.as_deref(), part.name()];
            names.into_iter().flatten().any(|name| is_listed(&options.parts, name))
        },
    },
    PartOption {
        name: "--thread",
        needs: "threads",
        is_given: |options| !options.threads.is_empty(),
        takes: |options, part| {
            part.thread.as_deref().is_some_and(|thread| is_listed(&options.threads, thread))
        },
    },
];

fn is_listed(list: &[Vec<u8>], value: &[u8]) -> bool {
    list.iter().any(|listed| listed == value)
}

/// Adds the files at `paths` to `profile` in their order. `at_end` gets the warnings or the error
/// of each file when it has been read; its own error ends the reading.
///
/// # Errors
/// Those of `at_end`, which should be one after an [`Error`]: `profile` is then unspecified.
pub fn read_all<E>(
    paths: &[PathBuf],
    options: &ReadOptions,
    profile: &mut ProfileBuilder,
    mut at_end: impl FnMut(&Path, Result<Warnings, Error>) -> Result<(), E>,
) -> Result<(), E> {
    if !options.rename_functions.is_empty() {
        profile.note_rewritten_names();
    }
    let count = Arc::clone(&options.bytes_read);
    let owned: Vec<_> = paths.to_vec();
    let inputs = owned.into_iter().map(move |path| input::open(&path, &count));
    let mut files = FileSequence::new(Box::new(inputs), options, profile);
    for path in paths {
        let file = path.as_os_str().as_encoded_bytes();
        let read = match file_and_part(path).1 {
            None => files.read_next(file, options, profile),
            Some(part) => {
                let options = ReadOptions { file_part: Some(part.to_vec()), ..options.clone() };
                files.read_next(file, &options, profile)
            }
        };
        at_end(path, read)?;
    }
    files.finish(profile);
    Ok(())
}

/// Adds a profile in memory to `profile`, under the name `file`.
///
/// # Errors
/// [`Error`] if it is not a profile, or has numbers out of range. `profile` is then unspecified.
pub fn read_from(
    bytes: impl io::Read + Send + 'static,
    file: &[u8],
    options: &ReadOptions,
    profile: &mut ProfileBuilder,
) -> Result<Warnings, Error> {
    let inputs = std::iter::once(ProfileBytes::new(bytes));
    let mut files = FileSequence::new(Box::new(inputs), options, profile);
    let warnings = files.read_next(file, options, profile)?;
    files.finish(profile);
    Ok(warnings)
}

/// Files that are read one after the other.
struct FileSequence {
    chunks: Chunks,
    interner: Arc<NameInterner>,
}

impl FileSequence {
    /// Takes the names out of `profile` until [`FileSequence::finish`].
    fn new(inputs: Inputs, options: &ReadOptions, profile: &mut ProfileBuilder) -> FileSequence {
        let interner = NameInterner::new(profile, options);
        let chunks = Chunks::new(inputs, options, Arc::clone(&interner));
        FileSequence { chunks, interner }
    }

    /// Adds the next file to `profile`, under the name `file`.
    fn read_next(
        &mut self,
        file: &[u8],
        options: &ReadOptions,
        profile: &mut ProfileBuilder,
    ) -> Result<Warnings, Error> {
        let mut reader = Reader::new(profile, options, file, Arc::clone(&self.interner))
            .map_err(ErrorKind::from)?;
        loop {
            match self.chunks.next() {
                Ok(Some(chunk)) => {
                    reader.read(&chunk)?;
                    self.chunks.recycle(chunk);
                }
                Ok(None) => break,
                Err(ErrorKind::CorruptGzip) if reader.line() > 0 => {
                    reader.add_warning(Warning::CorruptGzip);
                    break;
                }
                Err(kind) => {
                    let line = matches!(kind, ErrorKind::LongLine).then(|| reader.line() + 1);
                    return Err(Error { line, kind });
                }
            }
        }
        reader.finish()
    }

    /// Puts the names back after the last file.
    fn finish(self, profile: &mut ProfileBuilder) {
        self.chunks.join();
        self.interner.return_to(profile);
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error { line: None, kind }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_working_directory_are_relative() {
        let options = ReadOptions { working_dir: Some(b"/w".to_vec()), ..ReadOptions::default() };
        let table = [
            ("/w/a.c", "a.c"),
            ("/w/src/a.c", "src/a.c"),
            ("/w/", "/w/"),
            ("/w", "/w"),
            ("/www/a.c", "/www/a.c"),
            ("w/a.c", "w/a.c"),
        ];
        for (name, expected) in table {
            assert_eq!(*options.file_name(name.as_bytes()), *expected.as_bytes(), "{name}");
        }
    }
}
