//! Inlined functions: programs whose costs are known because their code is, in C++ and Rust, and a
//! second decoder of debug information.
//!
//! A function executes a number of `nop` of its own and calls others, some of which are always
//! inlined and others never. What else a call costs is known too: `call`, `ret`, and the two
//! instructions that align the stack in a function that calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use cgannotate::internal::program::{Inlines, Program};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::formats::{array, integer as number};
use crate::common::generated::elf::Random;
use crate::common::program::other_program;
use crate::oracles::asm::{address, is_in_program};
use crate::oracles::{callgrind, run, source as path_of, trial};
use Language::{Cpp, Rust};

/// How many programs are in each executable.
const PROGRAMS: usize = 100;

pub fn trials() -> Vec<Trial> {
    let known = |language: Language, options: &'static [&'static str], name: &str| {
        let name = format!("inlined functions of known cost, {name}");
        profiling(language, &name, move || check(language, options))
    };
    let cpp = |name, options| known(Cpp, options, &format!("C++ {name}"));
    let rust = |name, options| known(Rust, options, &format!("Rust {name}"));
    let twins = |language: Language| {
        let compiler = language.compiler();
        let name = format!("functions that are inlined in one build only, {compiler}");
        profiling(language, &name, move || twins(language))
    };
    let needs = ["valgrind", "g++", "rustc", "llvm-symbolizer"];
    vec![
        trial(&needs, "chains of inlined functions", second_decoder),
        profiling(Cpp, "names that only the source has", names_of_the_source),
        profiling(Rust, "instances of generic functions", instances),
        twins(Cpp),
        twins(Rust),
        cpp("-g", &["-g"]),
        cpp("-g1", &["-g1"]),
        rust("2", &["-Cdebuginfo=2"]),
        rust("1", &["-Cdebuginfo=1"]),
        rust("line-tables-only", &["-Cdebuginfo=line-tables-only"]),
    ]
}

/// A test that profiles programs in this language.
fn profiling(language: Language, name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    trial(&["valgrind", language.compiler()], name, test)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Cpp,
    Rust,
}

impl Language {
    fn compiler(self) -> &'static str {
        match self {
            Cpp => "g++",
            Rust => "rustc",
        }
    }

    /// Compiles and profiles programs with this source in a folder.
    fn profile(self, source: &str, options: &[&str], folder: &Path) {
        let (name, usual) = match self {
            Cpp => ("program.cc", &["-O2", "-fcf-protection=none"][..]),
            Rust => ("program.rs", &["-O"][..]),
        };
        fs::write(folder.join(name), source).unwrap();
        let args = [usual, options, &["-o", "program", name]].concat();
        run(folder, self.compiler(), &args);
        callgrind(folder, &["--dump-instr=yes"]);
    }
}

/// A function of a made program.
struct Made {
    nops: u64,
    is_inlined: bool,
    /// How often it is called again by a function that is inlined into it.
    levels: i64,
    /// By line; only functions that come later.
    calls: Vec<usize>,
}

/// A program: its functions, the first of which calls the others.
struct MadeProgram(Vec<Made>);

/// What a function costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cost {
    own: u64,
    inclusive: u64,
}

impl MadeProgram {
    fn new(random: &mut Random, language: Language) -> MadeProgram {
        let count = 3 + random.below(6) as usize;
        let function = |at: usize| {
            let calls = if at + 1 < count { random.below(4) } else { 0 };
            let later = (count - at - 1) as u64;
            let calls = (0..calls).map(|_| at + 1 + random.below(later) as usize).collect();
            let is_inlined = at > 0 && random.below(3) > 0;
            let is_recursive = language == Cpp && !is_inlined && random.is_one_in(3);
            let nops = 1 + random.below(29);
            let levels = is_recursive.then(|| 1 + random.below(3) as i64);
            Made { nops, is_inlined, levels: levels.unwrap_or(0), calls }
        };
        MadeProgram((0..count).map(function).collect())
    }

    /// Whether the code of a function, with what is inlined into it, calls another one.
    fn has_call(&self, at: usize) -> bool {
        let function = &self.0[at];
        let calls = |&callee: &usize| !self.0[callee].is_inlined || self.has_call(callee);
        function.levels > 0 || function.calls.iter().any(calls)
    }

