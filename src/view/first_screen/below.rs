//! What a line's cost is: how often it was executed, the function that it calls most often, and the
//! one that most of its cost is in.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hashbrown::{HashMap, HashSet};

use super::code::{Code, CodeOf, Frame, StatementOf};
use super::items::{Item, Items};
use super::lines::{At, OwnLine};
use crate::demangle::displayed;
use crate::profile::{FunctionId, Profile};
use crate::view::asm::line_executions::{
    CodeExecutions, CodeKind, LineCount, StatementExecutions, Turns, by_instructions, by_statements,
};
use crate::view::asm::{Executed, Instructions};
use crate::view::short_name::short_function;

/// A called function is named from this part of the line's cost on: a twentieth.
const NAMED_PARTS: i128 = 20;

/// How often a line was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    /// The executions of its most executed statement or instruction.
    Executed(Executed),
    /// The calls of the functions that it is in, and how many of these are made by the functions
    /// themselves.
    Calls { count: i64, by_itself: i64 },
}

impl Times {
    pub fn count(self) -> i64 {
        match self {
            Times::Executed(Executed { count, .. }) | Times::Calls { count, .. } => count,
        }
    }

    pub fn is_estimated(self) -> bool {
        matches!(self, Times::Executed(Executed { is_estimated: true, .. }))
    }
}

/// A function that is called or was inlined at a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum LineCallee {
    Called(FunctionId),
    Inlined(u32),
}

/// The function that is called most often at a line.
pub(super) struct MostCalled {
    pub(super) callee: FunctionId,
    pub(super) count: i64,
    /// None if it is called recursively.
    pub(super) cost: Option<i64>,
}

/// The function that has more than half of a line's cost.
pub(super) struct MostCost {
    pub(super) callee: LineCallee,
    pub(super) cost: i64,
}

/// The executions of instructions by line.
pub(super) struct Executions<'p> {
    profile: &'p Profile,
    are_recorded: bool,
    /// Found when a line is asked for.
    instructions: OnceCell<Instructions<'p>>,
    of_functions: HashMap<FunctionId, FunctionExecutions>,
}

/// The executions of a function's instructions.
struct FunctionExecutions {
    by_address: BTreeMap<u64, i64>,
    /// How often the jumps that loops end with were taken, by address.
    turns: HashMap<u64, i64>,
    /// From the first to the last address.
    addresses: RangeInclusive<u64>,
    kind: CodeKind,
}

