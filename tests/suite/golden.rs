//! Golden cases. Each folder in testdata/golden holds `args` (one argument a line), any input files, and
//! what is expected: `stdout`, `stderr` (empty if there is no such file) and `status` (0 if there is none).
//! A file `newer` names those that were changed after all others, one a line.
//!
//! A case runs in a copy of its folder. `CGANNOTATE_BLESS=1 cargo test golden` writes what came out in
//! place of what was expected.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

const EXPECTED: [&str; 3] = ["stdout", "stderr", "status"];

#[test]
fn golden() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/golden");
    let mut folders: Vec<_> = fs::read_dir(cases)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    assert!(folders.len() >= 100, "where are the golden cases?");
    let failed: Vec<_> = folders.iter().filter(|folder| !passes(folder)).collect();
    assert!(
        failed.is_empty(),
        "{} of {} cases failed: {failed:#?}",
        failed.len(),
        folders.len()
    );
}

/// Runs one case and says how it differs.
fn passes(case: &Path) -> bool {
    let folder = tempfile::tempdir().unwrap();
    copy(case, folder.path());
    let args = fs::read_to_string(case.join("args"))
        .unwrap_or_else(|e| panic!("{}/args: {e}", case.display()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
    command.args(args.lines()).current_dir(folder.path());
    if let Ok(input) = File::open(case.join("stdin")) {
        command.stdin(input);
    } else {
        command.stdin(Stdio::null());
    }
    let output = command.output().unwrap();
    let status = format!("{}\n", output.status.code().unwrap_or(-1));
    let got = [output.stdout, output.stderr, status.into_bytes()];
    let mut good = true;
    for ((name, got), without) in EXPECTED.iter().zip(got).zip(["", "", "0\n"]) {
        let file = case.join(name);
        let expected = fs::read(&file).unwrap_or_else(|_| without.as_bytes().to_vec());
        if expected == got {
            continue;
        }
        if std::env::var_os("CGANNOTATE_BLESS").is_some() {
            if got == without.as_bytes() {
                fs::remove_file(&file).unwrap()
            } else {
                fs::write(&file, got).unwrap()
            }
            continue;
        }
        good = false;
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string().replace("\\n", "\n");
        eprintln!(
            "{}: expected\n{}\ngot\n{}",
            file.display(),
            text(&expected),
            text(&got)
        );
    }
    good
}

/// Copies the input of a case, all of the same age but for those that `newer` names.
fn copy(from: &Path, to: &Path) {
    let newer = fs::read_to_string(from.join("newer")).unwrap_or_default();
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000);
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
            let is_newer = newer.lines().any(|name| entry.file_name() == name);
            let age = Duration::from_secs(if is_newer { 86_400 } else { 0 });
            File::options()
                .write(true)
                .open(&target)
                .unwrap()
                .set_modified(then + age)
                .unwrap();
        }
    }
}
