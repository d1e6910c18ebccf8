//! Rows and filters, compared with what the program prints.

use std::path::Path;

use cgannotate::{CallGraph, Count, Diff, Filter, Row, RowBy};

use super::{pattern, words};
use crate::program::program;

pub(super) const ROW_BYS: [(RowBy, &str); 6] = [
    (RowBy::FileFunction, "file:function"),
    (RowBy::Function, "function"),
    (RowBy::Name, "name"),
    (RowBy::File, "file"),
    (RowBy::Object, "object"),
    (RowBy::Namespace, "namespace"),
];

/// A row's name, and counts.
type NamedCounts = Vec<(String, Vec<i64>)>;

/// The rows of the program's report as CSV: their names, and the columns.
fn printed(args: &[&str], columns: &[&str]) -> NamedCounts {
    let output = program()
        .in_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["--format=csv", "--inclusive", "--threshold=100"])
        .args(args)
        .run();
    assert_eq!(output.status, 0, "{}", output.error());
    let mut reader = csv::Reader::from_reader(&output.out[..]);
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let is_function = &headers[0] == "file" && &headers[1] == "function";
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let name = match is_function {
            true => format!("{}:{}", &record[0], &record[1]),
            false => record[0].to_owned(),
        };
        let count = |column: &&str| record[at(column)].parse().unwrap_or(0);
        (name, columns.iter().map(count).collect())
    });
    without_zeros(rows.collect())
}

/// The rows that have a count, in a fixed order, named as the program names them.
fn without_zeros(mut rows: NamedCounts) -> NamedCounts {
    rows.retain(|(_, counts)| counts.iter().any(|&count| count != 0));
    for (name, _) in rows.iter_mut().filter(|(name, _)| name.is_empty()) {
        name.push_str("???");
    }
    rows.sort();
    rows
}

/// Arguments of the program, and the filter that does the same.
fn filters() -> Vec<(Vec<&'static str>, Filter)> {
    vec![
        (vec![], Filter::new()),
        (
            vec!["-f", "str*"],
            Filter::new().include_function(pattern("str*")),
        ),
        (
            vec!["-f", "/^_?dl/"],
            Filter::new().include_function(pattern("/^_?dl/")),
        ),
        (
            vec!["-f", "find", "-f", "m*", "-f", "!main"],
            Filter::new()
                .include_function(pattern("find"))
                .include_function(pattern("m*"))
                .exclude_function(pattern("main")),
        ),
        (
            vec!["--file=words.{c,h}", "--file=!words.h"],
            Filter::new()
                .include_file(pattern("words.{c,h}"))
                .exclude_file(pattern("words.h")),
        ),
        (
            vec!["--object=libc.so*", "-f=!mem*"],
            Filter::new()
                .include_object(pattern("libc.so*"))
                .exclude_function(pattern("mem*")),
        ),
        (
            vec!["--object=!libc.so*"],
            Filter::new().exclude_object(pattern("libc.so*")),
        ),
    ]
}

#[test]
fn rows_are_those_of_the_program() {
    let profile = words();
    let ir = profile.event("Ir").unwrap();
    for (by, group_by) in ROW_BYS {
        let group_by = format!("--group-by={group_by}");
        for (args, filter) in filters() {
            let args = [&["testdata/words/words.out", &group_by], &args[..]].concat();
            let rows = profile.rows_with(by, &filter).unwrap();
            let counts = |row: &Row| vec![row.own(ir), row.inclusive(ir)];
            let rows = rows.iter().map(|row| {
                let counts = counts(row).into_iter().map(Count::or_zero);
                (row.name().to_owned(), counts.collect())
            });
            let expected = printed(&args, &["Ir", "Ir.inclusive"]);
            assert!(!expected.is_empty(), "{args:?}");
            assert_eq!(without_zeros(rows.collect()), expected, "{args:?}");
        }
    }
}

#[test]
fn rows_of_a_difference_are_those_of_the_program() {
    let (new, base) = (
        "testdata/words/words-longer.out",
        "testdata/words/words.out",
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let diff = Diff::read(root.join(new), root.join(base)).unwrap();
    let ir = diff.event("Ir").unwrap();
    let diff_arg = format!("--diff={base}");
    for (by, group_by) in ROW_BYS {
        let group_by = format!("--group-by={group_by}");
        for (args, filter) in filters() {
            let args = [&[new, &diff_arg, &group_by], &args[..]].concat();
            let rows = diff.rows_with(by, &filter).unwrap();
            let rows = rows.iter().map(|row| {
                let delta = row.delta(ir).unwrap().or_zero();
                let inclusive = row.inclusive_delta(ir).unwrap().or_zero();
                (row.name().to_owned(), vec![delta, inclusive])
            });
            let expected = printed(&args, &["Ir", "Ir.inclusive"]);
            assert_eq!(without_zeros(rows.collect()), expected, "{args:?}");
        }
    }
}

#[test]
fn functions_are_filtered_as_rows_by_function_are() {
    let profile = words();
    let ir = profile.event("Ir").unwrap();
    let graph = CallGraph::new(&profile).unwrap();
    for (args, filter) in filters()
        .into_iter()
        .filter(|(args, _)| !args.join(" ").contains("file"))
    {
        let functions = graph.functions_matching(&filter);
        let functions = functions.map(|function| {
            let name = format!("{}:{}", function.file(), function.name());
            (name, vec![function.own(ir).or_zero()])
        });
        let rows = profile.rows_with(RowBy::Function, &filter).unwrap();
        let rows = rows.iter();
        let rows = rows.map(|row| (row.name().to_owned(), vec![row.own(ir).or_zero()]));
        assert_eq!(
            without_zeros(functions.collect()),
            without_zeros(rows.collect()),
            "{args:?}"
        );
    }
}
