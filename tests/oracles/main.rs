//! Comparisons with other programs: objdump, gcov, callgrind_annotate, gprof on compiled programs, c++filt on the names of libstdc++, and the commands of the README.
//!
//! Each test says which programs it needs, `[needs gprof, valgrind, gcc] …`, and is ignored where one is not installed.
//! With `CGANNOTATE_ORACLES=required` it fails there.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod asm;
mod callgrind_annotate;
#[path = "../common/case.rs"]
#[allow(dead_code)]
mod case;
mod cxxfilt;
#[path = "../suite/elf.rs"]
#[allow(dead_code)]
mod elf;
mod gcov;
mod gprof;
mod gprof_calls;
mod gprof_data;
mod gprof_made;
#[path = "../suite/gprof_page.rs"]
mod gprof_page;
mod gprof_propagated;
mod gprof_random;
#[allow(dead_code)]
#[path = "../suite/program.rs"]
mod program;
mod readme;
mod workflow;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use program::is_installed;

fn main() -> ExitCode {
    let mut trials = asm::trials();
    trials.extend(callgrind_annotate::trials());
    trials.extend(cxxfilt::trials());
    trials.extend(gcov::trials());
    trials.extend(gprof::trials());
    trials.extend(gprof_data::trials());
    trials.extend(gprof_made::trials());
    trials.extend(gprof_propagated::trials());
    trials.extend(gprof_random::trials());
    trials.extend(readme::trials());
    trials.extend(workflow::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test that needs these programs.
fn trial(needs: &[&str], name: &str, run: impl FnOnce() + Send + 'static) -> Trial {
    let missing = needs.iter().find(|program| !is_installed(program));
    let missing = missing.map(|program| format!("{program} is not installed"));
    let is_ignored = missing.is_some() && !is_required();
    let run = move || match missing {
        Some(missing) => Err(missing.into()),
        None => {
            run();
            Ok(())
        }
    };
    let trial = Trial::test(name, run).with_ignored_flag(is_ignored);
    match needs {
        [] => trial,
        needs => trial.with_kind(format!("needs {}", needs.join(", "))),
    }
}

/// Whether a test fails where something that it needs is not installed.
fn is_required() -> bool {
    std::env::var("CGANNOTATE_ORACLES").is_ok_and(|value| value == "required")
}

/// The folder of this project.
fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
