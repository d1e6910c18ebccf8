//! Where the additional or missing calls of a function come from.

use std::collections::BTreeSet;

use super::aligned::AlignedLine;
use super::code::{LookedAtFor, code_of};
use super::{BaseAndNew, CallerChange, ReasonMaker};
use crate::profile::FileId;
use crate::source::LineKey;
use crate::view::label::RowId;

/// The maximum number of callers of the program, each of which calls the one before, and of those
/// of libraries between them.
const MAX_CALLERS: usize = 4;
const MAX_OF_LIBRARIES: usize = 20;

/// A caller in a chain.
pub(super) struct Link {
    pub(super) row: RowId,
    /// The line of most of its calls.
    pub(super) at: Option<AlignedLine>,
    pub(super) caller: CallerChange,
    /// Whether its own calls do not explain the change of those that it makes.
    pub(super) is_last: bool,
}

/// Whether a chain may have another caller.
fn has_room(chain: &[Link]) -> bool {
    let of_libraries = chain.iter().filter(|link| link.caller.is_of_library).count();
    of_libraries < MAX_OF_LIBRARIES && chain.len() - of_libraries < MAX_CALLERS
}

/// Whether at least half of the change of a caller's calls is what its own calls, each with as many
/// calls as before, would make.
fn is_explained(calls: BaseAndNew, of_caller: BaseAndNew) -> bool {
    if of_caller.base <= 0 {
        return of_caller.new > 0;
    }
    let by_own = i128::from(of_caller.change()) * i128::from(calls.base);
    let change = i128::from(calls.change()) * i128::from(of_caller.base);
    // A caller that is gone makes no calls.
    (by_own < 0) == (change < 0) && by_own.abs() * 2 >= change.abs()
}

/// What the calls of a row by one of its callers changed.
struct OfCaller {
    row: RowId,
    /// The numbers of the calls in the profile.
    numbers: Vec<u32>,
    /// The number of calls, or their cost.
    amount: BaseAndNew,
}

/// The caller with the largest change in a direction, if it has half of the whole. Where lines can
/// be compared, what a caller changed at a line is at most what all callers together changed there:
/// a function that is inlined on one side makes the calls of its lines on the other.
fn largest(
    maker: &ReasonMaker<'_, '_>,
    of: RowId,
    whole: i64,
    amount: impl Fn(u32) -> BaseAndNew,
) -> Option<OfCaller> {
    let of_callers = maker.calls_by_caller(of);
    let changes = |numbers: &[u32]| maker.at_lines(numbers.iter().copied(), &amount);
    let all: Vec<u32> = of_callers.values().flatten().copied().collect();
    let of_all = changes(&all);
    let in_direction = |of: BaseAndNew| {
        let change = i128::from(of.change());
        if whole < 0 { -change } else { change }
    };
    let own = |numbers: &[u32]| -> i128 {
        let at_lines = changes(numbers).into_iter().map(|(line, of)| {
            let change = in_direction(of);
            match line {
                Some(_) if change > 0 => change.min(in_direction(of_all[&line]).max(0)),
                _ => change,
            }
        });
        at_lines.sum()
    };
    let by_own = of_callers.into_iter().map(|(row, numbers)| {
        let sum = ReasonMaker::sum(numbers.iter().map(|&call| amount(call)));
        (own(&numbers), OfCaller { row, amount: sum, numbers })
    });
    let most = by_own.max_by(|(x, a), (y, b)| x.cmp(y).then_with(|| b.row.cmp(&a.row)));
    most.filter(|&(own, _)| own * 2 >= i128::from(whole).abs()).map(|(_, caller)| caller)
}

/// The callers from which at least half of the change of calls comes, up to one whose own calls do
/// not explain it.
pub(super) fn callers(maker: &ReasonMaker<'_, '_>, of: RowId, change: i64) -> Vec<Link> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let (mut function, mut change) = (of, change);
    while has_room(&chain) && change != 0 {
        let most = largest(maker, function, change, |call| maker.count_of_call(call));
        let Some(most) = most.filter(|most| !visited.contains(&most.row)) else {
            break;
        };
        visited.push(most.row);
        let of_caller = maker.calls_by_others(most.row);
        let is_near = i128::from(of_caller.change()).abs() * 10 <= i128::from(of_caller.base).abs();
        let at = most.place(maker, ChangedPart::Calls);
        let has_changes = || {
            let code = code_of(maker, most.row, LookedAtFor::CallsOf { called: function, at });
            code.is_some_and(|code| !code.places().is_empty())
        };
        let is_last = !is_explained(most.amount, of_caller) && (is_near || has_changes());
        let caller = most.change(maker, at, is_last.then_some(of_caller));
        chain.push(Link { row: most.row, at, caller, is_last });
        if is_last {
            break;
        }
        (function, change) = (most.row, of_caller.change());
    }
    chain
}

