//! Pairs paths of BASE with paths of NEW, for a program in different directories. Paths that only
//! one side has are paired by their longest common suffix of whole components, then those that got
//! another name by what they contain (`renamed`). In a series each side is paired with the one
//! after it.

mod renamed;

use std::borrow::Cow;

use hashbrown::HashMap;

use self::renamed::{ComparedPaths, PathsOf, renamed};
use crate::profile::{BASE, FileId, Fragment, NEW, ObjectId, Presence, Profile};
use crate::source::normal;
use crate::transform::rename::may_be_versions;

/// The maximum number of components of a path to compare.
const MAX_COMPONENTS: usize = 32;

/// The maximum number of paths with the same suffix to consider.
const MAX_CANDIDATES: usize = 16;

/// Pairs the files and objects of a difference. `likeness` is the part of their code that the texts
/// of a file of BASE and one of NEW have in common, if both are known. Also returns a message about
/// the prefixes of BASE and NEW, whose names are given in this order, with most pairs.
pub fn pair(
    profile: Profile,
    sides: [&str; 2],
    likeness: impl Fn(&[u8], &[u8]) -> Option<f64>,
) -> (Profile, Option<String>) {
    if !profile.is_difference() {
        return (profile, None);
    }
    let (file_sides, object_sides) = sides_of_paths(&profile);
    let file_names: Vec<Cow<'_, [u8]>> = profile.files().map(normal_here).collect();
    let count = profile.sides().count();
    let likeness_of_files = |base: usize, new: usize| {
        let [base, new] = [base, new].map(|file| profile.file(FileId(file as u32)));
        likeness(base, new)
    };
    let compared = ComparedPaths::new(&profile, PathsOf::Files, &file_sides, &likeness_of_files);
    let (files, of_files) = pairs_of_sides(&slices(&file_names), &file_sides, count, &compared);
    let object_names: Vec<Cow<'_, [u8]>> =
        (0..object_sides.len() as u32).map(|id| normal(profile.object(ObjectId(id)))).collect();
    let likeness_of_objects = |base: usize, new: usize| {
        let [base, new] = [base, new].map(|object| profile.object(ObjectId(object as u32)));
        Some(if may_be_versions(base, new) { 1.0 } else { 0.0 })
    };
    let compared =
        ComparedPaths::new(&profile, PathsOf::Objects, &object_sides, &likeness_of_objects);
    let (objects, of_objects) =
        pairs_of_sides(&slices(&object_names), &object_sides, count, &compared);
    let summary =
        summary(&of_files, sides, "file").or_else(|| summary(&of_objects, sides, "object"));
    (profile.with_partners(&files, &objects), summary)
}

/// By file, and by object, the sides that have code in it.
fn sides_of_paths(profile: &Profile) -> (Vec<Presence>, Vec<Presence>) {
    let mut file_sides = vec![Presence::default(); profile.file_count()];
    let mut object_sides = vec![Presence::default(); profile.object_count()];
    // A function that was joined from several files has one of them, which may be another side's.
    let are_joined = profile.is_from_cachegrind();
    let mut add = |fragment: Fragment, on: Presence| {
        let function = profile.function(fragment.function);
        let own_file = (!are_joined).then_some(function.file);
        for file in [fragment.file].into_iter().chain(own_file) {
            file_sides[file.index()] = file_sides[file.index()].or(on);
        }
        let object = &mut object_sides[function.object.index()];
        *object = object.or(on);
    };
    for (place, on) in profile.places_and_sites() {
        add(profile.fragment(place.fragment), on);
    }
    for (number, call) in profile.calls.iter().enumerate() {
        let home = profile.fragment(profile.home(call.callee));
        add(home, profile.presence_of_call(number));
    }
    (file_sides, object_sides)
}

/// The normal form of a path: without `./` at its start, too, as the current folder is that of both
/// sides.
fn normal_here(path: &[u8]) -> Cow<'_, [u8]> {
    let start = |path: &[u8]| if path.starts_with(b"./") { 2 } else { 0 };
    match normal(path) {
        Cow::Borrowed(path) => Cow::Borrowed(&path[start(path)..]),
        Cow::Owned(path) => Cow::Owned(path[start(&path)..].to_vec()),
    }
}

