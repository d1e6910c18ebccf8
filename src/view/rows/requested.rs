//! The rows of a difference whose functions are requested by name.

use crate::graph::Partition;
use crate::profile::Profile;
use crate::view::filter::{Filter, Subject};

/// Of a difference by row whether a filter has the name of its function; none if it has no names.
pub(super) fn requested_rows(
    profile: &Profile,
    filter: &Filter,
    partition: &Partition<'_>,
    is_selected: &[bool],
) -> Vec<bool> {
    if !profile.is_difference() || filter.choices.is_empty() {
        return Vec::new();
    }
    let mut is_requested = vec![false; partition.len()];
    for (id, fragment) in profile.fragments_with_ids() {
        let row = partition.of_fragment(id) as usize;
        let may_be = is_selected.get(row) == Some(&true) && !is_requested[row];
        if may_be && filter.names(&Subject::of_fragment(profile, fragment)) {
            is_requested[row] = true;
        }
    }
    is_requested
}
