//! The entries of the call graph of samples, in gprof's order. An entry is made when it is written.

use std::cmp::Ordering;

use crate::view::gprof::sampled::graph::{SampledGraph, Time};
use crate::view::gprof::{Entry, EntryOf, Neighbour};

/// The order of all entries. The index of an entry is its position.
pub struct SampledTable<'g> {
    graph: &'g SampledGraph<'g>,
    entries: Vec<EntryOf>,
    entry_of: Vec<u32>,
    entry_of_cycle: Vec<u32>,
}

/// A place as the order of entries sees it.
struct Key<'k> {
    who: EntryOf,
    time: &'k Time,
    name: &'k [u8],
}

impl<'g> SampledTable<'g> {
    /// Puts all entries in order. `name` gives the name of a place as it is in the program.
    pub fn new<'n>(
        graph: &'g SampledGraph<'g>,
        name: impl Fn(usize) -> &'n [u8],
    ) -> SampledTable<'g> {
        let places = (0..).zip(&graph.places).map(|(number, time)| Key {
            who: EntryOf::Function(number),
            time,
            name: name(number as usize),
        });
        let cycles = (1..).zip(&graph.cycles).map(|(number, time)| Key {
            who: EntryOf::Cycle(number),
            time,
            name: b"",
        });
        let mut keys: Vec<Key<'_>> = places.chain(cycles).collect();
        keys.sort_by(compare);
        let mut table = SampledTable {
            graph,
            entries: keys.iter().map(|key| key.who).collect(),
            entry_of: vec![0; graph.places.len()],
            entry_of_cycle: vec![0; graph.cycles.len()],
        };
        for (position, who) in (0..).zip(&table.entries) {
            match *who {
                EntryOf::Function(place) => table.entry_of[place as usize] = position,
                EntryOf::Cycle(cycle) => table.entry_of_cycle[cycle as usize - 1] = position,
            }
        }
        table
    }

    /// What each entry is about.
    pub fn entries(&self) -> &[EntryOf] {
        &self.entries
    }

    /// The position of the entry of a place, and whether it is shown.
    pub fn entry_of(&self, place: u32) -> (usize, bool) {
        let is_shown = self.graph.places[place as usize].is_shown;
        (self.entry_of[place as usize] as usize, is_shown)
    }

    /// The positions of the entries of cycles, and whether they are shown.
    pub fn entries_of_cycles(&self) -> impl Iterator<Item = (usize, bool)> {
        let cycles = self.entry_of_cycle.iter().zip(&self.graph.cycles);
        cycles.map(|(&position, cycle)| (position as usize, cycle.is_shown))
    }

    /// The number of a place's cycle, from 1.
    pub fn cycle_of(&self, place: u32) -> Option<u32> {
        self.graph.cycle_of[place as usize].map(|cycle| cycle + 1)
    }

    /// Whether a place has samples or calls.
    pub fn is_used(&self, place: u32) -> bool {
        let time = &self.graph.places[place as usize];
        time.own != 0.0 || time.calls != 0
    }

    /// Whether an entry is shown, and has anything in it unless `shows_zeros`.
    pub fn is_shown(&self, who: EntryOf, shows_zeros: bool) -> bool {
        let time = self.time(who);
        let is_empty = time.calls == 0 && time.self_calls == 0 && time.inclusive() == 0.0;
        time.is_shown && (shows_zeros || !is_empty)
    }

    /// An entry.
    pub fn entry(&self, of: EntryOf) -> Entry<f64> {
        let time = self.time(of);
        let mut entry = Entry {
            of,
            is_shown: time.is_shown,
            self_cost: time.counted,
            children: time.counted_children,
            calls: signed(time.calls),
            self_calls: signed(time.self_calls),
            is_spontaneous: false,
            callers: Vec::new(),
            members: Vec::new(),
            callees: Vec::new(),
        };
        match of {
            EntryOf::Function(place) => {
                entry.callers = self.lines(self.graph.callers.of(place));
                entry.callees = self.lines(self.graph.callees.of(place));
                entry.is_spontaneous = entry.callers.is_empty();
                entry.callers.sort_by(by_weight);
                entry.callees.sort_by(|a, b| by_weight(b, a));
            }
            // As in gprof, the entry of a cycle has its members alone.
            EntryOf::Cycle(number) => entry.members = self.members(number),
        }
        entry
    }

    fn time(&self, who: EntryOf) -> &Time {
        match who {
            EntryOf::Function(place) => &self.graph.places[place as usize],
            EntryOf::Cycle(number) => &self.graph.cycles[number as usize - 1],
        }
    }

    /// The lines of links, those seen first first: the order of equal ones.
    fn lines(&self, links: &[(u32, u32)]) -> Vec<Neighbour<f64>> {
        let line = |&(place, number): &(u32, u32)| {
            let call = &self.graph.calls[number as usize];
            let is_nested = self.graph.is_nested(call);
            let propagated = self.graph.propagated[number as usize];
            Neighbour {
                function: place,
                site: 0,
                count: signed(call.count),
                of: (!is_nested).then(|| signed(self.graph.calls_of(call.callee))),
                cost: (!is_nested).then_some((propagated.own, propagated.children)),
                is_itself: call.caller == call.callee,
            }
        };
        links.iter().rev().map(line).collect()
    }

    fn members(&self, cycle: u32) -> Vec<Neighbour<f64>> {
        let mut members = self.graph.members[cycle as usize - 1].clone();
        members.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|place| &self.graph.places[place as usize]);
            let calls = |time: &Time| time.calls.saturating_add(time.self_calls);
            descending(a.inclusive(), b.inclusive()).then(calls(b).cmp(&calls(a)))
        });
        let line = |place: u32| {
            let time = &self.graph.places[place as usize];
            Neighbour {
                function: place,
                site: 0,
                count: signed(time.calls),
                of: (time.self_calls != 0).then_some(signed(time.self_calls)),
                cost: Some((time.counted, time.counted_children)),
                is_itself: false,
            }
        };
        members.into_iter().map(line).collect()
    }
}

