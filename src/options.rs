//! What one run is to do: resolved from the command line before a byte is read.

use std::path::PathBuf;

use crate::profile::Formula;
use crate::read::ReadOptions;
use crate::render::{Format, Tree};
use crate::source::SourceMap;
use crate::view::{RowOptions, SelectionOptions, Symspecs};

/// What the user asked for.
#[derive(Clone, Debug)]
pub struct Options {
    /// Profiles, and sources to annotate in any case. The first is a profile; if there is none, it is the first
    /// one here. What of the others looks like a profile is one.
    pub files: Vec<PathBuf>,
    /// Whether a long load shows how far it is, on standard error.
    pub progress: bool,
    /// How profiles are read.
    pub read: ReadOptions,
    /// The profile to subtract.
    pub diff: Option<PathBuf>,
    /// How much the total may grow from that profile.
    pub fail_above: Option<Limit>,
    /// Events that follow from others.
    pub events: Vec<(Vec<u8>, Formula)>,
    /// Which events, in which order, and how far.
    pub selection: SelectionOptions,
    /// Whether percentages stand beside counts.
    pub percentages: bool,
    /// Whether functions are listed by inclusive cost.
    pub inclusive: bool,
    /// Which calls are shown around each function.
    pub tree: Tree,
    /// Whether call cycles are found.
    pub cycles: bool,
    /// How rows are made and shown, and which.
    pub rows: RowOptions,
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
    /// How many lines are shown around each line with costs.
    pub context: u32,
    /// Where sources are looked for besides the current folder, with slashes at the ends.
    pub folders: Vec<Vec<u8>>,
    /// Where sources are whose names in the profile are those of another machine.
    pub source_maps: Vec<SourceMap>,
    /// Whether it is told where sources were looked for.
    pub verbose: bool,
    /// In which form the report is written.
    pub format: Format,
    /// Whether the page has colours.
    pub colours: bool,
    /// How many columns its lines of functions may take; none if any.
    pub width: Option<usize>,
    /// The file that it is written to; none for standard output.
    pub output: Option<PathBuf>,
    /// gprof's views, if there are to be any in place of the page.
    pub gprof: GprofOptions,
}

/// Which of gprof's views the user asked for, and how.
#[derive(Clone, Debug)]
pub struct GprofOptions {
    /// The flat profile.
    pub flat: bool,
    /// The call graph and its index.
    pub graph: bool,
    /// The tally of calls.
    pub tally: bool,
    /// The annotated sources alone.
    pub sources: bool,
    /// What the profiles hold.
    pub contents: bool,
    /// An order of functions for a linker.
    pub order: bool,
    /// The sum of the profiles, written to a file.
    pub sum: bool,
    /// Whether rows of the flat profile, and callers in the graph, are lines.
    pub by_line: bool,
    /// Whether what has no cost and no calls is shown.
    pub zeros: bool,
    /// Whether files are shown with their folders.
    pub full_paths: bool,
    /// How wide the index is.
    pub width: usize,
    /// Which functions, lines and calls they are about.
    pub symspecs: Symspecs,
}

impl GprofOptions {
    /// Whether any of them takes the place of the page.
    pub fn replaces_page(&self) -> bool {
        let has_views = self.flat || self.graph || self.tally || self.sources;
        has_views || self.contents || self.order || self.sum
    }
}

/// How much a program total may grow.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The event; the first one if none.
    pub event: Option<Vec<u8>>,
    /// Of the total of the profile that is subtracted.
    pub percent: f64,
}
