//! Reads reports of several profiles by names: what a row, a line or a call costs, whatever its
//! place in the report.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::common::formats::{Csv, array, number};
use crate::common::generated::elf::Random;
use crate::common::generated::model::{Dice, Model};
use crate::common::program::{Folder, print};

/// Counts by event or column name, without zeros.
pub type Counts = BTreeMap<String, i128>;

/// What a report says, by names of rows, lines or calls; only what is not zero.
pub type Report = BTreeMap<String, Counts>;

/// Options of reports that have to agree.
pub const LISTS: [&str; 12] = [
    "",
    "--inclusive",
    "--inclusive --cycles=no",
    "--calls",
    "--calls --inclusive --fold=callers,recursion",
    "--group-by=file",
    "--group-by=object --inclusive",
    "--group-by=file --inclusive --calls",
    "--group-by=namespace --inclusive",
    "--group-by=name --inclusive --calls",
    "--inclusive --function=!main",
    "--inclusive --demangle=no",
];

/// Profiles `a`, `b` and so on in a folder of their own.
pub struct Profiles(Folder);

/// The arguments, with which names in a difference are compared as they are: each of its rows is a
/// row of both profiles.
fn exact<'a>(args: &[&'a str]) -> Vec<&'a str> {
    let is_difference = args.iter().any(|arg| arg.starts_with("--diff") || *arg == "--series");
    let exact = is_difference.then_some("--match=exact").into_iter();
    exact.chain(args.iter().copied()).collect()
}

impl Profiles {
    pub fn new(profiles: &[&[u8]]) -> Profiles {
        let folder = Folder::with(&[]);
        for (name, profile) in ["a", "b", "c"].iter().zip(profiles) {
            folder.write(name, profile);
        }
        Profiles(folder)
    }

    /// What the program prints for these arguments; the names of profiles are paths.
    pub fn print(&self, args: &[&str]) -> Vec<u8> {
        self.print_paired(&exact(args))
    }

    /// The same with rows paired although their names differ.
    pub fn print_paired(&self, args: &[&str]) -> Vec<u8> {
        let path = |name: &str| self.0.path(name).display().to_string();
        let in_folder = |arg: &&str| match (*arg, arg.strip_prefix("--diff=")) {
            (_, Some(base)) => format!("--diff={}", path(base)),
            ("a" | "b" | "c", _) => path(arg),
            _ => (*arg).to_owned(),
        };
        print(args.iter().map(in_folder)).unwrap_or_else(|error| panic!("{args:?}: {error}"))
    }

    /// The lines about limits for these arguments, and the exit status.
    pub fn verdict(&self, args: &[&str]) -> (i32, Vec<String>) {
        let output = self.0.run(args);
        let (status, error) = (output.status, output.error());
        let is_verdict = |line: &&str| line.starts_with("ok ") || line.starts_with("FAIL ");
        let lines = error.lines().filter(is_verdict);
        (status, lines.map(str::to_owned).collect())
    }

    /// A list as CSV, of a profile or the changes of a difference.
    pub fn list(&self, options: &str, profiles: &[&str]) -> Report {
        self.columns("", options, profiles)
    }

