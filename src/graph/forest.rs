//! The components of a call graph in trees, by who calls them.

use std::ops::Range;

use super::shares::Source;
use super::{ArcId, CallGraph, Groups};

/// The components in trees: below each those that are called from it alone.
pub(super) struct Forest {
    /// The root of the tree of each component: nobody calls it, or several components do.
    pub(super) root: Vec<usize>,
    is_called: Vec<bool>,
    /// A component's tree from itself down is entered at `enter` and left at `exit`.
    pub(super) enter: Vec<u32>,
    exit: Vec<u32>,
    /// The components below each, in the order of entering.
    children: Groups,
    /// The arcs into each component from others, one component's after the other's, and where they start.
    entries: Vec<Entry>,
    starts: Vec<u32>,
    /// The costs of these arcs, event by event, and the sums of each component's.
    costs: Vec<f64>,
    paid: Vec<f64>,
    width: usize,
}

/// An arc into a component.
pub(super) struct Entry {
    pub(super) arc: ArcId,
    /// The root of the caller's component.
    pub(super) root: u32,
}

impl Forest {
    pub(super) fn new(graph: &CallGraph<'_>) -> Forest {
        let components = graph.components.len();
        let (mut parent, mut is_called) = (vec![None; components], vec![false; components]);
        for component in 0..components {
            let callers = || {
                let arcs = graph.entering(component);
                arcs.map(|(_, arc)| graph.component_of(graph.caller(arc)))
            };
            if let Some(first) = callers().next() {
                is_called[component] = true;
                parent[component] = callers().all(|caller| caller == first).then_some(first);
            }
        }
        // Callers come first, so a component comes after the one above it.
        let Ranges { root, enter, exit } = Ranges::new(&parent);
        let width = graph.own.width();
        let (mut entries, mut starts, mut costs) = (Vec::new(), vec![0], Vec::new());
        let mut paid = vec![0.0; components * width];
        for (component, paid) in paid.chunks_mut(width.max(1)).enumerate() {
            for (arc, of) in graph.entering(component) {
                let root = root[graph.component_of(graph.caller(of))] as u32;
                entries.push(Entry { arc, root });
                let cost = graph.cost(arc).iter().map(|count| count.or_zero() as f64);
                costs.extend(cost.clone());
                paid.iter_mut()
                    .zip(cost)
                    .for_each(|(sum, cost)| *sum += cost);
            }
            starts.push(entries.len() as u32);
        }
        Forest {
            entries,
            starts,
            costs,
            paid,
            width,
            root,
            is_called,
            enter,
            exit,
            children: Groups::new(components, parent.into_iter()),
        }
    }

    /// The arcs into a component from others.
    #[inline]
    pub(super) fn entering(&self, component: usize) -> &[Entry] {
        &self.entries[self.range(component)]
    }

    /// The costs of these arcs, one arc's after the other's.
    #[inline]
    pub(super) fn costs(&self, component: usize) -> &[f64] {
        let Range { start, end } = self.range(component);
        &self.costs[start * self.width..end * self.width]
    }

    /// The sum of these costs, by event.
    pub(super) fn paid(&self, component: usize) -> &[f64] {
        &self.paid[component * self.width..][..self.width]
    }

    fn range(&self, component: usize) -> Range<usize> {
        self.starts[component] as usize..self.starts[component + 1] as usize
    }

    /// The index of the nearest of `owned`, which are in the order of entering, that is above a component or is that
    /// component.
    pub(super) fn nearest(&self, owned: &[Owned], component: usize) -> Option<usize> {
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

    /// Where the share of what a component pays comes from.
    pub(super) fn source(&self, owned: &[Owned], first: usize, component: usize) -> Source {
        if let Some(index) = self.nearest(owned, component) {
            let above = owned[index].component;
            if above == component {
                return Source::After(component);
            }
            let children = self.children.get(above);
            let at = self.enter[component];
            let after = children.partition_point(|&child| self.enter[child as usize] <= at);
            return Source::Into(children[after - 1] as usize);
        }
        let root = self.root[component];
        if self.is_called[root] && root > first {
            Source::Into(root)
        } else {
            Source::None
        }
    }
}

/// The roots of trees, and the numbers of what is in them.
struct Ranges {
    root: Vec<usize>,
    enter: Vec<u32>,
    exit: Vec<u32>,
}

impl Ranges {
    /// Those of trees in which each component comes after its parent.
    fn new(parent: &[Option<usize>]) -> Ranges {
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
        Ranges { root, enter, exit }
    }
}

/// A component of the current row.
#[derive(Clone, Copy)]
pub(super) struct Owned {
    pub(super) component: usize,
    /// The nearest one above it in its tree.
    pub(super) above: Option<usize>,
}
