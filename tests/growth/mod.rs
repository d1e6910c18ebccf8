//! The time of each report grows with the size of its input, not with its square: four times the
//! input takes less than nine times the time. Release builds only: `cargo test --release --test
//! suite growth`.

mod code;
mod definitions;
pub mod inlined;
mod pairs;
mod sampled;
mod shapes;

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use tempfile::TempDir;

use crate::common::program::{PROGRAM, other_program};

/// Four times the input takes 4 times the time if that is linear, and 16 times if it is quadratic.
const MAX_RATIO: f64 = 9.0;

/// Runs of at least this time, in seconds, vary so little that one within the limit is enough.
const LONG: f64 = 1.0;

/// How many runs have to be over the limit for a report to be too slow.
const MAX_RUNS: usize = 15;

/// The same where the bound is rows × arcs: four times as many of either are 16 times the work.
const MAX_QUADRATIC_RATIO: f64 = 20.0;

/// A kind of input: its name, the smaller of the two sizes that are compared, large enough for 20
/// ms, and what writes the input in any size to a folder, as `new.out` and what else the reports
/// need.
type Shape = (&'static str, usize, fn(usize, &Path) -> io::Result<()>);

/// Kinds of input, and the reports of them, one a line: a name, the options, and the kinds that are
/// measured in each run, as they are large in what the report walks, sorts or pairs. Each kind has
/// at least four such reports, if it has as many.
const GROUPS: [(&[Shape], &str); 10] = [
    (
        shapes::SHAPES,
        "list: --auto=no: lines events
        inclusive: --auto=no --inclusive: shared-in-disorder shared-lattice cycle called-once lattice ladder
        cycles-no: --auto=no --inclusive --cycles=no: shared-by-two cycle cycles
        tree: --auto=no --tree=both: many-callees many-callers layers ladder
        tree-inclusive: --auto=no --tree=both --inclusive: shared-lattice cycle called-once many-callers
        tree-depth: --auto=no --tree=both --depth=10 --inclusive --cycles=no: chain cycles lattice layers
        charge: --auto=no --inclusive --charge-to-callers=function:*1*: chain cycle inlined-chain layers
        below: --auto=no --inclusive --below=*1*: chain cycle lattice many-callers layers parts
        without: --auto=no --inclusive --without=*7: shared-in-disorder cycles inlined-chain many-callees
        calls: --auto=no --calls: shared-by-many many-callees many-callers
        fold: --auto=no --inclusive --fold=callers,recursion: contexts levels
        by-file: --auto=no --inclusive --group-by=file: files-twice cycle-through-files cycle-through-two-files inlined-chain files
        tree-unbounded: --auto=no --tree=both --depth=1000000 --min=0: chain cycle many-callers
        by-object: --auto=no --inclusive --group-by=object: shared-by-two shared-by-many objects-twice
        by-namespace: --auto=no --inclusive --group-by=namespace: shared-in-disorder namespaces-twice
        by-name: --auto=no --inclusive --group-by=name: shared-in-disorder namespaces-twice levels
        by-line: --auto=no --inclusive --group-by=line: inlined-chain lines
        by-part: --auto=no --group-by=part: parts columns
        nested: --auto=no --group-by=function --nested --min=0 --threshold=100: shared-by-many inlined-chain lines
        nested-file: --auto=no --group-by=file --nested --min=0: files-twice files cycle-through-two-files
        by-file-calls: --auto=no --tree=both --calls --group-by=file: files-twice cycle-through-files layers cycle-through-two-files
        diff: --auto=no --diff=base.out: chain contexts events
        series: --series base.out: chain contexts events
        series-inclusive: --series --inclusive base.out: shared-by-two cycle
        diff-inclusive: --auto=no --inclusive --tree=both --diff=base.out: shared-by-two shared-lattice cycle
        filter: --auto=no --inclusive --tree=both --function=*1*: shared-in-disorder namespaces-twice lattice
        sources: --auto=yes: files lines
        sources-inclusive: --auto=yes --inclusive: shared-lattice many-callees lines
        json: --format=json: shared-by-many layers parts
        csv: --format=csv --inclusive: shared-by-two objects-twice called-once events columns
        screen: --format=text: shared-lattice cycle called-once many-callers many-callees inlined-chain levels lines
        columns: --format=text --tree=both --threshold=100: many-callers contexts levels columns
        html: --format=html --min=0: objects-twice lattice layers files
        dot: --format=dot: cycle-through-files many-callees layers cycle-through-two-files
        dot-all: --format=dot --min=0: chain objects-twice cycles lattice ladder
        folded: --format=folded: chain cycle lattice levels ladder
        callgrind: --format=callgrind: contexts events parts
        gprof-flat: gprof -b -p: parts columns
        gprof-graph: gprof -b -q: cycle cycles many-callers lattice
        gprof-lines: gprof -b -p -q -l: inlined-chain namespaces-twice lines
        gprof-counts: gprof -b -C: files-twice cycle-through-files many-callees",
    ),
    // Reports that write what others calculate, for which a few shapes are enough.
    (
        shapes::FEW_SHAPES,
        "flamegraph: --format=flamegraph: many-callees layers
        folded-top: --format=folded --top=100: cycle
        pprof: --format=pprof: columns many-callees layers
        markdown: --format=markdown: columns many-callees
        buckets: --auto=no --inclusive --calls --bucket=a=*1* --bucket=b=*2*: columns cycle
        nested-json: --format=json --group-by=function --nested --min=0: columns
        tree-unbounded-json: --format=json --tree=both --depth=1000000 --min=0: cycle
        tree-depth-json: --format=json --tree=callees --depth=10 --inclusive: cycle many-callees layers
        charge-layers: --auto=no --inclusive --charge-to-callers=function:f[12]*: cycle layers",
    ),
    (
        shapes::EQUAL_NAMES,
        "tree: --format=text --tree=callers: arguments last-words objects
        tree-depth: --format=text --tree=callers --depth=3: arguments last-words objects
        list: --format=text --min=0 --lines=no: arguments last-words
        html: --format=html: arguments last-words objects
        dot: --format=dot --min=0: arguments last-words objects",
    ),
    (
        shapes::PATTERNS,
        "names: --auto=no --bucket=@names: patterns
        globs: --auto=no --bucket=@globs: patterns
        regular-expressions: --auto=no --bucket=@regular-expressions: patterns
        filter: --auto=no --function=*1*: patterns",
    ),
    (
        code::SHAPES,
        "asm: --asm: one-line nested-loops one-target one-source
        asm-json: --asm --format=json --counts: one-line lines-of-a-block nested-loops functions one-target
        counts: --counts: instructions lines-of-a-block loops one-target one-source functions
        gprof-blocks: gprof -b -lC: instructions one-line lines-of-a-block loops
        pprof: --format=pprof: instructions nested-loops loops one-source one-line lines-of-a-block functions
        callgrind: --format=callgrind: instructions nested-loops loops one-target one-source functions",
    ),
    (
        inlined::SHAPES,
        "screen: --format=text: inlined-once inlined-often inlined-deep
        list: --inlines --auto=no: inlined-once inlined-often inlined-deep
        tree: --inlines --auto=no --inclusive --tree=both --min=0: inlined-once inlined-often inlined-deep inlined-deep-often
        pprof: --inlines --format=pprof: inlined-once inlined-often inlined-deep inlined-deep-often
        callgrind: --inlines --format=callgrind: inlined-once inlined-deep-often
        asm: --inlines --asm=g0: inlined-often inlined-deep inlined-deep-often",
    ),
    (
        sampled::SHAPES,
        "flat: gprof -p prog: gprof-chain gprof-star gprof-random
        graph: gprof -q prog: gprof-circle gprof-nested-circles gprof-star gprof-random
        without-calls: gprof -q -kf1/ -Ef2 prog: gprof-circle gprof-nested-circles gprof-star gprof-random
        sum: gprof -s prog: gprof-chain gprof-star gprof-random
        inclusive: --inclusive --tree=both prog: gprof-chain gprof-circle gprof-nested-circles
        folded: --format=folded prog: gprof-chain gprof-circle gprof-nested-circles",
    ),
    (
        pairs::SHAPES,
        "list: --auto=no --diff=base.out: pairs-files pairs-folders pairs-equal-ends pairs-clones pairs-addresses
        tree: --auto=no --inclusive --tree=both --diff=base.out: pairs-files pairs-folders pairs-equal-ends pairs-clones pairs-addresses
        json: --format=json --diff=base.out: pairs-files pairs-folders pairs-equal-ends pairs-clones pairs-addresses
        dot: --format=dot --min=0 --diff=base.out: pairs-files pairs-folders pairs-equal-ends pairs-clones pairs-addresses
        series: --series base.out: pairs-files pairs-folders pairs-equal-ends pairs-clones pairs-addresses",
    ),
    (
        definitions::SHAPES,
        "screen: --format=text: definitions
        list: --format=text --lines=no: definitions
        inclusive: --format=text --inclusive: definitions
        markdown: --format=markdown: definitions",
    ),
    (
        pairs::LINES,
        "sources: --auto --base-include=old --diff=base.out: lines-in-order lines-reversed lines-in-disorder lines-of-few-texts
        json: --format=json --base-include=old --diff=base.out: lines-in-order lines-reversed lines-in-disorder lines-of-few-texts",
    ),
];

/// The shape, and the reports of it, whose bound is rows × arcs: rows whose functions call far into
/// each other, so that the share of each call that is on behalf of a row has to be found for each
/// row by itself.
const QUADRATIC: (&str, &str) = (
    "shared-lattice",
    " inclusive cycles-no tree-inclusive tree-depth fold by-name by-line diff-inclusive filter sources-inclusive json csv dot \
     dot-all ",
);

/// All tests. Those of kinds that a report does not name are ignored, and so are all in debug
/// builds: `--include-ignored` measures them too.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (shapes, reports) in GROUPS {
        for &(shape, size, write) in shapes {
            // Made when the first test needs them.
            let folders = Arc::new(OnceLock::new());
            let mut named = 0;
            for line in reports.lines() {
                let (report, line) = line.trim().split_once(": ").unwrap();
                let (options, kinds) = line.rsplit_once(": ").unwrap();
                let is_named = kinds.split(' ').any(|kind| kind == shape);
                named += usize::from(is_named);
                let is_quadratic =
                    QUADRATIC.0 == shape && QUADRATIC.1.contains(&format!(" {report} "));
                let max = match is_quadratic {
                    true => MAX_QUADRATIC_RATIO,
                    false => MAX_RATIO,
                };
                let folders = Arc::clone(&folders);
                let check =
                    move || check(folders.get_or_init(|| inputs(size, write)), options, max);
                let trial = Trial::test(format!("growth: {shape}: {report}"), check);
                trials.push(trial.with_ignored_flag(cfg!(debug_assertions) || !is_named));
            }
            assert!(named >= reports.lines().count().min(4), "{shape}");
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

/// Compares the least times of both inputs. One run of each is enough where the ratio is far within
/// the limit; more follow where it is near or beyond, with pauses after the first five, because
/// what else the machine does can slow the larger input, which is in no cache, for some seconds.
fn check([small, large]: &[TempDir; 2], options: &str, max: f64) -> Result<(), Failed> {
    let mut times = [f64::INFINITY; 2];
    for run in 0..MAX_RUNS {
        if run >= 5 {
            thread::sleep(Duration::from_secs(2));
        }
        times[0] = times[0].min(seconds(small.path(), options, 60)?);
        // How long a run takes that is far too slow is of no interest.
        let limit = 2.0 * max * times[0] + 1.0;
        times[1] = times[1].min(seconds(large.path(), options, limit.ceil() as u32)?);
        let of_max = times[1] / times[0] / max;
        let is_enough = run >= 4 || times[1] >= LONG;
        if of_max < 2.0 / 3.0 || of_max < 1.0 && is_enough {
            break;
        }
    }
    let ratio = times[1] / times[0];
    let text = format!("{:.3} s and {:.3} s: {ratio:.1} times", times[0], times[1]);
    println!("    {text}");
    match ratio < max {
        true => Ok(()),
        false => Err(text.into()),
    }
}

/// The processor time of one run, in seconds, which is ended when it reaches the limit. The shell
/// measures it, so that what runs beside it is not counted.
fn seconds(folder: &Path, options: &str, limit: u32) -> Result<f64, Failed> {
    let script =
        format!("ulimit -t {limit}; TIMEFORMAT='%3U %3S'; time \"$0\" \"$@\" new.out >/dev/null");
    let run = other_program("bash").args(["-c", &script, PROGRAM]).args(options.split(' '));
    let output = run.in_dir(folder).run();
    let error = output.error();
    match output.status {
        0 => {
            let times = error.lines().last().unwrap_or_default().split(' ');
            Ok(times.map(|time| time.parse::<f64>().unwrap()).sum())
        }
        // The shell adds 128 to the number of the signal that ended the program.
        status if status > 128 => Ok(f64::INFINITY),
        status => Err(format!("status {status}: {error}").into()),
    }
}
