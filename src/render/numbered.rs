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
        Numbered { keys: Vec::new(), numbers: HashTable::new(), hasher: Default::default() }
    }
}

impl<K: Copy + Eq + Hash> Numbered<K> {
    /// The number of a key, which is compared with the last one alone, and appended if that is
    /// another: for keys of which equal ones follow one another.
    pub(super) fn number_of_last(&mut self, key: K) -> u32 {
        if self.keys.last() != Some(&key) {
            self.keys.push(key);
        }
        self.keys.len() as u32 - 1
    }

    /// The number of a key, which is appended if it is a new one.
    pub(super) fn number(&mut self, key: K) -> u32 {
        self.find_appended();
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

    /// Lists the keys that were appended without a search among those that are searched.
    fn find_appended(&mut self) {
        let (keys, hasher) = (&self.keys, &self.hasher);
        let hash = |&number: &u32| hasher.hash_one(keys[number as usize]);
        for number in self.numbers.len()..keys.len() {
            let number = number as u32;
            self.numbers.insert_unique(hash(&number), number, hash);
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

    #[test]
    fn keys_that_were_compared_with_the_last_one_alone_are_found() {
        let mut numbered = Numbered::default();
        let numbers = ["b", "b", "a"].map(|key| numbered.number_of_last(key));
        assert_eq!(numbers, [0, 0, 1]);
        let numbers = ["a", "c", "b"].map(|key| numbered.number(key));
        assert_eq!(numbers, [1, 2, 0]);
        assert_eq!(numbered.number_of_last("b"), 3);
    }
}
