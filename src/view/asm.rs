//! Instructions: what each one of a function cost, how often it was executed, where it jumped and what it called; which
//! functions' instructions are shown, and the code of their objects.

mod flow_graph;
mod instructions;
pub mod lanes;
mod line_flow;
mod list;
mod page;

use std::ffi::OsString;

use crate::profile::FunctionId;
use crate::source::{CodeLine, Objdump, ObjdumpError, ObjectCode};
use crate::view::filter::{IncludeExclude, Subject};
use crate::view::list::List;
use crate::view::rows::Rows;
use crate::view::selection::{Selection, Threshold};
pub use flow_graph::{FlowBlock, FlowGraph};
pub use instructions::{FunctionCode, Instructions, Jump};
pub use lanes::{Glyph, LaneRow};
pub use line_flow::{LineExecutions, LineFlow, SourceLine, executions_of_lines};
pub use list::{InstructionList, ListedInstruction};
pub use page::{Page, Row, SourceTexts, readable_text};

/// How many targets of an instruction have arrows, and notes.
pub const MAX_TARGETS: usize = 3;

/// An object some of whose functions are shown.
pub struct AsmObject {
    pub code: Result<ObjectCode, NoCode>,
    pub path: Option<Vec<u8>>,
    pub is_newer: bool,
    /// How many recorded addresses are those of its instructions.
    pub matching: usize,
    /// How many addresses of the chosen functions were recorded.
    pub recorded: usize,
}

pub enum NoCode {
    Unknown,
    Missing,
    /// It is another file than the profiled one.
    Changed,
    Objdump(ObjdumpError),
    /// objdump does not run, as was found with another object.
    NotRead,
}

impl AsmObject {
    /// What came of looking for its code, as JSON has it.
    pub fn state(&self) -> &'static str {
        match self.code {
            Ok(_) => "found",
            Err(NoCode::Unknown) => "unknown",
            Err(NoCode::Missing) => "missing",
            Err(NoCode::Changed) => "changed",
            Err(NoCode::Objdump(_) | NoCode::NotRead) => "unreadable",
        }
    }

    /// An instruction by its number, if its code is known.
    pub fn line(&self, number: Option<usize>) -> Option<&CodeLine> {
        self.code.as_ref().ok()?.get(number?)
    }
}

#[derive(Clone, Debug)]
pub struct AsmOptions {
    /// The functions; none for those that are listed.
    pub functions: Option<IncludeExclude>,
    /// Up to which share of a function's own cost its most expensive instructions are shown.
    pub threshold: Threshold,
    /// Whether source lines are between the instructions.
    pub sources: bool,
    /// The program that disassembles; its context is that of each shown instruction.
    pub objdump: Objdump,
    /// A folder that is put before the paths of objects.
    pub sysroot: Option<OsString>,
}

impl AsmOptions {
    /// The functions to show, the most expensive first; also those that only called or jumped.
    pub fn choose(
        &self,
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        list: &List,
        selection: &Selection,
    ) -> Vec<FunctionId> {
        let profile = instructions.profile;
        let name = |id| {
            let function = profile.function(id);
            let [file, name] = [profile.file(function.file), profile.name(function.name)];
            (file, name, profile.object(function.object))
        };
        let is_listed = list.is_listed(rows);
        let is_chosen = |&id: &FunctionId| match &self.functions {
            None => is_listed[rows.of_function(id).index()],
            Some(choice) => {
                let fragment = profile.fragment(profile.home(id));
                choice.accepts(&Subject::of_fragment(profile, fragment))
            }
        };
        let own = profile.self_costs_by(profile.function_count(), |_, fragment| {
            Some(profile.host(fragment.function).index())
        });
        let mut own = own.new;
        own.derive(profile.events());
        let functions = instructions.functions().into_iter().filter(is_chosen);
        let mut functions: Vec<FunctionId> = functions.collect();
        functions.sort_by(|a, b| {
            let by_cost = selection.falling(own.get(a.index()), own.get(b.index()));
            by_cost.then_with(|| name(*a).cmp(&name(*b)))
        });
        functions
    }
}
