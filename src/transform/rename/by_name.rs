//! Functions whose qualified name is the same on both sides and whose parameters, qualifiers,
//! result or file are others: `int A::f(B*)` in a header and `A::f(B const*)` in a source.
//!
//! They may be overloads, of which each side called another one. Two overloads that are left on one
//! side are no pair, and neither are those of which a text that is known defines several.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::groups::RenameGroup;
use super::{PairFinder, RenameCandidate, TextsOfFile, last_word};
use crate::profile::FileId;
use crate::source::{IndexedText, RenamedWords, TextsOfSides};
use crate::transform::home_files::definitions;

/// The maximum number of pairs of functions with one qualified name that are looked at.
const MAX_PAIRS: usize = 16;

/// The names of files' own functions, which others may have, too.
const OF_ONE_FILE: [&[u8]; 2] = [b"(anonymous namespace)", b"{anonymous}"];

/// A readable name without its result, parameters and qualifiers: of `int a::B<C>::f(D) const` it
/// is `a::B<C>::f`. None for operators, whose names have the signs that part others.
pub(super) fn qualified_name(name: &[u8]) -> Option<&[u8]> {
    last_word(name)?;
    let (mut depth, mut start) = (0usize, 0);
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'(' if depth == 0 && at > start && name[at - 1] != b':' => {
                return Some(&name[start..at]);
            }
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    Some(&name[start..]).filter(|own| !own.is_empty())
}

/// Whether one function alone in a program may have a qualified name.
fn is_of_program(qualified: &[u8]) -> bool {
    let has = |part: &[u8]| qualified.windows(part.len()).any(|of| of == part);
    has(b"::") && !OF_ONE_FILE.iter().any(|part| has(part))
}

/// The last word of a qualified name, behind its class or namespace.
type ScopeAndWord<'n> = (Option<&'n [u8]>, &'n [u8]);

fn scope_and_word(qualified: &[u8]) -> Option<ScopeAndWord<'_>> {
    let word = last_word(qualified)?;
    let at = qualified.windows(word.len()).rposition(|of| of == word)?;
    let scope = qualified[..at].strip_suffix(b"::").and_then(last_word);
    Some((scope, word))
}

/// Whether a text defines several functions of a name. A definition in a class is without its name.
fn has_overloads(text: &IndexedText, file: &[u8], scope: Option<&[u8]>, word: &[u8]) -> bool {
    let (mut in_scope, mut others) = (0, 0);
    for (_, before) in definitions(text, file, word) {
        let of_scope = before.trim_ascii_end().strip_suffix(b"::");
        if of_scope.is_some_and(|of| scope.is_some_and(|scope| of.ends_with(scope))) {
            in_scope += 1;
        } else if of_scope.is_none() {
            others += 1;
        }
    }
    in_scope > 1 || in_scope == 0 && others > 1
}

/// The functions that are gone and those that are new, by their qualified names.
type ByName<'n> = BTreeMap<&'n [u8], [Vec<usize>; 2]>;

