//! `--format=json` against `testdata/cgannotate.schema.json`, which is for other programs: it
//! describes each member that is written, and each member that it requires is written. (A test
//! beside the structs of JSON keeps it equal to the schema that is derived from them.)

use std::fs;

use jsonschema::Validator;
use serde_json::Value;

use crate::common::case;
use crate::common::corpus::{self, profiles, testdata};
use crate::common::formats::json;

trials![reports_are_as_the_schema_says, what_the_schema_does_not_describe_is_found];

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
            let is_object = members.get("properties").is_some_and(Value::is_object);
            for (keyword, value) in members.iter_mut() {
                match value {
                    // Each kind of row describes some of the members of the same object.
                    Value::Array(kinds) if is_object && keyword == "anyOf" => {
                        let properties =
                            kinds.iter_mut().filter_map(|kind| kind.get_mut("properties"));
                        properties.for_each(make_strict);
                    }
                    value => make_strict(value),
                }
            }
            if is_object {
                members.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
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
    let mut checked = [0; 7];
    for (number, (path, _)) in profiles().into_iter().enumerate() {
        let number = number % options.len();
        let options = options[number];
        // A filter may match nothing.
        if let Ok(value) = json(options, &path) {
            check(&value, &format!("{} {options:?}", path.display()));
            checked[number] += 1;
        }
    }
    assert!(checked.iter().all(|&checked| checked > 1), "{checked:?}");
}

fn what_the_schema_does_not_describe_is_found() {
    let schema = schema();
    let mut value = json(&[], &testdata("words/words.out")).unwrap();
    assert!(schema.is_valid(&value));
    let row = value["rows"][0].as_object_mut().unwrap();
    row.insert("surprise".into(), Value::Null);
    assert!(!schema.is_valid(&value));
    // Nor is a member missing that other programs rely on.
    let row = value["rows"][0].as_object_mut().unwrap();
    drop((row.remove("surprise"), row.remove("self")));
    assert!(!schema.is_valid(&value));
}
