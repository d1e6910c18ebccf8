//! The call graph and that of the installed gprof, of programs in testdata/programs.
//!
//! Each program is compiled with -pg and run, and compiled without and run under callgrind. gprof
//! knows the calls that functions of the executable make, so calls are compared where both ends are
//! functions of the program. Its times are samples: what depends on them (the order and numbers of
//! entries) is not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use libtest_mimic::Trial;

use crate::common::gprof_page::{self, CallGraph, Line};
use crate::common::program::other_program;
use crate::oracles::{run as run_well, source, trial};

pub fn trials() -> Vec<Trial> {
    let test = |compiler: &'static str, name: &str, sources: &'static str| {
        trial(&["gprof", "valgrind", compiler], name, move || {
            compare_programs(compiler, sources);
        })
    };
    let statics = "statics_one.c statics_two.c";
    vec![
        test("gcc", "cycles", "cycles.c"),
        test("gcc", "recursion", "recursion.c"),
        test("gcc", "functions that are never called", "never.c"),
        test("gcc", "static functions of one name", statics),
        test("gcc", "callbacks", "callbacks.c"),
        test("g++", "classes", "classes.cpp"),
    ]
}

/// What does not depend on costs.
#[derive(Debug, Default, PartialEq)]
struct Calls {
    /// With their recursive calls. gprof has a line of a recursive function in its own entry too.
    functions: BTreeMap<String, i64>,
    /// By caller and callee as the entries of either have them: how many, and whether a line says
    /// of how many they are a part, as none does within a cycle.
    of_callers: BTreeMap<(String, String), (i64, bool)>,
    of_callees: BTreeMap<(String, String), (i64, bool)>,
    cycles: BTreeSet<BTreeSet<String>>,
}

/// What a graph says of the functions that `is_meant` selects.
fn calls(graph: &CallGraph, is_meant: &dyn Fn(&str) -> bool) -> Calls {
    let names = Names::new(graph);
    let mut calls = Calls::default();
    let mut cycles: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for entry in graph.entries.iter().filter(|entry| !entry.is_cycle()) {
        let name = names.of(&entry.line);
        if !is_meant(&name) {
            continue;
        }
        let others = |lines: &[Line]| -> Vec<(String, (i64, bool))> {
            let lines = lines.iter().map(|line| {
                let (count, of) = line.calls.unwrap();
                (names.of(line), (count, of.is_some()))
            });
            lines.filter(|(other, _)| is_meant(other) && *other != name).collect()
        };
        for (caller, count) in others(&entry.callers) {
            calls.of_callees.insert((caller, name.clone()), count);
        }
        for (callee, count) in others(&entry.callees) {
            calls.of_callers.insert((name.clone(), callee), count);
        }
        if let Some(cycle) = entry.line.cycle {
            cycles.entry(cycle).or_default().insert(name.clone());
        }
        let recursive = entry.line.calls.and_then(|(_, recursive)| recursive).unwrap_or(0);
        calls.functions.insert(name, recursive);
    }
    calls.cycles = cycles.into_values().collect();
    calls
}

/// Names of functions as both programs give them: without the file if the name is that of one
/// function only.
struct Names<'g> {
    graph: &'g CallGraph,
    /// The functions that have a static namesake.
    shared: BTreeSet<String>,
}

impl<'g> Names<'g> {
    fn new(graph: &'g CallGraph) -> Names<'g> {
        let mut seen = BTreeSet::new();
        let names = graph.names.values().map(|name| plain(name));
        let shared = names.filter(|name| !seen.insert(*name)).map(str::to_owned);
        Names { graph, shared: shared.collect() }
    }

    fn of(&self, line: &Line) -> String {
        let full = self.graph.names.get(&line.index).unwrap_or(&line.name);
        let name = match self.shared.contains(plain(full)) {
            true => full,
            false => plain(full),
        };
        // Of the names that a constructor has each program takes another one.
        name.replace("C1E", "C2E").replace("D1E", "D2E")
    }
}

/// A name without the file after it.
fn plain(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, file)) if file.ends_with("c)") || file.ends_with("cpp)") => name,
        _ => name,
    }
}

/// Compares both programs' graphs of a program made of these sources.
fn compare_programs(compiler: &str, sources: &str) {
    let folder = tempfile::tempdir().unwrap();
    for name in sources.split(' ') {
        fs::copy(source(name), folder.path().join(name)).unwrap();
    }
    let folder = folder.path().canonicalize().unwrap();
    let run = |command: &str| {
        let words: Vec<&str> = command.split(' ').collect();
        run_well(&folder, words[0], &words[1..]).page()
    };
    let options = "-O0 -g -falign-functions=16 -fno-pie -no-pie";
    run(&format!("{compiler} {options} -pg {sources} -o profiled"));
    run(&format!("{compiler} {options} {sources} -o plain"));
    // The program may end with 1.
    other_program("./profiled").in_dir(&folder).run();
    let options = "--tool=callgrind --demangle=no --callgrind-out-file=plain.out ./plain";
    let valgrind = other_program("valgrind").args(options.split(' '));
    valgrind.in_dir(&folder).run();
    let theirs = gprof_page::read(&run("gprof -b -q -z --no-demangle ./profiled"));
    let cgannotate = env!("CARGO_BIN_EXE_cgannotate");
    let page = run(&format!("{cgannotate} gprof -b -q --demangle=no plain.out"));
    let ours = gprof_page::read(&page);
    // The functions of the program are those that have to do with calls in gprof's graph.
    let ends = calls(&theirs, &|_| true).of_callers.into_keys();
    let called: BTreeSet<String> = ends.flat_map(|(a, b)| [a, b]).collect();
    assert!(called.len() > 1, "{sources}: {called:?}");
    // Those that the C library calls and that call nothing are known by name only.
    let is_meant = |name: &str| called.contains(name) || ["compare", "at_end"].contains(&name);
    let [theirs, ours] = [theirs, ours].map(|graph| calls(&graph, &is_meant));
    assert_eq!(theirs, ours, "{sources}");
    assert!(!page.contains("unused"), "{sources}: never called");
}
