//! The ways through the call graph that lead through some lines: whether functions and lines can
//! be reached without a line, and which ones it leads to.
//!
//! Each of at most [`MAX_LINES`] lines is a bit, so that all lines are followed at once: a function
//! is visited again only if it can be reached in one more way.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::profile::FunctionId;

pub(in crate::view) const MAX_LINES: usize = 20;

/// A set of lines.
pub(in crate::view) type LineSet = u32;

/// The bit of no line: what has it can be reached at all.
const REACHED: LineSet = 1 << 31;

/// The part of a line's cost that lines have for which it is left out: three quarters.
const COVERED: (i128, i128) = (3, 4);

/// How one of the lines can be reached.
#[derive(Clone, Copy, Default)]
pub(in crate::view) struct Reach {
    /// Its bit, and the lines that lead to it, and without which it can be reached.
    pub(in crate::view) bit: LineSet,
    pub(in crate::view) above: LineSet,
    pub(in crate::view) without: LineSet,
    pub(in crate::view) is_reached: bool,
}

impl Reach {
    /// Adds that the line is in a function, inside the lines `around` it.
    pub(in crate::view) fn add(&mut self, ways: &Ways, function: FunctionId, around: LineSet) {
        let (without, is_reached) = ways.without(function);
        self.above |= ways.below(function) | around;
        self.is_reached |= is_reached;
        self.without |= without & !around;
    }

    /// Whether this line alone leads to another one.
    pub(in crate::view) fn leads_alone_to(self, other: Reach) -> bool {
        self.bit != other.bit && other.is_reached && other.without & self.bit == 0
    }
}

/// The first of the lines that only this one leads to, and of which none leads to another, if they
/// have most of its cost. Only lines that `may_cover` it count. The lines are sorted by cost.
pub(in crate::view) fn covering(
    lines: &[(Reach, i64)],
    at: usize,
    may_cover: impl Fn(usize) -> bool,
) -> Option<usize> {
    let (line, cost) = lines[at];
    let is_between = |a: Reach, b: Reach| a.above & b.bit != 0 || b.above & a.bit != 0;
    let (mut chosen, mut sum): (Vec<usize>, i128) = (Vec::new(), 0);
    for (number, &(below, of_below)) in lines.iter().enumerate() {
        // Of two lines that only lead to each other, the first one stays.
        let is_same = below.leads_alone_to(line) && at > number;
        if line.leads_alone_to(below)
            && !is_same
            && may_cover(number)
            && !chosen.iter().any(|&other| is_between(lines[other].0, below))
        {
            chosen.push(number);
            sum += i128::from(of_below);
        }
    }
    let is_most = sum * COVERED.1 >= i128::from(cost) * COVERED.0;
    chosen.first().copied().filter(|_| is_most)
}

/// Whether a part of a cost is so large that a line is left out for it.
pub(in crate::view) fn is_most_of(part: i64, cost: i64) -> bool {
    i128::from(part) * COVERED.1 >= i128::from(cost) * COVERED.0
}

/// All calls from one function to another.
#[derive(Clone, Copy)]
struct CallLines {
    callee: FunctionId,
    /// The lines that all of these calls are made in.
    all: LineSet,
    /// The lines that some of these calls are made in.
    any: LineSet,
}

/// By function the lines of the ways to it.
pub(in crate::view) struct Ways {
    arcs: Vec<Vec<CallLines>>,
    /// The lines without which a function can be reached.
    without: Vec<LineSet>,
    /// The lines that lead to a function.
    below: Vec<LineSet>,
}

impl Ways {
    /// `in_order` are all functions, callers first as far as that is possible; `calls` are the
    /// caller, the callee and the lines of each call.
    pub(in crate::view) fn new(
        in_order: &[FunctionId],
        calls: impl Iterator<Item = (FunctionId, FunctionId, LineSet)>,
    ) -> Ways {
        let functions = in_order.len();
        let mut arcs: Vec<Vec<CallLines>> = vec![Vec::new(); functions];
        let mut numbers: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
        let mut is_called = vec![false; functions];
        for (caller, callee, lines) in calls {
            is_called[callee.index()] |= caller != callee;
            let of_caller = &mut arcs[caller.index()];
            let number = *numbers.entry((caller, callee)).or_insert(of_caller.len());
            match of_caller.get_mut(number) {
                Some(arc) => (arc.all, arc.any) = (arc.all & lines, arc.any | lines),
                None => of_caller.push(CallLines { callee, all: lines, any: lines }),
            }
        }
        let mut ways = Ways { arcs, without: vec![0; functions], below: vec![0; functions] };
        ways.find_without(in_order, &is_called);
        ways.find_below();
        ways
    }

