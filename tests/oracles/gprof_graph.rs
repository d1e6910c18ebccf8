//! The call graph and that of the installed gprof, of programs in testdata/programs and of graphs made at random.
//!
//! Each program is compiled with -pg and run, and compiled without and run under callgrind. gprof knows the calls that
//! functions of the executable make, so calls are compared where both ends are functions of the program. Its times are
//! samples: what depends on them (the order and numbers of entries) is not compared.
//!
//! Each graph is a program with gprof's data of it, and a Callgrind profile whose calls cost something else, which has no
//! influence with `-k`, `-n` and `-N`: costs are propagated by the numbers of calls then, as gprof does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::generated::elf::{self, Random, Symbol, X86_64};
use crate::common::gprof_page::{self, CallGraph, Line};
use crate::common::program::{Run, other_program, program};
use crate::oracles::{run as run_well, source, trial};

const GRAPHS: u64 = 200;
const NAMES: [&str; 9] = ["f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8"];
/// The symbol behind the last function.
const BEHIND: &str = "data_start";
/// Options that select entries.
const SELECTING: [&str; 9] = ["e", "E", "f", "F", "k", "q", "Q", "q/", "Q/"];
/// Where the first function is, and how many bytes each has: four samples' worth.
const START: u64 = 0x1000;
const SIZE: u64 = 16;

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
        trial(&["gprof"], "call graphs made at random", || {
            let folder = tempfile::tempdir().unwrap();
            (0..GRAPHS).for_each(|seed| compare_graphs(seed, folder.path()));
        }),
    ]
}

/// What does not depend on costs.
#[derive(Debug, Default, PartialEq)]
struct Calls {
    functions: BTreeSet<String>,
    /// By caller and callee as the entries of either have them: how many, and whether a line says of how many they are a
    /// part, as none does within a cycle.
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
            lines.filter(|(name, _)| is_meant(name)).collect()
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
        calls.functions.insert(name);
    }
    calls.cycles = cycles.into_values().collect();
    calls
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
        let names = graph.names.values().map(|name| plain(name));
        let shared = names.filter(|name| !seen.insert(*name)).map(str::to_owned);
        Names {
            graph,
            shared: shared.collect(),
        }
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
    let page = run(&format!("{cgannotate} gprof -q --demangle=no plain.out"));
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

/// The calls of one function by another: how many, and what they cost.
type Graph = BTreeMap<(usize, usize), (u64, u64)>;

fn compare_graphs(seed: u64, folder: &Path) {
    let mut random = Random(seed);
    let own = NAMES.map(|_| random.one_of(&[0, 1, 7, 500, 40_000]));
    let mut graph = Graph::new();
    for _ in 0..6 + random.below(14) {
        let ends = [(); 2].map(|()| random.below(NAMES.len() as u64) as usize);
        let count = random.one_of(&[1, 1, 2, 3, 10, 1000]);
        graph.insert((ends[0], ends[1]), (count, random.below(10_000)));
    }
    write(folder, &own, &graph);
    let page = |program: Run<'_>, options: &[String], files: &[&str]| {
        let run = program.args(["-b", "-q", "-z"]).args(options).args(files);
        run.in_dir(folder).run().page()
    };
    let both = |options: &[String]| {
        let theirs = page(other_program("gprof"), options, &["prog", "gmon.out"]);
        (theirs, page(program().arg("gprof"), options, &["p.out"]))
    };
    let leaving_out = options(&mut random, &graph, &["n", "N", "k", "k"]);
    let what = format!("seed {seed}: {leaving_out:?}\n{graph:?}");
    let (theirs, ours) = both(&leaving_out);
    let [of_theirs, of_ours] =
        [&theirs, &ours].map(|page| calls(&gprof_page::read(page), &|name| name != BEHIND));
    assert_eq!(of_theirs, of_ours, "{what}");
    let (theirs, ours) = (costs(&theirs, 100.0), costs(&ours, 1.0));
    assert!(!theirs.is_empty(), "{what}");
    for (name, theirs) in theirs.iter().filter(|(name, _)| *name != BEHIND) {
        let ours = ours.get(name).unwrap_or_else(|| panic!("{name} of {what}"));
        // Halves are rounded in two ways.
        let is_near = |(key, theirs): (&String, &(f64, f64))| {
            let ours = ours.get(key).copied().unwrap_or_default();
            (theirs.0 - ours.0).abs() <= 1.0 && (theirs.1 - ours.1).abs() <= 1.0
        };
        let are_near = theirs.len() == ours.len() && theirs.iter().all(is_near);
        assert!(are_near, "{name} of {what}\n{theirs:?}\nours  {ours:?}");
    }
    let selecting = options(&mut random, &graph, &SELECTING);
    let (theirs, ours) = both(&selecting);
    let (theirs, mut ours) = (costs(&theirs, 1.0), costs(&ours, 1.0));
    // Of a cycle into which no call leads gprof prints no entry.
    ours.retain(|name, _| theirs.contains_key(name) || !name.contains(' '));
    let names = theirs.keys().filter(|name| *name != BEHIND);
    let what = format!("seed {seed}: {selecting:?}\n{graph:?}");
    assert!(names.eq(ours.keys()), "{what}\n{:?}", ours.keys());
}

