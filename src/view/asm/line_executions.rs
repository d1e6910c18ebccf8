//! How often lines were executed. This is the only place where that is decided.
//!
//! Code without optimization, and that of compilers that do not mark statements: a line was
//! executed as often as its most executed instruction. Several inlined copies of one function are
//! added up; of different functions inlined into one, the maximum counts, because compilers move
//! instructions between them. A line of several functions has their sum.
//!
//! Optimized code of gcc: the compiler copies code (it peels and unrolls loops, and duplicates what
//! follows a branch), moves instructions of a line away from each other, and joins several lines
//! in one instruction. It marks where each copy of a statement begins. A line was executed as often
//! as its most executed statement began, all copies added up. A line without such a mark, of which
//! only some instructions are left, is treated as in code without optimization.
//!
//! In optimized code a count is an estimate where what it is made of does not agree:
//! - no mark tells it, also in code of compilers that mark no statements;
//! - the mark stands at another line's instruction, which other ways lead to as well, so that it
//!   may be of only one of these ways;
//! - two marks of a statement were executed equally often, and may follow one another;
//! - an instruction of the line was executed more often than any of its statements began.

use std::cmp::Ordering;
use std::ops::AddAssign;

use crate::transform::InlinedCode;
use crate::view::sums::add_up_equal;

/// The executions of an instruction of a line.
#[derive(Clone, Copy, Debug)]
pub(in crate::view) struct CodeExecutions<K> {
    /// The line, in one function.
    pub(in crate::view) place: K,
    /// The number of the innermost copy that was inlined there, behind that of the name of its
    /// function.
    pub(in crate::view) copy: Option<(u32, u32)>,
    pub(in crate::view) address: u64,
    pub(in crate::view) executions: i64,
}

/// The executions of an instruction at which a statement of a line begins.
#[derive(Clone, Copy, Debug)]
pub(in crate::view) struct StatementExecutions<L> {
    pub(in crate::view) line: L,
    pub(in crate::view) column: u16,
    pub(in crate::view) address: u64,
    pub(in crate::view) executions: i64,
    /// Whether it may have begun less often than the instruction was executed.
    pub(in crate::view) is_estimated: bool,
}

/// How often a line was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Executed {
    pub count: i64,
    pub is_estimated: bool,
}

/// How often a line was executed, by what is known of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::view) struct LineCount {
    /// By its instructions, in functions without marks of statements.
    pub(in crate::view) unmarked: i64,
    /// By its instructions, in functions with marks.
    pub(in crate::view) marked: i64,
    /// By the marks of its statements.
    pub(in crate::view) statements: i64,
    /// Whether what is not by instructions with marks is estimated.
    pub(in crate::view) is_estimated: bool,
}

impl LineCount {
    pub(in crate::view) fn of(code: CodeKind, executions: i64) -> LineCount {
        match code {
            CodeKind::Plain => LineCount { unmarked: executions, ..LineCount::default() },
            CodeKind::Unmarked => {
                LineCount { unmarked: executions, is_estimated: true, ..LineCount::default() }
            }
            CodeKind::Marked => LineCount { marked: executions, ..LineCount::default() },
        }
    }

    pub(in crate::view) fn of_statement<L>(one: &StatementExecutions<L>) -> LineCount {
        let StatementExecutions { executions, is_estimated, .. } = *one;
        LineCount { statements: executions, is_estimated, ..LineCount::default() }
    }

    pub(in crate::view) fn executed(self) -> Executed {
        let LineCount { unmarked, marked, statements, is_estimated } = self;
        let by_marks = if statements > 0 { statements } else { marked };
        Executed { count: unmarked + by_marks, is_estimated: is_estimated || marked > statements }
    }
}

/// What the code of a function says of its statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::view) enum CodeKind {
    /// It is not optimized, as far as that is known.
    Plain,
    /// It is optimized, and says nothing.
    Unmarked,
    /// It has marks where they begin.
    Marked,
}

