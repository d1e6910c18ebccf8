//! gprof data made at random for compiled programs: basic blocks, which no compiler's code records
//! any more, and programs of 32 bits that the C library of this machine does not serve.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::generated::elf::{self, Bytes, Machine, Random, X86_64};
use crate::oracles::gprof_data::assert_same;
use crate::oracles::{run, source, trial};

/// Options of which each prints what was recorded in another way; the first ones are none.
const OPTIONS: &str = ", -z, -l, -A, -A -z, -C, -C -z, -l -A, -l -A -z, -l -A -t 3, -A -x, -l -Aeven, -l -Jeven, -l -C, \
    -l -C -z, -l -Ceven, -l -Zeven, -l -C -A -p, -a -l -C, -k odd/even, -i, -L -q, --inline-file-names";

/// Further options for programs whose lines are each in one place: in others gprof repeats counts
/// before the blocks of a line by a rule that we do not know.
const OF_PLAIN: &str = "-l -A -x, -l -A -x -z";

/// How many times data are made for each program.
const TIMES: u64 = 20;

pub fn trials() -> Vec<Trial> {
    const I386: Machine = Machine { is_wide: false, is_big: false, number: 3 };
    const X32: Machine = Machine { number: 62, ..I386 };
    let builds: [(&str, Machine, &[&str]); 5] = [
        ("-m64 -O0", X86_64, &["-m64", "-O0"]),
        ("-m64 -O2", X86_64, &["-m64", "-O2"]),
        ("-m32 -O0", I386, &["-m32", "-O0"]),
        ("-m32 -O2", I386, &["-m32", "-O2", "-gdwarf-4"]),
        ("-mx32 -O1", X32, &["-mx32", "-O1"]),
    ];
    let trials = builds.into_iter().map(|(name, machine, flags)| {
        let name = format!("gprof's data with blocks: {name}");
        trial(&["gprof", "gcc", "nm"], &name, move || {
            compare(machine, flags);
        })
    });
    trials.collect()
}

fn compare(machine: Machine, flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(source("bare.c"), folder.path().join("bare.c")).unwrap();
    let usual = "-g -pg -ffreestanding -nostdlib -static -fno-pie -no-pie bare.c -o prog";
    let usual: Vec<&str> = usual.split(' ').collect();
    run(folder.path(), "gcc", &[&usual, flags].concat());
    let functions = functions(folder.path());
    for seed in 0..TIMES {
        let data = data(&mut Random(seed), machine, &functions);
        fs::write(folder.path().join("gmon.out"), data.bytes).unwrap();
        let is_plain = flags.contains(&"-O0");
        let more = OF_PLAIN.split(", ").filter(|_| is_plain);
        for options in OPTIONS.split(", ").chain(more) {
            let options: Vec<&str> = options.split_whitespace().collect();
            assert_same(folder.path(), &options, &format!("seed {seed}, {flags:?}"));
        }
    }
}

/// The addresses of all functions.
fn functions(folder: &Path) -> Vec<u64> {
    let symbols = run(folder, "nm", &["prog"]).page();
    let code = symbols.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        words.next()?.eq_ignore_ascii_case("t").then_some(address)
    });
    let mut functions: Vec<u64> = code.collect();
    functions.sort_unstable();
    functions
}

fn data(random: &mut Random, machine: Machine, functions: &[u64]) -> Bytes {
    // The last line gets no time from gprof.
    let (start, end) = (functions[0], functions[functions.len() - 1]);
    let mut data = elf::gmon(machine);
    let bins: Vec<u16> = (0..(end - start) / 4).map(|_| random.below(4) as u16).collect();
    data.histogram((start, end), &bins);
    for _ in 0..random.below(12) {
        let (from, to) = (random.one_of(functions), random.one_of(functions));
        data.calls(from + 2, to + 1, random.below(50));
    }
    for _ in 0..random.below(3) {
        let counts = [0, 1, 7, 300, 614_400, 614_550_000, 1_234_567_890];
        // gprof forgets blocks after the tenth of a line.
        let blocks = 0..random.below(16);
        let blocks: Vec<(u64, u64)> = blocks
            .map(|_| {
                let address = start + random.below(end - start);
                (address, random.one_of(&counts))
            })
            .collect();
        data.blocks(&blocks);
    }
    data
}
