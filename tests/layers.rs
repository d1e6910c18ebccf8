//! Checks the imports of src/: those of its rooms against a table, as data flows one way, and those
//! of its files for circles. And that all tests are listed.

#![allow(clippy::unwrap_used)]

mod common {
    pub mod walk;
}

use std::collections::{BTreeMap, BTreeSet};
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
const ROOMS: [Room; 20] = [
    room("in_order", &[], &[]),
    room("io_text", &[], &[]),
    room("profile", &[], &["memchr", "hashbrown", "indexmap"]),
    room("read", &["in_order", "io_text", "profile", "program", "graph"], &["memchr", "flate2", "regex", "hashbrown"]),
    room("graph", &["profile"], &["hashbrown"]),
    room("transform", &["profile", "graph", "program", "source", "demangle"], &["hashbrown"]),
    room("view", &["graph", "transform", "profile", "source", "demangle", "program"], &["regex", "hashbrown", "memchr"]),
    room("render", &["in_order", "view", "profile"], &["memchr", "anstyle", "unicode_width", "inferno", "prost", "flate2", "hashbrown", "shlex", "serde", "serde_json", "schemars"]),
    room("source", &["io_text"], &["memchr", "similar", "tempfile"]),
    room("demangle", &[], &["memchr", "rustc_demangle", "cpp_demangle"]),
    room("program", &["io_text"], &["object", "gimli", "addr2line", "hashbrown", "indexmap", "memchr", "regex"]),
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

/// A file of the crate: its path as a module, such as `view::rows`, and its code without tests.
struct Module {
    code: String,
    /// The names that it imports, with their paths from the crate.
    imported: BTreeMap<String, Vec<String>>,
}

/// The code without what is only compiled for tests: items of one line, and the tests at its end.
fn without_tests(mut code: String) -> String {
    const ONLY_FOR_TESTS: &str = "#[cfg(test)]\n";
    let mut from = 0;
    while let Some(at) = code[from..].find(ONLY_FOR_TESTS).map(|at| from + at) {
        let item = &code[at + ONLY_FOR_TESTS.len()..];
        let line = item.lines().next().unwrap_or_default();
        let end = at + ONLY_FOR_TESTS.len() + line.len();
        if line.ends_with(';') {
            code.replace_range(at..end, "");
            from = at;
        } else if line.ends_with("mod tests {") {
            code.truncate(at);
        } else {
            from = end;
        }
    }
    code
}

/// The paths of a `use`: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths_of(tree: &str) -> Vec<String> {
    let Some((start, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let (mut paths, mut item, mut depth) = (Vec::new(), String::new(), 0);
    for c in rest.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth < 0 || depth == 0 && c == ',' {
            let all = paths_of(&item).into_iter().filter(|path| !path.is_empty());
            paths.extend(all.map(|path| format!("{}{path}", start.trim())));
            item.clear();
        } else {
            item.push(c);
        }
    }
    paths
}

/// A path that begins in a module as one from the crate; none if it is of another package.
fn from_crate(path: &str, module: &str, modules: &BTreeMap<String, Module>) -> Option<Vec<String>> {
    let parts = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let mut start = if module.is_empty() { Vec::new() } else { parts(module) };
    let mut path = parts(path.split(" as ").next()?.trim());
    match &*path[0] {
        "crate" => start.clear(),
        "self" => {}
        "super" => {
            while path.first().is_some_and(|part| part == "super") {
                start.pop();
                path.remove(0);
            }
            start.extend(path);
            return Some(start);
        }
        child => {
            let child = [&start[..], &[child.to_owned()]].concat().join("::");
            modules.contains_key(&child).then_some(())?;
            start.extend(path);
            return Some(start);
        }
    }
    start.extend(path.drain(1..));
    Some(start)
}

/// The module that defines what a path names, through the names that modules import.
fn module_at(path: &[String], modules: &BTreeMap<String, Module>, depth: usize) -> String {
    let mut module = String::new();
    for (at, part) in path.iter().enumerate() {
        let child = if module.is_empty() { part.clone() } else { format!("{module}::{part}") };
        if modules.contains_key(&child) {
            module = child;
            continue;
        }
        return match modules.get(&module).and_then(|of| of.imported.get(part)) {
            Some(imported) if depth > 0 => {
                module_at(&[imported, &path[at + 1..]].concat(), modules, depth - 1)
            }
            _ => module,
        };
    }
    module
}

/// By module the modules that it imports something from. A module and those within it, which share
/// its names, do not count.
fn imports_of_modules() -> BTreeMap<String, BTreeSet<String>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeMap::new();
    for (_, path) in files() {
        let name = path.strip_prefix(&src).unwrap().with_extension("");
        let parts: Vec<&str> = name.iter().map(|part| part.to_str().unwrap()).collect();
        let module = parts.join("::").replace("::mod", "");
        let name = if module == "lib" { String::new() } else { module };
        let code = without_tests(code(&path));
        modules.insert(name, Module { code, imported: BTreeMap::new() });
    }
    let uses = |code: &str| -> Vec<String> {
        let after = code.split("use ").skip(1);
        after.filter_map(|tree| tree.split_once(';')).flat_map(|(tree, _)| paths_of(tree)).collect()
    };
    let names: Vec<String> = modules.keys().cloned().collect();
    for name in &names {
        let imported: BTreeMap<String, Vec<String>> = uses(&modules[name].code)
            .iter()
            .filter_map(|path| {
                let known = path.rsplit([':', ' ']).next()?.to_owned();
                Some((known, from_crate(path, name, &modules)?))
            })
            .collect();
        modules.get_mut(name).unwrap().imported = imported;
    }
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for name in &names {
        let code = &modules[name].code;
        let in_code = ["crate::", "super::"].iter().flat_map(|start| {
            let is_of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            code.match_indices(start).map(move |(at, _)| {
                let path = &code[at..];
                let end = path.find(|c| !is_of_path(c)).unwrap_or(path.len());
                path[..end].trim_end_matches(':').to_owned()
            })
        });
        let all: Vec<String> = uses(code).into_iter().chain(in_code).collect();
        let is_within = |inner: &str, outer: &str| {
            inner == outer || outer.is_empty() || inner.starts_with(&format!("{outer}::"))
        };
        let of_name = all
            .iter()
            .filter_map(|path| from_crate(path, name, &modules))
            .map(|path| module_at(&path, &modules, 8))
            .filter(|other| !is_within(other, name) && !is_within(name, other));
        imports.entry(name.clone()).or_default().extend(of_name);
    }
    imports
}

