//! The call graph and that of the installed gprof, of programs in testdata/programs and of one with a hundred functions
//! made at random. Each is compiled with -pg and run, and compiled without and run under callgrind.
//!
//! gprof knows the calls that functions of the executable make, so calls are compared where both ends are functions of
//! the program. Its times are samples: what depends on them (the order and numbers of entries) is not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::common::generated::elf::Random;
use crate::common::gprof_page::{self, Entry};
use crate::common::program::other_program;
use crate::oracles::gprof_calls::{Known, check_gprof, known};
use crate::oracles::{run as run_well, source, trial};

pub fn trials() -> Vec<Trial> {
    let test = |compiler: &'static str, name: &str, sources: &'static [&'static str]| {
        trial(&["gprof", "valgrind", compiler], name, move || {
            let (_folder, path) = folder_with(sources);
            compare(&path, compiler, sources);
        })
    };
    let statics = &["statics_one.c", "statics_two.c"];
    let needs = ["gprof", "valgrind", "gcc"];
    let random = "a hundred functions at random";
    let symspecs = "symspecs select the same entries";
    vec![
        test("gcc", "cycles", &["cycles.c"]),
        test("gcc", "recursion", &["recursion.c"]),
        test("gcc", "functions that are never called", &["never.c"]),
        test("gcc", "static functions of one name", statics),
        test("gcc", "callbacks", &["callbacks.c"]),
        test("g++", "classes", &["classes.cpp"]),
        trial(&needs, random, a_hundred_functions_at_random),
        trial(&needs, symspecs, symspecs_select_the_same_entries),
    ]
}

/// What a command prints in a folder.
fn run(folder: &Path, command: &str) -> String {
    let (name, args) = command.split_once(' ').unwrap_or((command, ""));
    let name = match name {
        "cgannotate" => env!("CARGO_BIN_EXE_cgannotate"),
        name => name,
    };
    run_well(folder, name, &args.split(' ').collect::<Vec<_>>()).page()
}

/// Compares both programs' graphs of a program made of these sources.
fn compare(folder: &Path, compiler: &str, sources: &[&str]) {
    for (name, more) in [("profiled", "-pg"), ("plain", "-g")] {
        let options = "-O0 -g -falign-functions=16 -fno-pie -no-pie";
        let sources = sources.join(" ");
        run(
            folder,
            &format!("{compiler} {options} {more} {sources} -o {name}"),
        );
    }
    // The program may end with 1.
    other_program("./profiled").in_dir(folder).run();
    let theirs = run(folder, "gprof -b -q -z --no-demangle ./profiled");
    let options = "--tool=callgrind --demangle=no --callgrind-out-file=plain.out ./plain";
    let valgrind = other_program("valgrind").args(options.split(' '));
    valgrind.in_dir(folder).run();
    let page = run(folder, "cgannotate gprof -q --demangle=no plain.out");

    let (theirs, ours) = (gprof_page::read(&theirs), gprof_page::read(&page));
    check_gprof(&theirs);
    // The functions of the program are those that have to do with calls in gprof's graph.
    let all = known(&theirs, &|_| true);
    let has_calls = |known: &Known| !known.callers.is_empty() || !known.callees.is_empty();
    let called = all.iter().filter(|(_, known)| has_calls(known));
    let called: BTreeSet<&String> = called.map(|(name, _)| name).collect();
    // Those that the C library calls and that call nothing are known by name only.
    let by_library = ["compare", "at_end"];
    let is_meant = |name: &str| called.contains(&name.to_owned()) || by_library.contains(&name);
    let (theirs, ours) = (known(&theirs, &is_meant), known(&ours, &is_meant));
    assert!(called.len() > 1, "{sources:?}: {called:?}");
    for (name, theirs) in &theirs {
        let ours = ours.get(name);
        assert_eq!(Some(theirs), ours, "{name} of {sources:?}");
    }
    let names = |known: &BTreeMap<String, Known>| known.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&theirs), names(&ours), "{sources:?}");
    assert!(!page.contains("unused"), "{sources:?}: never called");
}

/// A program of a hundred functions that call each other at random, so that some are never called, some are in
/// cycles, and some call themselves.
fn random_program() -> String {
    let mut random = Random(20_261_121);
    let mut text = String::from("static volatile long sum;\nstatic int fuel = 3000;\n");
    (0..100).for_each(|i| writeln!(text, "void f{i}(int n);").unwrap());
    for i in 0..100u64 {
        writeln!(text, "void f{i}(int n)\n{{\n    sum += n;").unwrap();
        text.push_str("    if (n <= 0 || fuel-- <= 0)\n        return;\n");
        for _ in 0..random.below(4) {
            // Mostly forward, sometimes a little back: several cycles.
            let callee = match random.is_one_in(5) {
                true => i.saturating_sub(random.below(4)),
                false => (i + 1 + random.below(12)).min(99),
            };
            writeln!(text, "    f{callee}(n - {});", 1 + random.below(2)).unwrap();
        }
        text.push_str("}\n");
    }
    text.push_str("int main(void)\n{\n    for (int i = 0; i < 30; i++) {\n        fuel = 2000;\n");
    for _ in 0..40 {
        writeln!(text, "        f{}(i % 25);", random.below(100)).unwrap();
    }
    text + "    }\n    return 0;\n}\n"
}

/// A folder with sources from testdata/programs.
fn folder_with(sources: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for name in sources {
        fs::copy(source(name), folder.path().join(name)).unwrap();
    }
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn a_hundred_functions_at_random() {
    let (_folder, path) = folder_with(&[]);
    fs::write(path.join("random.c"), random_program()).unwrap();
    compare(&path, "gcc", &["random.c"]);
}

/// With `-z`, which prints entries without cost and calls too, symspecs alone select the entries.
fn symspecs_select_the_same_entries() {
    let (_folder, path) = folder_with(&["cycles.c"]);
    compare(&path, "gcc", &["cycles.c"]);
    let shown = |page: &str| -> BTreeSet<String> {
        let names = ["ping", "pong", "red", "green", "blue", "work", "main"];
        let entries = gprof_page::read(page).entries.into_iter();
        let name = |entry: Entry| {
            let members = entry.members.iter().map(|member| &*member.name);
            let members: BTreeSet<&str> = members.collect();
            match entry.is_cycle() {
                true => Vec::from_iter(members).join("+"),
                false => entry.line.name,
            }
        };
        let is_meant = |name: &String| name.contains('+') || names.contains(&name.as_str());
        entries.map(name).filter(is_meant).collect()
    };
    let options = "-fred, -fping, -eping, -ework, -Ered, -Fpong, -Fmain, -nping, -Nwork, -kping/pong, -k/red, -qred, -Qping, \
        -qpong/, -qpong/red, -fping -ework, -Fwork -ework";
    let mut different = BTreeSet::new();
    for options in options.split(", ") {
        let theirs = run(&path, &format!("gprof -b -q -z {options} ./profiled"));
        let ours = run(
            &path,
            &format!("cgannotate gprof -q -z {options} plain.out"),
        );
        let (theirs, ours) = (shown(&theirs), shown(&ours));
        assert_eq!(theirs, ours, "{options}");
        different.insert(ours);
    }
    assert!(different.len() > 8, "{different:?}");
}
