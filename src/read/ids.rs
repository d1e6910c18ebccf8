//! Compressed names: what the numbers in parentheses stand for.

use hashbrown::HashMap;

use super::record::Name;
use crate::profile::TooMany;

/// The numbers of one kind of name. Any number may be used: memory goes by how many there are.
pub(super) struct Ids<T> {
    known: HashMap<u64, T>,
}

impl<T> Default for Ids<T> {
    fn default() -> Ids<T> {
        Ids {
            known: HashMap::default(),
        }
    }
}

impl<T: Copy> Ids<T> {
    /// What `name` stands for, where `add` turns a text into an id of the profile. A number that no line
    /// defined is given back too; the number itself, in its parentheses, is then the name.
    pub(super) fn resolve(
        &mut self,
        name: Name<'_>,
        add: impl FnOnce(&[u8]) -> Result<T, TooMany>,
    ) -> Result<(T, Option<u64>), TooMany> {
        Ok(match name {
            Name::Plain(text) => (add(text)?, None),
            Name::Defined(number, text) => {
                let id = add(text)?;
                self.known.insert(number, id);
                (id, None)
            }
            Name::Known(number) => match self.known.get(&number) {
                Some(&id) => (id, None),
                None => {
                    let id = add(format!("({number})").as_bytes())?;
                    self.known.insert(number, id);
                    (id, Some(number))
                }
            },
        })
    }
}
