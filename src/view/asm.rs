//! Instructions: what each one of a function cost, how often it was executed, where it jumped and what it called.

mod flow_graph;
mod instructions;
pub mod lanes;
mod line_flow;
mod list;
mod options;
mod page;

pub use crate::source::ObjectCode;
pub use crate::view::asm::page::SourceTexts;
pub use flow_graph::{FlowBlock, FlowGraph};
pub use instructions::{CallFrom, FunctionCode, Instructions, Jump};
pub use lanes::{Glyph, LaneRow};
pub use line_flow::{LineExecutions, LineFlow, SourceLine, executions_of_lines};
pub use list::{InstructionList, ListedInstruction};
pub use options::{AsmOptions, ObjectState};
pub use page::{Page, PageOptions, Row, readable_text};

/// How many targets of an instruction have arrows, and notes.
pub const MAX_TARGETS: usize = 3;
