//! `cargo bench --bench compare [-- PROFILE...]`: times the whole program against callgrind_annotate and
//! `wc -l` on the same files in the same run, and prints a table.
//!
//! Without a profile it makes two with valgrind, of python3 importing a few modules. Each figure is the
//! median of several runs after one that is not counted; callgrind_annotate, which takes seconds, runs once.

#![allow(clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const RUNS: usize = 9;

const SCRIPT: &str = "import json, re, email, decimal, argparse, xml.etree.ElementTree\n\
                      print(len(json.dumps({str(i): [i, {'a': i}] for i in range(200)})))";

fn main() {
    let args = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with("--"));
    let named: Vec<PathBuf> = args.map(PathBuf::from).collect();
    let folder = tempfile::tempdir().expect("a folder for profiles");
    let profiles = if named.is_empty() {
        make_profiles(folder.path())
    } else {
        named
    };
    println!("| profile | size | cgannotate | peak | callgrind_annotate | ratio | wc -l | ratio |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for profile in profiles {
        let ours = median(
            env!("CARGO_BIN_EXE_cgannotate"),
            &["--auto=no"],
            &profile,
            RUNS,
        );
        let reference = median("callgrind_annotate", &["--auto=no"], &profile, 1);
        let lines = median("wc", &["-l"], &profile, RUNS);
        println!(
            "| {} | {:.1} MB | {} | {} | {} | {} | {} | {} |",
            profile.file_name().unwrap_or_default().to_string_lossy(),
            std::fs::metadata(&profile).map_or(0.0, |file| file.len() as f64 / 1e6),
            milliseconds(ours),
            peak(&profile).unwrap_or_else(|| "?".to_owned()),
            milliseconds(reference),
            ratio(reference, ours),
            milliseconds(lines),
            ratio(ours, lines),
        );
    }
}

/// Profiles of python3, or none where valgrind or python3 are not installed.
fn make_profiles(folder: &Path) -> Vec<PathBuf> {
    let variants: [(&str, &[&str]); 2] = [
        ("python3", &[]),
        (
            "python3-instr-callers",
            &[
                "--dump-instr=yes",
                "--collect-jumps=yes",
                "--separate-callers=8",
            ],
        ),
    ];
    let mut profiles = Vec::new();
    for (name, options) in variants {
        let profile = folder.join(name);
        let mut valgrind = Command::new("valgrind");
        valgrind
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", profile.display()));
        valgrind
            .args(options)
            .args(["python3", "-c", SCRIPT])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        match valgrind.status() {
            Ok(status) if status.success() && profile.exists() => profiles.push(profile),
            _ => eprintln!("no profile {name}: valgrind and python3 are needed"),
        }
    }
    profiles
}

/// The median time of a program from start to end; none if it does not run.
fn median(program: &str, options: &[&str], profile: &Path, runs: usize) -> Option<Duration> {
    let run = || {
        let begin = Instant::now();
        let mut command = Command::new(program);
        command
            .args(options)
            .arg(profile)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
            .status()
            .ok()
            .filter(|status| status.success())
            .map(|_| begin.elapsed())
    };
    if runs > 1 {
        run();
    }
    let mut times = (0..runs).map(|_| run()).collect::<Option<Vec<_>>>()?;
    times.sort_unstable();
    Some(times[runs / 2])
}

/// The largest resident size of our program, by GNU time.
fn peak(profile: &Path) -> Option<String> {
    let mut time = Command::new("/usr/bin/time");
    time.args(["-f", "%M", env!("CARGO_BIN_EXE_cgannotate"), "--auto=no"])
        .arg(profile);
    let output = time.stdout(Stdio::null()).output().ok()?;
    let kilobytes: f64 = String::from_utf8(output.stderr).ok()?.trim().parse().ok()?;
    Some(format!("{:.0} MB", kilobytes / 1e3))
}

fn milliseconds(time: Option<Duration>) -> String {
    time.map_or_else(
        || "?".to_owned(),
        |time| format!("{:.1} ms", time.as_secs_f64() * 1e3),
    )
}

fn ratio(a: Option<Duration>, b: Option<Duration>) -> String {
    a.zip(b).map_or_else(
        || "?".to_owned(),
        |(a, b)| format!("{:.1}", a.as_secs_f64() / b.as_secs_f64()),
    )
}
