//! Renamed functions by a namespace, class or module that their names got or lost: of `f(A)` and
//! `ns::f(ns::A)` the latter has `ns::` at two places, and is equal otherwise.
//!
//! Three functions of other names have to show it in files that both sides have. Where both texts of
//! a file are known, only one of them declares it: one that both declare may have functions of the
//! same names beside the others.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{PairFinder, RenameCandidate, last_word};
use crate::profile::FileId;
use crate::source::{RenamedWords, TextsOfSides, is_identifier, tokens};

/// The number of functions with other names that have to show that a scope is new or gone.
const MIN_FUNCTIONS: usize = 3;

/// Of a name that more functions of a file have, it is not looked for scopes.
const MAX_SAME_NAMES: usize = 16;

/// The number of tokens of one name in a path, with the two colons that follow it.
const TOKENS_OF_NAME: usize = 3;

/// The words that declare a scope with the name after them.
const DECLARING: [&[u8]; 7] =
    [b"class", b"enum", b"impl", b"mod", b"namespace", b"struct", b"trait"];

/// The tokens of a part of a path, such as `a::b::`.
type Scope<'n> = Vec<&'n [u8]>;

/// The functions that are gone and those that are new, of each file.
type OfFiles = BTreeMap<FileId, [Vec<usize>; 2]>;

/// The scope that the longer one of two names has at one or several places, if they are equal
/// otherwise.
fn added_scope<'n>(short: &[&[u8]], long: &[&'n [u8]]) -> Option<Scope<'n>> {
    let mut scope: Option<&[&[u8]]> = None;
    let mut at = 0;
    for &token in short {
        if long.get(at) != Some(&token) {
            let rest = &long[at..];
            let added = match scope {
                Some(known) if rest.starts_with(known) => known,
                Some(_) => return None,
                None => &rest[..length_before(token, rest)?],
            };
            scope = Some(added);
            at += added.len();
            if long.get(at) != Some(&token) {
                return None;
            }
        }
        at += 1;
    }
    scope.filter(|_| at == long.len()).map(<[_]>::to_vec)
}

/// The number of tokens of the scope before the first `token` after names with colons.
fn length_before(token: &[u8], tokens: &[&[u8]]) -> Option<usize> {
    let names = tokens.chunks_exact(TOKENS_OF_NAME);
    let are_names = |name: &&[&[u8]]| is_identifier(name[0]) && name[1..] == [b":", b":"];
    let count = names.take_while(are_names).count();
    let lengths = (1..=count).map(|count| count * TOKENS_OF_NAME);
    lengths.into_iter().find(|&length| tokens.get(length) == Some(&token))
}

/// A name without a scope, wherever it has it.
fn without<'n>(name: &'n [u8], scope: &[&[u8]]) -> Vec<&'n [u8]> {
    let all: Vec<&[u8]> = tokens(name).collect();
    let mut kept = Vec::with_capacity(all.len());
    let mut at = 0;
    while at < all.len() {
        if all[at..].starts_with(scope) {
            at += scope.len();
        } else {
            kept.push(all[at]);
            at += 1;
        }
    }
    kept
}

/// The number of declarations of the innermost name of a scope in a text.
fn declarations(text: &[u8], scope: &[&[u8]]) -> usize {
    let Some(name) = scope.iter().rfind(|token| is_identifier(token)) else {
        return 0;
    };
    let declares = |line: &[u8]| {
        let words: Vec<&[u8]> = tokens(line).collect();
        words.windows(2).any(|pair| DECLARING.contains(&pair[0]) && pair[1] == *name)
            // As C++ has it since 2017.
            || words.first() == Some(&&b"namespace"[..]) && words.contains(name)
    };
    text.split(|&byte| byte == b'\n').filter(|line| declares(line)).count()
}

/// The scopes that functions show to be new or gone, with the last words of their names.
type ShownScopes<'n> = BTreeMap<Scope<'n>, BTreeSet<&'n [u8]>>;

