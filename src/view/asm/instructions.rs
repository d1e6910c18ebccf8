//! The instructions of each function, their executions, jumps and calls.

use std::cmp::Reverse;
use std::sync::OnceLock;

use hashbrown::{HashMap, HashSet};

use crate::graph::Groups;
use crate::profile::{
    Call, CodePlace, CostTable, Count, FileId, Fragment, FunctionId, NameId, ObjectId, Place,
    Profile, add_cost,
};
use crate::transform::{CodeIn, CopiesAt, InlinedObjects};
use crate::view::asm::Executed;
use crate::view::asm::line_executions::CodeKind;
use crate::view::figure::Cost;
use crate::view::sums::{add_up_equal, part_of};

pub type SourceLine = (FileId, u32);

/// All jumps from a line to another, or to itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineJump {
    pub target: SourceLine,
    pub is_conditional: bool,
    pub taken: i64,
    /// The executions of their instructions; an upper bound if instructions are unknown.
    pub executed: i64,
}

/// An instruction with a cost, a jump or a call.
pub struct Instruction {
    pub address: u64,
    /// The function that it was inlined from, or the function itself.
    pub owner: FunctionId,
    pub file: FileId,
    /// Its source line, 0 if unknown.
    pub line: u32,
    /// The number of fetches; none if its Ir is unknown.
    pub fetches: Option<i64>,
    /// The number of executions; none if its Ir is unknown.
    pub executions: Option<i64>,
    /// The Ir of the skipped code that it called.
    pub skipped: i64,
}

impl Instruction {
    /// How often it was executed, if that is known.
    pub fn executed(&self) -> Option<Executed> {
        self.executions.map(|count| Executed { count, is_estimated: false })
    }
}

/// A jump between two addresses, and how often it was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AsmJump {
    pub from: u64,
    pub to: u64,
    pub is_conditional: bool,
    pub taken: i64,
    /// The executions that the profile states: too low if the jump was not taken in a whole block.
    pub executed: i64,
}

/// The calls of a function from an address.
pub struct CallFrom {
    pub from: u64,
    pub callee: FunctionId,
    pub to: u64,
    /// None if it is not known.
    pub count: Option<i64>,
    pub cost: Cost,
}

/// The recorded instructions of a function.
pub struct FunctionCode {
    pub function: FunctionId,
    /// All instructions with a cost, a jump or a call, by address.
    pub instructions: Vec<Instruction>,
    /// One cost per instruction.
    costs: CostTable,
    /// By source, then target.
    pub jumps: Vec<AsmJump>,
    /// By address, then callee.
    pub calls: Vec<CallFrom>,
}

/// An address of an object.
type ObjectAddress = (ObjectId, u64);

/// The recorded instructions of all functions.
pub struct Instructions<'p> {
    pub profile: &'p Profile,
    /// The inlined copies, if they are functions of the profile.
    copies: Option<&'p CopiesAt>,
    /// The objects with such copies, whose code is optimized.
    with_copies: HashSet<ObjectId>,
    /// The event whose counts are fetches.
    fetches: Option<usize>,
    /// The numbers of places, calls and jumps by the function whose code they are in.
    places: Groups,
    calls: Groups,
    jumps: Groups,
    /// The addresses that called skipped code, with their functions and the Ir of that code, sorted
    /// by function.
    skipped: Vec<(FunctionId, u64, i64)>,
    /// All addresses that were executed.
    executed: OnceLock<HashSet<ObjectAddress>>,
}

