//! Objects that are damaged, or whose debug information says what cannot be: what can be read is reported, with the profile's
//! own totals, and nothing fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::corpus::testdata;
use crate::common::formats::{array, integer, pprof::Pprof, shown};
use crate::common::generated::elf::Random;
use crate::common::program::{print_both, print_of};

trials![a_damaged_object_is_no_failure, pprof_has_the_lines_of_inlined_calls,];

/// How many damaged objects are tried.
const OBJECTS: u64 = 400;

fn inputs() -> PathBuf {
    testdata("profiles/inlines")
}

/// The list, with the object in a folder of its own.
fn list(folder: &Path, inlines: bool) -> (String, String) {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", folder.display());
    let profile = inputs().join("known.out").display().to_string();
    let fixed = ["--header=no", "--auto=no", "--threshold=100"].into_iter();
    let inlines = inlines.then_some("--inlines");
    let (out, err) = print_both(fixed.chain([&*map, &profile]).chain(inlines)).unwrap();
    (String::from_utf8(out).unwrap(), err)
}

/// The sum of the self costs of all rows.
fn sum(page: &str) -> i64 {
    let rows = page.lines().filter(|line| line.contains(".cc:"));
    let costs = rows.map(|line| shown(line.split_whitespace().next().unwrap()).unwrap());
    costs.sum()
}

/// Checks a list of the object in a state that cannot be read, or that can be read differently; returns whether there is a warning.
fn check(folder: &Path, object: &[u8]) -> bool {
    fs::write(folder.join("known"), object).unwrap();
    let (without, _) = list(folder, false);
    let (page, err) = list(folder, true);
    assert_eq!(sum(&page), 249, "{page}");
    // The note below the list is all that is different.
    assert!(err.is_empty() || page.starts_with(&without), "{page}\n{err}");
    err.contains("warning")
}

fn a_damaged_object_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let object = fs::read(inputs().join("known")).unwrap();
    let mut random = Random(34);
    let damaged = (0..OBJECTS).filter(|_| {
        let mut bytes = object.clone();
        for _ in 0..1 + random.below(40) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        check(folder.path(), &bytes)
    });
    let warned = damaged.count() as u64;
    assert!(warned > 0 && warned < OBJECTS, "{warned}");
    for length in (0..object.len()).step_by(97) {
        assert!(check(folder.path(), &object[..length]), "{length}");
    }
}

/// `put` and `get` call `push`, and that calls `detach`.
fn pprof_has_the_lines_of_inlined_calls() {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", inputs().display());
    let profile = inputs().join("known.out");
    let printed = |more: &[&str]| print_of(&[&["--inlines", &map], more].concat(), &profile);
    // What each line spends, and with what it calls.
    let json: Value = serde_json::from_slice(&printed(&["--format=json"]).unwrap()).unwrap();
    let mut expected: BTreeMap<(&str, i64), (i64, i64)> = BTreeMap::new();
    for row in array(&json["rows"]) {
        let mut add = |at: &Value, own, all: &Value| {
            let line = (row["function"].as_str().unwrap(), integer(&at["line"]));
            let sums = expected.entry(line).or_default();
            (sums.0, sums.1) = (sums.0 + own, sums.1 + integer(&all[0]));
        };
        let lines = array(&row["lines"]).iter();
        lines.for_each(|line| add(line, integer(&line["self"][0]), &line["self"]));
        let calls = array(&row["calls"]).iter();
        calls.for_each(|call| add(call, 0, &call["inclusive"]));
    }
    assert_eq!(expected.len(), 20);
    let pprof = Pprof::read(&printed(&["--format=pprof", "--min=0"]).unwrap());
    let mut lines: BTreeMap<(&str, i64), (i64, i64)> = BTreeMap::new();
    let mut chains: BTreeMap<u64, BTreeSet<Vec<(&str, i64)>>> = BTreeMap::new();
    for (frames, values) in &pprof.samples {
        for (at, frame) in frames.iter().enumerate() {
            let sums = lines.entry((&frame.name, frame.line)).or_default();
            sums.0 += if at == 0 { values[0] } else { 0 };
            sums.1 += values[0];
            assert!(frame.address > 0, "{frame:?}");
            assert!(frame.file.ends_with("/known.cc"), "{frame:?}");
        }
        let mut chain = frames.split_inclusive(|frame| !frame.is_inlined);
        let chain = chain.next().unwrap().iter();
        let chain = chain.map(|frame| (&*frame.name, frame.line)).collect();
        chains.entry(frames[0].address).or_default().insert(chain);
    }
    assert_eq!(lines, expected);
    // What is inlined at an address is always the same, and `get` is inlined twice.
    let are_same = chains.values().all(|chains| chains.len() == 1);
    assert!(are_same, "{chains:?}");
    let all: BTreeSet<_> = chains.into_values().flatten().collect();
    for line in [31, 33] {
        let chain = [
            ("cache::List::detach()", 8),
            ("cache::List::push()", 9),
            ("cache::get()", 19),
            ("work()", line),
        ];
        assert!(all.contains(&chain[..]), "{all:?}");
    }
}
