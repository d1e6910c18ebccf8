//! Pairs functions that have another name in NEW than in BASE. A function that only BASE has and
//! one that only NEW has are one function if no other pair with one of them is possible (also not
//! with a function that is in the text and was not executed, or was inlined), and
//!
//! - they have the same name, but for that of the program in the paths of a Rust crate, and code in
//!   the file of the other: the file of a function is that of its first instruction, which may be
//!   inlined from elsewhere; or one side was built without debug information, and the file is not
//!   known there; or
//! - they are in the same file, nine tenths of their bodies are equal but for identifiers that only
//!   one of the texts has, and these turn the one name into the other. Of bodies of fewer than five
//!   lines the callers and the number of calls are equal, too; or
//! - they are in the same file, and the texts show that one name became the other everywhere, as
//!   for variables and types (`source::line_map`); or
//! - they are in the same file, and their names are equal but for a namespace, class or module that
//!   the names of several functions got or lost; or
//! - the texts of both are not known, they are in the same file, one word of their names differs,
//!   and they have the same callers, callees and number of calls, and nearly the same self cost.
//!   Few calls and callees are no evidence; or
//! - when all of these are paired, they have the same qualified name, and other parameters or
//!   another file.
//!
//! Callers and callees are compared by their new names; as long as these are not known, one is like
//! another. Pairs whose callers and callees turn out to be others are left out.
//!
//! `by_text`, `by_scopes` and `by_calls` find the possible pairs, [`PairFinder::pairs`] those of
//! which each is the only one.
//!
//! In a series each side is BASE to the side after it, and what had its name already in a profile
//! that has the other function, too, is not renamed.

mod bodies;
mod by_calls;
mod by_name;
mod by_scopes;
mod by_text;
mod groups;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;

use self::bodies::SourceTokens;
pub(super) use self::bodies::body_of_first_line;
pub use self::bodies::lines_of_declarations;
pub(super) use self::groups::own_name;
use self::groups::{OwnNames, RenameGroup, RenameGroups, sides_of_functions};
use crate::profile::{
    AddError, FileId, FunctionId, NEW, NewName, ObjectId, Presence, Profile, Renamed,
    RenamedFunction, without_suffixes,
};
use crate::source::{
    RenamedWords, TextsOfSides, basename, is_identifier, is_no_file, tokens, with_new_words,
};

/// The maximum number of times that callers are compared by new names.
const MAX_ROUNDS: usize = 8;

/// A possible pair of groups, by their numbers.
struct RenameCandidate {
    gone: usize,
    new: usize,
    /// Whether callers and calls have to be equal.
    needs_calls: bool,
    /// Whether callers, callees and calls are all that is known.
    is_by_calls: bool,
    words: RenamedWords,
}

/// What is known of the texts of a file.
type TextsOfFile<'t> = dyn Fn(&Profile, FileId) -> TextsOfSides + 't;

/// Pairs the renamed functions of a difference, and in a series those of each side and the one
/// after it. `texts` has the texts of files for NEW and BASE.
pub fn pair_renamed(mut profile: Profile, texts: &TextsOfFile<'_>) -> Result<Profile, AddError> {
    if !profile.is_difference() {
        return Ok(profile);
    }
    let sides_of = sides_of_functions(&profile);
    let mut names = OwnNames::default();
    let mut renamed = Renamed::default();
    for later in NEW..profile.sides().count() - 1 {
        let Some(mut groups) = RenameGroups::new(&profile, later, &sides_of, &mut names) else {
            continue;
        };
        groups.add_facts(&profile);
        // Which texts the profiles before have is not known.
        let of_earlier = |profile: &Profile, file| match texts(profile, file) {
            TextsOfSides::Same(text) => TextsOfSides::Same(text),
            _ => TextsOfSides::Unknown,
        };
        let texts: &TextsOfFile<'_> = if later == NEW { texts } else { &of_earlier };
        let mut finder = PairFinder::new(&profile, &groups);
        let known = finder.by_names_and_texts(texts);
        let by_names = finder.by_qualified_names(texts);
        let pairs = finder.pairs(known, by_names);
        if pairs.is_empty() {
            continue;
        }
        let new_names: Vec<NewName> =
            pairs.iter().flat_map(|pair| groups.new_names(pair, &profile)).collect();
        let Renamed { functions, words } = groups.renamed(&pairs, &profile);
        renamed.functions.extend(functions);
        if later == NEW {
            renamed.words = words;
        }
        profile = profile.with_renamed(&new_names, renamed.clone())?;
    }
    Ok(profile)
}

