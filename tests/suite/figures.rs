//! The same figure in every format: what a row costs in callgrind_annotate's page, with and without
//! a tree, in text, in CSV, in JSON and in gprof's flat profile, and how often it is called.

use std::path::Path;

use serde_json::Value;

use crate::common::corpus::check_each;
use crate::common::formats::{Csv, array, json, number, shown};
use crate::common::gprof_page;
use crate::common::program::{print_of, printed};

trials![
    the_flat_profile_of_gprof_has_the_self_costs_of_functions,
    charged_costs_are_rounded_alike_in_every_format,
    a_row_has_the_same_figure_in_every_format
];

/// A cost, none where it is undefined; by row in the order of size, as names read differently in
/// each format.
type Figures = Vec<Vec<Option<i64>>>;

fn sorted(mut figures: Figures) -> Figures {
    figures.sort();
    figures
}

/// The rows of callgrind_annotate's page: with trees those marked by `*`.
fn of_page(options: &[&str], events: usize, profile: &Path) -> Figures {
    let fixed = "--format=classic --auto=no --threshold=100 --show-percs=no --header=no";
    let fixed: Vec<&str> = fixed.split(' ').collect();
    let page = printed(&[&fixed, options].concat(), profile);
    let page = String::from_utf8_lossy(&page);
    let has_tree = options.contains(&"--tree=both");
    let (_, list) = page.split_once("PROGRAM TOTALS").unwrap();
    let rows = list
        .lines()
        .skip_while(|line| !line.starts_with("---"))
        .skip(3)
        .take_while(|line| has_tree || !line.is_empty())
        .filter(|line| !line.starts_with(|c: char| c.is_alphabetic()));
    let of_row = |line: &str| {
        let mut words = line.split_whitespace();
        let figures: Vec<&str> = words.by_ref().take(events).collect();
        let is_row = !has_tree || words.next() == Some("*");
        (is_row && figures.len() == events).then(|| figures.into_iter().map(shown).collect())
    };
    sorted(rows.filter_map(of_row).collect())
}

/// The rows of the list of text: self and inclusive cost, which the first event alone has side by
/// side.
fn of_columns(options: &[&str], profile: &Path) -> Figures {
    let fixed = "--format=text --width=0 --auto=no --threshold=100 --show-percs=no --header=no \
        --columns=self,inclusive";
    let fixed: Vec<&str> = fixed.split_whitespace().collect();
    let page = printed(&[&fixed, options].concat(), profile);
    let page = String::from_utf8_lossy(&page);
    let mut lines = page.lines().take_while(|line| !line.is_empty());
    let heading = lines.next().unwrap_or_default();
    let end = |title: &str| Some(heading.find(title)? + title.len());
    let Some(own) = end("self") else {
        return Figures::new();
    };
    let figure = |text: &str| (!text.trim().is_empty()).then(|| shown(text.trim()))?;
    let figures = |line: &str| {
        // Without calls there is one column for both.
        let (own, all) = (&line[..own], end("inclusive").map(|all| &line[own..all]));
        vec![figure(own), figure(all.unwrap_or(own))]
    };
    sorted(lines.map(figures).collect())
}

/// The rows of CSV: the columns with these names.
fn of_csv(csv: &Csv, columns: impl Iterator<Item = String>) -> Figures {
    let columns: Vec<usize> = columns.map(|column| csv.column(&column)).collect();
    let count = |field: &[u8]| number(field).map(|count| i64::try_from(count).unwrap());
    let figures = csv.rows.iter().map(|row| columns.iter().map(|&at| count(&row[at])).collect());
    sorted(figures.collect())
}

fn csv(options: &[&str], profile: &Path) -> Csv {
    let fixed = ["--format=csv", "--threshold=100"];
    Csv::read(&printed(&[&fixed, options].concat(), profile))
}

fn report(options: &[&str], profile: &Path) -> Value {
    json(&[&["--threshold=100"], options].concat(), profile).unwrap()
}

fn events(report: &Value) -> impl Iterator<Item = &str> {
    let events = array(&report["events"]).iter();
    events.map(|event| event["name"].as_str().unwrap())
}

/// The event that rows are sorted by first: of the profile's, the first with a cost.
fn first_event(report: &Value) -> &str {
    report["order"][0].as_str().unwrap()
}

