//! The first half of reading: bytes in, lines out. Of a cost line its numbers are left, of a name its id, of
//! other lines their text. Nothing is remembered from line to line but how many positions and counts cost
//! lines have.

use std::num::NonZeroU8;

use super::cursor::{Cursor, Malformed, Step};
use super::header::{Layout, Positions};
use super::record::{Name, NameOf, Record, begins_cost};
use crate::profile::{Count, NameHash, NameHasher, add_cost};

/// One line of a file, or some cost lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line {
    /// A cost line, or self costs of one source line that stand together.
    Cost(CostLine),
    /// A cost line that makes no sense. If its positions do, the lines behind it are relative to them.
    Malformed(Malformed, Option<CostLine>),
    /// A name that is an id alone.
    Known(NameOf, u32),
    /// `calls=`, and the number of calls.
    Calls(u32),
    /// The begin of a jump.
    Jump,
    /// An empty line or a comment.
    Blank,
    /// Any other line: from where to where in the piece's bytes, and the hash of the function's name that it has.
    Other {
        start: u32,
        end: u32,
        hash: NameHash,
    },
}

impl Line {
    /// How many lines of the file it is.
    fn count(self) -> u64 {
        match self {
            Line::Cost(cost) => cost.lines(),
            _ => 1,
        }
    }
}

/// Where a cost was counted, and how many of the piece's counts are its own. There is one for each cost line
/// on its way from thread to thread, so it is packed: a [`Line`] takes 16 bytes, and 40 made the whole a
/// tenth slower.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostLine {
    address: [u8; 8],
    line: [u8; 4],
    relative: u8,
    given: u8,
    lines: NonZeroU8,
}

/// The bits of [`CostLine::relative`].
const RELATIVE_ADDRESS: u8 = 1;
const RELATIVE_LINE: u8 = 2;

impl CostLine {
    #[inline(always)]
    fn new(address: Step, line: Step, given: usize) -> Result<CostLine, Malformed> {
        let relative = |step: Step, bit| if step.is_relative { bit } else { 0 };
        Ok(CostLine {
            address: address.by.to_ne_bytes(),
            line: i32::try_from(line.by)
                .map_err(|_| Malformed::PositionRange)?
                .to_ne_bytes(),
            relative: relative(address, RELATIVE_ADDRESS) | relative(line, RELATIVE_LINE),
            given: u8::try_from(given).map_err(|_| Malformed::TooManyCounts)?,
            lines: NonZeroU8::MIN,
        })
    }

    /// The step to the address; that of the last line if it is several.
    #[inline(always)]
    pub(super) fn address(&self) -> Step {
        Step {
            is_relative: self.relative & RELATIVE_ADDRESS != 0,
            by: i64::from_ne_bytes(self.address),
        }
    }

    /// The step to the source line.
    #[inline(always)]
    pub(super) fn line(&self) -> Step {
        Step {
            is_relative: self.relative & RELATIVE_LINE != 0,
            by: i32::from_ne_bytes(self.line).into(),
        }
    }

    /// How many counts the line has.
    #[inline(always)]
    pub(super) fn given(&self) -> usize {
        self.given.into()
    }

    /// How many lines of the file it is.
    #[inline(always)]
    pub(super) fn lines(&self) -> u64 {
        self.lines.get().into()
    }

    /// Both lines as one, if the next one is of the same source line.
    #[inline(always)]
    fn and(&self, next: &CostLine) -> Option<CostLine> {
        let is_same = next.line() == Step::NONE
            || (self.relative | next.relative) & RELATIVE_LINE == 0 && self.line == next.line;
        if !is_same || self.given != next.given {
            return None;
        }
        Some(CostLine {
            address: self.address().then(next.address())?.by.to_ne_bytes(),
            lines: self.lines.checked_add(next.lines.get())?,
            ..*self
        })
    }
}

/// Some whole lines.
#[derive(Default)]
pub(super) struct Piece {
    /// The text.
    pub(super) bytes: Vec<u8>,
    lines: Vec<Line>,
    counts: Vec<Count>,
    /// What cost lines have at the begin, and at the end.
    begin: Layout,
    end: Layout,
}

impl Piece {
    /// The lines that follow so many others of the file, and the counts of these, one line's after the other's.
    pub(super) fn after(&self, count: u64) -> (&[Line], &[Count]) {
        let (mut lines, mut counts) = (&self.lines[..], &self.counts[..]);
        let mut left = count;
        while let Some((line, rest)) = lines.split_first()
            && left > 0
        {
            lines = rest;
            left = left.saturating_sub(line.count());
            if let Line::Cost(cost) = line {
                counts = &counts[cost.given()..];
            }
        }
        (lines, counts)
    }

