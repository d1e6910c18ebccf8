//! Compressed names: the names of the ids in parentheses.

use hashbrown::HashMap;

use super::record::Name;
use crate::profile::LimitExceeded;

/// Ids below this one are indices of a list, which takes 4 MB if all are used.
const MAX_DENSE: usize = 1 << 20;

/// The compressed ids of one kind of name, with the profile's ids. Memory depends on how many are defined, not on their
/// values. Callgrind counts from 1 and leaves out names without cost, so a list holds nearly all, which is faster than a map.
#[derive(Default)]
pub(super) struct CompressedNames {
    /// The profile's ids plus 1, 0 for none; as long as needed.
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
}

impl CompressedNames {
    /// The profile's id for `name`; `add` adds a text to the profile. An id that no line defined is returned too: the id
    /// itself, in its parentheses, is then the name.
    pub(super) fn resolve(
        &mut self,
        name: Name<'_>,
        add: impl FnOnce(&[u8]) -> Result<u32, LimitExceeded>,
    ) -> Result<(u32, Option<u64>), LimitExceeded> {
        Ok(match name {
            Name::Text(text) => (add(text)?, None),
            Name::Definition(number, text) => {
                let id = add(text)?;
                self.define(number, id);
                (id, None)
            }
            Name::Reference(number) => match self.find(number) {
                Some(id) => (id, None),
                None => {
                    let id = add(format!("({number})").as_bytes())?;
                    self.define(number, id);
                    (id, Some(number))
                }
            },
        })
    }

    /// The profile's id for a compressed id, if a line defined it.
    #[inline]
    pub(super) fn find(&self, number: u64) -> Option<u32> {
        match usize::try_from(number) {
            Ok(at) if at < MAX_DENSE => self.dense.get(at)?.checked_sub(1),
            _ => self.sparse.get(&number).copied(),
        }
    }

    /// Lets a compressed id refer to an id of the profile from here on.
    pub(super) fn define(&mut self, number: u64, id: u32) {
        match usize::try_from(number) {
            Ok(at) if at < MAX_DENSE => {
                if at >= self.dense.len() {
                    self.dense.resize((at + 1).next_power_of_two(), 0);
                }
                // The profile has no id of `u32::MAX`.
                self.dense[at] = id.wrapping_add(1);
            }
            _ => drop(self.sparse.insert(number, id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_small_and_huge_defined_again_and_not_at_all() {
        let mut ids = CompressedNames::default();
        let mut add = |name| ids.resolve(name, |text| Ok(text.len() as u32)).unwrap();
        assert_eq!(add(Name::Definition(7, b"ab")), (2, None));
        assert_eq!(add(Name::Definition(u64::MAX, b"abc")), (3, None));
        assert_eq!(add(Name::Reference(7)), (2, None));
        assert_eq!(add(Name::Reference(u64::MAX)), (3, None));
        assert_eq!(add(Name::Definition(7, b"abcd")), (4, None));
        assert_eq!(add(Name::Reference(7)), (4, None));
        assert_eq!(add(Name::Reference(8)), (3, Some(8)));
        assert_eq!(add(Name::Reference(8)), (3, None));
        assert_eq!(add(Name::Text(b"abcdef")), (6, None));
        let last = MAX_DENSE as u64 - 1;
        assert_eq!(add(Name::Definition(last, b"a")), (1, None));
        assert_eq!(add(Name::Definition(last + 1, b"abc")), (3, None));
        assert_eq!(add(Name::Reference(last)), (1, None));
        assert_eq!(add(Name::Reference(last + 1)), (3, None));
    }
}
