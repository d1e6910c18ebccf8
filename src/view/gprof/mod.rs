//! gprof's views: of a callgrind profile with its exact costs, and in [`sampled`] of gprof's own data, whose times are
//! propagated along counted calls.

mod entries;
mod flat;
mod functions;
mod graph;
mod order;
mod sampled;
mod symspec;
mod symspecs;
mod time;

pub use crate::view::gprof::flat::{ExecCount, exec_counts};
pub use crate::view::gprof::functions::ProfileInfo;
pub use crate::view::gprof::functions::link_order;
pub use crate::view::gprof::symspecs::{Included, Lists};
pub use entries::{Entry, EntryOf, GraphTable, Neighbour};
pub use flat::{Flat, FlatRow};
pub use functions::{MergedFunctions, Qualifier, SourceLine, basename};
pub use graph::EventGraph;
pub use sampled::{
    Blocks, CountedFile, Microseconds, PlaceCount, Places, SampledCalls, SampledFlat, SampledGraph,
    SampledRow, SampledTable, Ticks, calls_of_functions, is_measuring,
};
pub use symspec::{Scope, Symspec};
pub use symspecs::{Ends, Matched, Symspecs};
