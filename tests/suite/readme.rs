//! The README's examples: each command in a `console` block prints what stands below it.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn examples_of_the_readme() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(project.join("README.md")).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_cgannotate"))
        .parent()
        .unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let blocks: Vec<&str> = readme.split("```console\n$ ").skip(1).collect();
    assert!(blocks.len() >= 3, "where are the examples?");
    for block in blocks {
        let (example, _) = block.split_once("\n```").unwrap();
        let (command, expected) = example.split_once('\n').unwrap();
        let missing = ["jq", "dot"].iter().find(|program| {
            command.contains(&format!("| {program} "))
                && Command::new(program).arg("--version").output().is_err()
        });
        if let Some(program) = missing {
            eprintln!("{program} is not installed: not run: {command}");
            continue;
        }
        let run = Command::new("sh")
            .args(["-c", command])
            .env("PATH", &path)
            .current_dir(project)
            .output();
        let printed = String::from_utf8(run.unwrap().stdout).unwrap();
        assert_eq!(printed.trim_end_matches('\n'), expected, "{command}");
    }
}
