//! Sums of self costs or of calls under keys, of both sides of a difference: trees, details of rows, what is nested in them and what
//! changed are made of these. Where keys are lines, those of both sides are aligned.

use std::hash::Hash;

use hashbrown::HashMap;

use super::figure::{CallFigure, Cost, CostFigure, Figure, FigureTable, Mark};
use super::selection::Selection;
use crate::profile::{CostTable, Count, Events, FileId, Measured, Presence, Profile, Sides};
use crate::source::{LineKey, LineMap};

/// Sums in the order in which their keys appeared.
pub(super) struct Sums<K> {
    /// The keys, in the order in which they appeared.
    pub(super) keys: Vec<K>,
    /// By key: the sides that have any of it, and how many calls on each.
    on: Vec<Presence>,
    counts: Vec<Sides<i64>>,
    /// Whether some of the calls are of inlined copies.
    has_inlined: Vec<bool>,
    costs: FigureTable,
}

/// Adds places or calls up, given by their numbers in the profile's tables, each with the sides of it that count.
pub(super) struct SumsBuilder<'p, K> {
    profile: &'p Profile,
    rows: HashMap<K, u32>,
    keys: Vec<K>,
    on: Vec<Presence>,
    counts: Vec<Sides<i64>>,
    has_inlined: Vec<bool>,
    costs: Sides<CostTable>,
}

impl<'p, K: Copy + Eq + Hash> SumsBuilder<'p, K> {
    pub(super) fn new(profile: &'p Profile) -> SumsBuilder<'p, K> {
        SumsBuilder::with_capacity(profile, 0)
    }

    pub(super) fn with_capacity(profile: &'p Profile, keys: usize) -> SumsBuilder<'p, K> {
        let sides = profile.sides().as_ref();
        SumsBuilder {
            profile,
            rows: HashMap::with_capacity(keys),
            keys: Vec::with_capacity(keys),
            on: Vec::with_capacity(keys),
            counts: Vec::with_capacity(keys),
            has_inlined: Vec::new(),
            costs: sides.map(|_| CostTable::with_capacity(profile.events().len(), keys)),
        }
    }

    /// Adds the self cost of a place. Returns the position of the key.
    pub(super) fn add_place(&mut self, key: K, number: usize, on: Presence) -> usize {
        self.add(key, on, |side, _| (0, side.costs().get(number)))
    }

    /// Adds calls and their inclusive cost. Returns the position of the key.
    pub(super) fn add_call(&mut self, key: K, number: usize, on: Presence) -> usize {
        self.add_calls_in_cycles(key, number, on, on)
    }

    /// The same, but adds their cost on some of the sides only: the cost of a call within a cycle is part of that of the call
    /// that entered the cycle.
    pub(super) fn add_calls_in_cycles(
        &mut self,
        key: K,
        number: usize,
        on: Presence,
        costs_on: Presence,
    ) -> usize {
        let at = self.add(key, on, |side, is_base| {
            let has_cost = if is_base { costs_on.base } else { costs_on.new };
            let cost = if has_cost {
                side.call_costs().get(number)
            } else {
                &[]
            };
            (side.call_counts()[number], cost)
        });
        let callee = self.profile.calls()[number].callee;
        if self.profile.has_inlined() && self.profile.is_inlined(callee) {
            self.has_inlined.resize(self.keys.len(), false);
            self.has_inlined[at] = true;
        }
        at
    }

    fn add(
        &mut self,
        key: K,
        on: Presence,
        of: impl Fn(&'p Measured, bool) -> (i64, &'p [Count]),
    ) -> usize {
        let row = self.position(key);
        self.on[row] = self.on[row].or(on);
        let (sides, sum) = (self.profile.sides(), &mut self.counts[row]);
        if on.new {
            let (count, cost) = of(&sides.new, false);
            sum.new += count;
            self.costs.new.add(row, cost);
        }
        if on.base
            && let (Some(sum), Some(costs), Some(side)) =
                (&mut sum.base, &mut self.costs.base, &sides.base)
        {
            let (count, cost) = of(side, true);
            *sum += count;
            costs.add(row, cost);
        }
        row
    }

    /// Adds a key without a cost, if it is not there.
    pub(super) fn add_key(&mut self, key: K) {
        self.position(key);
    }

    /// The position of a key, which is added if it is not there.
    pub(super) fn position(&mut self, key: K) -> usize {
        let row = *self.rows.entry(key).or_insert(self.keys.len() as u32) as usize;
        if row == self.keys.len() {
            self.keys.push(key);
            self.on.push(Presence::default());
            let base = self.costs.base.as_ref().map(|_| 0);
            self.counts.push(Sides { new: 0, base });
            self.costs.new.push(&[]);
            if let Some(base) = &mut self.costs.base {
                base.push(&[]);
            }
        }
        row
    }

    /// The sums, with their derived events.
    pub(super) fn finish(self) -> Sums<K> {
        let costs = FigureTable::new(self.costs, self.profile.events());
        Sums {
            costs: costs.with_marks(self.on.iter().map(|&on| Mark::of(on))),
            keys: self.keys,
            on: self.on,
            counts: self.counts,
            has_inlined: self.has_inlined,
        }
    }
}

impl<'p> SumsBuilder<'p, LineKey> {
    /// The self costs of places, given by their numbers in the profile's table, by their lines.
    pub(super) fn of_places(
        profile: &'p Profile,
        places: &[u32],
        placing: Placing<'_>,
    ) -> SumsBuilder<'p, LineKey> {
        let mut sums = SumsBuilder::with_capacity(profile, places.len());
        for number in places.iter().map(|&number| number as usize) {
            let line = profile.line(profile.places()[number].position);
            for (key, on) in placing.of(line, profile.presence_of_place(number)) {
                sums.add_place(key, number, on);
            }
        }
        sums
    }
}

impl<K: Copy> Sums<K> {
    pub(super) fn is_difference(&self) -> bool {
        self.costs.is_difference()
    }

