//! Lexing a chunk: whole lines of bytes in, [`Line`]s out. Cost lines become numbers, names of functions become ids, and
//! other lines keep their text. The only state from line to line is the [`Layout`]: which positions and how many counts
//! cost lines have.

use std::ops::Range;

use super::Detail;
use super::cursor::{Cursor, Malformed, Step};
use super::fast_line::{FastLine, MAX_LINE};
use super::header::{Layout, Positions};
use super::join::{Joining, Output};
use super::line::{CostLine, Line};
use super::name_interner::NameInterner;
use super::record::{Name, NameKind, Record, is_cost_line};
use crate::profile::{Count, NameHash};

/// Some whole lines of a file.
#[derive(Default)]
pub(super) struct Chunk {
    /// The text.
    pub(super) bytes: Vec<u8>,
    output: Output,
    /// Names of functions that are not interned yet.
    pending: Vec<PendingName>,
    layout_before: Layout,
    layout_after: Layout,
}

/// A name of a function, found but not interned.
struct PendingName {
    /// The index of its line.
    line: usize,
    kind: NameKind,
    /// The compressed id that the line defines.
    id: Option<u32>,
    /// Its bytes in the chunk.
    text: Range<usize>,
    hash: NameHash,
}

impl Chunk {
    /// The lines after the first `skipped` lines of the file, and their counts, one line's after the other's.
    pub(super) fn lines_from(&self, skipped: u64) -> (&[Line], &[Count]) {
        let (mut lines, mut counts) = (&self.output.lines[..], &self.output.counts[..]);
        let mut left = skipped;
        while let Some((line, rest)) = lines.split_first()
            && left > 0
        {
            lines = rest;
            left = left.saturating_sub(line.count());
            counts = &counts[line.count_len()..];
        }
        (lines, counts)
    }

    /// The record on the line whose bytes are `start..end`.
    pub(super) fn record(&self, start: u32, end: u32) -> Record<'_> {
        Record::parse(&self.bytes[start as usize..end as usize])
    }

    /// The number of lines of the file.
    pub(super) fn count(&self) -> u64 {
        self.output.lines.iter().map(|line| line.count()).sum()
    }

    /// The layout that the chunk was lexed with.
    pub(super) fn layout_before(&self) -> Layout {
        self.layout_before
    }

    /// The layout of the cost lines after the chunk.
    pub(super) fn layout_after(&self) -> Layout {
        self.layout_after
    }

    /// Lexes the bytes, where cost lines have `layout` until another header comes.
    pub(super) fn lex(&mut self, layout: Layout, detail: Detail, interner: &NameInterner) {
        self.lex_lines(layout, detail, true, interner);
        self.intern_names(interner);
    }

    /// Lexes the bytes again, each line by itself.
    pub(super) fn lex_unjoined(&mut self, interner: &NameInterner) {
        let detail = Detail {
            code: true,
            ..Detail::default()
        };
        self.lex_lines(self.layout_before, detail, false, interner);
        self.intern_names(interner);
    }

    fn lex_lines(&mut self, layout: Layout, detail: Detail, joins: bool, interner: &NameInterner) {
        self.output.clear();
        self.pending.clear();
        self.layout_before = layout;
        let mut layout = layout;
        let joining_of = |layout: &Layout| match joins {
            true => detail.joining(layout.positions.address),
            false => Joining::Never,
        };
        let mut joining = joining_of(&layout);
        let output = &mut self.output;
        // With this padding there are enough bytes for a `FastLine` at the start of every line.
        let end = self.bytes.len();
        self.bytes.resize(end + MAX_LINE, b'\n');
        let mut cursor = Cursor::new(&self.bytes);
        // The chunk before may have ended with `calls=`.
        let mut may_belong_to_call = true;
        while cursor.position() < end {
            if is_cost_line(cursor.peek()) {
                if !output.cost_lines(&mut cursor, &layout, joining, may_belong_to_call) {
                    let line = any_cost_line(&mut cursor, &layout, &mut output.counts);
                    output.lines.push(line);
                }
                may_belong_to_call = false;
                continue;
            }
            let mut is_name = false;
            let line = fast_line(&mut cursor, &layout, detail).unwrap_or_else(|| {
                let index = output.lines.len();
                let (line, name) = any_line(&mut cursor, &mut layout, index, interner);
                is_name = name.is_some();
                self.pending.extend(name);
                joining = joining_of(&layout);
                line
            });
            may_belong_to_call |= !(is_name || matches!(line, Line::NameRef(..) | Line::Blank));
            output.lines.push(line);
        }
        self.bytes.truncate(end);
        self.layout_after = layout;
    }

    /// Interns the names of functions. If that fails, their lines keep their text and the reader reports the error.
    fn intern_names(&mut self, interner: &NameInterner) {
        if self.pending.is_empty() {
            return;
        }
        let mut names = interner.lock();
        for pending in &self.pending {
            if let Ok(name) = names.intern(&self.bytes[pending.text.clone()], pending.hash) {
                self.output.lines[pending.line] = match pending.id {
                    Some(id) => Line::NameDef(pending.kind, id, name),
                    None => Line::Name(pending.kind, name),
                };
            }
        }
    }
}

