//! The components of a call graph as trees of single callers, and the fraction of a share that is passed down in them.

use std::ops::Range;

use super::{ArcId, CallGraph};
use crate::graph::components::Groups;
use crate::profile::CostTable;

/// Trees of components: a component with a single calling component is the child of that one.
pub(super) struct Forest {
    /// By component the root of its tree: a component with no or several calling components.
    pub(super) root: Vec<usize>,
    is_called: Vec<bool>,
    /// The pre-order numbers of a component's subtree are `enter..exit`.
    pub(super) enter: Vec<u32>,
    exit: Vec<u32>,
    /// The children of each component, in pre-order.
    children: Groups,
    /// By component the arcs into it from other components, and the index at which they start.
    entries: Vec<Entry>,
    starts: Vec<u32>,
    /// The costs of these arcs by event, times the fraction of the root's share that the caller has.
    costs: Vec<f64>,
    /// The cost of each component by event: the larger of what its callers paid and what it spent.
    of_components: Vec<f64>,
    /// By component and event the logarithm of the fraction of its root's share that it has: below 0 if it, or a
    /// component above it, spent more than its callers paid.
    passed_on: Vec<f64>,
    width: usize,
}

pub(super) struct Entry {
    pub(super) arc: ArcId,
    /// The root of the caller's tree.
    pub(super) root: u32,
}

#[derive(Clone, Copy)]
pub(super) enum Source {
    /// None of it is on behalf of the row.
    None,
    /// All of it is on behalf of the row.
    All,
    /// The share of the rest of a component of the row, after the row's own part has been counted.
    After(usize),
    /// The share with which `from` is entered, times the fraction that is passed on to its descendant `to`.
    Into { from: usize, to: usize },
}

impl Forest {
    pub(super) fn new(graph: &CallGraph<'_>) -> Forest {
        let components = graph.components.len();
        let (mut parent, mut is_called) = (vec![None; components], vec![false; components]);
        let width = graph.own.width();
        let [spent, paid] = graph.bounds_of_components();
        let (mut of_components, mut passed_on) = (Vec::new(), Vec::new());
        // `root` is the caller's component until the roots are known.
        let (mut entries, mut starts) = (Vec::new(), vec![0]);
        for component in 0..components {
            let first = entries.len();
            entries.extend(
                graph.entering(component).map(|(arc, of)| Entry {
                    arc,
                    root: graph.component_of(graph.caller(of)) as u32,
                }),
            );
            starts.push(entries.len() as u32);
            if let [first, others @ ..] = &entries[first..] {
                is_called[component] = true;
                let is_only = others.iter().all(|other| other.root == first.root);
                parent[component] = is_only.then_some(first.root as usize);
            }
            for event in 0..width {
                let count = |of: &CostTable| of.get(component)[event].or_zero() as f64;
                let (paid, spent) = (count(&paid), count(&spent));
                let has_excess = spent.abs() > paid.abs();
                of_components.push(if has_excess { spent } else { paid });
                let above = parent[component].map(|parent| passed_on[parent * width + event]);
                passed_on.push(above.map_or(0.0, |above| match has_excess {
                    true => above + (paid / spent).max(f64::MIN_POSITIVE).ln(),
                    false => above,
                }));
            }
        }
        // Callers come first, so a component comes after its parent.
        let (root, enter, exit) = roots_and_ranges(&parent);
        let shares = passed_on.iter();
        let shares = shares.map(|&passed: &f64| if passed == 0.0 { 1.0 } else { passed.exp() });
        let shares: Vec<f64> = shares.collect();
        let mut costs = Vec::with_capacity(entries.len() * width);
        for entry in &mut entries {
            let caller = entry.root as usize;
            entry.root = root[caller] as u32;
            let counts = graph.cost(entry.arc).iter().zip(&shares[caller * width..]);
            costs.extend(counts.map(|(count, share)| count.or_zero() as f64 * share));
        }
        Forest {
            entries,
            starts,
            costs,
            of_components,
            passed_on,
            width,
            root,
            is_called,
            enter,
            exit,
            children: Groups::new(components, parent.into_iter()),
        }
    }

    #[inline]
    pub(super) fn entering(&self, component: usize) -> &[Entry] {
        &self.entries[self.range(component)]
    }

    /// The costs of these arcs by event, times the fraction of the root's share that the caller has.
    #[inline]
    pub(super) fn costs(&self, component: usize) -> &[f64] {
        let Range { start, end } = self.range(component);
        &self.costs[start * self.width..end * self.width]
    }

    /// The cost of a component by event: the larger of what its callers paid and what it spent.
    pub(super) fn cost(&self, component: usize) -> &[f64] {
        &self.of_components[component * self.width..][..self.width]
    }

    /// The fraction of the share of `from` that its descendant `to` has.
    pub(super) fn passed_on(&self, from: usize, to: usize, event: usize) -> f64 {
        let of = |component: usize| self.passed_on[component * self.width + event];
        (of(to) - of(from)).exp()
    }

    fn range(&self, component: usize) -> Range<usize> {
        self.starts[component] as usize..self.starts[component + 1] as usize
    }

    /// The index of the nearest of `owned` (in pre-order) that is the component or an ancestor of it.
    pub(super) fn nearest(&self, owned: &[RowComponent], component: usize) -> Option<usize> {
        let at = self.enter[component];
        let before = owned.partition_point(|owned| self.enter[owned.component] <= at);
        let mut nearest = before.checked_sub(1);
        while let Some(index) = nearest
            && self.exit[owned[index].component] <= at
        {
            nearest = owned[index].above;
        }
        nearest
    }

    /// The source of the share of a component's calls.
    pub(super) fn source(&self, owned: &[RowComponent], first: usize, component: usize) -> Source {
        if let Some(index) = self.nearest(owned, component) {
            let above = owned[index].component;
            if above == component {
                return Source::After(component);
            }
            let children = self.children.get(above);
            let at = self.enter[component];
            let after = children.partition_point(|&child| self.enter[child as usize] <= at);
            let from = children[after - 1] as usize;
            return Source::Into { from, to: component };
        }
        let root = self.root[component];
        if self.is_called[root] && root > first {
            Source::Into { from: root, to: component }
        } else {
            Source::None
        }
    }
}

/// The root of each component's tree, and its `enter` and `exit`. Components come after their parents.
fn roots_and_ranges(parent: &[Option<usize>]) -> (Vec<usize>, Vec<u32>, Vec<u32>) {
    let components = parent.len();
    let mut size = vec![1u32; components];
    for component in (0..components).rev() {
        if let Some(parent) = parent[component] {
            size[parent] += size[component];
        }
    }
    let mut root: Vec<usize> = (0..components).collect();
    let (mut enter, mut exit) = (vec![0; components], vec![0; components]);
    let (mut free, mut free_below) = (0, vec![0; components]);
    for component in 0..components {
        let at = match parent[component] {
            Some(parent) => {
                root[component] = root[parent];
                &mut free_below[parent]
            }
            None => &mut free,
        };
        (enter[component], exit[component]) = (*at, *at + size[component]);
        *at += size[component];
        free_below[component] = enter[component] + 1;
    }
    (root, enter, exit)
}

/// A component of the current row.
pub(super) struct RowComponent {
    pub(super) component: usize,
    /// The index of its nearest ancestor in the row.
    pub(super) above: Option<usize>,
}
