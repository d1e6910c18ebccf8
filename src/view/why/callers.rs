//! Where the additional or missing calls of a function come from.

use std::collections::BTreeMap;

use super::aligned::AlignedFiles;
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
    files: &AlignedFiles<'_>,
    of: RowId,
    whole: i64,
    amount: impl Fn(u32) -> BaseAndNew,
) -> Option<OfCaller> {
    let of_callers = maker.calls_by_caller(of);
    let changes = |numbers: &[u32]| changes_at_lines(maker, files, numbers, &amount);
    let all: Vec<u32> = of_callers.values().flatten().copied().collect();
    let of_all = changes(&all);
    let in_direction = |change: i128| if whole < 0 { -change } else { change };
    let own = |numbers: &[u32]| -> i128 {
        let at_lines = changes(numbers).into_iter().map(|(line, change)| {
            let change = in_direction(change);
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

/// A line that both sides have, or that one of them has alone.
type AlignedLine = (FileId, LineKey);

/// What of some calls changed at each line; where lines cannot be compared, together.
fn changes_at_lines(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    calls: &[u32],
    amount: impl Fn(u32) -> BaseAndNew,
) -> BTreeMap<Option<AlignedLine>, i128> {
    let mut changes: BTreeMap<Option<AlignedLine>, i128> = BTreeMap::new();
    for &call in calls {
        let keys = files.keys_of(maker.profile.calls[call as usize].site);
        let [new, base] = keys.map_or([None; 2], |keys| [Some(keys.new), Some(keys.base)]);
        let count = amount(call);
        *changes.entry(new).or_default() += i128::from(count.new);
        *changes.entry(base).or_default() -= i128::from(count.base);
    }
    changes
}

/// The callers from which at least half of the change of calls comes, up to one whose own calls do
/// not explain it.
pub(super) fn callers(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    of: RowId,
    change: i64,
) -> Vec<Link> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let (mut function, mut change) = (of, change);
    while has_room(&chain) && change != 0 {
        let most = largest(maker, files, function, change, |call| maker.count_of_call(call));
        let Some(most) = most.filter(|most| !visited.contains(&most.row)) else {
            break;
        };
        visited.push(most.row);
        let of_caller = maker.calls_by_others(most.row);
        let is_near = i128::from(of_caller.change()).abs() * 10 <= i128::from(of_caller.base).abs();
        let has_changes = || {
            let code = code_of(maker, files, most.row, LookedAtFor::CallsOf(function));
            code.is_some_and(|code| !code.places().is_empty())
        };
        let is_last = !is_explained(most.amount, of_caller) && (is_near || has_changes());
        let change_of_caller =
            most.change(maker, files, ChangedPart::Calls, is_last.then_some(of_caller));
        chain.push(Link { row: most.row, caller: change_of_caller, is_last });
        if is_last {
            break;
        }
        (function, change) = (most.row, of_caller.change());
    }
    chain
}

/// The callers whose calls have at least half of the change of what all calls cost, up to the
/// program's own code that both sides have.
pub(super) fn cost_callers(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    of: RowId,
) -> Vec<Link> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let mut function = of;
    while has_room(&chain) {
        let of_callers = maker.calls_by_caller(function);
        let all = of_callers.values().flatten().map(|&call| maker.cost_of_call(call));
        let change = ReasonMaker::sum(all.collect::<Vec<_>>().into_iter()).change();
        let most = largest(maker, files, function, change, |call| maker.cost_of_call(call));
        let Some(most) = most.filter(|most| change != 0 && !visited.contains(&most.row)) else {
            break;
        };
        visited.push(most.row);
        let is_last = !maker.is_of_system(most.row) && !maker.is_on_one_side(most.row);
        let caller = most.change(maker, files, ChangedPart::Cost, None);
        chain.push(Link { row: most.row, caller, is_last });
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

impl OfCaller {
    fn change(
        &self,
        maker: &ReasonMaker<'_, '_>,
        files: &AlignedFiles<'_>,
        amount: ChangedPart,
        called: Option<BaseAndNew>,
    ) -> CallerChange {
        let of_call = |call: u32, amount: ChangedPart| match amount {
            ChangedPart::Calls => maker.count_of_call(call),
            ChangedPart::Cost => maker.cost_of_call(call),
        };
        let sum = |amount: ChangedPart| {
            ReasonMaker::sum(self.numbers.iter().map(|&call| of_call(call, amount))).change()
        };
        let are_fewer = self.amount.change() < 0;
        let at =
            place_of_calls(maker, files, &self.numbers, are_fewer, |call| of_call(call, amount));
        CallerChange {
            name: maker.name(self.row),
            calls: sum(ChangedPart::Calls),
            cost: sum(ChangedPart::Cost),
            is_changed_line: at.is_some_and(|(file, key)| files.get(file).is_changed(key)),
            at: at.map(|(file, key)| files.get(file).line(key)),
            called: called.filter(|called| called.new > 0),
            is_of_library: maker.is_of_library(self.row),
        }
    }
}

/// The line at which most of the additional or missing calls are made, or of their cost; none if
/// lines are unknown or cannot be compared.
fn place_of_calls(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    calls: &[u32],
    are_fewer: bool,
    amount: impl Fn(u32) -> BaseAndNew,
) -> Option<(FileId, LineKey)> {
    let profile = maker.profile;
    let mut changes: BTreeMap<(FileId, LineKey), i64> = BTreeMap::new();
    let (mut only_new, mut is_compared) = (BTreeMap::new(), true);
    for &call in calls {
        let site = profile.calls[call as usize].site;
        let (file, line) = (profile.fragment(site.fragment).file, profile.line(site));
        let count = amount(call);
        if line == 0 {
            continue;
        }
        if count.new != 0 {
            *only_new.entry((file, LineKey::new_line(line))).or_insert(0i64) += count.new;
        }
        let Some(keys) = files.keys_of(site) else {
            is_compared = false;
            continue;
        };
        *changes.entry(keys.new).or_default() += count.new;
        *changes.entry(keys.base).or_default() -= count.base;
    }
    if !is_compared {
        // One line alone is known without a comparison.
        let mut lines = only_new.into_keys();
        return lines.next().filter(|_| lines.next().is_none() && !are_fewer);
    }
    let in_direction = |change: i64| if are_fewer { -change } else { change };
    let most = changes.into_iter().map(|(at, change)| (in_direction(change), at));
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
