//! The instructions of one function, from what the profile has by address.

use std::ops::Range;

use super::executions::{Fetched, Jump, executions};
use crate::profile::{
    Code, CodePlace, Count, FileId, FunctionId, ObjectId, Overflow, Profile, add_cost,
};

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
    costs: Vec<Count>,
    width: usize,
    /// By source, then target.
    pub jumps: Vec<Jump>,
    /// By address, then callee.
    pub calls: Vec<CallFrom>,
}

impl FunctionCode {
    /// What an instruction cost, by its number.
    pub fn cost(&self, number: usize) -> &[Count] {
        &self.costs[number * self.width..(number + 1) * self.width]
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

/// The instructions of all functions.
pub struct Instructions<'p> {
    profile: &'p Profile,
    code: &'p Code,
    /// The event whose counts are fetches.
    fetches: Option<usize>,
    /// Who executed which addresses.
    executed: Vec<(ObjectId, u64, FunctionId)>,
}

impl<'p> Instructions<'p> {
    /// Those of a profile that has them.
    pub fn new(profile: &'p Profile, code: &'p Code) -> Instructions<'p> {
        let object = |function| profile.function(function).object;
        let executed = code.costs.iter();
        let executed = executed.map(|(at, _)| (object(at.function), at.address, at.function));
        let mut executed: Vec<_> = executed.collect();
        executed.sort_unstable();
        executed.dedup();
        Instructions {
            profile,
            code,
            fetches: profile.events().find(b"Ir"),
            executed,
        }
    }

    /// The profile that they are of.
    pub fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// The costs of all instructions, function by function.
    pub(super) fn costs(&self) -> impl Iterator<Item = (CodePlace, &[Count])> {
        self.code.costs.iter()
    }

    /// The places of a function's instructions, by address.
    fn places(&self, function: FunctionId) -> impl Iterator<Item = CodePlace> {
        let all = self.code.costs.range(
            move |at| at.function < function,
            move |at| at.function == function,
        );
        all.map(|(at, _)| at)
    }

    /// The addresses that a function executed.
    pub fn addresses(&self, function: FunctionId) -> impl Iterator<Item = u64> {
        self.places(function).map(|at| at.address)
    }

    /// The source lines of a function's instructions.
    pub fn lines(&self, function: FunctionId) -> impl Iterator<Item = (FileId, u32)> {
        self.places(function).map(|at| (at.file, at.line))
    }

    /// Whether it is known how often instructions were executed.
    pub fn has_executions(&self) -> bool {
        self.fetches.is_some()
    }

    /// Whether only other functions executed an address of an object.
    pub fn is_of_other(&self, function: FunctionId, address: u64) -> bool {
        let object = self.profile.function(function).object;
        let key = (object, address);
        let start = self.executed.partition_point(|one| (one.0, one.1) < key);
        let mut at = self.executed[start..]
            .iter()
            .take_while(|one| (one.0, one.1) == key)
            .peekable();
        at.peek().is_some() && at.all(|one| one.2 != function)
    }

    /// The instructions of a function.
    ///
    /// # Errors
    /// [`Overflow`] if a sum does not fit.
    pub fn of(&self, function: FunctionId) -> Result<FunctionCode, Overflow> {
        let width = self.profile.events().len();
        let is_before = |at: &CodePlace| at.function < function;
        let is_within = |at: &CodePlace| at.function == function;
        let mut code = FunctionCode {
            function,
            instructions: Vec::new(),
            costs: Vec::new(),
            width,
            jumps: Vec::new(),
            calls: Vec::new(),
        };
        let jumps = self
            .code
            .jumps
            .range(|jump| is_before(&jump.site), |jump| is_within(&jump.site));
        let mut others: Vec<CodePlace> = Vec::new();
        for (key, counts) in jumps {
            others.push(key.site);
            code.jumps.push(Jump {
                from: key.site.address,
                to: key.target.address,
                is_conditional: key.is_conditional,
                taken: counts[0].or_zero(),
                executed: counts[1].or_zero(),
            });
        }
        let calls = self
            .code
            .calls
            .range(|call| is_before(&call.site), |call| is_within(&call.site));
        for (key, cost) in calls {
            others.push(key.site);
            code.calls.push(CallFrom {
                from: key.site.address,
                callee: key.callee,
                to: key.address,
                count: cost[0].or_zero(),
                cost: cost[1..].to_vec(),
            });
        }
        code.merge_jumps()?;
        others.sort_unstable();
        let nothing = vec![Count::UNDEFINED; width];
        let mut others = others.iter().peekable();
        for (at, cost) in self.code.costs.range(is_before, is_within) {
            while let Some(other) = others.next_if(|other| other.address < at.address) {
                code.add(other, &nothing)?;
            }
            code.add(&at, cost)?;
        }
        others.try_for_each(|other| code.add(other, &nothing))?;
        self.add_executions(&mut code)?;
        Ok(code)
    }

    fn add_executions(&self, code: &mut FunctionCode) -> Result<(), Overflow> {
        let Some(event) = self.fetches else {
            return Ok(());
        };
        let is_before = |at: &CodePlace| at.function < code.function;
        let is_within = |at: &CodePlace| at.function == code.function;
        for (at, cost) in self.code.skipped.range(is_before, is_within) {
            if let Some(number) = code.find(at.address) {
                let skipped = &mut code.instructions[number].skipped;
                *skipped = skipped.checked_add(cost[event].or_zero()).ok_or(Overflow)?;
            }
        }
        for number in 0..code.instructions.len() {
            let fetches = code.cost(number)[event].or_zero();
            let one = &mut code.instructions[number];
            one.fetches = Some(fetches.checked_sub(one.skipped).ok_or(Overflow)?);
        }
        let executions = executions(&code.fetched(), &code.jumps)?;
        for (one, executions) in code.instructions.iter_mut().zip(executions) {
            one.executions = Some(executions);
        }
        Ok(())
    }
}

impl FunctionCode {
    /// Adds a cost at an address that is not below those before.
    fn add(&mut self, at: &CodePlace, cost: &[Count]) -> Result<(), Overflow> {
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
    fn merge_jumps(&mut self) -> Result<(), Overflow> {
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

    fn fetched(&self) -> Vec<Fetched> {
        let fetched = self.instructions.iter().map(|one| Fetched {
            address: one.address,
            fetches: one.fetches.unwrap_or(0),
        });
        fetched.collect()
    }
}
