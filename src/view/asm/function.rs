//! The instructions of one function, from what the profile has by address.

use std::ops::Range;

use crate::profile::{CodePlace, CostTable, Count, Events, FileId, FunctionId, add_cost};
use crate::view::figure::Cost;

/// An instruction of a function.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Where it is.
    pub address: u64,
    /// Its source file.
    pub file: FileId,
    /// Its source line, 0 if unknown.
    pub line: u32,
    /// How often it was fetched; none if its Ir is not known.
    pub fetches: Option<i64>,
    /// How often it was executed, likewise.
    pub executions: Option<i64>,
    /// The Ir of skipped code that it called.
    pub skipped: i64,
}

/// All jumps from one instruction to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The address of the instruction that jumps.
    pub from: u64,
    /// Where it jumps to.
    pub to: u64,
    /// Whether it may also not jump.
    pub is_conditional: bool,
    /// How often it jumped.
    pub taken: i64,
    /// How often the profile says that it was executed: too low where it was not taken in a whole block.
    pub executed: i64,
}

/// Calls from an instruction to a function.
#[derive(Clone, Debug)]
pub struct CallFrom {
    /// The address of the instruction.
    pub from: u64,
    /// The function that is called.
    pub callee: FunctionId,
    /// The address that is called.
    pub to: u64,
    /// How often.
    pub count: i64,
    /// The inclusive cost.
    pub cost: Cost,
}

/// The instructions of one function.
pub struct FunctionCode {
    pub function: FunctionId,
    /// All that have a cost, a jump or a call, by address.
    pub instructions: Vec<Instruction>,
    /// One cost an instruction.
    costs: CostTable,
    /// By source, then target.
    pub jumps: Vec<Jump>,
    /// By address, then callee.
    pub calls: Vec<CallFrom>,
}

impl FunctionCode {
    /// One without instructions.
    pub(super) fn new(function: FunctionId, width: usize) -> FunctionCode {
        FunctionCode {
            function,
            instructions: Vec::new(),
            costs: CostTable::new(width, 0),
            jumps: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// What an instruction cost, by its number.
    pub fn cost(&self, number: usize) -> &[Count] {
        self.costs.get(number)
    }

    /// Sets the counts of derived events.
    pub(super) fn derive(&mut self, events: &Events) {
        self.costs.derive(events);
        let calls = self.calls.iter_mut();
        calls.for_each(|call| events.derive(&mut call.cost))
    }

    /// The number of the instruction at an address.
    pub fn find(&self, address: u64) -> Option<usize> {
        self.instructions
            .binary_search_by_key(&address, |one| one.address)
            .ok()
    }

    /// Whether an address is within the function, as far as it was executed.
    pub fn has_address(&self, address: u64) -> bool {
        let (first, last) = (self.instructions.first(), self.instructions.last());
        let is_after = first.is_some_and(|first| first.address <= address);
        is_after && last.is_some_and(|last| address <= last.address)
    }

    pub fn jumps_from(&self, address: u64) -> &[Jump] {
        &self.jumps[from(&self.jumps, address, |jump| jump.from)]
    }

    pub fn calls_from(&self, address: u64) -> &[CallFrom] {
        &self.calls[from(&self.calls, address, |call| call.from)]
    }

    /// Its own cost: the sum over its instructions.
    pub fn own(&self) -> Cost {
        let mut own = vec![Count::UNDEFINED; self.costs.width()];
        self.costs.iter().for_each(|cost| add_cost(&mut own, cost));
        own
    }
}

/// Where those of an address are in a list that is in order of addresses.
fn from<T>(list: &[T], address: u64, address_of: impl Fn(&T) -> u64) -> Range<usize> {
    let start = list.partition_point(|one| address_of(one) < address);
    start..start + list[start..].partition_point(|one| address_of(one) == address)
}

impl FunctionCode {
    /// Adds a cost at an address that is not below those before.
    pub(super) fn add(&mut self, at: &CodePlace, cost: &[Count]) {
        if let Some(last) = self.instructions.last_mut()
            && last.address == at.address
        {
            if last.line == 0 && at.address != 0 {
                (last.file, last.line) = (at.file, at.line);
            }
            return self.costs.add(self.costs.len() - 1, cost);
        }
        self.instructions.push(Instruction {
            address: at.address,
            file: at.file,
            // What has no address may be of several lines.
            line: if at.address == 0 { 0 } else { at.line },
            fetches: None,
            executions: None,
            skipped: 0,
        });
        self.costs.push(cost);
    }

    /// Makes one jump of those between the same instructions: of a line that was compiled twice there may be two. `rep`
    /// has conditional ones and, where callgrind ends a block, others; it is conditional.
    pub(super) fn merge_jumps(&mut self) {
        self.jumps.sort_by_key(|jump| (jump.from, jump.to));
        let mut merged: Vec<Jump> = Vec::with_capacity(self.jumps.len());
        for jump in self.jumps.drain(..) {
            match merged.last_mut() {
                Some(last) if (last.from, last.to) == (jump.from, jump.to) => {
                    last.is_conditional |= jump.is_conditional;
                    last.taken += jump.taken;
                    last.executed += jump.executed;
                }
                _ => merged.push(jump),
            }
        }
        self.jumps = merged;
    }
}
