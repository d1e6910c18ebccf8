//! Which files are read, and what is made of their counts before they are reported.

use std::path::PathBuf;

use crate::profile::Formula;
use crate::read::ReadOptions;
use crate::read::gmon::GmonFormat;
use crate::source::SourceMap;
use crate::view::{Charged, Pattern};

/// Which files are read, and how.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// Profiles, and sources to annotate in any case.
    pub files: Vec<PathBuf>,
    /// The profiles to compare with, which are summed.
    pub base: Vec<PathBuf>,
    /// How profiles are read.
    pub read: ReadOptions,
    /// Events that are computed from others.
    pub events: Vec<(Vec<u8>, Formula)>,
    /// What is charged to its callers.
    pub charged: Vec<Charged>,
    /// Files with more buckets.
    pub bucket_files: Vec<PathBuf>,
    /// The directories that are searched for sources after the current one, with slashes at the ends.
    pub folders: Vec<Vec<u8>>,
    /// The directories with the sources of BASE, likewise.
    pub base_folders: Vec<Vec<u8>>,
    /// Where the sources of another machine are on this one.
    pub source_maps: Vec<SourceMap>,
    /// The program that wrote gprof's data, and how it is read.
    pub program: ProgramOptions,
    /// By what counts are divided or multiplied.
    pub scale: ScaleOptions,
    /// Show a progress bar on standard error while a long file is read.
    pub progress: bool,
}

/// By what counts are divided or multiplied.
#[derive(Clone, Debug, Default)]
pub struct ScaleOptions {
    /// What all counts are divided by.
    pub per: Option<Per>,
    /// Whether BASE is scaled to NEW's total.
    pub normalizes: bool,
}

/// What counts are divided by.
#[derive(Clone, Debug)]
pub enum Per {
    /// A number.
    Number(i64),
    /// The calls of functions from others.
    Calls(Pattern),
}

/// How a program and gprof's data of it are read.
#[derive(Clone, Debug, Default)]
pub struct ProgramOptions {
    /// The program; one among the files, or `a.out`, if none.
    pub executable: Option<PathBuf>,
    /// The program of the profile to subtract; the same if none.
    pub base_executable: Option<PathBuf>,
    /// Local functions belong to the symbol before them.
    pub omits_locals: bool,
    /// Local symbols count only if they are marked as functions.
    pub only_functions: bool,
    /// Local functions that gprof leaves out because of their names belong to the symbol before them, and symspecs that
    /// match nothing are ignored.
    pub as_gprof: bool,
    /// A file with the addresses and names of functions, in place of the program's symbols.
    pub symbols: Option<PathBuf>,
    /// The format of the data.
    pub format: GmonFormat,
}
