//! Comparisons with other programs: objdump, gcov, callgrind_annotate, gprof on compiled programs,
//! c++filt on the names of libstdc++, valgrind for `record`, and the commands of the README.
//!
//! Each test says which programs it needs, `[needs gprof, valgrind, gcc] …`, and is ignored where
//! one is not installed. With `CGANNOTATE_ORACLES=required` it fails there.

mod asm;
mod browser;
mod callgrind_annotate;
mod cxxfilt;
mod driven;
mod firefox;
mod gcov;
mod gprof_data;
mod gprof_graph;
mod gprof_made;
mod gprof_orders;
mod gprof_random;
mod inlines;
mod readme;
mod record;
mod webkit;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use libtest_mimic::Trial;
use serde_json::Value;

use crate::common::program::{self, Output, other_program};

trials_of! {
    asm browser callgrind_annotate cxxfilt firefox gcov gprof_data gprof_graph gprof_made gprof_orders
    gprof_random inlines readme record webkit
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
    trial_with(needs, name, !is_required(), run)
}

/// A test that only releases require: it is ignored where one of these programs is not installed.
fn trial_of_release(needs: &[&str], name: &str, run: impl FnOnce() + Send + 'static) -> Trial {
    trial_with(needs, name, true, run)
}

fn trial_with(
    needs: &[&str],
    name: &str,
    may_be_ignored: bool,
    run: impl FnOnce() + Send + 'static,
) -> Trial {
    let missing = needs.iter().find(|program| !is_installed(program));
    let missing = missing.map(|program| format!("{program} is not installed"));
    let is_ignored = missing.is_some() && may_be_ignored;
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

/// The path of a source in testdata/programs.
fn source(name: &str) -> PathBuf {
    project().join("testdata/programs").join(name)
}

/// Runs a program in a folder to its good end.
fn run(folder: &Path, name: &str, args: &[&str]) -> Output {
    let output = other_program(name).args(args).in_dir(folder).run();
    assert_eq!(output.status, 0, "{name} {args:?}: {}", output.error());
    output
}

/// Profiles the program `program` of a folder, with options of callgrind, into `profile.out`.
fn callgrind(folder: &Path, options: &[&str]) {
    let usual = ["-q", "--tool=callgrind", "--callgrind-out-file=profile.out"];
    let args = [&usual, options, &["./program"]].concat();
    run(folder, "valgrind", &args);
}

/// What the program reports in JSON of the files in `args`, and its messages. Rows are the pieces
/// of functions, which have lines, unless other groups are requested.
fn report(folder: &Path, args: &[&str]) -> (Value, String) {
    let has_groups = args.iter().any(|arg| arg.starts_with("--bucket"));
    let rows: &[&str] = if has_groups { &[] } else { &["-g", "file:function"] };
    let args = [&["--format=json"], rows, args].concat();
    let output = run(folder, env!("CARGO_BIN_EXE_cgannotate"), &args);
    (serde_json::from_slice(&output.out).unwrap(), output.error())
}