    /// What each function costs that is executed.
    fn costs(&self) -> BTreeMap<String, Cost> {
        let mut run = Run {
            program: self,
            levels: self.0.iter().map(|function| function.levels).collect(),
            stack: Vec::new(),
            costs: BTreeMap::new(),
        };
        run.call(0);
        run.costs
    }
}

/// A program being executed.
struct Run<'m> {
    program: &'m MadeProgram,
    levels: Vec<i64>,
    stack: Vec<String>,
    costs: BTreeMap<String, Cost>,
}

impl Run<'_> {
    fn call(&mut self, at: usize) {
        let program = self.program;
        let function = &program.0[at];
        self.stack.push(format!("f{at}"));
        // `ret`, and what aligns the stack.
        let frame = if program.has_call(at) { 3 } else { 1 };
        self.spend(function.nops + if function.is_inlined { 0 } else { frame });
        if function.levels > 0 {
            self.spend(2);
            self.levels[at] -= 1;
            if self.levels[at] >= 0 {
                self.stack.push(format!("d{at}"));
                self.spend(function.nops + 1);
                self.call(at);
                self.spend(3);
                self.stack.pop();
            }
        }
        for &callee in &function.calls {
            self.spend(if program.0[callee].is_inlined { 0 } else { 1 });
            self.call(callee);
        }
        self.stack.pop();
    }

    /// Counts instructions of the innermost function.
    fn spend(&mut self, count: u64) {
        let mut seen = BTreeSet::new();
        for (depth, name) in self.stack.iter().rev().enumerate() {
            let cost = self.costs.entry(name.clone()).or_default();
            cost.own += if depth == 0 { count } else { 0 };
            // Of a copy in a cycle the calls that stay in it are not known to be on its behalf.
            let is_nested =
                name.strip_prefix('d').is_some_and(|at| seen.contains(&format!("f{at}")));
            if seen.insert(name.clone()) && !is_nested {
                cost.inclusive += count;
            }
        }
    }
}

/// The source of programs.
fn source(programs: &[MadeProgram], language: Language) -> String {
    let (head, scope, main) = match language {
        Cpp => (CPP, "namespace", "int main() {"),
        Rust => ("use std::arch::asm;\n", "mod", "fn main() {"),
    };
    let mut text = head.to_owned();
    for (number, program) in programs.iter().enumerate() {
        writeln!(text, "{scope} p{number} {{").unwrap();
        if language == Rust {
            writeln!(text, "use std::arch::asm;").unwrap();
        }
        for (at, function) in program.0.iter().enumerate().rev() {
            let prefix = format!("p{number}_");
            write_function(&prefix, at, function, language, &mut text);
        }
        writeln!(text, "}}").unwrap();
    }
    writeln!(text, "{main}").unwrap();
    for number in 0..programs.len() {
        writeln!(text, "    p{number}::p{number}_f0();").unwrap();
    }
    text + "}\n"
}

const CPP: &str = r#"#define NOPS(n) asm volatile(".rept " #n "\n\tnop\n\t.endr")
#define ALWAYS __attribute__((always_inline)) inline
#define NEVER __attribute__((noipa))
"#;

fn write_function(prefix: &str, at: usize, function: &Made, language: Language, text: &mut String) {
    let Made { nops, levels, .. } = *function;
    let nops_of = |nops: u64| match language {
        Cpp => format!("    NOPS({nops});"),
        Rust => format!(
            "    unsafe {{ asm!(\".rept {nops} # {prefix}{at}\", \"nop\", \".endr\", options(nomem, nostack)) }}"
        ),
    };
    if levels > 0 {
        let inner = nops_of(nops + 1);
        writeln!(text, "int {prefix}level{at} = {levels};").unwrap();
        writeln!(text, "void {prefix}f{at}();").unwrap();
        writeln!(text, "ALWAYS void {prefix}d{at}() {{\n{inner}").unwrap();
        writeln!(text, "    {prefix}f{at}();\n    NOPS(2);\n}}").unwrap();
    }
    let attribute = match (language, function.is_inlined) {
        // Without a name for linkers, which the compiler gives no function of one file.
        (Cpp, true) if at % 2 == 1 => "static ALWAYS void",
        (Cpp, true) => "ALWAYS void",
        (Cpp, false) => "NEVER void",
        (Rust, true) => "#[inline(always)]\npub fn",
        (Rust, false) => "#[inline(never)]\npub fn",
    };
    // All but one come first: the last one keeps calls from being jumps.
    let first = nops_of(nops - 1);
    writeln!(text, "{attribute} {prefix}f{at}() {{\n{first}").unwrap();
    if levels > 0 {
        writeln!(text, "    asm goto(\"subl $1, %0\\n\\tjl %l1\" : : \"m\"({prefix}level{at}) : \"memory\", \"cc\" : out);").unwrap();
        writeln!(text, "    {prefix}d{at}();\nout:").unwrap();
    }
    for callee in &function.calls {
        writeln!(text, "    {prefix}f{callee}();").unwrap();
    }
    writeln!(text, "{}\n}}", nops_of(1)).unwrap();
}

