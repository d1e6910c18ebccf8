//! gprof's data: samples of a program's position, and counts of its calls, which it writes if
//! compiled with -pg.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::profile::budget::{LIMIT, Overflow};

/// The unit of sampled costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The unit, usually `seconds`.
    pub name: Vec<u8>,
    /// Its letter, usually `s`.
    pub letter: u8,
    /// The number of samples in one unit.
    pub rate: u32,
}

impl Default for Unit {
    fn default() -> Unit {
        Unit { name: b"seconds".to_vec(), letter: b's', rate: 100 }
    }
}

/// Samples by position: a range of addresses in bins of one size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub start: u64,
    /// The first address after the range.
    pub end: u64,
    pub size: u32,
    /// The number of samples of each bin that has some.
    pub bins: BTreeMap<u32, u64>,
}

impl Histogram {
    /// The size of a bin, in units of two bytes.
    pub fn scale(&self) -> f64 {
        (self.end.wrapping_sub(self.start) / 2) as f64 / f64::from(self.size)
    }
}

/// Calls between two addresses, as gprof's data have them.
pub struct RawCall {
    /// An address in the caller.
    pub from: u64,
    /// An address in the callee.
    pub to: u64,
    pub count: u64,
}

/// The number of executions of a basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BasicBlock {
    pub address: u64,
    pub count: u64,
}

/// The numbers of records in gprof's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordCounts {
    /// The version in its header; none of old formats, which always have a histogram and a call
    /// graph.
    pub version: Option<u32>,
    pub histograms: u64,
    pub calls: u64,
    /// The number of records of basic blocks.
    pub blocks: u64,
}

/// Why a histogram cannot be added to those before it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Mismatch {
    #[error("histograms that overlap")]
    Range,
    #[error("histograms with bins of different sizes")]
    Scale,
    #[error("histograms of different units")]
    Unit,
    #[error("histograms of different sampling rates")]
    Rate,
}

/// The samples of one or several files. Calls are passed to the function that the reader is given
/// for them.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    histograms: Vec<Histogram>,
    /// The histograms with bins, by their first address.
    by_start: BTreeMap<u64, usize>,
    unit: Option<Unit>,
    /// The budget: all samples, calls and executions of blocks so far.
    spent: u64,
    /// All basic blocks, in the order of the files.
    pub blocks: Vec<BasicBlock>,
    pub files: Vec<RecordCounts>,
}

impl Samples {
    pub fn histograms(&self) -> &[Histogram] {
        &self.histograms
    }

    pub fn unit(&self) -> Unit {
        self.unit.clone().unwrap_or_default()
    }

    pub fn total(&self) -> u64 {
        let bins = self.histograms.iter().flat_map(|h| &h.bins);
        bins.map(|(_, count)| count).sum()
    }

    /// A number of samples in millionths of their unit, rounded.
    pub fn micros(&self, samples: u64) -> u64 {
        let rate = self.unit.as_ref().map_or(100, |unit| unit.rate);
        let rate = u128::from(rate);
        let micros = (u128::from(samples) * 1_000_000 + rate / 2) / rate;
        u64::try_from(micros).unwrap_or(u64::MAX)
    }

    /// Counts samples, calls or executions, whose sum may not exceed the [`LIMIT`] in millionths of
    /// the unit.
    pub fn spend(&mut self, count: u64) -> Result<(), Overflow> {
        self.spent = self.spent.saturating_add(count);
        let is_within = self.micros(self.spent) <= LIMIT;
        is_within.then_some(()).ok_or(Overflow)
    }

    /// Makes room for a histogram without samples, or finds the one with its range. Returns its
    /// number.
    pub fn add_histogram(
        &mut self,
        (start, end): (u64, u64),
        size: u32,
        unit: Unit,
    ) -> Result<usize, Mismatch> {
        match &self.unit {
            Some(known) if (&known.name, known.letter) != (&unit.name, unit.letter) => {
                return Err(Mismatch::Unit);
            }
            Some(known) if known.rate != unit.rate => return Err(Mismatch::Rate),
            _ => self.unit = Some(unit),
        }
        let new = Histogram { start, end, size, bins: BTreeMap::new() };
        if size == 0 || start >= end {
            self.histograms.push(new);
            return Ok(self.histograms.len() - 1);
        }
        let known = self.by_start.range(..end).next_back().map(|(_, &number)| number);
        let any = self.by_start.values().next();
        if any.is_some_and(|&any| self.histograms[any].scale() != new.scale()) {
            return Err(Mismatch::Scale);
        }
        match known {
            Some(number) if self.histograms[number].end > start => {
                let known = &self.histograms[number];
                let is_same = (known.start, known.end) == (start, end);
                is_same.then_some(number).ok_or(Mismatch::Range)
            }
            _ => {
                self.by_start.insert(start, self.histograms.len());
                self.histograms.push(new);
                Ok(self.histograms.len() - 1)
            }
        }
    }

    pub fn add_bins(&mut self, number: usize, new: Vec<(u32, u64)>) -> Result<(), Overflow> {
        for (bin, count) in new {
            self.spend(count)?;
            *self.histograms[number].bins.entry(bin).or_default() += count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_of_one_range_are_added_up_and_others_kept() {
        let mut samples = Samples::default();
        let unit = Unit::default;
        let first = samples.add_histogram((0, 40), 10, unit()).unwrap();
        samples.add_bins(first, vec![(1, 5), (4, 7)]).unwrap();
        let second = samples.add_histogram((40, 80), 10, unit()).unwrap();
        samples.add_bins(second, vec![(0, 1)]).unwrap();
        let again = samples.add_histogram((0, 40), 10, unit()).unwrap();
        let bins = vec![(0, 1), (4, 1), (9, 2)];
        samples.add_bins(again, bins).unwrap();
        assert_eq!((first, second, again), (0, 1, 0));
        let bins = &samples.histograms()[0].bins;
        assert_eq!(*bins, BTreeMap::from([(0, 1), (1, 5), (4, 8), (9, 2)]));
        assert_eq!(samples.total(), 17);
        let overflow = samples.add_bins(0, vec![(0, u64::MAX)]);
        assert_eq!(overflow, Err(Overflow));
    }

    #[test]
    fn histograms_that_do_not_go_together() {
        let known = || {
            let mut samples = Samples::default();
            let added = samples.add_histogram((100, 140), 10, Unit::default());
            added.map(|_| samples).unwrap()
        };
        let table = [
            ((120, 160), 10, 100, Err(Mismatch::Range)),
            ((80, 120), 10, 100, Err(Mismatch::Range)),
            ((60, 100), 10, 100, Ok(1)),
            ((140, 180), 10, 100, Ok(1)),
            ((140, 180), 20, 100, Err(Mismatch::Scale)),
            ((140, 180), 10, 99, Err(Mismatch::Rate)),
            ((100, 100), 0, 100, Ok(1)),
            ((100, 100), 10, 100, Ok(1)),
            ((100, 140), 10, 100, Ok(0)),
        ];
        for (range, size, rate, expected) in table {
            let unit = Unit { rate, ..Unit::default() };
            let number = known().add_histogram(range, size, unit);
            assert_eq!(number, expected, "{range:?} {size} {rate}");
        }
        let cycles = Unit { name: b"cycles".to_vec(), ..Unit::default() };
        let number = known().add_histogram((100, 140), 10, cycles);
        assert_eq!(number, Err(Mismatch::Unit));
    }
}
