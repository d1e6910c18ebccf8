//! Checks the imports of src/ against the table of its rooms: data flows one way, and so do
//! imports. And that all tests are listed, and the README is short.

#![allow(clippy::unwrap_used)]

mod common {
    pub mod walk;
}

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use common::walk::walk;

/// A room: a folder or file directly in src/, or one in the wing `gprof`.
struct Room {
    name: &'static str,
    /// The other rooms that it may import. `*` is all that are not [`ABOVE`], and what lib.rs
    /// defines.
    imports: &'static [&'static str],
    /// The outside packages that only these rooms may use.
    packages: &'static [&'static str],
}

const fn room(
    name: &'static str,
    imports: &'static [&'static str],
    packages: &'static [&'static str],
) -> Room {
    Room { name, imports, packages }
}

/// Rooms and files that do not exist yet, or no longer, may be listed.
#[rustfmt::skip]
const ROOMS: [Room; 19] = [
    room("in_order", &[], &[]),
    room("profile", &[], &["memchr", "hashbrown", "indexmap"]),
    room("read", &["in_order", "profile", "program", "graph"], &["memchr", "flate2", "regex", "hashbrown"]),
    room("graph", &["profile"], &["hashbrown"]),
    room("transform", &["profile", "graph", "program", "source", "demangle"], &["hashbrown"]),
    room("view", &["graph", "transform", "profile", "source", "demangle", "program"], &["regex", "hashbrown", "memchr"]),
    room("render", &["in_order", "view", "profile"], &["memchr", "anstyle", "unicode_width", "inferno", "prost", "flate2", "hashbrown", "shlex", "serde", "serde_json", "schemars"]),
    room("source", &[], &["memchr", "similar", "tempfile"]),
    room("demangle", &[], &["memchr", "rustc_demangle", "cpp_demangle"]),
    room("program", &[], &["object", "gimli", "addr2line", "hashbrown", "indexmap", "regex"]),
    room("options", &["read", "view", "render", "source", "profile", "gprof"], &[]),
    room("run", &["*"], &["anyhow", "tempfile", "indicatif", "strsim", "signal_hook", "memchr", "hashbrown"]),
    room("cli", &["options", "read", "view", "render", "source", "profile"],
        &["clap", "clap_complete", "clap_mangen", "anstream", "terminal_size", "shlex", "anyhow"]),
    room("gprof", &["read", "graph", "view", "render", "source", "demangle", "program", "profile"], &[]),
    room("gprof/report", &["*"], &["anyhow"]),
    room("gprof/cli", &["*", "cli"], &["clap"]),
    room("lib", &["*", "cli", "gprof/cli", "gprof/report"], &["anyhow"]),
    room("internal", &["*", "cli"], &[]),
    room("main", &["*", "cli"], &["anyhow"]),
];

/// The rooms that only those may import that name them: the command line, and what runs gprof's
/// views. All else can be read without them.
const ABOVE: [&str; 3] = ["cli", "gprof/cli", "gprof/report"];

/// All source files with the room that they are in.
fn files() -> Vec<(String, PathBuf)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths).unwrap();
    // The page for a browser is none of the code.
    paths.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    let room = |path: &Path| {
        let path = path.strip_prefix(&src).unwrap().to_str().unwrap().trim_end_matches(".rs");
        let is_in =
            |room: &&Room| path == room.name || path.starts_with(&format!("{}/", room.name));
        let room = ROOMS.iter().filter(is_in).max_by_key(|room| room.name.len());
        room.map_or(path, |room| room.name).to_owned()
    };
    paths.into_iter().map(|path| (room(&path), path)).collect()
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The names that follow `prefix`, those in braces too.
fn names_after(prefix: &str, code: &str) -> BTreeSet<String> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let word = |text: &str| {
        let end = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
        text[..end].to_owned()
    };
    let mut names = BTreeSet::new();
    let places = code.match_indices(prefix);
    for (at, _) in places.filter(|&(at, _)| !code[..at].ends_with(is_of_word)) {
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = &list[..list.find("};").unwrap_or(list.len())];
                names.extend(list.split(',').map(|item| word(item.trim())));
            }
            None => drop(names.insert(word(rest))),
        }
    }
    names
}

fn room_named(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

#[test]
fn rooms_import_only_what_the_table_allows() {
    for (name, path) in files() {
        let place = path.display();
        let room = room_named(&name).unwrap_or_else(|| panic!("{place} is in no room"));
        let allowed = |import: &str| {
            let is_listed = room.imports.contains(&import);
            let is_any = room.imports.contains(&"*") && !ABOVE.contains(&import);
            import.is_empty() || import == name || is_listed || is_any
        };
        let code = code(&path);
        let mut imports = names_after("crate::", &code);
        let in_wing = names_after("crate::gprof::", &code).into_iter();
        imports.extend(
            in_wing.map(|room| format!("gprof/{room}")).filter(|room| room_named(room).is_some()),
        );
        for import in imports {
            assert!(allowed(&import), "{place}: {name} may not import {import}");
        }
    }
}

#[test]
fn packages_are_used_only_in_their_rooms() {
    let packages: BTreeSet<&str> = ROOMS.iter().flat_map(|room| room.packages).copied().collect();
    for (name, path) in files() {
        let code = code(&path);
        let uses = |package: &&str| {
            let uses = [format!("{package}::"), format!("use {package};")];
            uses.iter().any(|text| is_word(text, &code))
        };
        for package in packages.iter().filter(|package| uses(package)) {
            let is_home = room_named(&name).is_some_and(|room| room.packages.contains(package));
            let place = path.display();
            assert!(is_home, "{place}: {name} may not use the package {package}");
        }
    }
}

/// Whether the text occurs in the code, not as the end of a longer path or word.
fn is_word(text: &str, code: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.match_indices(text).any(|(at, _)| !code[..at].ends_with(is_part))
}

#[test]
fn every_file_says_what_it_owns() {
    for (_, path) in files() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{}: no //!", path.display());
    }
}

/// The functions of these folders are listed by `trials!`; the attribute would only hide that one
/// is not.
#[test]
fn tests_without_a_harness_have_no_attribute() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for folder in ["common", "growth", "oracles", "suite"] {
        let mut paths = Vec::new();
        walk(&tests.join(folder), &mut paths).unwrap();
        for path in paths {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("#[test]"), "{}", path.display());
        }
    }
}
