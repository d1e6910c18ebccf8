//! The same figure in every format: what a row costs in the text, with and without a tree, in columns, in CSV, in JSON and in
//! gprof's flat profile, and how often it is called.

use std::path::Path;

use serde_json::Value;

use crate::common::corpus::check_each;
use crate::common::formats::{Csv, array, json, number, shown};
use crate::common::program::print_of;

trials![
    the_flat_profile_of_gprof_has_the_self_costs_of_functions,
    charged_costs_are_rounded_alike_in_every_format,
    a_row_has_the_same_figure_in_every_format
];

fn print(options: &[&str], profile: &Path) -> Vec<u8> {
    let printed = print_of(options, profile);
    printed.unwrap_or_else(|error| panic!("{options:?} {profile:?}: {error}"))
}

/// A cost, none where it is undefined; by row in the order of size, as names read differently in each format.
type Figures = Vec<Vec<Option<i64>>>;

fn sorted(mut figures: Figures) -> Figures {
    figures.sort();
    figures
}

/// The rows of the text: with trees those marked by `*`.
fn of_text(options: &[&str], events: usize, profile: &Path) -> Figures {
    let fixed = "--auto=no --threshold=100 --show-percs=no --header=no";
    let fixed: Vec<&str> = fixed.split(' ').collect();
    let page = print(&[&fixed, options].concat(), profile);
    let page = String::from_utf8_lossy(&page);
    let has_tree = options.contains(&"--tree=both");
    let (_, list) = page.split_once("PROGRAM TOTALS").unwrap();
    let rows = list.lines().skip_while(|line| !line.starts_with("---"));
    let rows = rows.skip(3).take_while(|line| has_tree || !line.is_empty());
    let rows = rows.filter(|line| !line.starts_with(|c: char| c.is_alphabetic()));
    let of_row = |line: &str| {
        let mut words = line.split_whitespace();
        let figures: Vec<&str> = words.by_ref().take(events).collect();
        let is_row = !has_tree || words.next() == Some("*");
        (is_row && figures.len() == events).then(|| figures.into_iter().map(shown).collect())
    };
    sorted(rows.filter_map(of_row).collect())
}

/// The rows of the list in columns: the first event, of which alone both costs can be shown.
fn of_columns(options: &[&str], member: &str, profile: &Path) -> Figures {
    let column = format!("--columns={member}");
    let fixed = "--layout=columns --width=0 --auto=no --threshold=100 --show-percs=no --header=no";
    let fixed: Vec<&str> = fixed.split(' ').chain([&column[..]]).collect();
    let page = print(&[&fixed, options].concat(), profile);
    let page = String::from_utf8_lossy(&page);
    let mut lines = page.lines().take_while(|line| !line.is_empty());
    let heading = lines.next().unwrap_or_default();
    let Some(start) = heading.find(member) else {
        return Figures::new();
    };
    let end = start + member.len();
    let figure = |line: &str| match line[..end].trim() {
        "" => vec![None],
        count => vec![shown(count)],
    };
    sorted(lines.map(figure).collect())
}

/// The rows of CSV: the self costs, or the inclusive ones.
fn of_csv(options: &[&str], suffix: &str, events: &[String], profile: &Path) -> Figures {
    let fixed = ["--format=csv", "--threshold=100"];
    let csv = Csv::read(&print(&[&fixed, options].concat(), profile));
    let column = |event: &String| csv.column(&format!("{event}{suffix}"));
    let columns: Vec<usize> = events.iter().map(column).collect();
    let count = |field: &[u8]| number(field).map(|count| i64::try_from(count).unwrap());
    let figures = csv.rows.iter();
    let figures = figures.map(|row| columns.iter().map(|&at| count(&row[at])).collect());
    sorted(figures.collect())
}

/// The rows of JSON, under a member.
fn of_json(options: &[&str], member: &str, profile: &Path) -> (Vec<String>, Figures) {
    let value = json(&[&["--threshold=100"], options].concat(), profile).unwrap();
    let events = array(&value["events"]).iter();
    let events = events.map(|event| event["name"].as_str().unwrap().to_owned());
    // A cycle has a line of its own in lists of inclusive costs.
    let cycles = array(&value["cycles"]).iter();
    let cycles = cycles.filter(|_| member == "inclusive");
    let rows = array(&value["rows"]).iter().chain(cycles);
    let figures = rows.map(|row| array(&row[member]).iter().map(Value::as_i64).collect());
    (events.collect(), sorted(figures.collect()))
}

