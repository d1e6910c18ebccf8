//! The list in columns, of all profiles of testdata: its width and its names.

use std::collections::HashMap;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus;
use crate::common::program::print_of;

trials![no_line_is_wider_than_the_list, different_rows_read_differently];

/// The lines of the list of a profile, without its header; none if it cannot be listed so.
fn lines(options: &[&str], profile: &Path) -> Option<Vec<String>> {
    let options = [&["--format=text", "--header=no"], options].concat();
    let page = print_of(&options, profile).ok()?;
    let page = String::from_utf8_lossy(&page).into_owned();
    // What is after the list are sentences.
    Some(page.lines().skip(1).map(str::to_owned).collect())
}

/// The same, up to what the list leaves out.
fn rows(options: &[&str], profile: &Path) -> Vec<String> {
    let lines = lines(options, profile).unwrap_or_default().into_iter();
    lines.take_while(|line| !line.is_empty()).collect()
}

fn no_line_is_wider_than_the_list() {
    let options: [&[&str]; 5] = [
        &["--lines=no"],
        &["-c", "-i"],
        &["--tree=both", "--names=full"],
        &["--nested"],
        &["-g", "object"],
    ];
    let (mut checked, mut not_listed) = (0, 0);
    for (at, path) in corpus::files().into_iter().enumerate() {
        for width in [60, 80, 100, 120, 160] {
            let option = format!("--width={width}");
            let options = [options[(at + width) % options.len()], &[&option]].concat();
            let Some(lines) = lines(&options, &path) else {
                not_listed += 1;
                continue;
            };
            let marks = [": -", " match", "without a change"];
            let is_sentence = |line: &String| {
                line.starts_with("source lines:") || marks.iter().any(|mark| line.contains(mark))
            };
            for line in lines.iter().take_while(|line| !is_sentence(line)) {
                assert!(line.width() <= width, "{options:?} {path:?}: {line}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "only {checked} lines");
    // Damaged profiles, of which nothing can be read.
    assert!(not_listed * 50 < checked, "{not_listed} lists failed");
}

fn different_rows_read_differently() {
    corpus::compare_files(1001, |path| {
        let mut compared = 0;
        for width in ["60", "90"] {
            let options = ["--columns=self", "--show-percs=no", "--threshold=100"];
            let width = format!("--width={width}");
            let shortened = names(&[&options[..], &[&width]].concat(), path);
            let full = [&options[..], &["--names=full", "--width=0"]].concat();
            let mut first: HashMap<String, String> = HashMap::new();
            for (name, full) in shortened.into_iter().zip(names(&full, path)) {
                let known = first.entry(name.clone()).or_insert_with(|| full.clone());
                assert_eq!(*known, full, "{width}: {name:?}");
                compared += 1;
            }
        }
        Some(compared)
    });
}

/// The names and objects of rows with one column of figures.
fn names(options: &[&str], path: &Path) -> Vec<String> {
    let name = |row: String| {
        let row = row.trim_start();
        let (_, name) = row.split_once(' ').unwrap_or(("", row));
        name.trim_start().to_owned()
    };
    rows(options, path).into_iter().map(name).collect()
}
