//! The page against that of the installed callgrind_annotate, on profiles on which it is right:
//! those in testdata, and fresh ones of the programs there. The reference leaves the order of
//! annotated files, and of calls of equal cost, to chance: both pages are put in one order before
//! they are compared.

use std::path::Path;

use libtest_mimic::Trial;

use crate::common::program::{Run, other_program, program};
use crate::oracles::{project, run, trial};

pub fn trials() -> Vec<Trial> {
    let reference = "callgrind_annotate";
    let fresh = [reference, "valgrind", "cc"];
    let exported = "rows of exported profiles";
    vec![
        trial(&[reference], "pages of testdata", pages_of_testdata),
        trial(&fresh, "pages of fresh profiles", pages_of_fresh_profiles),
        trial(&[reference], exported, rows_of_exported_profiles),
    ]
}

/// The options that are compared, one run for each line; first none.
const OPTIONS: &str = "
    --auto=no
    --inclusive=yes
    --tree=both
    --tree=caller --inclusive=yes
    --tree=calling
    --show-percs=no
    --threshold=100
    --threshold=50
    --threshold=0
    --threshold=12.5
    --sort=Ir:50
    --sort=Ir:99.9 --show=Ir
    --context=2
    --context=0
    -I=/nowhere -I=src
    --auto=no --tree=both --inclusive=yes --threshold=100";

/// The same that names a source.
const WITH_SOURCE: &str = "--auto=no ./testdata/words/words.h";

/// More options for profiles with many events.
const MANY_EVENTS: &str = "--sort=Dr:50,Ir:90
    --show=Bc,Ir --sort=Bcm
    --show=DLmr,I1mr --threshold=80";

const RULE: &str =
    "--------------------------------------------------------------------------------";

/// What a program prints in `folder`.
fn page(program: Run<'_>, options: &[&str], profile: &Path, folder: &Path) -> String {
    let (options, sources): (Vec<&str>, Vec<&str>) =
        options.iter().partition(|option| option.starts_with('-'));
    let run = program.args(options).arg(profile).args(sources);
    run.in_dir(folder).run().page()
}

fn reference() -> Run<'static> {
    other_program("callgrind_annotate")
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
            && lines.get(at + 1).is_some_and(|line| line.contains("-annotated source: "))
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
fn compare(profile: &Path, folder: &Path, options: &str) {
    for options in options.lines() {
        let options: Vec<&str> = options.split_whitespace().collect();
        let reference = page(reference(), &options, profile, folder);
        let ours = page(program(), &options, profile, folder);
        let (reference, ours) = (in_one_order(&reference), in_one_order(&ours));
        let what = format!("{} {options:?}", profile.display());
        for (number, (a, b)) in (1..).zip(reference.iter().zip(&ours)) {
            assert!(a == b, "{what} line {number}:\n{a}\nours:\n{b}");
        }
        assert_eq!(reference.len(), ours.len(), "{what}");
    }
}

fn pages_of_testdata() {
    let small = Path::new("testdata/words/words.out");
    let many_events = Path::new("testdata/words/words.sim.out");
    for options in [OPTIONS, WITH_SOURCE] {
        compare(small, project(), options);
        compare(many_events, project(), options);
    }
    compare(many_events, project(), MANY_EVENTS);
    // Where no source is found.
    compare(&project().join(small), Path::new("/"), OPTIONS);
}

fn pages_of_fresh_profiles() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().canonicalize().unwrap();
    for file in ["words.c", "words.h"] {
        let from = project().join("testdata/words").join(file);
        std::fs::copy(from, folder.join(file)).unwrap();
    }
    run(&folder, "cc", &["-O1", "-g", "words.c", "-o", "words"]);
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
    for (number, variant) in variants.into_iter().enumerate() {
        let profile = folder.join(format!("{number}.out"));
        let file = format!("--callgrind-out-file={}", profile.display());
        let args = [&["--tool=callgrind", &file], variant, &["./words"]].concat();
        run(&folder, "valgrind", &args);
        // Beside the sources names below the current folder are shortened, which the reference does
        // for some and not for others; from elsewhere the pages are the same.
        compare(&profile, Path::new("/"), OPTIONS);
        compare(&profile, &folder, "--auto=no\n--threshold=50");
    }
}

/// callgrind_annotate reads the same rows from a profile that was exported.
fn rows_of_exported_profiles() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("exported.out");
    let rows = |profile: &Path, options: &[&str]| {
        let page = page(reference(), options, profile, Path::new("/"));
        let (_, tables) = page.split_once("Events recorded:").unwrap();
        // The reference leaves the order of equal rows to chance.
        let mut lines: Vec<_> = tables.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for name in ["words.out", "words.sim.out"] {
        let original = project().join("testdata/words").join(name);
        let export = program().arg("--format=callgrind").arg(&original).run();
        std::fs::write(&copy, export.out).unwrap();
        for kind in ["--inclusive=no", "--inclusive=yes"] {
            let options = ["--auto=no", "--threshold=100", "--tree=none", kind];
            let expected = rows(&original, &options);
            assert!(expected.len() > 20, "{name}");
            assert_eq!(rows(&copy, &options), expected, "{name} {options:?}");
        }
    }
}
