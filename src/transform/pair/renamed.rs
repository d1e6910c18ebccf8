//! Files and programs that have another name in NEW than in BASE: no path of the other side has a
//! common end with theirs, but they contain the same.
//!
//! A path that only BASE has and one that only NEW has may be one if
//!
//! - the texts of the files are known, and most of their code is equal, or half of it and half of
//!   the names of their functions, as git takes half of a renamed file to be enough; or
//! - they are programs, or libraries of one name, and most functions have the same names; or
//! - the texts of the files are not known, the last words of the names of all functions are the
//!   same, of which there are several, and either the paths differ in digits of their last
//!   components alone, as `words.c` and `words2.c`, or the functions have the same names (but for
//!   that of a module, which is the path's) and most cost nearly the same.
//!
//! They are one if neither of them may be one with another path. Those that have most in common are
//! paired before those that have half.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};

use super::{MAX_CANDIDATES, only_on};
use crate::profile::{Fragment, NameId, Presence, Profile};
use crate::source::{basename, tokens};
use crate::transform::rename::{last_word, own_name};

/// The part of the functions or lines that are most of them.
const MOST: f64 = 0.75;

const HALF: f64 = 0.5;

/// Costs that are nearly the same differ at most by a twentieth.
const COST_PARTS: i128 = 20;

/// What paths are of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathsOf {
    Files,
    Objects,
}

impl PathsOf {
    fn of_fragment(self, fragment: &Fragment, profile: &Profile) -> usize {
        match self {
            PathsOf::Files => fragment.file.index(),
            PathsOf::Objects => profile.function(fragment.function).object.index(),
        }
    }

    /// The part that versions of one thing have in common: the later ones are for paths that have
    /// no partner by those before.
    fn common_parts(self) -> &'static [f64] {
        match self {
            PathsOf::Files => &[MOST, HALF],
            PathsOf::Objects => &[MOST],
        }
    }
}

/// What is known of files or objects that some sides lack: the names of the functions with code in
/// each.
pub(super) struct ComparedPaths<'p> {
    profile: &'p Profile,
    kind: PathsOf,
    functions: Vec<HashSet<NameId>>,
    /// The part of the contents of a path of BASE and one of NEW that is equal; none if it is not
    /// known.
    likeness: &'p dyn Fn(usize, usize) -> Option<f64>,
    /// By path and function the cost; found on first use.
    costs: OnceCell<HashMap<(usize, NameId), i128>>,
}

