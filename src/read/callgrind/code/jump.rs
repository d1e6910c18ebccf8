//! What `jump=` and `jcnd=` say, and the positions of targets.

use crate::read::callgrind::LastPosition;
use crate::read::cursor::{Cursor, Malformed, Step};
use crate::read::header::{Positions, words};

/// A jump whose source is on the next line.
#[derive(Clone, Copy)]
pub(super) struct Jump {
    pub(super) is_conditional: bool,
    pub(super) taken: i64,
    pub(super) executed: i64,
    pub(super) target: LastPosition,
}

impl Jump {
    /// `299 +62 *`, `9487/14151 +25 +3` as callgrind writes it, or `14151 9487 +25 +3` as the specification has it.
    pub(super) fn parse(
        is_conditional: bool,
        value: &[u8],
        positions: Positions<bool>,
        last: LastPosition,
    ) -> Result<Jump, Malformed> {
        let value = value.trim_ascii_start();
        let slash = value
            .iter()
            .position(|byte| !byte.is_ascii_hexdigit() && *byte != b'x');
        let slash = slash.filter(|&at| value[at] == b'/');
        let of_positions = [positions.address, positions.block, positions.line];
        let of_positions = of_positions
            .into_iter()
            .filter(|is_given| *is_given)
            .count();
        let mut cursor = Cursor::new(&value[slash.map_or(0, |at| at + 1)..]);
        let executed = cursor.count()?.ok_or(Malformed::Count)?;
        let taken = match slash {
            Some(at) => Cursor::new(&value[..at]).count()?,
            None if is_conditional && words(value).count() == of_positions + 2 => cursor.count()?,
            None => Some(executed),
        };
        Ok(Jump {
            is_conditional,
            taken: taken.ok_or(Malformed::Count)?,
            executed,
            target: target(&mut cursor, positions, last)?,
        })
    }
}

/// The positions of a target.
pub(super) fn target(
    cursor: &mut Cursor<'_>,
    positions: Positions<bool>,
    last: LastPosition,
) -> Result<LastPosition, Malformed> {
    let mut step = |is_given: bool| {
        if is_given {
            cursor.step()
        } else {
            Ok(Step::NONE)
        }
    };
    let (address, _, line) = (
        step(positions.address)?,
        step(positions.block)?,
        step(positions.line)?,
    );
    let line = if positions.line {
        line.apply(last.line)?
    } else {
        0
    };
    u32::try_from(line).map_err(|_| Malformed::PositionRange)?;
    Ok(LastPosition {
        address: if positions.address {
            address.apply(last.address)?
        } else {
            0
        },
        line,
    })
}
