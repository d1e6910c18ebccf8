//! Where the additional or missing calls of a function come from.

use std::collections::BTreeMap;

use super::aligned::AlignedFiles;
use super::{CallerChange, Maker};
use crate::profile::FileId;
use crate::source::LineKey;
use crate::view::label::RowId;

/// The maximum number of callers, each of which calls the one before.
const MAX_CALLERS: usize = 4;

/// The callers from which at least half of the change of calls comes, up to one that is called as
/// often as before.
pub(super) fn callers(
    maker: &Maker<'_, '_>,
    files: &AlignedFiles<'_>,
    of: RowId,
    change: i64,
) -> Vec<(RowId, CallerChange)> {
    let (mut chain, mut visited) = (Vec::new(), vec![of]);
    let (mut function, mut change) = (of, change);
    while chain.len() < MAX_CALLERS && change != 0 {
        let by_caller = maker.calls_by_caller(function).into_iter();
        let with_change = by_caller.map(|(caller, calls)| {
            let counts = calls.iter().map(|&call| maker.count_of_call(call));
            (Maker::sum(counts).change(), caller, calls)
        });
        let in_direction =
            |calls: i64| if change < 0 { -i128::from(calls) } else { i128::from(calls) };
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
        let is_called_as_before = of_caller.base == of_caller.new;
        let at = place_of_calls(maker, files, &numbers, calls < 0);
        chain.push((
            caller,
            CallerChange {
                name: maker.name(caller),
                calls,
                is_changed_line: at.is_some_and(|(file, key)| files.get(file).is_changed(key)),
                at: at.map(|(file, key)| files.get(file).line(key)),
                is_called_as_before,
            },
        ));
        if is_called_as_before {
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
