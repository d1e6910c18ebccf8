//! The options of gprof's views.

use crate::gprof::pages::DisplayOptions;
use crate::gprof::views::Symspecs;

#[derive(Clone, Debug)]
pub struct GprofOptions {
    /// The views, in the order in which they are written.
    pub views: Vec<GprofView>,
    /// Whether these are the default views, so that those without data are left out.
    pub is_default: bool,
    pub top_lines: usize,
    /// Write each annotated source to a file of its own.
    pub separate_files: bool,
    /// The minimum number of executions to list.
    pub min_count: u64,
    /// Print the counts of all basic blocks of a line in gprof's data, not only of those that begin
    /// there.
    pub all_blocks: bool,
    pub display: DisplayOptions,
    pub symspecs: Symspecs,
}

impl GprofOptions {
    /// Whether counts of functions and lines are shown: by themselves, or beside sources.
    pub fn has_counts(&self) -> bool {
        let mut views = self.views.iter();
        views.any(|view| matches!(view, GprofView::ExecCounts | GprofView::Sources))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GprofView {
    /// The sum of all profiles, which is written to a file of its own.
    Sum,
    /// A summary of the profiles.
    Info,
    LinkOrder,
    Flat,
    Graph,
    ExecCounts,
    Sources,
}
