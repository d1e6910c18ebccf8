//! The call tree: for each row its callers and callees, each call as it was recorded.

use std::borrow::Cow;

use crate::graph::Groups;
use crate::profile::{Count, Presence};
use crate::view::cycles::Graphs;
use crate::view::figure::{CallCounts, CostFigure, Figure};
use crate::view::label::RowId;
use crate::view::rows::Rows;
use crate::view::selection::Selection;
use crate::view::sums::{Sums, SumsBuilder};

/// The direction of a path, which is also the index among caller and callee of the function at the end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathDirection {
    Callers,
    Callees,
}

impl PathDirection {
    pub(super) const BOTH: [PathDirection; 2] = [PathDirection::Callers, PathDirection::Callees];

    /// The index among caller and callee of the function at the start of a call.
    pub(super) fn start(self) -> usize {
        1 - self as usize
    }
}

/// A caller or a callee of a row.
#[derive(Debug)]
pub struct CallLine<'c> {
    /// The number of lines between it and the row.
    pub level: usize,
    pub row: RowId,
    /// The caller's only caller, the only caller of that, and so on.
    pub chain: Vec<RowId>,
    /// The number of calls on the path, if known.
    pub count: Option<Figure<CallCounts>>,
    /// The inclusive cost of the calls.
    pub cost: Figure<Cow<'c, [Count]>>,
    /// Whether the calls go back to a function that was entered before, so that their cost is part
    /// of that of other calls: the path ends.
    pub is_recursive: bool,
}

impl CallLine<'_> {
    pub fn cost(&self) -> CostFigure<'_> {
        self.cost.as_ref().map(|cost| &**cost)
    }

    pub fn rows(&self) -> impl Iterator<Item = RowId> {
        std::iter::once(self.row).chain(self.chain.iter().copied())
    }
}

/// All calls between rows, and into and out of cycles. Cycles are numbered after the rows.
pub struct CallTree {
    /// By caller and callee.
    calls: Sums<[u32; 2]>,
    /// By direction the positions of the calls of each item.
    of: [Groups; 2],
}

impl CallTree {
    /// Sums the calls of a profile by rows, and the calls into and out of each cycle. Calls within a group are left
    /// out, and groups have no cycles. In a difference each side has its own cycles.
    pub fn new(graphs: &Graphs<'_>, rows: &Rows<'_>) -> CallTree {
        let profile = rows.profile;
        let mut calls = SumsBuilder::new(profile);
        let are_groups = rows.row_by.is_group();
        for (number, &call) in profile.calls.iter().enumerate() {
            let on = profile.presence_of_call(number);
            let (RowId(caller), RowId(callee)) = rows.of_call(call);
            if !are_groups || caller != callee {
                calls.add_call([caller, callee], number, on);
            }
            let function = profile.fragment(call.site.fragment).function;
            for is_base in [false, true].into_iter().filter(|_| !are_groups) {
                let on = on.only(is_base);
                if on == Presence::default() {
                    continue;
                }
                let cycle_of =
                    |function| Some((rows.len() + graphs.cycle(is_base, function)?) as u32);
                let (from, to) = (cycle_of(function), cycle_of(call.callee));
                if let Some(cycle) = to.filter(|_| from != to) {
                    calls.add_call([caller, cycle], number, on);
                }
                if let Some(cycle) = from.filter(|_| from != to) {
                    calls.add_call([cycle, callee], number, on);
                }
            }
        }
        let (calls, items) = (calls.finish(), rows.len() + graphs.cycles.len());
        let of = PathDirection::BOTH.map(|direction| {
            let ends = calls.keys.iter();
            let starts = ends.map(|ends| Some(ends[direction.start()] as usize));
            Groups::new(items, starts)
        });
        CallTree { calls, of }
    }

    /// The callers or callees of `item`, which may be a cycle, the most expensive first. They are rows, never cycles.
    pub fn calls<'c>(
        &'c self,
        direction: PathDirection,
        item: RowId,
        rows: &Rows<'_>,
        selection: &Selection,
    ) -> Vec<CallLine<'c>> {
        let calls = self.of[direction as usize].get(item.index()).iter();
        let calls = calls.filter_map(|&at| {
            let at = at as usize;
            let row = RowId(self.calls.keys[at][direction as usize]);
            let is_shown = rows.is_row(row) && self.calls.is_shown(at, selection);
            is_shown.then(|| (row, at, self.calls.cost(at)))
        });
        let mut calls: Vec<_> = calls.collect();
        calls.sort_by(|(a, _, cost_a), (b, _, cost_b)| {
            let by_cost = selection.cmp_descending(cost_a.value, cost_b.value);
            by_cost.then_with(|| rows.cmp_items(*a, *b))
        });
        let line = |(row, at, cost): (RowId, usize, CostFigure<'c>)| CallLine {
            level: 0,
            row,
            chain: Vec::new(),
            count: Some(self.calls.calls(at)),
            cost: cost.map(Cow::Borrowed),
            is_recursive: false,
        };
        calls.into_iter().map(line).collect()
    }
}
