//! gprof's views of Callgrind profiles (recorded costs) and of gprof's own data (samples).

mod counted;
mod exec_counts;
mod functions;
mod graph;
mod recorded;
mod samples;
mod symspecs;
mod table;

pub use exec_counts::{Blocks, CountedFile, ExecCount, exec_counts, place_counts};
pub use functions::{NamedFunctions, source_line};
pub use graph::{Amount, Calls, Graph, Node};
pub use recorded::Recorded;
pub use samples::{ReadableNames, Ticks, calls_of};
pub use symspecs::{Scope, Selected, Symspec, Symspecs};
pub use table::{Entry, Flat, FlatRow, GraphTable, Neighbour};
