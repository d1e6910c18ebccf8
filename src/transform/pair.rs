//! Pairs paths of BASE with paths of NEW, for a program in different directories. Paths that only
//! one side has are paired by their longest common suffix of whole components, or, as `words.c` and
//! `words2.c`, if they differ in digits alone and have the same functions. In a series each side is
//! paired with the one after it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};

use crate::profile::{BASE, FileId, Fragment, NEW, NameId, ObjectId, Presence, Profile};
use crate::source::{basename, normal};
use crate::transform::rename::{last_word, own_name};

/// The maximum number of components of a path to compare.
const MAX_COMPONENTS: usize = 32;

/// The maximum number of paths with the same suffix to consider.
const MAX_CANDIDATES: usize = 16;

/// The part of the names of functions that are most of them: three quarters.
const MOST: (usize, usize) = (3, 4);

/// Pairs the files and objects of a difference. `are_versions` says whether the texts of a file of
/// BASE and one of NEW are versions of one, if both are known. Also returns a message about the
/// prefixes of BASE and NEW, whose names are given in this order, with most pairs.
pub fn pair(
    profile: Profile,
    sides: [&str; 2],
    are_versions: impl Fn(&[u8], &[u8]) -> Option<bool>,
) -> (Profile, Option<String>) {
    if !profile.is_difference() {
        return (profile, None);
    }
    let object_count = profile.functions().map(|(_, function)| function.object.index() + 1).max();
    let mut file_sides = vec![Presence::default(); profile.file_count()];
    let mut object_sides = vec![Presence::default(); object_count.unwrap_or(0)];
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
    let file_names: Vec<Cow<'_, [u8]>> = profile.files().map(normal).collect();
    let count = profile.sides().count();
    let compared = ComparedPaths {
        profile: &profile,
        functions: functions_of(&profile, &file_sides, |fragment| fragment.file.index()),
        needs_common: true,
        are_versions: &|base, new| {
            let [base, new] = [base, new].map(|file| profile.file(FileId(file as u32)));
            are_versions(base, new)
        },
    };
    let (files, of_files) = pairs_of_sides(&slices(&file_names), &file_sides, count, &compared);
    let object_names: Vec<Cow<'_, [u8]>> =
        (0..object_sides.len() as u32).map(|id| normal(profile.object(ObjectId(id)))).collect();
    let object_of = |fragment: &Fragment| profile.function(fragment.function).object.index();
    let compared = ComparedPaths {
        profile: &profile,
        functions: functions_of(&profile, &object_sides, object_of),
        needs_common: false,
        are_versions: &|_, _| Some(true),
    };
    let (objects, of_objects) =
        pairs_of_sides(&slices(&object_names), &object_sides, count, &compared);
    let summary = if of_files.is_empty() {
        summary(&of_objects, sides, "object")
    } else {
        summary(&of_files, sides, "file")
    };
    (profile.with_partners(&files, &objects), summary)
}

fn slices<'n>(names: &'n [Cow<'_, [u8]>]) -> Vec<&'n [u8]> {
    names.iter().map(|name| &name[..]).collect()
}

/// What is known of files or objects that some sides lack: the names of the functions with code in
/// each.
struct ComparedPaths<'p> {
    profile: &'p Profile,
    functions: Vec<HashSet<NameId>>,
    /// Whether paths are no pair without a function that both have.
    needs_common: bool,
    /// Whether a path of BASE and one of NEW are versions of one thing, by what they contain; none
    /// if that is not known.
    are_versions: &'p dyn Fn(usize, usize) -> Option<bool>,
}

/// By path the names of its functions, if some sides lack it. Each fragment is `of` a path.
fn functions_of(
    profile: &Profile,
    sides: &[Presence],
    of: impl Fn(&Fragment) -> usize,
) -> Vec<HashSet<NameId>> {
    let mut functions = vec![HashSet::new(); sides.len()];
    for fragment in profile.fragments() {
        let at = of(fragment);
        if sides[at].is_partial(profile.sides().count()) {
            functions[at].insert(profile.function(fragment.function).name);
        }
    }
    functions
}

impl ComparedPaths<'_> {
    fn may_be_pair(&self, base: usize, new: usize) -> bool {
        let [base, new] = [base, new].map(|at| &self.functions[at]);
        !self.needs_common || base.iter().any(|name| new.contains(name))
    }

    /// Whether two paths with other names are one: most functions of either are in both, or all
    /// where nothing else is known of the paths. Their names are compared by the last words, as
    /// those before may be the name of the program.
    fn are_one(&self, base: usize, new: usize) -> bool {
        let words = |at: usize| -> HashSet<Vec<u8>> {
            let names = self.functions[at].iter().map(|&name| self.profile.name(name));
            names.filter_map(|name| Some(last_word(&own_name(name))?.to_vec())).collect()
        };
        let [of_base, of_new] = [base, new].map(words);
        let same = of_base.intersection(&of_new).count();
        let all = of_base.len().max(of_new.len());
        match (self.are_versions)(base, new) {
            Some(are_versions) => are_versions && same > 0 && same * MOST.1 >= all * MOST.0,
            None => same > 1 && same == all,
        }
    }
}

