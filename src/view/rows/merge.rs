//! Merges rows of different sides that are the same function in several builds.

use hashbrown::HashMap;

use crate::demangle::demangle;
use crate::graph::Partition;
use crate::profile::{FileId, FragmentId, Presence, Profile, without_build};
use crate::view::row_by::{RowBy, RowOptions};
use crate::view::rows::finder::RowFinder;

/// Merges rows that some sides lack and that are on different sides, if their names differ only in
/// what varies from build to build. A side on which a function is inlined alone lacks it here: what
/// is left of it may be `f.part.0`, with the rest inlined into its callers. A merged row is
/// selected if the filter selected it on at least one side: a name may match there alone.
pub(super) fn merge<'p>(
    profile: &'p Profile,
    finder: &mut RowFinder<'_>,
    options: &RowOptions,
    partition: Partition<'p>,
) -> Partition<'p> {
    let is_name = options.row_by == RowBy::Name;
    if !is_name && !matches!(options.row_by, RowBy::FileFunction | RowBy::Function) {
        return partition;
    }
    let sides = presence_of_functions(profile, &partition);
    let mut same: HashMap<(Vec<u8>, FileId), Vec<usize>> = HashMap::new();
    for (row, key) in finder.keys.iter().enumerate() {
        if sides[row].is_partial(profile.sides().count()) {
            let name = match &finder.groups {
                None => profile.name(key.name),
                Some(groups) => groups.names.name(key.name.0),
            };
            let name = without_build(&demangle(name));
            same.entry((name, key.file)).or_default().push(row);
        }
    }
    let mut kept: Vec<u32> = (0..partition.len() as u32).collect();
    for rows in same.into_values() {
        let on = sides[rows[0]];
        if rows.iter().all(|&row| sides[row] == on) {
            continue;
        }
        // A row of the side that is read first.
        let first = rows[0];
        // Of the code of a name, the filter may select that of some files.
        let is_same = |row: usize| is_name && finder.keys[row].name == finder.keys[first].name;
        for row in rows.into_iter().filter(|&row| !is_same(row)) {
            kept[row] = first as u32;
            if finder.is_selected.get(row) == Some(&true) {
                finder.is_selected[first] = true;
            }
        }
    }
    let fragments = 0..profile.fragments().len() as u32;
    let of_fragment = fragments.map(|id| kept[partition.of_fragment(FragmentId(id)) as usize]);
    Partition::new(profile, partition.len(), of_fragment.collect())
}

/// The sides that each row is on by functions that are not inlined, or that it is on at all if it
/// has none of these; empty if this is not a difference.
fn presence_of_functions(profile: &Profile, partition: &Partition<'_>) -> Vec<Presence> {
    let mut presence = presence_of_rows(profile, partition);
    if !profile.has_inlined() || presence.is_empty() {
        return presence;
    }
    let mut of_functions = vec![Presence::default(); presence.len()];
    for (place, on) in profile.places_and_sites() {
        let function = profile.fragment(place.fragment).function;
        if !profile.is_inlined(function) {
            let known = &mut of_functions[partition.of_fragment(place.fragment) as usize];
            *known = known.or(on);
        }
    }
    for (known, own) in presence.iter_mut().zip(of_functions) {
        if own != Presence::default() {
            *known = own;
        }
    }
    presence
}

/// The sides that each row is on; empty if this is not a difference.
pub(super) fn presence_of_rows(profile: &Profile, partition: &Partition<'_>) -> Vec<Presence> {
    if !profile.is_difference() {
        return Vec::new();
    }
    let mut presence = vec![Presence::default(); partition.len()];
    let mut join = |row: u32, on| presence[row as usize] = presence[row as usize].or(on);
    for (place, on) in profile.places_and_sites() {
        join(partition.of_fragment(place.fragment), on);
    }
    for (number, call) in profile.calls.iter().enumerate() {
        let row = partition.of_function(call.callee);
        join(row, profile.presence_of_call(number));
    }
    presence
}