/// The callers whose calls have at least half of the change of what all calls cost, up to the
/// program's own code that both sides have.
pub(super) fn cost_callers(maker: &ReasonMaker<'_, '_>, of: RowId) -> Vec<Link> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let mut function = of;
    while has_room(&chain) {
        let of_callers = maker.calls_by_caller(function);
        let all = of_callers.values().flatten().map(|&call| maker.cost_of_call(call));
        let change = ReasonMaker::sum(all.collect::<Vec<_>>().into_iter()).change();
        let most = largest(maker, function, change, |call| maker.cost_of_call(call));
        let Some(most) = most.filter(|most| change != 0 && !visited.contains(&most.row)) else {
            break;
        };
        visited.push(most.row);
        let is_last = !maker.is_of_system(most.row) && !maker.is_on_one_side(most.row);
        let at = most.place(maker, ChangedPart::Cost);
        let caller = most.change(maker, at, None);
        chain.push(Link { row: most.row, at, caller, is_last });
        if is_last {
            break;
        }
        function = most.row;
    }
    chain
}

/// What of the calls changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ChangedPart {
    Calls,
    Cost,
}

impl ChangedPart {
    fn of_call(self, maker: &ReasonMaker<'_, '_>, call: u32) -> BaseAndNew {
        match self {
            ChangedPart::Calls => maker.count_of_call(call),
            ChangedPart::Cost => maker.cost_of_call(call),
        }
    }
}

impl OfCaller {
    /// Where it makes most of the calls.
    fn place(&self, maker: &ReasonMaker<'_, '_>, part: ChangedPart) -> Option<AlignedLine> {
        let are_fewer = self.amount.change() < 0;
        place_of_calls(maker, &self.numbers, are_fewer, |call| part.of_call(maker, call))
    }

    fn change(
        &self,
        maker: &ReasonMaker<'_, '_>,
        at: Option<AlignedLine>,
        called: Option<BaseAndNew>,
    ) -> CallerChange {
        let sum = |part: ChangedPart| {
            let calls = self.numbers.iter().map(|&call| part.of_call(maker, call));
            ReasonMaker::sum(calls).change()
        };
        CallerChange {
            name: maker.name(self.row),
            calls: sum(ChangedPart::Calls),
            cost: sum(ChangedPart::Cost),
            is_changed_line: at.is_some_and(|(file, key)| maker.files.get(file).is_changed(key)),
            at: at.map(|(file, key)| maker.files.get(file).line(key)),
            called: called.filter(|called| called.new > 0),
            is_of_library: maker.is_of_library(self.row),
        }
    }
}

/// The line at which most of the additional or missing calls are made, or of their cost; none if
/// lines are unknown or cannot be compared.
fn place_of_calls(
    maker: &ReasonMaker<'_, '_>,
    calls: &[u32],
    are_fewer: bool,
    amount: impl Fn(u32) -> BaseAndNew,
) -> Option<AlignedLine> {
    let line_of = |call: u32| {
        let site = maker.profile.calls[call as usize].site;
        (maker.profile.fragment(site.fragment).file, maker.profile.line(site))
    };
    let with_lines = calls.iter().copied().filter(|&call| line_of(call).1 > 0);
    let sums = maker.at_lines(with_lines.clone(), &amount);
    if sums.contains_key(&None) {
        // One line alone is known without a comparison.
        let in_new = with_lines.filter(|&call| amount(call).new != 0).map(line_of);
        let lines: BTreeSet<(FileId, u32)> = in_new.collect();
        let only = lines.first().filter(|_| lines.len() == 1 && !are_fewer);
        return only.map(|&(file, line)| (file, LineKey::new_line(line)));
    }
    let changes = sums.into_iter().filter_map(|(at, of)| Some((at?, of.change())));
    let in_direction = |change: i64| if are_fewer { -change } else { change };
    let most = changes.map(|(at, change)| (in_direction(change), at));
    most.filter(|&(change, _)| change > 0)
        .max_by_key(|&(change, at)| (change, std::cmp::Reverse(at)))
        .map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_the_calls_of_the_caller_explain() {
        let table = [
            ((10, 20), (10, 20), true),
            ((10, 20), (10, 10), false),
            ((10, 20), (10, 16), true),
            ((10, 20), (10, 14), false),
            // Each call of the caller makes more calls.
            ((1000, 9000), (1000, 1001), false),
            ((20, 10), (20, 10), true),
            ((20, 10), (20, 21), false),
            ((0, 10), (0, 5), true),
            ((10, 0), (5, 0), true),
            // The first calls of a caller that was called before.
            ((0, 10), (5, 10), false),
            ((0, 10), (0, 0), false),
        ];
        let sides = |(base, new): (i64, i64)| BaseAndNew { base, new };
        for (calls, of_caller, expected) in table {
            let is_explained = is_explained(sides(calls), sides(of_caller));
            assert_eq!(is_explained, expected, "{calls:?} {of_caller:?}");
        }
    }
}
