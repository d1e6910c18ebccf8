//! Rows of a difference that are one although their names differ, as names vary from build to build.

use hashbrown::HashMap;

use super::finder::Finder;
use super::{RowOptions, presence};
use crate::demangle::demangle;
use crate::graph::Partition;
use crate::profile::{FileId, FragmentId, Presence, Profile};
use crate::view::pairing::{is_address, without_build};
use crate::view::row_by::RowBy;

/// What was made one row.
#[derive(Default)]
pub(super) struct Merged {
    /// By row, of how many functions without names it is.
    pub(super) nameless: HashMap<u32, usize>,
    /// Rows of which the filter selected one side at least.
    pub(super) selected: Vec<u32>,
}

/// A partition in which rows of one side are one if their names differ only in what varies from build to build. Functions
/// without names that have no partner of the same address are one row an object.
pub(super) fn merge<'p>(
    profile: &'p Profile,
    finder: &Finder<'_>,
    options: &RowOptions,
    partition: Partition<'p>,
) -> (Partition<'p>, Merged) {
    if !matches!(
        options.row_by,
        RowBy::FileFunction | RowBy::Function | RowBy::Name
    ) {
        return (partition, Merged::default());
    }
    let mut merging = Merging {
        profile,
        finder,
        sides: presence(profile, &partition),
        object_of: objects(profile, finder, &partition),
        kept: (0..partition.len() as u32).collect(),
        merged: Merged::default(),
    };
    merging.join_builds();
    merging.join_selected();
    let Merging { kept, merged, .. } = merging;
    let fragments = 0..profile.fragments().len() as u32;
    let of_fragment = fragments.map(|id| kept[partition.of_fragment(FragmentId(id)) as usize]);
    let partition = Partition::new(profile, partition.len(), of_fragment.collect());
    (partition, merged)
}

/// The object of each row.
fn objects(profile: &Profile, finder: &Finder<'_>, partition: &Partition<'_>) -> Vec<u32> {
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
    name: Vec<u8>,
    file: FileId,
    /// Of functions without names.
    object: Option<u32>,
    /// None if it makes no difference.
    is_selected: Option<bool>,
}

/// Rows that are one: on which sides they are.
#[derive(Default)]
struct Same {
    /// Rows that one side has.
    rows: Vec<u32>,
    presence: Presence,
    /// Rows that both sides have.
    of_both: Vec<u32>,
}

impl Same {
    /// Whether they are on both sides.
    fn is_pair(&self) -> bool {
        self.presence.new && self.presence.base
    }

    /// Whether there is one on each side, and no other.
    fn is_only_pair(&self) -> bool {
        self.of_both.is_empty() && self.rows.len() == 2 && self.is_pair()
    }
}

struct Merging<'m, 'f> {
    profile: &'m Profile,
    finder: &'m Finder<'f>,
    sides: Vec<Presence>,
    object_of: Vec<u32>,
    /// By row the one that it is part of.
    kept: Vec<u32>,
    merged: Merged,
}

impl Merging<'_, '_> {
    /// Names that differ in what varies from build to build, and functions without names.
    fn join_builds(&mut self) {
        let same = self.same(false, |row| Some(self.key(row)));
        self.join(same);
    }

    /// Rows of which the filter selected one side only: a name or file may match on one side alone.
    fn join_selected(&mut self) {
        if self.finder.is_selected.is_empty() {
            return;
        }
        let same = self.same(true, |row| {
            (!self.is_address(row)).then(|| Key {
                is_selected: None,
                ..self.key(row)
            })
        });
        self.join(only_pairs(same));
    }

    /// What a row is compared by, unless something makes no difference.
    fn key(&self, row: u32) -> Key {
        let name = self.name(row);
        Key {
            name: without_build(&demangle(name)).into_owned(),
            file: self.file(row),
            object: is_address(name).then(|| self.object_of[row as usize]),
            is_selected: self.finder.is_selected.get(row as usize).copied(),
        }
    }

    fn file(&self, row: u32) -> FileId {
        self.finder.keys[row as usize].0
    }

    fn name(&self, row: u32) -> &[u8] {
        let (_, name) = self.finder.keys[row as usize];
        match &self.finder.groups {
            None => self.profile.name(name),
            Some(groups) => &groups.texts[name.index()],
        }
    }

    fn is_address(&self, row: u32) -> bool {
        is_address(self.name(row))
    }

    /// The rows of one side that are one by their keys, of those that have one. Those that are one already are left out. With
    /// `of_both` also the rows of both sides that have such a key.
    fn same(&self, of_both: bool, key_of: impl Fn(u32) -> Option<Key>) -> HashMap<Key, Same> {
        let mut same: HashMap<Key, Same> = HashMap::new();
        let mut is_joined = vec![false; self.kept.len()];
        let joined = self.kept.iter().enumerate();
        for (row, &other) in joined.filter(|&(row, &other)| row as u32 != other) {
            (is_joined[row], is_joined[other as usize]) = (true, true);
        }
        let rows = || (0..).zip(&self.sides).zip(&is_joined);
        let rows =
            || rows().filter_map(|((row, &on), is_joined)| (!is_joined).then_some((row, on)));
        for (row, on) in rows().filter(|(_, on)| on.new != on.base) {
            if let Some(key) = key_of(row) {
                let one = same.entry(key).or_default();
                one.rows.push(row);
                one.presence = one.presence.or(on);
            }
        }
        if of_both && !same.is_empty() {
            for (row, _) in rows().filter(|(_, on)| on.new && on.base) {
                if let Some(one) = key_of(row).and_then(|key| same.get_mut(&key)) {
                    one.of_both.push(row);
                }
            }
        }
        same
    }

    /// Makes pairs one row, and functions without names.
    fn join(&mut self, same: HashMap<Key, Same>) {
        for (key, one) in same {
            let is_nameless = key.object.is_some();
            if one.rows.len() < 2 || !is_nameless && !one.is_pair() {
                continue;
            }
            let is_new = |row: u32| self.sides[row as usize].new;
            let of_new = one.rows.iter().find(|&&row| is_new(row));
            let first = of_new.or(one.rows.first()).copied().unwrap_or(0);
            if is_nameless {
                let of_new = one.rows.iter().filter(|&&row| is_new(row)).count();
                let count = of_new.max(one.rows.len() - of_new);
                self.merged.nameless.insert(first, count);
            }
            for &row in &one.rows {
                self.kept[row as usize] = first;
                if self.finder.is_selected.get(row as usize) == Some(&true) {
                    self.merged.selected.push(first);
                }
            }
        }
    }
}

/// Those of which there is one row on each side.
fn only_pairs(mut same: HashMap<Key, Same>) -> HashMap<Key, Same> {
    same.retain(|_, one| one.is_only_pair());
    same
}
