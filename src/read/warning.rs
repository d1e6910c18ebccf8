//! Warnings and errors of the reader. All of its messages are in this file, and at [`Malformed`].

use std::{io, mem};

use thiserror::Error;

use super::cursor::Malformed;
use crate::io_text::io_text;
use crate::profile::{AddError, Formula, LimitExceeded, MAX_EVENTS, Overflow, Part};

/// The maximum number of warnings that are listed per file; the rest are only counted.
pub const MAX_LISTED: usize = 10;

/// The maximum length of the name of an event.
pub const MAX_EVENT_NAME: usize = 255;

/// A problem with which a profile can still be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Warning {
    #[error("unrecognised line, skipped")]
    UnknownLine,
    #[error("{0}")]
    Malformed(Malformed),
    /// After a colon, the counts of the line with the names of their events, if there are any.
    #[error("position out of range, line skipped{cost}")]
    OutOfRange { cost: String },
    #[error("calls= without a count, call skipped")]
    CallCount,
    #[error("calls= with a negative count")]
    NegativeCalls,
    /// A position is read as a range, and a count is missing that was perhaps read as the position
    /// after it.
    #[error("a range of positions and too few counts; a blank may be missing")]
    JoinedPositions,
    /// Only the first one is reported.
    #[error("no position, or -1, taken for an unknown line")]
    UnknownPosition,
    /// Some bytes are NUL, as in a file whose disk failed.
    #[error("NUL bytes; the file is probably damaged")]
    Nul,
    /// `jump=` or `jcnd=` with malformed numbers or positions.
    #[error("malformed jump, skipped")]
    Jump,
    #[error("calls= without preceding cfn=, call skipped")]
    CallWithoutName,
    #[error("calls= without following cost line, call skipped")]
    CallWithoutCost,
    /// The format has no such line; some producers leave `calls=` out, and the cost of the call is
    /// counted twice. Only the first one is reported.
    #[error("a cost line after cfn= without calls=, taken for a self cost")]
    CostWithoutCall,
    /// Callgrind names the callee of each call; other producers may name it once. (This and the
    /// next three are reasons for not judging a limit, and no warnings.)
    #[error("calls= without a cfn= of its own")]
    CallOfLastCallee,
    /// A name that begins or ends as a number in parentheses does.
    #[error("a name that looks like a damaged number")]
    DamagedId,
    #[error("a name with bytes that no compiler writes")]
    DamagedName,
    #[error("not in the order of files, functions and lines in which Cachegrind writes costs")]
    OutOfOrder,
    /// Callgrind before version 1 wrote such names in whole files.
    #[error("name ({id}) is used but never defined")]
    UndefinedId { id: u64, is_damage: bool },
    /// `positions:` with a word other than instr, addr, bb and line.
    #[error("unknown position type, ignored")]
    PositionColumns,
    /// An `event:` line without a long name or a formula, or with a malformed one.
    #[error("malformed event: line, skipped")]
    Event,
    /// An `event:` line whose formula would do on the command line.
    #[error("a factor with decimals, which only --event may have; event: line skipped")]
    Decimals,
    #[error("event {event} is recorded; its formula is ignored")]
    RecordedEvent { event: String },
    /// A formula that needs its own result, or does not fit.
    #[error("the formula of event {event} is circular or too large, skipped")]
    Formula { event: String },
    /// The gzip data is damaged, cut short, or followed by something else.
    #[error("gzip data is corrupt or truncated here; reporting what was read")]
    CorruptGzip,
    /// By event the self costs of a part minus its total, as the line with this key states it, and
    /// the size of the largest of these differences. `minor_events` are the events if none is the
    /// first and `totals:` says that no cost is lost.
    #[error("costs of this part differ from its `{key}:` line by {off}{}", of_total(*is_damage))]
    Totals {
        off: Box<str>,
        size: u64,
        key: &'static str,
        is_damage: bool,
        minor_events: Box<[String]>,
    },
    /// A part without all or some of the line with which its producer ends each part.
    #[error("{} `{key}:` line; the file is probably truncated", lack.of_warning(key))]
    MissingTotals { key: &'static str, lack: Lack },
}

/// What a part has of the line with its total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Nothing that is a number.
    Whole,
    /// Fewer numbers than there are events.
    Part,
}

impl Lack {
    fn of_warning(self, key: &str) -> &'static str {
        match (self, key) {
            (_, "totals") => "missing or incomplete",
            (Lack::Whole, _) => "missing",
            (Lack::Part, _) => "incomplete",
        }
    }
}

