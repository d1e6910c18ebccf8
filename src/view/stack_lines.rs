//! The lines of the frames of stacks, and their addresses where instructions are recorded.
//!
//! A call graph does not say at which lines a stack was called, only what each line of a function spent and what its calls
//! cost. So the cost of all stacks that end with a function is split over its lines as its own cost is, and that of all
//! stacks with a call over the lines of that call: one stack after the other, until the share of a line is used up. Each
//! line has its own cost to the last count, and there are never more stacks with lines than stacks and lines together.

use std::collections::HashMap;

use crate::profile::{Count, FileId, FunctionId, Place, Profile};
use crate::transform::CopiesAt;
use crate::view::rows::Rows;
use crate::view::stacks::Apportion;
use crate::view::sums::part_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The source file; none if nothing is known.
    pub file: Option<FileId>,
    /// The line, 0 if it is not known.
    pub line: u32,
    /// The number of the innermost inlined copy there, which says where those around it are.
    copy: Option<u32>,
    /// The address, as in the headers of its object; 0 if it is not known.
    pub address: u64,
}

/// What a frame costs: what it calls, or, without a callee, what the function itself spends.
type Step = (FunctionId, Option<FunctionId>);

pub struct StackLines<'p> {
    profile: &'p Profile,
    copies_at: Option<&'p CopiesAt>,
    has_addresses: bool,
    records: Vec<Record<'p>>,
}

/// The cost of a step at a place.
type Record<'p> = (Step, Spot, &'p [Count]);

impl<'p> StackLines<'p> {
    /// The lines of the rows that the filter chose, with the inlined copies at addresses. Groups have no lines.
    pub fn new(rows: &Rows<'p>, copies_at: Option<&'p CopiesAt>) -> Self {
        let mut lines = StackLines {
            profile: rows.profile,
            copies_at,
            has_addresses: false,
            records: Vec::new(),
        };
        if !rows.row_by.is_group() {
            lines.add_records(rows);
        }
        lines.records.sort_by_key(|&(step, spot, _)| (step, spot));
        lines
    }

    fn add_records(&mut self, rows: &Rows<'_>) {
        let (profile, side) = (self.profile, &self.profile.sides().new);
        // If there are addresses alone, the lines of inlined copies are known.
        self.has_addresses = side.has_addresses && (side.has_lines || !profile.has_inlined());
        for (place, cost) in profile.costs_of(side) {
            if rows.is_selected(rows.of_place(place)) {
                self.add(place, None, cost);
            }
        }
        for (call, _, cost) in profile.calls_of(side) {
            // Where copies are called follows from their addresses.
            if self.has_addresses && profile.is_inlined(call.callee) {
                continue;
            }
            self.add(call.site, Some(call.callee), cost);
        }
    }

    fn add(&mut self, place: Place, callee: Option<FunctionId>, cost: &'p [Count]) {
        let at = self.profile.location(place);
        let copies = self.copies_at.map(|copies| &copies.numbers);
        let host = self.profile.host(at.function);
        let copy = copies.filter(|_| self.has_addresses);
        let copy = copy.and_then(|copies| copies.get(&(host, at.address)));
        let spot = Spot {
            file: Some(at.file),
            line: at.line,
            address: if self.has_addresses { at.address } else { 0 },
            copy: copy.copied(),
        };
        self.records.push(((at.function, callee), spot, cost));
    }

    /// Hands each stack, the frames outermost first, with their places and its share of the cost to `write`. Instructions
    /// of less than `least` percent of all stacks count as the one before them on the same line.
    pub fn split<'s>(
        &self,
        event: usize,
        least: f64,
        stacks: impl Iterator<Item = (&'s [FunctionId], i64)> + Clone,
        mut write: impl FnMut(&[FunctionId], &[Spot], i64),
    ) {
        let mut sums: HashMap<Step, i128> = HashMap::new();
        let mut total = 0;
        for (path, cost) in stacks.clone() {
            total += i128::from(cost);
            for step in steps(path) {
                *sums.entry(step).or_default() += i128::from(cost);
            }
        }
        let least = (total as f64 * least / 100.0) as i128;
        let cursor = |(step, sum)| (step, self.cursor(step, event, least, sum));
        let mut cursors: HashMap<Step, Cursor<'_>> = sums.into_iter().map(cursor).collect();
        let mut spots = Vec::new();
        for (path, cost) in stacks {
            let mut rest = i128::from(cost);
            while rest > 0 {
                let mut part = rest;
                spots.clear();
                for step in steps(path) {
                    let cursor = &cursors[&step];
                    spots.push(cursor.spot);
                    part = part.min(cursor.left);
                }
                self.set_calls_of_copies(path, &mut spots);
                write(path, &spots, part as i64);
                rest -= part;
                for step in steps(path) {
                    if let Some(cursor) = cursors.get_mut(&step) {
                        cursor.left -= part;
                        self.advance(cursor, event, least);
                    }
                }
            }
        }
    }

    /// Sets the places of the functions around a copy whose place is known to those of its call.
    fn set_calls_of_copies(&self, path: &[FunctionId], spots: &mut [Spot]) {
        let Some(copies) = self.copies_at else {
            return;
        };
        for at in (1..path.len()).rev() {
            let around = self.profile.inlined_into(path[at]);
            let copy = spots[at].copy.filter(|_| around == Some(path[at - 1]));
            let call = copy.and_then(|copy| copies.call_of(self.profile.host(path[at]), copy));
            if let Some((file, line, copy)) = call {
                spots[at - 1] = Spot {
                    file: Some(file),
                    line,
                    address: 0,
                    copy,
                };
            }
        }
    }

    /// The first line of a step, of which stacks have this cost.
    fn cursor(&self, step: Step, event: usize, least: i128, sum: i128) -> Cursor<'_> {
        let mut records = part_of(&self.records, step, |record| record.0);
        let weights = records
            .iter()
            .map(|record| self.weight(record, event))
            .sum();
        if weights == 0 {
            records = &[];
        }
        let mut cursor = Cursor {
            spot: Spot::default(),
            left: 0,
            records,
            shares: Apportion::new(sum, weights),
        };
        self.advance(&mut cursor, event, least);
        cursor
    }

    /// Goes on to the next line that has a share, if the one before is used up.
    fn advance(&self, cursor: &mut Cursor<'_>, event: usize, least: i128) {
        while let Some((record, rest)) = cursor.records.split_first() {
            let weight = self.weight(record, event);
            let line = |spot: &Spot| (spot.file, spot.line, spot.copy);
            if cursor.left <= 0 {
                cursor.spot = record.1;
            } else if weight >= least || line(&record.1) != line(&cursor.spot) {
                return;
            }
            cursor.left += cursor.shares.next(weight);
            cursor.records = rest;
        }
        if cursor.left <= 0 {
            // Of what nothing is recorded, stacks may have any cost.
            cursor.left = i128::MAX;
        }
    }

    fn weight(&self, &(_, _, cost): &Record<'_>, event: usize) -> i128 {
        let count = self.profile.events().count(cost, event);
        i128::from(count.or_zero().max(0))
    }
}

/// What the frames of a stack cost, outermost first.
fn steps(path: &[FunctionId]) -> impl Iterator<Item = Step> {
    let callees = path.iter().skip(1).copied().map(Some).chain([None]);
    path.iter().copied().zip(callees)
}

/// How far the lines of a step are used up.
struct Cursor<'l> {
    spot: Spot,
    /// What is left of the line's share.
    left: i128,
    /// The lines that follow.
    records: &'l [Record<'l>],
    shares: Apportion,
}
