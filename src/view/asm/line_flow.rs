//! What is known of source lines from their instructions: how often each was executed, and where it jumps to.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::{FunctionCode, Instructions};
use crate::profile::{FileId, FunctionId};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::sums::{add_up_equal, part_of};

pub type SourceLine = (FileId, u32);

/// A line of a group: of a file, or of a row.
type GroupLine = (usize, u32);

/// How often a line of a group was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineExecutions<G> {
    pub line: (G, u32),
    /// The address of the line's first instruction.
    pub address: u64,
    pub executions: i64,
}

/// All jumps from a line to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineJump {
    pub target: SourceLine,
    pub is_conditional: bool,
    pub taken: i64,
    /// How often their instructions were executed. If instructions are not known it may be more.
    pub executed: i64,
}

/// Executions and jumps of source lines, each line by its file or its row.
pub struct LineFlow {
    executed: Vec<LineExecutions<usize>>,
    /// By line, then the most taken first.
    jumps: Vec<(GroupLine, LineJump)>,
    pub is_exact: bool,
}

impl LineFlow {
    /// Those of the lines of rows, or of files as far as they are in rows that the filter selected.
    pub fn new(instructions: &Instructions<'_>, rows: &Rows<'_>, by_row: bool) -> LineFlow {
        let fragments = instructions.profile.fragments_with_ids();
        let of_fragment = fragments.map(|(id, of)| ((of.function, of.file), rows.of_fragment(id)));
        let of_fragment: HashMap<(FunctionId, FileId), RowId> = of_fragment.collect();
        let group = |function: FunctionId, file: FileId| {
            let row = *of_fragment.get(&(function, file))?;
            match by_row {
                true => Some(row.index()),
                false => rows.is_selected(row).then_some(file.index()),
            }
        };
        let mut jumps: Vec<(GroupLine, LineJump)> = Vec::new();
        let add_jumps = |code: &FunctionCode| {
            for ((file, line), jump) in instructions.jumps_of(code) {
                let known = line != 0 && jump.target.1 != 0;
                let group = group(code.function, file).filter(|_| known);
                jumps.extend(group.map(|group| ((group, line), jump)));
            }
        };
        LineFlow {
            executed: executions_of_lines(instructions, group, add_jumps),
            jumps: sum_jumps(jumps),
            is_exact: instructions.has_executions(),
        }
    }

    /// How often a line of a file or a row was executed, if that is known.
    pub fn executed(&self, group: usize, line: u32) -> Option<i64> {
        let found = &self.executed;
        let found = found.binary_search_by_key(&(group, line), |one| one.line);
        found.ok().map(|at| self.executed[at].executions)
    }

    /// The largest number of executions of a line of a file or a row.
    pub fn most_executed(&self, group: usize) -> i64 {
        let all = part_of(&self.executed, group, |one| one.line.0).iter();
        all.map(|one| one.executions).max().unwrap_or(0)
    }

    /// The lines of a file or a row that jumps are from, in order.
    pub fn lines_with_jumps(&self, group: usize) -> Vec<u32> {
        let jumps = part_of(&self.jumps, group, |&((of, _), _)| of).iter();
        let mut lines: Vec<u32> = jumps.map(|&((_, line), _)| line).collect();
        lines.dedup();
        lines
    }

    /// The jumps from a line of a file or a row, the most taken first.
    pub fn jumps(&self, group: usize, line: u32) -> impl Iterator<Item = &LineJump> {
        let jumps = part_of(&self.jumps, (group, line), |&(from, _)| from).iter();
        jumps.map(|(_, jump)| jump)
    }
}

/// The executions of all lines, by group and line, as far as a line's function and file are in a group. In a function they
/// are those of the most executed instruction, which was executed by all contexts and levels of recursion together; a line
/// of several functions was executed by all of them. `with` is given the code of each function.
pub fn executions_of_lines<G: Copy + Ord>(
    instructions: &Instructions<'_>,
    group: impl Fn(FunctionId, FileId) -> Option<G>,
    mut with: impl FnMut(&FunctionCode),
) -> Vec<LineExecutions<G>> {
    let add =
        |one: &mut LineExecutions<G>, more: LineExecutions<G>| one.executions += more.executions;
    let mut all: Vec<LineExecutions<G>> = Vec::new();
    for same in instructions.with_contexts() {
        let mut lines: Vec<LineExecutions<G>> = Vec::new();
        for function in same {
            let code = instructions.of(function, |_| true);
            let known = code.instructions.iter().filter(|one| one.line != 0);
            lines.extend(known.filter_map(|one| {
                Some(LineExecutions {
                    line: (group(function, one.file)?, one.line),
                    address: one.address,
                    executions: one.executions?,
                })
            }));
            with(&code);
        }
        let at = |one: &LineExecutions<G>| (one.line, one.address);
        lines.sort_unstable_by_key(at);
        add_up_equal(&mut lines, at, add);
        add_up_equal(
            &mut lines,
            |one| one.line,
            |one, more| {
                one.executions = one.executions.max(more.executions);
            },
        );
        all.extend(lines);
    }
    all.sort_unstable_by_key(|one| (one.line, one.address));
    add_up_equal(&mut all, |one| one.line, add);
    all
}

/// Adds up the jumps from each line to each other.
fn sum_jumps(mut jumps: Vec<(GroupLine, LineJump)>) -> Vec<(GroupLine, LineJump)> {
    let key = |(from, jump): &(GroupLine, LineJump)| (*from, jump.target, jump.is_conditional);
    jumps.sort_by_key(key);
    add_up_equal(&mut jumps, key, |(_, jump), (_, more)| {
        jump.taken += more.taken;
        jump.executed += more.executed;
    });
    jumps.sort_by_key(|(from, jump)| (*from, Reverse(jump.taken), jump.target));
    jumps
}
