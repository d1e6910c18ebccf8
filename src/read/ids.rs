//! Compressed names: what the numbers in parentheses stand for.

use hashbrown::HashMap;

use super::record::Name;
use crate::profile::TooMany;

/// Numbers below this one have a place in a list, which takes 4 MB if all are used.
const LISTED: usize = 1 << 20;

/// The numbers of one kind of name, with the profile's ids. Any number may be used: memory goes by how many there
/// are. Callgrind numbers names from 1, and leaves out those that no cost was counted for, so that a list
/// holds nearly all of them, which is faster than the table.
#[derive(Default)]
pub(super) struct Ids {
    /// The ids, each with 1 added; 0 for no id. As long as it has to be.
    small: Vec<u32>,
    large: HashMap<u64, u32>,
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
        match usize::try_from(number) {
            Ok(at) if at < LISTED => self.small.get(at)?.checked_sub(1),
            _ => self.large.get(&number).copied(),
        }
    }

    /// Notes that a number stands for an id of the profile from here on.
    pub(super) fn define(&mut self, number: u64, id: u32) {
        match usize::try_from(number) {
            Ok(at) if at < LISTED => {
                if at >= self.small.len() {
                    self.small.resize((at + 1).next_power_of_two(), 0);
                }
                // The profile has no id that is followed by none.
                self.small[at] = id.wrapping_add(1);
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
        let last = LISTED as u64 - 1;
        assert_eq!(add(Name::Defined(last, b"a")), (1, None));
        assert_eq!(add(Name::Defined(last + 1, b"abc")), (3, None));
        assert_eq!(add(Name::Known(last)), (1, None));
        assert_eq!(add(Name::Known(last + 1)), (3, None));
    }
}
