//! gprof's views: of recorded costs, and in [`sampled`] of gprof's own data.

mod cycles;
mod flat;
mod functions;
mod graph;
mod recorded;
mod sampled;
mod symspec;
mod symspecs;
mod table;

pub use flat::{Flat, FlatRow};
pub use functions::{NamedFunctions, ProfileInfo, Qualifier, link_order, source_line};
pub use graph::{Amount, Graph};
pub use recorded::{ExecCount, Recorded, RecordedRow, exec_counts};
pub use sampled::{
    Blocks, CountedFile, Microseconds, Places, SampledCalls, Ticks, calls_of_functions,
    is_measuring, place_counts,
};
pub use symspec::{Scope, Symspec};
pub use symspecs::{Lists, Matched, Selected, Symspecs};
pub use table::{Entry, EntryOf, GraphTable, Neighbour};
