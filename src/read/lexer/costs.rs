//! The self costs of a block: the innermost loops of the program.

use super::{BlockFile, Lexer, NO_LINE, NONE};
use crate::read::block::{BlockRow, Entry, push_zeros};
use crate::read::cursor::{LAST_LINE, LastPosition};
use crate::read::fast_line::FastLine;
use crate::read::record::is_cost_line;

impl<'l> Lexer<'l> {
    /// The position of a cost line; none if it is out of range, or relative to a line before the block.
    #[inline(always)]
    pub(super) fn place(&self, fast: &mut FastLine<'_>) -> Option<LastPosition> {
        self.can_follow(fast)?;
        fast.place(self.layout.positions, self.last)
    }

    /// Without a last position, the first one must be absolute. (A relative line is then out of range.)
    #[inline(always)]
    fn can_follow(&self, fast: &FastLine<'_>) -> Option<()> {
        (self.last.line != NO_LINE || fast.peek().is_ascii_digit()).then_some(())
    }

    #[inline(always)]
    pub(super) fn costs(&mut self, first: FastLine<'l>) -> Option<()> {
        self.is_complete()?;
        self.files.note_self_cost();
        self.set_row_file(self.files.named());
        self.can_follow(&first)?;
        if self.keeps_addresses {
            return self.instruction_costs();
        }
        match (self.layout.positions.address, self.layout.events) {
            (false, 1) => self.self_costs::<false, true>(),
            (false, _) => self.self_costs::<false, false>(),
            (true, 1) => self.self_costs::<true, true>(),
            (true, _) => self.self_costs::<true, false>(),
        }
    }

    /// Lexes lines of self costs with or without an `ADDRESS`, with `ONE` event or several. These are constants, so
    /// that each of the four loops keeps its state in registers.
    #[inline(never)]
    fn self_costs<const ADDRESS: bool, const ONE: bool>(&mut self) -> Option<()> {
        let (mut rest, mut last) = (self.cursor.rest, self.last);
        let (mut row, mut row_line) = self.last_row;
        let (mut sum, mut has_count, mut lines) = (0u64, false, 0);
        let kept = if self.detail.lines { u64::MAX } else { 0 };
        loop {
            let mut fast = FastLine::new(rest)?;
            if ADDRESS && !address(&mut fast, &mut last)? {
                break;
            }
            match fast.line_from(last.line) {
                Some(line) => last.line = line,
                None if ADDRESS || is_cost_line(fast.bytes[0]) => return None,
                None => break,
            }
            if last.line > LAST_LINE {
                return None;
            }
            let line = last.line & kept;
            if line != row_line {
                if ONE {
                    self.add_to(row, &mut sum, &mut has_count);
                }
                row_line = line;
                row = self.row(line as u32)?;
            }
            if ONE {
                has_count |= fast.add_count(&mut sum)? == 1;
            } else {
                self.add_counts(row, &mut fast)?;
            }
            rest = &rest[fast.position()..];
            lines += 1;
        }
        if ONE {
            self.add_to(row, &mut sum, &mut has_count);
        }
        self.last = last;
        self.last_row = (row, row_line);
        self.lines += lines;
        self.cursor.advance(self.cursor.rest.len() - rest.len());
        Some(())
    }

    /// Lexes lines of self costs of instructions: each is a row.
    #[inline(never)]
    fn instruction_costs(&mut self) -> Option<()> {
        loop {
            let mut fast = FastLine::new(self.cursor.rest)?;
            if !is_cost_line(fast.peek()) {
                return Some(());
            }
            let at = fast.place(self.layout.positions, self.last)?;
            let row = self.push_row(self.kept_line(at.line), at.address);
            self.push_in_file(Entry::Row(row as u32), self.row_file)?;
            self.add_counts(row, &mut fast)?;
            self.last = at;
            self.lines += 1;
            self.cursor.advance(fast.position());
        }
    }

    /// The line under which costs are kept; instructions keep theirs.
    #[inline(always)]
    pub(super) fn kept_line(&self, line: u64) -> u32 {
        if self.keeps_addresses { line as u32 } else { self.detail.line(line as u32) }
    }

    #[inline(always)]
    fn add_counts(&mut self, row: usize, line: &mut FastLine<'_>) -> Option<()> {
        let events = self.layout.events;
        let counts = &mut self.out.row_counts[row * events..][..events];
        let count_len = line.add_counts(counts)? as u8;
        let known = &mut self.out.rows[row].count_len;
        *known = count_len.max(*known);
        Some(())
    }

    /// Adds the sum of some cost lines to their row, if any of them has a count.
    #[inline(always)]
    fn add_to(&mut self, row: usize, sum: &mut u64, has_count: &mut bool) {
        if *has_count {
            self.out.rows[row].count_len = 1;
            self.out.row_counts[row] += *sum;
            (*sum, *has_count) = (0, false);
        }
    }

    /// The row of a line in the file of the last row; none if the index is so crowded that lookups would be slow.
    #[inline(always)]
    pub(super) fn row(&mut self, line: u32) -> Option<usize> {
        let key = (self.row_file.symbol, line);
        let rows = &self.out.rows;
        let is_it = |row: u32| {
            let row = &rows[row as usize];
            (row.file, row.line) == key
        };
        match self.out.index.find(hash(key), is_it) {
            Ok(row) => Some(row as usize),
            Err(slot) => self.new_row(key, slot),
        }
    }

    fn new_row(&mut self, (file, line): (u32, u32), slot: usize) -> Option<usize> {
        debug_assert_eq!(file, self.row_file.symbol);
        let row = self.push_row(line, 0);
        self.push_in_file(Entry::Row(row as u32), self.row_file)?;
        let rows = &self.out.rows;
        let hash_of = |row: u32| {
            let row = &rows[row as usize];
            hash((row.file, row.line))
        };
        let at = (hash((file, line)), slot);
        let is_crowded = self.out.index.insert(at, row as u32, hash_of);
        (!is_crowded).then_some(row)
    }

    /// Sets the file of the next row.
    #[inline(always)]
    pub(super) fn set_row_file(&mut self, file: BlockFile) {
        if file != self.row_file {
            self.row_file = file;
            self.last_row = (NONE, NO_LINE);
        }
    }

    /// Adds a row without counts.
    #[inline(always)]
    pub(super) fn push_row(&mut self, line: u32, address: u64) -> usize {
        let row = self.out.rows.len();
        self.out.rows.push(BlockRow { line, count_len: 0, file: self.row_file.symbol });
        push_zeros(&mut self.out.row_counts, self.layout.events);
        if self.detail.code {
            self.out.row_addresses.push(address);
        }
        row
    }
}

/// Reads the address of a cost line, relative to the last one; false if the line is not a cost line.
#[inline(always)]
fn address(line: &mut FastLine<'_>, last: &mut LastPosition) -> Option<bool> {
    match line.address_from(last.address) {
        Some(address) => last.address = address,
        None if is_cost_line(line.bytes[0]) => return None,
        None => return Some(false),
    }
    Some(true)
}

/// A hash whose low bits are consecutive for consecutive lines.
#[inline(always)]
fn hash((file, line): (u32, u32)) -> u64 {
    u64::from(file).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(line.into())
}
