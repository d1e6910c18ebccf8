//! The source lines of a unit's code.

use std::mem::take;
use std::ops;

use gimli::{ColumnType, IncompleteLineProgram, Range};

use crate::program::ranges::Slice;

/// Code that follows each other.
struct Sequence {
    start: u64,
    end: u64,
    /// Where the place in the sources changes.
    rows: Box<[Row]>,
    /// Where a statement may begin, if that is read.
    statements: Box<[StatementRow]>,
}

struct Row {
    address: u64,
    file: u32,
    line: u32,
}

// There are many more than addresses that are looked up.
const _: () = assert!(size_of::<Row>() <= 16);

struct StatementRow {
    address: u64,
    file: u32,
    line: u32,
    column: u16,
    /// Whether a statement begins here, as far as the compiler says.
    is_statement: bool,
}

/// A place in the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    /// The number of the file in the list of the unit.
    pub(super) file: u64,
    /// 0 if unknown.
    pub(super) line: u32,
}

pub(super) struct LineTable {
    /// Sorted by address.
    sequences: Vec<Sequence>,
}

impl LineTable {
    /// Reads the lines, and with `has_statements` also where statements begin.
    pub(super) fn read<'s>(
        program: &IncompleteLineProgram<Slice<'s>>,
        has_statements: bool,
    ) -> Result<LineTable, gimli::Error> {
        let mut sequences = Vec::new();
        let (mut sequence, mut statements): (Vec<Row>, Vec<StatementRow>) = Default::default();
        let mut rows = program.clone().rows();
        while let Some((_, row)) = rows.next_row()? {
            let address = row.address();
            if row.end_sequence() {
                let rows = take(&mut sequence).into_boxed_slice();
                let statements = take(&mut statements).into_boxed_slice();
                let start = rows.first().map_or(address, |first| first.address);
                if start < address {
                    sequences.push(Sequence { start, end: address, rows, statements });
                }
                continue;
            }
            let line = row.line().map_or(0, |line| line.get() as u32);
            // No list has more files.
            let file = u32::try_from(row.file_index()).unwrap_or(u32::MAX);
            // Of several rows for an address the last one has its line.
            sequence.pop_if(|last| last.address == address);
            if sequence.last().is_none_or(|last| (last.file, last.line) != (file, line)) {
                sequence.push(Row { address, file, line });
            }
            if has_statements {
                let column = match row.column() {
                    ColumnType::LeftEdge => 0,
                    ColumnType::Column(column) => u16::try_from(column.get()).unwrap_or(u16::MAX),
                };
                let is_statement = row.is_stmt();
                let row = StatementRow { address, file, line, column, is_statement };
                add_statement(&mut statements, row);
            }
        }
        sequences.sort_unstable_by_key(|sequence| sequence.start);
        Ok(LineTable { sequences })
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = Range> {
        self.sequences.iter().map(|of| Range { begin: of.start, end: of.end })
    }

    /// The place in the sources of an address, and the addresses around it that have the same.
    pub(super) fn find(&self, address: u64) -> Option<(SourceLine, ops::Range<u64>)> {
        let sequence = self.sequences.binary_search_by(|of| {
            if address < of.start {
                std::cmp::Ordering::Greater
            } else if address >= of.end {
                std::cmp::Ordering::Less
            } else {
                std::cmp::Ordering::Equal
            }
        });
        let Sequence { rows, end, .. } = &self.sequences[sequence.ok()?];
        let after = rows.partition_point(|row| row.address <= address);
        let row = &rows[after.checked_sub(1)?];
        let next = rows.get(after).map_or(*end, |row| row.address);
        Some((row.place(), row.address..next))
    }

    /// Calls `put` for all rows with code between two addresses: their first ones there and places.
    pub(super) fn for_each(&self, range: Range, mut put: impl FnMut(u64, SourceLine)) {
        let after = self.sequences.partition_point(|of| of.end <= range.begin);
        let inside = self.sequences[after..].iter().take_while(|of| of.start < range.end);
        for Sequence { rows, .. } in inside {
            let before = rows.partition_point(|row| row.address <= range.begin);
            let rows = &rows[before.saturating_sub(1)..];
            let inside = rows.iter().take_while(|row| row.address < range.end);
            inside.for_each(|row| put(row.address.max(range.begin), row.place()));
        }
    }

    /// Calls `put` for the addresses between two at which statements begin, with the places and
    /// columns of these, in order of the addresses, and whether the statement before is at the
    /// same place: that of a macro has all statements of it. Places without a column are left out.
    pub(super) fn for_each_statement(
        &self,
        range: Range,
        mut put: impl FnMut(u64, SourceLine, u16, bool),
    ) {
        let after = self.sequences.partition_point(|of| of.end <= range.begin);
        let inside = self.sequences[after..].iter().take_while(|of| of.start < range.end);
        for Sequence { statements, .. } in inside {
            let before = statements.partition_point(|row| row.address < range.begin);
            let inside = statements[before..].iter().take_while(|row| row.address < range.end);
            let mut last = None;
            for row in inside {
                let place = (row.file, row.line, row.column);
                let is_same = last == Some(place);
                if row.is_statement {
                    let at = SourceLine { file: row.file.into(), line: row.line };
                    put(row.address, at, row.column, is_same);
                    last = Some(place);
                } else if !is_same {
                    last = None;
                }
            }
        }
    }
}

impl Row {
    fn place(&self) -> SourceLine {
        SourceLine { file: self.file.into(), line: self.line }
    }
}

/// Adds a row at which a statement may begin, unless its place or column is unknown.
fn add_statement(statements: &mut Vec<StatementRow>, row: StatementRow) {
    // Of several rows for an address statements begin in those before the last one, of which
    // nothing else is left.
    statements.pop_if(|last| last.address == row.address && !last.is_statement);
    // A row at the place of the row before it says nothing new, unless a statement begins there.
    let is_same = |last: &StatementRow| {
        (last.file, last.line, last.column) == (row.file, row.line, row.column)
    };
    let is_new = row.is_statement || !statements.last().is_some_and(is_same);
    if row.line > 0 && row.column > 0 && is_new {
        statements.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_a_macro_are_those_that_follow_one_at_their_place() {
        let row = |address, line, column, is_statement| StatementRow {
            address,
            file: 1,
            line,
            column,
            is_statement,
        };
        // A loop that was peeled, whose body has a macro of two statements, and a line whose column
        // is not known.
        let mut statements = Vec::new();
        for row in [
            row(0, 7, 3, true),
            row(2, 7, 20, true),
            row(4, 7, 3, true),
            row(6, 8, 5, true),
            row(8, 8, 5, false),
            row(10, 8, 5, true),
            row(12, 8, 9, false),
            row(14, 8, 5, true),
            row(16, 9, 0, true),
        ] {
            add_statement(&mut statements, row);
        }
        let sequence =
            Sequence { start: 0, end: 20, rows: Box::default(), statements: statements.into() };
        let table = LineTable { sequences: vec![sequence] };
        let mut all = Vec::new();
        table.for_each_statement(Range { begin: 0, end: 20 }, |address, at, _, is_same| {
            all.push((address, at.line, is_same));
        });
        let of_macro = [(6, 8, false), (10, 8, true), (14, 8, false)];
        assert_eq!(all[..3], [(0, 7, false), (2, 7, false), (4, 7, false)]);
        assert_eq!(all[3..], of_macro);
    }
}