fn slices<'n>(names: &'n [Cow<'_, [u8]>]) -> Vec<&'n [u8]> {
    names.iter().map(|name| &name[..]).collect()
}

/// What differs in the paths of BASE and NEW that are one.
#[derive(Default)]
struct OtherPaths {
    /// Pairs of prefixes with the number of paths that have them, most first.
    prefixes: Vec<(Vec<u8>, Vec<u8>, usize)>,
    /// The paths with other names.
    renamed: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The message about other paths: the prefixes that most of them have, and the first other name.
fn summary(paths: &OtherPaths, [of_base, of_new]: [&str; 2], what: &str) -> Option<String> {
    let text = |prefix: &[u8]| match prefix {
        b"" => "./".to_owned(),
        prefix => prefix.escape_ascii().to_string(),
    };
    let renamed = paths.renamed.first().map(|(base, new)| {
        let more = match paths.renamed.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more with other names"),
        };
        (text(base), text(new), more)
    });
    let Some((base, new, count)) = paths.prefixes.first() else {
        let (base, new, more) = renamed?;
        return Some(format!("{base} in {of_base} is compared with {new} in {of_new}{more}"));
    };
    let elsewhere: usize = paths.prefixes[1..].iter().map(|(.., count)| count).sum();
    let others = match elsewhere {
        0 => String::new(),
        _ => format!(", and {elsewhere} elsewhere"),
    };
    let s = if *count == 1 { "" } else { "s" };
    let (base, new) = (text(base), text(new));
    let renamed =
        renamed.map_or_else(String::new, |(base, new, more)| format!(", {base} with {new}{more}"));
    Some(format!(
        "{base} in {of_base} is compared with {new} in {of_new} ({count} {what}{s}{others}){renamed}"
    ))
}

/// The partner of each path on a later side, through all sides between, and what differs between
/// NEW and BASE. Two paths that one side has are never the same.
fn pairs_of_sides(
    names: &[&[u8]],
    sides: &[Presence],
    count: usize,
    compared: &ComparedPaths<'_>,
) -> (Vec<u32>, OtherPaths) {
    let between = |later: usize| -> Vec<Presence> {
        sides.iter().map(|on| Presence::of(on.has(later), on.has(later + 1))).collect()
    };
    let (mut partners, of_new) = pairs(names, &between(NEW), compared);
    if count == BASE + 1 {
        return (partners, of_new);
    }
    // By path the sides that have it or a path that is the same.
    let mut on = sides.to_vec();
    for (id, &other) in partners.iter().enumerate() {
        on[other as usize] = on[other as usize].or(sides[id]);
    }
    for later in BASE..count - 1 {
        let (of_later, _) = pairs(names, &between(later), compared);
        for (id, &other) in of_later.iter().enumerate().filter(|&(id, &other)| id as u32 != other) {
            let last = last_partner(&partners, other as usize);
            if partners[id] as usize == id && !on[id].meets(on[last]) {
                partners[id] = last as u32;
                on[last] = on[last].or(on[id]);
            }
        }
    }
    for id in 0..partners.len() {
        partners[id] = last_partner(&partners, id) as u32;
    }
    (partners, of_new)
}

/// The partner of a path, or of its partner, and so on: the path that has no other.
fn last_partner(partners: &[u32], mut id: usize) -> usize {
    while partners[id] as usize != id {
        id = partners[id] as usize;
    }
    id
}

/// The partner of each path, and what differs in them. If a pair has only the last component in
/// common, and no other pair has its prefixes, the functions decide: all Rust modules have a
/// `mod.rs`.
fn pairs(
    names: &[&[u8]],
    sides: &[Presence],
    compared: &ComparedPaths<'_>,
) -> (Vec<u32>, OtherPaths) {
    let mut partners: Vec<u32> = (0..names.len() as u32).collect();
    let mut chosen = choose(names, &candidates(names, sides));
    chosen.retain(|pair| {
        pair.votes > 1 || pair.tail.contains(&b'/') || compared.may_be_pair(pair.id, pair.other)
    });
    let mut best: HashMap<usize, Best<'_>> = HashMap::new();
    for pair in &chosen {
        let (key, path) = (pair.key(), names[pair.id]);
        best.entry(pair.other)
            .and_modify(|best| best.is_only &= best.key != key || best.path == path)
            .or_insert(Best { key, path, is_only: true });
    }
    let mut count: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    for pair in &chosen {
        if best.get(&pair.other).is_some_and(|best| best.is_only && best.key == pair.key()) {
            partners[pair.id] = pair.other as u32;
            let path = |id: usize| prefix(names[id], pair.tail);
            *count.entry((path(pair.id), path(pair.other))).or_default() += 1;
        }
    }
    let renamed = renamed(names, sides, &partners, compared);
    for &(id, other) in &renamed {
        partners[id] = other as u32;
    }
    // Two spellings of one path are nothing to tell.
    let mut prefixes: Vec<(Vec<u8>, Vec<u8>, usize)> = count
        .into_iter()
        .filter(|((base, new), _)| base != new)
        .map(|((a, b), n)| (a.to_vec(), b.to_vec(), n))
        .collect();
    prefixes.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
    let name = |id: usize| names[id].to_vec();
    let renamed = renamed.into_iter().map(|(base, new)| (name(base), name(new))).collect();
    (partners, OtherPaths { prefixes, renamed })
}

fn only_on(side_is_new: bool, names: &[&[u8]], sides: &[Presence]) -> impl Iterator<Item = usize> {
    let is_only_there = move |&id: &usize| {
        let (on, name) = (sides[id], names[id]);
        let is_path = !name.is_empty() && name != b"???";
        (on.new, on.base) == (side_is_new, !side_is_new) && is_path
    };
    (0..names.len()).filter(is_only_there)
}

/// A path of BASE, the longest suffix that it shares with any path of NEW, and the paths of NEW
/// with that suffix.
type Candidates<'n> = (usize, &'n [u8], Vec<usize>);

