//! The executions and jumps of source lines, from their instructions.

use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::line_executions::{
    CodeExecutions, CodeKind, Executed, LineCount, StatementExecutions, Turns, by_instructions,
    by_statements,
};
use super::{FunctionCode, Instruction, Instructions, LineJump, SourceLine};
use crate::profile::{FileId, FunctionId};
use crate::program::Statement;
use crate::transform::InlinedObjects;
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::sums::{add_up_equal, part_of};

/// A group (a file or a row) and a line number.
type GroupLine = (usize, u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineExecutions<G> {
    pub line: (G, u32),
    /// The address of the line's first instruction.
    pub address: u64,
    pub executed: Executed,
}

/// Of a line with code that did not run.
pub const DID_NOT_RUN: Executed = Executed { count: 0, is_estimated: false };

pub struct LineFlow {
    executed: Vec<LineExecutions<usize>>,
    /// By line, then the most taken first.
    jumps: Vec<(GroupLine, LineJump)>,
    /// The lines that have code, executed or not, as far as debug information tells them.
    lines_with_code: HashSet<GroupLine>,
    pub is_exact: bool,
    /// Whether the beginnings of some statements are marked.
    pub knows_statements: bool,
}

impl LineFlow {
    /// The executions and jumps by the group of a row's code in a file; none for code to leave out.
    pub fn new(
        instructions: &Instructions<'_>,
        inlined: &InlinedObjects,
        rows: &Rows<'_>,
        group: impl Fn(RowId, FileId) -> Option<usize>,
    ) -> LineFlow {
        let fragments = instructions.profile.fragments_with_ids();
        let of_fragment: HashMap<(FunctionId, FileId), usize> = fragments
            .filter_map(|(id, of)| {
                let group = group(rows.of_fragment(id), of.file)?;
                Some(((of.function, of.file), group))
            })
            .collect();
        let group = |function: FunctionId, file: FileId| -> Option<usize> {
            of_fragment.get(&(function, file)).copied()
        };
        let mut jumps: Vec<(GroupLine, LineJump)> = Vec::new();
        let add_jumps = |same: &[FunctionCode]| {
            let of_contexts: Vec<Vec<FoundJump>> = same
                .iter()
                .map(|code| {
                    let of_code =
                        instructions.jumps_of(code).into_iter().filter_map(|(site, jump)| {
                            let known = site.line != 0 && jump.target.1 != 0;
                            let group = group(site.function, site.file).filter(|_| known)?;
                            Some(FoundJump {
                                address: site.address,
                                from: (group, site.line),
                                jump,
                            })
                        });
                    of_code.collect()
                })
                .collect();
            if instructions.has_executions() {
                jumps.extend(never_taken(same, &of_contexts, group));
            }
            let all = of_contexts.into_iter().flatten();
            jumps.extend(all.map(|found| (found.from, found.jump)));
        };
        LineFlow {
            executed: executions_of_lines(instructions, inlined, group, add_jumps),
            jumps: sum_jumps(jumps),
            lines_with_code: HashSet::new(),
            is_exact: instructions.has_executions(),
            knows_statements: inlined.iter().any(|(_, code)| !code.statements.at.is_empty()),
        }
    }

    /// With the lines that have code, by group.
    pub fn with_code(self, lines_with_code: HashSet<GroupLine>) -> LineFlow {
        LineFlow { lines_with_code, ..self }
    }

    /// Whether lines that did not run are known.
    pub fn knows_code(&self) -> bool {
        !self.lines_with_code.is_empty()
    }

    /// How often a line was executed; none if it did not run, unless it is known to have code.
    pub fn executed(&self, group: usize, line: u32) -> Option<Executed> {
        let found = self.executed.binary_search_by_key(&(group, line), |one| one.line);
        let did_not_run = || self.lines_with_code.contains(&(group, line)).then_some(DID_NOT_RUN);
        found.ok().map(|at| self.executed[at].executed).or_else(did_not_run)
    }

    /// Whether the executions of some lines of a group are estimated.
    pub fn is_estimated(&self, group: usize) -> bool {
        let lines = part_of(&self.executed, group, |one| one.line.0).iter();
        lines.into_iter().any(|one| one.executed.is_estimated)
    }

    /// The lines of a group that have code of which none was executed, in order.
    pub fn not_executed(&self, group: usize) -> Vec<u32> {
        let with_code = self.lines_with_code.iter().filter(|(of, _)| *of == group);
        let mut lines: Vec<u32> = with_code
            .map(|&(_, line)| line)
            .filter(|&line| self.executed(group, line) == Some(DID_NOT_RUN))
            .collect();
        lines.sort_unstable();
        lines
    }

    pub fn most_executed(&self, group: usize) -> Executed {
        let all = part_of(&self.executed, group, |one| one.line.0).iter();
        // Of equal ones that with a mark, which is wider.
        let most = all.map(|one| one.executed).max_by_key(|of| (of.count, of.is_estimated));
        most.unwrap_or(DID_NOT_RUN)
    }

    /// The lines of a group that have jumps, in order.
    pub fn lines_with_jumps(&self, group: usize) -> Vec<u32> {
        let jumps = part_of(&self.jumps, group, |&((of, _), _)| of).iter();
        let mut lines: Vec<u32> = jumps.map(|&((_, line), _)| line).collect();
        lines.dedup();
        lines
    }

    /// The jumps from a line, the most taken first.
    pub fn jumps(&self, group: usize, line: u32) -> impl Iterator<Item = &LineJump> {
        let jumps = part_of(&self.jumps, (group, line), |&(from, _)| from).iter();
        jumps.map(|(_, jump)| jump)
    }
}

/// A jump of one context or recursion level of a function, from an instruction at an address in a
/// line.
struct FoundJump {
    address: u64,
    from: GroupLine,
    jump: LineJump,
}

/// The executions of conditional jumps in those contexts and recursion levels of a function that
/// never took them: a profile has these jumps only in the other ones. They belong to the same line
/// of the same group.
fn never_taken(
    same: &[FunctionCode],
    of_contexts: &[Vec<FoundJump>],
    group: impl Fn(FunctionId, FileId) -> Option<usize>,
) -> Vec<(GroupLine, LineJump)> {
    if same.len() < 2 {
        return Vec::new();
    }
    let conditional = |found: &&FoundJump| found.jump.is_conditional && found.address != 0;
    let mut known: HashMap<u64, Vec<(GroupLine, SourceLine)>> = HashMap::new();
    for found in of_contexts.iter().flatten().filter(conditional) {
        let jumps = known.entry(found.address).or_default();
        if !jumps.contains(&(found.from, found.jump.target)) {
            jumps.push((found.from, found.jump.target));
        }
    }
    let mut others = Vec::new();
    for (code, found) in same.iter().zip(of_contexts) {
        let own: HashSet<_> = found
            .iter()
            .filter(conditional)
            .map(|found| (found.address, found.from, found.jump.target))
            .collect();
        for one in &code.instructions {
            let from = group(one.owner, one.file).map(|group| (group, one.line));
            let jumps = known.get(&one.address).into_iter().flatten().filter(|(of, target)| {
                Some(*of) == from && !own.contains(&(one.address, *of, *target))
            });
            let executed = one.fetches.unwrap_or(0);
            others.extend(jumps.map(|&(of, target)| {
                (of, LineJump { target, is_conditional: true, taken: 0, executed })
            }));
        }
    }
    others
}

/// The executions of all lines, sorted by group and line; `group` returns none for code to leave
/// out. `inlined` tells the copies that are not functions of the profile, and the statements.
/// `with` gets the code of all contexts and recursion levels of each function.
pub fn executions_of_lines<G: Copy + Ord>(
    instructions: &Instructions<'_>,
    inlined: &InlinedObjects,
    group: impl Fn(FunctionId, FileId) -> Option<G>,
    mut with: impl FnMut(&[FunctionCode]),
) -> Vec<LineExecutions<G>> {
    let files = inlined.files_of(instructions.profile);
    let mut all: Vec<(LineExecutions<G>, LineCount)> = Vec::new();
    let mut statements: Vec<StatementExecutions<(G, u32)>> = Vec::new();
    let mut add = |line, address, count| {
        all.push((LineExecutions { line, address, executed: DID_NOT_RUN }, count));
    };
    for same in instructions.with_contexts() {
        let mut fragments = same.iter().flat_map(|&function| instructions.code_of(function));
        if !fragments.any(|of| group(of.function, of.file).is_some()) {
            continue;
        }
        let of = |&function: &FunctionId| instructions.of(function, |_| true, |_| false);
        let codes: Vec<FunctionCode> = same.iter().map(of).collect();
        let object = instructions.profile.function(same[0]).object;
        let mut kind = instructions.kind_with_copies(object);
        let mut lines = Vec::new();
        for code in &codes {
            let object = instructions.profile.function(code.function).object;
            let of_line = |one: &Instruction, of: Statement| {
                let file = files[object.index()][of.file as usize]?;
                Some((group(one.owner, file)?, of.line))
            };
            add_statements(&mut statements, code, |at| inlined.statements_at(object, at), of_line);
            for one in &code.instructions {
                let Some(executions) = one.executions else {
                    continue;
                };
                if let Some(code) = inlined.get(object) {
                    kind = kind.max(CodeKind::at(code, one.address));
                }
                let Some(group) = group(one.owner, one.file).filter(|_| one.line != 0) else {
                    continue;
                };
                let of = instructions.code_at((code.function, one.owner), one.address, inlined);
                lines.push(CodeExecutions {
                    place: ((group, one.line), of.host),
                    copy: of.copy,
                    address: one.address,
                    executions,
                });
            }
        }
        with(&codes);
        for (one, turns) in turns_of(&codes) {
            if let Some(group) = group(one.owner, one.file) {
                add((group, one.line), one.address, LineCount::of_turns(turns));
            }
        }
        by_instructions(&mut lines);
        for one in lines {
            add(one.place.0, one.address, LineCount::of(kind, one.executions));
        }
    }
    by_statements(&mut statements);
    for one in statements {
        add(one.line, one.address, LineCount::of_statement(&one));
    }
    all.sort_unstable_by_key(|(one, _)| (one.line, one.address));
    add_up_equal(&mut all, |(one, _)| one.line, |(_, count), (_, more)| *count += more);
    all.into_iter()
        .map(|(one, count)| LineExecutions { executed: count.executed(), ..one })
        .collect()
}

/// Adds the statements that begin at the executed instructions of a function.
fn add_statements<L, S: Iterator<Item = Statement>>(
    all: &mut Vec<StatementExecutions<L>>,
    code: &FunctionCode,
    statements_at: impl Fn(u64) -> S,
    line: impl Fn(&Instruction, Statement) -> Option<L>,
) {
    let mut before = None;
    for one in &code.instructions {
        let Some(executions) = one.executions else {
            continue;
        };
        let at = (one.address, executions);
        all.extend(statements_at(one.address).filter_map(|of| {
            let marked = (of.column, of.has_code);
            Some(StatementExecutions::new(line(one, of)?, marked, at, before))
        }));
        before = Some(at);
    }
}

/// The instructions that loops end with, in all contexts and recursion levels of a function: a
/// profile has a conditional jump only in those that took it.
fn turns_of(codes: &[FunctionCode]) -> Vec<(&Instruction, Turns)> {
    let taken: Vec<HashMap<u64, i64>> = codes.iter().map(FunctionCode::turns).collect();
    let all: HashSet<u64> = taken.iter().flat_map(HashMap::keys).copied().collect();
    let of_code = codes.iter().zip(&taken).flat_map(|(code, taken)| {
        let ends = code.instructions.iter().filter(|one| all.contains(&one.address));
        ends.filter_map(|one| {
            let taken = taken.get(&one.address).copied().unwrap_or(0);
            Some((one, Turns { executed: one.executions?, taken }))
        })
    });
    of_code.collect()
}

/// Sums the jumps by source and target line.
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
