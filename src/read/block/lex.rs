//! Lexing a block: as many of a function's lines as are in the usual forms.

use super::{Block, Blocks, MAX_LINE_NUMBER, Segment, Steps};
use crate::profile::Count;
use crate::read::chunk::PendingName;
use crate::read::cursor::{Cursor, Step};
use crate::read::fast_line::{FastLine, ShortText};
use crate::read::header::{Layout, Positions};
use crate::read::name_interner::NameInterner;
use crate::read::record::is_cost_line;

/// The most cost lines of a block: this number of plain counts adds up to less than 2^63.
const MAX_COSTS: u32 = 900;

/// The most files of a block.
const MAX_SEGMENTS: usize = 8;

/// The block that is being lexed.
pub(super) struct Open {
    pub(super) address: Steps,
    pub(super) line: Steps,
    pub(super) lines: u32,
    pub(super) costs: u32,
    pub(super) events: usize,
    pub(super) first_segment: usize,
    /// The index of the current segment in the block.
    pub(super) segment: usize,
    pub(super) begins_with_call: Option<bool>,
    pub(super) has_calls: bool,
}

/// What is passed on to all steps of lexing a block.
pub(in crate::read) struct Context<'c> {
    pub(in crate::read) layout: &'c Layout,
    pub(in crate::read) interner: &'c NameInterner,
    pub(in crate::read) pending: &'c mut Vec<PendingName>,
}

impl Blocks {
    /// Lexes a block, and returns the number of its lines; 0 if there is none. It ends before `end`.
    #[inline(always)]
    pub(in crate::read) fn lex(
        &mut self,
        cursor: &mut Cursor<'_>,
        end: usize,
        context: &mut Context<'_>,
        counts: &mut Vec<Count>,
    ) -> u32 {
        let Positions {
            address,
            block,
            line,
        } = context.layout.positions;
        if block
            || !line
            || context.layout.events == 0
            || !matches!(
                cursor.peek(),
                b'0'..=b'9' | b'+' | b'-' | b'*' | b'c' | b'f'
            )
        {
            return 0;
        }
        match (address, context.layout.events) {
            (false, 1) => self.lex_block::<false, true>(cursor, end, context, counts),
            (false, _) => self.lex_block::<false, false>(cursor, end, context, counts),
            (true, 1) => self.lex_block::<true, true>(cursor, end, context, counts),
            (true, _) => self.lex_block::<true, false>(cursor, end, context, counts),
        }
    }

