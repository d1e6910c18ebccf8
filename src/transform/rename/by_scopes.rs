//! Renamed functions by a namespace, class or module that their names got or lost: of `f(A)` and
//! `ns::f(ns::A)` the latter has `ns::` at two places, and is equal otherwise.
//!
//! Three functions of other names have to show it in files that both sides have. Where both texts
//! of a file are known, only one of them declares it: one that both declare may have functions of
//! the same names beside the others.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::{PairFinder, RenameCandidate, last_word};
use crate::profile::FileId;
use crate::source::{RenamedWords, TextsOfSides, is_identifier, tokens};

/// The number of functions with other names that have to show that a scope is new or gone.
const MIN_FUNCTIONS: usize = 3;

/// Of a name that more functions of a file have, it is not looked for scopes.
const MAX_SAME_NAMES: usize = 16;

/// The number of tokens of one name in a path, with the two colons that follow it.
const TOKENS_OF_NAME: usize = 3;

/// The maximum number of names of a scope.
const MAX_NAMES: usize = 8;

/// The words that declare a scope with the name after them.
const DECLARING: [&[u8]; 7] =
    [b"class", b"enum", b"impl", b"mod", b"namespace", b"struct", b"trait"];

/// The tokens of a part of a path, such as `a::b::`.
type Scope<'n> = Vec<&'n [u8]>;

/// The functions that are gone and those that are new, of each file.
type OfFiles = BTreeMap<FileId, OfSides>;

/// The functions that are gone, and those that are new.
type OfSides = [Vec<usize>; 2];

/// The tokens of a name.
type Tokens<'n> = Vec<&'n [u8]>;

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
    let names = tokens.chunks_exact(TOKENS_OF_NAME).take(MAX_NAMES);
    let are_names = |name: &&[&[u8]]| is_identifier(name[0]) && name[1..] == [b":", b":"];
    let count = names.take_while(are_names).count();
    let lengths = (1..=count).map(|count| count * TOKENS_OF_NAME);
    lengths.into_iter().find(|&length| tokens.get(length) == Some(&token))
}

/// The tokens of a name without a scope, wherever it has it.
fn without<'n>(name: &[&'n [u8]], scope: &[&[u8]]) -> Vec<&'n [u8]> {
    let mut kept = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        if name[at..].starts_with(scope) {
            at += scope.len();
        } else {
            kept.push(name[at]);
            at += 1;
        }
    }
    kept
}

/// The scopes of these that a name has, each once.
fn scopes_in<'s>(
    name: &[&'s [u8]],
    scopes: &'s HashMap<Scope<'s>, usize>,
) -> BTreeMap<usize, &'s Scope<'s>> {
    let mut found = BTreeMap::new();
    for at in 0..name.len() {
        for names in 1..=MAX_NAMES {
            let scope = name.get(at..at + names * TOKENS_OF_NAME);
            let Some(scope) = scope.filter(|scope| scope.ends_with(&[b":", b":"])) else {
                break;
            };
            if let Some((scope, &number)) = scopes.get_key_value(scope) {
                found.insert(number, scope);
            }
        }
    }
    found
}

/// The names that a text declares as scopes.
fn declarations(text: &[u8]) -> HashSet<&[u8]> {
    let mut names = HashSet::new();
    for line in text.split(|&byte| byte == b'\n') {
        let words: Vec<&[u8]> = tokens(line).collect();
        // `namespace a::b` declares both.
        let declares_all = words.first() == Some(&&b"namespace"[..]);
        let after = |at: usize| at > 0 && DECLARING.contains(&words[at - 1]);
        let declared = words
            .iter()
            .enumerate()
            .filter(|(at, word)| is_identifier(word) && (after(*at) || declares_all && *at > 0));
        names.extend(declared.map(|(_, word)| *word));
    }
    names
}

/// The scopes that functions show to be new or gone, with the last words of their names.
type ShownScopes<'n> = BTreeMap<Scope<'n>, BTreeSet<&'n [u8]>>;

