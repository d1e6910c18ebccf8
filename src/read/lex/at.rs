//! Where a cost line is.

use crate::read::cursor::Step;
use crate::read::header::Positions;
use crate::read::window::Window;

/// The subpositions of a line.
pub(super) struct At {
    pub(super) address: Step,
    pub(super) line: Step,
    /// Where what is behind the address begins.
    pub(super) rest: usize,
    /// Where the counts begin.
    pub(super) counts: usize,
}

impl At {
    #[inline(always)]
    pub(super) fn read(window: &mut Window<'_>, given: Positions<bool>) -> Option<At> {
        let address = match given.address {
            true => window.step()?,
            false => Step::NONE,
        };
        let rest = window.position();
        if given.block {
            window.step()?;
        }
        let line = match given.line {
            true => window.short_step()?,
            false => Step::NONE,
        };
        Some(At {
            address,
            line,
            rest,
            counts: window.position(),
        })
    }
}
