//! The control flow of a function: its blocks, and how often control went from one to another.

use std::ops::Range;

use super::FunctionCode;
use super::blocks::{blocks, by_target};
use crate::profile::{Count, add_cost};

/// Blocks and the ways between them.
pub struct FlowGraph {
    /// By address.
    pub blocks: Vec<FlowBlock>,
    /// By source, then target.
    pub edges: Vec<FlowEdge>,
}

/// Instructions that are executed one after the other.
pub struct FlowBlock {
    /// The instructions, by number.
    pub instructions: Range<usize>,
    /// How often they were executed.
    pub executions: i64,
    /// What they cost.
    pub cost: Vec<Count>,
}

/// A way from one block to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowEdge {
    /// The block that it leaves.
    pub from: usize,
    /// The block that it enters.
    pub to: usize,
    /// How often control went there.
    pub count: i64,
    /// Whether by a jump; else to the instruction below.
    pub is_jump: bool,
}

impl FlowGraph {
    /// The graph of a function whose executions are known; `calls` are the addresses that were called and how often,
    /// in order.
    pub fn new(function: &FunctionCode, calls: &[(u64, i64)]) -> FlowGraph {
        let executions = function
            .instructions
            .iter()
            .map(|one| one.executions.unwrap_or(0));
        let executions: Vec<i64> = executions.collect();
        let all = blocks(&function.fetched(), &function.jumps, calls, &executions);
        let block_of = |address: u64| {
            all.partition_point(|block| block.address <= address)
                .checked_sub(1)
        };
        let start_of = |address: u64| {
            all.binary_search_by_key(&address, |block| block.address)
                .ok()
        };
        let mut edges: Vec<FlowEdge> = Vec::new();
        for jump in &function.jumps {
            if let (Some(from), Some(to)) = (block_of(jump.from), start_of(jump.to)) {
                edges.push(FlowEdge {
                    from,
                    to,
                    count: jump.taken,
                    is_jump: true,
                });
            }
        }
        let by_target = by_target(&function.jumps);
        for (to, block) in all.iter().enumerate().skip(1) {
            let count = block.entered_from(&all[to - 1], block.jumps(&by_target), calls);
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            if count > 0 {
                edges.push(FlowEdge {
                    from: to - 1,
                    to,
                    count,
                    is_jump: false,
                });
            }
        }
        edges.retain(|edge| edge.count > 0);
        edges.sort_by_key(|edge| (edge.from, edge.to, edge.is_jump));
        let width = function.width();
        let blocks = all.into_iter().map(|block| {
            let mut cost = vec![Count::UNDEFINED; width];
            block
                .code
                .clone()
                .for_each(|number| add_cost(&mut cost, function.cost(number).value));
            FlowBlock {
                instructions: block.code,
                executions: block.executions,
                cost,
            }
        });
        FlowGraph {
            blocks: blocks.collect(),
            edges,
        }
    }
}
