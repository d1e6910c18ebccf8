//! Comparisons with other programs: objdump, gcov, callgrind_annotate, gprof on compiled programs, c++filt on the names of libstdc++, and the commands of the README.
//!
//! Each test says which programs it needs, `[needs gprof, valgrind, gcc] …`, and is ignored where one is not installed.
//! With `CGANNOTATE_ORACLES=required` it fails there.

mod asm;
mod browser;
mod callgrind_annotate;
mod cxxfilt;
mod gcov;
mod gprof;
mod gprof_calls;
mod gprof_data;
mod gprof_made;
mod gprof_propagated;
mod gprof_random;
mod inlines;
mod readme;
mod workflow;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

use libtest_mimic::Trial;

use crate::common::program;

/// All tests of these modules.
pub fn trials() -> Vec<Trial> {
    let mut trials = asm::trials();
    trials.extend(browser::trials());
    trials.extend(callgrind_annotate::trials());
    trials.extend(cxxfilt::trials());
    trials.extend(gcov::trials());
    trials.extend(gprof::trials());
    trials.extend(gprof_data::trials());
    trials.extend(gprof_made::trials());
    trials.extend(gprof_propagated::trials());
    trials.extend(gprof_random::trials());
    trials.extend(inlines::trials());
    trials.extend(readme::trials());
    trials.extend(workflow::trials());
    trials
}

/// Whether a program can be started; each is tried once.
fn is_installed(name: &str) -> bool {
    static KNOWN: Mutex<Option<HashMap<String, bool>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap();
    let known = known.get_or_insert_default();
    let known = known.entry(name.to_owned());
    *known.or_insert_with(|| program::is_installed(name))
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
    let trial = Trial::test(format!("oracles: {name}"), run).with_ignored_flag(is_ignored);
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
