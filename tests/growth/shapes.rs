//! Profiles of programs that never ran, one shape for each way in which an algorithm could take
//! more than linear time.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use super::Shape;

pub const SHAPES: &[Shape] = &[
    ("chain", 20_000, |n, to| chain(n, plain).write(to)),
    // The same functions in two libraries: each row has one of either.
    ("shared-by-two", 10_000, |n, to| {
        let of = |i| function(&format!("lib{}.so", i / n), "a.c", &format!("f{}", i % n));
        chain(2 * n, of).write(to)
    }),
    // The second library has them in another order, so that each row calls far into the others.
    ("shared-in-disorder", 10_000, |n, to| chain(2 * n, |i| library_and_name(i, n)).write(to)),
    ("shared-lattice", 500, |n, to| {
        let mut program = lattice(2 * n);
        program.functions = (0..2 * n).map(|i| library_and_name(i, n)).collect();
        program.write(to)
    }),
    // Fifty functions in many libraries.
    ("shared-by-many", 20_000, |n, to| {
        let of = |i| function(&format!("lib{}.so", i / 50), "a.c", &format!("f{}", i % 50));
        chain(n, of).write(to)
    }),
    // Chains that come to each file, object or namespace twice.
    ("files-twice", 10_000, |n, to| {
        let of = |i| function("prog", &format!("{}.c", i % n), &format!("f{i}"));
        chain(2 * n, of).write(to)
    }),
    ("objects-twice", 10_000, |n, to| {
        let of = |i| function(&format!("lib{}.so", i % n), "a.c", &format!("f{i}"));
        chain(2 * n, of).write(to)
    }),
    ("namespaces-twice", 10_000, |n, to| {
        let of = |i| function("prog", "a.c", &format!("n{}::f{i}", i % n));
        chain(2 * n, of).write(to)
    }),
    CYCLE,
    // Every second function was called once, and these also call the first of the others. The last
    // function, which calls the first one, has no 1 in its name in either size: below *1* would be
    // all in one of them, and nothing to divide.
    ("called-once", 20_001, |n, to| {
        let again = |i| (i % 2 == 1).then_some([(i, 2, 0), (i, i + 1, 0), (i, i + 1, 0)]);
        let calls = (0..n - 1).flat_map(|i| {
            let again = again(i).into_iter().flatten();
            std::iter::once((i, i + 1, n - 1 - i)).chain(again)
        });
        Program::new(n, plain, calls).closed().write(to)
    }),
    ("cycle-through-files", 20_000, |n, to| chain(n, in_own_file).closed().write(to)),
    // Each function of a file is called from the other one.
    ("cycle-through-two-files", 20_000, |n, to| chain(n, in_one_of_two_files).closed().write(to)),
    // Half of each file inlined into the function before.
    ("inlined-chain", 10_000, |n, to| {
        let mut program = chain(n, in_own_file);
        program.is_inlined = true;
        program.write(to)
    }),
    // Each function calls the next two, so that there are more stacks than can be written.
    ("ladder", 4_000, |n, to| {
        let calls = (0..n - 2).flat_map(|i| [(i, i + 1, (n - i) / 2), (i, i + 2, (n - i) / 2)]);
        Program::new(n, plain, calls).write(to)
    }),
    // Cycles of two.
    ("cycles", 10_000, |n, to| {
        let calls = (1..n).flat_map(|i| match i % 2 {
            0 => vec![(i - 1, i - 2, 1), (i - 1, i, n - i)],
            _ => vec![(i - 1, i, n - i)],
        });
        Program::new(n, plain, calls).write(to)
    }),
    MANY_CALLEES,
    // Of one function, which calls another.
    ("many-callers", 10_000, |n, to| {
        let calls = (2..n).flat_map(|i| [(0, i, 2), (i, 1, 1)]);
        Program::new(n + 1, plain, calls.chain([(1, n, 1)])).write(to)
    }),
    // Ten functions in each layer, which all call all of the next layer.
    ("lattice", 4_000, |n, to| lattice(n).write(to)),
    LAYERS,
    ("files", 4_000, |n, to| {
        let mut program = chain(n, in_own_file);
        program.sources = n;
        program.write(to)
    }),
    ("lines", 20_000, |n, to| {
        let mut program = chain(10, plain);
        program.lines = n;
        program.write(to)
    }),
    // Contexts and levels of recursion, as --separate-callers and --separate-recs write them.
    ("contexts", 20_000, |n, to| {
        chain(n, |i| function("prog", "a.c", &format!("f'g{i}'h"))).write(to)
    }),
    ("levels", 20_000, |n, to| {
        chain(n, |i| function("prog", "a.c", &format!("f'{}", i + 1))).write(to)
    }),
    ("events", 10_000, |n, to| {
        let mut program = chain(n, plain);
        program.events = 13;
        program.write(to)
    }),
    ("parts", 300, |n, to| {
        let mut program = chain(100, plain);
        program.parts = n;
        program.write(to)
    }),
    COLUMNS,
];

