//! Cost lines: a position, and a count for each event.

use super::{Expected, Lexer, LineCounts, Sink};
use crate::profile::Count;
use crate::read::cursor::{Cursor, LinePosition, Malformed, PositionColumns};
use crate::read::fast_line::FastLine;
use crate::read::header::{Layout, words};
use crate::read::record::is_of_valgrind;
use crate::read::warning::{ErrorKind, Warning};

impl<'l, S: Sink> Lexer<'_, 'l, S> {
    /// Lexes one cost line, or several self costs.
    #[inline(always)]
    pub(super) fn cost_lines(&mut self, fast: FastLine<'l>) -> Result<(), S::Stop> {
        if matches!(self.sink.state().expected, Expected::SelfCost) {
            let taken = self.sink.plain_self_costs(self.cursor.rest)?;
            if taken > 0 {
                self.cursor.rest = &self.cursor.rest[taken..];
                return Ok(());
            }
        }
        self.cost_line(fast)
    }

    /// The position at the start of a cost line; none if it is not plain, is out of range, or is
    /// relative to an unknown one.
    #[inline(always)]
    pub(super) fn line_position(&mut self, fast: &mut FastLine<'_>) -> Option<LinePosition> {
        let last = self.sink.state().last;
        if !last.may_precede(fast.peek()) {
            return None;
        }
        fast.line_position(self.layout.positions, last)
    }

    /// Lexes the next line, which is a cost line.
    fn cost_line(&mut self, fast: FastLine<'l>) -> Result<(), S::Stop> {
        if self.layout.events == 0 {
            return self.line_of_head();
        }
        let expected = std::mem::take(&mut self.sink.state().expected);
        self.cost_line_of(fast, expected)
    }

    /// Lexes the next line, which is the cost line of what is expected.
    #[inline(always)]
    pub(super) fn cost_line_of(
        &mut self,
        mut fast: FastLine<'l>,
        expected: Expected,
    ) -> Result<(), S::Stop> {
        self.count_line();
        if let Some(at) = self.line_position(&mut fast)
            && let Some(len) = fast.counts(&mut self.buffers.plain)
        {
            self.step_over(fast);
            let cost = LineCounts::Plain { counts: &self.buffers.plain, len };
            return take_cost(self.sink, self.layout, expected, at, cost);
        }
        self.sink.state().expected = expected;
        self.any_cost_line()
    }

    /// Lexes a line that looks like a cost line and comes before any `events:`.
    #[cold]
    fn line_of_head(&mut self) -> Result<(), S::Stop> {
        let line = self.take_line();
        if self.layout.in_command || is_of_valgrind(line) {
            Ok(())
        } else {
            Err(ErrorKind::NoEvents.into())
        }
    }

    /// Lexes a cost line with any numbers.
    #[cold]
    #[inline(never)]
    fn any_cost_line(&mut self) -> Result<(), S::Stop> {
        let mut counts = std::mem::take(&mut self.buffers.any);
        counts.clear();
        let last = self.sink.state().last;
        let mut cursor = self.cursor;
        let text = self.cursor.take_line();
        let taken = match read_cost_line(&mut cursor, self.layout, last, &mut counts) {
            Ok(at) => self.any_cost(at, text, &counts),
            Err(BadLine { malformed, .. })
                if malformed != Malformed::PositionRange && is_of_valgrind(text) =>
            {
                Ok(())
            }
            Err(bad) if self.is_at_unknown_line(bad.malformed, text) => {
                self.cost_at_unknown_line(&counts)
            }
            Err(bad) => self.skip(bad, text, &counts),
        };
        self.buffers.any = counts;
        taken
    }

    /// Whether a line with a position below 0 has a cost at an unknown line, which is `-1` in Lua,
    /// as that of a function of C.
    fn is_at_unknown_line(&mut self, malformed: Malformed, text: &[u8]) -> bool {
        self.layout.has_only_events
            && self.sink.state().last.is_known()
            && malformed == Malformed::PositionRange
            && words(text).next() == Some(b"-1")
    }

    /// Lexes a line that is nothing but a blank and a count for each event: its producer joined an
    /// undefined position and them. False if it is another line.
    #[cold]
    pub(super) fn costs_without_position(&mut self, line: &[u8]) -> Result<bool, S::Stop> {
        let is_one_of_them = self.layout.has_only_events
            && self.layout.events > 0
            && line.len() > 1
            && line[0] == b' '
            && line[1].is_ascii_digit()
            && words(line).count() == self.layout.events;
        if !is_one_of_them {
            return Ok(false);
        }
        let counts = words(line).map(|word| {
            let count = Cursor::new(word).count();
            count.map(|count| count.map_or(Count::UNDEFINED, Count::new))
        });
        match counts.collect::<Result<Vec<_>, _>>() {
            Ok(counts) => self.cost_at_unknown_line(&counts).map(|()| true),
            Err(Malformed::CountRange) => Err(ErrorKind::Number.into()),
            Err(_) => Ok(false),
        }
    }

    fn cost_at_unknown_line(&mut self, counts: &[Count]) -> Result<(), S::Stop> {
        let line = self.sink.state().line;
        self.sink.warn(line, Warning::UnknownPosition)?;
        let expected = std::mem::take(&mut self.sink.state().expected);
        let at = LinePosition::default();
        take_cost(self.sink, self.layout, expected, at, LineCounts::Any(counts))
    }

    fn any_cost(&mut self, at: LinePosition, text: &[u8], counts: &[Count]) -> Result<(), S::Stop> {
        let Layout { positions, events, .. } = self.layout;
        if counts.len() < events && has_joined_positions(text, positions, counts.len()) {
            let line = self.sink.state().line;
            self.sink.warn(line, Warning::JoinedPositions)?;
        }
        let expected = std::mem::take(&mut self.sink.state().expected);
        take_cost(self.sink, self.layout, expected, at, LineCounts::Any(counts))
    }

    /// Skips a cost line, and what it was to be.
    fn skip(&mut self, bad: BadLine, text: &[u8], counts: &[Count]) -> Result<(), S::Stop> {
        self.sink.skip_cost(bad.malformed, text, counts)?;
        let is_of_callgrind = self.layout.is_of_callgrind;
        let expected = std::mem::take(&mut self.sink.state().expected);
        let is_self_cost = matches!(expected, Expected::SelfCost);
        match bad.at {
            Some(at) => drop(line_file(self.sink, self.layout, is_self_cost, at)),
            None if is_self_cost => {}
            None => self.sink.state().files.skip_call(is_of_callgrind),
        }
        Ok(())
    }
}

