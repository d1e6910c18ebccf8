//! Golden cases, one test per folder of testdata/golden: `cargo test --test golden diff-` runs those with `diff-` in their name.
//!
//! A folder holds `args` (a first line `# …` that says what is tested, then one argument a line), any input files, and
//! the expected `stdout`, `stderr` (without the file: empty) and `status` (without the file: 0). `stdin` is the standard
//! input. `newer` lists the files, one a line, that were changed a day after all others. A case runs in a copy of its folder.
//!
//! `CGANNOTATE_BLESS=1 cargo test --test golden NAME` replaces what was expected by what came out.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "suite/program.rs"]
mod program;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

use libtest_mimic::{Arguments, Failed, Trial};
use program::program;

/// The expected files and what they contain where they do not exist.
const EXPECTED: [(&str, &str); 3] = [("stdout", ""), ("stderr", ""), ("status", "0\n")];

fn main() -> ExitCode {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let folders = fs::read_dir(cases).unwrap();
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let trial = |folder: PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Trial::test(name.into_owned(), move || check(&folder))
    };
    let trials = folders.into_iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Runs a case and compares what came out with what is expected.
fn check(case: &Path) -> Result<(), Failed> {
    let args = fs::read_to_string(case.join("args")).map_err(|error| format!("args: {error}"))?;
    if !args.starts_with("# ") {
        return Err("args: the first line says what the case tests: # …".into());
    }
    let args = args.lines().skip_while(|line| line.starts_with('#'));
    let folder = tempfile::tempdir()?;
    copy(case, folder.path())?;
    let mut run = program().args(args).in_dir(folder.path());
    if let Ok(input) = fs::read(case.join("stdin")) {
        run = run.stdin(input);
    }
    let output = run.run();
    let status = format!("{}\n", output.status).into_bytes();
    let mut differences = String::new();
    for ((name, default), actual) in EXPECTED.into_iter().zip([output.out, output.err, status]) {
        let file = case.join(name);
        let expected = fs::read(&file).unwrap_or_else(|_| default.into());
        if expected == actual {
            continue;
        }
        if std::env::var_os("CGANNOTATE_BLESS").is_none() {
            differences += &difference(name, &expected, &actual);
        } else if actual == default.as_bytes() {
            fs::remove_file(&file)?;
        } else {
            fs::write(&file, actual)?;
        }
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.into())
    }
}

/// Both texts from their first different line on.
fn difference(name: &str, expected: &[u8], actual: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        lines.map(|line| line.escape_ascii().to_string()).collect()
    };
    let (expected, actual) = (lines(expected), lines(actual));
    let same = expected
        .iter()
        .zip(&actual)
        .take_while(|(a, b)| a == b)
        .count();
    let mut text = format!("{name} differs from line {} on\n", same + 1);
    for (sign, lines) in [('-', &expected[same..]), ('+', &actual[same..])] {
        for line in lines {
            let _ = writeln!(text, "{sign}{line}");
        }
    }
    text
}

/// Copies a folder, and sets the time of each file.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let newer = fs::read_to_string(from.join("newer")).unwrap_or_default();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for entry in fs::read_dir(from)? {
        let source = entry?.path();
        let name = source.file_name().unwrap_or_default();
        let target = to.join(name);
        if source.is_dir() {
            fs::create_dir(&target)?;
            copy(&source, &target)?;
            continue;
        }
        fs::copy(&source, &target)?;
        let is_newer = newer.lines().any(|line| OsStr::new(line) == name);
        let time = time + Duration::from_secs(if is_newer { 86_400 } else { 0 });
        File::options()
            .write(true)
            .open(&target)?
            .set_modified(time)?;
    }
    Ok(())
}