/// What the total of a part is if its costs are not damaged, and add up to another number than its
/// last line says.
fn of_total(is_damage: bool) -> &'static str {
    if is_damage { "" } else { "; the larger of both is the total" }
}

/// A change, with a sign and commas between thousands.
pub(super) fn signed(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "+" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Warning {
    /// Whether two warnings are of the same kind, whatever numbers and names they have.
    pub fn is_like(&self, other: &Warning) -> bool {
        match (self, other) {
            (Warning::Totals { key, .. }, Warning::Totals { key: other, .. })
            | (Warning::MissingTotals { key, .. }, Warning::MissingTotals { key: other, .. }) => {
                key == other
            }
            (Warning::Malformed(what), Warning::Malformed(other)) => what == other,
            _ => mem::discriminant(self) == mem::discriminant(other),
        }
    }

    /// Whether only the first one of a file is reported: where one line is so, most others are.
    fn is_of_whole_file(&self) -> bool {
        matches!(self, Warning::UnknownPosition | Warning::CostWithoutCall)
    }

    /// By how much costs are wrong, if the warning says so.
    pub fn size(&self) -> Option<u64> {
        match self {
            Warning::Totals { size, .. } => Some(*size),
            _ => None,
        }
    }

    /// The events that the warning is about, if it matters only to a report of these: Callgrind
    /// itself counts system calls that are in no function, such as that which ends a thread.
    pub fn minor_events(&self) -> &[String] {
        match self {
            Warning::Totals { minor_events, .. } => minor_events,
            _ => &[],
        }
    }

    /// Whether the end of the file is missing, which explains an odd last line.
    fn is_cut(&self) -> bool {
        matches!(self, Warning::MissingTotals { .. } | Warning::CorruptGzip)
    }

    /// What a limit's verdict would have to do without, if the warning says that costs, or the
    /// functions that they belong to, are not those that the producer wrote.
    pub fn damage(&self) -> Option<String> {
        match self {
            Warning::MissingTotals { key, lack: Lack::Whole } => Some(format!("no `{key}:` line")),
            Warning::MissingTotals { key, lack: Lack::Part } => {
                Some(format!("incomplete `{key}:` line"))
            }
            Warning::CorruptGzip => Some("gzip data is corrupt or truncated here".to_owned()),
            Warning::Totals { is_damage, .. } => is_damage.then(|| self.to_string()),
            Warning::UndefinedId { is_damage, .. } => is_damage.then(|| self.to_string()),
            Warning::UnknownLine
            | Warning::Malformed(_)
            | Warning::OutOfRange { .. }
            | Warning::CallCount
            | Warning::JoinedPositions
            | Warning::Nul
            | Warning::CallWithoutName
            | Warning::CallWithoutCost
            | Warning::CostWithoutCall
            | Warning::CallOfLastCallee
            | Warning::DamagedId
            | Warning::DamagedName
            | Warning::OutOfOrder
            | Warning::PositionColumns => Some(self.to_string()),
            // The lines of these have no costs, or their costs are kept.
            Warning::NegativeCalls
            | Warning::UnknownPosition
            | Warning::Jump
            | Warning::Event
            | Warning::Decimals
            | Warning::RecordedEvent { .. }
            | Warning::Formula { .. } => None,
        }
    }
}

/// A line with a total behind the costs of a part.
#[derive(Clone, Copy)]
pub struct ClosingTotal {
    pub key: &'static str,
    /// Whether it has a number that is not 0. Otherwise it says nothing.
    pub has_cost: bool,
}

/// What is noted of a file beside its costs.
#[derive(Default)]
pub struct Warnings {
    /// The first warnings, with their line numbers.
    pub listed: Vec<(u64, Warning)>,
    /// The number of further warnings.
    pub unlisted: u64,
    /// Whether a part of the file has addresses, but no source lines: a note for reports that show
    /// lines.
    pub lacks_lines: bool,
    /// Whether instructions were to be kept, and a part of the file has no addresses.
    pub lacks_addresses: bool,
    /// Whether some parts have addresses, be they kept or not.
    pub has_addresses: bool,
    /// The first finding that the end of the file is missing, or else that costs are missing or
    /// wrong, with its line.
    pub damage: Option<(u64, Warning)>,
    /// How many lines with costs were skipped, and what they add up to, if it can be told.
    pub lost_costs: Option<String>,
    /// The number of lines of the file.
    pub lines: u64,
    /// The total behind the last costs, if there is one.
    pub closing_total: Option<ClosingTotal>,
    /// The events that the file defines by formulas, with the lines that do.
    pub definitions: Vec<(u64, Vec<u8>, Formula)>,
    /// Whether the options included a part.
    pub has_parts: bool,
    /// The parts that the options did not include.
    pub skipped: Vec<Part>,
}

impl Warnings {
    #[cold]
    pub fn add(&mut self, line: u64, warning: Warning) {
        let is_listed = |of: &Warning| self.listed.iter().any(|(_, listed)| listed == of);
        if warning.is_of_whole_file() && is_listed(&warning) {
            return;
        }
        if warning.damage().is_some() {
            self.note_damage(line, warning.clone());
        }
        if self.listed.len() < MAX_LISTED {
            self.listed.push((line, warning));
        } else {
            self.unlisted += 1;
        }
    }

    /// Notes that a file is damaged, without a warning.
    pub fn note_damage(&mut self, line: u64, warning: Warning) {
        let before = self.damage.as_ref().map(|(_, warning)| warning);
        if before.is_none_or(|before| !before.is_cut() && warning.is_cut()) {
            self.damage = Some((line, warning));
        }
    }
}

/// Why a file could not be read.
#[derive(Debug, Error)]
#[error("{kind}")]
pub struct Error {
    pub line: Option<u64>,
    pub kind: ErrorKind,
}

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ErrorKind {
    #[error("{}", io_text(.0))]
    Io(#[from] io::Error),
    #[error("is a directory")]
    Directory,
    #[error("is compressed with {0}; only gzip can be read, unpack it first ({0} -d)")]
    Compressed(&'static str),
    #[error("the file is empty")]
    Empty,
    /// It has no `events:` line.
    #[error("not a callgrind profile (no events: line)")]
    NoProfile,
    /// It has the first lines of a profile, and then no `events:` line.
    #[error("a callgrind profile without any part (no events: line)")]
    NoPart,
    #[error("the lines end with a carriage return alone; LF or CR LF is needed")]
    CarriageReturns,
    /// All lines with costs were skipped. The first one with its warning, and how many there were.
    #[error("{warning}; no cost could be read ({lost})")]
    NoCosts { line: u64, warning: Warning, lost: String },
    /// A line comes before the `events:` line that its costs need.
    #[error("{}", ErrorKind::NoProfile)]
    NoEvents,
    #[error("unsupported callgrind format version (only version 1)")]
    Version,
    #[error("not a callgrind profile (a line of more than 1 MiB)")]
    LongLine,
    #[error("the gzip data is corrupt")]
    CorruptGzip,
    #[error("more than {MAX_EVENTS} events")]
    ManyEvents,
    /// Reports repeat it, or blanks of its width, in every row.
    #[error("the name of an event has more than {MAX_EVENT_NAME} bytes")]
    LongEvent,
    #[error("a second events: line differs from the first of its header")]
    OtherEvents,
    #[error("duplicate event in events: line")]
    SameEvent,
    #[error("64-bit overflow in a number")]
    Number,
    #[error(transparent)]
    Sum(#[from] Overflow),
    #[error("too many distinct names or positions (over 2^32)")]
    TooMany(#[from] LimitExceeded),
    #[error("a header exceeds 64 MiB")]
    Headers,
}

impl From<AddError> for ErrorKind {
    fn from(error: AddError) -> ErrorKind {
        match error {
            AddError::Overflow(error) => error.into(),
            AddError::LimitExceeded(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The damage that a verdict names is the first by which the end of a file is missing, or else
    /// the first.
    #[test]
    fn the_damage_is_the_first_cut_or_else_the_first() {
        let cut = || Warning::MissingTotals { key: "totals", lack: Lack::Whole };
        let table = [
            (vec![Warning::Event], None),
            (vec![Warning::Event, Warning::Nul, Warning::UnknownLine], Some(2)),
            (vec![Warning::Nul, cut()], Some(2)),
            (vec![cut(), Warning::CorruptGzip], Some(1)),
            (vec![cut(), Warning::Nul], Some(1)),
            (vec![Warning::UnknownPosition, Warning::CostWithoutCall], Some(2)),
        ];
        for (all, expected) in table {
            let mut warnings = Warnings::default();
            for (line, warning) in (1..).zip(all) {
                warnings.add(line, warning);
            }
            let damage = warnings.damage.map(|(line, _)| line);
            assert_eq!(damage, expected, "{:?}", warnings.listed);
        }
    }
}
