//! What is known by address: costs, calls and jumps of instructions. They are kept beside those of places, and only if
//! a report needs them: with contexts there are millions.

mod sums;

use std::hash::Hash;

use hashbrown::HashMap;

pub use crate::profile::code::sums::Sums;
use crate::profile::cost_table::CostTable;
use crate::profile::count::Count;
use crate::profile::division::{Division, FileId, FunctionId};
use crate::profile::symbols::Fragment;

/// Where an instruction is, or in terms of the profile's lists a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    pub function: FunctionId,
    /// The address, as in the headers of its object; 0 if only the line is known.
    pub address: u64,
    pub file: FileId,
    /// The source line, 0 if unknown.
    pub line: u32,
    /// The function that it was inlined from, if that is kept.
    pub division: Division,
}

impl CodePlace {
    /// A line of a fragment.
    #[inline]
    pub(super) fn of_line(fragment: Fragment, line: u32) -> CodePlace {
        CodePlace {
            function: fragment.function,
            address: 0,
            file: fragment.file,
            line,
            division: fragment.division,
        }
    }
}

/// An instruction and what it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeCall {
    pub site: CodePlace,
    pub callee: FunctionId,
    pub address: u64,
    /// The line of that address.
    pub line: u32,
}

/// An instruction and where it jumps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeJump {
    pub site: CodePlace,
    /// Where it jumps to, in which function.
    pub target: CodePlace,
    pub is_conditional: bool,
}

/// What is known by address, in the order of the functions that executed it.
pub trait InFunction {
    fn function(&self) -> FunctionId;
}

impl InFunction for CodePlace {
    fn function(&self) -> FunctionId {
        self.function
    }
}

impl InFunction for CodeCall {
    fn function(&self) -> FunctionId {
        self.site.function
    }
}

impl InFunction for CodeJump {
    fn function(&self) -> FunctionId {
        self.site.function
    }
}

/// Everything that is known by address, or of jumps.
#[derive(Debug)]
pub struct Code {
    /// The costs of instructions, in the profile's columns.
    pub costs: Sums<CodePlace>,
    /// What of these, where it was added too, was spent in skipped code: in functions that were not to be profiled, such as stubs
    /// of libraries.
    pub skipped: Sums<CodePlace>,
    /// Calls: how often, then their inclusive cost.
    pub calls: Sums<CodeCall>,
    /// Jumps: how often taken, and how often executed.
    pub jumps: Sums<CodeJump>,
    pub has_addresses: bool,
    pub has_lines: bool,
    /// Whether some parts have no addresses; their costs are not among these until they are added at address 0.
    pub lacks_addresses: bool,
}

impl Code {
    /// Nothing yet, with this number of events.
    pub fn new(events: usize) -> Code {
        Code {
            costs: Sums::new(events),
            skipped: Sums::new(events),
            calls: Sums::new(events + 1),
            jumps: Sums::new(2),
            has_addresses: false,
            has_lines: false,
            lacks_addresses: false,
        }
    }

    pub fn widen(&mut self, events: usize) {
        self.costs.widen(events);
        self.skipped.widen(events);
        self.calls.widen(events + 1);
    }

    pub fn add_call(&mut self, call: CodeCall, count: i64, cost: &[Count]) {
        let mut row = Vec::with_capacity(cost.len() + 1);
        row.push(Count::new(count));
        row.extend_from_slice(cost);
        self.calls.add(call, &row)
    }

    pub fn finish(&mut self) {
        self.costs.add_up();
        self.skipped.add_up();
        self.calls.add_up();
        self.jumps.add_up();
    }
}

/// The rows of a table by line that cost more than their instructions do, with the rest.
pub(super) fn lacking<K: Copy + Ord, L: Eq + Hash>(
    instructions: &Sums<K>,
    rows: Vec<K>,
    mut costs: CostTable,
    line_of: impl Fn(K) -> L,
) -> Vec<(K, Vec<Count>)> {
    if !instructions.is_empty() {
        let lines = rows.iter().map(|&row| line_of(row));
        let by_line: HashMap<L, usize> = lines.zip(0..).collect();
        for (at, cost) in instructions.iter() {
            if let Some(&row) = by_line.get(&line_of(at)) {
                costs.subtract(row, cost);
            }
        }
    }
    let rest = rows.into_iter().zip(costs.iter());
    let rest = rest.filter(|(_, cost)| cost.iter().any(|count| count.or_zero() != 0));
    rest.map(|(at, cost)| (at, cost.to_vec())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: u64) -> CodePlace {
        CodePlace {
            function: FunctionId(0),
            address,
            file: FileId(0),
            line: 1,
            division: Division::NONE,
        }
    }

    #[test]
    fn costs_are_added_up_by_address() {
        let mut code = Code::new(1);
        let count = |number| [Count::new(number)];
        for round in 0..3u64 {
            for address in (0..100_000).rev() {
                code.costs
                    .add(at(address), &count((address * round) as i64));
            }
        }
        code.widen(2);
        code.finish();
        assert_eq!(code.costs.iter().count(), 100_000);
        for (address, (key, cost)) in (0..).zip(code.costs.iter()) {
            assert_eq!(key, at(address));
            assert_eq!(cost, [Count::new(address as i64 * 3), Count::UNDEFINED]);
        }
        assert_eq!(code.costs.of(FunctionId(0)).count(), 100_000);
        assert_eq!(code.costs.of(FunctionId(1)).count(), 0);
    }
}