impl<'p> ComparedPaths<'p> {
    pub(super) fn new(
        profile: &'p Profile,
        kind: PathsOf,
        sides: &[Presence],
        likeness: &'p dyn Fn(usize, usize) -> Option<f64>,
    ) -> ComparedPaths<'p> {
        let mut functions = vec![HashSet::new(); sides.len()];
        for fragment in profile.fragments() {
            let path = kind.of_fragment(fragment, profile);
            if sides[path].is_partial(profile.sides().count()) {
                functions[path].insert(profile.function(fragment.function).name);
            }
        }
        ComparedPaths { profile, kind, functions, likeness, costs: OnceCell::new() }
    }

    /// Whether two paths may be one: files only if they have a function in common.
    pub(super) fn may_be_pair(&self, base: usize, new: usize) -> bool {
        let [base, new] = [base, new].map(|at| &self.functions[at]);
        self.kind == PathsOf::Objects || base.iter().any(|name| new.contains(name))
    }

    /// The functions of a path by the last words of their names, as those before may be the name of
    /// the program or of a module.
    fn words(&self, path: usize) -> FunctionsByWord {
        let mut words = FunctionsByWord::new();
        for &name in &self.functions[path] {
            if let Some(word) = last_word(&own_name(self.profile.name(name))) {
                words.entry(word.to_vec()).or_default().push(name);
            }
        }
        words
    }

    /// The part that two paths with other names have in common; 0 if they are not versions of one
    /// thing.
    fn part_in_common(&self, base: &NamedPath, new: &NamedPath, have_same_stem: bool) -> f64 {
        let same = base.words.keys().filter(|word| new.words.contains_key(*word)).count();
        let all = base.words.len().max(new.words.len());
        match (self.likeness)(base.path, new.path) {
            // Files with mostly equal texts need no functions of the same names.
            Some(likeness) if self.kind == PathsOf::Files && likeness >= MOST => likeness,
            Some(likeness) => likeness.min(same as f64 / all.max(1) as f64),
            None => {
                let is_same_by_functions = same > 1
                    && same == all
                    && (have_same_stem || self.have_same_functions(base, new));
                if is_same_by_functions { 1.0 } else { 0.0 }
            }
        }
    }

    /// The names of a path's functions, without the module or crate that has the name of the path.
    fn names_without_module(&self, of: &NamedPath) -> BTreeSet<Vec<u8>> {
        let without_module = |&name: &NameId| {
            let own = own_name(self.profile.name(name));
            let others = tokens(&own).filter(|token| *token != &of.module[..]);
            others.collect::<Vec<_>>().join(&b" "[..])
        };
        of.words.values().flatten().map(without_module).collect()
    }

    /// Whether the functions of two paths have the same names, and most cost nearly the same.
    fn have_same_functions(&self, base: &NamedPath, new: &NamedPath) -> bool {
        self.names_without_module(base) == self.names_without_module(new)
            && self.cost_the_same(base, new)
    }

    /// Whether most of the functions of two paths, which have the same names, cost nearly the same.
    fn cost_the_same(&self, base: &NamedPath, new: &NamedPath) -> bool {
        let costs = self.costs.get_or_init(|| self.costs());
        let cost = |of: &NamedPath, word: &[u8]| -> i128 {
            let names = of.words.get(word).into_iter().flatten();
            names.filter_map(|&name| costs.get(&(of.path, name))).sum()
        };
        let is_near = |word: &&Vec<u8>| {
            let [before, after] = [base, new].map(|of| cost(of, word));
            let largest = before.abs().max(after.abs());
            largest > 0 && (after - before).abs() * COST_PARTS <= largest
        };
        let near = base.words.keys().filter(is_near).count();
        near as f64 >= base.words.len() as f64 * MOST
    }

    /// By path and function the self cost of the first event, of several sides the largest one.
    fn costs(&self) -> HashMap<(usize, NameId), i128> {
        let profile = self.profile;
        let mut rows: HashMap<(usize, NameId), usize> = HashMap::new();
        let key = |fragment: &Fragment| {
            (
                self.kind.of_fragment(fragment, self.profile),
                profile.function(fragment.function).name,
            )
        };
        for (path, names) in self.functions.iter().enumerate() {
            for &name in names {
                let next = rows.len();
                rows.insert((path, name), next);
            }
        }
        let sums =
            profile.self_costs_by(rows.len(), |_, fragment| rows.get(&key(&fragment)).copied());
        let mut largest = vec![0i128; rows.len()];
        for table in sums.iter() {
            for (known, cost) in largest.iter_mut().zip(table.iter()) {
                let first = cost.first().map_or(0, |count| i128::from(count.or_zero()));
                if first.abs() > known.abs() {
                    *known = first;
                }
            }
        }
        rows.into_iter().map(|(key, row)| (key, largest[row])).collect()
    }
}

/// The functions of a path by the last words of their names.
type FunctionsByWord = BTreeMap<Vec<u8>, Vec<NameId>>;

/// A path that only one of the compared sides has.
struct NamedPath {
    path: usize,
    /// The path without the digits of its last component.
    stem: Vec<u8>,
    /// The module or crate that its last component is the name of.
    module: Vec<u8>,
    words: FunctionsByWord,
}

