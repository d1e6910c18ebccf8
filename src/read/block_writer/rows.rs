//! The rows of a block: the self costs of its lines, in the innermost loops of the program.

use super::{BlockFile, BlockWriter, NotWritten};
use crate::read::block::{BlockRow, Entry, push_zeros};
use crate::read::cursor::{LAST_LINE, LinePosition};
use crate::read::fast_line::{FastLine, MAX_PLAIN};
use crate::read::lexer::LineCounts;
use crate::read::record::is_cost_line;

/// No row, and a line that no row has.
pub(super) const NO_ROW: (usize, u64) = (usize::MAX, u64::MAX);

impl BlockWriter<'_> {
    /// Adds as many plain self costs as there are at the start of `text`.
    #[inline(always)]
    pub(super) fn plain_rows(&mut self, text: &[u8]) -> Result<usize, NotWritten> {
        let has_base = text.first().is_some_and(|&first| self.state.last.may_precede(first));
        let has_plain_positions = self.keeps_addresses || !self.layout.positions.block;
        if !has_base || !has_plain_positions {
            return Ok(0);
        }
        self.set_row_file(self.state.files.named());
        let taken = if self.keeps_addresses {
            self.instruction_rows(text)?
        } else {
            match (self.layout.positions.address, self.layout.events) {
                (false, 1) => self.line_rows::<false, true>(text)?,
                (false, _) => self.line_rows::<false, false>(text)?,
                (true, 1) => self.line_rows::<true, true>(text)?,
                (true, _) => self.line_rows::<true, false>(text)?,
            }
        };
        if taken > 0 {
            self.state.files.note_self_cost();
        }
        Ok(taken)
    }

    /// Adds self costs with or without an `ADDRESS`, with `ONE` event or several. These are
    /// constants, so that each of the four loops keeps its state in registers.
    #[inline(never)]
    fn line_rows<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        text: &[u8],
    ) -> Result<usize, NotWritten> {
        let (mut rest, mut last) = (text, self.state.last);
        let (mut row, mut row_line) = self.last_row;
        let (mut sum, mut has_count, mut lines) = (0u64, false, 0);
        let kept = if self.detail.lines { u64::MAX } else { 0 };
        while let Some(mut fast) = FastLine::new(rest) {
            let mut at = last;
            if ADDRESS {
                match fast.address_from(last.address) {
                    Some(address) => at.address = address,
                    None => break,
                }
            }
            match fast.line_from(last.line) {
                Some(line) if line <= LAST_LINE => at.line = line,
                _ => break,
            }
            let line = at.line & kept;
            if line != row_line {
                if ONE {
                    self.add_to(row, &mut sum, &mut has_count);
                }
                row_line = line;
                row = self.row(line as u32)?;
            }
            if ONE {
                has_count |= fast.add_count(&mut sum).ok_or(NotWritten)? == 1;
            } else {
                self.add_counts(row, &mut fast)?;
            }
            last = at;
            rest = &rest[fast.position()..];
            lines += 1;
        }
        if ONE {
            self.add_to(row, &mut sum, &mut has_count);
        }
        self.state.last = last;
        self.last_row = (row, row_line);
        self.state.line += lines;
        Ok(text.len() - rest.len())
    }

    /// Adds self costs of instructions: each is a row.
    #[inline(never)]
    fn instruction_rows(&mut self, text: &[u8]) -> Result<usize, NotWritten> {
        let mut rest = text;
        while let Some(mut fast) = FastLine::new(rest)
            && is_cost_line(fast.peek())
            && let Some(at) = fast.line_position(self.layout.positions, self.state.last)
        {
            let row = self.push_row(self.kept_line(at.line), at.address);
            self.push_in_file(Entry::Row(row as u32), self.row_file)?;
            self.add_counts(row, &mut fast)?;
            self.state.last = at;
            self.state.line += 1;
            rest = &rest[fast.position()..];
        }
        Ok(text.len() - rest.len())
    }

    /// Adds the self cost of any line.
    pub(super) fn add_self_cost(
        &mut self,
        file: BlockFile,
        at: LinePosition,
        cost: LineCounts<'_>,
    ) -> Result<(), NotWritten> {
        self.set_row_file(file);
        let line = self.kept_line(at.line);
        let row = if self.keeps_addresses {
            let row = self.push_row(line, at.address);
            self.push_in_file(Entry::Row(row as u32), file)?;
            row
        } else {
            self.row(line)?
        };
        let events = self.layout.events;
        let count_len = add_cost(&mut self.out.row_counts[row * events..][..events], cost)?;
        let known = &mut self.out.rows[row].count_len;
        *known = count_len.max(*known);
        Ok(())
    }

    /// Adds the place of calls that are not kept.
    #[inline(always)]
    pub(super) fn add_site(
        &mut self,
        file: BlockFile,
        line: u32,
        address: u64,
    ) -> Result<(), NotWritten> {
        self.set_row_file(file);
        if self.keeps_addresses {
            let row = self.push_row(line, address);
            return self.push_in_file(Entry::Place(row as u32), file);
        }
        if u64::from(line) != self.last_row.1 {
            self.last_row = (self.row(line)?, line.into());
        }
        Ok(())
    }

    /// The line under which costs are kept; instructions keep theirs.
    #[inline(always)]
    pub(super) fn kept_line(&self, line: u64) -> u32 {
        if self.keeps_addresses { line as u32 } else { self.detail.line(line as u32) }
    }

    #[inline(always)]
    fn add_counts(&mut self, row: usize, line: &mut FastLine<'_>) -> Result<(), NotWritten> {
        let events = self.layout.events;
        let counts = &mut self.out.row_counts[row * events..][..events];
        let added = match counts {
            // Most profiles count one event only.
            [count] => line.add_count(count),
            counts => line.add_counts(counts),
        };
        let count_len = added.ok_or(NotWritten)? as u8;
        let known = &mut self.out.rows[row].count_len;
        *known = count_len.max(*known);
        Ok(())
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

    /// The row of a line in the file of the last row. There is none if the index is so crowded that
    /// lookups would be slow.
    #[inline(always)]
    fn row(&mut self, line: u32) -> Result<usize, NotWritten> {
        let key = (self.row_file.id, line);
        let rows = &self.out.rows;
        let is_it = |row: u32| {
            let row = &rows[row as usize];
            (row.file, row.line) == key
        };
        match self.out.index.find(hash(key), is_it) {
            Ok(row) => Ok(row as usize),
            Err(slot) => self.new_row(key, slot),
        }
    }

    fn new_row(&mut self, (file, line): (u32, u32), slot: usize) -> Result<usize, NotWritten> {
        debug_assert_eq!(file, self.row_file.id);
        let row = self.push_row(line, 0);
        self.push_in_file(Entry::Row(row as u32), self.row_file)?;
        let rows = &self.out.rows;
        let hash_of = |row: u32| {
            let row = &rows[row as usize];
            hash((row.file, row.line))
        };
        let at = (hash((file, line)), slot);
        let is_crowded = self.out.index.insert(at, row as u32, hash_of);
        if is_crowded { Err(NotWritten) } else { Ok(row) }
    }

    /// Sets the file of the next row.
    #[inline(always)]
    fn set_row_file(&mut self, file: BlockFile) {
        if file != self.row_file {
            self.row_file = file;
            self.last_row = NO_ROW;
        }
    }

    /// Adds a row without counts.
    #[inline(always)]
    fn push_row(&mut self, line: u32, address: u64) -> usize {
        let row = self.out.rows.len();
        self.out.rows.push(BlockRow { line, count_len: 0, file: self.row_file.id });
        push_zeros(&mut self.out.row_counts, self.layout.events);
        if self.detail.code {
            self.out.row_addresses.push(address);
        }
        row
    }
}

/// Adds the counts of a line to a sum, and returns how many there are. Only plain numbers can be
/// added up.
#[inline(always)]
pub(super) fn add_cost(sum: &mut [u64], cost: LineCounts<'_>) -> Result<u8, NotWritten> {
    match cost {
        LineCounts::Plain { counts, len } => {
            for (event, count) in counts.iter().enumerate() {
                sum[event] = sum[event].wrapping_add(*count);
            }
            Ok(len as u8)
        }
        LineCounts::Any(counts) => {
            for (sum, count) in sum.iter_mut().zip(counts) {
                let count = count.value().and_then(|count| u64::try_from(count).ok());
                let count = count.filter(|&count| count <= MAX_PLAIN).ok_or(NotWritten)?;
                *sum = sum.wrapping_add(count);
            }
            Ok(counts.len() as u8)
        }
    }
}

/// A hash whose low bits are consecutive for consecutive lines.
#[inline(always)]
fn hash((file, line): (u32, u32)) -> u64 {
    u64::from(file).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(line.into())
}
