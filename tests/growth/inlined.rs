//! Programs in which functions are inlined, and profiles with their addresses. They never ran.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use super::Shape;
use crate::common::generated::elf::{self, Bytes, X86_64};

pub const SHAPES: &[Shape] = &[
    ("inlined-once", 16_000, |n, to| write([n, 1, 1], to)),
    ("inlined-often", 30_000, |n, to| write([1, n, 1], to)),
    ("inlined-deep", 1_000, |n, to| write([n, 1, 20], to)),
    ("inlined-deep-often", 2_000, |n, to| write([1, n, 20], to)),
];

/// A unit: each function has this many copies of another one after the other, with copies in each
/// other down to this depth.
#[derive(Clone, Copy)]
pub struct Code {
    pub functions: usize,
    pub copies: usize,
    pub depth: usize,
    pub origins: Origins,
    /// The first address.
    pub start: u64,
}

/// The entries from which a copy gets its name.
#[derive(Clone, Copy)]
pub enum Origins {
    /// One with a name, behind this many without.
    Chain(usize),
    /// Two that refer to each other.
    Circle,
}

/// The first address of a program.
pub const START: u64 = 4096;

/// The debug information of version 4, in entries of these kinds.
const ABBREVIATIONS: &[u8] = &[
    1, 0x11, 1, 0x25, 8, 0x13, 5, 0x03, 8, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0, // the unit
    2, 0x2e, 0, 0x03, 8, 0x20, 0x0b, 0, 0, // an inlined function
    3, 0x2e, 1, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0, // a function
    4, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x58, 0x0b, 0x59, 6, 0, 0, // a copy
    5, 0x2e, 0, 0x31, 0x13, 0, 0, // an entry that refers to another one
    0,
];

/// Writes `new.out` and the program `prog` to a folder.
pub fn write([functions, copies, depth]: [usize; 3], folder: &Path) -> io::Result<()> {
    let origins = Origins::Chain(0);
    write_units(&[Code { functions, copies, depth, origins, start: START }], folder)
}

/// The same with several units, each behind the one before.
pub fn write_units(units: &[Code], folder: &Path) -> io::Result<()> {
    let mut text = "positions: instr line\nevents: Ir\nob=prog\nfl=/a/a.c\n".to_owned();
    units.iter().for_each(|unit| unit.add_costs(&mut text));
    fs::write(folder.join("new.out"), text)?;
    fs::write(folder.join("prog"), program(units))
}

fn program(units: &[Code]) -> Vec<u8> {
    let (mut info, mut lines) = (Vec::new(), Vec::new());
    for unit in units {
        info.extend(unit.debug_info(lines.len()));
        lines.extend(unit.debug_line());
    }
    let end = units.iter().map(|unit| unit.end()).max().unwrap_or(START);
    let sections =
        [(".debug_abbrev", ABBREVIATIONS.to_vec()), (".debug_info", info), (".debug_line", lines)];
    elf::program_with(X86_64, (START, end), &[], &sections)
}

impl Code {
    /// The instructions of a function: one before all copies, one in each.
    fn instructions(&self) -> usize {
        1 + self.copies * self.depth
    }

    pub fn end(&self) -> u64 {
        self.start + 4 * (self.functions * self.instructions()) as u64
    }

    /// The line of an instruction of a function.
    fn line(&self, instruction: usize) -> usize {
        instruction % self.depth + 1
    }

    fn add_costs(&self, text: &mut String) {
        for function in 0..self.functions {
            let _ = writeln!(text, "fn=f{function}");
            for i in 0..self.instructions() {
                let address = self.start + 4 * (function * self.instructions() + i) as u64;
                let _ = writeln!(text, "{address:#x} {} {}", self.line(i), 10 + i % 7);
            }
        }
    }

    /// `lines` is where the lines of the unit begin.
    fn debug_info(&self, lines: usize) -> Vec<u8> {
        let mut info = Bytes::new(X86_64);
        info.number(4, 2).number(0, 4).number(8, 1);
        // The unit, in C, of a compiler that marks statements.
        info.number(1, 1).text(b"GNU C17 12.2.0 -O2 -g\0");
        info.number(0x0c, 2).text(b"/a/a.c\0").number(lines as u64, 4);
        info.address(self.start).address(self.end() - self.start);
        // By depth where the inlined function is.
        let mut inlined = Vec::new();
        for depth in 0..self.depth {
            let place = |info: &Bytes| 4 + info.bytes.len() as u64;
            let mut last = place(&info);
            match self.origins {
                Origins::Chain(entries) => {
                    info.number(2, 1).text(format!("g{depth}\0").as_bytes()).number(1, 1);
                    for _ in 0..entries {
                        let origin = std::mem::replace(&mut last, place(&info));
                        info.number(5, 1).number(origin, 4);
                    }
                }
                Origins::Circle => {
                    info.number(5, 1).number(last + 5, 4).number(5, 1).number(last, 4);
                }
            }
            inlined.push(last);
        }
        for function in 0..self.functions {
            let start = self.start + 4 * (function * self.instructions()) as u64;
            info.number(3, 1).text(format!("f{function}\0").as_bytes());
            info.address(start).address(4 * self.instructions() as u64);
            for copy in 0..self.copies {
                for (depth, &inlined) in inlined.iter().enumerate() {
                    let first = 1 + copy * self.depth + depth;
                    info.number(4, 1).number(inlined, 4).address(start + 4 * first as u64);
                    info.address(4 * (self.depth - depth) as u64);
                    info.number(1, 1).number(1 + copy as u64, 4);
                }
                info.text(&vec![0; self.depth]);
            }
            info.number(0, 1);
        }
        info.number(0, 1);
        with_length(&info.bytes)
    }

    fn debug_line(&self) -> Vec<u8> {
        let mut header = Bytes::new(X86_64);
        // Lengths of instructions, lines of special ones, and operands of the others, which are all
        // as usual.
        header.text(&[1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]);
        header.text(b"\0/a/a.c\0\0\0\0\0");
        let mut table = Bytes::new(X86_64);
        table.number(4, 2).text(&with_length(&header.bytes));
        table.text(&[0, 9, 2]).address(self.start);
        let mut line = 1;
        for _ in 0..self.functions {
            for i in 0..self.instructions() {
                let step = self.line(i) as i64 - line;
                line += step;
                // Lines are so few that each step is one byte. A statement begins at each
                // instruction, in another column than the one before.
                table.text(&[3, (step & 0x7f) as u8, 5, 1 + (i % 2) as u8, 1, 2, 4]);
            }
        }
        table.text(&[0, 1, 1]);
        with_length(&table.bytes)
    }
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}
