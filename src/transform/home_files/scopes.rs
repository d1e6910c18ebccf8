//! The classes, modules and namespaces that a readable name is in, and the files of their code.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::super::rename::own_name;
use crate::profile::{FileId, Profile};
use crate::source::{FunctionsByOwner, is_foreign, is_identifier, tokens};

/// The namespaces of standard libraries, whose definitions are in their own files.
const STANDARD: [&[u8]; 5] = [b"std", b"core", b"alloc", b"__gnu_cxx", b"__cxxabiv1"];

/// Whether a function is one of a standard library. A method of a trait of it is its own code as
/// often as the type's.
pub(super) fn is_standard(name: &[u8]) -> bool {
    let is_standard = |path: &[&[u8]]| path.first().is_some_and(|first| STANDARD.contains(first));
    match qualified(name) {
        Some([of_type, of_trait]) if of_trait.is_empty() => {
            is_standard(&of_type) || of_type.is_empty()
        }
        Some([_, of_trait]) => is_standard(&of_trait),
        None => is_standard(&path(name)),
    }
}

/// The scopes of a function that may be the user's, the innermost first: of `a::B::f` `a::B` and
/// `a`, of `<a::B as c::D>::f` also `c::D` and `c`.
fn scopes_of(name: &[u8]) -> Vec<Vec<u8>> {
    let paths = match qualified(name) {
        // A single word is a primitive type or a parameter.
        Some(paths) => paths.into_iter().filter(|path| path.len() > 1).collect(),
        None => {
            let mut path = path(name);
            path.pop();
            vec![path]
        }
    };
    let is_standard = |path: &[&[u8]]| path.first().is_some_and(|first| STANDARD.contains(first));
    let own = paths.iter().filter(|path| !is_standard(path));
    own.flat_map(|path| (1..=path.len()).rev().map(|length| path[..length].join(&b"::"[..])))
        .collect()
}

/// The paths of the type and of the trait at the beginning of a Rust name, each empty if there is
/// none.
fn qualified(name: &[u8]) -> Option<[Vec<&[u8]>; 2]> {
    let inside = name.strip_prefix(b"<")?;
    let mut depth = 0usize;
    let mut of_type = &inside[..0];
    let mut start = 0;
    for (at, &byte) in inside.iter().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if at > 0 && inside[at - 1] == b'-' => {}
            b'>' if depth == 0 => {
                let last = &inside[start..at];
                let paths = if start == 0 { [last, &[]] } else { [of_type, last] };
                return Some(paths.map(path));
            }
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 && inside[at..].starts_with(b" as ") => {
                of_type = &inside[..at];
                start = at + b" as ".len();
            }
            _ => {}
        }
    }
    None
}

/// The components of a name without what is in brackets, up to its parameters. What precedes them,
/// such as a result's type, is left out.
fn path(name: &[u8]) -> Vec<&[u8]> {
    let mut path = Vec::new();
    let mut depth = 0usize;
    let mut is_after_colon = false;
    for token in tokens(name) {
        match token {
            b"(" if depth == 0 && !path.is_empty() => break,
            b"<" | b"(" | b"[" | b"{" => depth += 1,
            b">" | b")" | b"]" | b"}" => depth = depth.saturating_sub(1),
            b":" if depth == 0 => is_after_colon = true,
            word if depth == 0 && is_identifier(word) => {
                if !is_after_colon {
                    path.clear();
                }
                path.push(word);
                is_after_colon = false;
            }
            _ => {}
        }
    }
    path
}

/// What is known of a scope.
#[derive(Default)]
struct Scope {
    functions: FunctionsByOwner,
    /// The user's files of Rust with code of those of the functions that are in the user's files.
    files: BTreeSet<FileId>,
}

/// The user's files with code of the scopes that some functions are in.
pub(super) struct FilesOfScopes {
    scopes: HashMap<Vec<u8>, Scope>,
}

impl FilesOfScopes {
    pub(super) fn new<'n>(
        profile: &Profile,
        names: impl Iterator<Item = &'n [u8]>,
    ) -> FilesOfScopes {
        let wanted = names.flat_map(scopes_of).map(|scope| (scope, Scope::default()));
        let mut found = FilesOfScopes { scopes: wanted.collect() };
        if found.scopes.is_empty() {
            return found;
        }
        let mut scopes_of_own: Vec<Vec<Vec<u8>>> = vec![Vec::new(); profile.function_count()];
        for (id, function) in profile.functions() {
            let is_own = !is_foreign(profile.file(function.file));
            for scope in scopes_of(&own_name(profile.name(function.name))) {
                let Some(known) = found.scopes.get_mut(&scope) else {
                    continue;
                };
                known.functions.add(is_own);
                if is_own {
                    scopes_of_own[id.index()].push(scope);
                }
            }
        }
        for fragment in profile.fragments() {
            for scope in &scopes_of_own[fragment.function.index()] {
                let known = found.scopes.get_mut(scope);
                let file = profile.file(fragment.file);
                let is_own = !is_foreign(file) && file.ends_with(b".rs");
                if let Some(known) = known.filter(|_| is_own) {
                    known.files.insert(fragment.file);
                }
            }
        }
        found
    }

    /// The files of the scopes of a name, those of the innermost scope first, if its crate or
    /// outermost namespace is the user's.
    pub(super) fn of(&self, name: &[u8]) -> Vec<&BTreeSet<FileId>> {
        let is_own = |scope: &[u8]| {
            let end = scope.windows(2).position(|pair| pair == b"::").unwrap_or(scope.len());
            let outermost = self.scopes.get(&scope[..end]);
            outermost.is_some_and(|outermost| outermost.functions.are_of_user())
        };
        let own = scopes_of(name).into_iter().filter(|scope| is_own(scope));
        own.filter_map(|scope| Some(&self.scopes.get(&scope)?.files)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_of_names() {
        let table: [(&str, &[&str]); 9] = [
            ("f", &[]),
            ("a::B<c::D>::f", &["a::B", "a"]),
            ("a::f::{{closure}}", &["a"]),
            ("int a::B::f<int>(c::D)", &["a::B", "a"]),
            ("(anonymous namespace)::B::f(int)", &["B"]),
            ("<a::B as c::D<e::F>>::f", &["a::B", "a", "c::D", "c"]),
            ("<alloc::vec::Vec<T> as a::D>::f", &["a::D", "a"]),
            ("<u32 as a::D>::f", &["a::D", "a"]),
            ("std::vector<a::B>::push_back(a::B)", &[]),
        ];
        for (name, expected) in table {
            let scopes = scopes_of(name.as_bytes());
            let texts: Vec<&str> =
                scopes.iter().map(|scope| std::str::from_utf8(scope).unwrap()).collect();
            assert_eq!(texts, expected, "{name}");
        }
    }

    #[test]
    fn functions_of_standard_libraries() {
        let table = [
            ("void std::sort<A>(A, A)", true),
            ("core::iter::f", true),
            ("<a::B as core::iter::Iterator>::next", true),
            ("<alloc::vec::Vec<T> as a::D>::f", false),
            ("<[T]>::sort", true),
            ("a::f<std::string>(int)", false),
            ("a::standard(std::string)", false),
            ("work", false),
        ];
        for (name, expected) in table {
            assert_eq!(is_standard(name.as_bytes()), expected, "{name}");
        }
    }
}
