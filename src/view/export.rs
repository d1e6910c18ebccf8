//! A profile in the order in which it is written back: function by function, each with its lines and calls.

use std::borrow::Cow;
use std::cmp::Ordering;

use hashbrown::HashSet;

use crate::graph::Groups;
use crate::profile::{
    Code, CodeCall, CodeJump, CodePlace, CostTable, Count, Events, FileId, Function, FunctionId,
    Location, Place, Profile, add_cost, difference,
};
use crate::view::rows::Rows;

/// All that a profile holds, put in order.
pub struct Export<'p> {
    profile: &'p Profile,
    /// The functions that have costs or calls or are named, in the order in which they were last named: where
    /// several share a row of the report, the last one says what its object is.
    functions: Vec<FunctionId>,
    costs: Cow<'p, CostTable>,
    call_costs: Cow<'p, CostTable>,
    places: Groups,
    calls: Groups,
    /// The instructions, if the profile has any or jumps, and the fragments that are written.
    code: Option<&'p Code>,
    fragments: HashSet<(FunctionId, FileId)>,
}

/// One line of a function.
#[derive(Clone, Copy, Debug)]
pub enum ExportLine<'p> {
    /// What it spent there itself.
    SelfCost(Location, &'p [Count]),
    /// A call, how often, and its inclusive cost.
    Call(Location, FunctionId, i64, &'p [Count]),
}

impl ExportLine<'_> {
    /// The file and the line.
    pub fn location(&self) -> Location {
        match self {
            ExportLine::SelfCost(location, _) | ExportLine::Call(location, ..) => *location,
        }
    }
}

impl<'p> Export<'p> {
    /// Puts the costs and calls of `profile` in order, those whose row the filter selected.
    pub fn new(profile: &'p Profile, rows: &Rows<'p>) -> Export<'p> {
        let functions = profile.function_count();
        let selected = |place: Place| {
            let function = profile.fragment(place.fragment).function;
            rows.is_selected(rows.of_place(place))
                .then_some(function.index())
        };
        let places = profile.places().iter().map(|&place| selected(place));
        let calls = profile.calls().iter().map(|call| selected(call.site));
        let places = Groups::new(functions, places);
        let calls = Groups::new(functions, calls);
        let is_used = |function: FunctionId| {
            !places.get(function.index()).is_empty() || !calls.get(function.index()).is_empty()
        };
        let is_written = |(id, function): &(FunctionId, &Function)| {
            let is_named = function.last_named > 0 && rows.is_selected(rows.of_function(*id));
            is_named || is_used(*id)
        };
        let mut functions: Vec<_> = profile.functions().filter(is_written).collect();
        functions.sort_by_key(|(_, function)| function.last_named);
        let side = &profile.sides().new;
        let code = side.code();
        let code = code.filter(|code| code.has_addresses || !code.jumps.is_empty());
        let all = profile.fragments_with_ids().filter(|_| code.is_some());
        let selected = all.filter(|&(id, _)| rows.is_selected(rows.of_fragment(id)));
        let fragments = selected.map(|(_, fragment)| (fragment.function, fragment.file));
        let fragments = fragments.collect();
        Export {
            profile,
            functions: functions.into_iter().map(|(id, _)| id).collect(),
            costs: with_derived(side.costs(), profile.events()),
            call_costs: with_derived(side.call_costs(), profile.events()),
            places,
            calls,
            code,
            fragments,
        }
    }

    /// The instructions of the profile, if lines are written by address or with jumps.
    pub fn code(&self) -> Option<&'p Code> {
        self.code
    }

    /// The lines of a function if there is [`Export::code`].
    pub fn code_lines(&self, function: FunctionId) -> Vec<CodeLine<'p>> {
        let is_included = |file| self.fragments.contains(&(function, file));
        let lines = self.code;
        let lines = lines.map(|code| code_lines(self.profile, code, function, is_included));
        lines.unwrap_or_default()
    }

    /// The functions in order.
    pub fn functions(&self) -> &[FunctionId] {
        &self.functions
    }

    /// How many costs and calls of a function there are at most.
    pub fn line_count(&self, function: FunctionId) -> usize {
        let of = function.index();
        self.places.get(of).len() + self.calls.get(of).len()
    }

    /// The lines of a function: those of its own file first, then file by file, by name; the calls of a line behind its cost.
    pub fn lines(&self, function: FunctionId) -> Vec<ExportLine<'_>> {
        let costs = self.places.get(function.index()).iter().map(|&row| {
            let place = self.profile.places()[row as usize];
            let cost = self.costs.get(row as usize);
            ExportLine::SelfCost(self.profile.location(place), cost)
        });
        let calls = self.calls.get(function.index()).iter().map(|&row| {
            let call = self.profile.calls()[row as usize];
            let count = self.profile.sides().new.call_counts()[row as usize];
            let cost = self.call_costs.get(row as usize);
            ExportLine::Call(self.profile.location(call.site), call.callee, count, cost)
        });
        let mut lines: Vec<_> = costs.chain(calls).collect();
        let own = self.profile.function(function).file;
        lines.sort_by(|a, b| {
            let (a, b) = (a.location(), b.location());
            let file = |at: Location| (at.file != own, self.profile.file(at.file));
            let by_file = match a.file == b.file {
                true => Ordering::Equal,
                false => file(a).cmp(&file(b)),
            };
            by_file.then((a.line, a.division).cmp(&(b.line, b.division)))
        });
        lines
    }

    /// The sum of all self costs that are written.
    pub fn self_cost(&self) -> Vec<Count> {
        let mut sum = vec![Count::UNDEFINED; self.profile.events().len()];
        for &row in self.places.all() {
            add_cost(&mut sum, self.costs.get(row as usize));
        }
        self.profile.events().derive(&mut sum);
        sum
    }
}

