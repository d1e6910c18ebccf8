//! What can be wrong with a profile. All messages of the reader are in this file.

use std::fmt;
use std::io;

use thiserror::Error;

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
    RecordedEvent { event: String },
    /// A formula that needs its own result, or does not fit.
    Formula { event: String },
    /// The gzip data is damaged, cut short, or followed by something else.
    CorruptGzip,
    /// The self costs of a part differ from its stated total.
    Totals {
        /// The events, and self costs minus stated total.
        off: Vec<(String, i128)>,
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
            Warning::Totals { off, key } => {
                let off = off.iter().map(|(event, off)| format!("{off:+} {event}"));
                let off = off.collect::<Vec<_>>().join(", ");
                return write!(f, "costs of this part differ from its {key}: line by {off}");
            }
            Warning::MissingTotals => {
                "missing or incomplete totals: line; the file is probably truncated"
            }
        })
    }
}

#[derive(Default)]
pub struct Warnings {
    listed: Vec<(u64, Warning)>,
    count: u64,
    /// Whether a part of the file has addresses, but no source lines: a note for reports that show lines.
    pub lacks_lines: bool,
    /// Whether instructions were to be kept, and a part of the file has no addresses.
    pub lacks_addresses: bool,
    /// Whether some parts have addresses, be they kept or not.
    pub has_addresses: bool,
    /// Whether the file ends before its last part does, so that costs are missing.
    pub is_truncated: bool,
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
        self.is_truncated |= matches!(warning, Warning::MissingTotals | Warning::CorruptGzip);
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
#[derive(Debug, Error)]
#[error("{kind}")]
pub struct Error {
    pub line: Option<u64>,
    pub kind: ErrorKind,
}

/// What is wrong with a file that cannot be read.
#[derive(Debug, Error)]
pub enum ErrorKind {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("is a directory")]
    Directory,
    #[error("is compressed with {0}; only gzip can be read, unpack it first ({0} -d)")]
    Compressed(&'static str),
    #[error("the file is empty")]
    Empty,
    /// It has no `events:` line, or costs before it.
    #[error("not a callgrind profile (no events: line)")]
    NoEvents,
    #[error("unsupported callgrind format version (only version 1)")]
    Version,
    #[error("not a callgrind profile (a line of more than 1 MiB)")]
    LongLine,
    #[error("the gzip data is corrupt")]
    CorruptGzip,
    #[error("more than {MAX_EVENTS} events")]
    ManyEvents,
    #[error("a second events: line differs from the first of its header")]
    OtherEvents,
    #[error("duplicate event in events: line")]
    SameEvent,
    #[error("64-bit overflow in a number")]
    Number,
    #[error("the counts add up to more than 2^61")]
    Sum,
    #[error("too many distinct names or positions (over 2^32)")]
    TooMany,
    #[error("part headers exceed 64 MiB")]
    Headers,
}
