//! The control flow of a function: its blocks, and the executions of the edges between them.

use std::ops::Range;

use super::{FunctionCode, Jump};
use crate::profile::{Count, FunctionId, add_cost};
use crate::source::MAX_INSTRUCTION;

pub struct FlowGraph {
    pub blocks: Vec<FlowBlock>,
    /// By source, then target.
    pub edges: Vec<FlowEdge>,
}

/// A basic block: instructions that are executed one after the other.
pub struct FlowBlock {
    pub instructions: Range<usize>,
    pub executions: i64,
    pub cost: Vec<Count>,
}

pub struct FlowEdge {
    pub from: usize,
    pub to: usize,
    pub count: i64,
    /// Whether it is a jump; otherwise control falls through to the next instruction.
    pub is_jump: bool,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    /// Whether a block begins here: it is a target of a jump or call, or the previous instruction jumps.
    is_start: bool,
    /// The number of jumps (from other instructions) and calls to it.
    count: i128,
}

impl FlowGraph {
    /// The graph of a function whose executions are known; `calls` are the called addresses and call counts.
    pub(super) fn new(function: &FunctionCode, calls: &[(FunctionId, u64, i64)]) -> FlowGraph {
        let entries = entries(function, calls);
        let blocks = blocks(function, &entries);
        let block_of = |number: usize| {
            blocks.partition_point(|block: &FlowBlock| block.instructions.end <= number)
        };
        let jumps = function.jumps.iter().filter_map(|jump| {
            Some(FlowEdge {
                from: block_of(function.find(jump.from)?),
                to: block_of(function.find(jump.to)?),
                count: jump.taken,
                is_jump: true,
            })
        });
        let mut edges: Vec<FlowEdge> = jumps.collect();
        for (from, two) in blocks.windows(2).enumerate() {
            let count = entered_from_above(function, two, &entries);
            edges.push(FlowEdge {
                from,
                to: from + 1,
                count: i64::try_from(count).unwrap_or(i64::MAX),
                is_jump: false,
            });
        }
        edges.retain(|edge| edge.count > 0);
        edges.sort_by_key(|edge| (edge.from, edge.to, edge.is_jump));
        FlowGraph { blocks, edges }
    }
}

/// The entries at each instruction, and after the last one.
fn entries(function: &FunctionCode, calls: &[(FunctionId, u64, i64)]) -> Vec<Entry> {
    let mut entries = vec![Entry::default(); function.instructions.len() + 1];
    let jumps = function.jumps.iter().map(|jump| (jump.to, leaving(jump)));
    let calls = calls.iter().map(|&(_, address, count)| (address, count));
    for (to, count) in jumps.chain(calls) {
        if let Some(to) = function.find(to) {
            entries[to].is_start = true;
            entries[to].count += i128::from(count);
        }
    }
    for jump in &function.jumps {
        if let Some(from) = function.find(jump.from) {
            entries[from + 1].is_start = true;
        }
    }
    entries
}

/// How often a jump left its instruction: a jump to itself is an iteration of a repeated instruction.
fn leaving(jump: &Jump) -> i64 {
    if jump.from == jump.to { 0 } else { jump.taken }
}

/// The blocks: a new one begins at a block start, and where the number of executions changes.
fn blocks(function: &FunctionCode, entries: &[Entry]) -> Vec<FlowBlock> {
    let mut blocks: Vec<FlowBlock> = Vec::new();
    for (number, one) in function.instructions.iter().enumerate() {
        let executions = one.executions.unwrap_or(0);
        let last = blocks.last_mut();
        let last = last.filter(|last| !entries[number].is_start && last.executions == executions);
        let cost = function.cost(number);
        match last {
            Some(block) => {
                block.instructions.end = number + 1;
                add_cost(&mut block.cost, cost);
            }
            None => blocks.push(FlowBlock {
                instructions: number..number + 1,
                executions,
                cost: cost.to_vec(),
            }),
        }
    }
    blocks
}

/// How often control fell through from a block into the next. The count is capped by the executions of the block above:
/// callgrind does not record some entries, such as exception handlers.
fn entered_from_above(function: &FunctionCode, two: &[FlowBlock], entries: &[Entry]) -> i128 {
    let [above, below] = [&two[0], &two[1]];
    let (last, next) = (above.instructions.end - 1, below.instructions.start);
    let entered = (i128::from(below.executions) - entries[next].count).max(0);
    let address = |number: usize| function.instructions[number].address;
    if address(next) - address(last) >= MAX_INSTRUCTION {
        return 0;
    }
    let left = function.jumps_from(address(last)).iter();
    let left: i128 = left.map(|jump| i128::from(leaving(jump))).sum();
    if left > 0 { entered.min((i128::from(above.executions) - left).max(0)) } else { entered }
}
