//! Conservation down to the instruction: what the instructions of an object or of a line cost is what it costs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::corpus;
use crate::common::formats::{array, json};

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
    corpus::check_each(10, |path, profile| {
        let Some(list) = report(&["--group-by=instruction"], path) else {
            return false;
        };
        let by_function = report(&[], path).unwrap();
        let (instructions, rows) = (array(&list["rows"]), array(&by_function["rows"]));
        assert_eq!(list["total"], by_function["total"]);
        let lines = rows.iter().flat_map(|row| {
            array(&row["lines"]).iter().map(|line| {
                let number = Some(&line["line"]).filter(|line| **line != 0);
                serde_json::json!({ "file": row["file"], "line": number, "self": line["self"] })
            })
        });
        let lines: Vec<Value> = lines.collect();
        assert_eq!(add_up(instructions, &[]), add_up(rows, &[]));
        let keys = ["file", "line"];
        assert_eq!(add_up(instructions, &keys), add_up(&lines, &keys));
        // An object without a name.
        let is_unknown = |object: &Value| object.is_null() || *object == "???";
        let with_object = |rows: &[Value], member: &str| {
            let object = |row: &Value| {
                let object = Some(&row[member]).filter(|object| !is_unknown(object));
                serde_json::json!({ "object": object, "self": row["self"] })
            };
            add_up(&rows.iter().map(object).collect::<Vec<_>>(), &["object"])
        };
        let by_object = report(&["--group-by=object"], path).unwrap();
        let objects = with_object(array(&by_object["rows"]), "group");
        assert_eq!(with_object(instructions, "object"), objects);
        profile.sides().new.costs.table.len() > 1
    });
}
