//! Differences in the tree, beside source lines, in JSON, Markdown, folded stacks and the call graph: the sides are those of each
//! profile, and what is swapped is swapped everywhere.

use std::fs;

use regex::{Captures, Regex};
use serde_json::Value;

use crate::common::corpus::testdata;
use crate::common::formats::{array, folded, shown};
use crate::common::program::assert_has;
use crate::suite::reports::{Profiles, generated};

trials![
    trees_and_lines_of_a_difference,
    the_same_profile_with_another_object,
    sides_in_json,
    stacks_of_a_difference,
    call_graphs_of_a_difference,
    rows_of_markdown_and_the_others_are_the_total
];

/// Pairs of profiles that have events in common.
fn pairs() -> Vec<(Profiles, String)> {
    let testdata = testdata("");
    let read = |name: &str| fs::read(testdata.join(name)).unwrap();
    let words = Profiles::new(&[&read("words/words.out"), &read("words/words-longer.out")]);
    let mut pairs = vec![(words, "words".to_owned())];
    for seed in 0..40 {
        let (a, b) = (generated(seed), generated(seed + 1000));
        let profiles = Profiles::new(&[&a, &b]);
        if pairs.len() < 8 && profiles.events("a") == profiles.events("b") {
            pairs.push((profiles, format!("seed {seed}")));
        }
    }
    assert!(pairs.len() > 2, "only {} pairs", pairs.len());
    pairs
}

fn text(profiles: &Profiles, args: &[&str]) -> String {
    String::from_utf8_lossy(&profiles.print_here(args)).into_owned()
}

/// The lines of a text in an order that the direction of a difference does not change.
fn sorted(text: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = text.collect();
    lines.sort();
    lines
}

/// A count of a report.
fn count(text: &str) -> i128 {
    shown(text).unwrap_or(0).into()
}

fn trees_and_lines_of_a_difference() {
    let line =
        Regex::new(r"(?m)^ *(\.|-?[\d,]+) +(\.|-?[\d,]+) +(\.|[-+]?[\d,]+) +(new|gone|) *(\S.*)$")
            .unwrap();
    let calls = Regex::new(r"\((-?[\d,]+)x -> (-?[\d,]+)x\)").unwrap();
    // The object, and whether the total is calculated, are those of NEW.
    let object = Regex::new(r" (\[[^\[\]]*\]|\(calculated\))$").unwrap();
    let source = testdata("words");
    let include = format!("--include={}", source.display());
    for (profiles, name) in pairs() {
        let options =
            format!("--threshold=100 --show-percs=no --tree=both --auto=yes --header=no {include}");
        for tree in ["--inclusive=no", "--inclusive=yes", "--depth=4 --min=0"] {
            let report = |sides: &[&str]| {
                let options = options.split(' ').chain(tree.split(' '));
                let args: Vec<&str> = options.chain(sides.iter().copied()).collect();
                text(&profiles, &args)
            };
            let (there, back) = (report(&["--diff=a", "b"]), report(&["--diff=b", "a"]));
            let mut lines = 0;
            for found in line.captures_iter(&there) {
                let [base, new, change] = [1, 2, 3].map(|at| count(&found[at]));
                assert_eq!(new - base, change, "{name}: {}", &found[0]);
                lines += 1;
            }
            assert!(lines > 3, "{name}: {there}");
            let text = |found: &Captures<'_>, is_swapped: bool| {
                let [base, new, change] = [1, 2, 3].map(|at| count(&found[at]));
                let (mark, label) = (&found[4], object.replace(found[5].trim_start(), ""));
                if !is_swapped {
                    return format!("{base} {new} {change} {mark} {label}");
                }
                let mark = match mark {
                    "new" => "gone",
                    "gone" => "new",
                    none => none,
                };
                let label = calls.replace_all(&label, "(${2}x -> ${1}x)");
                format!("{new} {base} {} {mark} {label}", -change)
            };
            let plain = line.captures_iter(&there).map(|found| text(&found, false));
            let swapped = line.captures_iter(&back).map(|found| text(&found, true));
            assert_eq!(sorted(plain), sorted(swapped), "{name} {tree:?}");
            assert_has(
                &report(&["--diff=a", "a"]),
                &["The profiles are identical."],
            );
        }
    }
}