/// The pairs of paths, of those that have no partner yet, which are one with another name.
pub(super) fn renamed(
    names: &[&[u8]],
    sides: &[Presence],
    partners: &[u32],
    compared: &ComparedPaths<'_>,
) -> Vec<(usize, usize)> {
    let mut is_partner = vec![false; names.len()];
    for (id, &other) in partners.iter().enumerate().filter(|&(id, &other)| id as u32 != other) {
        (is_partner[id], is_partner[other as usize]) = (true, true);
    }
    let open = |is_new: bool| -> Vec<usize> {
        only_on(is_new, names, sides).filter(|&id| !is_partner[id]).collect()
    };
    let open = [false, true].map(open);
    if open.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let [gone, came] = open.map(|ids| -> Vec<NamedPath> {
        let path = |path| NamedPath {
            path,
            stem: without_digits(names[path]),
            module: module(names[path]),
            words: compared.words(path),
        };
        ids.into_iter().map(path).collect()
    });
    let all_possible = possible_pairs(&gone, &came, compared);
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut paired: HashSet<usize> = HashSet::new();
    for &part in compared.kind.common_parts() {
        let is_possible = |pair: &&PossiblePair| {
            pair.common >= part && !paired.contains(&pair.base) && !paired.contains(&pair.new)
        };
        let possible: Vec<(usize, usize)> =
            all_possible.iter().filter(is_possible).map(|pair| (pair.base, pair.new)).collect();
        let (mut of_gone, mut of_new) = (HashMap::new(), HashMap::new());
        for &(base, new) in &possible {
            *of_gone.entry(base).or_insert(0) += 1;
            *of_new.entry(new).or_insert(0) += 1;
        }
        let is_only = |&(base, new): &(usize, usize)| of_gone[&base] == 1 && of_new[&new] == 1;
        pairs.extend(possible.into_iter().filter(is_only));
        paired.extend(pairs.iter().flat_map(|&(base, new)| [base, new]));
    }
    pairs
}

/// The module or crate that a path would be the name of.
fn module(path: &[u8]) -> Vec<u8> {
    let name = basename(path).split(|&byte| byte == b'.').next().unwrap_or_default();
    name.iter().map(|&byte| if byte == b'-' { b'_' } else { byte }).collect()
}

/// Paths that may be one, and the part that they have in common.
struct PossiblePair {
    base: usize,
    new: usize,
    common: f64,
}

/// The pairs of paths that may be one. Paths are compared if they have the same stem, or share the
/// names of half of the functions of the path that is gone, or if there are few of them; a name
/// that many paths have, such as `main`, says nothing.
fn possible_pairs(
    gone: &[NamedPath],
    came: &[NamedPath],
    compared: &ComparedPaths<'_>,
) -> Vec<PossiblePair> {
    let mut of_stems: HashMap<&[u8], [usize; 2]> = HashMap::new();
    gone.iter().for_each(|path| of_stems.entry(&path.stem[..]).or_default()[0] += 1);
    came.iter().for_each(|path| of_stems.entry(&path.stem[..]).or_default()[1] += 1);
    let mut with_stem: HashMap<&[u8], Vec<usize>> = HashMap::new();
    let mut with_word: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, path) in came.iter().enumerate() {
        with_stem.entry(&path.stem[..]).or_default().push(at);
        for word in path.words.keys() {
            with_word.entry(&word[..]).or_default().push(at);
        }
    }
    with_word.retain(|_, paths| paths.len() <= MAX_CANDIDATES);
    let are_few = gone.len() * came.len() <= MAX_CANDIDATES;
    let mut possible = Vec::new();
    for base in gone {
        let is_only_stem = of_stems[&base.stem[..]] == [1, 1];
        let of_stem = with_stem.get(&base.stem[..]).filter(|_| is_only_stem);
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for word in base.words.keys() {
            let others = with_word.get(&word[..]).into_iter().flatten();
            others.for_each(|&other| *shared.entry(other).or_default() += 1);
        }
        let is_half =
            |&(_, count): &(&usize, &usize)| *count as f64 >= base.words.len() as f64 * HALF;
        let of_words = shared.iter().filter(is_half).map(|(&other, _)| other);
        let of_few = if are_few { 0..came.len() } else { 0..0 };
        let others: BTreeSet<usize> =
            of_stem.into_iter().flatten().copied().chain(of_words).chain(of_few).collect();
        for new in others.into_iter().map(|at| &came[at]) {
            let have_same_stem = is_only_stem && base.stem == new.stem;
            let common = compared.part_in_common(base, new, have_same_stem);
            possible.push(PossiblePair { base: base.path, new: new.path, common });
        }
    }
    possible
}

/// A path without the digits of its last component.
fn without_digits(path: &[u8]) -> Vec<u8> {
    let start = path.len() - basename(path).len();
    let mut stem = path.to_vec();
    stem.truncate(start);
    stem.extend(path[start..].iter().filter(|byte| !byte.is_ascii_digit()));
    stem
}
