//! Merges rows of a difference whose names differ only in what varies from build to build.

use std::borrow::Cow;
use std::sync::LazyLock;

use hashbrown::HashMap;
use regex::bytes::Regex;

use super::finder::Finder;
use crate::demangle::demangle;
use crate::graph::Partition;
use crate::profile::{FileId, FragmentId, Presence, Profile};
use crate::view::row_by::{RowBy, RowOptions};

/// Merges the rows of one side whose names differ only in what varies from build to build. Unnamed functions without a
/// partner at the same address become one row per object; the map has the number of functions of each such row. A
/// merged row is selected if the filter selected it on at least one side.
pub(super) fn merge<'p>(
    profile: &'p Profile,
    finder: &mut Finder<'_>,
    options: &RowOptions,
    partition: Partition<'p>,
) -> (Partition<'p>, HashMap<u32, usize>) {
    let merges = [RowBy::FileFunction, RowBy::Function, RowBy::Name];
    if !merges.contains(&options.row_by) {
        return (partition, HashMap::new());
    }
    let mut merging = Merging {
        profile,
        finder,
        sides: presence(profile, &partition),
        object_of: objects(profile, &partition),
        kept: (0..partition.len() as u32).collect(),
        is_joined: vec![false; partition.len()],
        nameless: HashMap::new(),
    };
    merging.join_builds();
    if !options.filter.is_empty() {
        merging.join_selected();
    }
    let Merging { kept, nameless, .. } = merging;
    let fragments = 0..profile.fragments().len() as u32;
    let of_fragment = fragments.map(|id| kept[partition.of_fragment(FragmentId(id)) as usize]);
    let partition = Partition::new(profile, partition.len(), of_fragment.collect());
    (partition, nameless)
}

fn objects(profile: &Profile, partition: &Partition<'_>) -> Vec<u32> {
    let mut object_of = vec![u32::MAX; partition.len()];
    for (id, function) in profile.functions() {
        let row = partition.of_function(id) as usize;
        object_of[row] = function.object.0;
    }
    object_of
}

/// The key by which rows of one side are merged.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    name: Vec<u8>,
    file: FileId,
    /// The object, for functions without names.
    object: Option<u32>,
    /// Whether the filter selected the row; none to ignore that.
    is_selected: Option<bool>,
}

struct Merging<'m, 'f> {
    profile: &'m Profile,
    finder: &'m mut Finder<'f>,
    sides: Vec<Presence>,
    object_of: Vec<u32>,
    /// By row the row that it is merged into, and whether it was merged.
    kept: Vec<u32>,
    is_joined: Vec<bool>,
    /// By row the number of unnamed functions merged into it.
    nameless: HashMap<u32, usize>,
}

impl Merging<'_, '_> {
    /// Merges rows whose names differ in what varies from build to build, and functions without names.
    fn join_builds(&mut self) {
        let same = self.same(|row| self.is_on_one_side(row).then(|| self.key(row)));
        for (key, rows) in same {
            let is_nameless = key.object.is_some();
            if rows.len() < 2 || !is_nameless && !self.is_on_both(&rows) {
                continue;
            }
            let first = self.join(&rows);
            if is_nameless {
                let of_new = rows.iter().filter(|&&row| self.sides[row as usize].new);
                let of_new = of_new.count();
                let count = of_new.max(rows.len() - of_new);
                self.nameless.insert(first, count);
            }
        }
    }

    /// Merges rows that the filter selected on one side only (a name or file may match on one side alone), if they are
    /// the only pair with that name.
    fn join_selected(&mut self) {
        let mut rows = 0..self.kept.len() as u32;
        let is_left = |row| self.is_on_one_side(row) && !self.is_joined[row as usize];
        if !rows.any(is_left) {
            return;
        }
        let same = self.same(|row| {
            let is_known = self.sides[row as usize] != Presence::default();
            let is_left = is_known && !self.is_joined[row as usize] && !is_address(self.name(row));
            is_left.then(|| Key {
                is_selected: None,
                ..self.key(row)
            })
        });
        for rows in same.into_values() {
            let is_one_sided = |&row: &u32| self.is_on_one_side(row);
            if rows.len() == 2 && rows.iter().all(is_one_sided) && self.is_on_both(&rows) {
                self.join(&rows);
            }
        }
    }

