//! The call graph against that of the installed gprof, for programs in testdata/programs and one of a hundred
//! functions made at random. Each is compiled with -pg and run, and without and run under callgrind.
//!
//! gprof knows the calls that functions of the executable make, so ours are compared as far as both ends are
//! functions of the program. Its times are samples, and what depends on them (order and numbers of entries) is not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::gprof_page::{self, CallGraph, Entry, Line};
use crate::program::{other_program, program};
use crate::{project, trial};

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

/// What must not depend on cost, of one function.
#[derive(Debug, Default, PartialEq)]
struct Known {
    /// Calls by other functions of the program, and by itself.
    calls: (i64, i64),
    /// Callers and callees, with the calls and those they are part of; none within a cycle.
    callers: BTreeSet<(String, i64, Option<i64>)>,
    callees: BTreeSet<(String, i64, Option<i64>)>,
    /// Whether no function of the program calls it.
    is_spontaneous: bool,
    /// The members of its cycle.
    cycle: BTreeSet<String>,
}

/// Names of functions as both programs give them: without the file if the name is that of one function only.
struct Names<'g> {
    graph: &'g CallGraph,
    /// The functions that have a static namesake.
    shared: BTreeSet<String>,
}

impl<'g> Names<'g> {
    fn new(graph: &'g CallGraph) -> Names<'g> {
        let mut seen = BTreeSet::new();
        let mut shared = BTreeSet::new();
        for name in graph.names.values().map(|name| plain(name)) {
            if !seen.insert(name) {
                shared.insert(name.to_owned());
            }
        }
        Names { graph, shared }
    }

    fn of(&self, line: &Line) -> String {
        let full = self
            .graph
            .names
            .get(&line.index)
            .map_or(line.name.as_str(), String::as_str);
        let name = if self.shared.contains(plain(full)) {
            full
        } else {
            plain(full)
        };
        // Of the names that a constructor has each program takes another one.
        name.replace("C1E", "C2E").replace("D1E", "D2E")
    }
}

/// A name without the file behind it.
fn plain(name: &str) -> &str {
    match name.rsplit_once(" (") {
        Some((name, file)) if file.ends_with("c)") || file.ends_with("cpp)") => name,
        _ => name,
    }
}

/// What a graph says of the functions that `is_meant` names.
fn known(graph: &CallGraph, is_meant: &dyn Fn(&str) -> bool) -> BTreeMap<String, Known> {
    let names = Names::new(graph);
    let entries = || graph.entries.iter().filter(|entry| !entry.is_cycle());
    let mut cycles: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for entry in entries() {
        if let Some(cycle) = entry.line.cycle {
            cycles
                .entry(cycle)
                .or_default()
                .insert(names.of(&entry.line));
        }
    }
    // Of the calls into a function or cycle, those from the program.
    let outside = |line: &Line| -> i64 {
        let is_same = |entry: &&Entry| match line.cycle {
            Some(cycle) => entry.line.cycle == Some(cycle),
            None => entry.line.index == line.index,
        };
        let callers = entries().filter(is_same).flat_map(|entry| &entry.callers);
        let callers = callers.filter(|caller| is_meant(&names.of(caller)));
        callers
            .filter(|caller| caller.calls.unwrap().1.is_some())
            .map(|caller| caller.calls.unwrap().0)
            .sum()
    };
    let mut known = BTreeMap::new();
    for entry in entries().filter(|entry| is_meant(&names.of(&entry.line))) {
        let line = |line: &Line, callee: &Line| {
            let (count, of) = line.calls.unwrap();
            (names.of(line), count, of.map(|_| outside(callee)))
        };
        let is_in = |line: &&Line| is_meant(&names.of(line));
        let callers: Vec<&Line> = entry.callers.iter().filter(is_in).collect();
        let is_self = |line: &&&Line| line.index == entry.line.index;
        let sum =
            |lines: &mut dyn Iterator<Item = &&Line>| lines.map(|line| line.calls.unwrap().0).sum();
        let of_program = Known {
            calls: (
                sum(&mut callers.iter().filter(|line| !is_self(line))),
                sum(&mut callers.iter().filter(is_self)),
            ),
            is_spontaneous: callers.is_empty(),
            callers: callers
                .iter()
                .map(|caller| line(caller, &entry.line))
                .collect(),
            callees: entry
                .callees
                .iter()
                .filter(is_in)
                .map(|callee| line(callee, callee))
                .collect(),
            cycle: entry
                .line
                .cycle
                .map_or_else(BTreeSet::new, |cycle| cycles[&cycle].clone()),
        };
        known.insert(names.of(&entry.line), of_program);
    }
    known
}

/// gprof prints these numbers itself; they must be what its lines add up to, or the comparison means nothing.
fn check_gprof(graph: &CallGraph) {
    for entry in &graph.entries {
        let (calls, self_calls) = entry.line.calls.unwrap_or_default();
        if entry.is_cycle() {
            continue;
        }
        let (own, others): (Vec<&Line>, Vec<&Line>) = entry
            .callers
            .iter()
            .partition(|line| line.index == entry.line.index);
        let sum = |lines: Vec<&Line>| lines.iter().map(|line| line.calls.unwrap().0).sum::<i64>();
        assert_eq!(
            (calls, self_calls.unwrap_or(0)),
            (sum(others), sum(own)),
            "{}",
            entry.line.name
        );
    }
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

/// Which entries are printed depends on symspecs alone if those without cost and calls are printed too.
fn symspecs_select_the_same_entries() {
    let (_folder, path) = folder_with(&["cycles.c"]);
    compare(&path, "gcc", &["cycles.c"]);
    let shown = |page: &str| -> BTreeSet<String> {
        let names = ["ping", "pong", "red", "green", "blue", "work", "main"];
        let entries = gprof_page::read(page).entries.into_iter();
        let name = |entry: Entry| {
            let is_cycle = entry.is_cycle();
            let members = entry.callees.iter().map(|member| member.name.as_str());
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