impl PairFinder<'_> {
    /// The possible pairs of functions by scopes. The texts of files are known.
    pub(super) fn by_scopes(&self, of_files: &OfFiles) -> Vec<RenameCandidate> {
        let mut shown = ShownScopes::new();
        for (file, [gone, new]) in of_files {
            for (scope, words) in self.scopes_of_file(*file, [gone, new]) {
                shown.entry(scope).or_default().extend(words);
            }
        }
        let scopes = shown.iter().filter(|(_, words)| words.len() >= MIN_FUNCTIONS);
        let mut candidates = Vec::new();
        for (scope, _) in scopes {
            for of_file in of_files.values() {
                candidates.extend(self.pairs_without(scope, of_file));
            }
        }
        candidates
    }

    /// The scopes that the functions of a file show, if its texts do not speak against them.
    fn scopes_of_file(&self, file: FileId, [gone, new]: [&[usize]; 2]) -> ShownScopes<'_> {
        let name = |number: usize| &self.groups.list[number].name[..];
        let mut of_word: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for &number in new {
            of_word.entry(last_word(name(number)).unwrap_or_default()).or_default().push(number);
        }
        let mut shown = ShownScopes::new();
        for &number in gone {
            let Some(word) = last_word(name(number)) else {
                continue;
            };
            let others = of_word.get(word).filter(|of| of.len() <= MAX_SAME_NAMES);
            let old: Vec<&[u8]> = tokens(name(number)).collect();
            for &other in others.into_iter().flatten() {
                let of_new: Vec<&[u8]> = tokens(name(other)).collect();
                let scope = added_scope(&old, &of_new).or_else(|| added_scope(&of_new, &old));
                if let Some(scope) = scope {
                    shown.entry(scope).or_default().insert(word);
                }
            }
        }
        if let Some(TextsOfSides::Both { base, new }) = self.texts.get(&file) {
            shown.retain(|scope, _| declarations(base, scope) != declarations(new, scope));
        }
        shown
    }

    /// The functions of a file whose names are equal without a scope.
    fn pairs_without(
        &self,
        scope: &[&[u8]],
        [gone, new]: &[Vec<usize>; 2],
    ) -> Vec<RenameCandidate> {
        let name = |number: usize| &self.groups.list[number].name[..];
        let mut of_names: HashMap<Vec<&[u8]>, Vec<usize>> = HashMap::new();
        for &number in new {
            of_names.entry(without(name(number), scope)).or_default().push(number);
        }
        let mut candidates = Vec::new();
        for &gone in gone {
            let others = of_names.get(&without(name(gone), scope));
            for &new in others.into_iter().flatten() {
                candidates.push(RenameCandidate {
                    gone,
                    new,
                    needs_calls: false,
                    is_by_calls: false,
                    words: RenamedWords::new(),
                });
            }
        }
        candidates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_longer_names() {
        let table = [
            ("f(int)", "a::f(int)", Some("a::")),
            ("f(A*, B)", "a::b::f(a::b::A*, B)", Some("a::b::")),
            ("a::f", "a::b::f", Some("b::")),
            ("(anonymous namespace)::f", "a::(anonymous namespace)::f", Some("a::")),
            ("std::vector<A>::push(A)", "std::vector<a::A>::push(a::A)", Some("a::")),
            ("f(A, B)", "a::f(b::A, B)", None),
            ("f(A)", "g(A)", None),
            ("f(A)", "a::f(B)", None),
            ("f(A)", "f(A, int)", None),
            ("f", "f", None),
        ];
        for (short, long, expected) in table {
            let [short, long]: [Vec<&[u8]>; 2] =
                [short, long].map(|name| tokens(name.as_bytes()).collect());
            let scope = added_scope(&short, &long).map(|scope| scope.concat());
            assert_eq!(scope.as_deref(), expected.map(str::as_bytes), "{long:?}");
        }
    }

    #[test]
    fn declarations_of_scopes() {
        let table = [
            ("namespace a {\nint f();\n}\n", 1),
            ("namespace b::a {\n}\n", 1),
            ("pub mod a {\n}\n", 1),
            ("struct a;\nstruct a { int b; };\n", 2),
            ("a::f();\nusing namespace b;\n", 0),
        ];
        for (text, expected) in table {
            assert_eq!(declarations(text.as_bytes(), &[b"a", b":", b":"]), expected, "{text}");
        }
    }
}
