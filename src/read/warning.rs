//! What can be wrong with a profile: all wording of the reader is on this page.

use std::error;
use std::fmt;
use std::io;

use super::cursor::Malformed;
use crate::profile::MOST_EVENTS;

/// How many warnings of a file are told; of the others only how many there were.
pub const MOST_TOLD: usize = 10;

/// Something that is left out of the report, which goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// A line that is none of the format's.
    UnknownLine,
    /// A cost line with something wrong in it.
    Malformed(Malformed),
    /// `calls=` with no number of calls.
    CallCount,
    /// `calls=` before any `cfn=`.
    CallWithoutName,
    /// `calls=` that no cost line follows.
    CallWithoutCost,
    /// A name's id that no earlier line defined.
    UndefinedId(u64),
    /// `positions:` with a word that is none of instr, addr, bb, line.
    Positions,
    /// The packed data broke off, or is followed by something else.
    Broken,
    /// A part whose self costs are not what it says they are: more (or less, below 0) by so much.
    Totals {
        /// The event.
        event: String,
        /// The difference.
        off: i128,
    },
    /// A part that ends without all of the `totals:` line that its creator always writes.
    CutShort,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Warning::UnknownLine => "not a line of the callgrind format, left out",
            Warning::Malformed(Malformed::Position) => {
                "no position at the begin of the cost line, left out"
            }
            Warning::Malformed(Malformed::PositionRange) => "position out of range, line left out",
            Warning::Malformed(Malformed::Count | Malformed::CountRange) => {
                "a count is no number, line left out"
            }
            Warning::Malformed(Malformed::TooManyCounts) => {
                "more counts than events, line left out"
            }
            Warning::CallCount => "no number of calls, call left out",
            Warning::CallWithoutName => "calls= without a cfn= before it, call left out",
            Warning::CallWithoutCost => "calls= without a cost line after it, call left out",
            Warning::UndefinedId(id) => return write!(f, "name ({id}) was never defined"),
            Warning::Positions => "unknown kind of position, left out",
            Warning::Broken => {
                "the gzip data is damaged or cut short here; reported as far as it goes"
            }
            Warning::Totals { event, off } if *off > 0 => {
                return write!(
                    f,
                    "the costs of this part are {off} {event} more than its stated total"
                );
            }
            Warning::Totals { event, off } => {
                return write!(
                    f,
                    "the costs of this part are {} {event} less than its stated total",
                    -off
                );
            }
            Warning::CutShort => {
                "no totals: line, or not all of it; the file was probably cut short"
            }
        })
    }
}

/// The warnings of one file.
#[derive(Default)]
pub struct Warnings {
    told: Vec<(u64, Warning)>,
    count: u64,
}

impl Warnings {
    /// Notes that there was something wrong with a line.
    #[cold]
    pub fn add(&mut self, line: u64, warning: Warning) {
        self.count += 1;
        if self.told.len() < MOST_TOLD {
            self.told.push((line, warning));
        }
    }

    /// The first warnings, with the numbers of their lines.
    pub fn told(&self) -> &[(u64, Warning)] {
        &self.told
    }

    /// How many more there were.
    pub fn untold(&self) -> u64 {
        self.count - self.told.len() as u64
    }
}

/// Why a file could not be read.
#[derive(Debug)]
pub struct Error {
    /// The line at which it was noticed.
    pub line: Option<u64>,
    /// What it is.
    pub cause: Cause,
}

/// What makes a file unreadable.
#[derive(Debug)]
pub enum Cause {
    /// It could not be opened or read.
    Io(io::Error),
    /// It is a directory.
    Directory,
    /// It has no bytes at all.
    Empty,
    /// It has no `events:` line, or costs before it.
    NoEvents,
    /// It is of a later version of the format.
    Version,
    /// A line is longer than any line of the format can be.
    LongLine,
    /// Its packed data broke off, or is followed by something else.
    Broken,
    /// It names more events than there can be.
    ManyEvents,
    /// It names an event twice.
    SameEvent,
    /// A number is outside of the 64-bit range.
    Number,
    /// A sum is outside of the 64-bit range.
    Sum,
    /// It has more names or places than can be told apart.
    TooMany,
    /// Its headers would take more memory than all real ones.
    Headers,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::Io(error) => return error.fmt(f),
            Cause::Directory => "is a directory",
            Cause::Empty => "the file is empty",
            Cause::NoEvents => "not a callgrind profile (no events: line)",
            Cause::Version => "of a later version of the callgrind format; only version 1 is known",
            Cause::LongLine => "not a callgrind profile (a line of more than 1 MiB)",
            Cause::Broken => "the gzip data is damaged",
            Cause::ManyEvents => return write!(f, "more than {MOST_EVENTS} events"),
            Cause::SameEvent => "events: names an event twice",
            Cause::Number => "a number does not fit into 64 bits",
            Cause::Sum => "a sum of counts does not fit into 64 bits",
            Cause::Headers => "the headers of its parts take more than 64 MiB",
            Cause::TooMany => "more than 2^32 different names or places",
        })
    }
}

impl error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(f)
    }
}
