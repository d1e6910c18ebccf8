//! Functions at which code of the program begins apart from `main`: handlers of signals, threads.

use super::message::{Messages, display_name};
use crate::demangle::displayed;
use crate::profile::{FunctionId, Profile};
use crate::render::with_commas;
use crate::view::short_function;

/// A function is named from this part of the total on, a hundredth.
const TOTAL_PARTS: i128 = 100;

/// The maximum number of functions that are named.
const MAX_NAMED: usize = 3;

/// Notes what the program spent in functions that no function is recorded to call, and that do not
/// lead to `main`, if `main` is among the chosen ones: it is neither below it nor its start.
pub(super) fn note_other_starts(profile: &Profile, chosen: &[bool], messages: &Messages) {
    let is_main = |(id, function): (FunctionId, &crate::profile::Function)| {
        chosen[id.index()] && profile.name(function.name) == b"main"
    };
    let Some(event) = (0..profile.events().len()).find(|&event| profile.has_cost_of(event)) else {
        return;
    };
    let is_known = !profile.is_difference() && !profile.calls.is_empty();
    if !is_known || !profile.functions().any(is_main) {
        return;
    }
    let costs = costs(profile, event);
    let total: i128 = costs.iter().map(|cost| cost.own).sum();
    let leads = leading_to(profile, chosen);
    let is_called = called_by_others(profile);
    let cost_of = |id: FunctionId| costs[id.index()].own + costs[id.index()].of_calls;
    let mut starts: Vec<FunctionId> = profile
        .functions()
        .map(|(id, _)| id)
        .filter(|id| !leads[id.index()] && !is_called[id.index()])
        .filter(|&id| cost_of(id) > 0 && cost_of(id) * TOTAL_PARTS >= total)
        .collect();
    if starts.is_empty() {
        return;
    }
    starts.sort_by_key(|&id| (std::cmp::Reverse(cost_of(id)), id));
    let sum: i128 = starts.iter().map(|&id| cost_of(id)).sum();
    let name_of = |&id: &FunctionId| {
        let name = displayed(profile.name(profile.function(id).name), true);
        display_name(short_function(&name, profile.name_kind()))
    };
    let names: Vec<String> = starts.iter().take(MAX_NAMED).map(name_of).collect();
    let more = match starts.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let sum_text = with_commas(i64::try_from(sum).unwrap_or(i64::MAX));
    let event = display_name(profile.events().name(event));
    let percent = sum as f64 * 100.0 / total as f64;
    messages.note(format!(
        "{sum_text} {event} ({percent:.1}%) are neither below main nor its start: of {}{more}, which \
         no function is recorded to call (such as a signal handler, a thread, or what ran when the \
         recording began)",
        names.join(", ")
    ));
}

/// What a function costs itself, and the calls that it makes.
#[derive(Clone, Copy, Default)]
struct OwnCost {
    own: i128,
    of_calls: i128,
}

fn costs(profile: &Profile, event: usize) -> Vec<OwnCost> {
    let mut costs = vec![OwnCost::default(); profile.function_count()];
    let side = &profile.sides().new;
    for (place, cost) in profile.costs_of(side) {
        let function = profile.fragment(place.fragment).function;
        costs[function.index()].own += i128::from(cost[event].or_zero());
    }
    for (call, _, cost) in profile.calls_of(side) {
        let caller = profile.fragment(call.site.fragment).function;
        if caller != call.callee {
            costs[caller.index()].of_calls += i128::from(cost[event].or_zero());
        }
    }
    costs
}

/// By function whether it leads to a chosen one, or is one.
fn leading_to(profile: &Profile, chosen: &[bool]) -> Vec<bool> {
    let mut callers: Vec<Vec<FunctionId>> = vec![Vec::new(); profile.function_count()];
    for call in &profile.calls {
        let caller = profile.fragment(call.site.fragment).function;
        callers[call.callee.index()].push(caller);
    }
    let mut leads = chosen.to_vec();
    let all = profile.functions().map(|(id, _)| id);
    let mut left: Vec<FunctionId> = all.filter(|id| chosen[id.index()]).collect();
    while let Some(function) = left.pop() {
        for &caller in &callers[function.index()] {
            if !std::mem::replace(&mut leads[caller.index()], true) {
                left.push(caller);
            }
        }
    }
    leads
}

fn called_by_others(profile: &Profile) -> Vec<bool> {
    let mut is_called = vec![false; profile.function_count()];
    for call in &profile.calls {
        let caller = profile.fragment(call.site.fragment).function;
        is_called[call.callee.index()] |= caller != call.callee;
    }
    is_called
}
