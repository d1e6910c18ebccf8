//! `--format=json` against `testdata/cgannotate.schema.json`, which is for other programs: it describes each member that is
//! written, and each member that it requires is written.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::{Map, Value};

use crate::common::case;
use crate::common::corpus::{self, profiles};
use crate::common::program::{print, program};

trials![
    reports_are_as_the_schema_says,
    what_is_not_as_the_schema_says_is_found
];

/// Checks values by the keywords of JSON Schema that the file uses. It is strict: a member that is not described is an error.
struct Schema(Value);

impl Schema {
    fn read() -> Schema {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cgannotate.schema.json");
        Schema(serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
    }

    fn check(&self, value: &Value) -> Result<(), String> {
        self.check_with(&self.0, value, "$")
    }

    /// Checks a value; `at` is where it is.
    fn check_with(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let mut allowed: Option<&Map<String, Value>> = None;
        for (keyword, rule) in schema.as_object().unwrap() {
            match &keyword[..] {
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix('#').unwrap();
                    self.check_with(self.0.pointer(name).unwrap(), value, at)?;
                }
                "anyOf" => {
                    let results = rule.as_array().unwrap().iter();
                    let results = results.map(|schema| self.check_with(schema, value, at));
                    let errors: Vec<String> = results.map_while(Result::err).collect();
                    if errors.len() == rule.as_array().unwrap().len() {
                        return Err(errors.join("; or "));
                    }
                }
                "type" => is(has_type(rule, value), at, value, rule)?,
                "const" => is(rule == value, at, value, rule)?,
                "enum" => is(rule.as_array().unwrap().contains(value), at, value, rule)?,
                "pattern" => {
                    let regex = Regex::new(rule.as_str().unwrap()).unwrap();
                    is(
                        value.as_str().is_some_and(|text| regex.is_match(text)),
                        at,
                        value,
                        rule,
                    )?;
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check_with(rule, item, &format!("{at}[{number}]"))?;
                    }
                }
                "required" => {
                    for name in rule.as_array().unwrap() {
                        let is_there = value.get(name.as_str().unwrap()).is_some();
                        is(is_there, at, value, name)?;
                    }
                }
                "properties" => allowed = rule.as_object(),
                "$schema" | "$defs" | "title" | "description" => {}
                other => panic!("{other}: a keyword that this test does not know"),
            }
        }
        let members = allowed.and(value.as_object());
        for (name, member) in members.into_iter().flatten() {
            let schema = allowed.and_then(|allowed| allowed.get(name));
            let schema = schema.ok_or_else(|| format!("{at}.{name} is not described"))?;
            self.check_with(schema, member, &format!("{at}.{name}"))?;
        }
        Ok(())
    }
}

fn is(holds: bool, at: &str, value: &Value, rule: &Value) -> Result<(), String> {
    let error = || {
        let value: String = value.to_string().chars().take(200).collect();
        format!("{at}: {value} is not as {rule}")
    };
    holds.then_some(()).ok_or_else(error)
}

fn has_type(types: &Value, value: &Value) -> bool {
    let is_type = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}: no type"),
    };
    match types.as_array() {
        Some(types) => types.iter().any(is_type),
        None => is_type(types),
    }
}

fn reports_are_as_the_schema_says() {
    let schema = Schema::read();
    let check = |json: &[u8], what: &str| {
        let value = serde_json::from_slice(json).unwrap();
        schema
            .check(&value)
            .map_err(|error| format!("{what}: {error}"))
            .unwrap();
    };
    let mut cases = 0;
    for (name, _) in case::files() {
        let text = corpus::case(&name).expected.out;
        if text.starts_with(b"{\"format\":\"cgannotate\"") {
            check(&text, &name);
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
        let args = ["--format=json"].iter().chain(options).map(OsStr::new);
        // A filter may match nothing.
        if let Ok(out) = print(args.chain([path.as_os_str()])) {
            check(&out, &format!("{} {options:?}", path.display()));
        }
    }
}

type Change<'c> = &'c dyn Fn(&mut Map<String, Value>);

fn what_is_not_as_the_schema_says_is_found() {
    let schema = Schema::read();
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/words/words.out");
    let output = program().arg("--format=json").arg(&profile).run();
    let value: Value = serde_json::from_slice(&output.out).unwrap();
    assert_eq!(schema.check(&value), Ok(()));
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
        assert!(schema.check(&value).is_err(), "{number}");
    }
}
