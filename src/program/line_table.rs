//! The source lines of a unit's code.

use std::ops;

use gimli::{ColumnType, IncompleteLineProgram, Range};

use crate::program::ranges::Slice;

/// The rows of code that follows each other.
struct Sequence {
    start: u64,
    end: u64,
    rows: Vec<Row>,
}

struct Row {
    address: u64,
    file: u64,
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
    pub(super) fn read<'s>(
        program: &IncompleteLineProgram<Slice<'s>>,
    ) -> Result<LineTable, gimli::Error> {
        let mut sequences = Vec::new();
        let mut sequence: Vec<Row> = Vec::new();
        let mut rows = program.clone().rows();
        while let Some((_, row)) = rows.next_row()? {
            let address = row.address();
            if row.end_sequence() {
                let rows = std::mem::take(&mut sequence);
                let start = rows.first().map_or(address, |first| first.address);
                if start < address {
                    sequences.push(Sequence { start, end: address, rows });
                }
                continue;
            }
            // Of several rows for an address the last one has its line. In those before it only
            // statements begin, of which nothing is left but their places.
            sequence.pop_if(|last| last.address == address && !last.is_statement);
            let line = row.line().map_or(0, |line| line.get() as u32);
            let column = match row.column() {
                ColumnType::LeftEdge => 0,
                ColumnType::Column(column) => u16::try_from(column.get()).unwrap_or(u16::MAX),
            };
            let is_statement = row.is_stmt();
            sequence.push(Row { address, file: row.file_index(), line, column, is_statement });
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
        Some((SourceLine { file: row.file, line: row.line }, row.address..next))
    }

    /// Calls `put` for the places of all rows with code between two addresses.
    pub(super) fn for_each(&self, range: Range, mut put: impl FnMut(SourceLine)) {
        let after = self.sequences.partition_point(|of| of.end <= range.begin);
        let inside = self.sequences[after..].iter().take_while(|of| of.start < range.end);
        for Sequence { rows, .. } in inside {
            let before = rows.partition_point(|row| row.address <= range.begin);
            let rows = &rows[before.saturating_sub(1)..];
            let inside = rows.iter().take_while(|row| row.address < range.end);
            let next = rows.iter().skip(1).map(|row| Some(row.address)).chain([None]);
            let last = inside.zip(next).filter(|(row, next)| Some(row.address) != *next);
            last.for_each(|(row, _)| put(SourceLine { file: row.file, line: row.line }));
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
        for Sequence { rows, .. } in inside {
            let before = rows.partition_point(|row| row.address < range.begin);
            let inside = rows[before..].iter().take_while(|row| row.address < range.end);
            let mut last = None;
            for row in inside.filter(|row| row.line > 0 && row.column > 0) {
                let place = (row.file, row.line, row.column);
                let is_same = last == Some(place);
                if row.is_statement {
                    put(
                        row.address,
                        SourceLine { file: row.file, line: row.line },
                        row.column,
                        is_same,
                    );
                    last = Some(place);
                } else if !is_same {
                    last = None;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_a_macro_are_those_that_follow_one_at_their_place() {
        let row = |address, line, column, is_statement| Row {
            address,
            file: 1,
            line,
            column,
            is_statement,
        };
        // A loop that was peeled, whose body has a macro of two statements, and a line whose column
        // is not known.
        let rows = vec![
            row(0, 7, 3, true),
            row(2, 7, 20, true),
            row(4, 7, 3, true),
            row(6, 8, 5, true),
            row(8, 8, 5, false),
            row(10, 8, 5, true),
            row(12, 8, 9, false),
            row(14, 8, 5, true),
            row(16, 9, 0, true),
        ];
        let sequence = Sequence { start: 0, end: 20, rows };
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
