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
    "oracles: a page: hostile names",
    "oracles: chains of inlined functions",
    "oracles: functions that are inlined in one build only, rustc",
    "oracles: gprof's data with blocks: -m32",
    "oracles: gprof's data with blocks: -m64 -O0",
    "oracles: gprof's data with blocks: -mx32",
    "oracles: gprof's data: 32 bits",
    "oracles: gprof's data: static",
    "oracles: inlined functions of known cost, C++ -g1",
    "oracles: inlined functions of known cost, Rust",
    "oracles: instructions, -O0",
    "oracles: instructions, no PIE",
    "oracles: instructions, stripped",
    "oracles: pages of fresh profiles",
    "oracles: random programs",
    "suite::columns",
    "suite::difference::differences_of_golden_cases",
    "suite::difference_formats::rows_of_markdown",
    "suite::figures::a_row_has_the_same_figure",
    "suite::figures::the_flat_profile_of_gprof",
    "suite::generated::a_file_may_be_cut",
    "suite::html::lines_by_other_events_are",
    "suite::html::rows_are_those_of_json",
    "suite::html::stacks_are",
    "suite::html::sums_are",
    "suite::html::your_lines_are_those_of_json",
    "suite::laws::a_difference_adds_up",
    "suite::laws::costs_are_the_same",
    "suite::laws::laws_hold_for_all_profiles",
    "suite::questions::each_with_each",
    "suite::questions::what_is_listed_and_what_is_not",
    "suite::schema::reports_are",
    "suite::stacks::lines_have_their_costs",
    "suite::stacks::printed_stacks_add_up",
    "suite::trees::all_trees_of_a_report",
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
    let chosen = all.into_iter().filter(is_chosen).map(with_kind).collect();
    let others = run(&args, chosen);
    // Others would share the processor, and their time would be counted.
    args.test_threads = Some(1);
    let growth = run(&args, growth::trials());
    let first_failed = if others.has_failed() { others } else { growth };
    first_failed.exit_code()
}
