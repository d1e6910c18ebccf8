//! Conservation down to the instruction: what the instructions of an object or of a line cost is
//! what it costs.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::common::corpus;
use crate::common::formats::{array, json};
use crate::common::program::{Folder, PROGRAM, assert_has, limited};

trials![
    instructions_cost_what_their_lines_and_objects_cost,
    #[cfg(unix)]
    an_objdump_that_does_not_end_is_ended
];

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
        let by_function = report(&["-g", "file:function"], path).unwrap();
        let (instructions, rows) = (array(&list["rows"]), array(&by_function["rows"]));
        assert_eq!(list["total"], by_function["total"]);
        let lines: Vec<Value> = rows
            .iter()
            .flat_map(|row| {
                array(&row["lines"]).iter().map(|line| {
                    let number = Some(&line["line"]).filter(|line| **line != 0);
                    serde_json::json!({ "file": row["file"], "line": number, "self": line["self"] })
                })
            })
            .collect();
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

/// The output of another program has no end, no line ends, or its pipes stay open: the report comes
/// soon, in little memory.
#[cfg(unix)]
fn an_objdump_that_does_not_end_is_ended() {
    let profile =
        "positions: instr line\nevents: Ir\nob=./prog\nfl=a.c\nfn=f\n0x1000 1 5\n0x1001 2 5\n";
    let folder = Folder::with(&[("p.out", profile), ("prog", "")]);
    let code = "printf '0000000000001000 <f>:\\n    1000:\\tnop\\n    1001:\\tret\\n'";
    let more = "while :; do echo '    2000:\tnop'; done";
    let scripts = [
        // What follows the range, again and again.
        (format!("{code}\n{more}\n"), ""),
        // Lines without addresses, and the first instruction again.
        (format!("{code}\nexec yes\n"), ""),
        (format!("{code}\nexec yes '    1000:\tnop'\n"), ""),
        (format!("{code}\nexec tr '\\0' x < /dev/zero\n"), "a line of more than 1 MiB"),
        // Another process keeps the pipes.
        (format!("sleep 30 &\n{code}\n"), ""),
        (format!("{code}\nexec >&-\nsleep 30\n"), "signal: 9"),
        (format!("yes 'no such code' >&2 | head -c 0\n{code}\n"), ""),
        ("yes 'no such code' >&2\n".to_owned(), "no such code"),
        ("sleep 30 &\necho wrong >&2; exit 1\n".to_owned(), "wrong"),
    ];
    for (script, error) in scripts {
        folder.write_script("objdump", &script);
        let run = limited("-v 2097152", "timeout")
            .args(["20", PROGRAM])
            .args(["--asm=f", "--objdump=./objdump", "p.out"])
            .in_dir(folder.path(""));
        let output = run.run();
        let page = output.page();
        if error.is_empty() {
            assert_has(&page, &["nop", "ret"]);
        }
        assert_has(&output.error(), &[error]);
    }
}