fn programs(seed: u64, language: Language) -> Vec<MadeProgram> {
    let mut random = Random(seed);
    let programs = (0..PROGRAMS).map(|_| MadeProgram::new(&mut random, language));
    programs.collect()
}

fn check(language: Language, options: &[&str]) {
    let programs = programs(34, language);
    let folder = tempfile::tempdir().unwrap();
    language.profile(&source(&programs, language), options, folder.path());
    let with = report(&["--inlines", "profile.out"], folder.path());
    let mut expected = BTreeMap::new();
    for (number, program) in programs.iter().enumerate() {
        let costs = program.costs().into_iter();
        expected.extend(costs.map(|(name, cost)| (format!("p{number}_{name}"), cost)));
    }
    let actual = costs(&with);
    for (name, expected) in &expected {
        assert_eq!(actual.get(name), Some(expected), "{name}");
    }
    assert_eq!(actual.len(), expected.len());
    for at in 0..4 {
        groups_of_functions(at, &expected, folder.path());
    }
    nothing_else_moves(&report(&["profile.out"], folder.path()), &with);
}

/// Functions of one number in all programs cost what each of them costs: none calls another one.
fn groups_of_functions(at: usize, expected: &BTreeMap<String, Cost>, folder: &Path) {
    let suffix = format!("_f{at}");
    let of_group = expected.iter().filter(|(name, _)| name.ends_with(&suffix));
    let sum: u64 = of_group.map(|(_, cost)| cost.inclusive).sum();
    let bucket = format!("--bucket=chosen=*{suffix}");
    let report = report(&["--inlines", &bucket, "profile.out"], folder);
    let mut rows = array(&report["rows"]).iter();
    let row = rows.find(|row| row["group"] == "chosen").unwrap();
    assert_eq!(number(&row["inclusive"][0]) as u64, sum, "{bucket}");
}

fn report(args: &[&str], folder: &Path) -> Value {
    let args = [&["--threshold=100", "--fold=recursion"], args].concat();
    let (report, error) = super::report(folder, &args);
    let is_note = |line: &str| {
        let notes = [" in BASE is compared with ", ": functions have a row for each "];
        line.starts_with("cgannotate: note: ") && notes.iter().any(|text| line.contains(text))
    };
    assert!(error.lines().all(is_note), "{error}");
    report
}

/// The costs of the made functions.
fn costs(report: &Value) -> BTreeMap<String, Cost> {
    let mut costs = BTreeMap::new();
    for row in array(&report["rows"]) {
        let name = row["function"]
            .as_str()
            .unwrap()
            .split(['(', '\''])
            .next()
            .unwrap()
            .rsplit("::")
            .next()
            .unwrap();
        let number_of = name.strip_prefix('p').unwrap_or_default();
        if !number_of.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let count = |cost: &Value| number(&cost[0]) as u64;
        let cost = Cost { own: count(&row["self"]), inclusive: count(&row["inclusive"]) };
        let known = costs.insert(name.to_owned(), cost);
        assert_eq!(known, None, "{name} has one row");
    }
    costs
}

