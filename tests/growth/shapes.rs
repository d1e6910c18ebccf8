//! Profiles of programs that never ran, one shape for each way in which an algorithm could take more than linear time.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A kind of profile that can be made in any size.
pub struct Shape {
    pub name: &'static str,
    /// The smaller of the two sizes that are compared: large enough for 20 ms.
    pub size: usize,
    make: fn(usize) -> Program,
}

pub const SHAPES: &[Shape] = &[
    shape("chain", 20_000, |n| {
        chain(n, |i| ("prog".into(), "a.c".into(), format!("f{i}")))
    }),
    // The same functions in two libraries: each row has one of either.
    shape("shared-by-two", 10_000, |n| {
        chain(2 * n, |i| {
            (
                format!("lib{}.so", i / n),
                "a.c".into(),
                format!("f{}", i % n),
            )
        })
    }),
    // The second library has them in another order, so that each row calls far into the others.
    shape("shared-in-disorder", 10_000, |n| {
        chain(2 * n, |i| library_and_name(i, n))
    }),
    shape("shared-lattice", 500, |n| Program {
        functions: (0..2 * n).map(|i| library_and_name(i, n)).collect(),
        ..lattice(2 * n)
    }),
    // Fifty functions in many libraries.
    shape("shared-by-many", 20_000, |n| {
        chain(n, |i| {
            (
                format!("lib{}.so", i / 50),
                "a.c".into(),
                format!("f{}", i % 50),
            )
        })
    }),
    // Chains that come to each file, object or namespace twice.
    shape("files-twice", 10_000, |n| {
        chain(2 * n, |i| {
            ("prog".into(), format!("{}.c", i % n), format!("f{i}"))
        })
    }),
    shape("objects-twice", 10_000, |n| {
        chain(2 * n, |i| {
            (format!("lib{}.so", i % n), "a.c".into(), format!("f{i}"))
        })
    }),
    shape("namespaces-twice", 10_000, |n| {
        chain(2 * n, |i| {
            ("prog".into(), "a.c".into(), format!("n{}::f{i}", i % n))
        })
    }),
    shape("cycle", 20_000, |n| {
        chain(n, |i| ("prog".into(), "a.c".into(), format!("f{i}"))).closed()
    }),
    shape("cycle-through-files", 20_000, |n| {
        chain(n, |i| ("prog".into(), format!("{i}.c"), format!("f{i}"))).closed()
    }),
    // Half of each file inlined into the function before.
    shape("inlined-chain", 10_000, |n| Program {
        is_inlined: true,
        ..chain(n, |i| ("prog".into(), format!("{i}.c"), format!("f{i}")))
    }),
    // Cycles of two.
    shape("cycles", 10_000, |n| {
        let name = |i| ("prog".into(), "a.c".into(), format!("f{i}"));
        let calls = (1..n).flat_map(|i| match i % 2 {
            0 => vec![(i - 1, i - 2, 1), (i - 1, i, n - i)],
            _ => vec![(i - 1, i, n - i)],
        });
        Program::new(n, name, calls.collect())
    }),
    shape("many-callees", 20_000, |n| {
        let calls = (1..n).map(|i| (0, i, 1)).collect();
        Program::new(n, |i| ("prog".into(), "a.c".into(), format!("f{i}")), calls)
    }),
    shape("many-callers", 10_000, |n| {
        let calls = (2..n).flat_map(|i| [(0, i, 2), (i, 1, 1)]).collect();
        Program::new(n, |i| ("prog".into(), "a.c".into(), format!("f{i}")), calls)
    }),
    // Ten functions in each layer, which all call all of the next layer.
    shape("lattice", 4_000, lattice),
    // Four layers of which each function calls all of the next, at far more than the program's cost.
    shape("layers", 20_000, layers),
    shape("files", 4_000, |n| Program {
        sources: n,
        ..chain(n, |i| ("prog".into(), format!("{i}.c"), format!("f{i}")))
    }),
    shape("lines", 20_000, |n| Program {
        lines: n,
        ..chain(10, |i| ("prog".into(), "a.c".into(), format!("f{i}")))
    }),
    // Contexts and levels of recursion, as --separate-callers and --separate-recs write them.
    shape("contexts", 20_000, |n| {
        chain(n, |i| ("prog".into(), "a.c".into(), format!("f'g{i}'h")))
    }),
    shape("levels", 20_000, |n| {
        chain(n, |i| ("prog".into(), "a.c".into(), format!("f'{}", i + 1)))
    }),
    shape("events", 10_000, |n| Program {
        events: 13,
        ..chain(n, |i| ("prog".into(), "a.c".into(), format!("f{i}")))
    }),
    shape("parts", 300, |n| Program {
        parts: n,
        ..chain(100, |i| ("prog".into(), "a.c".into(), format!("f{i}")))
    }),
    // Four times as many are below the limit of columns.
    shape("columns", 60, |n| Program {
        parts: n,
        ..chain(1000, |i| ("prog".into(), "a.c".into(), format!("f{i}")))
    }),
];

