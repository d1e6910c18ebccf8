//! Rows of a difference that are one although their names differ, as names vary from build to build.

use hashbrown::HashMap;

use super::finder::Finder;
use super::{RowOptions, presence};
use crate::demangle::demangle;
use crate::graph::Partition;
use crate::profile::{FragmentId, Presence, Profile};
use crate::view::pairing::{is_address, without_build};

/// Rows that are one: on which sides they are, and the first of them that NEW has.
#[derive(Default)]
struct Same {
    rows: Vec<u32>,
    presence: Presence,
}

/// A partition in which rows of one side are one if their names differ only in what varies from build to build. Functions
/// without names that have no partner are one row an object; `nameless` has their number.
pub(super) fn merge(
    profile: &Profile,
    finder: &Finder<'_>,
    options: &RowOptions,
    partition: Partition,
    nameless: &mut HashMap<u32, usize>,
) -> Partition {
    use crate::view::RowBy;
    if !matches!(
        options.row_by,
        RowBy::FileFunction | RowBy::Function | RowBy::Name
    ) {
        return partition;
    }
    let sides = presence(profile, &partition);
    let mut object_of = vec![u32::MAX; partition.len()];
    for (id, function) in profile.functions() {
        let row = partition.of_function(id) as usize;
        object_of[row] = finder.pairing.object(function.object.0);
    }
    let mut same: HashMap<(u32, Vec<u8>, u32, bool), Same> = HashMap::new();
    for (row, &on) in sides.iter().enumerate() {
        if (on.new, on.base) == (true, true) || (on.new, on.base) == (false, false) {
            continue;
        }
        let (file, name) = finder.keys[row];
        let name = match &finder.groups {
            None => profile.name(name),
            Some(groups) => &groups.texts[name.index()],
        };
        let object = if is_address(name) {
            object_of[row]
        } else {
            u32::MAX
        };
        let is_selected = finder.is_selected.get(row).copied().unwrap_or(true);
        let key = (
            file.0,
            without_build(&demangle(name)).into_owned(),
            object,
            is_selected,
        );
        let one = same.entry(key).or_default();
        one.rows.push(row as u32);
        one.presence = one.presence.or(on);
    }
    let mut kept: Vec<u32> = (0..partition.len() as u32).collect();
    for ((.., object, _), one) in same {
        let is_nameless = object != u32::MAX;
        let is_pair = one.presence.new && one.presence.base;
        if one.rows.len() < 2 || !is_nameless && !is_pair {
            continue;
        }
        let of_new = one.rows.iter().find(|&&row| sides[row as usize].new);
        let first = of_new.or(one.rows.first()).copied().unwrap_or(0);
        for &row in &one.rows {
            kept[row as usize] = first;
        }
        if is_nameless {
            let on_side = |is_new: bool| {
                let rows = one.rows.iter();
                rows.filter(|&&row| sides[row as usize].new == is_new)
                    .count()
            };
            nameless.insert(first, on_side(true).max(on_side(false)));
        }
    }
    let fragments = 0..profile.fragments().len() as u32;
    let of_fragment = fragments.map(|id| kept[partition.of_fragment(FragmentId(id)) as usize]);
    Partition::new(profile, partition.len(), of_fragment.collect())
}