fn the_same_profile_with_another_object() {
    let object = Regex::new(r"(?m)^(c?ob=(?:\(\d+\) ?)?)(/\S.*)$").unwrap();
    let testdata = testdata("");
    for name in ["words/words.out", "programs/mutual.out"] {
        let profile = fs::read_to_string(testdata.join(name)).unwrap();
        let elsewhere = object.replace_all(&profile, "${1}/elsewhere/of$2");
        assert_ne!(elsewhere, profile, "{name}");
        let profiles = Profiles::new(&[profile.as_bytes(), elsewhere.as_bytes()]);
        for format in ["text", "json", "csv", "markdown", "folded"] {
            let more = match format {
                "text" => &["--header=no", "--auto=no", "--inclusive=yes", "--tree=both"][..],
                "folded" => &[],
                _ => &["--inclusive=yes"],
            };
            let format = format!("--format={format}");
            let report = |new: &str| {
                let args = [&[&format, "--diff=a", new], more].concat();
                let report = String::from_utf8(profiles.print(&args)).unwrap();
                report.replace("\"b\"", "\"a\"")
            };
            assert_eq!(report("b"), report("a"), "{name} {format}");
        }
    }
}

fn sides_in_json() {
    for (profiles, name) in pairs() {
        let json = |sides: &[&str]| -> Value {
            let args = [&["--format=json"], sides].concat();
            serde_json::from_slice(&profiles.print_here(&args)).unwrap()
        };
        let (a, b) = (json(&["a"]), json(&["b"]));
        let difference = json(&["--diff=a", "b"]);
        let of_row = |costs: &Value| -> Vec<i128> {
            let counts = costs.as_array().into_iter().flatten();
            let counts = counts.map(|count| i128::from(count.as_i64().unwrap_or(0)));
            counts.collect()
        };
        let sum = |report: &Value, member: &str| {
            let mut sum = of_row(&report["unchanged"]["self"]);
            sum.resize(array(&report["events"]).len(), 0);
            for row in array(&report["rows"]) {
                let cost = of_row(row.pointer(member).unwrap());
                let pairs = sum.iter_mut().zip(cost);
                pairs.for_each(|(sum, count)| *sum += count);
            }
            sum
        };
        for (side, whole) in [("base", &a), ("new", &b)] {
            let of_side = sum(&difference, &format!("/{side}/self"));
            assert_eq!(of_side, sum(whole, "/self"), "{name}: {side}");
            let total = &difference[side]["total"];
            assert_eq!(of_row(total), of_row(&whole["total"]), "{name}: {side}");
        }
        let itself = json(&["--diff=a", "a"]);
        assert_eq!(array(&itself["rows"]).len(), 0, "{name}");
        let unchanged = of_row(&itself["unchanged"]["self"]);
        assert_eq!(unchanged, sum(&a, "/self"), "{name}");
    }
}

fn stacks_of_a_difference() {
    for (profiles, name) in pairs() {
        let stacks = |sides: &[&str]| -> Vec<(Vec<u8>, i128, i128)> {
            let out = profiles.print_here(&[&["--format=folded"], sides].concat());
            let stacks = folded(&out, 2).into_iter();
            let stacks = stacks.map(|(stack, counts)| (stack, counts[0], counts[1]));
            stacks.collect()
        };
        let whole = |profile: &str| -> i128 {
            let stacks = folded(&profiles.print_here(&["--format=folded", profile]), 1);
            stacks.iter().map(|(_, counts)| counts[0]).sum()
        };
        let mut there = stacks(&["--diff=a", "b"]);
        let add =
            |sums: (i128, i128), stack: &(_, i128, i128)| (sums.0 + stack.1, sums.1 + stack.2);
        let sums = there.iter().fold((0, 0), add);
        assert_eq!(sums, (whole("a"), whole("b")), "{name}");
        let back = stacks(&["--diff=b", "a"]).into_iter();
        let mut back: Vec<_> = back.map(|(stack, base, new)| (stack, new, base)).collect();
        back.sort();
        there.sort();
        assert_eq!(there, back, "{name}");
        let itself = stacks(&["--diff=a", "a"]);
        assert!(itself.iter().all(|stack| stack.1 == stack.2), "{name}");
    }
}

