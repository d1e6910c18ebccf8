//! What gprof's views show.

use super::AnnotationOptions;
use crate::view::Symspecs;

/// Which of gprof's views are written, and how.
#[derive(Clone, Debug)]
pub struct GprofOptions {
    /// The views, in the order in which they are written.
    pub views: Vec<GprofView>,
    /// Nobody requested these views: those without data are left out.
    pub is_default: bool,
    /// Print the source file and line of a function behind its name.
    pub with_files: bool,
    /// How many lines the summary of an annotated source lists.
    pub top_lines: usize,
    /// Write each annotated source to a file of its own.
    pub separate_files: bool,
    /// The least number of executions to list.
    pub min_count: u64,
    /// Rows of the flat profile, and callers in the call graph, are lines.
    pub by_line: bool,
    /// Print the counts of all basic blocks of a line in gprof's data, not only of those that begin there.
    pub all_blocks: bool,
    /// Show functions without cost and calls.
    pub zeros: bool,
    /// Show files with their folders.
    pub full_paths: bool,
    /// How wide the index is.
    pub width: usize,
    /// Which functions, lines and calls the views are about.
    pub symspecs: Symspecs,
    /// The annotated sources.
    pub annotation: AnnotationOptions,
}

/// One of gprof's views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GprofView {
    /// The sum of all profiles, which is written to a file of its own.
    Sum,
    /// What the profiles hold.
    Info,
    /// The functions in an order for a linker.
    LinkOrder,
    /// The flat profile.
    Flat,
    /// The call graph and its index.
    Graph,
    /// How often each function was called.
    ExecCounts,
    /// Annotated sources.
    Sources,
}
