//! The options of gprof's views.

use crate::demangle::NameStyle;
use crate::gprof::pages::DisplayOptions;
use crate::gprof::views::Symspecs;
use crate::source::Objdump;

/// What `gprof` was asked for: its views, the functions and calls in them, and their display.
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
    /// The calls in the program's code that are added to the call graph; none by default.
    pub static_calls: Option<StaticCalls>,
    /// What disassembles programs, if these calls are not found without it.
    pub objdump: Objdump,
    /// The languages whose names are demangled, if names are.
    pub style: NameStyle,
    pub display: DisplayOptions,
    pub symspecs: Symspecs,
}

/// Which calls that are only in the program's code are added, with a count of 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticCalls {
    /// Those that gprof finds in programs for x86: of functions at higher addresses. All in other
    /// programs.
    AsGprof,
    All,
}

impl GprofOptions {
    /// Whether counts of functions and lines are shown: by themselves, or beside sources.
    pub fn has_counts(&self) -> bool {
        let mut views = self.views.iter();
        views.any(|view| matches!(view, GprofView::ExecCounts | GprofView::Sources))
    }
}

/// A view of `gprof`, or a file that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GprofView {
    /// The sum of all profiles, which is written to a file of its own.
    Sum,
    /// A summary of the profiles.
    Info,
    Flat,
    Graph,
    /// The names of the call graph, which always follow it.
    Index,
    ExecCounts,
    Sources,
    /// The names of functions in link order.
    LinkOrder,
    /// The object files in link order.
    ObjectOrder,
}
