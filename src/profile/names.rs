//! Names, each kept once. A name is bytes: what is no UTF-8 passes through unchanged.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::TooMany;

/// A list of different names, in order of first appearance.
#[derive(Default)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The number of `name` in the list, which it joins if it is new.
    ///
    /// # Errors
    /// [`TooMany`] above 2^32 names.
    pub fn intern(&mut self, name: &[u8]) -> Result<u32, TooMany> {
        let hash = self.hasher.hash_one(name);
        if let Some(&id) = self.index.find(hash, |&id| self.name(id) == name) {
            return Ok(id);
        }
        let id = u32::try_from(self.ends.len()).map_err(|_| TooMany)?;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.index
            .insert_unique(hash, id, |&id| hasher.hash_one(slice(bytes, ends, id)));
        Ok(id)
    }

    /// The number of `name`, if it is in the list.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        self.index
            .find(self.hasher.hash_one(name), |&id| self.name(id) == name)
            .copied()
    }

    /// The name of a number that [`Names::intern`] gave.
    pub fn name(&self, id: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
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

fn slice<'a>(bytes: &'a [u8], ends: &[usize], id: u32) -> &'a [u8] {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &bytes[start..ends[id]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_kept_once() {
        let mut names = Names::default();
        let (a, empty, b) = (
            names.intern(b"a").unwrap(),
            names.intern(b"").unwrap(),
            names.intern(b"\xff").unwrap(),
        );
        assert_eq!((a, empty, b), (0, 1, 2));
        assert_eq!(names.intern(b"a"), Ok(0));
        assert_eq!(names.name(1), b"");
        assert_eq!(names.name(2), b"\xff");
        assert_eq!(names.len(), 3);
    }
}