/// The self cost of each line, the numbers of calls and the inclusive cost of functions that were
/// not inlined are the same.
fn nothing_else_moves(without: &Value, with: &Value) {
    let rows = |report: &Value| array(&report["rows"]).to_vec();
    assert_eq!(without["total"], with["total"]);
    let cycles = |report: &Value| array(&report["cycles"]).len();
    assert_eq!(cycles(without), cycles(with));
    let lines = |report: &Value| {
        let mut lines = BTreeMap::new();
        for row in rows(report) {
            for line in array(&row["lines"]) {
                let at = (row["file"].to_string(), number(&line["line"]));
                *lines.entry(at).or_insert(0) += line["self"][0].as_i64().unwrap_or(0);
            }
        }
        lines
    };
    assert_eq!(lines(without), lines(with));
    let calls = |report: &Value| -> i64 {
        let rows = rows(report).into_iter();
        let calls = rows.flat_map(|row| array(&row["calls"]).to_vec());
        calls.map(|call| call["count"].as_i64().unwrap_or(0)).sum()
    };
    assert_eq!(calls(without), calls(with));
    let symbol = |row: &Value| row["file"].to_string() + &row["symbol"].to_string();
    let inclusive = |report: &Value| -> BTreeMap<String, Value> {
        let rows = rows(report).into_iter();
        // Rows of code in other files than the function's are not called.
        let rows = rows.filter(|row| row["called"]["by_others"].is_number());
        rows.map(|row| (symbol(&row), row["inclusive"].clone())).collect()
    };
    let after = inclusive(with);
    let copies: BTreeSet<String> = rows(with)
        .into_iter()
        .filter(|row| row["inlined"] != "no")
        .map(|row| symbol(&row))
        .collect();
    for (name, cost) in inclusive(without) {
        if !copies.contains(&name) {
            assert_eq!(after.get(&name), Some(&cost), "{name}");
        }
    }
}

/// All that is known of the executed addresses is what llvm-symbolizer says of them.
fn second_decoder() {
    for command in [
        "g++ -O2 -g inlined_library.cc",
        "g++ -O2 -g -gdwarf-4 inlined_library.cc",
        "rustc -O -Cdebuginfo=2 inlined_library.rs",
        "rustc -O -Cdebuginfo=line-tables-only inlined_library.rs",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let words: Vec<&str> = command.split(' ').chain(["-o", "program"]).collect();
        let name = words[words.len() - 3];
        fs::copy(path_of(name), folder.path().join(name)).unwrap();
        run(folder.path(), words[0], &words[1..]);
        callgrind(folder.path(), &["--dump-instr=yes"]);
        let addresses = addresses(folder.path());
        assert!(addresses.len() > 500, "{command}: {}", addresses.len());
        compare(&addresses, &folder.path().join("program"));
    }
}

/// The executed addresses of the program.
fn addresses(folder: &Path) -> BTreeSet<u64> {
    let args = ["-g", "instruction", "--threshold=100", "profile.out"];
    let (report, _) = super::report(folder, &args);
    let rows = array(&report["rows"]).iter().filter(|row| is_in_program(row));
    rows.map(|row| address(&row["address"])).collect()
}

fn compare(addresses: &BTreeSet<u64>, path: &Path) {
    let lines = addresses.iter().map(|address| format!("{address:#x}\n"));
    let text: String = lines.collect();
    let symbolizer = other_program("llvm-symbolizer")
        .arg(format!("--obj={}", path.display()))
        .args(["--inlines", "--no-demangle", "--output-style=JSON"]);
    let output = String::from_utf8(symbolizer.stdin(text).run().out).unwrap();
    let object = Program::open(path).unwrap();
    let sections = object.debug_sections().unwrap();
    let mut inlines = Inlines::new(&sections, false).unwrap();
    let mut deepest = 0;
    for (&address, answer) in addresses.iter().zip(output.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let frames = array(&answer["Symbol"]);
        // What is known from the symbols alone.
        let is_symbol = frames[0]["Line"] == 0 && frames[0]["StartLine"] == 0;
        if frames.len() == 1 && is_symbol {
            let at = inlines.find(address);
            assert!(at.is_none_or(|at| at.instance.is_none()), "{address:#x}");
            continue;
        }
        let at = inlines.find(address).unwrap_or_else(|| panic!("{address:#x}: {answer}"));
        let mut line = at.line;
        let mut next = at.instance;
        for (depth, frame) in frames.iter().enumerate() {
            assert_eq!(frame["Line"], line, "{address:#x}: {frame}");
            let Some(number) = next else {
                assert_eq!(depth + 1, frames.len(), "{address:#x}: {answer}");
                break;
            };
            let instance = inlines.instances[number as usize];
            let function = &inlines.functions[instance.function as usize];
            let name = frame["FunctionName"].as_str().unwrap();
            let is_same =
                function.name == name || !function.is_symbol && function.name.ends_with(name);
            assert!(is_same, "{address:#x}: {} is {name}", function.name);
            line = instance.call_line;
            next = instance.outer;
            deepest = deepest.max(depth);
        }
        assert_eq!(next, None, "{address:#x}");
    }
    assert!(deepest > 4, "{deepest}");
}

