//! `--format=json` of all profiles of testdata, read back by a JSON reader: the sums are those of the profile.

use std::collections::HashSet;
use std::path::Path;

use cgannotate::internal::profile::{Profile, add_cost};
use serde_json::Value;

use crate::common::corpus::{profiles, testdata};
use crate::common::formats::{self, array, integer};
use crate::common::generated::tables;

trials![
    rows_and_lines_add_up,
    every_row_has_costs_or_calls,
    callers_mirror_calls_and_options_are_honoured,
    a_difference_has_signs_and_marks
];

fn json(options: &[&str], file: &Path) -> Value {
    formats::json(options, file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The sum over all costs of one event; none if it is undefined in all.
fn sum<'v>(costs: impl Iterator<Item = &'v Value>, event: usize) -> Option<i64> {
    costs
        .filter_map(|cost| array(cost)[event].as_i64())
        .reduce(|a, b| a + b)
}

fn costs(profile: &Profile) -> Vec<Option<i64>> {
    let mut sum = vec![cgannotate::internal::profile::Count::UNDEFINED; profile.events().len()];
    for (_, cost) in tables::costs(profile) {
        add_cost(&mut sum, cost);
    }
    sum.iter().map(|count| count.value()).collect()
}

fn rows_and_lines_add_up() {
    for (path, profile) in profiles() {
        let value = json(&[], &path);
        assert_eq!(value["version"], 2);
        let rows = array(&value["rows"]);
        let of_rows = |member: &str| {
            let values = rows.iter().flat_map(|row| array(&row[member]));
            values.collect::<Vec<&Value>>()
        };
        let (lines, calls) = (of_rows("lines"), of_rows("calls"));
        for (event, expected) in costs(&profile).into_iter().enumerate() {
            let name = value["events"][event]["name"].as_str().unwrap();
            assert_eq!(name.as_bytes(), profile.events().name(event));
            let own = sum(rows.iter().map(|row| &row["self"]), event);
            assert_eq!(own, expected, "{path:?}");
            let of_lines = sum(lines.iter().map(|line| &line["self"]), event);
            assert_eq!(of_lines, expected, "{path:?}");
            let of_calls = sum(calls.iter().map(|call| &call["inclusive"]), event);
            let expected = tables::calls(&profile).filter_map(|call| call.cost[event].value());
            assert_eq!(of_calls, expected.reduce(|a, b| a + b), "{path:?}");
        }
        let ids: HashSet<i64> = rows.iter().map(|row| integer(&row["id"])).collect();
        let mut callees = calls.iter().map(|call| integer(&call["id"]));
        assert!(callees.all(|id| ids.contains(&id)), "{path:?}");
        let counts: i64 = calls.iter().map(|call| integer(&call["count"])).sum();
        let expected: i64 = tables::calls(&profile).map(|call| call.count).sum();
        assert_eq!(counts, expected, "{path:?}");
    }
}

fn every_row_has_costs_or_calls() {
    for (path, _) in profiles() {
        for options in [&["--tree=both"][..], &["--tree=both", "--inclusive"]] {
            let value = json(options, &path);
            for row in array(&value["rows"]) {
                let has = |name: &str| !array(&row[name]).is_empty();
                let is_known = has("lines") || has("calls") || has("callers");
                assert!(is_known, "{}: {row}", path.display());
            }
        }
    }
}

fn callers_mirror_calls_and_options_are_honoured() {
    let options = ["--tree=both", "--inclusive", "--show=Dr,Ir", "--sort=Dr"];
    let value = json(&options, &testdata("words/words.sim.out"));
    assert_eq!(array(&value["events"]).len(), 2);
    assert_eq!(value["order"], serde_json::json!(["Dr"]));
    assert_eq!(value["order_by"], "inclusive");
    let rows = array(&value["rows"]);
    let mut by_dr = rows
        .iter()
        .map(|row| row["inclusive"][0].as_i64().unwrap_or(0));
    assert!(by_dr.by_ref().is_sorted_by(|a, b| a >= b) && rows.len() > 50);
    let main = rows.iter().find(|row| row["function"] == "main").unwrap();
    let id = &main["id"];
    let calls = rows.iter().flat_map(|row| array(&row["calls"]));
    let into: Vec<&Value> = calls.filter(|call| call["id"] == *id).collect();
    for event in 0..2 {
        let paid = sum(into.iter().map(|call| &call["inclusive"]), event);
        assert!(paid.is_some());
        assert_eq!(paid, main["inclusive"][event].as_i64());
        let callers = array(&main["callers"]).iter();
        let callers = callers.map(|caller| &caller["inclusive"]);
        assert_eq!(sum(callers, event), paid);
    }
    let cut = json(&["--threshold=50"], &testdata("words/words.out"));
    assert!(array(&cut["rows"]).len() < 10);
}

fn a_difference_has_signs_and_marks() {
    let words = testdata("words");
    let base = format!("--diff={}", words.join("words-longer.out").display());
    let value = json(&[&base, "--match=exact"], &words.join("words.out"));
    let rows = array(&value["rows"]);
    assert_eq!(value["total"][0], -26016);
    assert_eq!(sum(rows.iter().map(|row| &row["self"]), 0), Some(-26016));
    for mark in ["new", "gone"] {
        assert!(rows.iter().any(|row| row["mark"] == mark), "{mark}");
    }
    assert!(value["base"]["total"][0].as_i64().unwrap() > 0);
}