/// A circle of imports that a module leads to, if there is one. `open` are the modules that lead
/// to it, `known` those that lead to no circle.
fn circle_from(
    module: &str,
    imports: &BTreeMap<String, BTreeSet<String>>,
    open: &mut Vec<String>,
    known: &mut BTreeSet<String>,
) -> Option<Vec<String>> {
    if let Some(at) = open.iter().position(|one| one == module) {
        return Some(open[at..].to_vec());
    }
    if known.contains(module) {
        return None;
    }
    open.push(module.to_owned());
    let found = imports[module].iter().find_map(|next| circle_from(next, imports, open, known));
    open.pop();
    known.insert(module.to_owned());
    found
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let imports = imports_of_modules();
    let count = imports.values().map(BTreeSet::len).sum::<usize>();
    assert!(count > 1000, "the imports are read: {count}");
    let mut known = BTreeSet::new();
    for module in imports.keys() {
        let circle = circle_from(module, &imports, &mut Vec::new(), &mut known);
        assert!(circle.is_none(), "each imports from the next: {}", circle.unwrap().join(", "));
    }
}

#[test]
fn a_path_leads_to_the_file_that_defines_its_name() {
    let module = |imported: &[(&str, &str)]| Module {
        code: String::new(),
        imported: imported
            .iter()
            .map(|(name, path)| (name.to_string(), path.split("::").map(str::to_owned).collect()))
            .collect(),
    };
    let modules = BTreeMap::from([
        (String::new(), module(&[])),
        ("a".to_owned(), module(&[("Shared", "a::b::Shared")])),
        ("a::b".to_owned(), module(&[])),
        ("c".to_owned(), module(&[])),
    ]);
    for (in_module, path, expected) in [
        ("c", "crate::a::Shared", "a::b"),
        ("c", "crate::a::Own", "a"),
        ("a::b", "super::Shared::of", "a::b"),
        ("a", "b::Shared as Other", "a::b"),
        ("a::b", "super::super::c::C", "c"),
    ] {
        let path = from_crate(path, in_module, &modules).unwrap();
        assert_eq!(module_at(&path, &modules, 8), expected, "{path:?}");
    }
    assert!(from_crate("std::fs", "a", &modules).is_none());
    let tree = "super::{A, b::{C, D as E}}";
    assert_eq!(paths_of(tree), ["super::A", "super::b::C", "super::b::D as E"]);
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
