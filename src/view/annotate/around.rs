//! The lines around requested ones: few enough for a screen, with the calls that cost most.

use crate::source::{LineKey, LineMap};
use crate::view::annotate::lines::{AnnotatedLines, CallOfLine};
use crate::view::annotate::{Annotator, regions};
use crate::view::figure::Cost;

/// The number of lines to show before and after a requested one, and the number that is shown
/// however many calls that line makes.
const CONTEXT: u32 = 10;
const MIN_CONTEXT: u32 = 3;

/// The maximum number of lines and calls for each requested line. With the header, the title and
/// the heading these are at most 40 rows.
const MAX_ROWS: usize = 28;

/// The maximum number of calls from each of the other lines, and their minimum cost in percent of
/// the total.
const MAX_CALLS: usize = 4;
const MIN_PERCENT: i128 = 1;

/// Whether a removed line was replaced by a requested one, and is shown with it however little room
/// there is.
fn is_replaced(removed: LineKey, requested: &[u32], aligned: Option<&LineMap>) -> bool {
    let change_of = |key: LineKey| aligned.and_then(|map| map.number_of_change(key));
    let near = removed.new..=removed.new.saturating_add(MIN_CONTEXT);
    let is_in_place = |&line: &u32| {
        near.contains(&line) && change_of(LineKey::new_line(line)) == change_of(removed)
    };
    requested.iter().any(is_in_place)
}

impl Annotator<'_, '_> {
    /// The regions around requested lines, which are sorted. Leaves out the calls that there is no
    /// room for.
    pub(super) fn around(
        &self,
        requested: &[u32],
        lines: &mut AnnotatedLines<'_>,
        aligned: Option<&LineMap>,
    ) -> Vec<(u32, u32)> {
        let around = |context: u32| regions(requested.iter().copied(), context);
        let rows_of = |(first, last): (u32, u32)| {
            let removed = |line: u32| aligned.map_or(0, |map| map.removed_after(line).count());
            (first..=last).map(|line| 1 + removed(line)).sum::<usize>()
        };
        let rows = |context: u32| around(context).into_iter().map(rows_of).sum::<usize>();
        let max_rows = MAX_ROWS * requested.len();
        let is_requested = |key: LineKey| match key.in_new() {
            Some(line) => requested.binary_search(&line).is_ok(),
            None => is_replaced(key, requested, aligned),
        };
        let (mut own, mut small): (Vec<_>, Vec<_>) =
            lines.calls_of(is_requested).into_iter().partition(|call| self.is_large(call));
        let fits = |context: &u32| rows(*context) + own.len() + small.len() <= max_rows;
        let context = (MIN_CONTEXT..=CONTEXT).rev().find(fits).unwrap_or(MIN_CONTEXT);
        let regions = around(context);
        let room = max_rows.saturating_sub(rows(context));
        let is_near =
            |line: u32| regions.iter().any(|&(first, last)| (first..=last).contains(&line));
        let near = lines.calls_of(|key| is_near(key.new) && !is_requested(key));
        let all_near = near.len();
        // Most small calls of the requested lines come after the large ones of the others.
        let first = own.len() + small.len().min(MAX_CALLS);
        let others = self.most_expensive(near, room.saturating_sub(first));
        self.sort_by_cost(&mut own);
        self.sort_by_cost(&mut small);
        own.append(&mut small);
        let room_of_own = room.saturating_sub(others.len());
        let mut without_room = Vec::new();
        if own.len() > room_of_own {
            // One row says how many are left out.
            without_room = own.split_off(room_of_own.saturating_sub(1));
        }
        let call = |(call, _): (CallOfLine, Cost)| call;
        lines.left_out = all_near - others.len();
        let kept = own.into_iter().map(call).chain(others).collect();
        lines.keep_calls(&kept, &without_room.into_iter().map(call).collect::<Vec<_>>());
        regions
    }

    /// Whether a call has a hundredth of the total.
    fn is_large(&self, (_, cost): &(CallOfLine, Cost)) -> bool {
        let Some(event) = self.selection.first() else {
            return true;
        };
        let total = i128::from(self.total[event].or_zero()).abs();
        i128::from(cost[event].or_zero()).abs() * 100 >= total * MIN_PERCENT
    }

    /// The calls of the other lines that are shown, at most `room`.
    fn most_expensive(&self, mut calls: Vec<(CallOfLine, Cost)>, room: usize) -> Vec<CallOfLine> {
        calls.retain(|call| self.is_large(call));
        self.sort_by_cost(&mut calls);
        let mut shown: Vec<CallOfLine> = Vec::new();
        for (call, _) in calls {
            let of_line = shown.iter().filter(|other| other.line == call.line).count();
            if of_line < MAX_CALLS && shown.len() < room {
                shown.push(call);
            }
        }
        shown
    }

    fn sort_by_cost(&self, calls: &mut [(CallOfLine, Cost)]) {
        calls.sort_by(|(a, cost_a), (b, cost_b)| {
            self.selection.cmp_descending(cost_a, cost_b).then_with(|| a.cmp(b))
        });
    }
}
