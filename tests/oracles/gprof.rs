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

use crate::common::gprof_page::{self, Entry};
use crate::common::program::{other_program, program};
use crate::oracles::gprof_calls::{Known, check_gprof, known};
use crate::oracles::project;
use crate::oracles::trial;

pub fn trials() -> Vec<Trial> {
    let needs = ["gprof", "valgrind", "gcc"];
    let compare_c = |name, programs: &'static [&'static [&'static str]]| {
        trial(&needs, name, || compare_all("gcc", programs))
    };
    vec![
        compare_c("cycles", &[&["cycles.c"]]),
        compare_c("recursion", &[&["recursion.c"]]),
        compare_c("functions that are never called", &[&["never.c"]]),
        compare_c(
            "static functions of one name",
            &[&["statics_one.c", "statics_two.c"]],
        ),
        compare_c("callbacks", &[&["callbacks.c"]]),
        trial(&["gprof", "valgrind", "g++"], "classes", || {
            compare_all("g++", &[&["classes.cpp"]])
        }),
        trial(
            &needs,
            "a hundred functions at random",
            a_hundred_functions_at_random,
        ),
        trial(
            &needs,
            "symspecs select the same entries",
            symspecs_select_the_same_entries,
        ),
    ]
}

/// Runs a command in a folder.
fn run(folder: &Path, command: &[&str]) -> String {
    let (name, args) = command.split_first().unwrap();
    let run = if *name == "cgannotate" {
        program()
    } else {
        other_program(name)
    };
    let output = run.args(args).in_dir(folder).run();
    // A compiled program may end with 1.
    assert!(
        matches!(output.status, 0 | 1),
        "{command:?}: {}",
        output.error()
    );
    String::from_utf8_lossy(&output.out).into_owned()
}

/// Compares both programs' graphs of a program made of these sources.
fn compare(folder: &Path, compiler: &str, sources: &[&str]) {
    let options = ["-O0", "-g", "-falign-functions=16", "-fno-pie", "-no-pie"];
    for (name, more) in [("profiled", &["-pg"][..]), ("plain", &[])] {
        let command = [&[compiler], &options[..], more, sources, &["-o", name]].concat();
        run(folder, &command);
    }
    run(folder, &["./profiled"]);
    let theirs = run(
        folder,
        &["gprof", "-b", "-q", "-z", "--no-demangle", "./profiled"],
    );
    let callgrind = [
        "valgrind",
        "--tool=callgrind",
        "--demangle=no",
        "--callgrind-out-file=plain.out",
    ];
    run(folder, &[&callgrind[..], &["./plain"]].concat());
    let page = run(
        folder,
        &["cgannotate", "gprof", "-q", "--demangle=no", "plain.out"],
    );

    let (theirs, ours) = (gprof_page::read(&theirs), gprof_page::read(&page));
    check_gprof(&theirs);
    // The functions of the program are those that have to do with calls in gprof's graph.
    let all = known(&theirs, &|_| true);
    let called: BTreeSet<&String> = all
        .iter()
        .filter(|(_, known)| !known.callers.is_empty() || !known.callees.is_empty())
        .map(|(name, _)| name)
        .collect();
    // Those that the C library calls and that call nothing are known by name only.
    let by_library = ["compare", "at_end"];
    let is_meant = |name: &str| called.contains(&name.to_owned()) || by_library.contains(&name);
    let (theirs, ours) = (known(&theirs, &is_meant), known(&ours, &is_meant));
    assert!(called.len() > 1, "{sources:?}: {called:?}");
    for (name, theirs) in &theirs {
        assert_eq!(
            Some(theirs),
            ours.get(name),
            "{name} of {sources:?}: gprof's and ours"
        );
    }
    let names = |known: &BTreeMap<String, Known>| known.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(&theirs), names(&ours), "{sources:?}");
    assert!(
        !page.contains("unused"),
        "{sources:?}: never called, but there"
    );
}

/// A program of a hundred functions that call each other at random, so that some are never called, some are in
/// cycles, and some call themselves.
fn random_program() -> String {
    let mut state = 20_261_121u64;
    let mut random = |below: u64| {
        // Knuth's MMIX generator.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut text = String::from("static volatile long sum;\nstatic int fuel = 3000;\n");
    for i in 0..100 {
        writeln!(text, "void f{i}(int n);").unwrap();
    }
    for i in 0..100u64 {
        writeln!(
            text,
            "void f{i}(int n)\n{{\n    sum += n;\n    if (n <= 0 || fuel-- <= 0)\n        return;"
        )
        .unwrap();
        for _ in 0..random(4) {
            // Mostly forward, sometimes a little back: several cycles.
            let callee = if random(5) == 0 {
                i.saturating_sub(random(4))
            } else {
                (i + 1 + random(12)).min(99)
            };
            writeln!(text, "    f{callee}(n - {});", 1 + random(2)).unwrap();
        }
        text.push_str("}\n");
    }
    text.push_str("int main(void)\n{\n    for (int i = 0; i < 30; i++) {\n        fuel = 2000;\n");
    for _ in 0..40 {
        writeln!(text, "        f{}(i % 25);", random(100)).unwrap();
    }
    text + "    }\n    return 0;\n}\n"
}

/// A folder with sources from testdata/programs.
fn folder_with(sources: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let programs = project().join("testdata/programs");
    for source in sources {
        fs::copy(programs.join(source), folder.path().join(source)).unwrap();
    }
    let path = folder.path().canonicalize().unwrap();
    (folder, path)
}

fn compare_all(compiler: &str, programs: &[&[&str]]) {
    for sources in programs {
        let (_folder, path) = folder_with(sources);
        compare(&path, compiler, sources);
    }
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
            let is_cycle = entry.is_cycle();
            let members = entry.members.iter().map(|member| member.name.as_str());
            let mut members: Vec<&str> = members.collect();
            members.sort_unstable();
            if is_cycle {
                members.join("+")
            } else {
                entry.line.name
            }
        };
        let all = entries.map(name);
        all.filter(|name| name.contains('+') || names.contains(&name.as_str()))
            .collect()
    };
    let options = [
        "-fred",
        "-fping",
        "-eping",
        "-ework",
        "-Ered",
        "-Fpong",
        "-Fmain",
        "-nping",
        "-Nwork",
        "-kping/pong",
        "-k/red",
        "-qred",
        "-Qping",
        "-qpong/",
        "-qpong/red",
        "-fping -ework",
        "-Fwork -ework",
    ];
    let mut different = BTreeSet::new();
    for options in options {
        let words: Vec<&str> = options.split(' ').collect();
        let theirs = [&["gprof", "-b", "-q", "-z"], &words[..], &["./profiled"]].concat();
        let ours = [
            &["cgannotate", "gprof", "-q", "-z"],
            &words[..],
            &["plain.out"],
        ]
        .concat();
        let (theirs, ours) = (shown(&run(&path, &theirs)), shown(&run(&path, &ours)));
        assert_eq!(theirs, ours, "{options}");
        different.insert(ours);
    }
    assert!(different.len() > 8, "{different:?}");
}
