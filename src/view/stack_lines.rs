//! The source lines of the frames of stacks, and their addresses if instructions are recorded.
//!
//! A call graph does not record the lines of a stack, only the self cost of each line and the costs
//! of its calls. So the cost of all stacks that end with a function is split over its lines in
//! proportion to their self costs, and the cost of all stacks with a call over the lines of that
//! call: one stack after the other, until the share of a line is used up. Each line gets its exact
//! cost; the number of stacks grows at most by that of the lines.

use hashbrown::HashMap;

use crate::graph::Groups;
use crate::profile::{FileId, FunctionId, Place, Profile};
use crate::transform::CopiesAt;
use crate::view::rows::Rows;
use crate::view::stacks::Apportion;
use crate::view::sums::part_of;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrameLine {
    pub file: Option<FileId>,
    /// The line, 0 if unknown.
    pub line: u32,
    /// The number of the innermost inlined copy here; the call lines of its enclosing copies follow
    /// from it.
    copy: Option<u32>,
    /// The address, as in the headers of its object; 0 if unknown.
    pub address: u64,
}

/// A frame's function and callee; without a callee, the function's self cost.
type FrameStep = (FunctionId, Option<FunctionId>);

pub struct StackLines<'p> {
    frame_lines: FrameLines<'p>,
    /// By function the numbers of the places with its self cost, in order of their lines.
    costs: Groups,
    /// By function the numbers of its calls, in order of callees and lines.
    calls: Groups,
}

/// Finds the lines of places.
struct FrameLines<'p> {
    profile: &'p Profile,
    copies_at: Option<&'p CopiesAt>,
    has_addresses: bool,
}

impl FrameLines<'_> {
    fn of(&self, place: Place) -> FrameLine {
        let at = self.profile.code_place(place);
        let copies = self.copies_at.filter(|_| self.has_addresses);
        let copy = copies.and_then(|copies| {
            let host = self.profile.host(at.function);
            copies.numbers.get(&(host, at.address)).copied()
        });
        FrameLine {
            file: Some(at.file),
            line: at.line,
            address: if self.has_addresses { at.address } else { 0 },
            copy,
        }
    }

    /// The line of a place, or of a call, by its number in the profile.
    fn of_record(&self, step: FrameStep, number: u32) -> FrameLine {
        let number = number as usize;
        self.of(match step.1 {
            None => self.profile.places[number],
            Some(_) => self.profile.calls[number].site,
        })
    }
}

impl<'p> StackLines<'p> {
    /// Collects the lines of rows that the filter selected, with the inlined copies at addresses.
    /// Groups have none.
    pub fn new(rows: &Rows<'p>, copies_at: Option<&'p CopiesAt>) -> Self {
        let (profile, side) = (rows.profile, &rows.profile.sides().new);
        let (functions, has_lines) = (profile.function_count(), !rows.row_by.is_group());
        // Without recorded lines, inlined copies still have lines, which are used instead of
        // addresses.
        let has_addresses =
            has_lines && side.has_addresses && (side.has_lines || !profile.has_inlined());
        let function = |place: Place| profile.fragment(place.fragment).function.index();
        let places = profile.places.iter().enumerate().map(|(number, &place)| {
            let is_known = has_lines && side.costs.has(number);
            (is_known && rows.is_selected(rows.of_place(place))).then(|| function(place))
        });
        let calls = profile.calls.iter().enumerate().map(|(number, call)| {
            // The call lines of inlined copies follow from their addresses.
            let is_known = has_lines && side.calls.has(number);
            let follows = has_addresses && profile.is_inlined(call.callee);
            (is_known && !follows).then(|| function(call.site))
        });
        let mut lines = StackLines {
            costs: Groups::new(functions, places),
            calls: Groups::new(functions, calls),
            frame_lines: FrameLines { profile, copies_at, has_addresses },
        };
        let frame_lines = &lines.frame_lines;
        lines.costs.sort_each(|number| frame_lines.of(profile.places[number as usize]));
        lines.calls.sort_each(|number| {
            let call = profile.calls[number as usize];
            (call.callee, frame_lines.of(call.site))
        });
        lines
    }

