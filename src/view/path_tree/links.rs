//! The calls of one side by caller and callee, along which paths go. Each thread has its own, as no
//! path leads from one to another.

use hashbrown::HashMap;

use super::{PathDirection, add};
use crate::graph::{Arc, ArcId, CallGraph, Groups};
use crate::profile::{CostTable, Count, FunctionId, Ordered};
use crate::view::rows::Rows;
use crate::view::stack_nodes::{NodeId, StackNodes};

/// The calls of a graph by caller and callee, without those whose cost is part of that of others.
pub(super) struct Links<'g, 'p> {
    pub(super) graph: &'g CallGraph<'p>,
    pub(super) nodes: StackNodes,
    events: Vec<usize>,
    /// By caller and callee.
    pub(super) all: Ordered<[NodeId; 2], FunctionCalls>,
    /// By direction the links of each node.
    pub(super) of: [Groups; 2],
    /// The calls of other functions whose cost is part of that of other calls.
    pub(super) back: Ordered<[NodeId; 2], FunctionCalls>,
    pub(super) back_of: [Groups; 2],
    /// By node its self cost plus these calls.
    pub(super) spent: Vec<Vec<i128>>,
    /// By direction and node the size of the largest cost that is recorded of its calls from or
    /// to one row.
    pub(super) max_recorded: [Vec<i128>; 2],
}

/// A number of calls of a function by another one, and whether it is known.
#[derive(Clone, Copy)]
pub(super) struct CountedCalls {
    pub(super) number: i128,
    pub(super) are_counted: bool,
}

impl CountedCalls {
    pub(super) fn of(graph: &CallGraph<'_>, id: ArcId, arc: Arc) -> CountedCalls {
        CountedCalls {
            number: graph.calls(id).into(),
            are_counted: graph.profile.counts_calls_of(graph.caller(arc), arc.callee),
        }
    }
}

/// All calls from one function to another in a thread, with costs by event.
pub(super) struct FunctionCalls {
    /// The caller and the callee.
    pub(super) ends: [NodeId; 2],
    pub(super) calls: CountedCalls,
    pub(super) recorded: Vec<i128>,
}

impl<'g, 'p> Links<'g, 'p> {
    pub(super) fn new(
        graph: &'g CallGraph<'p>,
        rows: &Rows<'p>,
        events: Vec<usize>,
    ) -> Links<'g, 'p> {
        let mut links = Links {
            graph,
            nodes: StackNodes::new(graph),
            events,
            all: Ordered::default(),
            of: [(); 2].map(|()| Groups::new(0, std::iter::empty())),
            back: Ordered::default(),
            back_of: [(); 2].map(|()| Groups::new(0, std::iter::empty())),
            spent: Vec::new(),
            max_recorded: Default::default(),
        };
        links.add_links();
        links.add_spent();
        links.max_recorded = PathDirection::BOTH.map(|direction| {
            links.nodes.all().map(|node| links.max_of_row(direction, node, rows)).collect()
        });
        links
    }

    /// The size of the largest cost recorded of a node's calls from or to one row.
    fn max_of_row(&self, direction: PathDirection, node: NodeId, rows: &Rows<'_>) -> i128 {
        let mut sums = HashMap::new();
        let sum = |link: &FunctionCalls| {
            let of_row =
                sums.entry(rows.of_function(self.function(link.end(direction)))).or_insert(0);
            *of_row += link.recorded[0];
            of_row.abs()
        };
        self.of(direction, node).map(sum).max().unwrap_or(0)
    }

    pub(super) fn of(
        &self,
        direction: PathDirection,
        node: NodeId,
    ) -> impl Iterator<Item = &FunctionCalls> + Clone {
        let links = self.of[direction as usize].get(node.index()).iter();
        links.map(|&link| &self.all[link as usize])
    }

    pub(super) fn function(&self, node: NodeId) -> FunctionId {
        self.nodes.function(node)
    }

    /// Sums the calls by caller and callee.
    fn add_links(&mut self) {
        let (graph, width) = (self.graph, self.events.len());
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc);
            // What a copy spent in recursion is no call of it.
            let is_of_copy = arc.is_nested && graph.profile.is_inlined(arc.callee);
            if caller == arc.callee || is_of_copy {
                continue;
            }
            let ends = [self.nodes.of(arc.caller, caller), self.nodes.callee(arc, graph)];
            let costs = self.costs(graph.cost(id));
            let links = if graph.is_recursive(arc) { &mut self.back } else { &mut self.all };
            let calls = CountedCalls::of(graph, id, arc);
            let link = links.entry(ends).or_insert_with(|| FunctionCalls {
                ends,
                calls: CountedCalls { number: 0, ..calls },
                recorded: vec![0; width],
            });
            link.calls.number += calls.number;
            add(&mut link.recorded, &costs);
        }
        let nodes = self.nodes.len();
        let by_start = |links: &Ordered<_, FunctionCalls>| {
            PathDirection::BOTH.map(|direction| {
                Groups::new(nodes, links.values().map(|link| Some(link.start(direction))))
            })
        };
        self.of = by_start(&self.all);
        self.back_of = by_start(&self.back);
    }

    /// Whether these are the costs of all activations of a function of a cycle whose levels of
    /// recursion are known.
    pub(super) fn has_all_of_member(&self, node: NodeId, costs: &[i128]) -> bool {
        let function = self.function(node);
        let all = || self.graph.inclusive_by_function().costs.get(function.index());
        self.graph.has_exact_levels(function)
            && self.nodes.is_whole(node)
            && self.costs(all()) == costs
    }

    /// Whether no calls of a function that go on are nested in others: it is in no cycle, or it is
    /// known which of its calls are.
    pub(super) fn is_outermost_or_outside(&self, node: NodeId) -> bool {
        let function = self.function(node);
        !self.graph.calls_others_that_call_it(function) || self.graph.has_exact_levels(function)
    }

    /// The costs of the events.
    pub(super) fn costs(&self, cost: &[Count]) -> Vec<i128> {
        let events = self.graph.profile.events();
        let count = |&event| i128::from(events.count(cost, event).or_zero());
        self.events.iter().map(count).collect()
    }

    /// Sums the self cost and the calls of each node.
    fn add_spent(&mut self) {
        let (graph, nodes) = (self.graph, &self.nodes);
        let mut spent = CostTable::new(graph.width(), nodes.len());
        for (id, fragment) in graph.profile.fragments_with_ids() {
            spent.add(nodes.of(id, fragment.function).index(), graph.own(id));
        }
        for (id, arc) in graph.arcs().filter(|&(_, arc)| !graph.is_recursive(arc)) {
            spent.add(nodes.of(arc.caller, graph.caller(arc)).index(), graph.cost(id));
        }
        self.spent = spent.iter().map(|spent| self.costs(spent)).collect();
    }
}

impl FunctionCalls {
    pub(super) fn end(&self, direction: PathDirection) -> NodeId {
        self.ends[direction as usize]
    }

    /// The index of the node at its start.
    fn start(&self, direction: PathDirection) -> usize {
        self.ends[direction.start()].index()
    }
}
