//! How often control came to each source line from others, as gcov counts it: it follows from the executions of the
//! line's instructions and the jumps between them.

use std::ops::Range;

use super::blocks::{Block, blocks, by_target};
use super::executions::{Fetched, Jump, executions};

/// How often control came to each line from other lines, or to its start in a loop that is all on it: what gcov counts.
/// The instructions are in order of their addresses; `calls` are the addresses that were called and how often, in
/// order too. The result is in order of the lines. A profile without any jumps has none (`jumps`).
pub fn line_executions<L: Copy + Ord>(
    code: &[Fetched<L>],
    jumps: Option<&[Jump]>,
    calls: &[(u64, i64)],
) -> Vec<(L, i64)> {
    let executions = executions(code, jumps.unwrap_or_default());
    let mut counts = match jumps {
        Some(jumps) => {
            Lines::new(code, blocks(code, jumps, calls, &executions)).count(jumps, calls)
        }
        None => largest(code, &executions),
    };
    counts.sort_unstable();
    let mut sums: Vec<(L, i128)> = Vec::new();
    for (line, count) in counts {
        match sums.last_mut() {
            Some(last) if last.0 == line => last.1 += count,
            _ => sums.push((line, count)),
        }
    }
    let narrow = |(line, sum)| (line, i64::try_from(sum).unwrap_or(i64::MAX));
    sums.into_iter().map(narrow).collect()
}

/// Without jumps: the largest executions of a line's instructions.
fn largest<L: Copy + Ord>(code: &[Fetched<L>], executions: &[i64]) -> Vec<(L, i128)> {
    let lines = code.iter().zip(executions);
    let mut lines: Vec<_> = lines
        .filter_map(|(one, &count)| Some((one.line?, i128::from(count))))
        .collect();
    lines.sort_unstable();
    lines.reverse();
    lines.dedup_by_key(|&mut (line, _)| line);
    lines
}

/// The lines of blocks: a block is on each line that it has an instruction of.
struct Lines<L> {
    blocks: Vec<Block>,
    /// Block by block the lines that it is on, in order. Each is a node of a graph.
    nodes: Vec<L>,
    /// The nodes of each block.
    of_block: Vec<Range<usize>>,
}

/// How often control went from one node of a line to another.
struct Edge {
    from: usize,
    to: usize,
    count: i128,
}

impl<L: Copy + Ord> Lines<L> {
    fn new(code: &[Fetched<L>], blocks: Vec<Block>) -> Lines<L> {
        let (mut nodes, mut of_block) = (Vec::new(), Vec::new());
        for block in &blocks {
            let instructions = &code[block.code.clone()];
            let mut lines: Vec<L> = instructions.iter().filter_map(|one| one.line).collect();
            lines.sort_unstable();
            lines.dedup();
            let start = nodes.len();
            nodes.extend(lines);
            of_block.push(start..nodes.len());
        }
        Lines {
            blocks,
            nodes,
            of_block,
        }
    }

    /// The node of a block on a line.
    fn find(&self, block: usize, line: L) -> Option<usize> {
        let range = self.of_block[block].clone();
        let found = self.nodes[range.clone()].binary_search(&line);
        Some(range.start + found.ok()?)
    }

