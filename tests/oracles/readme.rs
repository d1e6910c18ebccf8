//! The examples of the README: each command in a `console` block prints what is below it.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::common::program::other_program;
use crate::oracles::{project, trial};

pub fn trials() -> Vec<Trial> {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let blocks = readme.match_indices("```console\n$ ");
    let blocks = blocks.map(|(at, mark)| {
        let line = readme[..at].lines().count() + 2;
        example(line, &readme[at + mark.len()..])
    });
    let trials: Vec<Trial> = blocks.collect();
    assert!(trials.len() >= 3, "no examples in README.md");
    trials
}

/// The example at this line of the README, and all that follows it.
fn example(line: usize, block: &str) -> Trial {
    let (example, _) = block.split_once("\n```").unwrap();
    let (command, expected) = example.split_once('\n').unwrap();
    let mut needs = vec!["jq", "dot"];
    needs.retain(|program| command.contains(&format!("| {program} ")));
    let (command, expected) = (command.to_owned(), expected.to_owned());
    trial(&needs, &format!("README.md:{line}"), move || {
        let program = Path::new(env!("CARGO_BIN_EXE_cgannotate"));
        let folder = program.parent().unwrap().display();
        let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
        let run = other_program("sh").args(["-c", &command]).env("PATH", path);
        let output = run.in_dir(project()).run();
        let printed = String::from_utf8(output.out).unwrap();
        assert_eq!(printed.trim_end_matches('\n'), expected, "{command}");
    })
}