    #[inline(never)]
    fn lex_block<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        start: &mut Cursor<'_>,
        end: usize,
        context: &mut Context<'_>,
        counts: &mut Vec<Count>,
    ) -> u32 {
        let mut cursor = *start;
        let (first_segment, first_name) = (self.segments.len(), self.names.len());
        let mut open = Open {
            address: Steps::START,
            line: Steps::START,
            lines: 0,
            costs: 0,
            events: context.layout.events,
            first_segment,
            segment: 0,
            begins_with_call: None,
            has_calls: false,
        };
        self.begin_segment(None, open.events);
        while cursor.position() < end && open.costs < MAX_COSTS {
            let is_read = match cursor.peek() {
                b'\n' => {
                    cursor.advance(1);
                    open.lines += 1;
                    Some(())
                }
                b'f' => self.change_file(&mut cursor, &mut open),
                b'c' => self.call::<ADDRESS, ONE>(&mut cursor, &mut open, context),
                b'j' => self.jump::<ADDRESS>(&mut cursor, &mut open, context),
                byte if is_cost_line(byte) => self.costs::<ADDRESS, ONE>(&mut cursor, &mut open),
                _ => None,
            };
            if is_read.is_none() {
                break;
            }
        }
        if !self.finish(&open, first_name, counts) {
            return 0;
        }
        *start = cursor;
        open.lines
    }

    /// Ends the block; false if it has neither costs nor calls.
    #[inline(never)]
    fn finish(&mut self, open: &Open, first_name: usize, counts: &mut Vec<Count>) -> bool {
        let first_count = counts.len();
        let segments = &self.segments[open.first_segment..];
        for (segment, sums) in segments.iter().zip(self.sums.chunks(open.events)) {
            let sums = sums[..segment.count_len.into()].iter();
            let of_segment = sums.map(|&sum| Count::new(sum.cast_signed()));
            counts.extend(of_segment.map(|count| count.unwrap_or(Count::UNDEFINED)));
        }
        self.sums.clear();
        let Some(begins_with_call) = open.begins_with_call else {
            self.segments.truncate(open.first_segment);
            return false;
        };
        self.blocks.push(Block {
            address: open.address,
            line: open.line,
            begins_with_call,
            has_calls: open.has_calls,
            segments: segments.len() as u32,
            names: (self.names.len() - first_name) as u32,
            counts: (counts.len() - first_count) as u32,
            last: open.segment as u32,
        });
        true
    }

    #[inline(never)]
    fn begin_segment(&mut self, file: Option<u32>, events: usize) {
        self.segments.push(Segment {
            file,
            has_place: false,
            count_len: 0,
        });
        self.sums.resize(self.sums.len() + events, 0);
    }

    /// Lexes self costs, as long as they follow each other.
    #[inline(never)]
    fn costs<const ADDRESS: bool, const ONE: bool>(
        &mut self,
        cursor: &mut Cursor<'_>,
        open: &mut Open,
    ) -> Option<()> {
        let events = if ONE { 1 } else { open.events };
        let sums = &mut self.sums[open.segment * events..][..events];
        let (mut address, mut line) = (open.address, open.line);
        let (mut count_len, mut lines, mut sum) = (0, 0, 0u64);
        let mut ahead = *cursor;
        while open.costs + lines < MAX_COSTS
            && let Some(mut fast) = FastLine::new(ahead.rest())
            && (!ADDRESS || is_cost_line(fast.peek()))
            && let Some(at) = fast.positions(positions::<ADDRESS>())
            && let Some(next_line) = line.then(at.line, MAX_LINE_NUMBER)
            && let Some(next_address) = match ADDRESS {
                true => address.then(at.address, u64::MAX),
                false => Some(address),
            }
        {
            let before = sum;
            let len = match ONE {
                true => fast.add_count(&mut sum),
                false => fast.add_counts(sums),
            };
            let Some(len) = len else {
                break;
            };
            (address, line) = (next_address, next_line);
            count_len = count_len.max(len);
            lines += 1;
            ahead.advance(fast.position());
            // Code without debug information consists of lines that differ in the address alone: `+4 0 1` after `+3 0 1`.
            if ADDRESS
                && ONE
                && matches!(at.line, Step::To(_) | Step::NONE)
                && let Some(rest) = fast.short_text(fast.after_address())
            {
                let most = MAX_COSTS - open.costs - lines;
                let repeats = repeats(&mut ahead, &mut address, &rest, most);
                let count = sum.wrapping_sub(before);
                sum = sum.wrapping_add(count.wrapping_mul(repeats.into()));
                lines += repeats;
            }
        }
        if lines == 0 {
            return None;
        }
        if ONE {
            sums[0] += sum;
        }
        *cursor = ahead;
        (open.address, open.line) = (address, line);
        open.lines += lines;
        open.costs += lines;
        open.begins_with_call.get_or_insert(false);
        let segment = &mut self.segments[open.first_segment + open.segment];
        segment.has_place = true;
        segment.count_len = segment.count_len.max(count_len as u8);
        Some(())
    }

    /// Lexes `fi=` or `fe=` with an id.
    #[inline(always)]
    fn change_file(&mut self, cursor: &mut Cursor<'_>, open: &mut Open) -> Option<()> {
        let mut fast = FastLine::new(cursor.rest())?;
        let [b'f', b'i' | b'e', b'=', b'(', ..] = fast.bytes else {
            return None;
        };
        fast.advance(4);
        let id = Some(end_of_reference(&mut fast)?);
        let of_block = &self.segments[open.first_segment..];
        // Files are in the order of their first costs.
        if open.segment > 0 && !of_block[open.segment].has_place {
            return None;
        }
        open.segment = match of_block.iter().position(|segment| segment.file == id) {
            Some(segment) => segment,
            None if of_block.len() == MAX_SEGMENTS => return None,
            None => {
                self.begin_segment(id, open.events);
                self.segments.len() - 1 - open.first_segment
            }
        };
        cursor.advance(fast.position());
        open.lines += 1;
        Some(())
    }
}

/// The positions of a cost line that are read here.
pub(super) const fn positions<const ADDRESS: bool>() -> Positions<bool> {
    Positions {
        address: ADDRESS,
        block: false,
        line: true,
    }
}

/// The rest of a line with an id, from its digits on: nothing but `)` may follow.
#[inline(always)]
pub(super) fn end_of_reference(fast: &mut FastLine<'_>) -> Option<u32> {
    let id = u32::try_from(fast.number()?).ok()?;
    (fast.skip(b')') && fast.skip(b'\n')).then_some(id)
}

/// Steps over at most `most` lines that differ from the one before in the address alone, and returns how many there are.
#[inline(always)]
fn repeats(cursor: &mut Cursor<'_>, address: &mut Steps, rest: &ShortText, most: u32) -> u32 {
    let mut lines = 0;
    while lines < most
        && let Some(mut fast) = FastLine::new(cursor.rest())
        && let Some(step @ Step::By(_)) = fast.short_step()
        && fast.skip_text(rest)
        && let Some(next) = address.then(step, u64::MAX)
    {
        cursor.advance(fast.position());
        *address = next;
        lines += 1;
    }
    lines
}
