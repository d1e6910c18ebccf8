//! The header of a part: its lines, and what the reader derives from them.

use super::cursor::{Cursor, Malformed};
use super::warning::{ErrorKind, Warning};
use crate::profile::{Count, Part, to_columns};

/// One value for each kind of position, in the order in which cost lines have them.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Positions<T> {
    pub(super) address: T,
    pub(super) block: T,
    pub(super) line: T,
}

/// The columns of cost lines: kinds of position and number of counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) positions: Positions<bool>,
    /// The number of events.
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
    /// Updates the layout from a `positions:` or `events:` line.
    pub(super) fn set(&mut self, line: &[u8]) {
        if let Some(value) = line.strip_prefix(b"positions:") {
            self.set_positions(value);
        } else if let Some(value) = line.strip_prefix(b"events:") {
            self.events = words(value).count();
        }
    }

    /// Sets the kinds of position; false if one is unknown.
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
    /// What is known of the part so far.
    pub(super) part: Part,
    /// Whether the part's columns are in another order than the profile's.
    is_permuted: bool,
    /// Whether this or an earlier part had `events:`.
    has_events: bool,
    /// Whether this part has.
    has_own_events: bool,
    /// The columns of cost lines. (The number of events is that of the part's columns.)
    layout: Layout,
    /// Whether callgrind itself wrote the file.
    by_callgrind: bool,
}

impl Header {
    /// Whether `key` is one of the format's keys. Others are ignored everywhere.
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

    /// Stores a line of the header.
    pub(super) fn set(&mut self, key: &[u8], value: &[u8]) -> Result<Option<Warning>, ErrorKind> {
        let part = &mut self.part;
        match key {
            b"version" if is_later_version(value) => return Err(ErrorKind::Version),
            b"creator" => {
                self.by_callgrind = value.starts_with(b"callgrind-");
                part.creator = Some(value.to_vec());
            }
            b"cmd" => part.command = Some(value.to_vec()),
            b"pid" => part.pid = Some(value.to_vec()),
            b"part" => part.part_number = Some(value.to_vec()),
            b"thread" => part.thread = Some(value.to_vec()),
            b"desc" => part.descriptions.push(value.to_vec()),
            b"summary" => part.summary = counts(value)?,
            b"totals" => part.totals = counts(value)?,
            b"positions" => {
                let is_known = self.layout.set_positions(value);
                return Ok((!is_known).then_some(Warning::Positions));
            }
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
        self.is_permuted = columns
            .iter()
            .enumerate()
            .any(|(column, &event)| column != event);
        self.part.share = None;
        self.part.self_cost = vec![Count::UNDEFINED; columns.len()];
        self.part.columns = columns;
        Ok(())
    }

    /// Keeps the share of the part in an event apart.
    pub(super) fn set_share(&mut self, event: usize, share: usize) {
        self.part.share = Some((event, share));
        self.is_permuted = true;
    }

    /// Whether there was an `events:` line.
    #[inline]
    pub(super) fn has_events(&self) -> bool {
        self.has_events
    }

    /// Whether cost lines have addresses, but no source lines.
    pub(super) fn lacks_lines(&self) -> bool {
        self.layout.positions.address && !self.layout.positions.line
    }

    /// Which positions cost lines and targets have.
    pub(super) fn positions(&self) -> Positions<bool> {
        self.layout.positions
    }

    /// Whether positions are relative to the last self-cost line. Callgrind writes so; by the specification, which other
    /// producers follow, they are relative to the last cost line, also of a call.
    #[inline]
    pub(super) fn base_ignores_calls(&self) -> bool {
        self.by_callgrind
    }

    /// The counts of a line in the profile's columns. `wide` has room for them.
    #[inline(always)]
    pub(super) fn widened<'c>(&self, counts: &'c [Count], wide: &'c mut [Count]) -> &'c [Count] {
        if !self.is_permuted {
            return counts;
        }
        to_columns(counts, &self.part.columns, wide);
        if let Some((event, share)) = self.part.share {
            wide[share] = wide[event];
        }
        wide
    }

    /// Whether the part was written by callgrind and has its last line, perhaps without any costs.
    pub(super) fn is_complete(&self) -> bool {
        self.by_callgrind && self.part.totals.is_some()
    }

    /// Whether the part lacks all or some of the `totals:` line with which callgrind ends each part. Callgrind leaves out
    /// zeros at its end, but no other number.
    pub(super) fn lacks_totals(&self) -> bool {
        let given = self.part.totals.as_ref().map_or(0, Vec::len);
        let mut others = self.part.self_cost.iter().skip(given);
        self.by_callgrind && (given == 0 || others.any(|count| count.or_zero() != 0))
    }

    /// Finishes the part, if there is one, and returns it with the columns whose stated total is 0 in spite of their costs:
    /// there the sum of the costs replaces it. The next part inherits columns, creator, command and process: callgrind
    /// writes these once per file.
    pub(super) fn end_part(&mut self) -> Option<(Part, Vec<usize>)> {
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
        part.summary = valid_total(part.summary, part.columns.len());
        part.totals = valid_total(part.totals, part.columns.len());
        let zeros = replace_zero_totals(&mut part);
        self.has_events.then_some((part, zeros))
    }
}

/// Whether a `version:` is above 1.
fn is_later_version(value: &[u8]) -> bool {
    let number = std::str::from_utf8(value)
        .ok()
        .and_then(|text| text.trim().parse::<f64>().ok());
    number.is_some_and(|version| version > 1.0)
}

/// The numbers of a `summary:` or `totals:` line; `None` if they are not numbers.
fn counts(value: &[u8]) -> Result<Option<Vec<Count>>, ErrorKind> {
    let mut cursor = Cursor::new(value);
    let mut counts = Vec::new();
    while !cursor.end_line() {
        match cursor.count() {
            Ok(count) => counts.push(
                count
                    .map_or(Ok(Count::UNDEFINED), Count::new)
                    .map_err(|_| ErrorKind::Number)?,
            ),
            Err(Malformed::CountRange) => return Err(ErrorKind::Number),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(counts))
}

/// Replaces what is 0 in the stated total, but not in the sum of the self costs, by `totals:` or that sum.
fn replace_zero_totals(part: &mut Part) -> Vec<usize> {
    let mut zeros = Vec::new();
    for (column, &cost) in part.self_cost.iter().enumerate() {
        if cost.or_zero() == 0 {
            continue;
        }
        let (mut best, mut is_replaced) = (cost, false);
        for stated in [&mut part.totals, &mut part.summary].into_iter().flatten() {
            if stated[column].or_zero() == 0 {
                stated[column] = best;
                is_replaced = true;
            }
            best = stated[column];
        }
        if is_replaced {
            zeros.push(column);
        }
    }
    zeros
}

/// A stated total, unless it has fewer numbers than there are events, or only zeros.
fn valid_total(stated: Option<Vec<Count>>, events: usize) -> Option<Vec<Count>> {
    let mut counts = stated?;
    let has_cost = counts.iter().any(|count| count.or_zero() != 0);
    counts.truncate(events);
    (has_cost && counts.len() == events).then_some(counts)
}