    fn key(&self, row: u32) -> Key {
        let name = self.name(row);
        Key {
            name: without_build(&demangle(name)).into_owned(),
            file: self.finder.keys[row as usize].file,
            object: is_address(name).then(|| self.object_of[row as usize]),
            is_selected: Some(self.finder.keys[row as usize].is_selected),
        }
    }

    fn name(&self, row: u32) -> &[u8] {
        let name = self.finder.keys[row as usize].name;
        match &self.finder.groups {
            None => self.profile.name(name),
            Some(groups) => groups.names.name(name.0),
        }
    }

    fn is_on_one_side(&self, row: u32) -> bool {
        let on = self.sides[row as usize];
        on.new != on.base
    }

    fn is_on_both(&self, rows: &[u32]) -> bool {
        let sides = rows.iter().map(|&row| self.sides[row as usize]);
        let on = sides.fold(Presence::default(), Presence::or);
        on.new && on.base
    }

    /// Groups rows by key, without those that have none.
    fn same(&self, key_of: impl Fn(u32) -> Option<Key>) -> HashMap<Key, Vec<u32>> {
        let mut same: HashMap<Key, Vec<u32>> = HashMap::new();
        for row in 0..self.kept.len() as u32 {
            if let Some(key) = key_of(row) {
                same.entry(key).or_default().push(row);
            }
        }
        same
    }

    /// Merges rows into the first, which is returned. That is a row of NEW if any is, because NEW is read first.
    fn join(&mut self, rows: &[u32]) -> u32 {
        let first = rows[0];
        for &row in rows {
            self.kept[row as usize] = first;
            self.is_joined[row as usize] = true;
            let is_selected = self.finder.keys[row as usize].is_selected;
            self.finder.keys[first as usize].is_selected |= is_selected;
        }
        first
    }
}

const NAMELESS: &[u8] = b"(functions without names)";

/// Removes what varies from build to build from a readable name: `[clone .isra.0]`, `.constprop.0`, `.llvm.123`,
/// `::h0123456789abcdef`. All addresses get the same name.
pub(in crate::view) fn without_build(name: &[u8]) -> Cow<'_, [u8]> {
    if is_address(name) {
        return NAMELESS.into();
    }
    // The suffixes of contexts and of recursion levels stay.
    let parts = name
        .split(|&byte| byte == b'\'')
        .map(without_build_suffixes);
    let parts: Vec<&[u8]> = parts.collect();
    parts.join(&b'\'').into()
}

/// Whether a name is the address of a function without a name.
fn is_address(name: &[u8]) -> bool {
    name.strip_prefix(b"0x").is_some_and(|digits| {
        let digits = digits.split(|&byte| byte == b'\'').next().unwrap_or(digits);
        !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
    })
}

fn without_build_suffixes(name: &[u8]) -> &[u8] {
    static SUFFIXES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let hash = r"(?:::h[0-9A-Fa-f]{16})?";
        let others = r"\.cold|\.(?:isra|constprop|part|llvm|lto_priv)\.[0-9]+| \[clone [^\]]*\]";
        Regex::new(&format!("(?-u){hash}(?:{others})*$")).ok()
    });
    let found = SUFFIXES.as_ref().and_then(|suffixes| suffixes.find(name));
    let end = found
        .map(|suffixes| suffixes.start())
        .filter(|&end| end > 0);
    &name[..end.unwrap_or(name.len())]
}

/// The sides that each row is on; empty if this is not a difference.
pub(super) fn presence(profile: &Profile, partition: &Partition<'_>) -> Vec<Presence> {
    if !profile.is_difference() {
        return Vec::new();
    }
    let mut presence = vec![Presence::default(); partition.len()];
    let mut join = |row: u32, other: Presence| {
        presence[row as usize] = presence[row as usize].or(other);
    };
    for (place, on) in profile.places_and_sites() {
        join(partition.of_fragment(place.fragment), on);
    }
    for (number, call) in profile.calls.iter().enumerate() {
        let row = partition.of_function(call.callee);
        join(row, profile.presence_of_call(number));
    }
    presence
}
