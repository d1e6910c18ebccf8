//! The first half of reading: bytes in, lines out. Of a cost line its numbers are left, of any other its
//! text. Nothing is remembered from line to line but how many positions and counts cost lines have.
//!
//! It runs in a thread of its own, ahead of the reader, which knows what the lines mean. What it makes of
//! a file does not depend on that: the reader sees the same lines in the same order. Measured 2026-11-21
//! with two cores (whole program, --auto=no, medians of one run): 42.7 ms in one thread and 35.4 ms in two for
//! 15 MB of rustc, 56.1 and 49.5 for 20 MB of cc1plus, 222 and 188 for 49 MB of python3.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{self, JoinHandle};

use super::cursor::{Cursor, Malformed, Step};
use super::header::{Layout, Positions};
use super::input::Input;
use super::record::{Name, Record, begins_cost};
use super::warning::Cause;
use crate::profile::{Count, NameHash, NameHasher};

/// How many pieces may be ready and not yet read.
const AHEAD: usize = 4;

/// One line of a file.
#[derive(Clone, Copy)]
pub(super) enum Line {
    /// A cost line.
    Cost(CostLine),
    /// A cost line that makes no sense. If its positions do, the lines behind it are relative to them.
    Malformed(Malformed, Option<CostLine>),
    /// Any other line: from where to where in the piece's bytes, and the hash of the function's name that it has.
    Other {
        start: u32,
        end: u32,
        hash: NameHash,
    },
}

/// Where a cost was counted, and how many of the piece's counts are its own. There is one for each cost line
/// on its way from thread to thread, so it is packed: a [`Line`] takes 16 bytes, and 40 made the whole a
/// tenth slower.
#[derive(Clone, Copy)]
pub(super) struct CostLine {
    address: [u8; 8],
    line: [u8; 4],
    address_is_relative: bool,
    line_is_relative: bool,
    given: u8,
}

impl CostLine {
    fn new(address: Step, line: Step, given: usize) -> Result<CostLine, Malformed> {
        Ok(CostLine {
            address: address.by.to_ne_bytes(),
            line: i32::try_from(line.by)
                .map_err(|_| Malformed::PositionRange)?
                .to_ne_bytes(),
            address_is_relative: address.is_relative,
            line_is_relative: line.is_relative,
            given: u8::try_from(given).map_err(|_| Malformed::TooManyCounts)?,
        })
    }

    /// The step to the address.
    #[inline(always)]
    pub(super) fn address(self) -> Step {
        Step {
            is_relative: self.address_is_relative,
            by: i64::from_ne_bytes(self.address),
        }
    }

    /// The step to the source line.
    #[inline(always)]
    pub(super) fn line(self) -> Step {
        Step {
            is_relative: self.line_is_relative,
            by: i32::from_ne_bytes(self.line).into(),
        }
    }

    /// How many counts the line has.
    #[inline(always)]
    pub(super) fn given(self) -> usize {
        self.given.into()
    }
}

/// Some whole lines.
#[derive(Default)]
pub(super) struct Piece {
    bytes: Vec<u8>,
    lines: Vec<Line>,
    counts: Vec<Count>,
}

impl Piece {
    /// The lines in order.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The counts of all cost lines, one line's after the other's.
    pub(super) fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// What the line from `start` to `end` is.
    pub(super) fn record(&self, start: u32, end: u32) -> Record<'_> {
        Record::parse(&self.bytes[start as usize..end as usize])
    }

    /// Makes lines of the bytes.
    fn lex(&mut self, layout: &mut Layout, hasher: &NameHasher) {
        self.lines.clear();
        self.counts.clear();
        let mut cursor = Cursor::new(&self.bytes);
        while !cursor.is_at_end() {
            if begins_cost(cursor.peek()) {
                let (begin, counted) = (cursor, self.counts.len());
                if let Some(line) = plain_cost_line(&mut cursor, layout, &mut self.counts) {
                    self.lines.push(Line::Cost(line));
                    continue;
                }
                cursor = begin;
                self.counts.truncate(counted);
                self.lines
                    .push(match cost_line(&mut cursor, layout, &mut self.counts) {
                        Ok(line) => Line::Cost(line),
                        Err((malformed, at)) => {
                            self.counts.truncate(counted);
                            cursor = begin;
                            cursor.take_line();
                            Line::Malformed(malformed, at)
                        }
                    });
                continue;
            }
            let start = cursor.position() as u32;
            let text = cursor.take_line();
            if text.starts_with(b"positions:") || text.starts_with(b"events:") {
                layout.line(text);
            }
            self.lines.push(Line::Other {
                start,
                end: start + text.len() as u32,
                hash: name_hash(text, hasher),
            });
        }
    }
}

/// The hash of the name on an `fn=` or `cfn=` line. Names are most of some files, and the reader has more to do
/// than the lexer, so that it is found here.
#[inline]
fn name_hash(line: &[u8], hasher: &NameHasher) -> NameHash {
    let value = line.strip_prefix(b"c").unwrap_or(line).strip_prefix(b"fn=");
    match value.map(Name::parse) {
        Some(Name::Plain(name) | Name::Defined(_, name)) => hasher.hash(name),
        _ => NameHash::default(),
    }
}

/// A cost line as nearly all are.
#[inline(always)]
fn plain_cost_line(
    cursor: &mut Cursor<'_>,
    layout: &Layout,
    counts: &mut Vec<Count>,
) -> Option<CostLine> {
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
    CostLine::new(address, line, given).ok()
}

/// Any cost line. With an error comes where it is, if that much can be read.
#[cold]
#[inline(never)]
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

/// The lines of a file, made by another thread.
pub(super) struct Lexer {
    pieces: Receiver<Result<Piece, Cause>>,
    used: std::sync::mpsc::Sender<Piece>,
    thread: JoinHandle<()>,
}

impl Lexer {
    /// Begins to make lines of `input`, and to hash names for the profile whose hasher it is.
    pub(super) fn new(input: Input, hasher: NameHasher) -> Result<Lexer, Cause> {
        let (to, pieces) = sync_channel(AHEAD);
        let (used, back) = channel();
        let thread = thread::Builder::new()
            .name("lexer".to_owned())
            .spawn(move || run(input, &hasher, &to, &back));
        Ok(Lexer {
            pieces,
            used,
            thread: thread.map_err(Cause::Io)?,
        })
    }

    /// The next lines, until there are none.
    pub(super) fn next(&self) -> Option<Result<Piece, Cause>> {
        self.pieces.recv().ok()
    }

    /// Gives a piece back, so that its memory is used again.
    pub(super) fn give_back(&self, piece: Piece) {
        // Nobody is there any more when the last lines were made.
        let _ = self.used.send(piece);
    }

    /// Ends the thread after the last lines.
    pub(super) fn finish(self) {
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}

/// What the thread does, until the file ends or nobody wants any more lines.
fn run(
    mut input: Input,
    hasher: &NameHasher,
    to: &SyncSender<Result<Piece, Cause>>,
    back: &Receiver<Piece>,
) {
    let mut layout = Layout::default();
    loop {
        let mut piece = back.try_recv().unwrap_or_default();
        let read = input.read_lines(&mut piece.bytes);
        let is_last = !matches!(read, Ok(true));
        let message = match read {
            Ok(false) if input.is_broken() => Err(Cause::Broken),
            Ok(false) => return,
            Ok(true) => {
                piece.lex(&mut layout, hasher);
                Ok(piece)
            }
            Err(cause) => Err(cause),
        };
        if to.send(message).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_small() {
        assert_eq!(size_of::<Line>(), 16);
    }
}
