//! The order of object files, `-R`, for calls made at random, against the installed gprof, and the
//! views beside it, which have the objects as functions.

use std::fmt::Write;
use std::fs;

use libtest_mimic::Trial;

use crate::common::generated::elf::{self, Random, Symbol, X86_64};
use crate::oracles::gprof_data::assert_same;
use crate::oracles::trial;

/// How many graphs of calls are compared.
const GRAPHS: u64 = 300;

const NAMES: [&str; 9] = ["main", "a", "b", "c", "d", "e", "f", "long_name", "_z"];

/// The start of the code, and the size of each function.
const START: u64 = 0x1000;
const SIZE: u64 = 16;

pub fn trials() -> Vec<Trial> {
    vec![trial(&["gprof"], "gprof's order of object files", || {
        let folder = tempfile::tempdir().unwrap();
        let address = |function: usize| START + SIZE * function as u64;
        let end = address(NAMES.len());
        let functions = NAMES.iter().enumerate();
        let mut symbols: Vec<Symbol<'_>> =
            functions.map(|(number, name)| (address(number), *name, 1, 2, true)).collect();
        symbols.push(((end + 0xfff) & !0xfff, "data_start", 2, 0, false));
        let program = elf::program(X86_64, (START, end), &symbols);
        fs::write(folder.path().join("prog"), program).unwrap();
        for seed in 0..GRAPHS {
            let mut random = Random(seed);
            fs::write(folder.path().join("map"), map(&mut random)).unwrap();
            let mut data = elf::gmon(X86_64);
            for _ in 0..1 + random.below(12) {
                let mut function = || address(random.below(NAMES.len() as u64) as usize);
                let (from, to) = (function(), function());
                data.calls(from + 2, to + 1, random.one_of(&[1, 1, 1, 2, 3, 5, 10, 100]));
            }
            fs::write(folder.path().join("gmon.out"), data.bytes).unwrap();
            for options in [&["-R", "map"][..], &["-R", "map", "-q", "-C"]] {
                assert_same(folder.path(), options, &format!("seed {seed}"));
            }
        }
    })]
}

/// A map in which functions have one of a few objects, or are missing, in any order, beside
/// functions that the program has not got and several lines of one function.
fn map(random: &mut Random) -> String {
    let objects = 1 + random.below(NAMES.len() as u64);
    let mut lines = Vec::new();
    for name in NAMES.iter().chain(&["gone", "gone_too", "a"]) {
        if !random.is_one_in(6) {
            lines.push(format!("{}.o:0000000000001000 T {name}", random.below(objects)));
        }
    }
    let is_sorted = random.is_one_in(2);
    let mut map = String::new();
    while !lines.is_empty() {
        let next = if is_sorted { 0 } else { random.below(lines.len() as u64) as usize };
        writeln!(map, "{}", lines.remove(next)).unwrap();
    }
    map
}
