//! gprof's views of samples: bins are divided among places, and time is propagated along counted calls, in gprof's
//! order of floating-point operations.

mod annotated;
mod blocks;
mod calls;
mod cycles;
mod exec_counts;
mod flat;
mod graph;
mod microseconds;
mod places;
mod table;
mod ticks;

pub use annotated::CountedFile;
pub use blocks::Blocks;
pub use calls::Calls as SampledCalls;
pub use exec_counts::PlaceCount;
pub use flat::{SampledFlat, SampledRow};
pub use graph::SampledGraph;
pub use microseconds::{Microseconds, calls_of_functions};
pub use places::Places;
pub use table::SampledTable;
pub use ticks::{Ticks, is_measuring};

use calls::Calls;
