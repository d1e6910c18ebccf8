//! The source lines of the frames of stacks, and their addresses if instructions are recorded.
//!
//! A call graph does not record the lines of a stack, only the self cost of each line and the costs of its calls. So
//! the cost of all stacks that end with a function is split over its lines in proportion to their self costs, and the
//! cost of all stacks with a call over the lines of that call: one stack after the other, until the share of a line is
//! used up. Each line gets its exact cost; the number of stacks grows at most by that of the lines.

use std::collections::HashMap;

use crate::profile::{Count, FileId, FunctionId, Place, Profile};
use crate::transform::CopiesAt;
use crate::view::rows::Rows;
use crate::view::stacks::Apportion;
use crate::view::sums::part_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    pub file: Option<FileId>,
    /// The line, 0 if unknown.
    pub line: u32,
    /// The number of the innermost inlined copy here; the call lines of its enclosing copies follow from it.
    copy: Option<u32>,
    /// The address, as in the headers of its object; 0 if unknown.
    pub address: u64,
}

/// A frame's function and callee; without a callee, the function's self cost.
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
    /// Collects the lines of rows that the filter selected, with the inlined copies at addresses. Groups have none.
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
        // Without recorded lines, inlined copies still have lines, which are used instead of addresses.
        self.has_addresses = side.has_addresses && (side.has_lines || !profile.has_inlined());
        for (place, cost) in profile.costs_of(side) {
            if rows.is_selected(rows.of_place(place)) {
                self.add(place, None, cost);
            }
        }
        for (call, _, cost) in profile.calls_of(side) {
            // The call lines of inlined copies follow from their addresses.
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

    /// Calls `write` for each stack (outermost frame first) with the spots of its frames and its share of the cost.
    /// Instructions below `min_percent` percent of the total are merged into the previous one of the same line.
    pub fn split<'s>(
        &self,
        event: usize,
        min_percent: f64,
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
        let min_cost = (total as f64 * min_percent / 100.0) as i128;
        let cursor = |(step, sum)| (step, self.cursor(step, event, min_cost, sum));
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
                        self.advance(cursor, event, min_cost);
                    }
                }
            }
        }
    }

    /// For each inlined copy with a known spot, sets the spots of the enclosing functions to its call lines.
    fn set_calls_of_copies(&self, path: &[FunctionId], spots: &mut [Spot]) {
        let Some(copies) = self.copies_at else {
            return;
        };
        for at in (1..path.len()).rev() {
            let around = self.profile.inlined_into(path[at]);
            let copy = spots[at].copy.filter(|_| around == Some(path[at - 1]));
            let call = copy.and_then(|copy| copies.call_of(self.profile.host(path[at]), copy));
            if let Some((file, line, copy)) = call {
                spots[at - 1] = Spot { file: Some(file), line, address: 0, copy };
            }
        }
    }

    /// A cursor at the first line of a step; `sum` is the cost of all stacks with the step.
    fn cursor(&self, step: Step, event: usize, min_cost: i128, sum: i128) -> Cursor<'_> {
        let mut records = part_of(&self.records, step, |record| record.0);
        let weights = records.iter().map(|record| self.weight(record, event));
        let weights: i128 = weights.sum();
        if weights == 0 {
            records = &[];
        }
        let mut cursor = Cursor {
            spot: Spot::default(),
            left: 0,
            records,
            shares: Apportion::new(sum, weights),
        };
        self.advance(&mut cursor, event, min_cost);
        cursor
    }

    /// Moves to the next line with a share if that of the current line is used up.
    fn advance(&self, cursor: &mut Cursor<'_>, event: usize, min_cost: i128) {
        while let Some((record, rest)) = cursor.records.split_first() {
            let weight = self.weight(record, event);
            let line = |spot: &Spot| (spot.file, spot.line, spot.copy);
            if cursor.left <= 0 {
                cursor.spot = record.1;
            } else if weight >= min_cost || line(&record.1) != line(&cursor.spot) {
                return;
            }
            cursor.left += cursor.shares.next(weight);
            cursor.records = rest;
        }
        if cursor.left <= 0 {
            // Without records, a step has one unknown line for any cost.
            cursor.left = i128::MAX;
        }
    }

    fn weight(&self, &(_, _, cost): &Record<'_>, event: usize) -> i128 {
        let count = self.profile.events().count(cost, event);
        i128::from(count.or_zero().max(0))
    }
}

/// The steps of a stack, outermost first.
fn steps(path: &[FunctionId]) -> impl Iterator<Item = Step> {
    let callees = path.iter().skip(1).copied().map(Some).chain([None]);
    path.iter().copied().zip(callees)
}

/// The current line of a step.
struct Cursor<'l> {
    spot: Spot,
    /// The rest of the line's share.
    left: i128,
    /// The records of the following lines.
    records: &'l [Record<'l>],
    shares: Apportion,
}
