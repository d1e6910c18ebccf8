//! Profiles with addresses and jumps, of programs that never ran: what grows is the number of
//! instructions, of lines, of jumps to or from one instruction, of nested loops, or of functions.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use super::Shape;

pub const SHAPES: &[Shape] = &[
    ("instructions", 40_000, |n, to| code(n, |i| i / 4, [(n - 1, 0)]).write(to)),
    ("one-line", 20_000, |n, to| code(n, |_| 1, ladder(n)).write(to)),
    // A block on all lines.
    ("lines-of-a-block", 20_000, |n, to| code(n, |i| i + 1, [(n - 1, 0)]).write(to)),
    // Each loop is in the next one.
    ("nested-loops", 20_000, |n, to| {
        code(n, |i| i / 3, (0..n / 2 - 1).map(|i| (n - i - 1, i))).write(to)
    }),
    ("loops", 20_000, |n, to| code(n, |i| i / 3, (0..n / 4).map(|i| (4 * i + 3, 4 * i))).write(to)),
    ("one-target", 20_000, |n, to| code(n, |i| i / 3, (1..n).map(|i| (i, 0))).write(to)),
    ("one-source", 20_000, |n, to| code(n, |i| i / 3, (1..n).map(|i| (0, i))).write(to)),
    ("functions", 8_000, |n, to| {
        let mut code = code(4, |i| i, [(3, 0)]);
        code.functions = n;
        code.write(to)
    }),
];

/// Each function has these instructions.
struct Code {
    functions: usize,
    lines: Vec<usize>,
    /// From instruction to instruction, in order of the first.
    jumps: Vec<(usize, usize)>,
}

fn code(
    instructions: usize,
    line: impl Fn(usize) -> usize,
    jumps: impl IntoIterator<Item = (usize, usize)>,
) -> Code {
    let mut jumps: Vec<_> = jumps.into_iter().collect();
    jumps.sort_unstable();
    Code { functions: 1, lines: (0..instructions).map(line).collect(), jumps }
}

/// Jumps over a few instructions, and back over more.
fn ladder(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n / 8 - 4).flat_map(|i| [(8 * i, 8 * i + 5), (8 * i + 6, 4 * i)])
}

impl Code {
    fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join("new.out"), self.profile())
    }

    fn profile(&self) -> String {
        let mut text = "positions: instr line\nevents: Ir\nob=/none/prog\nfl=a.c\n".to_owned();
        for function in 0..self.functions {
            let _ = writeln!(text, "fn=f{function}");
            let start = function * 4 * self.lines.len() + 4096;
            let mut jumps = self.jumps.iter().peekable();
            for (i, line) in self.lines.iter().enumerate() {
                let _ = writeln!(text, "{:#x} {line} {}", start + 4 * i, 10 + i % 7);
                while let Some((_, to)) = jumps.next_if(|jump| jump.0 == i) {
                    let to = start + 4 * to;
                    let _ = writeln!(text, "jcnd=3/10 {to:#x} 1\n{:#x} {line}", start + 4 * i);
                }
            }
        }
        text
    }
}
