//! gprof's data made at random, for programs of twelve machines made at random, against the
//! installed gprof.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::generated::elf::{self, Machine, Random, Symbol};
use crate::oracles::gprof_data::assert_same;
use crate::oracles::trial;

/// How many pairs of a program and its data are compared.
const PAIRS: u64 = 1000;

/// Class, byte order and number of machines: x86-64, 386, ARM, AArch64, MIPS, PowerPC, SPARC, SPARC
/// V9, S/390, RISC-V (both), M68k.
const MACHINES: [(bool, bool, u16); 12] = [
    (true, false, 62),
    (false, false, 3),
    (false, false, 40),
    (true, false, 183),
    (false, true, 8),
    (false, true, 20),
    (false, true, 2),
    (true, true, 43),
    (true, true, 22),
    (true, false, 243),
    (false, false, 243),
    (false, true, 4),
];

pub fn trials() -> Vec<Trial> {
    let test = || {
        let folder = tempfile::tempdir().unwrap();
        (0..PAIRS).for_each(|seed| compare(seed, folder.path()));
    };
    let name = "random programs of twelve machines";
    vec![trial(&["gprof"], name, test)]
}

/// Names that are special to gprof in some way, and ordinary ones.
const NAMES: &str = "main a b c _d __e ___f mcount _mcount x.1 x.part.0 y.cold z$1 w.clone.3 v.constprop.0 f1 f2 f3 f4 _f5 \
    _f6 g.1.2 h.isra.0 etext";

/// One of the first of these names.
fn name(random: &mut Random, first: usize) -> &'static str {
    let names: Vec<&str> = NAMES.split_whitespace().take(first).collect();
    random.one_of(&names)
}

fn compare(seed: u64, folder: &Path) {
    let mut random = Random(seed);
    let (is_wide, is_big, number) = random.one_of(&MACHINES);
    let machine = Machine { is_wide, is_big, number };
    let start = 0x1000 + random.below(64) * 16;
    let size = 64 + random.below(400) * 2;
    let end = start + size;
    let symbols = symbols(&mut random, (start, end), number == 40);
    let program = elf::program(machine, (start, end), &symbols);
    fs::write(folder.join("prog"), program).unwrap();
    let data = data(&mut random, machine, (start, end));
    fs::write(folder.join("gmon.out"), data).unwrap();
    let options = options(&mut random);
    let words: Vec<&str> = options.iter().map(String::as_str).collect();
    assert_same(folder, &words, &format!("seed {seed}, {machine:?}"));
}

/// Symbols of which the last one is no code.
fn symbols(random: &mut Random, (start, end): (u64, u64), is_arm: bool) -> Vec<Symbol<'static>> {
    let mut symbols = Vec::new();
    let count = 2 + random.below(14);
    for number in 0..count {
        let mut address = start + random.below(end - start);
        if !random.is_one_in(6) || is_arm {
            // Odd addresses are Thumb code on ARM.
            address &= !1;
        }
        let known: Option<&Symbol<'_>> = symbols.last();
        if let Some(known) = known.filter(|_| number % 5 == 4) {
            address = known.0;
        }
        let name = name(random, usize::MAX);
        let binding = random.one_of(&[0, 0, 1, 1, 1, 2]);
        let kind = random.one_of(&[2, 2, 2, 2, 0, 1]);
        symbols.push((address, name, binding, kind, true));
    }
    symbols.push(((end + 0xfff) & !0xfff, "data_start", 2, 0, false));
    symbols
}

fn data(random: &mut Random, machine: Machine, (start, end): (u64, u64)) -> Vec<u8> {
    let mut file = elf::gmon(machine);
    if !random.is_one_in(8) {
        let low = (start & !3) - 4 * random.below(3);
        let high = end + 4 * random.below(5);
        let bins = (high - low) / 2 / (1 + random.below(4)) + random.below(2);
        let most = random.one_of(&[30, 30, 30, 60_000]);
        for _ in 0..=random.below(2) {
            let samples: Vec<u16> = (0..bins.max(1))
                .map(|_| match random.below(4) {
                    0 => random.below(most) as u16,
                    _ => 0,
                })
                .collect();
            file.histogram((low, high), &samples);
        }
    }
    let ends: Vec<u64> =
        (0..6 + random.below(10)).map(|_| start + random.below(end - start + 8)).collect();
    // Of numbers with more than seven digits the columns are wider.
    let most = random.one_of(&[1, 1, 1, 12_345_678]);
    for _ in 0..random.below(30) {
        let count = random.one_of(&[0, 1, 1, 2, 3, 3, 7, 100, most]);
        file.calls(random.one_of(&ends), random.one_of(&ends), count);
    }
    file.bytes
}

fn options(random: &mut Random) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for flag in ["-z", "-a", "-D", "-C", "-T"] {
        if random.is_one_in(4) {
            options.push(flag.to_owned());
        }
    }
    for _ in 0..random.below(4) {
        let letters = ["p", "P", "q", "Q", "e", "E", "f", "F", "n", "N", "k"];
        let letter = random.one_of(&letters);
        let function = name(random, 7);
        options.push(match letter {
            "k" => format!("-k{function}/{}", name(random, 7)),
            "q" | "Q" if random.is_one_in(3) => {
                format!("-{letter}{function}/{}", name(random, 7))
            }
            letter => format!("-{letter}{function}"),
        });
    }
    options
}
