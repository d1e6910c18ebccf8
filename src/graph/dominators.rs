//! Dominators: a node dominates another one if each way from the root of a graph to the other one
//! passes it.

use super::Groups;

/// The nodes of a graph that its root reaches, in the order of a depth-first search, so that a node
/// comes after those that dominate it.
pub(super) struct Dominators {
    pub(super) order: Vec<u32>,
    /// By number in the order, the number of the nearest dominator; 0 of the root.
    pub(super) nearest: Vec<u32>,
}

/// The number of a node that was not visited, or that has no ancestor yet.
const NONE: u32 = u32::MAX;

impl Dominators {
    /// Those of a graph with arcs between nodes numbered from 0.
    ///
    /// The algorithm of Lengauer and Tarjan (1979) with paths that are compressed: it takes
    /// O(arcs × log(nodes)), whatever the graph is.
    pub(super) fn new(nodes: usize, arcs: &[[u32; 2]], root: u32) -> Dominators {
        let Visits { order, number, parent } = Visits::new(nodes, arcs, root);
        let into = Groups::new(nodes, arcs.iter().map(|&[_, end]| Some(end as usize)));
        let mut search = Search::new(order.len());
        let mut nearest = vec![0; order.len()];
        let mut waiting: Vec<Vec<u32>> = vec![Vec::new(); order.len()];
        for at in (1..order.len()).rev() {
            for &arc in into.get(order[at] as usize) {
                let before = number[arcs[arc as usize][0] as usize];
                if before != NONE {
                    let lowest = search.lowest_above(before);
                    search.semi[at] = search.semi[at].min(search.semi[lowest as usize]);
                }
            }
            waiting[search.semi[at] as usize].push(at as u32);
            let above = parent[at];
            search.ancestor[at] = above;
            for below in std::mem::take(&mut waiting[above as usize]) {
                let lowest = search.lowest_above(below);
                let is_lower = search.semi[lowest as usize] < search.semi[below as usize];
                nearest[below as usize] = if is_lower { lowest } else { above };
            }
        }
        for at in 1..order.len() {
            if nearest[at] != search.semi[at] {
                nearest[at] = nearest[nearest[at] as usize];
            }
        }
        Dominators { order, nearest }
    }
}

/// A depth-first search.
struct Visits {
    order: Vec<u32>,
    /// By node its number in the order.
    number: Vec<u32>,
    /// By number that of the node from which it was visited.
    parent: Vec<u32>,
}

impl Visits {
    fn new(nodes: usize, arcs: &[[u32; 2]], root: u32) -> Visits {
        let out_of = Groups::new(nodes, arcs.iter().map(|&[start, _]| Some(start as usize)));
        let mut visits = Visits { order: vec![root], number: vec![NONE; nodes], parent: vec![0] };
        visits.number[root as usize] = 0;
        // The nodes being visited, each with the number of its arcs that were followed.
        let mut path: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let Some(&arc) = out_of.get(*node as usize).get(*followed) else {
                path.pop();
                continue;
            };
            *followed += 1;
            let end = arcs[arc as usize][1];
            if visits.number[end as usize] == NONE {
                visits.parent.push(visits.number[*node as usize]);
                visits.number[end as usize] = visits.order.len() as u32;
                visits.order.push(end);
                path.push((end, 0));
            }
        }
        visits
    }
}

/// What is known of nodes, all by their number in the order of visits.
struct Search {
    /// The lowest number from which a way leads to the node by higher numbers only.
    semi: Vec<u32>,
    /// The node from which this one was visited, or one above that; none while it is not linked.
    ancestor: Vec<u32>,
    /// Of the nodes from this one up to its ancestor, without that: the one with the lowest `semi`.
    lowest: Vec<u32>,
    path: Vec<u32>,
}

impl Search {
    fn new(nodes: usize) -> Search {
        let all = || (0..nodes as u32).collect();
        Search { semi: all(), ancestor: vec![NONE; nodes], lowest: all(), path: Vec::new() }
    }

