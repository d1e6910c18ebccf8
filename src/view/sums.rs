//! Sums of self costs or of calls by key, for each side. Trees, row details, nested lists and
//! differences are made of these. If keys are lines, the lines of both sides are aligned.

use std::hash::Hash;

use hashbrown::HashMap;

use super::call_counts::CallCounts;
use super::figure::{Cost, CostFigure, Figure, FigureTable, Mark};
use super::selection::Selection;
use crate::profile::{
    BASE, CostTable, Count, Events, FileId, Measured, NEW, Presence, Profile, Sides,
};
use crate::source::{LineKey, LineMap};

/// Sums by key, in order of first appearance.
pub(crate) struct Sums<K> {
    pub(crate) keys: Vec<K>,
    by_key: Vec<KeyCalls>,
    costs: FigureTable,
}

/// The calls of a key, and the sides that have it.
struct KeyCalls {
    /// The sides with places or calls of the key.
    on: Presence,
    /// In NEW and in BASE.
    calls: [i64; 2],
    /// Those whose cost is part of the cost of others.
    nested: [i64; 2],
    has_inlined: bool,
    /// Whether the number of some of them is not known.
    are_uncounted: bool,
}

/// Adds up places or calls, given by their numbers in the profile's tables and the sides to count.
pub(crate) struct SumsBuilder<'p, K> {
    profile: &'p Profile,
    /// The position of each key; none if keys are added in order.
    rows: Option<HashMap<K, u32>>,
    keys: Vec<K>,
    by_key: Vec<KeyCalls>,
    costs: Sides<CostTable>,
}

