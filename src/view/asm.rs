//! Instructions: what each one of a function cost, how often it was executed, where it jumped and what it called.

mod executions;
mod function;
mod lanes;
mod options;
mod page;
mod sources;
mod text;

pub use crate::source::ObjectCode;
pub use executions::Jump;
pub use function::{CallFrom, FunctionCode, Instruction, Instructions};
pub use lanes::{Arrow, Glyph, LaneRow, Lanes, MAX_LANES};
pub use options::{AsmOptions, ObjectState};
pub use page::{Page, PageOptions, Row};
pub use sources::SourceTexts;
pub use text::readable_text;

/// Of how many of its targets an instruction has arrows.
const MAX_TARGETS: usize = 3;