    /// The node with the lowest `semi` from this one up to the last one that is linked.
    fn lowest_above(&mut self, node: u32) -> u32 {
        let mut at = node;
        while let above = self.ancestor[at as usize]
            && above != NONE
            && self.ancestor[above as usize] != NONE
        {
            self.path.push(at);
            at = above;
        }
        // From the top down, each node gets the ancestor of the one above it.
        while let Some(at) = self.path.pop() {
            let (at, above) = (at as usize, self.ancestor[at as usize] as usize);
            let [of_this, of_above] = [self.lowest[at], self.lowest[above]];
            if self.semi[of_above as usize] < self.semi[of_this as usize] {
                self.lowest[at] = of_above;
            }
            self.ancestor[at] = self.ancestor[above];
        }
        self.lowest[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By node its nearest dominator; none of the root and of nodes that it does not reach.
    fn nearest(nodes: usize, arcs: &[[u32; 2]]) -> Vec<Option<u32>> {
        let Dominators { order, nearest } = Dominators::new(nodes, arcs, 0);
        let mut of_nodes = vec![None; nodes];
        for (&node, &above) in order.iter().zip(&nearest).skip(1) {
            of_nodes[node as usize] = Some(order[above as usize]);
        }
        of_nodes
    }

    /// The nodes that the root reaches without passing one of them.
    fn reached(nodes: usize, arcs: &[[u32; 2]], without: Option<u32>) -> Vec<bool> {
        let mut is_reached = vec![false; nodes];
        is_reached[0] = without != Some(0);
        for _ in 0..nodes {
            for &[start, end] in arcs {
                is_reached[end as usize] |= is_reached[start as usize] && without != Some(end);
            }
        }
        is_reached
    }

    #[test]
    fn the_nearest_dominator() {
        type Case<'c> = (&'c [[u32; 2]], &'c [Option<u32>]);
        let table: [Case<'_>; 6] = [
            (&[], &[None]),
            // A chain, with an arc back.
            (&[[0, 1], [1, 2], [2, 1]], &[None, Some(0), Some(1)]),
            // Two ways that meet, and go on.
            (
                &[[0, 1], [0, 2], [1, 3], [2, 3], [3, 4]],
                &[None, Some(0), Some(0), Some(0), Some(3)],
            ),
            // A loop that is entered at both ends.
            (&[[0, 1], [0, 2], [1, 2], [2, 1]], &[None, Some(0), Some(0)]),
            // Arcs twice, to itself and to the root.
            (&[[0, 1], [0, 1], [1, 1], [1, 0]], &[None, Some(0)]),
            // The root does not reach 2, which calls 1.
            (&[[0, 1], [2, 1]], &[None, Some(0), None]),
        ];
        for (arcs, expected) in table {
            assert_eq!(nearest(expected.len(), arcs), expected, "{arcs:?}");
        }
    }

    /// A node dominates others if the root does not reach them without it. The nearest dominator is
    /// the one that all others dominate.
    #[test]
    fn dominators_are_those_without_which_a_node_is_not_reached() {
        let mut seed = 1u64;
        let mut below = |end: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % end as u64) as u32
        };
        for _ in 0..2000 {
            let nodes = 1 + below(12) as usize;
            let count = below(3 * nodes);
            let arcs: Vec<[u32; 2]> = (0..count).map(|_| [below(nodes), below(nodes)]).collect();
            let all = reached(nodes, &arcs, None);
            let without: Vec<Vec<bool>> =
                (0..nodes as u32).map(|node| reached(nodes, &arcs, Some(node))).collect();
            let dominates = |above: usize, node: usize| {
                above != node && all[above] && all[node] && !without[above][node]
            };
            for (node, found) in nearest(nodes, &arcs).into_iter().enumerate() {
                let above: Vec<usize> =
                    (0..nodes).filter(|&above| dominates(above, node)).collect();
                let expected = above
                    .iter()
                    .find(|&&near| above.iter().all(|&far| far == near || dominates(far, near)));
                assert_eq!(found.map(|node| node as usize), expected.copied(), "{node} {arcs:?}");
            }
        }
    }
}
