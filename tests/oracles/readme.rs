//! The README against the program: each command in a `console` block prints what is below it, and
//! the script of its workflow runs on two commits of a small program, with a limit that passes, one
//! that fails, and filters. `gh` is a stand-in that keeps the comment.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::program::{Folder, PROGRAM, other_program};
use crate::oracles::{project, run, trial};

/// The same amount of work in two functions, `ROUNDS` of it in `slow`.
const SOURCE: &str = "
static volatile int sink;
__attribute__((noinline)) void fast(void) { for (int i = 0; i < 20000; i++) sink = i; }
__attribute__((noinline)) void slow(void) { for (int i = 0; i < ROUNDS; i++) sink = i; }
int main(void) { fast(); slow(); return 0; }
";

const MAKEFILE: &str = "program: program.c\n\t$(CC) -g -O1 -o $@ $<\n";

/// What happens, from what number of rounds to what other, with which filters: the status and the
/// start of the comment.
const CASES: [(&str, u32, u32, &str, i32, &str); 4] = {
    let (fast, slow) = ("--function=fast ", "--function=slow ");
    [
        ("unchanged", 20_000, 20_000, "", 0, "**ok** `Ir` "),
        ("slower", 20_000, 30_000, "", 3, "**FAIL** `Ir` "),
        ("slower elsewhere", 20_000, 30_000, fast, 0, "**ok** `Ir` 80,"),
        ("slower there", 20_000, 30_000, slow, 3, "**FAIL** `Ir` 80,"),
    ]
};

pub fn trials() -> Vec<Trial> {
    let readme = text();
    let blocks = readme.match_indices("```console\n$ ").map(|(at, mark)| {
        let line = readme[..at].lines().count() + 2;
        example(line, &readme[at + mark.len()..])
    });
    let examples: Vec<Trial> = blocks.collect();
    assert!(examples.len() >= 3, "no examples in README.md");
    let workflow = |(name, base, new, filter, status, comment)| {
        let needs = ["bash", "git", "make", "gcc", "valgrind"];
        let name = format!("README.md, workflow: {name}");
        trial(&needs, &name, move || {
            check_workflow([base, new], filter, status, comment);
        })
    };
    let workflows = CASES.into_iter().map(workflow);
    examples.into_iter().chain(workflows).collect()
}

fn text() -> String {
    fs::read_to_string(project().join("README.md")).unwrap()
}

/// The PATH with the folder of the program before all others.
fn path() -> String {
    let folder = Path::new(PROGRAM).parent().unwrap().display();
    format!("{folder}:{}", std::env::var("PATH").unwrap())
}

/// The example at this line of the README, and all that follows it.
fn example(line: usize, block: &str) -> Trial {
    let (example, _) = block.split_once("\n```").unwrap();
    let (command, expected) = example.split_once('\n').unwrap();
    let mut needs = vec!["jq", "dot"];
    needs.retain(|program| command.contains(&format!("| {program} ")));
    let (command, expected) = (command.to_owned(), expected.to_owned());
    trial(&needs, &format!("README.md:{line}"), move || {
        let run = other_program("sh").args(["-c", &command]);
        let output = run.env("PATH", path()).in_dir(project()).run();
        let printed = String::from_utf8(output.out).unwrap();
        assert_eq!(printed.trim_end_matches('\n'), expected, "{command}");
    })
}

/// The script of the workflow, without its indentation.
fn script() -> String {
    let readme = text();
    let (_, script) = readme.split_once("        run: |\n").unwrap();
    let (script, _) = script.split_once("```").unwrap();
    let lines = script.lines().map(|line| line.trim_start().to_owned());
    lines.collect::<Vec<_>>().join("\n")
}

fn check_workflow(rounds: [u32; 2], filter: &str, status: i32, comment: &str) {
    let folder = Folder::with(&[]);
    for name in ["repository", "tools"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    let repository = folder.path("repository");
    git(&repository, &["init", "-q"]);
    folder.write("repository/Makefile", MAKEFILE);
    for rounds in rounds.map(|rounds| rounds.to_string()) {
        let program = SOURCE.replace("ROUNDS", &rounds);
        folder.write("repository/program.c", program);
        git(&repository, &["add", "."]);
        let commit = ["commit", "-q", "--allow-empty", "-m", &rounds];
        git(&repository, &commit);
    }
    // gh pr comment NUMBER --body-file FILE
    folder.write_script("tools/gh", "cp \"$5\" comment.md\n");
    let path = format!("{}:{}", folder.path("tools").display(), path());
    let script = script().replace("--fail-above", &format!("{filter}--fail-above"));
    let bash =
        other_program("bash").args(["-e", "-c", &script]).in_dir(&repository).env("PATH", path);
    let output = bash.env("BASE", "HEAD~1").env("PR", "7").run();
    assert_eq!(output.status, status, "{}", output.error());
    let table = folder.read("repository/comment.md");
    assert!(table.starts_with(comment), "{table}");
    let is_expected = rounds[0] != rounds[1] && filter != "--function=fast ";
    assert_eq!(table.contains("| `slow` |"), is_expected, "{table}");
}

fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    run(folder, "git", &[&who, args].concat());
}
