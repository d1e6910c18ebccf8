//! gprof data and programs, made at random and then damaged, or any bytes, with random options:
//! each run ends with a report or an error of one line, and is the same once more.

#![no_main]

mod common;

use std::fs;

use common::{damaged, enter_folder, printed, some_words};
use generated::elf::{self, Machine, Symbol};
use generated::model::Dice;
use libfuzzer_sys::fuzz_target;

/// A compiled program with debug information, and its data.
const PROGRAM: &[u8] = include_bytes!("../../../testdata/gmon/words");
const DATA: &[u8] = include_bytes!("../../../testdata/gmon/gmon.out");

/// What is on the command line of gprof's views, each word by chance.
const GPROF_WORDS: &str = "-p  -q  -C  -A  -l  -z  -a  -D  -b  -L  -i  -r  -s  -m2  -t3  -pf1  -Pf1  -qf1  -Qf1  -Cf1  -Af1
    -ef1  -Ef2  -ff1  -Ff1  -nf1  -Nf2  -kf1/f2  -k/f1  -Of1  -Obsd  -O4.4bsd  -Omagic  --as-gprof  --inline-file-names
    --no-demangle  -w40  gmon.out  -Ssymbols  --demangle=none";

/// The same for the report.
const PAGE_WORDS: &str = "--auto=no  --inclusive  --tree=both  --calls  --group-by=file  --diff=gmon.out  --format=json
    --format=csv  --format=folded  --format=dot  --format=callgrind  --top=2  --fail-above=1  gmon.out";

/// A program of this machine with a few functions, and data of it.
fn made(dice: &mut Dice<'_>) -> (Vec<u8>, Vec<u8>) {
    let machine = Machine {
        is_wide: dice.once_in(2),
        is_big: dice.once_in(2),
        number: [62, 3, 40, 183, 8][dice.below(5)],
    };
    let (start, size) = (0x40_1000, 64 + dice.below(200) as u64);
    let names = "f1 f2 main _Z2f3v x.part.0 mcount _e etext";
    let names: Vec<&str> = names.split(' ').collect();
    let symbol = |dice: &mut Dice<'_>| -> Symbol<'static> {
        let address = start + dice.below(size as usize) as u64;
        let name = names[dice.below(names.len())];
        let (binding, kind) = (dice.below(3) as u8, dice.below(3) as u8);
        (address, name, binding, kind, !dice.once_in(8))
    };
    let symbols: Vec<_> = (0..dice.below(12)).map(|_| symbol(dice)).collect();
    let program = elf::program(machine, (start, start + size), &symbols);
    let mut data = elf::gmon(machine);
    let address = |dice: &mut Dice<'_>| start + dice.below(size as usize + 8) as u64;
    for _ in 0..dice.below(12) {
        match dice.below(4) {
            0 => {
                let bins = (0..dice.below(40)).map(|_| dice.byte().into());
                data.histogram((start, start + size), &bins.collect::<Vec<u16>>());
            }
            1 => {
                let blocks = (0..dice.below(6)).map(|_| (address(dice), dice.byte().into()));
                data.blocks(&blocks.collect::<Vec<_>>());
            }
            _ => {
                let (from, to) = (address(dice), address(dice));
                data.calls(from, to, dice.byte().into());
            }
        }
    }
    (program, data.bytes)
}

fuzz_target!(|input: &[u8]| {
    enter_folder(|| fs::write("symbols", "401000 T f1\n401010 t f2\n").unwrap());
    let mut dice = Dice::new(input);
    let is_gprof = !dice.once_in(3);
    let mut words = vec!["cgannotate"];
    words.extend(is_gprof.then_some("gprof"));
    words.extend(["prog", "gmon.out"]);
    let known = if is_gprof { GPROF_WORDS } else { PAGE_WORDS };
    words.extend(some_words(&mut dice, known, 6));
    let (program, data) = match dice.below(4) {
        0 => (damaged(&mut dice, PROGRAM, 3), damaged(&mut dice, DATA, 3)),
        1 => (PROGRAM.to_vec(), dice.rest().to_vec()),
        _ => {
            let (program, data) = made(&mut dice);
            (
                damaged(&mut dice, &program, 3),
                damaged(&mut dice, &data, 3),
            )
        }
    };
    fs::write("prog", program).unwrap();
    fs::write("gmon.out", data).unwrap();
    printed(&words, true);
});
