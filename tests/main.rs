//! All tests but the golden cases, one program: `cargo test --test suite suite::json` runs those of a module. `common/mod.rs`
//! describes them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[macro_use]
mod common;
mod growth;
mod oracles;
mod suite;

use std::process::ExitCode;

use libtest_mimic::{Arguments, run};

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    let mut trials = suite::trials();
    trials.extend(oracles::trials());
    let others = run(&args, trials);
    // Others would share the processor, and their time would be counted.
    args.test_threads = Some(1);
    let growth = run(&args, growth::trials());
    if others.has_failed() {
        return others.exit_code();
    }
    growth.exit_code()
}
