//! The share of a function's cost that was spent on behalf of a row, via functions that the row
//! called.
//!
//! All of a function of the row is on its behalf. The share of another function is the mean of the
//! shares of its callers that come before it in the [order](super::order), weighted by what each
//! paid; what the function spent beyond that is on behalf of no row. All calls of a function are on
//! behalf of the rows that it belongs to.
//!
//! A function below the root of a [tree](super::forest) has the root's share, or all if a function
//! of the row is between them. Where only part of a function's code is in the row, the functions
//! that this part calls have shares of their own, and so has what is below them. Shares are
//! computed only for what the row's functions depend on, between the first function of the row and
//! the last: the length of a call chain between them does not matter.

use crate::graph::estimate::Estimate;
use crate::graph::forest::{Forest, RowFunction};
use crate::graph::partition::Partition;
use crate::graph::{Arc, CallGraph};
use crate::profile::{FragmentId, FunctionId};

/// What the share of an arc's cost is.
#[derive(Clone, Copy)]
pub(super) enum ShareSource {
    /// None of it is on behalf of the row.
    None,
    /// All of it is on behalf of the row.
    All,
    /// The share of a root, or of a function that part of a function's code calls.
    Computed(FunctionId),
}

pub(super) struct Shares<'g, 'p> {
    graph: &'g CallGraph<'p>,
    rows: &'g Partition<'p>,
    width: usize,
    /// None until the first row needs it.
    forest: Option<&'g Forest>,
    /// The number of arcs that searches for such a row may still visit: beyond it, the forest is
    /// faster.
    unvisited: usize,
    /// By function the last row whose search found it.
    found_by: Vec<u32>,
    row: u32,
    /// Whether calls can come back to the current row by way of others.
    is_used: bool,
    /// The functions of such a row, and those that its parts of other functions call, in pre-order.
    owned: Vec<RowFunction>,
    /// By root the last row that has such functions in its tree.
    owned_by: Vec<u32>,
    /// The place of the row's first function.
    first: u32,
    /// By function and event the share that was computed.
    shares: Vec<f64>,
    /// By function the last row that needs its share.
    needed_by: Vec<u32>,
}

impl<'g, 'p> Shares<'g, 'p> {
    pub(super) fn new(graph: &'g CallGraph<'p>, rows: &'g Partition<'p>) -> Shares<'g, 'p> {
        Shares {
            graph,
            rows,
            width: graph.own.width(),
            forest: None,
            unvisited: 2 * graph.arcs.len(),
            found_by: Vec::new(),
            row: 0,
            is_used: false,
            owned: Vec::new(),
            owned_by: Vec::new(),
            first: 0,
            shares: Vec::new(),
            needed_by: Vec::new(),
        }
    }

    /// Begins a row with these functions, and parts of others.
    pub(super) fn begin_row(
        &mut self,
        row: u32,
        functions: &[FunctionId],
        fragments: &[FragmentId],
    ) {
        self.row = row;
        self.owned.clear();
        self.is_used = false;
        let graph = self.graph;
        let of_fragments = fragments.iter().map(|&id| graph.profile.fragment(id).function);
        let mut all: Vec<FunctionId> = functions.iter().copied().chain(of_fragments).collect();
        all.sort_unstable();
        all.dedup();
        if all.len() < 2 {
            return;
        }
        let places = all.iter().map(|&function| graph.order.place(function));
        let last_of = |&function: &FunctionId| graph.order.last_of_component(function);
        self.first = places.min().unwrap_or(0);
        let last = all.iter().map(last_of).max().unwrap_or(0);
        if self.forest.is_none() && !self.may_come_back(functions, fragments, &all, last) {
            return;
        }
        let count = graph.profile.function_count();
        let forest = *self.forest.get_or_insert_with(|| graph.forest());
        self.shares.resize(count * self.width, 0.0);
        self.needed_by.resize(count, u32::MAX);
        let whole = functions.iter().map(|&function| (function, true));
        let called = self.called_by_parts(fragments, forest).into_iter();
        let owned: Vec<(FunctionId, bool)> =
            whole.chain(called.map(|callee| (callee, false))).collect();
        self.owned_by.resize(count, u32::MAX);
        for &(function, _) in &owned {
            self.owned_by[forest.root(function).index()] = row;
        }
        self.owned = RowFunction::in_pre_order(owned, forest);
        self.is_used = true;
        self.compute(forest, &all);
    }

    /// Whether calls from the row may come back to a function of it, or to its component, by way of
    /// others, or to a function of which it has only a part.
    fn may_come_back(
        &mut self,
        functions: &[FunctionId],
        fragments: &[FragmentId],
        in_row: &[FunctionId],
        last: u32,
    ) -> bool {
        let graph = self.graph;
        self.found_by.resize(graph.profile.function_count(), u32::MAX);
        let of_functions = functions.iter().flat_map(|&function| graph.fragments_of(function));
        let mut open: Vec<FragmentId> = of_functions.chain(fragments.iter().copied()).collect();
        while let Some(fragment) = open.pop() {
            let is_of_row = self.rows.acts_for(fragment, self.row);
            for (_, arc) in graph.out_of(fragment) {
                let callee = arc.callee;
                let is_in_row = in_row.binary_search(&callee).is_ok();
                // The row's own calls of its functions are on its behalf in any case.
                let is_direct = is_of_row && self.rows.counts_whole(callee, self.row);
                if self.unvisited == 0 || is_in_row && !is_direct {
                    return true;
                }
                self.unvisited -= 1;
                let is_before_last = graph.order.place(callee) <= last && !is_in_row;
                if is_before_last && self.found_by[callee.index()] != self.row {
                    self.found_by[callee.index()] = self.row;
                    open.extend(graph.fragments_of(callee));
                }
            }
        }
        false
    }