impl<'p> Executions<'p> {
    pub(super) fn new(items: &Items<'p>) -> Executions<'p> {
        Executions {
            profile: items.profile,
            are_recorded: Instructions::have_executions(items.profile),
            instructions: OnceCell::new(),
            of_functions: HashMap::new(),
        }
    }

    fn of(&mut self, function: FunctionId, code: &Code<'_>) -> Option<&FunctionExecutions> {
        if !self.are_recorded {
            return None;
        }
        let instructions = self.instructions.get_or_init(|| Instructions::new(self.profile, None));
        Some(self.of_functions.entry(function).or_insert_with(|| {
            let of = instructions.of(function, |_| true, |_| false);
            let known = of.instructions.iter();
            let by_address: BTreeMap<u64, i64> =
                known.filter_map(|one| Some((one.address, one.executions?))).collect();
            let kinds = by_address.keys().map(|&address| code.kind_at(function, address));
            let kind = kinds.max().unwrap_or(CodeKind::Plain);
            let first = by_address.keys().next().copied().unwrap_or(1);
            let last = by_address.keys().next_back().copied().unwrap_or(0);
            FunctionExecutions { by_address, turns: of.turns(), addresses: first..=last, kind }
        }))
    }

    /// How often a line was executed: by its own instructions, as `--counts` has it, or else as its
    /// functions were called.
    pub(super) fn times(
        &mut self,
        line: &OwnLine,
        code: &Code<'_>,
        items: &Items<'_>,
    ) -> Option<Times> {
        self.executed(line, code, items).map(Times::Executed).or_else(|| {
            // How often an inlined function was called is unknown.
            let mut frames = Vec::new();
            let is_own = |at: &At| {
                code.frames(items.place(at.item), &mut frames);
                let function = items.profile.function(items.function(at.item));
                at.position == 0 && frames[0].line.0 == function.file.0
            };
            if !line.at.iter().all(is_own) {
                return None;
            }
            let functions: HashSet<FunctionId> =
                line.at.iter().map(|at| items.function(at.item)).collect();
            // A line of several functions was inlined, unless they are instances of one template.
            let names: HashSet<Vec<u8>> = functions
                .iter()
                .map(|&function| {
                    let name = items.profile.function(function).name;
                    let name = displayed(items.profile.name(name), true);
                    short_function(&name, items.profile.name_kind()).into_owned()
                })
                .collect();
            if names.len() > 1 {
                return None;
            }
            let calls: Vec<(i64, i64)> = functions
                .into_iter()
                .map(|function| items.times_called(function))
                .collect::<Option<_>>()?;
            let are_all_called = calls.iter().all(|&(by_others, _)| by_others > 0);
            are_all_called.then(|| {
                let by_itself = calls.iter().map(|(_, by_itself)| by_itself).sum();
                let by_others: i64 = calls.iter().map(|(by_others, _)| by_others).sum();
                Times::Calls { count: by_others + by_itself, by_itself }
            })
        })
    }

    /// How often a line was executed, as far as that is known: by its instructions, or else at
    /// least by the calls that it makes and those of its functions.
    pub(super) fn at_least(
        &mut self,
        line: &OwnLine,
        code: &Code<'_>,
        items: &Items<'_>,
        event: usize,
    ) -> i64 {
        match self.times(line, code, items) {
            Some(Times::Executed(of)) => of.count,
            of_functions => {
                let calls = most_called(line, items, event).map_or(0, |called| called.count);
                of_functions.map_or(0, Times::count).max(calls)
            }
        }
    }

    fn executed(&mut self, line: &OwnLine, code: &Code<'_>, items: &Items<'_>) -> Option<Executed> {
        if !self.are_recorded {
            return None;
        }
        let mut frames = Vec::new();
        let mut instructions: Vec<CodeExecutions<(CodeKind, CodeOf)>> = Vec::new();
        let mut known = HashSet::new();
        let mut most_inlined = 0;
        let mut count = LineCount::default();
        for at in &line.at {
            let place = items.place(at.item);
            code.frames(place, &mut frames);
            let is_innermost = frames.last().is_some_and(|frame| frame.line == line.line);
            let location = items.profile.code_place(place);
            if location.address != 0 && known.insert((location.function, location.address)) {
                let function = self.of(location.function, code)?;
                let executions = function.by_address.get(&location.address).copied().unwrap_or(0);
                if is_innermost {
                    if let Some(&taken) = function.turns.get(&location.address) {
                        count += LineCount::of_turns(Turns { executed: executions, taken });
                    }
                    let of = code.code_at(&location);
                    instructions.push(CodeExecutions {
                        place: (function.kind, of.host()),
                        copy: of.copy(),
                        address: location.address,
                        executions,
                    });
                } else {
                    most_inlined = executions.max(most_inlined);
                }
            }
        }
        by_instructions(&mut instructions);
        for CodeExecutions { place: (kind, _), executions, .. } in instructions {
            count += LineCount::of(kind, executions);
        }
        let hosts: HashSet<FunctionId> = known.into_iter().map(|(function, _)| function).collect();
        let mut statements = Vec::new();
        for function in hosts {
            let of = self.of(function, code)?;
            let of_line = code.statements_of(function, line.line, &of.addresses);
            statements.extend(of_line.iter().filter_map(|of_line| {
                let StatementOf { line, address, column, has_code } = *of_line;
                let executions = *of.by_address.get(&address)?;
                let last = of.by_address.range(..address).next_back();
                let before = last.map(|(&address, &executions)| (address, executions));
                let at = (address, executions);
                Some(StatementExecutions::new(line, (column, has_code), at, before))
            }));
        }
        by_statements(&mut statements);
        if let Some(most) = statements.first() {
            count += LineCount::of_statement(most);
        }
        let executed = count.executed();
        // If code that was inlined at the line ran in each call of the function, but its own
        // instructions did not, these may be of a case that is rare.
        let functions: HashSet<FunctionId> =
            line.at.iter().map(|at| items.function(at.item)).collect();
        let calls: i64 = functions
            .into_iter()
            .filter_map(|function| items.times_called(function))
            .map(|(by_others, by_itself)| by_others + by_itself)
            .sum();
        let is_rare = executed.count < calls && calls <= most_inlined;
        Some(executed).filter(|executed| executed.count > 0 && !is_rare)
    }
}

/// The function that is called most often, of those with a part of the line's cost.
pub(super) fn most_called(line: &OwnLine, items: &Items<'_>, event: usize) -> Option<MostCalled> {
    let mut all: BTreeMap<FunctionId, (i64, i64, bool)> = BTreeMap::new();
    let mut uncounted = HashSet::new();
    for at in &line.at {
        if let Some(callee) = items.callee(at.item) {
            let first = items.first_context(callee);
            let (count, cost, is_recursive) = all.entry(first).or_default();
            match items.counted(at.item) {
                Some(counted) => *count += counted,
                None => {
                    uncounted.insert(first);
                }
            }
            *cost += if at.is_counted { items.cost(at.item, event) } else { 0 };
            *is_recursive |= !at.is_counted || items.is_inner(at.item);
        }
    }
    let is_named = |cost: i64| cost > 0 && i128::from(cost) * NAMED_PARTS >= i128::from(line.cost);
    let named = all.into_iter().filter(|&(callee, (count, cost, _))| {
        count > 0 && is_named(cost) && !uncounted.contains(&callee)
    });
    let most =
        named.max_by_key(|&(callee, (count, cost, _))| (count, cost, std::cmp::Reverse(callee)));
    most.map(|(callee, (count, cost, is_recursive))| MostCalled {
        callee,
        count,
        cost: Some(cost).filter(|_| !is_recursive),
    })
}

/// The innermost function that has more than half of the line's cost, followed through code and
/// calls that are of this line alone.
pub(super) fn most_cost(
    line: &OwnLine,
    code: &Code<'_>,
    items: &Items<'_>,
    event: usize,
) -> Option<MostCost> {
    let counted = line.at.iter().filter(|at| at.is_counted);
    let mut within: Vec<(Item, usize)> =
        counted.map(|at: &At| (at.item, at.position + 1)).collect();
    let mut frames: Vec<Frame> = Vec::new();
    let (mut best, mut visited) = (None, HashSet::new());
    loop {
        let mut costs: BTreeMap<LineCallee, i64> = BTreeMap::new();
        let mut of_items = Vec::with_capacity(within.len());
        for &(item, position) in &within {
            code.frames(items.place(item), &mut frames);
            let inlined = frames
                .get(position)
                .filter(|frame| frame.is_known)
                .and_then(|frame| frame.inlined)
                .map(LineCallee::Inlined);
            let is_at_end = position >= frames.len();
            let called = items
                .callee(item)
                .filter(|_| is_at_end || inlined.is_none())
                .map(|callee| LineCallee::Called(items.first_context(callee)));
            let callee = inlined.or(called);
            of_items.push(callee);
            if let Some(callee) = callee {
                *costs.entry(callee).or_default() += items.cost(item, event);
            }
        }
        let most =
            costs.into_iter().max_by_key(|&(callee, cost)| (cost, std::cmp::Reverse(callee)));
        let Some((callee, cost)) = most else {
            break;
        };
        if i128::from(cost) * 2 <= i128::from(line.cost) || !visited.insert(callee) {
            break;
        }
        best = Some(MostCost { callee, cost });
        within = match callee {
            LineCallee::Inlined(_) => {
                let of = within.iter().zip(of_items);
                let of = of.filter(|(_, of)| *of == Some(callee));
                of.map(|(&(item, position), _)| (item, position + 1)).collect()
            }
            LineCallee::Called(function) => {
                // Other lines may call it, too.
                let paid = items.contexts(function).map(|of| items.paid(of, event));
                if line.is_nested || cost < paid.fold(0, i64::saturating_add) {
                    break;
                }
                let of = items.contexts(function).flat_map(|of| items.of(of));
                of.filter(|&item| !items.is_inner(item)).map(|item| (item, 1)).collect()
            }
        };
    }
    best
}