fn with_derived<'p>(costs: &'p CostTable, events: &Events) -> Cow<'p, CostTable> {
    let mut costs = Cow::Borrowed(costs);
    if events.has_derived() {
        costs.to_mut().derive(events);
    }
    costs
}

/// A line of a function that has addresses.
pub struct CodeLine<'c> {
    /// The instruction.
    pub at: CodePlace,
    /// What is known of it.
    pub record: CodeRecord<'c>,
}

/// What is known of an instruction.
pub enum CodeRecord<'c> {
    /// What it spent itself; of skipped code a second one, behind the calls.
    Cost(Cow<'c, [Count]>),
    /// A jump: how often taken, and executed.
    Jump(CodeJump, i64, i64),
    /// Calls: how often, and their inclusive cost.
    Call(CodeCall, i64, &'c [Count]),
}

/// The lines of a function in files that `is_included` admits: those of its own file first, then file by file, by
/// address.
fn code_lines<'c>(
    profile: &Profile,
    code: &'c Code,
    function: FunctionId,
    is_included: impl Fn(FileId) -> bool,
) -> Vec<CodeLine<'c>> {
    let mut lines: Vec<CodeLine<'c>> = Vec::new();
    for (call, row) in code.calls.of(function) {
        let record = CodeRecord::Call(call, row[0].or_zero(), &row[1..]);
        lines.push(CodeLine {
            at: call.site,
            record,
        });
    }
    let has_calls = |at: CodePlace| lines.binary_search_by_key(&at, |line| line.at).is_ok();
    let mut costs: Vec<CodeLine<'c>> = Vec::new();
    let skipped = code.skipped.of(function);
    let skipped: Vec<_> = skipped.filter(|&(at, _)| has_calls(at)).collect();
    for (at, cost) in code.costs.of(function) {
        let found = skipped.binary_search_by_key(&at, |&(at, _)| at);
        let cost = match found {
            Ok(number) => Cow::Owned(difference(cost, skipped[number].1)),
            Err(_) => Cow::Borrowed(cost),
        };
        costs.push(CodeLine {
            at,
            record: CodeRecord::Cost(cost),
        });
    }
    let jumps = code.jumps.of(function).map(|(jump, counts)| CodeLine {
        at: jump.site,
        record: CodeRecord::Jump(jump, counts[0].or_zero(), counts[1].or_zero()),
    });
    // The sort is stable: of an address its cost comes first, then jumps, calls, and the cost of skipped code.
    let skipped = skipped.iter().map(|&(at, cost)| CodeLine {
        at,
        record: CodeRecord::Cost(Cow::Borrowed(cost)),
    });
    let mut all: Vec<CodeLine<'c>> = costs;
    all.extend(jumps);
    all.extend(lines);
    all.extend(skipped);
    all.retain(|line| is_included(line.at.file));
    let own = profile.function(function).file;
    all.sort_by(|a, b| {
        let key = |at: CodePlace| (at.file != own, profile.file(at.file), at.address, at.line);
        key(a.at).cmp(&key(b.at))
    });
    all
}
