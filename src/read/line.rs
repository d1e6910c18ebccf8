//! What the lexer gives to the reader: one [`Line`] for each line of a file, or for some cost lines at once. There
//! are millions on their way from thread to thread, so they are small.

use std::num::NonZeroU8;

use super::cursor::{Malformed, Step};
use super::record::NameOf;
use crate::profile::NameId;

/// Which self costs that stand together become one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// None.
    Nothing,
    /// Those of one source line.
    OfLine,
    /// All: it does not matter of which line they are. Measured 2026-11-21 on 28 MB of python3 with contexts: 60.8 ms
    /// with those of one line, 52.0 ms so.
    OfFile,
}

/// One line of a file, or some cost lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line {
    /// A cost line, or self costs that stand together.
    Cost(CostLine),
    /// A cost line that makes no sense. If its positions do, the lines behind it are relative to them.
    Malformed(Malformed, Option<CostLine>),
    /// A name that is an id alone.
    Known(NameOf, u32),
    /// `calls=`, and the number of calls.
    Calls(u32),
    /// The begin of a jump.
    Jump,
    /// An empty line or a comment.
    Blank,
    /// The name of a function, which is kept already.
    Named(NameOf, NameId),
    /// The same with the id that stands for it from here on.
    Defined(NameOf, u32, NameId),
    /// Any other line: from where to where in the piece's bytes.
    Other { start: u32, end: u32 },
}

impl Line {
    /// How many lines of the file it is.
    pub(super) fn count(self) -> u64 {
        match self {
            Line::Cost(cost) => cost.lines(),
            _ => 1,
        }
    }
}

/// Where a cost was counted, and how many of the piece's counts are its own. There is one for each cost line
/// on its way from thread to thread, so it is packed: a [`Line`] takes 16 bytes, and 40 made the whole a
/// tenth slower.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostLine {
    address: [u8; 8],
    line: [u8; 4],
    relative: u8,
    given: u8,
    lines: NonZeroU8,
}

/// The bits of [`CostLine::relative`].
const RELATIVE_ADDRESS: u8 = 1;
const RELATIVE_LINE: u8 = 2;

impl CostLine {
    /// A line by itself, without counts so far.
    pub(super) fn new(address: Step, line: Step) -> Result<CostLine, Malformed> {
        let is_in_range = i32::try_from(line.by).is_ok() && (line.is_relative || line.by >= 0);
        is_in_range
            .then(|| CostLine::of_many(address, line, 0, 1))
            .ok_or(Malformed::PositionRange)
    }

    /// Self costs that stand together. The step to the line has to fit into 32 bits, and the counts into 8.
    #[inline(always)]
    pub(super) fn of_many(address: Step, line: Step, given: usize, lines: u8) -> CostLine {
        let relative = |step: Step, bit| if step.is_relative { bit } else { 0 };
        CostLine {
            address: address.by.to_ne_bytes(),
            line: (line.by as i32).to_ne_bytes(),
            relative: relative(address, RELATIVE_ADDRESS) | relative(line, RELATIVE_LINE),
            given: given as u8,
            lines: NonZeroU8::new(lines).unwrap_or(NonZeroU8::MIN),
        }
    }

    /// The step to the address; that of the last line if it is several.
    #[inline(always)]
    pub(super) fn address(&self) -> Step {
        Step {
            is_relative: self.relative & RELATIVE_ADDRESS != 0,
            by: i64::from_ne_bytes(self.address),
        }
    }

    /// The step to the source line.
    #[inline(always)]
    pub(super) fn line(&self) -> Step {
        Step {
            is_relative: self.relative & RELATIVE_LINE != 0,
            by: i32::from_ne_bytes(self.line).into(),
        }
    }

    /// How many counts the line has.
    #[inline(always)]
    pub(super) fn given(&self) -> usize {
        self.given.into()
    }

    /// How many lines of the file it is.
    #[inline(always)]
    pub(super) fn lines(&self) -> u64 {
        self.lines.get().into()
    }

    /// The line with so many counts.
    pub(super) fn with_counts(self, given: usize) -> Result<CostLine, Malformed> {
        let given = u8::try_from(given).map_err(|_| Malformed::TooManyCounts)?;
        Ok(CostLine { given, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_small() {
        assert_eq!(size_of::<Line>(), 16);
    }
}