fn summary(prefixes: &Prefixes, [of_base, of_new]: [&str; 2], what: &str) -> Option<String> {
    let (base, new, count) = prefixes.first()?;
    let elsewhere: usize = prefixes[1..].iter().map(|(.., count)| count).sum();
    let others = match elsewhere {
        0 => String::new(),
        _ => format!(", and {elsewhere} elsewhere"),
    };
    let s = if *count == 1 { "" } else { "s" };
    let text = |prefix: &[u8]| match prefix {
        b"" => "./".to_owned(),
        prefix => prefix.escape_ascii().to_string(),
    };
    let (base, new) = (text(base), text(new));
    Some(format!(
        "{base} in {of_base} is compared with {new} in {of_new} ({count} {what}{s}{others})"
    ))
}

/// The partner of each path on a later side, through all sides between, and the prefixes that
/// differ between NEW and BASE. Two paths that one side has are never the same.
fn pairs_of_sides(
    names: &[&[u8]],
    sides: &[Presence],
    count: usize,
    compared: &ComparedPaths<'_>,
) -> (Vec<u32>, Prefixes) {
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

/// Pairs of prefixes with the number of paths that have them, most first.
type Prefixes = Vec<(Vec<u8>, Vec<u8>, usize)>;

/// The partner of each path, and the prefixes that differ. If a pair has only the last component in
/// common, and no other pair has its prefixes, the functions decide: all Rust modules have a
/// `mod.rs`.
fn pairs(
    names: &[&[u8]],
    sides: &[Presence],
    compared: &ComparedPaths<'_>,
) -> (Vec<u32>, Prefixes) {
    let mut partners: Vec<u32> = (0..names.len() as u32).collect();
    let mut chosen = choose(names, &candidates(names, sides));
    chosen.retain(|pair| {
        pair.votes > 1 || pair.tail.contains(&b'/') || compared.may_be_pair(pair.id, pair.other)
    });
    // By path of NEW the key of the best pair, and whether only one pair has it.
    let mut best: HashMap<usize, ((usize, usize), bool)> = HashMap::new();
    for pair in &chosen {
        let known = best.entry(pair.other);
        known
            .and_modify(|(key, is_only)| *is_only &= *key != pair.key())
            .or_insert((pair.key(), true));
    }
    let mut count: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
    for pair in &chosen {
        if best.get(&pair.other) == Some(&(pair.key(), true)) {
            partners[pair.id] = pair.other as u32;
            let path = |id: usize| prefix(names[id], pair.tail);
            *count.entry((path(pair.id), path(pair.other))).or_default() += 1;
        }
    }
    let with_other_digits = with_other_digits(names, sides, &partners, compared);
    for &(id, other) in &with_other_digits {
        partners[id] = other as u32;
    }
    let of_renamed = with_other_digits.iter().map(|&(id, other)| ((names[id], names[other]), 1));
    // Two spellings of one path are nothing to tell.
    let mut prefixes: Prefixes = count
        .into_iter()
        .chain(of_renamed)
        .filter(|((base, new), _)| base != new)
        .map(|((a, b), n)| (a.to_vec(), b.to_vec(), n))
        .collect();
    prefixes.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
    (partners, prefixes)
}

/// The paths without a partner that are in one folder, differ in the digits of their last component
/// alone, and have the same functions: of each side the only one of this kind.
fn with_other_digits(
    names: &[&[u8]],
    sides: &[Presence],
    partners: &[u32],
    compared: &ComparedPaths<'_>,
) -> Vec<(usize, usize)> {
    let mut is_partner = vec![false; names.len()];
    for (id, &other) in partners.iter().enumerate().filter(|&(id, &other)| id as u32 != other) {
        (is_partner[id], is_partner[other as usize]) = (true, true);
    }
    let mut of_stems: BTreeMap<Vec<u8>, [Vec<usize>; 2]> = BTreeMap::new();
    for is_new in [false, true] {
        for id in only_on(is_new, names, sides).filter(|&id| !is_partner[id]) {
            let stem = without_digits(names[id]);
            of_stems.entry(stem).or_default()[usize::from(is_new)].push(id);
        }
    }
    let of_stems = of_stems.into_values();
    let pairs = of_stems.filter_map(|[base, new]| match (&base[..], &new[..]) {
        (&[base], &[new]) => Some((base, new)),
        _ => None,
    });
    pairs.filter(|&(base, new)| compared.are_one(base, new)).collect()
}

/// A path without the digits of its last component.
fn without_digits(path: &[u8]) -> Vec<u8> {
    let start = path.len() - basename(path).len();
    let mut stem = path.to_vec();
    stem.truncate(start);
    stem.extend(path[start..].iter().filter(|byte| !byte.is_ascii_digit()));
    stem
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
