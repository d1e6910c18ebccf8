//! The time of each report grows with the size of its input, not with its square: four times the input takes less than
//! nine times the time. Release builds only: `cargo test --release --test suite growth`.
//!
//! `CGANNOTATE_PROGRAM` names another build to measure.

mod code;
mod inlined;
mod pairs;
mod sampled;
mod shapes;

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Failed, Trial};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use tempfile::TempDir;

use crate::common::program::{PROGRAM, limited};

/// Four times the input takes 4 times the time if that is linear, and 16 times if it is quadratic.
const MAX_RATIO: f64 = 9.0;

/// Ratios below and above these need no further measurement.
const GOOD_RATIO: f64 = 6.0;
const BAD_RATIO: f64 = 12.0;

/// The same where the bound is rows × arcs: four times as many of either are 16 times the work.
const MAX_QUADRATIC_RATIO: f64 = 20.0;

/// A kind of input: its name, the smaller of the two sizes that are compared, large enough for 20 ms, and what writes the
/// input in any size to a folder, as `new.out` and what else the reports need.
type Shape = (&'static str, usize, fn(usize, &Path) -> io::Result<()>);

/// Kinds of input, and the reports that are measured of each: a name and the options, one a line.
const GROUPS: [(&[Shape], &str); 7] = [
    (
        shapes::SHAPES,
        "list: --auto=no
        inclusive: --auto=no --inclusive
        cycles-no: --auto=no --inclusive --cycles=no
        tree: --auto=no --tree=both
        tree-inclusive: --auto=no --tree=both --inclusive
        tree-depth: --auto=no --tree=both --depth=10 --inclusive --cycles=no
        charge: --auto=no --inclusive --charge-to-callers=function:*1*
        calls: --auto=no --calls
        fold: --auto=no --inclusive --fold=callers,recursion
        by-file: --auto=no --inclusive --group-by=file
        by-object: --auto=no --inclusive --group-by=object
        by-namespace: --auto=no --inclusive --group-by=namespace
        by-name: --auto=no --inclusive --group-by=name
        by-line: --auto=no --inclusive --group-by=line
        by-part: --auto=no --group-by=part
        nested: --auto=no --group-by=function --nested --min=0 --threshold=100
        nested-file: --auto=no --group-by=file --nested --min=0
        by-file-calls: --auto=no --tree=both --calls --group-by=file
        diff: --auto=no --diff=base.out
        diff-inclusive: --auto=no --inclusive --tree=both --diff=base.out
        filter: --auto=no --inclusive --tree=both --function=*1*
        sources: --auto=yes
        sources-inclusive: --auto=yes --inclusive
        json: --format=json
        csv: --format=csv --inclusive
        columns: --layout=columns --tree=both --threshold=100
        html: --format=html --min=0
        dot: --format=dot
        dot-all: --format=dot --min=0
        folded: --format=folded
        callgrind: --format=callgrind
        gprof-flat: gprof -b -p
        gprof-graph: gprof -b -q
        gprof-lines: gprof -b -p -q -l
        gprof-counts: gprof -b -C",
    ),
    // Reports that write what others calculate, for which a few shapes are enough.
    (
        shapes::FEW_SHAPES,
        "flamegraph: --format=flamegraph
        folded-top: --format=folded --top=100
        pprof: --format=pprof
        markdown: --format=markdown
        buckets: --auto=no --inclusive --calls --bucket=a=*1* --bucket=b=*2*
        nested-json: --format=json --group-by=function --nested --min=0
        tree-depth-json: --format=json --tree=callees --depth=10 --inclusive
        charge-layers: --auto=no --inclusive --charge-to-callers=function:f[12]*",
    ),
    (
        code::SHAPES,
        "asm: --asm
        asm-dot: --asm --format=dot
        asm-json: --asm --format=json --counts --jumps
        counts: --counts --jumps
        gprof-blocks: gprof -b -lC
        pprof: --format=pprof
        callgrind: --format=callgrind",
    ),
    (
        inlined::SHAPES,
        "list: --inlines --auto=no
        tree: --inlines --auto=no --inclusive --tree=both --min=0
        pprof: --inlines --format=pprof
        callgrind: --inlines --format=callgrind
        asm: --inlines --asm=g0",
    ),
    (
        sampled::SHAPES,
        "flat: gprof -p prog
        graph: gprof -q prog
        without-calls: gprof -q -kf1/ -Ef2 prog
        sum: gprof -s prog
        inclusive: --inclusive --tree=both prog
        folded: --format=folded prog",
    ),
    (
        pairs::SHAPES,
        "list: --auto=no --diff=base.out
        tree: --auto=no --inclusive --tree=both --diff=base.out
        json: --format=json --diff=base.out
        dot: --format=dot --min=0 --diff=base.out",
    ),
    (
        pairs::LINES,
        "sources: --auto --base-include=old --diff=base.out
        json: --format=json --base-include=old --diff=base.out",
    ),
];

/// The shape, and the reports of it, whose bound is rows × arcs: rows whose functions call far into each other, so that the
/// share of each call that is on behalf of a row has to be found for each row by itself.
const QUADRATIC: (&str, &str) = (
    "shared-lattice",
    " inclusive cycles-no tree-inclusive tree-depth fold by-name by-line diff-inclusive filter sources-inclusive json csv dot \
     dot-all ",
);

/// All tests. About four shapes of each report, and at least four reports of each shape if it has as many, are measured; the
/// others are ignored, and so are all in debug builds: `--include-ignored` measures them too.
pub fn trials() -> Vec<Trial> {
    let is_slow_build = cfg!(debug_assertions) && std::env::var_os("CGANNOTATE_PROGRAM").is_none();
    let mut trials = Vec::new();
    for (shapes, reports) in GROUPS {
        let step = shapes.len().div_ceil(4);
        for (number, &(shape, size, write)) in shapes.iter().enumerate() {
            // Made when the first test needs them.
            let folders = Arc::new(OnceLock::new());
            for (place, line) in reports.lines().enumerate() {
                let (report, options) = line.trim().split_once(": ").unwrap();
                let is_quadratic =
                    QUADRATIC.0 == shape && QUADRATIC.1.contains(&format!(" {report} "));
                let max = if is_quadratic {
                    MAX_QUADRATIC_RATIO
                } else {
                    MAX_RATIO
                };
                let folders = Arc::clone(&folders);
                let check =
                    move || check(folders.get_or_init(|| inputs(size, write)), options, max);
                let trial = Trial::test(format!("growth: {shape}: {report}"), check);
                let is_left_out = is_slow_build || (number + place) % step != 0;
                trials.push(trial.with_ignored_flag(is_left_out));
            }
        }
    }
    trials
}

/// Folders with the input of one shape in both sizes.
fn inputs(size: usize, write: fn(usize, &Path) -> io::Result<()>) -> [TempDir; 2] {
    [size, size * 4].map(|size| {
        let folder = tempfile::tempdir().unwrap();
        write(size, folder.path()).unwrap();
        folder
    })
}

/// Compares the times for both inputs, the best of up to five.
fn check([small, large]: &[TempDir; 2], options: &str, max: f64) -> Result<(), Failed> {
    // The first run reads its input from the disk.
    let mut times = [seconds(small.path(), options, 60)?, f64::INFINITY];
    for _ in 0..5 {
        times[0] = times[0].min(seconds(small.path(), options, 60)?);
        // How long a run takes that is far too slow is of no interest.
        let limit = 2.0 * max * times[0] + 1.0;
        times[1] = times[1].min(seconds(large.path(), options, limit.ceil() as u32)?);
        if !(GOOD_RATIO..BAD_RATIO).contains(&(times[1] / times[0])) {
            break;
        }
    }
    let ratio = times[1] / times[0];
    let text = format!("{:.3} s and {:.3} s: {ratio:.1} times", times[0], times[1]);
    println!("    {text}");
    if ratio < max {
        Ok(())
    } else {
        Err(text.into())
    }
}

/// The processor time of one run, which is ended when it reaches the limit.
fn seconds(folder: &Path, options: &str, limit: u32) -> Result<f64, Failed> {
    let before = used()?;
    let program = std::env::var_os("CGANNOTATE_PROGRAM").unwrap_or_else(|| PROGRAM.into());
    let run = limited(&format!("-t {limit}"), program).args(options.split(' '));
    let run = run.arg("new.out").in_dir(folder);
    let output = run.stdout(Stdio::null()).run();
    let seconds = used()? - before;
    match output.status {
        0 => Ok(seconds),
        status if status < 0 => Ok(f64::INFINITY),
        status => Err(format!("status {status}: {}", output.error()).into()),
    }
}

/// The processor time of all runs so far, in seconds.
fn used() -> Result<f64, Failed> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let time = usage.user_time() + usage.system_time();
    Ok(time.num_microseconds() as f64 / 1e6)
}
