//! Positions in a fragment: a source line, or, where a report needs it, an instruction. With
//! contexts there are millions of places, so a place has the id of its position, which takes as
//! much memory as a line; each instruction is listed once.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use crate::profile::budget::LimitExceeded;

/// The id of a [`Position`]: its source line if that is all of it, else [`LISTED`] plus its number
/// in the [`Positions`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PositionId(pub(super) u32);

/// The first number that is not a line.
const LISTED: u32 = 1 << 31;

impl PositionId {
    pub const UNKNOWN: PositionId = PositionId(0);
}

/// Where in a fragment a cost, a call or a jump is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The address of an instruction, as in the headers of its object; 0 if only the line is known.
    pub address: u64,
    /// The source line, 0 if unknown.
    pub line: u32,
    /// For calls from an instruction: their target.
    pub target: PositionId,
}

impl Position {
    pub fn of_line(line: u32) -> Position {
        Position { line, ..Position::default() }
    }
}

/// The positions of instructions, each once. The instructions of a function come in the same order
/// in each of its contexts, and calls have the position of the cost before them, so that most are
/// found without a hash.
#[derive(Clone, Default)]
pub(super) struct Positions {
    list: IndexSet<Position, DefaultHashBuilder>,
    /// The number of the position found last.
    last: usize,
}

impl Positions {
    #[inline]
    pub(super) fn add(&mut self, position: Position) -> Result<PositionId, LimitExceeded> {
        match position.address {
            0 if position.line < LISTED && position.target == PositionId::UNKNOWN => {
                Ok(PositionId(position.line))
            }
            _ => self.find_or_add(position),
        }
    }

    /// The position of calls of a target from a site.
    pub(super) fn add_call(
        &mut self,
        site: PositionId,
        target: Position,
    ) -> Result<PositionId, LimitExceeded> {
        let Position { address, line, .. } = self.get(site);
        let is_it = |&number: &usize| {
            self.list.get_index(number).is_some_and(|call| {
                (call.address, call.line) == (address, line)
                    && call.target != PositionId::UNKNOWN
                    && self.get(call.target) == target
            })
        };
        // If the target was a new one then, it is between the site and the call.
        if let Some(number) = [self.last + 1, self.last + 2].into_iter().find(is_it) {
            self.last = number;
            return id(number);
        }
        let called = self.add(target)?;
        self.add(Position { address, line, target: called })
    }

    fn find_or_add(&mut self, position: Position) -> Result<PositionId, LimitExceeded> {
        let is_it = |&number: &usize| self.list.get_index(number) == Some(&position);
        let near = [self.last, self.last + 1].into_iter().find(is_it);
        self.last = near.unwrap_or_else(|| self.list.insert_full(position).0);
        id(self.last)
    }

    /// The data of some positions with keys. Those are left out that had the same key when they
    /// were met before, and so are lines after the first one.
    pub(super) fn distinct<K: Copy + PartialEq>(
        &self,
        ids: impl Iterator<Item = (K, PositionId)>,
    ) -> impl Iterator<Item = (K, Position)> {
        let (mut keys, mut key_of_line) = (vec![None; self.list.len()], None);
        let is_new = move |&(key, id): &(K, PositionId)| {
            let last = match id.0.checked_sub(LISTED) {
                Some(number) => &mut keys[number as usize],
                None => &mut key_of_line,
            };
            last.replace(key) != Some(key)
        };
        ids.filter(is_new).map(|(key, id)| (key, self.get(id)))
    }

    #[inline]
    pub(super) fn get(&self, id: PositionId) -> Position {
        match id.0.checked_sub(LISTED) {
            Some(number) => self.list[number as usize],
            None => Position::of_line(id.0),
        }
    }
}

fn id(number: usize) -> Result<PositionId, LimitExceeded> {
    let listed = u32::try_from(number).ok().filter(|&number| number < LISTED);
    Ok(PositionId(LISTED | listed.ok_or(LimitExceeded)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_position_of_their_site_and_target() {
        let mut positions = Positions::default();
        let at = |address| Position { address, line: 1, target: PositionId::UNKNOWN };
        let mut found = Vec::new();
        // Twice in the same order, then in another one.
        for [site, target] in [[1, 9], [2, 9], [2, 8], [1, 9], [2, 9], [2, 8], [2, 8], [1, 9]] {
            let id = positions.add(at(site)).unwrap();
            let call = positions.add_call(id, at(target)).unwrap();
            let Position { address, target: called, .. } = positions.get(call);
            assert_eq!((address, positions.get(called).address), (site, target));
            found.push(call);
        }
        let [first, second, third] = [found[0], found[1], found[2]];
        assert_eq!(found[3..], [first, second, third, third, first]);
        assert_eq!(positions.list.len(), 7, "two sites, two targets, three calls");
    }

    #[test]
    fn positions_are_found_again() {
        let mut positions = Positions::default();
        let position = |number: u64| Position {
            address: number % 3 * 0x1000 + number,
            line: (number % 7) as u32 * (u32::MAX / 7),
            target: PositionId((number % 2) as u32),
        };
        let all: Vec<(u64, PositionId)> =
            (0..10_000).map(|at| (at, positions.add(position(at)).unwrap())).collect();
        for &(at, id) in all.iter().rev() {
            assert_eq!(positions.add(position(at)).unwrap(), id);
            assert_eq!(positions.get(id), position(at));
        }
        assert_eq!(positions.list.len(), 9_999, "one is a line");
    }
}