impl RenameGroups {
    /// The new names of the functions of BASE in a pair: a level of recursion stays one.
    fn new_names(&self, pair: &RenameCandidate, profile: &Profile) -> Vec<NewName> {
        let suffix = |id: FunctionId| {
            let name = profile.name(profile.function(id).name);
            &name[without_suffixes(name).len()..]
        };
        let of_new = &self.list[pair.new].functions;
        let new_name = |&id: &FunctionId| {
            let same = of_new.iter().find(|&&new| suffix(new) == suffix(id));
            let new = profile.function(*same.or_else(|| of_new.first())?);
            Some(NewName { function: id, name: new.name, file: new.file })
        };
        self.list[pair.gone].functions.iter().filter_map(new_name).collect()
    }

    /// What has another name in BASE.
    fn renamed(&self, pairs: &[RenameCandidate], profile: &Profile) -> Renamed {
        let mut functions = Vec::new();
        for pair in pairs {
            let [gone, new] = [&self.list[pair.gone], &self.list[pair.new]];
            // The shortest one is that of no part of the function.
            let name = |group: &RenameGroup| {
                let ids = group.functions.iter();
                let names =
                    ids.map(|&id| without_suffixes(profile.name(profile.function(id).name)));
                names.min_by_key(|name| name.len()).map(<[u8]>::to_vec)
            };
            if let (Some(base), Some(of_new)) = (name(gone), name(new))
                && gone.name != new.name
            {
                let function = RenamedFunction { base, new: of_new, file: new.file };
                functions.push((std::cmp::Reverse(new.facts.cost), &new.name, function));
            }
        }
        functions.sort_by_key(|&(cost, name, _)| (cost, name));
        // Other identifiers may have become others at other places.
        let mut words: HashMap<&[u8], Option<&[u8]>> = HashMap::new();
        let names = pairs.iter().filter_map(|pair| {
            let word = |number: usize| last_word(&self.list[number].name);
            Some((word(pair.gone)?, word(pair.new)?))
        });
        for (old, new) in names.filter(|(old, new)| old != new) {
            let known = words.entry(old).or_insert(Some(new));
            *known = known.filter(|known| *known == new);
        }
        let words = words.into_iter().filter_map(|(old, new)| Some((old.to_vec(), new?.to_vec())));
        Renamed {
            functions: functions.into_iter().map(|(.., function)| function).collect(),
            words: words.collect(),
        }
    }
}

/// The last word of a readable name: of `ns::A<T>::f(int)` it is `f`.
pub(super) fn last_word(name: &[u8]) -> Option<&[u8]> {
    let mut depth = 0usize;
    let mut last = None;
    let mut is_in_scope = false;
    for token in tokens(name) {
        match token {
            // `ns::(anonymous namespace)::f` goes on behind the bracket.
            b"(" if depth == 0 && last.is_some() && !is_in_scope => break,
            b"<" | b"(" | b"[" | b"{" => depth += 1,
            b">" | b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
            b"operator" => return None,
            word if depth == 0 && is_identifier(word) => last = Some(word),
            _ => {}
        }
        is_in_scope = token == b":";
    }
    last
}

/// The lines of the body of a function with a readable name in a text, given its executed lines.
pub fn body_lines(
    text: &[u8],
    file: &[u8],
    name: &[u8],
    executed: &HashSet<u32>,
) -> Option<RangeInclusive<u32>> {
    let own = own_name(name);
    let body = SourceTokens::new(text, file).body_of(last_word(&own)?, executed)?;
    Some(body.first + 1..=body.last + 1)
}

/// The lines of the function that a line of a text (from 1) is in: of several definitions that may
/// be one, the outermost.
pub fn function_around(text: &[u8], file: &[u8], line: u32) -> Option<RangeInclusive<u32>> {
    let source = SourceTokens::new(text, file);
    let bodies = source.definitions().into_iter().map(|(_, body)| body.first + 1..=body.last + 1);
    bodies.filter(|body| body.contains(&line)).max_by_key(|body| body.end() - body.start())
}

