//! gprof data and programs, made at random and then damaged, or any bytes, with random options: each run ends with a report or
//! an error of one line, and is the same once more.

#![no_main]

use std::ffi::OsString;
use std::fs;
use std::sync::OnceLock;

use generated::{damage, elf};
use libfuzzer_sys::fuzz_target;

use generated::elf::{Machine, Symbol};
use generated::model::Dice;

/// A compiled program with debug information, and its data.
const PROGRAM: &[u8] = include_bytes!("../../../testdata/gmon/words");
const DATA: &[u8] = include_bytes!("../../../testdata/gmon/gmon.out");

/// What is on the command line of gprof's views, each word by chance.
const GPROF_WORDS: [&str; 40] = [
    "-p",
    "-q",
    "-C",
    "-A",
    "-l",
    "-z",
    "-a",
    "-D",
    "-b",
    "-L",
    "-i",
    "-r",
    "-s",
    "-m2",
    "-t3",
    "-pf1",
    "-Pf1",
    "-qf1",
    "-Qf1",
    "-Cf1",
    "-Af1",
    "-ef1",
    "-Ef2",
    "-ff1",
    "-Ff1",
    "-nf1",
    "-Nf2",
    "-kf1/f2",
    "-k/f1",
    "-Of1",
    "-Obsd",
    "-O4.4bsd",
    "-Omagic",
    "--as-gprof",
    "--inline-file-names",
    "--no-demangle",
    "-w40",
    "gmon.out",
    "-Ssymbols",
    "--demangle=none",
];

/// The same for the report.
const PAGE_WORDS: [&str; 14] = [
    "--auto=no",
    "--inclusive",
    "--tree=both",
    "--calls",
    "--group-by=file",
    "--diff=gmon.out",
    "--format=json",
    "--format=csv",
    "--format=folded",
    "--format=dot",
    "--format=callgrind",
    "--top=2",
    "--fail-above=1",
    "gmon.out",
];

fn enter_folder() {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        std::env::set_current_dir(folder.path()).unwrap();
        fs::write("symbols", "401000 T f1\n401010 t f2\n").unwrap();
        folder
    });
}

/// A program of this machine with a few functions, and data of it.
fn made(dice: &mut Dice<'_>) -> (Vec<u8>, Vec<u8>) {
    let machine = Machine {
        is_wide: dice.once_in(2),
        is_big: dice.once_in(2),
        number: [62, 3, 40, 183, 8][dice.below(5)],
    };
    let (start, size) = (0x40_1000, 64 + dice.below(200) as u64);
    let names = [
        "f1", "f2", "main", "_Z2f3v", "x.part.0", "mcount", "_e", "etext",
    ];
    let symbol = |dice: &mut Dice<'_>| -> Symbol<'static> {
        let address = start + dice.below(size as usize) as u64;
        let name = names[dice.below(names.len())];
        (
            address,
            name,
            dice.below(3) as u8,
            dice.below(3) as u8,
            !dice.once_in(8),
        )
    };
    let symbols: Vec<_> = (0..dice.below(12)).map(|_| symbol(dice)).collect();
    let program = elf::program(machine, (start, start + size), &symbols);
    let mut data = elf::gmon(machine);
    let address = |dice: &mut Dice<'_>| start + dice.below(size as usize + 8) as u64;
    for _ in 0..dice.below(12) {
        match dice.below(4) {
            0 => {
                let bins: Vec<u16> = (0..dice.below(40)).map(|_| dice.byte().into()).collect();
                data.histogram((start, start + size), &bins);
            }
            1 => {
                let blocks: Vec<_> = (0..dice.below(6))
                    .map(|_| (address(dice), dice.byte().into()))
                    .collect();
                data.blocks(&blocks);
            }
            _ => {
                let (from, to) = (address(dice), address(dice));
                data.calls(from, to, dice.byte().into());
            }
        }
    }
    (program, data.bytes)
}

fn damaged(dice: &mut Dice<'_>, bytes: &[u8]) -> Vec<u8> {
    let count = dice.below(4);
    let damage = |dice: &mut Dice<'_>| (dice.byte(), dice.below(65536) as u16, dice.byte());
    let damages: Vec<_> = (0..count).map(|_| damage(dice)).collect();
    damage::damaged(bytes, &damages)
}

fuzz_target!(|input: &[u8]| {
    enter_folder();
    let mut dice = Dice::new(input);
    let is_gprof = !dice.once_in(3);
    let mut words = vec!["cgannotate"];
    words.extend(is_gprof.then_some("gprof"));
    words.extend(["prog", "gmon.out"]);
    let known = if is_gprof {
        &GPROF_WORDS[..]
    } else {
        &PAGE_WORDS
    };
    let count = dice.below(6);
    words.extend((0..count).map(|_| known[dice.below(known.len())]));
    let (program, data) = match dice.below(4) {
        0 => (damaged(&mut dice, PROGRAM), damaged(&mut dice, DATA)),
        1 => (PROGRAM.to_vec(), dice.rest().to_vec()),
        _ => {
            let (program, data) = made(&mut dice);
            (damaged(&mut dice, &program), damaged(&mut dice, &data))
        }
    };
    fs::write("prog", program).unwrap();
    fs::write("gmon.out", data).unwrap();
    let Ok(options) = cgannotate::internal::cli::parse(words.iter().map(OsString::from)) else {
        return;
    };
    let run = || {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let done = cgannotate::internal::run(&options, true, &mut out, &mut err);
        (done.map_err(|error| format!("{error:#}")), out, err)
    };
    let (done, out, err) = run();
    let is_safe = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        text.chars()
            .all(|c| !c.is_control() || "\t\n\u{c}".contains(c))
    };
    assert!(is_safe(&out), "{words:?}: {}", out.escape_ascii());
    assert!(is_safe(&err), "{words:?}: {}", err.escape_ascii());
    if let Err(error) = &done {
        assert!(
            is_safe(error.as_bytes()) && !error.contains('\n'),
            "{error}"
        );
    }
    assert_eq!(run(), (done, out, err), "the same once more");
});
