//! A table of costs: for each key a row of counts, one count an event, in order of first appearance.
//!
//! Finding the row is the innermost step of reading, so it is made for how profiles are written: a
//! function at a time, most functions once, their lines near each other. The rows of a function that is
//! there for the first time are found in a small table that its lines fill and that stays in the
//! processor's cache. Only when a function comes again (another part, another producer) are its rows
//! entered into a hash table over all.
//!
//! Measured 2026-11-21 on a 49 MB profile (3.9 million lines, 930,549 rows): reading took 0.54 s with a
//! hash table alone, 0.27 s so.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use super::count::{Count, Overflow, add_cost, derive};
use super::{FileId, FunctionId, TooMany};

/// What a row of a [`Table`] is found by.
pub trait Key: Copy + Eq {
    /// The function whose block of the profile the row stands in.
    fn function(self) -> FunctionId;

    /// A hash of all but the function, in whose low bits neighbouring lines are neighbours.
    fn hash(self) -> u64;
}

/// Where a self cost was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function that spent it.
    pub function: FunctionId,
    /// The source file of the line: another than the function's own where code was inlined.
    pub file: FileId,
    /// The source line, 0 if unknown.
    pub line: u32,
}

/// A calling line together with what it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Function, file and line of the call.
    pub site: Place,
    /// The function called.
    pub callee: FunctionId,
}