/// Sums of calls were checked when they were read.
fn signed(calls: u64) -> i64 {
    i64::try_from(calls).unwrap_or(i64::MAX)
}

pub(super) fn descending(a: f64, b: f64) -> Ordering {
    b.partial_cmp(&a).unwrap_or(Ordering::Equal)
}

/// The most expensive first; then cycles; then names without an underscore, more calls, and the name.
fn compare(a: &Key<'_>, b: &Key<'_>) -> Ordering {
    let by_time = descending(a.time.inclusive(), b.time.inclusive());
    by_time.then_with(|| match (a.who, b.who) {
        (EntryOf::Cycle(a), EntryOf::Cycle(b)) => a.cmp(&b),
        (EntryOf::Cycle(_), EntryOf::Function(_)) => Ordering::Less,
        (EntryOf::Function(_), EntryOf::Cycle(_)) => Ordering::Greater,
        (EntryOf::Function(_), EntryOf::Function(_)) => {
            let starts_with_underscore = |key: &Key<'_>| key.name.starts_with(b"_");
            starts_with_underscore(a)
                .cmp(&starts_with_underscore(b))
                .then(b.time.calls.cmp(&a.time.calls))
                .then(a.name.cmp(b.name))
        }
    })
}

/// A function itself, members of its cycle by calls, others by time and calls; all rising.
fn by_weight(a: &Neighbour<f64>, b: &Neighbour<f64>) -> Ordering {
    let kind = |line: &Neighbour<f64>| match line.cost {
        None if line.is_itself => 0,
        None => 1,
        Some(_) => 2,
    };
    let time = |line: &Neighbour<f64>| line.cost.map_or(0.0, |(own, children)| own + children);
    kind(a)
        .cmp(&kind(b))
        .then(descending(time(b), time(a)))
        .then(a.count.cmp(&b.count))
}

/// A function or line.
#[derive(Clone, Copy, Debug)]
pub struct SampledRow {
    /// The number of the place.
    pub place: u32,
    /// Its own samples.
    pub own: f64,
    /// Its own samples and those of its callees.
    pub inclusive: f64,
    /// How often others called it.
    pub calls: u64,
}

/// The flat profile.
#[derive(Clone, Debug)]
pub struct SampledFlat {
    /// The rows, the most expensive first.
    pub rows: Vec<SampledRow>,
    /// All samples that count.
    pub total: f64,
    /// The most samples that one call of a place took, its callees included.
    pub longest_call: f64,
}

impl SampledFlat {
    /// Puts all places that `selects` takes in order. `name` gives the name of one as it is in the program. Those without
    /// samples and calls are left out unless `shows_zeros`.
    pub fn new<'n>(
        graph: &SampledGraph<'_>,
        total: f64,
        name: impl Fn(usize) -> &'n [u8],
        selects: impl Fn(u32) -> bool,
        shows_zeros: bool,
    ) -> SampledFlat {
        let all = (0..).zip(&graph.places).map(|(place, time)| SampledRow {
            place,
            own: time.own,
            inclusive: time.own + time.children,
            calls: time.calls,
        });
        let per_call = |row: &SampledRow| match row.calls {
            0 => 0.0,
            calls => row.inclusive / calls as f64,
        };
        let longest_call = all.clone().map(|row| per_call(&row)).fold(0.0, f64::max);
        let is_listed = |row: &SampledRow| shows_zeros || row.calls != 0 || row.own != 0.0;
        let mut rows: Vec<SampledRow> = all
            .filter(|row| is_listed(row) && selects(row.place))
            .collect();
        rows.sort_by(|a, b| {
            descending(a.own, b.own)
                .then(b.calls.cmp(&a.calls))
                .then_with(|| name(a.place as usize).cmp(name(b.place as usize)))
        });
        SampledFlat {
            rows,
            total,
            longest_call,
        }
    }
}
