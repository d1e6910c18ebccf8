//! The header of a part: its lines, and what the reader derives from them.

use super::Detail;
use super::cursor::{Cursor, LastPosition, Malformed, Positions};
use super::record::Record;
use super::warning::{ErrorKind, Warning};
use crate::profile::{Count, Part, to_columns};

/// The columns of cost lines: kinds of position and number of counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) positions: Positions,
    pub(super) events: usize,
    /// Whether callgrind itself wrote the file: positions and files are then relative to the last self-cost line. By the
    /// specification, which other producers follow, positions are relative to the last cost line, also of a call, and
    /// `fi=` sets the file of all that follows.
    pub(super) base_ignores_calls: bool,
    /// Whether the file or object of a callee is left out only if it is the current one: callgrind and cgannotate name all
    /// others.
    pub(super) names_other_files: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            positions: Positions { address: false, block: false, line: true },
            events: 0,
            base_ignores_calls: false,
            names_other_files: false,
        }
    }
}

impl Layout {
    /// Updates the layout from a line of a header; false if it has an unknown kind of position.
    fn set(&mut self, key: &[u8], value: &[u8]) -> bool {
        match key {
            b"creator" => {
                self.base_ignores_calls = is_callgrind(value);
                let is_own = value.trim_ascii_start().starts_with(b"cgannotate-");
                self.names_other_files = self.base_ignores_calls || is_own;
            }
            b"positions" => return self.set_positions(value),
            b"events" => self.events = words(value).count(),
            _ => {}
        }
        true
    }

    /// Updates the layout from the headers among some lines.
    pub(super) fn set_from(&mut self, lines: &[u8]) {
        let mut cursor = Cursor::new(lines);
        while cursor.position() < lines.len() {
            let line = cursor.take_line();
            if matches!(line, [b'c', b'r', ..] | [b'e' | b'p', ..])
                && let Record::Header(key, value) = Record::parse(line)
            {
                self.set(key, value);
            }
        }
    }

    /// Whether cost lines of this layout can be lexed by block if this detail is kept.
    pub(super) fn has_blocks(&self, detail: Detail) -> bool {
        let given = self.positions;
        let keeps_addresses = detail.code && given.address;
        given.line
            && !given.block
            && (1..=u8::MAX.into()).contains(&self.events)
            && !keeps_addresses
    }

    /// Sets the kinds of position; false if one is unknown.
    fn set_positions(&mut self, value: &[u8]) -> bool {
        self.positions = Positions { address: false, block: false, line: false };
        let mut all_known = true;
        for word in words(value) {
            match word {
                b"instr" | b"addr" => self.positions.address = true,
                b"bb" => self.positions.block = true,
                b"line" => self.positions.line = true,
                _ => all_known = false,
            }
        }
        all_known
    }
}

