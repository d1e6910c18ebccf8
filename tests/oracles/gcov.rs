//! How often lines and branches were executed, against gcov: line by line and branch by branch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::formats::{array, integer as number};
use crate::oracles::asm::{compiler, profile};
use crate::oracles::{report, run, source as path_of, trial};

const PROGRAMS: &str = "bits.c branches.c classes.cc far.c hash.c loops.c matrix.c pointers.c queens.c recursion.c sorting.c \
    switch.c words.c";

/// The lines whose most executed instruction was executed more or less often than gcov counts the
/// line. In bits, loops and words: loops within each other. In classes: destructors, also for an
/// exception, and an exception of another type that goes on. In far: setjmp returns more often than
/// it is called.
const OTHER_LINES: [(&str, &[i64]); 5] = [
    ("flow_bits.c", &[51]),
    ("flow_classes.cc", &[100, 109, 119]),
    ("flow_far.c", &[53]),
    ("flow_loops.c", &[7]),
    ("flow_words.c", &[58]),
];

pub fn trials() -> Vec<Trial> {
    let needs = ["valgrind", "gcc", "g++", "objdump", "gcov"];
    let test = |program: &'static str| {
        let name = format!("executions of lines and branches, -O0, {program}");
        trial(&needs, &name, move || check(program))
    };
    PROGRAMS.split_whitespace().map(test).collect()
}

fn check(program: &str) {
    let source = format!("flow_{program}");
    let folder = tempfile::tempdir().unwrap();
    profile(&source, &["-O0"], folder.path());
    let counted = gcov(&source, folder.path());
    let with_code = lines_with_code(folder.path(), &source);
    check_lines(&source, &counted, &with_code, folder.path());
    check_lines_that_did_not_run(&source, &with_code, folder.path());
    check_branches(&source, &counted, folder.path());
}

/// What gcov says of a source.
fn gcov(source: &str, folder: &Path) -> Value {
    let path = path_of(source).display().to_string();
    let args = ["-g", "-O0", "--coverage", "-o", "counted", &path, "-lm"];
    run(folder, compiler(source), &args);
    run(folder, "./counted", &[]);
    let data = format!("counted-{}.gcda", source.rsplit_once('.').unwrap().0);
    let args = ["--json-format", "--stdout", "--branch-probabilities", &data];
    let output = run(folder, "gcov", &args);
    let report: Value = serde_json::from_slice(&output.out).unwrap();
    let is_own = |file: &&Value| file["file"].as_str().unwrap().ends_with(source);
    array(&report["files"]).iter().find(is_own).unwrap().clone()
}

/// The lines that the compiler says it made code of.
fn lines_with_code(folder: &Path, source: &str) -> BTreeSet<i64> {
    let text = run(folder, "objdump", &["--dwarf=decodedline", "program"]).page();
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        (words.next()? == source).then(|| words.next()?.parse().ok())?
    };
    text.lines().filter_map(line).collect()
}

/// Every line that has code was executed as often as gcov counts, but for those of `OTHER_LINES`.
fn check_lines(source: &str, counted: &Value, with_code: &BTreeSet<i64>, folder: &Path) {
    let report = report(folder, &["--counts", "profile.out"]).0;
    let mut ours: BTreeMap<i64, i64> = BTreeMap::new();
    let is_own = |row: &&Value| row["file"].as_str().unwrap().ends_with(source);
    for row in array(&report["rows"]).iter().filter(is_own) {
        for line in array(&row["lines"]) {
            *ours.entry(number(&line["line"])).or_default() += number(&line["executed"]);
        }
    }
    let mut expected: BTreeMap<i64, i64> = BTreeMap::new();
    for line in array(&counted["lines"]) {
        *expected.entry(number(&line["line_number"])).or_default() += number(&line["count"]);
    }
    // A loop with which a function begins is counted at the function's head too, as if each round
    // were a call: the calls alone are counted with the function. On one line with others a
    // function is executed as often as all of them, and so are those that are made of one template.
    let mut heads: BTreeMap<i64, i64> = BTreeMap::new();
    for function in array(&counted["functions"]) {
        let head = number(&function["start_line"]);
        if number(&function["end_line"]) > head {
            *heads.entry(head).or_default() += number(&function["execution_count"]);
        }
    }
    expected.extend(heads);
    let (mut compared, mut different) = (0, Vec::new());
    for (line, count) in expected {
        if count > 0 && with_code.contains(&line) {
            let own = ours.get(&line).expect("a line without executions");
            different.extend((*own != count).then_some(line));
            compared += 1;
        } else {
            assert_eq!(ours.get(&line), None, "{source}:{line}");
        }
    }
    let known =
        OTHER_LINES.iter().find(|(other, _)| *other == source).map_or(&[][..], |(_, lines)| lines);
    assert_eq!(different, known, "{source}");
    assert!(compared > 15, "{source}: {compared}");
}

