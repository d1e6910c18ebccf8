//! Objects that are damaged, or whose debug information says what cannot be: what can be read is reported, with the profile's
//! own totals, and nothing fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::corpus::testdata;
use crate::common::formats::{pprof::Pprof, shown};
use crate::common::generated::elf::Random;
use crate::common::program::{print, print_both};

trials![
    a_damaged_object_is_no_failure,
    an_object_cut_short_is_no_failure,
    pprof_has_the_lines_of_inlined_calls,
];

/// How many damaged objects are tried.
const OBJECTS: u64 = 400;

fn inputs() -> PathBuf {
    testdata("profiles/inlines")
}

/// The list, with the object in a folder of its own.
fn list(folder: &Path, inlines: bool) -> (String, String) {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", folder.display());
    let profile = inputs().join("known.out").display().to_string();
    let args = [
        "--header=no",
        "--auto=no",
        "--threshold=100",
        &map,
        &profile,
    ];
    let inlines = inlines.then_some("--inlines");
    let (out, err) = print_both(args.into_iter().chain(inlines)).unwrap();
    (String::from_utf8(out).unwrap(), err)
}

/// The sum of the self costs of all rows.
fn sum(page: &str) -> i64 {
    let rows = page.lines().filter(|line| line.contains(".cc:"));
    let costs = rows.map(|line| shown(line.split_whitespace().next().unwrap()).unwrap());
    costs.sum()
}

fn a_damaged_object_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let object = fs::read(inputs().join("known")).unwrap();
    let without = list(folder.path(), false).0;
    let mut random = Random(34);
    let (mut warned, mut known) = (0, 0);
    for _ in 0..OBJECTS {
        let mut bytes = object.clone();
        for _ in 0..1 + random.below(40) {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] = random.below(256) as u8;
        }
        fs::write(folder.path().join("known"), bytes).unwrap();
        let (page, err) = list(folder.path(), true);
        assert_eq!(sum(&page), 249, "{page}");
        match err.is_empty() {
            true => known += 1,
            false => {
                warned += 1;
                // The note below the list is all that is different.
                assert!(page.starts_with(&without), "{page}\n{err}");
            }
        }
    }
    assert!(warned > 0 && known > 0, "{warned} {known}");
}

fn an_object_cut_short_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let object = fs::read(inputs().join("known")).unwrap();
    let without = list(folder.path(), false).0;
    for length in (0..object.len()).step_by(97) {
        fs::write(folder.path().join("known"), &object[..length]).unwrap();
        let (page, err) = list(folder.path(), true);
        assert!(page.starts_with(&without), "{page}");
        assert!(err.contains("warning"), "{err}");
    }
}

/// What each line of `known.cc` spends, and with what it calls. `put` and `get` call `push`, and that calls `detach`.
const LINES: [(&str, i64, i64, i64); 20] = [
    ("(below main)", 37, 1, 1),
    ("(below main)", 38, 1, 248),
    ("work()", 30, 1, 1),
    ("work()", 31, 0, 45),
    ("work()", 32, 1, 152),
    ("work()", 33, 0, 45),
    ("work()", 34, 2, 2),
    ("work()", 35, 2, 2),
    ("cache::get()", 17, 40, 40),
    ("cache::get()", 18, 0, 20),
    ("cache::get()", 19, 0, 30),
    ("cache::put()", 22, 1, 1),
    ("cache::put()", 23, 30, 30),
    ("cache::put()", 24, 0, 15),
    ("cache::put()", 25, 1, 102),
    ("cache::put()", 26, 1, 1),
    ("cache::put()", 27, 2, 2),
    ("cache::List::detach()", 8, 50, 50),
    ("cache::List::push()", 9, 15, 45),
    ("cache::grow()", 14, 101, 101),
];

fn pprof_has_the_lines_of_inlined_calls() {
    let inputs = inputs();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(inputs.join("known"), folder.path().join("known")).unwrap();
    let profile = fs::read_to_string(inputs.join("known.out")).unwrap();
    let profile = profile.replace("/tmp/demo/inlined", &folder.path().display().to_string());
    let path = folder.path().join("known.out").display().to_string();
    fs::write(&path, profile).unwrap();
    let pprof = Pprof::read(&print(["--inlines", "--format=pprof", "--min=0", &path]).unwrap());
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
    let expected = LINES.map(|(name, line, own, all)| ((name, line), (own, all)));
    assert_eq!(lines, BTreeMap::from(expected));
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