/// Few functions, and files of many patterns that match none of them.
pub const PATTERNS: &[Shape] = &[("patterns", 2_000, |n, to| {
    let lines = |pattern: fn(usize) -> String| -> String {
        (0..n).map(|i| format!("bucket{i}={}\n", pattern(i))).collect()
    };
    fs::write(to.join("names"), lines(|i| format!("none_{i}")))?;
    fs::write(to.join("globs"), lines(|i| format!("*f*none_{i}*")))?;
    fs::write(to.join("regular-expressions"), lines(|i| format!("/f.*none_{i}/")))?;
    chain(500, plain).write(to)
})];

/// Functions that call one other, with names of which the short ones are equal or have equal ends.
pub const EQUAL_NAMES: &[Shape] = &[
    ("arguments", 4_000, |n, to| {
        callers(n, |i| function("prog", "a.c", &format!("A<T{i}>::run(int)"))).write(to)
    }),
    ("last-words", 4_000, |n, to| {
        callers(n, |i| function("prog", "a.c", &format!("a::T{i}<int>::run(int)"))).write(to)
    }),
    ("objects", 4_000, |n, to| {
        callers(n, |i| function(&format!("lib{i}.so"), "a.c", "A<T>::run(int)")).write(to)
    }),
];

/// Those of reports for which a few are enough.
pub const FEW_SHAPES: &[Shape] = &[COLUMNS, CYCLE, MANY_CALLEES, LAYERS];

const CYCLE: Shape = ("cycle", 20_001, |n, to| chain(n, plain).closed().write(to));

const MANY_CALLEES: Shape =
    ("many-callees", 20_000, |n, to| Program::new(n, plain, (1..n).map(|i| (0, i, 1))).write(to));

// Four layers of which each function calls all of the next, at far more than the program's cost.
const LAYERS: Shape = ("layers", 20_000, |n, to| layers(n).write(to));

// Four times as many are below the limit of columns.
const COLUMNS: Shape = ("columns", 60, |n, to| {
    let mut program = chain(1000, plain);
    program.parts = n;
    program.write(to)
});

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
    Program::new(n, function, (1..n).map(|i| (i - 1, i, n - i)))
}

/// The first function calls all others, and these the second one.
fn callers(n: usize, function: impl Fn(usize) -> Function) -> Program {
    let calls = (2..n).flat_map(|i| [(0, i, 2), (i, 1, 1)]);
    Program::new(n, function, calls)
}

fn function(object: &str, file: &str, name: &str) -> Function {
    (object.to_owned(), file.to_owned(), name.to_owned())
}

fn plain(i: usize) -> Function {
    function("prog", "a.c", &format!("f{i}"))
}

fn in_own_file(i: usize) -> Function {
    function("prog", &format!("{i}.c"), &format!("f{i}"))
}

fn in_one_of_two_files(i: usize) -> Function {
    function("prog", &format!("{}.c", i % 2), &format!("f{i}"))
}

/// One of two libraries with the same n functions in different orders.
fn library_and_name(i: usize, n: usize) -> Function {
    let name = if i < n { i } else { i * 7919 % n };
    function(&format!("lib{}.so", i / n), "a.c", &format!("f{name}"))
}

fn lattice(n: usize) -> Program {
    let n = n / 10 * 10;
    let layers = n / 10;
    let calls = (0..n - 10).flat_map(|caller| {
        let layer = caller / 10 + 1;
        (10 * layer..10 * layer + 10).map(move |callee| (caller, callee, layers - layer))
    });
    Program::new(n, plain, calls)
}

/// As many calls as `calls`, among four layers.
fn layers(calls: usize) -> Program {
    let width = (calls as f64 / 3.0).sqrt() as usize;
    let calls = (0..3 * width).flat_map(|caller| {
        let layer = caller / width + 1;
        (width * layer..width * (layer + 1)).map(move |callee| (caller, callee, 1000 * (4 - layer)))
    });
    let of = |i| function("prog", "a.c", &format!("f{}_{}", i / width, i % width));
    Program::new(4 * width, of, calls)
}

impl Program {
    fn new(
        n: usize,
        function: impl Fn(usize) -> Function,
        calls: impl Iterator<Item = (usize, usize, usize)>,
    ) -> Program {
        let mut calls: Vec<_> = calls.collect();
        calls.sort_by_key(|call| call.0);
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
        self.calls.push((self.functions.len() - 1, 0, self.functions.len()));
        self
    }

    /// Writes `new.out`, `base.out` with other counts, and sources, to a folder.
    fn write(&self, folder: &Path) -> io::Result<()> {
        fs::write(folder.join("new.out"), self.profile(3))?;
        fs::write(folder.join("base.out"), self.profile(2))?;
        let source =
            |file: &str, lines: usize| fs::write(folder.join(file), "line\n".repeat(lines));
        source("a.c", self.lines + 10)?;
        (0..self.sources).try_for_each(|i| source(&format!("{i}.c"), 20))
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
