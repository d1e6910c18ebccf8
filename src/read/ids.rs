//! Compressed names: what the numbers in parentheses stand for.

use hashbrown::HashMap;

use super::record::Name;
use crate::profile::TooMany;

/// How many times as many slots as numbers the list of small numbers may have.
const SPARSE: usize = 16;

/// What no number stands for.
const NONE: u32 = u32::MAX;

/// The numbers of one kind of name, with the profile's ids. Any number may be used: memory goes by how many there
/// are. Callgrind numbers names from 1, so that a list holds nearly all of them, which is faster than the
/// table.
#[derive(Default)]
pub(super) struct Ids {
    small: Vec<u32>,
    large: HashMap<u64, u32>,
    /// How many different numbers there are.
    defined: usize,
}

impl Ids {
    /// What `name` stands for, where `add` turns a text into an id of the profile. A number that no line
    /// defined is given back too; the number itself, in its parentheses, is then the name.
    pub(super) fn resolve(
        &mut self,
        name: Name<'_>,
        add: impl FnOnce(&[u8]) -> Result<u32, TooMany>,
    ) -> Result<(u32, Option<u64>), TooMany> {
        Ok(match name {
            Name::Plain(text) => (add(text)?, None),
            Name::Defined(number, text) => {
                let id = add(text)?;
                self.define(number, id);
                (id, None)
            }
            Name::Known(number) => match self.find(number) {
                Some(id) => (id, None),
                None => {
                    let id = add(format!("({number})").as_bytes())?;
                    self.define(number, id);
                    (id, Some(number))
                }
            },
        })
    }

    #[inline]
    fn find(&self, number: u64) -> Option<u32> {
        let small = usize::try_from(number)
            .ok()
            .and_then(|at| self.small.get(at).copied());
        small
            .filter(|&id| id != NONE)
            .or_else(|| self.large.get(&number).copied())
    }

    fn define(&mut self, number: u64, id: u32) {
        // A number that is defined over and over makes no room for others.
        self.defined += usize::from(self.find(number).is_none());
        match usize::try_from(number) {
            Ok(at) if at < SPARSE * (self.defined + 1024) => {
                if at >= self.small.len() {
                    self.small.resize(at + 1, NONE);
                }
                self.small[at] = id;
            }
            _ => drop(self.large.insert(number, id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_small_and_huge_defined_again_and_not_at_all() {
        let mut ids = Ids::default();
        let mut add = |name| ids.resolve(name, |text| Ok(text.len() as u32)).unwrap();
        assert_eq!(add(Name::Defined(7, b"ab")), (2, None));
        assert_eq!(add(Name::Defined(u64::MAX, b"abc")), (3, None));
        assert_eq!(add(Name::Known(7)), (2, None));
        assert_eq!(add(Name::Known(u64::MAX)), (3, None));
        assert_eq!(add(Name::Defined(7, b"abcd")), (4, None));
        assert_eq!(add(Name::Known(7)), (4, None));
        assert_eq!(add(Name::Known(8)), (3, Some(8)));
        assert_eq!(add(Name::Known(8)), (3, None));
        assert_eq!(add(Name::Plain(b"abcdef")), (6, None));
        assert!(ids.small.len() < 100);
    }

    #[test]
    fn defining_a_number_again_makes_no_room() {
        let mut ids = Ids::default();
        (0..100_000).for_each(|_| ids.define(1, 1));
        ids.define(1_000_000, 2);
        assert!(ids.small.len() < 100);
    }

    #[test]
    fn a_number_moves_to_the_list_when_it_is_defined_again() {
        let mut ids = Ids::default();
        ids.define(100_000, 1);
        (0..10_000).for_each(|number| ids.define(number, 2));
        ids.define(100_000, 3);
        assert_eq!(ids.find(100_000), Some(3));
    }
}
