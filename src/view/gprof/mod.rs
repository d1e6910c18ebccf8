//! gprof's views: of a callgrind profile with its exact costs, and in [`sampled`] of gprof's own data, whose times are
//! propagated along counted calls.

mod entries;
mod exec_counts;
mod flat;
mod functions;
mod graph;
mod included;
mod info;
mod link_order;
mod order;
mod propagated;
mod sampled;
mod symspec;
mod symspecs;
mod time;

pub use entries::{Entry, EntryOf, GraphTable, Neighbour};
pub use exec_counts::{ExecCount, exec_counts};
pub use flat::{Flat, FlatRow};
pub use functions::{MergedFunctions, Qualifier, SourceLine, basename};
pub use graph::EventGraph;
pub use included::{Included, Lists};
pub use info::ProfileInfo;
pub use link_order::link_order;
pub use sampled::{
    Blocks, CountedFile, Microseconds, PlaceCount, Places, SampledCalls, SampledFlat, SampledGraph,
    SampledRow, SampledTable, Ticks, calls_of_functions, is_measuring,
};
pub use symspec::{Scope, Symspec};
pub use symspecs::{Ends, Matched, Symspecs};
