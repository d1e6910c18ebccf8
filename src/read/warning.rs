//! What can be wrong with a profile. All messages of the reader are in this file.

use std::error;
use std::fmt;
use std::io;

use super::cursor::Malformed;
use crate::profile::MAX_EVENTS;

/// How many warnings are listed per file; the rest are only counted.
pub const MAX_LISTED: usize = 10;

/// Something that is wrong with a profile that is reported all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Not a line of the format.
    UnknownLine,
    /// A malformed cost line.
    Malformed(Malformed),
    /// A cost line with a position out of range.
    OutOfRange {
        /// Its counts with the names of their events.
        cost: String,
    },
    /// `calls=` without a number of calls.
    CallCount,
    /// `jump=` or `jcnd=` with malformed numbers or positions.
    Jump,
    /// `calls=` before any `cfn=`.
    CallWithoutName,
    /// `calls=` without a cost line after it.
    CallWithoutCost,
    /// The id of a name that no earlier line defined.
    UndefinedId(u64),
    /// `positions:` with a word other than instr, addr, bb and line.
    Positions,
    /// An `event:` line without a long name or a formula, or with a malformed one.
    Event,
    /// A formula for an event that is recorded.
    RecordedEvent {
        /// The event.
        event: String,
    },
    /// A formula that needs its own result, or does not fit.
    Formula {
        /// The event.
        event: String,
    },
    /// The gzip data is damaged, cut short, or followed by something else.
    CorruptGzip,
    /// The self costs of a part differ from its stated total.
    Totals {
        /// The event.
        event: String,
        /// Self costs minus stated total.
        off: i128,
        /// The key of the line that states it.
        key: &'static str,
    },
    /// A part of callgrind's without all or some of its `totals:` line.
    MissingTotals,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Warning::UnknownLine => "unrecognised line, skipped",
            Warning::Malformed(Malformed::Position) => "cost line without a position, skipped",
            Warning::OutOfRange { cost } if !cost.is_empty() => {
                return write!(f, "position out of range, line skipped: {cost}");
            }
            Warning::OutOfRange { .. } | Warning::Malformed(Malformed::PositionRange) => {
                "position out of range, line skipped"
            }
            Warning::Malformed(Malformed::Count | Malformed::CountRange) => {
                "invalid count, line skipped"
            }
            Warning::Malformed(Malformed::TooManyCounts) => "more counts than events, line skipped",
            Warning::CallCount => "calls= without a count, call skipped",
            Warning::Jump => "malformed jump, skipped",
            Warning::CallWithoutName => "calls= without preceding cfn=, call skipped",
            Warning::CallWithoutCost => "calls= without following cost line, call skipped",
            Warning::UndefinedId(id) => {
                return write!(f, "name ({id}) is used but never defined");
            }
            Warning::Event => "malformed event: line, skipped",
            Warning::RecordedEvent { event } => {
                return write!(f, "event {event} is recorded; its formula is ignored");
            }
            Warning::Formula { event } => {
                return write!(
                    f,
                    "the formula of event {event} is circular or too large, skipped"
                );
            }
            Warning::Positions => "unknown position type, ignored",
            Warning::CorruptGzip => {
                "gzip data is corrupt or truncated here; reporting what was read"
            }
            Warning::Totals { event, off, key } => {
                let than = if *off > 0 { "more" } else { "less" };
                return write!(
                    f,
                    "costs of this part add up to {} {event} {than} than its {key}: line",
                    off.unsigned_abs()
                );
            }
            Warning::MissingTotals => {
                "missing or incomplete totals: line; the file is probably truncated"
            }
        })
    }
}

/// The warnings of one file.
#[derive(Default)]
pub struct Warnings {
    listed: Vec<(u64, Warning)>,
    count: u64,
    /// Whether a part of the file has addresses, but no source lines: a note for reports that show lines.
    pub lacks_lines: bool,
    /// Whether instructions were to be kept, and a part of the file has no addresses.
    pub lacks_addresses: bool,
    /// The parts that the options did not include.
    pub skipped: Vec<SkippedPart>,
}

/// A part that was not read.
#[derive(Clone, Debug)]
pub struct SkippedPart {
    /// Its `part:` line.
    pub number: Option<Vec<u8>>,
    /// Its `thread:` line.
    pub thread: Option<Vec<u8>>,
}

impl Warnings {
    /// Adds a warning about a line.
    #[cold]
    pub fn add(&mut self, line: u64, warning: Warning) {
        self.count += 1;
        if self.listed.len() < MAX_LISTED {
            self.listed.push((line, warning));
        }
    }

    /// The first warnings, with their line numbers.
    pub fn listed(&self) -> &[(u64, Warning)] {
        &self.listed
    }

    /// The number of further warnings.
    pub fn unlisted(&self) -> u64 {
        self.count - self.listed.len() as u64
    }
}

/// Why a file could not be read.
#[derive(Debug)]
pub struct Error {
    /// The number of the line.
    pub line: Option<u64>,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong with a file that cannot be read.
#[derive(Debug)]
pub enum ErrorKind {
    /// It could not be opened or read.
    Io(io::Error),
    /// It is a directory.
    Directory,
    /// It is compressed by this program, and not with gzip.
    Compressed(&'static str),
    /// It has no bytes at all.
    Empty,
    /// It has no `events:` line, or costs before it.
    NoEvents,
    /// Its version of the format is later than 1.
    Version,
    /// A line is longer than any line of the format can be.
    LongLine,
    /// Its gzip data is damaged.
    CorruptGzip,
    /// It has too many events.
    ManyEvents,
    /// A header has two different `events:` lines.
    OtherEvents,
    /// `events:` names an event twice.
    SameEvent,
    /// A number is outside of the 64-bit range.
    Number,
    /// A sum is outside of the 64-bit range.
    Sum,
    /// It has more names or places than can be numbered.
    TooMany,
    /// Its headers take too much memory.
    Headers,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Io(error) => return error.fmt(f),
            ErrorKind::Directory => "is a directory",
            ErrorKind::Compressed(program) => {
                return write!(
                    f,
                    "is compressed with {program}; only gzip can be read, unpack it first ({program} -d)"
                );
            }
            ErrorKind::Empty => "the file is empty",
            ErrorKind::NoEvents => "not a callgrind profile (no events: line)",
            ErrorKind::Version => "unsupported callgrind format version (only version 1)",
            ErrorKind::LongLine => "not a callgrind profile (a line of more than 1 MiB)",
            ErrorKind::CorruptGzip => "the gzip data is corrupt",
            ErrorKind::ManyEvents => return write!(f, "more than {MAX_EVENTS} events"),
            ErrorKind::OtherEvents => "a second events: line differs from the first of its header",
            ErrorKind::SameEvent => "duplicate event in events: line",
            ErrorKind::Number => "64-bit overflow in a number",
            ErrorKind::Sum => "the counts add up to more than 2^61",
            ErrorKind::Headers => "part headers exceed 64 MiB",
            ErrorKind::TooMany => "too many distinct names or positions (over 2^32)",
        })
    }
}

impl error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}
