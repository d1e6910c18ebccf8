//! The functions of a call graph as trees of single callers.
//!
//! Only calls that lead from earlier functions to later ones count, so each tree is entered at its
//! root. Whatever part of the root's cost is on behalf of a row, the same part of every function
//! below it is, as nothing else was spent there.

use super::CallGraph;
use crate::profile::FunctionId;

pub(super) struct Forest {
    /// By function the root of its tree: a function that no other or several others call, or that
    /// spent more than they paid.
    root: Vec<FunctionId>,
    /// The pre-order numbers of a function's subtree are `enter..exit`.
    enter: Vec<u32>,
    exit: Vec<u32>,
    /// By function and event the cost of the calls by earlier functions, and what the function
    /// spent beyond them.
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
                for (event, paid) in graph.cost(id).iter().enumerate() {
                    whole[event] += paid.or_zero() as f64;
                }
            }
            let mut has_unpaid = false;
            for (event, unpaid) in graph.unpaid(function).iter().enumerate() {
                has_unpaid |= unpaid.or_zero() != 0;
                whole[event] += unpaid.or_zero() as f64;
            }
            parent[function.index()] = first.filter(|_| is_only && !has_unpaid);
        }
        let mut forest = Forest {
            root: (0..functions as u32).map(FunctionId).collect(),
            enter: vec![0; functions],
            exit: vec![0; functions],
            whole,
            width,
        };
        forest.number(graph, &parent);
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

    /// What a function was paid by earlier functions and spent beyond that, of one event.
    pub(super) fn whole(&self, function: FunctionId, event: usize) -> f64 {
        self.whole[function.index() * self.width + event]
    }

    /// The nearest of `owned` (in pre-order) that is the function, or above it in its tree.
    pub(super) fn nearest<'o>(
        &self,
        owned: &'o [RowFunction],
        function: FunctionId,
    ) -> Option<&'o RowFunction> {
        let at = self.enter(function);
        let before = owned.partition_point(|owned| self.enter(owned.function) <= at);
        let mut nearest = before.checked_sub(1);
        while let Some(index) = nearest
            && self.exit[owned[index].function.index()] <= at
        {
            nearest = owned[index].above;
        }
        nearest.map(|index| &owned[index])
    }
}

/// A function of the current row, or one that a part of the row calls.
pub(super) struct RowFunction {
    pub(super) function: FunctionId,
    /// Whether all of it is on behalf of the row.
    pub(super) is_whole: bool,
    /// The index of its nearest ancestor among those of the row.
    pub(super) above: Option<usize>,
}

impl RowFunction {
    /// The functions of a row, with whether all of each is on the row's behalf, in pre-order.
    pub(super) fn in_pre_order(
        functions: Vec<(FunctionId, bool)>,
        forest: &Forest,
    ) -> Vec<RowFunction> {
        let row_function = |(function, is_whole)| RowFunction { function, is_whole, above: None };
        let mut owned: Vec<RowFunction> = functions.into_iter().map(row_function).collect();
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