impl PairFinder<'_> {
    /// The possible pairs of functions by their qualified names.
    pub(super) fn by_qualified_names(&self, texts: &TextsOfFile<'_>) -> Vec<RenameCandidate> {
        let list = &self.groups.list;
        let mut names = ByName::new();
        for is_new in [false, true] {
            for number in self.groups.only(is_new) {
                if let Some(name) = qualified_name(&list[number].name) {
                    names.entry(name).or_default()[usize::from(is_new)].push(number);
                }
            }
        }
        names.retain(|_, [gone, new]| {
            let pairs = gone.len() * new.len();
            (1..=MAX_PAIRS).contains(&pairs)
        });
        let overloaded = self.overloaded(&names, texts);
        let mut candidates = Vec::new();
        for (name, [gone, new]) in &names {
            for (&gone, &new) in gone.iter().flat_map(|gone| new.iter().map(move |new| (gone, new)))
            {
                let are_same = list[gone].name == list[new].name;
                let is_known = !overloaded.contains(&gone) && !overloaded.contains(&new);
                let may_have_moved =
                    is_of_program(name) || self.share_file(&list[gone], &list[new]);
                if may_have_moved && (are_same || is_known) {
                    candidates.push(RenameCandidate {
                        gone,
                        new,
                        needs_calls: false,
                        is_by_calls: false,
                        words: RenamedWords::new(),
                    });
                }
            }
        }
        candidates
    }

    /// The functions of these that have overloads in the texts of their files.
    fn overloaded(&self, names: &ByName<'_>, texts: &TextsOfFile<'_>) -> HashSet<usize> {
        // By file the functions that may be defined there, with what is looked for.
        let mut looked_for: BTreeMap<FileId, Vec<(usize, ScopeAndWord<'_>)>> = BTreeMap::new();
        for (name, sides) in names {
            let Some(of_name) = scope_and_word(name) else {
                continue;
            };
            for &number in sides.iter().flatten() {
                let RenameGroup { file, facts, .. } = &self.groups.list[number];
                for &file in facts.files.iter().chain([file]).collect::<BTreeSet<_>>() {
                    looked_for.entry(file).or_default().push((number, of_name));
                }
            }
        }
        let mut overloaded = HashSet::new();
        for (file, functions) in looked_for {
            let of_sides = match texts(self.profile, file) {
                TextsOfSides::Unknown => Vec::new(),
                TextsOfSides::OnlyNew(text) | TextsOfSides::Same(text) => vec![text],
                TextsOfSides::Both { base, new } => vec![base, new],
            };
            let name = self.profile.file(file);
            let words: HashSet<&[u8]> = functions.iter().map(|&(_, (_, word))| word).collect();
            let words: Vec<&[u8]> = words.into_iter().collect();
            for text in of_sides {
                let text = IndexedText::new(text, &words);
                let mut known: HashMap<ScopeAndWord<'_>, bool> = HashMap::new();
                for &(number, (scope, word)) in &functions {
                    let is_overloaded = known
                        .entry((scope, word))
                        .or_insert_with(|| has_overloads(&text, name, scope, word));
                    if *is_overloaded {
                        overloaded.insert(number);
                    }
                }
            }
        }
        overloaded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_what_overloads_differ_in() {
        let table = [
            ("f", Some("f")),
            ("f(int)", Some("f")),
            ("ns::A<b::C (*)(int)>::f(D const*) const", Some("ns::A<b::C (*)(int)>::f")),
            ("void walk<main::{lambda(int)#1}>(int)", Some("walk<main::{lambda(int)#1}>")),
            ("ns::(anonymous namespace)::f(int)", Some("ns::(anonymous namespace)::f")),
            ("<a::B as c::D<E>>::f", Some("<a::B as c::D<E>>::f")),
            ("a::f::{{closure}}", Some("a::f::{{closure}}")),
            ("A::operator<(A const&)", None),
            ("0x1190", None),
        ];
        for (name, expected) in table {
            let found = qualified_name(name.as_bytes());
            assert_eq!(found, expected.map(str::as_bytes), "{name}");
        }
    }

    #[test]
    fn texts_with_several_definitions_of_a_name() {
        let header =
            "struct A {\n  int f(int a) { return a; }\n  int f(long a) { return a; }\n};\n";
        let source = "int A::f(int a) {\n}\nint B::f(int a) {\n}\n";
        let both = "int A::f(int a) {\n}\nint A::f(long a) {\n  return B::f(a);\n}\n";
        let table = [
            (header, Some("A"), true),
            (source, Some("A"), false),
            (both, Some("A"), true),
            (both, Some("B"), false),
            ("int f(int);\nint f(int a) {\n}\n", None, false),
        ];
        for (text, scope, expected) in table {
            let indexed = IndexedText::new(text.as_bytes().to_vec(), &[b"f"]);
            let scope = scope.map(str::as_bytes);
            assert_eq!(has_overloads(&indexed, b"a.cc", scope, b"f"), expected, "{text} {scope:?}");
        }
    }
}