    /// What each node adds to the executions of its line: how often control came there from other lines, and the
    /// rounds of loops that begin there.
    fn count(&self, jumps: &[Jump], calls: &[(u64, i64)]) -> Vec<(L, i128)> {
        let mut edges = self.edges(jumps, calls);
        edges.retain(|edge| edge.count > 0);
        edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
        let blocks = self.blocks.iter().zip(&self.of_block);
        let mut counts: Vec<i128> = blocks
            .flat_map(|(block, nodes)| nodes.clone().map(|_| i128::from(block.executions)))
            .collect();
        for edge in &edges {
            counts[edge.to] -= edge.count;
        }
        let roots: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 0).collect();
        for edge in back_edges(&roots, &edges, counts.len()) {
            counts[edge.to] += edge.count;
        }
        self.nodes.iter().copied().zip(counts).collect()
    }

    /// All edges between nodes of a line.
    fn edges(&self, jumps: &[Jump], calls: &[(u64, i64)]) -> Vec<Edge> {
        let by_target = by_target(jumps);
        let mut edges = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let into = block.jumps(&by_target);
            if let Some(above) = number.checked_sub(1) {
                let count = block.entered_from(&self.blocks[above], into, calls);
                self.add_edges(above, number, count, &mut edges);
            }
            for jump in into {
                let source = self.blocks.partition_point(|one| one.address <= jump.from);
                if let Some(source) = source.checked_sub(1) {
                    self.add_edges(source, number, jump.taken.into(), &mut edges);
                }
            }
        }
        edges
    }

    /// Adds the edges between two blocks: one for each line that both are on.
    fn add_edges(&self, source: usize, target: usize, count: i128, edges: &mut Vec<Edge>) {
        let (from, to) = (&self.of_block[source], &self.of_block[target]);
        let (few, other) = match from.len() <= to.len() {
            true => (from, target),
            false => (to, source),
        };
        for node in few.clone() {
            if let Some(found) = self.find(other, self.nodes[node]) {
                let (from, to) = match other == target {
                    true => (node, found),
                    false => (found, node),
                };
                edges.push(Edge { from, to, count });
            }
        }
    }
}