fn candidates<'n>(names: &[&'n [u8]], sides: &[Presence]) -> Vec<Candidates<'n>> {
    let mut of_tail: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for id in only_on(true, names, sides) {
        for tail in tails(names[id]) {
            let ids = of_tail.entry(tail).or_default();
            if ids.len() <= MAX_CANDIDATES {
                ids.push(id);
            }
        }
    }
    let of_base = only_on(false, names, sides).filter_map(|id| {
        let mut tails = tails(names[id]);
        let (tail, others) = tails.find_map(|tail| Some((tail, of_tail.get(tail)?)))?;
        Some((id, tail, others.clone()))
    });
    of_base.collect()
}

/// A candidate pair, with the number of candidates that have its prefixes.
struct Chosen<'n> {
    id: usize,
    other: usize,
    tail: &'n [u8],
    votes: usize,
}

/// The best pair of a path of NEW.
struct Best<'n> {
    key: (usize, usize),
    /// The path in BASE.
    path: &'n [u8],
    /// Whether only pairs with spellings of that path have the key.
    is_only: bool,
}

impl Chosen<'_> {
    /// The quality of a pair: the length of the suffix, then the number of pairs with the same
    /// prefixes.
    fn key(&self) -> (usize, usize) {
        (self.tail.len(), self.votes)
    }
}

/// Selects for each path the candidate whose prefixes most others share, unless there is a tie; the
/// best pairs first.
fn choose<'n>(names: &[&'n [u8]], candidates: &[Candidates<'n>]) -> Vec<Chosen<'n>> {
    let prefixes = |id: usize, other: usize, tail: &[u8]| {
        (prefix(names[id], tail), prefix(names[other], tail))
    };
    let mut votes: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    for &(id, tail, ref others) in candidates {
        for &other in others {
            *votes.entry(prefixes(id, other, tail)).or_default() += 1;
        }
    }
    let mut chosen = Vec::new();
    for &(id, tail, ref others) in candidates {
        let votes_for = |other: usize| votes[&prefixes(id, other, tail)];
        let most = others.iter().map(|&other| votes_for(other)).max().unwrap_or(0);
        let mut best = others.iter().filter(|&&other| votes_for(other) == most);
        if let (Some(&other), None) = (best.next(), best.next()) {
            chosen.push(Chosen { id, other, tail, votes: most });
        }
    }
    chosen.sort_by(|a, b| b.key().cmp(&a.key()).then(a.id.cmp(&b.id)));
    chosen
}

/// The part of a path before its suffix.
fn prefix<'n>(path: &'n [u8], tail: &[u8]) -> &'n [u8] {
    &path[..path.len() - tail.len()]
}

/// The suffixes of a path that begin after a slash, and the path itself; the longest first.
fn tails(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    let mut starts: Vec<usize> = slashes
        .map(|(at, _)| at + 1)
        .take(MAX_COMPONENTS)
        .filter(|&start| start < path.len())
        .collect();
    if starts.len() < MAX_COMPONENTS && starts.last() != Some(&0) {
        starts.push(0);
    }
    starts.into_iter().rev().map(|start| &path[start..])
}
