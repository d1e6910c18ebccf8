//! Where the additional or missing calls of a function come from.

use std::collections::BTreeMap;

use super::aligned::AlignedFiles;
use super::{BaseAndNew, CallerChange, Maker};
use crate::profile::FileId;
use crate::source::LineKey;
use crate::view::label::RowId;

/// The maximum number of callers, each of which calls the one before.
const MAX_CALLERS: usize = 4;

/// A caller in a chain.
pub(super) struct Link {
    pub(super) row: RowId,
    pub(super) caller: CallerChange,
    /// Whether its own calls do not explain the change of those that it makes.
    pub(super) is_last: bool,
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

/// The callers from which at least half of the change of calls comes, up to one that is called as
/// often as before.
pub(super) fn callers(
    maker: &Maker<'_, '_>,
    files: &AlignedFiles<'_>,
    of: RowId,
    change: i64,
) -> Vec<Link> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let (mut function, mut change) = (of, change);
    while chain.len() < MAX_CALLERS && change != 0 {
        let are_fewer = change < 0;
        let by_caller = maker.calls_by_caller(function).into_iter();
        let with_change = by_caller.map(|(caller, calls)| {
            let counts = calls.iter().map(|&call| maker.count_of_call(call));
            (Maker::sum(counts), caller, calls)
        });
        let in_direction = |calls: BaseAndNew| {
            let change = i128::from(calls.change());
            if are_fewer { -change } else { change }
        };
        let most = with_change.max_by(|(a, x, _), (b, y, _)| {
            in_direction(*a).cmp(&in_direction(*b)).then_with(|| y.cmp(x))
        });
        let Some((calls, caller, numbers)) = most else {
            break;
        };
        let has_half = in_direction(calls) * 2 >= i128::from(change).abs();
        if !has_half || visited.contains(&caller) {
            break;
        }
        visited.push(caller);
        let of_caller = maker.calls_by_others(caller);
        let is_last = !is_explained(calls, of_caller);
        let at = place_of_calls(maker, files, &numbers, are_fewer);
        let change_of_caller = CallerChange {
            name: maker.name(caller),
            calls: calls.change(),
            is_changed_line: at.is_some_and(|(file, key)| files.get(file).is_changed(key)),
            at: at.map(|(file, key)| files.get(file).line(key)),
            called: (is_last && of_caller.new > 0).then_some(of_caller),
        };
        chain.push(Link { row: caller, caller: change_of_caller, is_last });
        if is_last {
            break;
        }
        (function, change) = (caller, of_caller.change());
    }
    chain
}

/// The line at which most of the additional or missing calls are made; none if lines are unknown or
/// cannot be compared.
fn place_of_calls(
    maker: &Maker<'_, '_>,
    files: &AlignedFiles<'_>,
    calls: &[u32],
    are_fewer: bool,
) -> Option<(FileId, LineKey)> {
    let profile = maker.profile;
    let mut changes: BTreeMap<(FileId, LineKey), i64> = BTreeMap::new();
    let (mut only_new, mut is_compared) = (BTreeMap::new(), true);
    for &call in calls {
        let site = profile.calls[call as usize].site;
        let (file, line) = (profile.fragment(site.fragment).file, profile.line(site));
        let count = maker.count_of_call(call);
        if line == 0 {
            continue;
        }
        if count.new != 0 {
            *only_new.entry((file, LineKey::new_line(line))).or_insert(0i64) += count.new;
        }
        let Some(lines) = &files.get(file).lines else {
            is_compared = false;
            continue;
        };
        *changes.entry((file, lines.key(line, false))).or_default() += count.new;
        *changes.entry((file, lines.key(line, true))).or_default() -= count.base;
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
