//! Blocks: instructions that were executed one after the other, whenever the first was.

use std::ops::Range;

use super::executions::{Fetched, Jump, find};

/// The longest instruction of any machine, in bytes.
const MAX_INSTRUCTION: u64 = 15;

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Its first address.
    pub(super) address: u64,
    /// How often it was executed.
    pub(super) executions: i64,
    /// Its instructions, by number.
    pub(super) code: Range<usize>,
    /// How often control can have gone on to the block below, if that is known: its last instruction jumps, or the block
    /// below is not the next code.
    continued: Option<i128>,
}

/// The blocks of a function, by address: one begins where jumps or calls go to, behind each jump, and where executions
/// change.
pub(super) fn blocks<L>(
    code: &[Fetched<L>],
    jumps: &[Jump],
    calls: &[(u64, i64)],
    executions: &[i64],
) -> Vec<Block> {
    let mut begins = vec![false; code.len() + 1];
    let mut left = vec![0; code.len()];
    for jump in jumps {
        find(code, jump.to).inspect(|&at| begins[at] = true);
        find(code, jump.from).inspect(|&at| begins[at + 1] = true);
        if jump.to != jump.from {
            find(code, jump.from).inspect(|&at| left[at] += i128::from(jump.taken));
        }
    }
    for &(address, _) in calls {
        find(code, address).inspect(|&at| begins[at] = true);
    }
    let mut blocks: Vec<Block> = Vec::new();
    for (at, one) in code.iter().enumerate() {
        match blocks.last_mut() {
            Some(block) if !begins[at] && block.executions == executions[at] => {
                block.code.end = at + 1
            }
            _ => blocks.push(Block {
                address: one.address,
                executions: executions[at],
                code: at..at + 1,
                continued: None,
            }),
        }
    }
    for block in &mut blocks {
        let (last, next) = (block.code.end - 1, code.get(block.code.end));
        if next.is_none_or(|next| next.address - code[last].address > MAX_INSTRUCTION) {
            block.continued = Some(0);
        } else if left[last] > 0 {
            block.continued = Some((i128::from(block.executions) - left[last]).max(0));
        }
    }
    blocks
}

impl Block {
    /// The jumps from others to its start, among those in the order of their targets.
    pub(super) fn jumps<'j, 'r>(&self, by_target: &'r [&'j Jump]) -> &'r [&'j Jump] {
        let start = by_target.partition_point(|jump| jump.to < self.address);
        let end = by_target.partition_point(|jump| jump.to <= self.address);
        &by_target[start..end]
    }

    /// How often control came to it from the block above, not by a jump or a call; `calls` are in order of their
    /// addresses. What is more than can come from there are entries that callgrind does not record, as of exceptions.
    pub(super) fn entered_from(&self, above: &Block, into: &[&Jump], calls: &[(u64, i64)]) -> i128 {
        let jumped = into.iter().map(|jump| i128::from(jump.taken)).sum::<i128>();
        let not_jumped = i128::from(self.executions) - jumped;
        let called = calls.binary_search_by_key(&self.address, |&(address, _)| address);
        let called = called.map_or(0, |at| i128::from(calls[at].1));
        let entered = not_jumped - called.min(not_jumped);
        above
            .continued
            .map_or(entered, |continued| entered.min(continued))
    }
}

/// The jumps to other instructions in the order of their targets.
pub(super) fn by_target(jumps: &[Jump]) -> Vec<&Jump> {
    let mut by_target: Vec<&Jump> = jumps.iter().filter(|jump| jump.from != jump.to).collect();
    by_target.sort_by_key(|jump| jump.to);
    by_target
}
