//! The ways through the call graph that lead through some lines: whether functions and lines can
//! be reached without a line, and which ones it leads to.
//!
//! Each of at most [`MAX_LINES`] lines is a bit, so that all lines are followed at once: a function
//! is visited again only if it can be reached in one more way.

use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::graph::CallGraph;
use crate::profile::FunctionId;

pub(super) const MAX_LINES: usize = 20;

/// A set of lines.
pub(super) type Lines = u32;

/// The bit of no line: what has it can be reached at all.
const REACHED: Lines = 1 << 31;

/// All calls from one function to another.
#[derive(Clone, Copy)]
struct Arc {
    callee: FunctionId,
    /// The lines that all of these calls are made in.
    all: Lines,
    /// The lines that some of these calls are made in.
    any: Lines,
}

/// By function the lines of the ways to it.
pub(super) struct Ways {
    arcs: Vec<Vec<Arc>>,
    /// The lines without which a function can be reached.
    without: Vec<Lines>,
    /// The lines that lead to a function.
    below: Vec<Lines>,
}

impl Ways {
    /// `calls` are the caller, the callee and the lines of each call.
    pub(super) fn new(
        graph: &CallGraph<'_>,
        calls: impl Iterator<Item = (FunctionId, FunctionId, Lines)>,
    ) -> Ways {
        let functions = graph.profile.function_count();
        let mut arcs: Vec<Vec<Arc>> = vec![Vec::new(); functions];
        let mut numbers: HashMap<(FunctionId, FunctionId), usize> = HashMap::new();
        let mut is_called = vec![false; functions];
        for (caller, callee, lines) in calls {
            is_called[callee.index()] |= caller != callee;
            let of_caller = &mut arcs[caller.index()];
            let number = *numbers.entry((caller, callee)).or_insert(of_caller.len());
            match of_caller.get_mut(number) {
                Some(arc) => (arc.all, arc.any) = (arc.all & lines, arc.any | lines),
                None => of_caller.push(Arc { callee, all: lines, any: lines }),
            }
        }
        let mut ways = Ways { arcs, without: vec![0; functions], below: vec![0; functions] };
        ways.find_without(graph, &is_called);
        ways.find_below();
        ways
    }

    /// Follows all ways from the functions that nobody calls. A cycle that nobody calls is entered
    /// at the first of its functions.
    fn find_without(&mut self, graph: &CallGraph<'_>, is_called: &[bool]) {
        let in_order = graph.in_order().iter();
        let roots = in_order.clone().copied().filter(|function| !is_called[function.index()]);
        let mut open: VecDeque<FunctionId> = roots.collect();
        open.iter().for_each(|root| self.without[root.index()] = Lines::MAX);
        self.follow(&mut open);
        for &function in in_order {
            if self.without[function.index()] == 0 {
                self.without[function.index()] = Lines::MAX;
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
    pub(super) fn without(&self, function: FunctionId) -> (Lines, bool) {
        let lines = self.without[function.index()];
        (lines & !REACHED, lines & REACHED != 0)
    }

    pub(super) fn below(&self, function: FunctionId) -> Lines {
        self.below[function.index()]
    }

    /// By function the lines that it leads to, given those that it has itself.
    pub(super) fn leading_to(&self, mut has: Vec<Lines>) -> Vec<Lines> {
        let mut callers: Vec<Vec<u32>> = vec![Vec::new(); self.arcs.len()];
        for (caller, arcs) in (0..).zip(&self.arcs) {
            arcs.iter().for_each(|arc| callers[arc.callee.index()].push(caller));
        }
        let mut open: VecDeque<usize> = (0..has.len()).filter(|&at| has[at] != 0).collect();
        while let Some(function) = open.pop_front() {
            for &caller in &callers[function] {
                let more = has[function] & !has[caller as usize];
                if more != 0 {
                    has[caller as usize] |= more;
                    open.push_back(caller as usize);
                }
            }
        }
        has
    }
}
