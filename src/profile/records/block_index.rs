//! The rows of the function that is read, found by their keys.

/// How far a row may be from the slot of its hash. Lines of real programs are within a few slots; a file
/// made so that they all meet must take no more time than others.
pub const MAX_PROBES: usize = 64;

/// A hash table of rows that is emptied by counting up.
#[derive(Default)]
pub struct BlockIndex {
    /// The generation that wrote a slot, and the row.
    slots: Vec<(u32, u32)>,
    generation: u32,
    used: usize,
}

impl BlockIndex {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 || self.slots.is_empty() {
            self.slots = vec![(0, 0); self.slots.len().max(256)];
            self.generation = 1;
        }
    }

    /// The row with this hash that is the one.
    #[inline]
    pub fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (generation, row) = self.slots[at];
            if generation != self.generation {
                return None;
            }
            if is_it(row) {
                return Some(row);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a row; true if rows are so far from their slots that the table is of no use.
    pub fn insert(&mut self, hash: u64, row: u32, hash_of: impl Fn(u32) -> u64) -> bool {
        self.used += 1;
        let mut is_crowded = false;
        if self.used * 2 > self.slots.len() {
            let larger = vec![(0, 0); self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            for (generation, row) in old {
                if generation == self.generation {
                    is_crowded |= self.put(hash_of(row), row);
                }
            }
        }
        is_crowded | self.put(hash, row)
    }

    fn put(&mut self, hash: u64, row: u32) -> bool {
        let mask = self.slots.len() - 1;
        let mut probes = 0;
        while self.slots[(hash as usize).wrapping_add(probes) & mask].0 == self.generation {
            probes += 1;
        }
        self.slots[(hash as usize).wrapping_add(probes) & mask] = (self.generation, row);
        probes > MAX_PROBES
    }
}