    /// The numbers of the places or calls of a step, in order of their lines.
    fn records(&self, (function, callee): FrameStep) -> &[u32] {
        let Some(callee) = callee else {
            return self.costs.get(function.index());
        };
        let calls = &self.frame_lines.profile.calls;
        let by_callee = |&number: &u32| calls[number as usize].callee;
        part_of(self.calls.get(function.index()), callee, by_callee)
    }

    /// Calls `write` for each stack (outermost frame first) with the lines of its frames, the
    /// number of frames that are those of the last call, and its share of the cost. The lines of
    /// these frames may only differ where copies are inlined into them. Instructions below
    /// `min_percent` percent of the total are merged into the previous one of the same line.
    /// `for_each_stack` calls a function for each stack, and is called twice.
    pub fn split(
        &self,
        event: usize,
        min_percent: f64,
        for_each_stack: impl Fn(&mut dyn FnMut(&[FunctionId], i64)),
        mut write: impl FnMut(&[FunctionId], &[FrameLine], usize, i64),
    ) {
        let functions = self.frame_lines.profile.function_count();
        let (mut steps, total) = FrameSteps::of_stacks(functions, &for_each_stack);
        let min_cost = (total as f64 * min_percent / 100.0) as i64;
        let cursor = |&(step, sum): &(FrameStep, i64)| self.cursor(step, event, min_cost, sum);
        let mut cursors: Vec<LineCursor<'_>> = steps.list.iter().map(cursor).collect();
        let mut frame_lines: Vec<FrameLine> = Vec::new();
        let mut of_calls: Vec<FrameLine> = Vec::new();
        // The number of frames whose functions and lines are still those of the last call of
        // `write`.
        let mut same = 0;
        for_each_stack(&mut |path, cost| {
            let first = steps.find(path);
            frame_lines.truncate(first);
            frame_lines.extend(steps.found[first..].iter().map(|&step| cursors[step].frame_line));
            same = same.min(first);
            let Some((&last, calls)) = steps.found.split_last() else { return };
            let mut rest = cost;
            while rest > 0 {
                // Until the line of a call is used up, only that of the self cost changes.
                let left = calls.iter().map(|&step| cursors[step].left);
                let until = left.fold(rest, i64::min);
                let mut of_lines = until;
                while of_lines > 0 {
                    let part = of_lines.min(cursors[last].left);
                    if self.frame_lines.copies_at.is_some() {
                        of_calls.clone_from(&frame_lines);
                        self.set_calls_of_copies(path, &mut of_calls);
                        write(path, &of_calls, same, part);
                    } else {
                        write(path, &frame_lines, same, part);
                    }
                    same = path.len();
                    of_lines -= part;
                    if self.take(part, &mut cursors[last], event, min_cost) {
                        frame_lines[calls.len()] = cursors[last].frame_line;
                        same = calls.len();
                    }
                }
                rest -= until;
                for (at, &step) in calls.iter().enumerate() {
                    if self.take(until, &mut cursors[step], event, min_cost) {
                        frame_lines[at] = cursors[step].frame_line;
                        same = same.min(at);
                    }
                }
            }
        });
    }

    /// Takes a part of the share of the current line. Returns whether it is used up, and the next
    /// line the current one.
    fn take(&self, part: i64, cursor: &mut LineCursor<'_>, event: usize, min_cost: i64) -> bool {
        cursor.left -= part;
        let is_used_up = cursor.left <= 0;
        if is_used_up {
            self.advance(cursor, event, min_cost);
        }
        is_used_up
    }

    /// For each inlined copy with a known line, sets the lines of the enclosing functions to its
    /// call lines.
    fn set_calls_of_copies(&self, path: &[FunctionId], frame_lines: &mut [FrameLine]) {
        let FrameLines { profile, copies_at: Some(copies), .. } = self.frame_lines else {
            return;
        };
        for at in (1..path.len()).rev() {
            let around = profile.inlined_into(path[at]);
            let copy = frame_lines[at].copy.filter(|_| around == Some(path[at - 1]));
            let call = copy.and_then(|copy| copies.call_of(profile.host(path[at]), copy));
            if let Some((file, line, copy)) = call {
                frame_lines[at - 1] = FrameLine { file: Some(file), line, address: 0, copy };
            }
        }
    }