impl PairFinder<'_> {
    fn name_tokens(&self, number: usize) -> Vec<&[u8]> {
        tokens(&self.groups.list[number].name).collect()
    }

    /// The possible pairs of functions by scopes. The texts of files are known.
    pub(super) fn by_scopes(&self, of_files: &OfFiles) -> Vec<RenameCandidate> {
        let mut shown = ShownScopes::new();
        for (file, [gone, new]) in of_files {
            for (scope, words) in self.scopes_of_file(*file, [gone, new]) {
                shown.entry(scope).or_default().extend(words);
            }
        }
        let scopes = shown.into_iter().filter(|(_, words)| words.len() >= MIN_FUNCTIONS);
        let scopes: HashMap<Scope<'_>, usize> =
            scopes.enumerate().map(|(number, (scope, _))| (scope, number)).collect();
        if scopes.is_empty() {
            return Vec::new();
        }
        of_files.values().flat_map(|of_file| self.pairs_without(&scopes, of_file)).collect()
    }

    /// The scopes that the functions of a file show, if its texts do not speak against them.
    fn scopes_of_file(&self, file: FileId, [gone, new]: [&[usize]; 2]) -> ShownScopes<'_> {
        let word = |number: usize| last_word(&self.groups.list[number].name);
        let mut of_word: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for &number in new {
            of_word.entry(word(number).unwrap_or_default()).or_default().push(number);
        }
        let mut shown = ShownScopes::new();
        for &number in gone {
            let Some(word) = word(number) else {
                continue;
            };
            let others = of_word.get(word).filter(|of| of.len() <= MAX_SAME_NAMES);
            let old = self.name_tokens(number);
            for &other in others.into_iter().flatten() {
                let of_new = self.name_tokens(other);
                let scope = added_scope(&old, &of_new).or_else(|| added_scope(&of_new, &old));
                if let Some(scope) = scope {
                    shown.entry(scope).or_default().insert(word);
                }
            }
        }
        let texts = self.texts.get(&file).filter(|_| !shown.is_empty());
        if let Some(TextsOfSides::Both { base, new }) = texts {
            let [base, new] = [base, new].map(|text| declarations(text));
            let innermost = |scope: &Scope<'_>| scope[scope.len() - TOKENS_OF_NAME].to_vec();
            shown.retain(|scope, _| {
                let name = innermost(scope);
                base.contains(&name[..]) != new.contains(&name[..])
            });
        }
        shown
    }

    /// The functions of a file whose names are equal without a scope.
    fn pairs_without(
        &self,
        scopes: &HashMap<Scope<'_>, usize>,
        of_file: &OfSides,
    ) -> Vec<RenameCandidate> {
        // By the tokens of a name, and by scope and the tokens without it, the functions of BASE
        // and of NEW.
        let mut plain: HashMap<Tokens<'_>, OfSides> = HashMap::new();
        let mut shorter: HashMap<(usize, Tokens<'_>), OfSides> = HashMap::new();
        for (side, numbers) in of_file.iter().enumerate() {
            for &number in numbers {
                let name = self.name_tokens(number);
                for (scope, text) in scopes_in(&name, scopes) {
                    let key = (scope, without(&name, text));
                    shorter.entry(key).or_default()[side].push(number);
                }
                plain.entry(name).or_default()[side].push(number);
            }
        }
        let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
        for ((_, name), [gone, new]) in &shorter {
            let (gone_without, new_without) = match plain.get(name) {
                Some([gone, new]) => (&gone[..], &new[..]),
                None => (&[][..], &[][..]),
            };
            let sides = [(&gone[..], &new[..]), (gone_without, &new[..]), (&gone[..], new_without)];
            for (gone, new) in sides {
                // Of many it is not known which is which.
                if gone.len() * new.len() <= MAX_SAME_NAMES {
                    pairs.extend(
                        gone.iter().flat_map(|&gone| new.iter().map(move |&new| (gone, new))),
                    );
                }
            }
        }
        let candidate = |(gone, new)| RenameCandidate {
            gone,
            new,
            needs_calls: false,
            is_by_calls: false,
            words: RenamedWords::new(),
        };
        pairs.into_iter().map(candidate).collect()
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
            ("namespace a {\nint f();\n}\n", true),
            ("namespace b::a {\n}\n", true),
            ("pub mod a {\n}\n", true),
            ("struct a;\nstruct a { int b; };\n", true),
            ("a::f();\nusing namespace b;\n", false),
        ];
        for (text, expected) in table {
            let declared = declarations(text.as_bytes());
            assert_eq!(declared.contains(&b"a"[..]), expected, "{text}");
        }
    }
}
