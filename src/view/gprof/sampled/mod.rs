//! gprof's views of samples: bins are divided among places, and time is propagated along counted calls, in gprof's
//! order of floating-point operations.

mod annotated;
mod calls;
mod cycles;
mod exec_counts;
mod graph;
mod microseconds;
mod places;
mod table;

pub use crate::view::gprof::sampled::exec_counts::Blocks;
pub use crate::view::gprof::sampled::microseconds::{Ticks, is_measuring};
pub use crate::view::gprof::sampled::table::{SampledFlat, SampledRow};
pub use annotated::CountedFile;
pub use calls::Calls as SampledCalls;
pub use exec_counts::PlaceCount;
pub use graph::SampledGraph;
pub use microseconds::{Microseconds, calls_of_functions};
pub use places::Places;
pub use table::SampledTable;

use calls::Calls;
