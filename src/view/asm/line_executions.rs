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
//!   may be of only one of these ways. If the line's own instructions were executed as often as the
//!   one before the mark, it is of that way;
//! - two marks of a statement were executed equally often, and may follow one another;
//! - an instruction of the line was executed more often than any of its statements began;
//! - the condition of a `for` loop began as often as its last statement: the compiler left out the
//!   first check of each run of the loop, as it cannot fail. Each end of the loop by its condition
//!   tells of one.
//!
//! Marks that the line's own instructions agree with are no estimate.

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
    column: u16,
    pub(in crate::view) address: u64,
    executions: i64,
    /// Without those on other ways than from the instruction before, if its line has no code there.
    on_way: i64,
    /// Whether it may have begun less often than the instruction was executed.
    is_estimated: bool,
    /// Whether another statement of the line began as often.
    has_equal: bool,
}

impl<L> StatementExecutions<L> {
    /// A statement of a line and column at an instruction. `before` is the last instruction before
    /// it that was executed in the function.
    pub(in crate::view) fn new(
        line: L,
        (column, has_code): (u16, bool),
        (address, executions): (u64, i64),
        before: Option<(u64, i64)>,
    ) -> StatementExecutions<L> {
        let joined = before.filter(|_| !has_code).and_then(|before| {
            let is_next = address - before.0 <= LONGEST_INSTRUCTION;
            (is_next && before.1 < executions).then_some(before.1)
        });
        StatementExecutions {
            line,
            column,
            address,
            executions,
            on_way: joined.unwrap_or(executions),
            is_estimated: joined.is_some(),
            has_equal: false,
        }
    }
}

/// How often the conditional jumps from a line to code before them were executed and taken: at the
/// ends of loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::view) struct Turns {
    pub(in crate::view) executed: i64,
    pub(in crate::view) taken: i64,
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
    /// By its instructions, in functions that are not optimized.
    plain: i64,
    /// By its instructions, in optimized functions without marks of statements.
    unmarked: i64,
    /// By its instructions, in functions with marks.
    marked: i64,
    /// By the marks of its statements, and without other ways to them.
    statements: i64,
    on_way: i64,
    /// Whether what the marks say is estimated.
    is_estimated: bool,
    /// Whether several statements began equally often.
    has_equal: bool,
    turns: Turns,
}

impl LineCount {
    pub(in crate::view) fn of(code: CodeKind, executions: i64) -> LineCount {
        let none = LineCount::default();
        match code {
            CodeKind::Plain => LineCount { plain: executions, ..none },
            CodeKind::Unmarked => LineCount { unmarked: executions, ..none },
            CodeKind::Marked => LineCount { marked: executions, ..none },
        }
    }

    pub(in crate::view) fn of_statement<L>(one: &StatementExecutions<L>) -> LineCount {
        let StatementExecutions { executions, on_way, is_estimated, has_equal, .. } = *one;
        let none = LineCount::default();
        LineCount { statements: executions, on_way, is_estimated, has_equal, ..none }
    }

    pub(in crate::view) fn of_turns(turns: Turns) -> LineCount {
        LineCount { turns, ..LineCount::default() }
    }

    pub(in crate::view) fn executed(self) -> Executed {
        let by_marks = self.by_marks();
        Executed {
            count: self.plain + self.unmarked + by_marks.count,
            is_estimated: self.unmarked > 0 || by_marks.is_estimated,
        }
    }