/// Writes the same graph twice. Samples are hundredths of a second.
fn write(folder: &Path, own: &[u64; NAMES.len()], graph: &Graph) {
    let end = START + SIZE * NAMES.len() as u64;
    let address = |function: usize| START + SIZE * function as u64;
    let symbols = (0..).zip(NAMES);
    let symbols = symbols.map(|(at, name)| -> Symbol<'_> { (address(at), name, 1, 2, true) });
    let behind = ((end + 0xfff) & !0xfff, BEHIND, 2, 0, false);
    let symbols: Vec<_> = symbols.chain([behind]).collect();
    let program = elf::program(X86_64, (START, end), &symbols);
    fs::write(folder.join("prog"), program).unwrap();
    let mut data = elf::gmon(X86_64);
    let bins: Vec<u16> = own.iter().flat_map(|&own| [own as u16, 0, 0, 0]).collect();
    data.histogram((START, end), &bins);
    for (&(caller, callee), (count, _)) in graph {
        data.calls(address(caller) + 4, address(callee) + 4, *count);
    }
    fs::write(folder.join("gmon.out"), data.bytes).unwrap();
    let mut text = "events: Ir\nfl=a.c\n".to_owned();
    for (caller, name) in NAMES.iter().enumerate() {
        writeln!(text, "fn={name}\n{caller} {}", own[caller]).unwrap();
        for (&(_, callee), (count, cost)) in graph.range((caller, 0)..(caller + 1, 0)) {
            let callee = NAMES[callee];
            writeln!(text, "cfn={callee}\ncalls={count} 1\n{caller} {cost}").unwrap();
        }
    }
    fs::write(folder.join("p.out"), text).unwrap();
}

/// Options with one of these letters, each about a function or a call. Of several `-k` with one caller gprof takes the last.
fn options(random: &mut Random, graph: &Graph, letters: &[&str]) -> Vec<String> {
    let mut callers = BTreeSet::new();
    let mut options = Vec::new();
    let calls: Vec<_> = graph.keys().collect();
    for _ in 0..1 + random.below(3) {
        let (caller, callee) = *random.one_of(&calls);
        let (name, letter) = (random.one_of(&NAMES), random.one_of(letters));
        options.push(match letter {
            "k" if !callers.insert(caller) => continue,
            "k" | "q/" | "Q/" => {
                let letter = letter.trim_end_matches('/');
                format!("-{letter}{}/{}", NAMES[caller], NAMES[callee])
            }
            letter => format!("-{letter}{name}"),
        });
    }
    options
}

/// By function, or by the names of a cycle's members, the costs of its entry and of the lines around it, in units of which
/// one of what is printed has `each`. Of a cycle only the members: gprof prints nothing else around it, and prints 0 for one
/// of which a member alone counts.
fn costs(page: &str, each: f64) -> BTreeMap<String, BTreeMap<String, (f64, f64)>> {
    let mut all = BTreeMap::new();
    for entry in gprof_page::read(page).entries {
        let cost = |line: &Line| {
            let (own, children) = line.cost.unwrap_or_default();
            (own * each, children * each)
        };
        let members: BTreeSet<&str> = entry.members.iter().map(|line| &line.name[..]).collect();
        let name = match entry.is_cycle() {
            true => Vec::from_iter(members).join(" "),
            false => entry.line.name.clone(),
        };
        let mut costs = BTreeMap::new();
        let mut add = |how: &str, lines: &[Line]| {
            let lines = lines.iter();
            costs.extend(lines.map(|line| (format!("{how} {}", line.name), cost(line))));
        };
        add("with", &entry.members);
        if !entry.is_cycle() {
            add("from", &entry.callers);
            add("to", &entry.callees);
            costs.insert("self".to_owned(), cost(&entry.line));
        }
        all.insert(name, costs);
    }
    all
}