/// The rows of JSON, under a member.
fn of_json(report: &Value, member: &str) -> Figures {
    // A cycle has a line of its own in lists of inclusive costs.
    let cycles = array(&report["cycles"]).iter().filter(|_| member == "inclusive");
    let rows = array(&report["rows"]).iter().chain(cycles);
    let figures = rows.map(|row| array(&row[member]).iter().map(Value::as_i64).collect());
    sorted(figures.collect())
}

/// Without rows that have no figure: CSV and JSON have those of functions that are only called.
fn spending(figures: Figures) -> Figures {
    let has_any = |row: &Vec<Option<i64>>| row.iter().any(|count| count.unwrap_or(0) != 0);
    figures.into_iter().filter(has_any).collect()
}

/// Checks the self and the inclusive costs of all rows, and how often they are called.
fn same_figures(options: &[&str], path: &Path) {
    for (more, suffix, member) in
        [(&[][..], "", "self"), (&["--inclusive"], ".inclusive", "inclusive")]
    {
        // As callgrind_annotate's page, with levels of recursion.
        let pieces = [options, more, &["-g", "file:function", "--fold=none"]].concat();
        let (report, csv) = (report(&pieces, path), csv(&pieces, path));
        let (json, events) = (of_json(&report, member), events(&report));
        let columns = events.map(|event| format!("{event}{suffix}"));
        assert_eq!(of_csv(&csv, columns), json, "{pieces:?} {path:?}");
        let called = |row: &Value| {
            let calls = ["by_others", "by_itself"].map(|of| row["called"][of].as_i64());
            calls.to_vec()
        };
        let calls = sorted(array(&report["rows"]).iter().map(called).collect());
        let columns = ["calls", "recursive_calls"].map(str::to_owned);
        // With --inclusive CSV has rows of cycles, too.
        let is_same = member == "inclusive" || of_csv(&csv, columns.into_iter()) == calls;
        assert!(is_same, "calls {path:?}");
        // callgrind_annotate's page has no options of its own.
        if options.is_empty() {
            let json = spending(json);
            let events = array(&report["events"]).len();
            let with_tree = [more, &["--tree=both"]].concat();
            let (text, tree) = (of_page(more, events, path), of_page(&with_tree, events, path));
            assert_eq!(spending(text), json, "{more:?} {path:?}");
            assert_eq!(spending(tree), json, "{with_tree:?} {path:?}");
        }
    }
    // Columns have the rows that spent something.
    let functions = [options, &["-g", "function", "--fold=recursion"]].concat();
    let report = report(&functions, path);
    let first = first_event(&report);
    let first = events(&report).position(|event| event == first).unwrap();
    let figures = |row: &Value| vec![row["self"][first].as_i64(), row["inclusive"][first].as_i64()];
    let json =
        array(&report["rows"]).iter().map(figures).filter(|figures| figures[0].unwrap_or(0) != 0);
    let columns =
        of_columns(&functions, path).into_iter().filter(|figures| figures[0].unwrap_or(0) != 0);
    let (columns, json) = (sorted(columns.collect()), sorted(json.collect()));
    assert_eq!(columns, json, "columns {path:?}");
}

/// The self costs in gprof's flat profile.
fn of_gprof(profile: &Path) -> Option<Figures> {
    // A negative cost has no percentage of time.
    let page = print_of(&["gprof", "-b", "-p"], profile).ok()?;
    let rows = gprof_page::flat(&String::from_utf8_lossy(&page)).into_iter();
    Some(sorted(rows.map(|[_, own]| vec![Some(own)]).collect()))
}

fn the_flat_profile_of_gprof_has_the_self_costs_of_functions() {
    check_each(100, |path, profile| {
        let report = report(&["-g", "function"], path);
        let flat = of_gprof(path).filter(|_| profile.events().ratios().is_empty());
        // A function of gprof has all levels of its recursion.
        let options = ["-g", "function", "--fold=recursion"];
        let same = |flat| {
            let event = first_event(&report).to_owned();
            let functions = of_csv(&csv(&options, path), [event].into_iter());
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
        let is_plain = profile.events().ratios().is_empty() && profile.events().len() > 0;
        if is_plain {
            same_figures(&[], path);
        }
        is_plain
    });
}
