//! Instructions against objdump, and what has to hold for executions in programs whose control flow is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::program::{other_program, program};
use crate::oracles::project;
use crate::oracles::trial;

const PROGRAMS: [&str; 4] = [
    "flow_branches.c",
    "flow_sorting.c",
    "flow_recursion.c",
    "flow_words.c",
];

pub fn trials() -> Vec<Trial> {
    let needs = ["valgrind", "gcc", "objdump"];
    let with = |name: &str, flags: &'static [&'static str], stripped| {
        trial(&needs, name, move || {
            for program in PROGRAMS {
                check(program, flags, stripped);
            }
        })
    };
    vec![
        with("instructions, -O0", &["-O0"], false),
        with("instructions, -O2", &["-O2"], false),
        with(
            "instructions, no PIE, static",
            &["-O1", "-no-pie", "-static"],
            false,
        ),
        with("instructions, stripped", &["-O1"], true),
    ]
}

/// Compiles and profiles a program; returns the executable.
pub fn profile(source: &str, flags: &[&str], folder: &Path) -> PathBuf {
    let executable = folder.join("program");
    let source = project().join("testdata/programs").join(source);
    let gcc = other_program(compiler(&source))
        .args(["-g", "-o"])
        .arg(&executable);
    assert_eq!(gcc.args(flags).arg(source).arg("-lm").run().status, 0);
    callgrind("profile.out", &[], folder);
    executable
}

/// The compiler of a source.
pub fn compiler(source: &Path) -> &'static str {
    match source.extension() {
        Some(extension) if extension == "cc" => "g++",
        _ => "gcc",
    }
}

/// Profiles the program of a folder.
fn callgrind(file: &str, options: &[&str], folder: &Path) {
    let valgrind = other_program("valgrind").in_dir(folder).args([
        "-q",
        "--tool=callgrind",
        "--dump-instr=yes",
        "--collect-jumps=yes",
    ]);
    let valgrind = valgrind.arg(format!("--callgrind-out-file={file}"));
    let valgrind = valgrind.args(options).arg("./program");
    assert_eq!(valgrind.run().status, 0);
}

/// What the program says of `profile.out` in JSON.
pub fn report(args: &[&str], folder: &Path) -> Value {
    let program = program().in_dir(folder).arg("--format=json").args(args);
    let output = program.arg("profile.out").run();
    assert_eq!(output.status, 0, "{}", output.err.escape_ascii());
    serde_json::from_slice(&output.out).unwrap()
}

/// The elements of a JSON array.
pub fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// A JSON number.
pub fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// The texts of all instructions, by address.
fn disassembly(executable: &Path) -> BTreeMap<u64, String> {
    let objdump = other_program("objdump").args(["-d", "-w", "--no-show-raw-insn"]);
    let output = objdump.arg(executable).run();
    let text = String::from_utf8(output.out).unwrap();
    let line = |line: &str| {
        let (address, text) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        Some((address, text.trim_end().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

fn address(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

fn check(source: &str, flags: &[&str], stripped: bool) {
    let folder = tempfile::tempdir().unwrap();
    let executable = profile(source, flags, folder.path());
    if stripped {
        assert_eq!(other_program("strip").arg(&executable).run().status, 0);
    }
    let all = disassembly(&executable);
    let report = report(&["--asm", "--fold=callers,recursion"], folder.path());
    let functions = report["functions"].as_array().unwrap();
    assert!(functions.len() >= 5, "{source}");
    let is_own = |function: &&Value| {
        function["object"]
            .as_str()
            .is_some_and(|object| object.ends_with("/program"))
    };
    for function in functions.iter().filter(is_own) {
        check_function(function, &all, stripped);
    }
    let rows = report["rows"].as_array().unwrap().iter();
    let of_rows: i64 = rows.map(|row| row["self"][0].as_i64().unwrap()).sum();
    let of_functions = functions
        .iter()
        .map(|function| function["self"][0].as_i64().unwrap());
    assert_eq!(of_functions.sum::<i64>(), of_rows, "{source}");
    if !stripped {
        check_balance(functions, source);
    }
}

/// Texts are those of objdump, and costs add up.
fn check_function(function: &Value, all: &BTreeMap<u64, String>, stripped: bool) {
    assert_eq!(function["code"]["state"], "found");
    let mut sum = 0;
    for instruction in function["instructions"].as_array().unwrap() {
        let text = instruction["text"].as_str().unwrap();
        // Without symbols the one before, in another section, has its name from what was asked for.
        let plain = |text: &str| match stripped {
            true => text.split(" <").next().unwrap_or_default().to_owned(),
            false => text.to_owned(),
        };
        let expected = &all[&address(&instruction["address"])];
        assert_eq!(plain(text), plain(expected), "{instruction}");
        sum += instruction["self"][0].as_i64().unwrap_or(0);
        for jump in instruction["jumps"].as_array().unwrap() {
            assert!(
                jump["taken"].as_i64() <= jump["executed"].as_i64(),
                "{instruction}"
            );
        }
    }
    assert_eq!(function["self"][0].as_i64(), Some(sum));
}

/// An instruction was executed as often as it was jumped to and called, and as control came from the one above. So it is
/// in the program's own functions; others are left out, for they start and end in the middle.
fn check_balance(functions: &[Value], source: &str) {
    // Addresses are those of the program: other objects have the same.
    let in_program = |value: &Value| {
        value["object"]
            .as_str()
            .is_some_and(|object| object.ends_with("/program"))
    };
    let mut calls: BTreeMap<u64, i64> = BTreeMap::new();
    let mut jumps: BTreeMap<u64, i64> = BTreeMap::new();
    let instructions = |function: &Value| function["instructions"].as_array().unwrap().clone();
    for function in functions {
        for instruction in instructions(function) {
            for call in instruction["calls"].as_array().unwrap() {
                if in_program(call) {
                    *calls.entry(address(&call["to"])).or_default() +=
                        call["count"].as_i64().unwrap();
                }
            }
            for jump in instruction["jumps"].as_array().unwrap() {
                if in_program(function) {
                    *jumps.entry(address(&jump["to"])).or_default() +=
                        jump["taken"].as_i64().unwrap();
                }
            }
        }
    }
    let is_own = |function: &&Value| function["file"].as_str().unwrap().ends_with(source);
    let mut checked = 0;
    for function in functions.iter().filter(is_own) {
        let all = instructions(function);
        let is_main = function["function"] == "main";
        for (number, instruction) in all.iter().enumerate().skip(usize::from(is_main)) {
            let executed = instruction["executed"].as_i64().unwrap();
            let at = address(&instruction["address"]);
            let above = number
                .checked_sub(1)
                .map_or(0, |above| falls_through(&all[above]));
            let came = jumps.get(&at).unwrap_or(&0) + calls.get(&at).unwrap_or(&0) + above;
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
    let jumps = instruction["jumps"].as_array().unwrap().iter();
    let taken: i64 = jumps.map(|jump| jump["taken"].as_i64().unwrap()).sum();
    instruction["executed"].as_i64().unwrap() - taken
}