impl CodeKind {
    /// What an address of a function says.
    pub(in crate::view) fn at(code: &InlinedCode, address: u64) -> CodeKind {
        if !code.statements_at(address).is_empty() {
            CodeKind::Marked
        } else if code.is_unmarked_at(address) {
            CodeKind::Unmarked
        } else {
            CodeKind::Plain
        }
    }
}

/// No instruction is longer.
const LONGEST_INSTRUCTION: u64 = 15;

/// Whether other ways lead to an instruction than from the one before it, the last one of the
/// function that was executed: then what stands between the two may be on one of the ways alone.
pub(in crate::view) fn is_joined(
    before: Option<(u64, i64)>,
    (address, executions): (u64, i64),
) -> bool {
    before
        .is_some_and(|(of, executed)| address - of <= LONGEST_INSTRUCTION && executed != executions)
}

impl AddAssign for LineCount {
    fn add_assign(&mut self, more: LineCount) {
        self.unmarked += more.unmarked;
        self.marked += more.marked;
        self.statements += more.statements;
        self.is_estimated |= more.is_estimated;
    }
}

/// Leaves one of each place: the executions of its code by its instructions. Those of an address
/// are added up, over contexts and recursion levels.
pub(in crate::view) fn by_instructions<K: Copy + Ord>(all: &mut Vec<CodeExecutions<K>>) {
    let add = |one: &mut CodeExecutions<K>, more: CodeExecutions<K>| {
        one.address = one.address.min(more.address);
        one.executions += more.executions;
    };
    let most = |one: &mut CodeExecutions<K>, more: CodeExecutions<K>| {
        one.address = one.address.min(more.address);
        one.executions = one.executions.max(more.executions);
    };
    // The instructions of each context are in order of their addresses, and most contexts have the
    // same ones: merging them is faster than sorting all of them by line.
    let at = |one: &CodeExecutions<K>| (one.address, one.place, one.copy);
    all.sort_by_key(at);
    add_up_equal(all, at, add);
    all.sort_unstable_by_key(|one| (one.place, one.copy, one.address));
    add_up_equal(all, |one| (one.place, one.copy), most);
    add_up_equal(all, |one| (one.place, one.copy.map(|(name, _)| name)), add);
    add_up_equal(all, |one| one.place, most);
}

