//! Cost lines: the innermost loop of the program.

use super::{Callee, Expected, LastPosition, PendingCallee, Reader};
use crate::profile::{AddError, Call, Count, FileId, FragmentId, LimitExceeded, Place, add_cost};
use crate::read::cursor::{Cursor, Malformed, Positions};
use crate::read::fast_line::FastLine;
use crate::read::header::words;
use crate::read::record::is_of_valgrind;
use crate::read::warning::{ErrorKind, Warning};

/// Why a cost line is skipped.
enum BadLine {
    /// With the positions if only the counts are malformed: the next line may be relative to them.
    Malformed(Malformed, Option<LastPosition>),
    /// A position is out of range.
    OutOfRange,
}

impl Reader<'_> {
    pub(super) fn cost_line(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ErrorKind> {
        if self.part.header.in_command {
            cursor.take_line();
            return Ok(());
        }
        if !self.part.header.has_events {
            return if is_of_valgrind(cursor.take_line()) {
                Ok(())
            } else {
                Err(ErrorKind::NoEvents)
            };
        }
        let mut counts = std::mem::take(&mut self.counts);
        counts.clear();
        let start = *cursor;
        let done = match self.parse(cursor, &mut counts) {
            Ok(at) => self.cost(at, &counts),
            Err(BadLine::Malformed(..)) if is_of_valgrind(start.clone().take_line()) => Ok(()),
            Err(BadLine::OutOfRange) => self.skip_out_of_range(&counts),
            Err(BadLine::Malformed(malformed, at)) => self.skip_malformed(malformed, at, start),
        };
        self.counts = counts;
        done
    }

    /// Reads the positions of the next line, and its counts.
    #[inline]
    fn parse(
        &mut self,
        cursor: &mut Cursor<'_>,
        counts: &mut Vec<Count>,
    ) -> Result<LastPosition, BadLine> {
        let positions = self.part.header.layout.positions;
        let events = self.part.header.part.columns.len();
        self.sums.clear();
        self.sums.resize(events, 0);
        if let Some(mut fast) = FastLine::new(cursor.rest)
            && let Some(at) = fast.place(positions, self.at.last)
            && let Some(count_len) = fast.add_counts(&mut self.sums)
        {
            cursor.advance(fast.position());
            let sums = self.sums[..count_len].iter();
            counts.extend(sums.map(|&count| Count::new(count.cast_signed())));
            return Ok(at);
        }
        let start = *cursor;
        let at = any_cost_line(cursor, (positions, self.at.last), events, counts);
        let at = at.inspect_err(|error| {
            if let BadLine::Malformed(..) = error {
                *cursor = start;
                cursor.take_line();
            }
        })?;
        if counts.len() < events && has_joined_positions(start.rest, positions, counts.len()) {
            self.warn(Warning::JoinedPositions);
        }
        Ok(at)
    }

    fn cost(&mut self, at: LastPosition, counts: &[Count]) -> Result<(), ErrorKind> {
        if let Expected::JumpSource { line } = self.call.expected
            && !counts.is_empty()
        {
            self.end_jump(line)?;
            self.call.expected = Expected::SelfCost;
        }
        let file = self.line_file(at);
        self.enter_body();
        let expected = std::mem::take(&mut self.call.expected);
        if !self.part.is_wanted {
            return Ok(());
        }
        let fragment = self.fragment_in(file)?;
        let position = self.position(at)?;
        let site = Place { fragment, position };
        match expected {
            Expected::Ignored => {}
            Expected::JumpSource { .. } => self.add_code_jump(site)?,
            Expected::Call { count, .. } => self.add_call(site, count, counts)?,
            Expected::SelfCost => self.add_self_cost(site, counts)?,
        }
        Ok(())
    }

    fn add_self_cost(&mut self, site: Place, counts: &[Count]) -> Result<(), AddError> {
        // After a callee without a call, a call without a callee does not repeat an earlier one.
        if std::mem::take(&mut self.call.callee) != PendingCallee::default() {
            self.call.last_callee = None;
        }
        let cost = self.part.header.widened(counts, &mut self.widened);
        self.profile.add_cost(site, cost)?;
        add_cost(&mut self.part.header.part.self_cost, counts);
        self.note_code_cost(site, counts);
        Ok(())
    }

    /// The file of a cost line at these positions, which become the last ones if the next are relative to them.
    fn line_file(&mut self, at: LastPosition) -> FileId {
        let is_of_callgrind = self.part.header.layout.base_ignores_calls;
        let is_self_cost = matches!(self.call.expected, Expected::SelfCost);
        if is_self_cost || !is_of_callgrind {
            self.at.last = at;
        }
        if is_self_cost {
            self.at.files.note_self_cost();
            self.at.files.named()
        } else {
            self.at.files.note_call(at, is_of_callgrind)
        }
    }

    /// Skips what the next cost line was to be.
    fn skip_expected(&mut self) {
        if !matches!(self.call.expected, Expected::SelfCost) {
            self.at.files.skip_call(self.part.header.layout.base_ignores_calls);
        }
        self.call.expected = Expected::SelfCost;
    }

    /// Abandons a `calls=` without its cost line, so that it cannot claim the next one; ends a jump of one line.
    #[inline]
    pub(super) fn abandon_call(&mut self) -> Result<(), ErrorKind> {
        match self.call.expected {
            Expected::Call { line, .. } => self.warnings.add(line, Warning::CallWithoutCost),
            Expected::JumpSource { line } => self.end_jump(line)?,
            Expected::SelfCost | Expected::Ignored => {}
        }
        self.call.expected = Expected::SelfCost;
        Ok(())
    }

    #[cold]
    fn skip_out_of_range(&mut self, counts: &[Count]) -> Result<(), ErrorKind> {
        let counts = self.part.header.part.columns.iter().zip(counts);
        let counts = counts.filter(|(_, count)| count.or_zero() != 0);
        let cost = counts.map(|(&event, n)| format!("{} {}", n.or_zero(), self.event_name(event)));
        let cost = cost.collect::<Vec<_>>().join(", ");
        let colon = if cost.is_empty() { "" } else { ": " };
        let cost = colon.to_owned() + &cost;
        let warning = Warning::OutOfRange { cost };
        if matches!(self.call.expected, Expected::SelfCost) && !colon.is_empty() {
            self.lose_cost(&warning, b"");
        }
        self.warn(warning);
        self.skip_expected();
        Ok(())
    }

    #[cold]
    fn skip_malformed(
        &mut self,
        malformed: Malformed,
        at: Option<LastPosition>,
        mut line: Cursor<'_>,
    ) -> Result<(), ErrorKind> {
        if malformed == Malformed::CountRange {
            return Err(ErrorKind::Number);
        }
        let warning = Warning::Malformed(malformed);
        if matches!(self.call.expected, Expected::SelfCost) {
            // Without a position it is not known which words are counts.
            let line = if malformed == Malformed::Count { line.take_line() } else { b"" };
            self.lose_cost(&warning, line);
        }
        self.warn(warning);
        match at {
            Some(at) => {
                self.line_file(at);
                self.call.expected = Expected::SelfCost;
            }
            None => self.skip_expected(),
        }
        Ok(())
    }

    /// Adds the cost of `count` calls of the last callee.
    fn add_call(&mut self, site: Place, count: i64, counts: &[Count]) -> Result<(), AddError> {
        if !self.options.detail.calls {
            return self.profile.add_cost(site, &[]);
        }
        let site = self.call_site(site)?;
        self.add_last_callee(site, count, counts)
    }

    /// Adds the cost of calls to the profile, if they are kept.
    #[inline]
    pub(super) fn add_last_callee(
        &mut self,
        site: Place,
        count: i64,
        counts: &[Count],
    ) -> Result<(), AddError> {
        let Some(callee) = self.call.last_callee.filter(|_| self.options.detail.calls) else {
            return Ok(());
        };
        let line = self.call.target.line as u32;
        let cost = self.part.header.widened(counts, &mut self.widened);
        if let Some(open_callee) = self.call.open_callee {
            self.profile.spend_call(count, cost)?;
            self.open_calls.add(site, open_callee, count, cost, line);
            return Ok(());
        }
        let Callee { object, file, name } = callee;
        let functions = self.profile.functions();
        let callee = functions.add((object, file, name.id))?;
        functions.set_line(callee, line);
        let (is_nested, is_from_nested) = (name.is_nested, self.at.is_nested);
        let call = Call { site, callee, is_nested, is_from_nested };
        self.profile.add_call(call, count, cost)?;
        Ok(())
    }

    /// The fragment that self costs belong to. Before any `fn=` it is that of a function without a name.
    #[inline]
    pub(super) fn fragment(&mut self) -> Result<FragmentId, LimitExceeded> {
        self.fragment_in(self.at.files.named())
    }

    /// The current function's fragment in a file.
    #[inline]
    fn fragment_in(&mut self, file: FileId) -> Result<FragmentId, LimitExceeded> {
        match self.at.fragment {
            Some((of, fragment)) if of == file => Ok(fragment),
            _ => self.find_fragment(file),
        }
    }

    fn find_fragment(&mut self, file: FileId) -> Result<FragmentId, LimitExceeded> {
        let function = match self.at.function {
            Some(function) => function,
            None => {
                let name = self.interner.intern(b"???")?.id;
                self.function_named(name)?
            }
        };
        self.at.function = Some(function);
        if !self.part.header.layout.names_other_files {
            self.open_calls.note_content(self.at.function_id, function);
        }
        let division = self.at.division;
        let fragment = (self.profile.functions()).fragment(function, file, division)?;
        self.at.fragment = Some((file, fragment));
        Ok(fragment)
    }
}

