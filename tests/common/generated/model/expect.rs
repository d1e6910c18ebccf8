//! The sums of the costs of an execution: of rows, lines, calls, and inclusive ones.

use std::collections::BTreeMap;

use super::{Cost, Counted, FILES, Function, Model, NAMES, Place, Row, add};

impl Model {
    pub(super) fn add_up(&mut self, functions: &[Function], all: &Counted, on_stack: &[Cost]) {
        let name = |f: usize| NAMES[functions[f].name].to_vec();
        let own_row = |f: usize| (FILES[functions[f].file].to_vec(), name(f));
        let row = |(f, file, _): Place| (FILES[file].to_vec(), name(f));
        for (&place, cost) in &all.costs {
            add(self.rows.entry(row(place)).or_default(), cost);
            let line = (FILES[place.1].to_vec(), place.2);
            add(self.lines.entry(line).or_default(), cost);
            add(&mut self.total, cost);
        }
        for (&(site, callee), (count, cost)) in &all.calls {
            let sum = self.calls.entry((row(site), own_row(callee))).or_default();
            sum.0 += count;
            add(&mut sum.1, cost);
        }
        // Who reaches whom, by one more call at a time.
        let size = functions.len();
        let mut reaches = vec![vec![false; size]; size];
        for &((caller, ..), callee) in all.calls.keys() {
            reaches[caller][callee] = true;
        }
        for via in 0..size {
            for from in 0..size {
                for to in 0..size {
                    reaches[from][to] |= reaches[from][via] && reaches[via][to];
                }
            }
        }
        let is_nested = |a: usize, b: usize| a == b || reaches[a][b] && reaches[b][a];
        let in_cycle = |f: usize| (0..size).any(|other| other != f && is_nested(f, other));
        let is_used = |f: usize| {
            let called = all.calls.keys().any(|&((a, ..), b)| a == f || b == f);
            called || all.costs.keys().any(|&(by, ..)| by == f)
        };
        // What is inlined costs itself and the calls made there, if its function is in no cycle.
        let mut inlined: BTreeMap<Row, Cost> = BTreeMap::new();
        let leaves =
            |&(&((caller, ..), callee), _): &(&(Place, usize), _)| !is_nested(caller, callee);
        let leaving = all.calls.iter().filter(leaves);
        let leaving = leaving.map(|(&(site, _), (_, cost))| (site, cost));
        let own = all.costs.iter().map(|(&place, cost)| (place, cost));
        let is_inlined =
            |&(place, _): &(Place, _)| place.1 != functions[place.0].file && !in_cycle(place.0);
        for (place, cost) in own.chain(leaving).filter(is_inlined) {
            add(inlined.entry(row(place)).or_default(), cost);
        }
        for f in (0..size).filter(|&f| is_used(f) && !in_cycle(f)) {
            self.inclusive.insert(own_row(f), on_stack[f].clone());
        }
        self.inclusive.extend(inlined);
        if all.calls.is_empty() {
            self.inclusive = self.rows.clone();
        }
        let shares = |a: usize| (0..size).any(|b| a != b && functions[a].name == functions[b].name);
        for f in (0..size).filter(|&f| shares(f)) {
            self.inclusive.retain(|(_, of), _| *of != name(f));
        }
    }
}