/// The edges that close a loop: those to a node that is on the way from a root. The edges are in order of their
/// sources; nodes that no root leads to come last.
fn back_edges<'e>(roots: &[usize], edges: &'e [Edge], nodes: usize) -> Vec<&'e Edge> {
    let mut next = vec![0; nodes];
    let mut end = 0;
    for (node, next) in next.iter_mut().enumerate() {
        *next = end;
        end += edges[end..]
            .iter()
            .take_while(|edge| edge.from == node)
            .count();
    }
    let (mut is_seen, mut is_on_way) = (vec![false; nodes], vec![false; nodes]);
    let mut found = Vec::new();
    let mut way = Vec::new();
    for root in roots.iter().copied().chain(0..nodes) {
        if is_seen[root] {
            continue;
        }
        (is_seen[root], is_on_way[root]) = (true, true);
        way.push(root);
        while let Some(&node) = way.last() {
            let Some(edge) = edges.get(next[node]).filter(|edge| edge.from == node) else {
                is_on_way[node] = false;
                way.pop();
                continue;
            };
            next[node] += 1;
            if is_on_way[edge.to] {
                found.push(edge);
            } else if !is_seen[edge.to] {
                (is_seen[edge.to], is_on_way[edge.to]) = (true, true);
                way.push(edge.to);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instructions as (address, line, fetches).
    fn code(instructions: &[(u64, u32, i64)]) -> Vec<Fetched<u32>> {
        let fetched = |&(address, line, fetches)| Fetched {
            address,
            line: (line != 0).then_some(line),
            fetches,
        };
        instructions.iter().map(fetched).collect()
    }

    /// Jumps as (from, to, taken).
    fn jumps(jumps: &[(u64, u64, i64)]) -> Vec<Jump> {
        let jump = |&(from, to, taken)| Jump {
            from,
            to,
            is_conditional: true,
            taken,
            executed: taken,
        };
        jumps.iter().map(jump).collect()
    }

    #[test]
    fn a_while_loop_with_an_if() {
        // collatz: lines 4 (head), 6 (while), 7 (if), 8, 10, 11 and 13 (return), called 299 times.
        let code = code(&[
            (0x79, 4, 299),
            (0x88, 6, 299),
            (0x8a, 7, 14_151),
            (0x94, 7, 14_151),
            (0x96, 8, 4_664),
            (0xab, 8, 4_664),
            (0xad, 10, 9_487),
            (0xc2, 11, 14_151),
            (0xc6, 6, 14_450),
            (0xcb, 6, 14_450),
            (0xcd, 13, 299),
        ]);
        let jumps = jumps(&[
            (0x88, 0xc6, 299),
            (0x94, 0xad, 9_487),
            (0xab, 0xc2, 4_664),
            (0xcb, 0x8a, 14_151),
        ]);
        let counts = line_executions(&code, Some(&jumps), &[(0x79, 299)]);
        let expected = [
            (4, 299),
            (6, 14_450),
            (7, 14_151),
            (8, 4_664),
            (10, 9_487),
            (11, 14_151),
            (13, 299),
        ];
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_loop_on_one_line_counts_its_rounds() {
        let code = code(&[(1, 5, 1), (2, 5, 10), (3, 5, 11), (4, 6, 1)]);
        let jumps = jumps(&[(1, 3, 1), (3, 2, 10)]);
        let counts = line_executions(&code, Some(&jumps), &[(1, 1)]);
        assert_eq!(counts, [(5, 11), (6, 1)]);
    }

    #[test]
    fn a_loop_on_one_line_that_is_left_in_its_middle() {
        // A prime search: entered at its condition 58 times, 119 rounds begun, 41 of them left by `break`.
        let code = code(&[
            (1, 5, 58),
            (2, 5, 119),
            (3, 5, 41),
            (4, 5, 78),
            (5, 5, 136),
            (6, 6, 58),
        ]);
        let jumps = jumps(&[(1, 5, 58), (2, 4, 78), (3, 6, 41), (5, 2, 119)]);
        let counts = line_executions(&code, Some(&jumps), &[(1, 58)]);
        assert_eq!(counts, [(5, 58 + 78), (6, 58)]);
    }

    #[test]
    fn further_rounds_of_one_instruction_are_no_executions() {
        let code = code(&[(1, 3, 2), (2, 4, 102), (4, 5, 2)]);
        let jumps = jumps(&[(2, 2, 100)]);
        let counts = line_executions(&code, Some(&jumps), &[(1, 2)]);
        assert_eq!(counts, [(3, 2), (4, 2), (5, 2)]);
    }

    #[test]
    fn recursion_comes_from_elsewhere() {
        // Called 10 times, 9 of them by itself, where the function begins.
        let code = code(&[(1, 1, 10), (2, 1, 10), (3, 2, 9), (4, 3, 10)]);
        let jumps = jumps(&[(2, 4, 1)]);
        let counts = line_executions(&code, Some(&jumps), &[(1, 10)]);
        assert_eq!(counts, [(1, 10), (2, 9), (3, 10)]);
    }

    #[test]
    fn code_at_two_addresses_without_jumps() {
        // Two constructors of one name, called 4 times and once.
        let code = code(&[(1, 5, 4), (2, 5, 4), (3, 5, 1), (4, 5, 1)]);
        let counts = line_executions(&code, Some(&[]), &[(1, 4), (3, 1)]);
        assert_eq!(counts, [(5, 5)]);
    }

    #[test]
    fn what_an_exception_enters_is_entered_from_elsewhere() {
        // The end of a function: destructors for 9 values behind which it jumps, and for 10 exceptions.
        let code = code(&[(1, 4, 19), (2, 5, 9), (3, 5, 9), (4, 5, 10), (20, 6, 19)]);
        let jumps = jumps(&[(3, 20, 9)]);
        let counts = line_executions(&code, Some(&jumps), &[(1, 19)]);
        assert_eq!(counts, [(4, 19), (5, 19), (6, 19)]);
        // A gap that is too large for an instruction.
        let code = super::tests::code(&[(1, 5, 9), (0x80, 5, 10)]);
        let counts = line_executions(&code, Some(&[]), &[(1, 9)]);
        assert_eq!(counts, [(5, 19)]);
    }

    #[test]
    fn without_jumps_the_largest() {
        let code = code(&[(1, 1, 3), (2, 2, 30), (3, 1, 4), (4, 0, 99)]);
        assert_eq!(line_executions(&code, None, &[]), [(1, 4), (2, 30)]);
    }
}
