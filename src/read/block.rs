//! Blocks: the self costs of a function, by file, as one item when a report needs neither source lines nor calls.
//!
//! Calls and jumps are most of the lines of plain profiles, and a list of functions needs nothing of them. They are
//! stepped over, but checked: their numbers and the range of their positions by the [lexer](lex), their compressed names
//! by the reader. A block must be indistinguishable from its lines: whatever is unusual ends it and is lexed line by line,
//! and where the reader is not sure, it has the chunk lexed again without blocks.
//!
//! Measured 2026-11-22, million instructions of reading for a list: python3 with contexts 736 -> 612, cc1plus 19.4 -> 15.0,
//! rustc 69.5 -> 48.3, cc1plus with 13 events 63.1 -> 52.7.

mod lex;
mod skip;

use super::cursor::Step;
use super::record::NameKind;
use crate::profile::{Count, NameId};
pub(super) use lex::Context;

/// Consecutive lines of a function: self costs, calls, jumps and changes of the file.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) address: Steps,
    pub(super) line: Steps,
    /// Whether the first cost is that of a call.
    pub(super) begins_with_call: bool,
    pub(super) has_calls: bool,
    /// The number of segments and names.
    segments: u32,
    names: u32,
    /// The number of counts of all segments.
    pub(super) counts: u32,
    /// The index of the segment at the end of the block.
    pub(super) last: u32,
}

/// The costs of a block in one file.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    /// The compressed id of the file; `None` for the file at the start of the block.
    pub(super) file: Option<u32>,
    /// Whether there are self costs or calls.
    pub(super) has_place: bool,
    pub(super) count_len: u8,
}

/// A compressed name on a line of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockName {
    pub(super) kind: NameKind,
    pub(super) id: u32,
    /// The name that the line defines.
    pub(super) name: Defined,
}

/// What a line with a compressed name defines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Defined {
    /// Nothing: it refers to a name.
    Nothing,
    /// A name that is not interned yet.
    Pending,
    Name(NameId),
}

/// Where steps lead to from a position that the lexer does not know.
#[derive(Clone, Copy)]
pub(super) struct Steps {
    end: Step,
    /// The lowest and highest position relative to the unknown one.
    lowest: i64,
    highest: i64,
}

impl Steps {
    const START: Steps = Steps {
        end: Step::NONE,
        lowest: 0,
        highest: 0,
    };

    /// The path with one more step; `None` if it leads out of range.
    #[inline(always)]
    fn then(self, step: Step, max: u64) -> Option<Steps> {
        Some(match (self.end, step) {
            (_, Step::To(_)) => Steps { end: step, ..self },
            (Step::To(position), Step::By(by)) => {
                let position = position.checked_add_signed(by)?;
                let end = Step::To((position <= max).then_some(position)?);
                Steps { end, ..self }
            }
            (Step::By(before), Step::By(by)) => {
                let by = before.checked_add(by)?;
                Steps {
                    end: Step::By(by),
                    lowest: self.lowest.min(by),
                    highest: self.highest.max(by),
                }
            }
        })
    }

    /// The path after a step aside, after which positions are relative to the same one as before.
    #[inline(always)]
    fn aside(self, step: Step, max: u64) -> Option<Steps> {
        let then = self.then(step, max)?;
        Some(Steps {
            end: self.end,
            ..then
        })
    }

    /// The last position from `base`; `None` if any on the path is out of range.
    #[inline]
    pub(super) fn apply(&self, base: u64, max: u64) -> Option<u64> {
        base.checked_add_signed(self.lowest)?;
        let highest = base.checked_add_signed(self.highest)?;
        (highest <= max).then_some(())?;
        self.end.apply(base).ok()
    }
}

/// The largest source line.
pub(super) const MAX_LINE_NUMBER: u64 = u32::MAX as u64;

/// The blocks of a chunk, and the one that is being lexed.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    pub(super) segments: Vec<Segment>,
    pub(super) names: Vec<BlockName>,
    /// The sums of the segments of the current block.
    sums: Vec<u64>,
    /// Room for the counts of calls.
    ignored: Vec<u64>,
}

impl Blocks {
    /// Removes all blocks.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.segments.clear();
        self.names.clear();
    }
}

/// A block with all that belongs to it.
pub(super) struct BlockParts<'b> {
    pub(super) block: &'b Block,
    pub(super) segments: &'b [Segment],
    pub(super) names: &'b [BlockName],
    /// The counts of all segments, one after the other.
    pub(super) counts: &'b [Count],
}

/// The blocks of a chunk in order.
pub(super) struct BlockIter<'b> {
    blocks: std::slice::Iter<'b, Block>,
    segments: &'b [Segment],
    names: &'b [BlockName],
}

impl<'b> BlockIter<'b> {
    pub(super) fn new(blocks: &'b Blocks) -> BlockIter<'b> {
        BlockIter {
            blocks: blocks.blocks.iter(),
            segments: &blocks.segments,
            names: &blocks.names,
        }
    }

    /// The next block. Its counts, the first of `counts`, are removed from them.
    pub(super) fn next(&mut self, counts: &mut &'b [Count]) -> Option<BlockParts<'b>> {
        let block = self.blocks.next()?;
        Some(BlockParts {
            block,
            segments: self.segments.split_off(..block.segments as usize)?,
            names: self.names.split_off(..block.names as usize)?,
            counts: counts.split_off(..block.counts as usize)?,
        })
    }
}
