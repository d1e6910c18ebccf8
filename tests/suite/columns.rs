//! The list in columns, of all profiles of testdata: its width, its figures, and its names.

use std::collections::HashMap;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus;
use crate::common::formats::{Csv, number};
use crate::common::program::print_of;

trials![
    no_line_is_wider_than_the_list,
    figures_are_those_of_comma_separated_values,
    different_rows_read_differently,
    every_column_begins_at_one_place
];

/// The lines of the list of a profile, without its header; none if it cannot be listed so.
fn lines(options: &[&str], profile: &Path) -> Vec<String> {
    let options = [&["--layout=columns", "--header=no"], options].concat();
    let page = print_of(&options, profile).unwrap_or_default();
    let page = String::from_utf8_lossy(&page).into_owned();
    // What is after the list are sentences.
    page.lines().skip(1).map(str::to_owned).collect()
}

/// The same, up to what the list leaves out.
fn rows(options: &[&str], profile: &Path) -> Vec<String> {
    let lines = lines(options, profile).into_iter();
    lines.take_while(|line| !line.is_empty()).collect()
}

fn no_line_is_wider_than_the_list() {
    let options: [&[&str]; 5] = [
        &[],
        &["-c", "-i"],
        &["--tree=both", "--names=full"],
        &["--nested"],
        &["-g", "object"],
    ];
    let mut checked = 0;
    for (at, path) in corpus::files().into_iter().enumerate() {
        for width in [60, 80, 100, 120, 160] {
            let option = format!("--width={width}");
            let options = [options[(at + width) % options.len()], &[&option]].concat();
            let lines = lines(&options, &path);
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
}

fn figures_are_those_of_comma_separated_values() {
    let mut checked = 0;
    for path in corpus::files() {
        let columns = "--columns=self,inclusive";
        let common = ["--threshold=100", "--show-percs=no", columns];
        let of_list = [&common[..], &["--width=0"]].concat();
        let of_csv = ["--format=csv", "-g", "function", "--fold=recursion"];
        let Ok(csv) = print_of(&[&common[..], &of_csv].concat(), &path) else {
            continue;
        };
        let csv = Csv::read(&csv);
        let is_inclusive = |name: &String| name.ends_with(".inclusive");
        let event = csv.head.iter().position(is_inclusive);
        let Some(inclusive) = event.filter(|at| at + 1 == csv.head.len()) else {
            continue;
        };
        // Rows without any cost are listed for programs only.
        let figures = |row: &Vec<Vec<u8>>| {
            let [own, all] = [inclusive - 1, inclusive].map(|at| number(&row[at]).unwrap_or(0));
            (own, all)
        };
        let expected = csv.rows.iter().map(figures);
        let expected = expected.filter(|(own, _)| *own > 0);
        let of_row = |row: &String| {
            let words = row.split_whitespace();
            let numbers = words.map_while(|word| word.replace(',', "").parse::<i128>().ok());
            numbers.take(2).collect::<Vec<_>>()
        };
        // A name may be a number.
        let is_number = |row: &Vec<Vec<u8>>| row[1].first().is_some_and(u8::is_ascii_digit);
        let is_name = csv.rows.iter().any(is_number);
        for (row, (own, all)) in rows(&of_list, &path).iter().zip(expected) {
            let found = of_row(row);
            let is_same = found.first() == Some(&own) && found.get(1).is_none_or(|at| *at == all);
            assert!(is_same || is_name, "{path:?}: {row}, not {own} {all}");
            checked += 1;
        }
    }
    assert!(checked > 300, "only {checked} rows");
}

fn different_rows_read_differently() {
    let mut checked = 0;
    for path in corpus::files() {
        for width in ["60", "90"] {
            let options = ["--columns=self", "--show-percs=no", "--threshold=100"];
            let width = format!("--width={width}");
            let shortened = names(&[&options[..], &[&width]].concat(), &path);
            let full = [&options[..], &["--names=full", "--width=0"]].concat();
            let mut first: HashMap<String, String> = HashMap::new();
            for (name, full) in shortened.into_iter().zip(names(&full, &path)) {
                let known = first.entry(name.clone()).or_insert_with(|| full.clone());
                assert_eq!(*known, full, "{width} {path:?}: {name:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "only {checked} rows");
}

/// The names and objects of rows with one column of figures.
fn names(options: &[&str], path: &Path) -> Vec<String> {
    let name = |row: String| {
        let row = row.trim_start();
        let name = row
            .split_once(' ')
            .map_or(row, |(_, name)| name.trim_start());
        name.to_owned()
    };
    rows(options, path).into_iter().map(name).collect()
}

fn every_column_begins_at_one_place() {
    for width in ["80", "100", "160"] {
        let path = corpus::testdata("words/words.sim.out");
        let width = format!("--width={width}");
        let page = print_of(&["--header=no", "-n5", &width], &path).unwrap();
        let page = String::from_utf8(page).unwrap();
        let heading = page.lines().next().unwrap();
        let columns = ["function", "where"].into_iter();
        let columns: Vec<usize> = columns.filter_map(|title| heading.find(title)).collect();
        assert!(!columns.is_empty());
        for row in page.lines().skip(1).take_while(|line| !line.is_empty()) {
            for &column in &columns {
                let (before, after) = row.split_at(row.char_indices().nth(column).unwrap().0);
                assert!(before.ends_with(' ') && !after.starts_with(' '), "{row}");
            }
        }
    }
}