impl<'p> Instructions<'p> {
    pub fn new(profile: &'p Profile, copies: Option<&'p CopiesAt>) -> Instructions<'p> {
        let side = &profile.sides().new;
        let group = |place: Place| {
            let function = profile.fragment(place.fragment).function;
            Some(profile.host(function).index())
        };
        let functions = profile.function_count();
        // Calls of inlined copies are not counted.
        let calls = profile.calls.iter();
        let sites = calls.map(|call| group(call.site).filter(|_| !profile.is_inlined(call.callee)));
        let fetches = profile.events().find(b"Ir");
        let mut skipped: Vec<_> = side
            .skipped()
            .filter_map(|(place, cost)| {
                let at = profile.code_place(place);
                Some((profile.host(at.function), at.address, cost[fetches?].or_zero()))
            })
            .collect();
        skipped.sort_unstable();
        let hosts = copies.into_iter().flat_map(CopiesAt::hosts);
        Instructions {
            profile,
            copies,
            with_copies: hosts.map(|host| profile.function(host).object).collect(),
            fetches,
            places: Groups::new(functions, profile.places.iter().map(|&place| group(place))),
            calls: Groups::new(functions, sites),
            jumps: Groups::new(functions, profile.jumps.iter().map(|jump| group(jump.site))),
            skipped,
            executed: OnceLock::new(),
        }
    }

    fn executed(&self) -> &HashSet<ObjectAddress> {
        self.executed.get_or_init(|| {
            let profile = self.profile;
            let places = profile.places.iter();
            let by_object = places.map(|&place| {
                let function = profile.fragment(place.fragment).function;
                (profile.function(function).object, place.position)
            });
            profile.addresses_by(by_object).collect()
        })
    }

    /// The costs of a function's instructions, including inlined copies, sorted by address.
    pub(super) fn costs_of(&self, function: FunctionId) -> Vec<(CodePlace, &'p [Count])> {
        let (profile, costs) = (self.profile, &self.profile.sides().new.costs.table);
        let places = self.places.get(function.index()).iter();
        let mut costs: Vec<_> = places
            .map(|&number| {
                let place = profile.places[number as usize];
                (profile.code_place(place), costs.get(number as usize))
            })
            .collect();
        costs.sort_by_key(|&(at, _)| (at.address, at.file, at.line, at.division));
        costs
    }

    pub fn addresses(&self, function: FunctionId) -> impl Iterator<Item = u64> {
        let addresses = self.costs_of(function).into_iter().map(|(at, _)| at.address);
        addresses.skip_while(|&address| address == 0)
    }

    pub fn lines(&self, function: FunctionId) -> impl Iterator<Item = (FileId, u32)> {
        let lines = self.costs_of(function).into_iter();
        lines.map(|(at, _)| (at.file, at.line))
    }

    /// All functions with costs, calls or jumps, in order.
    pub(in crate::view) fn functions(&self) -> Vec<FunctionId> {
        let all = [&self.places, &self.calls, &self.jumps];
        let has_any = |id: &FunctionId| all.iter().any(|of| !of.get(id.index()).is_empty());
        let functions = self.profile.functions().map(|(id, _)| id);
        functions.filter(has_any).collect()
    }

    /// The fragments with a function's costs, calls and jumps, including those of inlined copies.
    pub(super) fn code_of(&self, function: FunctionId) -> impl Iterator<Item = Fragment> {
        let (profile, function) = (self.profile, function.index());
        let places =
            self.places.get(function).iter().map(|&number| profile.places[number as usize]);
        let calls =
            self.calls.get(function).iter().map(|&number| profile.calls[number as usize].site);
        let jumps =
            self.jumps.get(function).iter().map(|&number| profile.jumps[number as usize].site);
        places.chain(calls).chain(jumps).map(|place| profile.fragment(place.fragment))
    }

    /// All functions with costs, calls or jumps, each grouped with its contexts and recursion
    /// levels.
    pub(super) fn with_contexts(&self) -> Vec<Vec<FunctionId>> {
        let profile = self.profile;
        let base = |id: &FunctionId| profile.without_context(*id);
        let mut functions = self.functions();
        functions.sort_by_cached_key(base);
        let same = functions.chunk_by(|a, b| base(a) == base(b));
        same.map(<[FunctionId]>::to_vec).collect()
    }

    /// The copy that the code at an address of a function is in: by the functions of the profile,
    /// of which `owner` has the instruction, or else by debug information.
    pub(super) fn code_at(
        &self,
        (function, owner): (FunctionId, FunctionId),
        address: u64,
        inlined: &InlinedObjects,
    ) -> CodeIn {
        let object = self.profile.function(function).object;
        let by_information = || inlined.get(object)?.code_at(address);
        match self.copies.and_then(|copies| copies.numbers.get(&(function, address))) {
            Some(&number) => {
                let NameId(name) = self.profile.function(owner).name;
                CodeIn { host: None, copy: Some((name, number)) }
            }
            None => by_information().unwrap_or_default(),
        }
    }

    /// What the code of an object says of its statements, if copies are functions of the profile:
    /// then they are not read.
    pub(super) fn kind_with_copies(&self, object: ObjectId) -> CodeKind {
        if self.with_copies.contains(&object) { CodeKind::Unmarked } else { CodeKind::Plain }
    }

    pub fn has_executions(&self) -> bool {
        Instructions::have_executions(self.profile)
    }

    /// Whether a profile has the executions of its instructions.
    pub fn have_executions(profile: &Profile) -> bool {
        profile.events().find(b"Ir").is_some() && profile.sides().new.has_addresses
    }

    /// The jumps of a function from source lines, one per instruction and target line. A jump's
    /// executions are the fetches of its instruction or, if these are unknown, what the profile
    /// states.
    pub(super) fn jumps_of(&self, code: &FunctionCode) -> Vec<(CodePlace, LineJump)> {
        let mut all: Vec<(CodePlace, LineJump)> = Vec::new();
        let mut last = None;
        let jumps = self.jumps.get(code.function.index());
        for (key, taken, mut executed) in self.profile.jumps_in_order(jumps) {
            let target = (key.target.file, key.target.line);
            // If an instruction jumps to several addresses of a line, its executions count once.
            let is_again = last == Some((key.site, target, key.is_conditional));
            last = Some((key.site, target, key.is_conditional));
            if self.has_executions() && key.site.address != 0 {
                let number = code.find(key.site.address).filter(|_| !is_again);
                let fetches = number.and_then(|number| code.instructions[number].fetches);
                executed = fetches.unwrap_or(0);
            }
            let jump = LineJump {
                target,
                is_conditional: key.is_conditional,
                taken,
                executed: if key.is_conditional { executed } else { taken },
            };
            all.push((key.site, jump));
        }
        all
    }

    /// Recognises the addresses of a function's object that only other functions executed.
    pub fn of_others(&self, function: FunctionId) -> impl Fn(u64) -> bool {
        let own: Vec<u64> = self.costs_of(function).into_iter().map(|(at, _)| at.address).collect();
        let object = self.profile.function(function).object;
        move |address| {
            own.binary_search(&address).is_err() && self.executed().contains(&(object, address))
        }
    }

    /// The numbers of the calls from a function's instructions, in order of their sites.
    fn calls_of(&self, function: FunctionId) -> Vec<usize> {
        let mut calls: Vec<usize> =
            self.calls.get(function.index()).iter().map(|&number| number as usize).collect();
        calls.sort_by_key(|&number| {
            let call = self.profile.calls[number];
            let at = self.profile.code_place(call.site);
            let site = (at.address, at.file, at.line, at.division);
            (site, call.callee, self.profile.target(call))
        });
        calls
    }

    /// The instructions of a function and of the inlined copies in it, if `is_shown` accepts their
    /// function. Calls whose cost is part of that of another call, by `is_recursive`, have no cost.
    pub fn of(
        &self,
        function: FunctionId,
        is_shown: impl Fn(FunctionId) -> bool,
        is_recursive: impl Fn(Call) -> bool,
    ) -> FunctionCode {
        let events = self.profile.events();
        let mut code = FunctionCode {
            function,
            instructions: Vec::new(),
            costs: CostTable::new(events.len(), 0),
            jumps: Vec::new(),
            calls: Vec::new(),
        };
        let mut sites = Vec::new();
        // Without an address, only the line of a jump is known.
        let jumps = self.profile.jumps_in_order(self.jumps.get(function.index()));
        let is_kept = |at: CodePlace| at.address != 0 && is_shown(at.function);
        for (key, taken, executed) in jumps.into_iter().filter(|jump| is_kept(jump.0.site)) {
            sites.push(key.site);
            code.jumps.push(AsmJump {
                from: key.site.address,
                to: key.target.address,
                is_conditional: key.is_conditional,
                taken,
                executed,
            });
        }
        self.add_calls(&mut code, &mut sites, &is_shown, is_recursive);
        code.merge_jumps();
        sites.sort_unstable();
        let mut all = self.costs_of(function);
        all.retain(|(at, _)| is_shown(at.function));
        all.extend(sites.into_iter().map(|site| (site, &[][..])));
        all.sort_by_key(|(at, _)| at.address);
        all.iter().for_each(|(at, cost)| code.add(at, cost));
        code.costs.derive(events);
        self.add_executions(&mut code);
        code
    }

    /// Adds the calls that a function and the shown copies in it make, and their sites.
    fn add_calls(
        &self,
        code: &mut FunctionCode,
        sites: &mut Vec<CodePlace>,
        is_shown: impl Fn(FunctionId) -> bool,
        is_recursive: impl Fn(Call) -> bool,
    ) {
        let (profile, side) = (self.profile, &self.profile.sides().new);
        let events = profile.events();
        for number in self.calls_of(code.function) {
            let call = profile.calls[number];
            let site = profile.code_place(call.site);
            if !is_shown(site.function) {
                continue;
            }
            sites.push(site);
            let (from, to) = (site.address, profile.target(call).0);
            let callee = call.callee;
            let count = profile.is_counted(call).then(|| side.call_counts[number]);
            let mut cost = vec![Count::UNDEFINED; events.len()];
            if !is_recursive(call) {
                add_cost(&mut cost, side.calls.table.get(number));
            }
            match code.calls.last_mut() {
                Some(last) if (last.from, last.callee, last.to) == (from, callee, to) => {
                    last.count = last.count.zip(count).map(|(last, count)| last + count);
                    add_cost(&mut last.cost, &cost);
                }
                _ => code.calls.push(CallFrom { from, callee, to, count, cost }),
            }
        }
        code.calls.iter_mut().for_each(|call| events.derive(&mut call.cost));
    }

    fn add_executions(&self, code: &mut FunctionCode) {
        let Some(event) = self.fetches else {
            return;
        };
        for &(_, address, skipped) in part_of(&self.skipped, code.function, |one| one.0) {
            if let Some(number) = code.find(address) {
                code.instructions[number].skipped += skipped;
            }
        }
        // Records without an address are not instructions.
        let known = code.instructions.partition_point(|one| one.address == 0);
        for number in known..code.instructions.len() {
            let fetches = code.cost(number)[event].or_zero();
            let one = &mut code.instructions[number];
            one.fetches = Some(fetches - one.skipped);
            one.executions = one.fetches;
        }
        // Jumps of an instruction to itself are iterations of a repeated instruction, not
        // executions.
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

impl FunctionCode {
    pub fn cost(&self, number: usize) -> &[Count] {
        self.costs.get(number)
    }

    pub fn find(&self, address: u64) -> Option<usize> {
        let all = &self.instructions;
        all.binary_search_by_key(&address, |one| one.address).ok()
    }

    /// Whether an address is in the executed range of the function.
    pub fn has_address(&self, address: u64) -> bool {
        let (first, last) = (self.instructions.first(), self.instructions.last());
        let is_after = first.is_some_and(|first| first.address <= address);
        is_after && last.is_some_and(|last| address <= last.address)
    }

    pub fn jumps_from(&self, address: u64) -> &[AsmJump] {
        part_of(&self.jumps, address, |jump| jump.from)
    }

    /// The addresses of conditional jumps to code of the function before them, with which loops
    /// end, and how often they were taken.
    pub(in crate::view) fn turns(&self) -> HashMap<u64, i64> {
        let is_turn = |jump: &&AsmJump| jump.to < jump.from && self.has_address(jump.to);
        let turns = self.jumps.iter().filter(|jump| jump.is_conditional).filter(is_turn);
        turns.map(|jump| (jump.from, jump.taken)).collect()
    }

    /// The jumps from an instruction, the most taken first.
    pub fn most_taken(&self, address: u64) -> Vec<&AsmJump> {
        let mut jumps: Vec<_> = self.jumps_from(address).iter().collect();
        jumps.sort_by_key(|jump| (Reverse(jump.taken), jump.to));
        jumps
    }

    pub fn calls_from(&self, address: u64) -> &[CallFrom] {
        part_of(&self.calls, address, |call| call.from)
    }

    /// The self cost: the sum over all instructions.
    pub fn own(&self) -> Cost {
        self.costs.sum()
    }

    /// Adds a cost; addresses must be added in ascending order.
    fn add(&mut self, at: &CodePlace, cost: &[Count]) {
        if let Some(last) = self.instructions.last_mut()
            && last.address == at.address
        {
            if last.line == 0 && at.address != 0 {
                (last.owner, last.file, last.line) = (at.function, at.file, at.line);
            }
            return self.costs.add(self.costs.len() - 1, cost);
        }
        self.instructions.push(Instruction {
            address: at.address,
            owner: at.function,
            file: at.file,
            // Costs without an address may be of several lines.
            line: if at.address == 0 { 0 } else { at.line },
            fetches: None,
            executions: None,
            skipped: 0,
        });
        self.costs.push(cost);
    }

    /// Merges jumps between the same instructions: a line that was compiled twice may have two.
    /// `rep` has conditional jumps and, where callgrind ends a block, unconditional ones; the
    /// merged jump is conditional.
    fn merge_jumps(&mut self) {
        self.jumps.sort_by_key(|jump| (jump.from, jump.to));
        let ends = |jump: &AsmJump| (jump.from, jump.to);
        add_up_equal(&mut self.jumps, ends, |jump, more| {
            jump.is_conditional |= more.is_conditional;
            jump.taken += more.taken;
            jump.executed += more.executed;
        });
    }
}
