//! The page against that of the installed callgrind_annotate, on profiles on which that one is right.
//! Where it is not installed nothing is compared; the golden cases hold then.
//!
//! The profiles are those in testdata, and fresh ones of the programs there if valgrind and a C
//! compiler are installed too. The reference leaves the order of annotated files, and of calls of equal
//! cost, to chance: both pages are put in one order before they are compared.

use std::path::Path;
use std::process::Command;

/// The options that are compared, one run each.
const OPTIONS: [&[&str]; 18] = [
    &[],
    &["--auto=no"],
    &["--inclusive=yes"],
    &["--tree=both"],
    &["--tree=caller", "--inclusive=yes"],
    &["--tree=calling"],
    &["--show-percs=no"],
    &["--threshold=100"],
    &["--threshold=50"],
    &["--threshold=0"],
    &["--threshold=12.5"],
    &["--sort=Ir:50"],
    &["--sort=Ir:99.9", "--show=Ir"],
    &["--context=2"],
    &["--context=0"],
    &["-I=/nowhere", "-I=src"],
    &[
        "--auto=no",
        "--tree=both",
        "--inclusive=yes",
        "--threshold=100",
    ],
    &["--auto=no", "./testdata/words/words.h"],
];

/// Those that name no source.
const WITHOUT_SOURCE: &[&[&str]] = OPTIONS.split_at(17).0;

/// More options for profiles with many events.
const MANY_EVENTS: [&[&str]; 3] = [
    &["--sort=Dr:50,Ir:90"],
    &["--show=Bc,Ir", "--sort=Bcm"],
    &["--show=DLmr,I1mr", "--threshold=80"],
];

const RULE: &str =
    "--------------------------------------------------------------------------------";

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// What a program prints in `folder`.
fn page(program: &str, options: &[&str], profile: &Path, folder: &Path) -> String {
    let (options, sources): (Vec<&str>, Vec<&str>) =
        options.iter().partition(|option| option.starts_with('-'));
    let run = Command::new(program)
        .args(options)
        .arg(profile)
        .args(sources)
        .current_dir(folder)
        .output();
    let output = run.unwrap();
    assert!(
        output.status.success(),
        "{program} {}: {output:?}",
        profile.display()
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Puts annotated files, and calls of equal cost, in the order of their texts, and leaves out boxed
/// warnings, whose wording is each program's own.
fn in_one_order(page: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = page.lines().collect();
    // A box has an empty line below it.
    let in_box = |at: usize| at > 0 && lines[at - 1].starts_with('@') || lines[at].starts_with('@');
    let kept: Vec<usize> = (0..lines.len()).filter(|&at| !in_box(at)).collect();
    lines = kept.into_iter().map(|at| lines[at]).collect();
    for sign in ["  < ", "  >   ", "  => "] {
        // Call sites go by what their functions pay on all lines, which a page does not tell.
        let cost = |line: &str| {
            line.split_once(sign)
                .map(|(cost, _)| if sign == "  => " { "" } else { cost }.to_owned())
        };
        lines
            .chunk_by_mut(|a, b| cost(a).is_some() && cost(a) == cost(b))
            .for_each(<[&str]>::sort_unstable);
    }
    let is_heading = |at: usize| {
        lines[at] == RULE
            && lines
                .get(at + 1)
                .is_some_and(|line| line.contains("-annotated source: "))
    };
    let Some(first) = (0..lines.len()).find(|&at| is_heading(at)) else {
        return lines;
    };
    let mut annotated: Vec<Vec<&str>> = Vec::new();
    let mut at = first;
    while at < lines.len() && is_heading(at) {
        // The heading has a rule below it too; the next one ends the section.
        let length = lines[at + 3..]
            .iter()
            .position(|line| *line == RULE)
            .map_or(lines.len() - at, |more| more + 3);
        annotated.push(lines[at..at + length].to_vec());
        at += length;
    }
    annotated.sort();
    [&lines[..first], &annotated.concat(), &lines[at..]].concat()
}

/// Compares the pages for one profile from one folder with all options.
fn compare(profile: &Path, folder: &Path, options: &[&[&str]]) {
    for options in options {
        let reference = page("callgrind_annotate", options, profile, folder);
        let ours = page(env!("CARGO_BIN_EXE_cgannotate"), options, profile, folder);
        let (reference, ours) = (in_one_order(&reference), in_one_order(&ours));
        if let Some((number, (a, b))) = (1..)
            .zip(reference.iter().zip(&ours))
            .find(|(_, (a, b))| a != b)
        {
            panic!(
                "{} {options:?} line {number}:\nreference: {a}\nours:      {b}",
                profile.display()
            );
        }
        assert_eq!(
            reference.len(),
            ours.len(),
            "{} {options:?}",
            profile.display()
        );
    }
}

#[test]
fn profiles_of_testdata() {
    if !is_installed("callgrind_annotate") {
        return eprintln!("callgrind_annotate is not installed: nothing compared");
    }
    let small = Path::new("testdata/words/words.out");
    let many_events = Path::new("testdata/words/words.sim.out");
    compare(small, project(), &OPTIONS);
    compare(many_events, project(), &OPTIONS);
    compare(many_events, project(), &MANY_EVENTS);
    // Where no source is found.
    compare(&project().join(small), Path::new("/"), WITHOUT_SOURCE);
}

#[test]
fn fresh_profiles() {
    let programs = ["callgrind_annotate", "valgrind", "cc"];
    if !programs.iter().all(|program| is_installed(program)) {
        return eprintln!("not all of {programs:?} are installed: nothing compared");
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    for file in ["words.c", "words.h"] {
        std::fs::copy(
            project().join("testdata/words").join(file),
            folder.join(file),
        )
        .unwrap();
    }
    let cc = Command::new("cc")
        .args(["-O1", "-g", "words.c", "-o", "words"])
        .current_dir(&folder)
        .status();
    assert!(cc.unwrap().success());
    let variants: [&[&str]; 9] = [
        &[],
        &["--dump-instr=yes"],
        &["--dump-instr=yes", "--dump-line=no"],
        &["--dump-instr=yes", "--collect-jumps=yes"],
        &["--compress-strings=no", "--compress-pos=no"],
        &["--separate-callers=2"],
        &["--cache-sim=yes", "--branch-sim=yes"],
        &["--collect-atstart=no", "--toggle-collect=main"],
        &["--collect-systime=nsec"],
    ];
    for (number, variant) in variants.iter().enumerate() {
        let profile = folder.join(format!("{number}.out"));
        let mut valgrind = Command::new("valgrind");
        valgrind
            .arg("--tool=callgrind")
            .arg(format!("--callgrind-out-file={}", profile.display()));
        let run = valgrind
            .args(*variant)
            .arg("./words")
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(run.status.success(), "{variant:?}: {run:?}");
        // Beside the sources names below the current folder are shortened, which the reference does for
        // some and not for others; from elsewhere the pages are the same.
        compare(&profile, Path::new("/"), WITHOUT_SOURCE);
        compare(&profile, &folder, &[&["--auto=no"], &["--threshold=50"]]);
    }
}
