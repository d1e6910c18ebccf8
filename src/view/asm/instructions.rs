//! The instructions of all functions, and who executed and called which addresses.

use super::flow_graph::FlowGraph;
use super::line_flow::{LineJump, SourceLine};
use super::{CallFrom, FunctionCode, Jump};
use crate::profile::{
    Code, CodePlace, Count, FileId, FunctionId, ObjectId, Profile, without_suffixes,
};

/// The instructions of all functions.
pub struct Instructions<'p> {
    profile: &'p Profile,
    code: &'p Code,
    /// The event whose counts are fetches.
    fetches: Option<usize>,
    /// Which addresses of which functions were called, and how often, by function.
    called: Vec<(FunctionId, u64, i64)>,
    /// The rows of the costs by object and address, and thus who executed which addresses.
    by_address: Vec<u32>,
}

impl<'p> Instructions<'p> {
    /// Those of a profile that has them.
    pub fn new(profile: &'p Profile, code: &'p Code) -> Instructions<'p> {
        let calls = code.calls.iter();
        let calls = calls.map(|(call, cost)| (call.callee, call.address, cost[0].or_zero()));
        let mut called: Vec<_> = calls.collect();
        called.sort_unstable();
        let mut by_address: Vec<u32> = (0..code.costs.len() as u32).collect();
        by_address.sort_by_key(|&row| object_and_address(profile, code, row));
        Instructions {
            profile,
            code,
            fetches: profile.events().find(b"Ir"),
            called,
            by_address,
        }
    }

    pub fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// The costs of all instructions, function by function.
    pub(super) fn costs(&self) -> impl Iterator<Item = (CodePlace, &[Count])> {
        self.code.costs.iter()
    }

    /// The places of a function's instructions, by address.
    fn places(&self, function: FunctionId) -> impl Iterator<Item = CodePlace> {
        self.code.costs.of(function).map(|(at, _)| at)
    }

    /// The addresses that a function executed.
    pub fn addresses(&self, function: FunctionId) -> impl Iterator<Item = u64> {
        let addresses = self.places(function).map(|at| at.address);
        addresses.skip_while(|&address| address == 0)
    }

    /// The source lines of a function's instructions.
    pub fn lines(&self, function: FunctionId) -> impl Iterator<Item = (FileId, u32)> {
        self.places(function).map(|at| (at.file, at.line))
    }

    /// All functions that have instructions, in order.
    pub(in crate::view) fn functions(&self) -> Vec<FunctionId> {
        let of_costs = self.code.costs.iter().map(|(at, _)| at.function);
        let of_jumps = self.code.jumps.iter().map(|(jump, _)| jump.site.function);
        let of_calls = self.code.calls.iter().map(|(call, _)| call.site.function);
        let mut functions: Vec<_> = of_costs.chain(of_jumps).chain(of_calls).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// All functions that have instructions, each with its contexts and levels of recursion.
    pub(super) fn with_contexts(&self) -> Vec<Vec<FunctionId>> {
        let profile = self.profile;
        let base = |id: &FunctionId| {
            let function = profile.function(*id);
            let name = without_suffixes(profile.name(function.name));
            (function.object, function.file, name)
        };
        let mut functions = self.functions();
        functions.sort_by_cached_key(base);
        let same = functions.chunk_by(|a, b| base(a) == base(b));
        same.map(<[FunctionId]>::to_vec).collect()
    }

    /// Whether it is known how often instructions were executed.
    pub fn has_executions(&self) -> bool {
        self.fetches.is_some() && self.code.has_addresses
    }

    /// The jumps of a function from source lines, one for each instruction and source line that it jumps to. They are
    /// executed as often as their instructions are fetched, or if this is not known, as the profile says of the jump.
    pub(super) fn jumps_of(&self, code: &FunctionCode) -> Vec<(SourceLine, LineJump)> {
        let mut all: Vec<(SourceLine, LineJump)> = Vec::new();
        let mut last = None;
        for (key, counts) in self.code.jumps.of(code.function) {
            let target = (key.target.file, key.target.line);
            let (taken, mut executed) = (counts[0].or_zero(), counts[1].or_zero());
            // Of an instruction that goes to several addresses of a line the executions count once.
            let is_again = last == Some((key.site, target, key.is_conditional));
            last = Some((key.site, target, key.is_conditional));
            if self.has_executions() && key.site.address != 0 {
                let number = code.find(key.site.address).filter(|_| !is_again);
                executed = number
                    .and_then(|number| code.instructions[number].fetches)
                    .unwrap_or(0);
            }
            let jump = LineJump {
                target,
                is_conditional: key.is_conditional,
                taken,
                executed: if key.is_conditional { executed } else { taken },
            };
            all.push(((key.site.file, key.site.line), jump));
        }
        all
    }

    /// Whether only other functions executed an address of an object.
    pub fn is_of_other(&self, function: FunctionId, address: u64) -> bool {
        let object = self.profile.function(function).object;
        let key = |row: &u32| object_and_address(self.profile, self.code, *row);
        let start = self
            .by_address
            .partition_point(|row| key(row) < (object, address));
        let rows = self.by_address[start..].iter();
        let mut rows = rows
            .take_while(|row| key(row) == (object, address))
            .peekable();
        let is_of = |row: &u32| self.code.costs.key(*row as usize).function;
        rows.peek().is_some() && rows.all(|row| is_of(row) != function)
    }

    /// The instructions of a function.
    pub fn of(&self, function: FunctionId) -> FunctionCode {
        let events = self.profile.events();
        let mut code = FunctionCode::new(function, events.len());
        let mut others = self.add_jumps(&mut code);
        others.extend(self.add_calls(&mut code));
        code.merge_jumps();
        others.sort_unstable();
        let nothing = vec![Count::UNDEFINED; events.len()];
        let mut others = others.iter().peekable();
        for (at, cost) in self.code.costs.of(function) {
            while let Some(other) = others.next_if(|other| other.address < at.address) {
                code.add(other, &nothing);
            }
            code.add(&at, cost);
        }
        others.for_each(|other| code.add(other, &nothing));
        code.derive(events);
        self.add_executions(&mut code);
        code
    }

    /// Adds the jumps of a function, and returns where they are made.
    fn add_jumps(&self, code: &mut FunctionCode) -> Vec<CodePlace> {
        let jumps = self.code.jumps.of(code.function);
        let mut sites = Vec::new();
        // Without an address it is only known from which line a jump goes.
        for (key, counts) in jumps.filter(|(key, _)| key.site.address != 0) {
            sites.push(key.site);
            code.jumps.push(Jump {
                from: key.site.address,
                to: key.target.address,
                is_conditional: key.is_conditional,
                taken: counts[0].or_zero(),
                executed: counts[1].or_zero(),
            });
        }
        sites
    }

    /// Adds the calls of a function, and returns where they are made.
    fn add_calls(&self, code: &mut FunctionCode) -> Vec<CodePlace> {
        let mut sites = Vec::new();
        for (key, cost) in self.code.calls.of(code.function) {
            sites.push(key.site);
            code.calls.push(CallFrom {
                from: key.site.address,
                callee: key.callee,
                to: key.address,
                count: cost[0].or_zero(),
                cost: cost[1..].to_vec(),
            });
        }
        sites
    }

    /// The control flow of a function.
    pub fn flow_of(&self, code: &FunctionCode) -> FlowGraph {
        let function = code.function;
        let start = self.called.partition_point(|one| one.0 < function);
        let called = self.called[start..].iter();
        let called = called.take_while(|one| one.0 == function);
        FlowGraph::new(code, called.map(|&(_, address, count)| (address, count)))
    }

    fn add_executions(&self, code: &mut FunctionCode) {
        let Some(event) = self.fetches else {
            return;
        };
        for (at, cost) in self.code.skipped.of(code.function) {
            if let Some(number) = code.find(at.address) {
                let skipped = &mut code.instructions[number].skipped;
                *skipped += cost[event].or_zero();
            }
        }
        // Without an address nothing is known of instructions.
        let known = code.instructions.partition_point(|one| one.address == 0);
        for number in known..code.instructions.len() {
            let fetches = code.cost(number)[event].or_zero();
            let one = &mut code.instructions[number];
            one.fetches = Some(fetches - one.skipped);
            one.executions = one.fetches;
        }
        // Jumps to itself are no executions, but rounds of a repeated instruction.
        for jump in code.jumps.iter().filter(|jump| jump.from == jump.to) {
            let number = code.find(jump.from);
            let executions =
                number.and_then(|number| code.instructions[number].executions.as_mut());
            if let Some(executions) = executions {
                *executions -= jump.taken;
            }
        }
    }
}

/// The object and address of a row of the costs.
fn object_and_address(profile: &Profile, code: &Code, row: u32) -> (ObjectId, u64) {
    let at = code.costs.key(row as usize);
    (profile.function(at.function).object, at.address)
}
