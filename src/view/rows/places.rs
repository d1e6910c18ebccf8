//! Where the code of groups is: the file and the object, or how many there are.

use crate::graph::Partition;
use crate::profile::{FileId, ObjectId, Profile};
use crate::view::label::{GroupPlace, OneOrMany};
use crate::view::pairing::Pairing;
use crate::view::row_by::RowBy;

/// The places of all groups; empty if rows are no groups, or if functions are spread over them.
pub(super) fn of_groups<'p>(
    profile: &'p Profile,
    row_by: RowBy,
    pairing: &Pairing,
    partition: &Partition<'_>,
) -> Vec<GroupPlace<'p>> {
    if !row_by.is_group() || row_by.splits_functions() {
        return Vec::new();
    }
    let row_of = |id| partition.of_fragment(id);
    let fragments = profile.fragments_with_ids();
    let files = fragments.map(|(id, fragment)| (row_of(id), pairing.file(fragment.file.0)));
    let fragments = profile.fragments_with_ids();
    let objects = fragments.map(|(id, fragment)| {
        let object = profile.function(fragment.function).object;
        (row_of(id), pairing.object(object.0))
    });
    let files = by_row(files.collect(), partition.len(), |file| {
        profile.file(FileId(file))
    });
    let objects = by_row(objects.collect(), partition.len(), |object| {
        profile.defined_object(ObjectId(object)).unwrap_or_default()
    });
    let places = files.into_iter().zip(objects);
    let place = |(files, objects)| GroupPlace {
        files: Some(files).filter(|_| row_by != RowBy::File),
        objects: Some(objects).filter(|_| row_by != RowBy::Object),
    };
    places.map(place).collect()
}

/// By row the only one of its names, or their number.
fn by_row<'p>(
    mut pairs: Vec<(u32, u32)>,
    rows: usize,
    name: impl Fn(u32) -> &'p [u8],
) -> Vec<OneOrMany<'p>> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut names = vec![OneOrMany::Many(0); rows];
    for pairs in pairs.chunk_by(|a, b| a.0 == b.0) {
        names[pairs[0].0 as usize] = match pairs {
            [(_, only)] => OneOrMany::One(name(*only)),
            several => OneOrMany::Many(several.len()),
        };
    }
    names
}
