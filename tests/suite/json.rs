//! `--format=json` of all profiles of testdata, read back by a JSON reader: the sums are those of the profile.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use cgannotate::internal::profile::{Profile, add_cost};
use serde_json::Value;

use crate::common::corpus::profiles;
use crate::common::formats::{self, array, integer};
use crate::common::generated::tables;

trials![rows_and_lines_add_up, callers_mirror_calls];

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

/// Callers of a row have what the calls of all rows into it have.
fn callers_mirror_calls() {
    for (path, _) in profiles() {
        for options in [&["--tree=both"][..], &["--tree=both", "--inclusive"]] {
            let value = json(options, &path);
            let rows = array(&value["rows"]);
            let mut into: HashMap<i64, (i64, i64)> = HashMap::new();
            let add = |sum: &mut (i64, i64), call: &Value| {
                sum.0 += integer(&call["count"]);
                sum.1 += call["inclusive"][0].as_i64().unwrap_or(0);
            };
            for call in rows.iter().flat_map(|row| array(&row["calls"])) {
                add(into.entry(integer(&call["id"])).or_default(), call);
            }
            for row in rows {
                let has = |name: &str| !array(&row[name]).is_empty();
                let is_known = has("lines") || has("calls") || has("callers");
                assert!(is_known, "{path:?}: {row}");
                let mut callers = (0, 0);
                array(&row["callers"])
                    .iter()
                    .for_each(|call| add(&mut callers, call));
                let into = into.get(&integer(&row["id"])).copied();
                assert_eq!(callers, into.unwrap_or_default(), "{path:?}: {row}");
            }
        }
    }
}
