//! How often control came to each source line from others, as gcov counts it: it follows from the executions of the
//! line's instructions and the jumps between them.

use std::ops::Range;

use super::blocks::{Block, blocks, by_target};
use super::executions::{Fetched, Jump, executions};
use crate::profile::Overflow;

/// How often control came to each line from other lines, or to its start in a loop that is all on it: what gcov counts.
/// The instructions are in order of their addresses; `calls` are the addresses that were called and how often, in
/// order too. The result is in order of the lines.
///
/// # Errors
/// [`Overflow`] if a number does not fit.
pub fn line_executions<L: Copy + Ord>(
    code: &[Fetched<L>],
    jumps: &[Jump],
    calls: &[(u64, i64)],
) -> Result<Vec<(L, i64)>, Overflow> {
    let executions = executions(code, jumps)?;
    let mut counts = if jumps.is_empty() {
        largest(code, &executions)
    } else {
        Lines::new(code, blocks(code, jumps, calls, &executions)).count(jumps, calls)
    };
    counts.sort_unstable();
    let mut sums: Vec<(L, i128)> = Vec::new();
    for (line, count) in counts {
        match sums.last_mut() {
            Some(last) if last.0 == line => last.1 += count,
            _ => sums.push((line, count)),
        }
    }
    let narrow = |(line, sum)| Ok((line, i64::try_from(sum).map_err(|_| Overflow)?));
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

/// The lines of blocks. A block is of each line that it has an instruction of.
struct Lines<L> {
    blocks: Vec<Block>,
    /// The lines of each block, in order, with the last block up to which all are of the line too.
    lines: Vec<(L, usize)>,
    /// Those of each block, by number in `lines`.
    of_block: Vec<Range<usize>>,
}

impl<L: Copy + Ord> Lines<L> {
    fn new(code: &[Fetched<L>], blocks: Vec<Block>) -> Lines<L> {
        let (mut lines, mut of_block) = (Vec::new(), Vec::new());
        for (number, block) in blocks.iter().enumerate() {
            let start = lines.len();
            let mut own: Vec<L> = code[block.code.clone()]
                .iter()
                .filter_map(|one| one.line)
                .collect();
            own.sort_unstable();
            own.dedup();
            lines.extend(own.into_iter().map(|line| (line, number)));
            of_block.push(start..lines.len());
        }
        let mut all = Lines {
            blocks,
            lines,
            of_block,
        };
        for number in (1..all.blocks.len()).rev() {
            for at in all.of_block[number - 1].clone() {
                if let Some(after) = all.find(number, all.lines[at].0) {
                    all.lines[at].1 = all.lines[after].1;
                }
            }
        }
        all
    }

    /// Where a line is among those of a block.
    fn find(&self, block: usize, line: L) -> Option<usize> {
        let range = self.of_block[block].clone();
        let found = self.lines[range.clone()].binary_search_by_key(&line, |&(line, _)| line);
        Some(range.start + found.ok()?)
    }

    /// What each block adds to each of its lines.
    fn count(&self, jumps: &[Jump], calls: &[(u64, i64)]) -> Vec<(L, i128)> {
        let by_target = by_target(jumps);
        let mut counts = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let into = block.jumps(&by_target);
            let entries = block.entries(into, calls);
            for at in self.of_block[number].clone() {
                let (line, _) = self.lines[at];
                let is_entered = number == 0 || self.find(number - 1, line).is_none();
                let from_above = if is_entered { entries.from_above } else { 0 };
                counts.push((line, entries.called + entries.jumped + from_above));
            }
            for jump in into {
                self.leave_out(number, jump, &mut counts);
            }
        }
        counts
    }

    /// Takes a jump to a block from those of its lines within which it stays: the lines that both blocks have, but for
    /// loops of blocks that are all of the line.
    fn leave_out(&self, number: usize, jump: &Jump, counts: &mut Vec<(L, i128)>) {
        let source = self
            .blocks
            .partition_point(|block| block.address <= jump.from);
        let Some(source) = source.checked_sub(1) else {
            return;
        };
        let (block, from) = (&self.of_block[number], &self.of_block[source]);
        let (few, other) = if block.len() <= from.len() {
            (block, source)
        } else {
            (from, number)
        };
        for at in few.clone() {
            let (line, _) = self.lines[at];
            let (Some(_), Some(own)) = (self.find(other, line), self.find(number, line)) else {
                continue;
            };
            let is_loop = source >= number && source <= self.lines[own].1;
            if !is_loop {
                counts.push((line, -i128::from(jump.taken)));
            }
        }
    }
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
        let counts = line_executions(&code, &jumps, &[(0x79, 299)]).unwrap();
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
        let counts = line_executions(&code, &jumps, &[(1, 1)]).unwrap();
        assert_eq!(counts, [(5, 11), (6, 1)]);
    }

    #[test]
    fn further_rounds_of_one_instruction_are_no_executions() {
        let code = code(&[(1, 3, 2), (2, 4, 102), (4, 5, 2)]);
        let jumps = jumps(&[(2, 2, 100)]);
        let counts = line_executions(&code, &jumps, &[(1, 2)]).unwrap();
        assert_eq!(counts, [(3, 2), (4, 2), (5, 2)]);
    }

    #[test]
    fn recursion_comes_from_elsewhere() {
        // Called 10 times, 9 of them by itself, where the function begins.
        let code = code(&[(1, 1, 10), (2, 1, 10), (3, 2, 9), (4, 3, 10)]);
        let jumps = jumps(&[(2, 4, 1)]);
        let counts = line_executions(&code, &jumps, &[(1, 10)]).unwrap();
        assert_eq!(counts, [(1, 10), (2, 9), (3, 10)]);
    }

    #[test]
    fn without_jumps_the_largest() {
        let code = code(&[(1, 1, 3), (2, 2, 30), (3, 1, 4), (4, 0, 99)]);
        assert_eq!(line_executions(&code, &[], &[]).unwrap(), [(1, 4), (2, 30)]);
    }
}
