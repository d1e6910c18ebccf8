//! The source lines of a unit's code.

use std::ops;

use gimli::{IncompleteLineProgram, Range};

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
            // Of several rows for an address the last one counts.
            sequence.pop_if(|last| last.address == address);
            let line = row.line().map_or(0, |line| line.get() as u32);
            sequence.push(Row { address, file: row.file_index(), line });
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
        let after = match rows.binary_search_by_key(&address, |row| row.address) {
            Ok(number) => number + 1,
            Err(number) => number,
        };
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
            inside.for_each(|row| put(SourceLine { file: row.file, line: row.line }));
        }
    }
}
