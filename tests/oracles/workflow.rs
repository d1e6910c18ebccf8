//! The workflow of the README: its script runs on two commits of a small program, with a limit that passes, one that fails,
//! and filters. `gh` is a stand-in that keeps the comment.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::program::other_program;
use crate::oracles::{project, run, trial};

const NEEDS: [&str; 5] = ["bash", "git", "make", "gcc", "valgrind"];

/// The same amount of work in two functions, `ROUNDS` of it in `slow`.
const PROGRAM: &str = "
static volatile int sink;
__attribute__((noinline)) void fast(void) { for (int i = 0; i < 20000; i++) sink = i; }
__attribute__((noinline)) void slow(void) { for (int i = 0; i < ROUNDS; i++) sink = i; }
int main(void) { fast(); slow(); return 0; }
";

const MAKEFILE: &str = "program: program.c\n\t$(CC) -g -O1 -o $@ $<\n";

/// What happens, from what number of rounds to what other, with which filters: the status and the start of the comment.
const CASES: [(&str, u32, u32, &str, i32, &str); 4] = {
    let (fast, slow) = ("--function=fast ", "--function=slow ");
    [
        ("unchanged", 20_000, 20_000, "", 0, "**ok** Ir "),
        ("slower", 20_000, 30_000, "", 3, "**FAIL** Ir "),
        ("slower elsewhere", 20_000, 30_000, fast, 0, "**ok** Ir 80,"),
        ("slower there", 20_000, 30_000, slow, 3, "**FAIL** Ir 80,"),
    ]
};

pub fn trials() -> Vec<Trial> {
    let trial = |(name, base, new, filter, status, comment)| {
        let name = format!("README.md, workflow: {name}");
        trial(&NEEDS, &name, move || {
            check([base, new], filter, status, comment);
        })
    };
    CASES.into_iter().map(trial).collect()
}

/// The script of the workflow, without its indentation.
fn script() -> String {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let (_, script) = readme.split_once("        run: |\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let lines = script.lines().map(|line| line.trim_start().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

fn check(rounds: [u32; 2], filter: &str, status: i32, comment: &str) {
    let folder = tempfile::tempdir().unwrap();
    let repository = folder.path().join("repository");
    fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    fs::write(repository.join("Makefile"), MAKEFILE).unwrap();
    for rounds in rounds {
        let program = PROGRAM.replace("ROUNDS", &rounds.to_string());
        fs::write(repository.join("program.c"), program).unwrap();
        git(&repository, &["add", "."]);
        let commit = ["commit", "-q", "--allow-empty", "-m"];
        git(&repository, &[&commit[..], &[&rounds.to_string()]].concat());
    }
    let tools = folder.path().join("tools");
    fs::create_dir(&tools).unwrap();
    // gh pr comment NUMBER --body-file FILE
    let gh = tools.join("gh");
    fs::write(&gh, "#!/bin/sh\ncp \"$5\" comment.md\n").unwrap();
    fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_cgannotate"));
    let own = program.parent().unwrap().display();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{own}:{path}", tools.display());
    let script = script().replace("--fail-above", &format!("{filter}--fail-above"));
    let bash = other_program("bash").args(["-e", "-c", &script]);
    let bash = bash.in_dir(&repository).env("PATH", path);
    let output = bash.env("BASE", "HEAD~1").env("PR", "7").run();
    assert_eq!(output.status, status, "{}", output.error());
    let table = fs::read_to_string(repository.join("comment.md")).unwrap();
    assert!(table.starts_with(comment), "{table}");
    let is_expected = rounds[0] != rounds[1] && filter != "--function=fast ";
    assert_eq!(table.contains("| `slow` |"), is_expected, "{table}");
}

fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    run(folder, "git", &[&who, args].concat());
}
