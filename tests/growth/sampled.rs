//! gprof data of programs that never ran, one shape for each way in which an algorithm could take
//! more than linear time.

use std::path::Path;
use std::{fs, io};

use super::Shape;
use crate::common::generated::elf::{self, Random, Symbol, X86_64};

pub const SHAPES: &[Shape] = &[
    ("gprof-chain", 15_000, |n, folder| write(n, folder, (1..n).map(|i| (i - 1, i)))),
    ("gprof-circle", 15_000, |n, folder| write(n, folder, (0..n).map(|i| (i, (i + 1) % n)))),
    // Each walk from the first function closes a circle that contains those before.
    ("gprof-nested-circles", 10_000, |n, folder| {
        let calls = (1..n).flat_map(|i| [(i - 1, i), (i, (n - i) % i)]);
        write(n, folder, calls)
    }),
    ("gprof-star", 15_000, |n, folder| write(n, folder, (1..n).flat_map(|i| [(0, i), (i, n - 1)]))),
    ("gprof-random", 5_000, |n, folder| {
        let mut random = Random(1);
        let mut end = move || random.below(n as u64) as usize;
        write(n, folder, (0..20 * n).map(move |_| (end(), end())))
    }),
];

/// The bytes of each function.
const SIZE: u64 = 16;
const START: u64 = 0x40_0000;

/// Writes a program of `n` functions, and data with these calls and a sample in each function.
fn write(n: usize, folder: &Path, calls: impl Iterator<Item = (usize, usize)>) -> io::Result<()> {
    let address = |function: usize| START + SIZE * function as u64;
    let (start, end) = (START, address(n));
    let names: Vec<String> = (0..n).map(|i| format!("f{i}")).collect();
    let functions = names.iter().enumerate();
    let mut symbols: Vec<Symbol<'_>> =
        functions.map(|(i, name)| (address(i), name.as_str(), 1, 2, true)).collect();
    symbols.push((end, "etext", 1, 0, true));
    fs::write(folder.join("prog"), elf::program(X86_64, (start, end), &symbols))?;
    let mut data = elf::gmon(X86_64);
    let bins: Vec<u16> = (0..(end - start) / 4).map(|bin| u16::from(bin % 4 == 1)).collect();
    data.histogram((start, end), &bins);
    for (caller, callee) in calls {
        data.calls(address(caller) + 4, address(callee) + 4, 1 + caller as u64 % 7);
    }
    fs::write(folder.join("new.out"), data.bytes)
}
