//! gprof's views of samples: bins are divided among places, and time is propagated along counted calls, in gprof's
//! order of floating-point operations.

mod annotated;
mod calls;
mod exec_counts;

mod places;
mod samples;

pub use annotated::CountedFile;
pub use calls::SampledCalls;
pub use exec_counts::{Blocks, place_counts};
pub use places::Places;
pub use samples::{Microseconds, Ticks, calls_of_functions, is_measuring};