    /// The functions below a root that are called by the row's parts of other functions.
    fn called_by_parts(&self, fragments: &[FragmentId], forest: &Forest) -> Vec<FunctionId> {
        let graph = self.graph;
        let arcs = fragments.iter().flat_map(|&fragment| graph.out_of(fragment));
        let forward = arcs.filter(|&(_, arc)| !graph.goes_back(arc)).map(|(_, arc)| arc.callee);
        let is_between = |callee: &FunctionId| {
            forest.root(*callee) != *callee && !self.rows.counts_whole(*callee, self.row)
        };
        let mut called: Vec<FunctionId> = forward.filter(is_between).collect();
        called.sort_unstable();
        called.dedup();
        called
    }

    /// Computes the shares on which those of the row's functions depend, callers first.
    fn compute(&mut self, forest: &Forest, functions: &[FunctionId]) {
        let graph = self.graph;
        let mut needed: Vec<FunctionId> = Vec::new();
        for &function in functions {
            let source = self.source_below(forest, function);
            self.need(source, &mut needed);
            for (_, arc) in graph.into(function) {
                let source = self.source_in(forest, arc);
                self.need(source, &mut needed);
            }
        }
        let members = functions.iter().filter_map(|&function| graph.members.number(function));
        let mut components: Vec<u32> = members.map(|at| graph.members.component_of[at]).collect();
        components.sort_unstable();
        components.dedup();
        for component in components {
            for entering in &graph.members.components[component as usize].entering {
                let source = self.source_in(forest, graph.arcs[entering.index()]);
                self.need(source, &mut needed);
            }
        }
        let mut next = 0;
        while let Some(&function) = needed.get(next) {
            next += 1;
            for (_, arc) in graph.entering(function) {
                let source = self.source_in(forest, arc);
                self.need(source, &mut needed);
            }
        }
        needed.sort_unstable_by_key(|&function| graph.order.place(function));
        for function in needed {
            for event in 0..self.width {
                let mut of_row = Estimate::NONE;
                for (id, arc) in graph.entering(function) {
                    let source = self.source_in(forest, arc);
                    of_row.add(graph.cost(id)[event], self.share(source, event));
                }
                let whole = forest.whole(function, event);
                let share = if whole == 0.0 { 0.0 } else { of_row.value() / whole };
                self.shares[function.index() * self.width + event] = share.clamp(0.0, 1.0);
            }
        }
    }

    fn need(&mut self, source: ShareSource, needed: &mut Vec<FunctionId>) {
        if let ShareSource::Computed(function) = source
            && self.needed_by[function.index()] != self.row
        {
            self.needed_by[function.index()] = self.row;
            needed.push(function);
        }
    }

    /// Whether the calls of an arc are on behalf of the row; also those of a copy inlined into the
    /// row.
    #[inline]
    fn acts_for(&self, arc: Arc) -> bool {
        let is_in_row = self.rows.acts_for(arc.caller, self.row);
        if is_in_row || self.graph.copies.is_none() {
            return is_in_row;
        }
        let caller = self.graph.caller(arc);
        let into = |&of: &FunctionId| self.graph.profile.inlined_into(of);
        let mut around = std::iter::successors(Some(caller), into);
        around.any(|function| self.rows.counts_whole(function, self.row))
    }

    /// Whether calls can come back to the row by way of others.
    pub(super) fn can_come_back(&self) -> bool {
        self.is_used
    }

    /// The source of the share of an arc's cost.
    #[inline]
    pub(super) fn source(&self, arc: Arc) -> ShareSource {
        match self.forest {
            Some(forest) if self.is_used => self.source_in(forest, arc),
            _ if self.acts_for(arc) => ShareSource::All,
            _ => ShareSource::None,
        }
    }

    /// The source of the share of a function that has only part of its code in the row.
    pub(super) fn source_of(&self, function: FunctionId) -> ShareSource {
        match self.forest {
            Some(forest) if self.is_used => self.source_below(forest, function),
            _ => ShareSource::None,
        }
    }

    #[inline]
    fn source_in(&self, forest: &Forest, arc: Arc) -> ShareSource {
        if self.acts_for(arc) {
            return ShareSource::All;
        }
        self.source_below(forest, self.graph.caller(arc))
    }

    #[inline]
    fn source_below(&self, forest: &Forest, function: FunctionId) -> ShareSource {
        let order = &self.graph.order;
        let root = forest.root(function);
        if order.place(function) < self.first {
            return ShareSource::None;
        }
        if self.owned_by[root.index()] == self.row
            && let Some(nearest) = forest.nearest(&self.owned, function)
        {
            return if nearest.is_whole {
                ShareSource::All
            } else {
                ShareSource::Computed(nearest.function)
            };
        }
        if order.place(root) > self.first { ShareSource::Computed(root) } else { ShareSource::None }
    }

    #[inline]
    pub(super) fn share(&self, source: ShareSource, event: usize) -> f64 {
        match source {
            ShareSource::None => 0.0,
            ShareSource::All => 1.0,
            ShareSource::Computed(function) => self.shares[function.index() * self.width + event],
        }
    }
}