/// Without rows that have no figure: CSV and JSON have those of functions that are only called.
fn spending(figures: Figures) -> Figures {
    let has_any = |row: &Vec<Option<i64>>| row.iter().any(|count| count.unwrap_or(0) != 0);
    figures.into_iter().filter(has_any).collect()
}

/// Checks the self and the inclusive costs of all rows.
fn same_figures(options: &[&str], path: &Path) {
    for (more, suffix, member) in [
        (&[][..], "", "self"),
        (&["--inclusive"], ".inclusive", "inclusive"),
    ] {
        let options = &[options, more].concat();
        let (events, json) = of_json(options, member, path);
        let csv = of_csv(options, suffix, &events, path);
        assert_eq!(csv, json, "{options:?} {path:?}");
        let json = spending(json);
        let text = of_text(options, events.len(), path);
        let with_tree = [&options[..], &["--tree=both"]].concat();
        let tree = of_text(&with_tree, events.len(), path);
        assert_eq!(spending(text), json, "{options:?} {path:?}");
        assert_eq!(spending(tree), json, "--tree {options:?} {path:?}");
        let functions = [&options[..], &["-g", "function", "--fold=recursion"]].concat();
        let columns = of_columns(&functions, member, path);
        let (_, json) = of_json(&functions, member, path);
        let json = json.iter().map(|figures| figures[..1].to_vec()).collect();
        assert_eq!(spending(columns), spending(json), "columns {path:?}");
    }
    let value = json(&[&["--threshold=100"], options].concat(), path).unwrap();
    let calls = |row: &Value| {
        let calls = ["by_others", "by_itself"].map(|of| row["called"][of].as_i64());
        calls.to_vec()
    };
    let calls = array(&value["rows"]).iter().map(calls).collect();
    let columns = ["calls", "recursive_calls"].map(str::to_owned);
    assert_eq!(
        of_csv(options, "", &columns, path),
        sorted(calls),
        "{path:?}"
    );
}

/// The self costs in gprof's flat profile.
fn of_gprof(profile: &Path) -> Option<Figures> {
    // A negative cost has no percentage of time.
    let page = print_of(&["gprof", "-b", "-p"], profile).ok()?;
    let page = String::from_utf8_lossy(&page);
    let rows = page.lines().skip_while(|line| !line.ends_with("  name"));
    let rows = rows.skip(1);
    let of_row = |line: &str| vec![shown(line.split_whitespace().nth(2).unwrap())];
    Some(sorted(rows.map(of_row).collect()))
}

fn the_flat_profile_of_gprof_has_the_self_costs_of_functions() {
    check_each(100, |path, profile| {
        let (event, _) = of_json(&["-g", "function"], "self", path);
        let flat = of_gprof(path).filter(|_| profile.events().ratios().is_empty());
        // A function of gprof has all levels of its recursion.
        let options = ["-g", "function", "--fold=recursion"];
        let same = |flat| {
            let functions = of_csv(&options, "", &event[..1], path);
            assert_eq!(spending(flat), spending(functions));
        };
        flat.map(same).is_some()
    });
}

fn charged_costs_are_rounded_alike_in_every_format() {
    check_each(5, |path, _| {
        let mut folders = ["words", "languages", "charge-rounding"].iter();
        let is_of_program = folders.any(|folder| path.parent().unwrap().ends_with(folder));
        if is_of_program {
            same_figures(&["--charge-to-callers=*e*"], path);
        }
        is_of_program
    });
}

fn a_row_has_the_same_figure_in_every_format() {
    check_each(100, |path, profile| {
        // A ratio is no whole number.
        let is_plain = profile.events().ratios().is_empty() && !profile.events().is_empty();
        if is_plain {
            same_figures(&[], path);
        }
        is_plain
    });
}