const fn shape(name: &'static str, size: usize, make: fn(usize) -> Program) -> Shape {
    Shape { name, size, make }
}

impl Shape {
    /// Writes `new.out`, `base.out` with other counts, and sources, to a folder.
    pub fn write(&self, size: usize, folder: &Path) -> std::io::Result<()> {
        let program = (self.make)(size);
        fs::write(folder.join("new.out"), program.profile(3))?;
        fs::write(folder.join("base.out"), program.profile(2))?;
        let source =
            |file: &str, lines: usize| fs::write(folder.join(file), "line\n".repeat(lines));
        source("a.c", program.lines + 10)?;
        (0..program.sources).try_for_each(|i| source(&format!("{i}.c"), 20))
    }
}

/// An object, a file and a name.
type Function = (String, String, String);

struct Program {
    functions: Vec<Function>,
    /// Caller, callee and inclusive cost, sorted by caller.
    calls: Vec<(usize, usize, usize)>,
    /// The lines on which each function has costs.
    lines: usize,
    /// Whether each function has costs in the file of the next one.
    is_inlined: bool,
    sources: usize,
    events: usize,
    parts: usize,
}

/// Each function calls the next one.
fn chain(n: usize, function: impl Fn(usize) -> Function) -> Program {
    let calls = (1..n).map(|i| (i - 1, i, n - i)).collect();
    Program::new(n, function, calls)
}

/// One of two libraries with the same n functions in different orders.
fn library_and_name(i: usize, n: usize) -> Function {
    let name = if i < n { i } else { i * 7919 % n };
    (format!("lib{}.so", i / n), "a.c".into(), format!("f{name}"))
}

fn lattice(n: usize) -> Program {
    let n = n / 10 * 10;
    let layers = n / 10;
    let calls = (0..n - 10).flat_map(|caller| {
        let layer = caller / 10 + 1;
        (10 * layer..10 * layer + 10).map(move |callee| (caller, callee, layers - layer))
    });
    let calls = calls.collect();
    Program::new(n, |i| ("prog".into(), "a.c".into(), format!("f{i}")), calls)
}

/// As many calls as `calls`, among four layers.
fn layers(calls: usize) -> Program {
    let width = (calls as f64 / 3.0).sqrt() as usize;
    let calls = (0..3 * width).flat_map(|caller| {
        let layer = caller / width + 1;
        (width * layer..width * (layer + 1)).map(move |callee| (caller, callee, 1000 * (4 - layer)))
    });
    let name = |i| {
        (
            "prog".into(),
            "a.c".into(),
            format!("f{}_{}", i / width, i % width),
        )
    };
    Program::new(4 * width, name, calls.collect())
}

impl Program {
    fn new(
        n: usize,
        function: impl Fn(usize) -> Function,
        calls: Vec<(usize, usize, usize)>,
    ) -> Program {
        Program {
            functions: (0..n).map(function).collect(),
            calls,
            lines: 1,
            is_inlined: false,
            sources: 0,
            events: 1,
            parts: 1,
        }
    }

    /// Lets the last function call the first.
    fn closed(mut self) -> Program {
        self.calls
            .push((self.functions.len() - 1, 0, self.functions.len()));
        self
    }

    /// The profile, each count multiplied.
    fn profile(&self, factor: usize) -> String {
        let events: Vec<String> = (1..=self.events).map(|i| format!("E{i}")).collect();
        let cost = |count: usize| format!(" {}", count * factor).repeat(self.events);
        let mut text = String::new();
        for part in 1..=self.parts {
            let events = events.join(" ");
            let _ = writeln!(text, "part: {part}\nthread: {part}\nevents: {events}");
            let mut calls = self.calls.iter().peekable();
            for (i, (object, file, name)) in self.functions.iter().enumerate() {
                let _ = writeln!(text, "ob={object}\nfl={file}\nfn={name}");
                for line in 1..=self.lines {
                    let _ = writeln!(text, "{line}{}", cost(10));
                }
                if let Some((_, file, _)) = self.functions.get(i + 1).filter(|_| self.is_inlined) {
                    let _ = writeln!(text, "fi={file}\n2{}", cost(10));
                }
                while let Some((_, callee, paid)) = calls.next_if(|call| call.0 == i) {
                    let (object, file, name) = &self.functions[*callee];
                    let _ = writeln!(
                        text,
                        "cob={object}\ncfi={file}\ncfn={name}\ncalls=1 1\n1{}",
                        cost(paid * 10)
                    );
                }
            }
        }
        text
    }
}