fn call_graphs_of_a_difference() {
    let sides = Regex::new(r"(-?[\d,]+)(x?) -> (-?[\d,]+)x?( [-+.\d]+%| new| gone| -)?").unwrap();
    let label = Regex::new(r#"label="(.*?)", (?:tooltip|color)"#).unwrap();
    for (profiles, name) in pairs() {
        let labels = |sides_of: &[&str], swaps: bool| {
            let args = [&["--format=dot", "--min=0"], sides_of].concat();
            let text = text(&profiles, &args);
            let swapped = |found: &Captures<'_>| match swaps {
                true => format!("{}{} -> {}{}", &found[3], &found[2], &found[1], &found[2]),
                false => format!("{}{} -> {}{}", &found[1], &found[2], &found[3], &found[2]),
            };
            let labels = label.captures_iter(&text);
            sorted(labels.map(|found| sides.replace_all(&found[1], swapped).into_owned()))
        };
        let there = labels(&["--diff=a", "b"], false);
        assert!(!there.is_empty(), "{name}");
        assert_eq!(there, labels(&["--diff=b", "a"], true), "{name}");
        let itself = labels(&["--diff=a", "a"], false);
        let changed = itself.iter().flat_map(|label| sides.captures_iter(label));
        let changed = changed.filter(|found| found[1] != found[3]);
        assert_eq!(changed.count(), 0, "{name}");
    }
}

/// A table in Markdown: its rows with before, after and change, and what it says of the others, added up.
struct Table {
    rows: Vec<[i128; 3]>,
    sum: [i128; 3],
    total: [i128; 3],
}

/// Reads a table of one event; the columns of a profile alone are before and after.
fn table(text: &str) -> Table {
    let rest =
        Regex::new(r"\((?:filters: )?\w+ ([-\d,]+)(?: -> ([-\d,]+) ([-+\d,]+))?\)$").unwrap();
    let mut found = Table {
        rows: Vec::new(),
        sum: [0; 3],
        total: [0; 3],
    };
    for line in text.lines() {
        let cells = line.split(" | ").map(|cell| cell.trim_matches(['|', ' ']));
        let cells: Vec<&str> = cells.collect();
        let costs = if cells.len() == 6 && !line.contains("change") {
            let costs = [2, 3, 4].map(|cell| count(cells[cell]));
            assert_eq!(costs[1] - costs[0], costs[2], "{line}");
            if cells[0].starts_with("**total**") {
                found.total = costs;
                continue;
            }
            found.rows.push(costs);
            costs
        } else if let Some(sides) = rest.captures(line) {
            let [base, new] = [1, 2].map(|side| sides.get(side).map(|text| count(text.as_str())));
            let costs = [base, new.or(base)].map(|cost| cost.unwrap_or(0));
            [costs[0], costs[1], costs[1] - costs[0]]
        } else {
            assert!(!line.contains("row"), "{line}");
            continue;
        };
        (0..3).for_each(|at| found.sum[at] += costs[at]);
    }
    found
}

fn rows_of_markdown_and_the_others_are_the_total() {
    let lists = [
        &[][..],
        &["--top=1000"],
        &["--group-by=function"],
        &["--group-by=file"],
        &["--group-by=line", "--top=7"],
        &["--function=!main"],
    ];
    for (profiles, name) in pairs() {
        for options in lists {
            for paired in [true, false] {
                let report = |sides: &[&str]| {
                    let args = [&["--format=markdown", "--names=full"], options, sides].concat();
                    let out = match paired {
                        true => profiles.print_paired(&args),
                        false => profiles.print_here(&args),
                    };
                    table(&String::from_utf8_lossy(&out))
                };
                let (there, back) = (report(&["--diff=a", "b"]), report(&["--diff=b", "a"]));
                let what = format!("{name} {options:?} {paired}");
                assert_eq!(there.sum, there.total, "{what}");
                let swap = |[base, new, change]: [i128; 3]| [new, base, -change];
                assert_eq!(swap(there.total), back.total, "{what}");
                assert_eq!(swap(there.sum), back.sum, "{what}");
                assert_eq!(there.rows.len(), back.rows.len(), "{what}");
                // Which of equal rows are in a list that is cut depends on names. Of rows whose names differ NEW's is shown,
                // so costs alone are compared.
                if options.contains(&"--top=1000") {
                    let (mut there, back) = (there.rows, back.rows);
                    let mut back: Vec<_> = back.into_iter().map(swap).collect();
                    there.sort_unstable();
                    back.sort_unstable();
                    assert_eq!(there, back, "{what}");
                }
                assert!(report(&["--diff=a", "a"]).rows.is_empty(), "{what}");
            }
        }
    }
}