    fn by_marks(self) -> Executed {
        let LineCount { marked, statements, on_way, turns, .. } = self;
        let estimate = |count| Executed { count, is_estimated: true };
        if statements == 0 {
            Executed { count: marked, is_estimated: marked > 0 }
        } else if self.has_equal && statements == turns.executed {
            estimate(statements + turns.executed - turns.taken)
        } else if marked == statements {
            Executed { count: statements, is_estimated: false }
        } else if marked == on_way {
            estimate(on_way)
        } else {
            let is_estimated = self.is_estimated || marked > statements;
            Executed { count: statements, is_estimated }
        }
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

impl AddAssign for Turns {
    fn add_assign(&mut self, more: Turns) {
        self.executed += more.executed;
        self.taken += more.taken;
    }
}

impl AddAssign for LineCount {
    fn add_assign(&mut self, more: LineCount) {
        self.plain += more.plain;
        self.unmarked += more.unmarked;
        self.marked += more.marked;
        self.statements += more.statements;
        self.on_way += more.on_way;
        self.is_estimated |= more.is_estimated;
        self.has_equal |= more.has_equal;
        self.turns += more.turns;
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
        one.on_way += more.on_way;
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
            let address = one.address.min(more.address);
            match more.executions.cmp(&one.executions) {
                Ordering::Less => {}
                // Two statements agree.
                Ordering::Equal => {
                    one.is_estimated &= more.is_estimated;
                    one.has_equal = true;
                }
                Ordering::Greater => *one = more,
            }
            one.address = address;
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
        let with = |&(column, address, executions): &(u16, u64, i64)| {
            StatementExecutions::new(1, (column, true), (address, executions), None)
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
        let at = |has_code, before| StatementExecutions::new((), (3, has_code), (40, 7), before);
        for before in [None, Some((36, 7)), Some((36, 9))] {
            assert!(!at(false, before).is_estimated, "{before:?}");
        }
        let of = at(false, Some((36, 5)));
        assert_eq!((of.executions, of.on_way, of.is_estimated), (7, 5, true));
        // The line has code there, or what is between the two did not run.
        assert!(!at(true, Some((36, 5))).is_estimated);
        assert!(!at(false, Some((20, 5))).is_estimated);
    }

    /// The executions of a line by its instructions, by a statement at another line's instruction,
    /// and by the instruction before that one.
    fn of_joined(marked: i64, statement: i64, before: i64) -> (i64, bool) {
        let before = Some((36, before));
        let mut count = LineCount::of(CodeKind::Marked, marked);
        let statement = StatementExecutions::new((), (3, false), (40, statement), before);
        count += LineCount::of_statement(&statement);
        let Executed { count, is_estimated } = count.executed();
        (count, is_estimated)
    }

    #[test]
    fn instructions_tell_which_way_a_mark_is_of() {
        assert_eq!(of_joined(10_445, 19_900, 10_445), (10_445, true));
        assert_eq!(of_joined(19_900, 19_900, 10_445), (19_900, false));
        // They tell neither.
        assert_eq!(of_joined(0, 19_900, 10_445), (19_900, true));
        assert_eq!(of_joined(7, 19_900, 10_445), (19_900, true));
    }

    #[test]
    fn a_loop_whose_first_condition_was_left_out_was_checked_once_more_a_run() {
        let of = |statements: &[(u16, u64, i64)], executed| {
            let mut count = LineCount::of_turns(Turns { executed, taken: executed - 2 });
            count += LineCount::of(CodeKind::Marked, 3_000);
            let with = |&(column, address, executions): &(u16, u64, i64)| {
                StatementExecutions::new(1, (column, true), (address, executions), None)
            };
            let mut all: Vec<_> = statements.iter().map(with).collect();
            by_statements(&mut all);
            count += LineCount::of_statement(&all[0]);
            let Executed { count, is_estimated } = count.executed();
            (count, is_estimated)
        };
        // The condition in column 8 and what follows each iteration in column 16.
        let loop_line = [(3, 4, 2), (8, 20, 3_000), (16, 20, 3_000)];
        assert_eq!(of(&loop_line, 3_000), (3_002, true));
        // The first check is left.
        assert_eq!(of(&[(3, 4, 2), (8, 4, 2), (8, 20, 3_000), (16, 20, 3_000)], 3_000).0, 3_002);
        // The end of a loop around the line, and that of a `while` loop.
        assert_eq!(of(&loop_line, 300), (3_000, false));
        assert_eq!(of(&[(3, 4, 2), (8, 20, 3_000)], 3_000), (3_000, false));
    }

    #[test]
    fn instructions_count_where_no_statement_begins() {
        let count = |plain, marked, statements| {
            let none = LineCount::default();
            let count = LineCount { plain, marked, statements, on_way: statements, ..none };
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

    #[test]
    fn marks_that_instructions_agree_with_are_no_estimate() {
        let of = |marked| {
            let none = LineCount::default();
            let statements = LineCount { statements: 101, on_way: 101, is_estimated: true, ..none };
            let mut count = LineCount::of(CodeKind::Marked, marked);
            count += statements;
            count.executed().is_estimated
        };
        assert!(!of(101));
        assert!(of(50));
    }
}