/// The lines with code that did not run are 0 in the annotated source, and no other line is.
fn check_lines_that_did_not_run(source: &str, with_code: &BTreeSet<i64>, folder: &Path) {
    let path = path_of(source).display().to_string();
    let options = ["--format=text", "--counts", "--context=10000", "profile.out", &path];
    let page = run(folder, env!("CARGO_BIN_EXE_cgannotate"), &options).page();
    let heading = page.lines().position(|line| line.ends_with("Executed")).unwrap();
    let end = page.lines().nth(heading).unwrap().len();
    let cells =
        page.lines().skip(heading + 1).filter_map(|row| row.get(..end)?.split(' ').next_back());
    // The rows of calls and jumps have no number of executions.
    let executed: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
    let lines_with = |wanted: fn(&str) -> bool| -> BTreeSet<i64> {
        (1..).zip(&executed).filter(|(_, cell)| wanted(cell)).map(|(line, _)| line).collect()
    };
    let ran = lines_with(|cell| cell != "." && cell != "0");
    assert_eq!(lines_with(|cell| cell == "0"), with_code - &ran, "{source}");
}

/// Every branch was taken, and not taken, as often as gcov counts. Those of a `switch` are compiled
/// in other ways.
fn check_branches(source: &str, counted: &Value, folder: &Path) {
    let report = report(folder, &["--asm=*", "profile.out"]).0;
    let text = std::fs::read_to_string(path_of(source)).unwrap();
    let is_switch = |line: i64| {
        let line = text.lines().nth(line as usize - 1);
        line.is_some_and(|line| line.contains("switch ("))
    };
    let is_own = |value: &Value| value["file"].as_str().is_some_and(|f| f.ends_with(source));
    let mut ours: BTreeMap<i64, Vec<[i64; 2]>> = BTreeMap::new();
    let functions = array(&report["functions"]).iter();
    for instruction in functions.flat_map(|function| array(&function["instructions"])) {
        let text = instruction["text"].as_str().unwrap_or_default();
        if is_own(instruction) && text.starts_with('j') && !text.starts_with("jmp") {
            let jumps = array(&instruction["jumps"]).iter();
            let taken: i64 = jumps.map(|jump| number(&jump["taken"])).sum();
            let branch = pair(taken, number(&instruction["executed"]) - taken);
            let of_line = ours.entry(number(&instruction["line"]));
            of_line.or_default().push(branch);
        }
    }
    let mut compared = 0;
    for line in array(&counted["lines"]) {
        let at = number(&line["line_number"]);
        let is_throw = |branch: &&[Value]| branch.iter().any(|way| way["throw"] == true);
        let branches = array(&line["branches"]).chunks(2);
        for branch in branches.filter(|branch| !is_switch(at) && !is_throw(branch)) {
            let branch = pair(number(&branch[0]["count"]), number(&branch[1]["count"]));
            if branch == [0, 0] {
                continue;
            }
            let own = ours.get_mut(&at).expect("a branch without jumps");
            let found = own
                .iter()
                .position(|own| *own == branch)
                .unwrap_or_else(|| panic!("{source}:{at}: {branch:?} is not in {own:?}"));
            own.swap_remove(found);
            compared += 1;
        }
    }
    assert!(compared > 3, "{source}: {compared}");
}

/// How often a branch went either way: compilers turn conditions around.
fn pair(a: i64, b: i64) -> [i64; 2] {
    [a.min(b), a.max(b)]
}
