//! The first half of reading: bytes in, lines out. Of a cost line its numbers are left, of a name its id, of
//! other lines their text. Nothing is remembered from line to line but how many positions and counts cost
//! lines have.

mod at;
mod repeats;
mod run;

use std::ops::Range;

use super::cursor::{Cursor, Malformed, Step};
use super::header::{Layout, Positions};
use super::keeper::Keeper;
use super::line::{CostLine, Line, Together};
use super::record::{Name, NameOf, Record, begins_cost};
use super::window::{WINDOW, Window};
use crate::profile::{Count, NameHash};
use run::Made;

/// Some whole lines.
#[derive(Default)]
pub(super) struct Piece {
    /// The text.
    pub(super) bytes: Vec<u8>,
    made: Made,
    /// The names of functions, until they are kept.
    named: Vec<Named>,
    /// What cost lines have at the begin, and at the end.
    begin: Layout,
    end: Layout,
}

/// A line that has the name of a function.
struct Named {
    /// Which line it is.
    line: usize,
    /// What the name is of.
    of: NameOf,
    /// The id that stands for it from here on.
    id: Option<u32>,
    /// Where the name is.
    text: Range<usize>,
    hash: NameHash,
}

impl Piece {
    /// The lines that follow so many others of the file, and the counts of these, one line's after the other's.
    pub(super) fn after(&self, count: u64) -> (&[Line], &[Count]) {
        let (mut lines, mut counts) = (&self.made.lines[..], &self.made.counts[..]);
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
        self.made.lines.iter().map(|line| line.count()).sum()
    }

    /// What cost lines had to have, for the lines to be right.
    pub(super) fn begin(&self) -> Layout {
        self.begin
    }

    /// What the cost lines behind it have.
    pub(super) fn end(&self) -> Layout {
        self.end
    }

    /// Makes lines of the bytes, where cost lines have what `layout` says. Self costs that are to be together are
    /// summed: in many a profile with addresses most lines are of the source line before.
    pub(super) fn lex(&mut self, layout: Layout, together: Together, keeper: &Keeper) {
        self.lex_lines(layout, together, keeper);
        self.keep_names(keeper);
    }

    /// Makes the lines again, each by itself.
    pub(super) fn lex_apart(&mut self, keeper: &Keeper) {
        self.lex(self.begin, Together::Nothing, keeper);
    }

    fn lex_lines(&mut self, layout: Layout, together: Together, keeper: &Keeper) {
        self.made.clear();
        self.named.clear();
        self.begin = layout;
        let mut layout = layout;
        let made = &mut self.made;
        // Wherever a line begins, there is a window.
        let end = self.bytes.len();
        self.bytes.resize(end + WINDOW, b'\n');
        let mut cursor = Cursor::new(&self.bytes);
        // Whether the next cost line may be that of calls or a jump: who knows what was before the first.
        let mut is_owed = true;
        while cursor.position() < end {
            if begins_cost(cursor.peek()) {
                if !made.plain_cost_lines(&mut cursor, &layout, together, is_owed) {
                    let line = any_cost_line(&mut cursor, &layout, &mut made.counts);
                    made.lines.push(line);
                }
                is_owed = false;
                continue;
            }
            let mut is_name = false;
            let line = plain_line(&mut cursor).unwrap_or_else(|| {
                let at = made.lines.len();
                let (line, name) = other_line(&mut cursor, &mut layout, at, keeper);
                is_name = name.is_some();
                self.named.extend(name);
                line
            });
            is_owed |= !(is_name || matches!(line, Line::Known(..) | Line::Blank));
            made.lines.push(line);
        }
        self.bytes.truncate(end);
        self.end = layout;
    }

    /// Keeps the names of functions. Where that fails the lines stay as they are, and the reader finds out.
    fn keep_names(&mut self, keeper: &Keeper) {
        if self.named.is_empty() {
            return;
        }
        let mut keeping = keeper.begin();
        for named in &self.named {
            if let Ok(name) = keeping.keep(&self.bytes[named.text.clone()], named.hash) {
                self.made.lines[named.line] = match named.id {
                    Some(id) => Line::Defined(named.of, id, name),
                    None => Line::Named(named.of, name),
                };
            }
        }
    }
}

/// One of the lines that stand between cost lines, as nearly all of them are.
#[inline(always)]
fn plain_line(cursor: &mut Cursor<'_>) -> Option<Line> {
    let mut window = Window::new(cursor.rest())?;
    let line = match window.bytes() {
        [b'\n', ..] => {
            cursor.advance(1);
            return Some(Line::Blank);
        }
        [b'j', b'c', b'n', b'd', b'=', ..] | [b'j', b'u', b'm', b'p', b'=', ..] => {
            cursor.take_line();
            return Some(Line::Jump);
        }
        [b'c', b'a', b'l', b'l', b's', b'=', ..] => {
            window.advance(6);
            let count = u32::try_from(window.number()?).ok()?;
            if !matches!(window.peek(), b' ' | b'\n') {
                return None;
            }
            cursor.advance(window.position());
            cursor.take_line();
            return Some(Line::Calls(count));
        }
        bytes => {
            let (of, value) = NameOf::of_line(bytes)?;
            window.advance((bytes.len() - value.len()) as u8);
            let id = window.skip(b'(').then(|| window.number())??;
            let is_all = window.skip(b')') && window.skip(b'\n');
            is_all.then_some(Line::Known(of, u32::try_from(id).ok()?))?
        }
    };
    cursor.advance(window.position());
    Some(line)
}

/// Any line that is no cost line, and the name of a function that it has. `line` is its place among the lines.
fn other_line(
    cursor: &mut Cursor<'_>,
    layout: &mut Layout,
    line: usize,
    keeper: &Keeper,
) -> (Line, Option<Named>) {
    let start = cursor.position();
    let text = cursor.take_line();
    let end = start + text.len();
    let named = |of, id, name: &[u8]| Named {
        line,
        of,
        id,
        text: end - name.len()..end,
        hash: keeper.hash(name),
    };
    let name = match Record::parse(text) {
        Record::Blank => return (Line::Blank, None),
        Record::Name(of, Name::Plain(name)) if of.is_function() => Some(named(of, None, name)),
        Record::Name(of, Name::Defined(id, name)) if of.is_function() => {
            let id = u32::try_from(id).ok();
            id.map(|id| named(of, Some(id), name))
        }
        Record::Header(b"positions" | b"events", _) => {
            layout.line(text);
            None
        }
        _ => None,
    };
    let (start, end) = (start as u32, end as u32);
    (Line::Other { start, end }, name)
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
    at.with_counts(given)
        .map_err(|malformed| (malformed, Some(at)))
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
    CostLine::new(address, line)
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