fn names_of_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::read_to_string(path_of("inlined_names.cc")).unwrap();
    Cpp.profile(&source, &["-g"], folder.path());
    let args = ["--inlines", "--file=*program.cc", "profile.out"];
    let rows = report(&args, folder.path());
    // What only calls has no self cost.
    let rows = array(&rows["rows"])
        .iter()
        .map(|row| (row["function"].as_str().unwrap(), row["self"][0].as_i64()));
    let is_known = |name: &str| name.contains("lambda") || name.contains("spend");
    let found: BTreeMap<_, _> = rows.filter(|&(name, _)| is_known(name)).collect();
    let expected = [
        ("made::spend<int>", 3000),
        ("main()::<lambda#1>::operator()", 1000),
        ("main()::<lambda#2>::operator()", 2000),
        // In the order in which gcc describes the functions.
        ("Made::f()::<lambda#1>::operator()", 5000),
        ("Made::f()::<lambda#2>::operator()", 4000),
    ];
    let expected = expected.map(|(name, cost)| (name, Some(cost)));
    assert_eq!(found, BTreeMap::from(expected));
}

/// Instances of a generic function have one name, or with `--demangle=no` one each: both ways each
/// pays for its own callers.
fn instances() {
    let folder = tempfile::tempdir().unwrap();
    let source = fs::read_to_string(path_of("inlined_instances.rs")).unwrap();
    Rust.profile(&source, &["-g"], folder.path());
    let reports = [&["--dump-instr=yes"][..], &["--dump-instr=yes", "--demangle=no"]].map(|options| {
        callgrind(folder.path(), options);
        let options = "--inlines --charge-to-callers=program::twice -g name --tree=both --format=csv --min=0 profile.out";
        let options: Vec<&str> = options.split(' ').collect();
        let out = run(folder.path(), env!("CARGO_BIN_EXE_cgannotate"), &options).out;
        String::from_utf8(out).unwrap()
    });
    assert_eq!(reports[0], reports[1]);
    let has = |name: &str| reports[0].lines().any(|line| line.starts_with(name));
    assert!(has("program::expensive") && has("program::cheap"));
}

/// A difference pairs functions that are inlined in one build and called in the other.
fn twins(language: Language) {
    let folder = tempfile::tempdir().unwrap();
    // Functions of one file have no names for linkers.
    let new = source(&programs(35, language), language).replace("static ", "");
    let base = new.replace("ALWAYS void", "NEVER void").replace("inline(always)", "inline(never)");
    let options: &[&str] = match language {
        Cpp => &["-g"],
        Rust => &["-Cdebuginfo=1"],
    };
    for (name, text) in [("new", new), ("base", base)] {
        let folder = folder.path().join(name);
        fs::create_dir(&folder).unwrap();
        language.profile(&text, options, &folder);
    }
    let args = ["--inlines", "--diff=base/profile.out", "new/profile.out"];
    let with = report(&args, folder.path());
    let mut paired = 0;
    for row in array(&with["rows"]) {
        let name = row["function"].as_str().unwrap();
        let in_program = row["file"].as_str().unwrap().contains("program");
        if !in_program || !name.contains("_f") || !name.contains('p') {
            continue;
        }
        assert_eq!(row["mark"], Value::Null, "{name}");
        let sides = [&row["base"]["inlined"], &row["new"]["inlined"]];
        assert_eq!(sides[0], "no", "{name}");
        if sides[1] == "all" {
            paired += 1;
            // Of the call only what it took is gone.
            let [base, new] = [&row["base"]["self"][0], &row["new"]["self"][0]].map(number);
            assert!(new < base, "{name}: {base} {new}");
        }
    }
    assert!(paired > PROGRAMS, "{paired}");
}
