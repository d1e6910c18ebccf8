//! gprof's views of Callgrind profiles (recorded costs) and of gprof's own data (samples).

mod blocks;
mod callgrind_costs;
mod counted;
mod counted_lines;
mod exec_counts;
mod functions;
mod graph;
mod link_order;
mod samples;
mod symspecs;
mod table;

pub use blocks::BasicBlocks;
pub use callgrind_costs::CallgrindCosts;
pub use counted_lines::{CountedFile, CountsShown};
pub use exec_counts::{ExecCount, exec_counts, place_counts};
pub use functions::{NamedFunctions, source_line};
pub use graph::{Amount, Calls, Graph, Node};
pub use link_order::{function_order, object_order};
pub use samples::{ReadableNames, Ticks, calls_of};
pub use symspecs::{Scope, Selected, Symspec, Symspecs};
pub use table::{Flat, FlatRow, GraphEntry, GraphTable, Neighbour};
