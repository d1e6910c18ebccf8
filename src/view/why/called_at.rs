//! The changed line at which a function without changed lines is called.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::ReasonMaker;
use super::aligned::AlignedFiles;
use crate::profile::FileId;
use crate::source::LineKey;
use crate::view::first_screen::ScreenLine;
use crate::view::label::RowId;

/// The changed line that most of NEW's calls of a row by others are made at.
pub(super) fn called_at_changed_line(
    maker: &ReasonMaker<'_, '_>,
    files: &AlignedFiles<'_>,
    row: RowId,
) -> Option<ScreenLine> {
    let mut counts: BTreeMap<(FileId, LineKey), i64> = BTreeMap::new();
    for &call in maker.calls_by_caller(row).values().flatten() {
        let keys = files.keys_of(maker.profile.calls[call as usize].site);
        let count = maker.count_of_call(call).new;
        if let Some((file, key)) = keys.map(|keys| keys.new).filter(|_| count > 0)
            && files.get(file).is_changed(key)
        {
            let sum = counts.entry((file, key)).or_default();
            *sum = sum.saturating_add(count);
        }
    }
    let most = counts.into_iter().max_by_key(|&(at, count)| (count, Reverse(at)));
    most.map(|((file, key), _)| files.get(file).line(key))
}