    /// What is under all keys.
    pub(super) fn sum(&self, events: &Events) -> Figure<Cost> {
        let mut sum = Figure::undefined(events.len(), self.is_difference());
        (0..self.keys.len()).for_each(|at| sum.add(self.cost(at)));
        sum.derive(events);
        sum
    }

    /// The cost under a key, by the key's position.
    pub(super) fn cost(&self, at: usize) -> CostFigure<'_> {
        self.costs.get(at)
    }

    /// How many calls there are under a key; 0 of places.
    pub(super) fn count(&self, at: usize) -> Figure<i64> {
        Figure::of(self.counts[at], |new, base| new - base)
    }

    /// The same, with whether others are of inlined copies.
    pub(super) fn calls(&self, at: usize) -> CallFigure {
        CallFigure {
            counted: self.count(at),
            has_inlined: self.has_inlined.get(at) == Some(&true),
        }
    }

    /// The sides that have anything under a key.
    pub(super) fn on(&self, at: usize) -> Presence {
        self.on[at]
    }

    /// The keys under which something differs between the sides: the number of calls, or the cost in one of these events.
    pub(super) fn changed(&self, events: &[usize]) -> impl Iterator<Item = K> {
        let keys = self.keys.iter().copied().enumerate();
        let changed = keys.filter(|&(at, _)| {
            self.count(at).value != 0 || !self.costs.get(at).is_unchanged(events)
        });
        changed.map(|(_, key)| key)
    }

    /// Whether what is under a key is shown; of a difference only what changed is.
    pub(super) fn is_shown(&self, at: usize, selection: &Selection) -> bool {
        self.count(at).value != 0 || selection.shows(self.costs.get(at).value)
    }
}

/// How the texts of the files of both sides of a difference are aligned, where they are.
#[derive(Default)]
pub struct Alignments {
    /// By the number of the file in NEW.
    pub maps: HashMap<FileId, LineMap>,
}

impl Alignments {
    pub(super) fn placing(&self, file: Option<FileId>) -> Placing<'_> {
        Placing(file.and_then(|file| self.maps.get(&file)))
    }
}

/// Finds the lines at which something is shown, by how the texts of both sides are aligned; without, lines of the same number are
/// the same.
#[derive(Clone, Copy)]
pub(super) struct Placing<'m>(pub(super) Option<&'m LineMap>);

impl Placing<'_> {
    /// The places of a line, each with the sides that are shown there.
    pub(super) fn of(self, line: u32, on: Presence) -> impl Iterator<Item = (LineKey, Presence)> {
        let new = LineKey::new_line(line);
        let of_old = match self.0 {
            Some(map) => map.of_old(line),
            None => return [Some((new, on)), None].into_iter().flatten(),
        };
        let (mut of_new, mut of_base) = (on, on);
        (of_new.base, of_base.new) = (false, false);
        let places = [
            on.new.then_some((new, of_new)),
            on.base.then_some((of_old, of_base)),
        ];
        places.into_iter().flatten()
    }

    /// The number of a line in BASE's text, if it has the line. Without texts it has it if something is there.
    pub(super) fn in_base(self, key: LineKey, on: Presence) -> Option<u32> {
        match self.0 {
            Some(map) if key != LineKey::default() => map.in_old(key),
            _ => on.base.then_some(key.new),
        }
    }
}

/// Those of a list in order of some key that have this key.
pub(super) fn part_of<T, K: Ord>(list: &[T], key: K, key_of: impl Fn(&T) -> K) -> &[T] {
    let start = list.partition_point(|one| key_of(one) < key);
    let list = &list[start..];
    &list[..list.partition_point(|one| key_of(one) == key)]
}

/// Makes one of those next to each other that have the same key.
pub(super) fn add_up_equal<T: Copy, K: PartialEq>(
    list: &mut Vec<T>,
    key: impl Fn(&T) -> K,
    add: impl Fn(&mut T, T),
) {
    list.dedup_by(|next, first| {
        let is_same = key(next) == key(first);
        if is_same {
            add(first, *next);
        }
        is_same
    });
}