/// Hands over a cost line, as what is expected here.
#[inline(always)]
fn take_cost<S: Sink>(
    sink: &mut S,
    layout: Layout,
    expected: Expected,
    at: LinePosition,
    cost: LineCounts<'_>,
) -> Result<(), S::Stop> {
    let expected = match expected {
        Expected::JumpSource { line } if !cost.is_empty() => {
            sink.jump_without_source(line)?;
            Expected::SelfCost
        }
        expected => expected,
    };
    let file = line_file(sink, layout, matches!(expected, Expected::SelfCost), at);
    match expected {
        Expected::SelfCost => sink.self_cost(file, at, cost),
        Expected::Calls(calls) => sink.call_cost(file, at, calls, cost),
        Expected::JumpSource { .. } => sink.jump_source(file, at),
        Expected::Ignored => sink.ignored_cost(file, at),
    }
}

/// The file of a cost line at this position, which becomes the last one if the next are relative to
/// it.
#[inline(always)]
fn line_file<S: Sink>(
    sink: &mut S,
    layout: Layout,
    is_self_cost: bool,
    at: LinePosition,
) -> S::File {
    let is_of_callgrind = layout.is_of_callgrind;
    let state = sink.state();
    if is_self_cost || !is_of_callgrind {
        state.last = at;
    }
    if is_self_cost {
        state.files.note_self_cost();
        state.files.named()
    } else {
        state.files.note_call(at, is_of_callgrind)
    }
}

/// Why a cost line is skipped.
struct BadLine {
    malformed: Malformed,
    /// Its position if only the counts are malformed: the next line may be relative to it.
    at: Option<LinePosition>,
}

/// Reads any cost line, relative to the last position.
fn read_cost_line(
    cursor: &mut Cursor<'_>,
    layout: Layout,
    last: LinePosition,
    counts: &mut Vec<Count>,
) -> Result<LinePosition, BadLine> {
    let has_base = last.may_precede(cursor.peek());
    let at = cursor
        .line_position(layout.positions, last)
        .map_err(|malformed| BadLine { malformed, at: None })?
        .filter(|_| has_base);
    let bad = |malformed| BadLine { malformed, at };
    while !cursor.end_line() {
        let count = cursor.count().map_err(bad)?;
        if counts.len() == layout.events.min(u8::MAX.into()) {
            return Err(bad(Malformed::TooManyCounts));
        }
        counts.push(count.map_or(Count::UNDEFINED, Count::new));
    }
    at.ok_or(BadLine { malformed: Malformed::PositionRange, at: None })
}

/// Whether one of the positions at the start of a line with this number of counts may be two that a
/// lost blank has joined: a range (it has a sign within it) before no counts at all, or one that
/// begins with a sign too.
#[cold]
fn has_joined_positions(line: &[u8], given: PositionColumns, counts: usize) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'+' | b'-' | b':');
    let mut positions = words(line).take(given.count());
    positions.any(|word| word[1..].iter().any(is_sign) && (counts == 0 || is_sign(&word[0])))
}
