//! The header of a part: what its lines mean, and what the reader needs of them.

use super::cursor::{Cursor, Malformed};
use super::warning::{Cause, Warning};
use crate::profile::{Count, Part, spread};

/// One value for each kind of position, in the order in which cost lines have them.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Positions<T> {
    pub(super) address: T,
    pub(super) block: T,
    pub(super) line: T,
}

/// What cost lines have: positions and counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) positions: Positions<bool>,
    /// How many events there are.
    pub(super) events: usize,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            positions: Positions {
                address: false,
                block: false,
                line: true,
            },
            events: 0,
        }
    }
}

impl Layout {
    /// Takes in a `positions:` or `events:` line.
    pub(super) fn line(&mut self, line: &[u8]) {
        if let Some(value) = line.strip_prefix(b"positions:") {
            self.set_positions(value);
        } else if let Some(value) = line.strip_prefix(b"events:") {
            self.events = words(value).count();
        }
    }

    /// Sets the kinds of position; false if one is none of them.
    fn set_positions(&mut self, value: &[u8]) -> bool {
        self.positions = Positions::default();
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
    list.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

/// The header of the current part.
#[derive(Default)]
pub(super) struct Header {
    /// What the part's header said so far.
    pub(super) part: Part,
    /// Whether the columns are others than the profile's first ones.
    own_columns: bool,
    /// Whether `events:` was there, in this part or an earlier one.
    has_events: bool,
    /// Whether callgrind itself wrote the file.
    by_callgrind: bool,
}

impl Header {
    /// Whether `key` is one of the format's keys. Others are ignored, wherever they stand.
    pub(super) fn knows(key: &[u8]) -> bool {
        const KEYS: [&[u8]; 12] = [
            b"version",
            b"creator",
            b"cmd",
            b"pid",
            b"part",
            b"thread",
            b"desc",
            b"positions",
            b"event",
            b"events",
            b"summary",
            b"totals",
        ];
        KEYS.contains(&key)
    }

    /// Whether `key` may follow the body that it belongs to.
    pub(super) fn is_footer(key: &[u8]) -> bool {
        matches!(key, b"summary" | b"totals")
    }

    /// Takes in a line of the header.
    pub(super) fn line(&mut self, key: &[u8], value: &[u8]) -> Result<Option<Warning>, Cause> {
        let part = &mut self.part;
        match key {
            b"version" if is_later_version(value) => return Err(Cause::Version),
            b"creator" => {
                self.by_callgrind = value.starts_with(b"callgrind-");
                part.creator = Some(value.to_vec());
            }
            b"cmd" => part.command = Some(value.to_vec()),
            b"pid" => part.pid = Some(value.to_vec()),
            b"part" => part.number = Some(value.to_vec()),
            b"thread" => part.thread = Some(value.to_vec()),
            b"desc" => part.descriptions.push(value.to_vec()),
            b"summary" => part.summary = counts(value)?,
            b"totals" => part.totals = counts(value)?,
            b"positions" if !Layout::default().set_positions(value) => {
                return Ok(Some(Warning::Positions));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Takes in the numbers of the events that `events:` names.
    pub(super) fn set_columns(&mut self, columns: Vec<usize>) {
        self.has_events = true;
        self.own_columns = columns
            .iter()
            .enumerate()
            .any(|(column, &event)| column != event);
        self.part.self_cost = vec![Count::UNDEFINED; columns.len()];
        self.part.columns = columns;
    }

    /// Whether there was an `events:` line.
    #[inline]
    pub(super) fn has_events(&self) -> bool {
        self.has_events
    }

    /// Whether only self costs move the base of relative positions. Callgrind writes so; the specification,
    /// which other producers follow, has the cost lines of calls move it too.
    #[inline]
    pub(super) fn keeps_base(&self) -> bool {
        self.by_callgrind
    }

    /// The counts of a line in the profile's columns, for which `wide` has the room.
    #[inline(always)]
    pub(super) fn spread<'c>(&self, counts: &'c [Count], wide: &'c mut [Count]) -> &'c [Count] {
        if !self.own_columns {
            return counts;
        }
        spread(counts, &self.part.columns, wide);
        wide
    }

    /// Whether the part is one of callgrind's with its last line, though there may have been nothing to count.
    pub(super) fn is_complete(&self) -> bool {
        self.by_callgrind && self.part.totals.is_some()
    }

    /// Whether the part lacks the `totals:` line with which callgrind ends each, or has only some of it. Zeros at
    /// its end are left out, but not a number of something that was counted.
    pub(super) fn is_cut_short(&self) -> bool {
        let given = self.part.totals.as_ref().map_or(0, Vec::len);
        let mut others = self.part.self_cost.iter().skip(given);
        self.by_callgrind && (given == 0 || others.any(|count| count.or_zero() != 0))
    }

    /// The finished part, if there is one. The next one has the same columns and positions, creator, command and
    /// process, unless its own header says otherwise: callgrind names these once a file.
    pub(super) fn end_part(&mut self) -> Option<Part> {
        let next = Part {
            creator: self.part.creator.clone(),
            command: self.part.command.clone(),
            pid: self.part.pid.clone(),
            columns: self.part.columns.clone(),
            self_cost: vec![Count::UNDEFINED; self.part.columns.len()],
            ..Part::default()
        };
        let mut part = std::mem::replace(&mut self.part, next);
        part.summary = usable(part.summary, part.columns.len());
        part.totals = usable(part.totals, part.columns.len());
        self.has_events.then_some(part)
    }
}

/// Whether a `version:` is above 1.
fn is_later_version(value: &[u8]) -> bool {
    let number = std::str::from_utf8(value)
        .ok()
        .and_then(|text| text.trim().parse::<f64>().ok());
    number.is_some_and(|version| version > 1.0)
}

/// The numbers of a `summary:` or `totals:` line; none if they are no numbers.
fn counts(value: &[u8]) -> Result<Option<Vec<Count>>, Cause> {
    let mut cursor = Cursor::new(value);
    let mut counts = Vec::new();
    while !cursor.end_line() {
        match cursor.count() {
            Ok(count) => counts.push(
                count
                    .map_or(Ok(Count::UNDEFINED), Count::new)
                    .map_err(|_| Cause::Number)?,
            ),
            Err(Malformed::CountRange) => return Err(Cause::Number),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(counts))
}

/// A stated total, unless it has fewer numbers than there are events or says nothing but 0.
fn usable(stated: Option<Vec<Count>>, events: usize) -> Option<Vec<Count>> {
    let mut counts = stated?;
    let says_something = counts.iter().any(|count| count.or_zero() != 0);
    counts.truncate(events);
    (says_something && counts.len() == events).then_some(counts)
}