/// Spreads a number over all bits of the result.
#[inline]
fn spread(number: u32) -> u64 {
    let product = u64::from(number)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

impl Key for Place {
    #[inline]
    fn function(self) -> FunctionId {
        self.function
    }

    #[inline]
    fn hash(self) -> u64 {
        spread(self.file.0).wrapping_add(u64::from(self.line))
    }
}

impl Key for Call {
    #[inline]
    fn function(self) -> FunctionId {
        self.site.function
    }

    #[inline]
    fn hash(self) -> u64 {
        spread(self.callee.0) ^ self.site.hash()
    }
}

/// Rows of counts, each row found by its key.
pub struct Table<K> {
    keys: Vec<K>,
    counts: Vec<Count>,
    width: usize,
    /// The row found last: the next line is often of the same.
    last: usize,
    /// The function at hand.
    function: FunctionId,
    /// Whether its rows are found in `recent`, as it is there for the first time, or else in `index`.
    is_fresh: bool,
    recent: Recent,
    index: HashTable<u32>,
    /// Another in each run, so that no file can know which keys meet in the index.
    seed: u64,
    /// Which rows each function got when it was there for the first time.
    blocks: Vec<Block>,
}

/// Rows that stand together.
#[derive(Clone, Copy, Default)]
struct Block {
    first: u32,
    end: u32,
    /// Whether they are in the index.
    is_indexed: bool,
}

impl<K: Key> Table<K> {
    /// An empty table whose rows have `width` counts.
    pub fn new(width: usize) -> Table<K> {
        Table {
            keys: Vec::new(),
            counts: Vec::new(),
            width,
            last: 0,
            function: FunctionId(u32::MAX),
            is_fresh: false,
            recent: Recent::default(),
            index: HashTable::new(),
            seed: RandomState::new().hash_one(0) | 1,
            blocks: Vec::new(),
        }
    }

    /// The row of `key`; a new one has only undefined counts.
    ///
    /// # Errors
    /// [`TooMany`] above 2^32 rows.
    #[inline]
    pub fn row(&mut self, key: K) -> Result<usize, TooMany> {
        if self.keys.get(self.last) == Some(&key) {
            return Ok(self.last);
        }
        if key.function() != self.function {
            self.enter(key.function())?;
        }
        let hash = key.hash();
        let keys = &self.keys;
        let found = if self.is_fresh {
            self.recent.find(hash, |row| keys[row as usize] == key)
        } else {
            self.index
                .find(index_hash(key, self.seed), |&row| keys[row as usize] == key)
                .copied()
        };
        self.last = match found {
            Some(row) => row as usize,
            None => self.push(key)?,
        };
        Ok(self.last)
    }

    /// Turns to another function.
    fn enter(&mut self, function: FunctionId) -> Result<(), TooMany> {
        let rows = u32::try_from(self.keys.len()).map_err(|_| TooMany)?;
        if self.is_fresh {
            self.blocks[self.function.index()].end = rows;
        }
        if function.index() >= self.blocks.len() {
            self.blocks.resize(function.index() + 1, Block::default());
        }
        let block = &mut self.blocks[function.index()];
        self.function = function;
        self.is_fresh = block.first == block.end && !block.is_indexed;
        if self.is_fresh {
            block.first = rows;
            self.recent.clear();
        } else if !block.is_indexed {
            self.settle();
        }
        Ok(())
    }

    /// Enters the rows of the function at hand into the index.
    #[cold]
    fn settle(&mut self) {
        let block = &mut self.blocks[self.function.index()];
        block.is_indexed = true;
        for row in block.first..block.end {
            insert(&mut self.index, &self.keys, self.seed, row);
        }
    }

    fn push(&mut self, key: K) -> Result<usize, TooMany> {
        let row = u32::try_from(self.keys.len()).map_err(|_| TooMany)?;
        self.keys.push(key);
        self.counts
            .resize(self.counts.len() + self.width, Count::UNDEFINED);
        if self.is_fresh {
            let keys = &self.keys;
            let is_far = self
                .recent
                .insert(key.hash(), row, |row| keys[row as usize].hash());
            if is_far {
                self.is_fresh = false;
                self.blocks[self.function.index()].end = row + 1;
                self.settle();
            }
        } else {
            insert(&mut self.index, &self.keys, self.seed, row);
        }
        Ok(row as usize)
    }

    /// Adds `cost` to a row that [`Table::row`] gave.
    ///
    /// # Errors
    /// [`Overflow`] when a sum does not fit.
    #[inline]
    pub fn add(&mut self, row: usize, cost: &[Count]) -> Result<(), Overflow> {
        let start = row * self.width;
        add_cost(&mut self.counts[start..start + self.width], cost)
    }

    /// Makes all rows `width` counts wide; new counts are undefined.
    pub fn widen(&mut self, width: usize) {
        let old = std::mem::take(&mut self.counts);
        self.counts = Vec::with_capacity(self.keys.len() * width);
        for row in 0..self.keys.len() {
            self.counts
                .extend_from_slice(&old[row * self.width..(row + 1) * self.width]);
            self.counts.resize((row + 1) * width, Count::UNDEFINED);
        }
        self.width = width;
    }

    /// Sets the count of one event in all rows to the sum of others, each with its factor.
    ///
    /// # Errors
    /// [`Overflow`] when a product or sum does not fit.
    pub fn derive(&mut self, event: usize, terms: &[(i64, usize)]) -> Result<(), Overflow> {
        self.counts
            .chunks_mut(self.width.max(1))
            .try_for_each(|cost| derive(cost, event, terms))
    }

    /// Turns the sign of all counts.
    ///
    /// # Errors
    /// [`Overflow`] for the smallest number, which has no other sign.
    pub fn negate(&mut self) -> Result<(), Overflow> {
        self.counts.iter_mut().try_for_each(|count| {
            if let Some(value) = count.value() {
                *count = Count::new(value.checked_neg().ok_or(Overflow)?)?;
            }
            Ok(())
        })
    }

    /// The key of a row.
    pub fn key(&self, row: usize) -> K {
        self.keys[row]
    }

    /// The counts of a row.
    pub fn cost(&self, row: usize) -> &[Count] {
        &self.counts[row * self.width..(row + 1) * self.width]
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// All rows in order of first appearance.
    pub fn iter(&self) -> impl Iterator<Item = (K, &[Count])> + Clone {
        (0..self.len()).map(|row| (self.key(row), self.cost(row)))
    }
}

fn insert<K: Key>(index: &mut HashTable<u32>, keys: &[K], seed: u64, row: u32) {
    index.insert_unique(index_hash(keys[row as usize], seed), row, |&row| {
        index_hash(keys[row as usize], seed)
    });
}

/// The hash over all functions: hashbrown takes the slot from the low bits, a tag from the high ones.
fn index_hash<K: Key>(key: K, seed: u64) -> u64 {
    let product = (key.hash() ^ spread(key.function().0)).wrapping_mul(seed);
    product ^ product >> 32
}

/// How far a row may be from where its hash says. Lines of real programs are within a few slots; a file
/// that is made so that they all meet is to take no more time than others.
const FARTHEST: usize = 64;

/// The rows of the function at hand: a hash table that is emptied by counting up.
#[derive(Default)]
struct Recent {
    /// The generation that wrote a slot, and the row.
    slots: Vec<(u32, u32)>,
    generation: u32,
    used: usize,
}

impl Recent {
    fn clear(&mut self) {
        self.used = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 || self.slots.is_empty() {
            self.slots = vec![(0, 0); self.slots.len().max(256)];
            self.generation = 1;
        }
    }

    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
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

    /// Takes in a row; true if rows are too far from where they should be for the table to be of any use.
    fn insert(&mut self, hash: u64, row: u32, hash_of: impl Fn(u32) -> u64) -> bool {
        self.used += 1;
        let mut is_far = false;
        if self.used * 2 > self.slots.len() {
            let larger = vec![(0, 0); self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, larger);
            for (generation, row) in old {
                if generation == self.generation {
                    is_far |= self.put(hash_of(row), row);
                }
            }
        }
        is_far | self.put(hash, row)
    }

    fn put(&mut self, hash: u64, row: u32) -> bool {
        let mask = self.slots.len() - 1;
        let mut far = 0;
        while self.slots[(hash as usize).wrapping_add(far) & mask].0 == self.generation {
            far += 1;
        }
        self.slots[(hash as usize).wrapping_add(far) & mask] = (self.generation, row);
        far > FARTHEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: u32, line: u32) -> Place {
        Place {
            function: FunctionId(function),
            file: FileId(0),
            line,
        }
    }

    fn count(value: i64) -> Count {
        Count::new(value).unwrap()
    }

    #[test]
    fn a_function_that_comes_again_finds_its_rows() {
        let mut table = Table::new(1);
        // Blocks of 1000 lines each, thrice; then all lines in another order.
        let blocks = (0..3).flat_map(|_| (0..5).flat_map(|f| (0..1000).map(move |line| (f, line))));
        let mixed = (0..5000).map(|i| (i % 5, i / 5));
        for (function, line) in blocks.chain(mixed) {
            let row = table.row(place(function, line)).unwrap();
            assert_eq!(row, (function * 1000 + line) as usize);
            table.add(row, &[count(1)]).unwrap();
        }
        assert_eq!(table.len(), 5000);
        assert!(table.iter().all(|(_, cost)| cost == [count(4)]));
    }

    #[test]
    fn an_old_function_may_get_new_rows() {
        let mut table = Table::new(0);
        for (function, line) in [(0, 1), (1, 1), (0, 2), (1, 2), (0, 1), (0, 2), (1, 2)] {
            table.row(place(function, line)).unwrap();
        }
        let keys: Vec<_> = table.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, [place(0, 1), place(1, 1), place(0, 2), place(1, 2)]);
    }

    #[test]
    fn lines_that_meet_in_the_small_table_are_found_too() {
        let mut table = Table::new(1);
        for _ in 0..2 {
            for i in 0..20_000 {
                let row = table.row(place(0, i << 16)).unwrap();
                assert_eq!(row, i as usize);
                table.add(row, &[count(1)]).unwrap();
            }
        }
        assert_eq!(table.len(), 20_000);
        assert!(!table.is_fresh, "{FARTHEST} slots are searched at most");
        assert!(table.iter().all(|(_, cost)| cost == [count(2)]));
    }

    #[test]
    fn widening_keeps_the_counts() {
        let mut table = Table::new(1);
        for line in 0..3 {
            let row = table.row(place(0, line)).unwrap();
            table.add(row, &[count(5)]).unwrap();
        }
        table.widen(3);
        assert_eq!(
            table.cost(2),
            [count(5), Count::UNDEFINED, Count::UNDEFINED]
        );
    }
}
