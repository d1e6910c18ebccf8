//! The functions of a call graph as trees of single callers.
//!
//! Only calls that lead from earlier functions to later ones count, so each tree is entered at its
//! root. Whatever part of the root's cost is on behalf of a row, the same part of every function
//! below it is, as nothing else was spent there.

use super::{ArcId, CallGraph};
use crate::graph::components::Groups;
use crate::profile::FunctionId;

pub(super) struct Forest {
    /// By function the root of its tree: a function that no other or several others call, or that
    /// spent more than they paid.
    root: Vec<FunctionId>,
    /// The pre-order numbers of a function's subtree are `enter..exit`.
    enter: Vec<u32>,
    exit: Vec<u32>,
    /// The arcs into each root from earlier functions.
    entries: Groups,
    /// By function and event the cost of these calls, and what the function spent beyond them.
    whole: Vec<f64>,
    width: usize,
}

impl Forest {
    pub(super) fn new(graph: &CallGraph<'_>) -> Forest {
        let functions = graph.profile.function_count();
        let width = graph.own.width();
        let mut parent = vec![None; functions];
        let mut whole = vec![0.0; functions * width];
        for &function in &graph.order.functions {
            let whole = &mut whole[function.index() * width..][..width];
            let (mut first, mut is_only) = (None, true);
            for (id, arc) in graph.entering(function) {
                let caller = graph.caller(arc);
                is_only &= *first.get_or_insert(caller) == caller;
                for (whole, paid) in whole.iter_mut().zip(graph.cost(id)) {
                    *whole += paid.or_zero() as f64;
                }
            }
            let mut has_unpaid = false;
            for (whole, unpaid) in whole.iter_mut().zip(graph.unpaid(function)) {
                has_unpaid |= unpaid.or_zero() != 0;
                *whole += unpaid.or_zero() as f64;
            }
            parent[function.index()] = first.filter(|_| is_only && !has_unpaid);
        }
        let mut forest = Forest {
            root: (0..functions as u32).map(FunctionId).collect(),
            enter: vec![0; functions],
            exit: vec![0; functions],
            entries: Groups::new(0, std::iter::empty()),
            whole,
            width,
        };
        forest.number(graph, &parent);
        let is_root = |callee: FunctionId| parent[callee.index()].is_none();
        let into = graph.arcs.iter().map(|&arc| {
            let is_entry = is_root(arc.callee) && !graph.goes_back(arc);
            is_entry.then_some(arc.callee.index())
        });
        forest.entries = Groups::new(functions, into);
        forest
    }

    /// Sets the roots, and numbers the functions in pre-order.
    fn number(&mut self, graph: &CallGraph<'_>, parent: &[Option<FunctionId>]) {
        let mut size = vec![1u32; parent.len()];
        for &function in graph.order.functions.iter().rev() {
            if let Some(parent) = parent[function.index()] {
                size[parent.index()] += size[function.index()];
            }
        }
        let (mut free, mut free_below) = (0, vec![0; parent.len()]);
        for &function in &graph.order.functions {
            let at = match parent[function.index()] {
                Some(parent) => {
                    self.root[function.index()] = self.root[parent.index()];
                    &mut free_below[parent.index()]
                }
                None => &mut free,
            };
            let enter = *at;
            *at += size[function.index()];
            self.enter[function.index()] = enter;
            self.exit[function.index()] = enter + size[function.index()];
            free_below[function.index()] = enter + 1;
        }
    }

    pub(super) fn root(&self, function: FunctionId) -> FunctionId {
        self.root[function.index()]
    }

    pub(super) fn enter(&self, function: FunctionId) -> u32 {
        self.enter[function.index()]
    }

    /// The arcs into a root from earlier functions.
    pub(super) fn entries(&self, root: FunctionId) -> impl Iterator<Item = ArcId> {
        self.entries.get(root.index()).iter().map(|&arc| ArcId(arc))
    }

    /// What a function was paid by these calls and spent beyond them, of one event.
    pub(super) fn whole(&self, function: FunctionId, event: usize) -> f64 {
        self.whole[function.index() * self.width + event]
    }

    /// Whether the function is one of `owned` (in pre-order), or below one of them in its tree.
    pub(super) fn is_below(&self, owned: &[RowFunction], function: FunctionId) -> bool {
        let at = self.enter(function);
        let before = owned.partition_point(|owned| self.enter(owned.function) <= at);
        let mut nearest = before.checked_sub(1);
        while let Some(index) = nearest
            && self.exit[owned[index].function.index()] <= at
        {
            nearest = owned[index].above;
        }
        nearest.is_some()
    }
}

/// A function of the current row.
pub(super) struct RowFunction {
    pub(super) function: FunctionId,
    /// The index of its nearest ancestor in the row.
    pub(super) above: Option<usize>,
}

impl RowFunction {
    /// The functions of a row in pre-order, each with its nearest ancestor among them.
    pub(super) fn in_pre_order(functions: &[FunctionId], forest: &Forest) -> Vec<RowFunction> {
        let mut owned: Vec<RowFunction> =
            functions.iter().map(|&function| RowFunction { function, above: None }).collect();
        owned.sort_by_key(|owned| forest.enter(owned.function));
        let mut open: Vec<usize> = Vec::new();
        for at in 0..owned.len() {
            let enter = forest.enter(owned[at].function);
            while let Some(&above) = open.last()
                && forest.exit[owned[above].function.index()] <= enter
            {
                open.pop();
            }
            owned[at].above = open.last().copied();
            open.push(at);
        }
        owned
    }
}
