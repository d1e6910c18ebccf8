//! The first half of reading: bytes in, lines out. Of a cost line its numbers are left, of a name its id, of
//! other lines their text. Nothing is remembered from line to line but how many positions and counts cost
//! lines have.

use std::ops::Range;

use super::cursor::{Cursor, Malformed, Same, Step};
use super::header::{Layout, Positions};
use super::keeper::Keeper;
use super::line::{CostLine, Line, Together};
use super::record::{Name, NameOf, Record, begins_cost};
use crate::profile::{Count, NameHash, add_cost};

/// Some whole lines.
#[derive(Default)]
pub(super) struct Piece {
    /// The text.
    pub(super) bytes: Vec<u8>,
    lines: Vec<Line>,
    counts: Vec<Count>,
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
        let sums = together != Together::Nothing;
        self.lines.clear();
        self.counts.clear();
        self.named.clear();
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
                let Some((mut line, same)) =
                    plain_cost_line(&mut cursor, &layout, together, &mut self.counts)
                else {
                    cursor = begin;
                    self.counts.truncate(counted);
                    let line = any_cost_line(&mut cursor, &layout, &mut self.counts);
                    self.lines.push(line);
                    (is_owed, is_self) = (false, false);
                    continue;
                };
                if sums && !is_owed {
                    line = repeated(&mut cursor, &same, line, &mut self.counts[counted..]);
                }
                if !(is_self && add_to_last(&mut self.lines, &mut self.counts, line, together)) {
                    self.lines.push(Line::Cost(line));
                    is_self = sums && !is_owed;
                }
                is_owed = false;
                continue;
            }
            is_self = false;
            let begin = cursor;
            let mut is_name = false;
            let line = plain_line(&mut cursor).unwrap_or_else(|| {
                cursor = begin;
                let at = self.lines.len();
                let (line, name) = other_line(&mut cursor, &mut layout, at, keeper);
                is_name = name.is_some();
                self.named.extend(name);
                line
            });
            is_owed |= !(is_name || matches!(line, Line::Known(..) | Line::Blank));
            self.lines.push(line);
        }
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
                self.lines[named.line] = match named.id {
                    Some(id) => Line::Defined(named.of, id, name),
                    None => Line::Named(named.of, name),
                };
            }
        }
    }
}

/// Takes in the lines behind a cost line that repeat it. If they do not fit together, they are left.
#[inline(always)]
fn repeated(
    cursor: &mut Cursor<'_>,
    same: &Same,
    line: CostLine,
    counts: &mut [Count],
) -> CostLine {
    let begin = *cursor;
    let repeats = cursor.repeats(same);
    if repeats.count == 0 {
        return line;
    }
    let times = i64::from(repeats.count) + 1;
    let Some(all) = line.repeated(&repeats) else {
        *cursor = begin;
        return line;
    };
    for count in counts {
        // A number of less than eight digits does not grow too large.
        *count = count.times(times).unwrap_or(*count);
    }
    all
}

/// Adds a cost line, whose counts are the last, to the one before, if both can be one.
#[inline(always)]
fn add_to_last(
    lines: &mut [Line],
    counts: &mut Vec<Count>,
    next: CostLine,
    together: Together,
) -> bool {
    let Some(Line::Cost(last)) = lines.last_mut() else {
        return false;
    };
    let Some(both) = last.and(&next, together) else {
        return false;
    };
    let end = counts.len() - next.given();
    let begin = end - last.given();
    let common = last.given().min(next.given());
    let (sums, own) = counts.split_at_mut(end);
    if add_cost(&mut sums[begin..begin + common], &own[..common]).is_err() {
        return false;
    }
    // What only the next one has becomes the end of the sums.
    counts.copy_within(end + common.., begin + common);
    counts.truncate(begin + both.given());
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

/// A cost line as nearly all are, and what of it the next ones may repeat.
#[inline(always)]
fn plain_cost_line(
    cursor: &mut Cursor<'_>,
    layout: &Layout,
    together: Together,
    counts: &mut Vec<Count>,
) -> Option<(CostLine, Same)> {
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
    let rest = cursor.position();
    if block {
        cursor.plain_step()?;
    }
    let line = if line {
        cursor.plain_step()?
    } else {
        Step::NONE
    };
    let begin = cursor.position();
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
    // Without addresses, or with many events, lines seldom repeat each other: it does not pay to look.
    let has_addresses = layout.positions.address;
    let of_file = together == Together::OfFile && has_addresses && layout.events == 1;
    let of_file = of_file && layout.positions.line && !layout.positions.block;
    let same = Same {
        rest: (has_addresses && line.may_repeat()).then_some(rest),
        counts: of_file.then_some(begin),
    };
    Some((line, same))
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
