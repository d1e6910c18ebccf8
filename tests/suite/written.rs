//! Profiles written back: all pages of what `--format=callgrind` writes are those of the profile itself.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use cgannotate::internal::profile::{Count, Profile};
use cgannotate::internal::read::ReadOptions;

use crate::common::corpus::{self, path_of};
use crate::common::generated::tables::read_file;
use crate::common::program::{Folder, assert_has, print_both};

trials![the_pages_stay_the_same, a_name_with_a_newline_is_refused];

/// What is printed, and the messages; or an error.
fn cgannotate(args: &[&str], file: &Path) -> Result<(Vec<u8>, String), String> {
    let args = args.iter().map(OsStr::new);
    print_both(args.chain([file.as_os_str()]))
}

/// Whether a row has an undefined count before a defined one, which the format cannot express.
fn has_gaps(profile: &Profile) -> bool {
    let side = &profile.sides().new;
    let mut costs = side.costs().iter().chain(side.call_costs().iter());
    let is_gap = |pair: &[Count]| pair[0].value().is_none() && pair[1].value().is_some();
    costs.any(|cost| cost.windows(2).any(is_gap))
}

/// The page from its totals on.
fn tables(page: &[u8]) -> String {
    let page = String::from_utf8_lossy(page);
    let (_, tables) = page.split_once("Events recorded:").unwrap();
    tables.to_owned()
}

fn the_pages_stay_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("written.out");
    let mut compared = 0;
    for path in corpus::files() {
        let profile = read_file(&path, &ReadOptions::default());
        if !profile.is_ok_and(|profile| !has_gaps(&profile)) {
            continue;
        }
        let Ok((written, _)) = cgannotate(&["--format=callgrind"], &path) else {
            // A sum that does not fit: there is no page either.
            assert!(cgannotate(&[], &path).is_err(), "{path:?}");
            continue;
        };
        fs::write(&copy, &written).unwrap();
        // Without sources, as those beside one of the two are not beside the other.
        for more in ["--inclusive=no", "--inclusive"] {
            let options = ["--auto=no", "--threshold=100", "--tree=both", more];
            let (page, error) = cgannotate(&options, &copy).unwrap();
            let (of_original, _) = cgannotate(&options, &path).unwrap();
            assert_eq!(tables(&page), tables(&of_original), "{path:?} {options:?}");
            // No complaint about a line of it, unless the file itself says another total than its costs add up to; of an
            // unknown event in a formula both pages have a warning.
            let mut lines = error.lines().filter(|line| line.contains("written.out"));
            let are_known = lines.all(|line| line.ends_with("than its summary: line"));
            assert!(are_known, "{path:?} {error}");
        }
        let (again, _) = cgannotate(&["--format=callgrind"], &copy).unwrap();
        let body = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            text[text.find("positions:").unwrap()..].to_owned()
        };
        assert_eq!(body(&again), body(&written), "{path:?}");
        compared += 1;
    }
    assert!(compared > 100, "where are the profiles?");
}

fn a_name_with_a_newline_is_refused() {
    let rename = "--mod-funcname=s/^main$/a\nb/";
    let args = ["--format=callgrind", rename, &path_of("words/words.out")];
    let written = Folder::with(&[]).run(&args);
    assert_eq!((written.status, &written.out[..]), (1, &b""[..]));
    let error = written.error();
    assert_has(&error, &[r"cannot represent the name 'a\nb'"]);
    assert_eq!(error.lines().count(), 1);
}