/// The lines of the definition of a function that one of its executed lines is in, as far as its
/// name is found in a text that begins shortly before that line, with the line of number `first`.
pub fn definition_around(
    text: &[u8],
    first: u32,
    file: &[u8],
    name: &[u8],
    executed: u32,
) -> Option<RangeInclusive<u32>> {
    let own = own_name(name);
    let word = last_word(&own)?;
    let mut starts: Vec<(u32, usize)> = Vec::new();
    let mut start = 0;
    for (number, line) in (first..=executed).zip(text.split(|&byte| byte == b'\n')) {
        if line.windows(word.len()).any(|part| part == word) {
            starts.push((number, start));
        }
        start += line.len() + 1;
    }
    starts.into_iter().rev().find_map(|(line, start)| {
        let body = body_of_first_line(&text[start..], file, word)?;
        let lines = line + body.first..=line + body.last;
        lines.contains(&executed).then_some(lines)
    })
}

/// The names of programs that have another name in NEW, as Rust's paths begin with them.
fn renamed_programs(profile: &Profile) -> RenamedWords {
    let crate_name = |object: ObjectId| -> Option<Vec<u8>> {
        let name = basename(profile.object(object));
        let name: Vec<u8> =
            name.iter().map(|&byte| if byte == b'-' { b'_' } else { byte }).collect();
        let is_word = tokens(&name).count() == 1 && is_identifier(&name);
        is_word.then_some(name)
    };
    let objects = (0..profile.object_count() as u32).map(ObjectId);
    let names = objects.filter_map(|object| {
        Some((crate_name(profile.base_object(object)?)?, crate_name(object)?))
    });
    names.filter(|(base, new)| base != new).collect()
}

/// Whether two objects may be versions of one: both are programs, or libraries of the same name.
pub(super) fn may_be_versions(a: &[u8], b: &[u8]) -> bool {
    let library = |object: &[u8]| {
        let name = basename(object);
        let mut ends = name.windows(3).enumerate().filter(|(_, text)| *text == b".so");
        let (end, _) = ends.next().filter(|_| name.starts_with(b"lib"))?;
        let is_of_name = |byte: &u8| !byte.is_ascii_digit() && !b".-_".contains(byte);
        let length = name[..end].iter().rposition(is_of_name)? + 1;
        Some(name[..length].to_vec())
    };
    library(a) == library(b)
}

struct PairFinder<'a> {
    profile: &'a Profile,
    groups: &'a RenameGroups,
    /// What is known of the texts of the files with functions that are gone.
    texts: HashMap<FileId, TextsOfSides>,
    /// By object the compared sides that have it; found on first use.
    objects: OnceCell<Vec<Presence>>,
}

