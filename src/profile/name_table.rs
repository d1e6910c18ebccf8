//! Names, each kept once. A name is bytes: what is no UTF-8 passes through unchanged.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::profile::error::LimitExceeded;

/// Hashes names, here or in another thread.
#[derive(Clone, Default)]
pub struct NameHasher(DefaultHashBuilder);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameHash(u32);

impl NameHasher {
    /// The hash of `name`.
    #[inline]
    pub fn hash(&self, name: &[u8]) -> NameHash {
        NameHash((self.0.hash_one(name) >> 32) as u32)
    }
}

impl NameHash {
    /// hashbrown takes the slot from the low bits and a tag from the high ones.
    fn for_table(self) -> u64 {
        u64::from(self.0).wrapping_mul(0x9e37_79b9_0000_0001)
    }
}

/// A list of different names, in order of first appearance.
#[derive(Clone, Default)]
pub struct NameTable {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// With each number the hash of the name, which may be long.
    index: HashTable<(NameHash, u32)>,
}

impl NameTable {
    /// The number of `name`, whose hash is given, in the list, which it joins if it is new.
    pub fn intern(&mut self, name: &[u8], hash: NameHash) -> Result<u32, LimitExceeded> {
        let found = self.find(name, hash);
        if let Some(id) = found {
            return Ok(id);
        }
        let id = u32::try_from(self.ends.len()).map_err(|_| LimitExceeded)?;
        if id == u32::MAX {
            return Err(LimitExceeded);
        }
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        self.index
            .insert_unique(hash.for_table(), (hash, id), |(hash, _)| hash.for_table());
        Ok(id)
    }

    /// The number of `name`, if it is in the list.
    pub fn find(&self, name: &[u8], hash: NameHash) -> Option<u32> {
        let is_it = |&(known, id): &(NameHash, u32)| known == hash && self.name(id) == name;
        let found = self.index.find(hash.for_table(), is_it);
        found.map(|&(_, id)| id)
    }

    /// The name of a number that [`NameTable::intern`] gave.
    pub fn name(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.bytes[start..self.ends[id]]
    }

    /// How many different names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let (mut names, hasher) = (NameTable::default(), NameHasher::default());
        let mut add = |name: &[u8]| names.intern(name, hasher.hash(name)).unwrap();
        let (a, empty, b) = (add(b"a"), add(b""), add(b"\xff"));
        assert_eq!((a, empty, b), (0, 1, 2));
        assert_eq!(add(b"a"), 0);
        assert_eq!(names.name(1), b"");
        assert_eq!(names.name(2), b"\xff");
        assert_eq!(names.len(), 3);
    }
}