/// The words of a list with blanks between them.
pub(super) fn words(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

#[derive(Default)]
pub(super) struct Header {
    pub(super) part: Part,
    /// Whether the part's columns are in another order than the profile's.
    is_permuted: bool,
    /// Whether this or an earlier part had `events:`.
    pub(super) has_events: bool,
    /// Whether this part had `events:`.
    has_own_events: bool,
    /// Whether the last line was `cmd:` or a further line of the command, before any `events:`: cachegrind writes newlines
    /// in arguments as they are.
    pub(super) in_command: bool,
    /// The columns of cost lines. (The number of events is that of the part's columns.)
    pub(super) layout: Layout,
    /// The part's `summary:` and `totals:` lines, if they have numbers.
    summary: Option<StatedTotal>,
    totals: Option<StatedTotal>,
}

/// A line with the total of a part.
struct StatedTotal {
    line: u64,
    counts: Vec<Count>,
}

/// A stated total of an event that is not the sum of the self costs.
pub(super) struct WrongTotal {
    /// The number of the line that states it, and the line's key.
    pub(super) line: u64,
    pub(super) key: &'static str,
    pub(super) column: usize,
    /// Self costs minus stated total.
    pub(super) off: i128,
}

impl Header {
    /// Whether `key` is one of the format's keys. Others are ignored everywhere.
    pub(super) fn knows(key: &[u8]) -> bool {
        let keys =
            b"version creator cmd pid part thread desc positions event events summary totals";
        words(keys).any(|known| known == key)
    }

    /// Stores a line of the header; `line` is its number.
    pub(super) fn set(
        &mut self,
        key: &[u8],
        value: &[u8],
        line: u64,
    ) -> Result<Option<Warning>, ErrorKind> {
        let part = &mut self.part;
        if !self.layout.set(key, value) {
            return Ok(Some(Warning::Positions));
        }
        self.in_command = key == b"cmd" && !self.has_events;
        match key {
            b"version" if is_later_version(value) => return Err(ErrorKind::Version),
            b"creator" => part.creator = Some(value.into()),
            b"cmd" => part.command = Some(value.into()),
            b"pid" => part.pid = Some(value.into()),
            b"part" => part.part_number = Some(value.into()),
            b"thread" => part.thread = Some(value.into()),
            b"desc" => part.descriptions.push(value.to_vec()),
            b"summary" => self.summary = stated_total(value, line)?,
            b"totals" => self.totals = stated_total(value, line)?,
            _ => {}
        }
        Ok(None)
    }

    /// Stores the profile's numbers of the events that `events:` names. A header may have a second such line, if it names
    /// the same events.
    pub(super) fn set_columns(&mut self, columns: Vec<usize>) -> Result<(), ErrorKind> {
        if self.has_own_events && columns != self.part.columns {
            return Err(ErrorKind::OtherEvents);
        }
        self.has_events = true;
        self.has_own_events = true;
        self.is_permuted = !columns.iter().copied().eq(0..columns.len());
        self.part.self_cost = vec![Count::UNDEFINED; columns.len()];
        self.part.columns = columns;
        Ok(())
    }

    /// The counts of a line in the profile's columns. `wide` has room for them.
    #[inline(always)]
    pub(super) fn widened<'c>(&self, counts: &'c [Count], wide: &'c mut [Count]) -> &'c [Count] {
        if !self.is_permuted {
            return counts;
        }
        to_columns(counts, &self.part.columns, wide);
        wide
    }

    /// Whether callgrind wrote the part to its last line, perhaps without any costs.
    pub(super) fn is_complete(&self) -> bool {
        self.layout.base_ignores_calls && self.totals.is_some()
    }

    /// Whether the part lacks all or some of the `totals:` line with which callgrind ends each part. Callgrind leaves out
    /// zeros at its end, but no other number.
    pub(super) fn lacks_totals(&self) -> bool {
        let given = self.totals.as_ref().map_or(0, |totals| totals.counts.len());
        let mut others = self.part.self_cost.iter().skip(given);
        self.layout.base_ignores_calls && (given == 0 || others.any(|count| count.or_zero() != 0))
    }

    /// Finishes the part, if there is one, and returns it with the stated totals that are wrong. The next part inherits
    /// columns, creator, command and process: callgrind writes these once per file.
    pub(super) fn end_part(&mut self) -> Option<(Part, Vec<WrongTotal>)> {
        self.has_own_events = false;
        let next = Part {
            creator: self.part.creator.clone(),
            command: self.part.command.clone(),
            pid: self.part.pid.clone(),
            columns: self.part.columns.clone(),
            self_cost: vec![Count::UNDEFINED; self.part.columns.len()],
            ..Part::default()
        };
        let mut part = std::mem::replace(&mut self.part, next);
        let events = part.columns.len();
        let summary = self.summary.take().and_then(|stated| stated.usable(events));
        let totals = self.totals.take().and_then(|stated| stated.usable(events));
        let stated = summary.as_ref().or(totals.as_ref());
        part.is_calculated = stated.is_none();
        part.total = match stated {
            None => part.self_cost.clone(),
            Some(stated) => {
                let pairs = stated.counts.iter().zip(&part.self_cost);
                pairs.map(|(&stated, &sum)| sum.larger(stated)).collect()
            }
        };
        let wrong = wrong_totals(&part, summary.as_ref(), totals.as_ref());
        self.has_events.then_some((part, wrong))
    }
}

impl StatedTotal {
    /// The total; none if it has fewer counts than there are events, or only zeros.
    fn usable(mut self, events: usize) -> Option<StatedTotal> {
        let has_cost = self.counts.iter().any(|count| count.or_zero() != 0);
        self.counts.truncate(events);
        (has_cost && self.counts.len() == events).then_some(self)
    }
}

/// The stated totals that differ from the sum of the self costs; of two equal ones that of `totals:`. Costs of no
/// function, such as the last instruction with `--cache-sim=yes`, are in `summary:` alone: a difference below 0.1% of
/// it is no finding, nor is one of another event that is no larger than such a difference of the first.
fn wrong_totals(
    part: &Part,
    summary: Option<&StatedTotal>,
    totals: Option<&StatedTotal>,
) -> Vec<WrongTotal> {
    let count = |stated: Option<&StatedTotal>, column: usize| stated?.counts[column].value();
    let (mut wrong, mut of_no_function) = (Vec::new(), 0);
    for (column, sum) in part.self_cost.iter().enumerate() {
        let of_totals = count(totals, column);
        let of_summary = count(summary, column).filter(|count| of_totals != Some(*count));
        for (stated, count, key) in
            [(summary, of_summary, "summary"), (totals, of_totals, "totals")]
        {
            let Some((stated, count)) = stated.zip(count) else {
                continue;
            };
            let off = i128::from(sum.or_zero()) - i128::from(count);
            let is_small = -off * 1000 < i128::from(count) || -off <= of_no_function;
            let is_negligible = key == "summary" && off < 0 && is_small;
            if column == 0 && is_negligible {
                of_no_function = -off;
            }
            if off != 0 && !is_negligible {
                wrong.push(WrongTotal { line: stated.line, key, column, off });
            }
        }
    }
    wrong
}

/// Whether a `creator:` is callgrind itself.
fn is_callgrind(creator: &[u8]) -> bool {
    creator.trim_ascii_start().starts_with(b"callgrind-")
}

/// Whether a `version:` is above 1.
fn is_later_version(value: &[u8]) -> bool {
    let number = String::from_utf8_lossy(value).trim().parse::<f64>();
    number.is_ok_and(|version| version > 1.0)
}

/// The counts of a `summary:` or `totals:` line; none if it does not consist of numbers.
fn stated_total(value: &[u8], line: u64) -> Result<Option<StatedTotal>, ErrorKind> {
    let mut cursor = Cursor::new(value);
    let mut counts = Vec::new();
    while !cursor.end_line() {
        match cursor.count() {
            Ok(count) => counts.push(count.map_or(Count::UNDEFINED, Count::new)),
            Err(Malformed::CountRange) => return Err(ErrorKind::Number),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(StatedTotal { line, counts }))
}

/// The target of `calls=`, which follows the number of calls. A target that is malformed or missing is unknown.
pub(super) fn call_target(value: &[u8], positions: Positions, last: LastPosition) -> LastPosition {
    let mut cursor = Cursor::new(value);
    let target = (cursor.count()).and_then(|_| target(&mut cursor, positions, last));
    target.unwrap_or_default()
}

/// The next positions, relative to the last ones.
pub(super) fn target(
    cursor: &mut Cursor<'_>,
    positions: Positions,
    last: LastPosition,
) -> Result<LastPosition, Malformed> {
    let at = cursor.place(positions, last)?;
    let at = at.ok_or(Malformed::PositionRange)?;
    Ok(LastPosition {
        address: if positions.address { at.address } else { 0 },
        line: if positions.line { at.line } else { 0 },
    })
}
