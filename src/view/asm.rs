//! Instructions: what each one of a function cost, how often it was executed, where it jumped and what it called.

mod flow_graph;
mod function;
mod instructions;
pub mod lanes;
mod line_flow;
mod list;
mod options;
mod page;

pub use crate::source::ObjectCode;
pub use crate::view::asm::page::SourceTexts;
pub use flow_graph::{FlowBlock, FlowGraph};
pub use function::{CallFrom, FunctionCode, Jump};
pub use instructions::Instructions;
pub use lanes::{Glyph, LaneRow};
pub use line_flow::{LineExecutions, LineFlow, SourceLine, executions_of_lines};
pub use list::{InstructionList, ListedInstruction};
pub use options::{AsmOptions, ObjectState};
pub use page::{Page, PageOptions, Row, readable_text};

/// Of how many of its targets an instruction has arrows.
const MAX_TARGETS: usize = 3;
