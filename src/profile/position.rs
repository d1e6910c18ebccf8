//! Positions in a fragment: a source line, or, where a report needs it, an instruction. A position
//! takes as much memory as a line, as with contexts there are millions of places; the data of each
//! instruction are listed once.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use crate::profile::budget::LimitExceeded;

/// A source line, or [`LISTED`] plus the number of one of the [`Positions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub(super) u32);

/// The first number that is not a line.
const LISTED: u32 = 1 << 31;

impl Position {
    pub const UNKNOWN: Position = Position(0);
}

/// The data of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    pub address: u64,
    pub line: u32,
    /// For calls from an instruction: their target.
    pub target: Position,
}

impl Spot {
    pub fn of_line(line: u32) -> Spot {
        Spot { line, ..Spot::default() }
    }
}

/// The positions of instructions, each once.
#[derive(Clone, Default)]
pub(super) struct Positions {
    list: IndexSet<Spot, DefaultHashBuilder>,
    /// The number of the position found last; the next one often follows it.
    last: usize,
}

impl Positions {
    #[inline]
    pub(super) fn add(&mut self, spot: Spot) -> Result<Position, LimitExceeded> {
        match spot.address {
            0 if spot.line < LISTED && spot.target == Position::UNKNOWN => Ok(Position(spot.line)),
            _ => self.find_or_add(spot),
        }
    }

    fn find_or_add(&mut self, spot: Spot) -> Result<Position, LimitExceeded> {
        let next = self.last + 1;
        self.last = if self.list.get_index(next) == Some(&spot) {
            next
        } else {
            self.list.insert_full(spot).0
        };
        let number = u32::try_from(self.last).ok();
        let number = number.filter(|&number| number < LISTED);
        Ok(Position(LISTED | number.ok_or(LimitExceeded)?))
    }

    /// The data of some positions, those of equal positions once, and one for all that are lines.
    pub(super) fn distinct(
        &self,
        positions: impl Iterator<Item = Position>,
    ) -> impl Iterator<Item = Spot> {
        let (mut is_listed, mut has_line) = (vec![false; self.list.len()], false);
        for position in positions {
            match position.0.checked_sub(LISTED) {
                Some(number) => is_listed[number as usize] = true,
                None => has_line = true,
            }
        }
        let listed = self.list.iter().copied().zip(is_listed).filter(|(_, is_listed)| *is_listed);
        has_line.then(Spot::default).into_iter().chain(listed.map(|(spot, _)| spot))
    }

    #[inline]
    pub(super) fn get(&self, position: Position) -> Spot {
        match position.0.checked_sub(LISTED) {
            Some(number) => self.list[number as usize],
            None => Spot::of_line(position.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_again() {
        let mut positions = Positions::default();
        let spot = |number: u64| Spot {
            address: number % 3 * 0x1000 + number,
            line: (number % 7) as u32 * (u32::MAX / 7),
            target: Position((number % 2) as u32),
        };
        let all: Vec<(u64, Position)> =
            (0..10_000).map(|at| (at, positions.add(spot(at)).unwrap())).collect();
        for &(at, position) in all.iter().rev() {
            assert_eq!(positions.add(spot(at)).unwrap(), position);
            assert_eq!(positions.get(position), spot(at));
        }
        assert_eq!(positions.list.len(), 9_999, "one is a line");
    }
}
