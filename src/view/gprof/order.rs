//! The orders of entries and of the lines around them: gprof's, with the name as the last key.

use std::cmp::{Ordering, Reverse};

use super::entries::{EntryOf, Neighbour};
use super::functions::MergedFunctions;
use super::time::NodeTime;

/// Whether `a` comes before `b` among the entries.
pub(super) fn entries(
    functions: &MergedFunctions<'_>,
    (a, of_a): (EntryOf, &NodeTime),
    (b, of_b): (EntryOf, &NodeTime),
) -> Ordering {
    let by_cost = of_b.inclusive().cmp(&of_a.inclusive());
    by_cost.then_with(|| match (a, b) {
        (EntryOf::Cycle(a), EntryOf::Cycle(b)) => a.cmp(&b),
        (EntryOf::Cycle(_), EntryOf::Function(_)) => Ordering::Less,
        (EntryOf::Function(_), EntryOf::Cycle(_)) => Ordering::Greater,
        (EntryOf::Function(a), EntryOf::Function(b)) => {
            let key = |number: u32, time: &NodeTime| {
                let function = &functions.list()[number as usize];
                let starts_with_underscore = function.name.starts_with(b"_");
                (starts_with_underscore, Reverse(time.calls), function.rank)
            };
            key(a, of_a).cmp(&key(b, of_b))
        }
    })
}

/// The position of a member of a cycle: the most expensive first, of equal ones those with more calls, then by name.
pub(super) fn member(
    functions: &MergedFunctions<'_>,
    number: u32,
    time: &NodeTime,
) -> (Reverse<(i128, i128)>, u32) {
    let calls = i128::from(time.calls) + i128::from(time.self_calls);
    let rank = functions.list()[number as usize].rank;
    (Reverse((time.inclusive(), calls)), rank)
}

/// Orders callers: the function itself, members of its cycle by calls, others by cost; ascending.
pub(super) fn callers(functions: &MergedFunctions<'_>, lines: &mut [Neighbour]) {
    lines.sort_by_key(|line| (weight(line), rank(functions, line), line.site));
}

/// Orders callees: the other way round.
pub(super) fn callees(functions: &MergedFunctions<'_>, lines: &mut [Neighbour]) {
    lines.sort_by_key(|line| (Reverse(weight(line)), rank(functions, line), line.site));
}

fn rank(functions: &MergedFunctions<'_>, line: &Neighbour) -> u32 {
    functions.list()[line.function as usize].rank
}

fn weight(line: &Neighbour) -> (u8, i128, i64) {
    match line.cost {
        None if line.is_itself => (0, 0, line.count),
        None => (1, 0, line.count),
        Some((own, children)) => (2, i128::from(own) + i128::from(children), line.count),
    }
}