    /// A cursor at the first line of a step; `sum` is the cost of all stacks with the step.
    fn cursor(&self, step: FrameStep, event: usize, min_cost: i64, sum: i64) -> LineCursor<'_> {
        let mut records = self.records(step);
        let weights: i64 = records.iter().map(|&record| self.weight(step, record, event)).sum();
        if weights == 0 {
            records = &[];
        }
        let mut cursor = LineCursor {
            step,
            frame_line: FrameLine::default(),
            left: 0,
            records,
            shares: Apportion::new(sum, weights),
        };
        self.advance(&mut cursor, event, min_cost);
        cursor
    }

    /// Moves to the next line with a share if that of the current line is used up.
    fn advance(&self, cursor: &mut LineCursor<'_>, event: usize, min_cost: i64) {
        while let Some((&record, rest)) = cursor.records.split_first() {
            let weight = self.weight(cursor.step, record, event);
            let frame_line = || self.frame_lines.of_record(cursor.step, record);
            let line = |at: FrameLine| (at.file, at.line, at.copy);
            if cursor.left <= 0 {
                cursor.frame_line = frame_line();
            } else if weight >= min_cost || line(frame_line()) != line(cursor.frame_line) {
                return;
            }
            cursor.left += cursor.shares.next(weight);
            cursor.records = rest;
        }
        if cursor.left <= 0 {
            // Without records, a step has one unknown line for any cost.
            cursor.left = i64::MAX;
        }
    }

    /// The cost of a place, or of a call, by its number in the profile.
    fn weight(&self, step: FrameStep, number: u32, event: usize) -> i64 {
        let (profile, side) = (self.frame_lines.profile, &self.frame_lines.profile.sides().new);
        let rows = if step.1.is_none() { &side.costs } else { &side.calls };
        let count = profile.events().count(rows.table.get(number as usize), event);
        count.or_zero().max(0)
    }
}

/// The steps of stacks, numbered in order of appearance.
struct FrameSteps {
    /// The steps, each with the cost of all stacks that have it.
    list: Vec<(FrameStep, i64)>,
    /// By function the number of the step that is its self cost, from 1; 0 if no stack has it.
    own: Vec<u32>,
    /// The numbers of calls.
    calls: HashMap<(FunctionId, FunctionId), u32>,
    /// The last stack, outermost frame first, and the numbers of its steps.
    path: Vec<FunctionId>,
    found: Vec<usize>,
}

impl FrameSteps {
    /// The steps of all stacks, and the total of these.
    fn of_stacks(
        functions: usize,
        for_each_stack: &impl Fn(&mut dyn FnMut(&[FunctionId], i64)),
    ) -> (FrameSteps, i64) {
        let mut steps = FrameSteps {
            list: Vec::new(),
            own: vec![0; functions],
            calls: HashMap::new(),
            path: Vec::new(),
            found: Vec::new(),
        };
        let mut total = 0;
        for_each_stack(&mut |path, cost| {
            total += cost;
            steps.find(path);
            for &step in &steps.found {
                steps.list[step].1 += cost;
            }
        });
        steps.path.clear();
        (steps, total)
    }

    /// Finds the numbers of a stack's steps. Returns the first one that the last stack did not have
    /// at the same depth.
    fn find(&mut self, path: &[FunctionId]) -> usize {
        let is_same = |(last, frame): &(&FunctionId, &FunctionId)| last == frame;
        let same = self.path.iter().zip(path).take_while(is_same).count();
        // The last of the same frames has another callee.
        let first = same.saturating_sub(1);
        self.path.truncate(same);
        self.path.extend(&path[same..]);
        self.found.truncate(first);
        for at in first..path.len() {
            let number = self.number((path[at], path.get(at + 1).copied()));
            self.found.push(number);
        }
        first
    }

    fn number(&mut self, step: FrameStep) -> usize {
        let (function, callee) = step;
        let number = match callee {
            None => &mut self.own[function.index()],
            Some(callee) => self.calls.entry((function, callee)).or_default(),
        };
        if *number == 0 {
            self.list.push((step, 0));
            *number = self.list.len() as u32;
        }
        *number as usize - 1
    }
}

/// The current line of a step.
struct LineCursor<'l> {
    step: FrameStep,
    frame_line: FrameLine,
    /// The rest of the line's share.
    left: i64,
    /// The records of the following lines.
    records: &'l [u32],
    shares: Apportion,
}
