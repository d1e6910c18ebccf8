//! The list in columns, of all profiles of testdata: its width, its figures, and its names.

use std::collections::HashMap;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

use crate::common::corpus;
use crate::common::formats::{Csv, number};
use crate::common::program::print;

trials![
    no_line_is_wider_than_the_list,
    figures_are_those_of_comma_separated_values,
    different_rows_read_differently,
    every_column_begins_at_one_place
];

/// The lines of the list of a profile, without its header; none if it cannot be listed so.
fn lines(options: &[&str], profile: &Path) -> Vec<String> {
    let options = [&["--layout=columns", "--header=no"], options].concat();
    let args = options.iter().map(|option| option.as_ref());
    let page = print(args.chain([profile.as_os_str()])).unwrap_or_default();
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
            let is_sentence = |line: &String| {
                line.contains(": -")
                    || line.starts_with("source lines:")
                    || line.contains(" match")
                    || line.contains("without a change")
            };
            let list = lines.iter().take_while(|line| !is_sentence(line));
            for line in list {
                assert!(
                    line.width() <= width,
                    "{options:?} {}: {line}",
                    path.display()
                );
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
        let args = [&common[..], &of_csv].concat();
        let args = args.iter().map(|arg| arg.as_ref());
        let Ok(csv) = print(args.chain([path.as_os_str()])) else {
            continue;
        };
        let csv = Csv::read(&csv);
        let event = csv
            .head
            .iter()
            .position(|name| name.ends_with(".inclusive"));
        let Some(inclusive) = event.filter(|at| at + 1 == csv.head.len()) else {
            continue;
        };
        // Rows without any cost are listed for programs only.
        let figures = |row: &Vec<Vec<u8>>| {
            let [own, all] = [inclusive - 1, inclusive].map(|at| number(&row[at]).unwrap_or(0));
            (own, all)
        };
        let expected: Vec<_> = csv
            .rows
            .iter()
            .map(figures)
            .filter(|(own, _)| *own > 0)
            .collect();
        let rows = rows(&of_list, &path);
        let of_row = |row: &String| {
            let numbers = row
                .split_whitespace()
                .map_while(|word| word.replace(',', "").parse::<i128>().ok());
            numbers.take(2).collect::<Vec<_>>()
        };
        for (row, (own, all)) in rows.iter().zip(&expected) {
            let found = of_row(row);
            let is_same =
                found.first() == Some(own) && found.get(1).is_none_or(|found| found == all);
            // A name may be a number.
            let is_name = csv.rows.iter().any(|row| {
                str::from_utf8(&row[1])
                    .is_ok_and(|name| name.starts_with(|c: char| c.is_ascii_digit()))
            });
            assert!(
                is_same || is_name,
                "{}: {row}, not {own} {all}",
                path.display()
            );
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
            let rows = rows(&[&options[..], &[&width]].concat(), &path);
            let full = rows_in_full(&options, &path);
            let mut first: HashMap<&str, &String> = HashMap::new();
            for (row, full) in rows.iter().zip(&full) {
                let name = row.trim_start();
                let name = name
                    .split_once(' ')
                    .map_or(name, |(_, name)| name.trim_start());
                let other = first.insert(name, full).filter(|other| *other != full);
                assert_eq!(
                    other,
                    None,
                    "{width} {}: {name:?} is also {full:?}",
                    path.display()
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "only {checked} rows");
}

/// The names and objects of the same rows, as the profile has them.
fn rows_in_full(options: &[&str], path: &Path) -> Vec<String> {
    let rows = rows(&[options, &["--names=full", "--width=0"]].concat(), path);
    let name = |row: String| {
        let row = row.trim_start();
        row.split_once(' ')
            .map_or(row, |(_, name)| name.trim_start())
            .to_owned()
    };
    rows.into_iter().map(name).collect()
}

fn every_column_begins_at_one_place() {
    for width in ["80", "100", "160"] {
        let path = corpus::testdata("words/words.sim.out");
        let width = format!("--width={width}");
        let page = print([
            "--header=no".as_ref(),
            "-n5".as_ref(),
            width.as_ref(),
            path.as_os_str(),
        ]);
        let page = String::from_utf8(page.unwrap()).unwrap();
        let heading = page.lines().next().unwrap();
        let columns: Vec<usize> = ["function", "where"]
            .iter()
            .filter_map(|title| heading.find(title))
            .collect();
        assert!(!columns.is_empty());
        for row in page.lines().skip(1).take_while(|line| !line.is_empty()) {
            for &column in &columns {
                let (before, after) = row.split_at(row.char_indices().nth(column).unwrap().0);
                assert!(before.ends_with(' ') && !after.starts_with(' '), "{row}");
            }
        }
    }
}