    /// What the line from `start` to `end` is.
    pub(super) fn record(&self, start: u32, end: u32) -> Record<'_> {
        Record::parse(&self.bytes[start as usize..end as usize])
    }

    /// How many lines of the file there are.
    pub(super) fn count(&self) -> u64 {
        self.lines.iter().map(|line| line.count()).sum()
    }

    /// What cost lines had to have, for the lines to be right.
    pub(super) fn begin(&self) -> Layout {
        self.begin
    }

    /// What the cost lines behind it have.
    pub(super) fn end(&self) -> Layout {
        self.end
    }

    /// Makes lines of the bytes, where cost lines have what `layout` says. Self costs of one source line are
    /// summed: in many a profile with addresses most lines are such.
    pub(super) fn lex(&mut self, layout: Layout, hasher: &NameHasher) {
        self.lex_lines(layout, hasher, true);
    }

    /// Makes the lines again, each by itself.
    pub(super) fn lex_apart(&mut self, hasher: &NameHasher) {
        self.lex_lines(self.begin, hasher, false);
    }

    fn lex_lines(&mut self, layout: Layout, hasher: &NameHasher, sums: bool) {
        self.lines.clear();
        self.counts.clear();
        self.begin = layout;
        let mut layout = layout;
        let mut cursor = Cursor::new(&self.bytes);
        // Whether the next cost line may be that of calls or a jump: who knows what was before the first.
        let mut is_owed = true;
        // Whether the last line is a self cost.
        let mut is_self = false;
        while !cursor.is_at_end() {
            if begins_cost(cursor.peek()) {
                let (begin, counted) = (cursor, self.counts.len());
                let Some((mut line, tail)) =
                    plain_cost_line(&mut cursor, &layout, &mut self.counts)
                else {
                    cursor = begin;
                    self.counts.truncate(counted);
                    let line = any_cost_line(&mut cursor, &layout, &mut self.counts);
                    self.lines.push(line);
                    (is_owed, is_self) = (false, false);
                    continue;
                };
                if sums && !is_owed && layout.positions.address {
                    line = repeated(&mut cursor, tail, line, &mut self.counts[counted..]);
                }
                if !(is_self && add_to_last(&mut self.lines, &mut self.counts, line)) {
                    self.lines.push(Line::Cost(line));
                    is_self = sums && !is_owed;
                }
                is_owed = false;
                continue;
            }
            is_self = false;
            let begin = cursor;
            let line = plain_line(&mut cursor).unwrap_or_else(|| {
                cursor = begin;
                other_line(&mut cursor, &mut layout, hasher)
            });
            is_owed |= !matches!(line, Line::Known(..) | Line::Blank);
            self.lines.push(line);
        }
        self.end = layout;
    }
}

/// Takes in the lines behind a cost line that say the same of the next addresses. From `tail` on the line has all but
/// its address. If they do not fit together, they are left.
#[inline(always)]
fn repeated(
    cursor: &mut Cursor<'_>,
    tail: usize,
    line: CostLine,
    counts: &mut [Count],
) -> CostLine {
    let is_same = line.relative & RELATIVE_LINE == 0 || line.line() == Step::NONE;
    if !is_same {
        return line;
    }
    let begin = *cursor;
    let (repeats, address) = cursor.repeats(tail);
    if repeats == 0 {
        return line;
    }
    let times = i64::from(repeats) + 1;
    let to = line.address().then(Step {
        is_relative: true,
        by: address.into(),
    });
    let lines = line.lines.checked_add(repeats);
    let (Some(to), Some(lines), true) = (
        to,
        lines,
        counts.iter().all(|count| count.times(times).is_ok()),
    ) else {
        *cursor = begin;
        return line;
    };
    for count in counts {
        *count = count.times(times).unwrap_or(*count);
    }
    CostLine {
        address: to.by.to_ne_bytes(),
        lines,
        ..line
    }
}

/// Adds a cost line, whose counts are the last, to the one before, if both can be one.
#[inline(always)]
fn add_to_last(lines: &mut [Line], counts: &mut Vec<Count>, next: CostLine) -> bool {
    let Some(Line::Cost(last)) = lines.last_mut() else {
        return false;
    };
    let Some(both) = last.and(&next) else {
        return false;
    };
    let end = counts.len() - next.given();
    let (sums, own) = counts.split_at_mut(end);
    let sums = &mut sums[end - next.given()..];
    if add_cost(sums, own).is_err() {
        return false;
    }
    counts.truncate(end);
    *last = both;
    true
}

