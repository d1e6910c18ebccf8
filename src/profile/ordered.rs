//! A map that keeps the order of insertion.

use std::hash::Hash;

use hashbrown::HashMap;

/// A map whose values are in the order in which their keys were first added.
#[derive(Clone, Debug)]
pub struct Ordered<K, V> {
    pub list: Vec<V>,
    numbers: HashMap<K, u32>,
}

impl<K, V> Default for Ordered<K, V> {
    fn default() -> Ordered<K, V> {
        Ordered {
            list: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<K: Eq + Hash, V> Ordered<K, V> {
    /// The position of a key's value, which is made by `new` if the key is new.
    pub fn position(&mut self, key: K, new: impl FnOnce(&K) -> V) -> usize {
        let list = &mut self.list;
        let position = self.numbers.entry(key).or_insert_with_key(|key| {
            list.push(new(key));
            list.len() as u32 - 1
        });
        *position as usize
    }

    /// The value of a key, which is made by `new` if the key is new.
    pub fn value(&mut self, key: K, new: impl FnOnce(&K) -> V) -> &mut V {
        let position = self.position(key, new);
        &mut self.list[position]
    }

    pub fn find(&self, key: &K) -> Option<usize> {
        self.numbers.get(key).map(|&position| position as usize)
    }

    /// Removes the values that `keeps` rejects. No value is found by its key afterwards.
    pub fn retain(&mut self, keeps: impl FnMut(&V) -> bool) {
        self.list.retain(keeps);
        self.numbers.clear();
    }
}