    /// Follows all ways from the functions that nobody calls. A cycle that nobody calls is entered
    /// at the first of its functions.
    fn find_without(&mut self, in_order: &[FunctionId], is_called: &[bool]) {
        let roots = in_order.iter().copied().filter(|function| !is_called[function.index()]);
        let mut open: VecDeque<FunctionId> = roots.collect();
        open.iter().for_each(|root| self.without[root.index()] = LineSet::MAX);
        self.follow(&mut open);
        for &function in in_order {
            if self.without[function.index()] == 0 {
                self.without[function.index()] = LineSet::MAX;
                open.push_back(function);
                self.follow(&mut open);
            }
        }
    }

    fn follow(&mut self, open: &mut VecDeque<FunctionId>) {
        while let Some(function) = open.pop_front() {
            let here = self.without[function.index()];
            for arc in &self.arcs[function.index()] {
                let known = &mut self.without[arc.callee.index()];
                let more = here & !arc.all & !*known;
                if more != 0 {
                    *known |= more;
                    open.push_back(arc.callee);
                }
            }
        }
    }

    fn find_below(&mut self) {
        let mut open: VecDeque<usize> = (0..self.arcs.len()).collect();
        while let Some(function) = open.pop_front() {
            let here = self.below[function];
            for arc in &self.arcs[function] {
                let known = &mut self.below[arc.callee.index()];
                let more = (here | arc.any) & !*known;
                if more != 0 {
                    *known |= more;
                    open.push_back(arc.callee.index());
                }
            }
        }
    }

    /// The lines without which a function can be reached, and whether it can be reached at all.
    fn without(&self, function: FunctionId) -> (LineSet, bool) {
        let lines = self.without[function.index()];
        (lines & !REACHED, lines & REACHED != 0)
    }

    fn below(&self, function: FunctionId) -> LineSet {
        self.below[function.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some calls between functions, which always are the same, each in lines 0 to 3.
    fn calls(seed: u32) -> Vec<(FunctionId, FunctionId, LineSet)> {
        let mut state = seed;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        let call = |_| (FunctionId(next(8)), FunctionId(next(8)), next(16));
        (0..14).map(call).collect()
    }

    /// The functions that can be reached by calls outside a line.
    fn reached(
        starts: &[u32],
        without: LineSet,
        calls: &[(FunctionId, FunctionId, LineSet)],
    ) -> Vec<bool> {
        let mut is_reached: Vec<bool> = (0..8).map(|at| starts.contains(&at)).collect();
        for _ in 0..8 {
            for &(caller, callee, lines) in calls {
                is_reached[callee.index()] |= is_reached[caller.index()] && lines & without == 0;
            }
        }
        is_reached
    }

    #[test]
    fn all_lines_at_once_are_as_a_walk_for_each() {
        let in_order: Vec<FunctionId> = (0..8).map(FunctionId).collect();
        for seed in 0..200 {
            let calls = calls(seed);
            let ways = Ways::new(&in_order, calls.iter().copied());
            let is_called = |at: &u32| calls.iter().any(|of| of.1.0 == *at && of.0 != of.1);
            let mut starts: Vec<u32> = (0..8).filter(|at| !is_called(at)).collect();
            for at in 0..8 {
                if !reached(&starts, 0, &calls)[at as usize] {
                    starts.push(at);
                }
            }
            for line in (0..4).map(|bit| 1 << bit) {
                let outside = reached(&starts, line, &calls);
                let made_in: Vec<u32> =
                    calls.iter().filter(|call| call.2 & line != 0).map(|call| call.1.0).collect();
                let below = reached(&made_in, 0, &calls);
                for (at, &function) in in_order.iter().enumerate() {
                    assert_eq!(ways.without(function).0 & line != 0, outside[at], "{seed} {at}");
                    assert_eq!(ways.below(function) & line != 0, below[at], "{seed} {at}");
                }
            }
        }
    }
}
