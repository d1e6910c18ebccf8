//! Objects that are damaged, or whose debug information says what cannot be: what can be read is reported, with the profile's
//! own totals, and nothing fails.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::generated::elf::Random;
use crate::common::program::print_both;

trials![
    a_damaged_object_is_no_failure,
    an_object_cut_short_is_no_failure,
];

/// How many damaged objects are tried.
const OBJECTS: u64 = 400;

fn inputs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/profiles/inlines")
}

/// The list, with the object in a folder of its own.
fn list(folder: &Path, inlines: bool) -> (String, String) {
    let map = format!("--source-map=/tmp/demo/inlined/={}/", folder.display());
    let profile = inputs().join("known.out").display().to_string();
    let mut args = vec![
        "--header=no",
        "--auto=no",
        "--threshold=100",
        &map,
        &profile,
    ];
    args.extend(inlines.then_some("--inlines"));
    let (out, err) = print_both(args).unwrap();
    (String::from_utf8(out).unwrap(), err)
}

/// The sum of the self costs of all rows.
fn sum(page: &str) -> u64 {
    let rows = page.lines().filter(|line| line.contains(".cc:"));
    let costs = rows.map(|line| line.split_whitespace().next().unwrap());
    costs
        .map(|cost| cost.replace(',', "").parse::<u64>().unwrap())
        .sum()
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