/// A line other than a cost line, in one of the usual forms. Targets of calls and jumps are left out if they are not kept.
#[inline(always)]
fn fast_line(cursor: &mut Cursor<'_>, layout: &Layout, detail: Detail) -> Option<Line> {
    let mut fast = FastLine::new(cursor.rest())?;
    let line = match fast.bytes {
        [b'\n', ..] => {
            cursor.advance(1);
            return Some(Line::Blank);
        }
        [b'j', b'c', b'n', b'd', b'=', ..] | [b'j', b'u', b'm', b'p', b'=', ..] if !detail.code => {
            cursor.take_line();
            return Some(Line::Jump);
        }
        [b'c', b'a', b'l', b'l', b's', b'=', ..] if !detail.code => {
            fast.advance(6);
            let count = u32::try_from(fast.number()?).ok()?;
            if !matches!(fast.peek(), b' ' | b'\n') {
                return None;
            }
            if detail.targets {
                let line = fast.target_line(layout.positions)?;
                cursor.advance(fast.position());
                return Some(Line::CallsTo { count, line });
            }
            cursor.advance(fast.position());
            cursor.take_line();
            return Some(Line::Calls(count));
        }
        bytes => {
            let (kind, value) = NameKind::of_line(bytes)?;
            fast.advance((bytes.len() - value.len()) as u8);
            let id = fast.skip(b'(').then(|| fast.number())??;
            let is_reference = fast.skip(b')') && fast.skip(b'\n');
            is_reference.then_some(Line::NameRef(kind, u32::try_from(id).ok()?))?
        }
    };
    cursor.advance(fast.position());
    Some(line)
}

/// Any line other than a cost line, and the name of a function on it. `index` is the line's index in the output.
fn any_line(
    cursor: &mut Cursor<'_>,
    layout: &mut Layout,
    index: usize,
    interner: &NameInterner,
) -> (Line, Option<PendingName>) {
    let start = cursor.position();
    let text = cursor.take_line();
    let end = start + text.len();
    let name_end = start + text.trim_ascii_end().len();
    let pending = |kind, id, name: &[u8]| PendingName {
        line: index,
        kind,
        id,
        text: name_end - name.len()..name_end,
        hash: interner.hash(name),
    };
    let name = match Record::parse(text) {
        Record::Blank => return (Line::Blank, None),
        Record::Name(kind, Name::Text(name)) if kind.is_function() => {
            Some(pending(kind, None, name))
        }
        Record::Name(kind, Name::Definition(id, name)) if kind.is_function() => {
            let id = u32::try_from(id).ok();
            id.map(|id| pending(kind, Some(id), name))
        }
        Record::Header(b"positions" | b"events", _) => {
            layout.set(text);
            None
        }
        _ => None,
    };
    let (start, end) = (start as u32, end as u32);
    (Line::Unparsed { start, end }, name)
}

#[cold]
#[inline(never)]
fn any_cost_line(cursor: &mut Cursor<'_>, layout: &Layout, counts: &mut Vec<Count>) -> Line {
    let (start, count_len) = (*cursor, counts.len());
    cost_line(cursor, layout, counts).unwrap_or_else(|(malformed, positions)| {
        counts.truncate(count_len);
        *cursor = start;
        cursor.take_line();
        Line::Malformed(malformed, positions)
    })
}

/// The error has the positions of the line, if only its counts are malformed.
fn cost_line(
    cursor: &mut Cursor<'_>,
    layout: &Layout,
    counts: &mut Vec<Count>,
) -> Result<Line, (Malformed, Option<CostLine>)> {
    let line = positions(cursor, layout.positions).map_err(|malformed| (malformed, None))?;
    let count_len = line_counts(cursor, layout.events, counts);
    let count_len = count_len.map_err(|malformed| (malformed, line))?;
    let too_many = (Malformed::TooManyCounts, line);
    let count_len = u8::try_from(count_len).map_err(|_| too_many)?;
    Ok(match line {
        Some(line) => Line::Cost(line.with_counts(count_len)),
        None => Line::OutOfRange { count_len },
    })
}

/// The positions of a cost line; none if one is out of range.
fn positions(
    cursor: &mut Cursor<'_>,
    given: Positions<bool>,
) -> Result<Option<CostLine>, Malformed> {
    let mut step = |is_given: bool| match if is_given {
        cursor.step()
    } else {
        Ok(Step::NONE)
    } {
        Err(Malformed::PositionRange) => Ok(None),
        step => step.map(Some),
    };
    let (address, block, line) = (step(given.address)?, step(given.block)?, step(given.line)?);
    let line = block.and(address).zip(line);
    Ok(line.and_then(|(address, line)| CostLine::new(address, line).ok()))
}

/// Reads counts up to the end of the line, and returns how many there are.
fn line_counts(
    cursor: &mut Cursor<'_>,
    events: usize,
    counts: &mut Vec<Count>,
) -> Result<usize, Malformed> {
    let mut len = 0;
    while !cursor.end_line() {
        counts.push(cursor.count()?.map_or(Count::UNDEFINED, Count::new));
        len += 1;
        if len > events {
            return Err(Malformed::TooManyCounts);
        }
    }
    Ok(len)
}
