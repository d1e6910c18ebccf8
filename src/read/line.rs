//! What the lexer passes to the reader: one [`Line`] for each line of a file, or for several joined cost lines. Millions
//! of them pass from thread to thread, so they are small.

use std::num::NonZeroU8;

use super::cursor::{Malformed, Step};
use super::record::NameKind;
use crate::profile::NameId;

/// One line of a file, or several joined cost lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Line {
    /// A cost line, or joined self-cost lines.
    Cost(CostLine),
    /// A malformed cost line, with its positions if they are not what is malformed: the next line may be relative to them.
    Malformed(Malformed, Option<CostLine>),
    /// A cost line with a position out of range, and how many of the chunk's counts are its own.
    OutOfRange { count_len: u8 },
    /// A compressed name: its id alone.
    NameRef(NameKind, u32),
    /// `calls=` and the number of calls.
    Calls(u32),
    /// The same with the line of the callee.
    CallsTo { count: u32, line: u32 },
    /// `jump=` or `jcnd=`.
    Jump,
    /// An empty line or a comment.
    Blank,
    /// The name of a function, interned.
    Name(NameKind, NameId),
    /// The name of a function, interned, and the compressed id that the line defines.
    NameDef(NameKind, u32, NameId),
    /// Any other line, as a range of the chunk's bytes.
    Unparsed { start: u32, end: u32 },
}

impl Line {
    /// The number of lines of the file.
    pub(super) fn count(self) -> u64 {
        match self {
            Line::Cost(cost) => cost.lines(),
            _ => 1,
        }
    }

    /// How many of the chunk's counts are its own.
    pub(super) fn count_len(self) -> usize {
        match self {
            Line::Cost(cost) => cost.count_len(),
            Line::OutOfRange { count_len } => count_len.into(),
            _ => 0,
        }
    }
}

/// The positions of a cost, and how many of the chunk's counts belong to it. The fields are bytes so that a [`Line`] takes 16
/// of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct CostLine {
    address: [u8; 8],
    line: [u8; 4],
    relative: u8,
    count_len: u8,
    lines: NonZeroU8,
}

/// The bits of [`CostLine::relative`].
const RELATIVE_ADDRESS: u8 = 1;
const RELATIVE_LINE: u8 = 2;

impl CostLine {
    /// A single line, without counts so far.
    pub(super) fn new(address: Step, line: Step) -> Result<CostLine, Malformed> {
        let is_in_range = match line {
            Step::To(line) => i32::try_from(line).is_ok(),
            Step::By(by) => i32::try_from(by).is_ok(),
        };
        is_in_range
            .then(|| CostLine::joined(address, line, 0, 1))
            .ok_or(Malformed::PositionRange)
    }

    /// Joined lines. The step to the source line must fit into 32 bits, and `count_len` into 8.
    #[inline(always)]
    pub(super) fn joined(address: Step, line: Step, count_len: usize, lines: u8) -> CostLine {
        let (address, address_bit) = match address {
            Step::To(address) => (address, 0),
            Step::By(by) => (by.cast_unsigned(), RELATIVE_ADDRESS),
        };
        let (line, line_bit) = match line {
            Step::To(line) => (line as u32, 0),
            Step::By(by) => (by as u32, RELATIVE_LINE),
        };
        CostLine {
            address: address.to_ne_bytes(),
            line: line.to_ne_bytes(),
            relative: address_bit | line_bit,
            count_len: count_len as u8,
            lines: NonZeroU8::new(lines).unwrap_or(NonZeroU8::MIN),
        }
    }

    /// The step to the address, of joined lines that of the last.
    #[inline(always)]
    pub(super) fn address(&self) -> Step {
        let bits = u64::from_ne_bytes(self.address);
        if self.relative & RELATIVE_ADDRESS != 0 {
            Step::By(bits.cast_signed())
        } else {
            Step::To(bits)
        }
    }

    /// The step to the source line.
    #[inline(always)]
    pub(super) fn line(&self) -> Step {
        let bits = u32::from_ne_bytes(self.line);
        if self.relative & RELATIVE_LINE != 0 {
            Step::By(bits.cast_signed().into())
        } else {
            Step::To(bits.into())
        }
    }

    /// The number of counts on the line.
    #[inline(always)]
    pub(super) fn count_len(&self) -> usize {
        self.count_len.into()
    }

    /// The number of lines of the file.
    #[inline(always)]
    pub(super) fn lines(&self) -> u64 {
        self.lines.get().into()
    }

    /// The same line with that many counts.
    pub(super) fn with_counts(self, count_len: u8) -> CostLine {
        CostLine { count_len, ..self }
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
