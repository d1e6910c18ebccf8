//! All tests but the golden cases, one program: `cargo test --test suite suite::json` runs those of
//! a module. `common/mod.rs` describes them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[macro_use]
mod common;
mod growth;
mod oracles;
mod suite;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial, run};

/// Beginnings of the names of tests that take long without optimisation, and are ignored there:
/// `.ci/run` has them optimised, with those that try more cases then, and growth (`long`).
const LONG: &[&str] = &[
    "oracles: a page",
    "oracles: chains of inlined functions",
    "oracles: functions that are inlined in one build only, rustc",
    "oracles: gprof's data: 32 bits",
    "oracles: gprof's data: static",
    "oracles: gprof's data with blocks",
    "oracles: gprof's order of object files",
    "oracles: inlined functions of known cost",
    "oracles: instructions",
    "oracles: pages of fresh profiles",
    "oracles: random programs",
    "suite::columns",
    "suite::difference::differences_of_golden_cases",
    "suite::difference_formats",
    "suite::figures",
    "suite::first_screen",
    "suite::generated::a_file_may_be_cut",
    "suite::html",
    "suite::instructions::instructions_cost",
    "suite::laws",
    "suite::questions",
    "suite::schema::reports_are",
    "suite::stacks",
    "suite::trees::all_trees_of_a_report",
    "suite::usage::no_format_ignores_an_option",
];

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    let is_long = |trial: &Trial| LONG.iter().any(|name| trial.name().starts_with(name));
    let only_long = args.filter.take_if(|filter| filter == "long").is_some();
    let all: Vec<Trial> = suite::trials().into_iter().chain(oracles::trials()).collect();
    for name in LONG {
        let is_there = all.iter().any(|trial| trial.name().starts_with(name));
        assert!(is_there, "no test is named {name}");
    }
    let has_more_cases = |trial: &Trial| {
        ["suite::generated", "suite::recursion"].iter().any(|name| trial.name().starts_with(name))
    };
    let is_chosen = |trial: &Trial| !only_long || is_long(trial) || has_more_cases(trial);
    let with_kind = |trial: Trial| {
        if is_long(&trial) && cfg!(debug_assertions) {
            trial.with_kind("optimised").with_ignored_flag(true)
        } else {
            trial
        }
    };
    let chosen = all.into_iter().filter(is_chosen).map(with_kind).chain(growth::trials());
    run(&args, chosen.collect()).exit_code()
}
