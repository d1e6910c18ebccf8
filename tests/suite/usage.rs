//! Exit statuses, full disks, and names below the current folder.

use std::fs::File;
use std::process::Stdio;

use crate::common::program::{Folder, assert_has};

trials![
    #[cfg(target_os = "linux")]
    a_full_disk_is_an_error,
    #[cfg(target_os = "linux")]
    warnings_that_cannot_be_written_do_not_stop_the_report,
    a_limit_that_is_no_percentage_is_wrong_usage,
    names_below_the_current_folder_are_shortened_everywhere
];

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\n";

/// A folder with the profile `p.out`.
fn folder() -> Folder {
    Folder::with(&[("p.out", PROFILE)])
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    for arg in ["p.out", "--help", "--version"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = folder().program(&[arg]).stdout(full).run();
        assert_eq!(output.status, 1, "{arg}");
        let error = output.error();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.starts_with("cgannotate: "), "{error}");
    }
}

#[cfg(target_os = "linux")]
fn warnings_that_cannot_be_written_do_not_stop_the_report() {
    let folder = folder();
    folder.write("bad.out", format!("{PROFILE}nonsense\n"));
    let expected = folder.page(&["p.out"]).replace("p.out", "bad.out");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (read, closed) = std::io::pipe().unwrap();
    drop(read);
    for (stderr, status) in [(Stdio::from(full), 1), (Stdio::from(closed), 0)] {
        let output = folder.program(&["bad.out"]).stderr(stderr).run();
        assert_eq!(output.status, status);
        assert_eq!(String::from_utf8(output.out).unwrap(), expected);
    }
}

fn a_limit_that_is_no_percentage_is_wrong_usage() {
    for limit in ["0.000000000000000000000001", "0,5", "Ir:5,Dr:2"] {
        let output = folder().run(&["--diff=p.out", "--fail-above", limit, "p.out"]);
        let found = (output.status, output.error().contains("more than one"));
        assert_eq!(found, (2, limit.contains(':')), "{limit}");
    }
}

fn names_below_the_current_folder_are_shortened_everywhere() {
    let folder = Folder::with(&[("b.c", "g\n")]);
    let here = folder.path("").canonicalize().unwrap();
    let profile = "events: Ir\nfl=HERE/a.c\nfn=f\n1 5\ncfi=HERE/b.c\ncfn=g\ncalls=1 1\n1 7\nfl=HERE/b.c\nfn=g\n1 7\n";
    let here = here.to_str().unwrap();
    folder.write("p.out", profile.replace("HERE", here));
    let source = format!("{here}/b.c");
    let page = folder.page(&["--tree=both", "--inclusive=yes", "p.out", &source]);
    let rows = " 7 (58.33%)  < a.c:f (1x) []\n 7 (58.33%)  *  b.c:g\n";
    let source = "-- User-annotated source: b.c\n";
    assert_has(&page, &[rows, source, "7 (58.33%)  g\n"]);
}
