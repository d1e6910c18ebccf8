//! The call graph of samples: calls by place, cycles, and the time that calls propagate to their callers.

use super::Calls;
use super::calls::PlaceCalls;
use super::cycles::Cycles;
use crate::view::gprof::Lists;

/// For each place the places that it is linked with, those that were seen last first, and the number of their calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    starts: Vec<u32>,
    /// The other place, and the number of the calls.
    links: Vec<(u32, u32)>,
}

impl Links {
    fn new(size: usize, calls: &[PlaceCalls], ends: impl Fn(&PlaceCalls) -> (u32, u32)) -> Links {
        let mut starts = vec![0u32; size + 1];
        for call in calls {
            starts[ends(call).0 as usize + 1] += 1;
        }
        for place in 0..size {
            starts[place + 1] += starts[place];
        }
        let mut links = vec![(0, 0); calls.len()];
        let mut next = starts.clone();
        for (number, call) in calls.iter().enumerate().rev() {
            let (place, other) = ends(call);
            let at = &mut next[place as usize];
            links[*at as usize] = (other, number as u32);
            *at += 1;
        }
        Links { starts, links }
    }

    /// The links of a place.
    pub(super) fn of(&self, place: u32) -> &[(u32, u32)] {
        let place = place as usize;
        &self.links[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// Time of a place or cycle, in samples.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Time {
    /// Its own.
    pub(super) own: f64,
    /// What its callees propagate to it, whatever share of it counts.
    pub(super) children: f64,
    /// The share of it that counts.
    pub(super) share: f64,
    /// Its own, as far as it counts.
    pub(super) counted: f64,
    /// That of its callees, as far as it counts.
    pub(super) counted_children: f64,
    /// Calls from other functions; of a cycle from other functions than its members.
    pub(super) calls: u64,
    /// Recursive calls; of a cycle between different members.
    pub(super) self_calls: u64,
    /// Whether its entry is shown.
    pub(super) is_shown: bool,
}

impl Time {
    /// Its own time and that of its callees, as far as it counts.
    pub(super) fn inclusive(&self) -> f64 {
        self.counted + self.counted_children
    }
}

/// What calls propagate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Propagated {
    /// Of the callee's own time.
    pub(super) own: f64,
    /// Of that of its callees.
    pub(super) children: f64,
}

/// All places and calls, with their times.
pub struct SampledGraph<'c> {
    pub(super) calls: &'c [PlaceCalls],
    pub(super) callers: Links,
    pub(super) callees: Links,
    pub(super) cycle_of: Vec<Option<u32>>,
    pub(super) members: Vec<Vec<u32>>,
    pub(super) places: Vec<Time>,
    pub(super) cycles: Vec<Time>,
    /// By calls.
    pub(super) propagated: Vec<Propagated>,
    /// All own time that counts: 100% of the graph.
    pub(super) total: f64,
}

