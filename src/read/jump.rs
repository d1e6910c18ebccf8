//! The lexer of `jump=` and `jcnd=` lines.

use super::cursor::{Cursor, LinePosition, Malformed, PositionColumns};
use super::header::{target, words};

/// A jump whose source is on the next line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct JumpLine {
    pub(super) is_conditional: bool,
    /// The numbers of times that it was taken, and that the instruction was executed.
    pub(super) taken: i64,
    pub(super) executed: i64,
    pub(super) target: LinePosition,
}

impl JumpLine {
    /// `299 +62 *`, `9487/14151 +25 +3` as callgrind writes it, or `14151 9487 +25 +3` as the
    /// specification has it.
    pub(super) fn parse(
        is_conditional: bool,
        value: &[u8],
        positions: PositionColumns,
        last: LinePosition,
    ) -> Result<JumpLine, Malformed> {
        let value = value.trim_ascii_start();
        let slash = value
            .iter()
            .position(|byte| !byte.is_ascii_hexdigit() && *byte != b'x')
            .filter(|&at| value[at] == b'/');
        let of_positions = [positions.address, positions.block, positions.line];
        let of_positions = of_positions.iter().filter(|&&given| given).count();
        let mut cursor = Cursor::new(&value[slash.map_or(0, |at| at + 1)..]);
        let executed = cursor.count()?.ok_or(Malformed::Count)?;
        let taken = match slash {
            Some(at) => Cursor::new(&value[..at]).count()?,
            None if is_conditional && words(value).count() == of_positions + 2 => cursor.count()?,
            None => Some(executed),
        };
        Ok(JumpLine {
            is_conditional,
            taken: taken.ok_or(Malformed::Count)?,
            executed,
            target: target(&mut cursor, positions, last)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_has_its_times_and_a_target_relative_to_the_last_position() {
        let positions = PositionColumns { address: true, block: false, line: true };
        let last = LinePosition { address: 0x100, line: 10 };
        for (value, is_conditional, expected) in [
            ("299 +62 *", false, (299, 299, 0x13e, 10)),
            ("299 0x40 7", false, (299, 299, 0x40, 7)),
            // As callgrind writes it: taken and executed.
            ("3/8 -16 +5", true, (3, 8, 0xf0, 15)),
            // As the specification has it.
            ("8 3 -16 +5", true, (3, 8, 0xf0, 15)),
            ("8 -16 +5", true, (8, 8, 0xf0, 15)),
        ] {
            let jump = JumpLine::parse(is_conditional, value.as_bytes(), positions, last);
            let jump = jump.map(|jump| {
                let LinePosition { address, line } = jump.target;
                (jump.taken, jump.executed, address, line)
            });
            assert_eq!(jump, Ok(expected), "{value}");
        }
        for (value, error) in [
            ("", Malformed::Count),
            (". +1 +1", Malformed::Count),
            ("5 +1", Malformed::Position),
            ("5 x +1", Malformed::Position),
            ("5 3 -16", Malformed::PositionRange),
            ("5 -0x200 +1", Malformed::PositionRange),
            ("99999999999999999999 +1 +1", Malformed::CountRange),
        ] {
            let jump = JumpLine::parse(false, value.as_bytes(), positions, last);
            assert_eq!(jump, Err(error), "{value}");
        }
    }
}