/// One of the lines that stand between cost lines, as nearly all of them are.
#[inline(always)]
fn plain_line(cursor: &mut Cursor<'_>) -> Option<Line> {
    let line = cursor.rest();
    match line {
        [b'\n', ..] => {
            cursor.advance(1);
            Some(Line::Blank)
        }
        [b'j', b'c', b'n', b'd', b'=', ..] | [b'j', b'u', b'm', b'p', b'=', ..] => {
            cursor.take_line();
            Some(Line::Jump)
        }
        [b'c', b'a', b'l', b'l', b's', b'=', ..] => {
            cursor.advance(b"calls=".len());
            let count = u32::try_from(cursor.plain_number()?).ok()?;
            let is_all = matches!(cursor.peek(), b' ' | b'\n');
            cursor.take_line();
            is_all.then_some(Line::Calls(count))
        }
        _ => {
            let (of, value) = NameOf::of_line(line)?;
            cursor.advance(line.len() - value.len());
            let id = cursor.skip(b'(').then(|| cursor.plain_number())??;
            let is_all = cursor.skip(b')') && cursor.skip(b'\n');
            is_all.then_some(Line::Known(of, u32::try_from(id).ok()?))
        }
    }
}

/// Any line that is no cost line.
fn other_line(cursor: &mut Cursor<'_>, layout: &mut Layout, hasher: &NameHasher) -> Line {
    let start = cursor.position() as u32;
    let text = cursor.take_line();
    let mut hash = NameHash::default();
    match Record::parse(text) {
        Record::Blank => return Line::Blank,
        // Names are most of some files, and the reader has more to do than the lexer.
        Record::Name(
            NameOf::Function | NameOf::CalledFunction,
            Name::Plain(name) | Name::Defined(_, name),
        ) => hash = hasher.hash(name),
        Record::Header(b"positions" | b"events", _) => layout.line(text),
        _ => {}
    }
    Line::Other {
        start,
        end: start + text.len() as u32,
        hash,
    }
}

/// A cost line as nearly all are, and where it goes on behind the address.
#[inline(always)]
fn plain_cost_line(
    cursor: &mut Cursor<'_>,
    layout: &Layout,
    counts: &mut Vec<Count>,
) -> Option<(CostLine, usize)> {
    let Positions {
        address,
        block,
        line,
    } = layout.positions;
    let address = if address {
        cursor.plain_step()?
    } else {
        Step::NONE
    };
    let tail = cursor.position();
    if block {
        cursor.plain_step()?;
    }
    let line = if line {
        cursor.plain_step()?
    } else {
        Step::NONE
    };
    let mut given = 0;
    // A call and a jump may have nothing but positions.
    if cursor.peek() != b'\n' {
        loop {
            let count = cursor.plain_number()?;
            given += 1;
            if given > layout.events {
                return None;
            }
            counts.push(Count::new(count.cast_signed()).ok()?);
            if !cursor.skip(b' ') {
                break;
            }
        }
    }
    if !cursor.skip(b'\n') {
        return None;
    }
    let line = CostLine::new(address, line, given).ok()?;
    Some((line, tail))
}

/// Any cost line.
#[cold]
#[inline(never)]
fn any_cost_line(cursor: &mut Cursor<'_>, layout: &Layout, counts: &mut Vec<Count>) -> Line {
    let (begin, counted) = (*cursor, counts.len());
    cost_line(cursor, layout, counts).map_or_else(
        |(malformed, at)| {
            counts.truncate(counted);
            *cursor = begin;
            cursor.take_line();
            Line::Malformed(malformed, at)
        },
        Line::Cost,
    )
}

/// With an error comes where the line is, if that much can be read.
fn cost_line(
    cursor: &mut Cursor<'_>,
    layout: &Layout,
    counts: &mut Vec<Count>,
) -> Result<CostLine, (Malformed, Option<CostLine>)> {
    let at = positions(cursor, layout.positions).map_err(|malformed| (malformed, None))?;
    let given = other_counts(cursor, layout.events, counts);
    let given = given.map_err(|malformed| (malformed, Some(at)))?;
    let given = u8::try_from(given).map_err(|_| (Malformed::TooManyCounts, Some(at)))?;
    Ok(CostLine { given, ..at })
}

fn positions(cursor: &mut Cursor<'_>, given: Positions<bool>) -> Result<CostLine, Malformed> {
    let mut step = |is_given: bool| {
        if is_given {
            cursor.step()
        } else {
            Ok(Step::NONE)
        }
    };
    let (address, _, line) = (step(given.address)?, step(given.block)?, step(given.line)?);
    CostLine::new(address, line, 0)
}

/// Reads counts up to the end of the line, and gives back how many.
fn other_counts(
    cursor: &mut Cursor<'_>,
    events: usize,
    counts: &mut Vec<Count>,
) -> Result<usize, Malformed> {
    let mut given = 0;
    while !cursor.end_line() {
        let count = cursor.count()?.map_or(Ok(Count::UNDEFINED), Count::new);
        counts.push(count.map_err(|_| Malformed::CountRange)?);
        given += 1;
        if given > events {
            return Err(Malformed::TooManyCounts);
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_small() {
        assert_eq!(size_of::<Line>(), 16);
    }
}
