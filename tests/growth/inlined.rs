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

/// Each function has this many copies of another one after the other, with copies in each other
/// down to this depth.
struct Code {
    functions: usize,
    copies: usize,
    depth: usize,
}

/// The first address.
const START: u64 = 4096;

/// The debug information of version 4, in entries of these kinds.
const ABBREVIATIONS: &[u8] = &[
    1, 0x11, 1, 0x13, 5, 0x03, 8, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0, // the unit
    2, 0x2e, 0, 0x03, 8, 0x20, 0x0b, 0, 0, // an inlined function
    3, 0x2e, 1, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0, // a function
    4, 0x1d, 1, 0x31, 0x13, 0x11, 1, 0x12, 7, 0x58, 0x0b, 0x59, 6, 0, 0, // a copy
    0,
];

/// Writes `new.out` and the program `prog` to a folder.
pub fn write([functions, copies, depth]: [usize; 3], folder: &Path) -> io::Result<()> {
    let code = Code { functions, copies, depth };
    fs::write(folder.join("new.out"), code.profile())?;
    fs::write(folder.join("prog"), code.program())
}

impl Code {
    /// The instructions of a function: one before all copies, one in each.
    fn instructions(&self) -> usize {
        1 + self.copies * self.depth
    }

    fn end(&self) -> u64 {
        START + 4 * (self.functions * self.instructions()) as u64
    }

    /// The line of an instruction of a function.
    fn line(&self, instruction: usize) -> usize {
        instruction % self.depth + 1
    }

    fn profile(&self) -> String {
        let mut text = "positions: instr line\nevents: Ir\nob=prog\nfl=/a/a.c\n".to_owned();
        for function in 0..self.functions {
            let _ = writeln!(text, "fn=f{function}");
            for i in 0..self.instructions() {
                let address = START + 4 * (function * self.instructions() + i) as u64;
                let _ = writeln!(text, "{address:#x} {} {}", self.line(i), 10 + i % 7);
            }
        }
        text
    }

    fn program(&self) -> Vec<u8> {
        let sections = [
            (".debug_abbrev", ABBREVIATIONS.to_vec()),
            (".debug_info", self.debug_info()),
            (".debug_line", self.debug_line()),
        ];
        elf::program_with(X86_64, (START, self.end()), &[], &sections)
    }

    fn debug_info(&self) -> Vec<u8> {
        let mut info = Bytes::new(X86_64);
        info.number(4, 2).number(0, 4).number(8, 1);
        // The unit, in C.
        info.number(1, 1).number(0x0c, 2).text(b"/a/a.c\0").number(0, 4);
        info.address(START).address(self.end() - START);
        // By depth where the inlined function is.
        let mut inlined = Vec::new();
        for depth in 0..self.depth {
            inlined.push(4 + info.bytes.len() as u64);
            info.number(2, 1).text(format!("g{depth}\0").as_bytes()).number(1, 1);
        }
        for function in 0..self.functions {
            let start = START + 4 * (function * self.instructions()) as u64;
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
        table.text(&[0, 9, 2]).address(START);
        let mut line = 1;
        for _ in 0..self.functions {
            for i in 0..self.instructions() {
                let step = self.line(i) as i64 - line;
                line += step;
                // Lines are so few that each step is one byte.
                table.text(&[3, (step & 0x7f) as u8, 1, 2, 4]);
            }
        }
        table.text(&[0, 1, 1]);
        with_length(&table.bytes)
    }
}

fn with_length(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes(), bytes].concat()
}