/// Leaves one of each line: the executions of its most executed statement, all copies of it added
/// up.
pub(in crate::view) fn by_statements<L: Copy + Ord>(all: &mut Vec<StatementExecutions<L>>) {
    let add = |one: &mut StatementExecutions<L>, more: StatementExecutions<L>| {
        one.address = one.address.min(more.address);
        one.executions += more.executions;
        one.is_estimated |= more.is_estimated;
    };
    all.sort_unstable_by_key(|one| (one.line, one.column, one.address));
    add_up_equal(all, |one| (one.line, one.column, one.address), add);
    all.sort_unstable_by_key(|one| (one.line, one.column, one.executions, one.address));
    for at in 1..all.len() {
        let [before, one] = [all[at - 1], all[at]];
        let are_equal = (before.line, before.column, before.executions)
            == (one.line, one.column, one.executions);
        all[at].is_estimated |= are_equal;
    }
    add_up_equal(all, |one| (one.line, one.column), add);
    add_up_equal(
        all,
        |one| one.line,
        |one, more| {
            one.address = one.address.min(more.address);
            match more.executions.cmp(&one.executions) {
                Ordering::Less => {}
                // Two statements agree.
                Ordering::Equal => one.is_estimated &= more.is_estimated,
                Ordering::Greater => {
                    one.executions = more.executions;
                    one.is_estimated = more.is_estimated;
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(
        place: u8,
        copy: Option<(u32, u32)>,
        address: u64,
        executions: i64,
    ) -> CodeExecutions<u8> {
        CodeExecutions { place, copy, address, executions }
    }

    /// The place, the first address and the executions of each line.
    fn executed(mut all: Vec<CodeExecutions<u8>>) -> Vec<(u8, u64, i64)> {
        by_instructions(&mut all);
        all.iter().map(|one| (one.place, one.address, one.executions)).collect()
    }

    #[test]
    fn a_line_without_marks_was_executed_as_its_most_executed_instruction() {
        // Two contexts of an address are added up.
        let contexts = vec![of(1, None, 8, 3), of(1, None, 4, 5), of(1, None, 8, 4)];
        assert_eq!(executed(contexts), [(1, 4, 7)]);
        // Two copies of function 1 are added up, one of function 2 and the code around is not.
        let copies = vec![
            of(1, Some((1, 1)), 4, 5),
            of(1, Some((1, 2)), 8, 6),
            of(1, Some((2, 3)), 12, 7),
            of(1, None, 16, 1),
            of(2, None, 20, 9),
        ];
        assert_eq!(executed(copies), [(1, 4, 11), (2, 20, 9)]);
    }

    /// The first address, the executions and whether they are estimated, of statements with these
    /// columns, addresses and executions.
    fn of_statements(statements: &[(u16, u64, i64)]) -> Vec<(u64, i64, bool)> {
        let with = |&(column, address, executions): &(u16, u64, i64)| StatementExecutions {
            line: 1,
            column,
            address,
            executions,
            is_estimated: false,
        };
        let mut all: Vec<_> = statements.iter().map(with).collect();
        by_statements(&mut all);
        all.iter().map(|one| (one.address, one.executions, one.is_estimated)).collect()
    }

    #[test]
    fn copies_of_a_statement_are_added_up() {
        // A peeled loop: the condition in column 8 runs more often than the rest of the line.
        let peeled = [(3, 4, 1), (8, 16, 10), (8, 12, 90), (20, 24, 99)];
        assert_eq!(of_statements(&peeled), [(4, 100, false)]);
        // Contexts of one mark are no copies, and have equal executions by chance.
        assert_eq!(of_statements(&[(3, 4, 7), (3, 4, 7)]), [(4, 14, false)]);
    }

    #[test]
    fn marks_that_are_executed_equally_often_may_follow_one_another() {
        assert_eq!(of_statements(&[(3, 4, 50), (3, 8, 50), (3, 12, 1)]), [(4, 101, true)]);
        // Another statement of the line agrees with the sum, or has more.
        assert_eq!(of_statements(&[(3, 4, 50), (3, 8, 50), (9, 6, 100)]), [(4, 100, false)]);
        assert_eq!(of_statements(&[(3, 4, 50), (3, 8, 50), (9, 6, 101)]), [(4, 101, false)]);
    }

    #[test]
    fn a_mark_at_other_code_is_sure_if_one_way_leads_there() {
        assert!(!is_joined(None, (40, 7)));
        assert!(!is_joined(Some((36, 7)), (40, 7)));
        assert!(is_joined(Some((36, 5)), (40, 7)));
        // What is between them did not run.
        assert!(!is_joined(Some((20, 5)), (40, 7)));
    }

    #[test]
    fn instructions_count_where_no_statement_begins() {
        let count = |unmarked, marked, statements| {
            let count = LineCount { unmarked, marked, statements, is_estimated: false };
            let Executed { count, is_estimated } = count.executed();
            (count, is_estimated)
        };
        assert_eq!(count(7, 0, 0), (7, false));
        assert_eq!(count(0, 40, 100), (100, false));
        assert_eq!(count(0, 40, 0), (40, true));
        assert_eq!(count(7, 40, 100), (107, false));
        // An instruction was executed more often than any statement of the line.
        assert_eq!(count(0, 40, 30), (30, true));
        assert!(LineCount::of(CodeKind::Unmarked, 5).executed().is_estimated);
        assert!(!LineCount::of(CodeKind::Plain, 5).executed().is_estimated);
    }
}