impl<'c> SampledGraph<'c> {
    /// Propagates time from callees to callers. `own` is the time of each place itself.
    pub fn new(own: &[f64], calls: &'c Calls, lists: &Lists) -> SampledGraph<'c> {
        let (size, calls) = (own.len(), calls.list());
        let callees = Links::new(size, calls, |call| (call.caller, call.callee));
        let callers = Links::new(size, calls, |call| (call.callee, call.caller));
        let cycles = Cycles::find(size, &callees);
        let mut places = vec![Time::default(); size];
        for (time, &own) in places.iter_mut().zip(own) {
            time.own = own;
        }
        let mut graph = SampledGraph {
            calls,
            callers,
            callees,
            cycle_of: cycles.of,
            cycles: vec![Time::default(); cycles.members.len()],
            members: cycles.members,
            places,
            propagated: vec![Propagated::default(); calls.len()],
            total: 0.0,
        };
        graph.count();
        graph.find_shares(&cycles.bottom_up, lists);
        graph.add_up_cycles();
        for &place in &cycles.bottom_up {
            graph.propagate(place);
        }
        graph
    }

    /// All own time that counts: 100% of the graph.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// How often other functions called a place.
    pub fn calls(&self, place: u32) -> u64 {
        self.places[place as usize].calls
    }

    /// The time of a place and of its callees, as far as they count.
    pub fn counted(&self, place: u32) -> (f64, f64) {
        let time = &self.places[place as usize];
        (time.counted, time.counted_children)
    }

    /// What calls, given by their number, propagate of their callee's time and of that of its callees.
    pub fn of_calls(&self, number: u32) -> (f64, f64) {
        let propagated = self.propagated[number as usize];
        (propagated.own, propagated.children)
    }

    /// Whether two places are members of one cycle.
    fn are_together(&self, a: u32, b: u32) -> bool {
        let cycle = self.cycle_of[a as usize];
        cycle.is_some() && cycle == self.cycle_of[b as usize]
    }

    /// Whether calls stay within a function or a cycle.
    pub(super) fn is_nested(&self, call: &PlaceCalls) -> bool {
        call.caller == call.callee || self.are_together(call.caller, call.callee)
    }

    /// How many calls there are of what time is propagated from: the callee, or its cycle.
    pub(super) fn calls_of(&self, callee: u32) -> u64 {
        self.source(callee).calls
    }

    /// Where the time that calls propagate comes from: the callee, or its cycle.
    fn source(&self, callee: u32) -> &Time {
        match self.cycle_of[callee as usize] {
            Some(cycle) => &self.cycles[cycle as usize],
            None => &self.places[callee as usize],
        }
    }

    /// Counts the calls of places and cycles. Sums were checked when the calls were read.
    fn count(&mut self) {
        for call in self.calls {
            let callee = &mut self.places[call.callee as usize];
            if call.caller == call.callee {
                callee.self_calls = callee.self_calls.saturating_add(call.count);
                continue;
            }
            callee.calls = callee.calls.saturating_add(call.count);
            if let Some(cycle) = self.cycle_of[call.callee as usize] {
                let is_nested = self.are_together(call.caller, call.callee);
                let cycle = &mut self.cycles[cycle as usize];
                let calls = match is_nested {
                    true => &mut cycle.self_calls,
                    false => &mut cycle.calls,
                };
                *calls = calls.saturating_add(call.count);
            }
        }
    }

    /// Finds which share of each place counts, and which are shown: callers first.
    fn find_shares(&mut self, bottom_up: &[u32], lists: &Lists) {
        let mut last_cycle = None;
        for &place in bottom_up.iter().rev() {
            let (share, is_shown) = match self.cycle_of[place as usize] {
                None => self.share_of(&[place], self.places[place as usize].calls),
                Some(cycle) => {
                    let number = cycle as usize;
                    if last_cycle != Some(cycle) {
                        last_cycle = Some(cycle);
                        let calls = self.cycles[number].calls;
                        let (share, is_shown) = self.share_of(&self.members[number], calls);
                        self.cycles[number].share = share;
                        self.cycles[number].is_shown = is_shown;
                    }
                    let of_cycle = self.cycles[number];
                    (of_cycle.share, of_cycle.is_shown)
                }
            };
            let time = &mut self.places[place as usize];
            time.is_shown = match is_shown {
                true => !lists.shown.excludes(place),
                false => lists.shown.includes(place),
            };
            time.share = match share {
                0.0 if lists.counted.includes(place) => 1.0,
                _ if share != 0.0 && lists.counted.excludes(place) => 0.0,
                _ => share,
            };
            time.counted = time.share * time.own;
            self.total += time.counted;
        }
    }

    /// What callers of a place, or of the members of a cycle, pass on: their share, and whether any is shown.
    fn share_of(&self, members: &[u32], calls: u64) -> (f64, bool) {
        let (mut share, mut is_shown) = (0.0, false);
        for &member in members {
            for &(caller, number) in self.callers.of(member) {
                let call = &self.calls[number as usize];
                if self.is_nested(call) {
                    continue;
                }
                let caller = &self.places[caller as usize];
                is_shown |= caller.is_shown;
                if calls != 0 {
                    share += caller.share * (call.count as f64 / calls as f64);
                }
            }
        }
        (share, is_shown)
    }

    /// Adds up the times of each cycle's members that count.
    fn add_up_cycles(&mut self) {
        for (cycle, members) in self.cycles.iter_mut().zip(&self.members) {
            for &member in members {
                let member = &self.places[member as usize];
                if member.share != 0.0 {
                    cycle.own += member.own;
                }
            }
            cycle.counted = cycle.share * cycle.own;
        }
    }

    /// Propagates time from the callees of a place, which have theirs already, to it.
    fn propagate(&mut self, place: u32) {
        let share = self.places[place as usize].share;
        if share == 0.0 {
            return;
        }
        let cycle = self.cycle_of[place as usize];
        for at in 0..self.callees.of(place).len() {
            let (callee, number) = self.callees.of(place)[at];
            let call = self.calls[number as usize];
            let is_counted = self.places[callee as usize].share != 0.0;
            if call.count == 0 || !is_counted || self.is_nested(&call) {
                continue;
            }
            let source = self.source(callee);
            if source.calls == 0 {
                continue;
            }
            let part = call.count as f64 / source.calls as f64;
            let own = source.own * part;
            let children = source.children * part;
            let sum = own + children;
            self.propagated[number as usize] = Propagated {
                own: own * share,
                children: children * share,
            };
            let caller = &mut self.places[place as usize];
            caller.children += sum;
            caller.counted_children += share * sum;
            if let Some(cycle) = cycle {
                let cycle = &mut self.cycles[cycle as usize];
                cycle.children += sum;
                cycle.counted_children += share * sum;
            }
        }
    }
}
