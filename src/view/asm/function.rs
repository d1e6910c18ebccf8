//! The instructions of one function, from what the profile has by address.

use std::ops::Range;

use super::executions::{Fetched, Jump};
use super::line_flow::SourceLine;
use crate::profile::{CodePlace, Count, FileId, FunctionId, Overflow, add_cost};

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
    pub cost: Vec<Count>,
}

/// The instructions of one function.
pub struct FunctionCode {
    /// The function.
    pub function: FunctionId,
    /// All that have a cost, a jump or a call, by address.
    pub instructions: Vec<Instruction>,
    /// One cost an instruction.
    pub(super) costs: Vec<Count>,
    pub(super) width: usize,
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
            costs: Vec::new(),
            width,
            jumps: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// What an instruction cost, by its number.
    pub fn cost(&self, number: usize) -> &[Count] {
        &self.costs[number * self.width..(number + 1) * self.width]
    }

    /// How many counts a cost has.
    pub(super) fn width(&self) -> usize {
        self.width
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

    /// The jumps from an address.
    pub fn jumps_from(&self, address: u64) -> &[Jump] {
        &self.jumps[from(&self.jumps, address, |jump| jump.from)]
    }

    /// The calls from an address.
    pub fn calls_from(&self, address: u64) -> &[CallFrom] {
        &self.calls[from(&self.calls, address, |call| call.from)]
    }

    /// Its own cost: the sum over its instructions.
    ///
    /// # Errors
    /// [`Overflow`] if it does not fit.
    pub fn own(&self) -> Result<Vec<Count>, Overflow> {
        let mut own = vec![Count::UNDEFINED; self.width];
        let mut costs = self.costs.chunks_exact(self.width);
        costs.try_for_each(|cost| add_cost(&mut own, cost))?;
        Ok(own)
    }
}

/// Where those of an address are in a list that is in order of addresses.
fn from<T>(list: &[T], address: u64, address_of: impl Fn(&T) -> u64) -> Range<usize> {
    let start = list.partition_point(|one| address_of(one) < address);
    start..start + list[start..].partition_point(|one| address_of(one) == address)
}

impl FunctionCode {
    /// Adds a cost at an address that is not below those before.
    pub(super) fn add(&mut self, at: &CodePlace, cost: &[Count]) -> Result<(), Overflow> {
        if let Some(last) = self.instructions.last_mut()
            && last.address == at.address
        {
            if last.line == 0 {
                (last.file, last.line) = (at.file, at.line);
            }
            let start = self.costs.len() - self.width;
            return add_cost(&mut self.costs[start..], cost);
        }
        self.instructions.push(Instruction {
            address: at.address,
            file: at.file,
            line: at.line,
            fetches: None,
            executions: None,
            skipped: 0,
        });
        self.costs.extend_from_slice(cost);
        Ok(())
    }

    /// Makes one jump of those between the same instructions: of a line that was compiled twice there may be two.
    pub(super) fn merge_jumps(&mut self) -> Result<(), Overflow> {
        self.jumps
            .sort_by_key(|jump| (jump.from, jump.to, jump.is_conditional));
        let mut merged: Vec<Jump> = Vec::with_capacity(self.jumps.len());
        for jump in self.jumps.drain(..) {
            match merged.last_mut() {
                Some(last)
                    if (last.from, last.to, last.is_conditional)
                        == (jump.from, jump.to, jump.is_conditional) =>
                {
                    last.taken = last.taken.checked_add(jump.taken).ok_or(Overflow)?;
                    last.executed = last.executed.checked_add(jump.executed).ok_or(Overflow)?;
                }
                _ => merged.push(jump),
            }
        }
        self.jumps = merged;
        Ok(())
    }

    pub(super) fn fetched(&self) -> Vec<Fetched<SourceLine>> {
        let fetched = self.instructions.iter().map(|one| Fetched {
            address: one.address,
            line: (one.line != 0).then_some((one.file, one.line)),
            fetches: one.fetches.unwrap_or(0),
        });
        fetched.collect()
    }
}
