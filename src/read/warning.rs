//! Warnings and errors of the reader. All of its messages are in this file, and at [`Malformed`].

use std::io;

use thiserror::Error;

use super::cursor::Malformed;
use crate::profile::{AddError, LimitExceeded, MAX_EVENTS, Overflow, Part};

/// The maximum number of warnings that are listed per file; the rest are only counted.
pub const MAX_LISTED: usize = 10;

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
    /// `jump=` or `jcnd=` with malformed numbers or positions.
    #[error("malformed jump, skipped")]
    Jump,
    #[error("calls= without preceding cfn=, call skipped")]
    CallWithoutName,
    #[error("calls= without following cost line, call skipped")]
    CallWithoutCost,
    #[error("name ({0}) is used but never defined")]
    UndefinedId(u64),
    /// `positions:` with a word other than instr, addr, bb and line.
    #[error("unknown position type, ignored")]
    Positions,
    /// An `event:` line without a long name or a formula, or with a malformed one.
    #[error("malformed event: line, skipped")]
    Event,
    #[error("event {event} is recorded; its formula is ignored")]
    RecordedEvent { event: String },
    /// A formula that needs its own result, or does not fit.
    #[error("the formula of event {event} is circular or too large, skipped")]
    Formula { event: String },
    /// The gzip data is damaged, cut short, or followed by something else.
    #[error("gzip data is corrupt or truncated here; reporting what was read")]
    CorruptGzip,
    /// By event the self costs of a part minus its total, as the line with this key states it.
    #[error("costs of this part differ from its {key}: line by {off}")]
    Totals { off: String, key: &'static str },
    /// A part of callgrind's without all or some of its `totals:` line.
    #[error("missing or incomplete totals: line; the file is probably truncated")]
    MissingTotals,
}

#[derive(Default)]
pub struct Warnings {
    /// The first warnings, with their line numbers.
    pub listed: Vec<(u64, Warning)>,
    /// The number of further warnings.
    pub unlisted: u64,
    /// Whether a part of the file has addresses, but no source lines: a note for reports that show lines.
    pub lacks_lines: bool,
    /// Whether instructions were to be kept, and a part of the file has no addresses.
    pub lacks_addresses: bool,
    /// Whether some parts have addresses, be they kept or not.
    pub has_addresses: bool,
    /// Whether the file ends before its last part does, so that costs are missing.
    pub is_truncated: bool,
    /// The parts that the options did not include.
    pub skipped: Vec<Part>,
}

impl Warnings {
    #[cold]
    pub fn add(&mut self, line: u64, warning: Warning) {
        self.is_truncated |= matches!(warning, Warning::MissingTotals | Warning::CorruptGzip);
        match self.listed.len() < MAX_LISTED {
            true => self.listed.push((line, warning)),
            false => self.unlisted += 1,
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
    /// It has no `events:` line.
    #[error("not a callgrind profile (no events: line)")]
    NoProfile,
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
