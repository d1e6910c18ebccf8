//! Rows of a difference that are one although their names differ, as names vary from build to build.

use hashbrown::HashMap;

use super::finder::Finder;
use super::{RowOptions, presence};
use crate::demangle::demangle;
use crate::graph::Partition;
use crate::profile::{FileId, FragmentId, Presence, Profile};
use crate::view::namespace::bare_name;
use crate::view::pairing::{is_address, without_build};

/// Rows that are one: on which sides they are, and the first of them that NEW has.
#[derive(Default)]
struct Same {
    rows: Vec<u32>,
    presence: Presence,
    /// Rows that both sides have.
    of_both: Vec<u32>,
}

impl Same {
    /// Makes the row that both sides have, if there is one such row, one with those of one side.
    fn add_row_of_both(&mut self) {
        if let ([row], false) = (&self.of_both[..], self.rows.is_empty()) {
            self.rows.insert(0, *row);
            (self.presence.new, self.presence.base) = (true, true);
        }
    }
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
    let merging = Merging {
        profile,
        finder,
        sides: presence(profile, &partition),
        object_of: objects(profile, finder, &partition),
    };
    let mut kept: Vec<u32> = (0..partition.len() as u32).collect();
    let same = merging.same(&kept, |file, name| {
        (file, without_build(&demangle(name)).into_owned())
    });
    merging.join(same, &mut kept, nameless);
    if finder.groups.is_none() && finder.pairing.has_other_toolchain() {
        // Another release of Rust may write type arguments where the other one has their names.
        let same = merging.same(&kept, |file, name| {
            let name = bare_name(&demangle(name));
            (file, name.last_component().to_vec())
        });
        let is_rust = |file: u32| profile.file(FileId(file)).ends_with(b".rs");
        let mut same: HashMap<Key, Same> = same;
        same.retain(|key, _| is_rust(key.file));
        same.values_mut().for_each(Same::add_row_of_both);
        merging.join(same, &mut kept, nameless);
    }
    let fragments = 0..profile.fragments().len() as u32;
    let of_fragment = fragments.map(|id| kept[partition.of_fragment(FragmentId(id)) as usize]);
    Partition::new(profile, partition.len(), of_fragment.collect())
}

/// The object of each row.
fn objects(profile: &Profile, finder: &Finder<'_>, partition: &Partition) -> Vec<u32> {
    let mut object_of = vec![u32::MAX; partition.len()];
    for (id, function) in profile.functions() {
        let row = partition.of_function(id) as usize;
        object_of[row] = finder.pairing.object(function.object.0);
    }
    object_of
}

/// What rows of one side are compared by.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    file: u32,
    name: Vec<u8>,
    /// Of functions without names, else of no object.
    object: u32,
    is_selected: bool,
}

struct Merging<'m, 'f> {
    profile: &'m Profile,
    finder: &'m Finder<'f>,
    sides: Vec<Presence>,
    object_of: Vec<u32>,
}

impl Merging<'_, '_> {
    /// The rows that are one by `name_of`. Those that are `kept` elsewhere are left out.
    fn same(
        &self,
        kept: &[u32],
        name_of: impl Fn(u32, &[u8]) -> (u32, Vec<u8>),
    ) -> HashMap<Key, Same> {
        let mut same: HashMap<Key, Same> = HashMap::new();
        let mut is_joined = vec![false; kept.len()];
        for (row, &other) in kept
            .iter()
            .enumerate()
            .filter(|&(row, &other)| row as u32 != other)
        {
            (is_joined[row], is_joined[other as usize]) = (true, true);
        }
        for (row, &on) in self.sides.iter().enumerate() {
            if is_joined[row] || !on.new && !on.base {
                continue;
            }
            let (file, name) = self.finder.keys[row];
            let name = match &self.finder.groups {
                None => self.profile.name(name),
                Some(groups) => &groups.texts[name.index()],
            };
            let object = match is_address(name) {
                true => self.object_of[row],
                false => u32::MAX,
            };
            let (file, name) = name_of(file.0, name);
            let key = Key {
                file,
                name,
                object,
                is_selected: self.finder.is_selected.get(row).copied().unwrap_or(true),
            };
            let one = same.entry(key).or_default();
            if on.new && on.base {
                one.of_both.push(row as u32);
                continue;
            }
            one.rows.push(row as u32);
            one.presence = one.presence.or(on);
        }
        same
    }

    /// Makes pairs one row, and functions without names.
    fn join(&self, same: HashMap<Key, Same>, kept: &mut [u32], nameless: &mut HashMap<u32, usize>) {
        for (key, one) in same {
            let is_nameless = key.object != u32::MAX;
            let is_pair = one.presence.new && one.presence.base;
            if one.rows.len() < 2 || !is_nameless && !is_pair {
                continue;
            }
            let of_new = one.rows.iter().find(|&&row| self.sides[row as usize].new);
            let first = of_new.or(one.rows.first()).copied().unwrap_or(0);
            for &row in &one.rows {
                kept[row as usize] = first;
            }
            if is_nameless {
                let on_side = |is_new: bool| {
                    let rows = one.rows.iter();
                    let of_side = rows.filter(|&&row| self.sides[row as usize].new == is_new);
                    of_side.count()
                };
                nameless.insert(first, on_side(true).max(on_side(false)));
            }
        }
    }
}
