//! Conservation down to the instruction: what the instructions of an object or of a line cost is what it costs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::corpus;
use crate::common::formats::json;

trials![instructions_cost_what_their_lines_and_objects_cost];

/// The first event by key; what costs nothing is left out.
type Costs = BTreeMap<Vec<String>, i64>;

fn report(options: &[&str], file: &Path) -> Option<Value> {
    json(&[&["--fold=callers,recursion"], options].concat(), file).ok()
}

/// Adds up the first event of values, each under the keys that it has.
fn add_up<'v>(values: impl IntoIterator<Item = &'v Value>, keys: &[&str]) -> Costs {
    let mut costs = Costs::new();
    for value in values {
        let key = keys.iter().map(|&key| match &value[key] {
            Value::Null => String::new(),
            value => value.to_string(),
        });
        *costs.entry(key.collect()).or_default() += value["self"][0].as_i64().unwrap_or(0);
    }
    costs.retain(|_, cost| *cost != 0);
    costs
}

fn instructions_cost_what_their_lines_and_objects_cost() {
    let mut compared = 0;
    for (path, profile) in corpus::profiles() {
        let Some(list) = report(&["--group-by=instruction"], &path) else {
            continue;
        };
        let by_function = report(&[], &path).unwrap();
        let instructions = list["rows"].as_array().unwrap();
        assert_eq!(list["total"], by_function["total"]);
        let rows = by_function["rows"].as_array().unwrap();
        let lines: Vec<Value> = rows
            .iter()
            .flat_map(|row| {
                let lines = row["lines"].as_array().unwrap().iter();
                lines.map(|line| {
                    let number = Some(&line["line"]).filter(|line| **line != 0);
                    serde_json::json!({ "file": row["file"], "line": number, "self": line["self"] })
                })
            })
            .collect();
        let name = path.display();
        assert_eq!(add_up(instructions, &[]), add_up(rows, &[]), "{name}");
        let keys = ["file", "line"];
        assert_eq!(add_up(instructions, &keys), add_up(&lines, &keys), "{name}");
        let by_object = report(&["--group-by=object"], &path).unwrap();
        let objects = by_object["rows"].as_array().unwrap().iter();
        let objects: Vec<Value> = objects
            .map(|row| {
                let object = Some(&row["group"]).filter(|group| **group != "???");
                serde_json::json!({ "object": object, "self": row["self"] })
            })
            .collect();
        let keys = ["object"];
        let of_objects: Costs = add_up(instructions, &keys);
        let of_objects = of_objects.into_iter().map(|(mut key, cost)| {
            key.iter_mut()
                .filter(|key| *key == "\"???\"")
                .for_each(String::clear);
            (key, cost)
        });
        let mut sums = Costs::new();
        of_objects.for_each(|(key, cost)| *sums.entry(key).or_default() += cost);
        assert_eq!(sums, add_up(&objects, &keys), "{name}");
        compared += usize::from(profile.sides().new.costs().len() > 1);
    }
    assert!(compared >= 10, "{compared}");
}
