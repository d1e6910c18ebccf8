//! The share of a component's cost that was spent on behalf of a row, via functions that the row called.
//!
//! A component's share is the mean of its callers' shares, weighted by what each paid. What it spent beyond that is on
//! behalf of no row, so no component passes on more than it was given. All calls of a function are on behalf of the
//! rows that it belongs to.
//!
//! A component with a single calling component has that one's share, or the part of it that was paid for. So these form
//! trees, and a share is looked up at the nearest ancestor in the row, or at the root. Shares are computed only for
//! components that the row's own depend on, between the first component of the row and the last: the length of a call
//! chain between them does not matter.

use std::rc::Rc;

use crate::graph::estimate::Estimate;
use crate::graph::forest::{Forest, RowComponent, Source};
use crate::graph::partition::Partition;
use crate::graph::{Arc, CallGraph};
use crate::profile::{Count, FragmentId, FunctionId};

/// The code of a row in one component.
pub(super) struct Part {
    pub(super) component: usize,
    /// Functions that count in the row with all their code.
    pub(super) functions: Vec<FunctionId>,
    /// Fragments of other functions.
    pub(super) inlined: Vec<FragmentId>,
}

pub(super) struct Shares<'g, 'p> {
    graph: &'g CallGraph<'p>,
    rows: &'g Partition<'p>,
    width: usize,
    /// Computed for the first row that needs it.
    forest: Option<Rc<Forest>>,
    /// The number of arcs that searches for such a row may still visit: beyond it, the forest is faster.
    unvisited: usize,
    /// By component the last row whose search found it.
    found_by: Vec<u32>,
    row: u32,
    /// The components of the current row in pre-order; empty if there is only one.
    owned: Vec<RowComponent>,
    /// The lowest component number of the row.
    first: usize,
    /// By component and event the share with which it is entered and, for those of the row, the share of the rest.
    into: Vec<f64>,
    after: Vec<f64>,
    /// By component the last row that needs its share.
    needed_by: Vec<u32>,
    /// By root a mark of the last row with components in its tree, or that depends on it; two marks per row.
    marks: Vec<u64>,
    /// The components to compute, callers first, and the number of those computed.
    needed: Vec<usize>,
    done: usize,
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
            owned: Vec::new(),
            first: 0,
            into: Vec::new(),
            after: Vec::new(),
            needed_by: Vec::new(),
            marks: Vec::new(),
            needed: Vec::new(),
            done: 0,
        }
    }

    /// Begins a row with these components.
    pub(super) fn begin_row(&mut self, row: u32, parts: &[Part]) {
        self.row = row;
        self.owned.clear();
        self.needed.clear();
        self.done = 0;
        if parts.len() < 2 {
            return;
        }
        self.first = parts[0].component;
        if self.forest.is_none() && !self.may_come_back(parts) {
            return;
        }
        let components = self.graph.components.len();
        let new = || Rc::new(Forest::new(self.graph));
        let forest = Rc::clone(self.forest.get_or_insert_with(new));
        self.into.resize(components * self.width, 0.0);
        self.after.resize(components * self.width, 0.0);
        self.needed_by.resize(components, u32::MAX);
        self.marks.resize(components, 0);
        let owned =
            parts.iter().map(|part| RowComponent { component: part.component, above: None });
        self.owned.extend(owned);
        self.owned.sort_by_key(|owned| forest.enter[owned.component]);
        for at in 0..self.owned.len() {
            let component = self.owned[at].component;
            self.marks[forest.root[component]] = self.owned_mark();
            self.owned[at].above = forest.nearest(&self.owned[..at], component);
        }
        self.find_needed(&forest, parts);
    }

    /// Whether calls from the row may come back to it, which takes several components of which one reaches another.
    fn may_come_back(&mut self, parts: &[Part]) -> bool {
        let (graph, last) = (self.graph, parts.len() - 1);
        self.found_by.resize(graph.components.len(), u32::MAX);
        let open = parts[..last].iter().map(|part| part.component);
        let mut open: Vec<usize> = open.collect();
        while let Some(component) = open.pop() {
            let members = graph.components.get(component).iter();
            let fragments = members.flat_map(|&member| graph.fragments_of(FunctionId(member)));
            for (_, arc) in fragments.flat_map(|fragment| graph.out_of(fragment)) {
                let callee = graph.component_of(arc.callee);
                let found = parts.binary_search_by_key(&callee, |part| part.component);
                if self.unvisited == 0 || callee != component && found.is_ok() {
                    return true;
                }
                self.unvisited -= 1;
                if callee < parts[last].component && self.found_by[callee] != self.row {
                    self.found_by[callee] = self.row;
                    open.push(callee);
                }
            }
        }
        false
    }

    /// Finds the components that the shares of the row's components depend on.
    fn find_needed(&mut self, forest: &Forest, parts: &[Part]) {
        let mut open: Vec<usize> = parts[1..].iter().map(|part| part.component).collect();
        for &component in &open {
            self.needed_by[component] = self.row;
        }
        let (owned, found) = (self.owned_mark(), self.owned_mark() - 1);
        while let Some(component) = open.pop() {
            self.needed.push(component);
            for entry in forest.entering(component) {
                let root = entry.root as usize;
                let mark = self.marks[root];
                let next = if mark == found {
                    continue;
                } else if mark != owned {
                    if root <= self.first {
                        continue;
                    }
                    self.marks[root] = found;
                    root
                } else if let Source::Into { from, .. } =
                    self.source(self.graph.arcs[entry.arc.index()])
                {
                    from
                } else {
                    continue;
                };
                if self.needed_by[next] != self.row {
                    self.needed_by[next] = self.row;
                    open.push(next);
                }
            }
        }
        self.needed.sort_unstable();
    }

    /// The mark of roots with components of the current row in their trees.
    fn owned_mark(&self) -> u64 {
        2 * u64::from(self.row) + 2
    }

    /// Whether the calls of an arc are on behalf of the row; also those of a copy inlined into the row in the same
    /// component.
    fn acts_for(&self, arc: Arc) -> bool {
        let is_in_row = self.rows.acts_for(arc.caller, self.row);
        if is_in_row || self.graph.copies.is_none() {
            return is_in_row;
        }
        let component = |function| self.graph.component_of(function);
        let caller = self.graph.caller(arc);
        let into = |&of: &FunctionId| {
            let into = self.graph.profile.inlined_into(of)?;
            (component(into) == component(caller)).then_some(into)
        };
        let mut around = std::iter::successors(Some(caller), into);
        around.any(|function| self.rows.counts_whole(function, self.row))
    }

    pub(super) fn source(&self, arc: Arc) -> Source {
        let (Some(forest), false) = (&self.forest, self.owned.is_empty()) else {
            return Source::None;
        };
        if self.acts_for(arc) {
            return Source::All;
        }
        let component = self.graph.component_of(self.graph.caller(arc));
        if component < self.first {
            return Source::None;
        }
        forest.source(&self.owned, self.first, component)
    }

    pub(super) fn share(&self, source: Source, event: usize) -> f64 {
        match source {
            Source::None => 0.0,
            Source::All => 1.0,
            Source::After(component) => self.after[component * self.width + event],
            Source::Into { from, to } => {
                let forest = self.forest.as_ref();
                let passed_on = forest.map_or(1.0, |forest| forest.passed_on(from, to, event));
                self.into[from * self.width + event] * passed_on
            }
        }
    }

    /// The share with which a component of the row is entered, by event. The row's components must be counted in order.
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

    fn compute(&mut self, component: usize) {
        let Some(forest) = self.forest.clone() else {
            return;
        };
        let owned = self.owned_mark();
        let (entries, costs) = (forest.entering(component), forest.costs(component));
        for event in 0..self.width {
            let costs = costs.iter().skip(event).step_by(self.width);
            let mut of_row = Estimate::NONE;
            for (entry, &cost) in entries.iter().zip(costs) {
                let root = entry.root as usize;
                let count = || self.graph.cost(entry.arc)[event];
                if self.marks[root] == owned {
                    let source = self.source(self.graph.arcs[entry.arc.index()]);
                    of_row.add(count(), self.share(source, event));
                } else if root > self.first {
                    match self.into[root * self.width + event] {
                        1.0 if cost == count().or_zero() as f64 => of_row.add(count(), 1.0),
                        share => of_row.parts += cost * share,
                    }
                }
            }
            let share = match forest.cost(component)[event] {
                0.0 => 0.0,
                cost => of_row.value() / cost,
            };
            self.into[component * self.width + event] = share;
        }
    }

    /// The cost in a component on behalf of the row, by event, given that all calls of the row's functions are.
    fn on_behalf(&self, component: usize) -> Vec<Estimate> {
        let mut sums = vec![Estimate::NONE; self.width];
        for (id, arc) in self.graph.entering(component) {
            let source = match self.rows.of_function(arc.callee) == self.row {
                true => Source::All,
                false => self.source(arc),
            };
            for (event, (&count, sum)) in self.graph.cost(id).iter().zip(&mut sums).enumerate() {
                sum.add(count, self.share(source, event));
            }
        }
        sums
    }

    /// Sets the share of the cost of the component's other functions that is on behalf of the row, after the row's own
    /// part has been counted. By event, this is the share with which the component was entered or, if the row's
    /// functions were counted by what callers paid, the rest of that after what these functions spent.
    pub(super) fn count(&mut self, part: &Part, spent: &[Count], is_paid: &[bool]) {
        if self.owned.is_empty() {
            return;
        }
        let entered = self.of_component(part.component);
        let on_behalf = self.on_behalf(part.component);
        let Some(forest) = self.forest.clone() else {
            return;
        };
        let costs = forest.cost(part.component);
        for (event, entered) in entered.into_iter().enumerate() {
            let spent = spent[event].or_zero() as f64;
            let by_others = costs[event] - spent;
            let share = match is_paid[event] && by_others != 0.0 {
                true => ((on_behalf[event].value() - spent) / by_others).clamp(0.0, 1.0),
                false => entered,
            };
            self.after[part.component * self.width + event] = share;
        }
    }
}
