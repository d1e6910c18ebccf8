//! The strongly connected components of a graph: which nodes can be reached from each other.

/// The strongly connected components of a graph with nodes numbered from 0, a component after all those that can be
/// reached from it.
pub(super) fn components(
    nodes: usize,
    arcs: impl Iterator<Item = (u32, u32)> + Clone,
) -> Vec<Vec<u32>> {
    Graph::new(nodes, arcs).components()
}

/// Where the arcs lead: those of node `n` to `ends[starts[n]..starts[n + 1]]`.
struct Graph {
    starts: Vec<u32>,
    ends: Vec<u32>,
}

impl Graph {
    fn new(nodes: usize, arcs: impl Iterator<Item = (u32, u32)> + Clone) -> Graph {
        let mut starts = vec![0u32; nodes + 1];
        for (from, _) in arcs.clone() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut ends = vec![0; starts[nodes] as usize];
        for (from, to) in arcs {
            let at = &mut next[from as usize];
            ends[*at as usize] = to;
            *at += 1;
        }
        Graph { starts, ends }
    }

    /// The strongly connected components, by Tarjan's algorithm (1972) with a stack of its own, as call
    /// chains may be longer than the machine's.
    fn components(&self) -> Vec<Vec<u32>> {
        const NOT_SEEN: u32 = u32::MAX;
        let nodes = self.starts.len() - 1;
        let mut number = vec![NOT_SEEN; nodes];
        let mut low = vec![0u32; nodes];
        let mut is_open = vec![false; nodes];
        let mut open = Vec::new();
        let mut components = Vec::new();
        let mut numbered = 0;
        // Nodes being walked, each with the position of its next arc.
        let mut walk: Vec<(u32, u32)> = Vec::new();
        for root in 0..nodes as u32 {
            if number[root as usize] != NOT_SEEN {
                continue;
            }
            walk.push((root, self.starts[root as usize]));
            while let Some((node, next)) = walk.last_mut() {
                let n = *node as usize;
                if number[n] == NOT_SEEN {
                    (number[n], low[n]) = (numbered, numbered);
                    numbered += 1;
                    open.push(n as u32);
                    is_open[n] = true;
                }
                if *next < self.starts[n + 1] {
                    let end = self.ends[*next as usize] as usize;
                    *next += 1;
                    if number[end] == NOT_SEEN {
                        walk.push((end as u32, self.starts[end]));
                    } else if is_open[end] {
                        low[n] = low[n].min(number[end]);
                    }
                    continue;
                }
                walk.pop();
                if let Some(&(before, _)) = walk.last() {
                    low[before as usize] = low[before as usize].min(low[n]);
                }
                if low[n] == number[n] {
                    let first = open
                        .iter()
                        .rposition(|&member| member as usize == n)
                        .unwrap_or(0);
                    let component: Vec<_> = open.drain(first..).collect();
                    component
                        .iter()
                        .for_each(|member| is_open[*member as usize] = false);
                    components.push(component);
                }
            }
        }
        components
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components of two or more of a graph given as "0>1 1>0", sorted.
    fn cycles(functions: usize, calls: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let components = components(functions, calls.iter().copied());
        assert_eq!(components.iter().map(Vec::len).sum::<usize>(), functions);
        let mut cycles: Vec<Vec<u32>> = components.into_iter().filter(|c| c.len() > 1).collect();
        cycles.iter_mut().for_each(|cycle| cycle.sort_unstable());
        cycles.sort_unstable();
        cycles
    }

    #[test]
    fn small_graphs() {
        assert_eq!(cycles(3, &[(0, 1), (1, 2)]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(2, &[(0, 0), (0, 1)]), Vec::<Vec<u32>>::new());
        assert_eq!(cycles(3, &[(0, 1), (1, 2), (2, 1)]), [[1, 2]]);
        // A cycle that calls a cycle, each with two entries, and a self call inside.
        let calls = [
            (0, 1),
            (0, 2),
            (1, 2),
            (2, 1),
            (2, 2),
            (1, 3),
            (2, 4),
            (3, 4),
            (4, 3),
            (4, 5),
        ];
        assert_eq!(cycles(6, &calls), [[1, 2], [3, 4]]);
        // Nested circles are one component.
        assert_eq!(
            cycles(4, &[(0, 1), (1, 0), (1, 2), (2, 3), (3, 1)]),
            [[0, 1, 2, 3]]
        );
    }

    #[test]
    fn a_chain_of_100000_functions_and_back() {
        let mut calls: Vec<_> = (0..99_999).map(|f| (f, f + 1)).collect();
        assert!(cycles(100_000, &calls).is_empty());
        calls.push((99_999, 0));
        assert_eq!(cycles(100_000, &calls)[0].len(), 100_000);
    }
}
