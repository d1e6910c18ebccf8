//! Numbers for different keys, in order of first appearance.

use std::hash::{BuildHasher, Hash};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

/// A list of different keys, numbered from 0, that takes little more memory than the keys.
pub(super) struct Numbered<K> {
    keys: Vec<K>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<K> Default for Numbered<K> {
    fn default() -> Numbered<K> {
        Numbered::with_capacity(0)
    }
}

impl<K> Numbered<K> {
    /// An empty list whose table of numbers has room for some keys.
    pub(super) fn with_capacity(keys: usize) -> Numbered<K> {
        let numbers = HashTable::with_capacity(keys);
        Numbered { keys: Vec::new(), numbers, hasher: Default::default() }
    }
}

impl<K: Copy + Eq + Hash> Numbered<K> {
    /// The number of a key, which is appended if it is a new one.
    pub(super) fn number(&mut self, key: K) -> u32 {
        let (keys, hasher) = (&self.keys, &self.hasher);
        let is_same = |&number: &u32| keys[number as usize] == key;
        let hash = |&number: &u32| hasher.hash_one(keys[number as usize]);
        match self.numbers.entry(hasher.hash_one(key), is_same, hash) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let number = keys.len() as u32;
                new.insert(number);
                self.keys.push(key);
                number
            }
        }
    }

    pub(super) fn keys(&self) -> &[K] {
        &self.keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_numbered_in_order_of_first_appearance() {
        let mut numbered = Numbered::default();
        let numbers = ["b", "a", "b", "c", "a"].map(|key| numbered.number(key));
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!(numbered.keys(), ["b", "a", "c"]);
    }
}
