//! Against an older build: wall and processor time of each report, with each round's runs in turn.

use std::path::{Path, PathBuf};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::measure::Command;
use crate::{PROGRAM, head, name, row};

/// How often each program runs.
const ROUNDS: usize = 25;

/// The reports, with the options of the older build if they were others.
const REPORTS: &[(&str, &[&str], &[&str])] = &[
    ("list", &["--auto=no"], &["--auto=no"]),
    ("page", &[], &[]),
    (
        "inclusive",
        &["--auto=no", "--inclusive"],
        &["--auto=no", "--inclusive"],
    ),
    ("json", &["--format=json"], &["--format=json"]),
    ("csv", &["--format=csv"], &["--format=csv"]),
    (
        "callgrind",
        &["--format=callgrind"],
        &["--format=callgrind"],
    ),
    ("folded", &["--format=folded"], &["--format=folded"]),
    ("gprof -p", &["gprof", "-p"], &["-p"]),
    ("gprof -q", &["gprof", "-q"], &["-q"]),
];

/// The times of all rounds, in milliseconds.
#[derive(Default)]
struct Times {
    wall: Vec<f64>,
    processor: Vec<f64>,
}

/// Prints a table of ratios, new to older: below 1 the new build is faster.
pub fn compare(older: &str, profiles: &[PathBuf]) {
    head(
        &format!("Against {older}: milliseconds, minimum / median of {ROUNDS} rounds"),
        &[
            "profile",
            "report",
            "older wall",
            "wall",
            "ratio",
            "older processor",
            "processor",
            "ratio",
        ],
    );
    for profile in profiles {
        for (report, options, older_options) in REPORTS {
            let of_older = has_gprof_command(older, profile);
            let older_options = if of_older { options } else { older_options };
            let commands = [
                Command::new(older, older_options, profile),
                Command::new(PROGRAM, options, profile),
            ];
            let Some([before, after]) = measure(&commands) else {
                println!("| {} | {report} | does not run |", name(profile));
                continue;
            };
            let mut cells = vec![name(profile), (*report).to_owned()];
            for (before, after) in [
                (before.wall, after.wall),
                (before.processor, after.processor),
            ] {
                let (before, after) = (min_and_median(before), min_and_median(after));
                cells
                    .extend([before, after].map(|[min, median]| format!("{min:.1} / {median:.1}")));
                let [min, median] = [after[0] / before[0], after[1] / before[1]];
                cells.push(format!("{min:.2} / {median:.2}"));
            }
            row(&cells);
        }
    }
}

/// Whether a build has the command `gprof`; older ones have its options without it.
fn has_gprof_command(program: &str, profile: &Path) -> bool {
    Command::new(program, &["gprof", "-p"], profile)
        .time()
        .is_some()
}

/// Runs two programs in turn; none if one fails.
fn measure(commands: &[Command; 2]) -> Option<[Times; 2]> {
    commands
        .iter()
        .try_for_each(|command| command.time().map(drop))?;
    let mut times = [Times::default(), Times::default()];
    for _ in 0..ROUNDS {
        for (command, times) in commands.iter().zip(&mut times) {
            let (used, begin) = (processor_time()?, Instant::now());
            command.time()?;
            times.wall.push(begin.elapsed().as_secs_f64() * 1e3);
            times.processor.push(processor_time()? - used);
        }
    }
    Some(times)
}

/// The processor time of all programs so far, in milliseconds.
fn processor_time() -> Option<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let time = usage.user_time() + usage.system_time();
    Some(time.num_microseconds() as f64 / 1e3)
}

fn min_and_median(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[0], times[times.len() / 2]]
}
