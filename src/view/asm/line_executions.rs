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

use std::ops::AddAssign;

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
}

impl LineCount {
    pub(in crate::view) fn executions(self) -> i64 {
        let LineCount { unmarked, marked, statements } = self;
        unmarked + if statements > 0 { statements } else { marked }
    }
}

impl AddAssign for LineCount {
    fn add_assign(&mut self, more: LineCount) {
        self.unmarked += more.unmarked;
        self.marked += more.marked;
        self.statements += more.statements;
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
    all.sort_unstable_by_key(|one| (one.line, one.column, one.address));
    let of_statement = |one: &StatementExecutions<L>| (one.line, one.column);
    add_up_equal(all, of_statement, |one, more| one.executions += more.executions);
    add_up_equal(
        all,
        |one| one.line,
        |one, more| {
            one.address = one.address.min(more.address);
            one.executions = one.executions.max(more.executions);
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

    #[test]
    fn copies_of_a_statement_are_added_up() {
        let of = |statements: &[(u16, u64, i64)]| {
            let mut all: Vec<_> = statements
                .iter()
                .map(|&(column, address, executions)| StatementExecutions {
                    line: 1,
                    column,
                    address,
                    executions,
                })
                .collect();
            by_statements(&mut all);
            all.iter().map(|one| (one.address, one.executions)).collect::<Vec<_>>()
        };
        // A peeled loop: the condition in column 8 runs more often than the rest of the line.
        assert_eq!(of(&[(3, 4, 1), (8, 16, 10), (8, 12, 90), (20, 24, 99)]), [(4, 100)]);
    }

    #[test]
    fn instructions_count_where_no_statement_begins() {
        let count =
            |unmarked, marked, statements| LineCount { unmarked, marked, statements }.executions();
        assert_eq!(count(0, 40, 100), 100);
        assert_eq!(count(0, 40, 0), 40);
        assert_eq!(count(7, 40, 100), 107);
    }
}
