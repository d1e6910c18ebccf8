//! Instructions: the cost of each instruction of a function, its executions, jumps and calls; also
//! the selection of the functions to show, and the code of their objects.

mod instructions;
pub mod lanes;
pub(in crate::view) mod line_executions;
mod line_flow;
mod page;

use std::ffi::OsString;

use hashbrown::HashSet;

use crate::profile::FunctionId;
use crate::source::{CodeLine, Objdump, ObjdumpError, ObjectCode};
use crate::view::filter::{Filter, IncludeExclude, Subject};
use crate::view::list::List;
use crate::view::rows::Rows;
use crate::view::selection::{Selection, Threshold};
pub use instructions::{AsmJump, FunctionCode, Instruction, Instructions, LineJump, SourceLine};
pub use lanes::{Glyph, LaneRow};
pub use line_executions::Executed;
pub use line_flow::{DID_NOT_RUN, LineExecutions, LineFlow, executions_of_lines};
pub use page::{InstructionPage, PageRow, readable_text};

/// The maximum number of targets of an instruction that have arrows and notes.
pub const MAX_TARGETS: usize = 3;

/// An object with functions to show.
pub struct AsmObject {
    pub code: Result<ObjectCode, NoCode>,
    pub path: Option<Vec<u8>>,
    pub is_newer: bool,
    pub matching: usize,
    /// The number of recorded addresses of the selected functions.
    pub recorded: usize,
}

/// Why the instructions of a function are not known.
pub enum NoCode {
    Unknown,
    Missing,
    /// The file is not the one that was profiled.
    Changed,
    Objdump(ObjdumpError),
    /// Not tried, because objdump failed to run for another object.
    NotRead,
}

impl AsmObject {
    /// The state of its code, as in JSON.
    pub fn state(&self) -> &'static str {
        match self.code {
            Ok(_) => "found",
            Err(NoCode::Unknown) => "unknown",
            Err(NoCode::Missing) => "missing",
            Err(NoCode::Changed) => "changed",
            Err(NoCode::Objdump(_) | NoCode::NotRead) => "unreadable",
        }
    }

    pub fn line(&self, number: Option<usize>) -> Option<&CodeLine> {
        self.code.as_ref().ok()?.get(number?)
    }
}

/// Which instructions are shown.
#[derive(Clone, Debug)]
pub struct AsmOptions {
    /// The functions to show; none for the listed ones.
    pub functions: Option<IncludeExclude>,
    /// The percentage of a function's self cost that its shown instructions cover.
    pub threshold: Threshold,
    /// The disassembler; its context is the number of instructions shown around each selected one.
    pub objdump: Objdump,
    /// A directory to prepend to the paths of objects.
    pub sysroot: Option<OsString>,
    /// The maximum number of executed instructions of all functions, where they were not requested,
    /// unless the first one alone has more: then nothing is said of objects that are not found,
    /// either.
    pub max_instructions: Option<usize>,
}

impl AsmOptions {
    /// These options for instructions that are shown without those around them.
    pub fn alone(&self) -> AsmOptions {
        let objdump = Objdump { context: 0, ..self.objdump.clone() };
        AsmOptions { objdump, ..self.clone() }
    }

    /// The functions to show, the most expensive first; also those without costs that made calls
    /// or jumps. The filter of the list holds for functions that a pattern or one of the `lines`
    /// names, too.
    pub fn choose(
        &self,
        instructions: &Instructions<'_>,
        filter: &Filter,
        rows: &Rows<'_>,
        list: &List,
        selection: &Selection,
        lines: &HashSet<SourceLine>,
    ) -> Vec<FunctionId> {
        let profile = instructions.profile;
        let name = |id| {
            let function = profile.function(id);
            let [file, name] = [profile.file(function.file), profile.name(function.name)];
            (file, name, profile.object(function.object))
        };
        let is_listed = list.is_listed(rows);
        let is_named = |id: FunctionId| {
            let home = profile.home(id);
            let subject = Subject::of_fragment(profile, profile.fragment(home));
            let choice = self.functions.as_ref();
            choice.is_none_or(|choice| choice.accepts(&subject))
                && filter.accepts_fragment(profile, home)
        };
        let is_chosen = |&id: &FunctionId| {
            if self.functions.is_none() && lines.is_empty() {
                return is_listed[rows.of_function(id).index()];
            }
            let has_lines =
                || lines.is_empty() || instructions.lines(id).any(|line| lines.contains(&line));
            is_named(id) && has_lines()
        };
        let mut own = profile
            .self_costs_by(profile.function_count(), |_, fragment| {
                Some(profile.host(fragment.function).index())
            })
            .new;
        own.derive(profile.events());
        let mut functions: Vec<FunctionId> =
            instructions.functions().into_iter().filter(is_chosen).collect();
        functions.sort_by(|a, b| {
            let by_cost = selection.cmp_descending(own.get(a.index()), own.get(b.index()));
            by_cost.then_with(|| name(*a).cmp(&name(*b)))
        });
        functions
    }
}
