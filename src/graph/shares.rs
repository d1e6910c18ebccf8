//! Which share of a component's cost was spent on behalf of a row, by way of functions that the row called.
//!
//! A component's share is the mean of its callers' shares, weighted by what each paid. All that a function calls is on
//! behalf of a row to which the function belongs.
//!
//! A component that is called from one other component only has that one's share, so these form trees, and what a
//! tree's members have in common is looked up once at the nearest component of the row above them, or at the root. Shares
//! are computed only for components that others lead to and that come between the first component of the row and the
//! last: a chain of calls of any length takes no longer than its ends.

use super::inclusive::Part;
use super::{Arc, CallGraph, Groups, Partition};

/// Where the share of an arc comes from.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// Nothing of it is on behalf of the row.
    None,
    /// All of it is.
    All,
    /// It is that of a component of the row, after the row's own part has been counted.
    After(usize),
    /// It is that with which a component is entered.
    Into(usize),
}

/// Computes the shares for one row after the other.
pub(super) struct Shares<'g, 'p> {
    graph: &'g CallGraph<'p>,
    rows: &'g Partition,
    width: usize,
    /// Made when the first row needs it.
    forest: Option<Forest>,
    row: u32,
    /// The components of the current row in the order in which their trees are entered; empty if there is only one.
    owned: Vec<Owned>,
    /// The first of them, callers first.
    first: usize,
    /// By component and event: the share with which it is entered, and of the row's own the share after that.
    into: Vec<f64>,
    after: Vec<f64>,
    /// By component the row that needs it.
    needed_by: Vec<u32>,
    /// The components to be computed, callers first, and how many are done.
    needed: Vec<usize>,
    done: usize,
}

/// A component of the current row.
#[derive(Clone, Copy)]
struct Owned {
    component: usize,
    /// The nearest one above it in its tree.
    above: Option<usize>,
}

impl<'g, 'p> Shares<'g, 'p> {
    pub(super) fn new(graph: &'g CallGraph<'p>, rows: &'g Partition) -> Shares<'g, 'p> {
        Shares {
            graph,
            rows,
            width: graph.own.width(),
            forest: None,
            row: 0,
            owned: Vec::new(),
            first: 0,
            into: Vec::new(),
            after: Vec::new(),
            needed_by: Vec::new(),
            needed: Vec::new(),
            done: 0,
        }
    }

    /// Turns to a row with these components.
    pub(super) fn begin_row(&mut self, row: u32, parts: &[Part]) {
        self.row = row;
        self.owned.clear();
        self.needed.clear();
        self.done = 0;
        // In a single component nothing comes back.
        if parts.len() < 2 {
            return;
        }
        self.first = parts[0].component;
        let components = self.graph.components.len();
        let forest = self.forest.get_or_insert_with(|| Forest::new(self.graph));
        self.into.resize(components * self.width, 0.0);
        self.after.resize(components * self.width, 0.0);
        self.needed_by.resize(components, u32::MAX);
        let owned = parts.iter().map(|part| Owned {
            component: part.component,
            above: None,
        });
        self.owned.extend(owned);
        self.owned
            .sort_by_key(|owned| forest.enter[owned.component]);
        for at in 1..self.owned.len() {
            let component = self.owned[at].component;
            self.owned[at].above = forest.nearest(&self.owned[..at], component);
        }
        self.find_needed(parts);
    }

    /// Finds the components whose shares the row's own depend on.
    fn find_needed(&mut self, parts: &[Part]) {
        let mut open: Vec<usize> = parts[1..].iter().map(|part| part.component).collect();
        for &component in &open {
            self.needed_by[component] = self.row;
        }
        while let Some(component) = open.pop() {
            self.needed.push(component);
            for arc in self.graph.entering(component) {
                if let Source::Into(next) = self.source(arc.1)
                    && std::mem::replace(&mut self.needed_by[next], self.row) != self.row
                {
                    open.push(next);
                }
            }
        }
        self.needed.sort_unstable();
    }

