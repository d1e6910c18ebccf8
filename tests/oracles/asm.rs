//! Instructions against objdump, and what has to hold for executions in programs whose control flow
//! is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::formats::{array, integer};
use crate::oracles::{callgrind, report, run, source, trial};

pub fn trials() -> Vec<Trial> {
    let with = |name: &str, flags: &'static [&'static str], stripped| {
        trial(&["valgrind", "gcc", "objdump"], name, move || {
            for program in ["branches", "sorting", "recursion", "words"] {
                check(&format!("flow_{program}.c"), flags, stripped);
            }
        })
    };
    let without_pie = &["-O1", "-no-pie", "-static"];
    vec![
        with("instructions, -O0", &["-O0"], false),
        with("instructions, -O2", &["-O2"], false),
        with("instructions, no PIE, static", without_pie, false),
        with("instructions, stripped", &["-O1"], true),
    ]
}

/// Compiles and profiles a program; returns the executable.
pub fn profile(name: &str, flags: &[&str], folder: &Path) -> PathBuf {
    let source = source(name).display().to_string();
    let args = [&["-g", "-o", "program"], flags, &[&source, "-lm"]].concat();
    run(folder, compiler(name), &args);
    callgrind(folder, &["--dump-instr=yes", "--collect-jumps=yes"]);
    folder.join("program")
}

/// The compiler of a source.
pub fn compiler(source: &str) -> &'static str {
    if source.ends_with(".cc") { "g++" } else { "gcc" }
}

/// The texts of all instructions, by address.
fn disassembly(folder: &Path) -> BTreeMap<u64, String> {
    let args = ["-d", "-w", "--no-show-raw-insn", "program"];
    let text = run(folder, "objdump", &args).page();
    let line = |line: &str| {
        let (address, text) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        Some((address, text.trim_end().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

pub fn address(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

/// Whether a function or a call is in the program, not in another object.
pub fn is_in_program(value: &Value) -> bool {
    let object = value["object"].as_str();
    object.is_some_and(|object| object.ends_with("/program"))
}

fn check(source: &str, flags: &[&str], stripped: bool) {
    let folder = tempfile::tempdir().unwrap();
    profile(source, flags, folder.path());
    if stripped {
        run(folder.path(), "strip", &["program"]);
    }
    let all = disassembly(folder.path());
    let args = ["--asm", "--fold=callers,recursion", "profile.out"];
    let (report, _) = report(folder.path(), &args);
    let functions = array(&report["functions"]);
    assert!(functions.len() >= 5, "{source}");
    let own = functions.iter().filter(|function| is_in_program(function));
    own.for_each(|function| check_function(function, &all, stripped));
    let sum = |rows: &[Value]| rows.iter().map(|row| integer(&row["self"][0])).sum::<i64>();
    assert_eq!(sum(functions), sum(array(&report["rows"])), "{source}");
    if !stripped {
        check_balance(functions, source);
    }
}

/// Texts are those of objdump, and costs add up.
fn check_function(function: &Value, all: &BTreeMap<u64, String>, stripped: bool) {
    assert_eq!(function["code"]["state"], "found");
    // Without symbols the one before, in another section, has its name from what was asked for.
    let plain = |text: &str| match stripped {
        true => text.split(" <").next().unwrap_or_default().to_owned(),
        false => text.to_owned(),
    };
    let mut sum = 0;
    for instruction in array(&function["instructions"]) {
        let text = instruction["text"].as_str().unwrap();
        let expected = &all[&address(&instruction["address"])];
        assert_eq!(plain(text), plain(expected), "{instruction}");
        sum += instruction["self"][0].as_i64().unwrap_or(0);
        let mut jumps = array(&instruction["jumps"]).iter();
        let is_possible = |jump: &Value| jump["taken"].as_i64() <= jump["executed"].as_i64();
        assert!(jumps.all(is_possible), "{instruction}");
    }
    assert_eq!(integer(&function["self"][0]), sum);
}

/// An instruction was executed as often as it was jumped to and called, and as control came from
/// the one above. So it is in the program's own functions; others are left out, for they start and
/// end in the middle.
fn check_balance(functions: &[Value], source: &str) {
    // Addresses are those of the program: other objects have the same.
    let mut came: BTreeMap<u64, i64> = BTreeMap::new();
    for function in functions {
        for instruction in array(&function["instructions"]) {
            let calls = array(&instruction["calls"]).iter().filter(|call| is_in_program(call));
            let jumps = array(&instruction["jumps"]).iter().filter(|_| is_in_program(function));
            let calls = calls.map(|call| (call, "count"));
            for (to, count) in calls.chain(jumps.map(|jump| (jump, "taken"))) {
                *came.entry(address(&to["to"])).or_default() += integer(&to[count]);
            }
        }
    }
    let is_own = |function: &&Value| function["file"].as_str().unwrap().ends_with(source);
    let mut checked = 0;
    for function in functions.iter().filter(is_own) {
        let all = array(&function["instructions"]);
        let is_main = function["function"] == "main";
        for (number, instruction) in all.iter().enumerate().skip(usize::from(is_main)) {
            let above = number.checked_sub(1);
            let above = above.map_or(0, |above| falls_through(&all[above]));
            let came = came.get(&address(&instruction["address"])).unwrap_or(&0) + above;
            let executed = integer(&instruction["executed"]);
            assert_eq!(executed, came, "{source}: {instruction}");
            checked += 1;
        }
    }
    assert!(checked > 50, "{source}: {checked}");
}

/// How often control went on to the instruction below.
fn falls_through(instruction: &Value) -> i64 {
    let text = instruction["text"].as_str().unwrap();
    let never = ["jmp", "ret", "notrack jmp", "hlt"];
    if never.iter().any(|start| text.starts_with(start)) {
        return 0;
    }
    let jumps = array(&instruction["jumps"]).iter();
    let taken: i64 = jumps.map(|jump| integer(&jump["taken"])).sum();
    integer(&instruction["executed"]) - taken
}
