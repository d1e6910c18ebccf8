//! `--format=json` against `testdata/cgannotate.schema.json`, which is for other programs: it describes each member that is
//! written, and each member that it requires is written.

use std::fs;

use jsonschema::Validator;
use serde_json::{Map, Value};

use crate::common::case;
use crate::common::corpus::{self, profiles, testdata};
use crate::common::formats::json;

trials![
    reports_are_as_the_schema_says,
    what_is_not_as_the_schema_says_is_found
];

/// The schema, made strict: a member that is not described is an error.
fn schema() -> Validator {
    let text = fs::read(corpus::testdata("cgannotate.schema.json")).unwrap();
    let mut schema = serde_json::from_slice(&text).unwrap();
    make_strict(&mut schema);
    jsonschema::draft202012::new(&schema).unwrap()
}

fn make_strict(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(make_strict);
            if members.get("properties").is_some_and(Value::is_object) {
                members.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_strict),
        _ => {}
    }
}

fn reports_are_as_the_schema_says() {
    let schema = schema();
    let check = |value: &Value, what: &str| {
        if let Err(error) = schema.validate(value) {
            panic!("{what}: {}: {error}", error.instance_path());
        }
    };
    let mut cases = 0;
    for (name, _) in case::files() {
        let text = corpus::case(&name).expected.out;
        if text.starts_with(b"{\"format\":\"cgannotate\"") {
            check(&serde_json::from_slice(&text).unwrap(), &name);
            cases += 1;
        }
    }
    assert!(cases > 10, "where are the golden cases?");
    let options: [&[&str]; 7] = [
        &["--tree=both", "--depth=4", "--min=0"],
        &["--nested", "--group-by=function"],
        &["--nested", "--group-by=object"],
        &["--tree=both", "--inclusive", "--calls"],
        &["--group-by=object"],
        &["--group-by=name", "--function=!main"],
        &["--charge-to-callers=std", "--top=5"],
    ];
    for (number, (path, _)) in profiles().into_iter().enumerate() {
        let options = options[number % options.len()];
        // A filter may match nothing.
        if let Ok(value) = json(options, &path) {
            check(&value, &format!("{} {options:?}", path.display()));
        }
    }
}

type Change<'c> = &'c dyn Fn(&mut Map<String, Value>);

fn what_is_not_as_the_schema_says_is_found() {
    let schema = schema();
    let profile = testdata("words/words.out");
    let value = json(&[], &profile).unwrap();
    assert!(schema.is_valid(&value));
    let changes: [(&str, Change); 4] = [
        ("", &|report| drop(report.remove("events"))),
        ("/rows/0", &|row| drop(row.remove("self"))),
        ("/rows/0/lines/0", &|line| {
            drop(line.insert("line".into(), "7".into()))
        }),
        ("/rows/0", &|row| {
            drop(row.insert("surprise".into(), Value::Null))
        }),
    ];
    for (number, (at, change)) in changes.into_iter().enumerate() {
        let mut value = value.clone();
        let place = value.pointer_mut(at).unwrap();
        change(place.as_object_mut().unwrap());
        assert!(!schema.is_valid(&value), "{number}");
    }
}
