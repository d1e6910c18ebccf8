//! Functions of callgrind's files whose calls cost what their code did not: some lines are lost, or
//! belong to other functions.

use std::collections::HashSet;

use super::message::display_name;
use crate::options::Options;
use crate::profile::{CostTable, FunctionId, Measured, Part, Place, Profile};

/// A function of a side, and how its costs contradict each other.
pub(crate) struct LostCode {
    pub(super) side: usize,
    pub(super) text: String,
}

/// The last instructions before a system call that does not return, as that at the end of a signal
/// handler, have no self cost if caches or branches are simulated. These are one block of
/// Valgrind's, which has at most 60.
const MAX_BLOCK: i64 = 60;

/// The first version after 3 whose costs are known to be balanced; those of 3.3 are not.
const FIRST_BALANCED: u32 = 7;

/// The first such function of each side that callgrind wrote.
pub(super) fn lost_code(options: &Options, profile: &Profile) -> Vec<LostCode> {
    if options.limits.is_empty() {
        return Vec::new();
    }
    let of_side = |(side, measured): (usize, &Measured)| {
        if !measured.parts.iter().all(Part::is_from_callgrind) {
            return None;
        }
        let costs = FunctionCosts::new(profile, measured);
        let are_balanced = measured.parts.iter().all(is_balanced);
        let found = costs.without_code();
        let found = found.or_else(|| are_balanced.then(|| costs.unbalanced()).flatten());
        found.map(|text| LostCode { side, text })
    };
    profile.sides().iter().enumerate().filter_map(of_side).collect()
}

fn is_balanced(part: &Part) -> bool {
    let creator = part.creator.as_deref().map(<[u8]>::trim_ascii).unwrap_or_default();
    let version = creator.strip_prefix(b"callgrind-3.").and_then(|version| {
        let digits = version.split(|byte| !byte.is_ascii_digit()).next()?;
        str::from_utf8(digits).ok()?.parse::<u32>().ok()
    });
    version.is_some_and(|version| version >= FIRST_BALANCED)
}

/// The costs of the functions of a side, without the calls of each by itself.
struct FunctionCosts<'p> {
    profile: &'p Profile,
    /// What was paid for all calls of each function, and their number.
    paid: CostTable,
    calls: Vec<i64>,
    /// Its self cost and its calls.
    spent: CostTable,
    has_code: Vec<bool>,
    is_simulated: bool,
}

impl<'p> FunctionCosts<'p> {
    fn new(profile: &'p Profile, side: &Measured) -> FunctionCosts<'p> {
        let (functions, width) = (profile.function_count(), side.costs.table.width());
        let mut costs = FunctionCosts {
            profile,
            paid: CostTable::new(width, functions),
            calls: vec![0; functions],
            spent: CostTable::new(width, functions),
            has_code: vec![false; functions],
            is_simulated: side.parts.iter().any(|part| part.columns.len() > 1),
        };
        let function_of = |place: Place| profile.fragment(place.fragment).function.index();
        for (place, cost) in profile.costs_of(side) {
            let function = function_of(place);
            costs.has_code[function] = true;
            costs.spent.add(function, cost);
        }
        for (call, count, cost) in profile.calls_of(side) {
            let (caller, callee) = (function_of(call.site), call.callee.index());
            costs.has_code[caller] = true;
            costs.calls[callee] = costs.calls[callee].saturating_add(count.max(1));
            if caller != callee {
                costs.paid.add(callee, cost);
                costs.spent.add(caller, cost);
            }
        }
        costs
    }

    fn called(&self) -> impl Iterator<Item = usize> {
        (0..self.calls.len()).filter(|&function| self.calls[function] > 0)
    }

    fn name(&self, function: usize) -> String {
        let function = self.profile.function(FunctionId(function as u32));
        display_name(self.profile.name(function.name))
    }

    /// The first function whose calls cost instructions, and that has no code: what is called has
    /// executed some.
    fn without_code(&self) -> Option<String> {
        let instructions = self.profile.events().find(b"Ir")?;
        let cost = |function: usize| {
            self.paid.get(function).get(instructions).map_or(0, |count| count.or_zero())
        };
        let is_lost = |&function: &usize| {
            let blocks = if self.is_simulated { self.calls[function] } else { 0 };
            !self.has_code[function] && cost(function) > blocks.saturating_mul(MAX_BLOCK)
        };
        let function = self.called().find(is_lost)?;
        let (name, cost) = (self.name(function), cost(function));
        Some(format!("calls of {name} cost {cost} Ir, and it has no code"))
    }

    /// The first function whose calls cost more than it spent, where another one spent as much more
    /// than its calls cost: a line is at the wrong one of them, or the cost of a call between them
    /// is wrong. What Valgrind counts of system calls is not balanced: of one in which a thread
    /// ends, callers are not charged all.
    fn unbalanced(&self) -> Option<String> {
        let events = self.profile.events();
        let mut balanced =
            (0..self.paid.width()).filter(|&event| !events.is_of_system_calls(event));
        balanced.find_map(|event| {
            let count = |of: &CostTable, function| i128::from(of.get(function)[event].or_zero());
            let paid = |function: usize| count(&self.paid, function);
            let spent = |function: usize| count(&self.spent, function);
            let unpaid: HashSet<i128> = (0..self.calls.len())
                .map(|function| spent(function) - paid(function))
                .filter(|&unpaid| unpaid > 0)
                .collect();
            let is_lost = |&function: &usize| unpaid.contains(&(paid(function) - spent(function)));
            let function = self.called().find(is_lost)?;
            let event_name = display_name(self.profile.events().name(event));
            let (name, paid, spent) = (self.name(function), paid(function), spent(function));
            Some(format!("calls of {name} cost {paid} {event_name}, and it spent {spent}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_with_balanced_costs() {
        let table = [
            (Some("callgrind-3.19.0"), true),
            (Some(" callgrind-3.26.0.codspeed5"), true),
            (Some("callgrind-3.7.0"), true),
            (Some("callgrind-3.3.0-Debian"), false),
            (Some("callgrind-0.10.1"), false),
            (Some("callgrind"), false),
            (None, false),
        ];
        for (creator, expected) in table {
            let creator = creator.map(|creator| creator.as_bytes().into());
            let part = Part { creator, ..Part::default() };
            assert_eq!(is_balanced(&part), expected, "{:?}", part.creator);
        }
    }
}
