//! The changed line at which a function without changed lines is called.

use super::ReasonMaker;
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;
use std::cmp::Reverse;

/// The changed line that most of NEW's calls of a row by others are made at.
pub(super) fn called_at_changed_line(
    maker: &ReasonMaker<'_, '_>,
    row: RowId,
) -> Option<ScreenLine> {
    let calls = maker.calls_by_caller(row);
    let counts = maker.at_lines(calls.into_values().flatten(), |call| maker.count_of_call(call));
    let at_changed = counts.into_iter().filter_map(|(at, of)| {
        let (file, key) = at?;
        let is_changed = of.new > 0 && maker.files.get(file).is_changed(key);
        is_changed.then_some(((file, key), of.new))
    });
    let most = at_changed.max_by_key(|&(at, count)| (count, Reverse(at)));
    most.map(|((file, key), _)| maker.files.get(file).line(key))
}
