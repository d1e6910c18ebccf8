//! Costs that are added up by a key, in little memory: of an instruction there may be many, and there may be a million
//! instructions.

use super::InFunction;
use crate::profile::cost_table::CostTable;
use crate::profile::count::Count;
use crate::profile::division::FunctionId;

/// Costs that are added up by key. New ones are appended; when they are half as many as those before, they are sorted,
/// added up and merged with these.
#[derive(Debug)]
pub struct Sums<K> {
    keys: Vec<K>,
    costs: CostTable,
    /// How many rows are added up; their keys are different and in order.
    added_up: usize,
}

/// How many rows are appended at least before they are added up.
const MIN_ROWS: usize = 1 << 16;

impl<K: Copy + Ord> Sums<K> {
    pub(super) fn new(width: usize) -> Sums<K> {
        Sums {
            keys: Vec::new(),
            costs: CostTable::new(width, 0),
            added_up: 0,
        }
    }

    pub fn add(&mut self, key: K, cost: &[Count]) {
        if self.keys.last() == Some(&key) {
            return self.costs.add(self.keys.len() - 1, cost);
        }
        if self.keys.len() - self.added_up >= MIN_ROWS.max(self.added_up / 2) {
            self.add_up();
        }
        self.push(key, cost);
    }

    fn push(&mut self, key: K, cost: &[Count]) {
        self.keys.push(key);
        self.costs.push(cost);
    }

    /// Makes one of the rows that have the same key, and puts them in order.
    pub(super) fn add_up(&mut self) {
        let start = self.added_up.saturating_sub(1);
        if !self.keys[start..].is_sorted_by(|a, b| a < b) {
            let appended = self.take_appended();
            self.merge(appended);
        }
        self.added_up = self.keys.len();
    }

    /// Takes the rows that were appended, added up and in order.
    fn take_appended(&mut self) -> Sums<K> {
        let mut order: Vec<u32> = (self.added_up as u32..self.keys.len() as u32).collect();
        order.sort_by_key(|&row| self.keys[row as usize]);
        let mut appended = Sums::new(self.costs.width());
        for row in order {
            let (key, cost) = self.row(row as usize);
            match appended.keys.last() {
                Some(&last) if last == key => appended.costs.add(appended.keys.len() - 1, cost),
                _ => appended.push(key, cost),
            }
        }
        self.keys.truncate(self.added_up);
        self.costs.resize(self.added_up);
        appended
    }

    /// Merges with rows that are in order as well: first adds up those whose keys both have, then moves the others to
    /// their places, from the last to the first.
    fn merge(&mut self, mut other: Sums<K>) {
        let (mut row, mut left) = (0, 0);
        for from in 0..other.keys.len() {
            let (key, cost) = other.row(from);
            while self.keys.get(row).is_some_and(|own| *own < key) {
                row += 1;
            }
            if self.keys.get(row) == Some(&key) {
                self.costs.add(row, cost);
            } else {
                other.copy(from, left);
                left += 1;
            }
        }
        let Some(&fill) = self.keys.first().or(other.keys.first()) else {
            return;
        };
        let mut from = self.keys.len();
        let mut to = from + left;
        self.keys.resize(to, fill);
        self.costs.resize(to);
        while left > 0 {
            to -= 1;
            let (key, cost) = other.row(left - 1);
            if from > 0 && self.keys[from - 1] > key {
                from -= 1;
                self.copy(from, to);
            } else {
                left -= 1;
                self.keys[to] = key;
                self.costs.get_mut(to).copy_from_slice(cost);
            }
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.keys[to] = self.keys[from];
        self.costs.copy(from, to);
    }

    pub(super) fn widen(&mut self, width: usize) {
        self.costs.widen(width);
    }

    fn row(&self, row: usize) -> (K, &[Count]) {
        (self.keys[row], self.costs.get(row))
    }

    pub fn key(&self, row: usize) -> K {
        self.keys[row]
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// All rows, in order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (K, &[Count])> {
        (0..self.keys.len()).map(|row| self.row(row))
    }

    /// The rows of a function, in order of their keys.
    pub fn of(&self, function: FunctionId) -> impl Iterator<Item = (K, &[Count])>
    where
        K: InFunction,
    {
        let start = self.keys.partition_point(|key| key.function() < function);
        let end = start + self.keys[start..].partition_point(|key| key.function() == function);
        (start..end).map(|row| self.row(row))
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}
