//! The files and objects of the code in each group, for the column that says where a group is.

use hashbrown::HashSet;

use crate::graph::Partition;
use crate::profile::{FileId, ObjectId, Presence, Profile};
use crate::view::figure::Mark;
use crate::view::label::{GroupPlace, OneOrMany};
use crate::view::row_by::RowBy;

/// The files and objects of all groups, those of groups that are gone by BASE's names; empty if
/// rows are not groups, or if functions are split over rows.
pub(super) fn of_groups<'p>(
    profile: &'p Profile,
    row_by: RowBy,
    partition: &Partition<'_>,
    presence: &[Presence],
) -> Vec<GroupPlace<'p>> {
    if !row_by.is_group() || row_by.splits_functions() {
        return Vec::new();
    }
    let row_of = |id| partition.of_fragment(id);
    // A table of names at the start of a profile may name functions in files where they have no
    // code.
    let mut is_in_use = vec![false; profile.fragments().len()];
    let called = profile.calls.iter().map(|call| profile.home(call.callee));
    profile.fragments_in_use().chain(called).for_each(|id| is_in_use[id.index()] = true);
    let mut has_code = vec![false; partition.len()];
    for (id, _) in profile.fragments_with_ids() {
        has_code[row_of(id) as usize] |= is_in_use[id.index()];
    }
    let fragments = profile
        .fragments_with_ids()
        .filter(|&(id, _)| is_in_use[id.index()] || !has_code[row_of(id) as usize]);
    let is_gone =
        |row: u32| presence.get(row as usize).is_some_and(|on| Mark::of(*on) == Some(Mark::Gone));
    let files = fragments.map(|(id, fragment)| {
        let (row, file) = (row_of(id), fragment.file);
        let base = if is_gone(row) { profile.base_file(file) } else { None };
        (row, base.unwrap_or(file).0)
    });
    let fragments = profile.fragments_with_ids();
    let objects = fragments.map(|(id, fragment)| {
        let (row, object) = (row_of(id), profile.function(fragment.function).object);
        let base = if is_gone(row) { profile.base_object(object) } else { None };
        (row, base.unwrap_or(object).0)
    });
    let files = by_row(files, partition.len(), |file| profile.file(FileId(file)));
    let objects = by_row(objects, partition.len(), |object| {
        profile.defined_object(ObjectId(object)).unwrap_or_default()
    });
    let places = files.into_iter().zip(objects);
    let place = |(files, objects)| GroupPlace {
        files: Some(files).filter(|_| row_by != RowBy::File),
        objects: Some(objects).filter(|_| row_by != RowBy::Object),
    };
    places.map(place).collect()
}

/// By row its only name, or the number of its names.
fn by_row<'p>(
    pairs: impl Iterator<Item = (u32, u32)>,
    rows: usize,
    name: impl Fn(u32) -> &'p [u8],
) -> Vec<OneOrMany<'p>> {
    let (mut names, mut known) = (vec![OneOrMany::default(); rows], HashSet::new());
    for (row, id) in pairs.filter(|&pair| known.insert(pair)) {
        let of_row = &mut names[row as usize];
        of_row.count += 1;
        of_row.name = if of_row.count == 1 { name(id) } else { b"" };
    }
    names
}
