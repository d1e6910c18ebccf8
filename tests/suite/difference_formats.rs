//! Differences in each format: the sides are those of each profile, what is swapped is swapped
//! everywhere, and a profile does not differ from itself.

use std::collections::HashSet;
use std::fs;

use regex::Regex;

use crate::common::corpus::testdata;
use crate::common::formats::{folded, shown};
use crate::common::program::assert_has;
use crate::suite::reports::{Profiles, generated};

trials![
    trees_and_lines_of_a_difference,
    stacks_of_a_difference,
    call_graphs_of_a_difference,
    rows_of_markdown_and_the_others_are_the_total
];

/// Pairs of profiles that have events in common.
fn pairs() -> Vec<(Profiles, String)> {
    let read = |name: &str| fs::read(testdata(name)).unwrap();
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

/// What a report says of both sides of a difference, which are the same of a profile alone.
#[derive(Default)]
struct Sides {
    /// By row, line, call, stack or label; a side that has it not is none.
    rows: Vec<(String, [Option<i128>; 2])>,
    /// By event what rows and what is said of others add up to, if a format has all, and the
    /// totals, if it has them.
    sums: Vec<[i128; 2]>,
    totals: Vec<[i128; 2]>,
}

impl Sides {
    /// Adds a cost of both sides to the sums.
    fn add(&mut self, event: usize, cost: [i128; 2]) {
        self.sums.resize(self.sums.len().max(event + 1), [0; 2]);
        (0..2).for_each(|side| self.sums[event][side] += cost[side]);
    }
}

/// Checks what a format says of each pair. `leaves_out` says whether rows without a change are left
/// out.
fn check_pairs(what: &str, leaves_out: bool, read: impl Fn(&Profiles, &[&str]) -> Sides) {
    let mut rows = 0;
    for (profiles, name) in pairs() {
        let what = format!("{name} {what}");
        rows += check(&what, leaves_out, |args| read(&profiles, args));
    }
    assert!(rows > 10, "{what}: only {rows} rows");
}

/// The same of one pair; returns how many rows its difference has.
fn check(what: &str, leaves_out: bool, read: impl Fn(&[&str]) -> Sides) -> usize {
    let (there, back) = (read(&["--diff=a", "b"]), read(&["--diff=b", "a"]));
    let itself = read(&["--diff=a", "a"]);
    let is_change = |row: &&(_, [Option<i128>; 2])| leaves_out || row.1[0] != row.1[1];
    assert_eq!(itself.rows.iter().find(is_change), None, "{what}");
    let swapped = back.rows.into_iter().map(|(label, [a, b])| (label, [b, a]));
    let (mut rows, mut swapped) = (there.rows, swapped.collect::<Vec<_>>());
    rows.sort();
    swapped.sort();
    assert_eq!(rows, swapped, "{what}");
    let swap = |sums: &[[i128; 2]]| sums.iter().map(|&[a, b]| [b, a]).collect::<Vec<_>>();
    assert_eq!(there.sums, swap(&back.sums), "{what}");
    assert_eq!(there.totals, swap(&back.totals), "{what}");
    let is_total = there.totals.is_empty() || there.sums == there.totals;
    assert!(is_total, "{what}");
    let [a, b] = ["a", "b"].map(|profile| read(&[profile]).sums);
    if !a.is_empty() {
        let both = a.iter().zip(&b).map(|(a, b)| [a[0], b[1]]);
        assert_eq!(there.sums, both.collect::<Vec<_>>(), "{what}");
        assert_eq!(itself.sums, a, "{what}");
    }
    rows.len()
}

/// A count of a report.
fn count(text: &str) -> i128 {
    shown(text).unwrap_or(0).into()
}

/// The sides of a row that may be marked.
fn sides(mark: &str, base: i128, new: i128) -> [Option<i128>; 2] {
    match mark.trim() {
        "new" => [None, Some(new)],
        "gone" => [Some(base), None],
        _ => [Some(base), Some(new)],
    }
}

fn trees_and_lines_of_a_difference() {
    let line =
        Regex::new(r"(?m)^ *(\.|-?[\d,]+) +(\.|-?[\d,]+) +(\.|[-+]?[\d,]+) +(new|gone|) *(\S.*)$")
            .unwrap();
    let calls = Regex::new(r"\((-?[\d,]+)x -> (-?[\d,]+)x\)").unwrap();
    // The object, the cycle, and whether the total is calculated, are those of NEW.
    let of_new = Regex::new(r" (\[[^\[\]]*\]|\(calculated\))$| <cycle \d+>").unwrap();
    let options = format!(
        "--threshold=100 --show-percs=no --tree=both --auto=yes --header=no --include={}",
        testdata("words").display()
    );
    for tree in ["--inclusive=no", "--inclusive=yes", "--depth=4 --min=0"] {
        check_pairs(tree, true, |profiles, args| {
            let options: Vec<&str> =
                options.split(' ').chain(tree.split(' ')).chain(args.iter().copied()).collect();
            let page = profiles.print(&options);
            let page = String::from_utf8_lossy(&page);
            let mut found = Sides::default();
            if args == ["--diff=a", "a"] {
                assert_has(&page, &["The profiles are identical."]);
                return found;
            }
            for line in line.captures_iter(&page).filter(|_| args.len() > 1) {
                let [base, new, change] = [1, 2, 3].map(|at| count(&line[at]));
                assert_eq!(new - base, change, "{}", &line[0]);
                let label = of_new.replace_all(line[5].trim_start(), "");
                let plain = calls.replace(&label, "").into_owned();
                if let Some(calls) = calls.captures(&label) {
                    let counts = [1, 2].map(|at| Some(count(&calls[at])));
                    found.rows.push((format!("calls {plain}"), counts));
                }
                found.rows.push((plain, sides(&line[4], base, new)));
            }
            found
        });
    }
}

fn stacks_of_a_difference() {
    check_pairs("stacks", false, |profiles, args| {
        let out = profiles.print(&[&["--format=folded"], args].concat());
        let mut found = Sides::default();
        found.add(0, [0; 2]);
        for (stack, counts) in folded(&out, args.len()) {
            let cost = [counts[0], counts[args.len() - 1]];
            found.add(0, cost);
            let stack = stack.escape_ascii().to_string();
            found.rows.push((stack, cost.map(Some)));
        }
        found
    });
}

/// Nodes without calls are left out: they are in the graph for their cycle alone, which is NEW's.
fn call_graphs_of_a_difference() {
    let sides = Regex::new(r"(-?[\d,]+)(x?) -> (-?[\d,]+)x?( [-+.\d]+%| new| gone| -)?").unwrap();
    let line = Regex::new(r#"(?m)^(n\d+)( -> n\d+)? \[label="(.*?)", (?:tooltip|color)"#).unwrap();
    let cycle = Regex::new(r" <cycle \d+>").unwrap();
    check_pairs("call graph", false, |profiles, args| {
        let out = profiles.print(&[&["--format=dot", "--min=0"], args].concat());
        let text = String::from_utf8_lossy(&out);
        let calls = line.captures_iter(&text).filter_map(|line| {
            let callee = line.get(2)?.as_str().trim_start_matches(" -> ");
            Some([line[1].to_owned(), callee.to_owned()])
        });
        let called: HashSet<String> = calls.flatten().collect();
        let mut found = Sides::default();
        for line in line.captures_iter(&text) {
            let plain = sides.replace_all(&line[3], "$2");
            let plain = cycle.replace(&plain, "");
            let sides = sides.captures_iter(&line[3]);
            for both in sides.filter(|_| called.contains(&line[1])) {
                let cost = [1, 3].map(|side| Some(count(&both[side])));
                found.rows.push((format!("{} {plain}", &both[2]), cost));
            }
        }
        found
    });
}

/// Reads a table in Markdown of one event. Which of equal rows are in a list that is cut depends on
/// names: its costs are left out. Of rows whose names differ NEW's is shown, so the names are.
fn table(text: &str, is_cut: bool) -> Sides {
    let rest =
        Regex::new(r"\((?:filters: )?`\w+` ([-\d,]+)(?: -> ([-\d,]+) ([-+\d,]+))?\)$").unwrap();
    let mut found = Sides::default();
    for line in text.lines() {
        let cells: Vec<&str> =
            line.split(" | ").map(|cell| cell.trim_matches(['|', ' '])).collect();
        if cells.len() == 6 && !line.contains("change") {
            let [base, new, change] = [2, 3, 4].map(|cell| count(cells[cell]));
            assert_eq!(new - base, change, "{line}");
            if cells[0].starts_with("**total**") {
                found.totals.push([base, new]);
                continue;
            }
            let shown = (!is_cut).then_some([base, new].map(Some));
            found.rows.push((String::new(), shown.unwrap_or_default()));
            found.add(0, [base, new]);
        } else if let Some(sides) = rest.captures(line) {
            let [base, new] = [1, 2].map(|side| sides.get(side).map(|text| count(text.as_str())));
            found.add(0, [base, new.or(base)].map(|cost| cost.unwrap_or(0)));
        } else {
            assert!(!line.contains("row"), "{line}");
        }
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
    for options in lists {
        for paired in [true, false] {
            check_pairs(&format!("{options:?} {paired}"), true, |profiles, args| {
                let all = [&["--format=markdown", "--names=full"], options, args].concat();
                let out = match paired {
                    true => profiles.print_paired(&all),
                    false => profiles.print(&all),
                };
                let is_cut = !options.contains(&"--top=1000");
                match args.len() {
                    1 => Sides::default(),
                    _ => table(&String::from_utf8_lossy(&out), is_cut),
                }
            });
        }
    }
}
