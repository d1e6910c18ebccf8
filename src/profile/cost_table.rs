//! Costs by number: the one table of counts that profiles, graphs and views share.

use crate::profile::Profile;
use crate::profile::count::{Count, add_cost};
use crate::profile::division::FragmentId;
use crate::profile::events::Events;
use crate::profile::sides::Sides;
use crate::profile::symbols::Fragment;

/// A cost for each number from 0 on, with one count for each event, all in one vector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostTable {
    width: usize,
    rows: usize,
    counts: Vec<Count>,
}

impl CostTable {
    /// A table of `rows` costs of `width` counts, all undefined.
    pub fn new(width: usize, rows: usize) -> CostTable {
        CostTable { width, rows, counts: vec![Count::UNDEFINED; width * rows] }
    }

    pub fn with_capacity(width: usize, rows: usize) -> CostTable {
        CostTable { width, rows: 0, counts: Vec::with_capacity(width * rows) }
    }

    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.rows
    }

    #[inline]
    pub fn get(&self, row: usize) -> &[Count] {
        &self.counts[row * self.width..][..self.width]
    }

    #[inline]
    pub fn get_mut(&mut self, row: usize) -> &mut [Count] {
        &mut self.counts[row * self.width..][..self.width]
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut [Count]> {
        self.counts.chunks_mut(self.width.max(1))
    }

    /// Whether a count is negative.
    pub(super) fn has_negative(&self) -> bool {
        self.counts.iter().any(|count| count.or_zero() < 0)
    }

    #[inline]
    pub fn add(&mut self, row: usize, cost: &[Count]) {
        add_cost(self.get_mut(row), cost)
    }

    /// Appends a cost; the counts that it lacks are undefined.
    #[inline]
    pub fn push(&mut self, cost: &[Count]) {
        self.rows += 1;
        match cost {
            // Most profiles count one event only.
            &[count] => self.counts.push(count),
            [] if self.width == 1 => return self.counts.push(Count::UNDEFINED),
            cost => self.counts.extend_from_slice(cost),
        }
        if cost.len() < self.width {
            self.resize(self.rows);
        }
    }

    /// Makes it a table of `rows` costs: new ones are undefined.
    #[inline]
    pub fn resize(&mut self, rows: usize) {
        self.rows = rows;
        self.counts.resize(rows * self.width, Count::UNDEFINED);
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Count]> + Clone {
        (0..self.rows).map(|row| self.get(row))
    }

    pub fn sum(&self) -> Vec<Count> {
        let mut sum = vec![Count::UNDEFINED; self.width];
        self.iter().for_each(|cost| add_cost(&mut sum, cost));
        sum
    }

    /// The sums of the costs that have the same key. `keys` has one for each cost and is below
    /// `rows`; a cost without a key is left out.
    pub fn sum_by(&self, rows: usize, keys: impl Iterator<Item = Option<usize>>) -> CostTable {
        let mut sums = CostTable::new(self.width, rows);
        // Most profiles count one event only.
        if self.width == 1 {
            for (key, &count) in keys.zip(&self.counts) {
                if let Some(key) = key {
                    sums.counts[key].add(count);
                }
            }
            return sums;
        }
        for (key, cost) in keys.zip(self.iter()) {
            if let Some(key) = key {
                sums.add(key, cost);
            }
        }
        sums
    }

    /// Sets the counts of derived events, each by its formula, from the other counts of the same
    /// cost.
    pub fn derive(&mut self, events: &Events) {
        if events.has_derived() {
            (0..self.rows).for_each(|row| events.derive(self.get_mut(row)));
        }
    }

    /// Makes each cost `width` counts wide, if it is not; new counts are undefined.
    pub fn widen(&mut self, width: usize) {
        if self.width >= width {
            return;
        }
        let old = std::mem::replace(self, CostTable::new(width, self.rows));
        for (row, cost) in old.iter().enumerate() {
            self.get_mut(row)[..old.width].copy_from_slice(cost);
        }
    }

    /// Subtracts the counts of a table of the same size; those that only `other` has become
    /// negative.
    pub fn subtract_all(&mut self, other: &CostTable) {
        let counts = self.counts.iter_mut().zip(&other.counts);
        counts.for_each(|(count, other)| count.subtract(*other));
    }
}

impl Profile {
    /// The self costs of each side by fragment, without derived events.
    pub fn self_costs(&self) -> &Sides<CostTable> {
        self.fragment_costs.get_or_init(|| {
            let fragments = self.fragments().len();
            self.sum_places_by(fragments, |id| Some(id.index()))
        })
    }

    /// Whether places are added up without the sums by fragment: without lines there are no more of
    /// them.
    pub fn has_few_places(&self) -> bool {
        self.places.len() <= self.fragments().len()
    }

    /// The self costs of each side by `row` of each fragment, which is below `rows`.
    pub fn self_costs_by(
        &self,
        rows: usize,
        row: impl Fn(FragmentId, Fragment) -> Option<usize>,
    ) -> Sides<CostTable> {
        let row = |id| row(id, self.fragment(id));
        if self.has_few_places() {
            return self.sum_places_by(rows, row);
        }
        let rows_of = || self.fragments_with_ids().map(|(id, _)| row(id));
        let sides = self.self_costs().as_ref();
        sides.map(|costs| costs.sum_by(rows, rows_of()))
    }

    fn sum_places_by(
        &self,
        rows: usize,
        row: impl Fn(FragmentId) -> Option<usize>,
    ) -> Sides<CostTable> {
        let rows_of = || self.places.iter().map(|place| row(place.fragment));
        let sides = self.sides().as_ref();
        sides.map(|side| side.costs.table.sum_by(rows, rows_of()))
    }

    /// The fragments of all places and then of all call sites, each once for those that follow one
    /// another.
    pub fn fragments_in_use(&self) -> impl Iterator<Item = FragmentId> {
        let calls = &self.calls;
        let calls = calls.chunk_by(|a, b| a.site.fragment == b.site.fragment);
        let sites = calls.map(|calls| calls[0].site.fragment);
        self.fragments_of_places().chain(sites)
    }

    pub fn fragments_of_places(&self) -> impl Iterator<Item = FragmentId> {
        let places = self.places.chunk_by(|a, b| a.fragment == b.fragment);
        places.map(|places| places[0].fragment)
    }
}