impl<'a> PairFinder<'a> {
    fn new(profile: &'a Profile, groups: &'a RenameGroups) -> PairFinder<'a> {
        PairFinder { profile, groups, texts: HashMap::new(), objects: OnceCell::new() }
    }

    /// The object of the first function of a group.
    fn object(&self, group: &RenameGroup) -> &'a [u8] {
        let first = group.functions.first();
        first.map_or(b"", |&id| self.profile.object(self.profile.function(id).object))
    }

    /// Whether each or one of two groups has code in the file of the other.
    fn share_file(&self, a: &RenameGroup, b: &RenameGroup) -> bool {
        a.file == b.file || a.facts.files.contains(&b.file) || b.facts.files.contains(&a.file)
    }

    /// The possible pairs by names and by texts.
    fn by_names_and_texts(&mut self, texts: &TextsOfFile<'_>) -> Vec<RenameCandidate> {
        let groups = self.groups;
        let mut of_names: HashMap<&[u8], Vec<usize>> = HashMap::new();
        let mut of_files: BTreeMap<FileId, [Vec<usize>; 2]> = BTreeMap::new();
        for is_new in [false, true] {
            for number in groups.only(is_new) {
                let group = &groups.list[number];
                of_files.entry(group.file).or_default()[usize::from(is_new)].push(number);
                if is_new {
                    of_names.entry(&group.name).or_default().push(number);
                }
            }
        }
        let mut candidates = Vec::new();
        let renamed = renamed_programs(self.profile);
        let programs: HashMap<&[u8], &[u8]> =
            renamed.iter().map(|(old, new)| (&old[..], &new[..])).collect();
        for gone in groups.only(false) {
            let group = &groups.list[gone];
            let name = with_new_words(&group.name, &programs);
            let names = [&group.name[..], &name].into_iter();
            let names = names.take(if name == group.name { 1 } else { 2 });
            for &new in names.filter_map(|name| of_names.get(name)).flatten() {
                let other = &groups.list[new];
                let has_file = |group: &RenameGroup| !is_no_file(self.profile.file(group.file));
                let has_lost_file = has_file(group) != has_file(other)
                    && may_be_versions(self.object(group), self.object(other));
                if self.share_file(group, other) || has_lost_file {
                    let words = RenamedWords::new();
                    candidates.push(RenameCandidate {
                        gone,
                        new,
                        needs_calls: false,
                        is_by_calls: false,
                        words,
                    });
                }
            }
        }
        of_files.retain(|_, [gone, new]| !gone.is_empty() && !new.is_empty());
        for (&file, [gone, new]) in &of_files {
            let texts = texts(self.profile, file);
            if let TextsOfSides::Both { base, new: of_new } = &texts {
                let file = self.profile.file(file);
                candidates.extend(self.by_text(file, [base, of_new], [gone, new]));
            }
            self.texts.insert(file, texts);
        }
        let by_scopes = self.by_scopes(&of_files);
        let mut known: HashSet<(usize, usize)> =
            candidates.iter().map(|pair| (pair.gone, pair.new)).collect();
        candidates.extend(by_scopes.into_iter().filter(|pair| known.insert((pair.gone, pair.new))));
        candidates
    }

    /// The pairs of which each is the only possible one: first those that are `known`, then of what
    /// is left those by qualified names.
    fn pairs(
        &self,
        mut known: Vec<RenameCandidate>,
        mut by_names: Vec<RenameCandidate>,
    ) -> Vec<RenameCandidate> {
        known.retain(|pair| self.may_be_same(pair.gone, pair.new));
        by_names.retain(|pair| self.may_be_same(pair.gone, pair.new));
        let mut found: Vec<RenameCandidate> = Vec::new();
        // By group of BASE the one of NEW.
        let mut same: HashMap<u32, u32> = HashMap::new();
        for _ in 0..MAX_ROUNDS {
            let mut possible: Vec<RenameCandidate> = Vec::new();
            let mut kept = Vec::new();
            for pair in known {
                if !pair.needs_calls || self.has_same_calls(&pair, &same) {
                    possible.push(pair);
                } else {
                    kept.push(pair);
                }
            }
            known = kept;
            let by_calls = self.by_calls(&same);
            let is_known = |pair: &RenameCandidate| {
                let mut all = possible.iter();
                all.any(|other| (other.gone, other.new) == (pair.gone, pair.new))
            };
            let by_calls: Vec<RenameCandidate> =
                by_calls.into_iter().filter(|pair| !is_known(pair)).collect();
            possible.extend(by_calls);
            let is_taken = |pair: &RenameCandidate| {
                same.contains_key(&(pair.gone as u32))
                    || same.values().any(|&new| new as usize == pair.new)
            };
            possible.retain(|pair| !is_taken(pair));
            let (of_known, others) = only_ones(possible, &known);
            known.extend(others);
            let mut only = self.without_contradictions(of_known);
            if only.is_empty() {
                by_names.retain(|pair| !is_taken(pair));
                (only, _) = only_ones(std::mem::take(&mut by_names), &[]);
            }
            if only.is_empty() {
                break;
            }
            same.extend(only.iter().map(|pair| (pair.gone as u32, pair.new as u32)));
            found.extend(only);
        }
        self.with_same_calls(found)
    }

    /// Leaves out pairs that rename the function of another pair in another way.
    fn without_contradictions(&self, mut pairs: Vec<RenameCandidate>) -> Vec<RenameCandidate> {
        loop {
            let mut names: HashMap<Vec<u8>, HashSet<Vec<u8>>> = HashMap::new();
            for pair in &pairs {
                let word = |number: usize| last_word(&self.groups.list[number].name);
                if let (Some(old), Some(new)) = (word(pair.gone), word(pair.new)) {
                    names.entry(old.to_vec()).or_default().insert(new.to_vec());
                }
            }
            let before = pairs.len();
            pairs.retain(|pair| {
                let mut words = pair.words.iter();
                words.all(|(old, new)| names.get(old).is_none_or(|names| names.contains(new)))
            });
            if pairs.len() == before {
                return pairs;
            }
        }
    }

    /// By object the compared sides that have it.
    fn sides_of_objects(&self) -> Vec<Presence> {
        let profile = self.profile;
        let mut sides = vec![Presence::default(); profile.object_count()];
        let compared = RenameGroups::sides(profile, self.groups.later);
        for (side, on) in compared.zip([Presence::of(true, false), Presence::of(false, true)]) {
            let places = profile.costs_of(side).map(|(place, _)| place);
            let sites = profile.calls_of(side).map(|(call, ..)| call.site);
            for place in places.chain(sites) {
                let function = profile.fragment(place.fragment).function;
                let known = &mut sides[profile.function(function).object.0 as usize];
                *known = known.or(on);
            }
        }
        sides
    }

    /// Whether two groups may be one by their objects and by what they are: inlined or not. No
    /// profile has both.
    fn may_be_same(&self, gone: usize, new: usize) -> bool {
        let profile = self.profile;
        if self.groups.list[gone].on_all.meets(self.groups.list[new].on_all) {
            return false;
        }
        let first = |number: usize| self.groups.list[number].functions.first().copied();
        let (Some(gone), Some(new)) = (first(gone), first(new)) else {
            return false;
        };
        let [of_gone, of_new] = [gone, new].map(|id| profile.function(id).object);
        let objects = self.objects.get_or_init(|| self.sides_of_objects());
        let on = |object: ObjectId| objects[object.0 as usize];
        let are_renamed = !on(of_gone).new && !on(of_new).base;
        (of_gone == of_new || are_renamed) && profile.is_inlined(gone) == profile.is_inlined(new)
    }
}

