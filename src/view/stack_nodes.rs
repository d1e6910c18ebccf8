//! What the frames of stacks and the lines of call paths are of: functions, and in a profile of
//! several threads what each thread executed of them. Calls stay within a thread, so that no stack
//! has code of two.

use hashbrown::HashMap;

use crate::graph::{Arc, ArcId, CallGraph, Groups};
use crate::profile::{FragmentId, FunctionId};

/// A function as executed by one thread. The first numbers are those of functions, for the code
/// that is not apart by its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct NodeId(u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All nodes of a call graph.
pub(super) struct StackNodes {
    functions: usize,
    /// None if no code is apart by its thread.
    threads: Option<ThreadNodes>,
}

struct ThreadNodes {
    /// The functions of the nodes after those that are numbered like functions, and their threads.
    others: Vec<(FunctionId, u32)>,
    /// By fragment its node.
    of_fragment: Vec<NodeId>,
    /// By function and thread its node.
    known: HashMap<(FunctionId, u32), NodeId>,
    /// By node the numbers of the arcs into it, and its fragments.
    into: Groups,
    fragments: Groups,
    arcs: Vec<(ArcId, Arc)>,
    /// By function all of its nodes.
    of_function: Groups,
}

impl StackNodes {
    pub(super) fn new(graph: &CallGraph<'_>) -> StackNodes {
        let profile = graph.profile;
        let is_apart = profile.fragments().iter().any(|of| of.division.executed().is_some());
        StackNodes {
            functions: profile.function_count(),
            threads: is_apart.then(|| ThreadNodes::new(graph)),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.functions + self.threads.as_ref().map_or(0, |threads| threads.others.len())
    }

    /// How many nodes a function has at most; none if no code is apart by its thread.
    pub(super) fn most_of_a_function(&self) -> Option<usize> {
        let threads = self.threads.as_ref()?;
        let counts = (0..self.functions).map(|function| threads.of_function.get(function).len());
        counts.max()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.len() as u32).map(NodeId)
    }

    #[inline]
    pub(super) fn function(&self, node: NodeId) -> FunctionId {
        match (&self.threads, node.index().checked_sub(self.functions)) {
            (Some(threads), Some(other)) => threads.others[other].0,
            _ => FunctionId(node.0),
        }
    }

    /// The number of the thread of a node; none of the first one.
    pub(super) fn thread(&self, node: NodeId) -> Option<u32> {
        let other = node.index().checked_sub(self.functions)?;
        Some(self.threads.as_ref()?.others[other].1)
    }

    /// The node of a fragment, which is of `function`.
    #[inline]
    pub(super) fn of(&self, fragment: FragmentId, function: FunctionId) -> NodeId {
        match &self.threads {
            Some(threads) => threads.of_fragment[fragment.index()],
            None => NodeId(function.0),
        }
    }

    /// The node that is called by an arc.
    pub(super) fn callee(&self, arc: Arc, graph: &CallGraph<'_>) -> NodeId {
        let own = NodeId(arc.callee.0);
        self.threads.as_ref().map_or(own, |threads| {
            let thread = graph.profile.fragment(arc.caller).division.executed();
            let known = thread.and_then(|thread| threads.known.get(&(arc.callee, thread)));
            known.copied().unwrap_or(own)
        })
    }

    /// The nodes of functions in this order.
    pub(super) fn in_order(&self, functions: &[FunctionId]) -> Vec<NodeId> {
        match &self.threads {
            Some(threads) => functions
                .iter()
                .flat_map(|function| threads.of_function.get(function.index()))
                .map(|&node| NodeId(node))
                .collect(),
            None => functions.iter().map(|function| NodeId(function.0)).collect(),
        }
    }

    /// The calls of a node by those that come before it in the order of the graph.
    pub(super) fn entering<'n>(
        &'n self,
        node: NodeId,
        graph: &'n CallGraph<'_>,
    ) -> impl Iterator<Item = (ArcId, Arc)> {
        self.into(node, graph).filter(|&(_, arc)| !graph.goes_back(arc))
    }

    pub(super) fn into<'n>(
        &'n self,
        node: NodeId,
        graph: &'n CallGraph<'_>,
    ) -> impl Iterator<Item = (ArcId, Arc)> {
        let threads = self.threads.as_ref();
        let of_function = threads.is_none().then(|| graph.into(FunctionId(node.0)));
        let of_thread = threads.map(|threads| {
            let arcs = threads.into.get(node.index()).iter();
            arcs.map(|&arc| threads.arcs[arc as usize])
        });
        of_function.into_iter().flatten().chain(of_thread.into_iter().flatten())
    }

    pub(super) fn fragments<'n>(
        &'n self,
        node: NodeId,
        graph: &'n CallGraph<'_>,
    ) -> impl Iterator<Item = FragmentId> {
        let threads = self.threads.as_ref();
        let of_function = threads.is_none().then(|| graph.fragments_of(FunctionId(node.0)));
        let of_thread = threads.map(|threads| {
            let fragments = threads.fragments.get(node.index()).iter();
            fragments.map(|&fragment| FragmentId(fragment))
        });
        of_function.into_iter().flatten().chain(of_thread.into_iter().flatten())
    }

    /// Whether a node has all code of its function.
    pub(super) fn is_whole(&self, node: NodeId) -> bool {
        let function = self.function(node);
        let threads = self.threads.as_ref();
        threads.is_none_or(|threads| threads.of_function.get(function.index()).len() == 1)
    }
}

impl ThreadNodes {
    fn new(graph: &CallGraph<'_>) -> ThreadNodes {
        let profile = graph.profile;
        let functions = profile.function_count();
        let mut others = Vec::new();
        let mut known: HashMap<(FunctionId, u32), NodeId> = HashMap::new();
        let mut node_of = |function: FunctionId, thread: Option<u32>| match thread {
            None => NodeId(function.0),
            Some(thread) => *known.entry((function, thread)).or_insert_with(|| {
                others.push((function, thread));
                NodeId((functions + others.len() - 1) as u32)
            }),
        };
        let of_fragment: Vec<NodeId> = profile
            .fragments()
            .iter()
            .map(|fragment| node_of(fragment.function, fragment.division.executed()))
            .collect();
        let arcs: Vec<(ArcId, Arc)> = graph.arcs().collect();
        let callees: Vec<NodeId> = arcs
            .iter()
            .map(|(_, arc)| node_of(arc.callee, profile.fragment(arc.caller).division.executed()))
            .collect();
        let nodes = functions + others.len();
        let own = (0..functions as u32).map(FunctionId);
        let of_nodes = own.chain(others.iter().map(|&(function, _)| function));
        ThreadNodes {
            into: Groups::new(nodes, callees.iter().map(|node| Some(node.index()))),
            fragments: Groups::new(nodes, of_fragment.iter().map(|node| Some(node.index()))),
            of_function: Groups::new(functions, of_nodes.map(|function| Some(function.index()))),
            others,
            of_fragment,
            known,
            arcs,
        }
    }
}