    /// The columns of a list whose names end with `.base` or `.new`, or all others if `side` is
    /// empty.
    pub fn columns(&self, side: &str, options: &str, profiles: &[&str]) -> Report {
        let options: Vec<&str> = options.split_whitespace().collect();
        // Functions of two objects are rows of one name.
        let has_groups = options.iter().any(|option| option.starts_with("--group-by"));
        let rows: &[&str] = if has_groups { &[] } else { &["--group-by=file:function"] };
        let args = ["--format=csv", "--threshold=100"];
        let args = [&args, rows, &options[..], profiles].concat();
        let csv = Csv::read(&self.print(&args));
        let mut report = Report::new();
        for row in &csv.rows {
            let (mut name, mut counts) = (Vec::new(), Counts::new());
            for (column, field) in csv.head.iter().zip(row) {
                match &column[..] {
                    // They may change without a change of the row.
                    "mark" | "cycle" | "files" | "objects" => {}
                    "object" | "file" if csv.head[0] != *column => {}
                    "file" | "function" | "object" | "namespace" | "name" => {
                        name.push(field.escape_ascii().to_string());
                    }
                    _ => {
                        let of = |side: &str| column.strip_suffix(side)?.strip_suffix('.');
                        let event = match side {
                            "" if of("base").or(of("new")).is_some() => None,
                            "" => Some(&column[..]),
                            side => of(side),
                        };
                        if let Some(event) = event {
                            add(&mut counts, event, number(field).unwrap_or(0));
                        }
                    }
                }
            }
            let name = name.join(":");
            // Cycles are numbered anew in each report.
            if !name.contains("<cycle ") {
                // Names that differ only in a hash are shown as one.
                let of_name = report.entry(name).or_default();
                counts.iter().for_each(|(event, count)| add(of_name, event, *count));
            }
        }
        without_zeros(report)
    }

    /// The columns of a profile's events, self and inclusive.
    pub fn events(&self, profile: &str) -> BTreeSet<String> {
        let out = self.print(&["--format=csv", profile]);
        let head: BTreeSet<String> = Csv::read(&out).head.into_iter().collect();
        let is_of_event = |column: &&String| {
            column.ends_with(".inclusive") || head.contains(&format!("{column}.inclusive"))
        };
        head.iter().filter(is_of_event).cloned().collect()
    }

    /// Lines and calls of all functions, from JSON.
    pub fn details(&self, profiles: &[&str]) -> Report {
        let options =
            ["--format=json", "--inclusive", "--threshold=100", "--group-by=file:function"];
        let json = self.print(&[&options, profiles].concat());
        let json: Value = serde_json::from_slice(&json).unwrap();
        let events: Vec<&str> =
            array(&json["events"]).iter().map(|event| event["name"].as_str().unwrap()).collect();
        let mut report = Report::new();
        let mut count = |name: String, counts: &Value| {
            let sum = report.entry(name).or_default();
            for (event, count) in events.iter().zip(array(counts)) {
                add(sum, event, i128::from(count.as_i64().unwrap_or(0)));
            }
        };
        for row in array(&json["rows"]) {
            let name = format!("{}:{}", row["file"], row["function"]);
            for line in array(&row["lines"]) {
                count(format!("{name} line {}", line["line"]), &line["self"]);
            }
            for call in array(&row["calls"]) {
                let callee = format!("{}:{}", call["file"], call["function"]);
                let name = format!("{name} line {} > {callee}", call["line"]);
                count(name, &call["inclusive"]);
            }
        }
        without_zeros(report)
    }
}

pub fn add(counts: &mut Counts, name: &str, count: i128) {
    *counts.entry(name.to_owned()).or_default() += count;
}

pub fn without_zeros(mut report: Report) -> Report {
    for counts in report.values_mut() {
        counts.retain(|_, count| *count != 0);
    }
    report.retain(|_, counts| !counts.is_empty());
    report
}

/// The report without some events.
pub fn without_events(mut report: Report, events: &BTreeSet<String>) -> Report {
    let all = report.values_mut();
    all.for_each(|counts| counts.retain(|name, _| !events.contains(name)));
    without_zeros(report)
}

pub fn assert_same(actual: &Report, expected: &Report, what: &str) {
    let names = actual.keys().chain(expected.keys());
    for name in names {
        assert_eq!(actual.get(name), expected.get(name), "{what}: {name}");
    }
}

/// A profile of a program that never ran, another one for each seed.
pub fn generated(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let bytes: Vec<u8> = (0..300).map(|_| random.below(256) as u8).collect();
    Model::play(&mut Dice::new(&bytes)).text()
}