/// Reads any cost line with these positions, relative to the last ones.
fn any_cost_line(
    cursor: &mut Cursor<'_>,
    (given, last): (Positions, LastPosition),
    events: usize,
    counts: &mut Vec<Count>,
) -> Result<LastPosition, BadLine> {
    let at = cursor.place(given, last);
    let at = at.map_err(|malformed| BadLine::Malformed(malformed, None))?;
    let malformed = |malformed| BadLine::Malformed(malformed, at);
    while !cursor.end_line() {
        let count = cursor.count().map_err(malformed)?;
        if counts.len() == events.min(u8::MAX.into()) {
            return Err(malformed(Malformed::TooManyCounts));
        }
        counts.push(count.map_or(Count::UNDEFINED, Count::new));
    }
    at.ok_or(BadLine::OutOfRange)
}

/// Whether one of the positions at the start of a line with this number of counts may be two that a
/// lost blank has joined: a range (it has a sign within it) before no counts at all, or one that
/// begins with a sign too.
#[cold]
fn has_joined_positions(line: &[u8], given: Positions, counts: usize) -> bool {
    let is_sign = |byte: &u8| matches!(byte, b'+' | b'-' | b':');
    let mut positions = words(line).take(given.count());
    positions.any(|word| word[1..].iter().any(is_sign) && (counts == 0 || is_sign(&word[0])))
}