    /// Where the share of an arc comes from.
    pub(super) fn source(&self, arc: Arc) -> Source {
        let (Some(forest), false) = (&self.forest, self.owned.is_empty()) else {
            return Source::None;
        };
        let caller = self.graph.caller(arc);
        let (of_fragment, of_function) = (
            self.rows.of_fragment(arc.caller),
            self.rows.of_function(caller),
        );
        if of_fragment == self.row || of_function == self.row {
            return Source::All;
        }
        let component = self.graph.component_of(caller);
        if component < self.first {
            return Source::None;
        }
        forest.source(&self.owned, self.first, component)
    }

    /// The share of what a source gives.
    pub(super) fn share(&self, source: Source, event: usize) -> f64 {
        match source {
            Source::None => 0.0,
            Source::All => 1.0,
            Source::After(component) => self.after[component * self.width + event],
            Source::Into(component) => self.into[component * self.width + event],
        }
    }

    /// The share with which a component of the row is entered, by event. Those before it have been counted.
    pub(super) fn of_component(&mut self, component: usize) -> Vec<f64> {
        if self.owned.is_empty() {
            return vec![0.0; self.width];
        }
        while let Some(&next) = self.needed.get(self.done)
            && next <= component
        {
            self.compute(next);
            self.done += 1;
        }
        let at = component * self.width;
        match self.needed_by[component] == self.row {
            true => self.into[at..at + self.width].to_vec(),
            false => vec![0.0; self.width],
        }
    }

    /// Computes the share with which a component is entered.
    fn compute(&mut self, component: usize) {
        let shares = self.mean(component, |arc| self.source(arc));
        for (event, share) in shares.into_iter().enumerate() {
            self.into[component * self.width + event] = share.unwrap_or(0.0);
        }
    }

    /// The mean of the shares of all arcs into a component, weighted by their costs, by event; none if they cost nothing.
    fn mean(&self, component: usize, source: impl Fn(Arc) -> Source) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0.0); self.width];
        for (id, arc) in self.graph.entering(component) {
            let source = source(arc);
            for (event, (count, sum)) in self.graph.cost(id).iter().zip(&mut sums).enumerate() {
                let count = count.or_zero() as f64;
                sum.0 += count * self.share(source, event);
                sum.1 += count;
            }
        }
        let mean = |(of_row, paid): (f64, f64)| (paid != 0.0).then(|| of_row / paid);
        sums.into_iter().map(mean).collect()
    }

    /// Notes which share of a component of the row is on its behalf once its own part has been counted: by event, that with
    /// which it was entered, or, if what callers paid for the row's functions was counted, with that as well.
    pub(super) fn count(&mut self, part: &Part, is_paid: &[bool]) {
        if self.owned.is_empty() {
            return;
        }
        let entered = self.of_component(part.component);
        let of_paid = self.mean(part.component, |arc| {
            match self.rows.of_function(arc.callee) == self.row {
                true => Source::All,
                false => self.source(arc),
            }
        });
        for (event, entered) in entered.into_iter().enumerate() {
            let share = of_paid[event].filter(|_| is_paid[event]);
            self.after[part.component * self.width + event] = share.unwrap_or(entered);
        }
    }
}

/// The components in trees: below each those that are called from it alone.
struct Forest {
    /// The root of the tree of each component: nobody calls it, or several components do.
    root: Vec<usize>,
    is_called: Vec<bool>,
    /// A component's tree from itself down is entered at `enter` and left at `exit`.
    enter: Vec<u32>,
    exit: Vec<u32>,
    /// The components below each, in the order of entering.
    children: Groups,
}

impl Forest {
    fn new(graph: &CallGraph<'_>) -> Forest {
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
        Forest {
            root,
            is_called,
            enter,
            exit,
            children: Groups::new(components, parent.into_iter()),
        }
    }

    /// The index of the nearest of `owned`, which are in the order of entering, that is above a component or is that
    /// component.
    fn nearest(&self, owned: &[Owned], component: usize) -> Option<usize> {
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
    fn source(&self, owned: &[Owned], first: usize, component: usize) -> Source {
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
