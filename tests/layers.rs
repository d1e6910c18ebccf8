//! Holds the imports of src/ against the plan of its rooms: data flows one way, and so do they.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Which rooms a room may import.
const ROOMS: [(&str, &[&str]); 8] = [
    ("source", &[]),
    ("demangle", &[]),
    ("profile", &[]),
    ("read", &["profile"]),
    ("view", &["profile", "source", "demangle"]),
    ("render", &["profile", "view"]),
    ("options", &["profile", "read", "view", "render", "source"]),
    (
        "cli",
        &["profile", "read", "view", "render", "source", "options"],
    ),
];

/// In which rooms outside packages are at home. `lib`, `run` and `main` are the files of these names.
const PACKAGES: [(&str, &[&str]); 20] = [
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli"]),
    ("tempfile", &["run", "source"]),
    ("csv", &["render"]),
    ("serde", &["render"]),
    ("serde_json", &["render"]),
    ("regex", &["read", "view"]),
    ("globset", &["view"]),
    ("clap", &["cli"]),
    ("anstream", &["cli"]),
    ("anstyle", &["render"]),
    ("terminal_size", &["cli"]),
    ("unicode_width", &["render"]),
    ("indicatif", &["run"]),
    ("memchr", &["read", "demangle", "source"]),
    ("flate2", &["read"]),
    ("rustc_demangle", &["demangle"]),
    ("cpp_demangle", &["demangle"]),
    ("anyhow", &["lib", "run", "main", "cli"]),
    ("hashbrown", &["profile", "read", "view"]),
];

/// All source files with the room that they are in.
fn files() -> Vec<(String, PathBuf)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files)
            } else {
                files.push(path)
            }
        }
    }
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    let room = |path: &Path| {
        let first = path.strip_prefix(&src).unwrap().iter().next().unwrap();
        first.to_str().unwrap().trim_end_matches(".rs").to_owned()
    };
    paths.into_iter().map(|path| (room(&path), path)).collect()
}

/// The code of a file without its comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The names that follow `prefix`, those in braces too.
fn names_after(prefix: &str, code: &str) -> BTreeSet<String> {
    let word = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut names = BTreeSet::new();
    let is_word_before =
        |at: usize| code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    for (at, _) in code
        .match_indices(prefix)
        .filter(|&(at, _)| !is_word_before(at))
    {
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

#[test]
fn rooms_import_only_what_the_plan_allows() {
    let files = files();
    for (room, allowed) in ROOMS {
        let mut seen = false;
        for (_, path) in files.iter().filter(|(of, _)| of == room) {
            seen = true;
            for name in names_after("crate::", &code(path)) {
                let fits = name == room || name.is_empty() || allowed.contains(&name.as_str());
                assert!(fits, "{}: {room} may not import {name}", path.display());
            }
        }
        assert!(seen, "there is no room {room}");
    }
    let known: BTreeSet<_> = ROOMS
        .iter()
        .map(|(room, _)| *room)
        .chain(["lib", "main", "run"])
        .collect();
    for (room, path) in &files {
        assert!(
            known.contains(room.as_str()),
            "{} is in no room of the plan",
            path.display()
        );
    }
}

#[test]
fn packages_are_used_at_home_only() {
    for (package, homes) in PACKAGES {
        let uses = |path: &Path| {
            let code = code(path);
            code.contains(&format!("{package}::")) || code.contains(&format!("use {package};"))
        };
        for (room, path) in files().iter().filter(|(_, path)| uses(path)) {
            assert!(
                homes.contains(&room.as_str()),
                "{}: {package} is not at home in {room}",
                path.display()
            );
        }
    }
}

#[test]
fn every_file_says_what_it_owns_and_is_short() {
    for (_, path) in files() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("//! "),
            "{}: no //! at its head",
            path.display()
        );
        let lines = text.lines().count();
        assert!(lines <= 500, "{}: {lines} lines", path.display());
    }
}
