//! The user's own lines that lead to a function.

use hashbrown::{HashMap, HashSet};

use super::code::{FileLine, Frame};
use super::items::Item;
use super::spent::Spent;
use crate::profile::FunctionId;

/// The maximum number of levels of callers between a function and the one place that leads to it.
const MAX_LEVELS: usize = 16;

/// A function, and its user's own lines that a call is made at, as far as they are recorded,
/// innermost first.
type CallPlace = (FunctionId, Vec<FileLine>);

/// The user's own lines that lead to a function, innermost first, as long as one place makes nine
/// tenths of the calls, or all ways to the function lead through one place.
pub(super) fn lines_to(spent: Spent<'_, '_>, function: FunctionId, max: usize) -> Vec<FileLine> {
    let mut lines: Vec<FileLine> = Vec::new();
    for own in places_to(spent, function) {
        lines.extend(own);
        if lines.len() >= max {
            break;
        }
    }
    lines.truncate(max);
    lines
}

/// The same with the innermost line of each function alone.
pub(super) fn lead_to(spent: Spent<'_, '_>, function: FunctionId, max: usize) -> Vec<FileLine> {
    places_to(spent, function).filter_map(|own| own.first().copied()).take(max).collect()
}

/// The lines of each function that leads to one.
fn places_to(spent: Spent<'_, '_>, function: FunctionId) -> impl Iterator<Item = Vec<FileLine>> {
    let (mut visited, mut at) = (HashSet::new(), function);
    std::iter::from_fn(move || {
        if !visited.insert(at) {
            return None;
        }
        let (caller, own) = most_calls(spent, at).or_else(|| only_way(spent, at))?;
        at = caller;
        Some(own)
    })
}

/// The place of a call.
fn place_of(spent: Spent<'_, '_>, call: Item, frames: &mut Vec<Frame>) -> CallPlace {
    (spent.items.function(call), spent.own_lines(call, frames).collect())
}

/// The place that makes nine tenths of the calls of a function.
fn most_calls(spent: Spent<'_, '_>, function: FunctionId) -> Option<CallPlace> {
    let (mut all, mut frames) = (0, Vec::new());
    let mut of_places: HashMap<CallPlace, i128> = HashMap::new();
    for call in spent.items.calls_to(function) {
        let count = i128::from(spent.items.calls(call));
        *of_places.entry(place_of(spent, call, &mut frames)).or_default() += count;
        all += count;
    }
    let most = of_places.into_iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
    let (place, count) = most?;
    (count * 10 >= all * 9).then_some(place)
}

/// The one place whose calls lead to a function, also through several others: of the function, its
/// callers, their callers and so on, it alone calls them from outside.
fn only_way(spent: Spent<'_, '_>, function: FunctionId) -> Option<CallPlace> {
    let mut frames = Vec::new();
    let mut inside = HashSet::new();
    let mut added = vec![function];
    // The calls from functions that were outside when the called one was added.
    let mut calls: Vec<Item> = Vec::new();
    for _ in 0..MAX_LEVELS {
        inside.extend(added.iter().copied());
        let of_added = added.iter().flat_map(|&function| spent.items.calls_to(function));
        calls.extend(of_added.filter(|&call| spent.items.calls(call) > 0));
        calls.retain(|&call| !inside.contains(&spent.items.function(call)));
        let mut places = calls.iter().map(|&call| place_of(spent, call, &mut frames));
        let first = places.next()?;
        if places.all(|place| place == first) {
            return Some(first);
        }
        added = calls.iter().map(|&call| spent.items.function(call)).collect();
        added.sort_unstable();
        added.dedup();
    }
    None
}