/// The pairs of which no other one, also of `others`, has a function; and the rest of them.
fn only_ones(
    possible: Vec<RenameCandidate>,
    others: &[RenameCandidate],
) -> (Vec<RenameCandidate>, Vec<RenameCandidate>) {
    let (mut of_gone, mut of_new) = (HashMap::new(), HashMap::new());
    for pair in possible.iter().chain(others) {
        *of_gone.entry(pair.gone).or_insert(0) += 1;
        *of_new.entry(pair.new).or_insert(0) += 1;
    }
    let is_only = |pair: &RenameCandidate| of_gone[&pair.gone] == 1 && of_new[&pair.new] == 1;
    possible.into_iter().partition(is_only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_words_of_names() {
        let table = [
            ("f", Some("f")),
            ("ns::A<T>::f(int, g<int>)", Some("f")),
            ("<a::B as c::D<E>>::f", Some("f")),
            ("a::f::{{closure}}", Some("f")),
            ("(anonymous namespace)::f(int)", Some("f")),
            ("ns::(anonymous namespace)::f(int)", Some("f")),
            ("A::operator<(A const&)", None),
            ("0x1190", None),
        ];
        for (name, expected) in table {
            assert_eq!(last_word(name.as_bytes()), expected.map(str::as_bytes), "{name}");
        }
    }

    #[test]
    fn objects_that_may_be_versions_of_one() {
        let table = [
            ("/a/prog", "/b/prog-new", true),
            ("/usr/lib/libfoo.so.1.2", "/opt/libfoo-2.so", true),
            ("/usr/lib/libfoo.so.1", "/usr/lib/libbar.so.1", false),
            ("/usr/lib/libfoo.so.1", "/a/prog", false),
            ("", "", true),
        ];
        for (a, b, expected) in table {
            assert_eq!(may_be_versions(a.as_bytes(), b.as_bytes()), expected, "{a} {b}");
        }
    }
}