impl<'p, K: Copy + Eq + Hash> SumsBuilder<'p, K> {
    pub(crate) fn new(profile: &'p Profile) -> SumsBuilder<'p, K> {
        SumsBuilder::with_capacity(profile, 0)
    }

    /// A builder with room for a number of keys.
    pub(crate) fn with_capacity(profile: &'p Profile, keys: usize) -> SumsBuilder<'p, K> {
        let rows = Some(HashMap::with_capacity(keys));
        SumsBuilder { rows, ..SumsBuilder::in_order(profile, keys) }
    }

    /// A builder for keys of which equal ones are added consecutively.
    pub(crate) fn in_order(profile: &'p Profile, keys: usize) -> SumsBuilder<'p, K> {
        let table = || CostTable::with_capacity(profile.events().len(), keys);
        SumsBuilder {
            profile,
            rows: None,
            keys: Vec::with_capacity(keys),
            by_key: Vec::with_capacity(keys),
            costs: Sides::of(table(), profile.is_difference().then(table)),
        }
    }

    /// Adds the self cost of a place. Returns the position of the key.
    pub(crate) fn add_place(&mut self, key: K, number: usize, on: Presence) -> usize {
        self.add(key, on, |side, _| (0, side.costs.table.get(number)))
    }

    /// Adds calls and their inclusive cost. Returns the position of the key. What the calls of an
    /// inlined copy cost was not recorded, so that nothing in it is added twice.
    pub(crate) fn add_call(&mut self, key: K, number: usize, on: Presence) -> usize {
        let call = self.profile.calls[number];
        let is_repeated = call.is_nested && self.profile.is_inlined(call.callee);
        let costs_on = if is_repeated { Presence::default() } else { on };
        self.add_recursive_calls(key, number, on, costs_on)
    }

    /// Adds calls, but their cost only on the sides `costs_on`: that of a call that goes back is
    /// part of the cost of another call.
    pub(crate) fn add_recursive_calls(
        &mut self,
        key: K,
        number: usize,
        on: Presence,
        costs_on: Presence,
    ) -> usize {
        let at = self.add(key, on, |side, index| {
            let cost = if costs_on.has(index) { side.calls.table.get(number) } else { &[] };
            (side.call_counts[number], cost)
        });
        let call = self.profile.calls[number];
        let of_key = &mut self.by_key[at];
        of_key.has_inlined |= self.profile.has_inlined() && self.profile.is_inlined(call.callee);
        of_key.are_uncounted |= !self.profile.is_counted(call);
        if costs_on != on {
            let lacks_cost = |&side: &usize| on.has(side) && !costs_on.has(side);
            for side in [NEW, BASE].into_iter().filter(lacks_cost) {
                let of_side = self.profile.sides().get(side);
                let count = of_side.map_or(0, |of_side| of_side.call_counts[number]);
                of_key.nested[side] = of_key.nested[side].saturating_add(count);
            }
        }
        at
    }

    /// Adds the self cost of a place to what is inlined at a line, of which the number of calls is
    /// unknown.
    pub(crate) fn add_inlined_place(&mut self, key: K, number: usize, on: Presence) -> usize {
        let at = self.add_place(key, number, on);
        self.by_key[at].has_inlined = true;
        at
    }

    /// Adds the cost of calls that inlined code makes, on the sides `costs_on`, to what is inlined
    /// at a line.
    pub(crate) fn add_inlined_calls(
        &mut self,
        key: K,
        number: usize,
        on: Presence,
        costs_on: Presence,
    ) -> usize {
        let at = self.add(key, on, |side, index| {
            (0, if costs_on.has(index) { side.calls.table.get(number) } else { &[] })
        });
        self.by_key[at].has_inlined = true;
        at
    }

    fn add(
        &mut self,
        key: K,
        on: Presence,
        of: impl Fn(&'p Measured, usize) -> (i64, &'p [Count]),
    ) -> usize {
        let row = self.position(key);
        let of_key = &mut self.by_key[row];
        of_key.on = of_key.on.or(on);
        let (sides, sum) = (self.profile.sides(), &mut of_key.calls);
        if on.new {
            let (count, cost) = of(&sides.new, NEW);
            sum[NEW] += count;
            self.costs.new.add(row, cost);
        }
        if on.base
            && let (Some(costs), Some(side)) = (&mut self.costs.base, &sides.base)
        {
            let (count, cost) = of(side, BASE);
            sum[BASE] += count;
            costs.add(row, cost);
        }
        row
    }

    /// The position of a key, which is added if it is new.
    pub(crate) fn position(&mut self, key: K) -> usize {
        let next = self.keys.len();
        let row = match &mut self.rows {
            Some(rows) => *rows.entry(key).or_insert(next as u32) as usize,
            None if self.keys.last() == Some(&key) => next - 1,
            None => next,
        };
        if row == next {
            self.keys.push(key);
            self.by_key.push(KeyCalls {
                on: Presence::default(),
                calls: [0; 2],
                nested: [0; 2],
                has_inlined: false,
                are_uncounted: false,
            });
            self.costs.new.push(&[]);
            if let Some(base) = &mut self.costs.base {
                base.push(&[]);
            }
        }
        row
    }

    /// Adds the self costs of places (numbers in the profile's table) by line, in line order. The
    /// lines `in_any_case` are included even without a place.
    pub(crate) fn add_lines(
        &mut self,
        places: &[u32],
        line_keys: LineKeys<'_>,
        in_any_case: impl IntoIterator<Item = LineKey>,
        key_of: impl Fn(LineKey) -> K,
    ) {
        let profile = self.profile;
        let mut lines = Vec::with_capacity(places.len());
        for &number in places {
            let line = profile.line(profile.places[number as usize]);
            let on = profile.presence_of_place(number as usize);
            line_keys.each(line, on, |key, on| lines.push((key, Some((number, on)))));
        }
        lines.extend(in_any_case.into_iter().map(|key| (key, None)));
        lines.sort_unstable_by_key(|&(key, _)| key);
        for (key, place) in lines {
            match place {
                Some((number, on)) => self.add_place(key_of(key), number as usize, on),
                None => self.position(key_of(key)),
            };
        }
    }

    /// Computes the derived events.
    pub(crate) fn finish(self) -> Sums<K> {
        let costs = FigureTable::new(self.costs, self.profile);
        Sums {
            costs: costs.with_marks(self.by_key.iter().map(|of_key| Mark::of(of_key.on))),
            keys: self.keys,
            by_key: self.by_key,
        }
    }
}

impl<K: Copy> Sums<K> {
    pub(crate) fn is_difference(&self) -> bool {
        self.costs.is_difference()
    }

    pub(crate) fn sum(&self, events: &Events) -> Figure<Cost> {
        let mut sum = self.costs.sum();
        sum.derive(events);
        sum
    }

    pub(crate) fn cost(&self, at: usize) -> CostFigure<'_> {
        self.costs.get(at)
    }

    /// The number of calls of a key; 0 for places.
    pub(crate) fn count(&self, at: usize) -> Figure<i64> {
        self.figure_of(self.by_key[at].calls)
    }

    fn figure_of(&self, [new, base]: [i64; 2]) -> Figure<i64> {
        if !self.is_difference() {
            return Figure::plain(new);
        }
        Figure::of(Sides::of(new, Some(base)), |new, base| new - base)
    }

    pub(crate) fn calls(&self, at: usize) -> Figure<CallCounts> {
        let of_key = &self.by_key[at];
        let nested = self.figure_of(of_key.nested);
        let calls = Figure::of_calls(self.count(at), of_key.has_inlined).with_nested(nested);
        if of_key.are_uncounted { calls.uncounted() } else { calls }
    }

    /// The sides with places or calls of a key.
    pub(crate) fn on(&self, at: usize) -> Presence {
        self.by_key[at].on
    }

    /// The keys whose number of calls, or cost in one of these events, differs between the sides.
    pub(crate) fn changed(&self, events: &[usize]) -> impl Iterator<Item = K> {
        let keys = self.keys.iter().copied().enumerate();
        let changed = keys.filter(|&(at, _)| {
            self.count(at).value != 0 || !self.costs.get(at).is_unchanged(events)
        });
        changed.map(|(_, key)| key)
    }

    /// Whether a key is shown; in a difference only changed keys are.
    pub(crate) fn is_shown(&self, at: usize, selection: &Selection) -> bool {
        self.count(at).value != 0 || selection.shows(self.costs.get(at).value)
    }
}

/// The alignments of the source texts of BASE and NEW, for the files where both are known, by the
/// id in NEW.
pub type Alignments = HashMap<FileId, LineMap>;

/// Finds the lines at which a cost is shown, by the alignment of both texts; without one, lines
/// with the same number are the same.
#[derive(Clone, Copy)]
pub struct LineKeys<'m>(pub(crate) Option<&'m LineMap>);

impl<'m> LineKeys<'m> {
    pub(crate) fn new(alignments: &'m Alignments, file: Option<FileId>) -> LineKeys<'m> {
        LineKeys(file.and_then(|file| alignments.get(&file)))
    }

    /// Calls `add` with the keys of a line, each with the sides that are shown at it.
    #[inline]
    pub fn each(self, line: u32, on: Presence, mut add: impl FnMut(LineKey, Presence)) {
        let Some(map) = self.0 else {
            return add(LineKey::new_line(line), on);
        };
        let (mut of_new, mut of_base) = (on, on);
        (of_new.base, of_base.new) = (false, false);
        if on.new {
            add(LineKey::new_line(line), of_new);
        }
        if on.base {
            add(map.of_old(line), of_base);
        }
    }

    /// The number of a line in BASE's text, if it has the line. Without texts it has those with
    /// costs.
    pub(crate) fn in_base(self, key: LineKey, on: Presence) -> Option<u32> {
        match self.0 {
            Some(map) if key != LineKey::default() => map.in_old(key),
            _ => on.base.then_some(key.new),
        }
    }
}

/// The items with this key in a list sorted by key.
pub(crate) fn part_of<T, K: Ord>(list: &[T], key: K, key_of: impl Fn(&T) -> K) -> &[T] {
    let start = list.partition_point(|one| key_of(one) < key);
    let list = &list[start..];
    &list[..list.partition_point(|one| key_of(one) == key)]
}

/// Merges adjacent items with the same key.
pub(crate) fn add_up_equal<T: Copy, K: PartialEq>(
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
