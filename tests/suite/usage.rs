//! Exit statuses, standard input, the default file, closed pipes, full disks.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::common::program::{Folder, assert_has};

trials![
    #[cfg(target_os = "linux")]
    a_full_disk_is_an_error,
    #[cfg(target_os = "linux")]
    warnings_that_cannot_be_written_do_not_stop_the_report,
    help_and_version_go_to_standard_output,
    wrong_usage_ends_with_2_and_says_why,
    yes_no_options_work_bare_and_the_last_one_counts,
    standard_input_plain_and_gzip,
    without_a_name_the_newest_run_is_read,
    a_closed_pipe_is_not_an_error,
    names_below_the_current_folder_are_shortened_everywhere
];

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\n";

/// A folder with the profile `p.out`.
fn folder() -> Folder {
    Folder::with(&[("p.out", PROFILE)])
}

fn help_and_version_go_to_standard_output() {
    for (arg, begin) in [
        ("--help", "Annotate"),
        ("-h", "Annotate"),
        ("--version", "cgannotate "),
        ("-V", "cgannotate "),
    ] {
        let output = folder().run(&[arg]);
        assert!(output.page().starts_with(begin), "{arg}");
        assert!(output.err.is_empty(), "{arg}");
    }
}

fn wrong_usage_ends_with_2_and_says_why() {
    let wrong = "--bogus p.out
        --threshold=101 p.out
        --threshold=abc p.out
        --context=-1 p.out
        --auto=maybe p.out
        --tree=up p.out
        --depth=2 p.out
        --tree=callers --depth=0 p.out
        --tree=callers --depth=2 --format=markdown p.out
        --tree=callers --depth=2 --group-by=file p.out
        ";
    for args in wrong.lines() {
        let output = folder().run(&args.split_whitespace().collect::<Vec<_>>());
        assert_eq!(output.status, 2, "{args}");
        assert!(output.out.is_empty(), "{args}");
        assert!(!output.err.is_empty(), "{args}");
    }
}

fn yes_no_options_work_bare_and_the_last_one_counts() {
    let page = |args: &str| folder().page(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(page("--auto p.out"), page("p.out"));
    assert_eq!(page("--auto=no --auto p.out"), page("p.out"));
    assert_ne!(page("--auto --auto=no p.out"), page("p.out"));
    let dirs = page("-I x -Iy -I=z --include=u --include v p.out");
    let listed = "Include dirs:     x/\n                  y/\n                  z/\n";
    assert_has(&dirs, &[listed]);
}

fn standard_input_plain_and_gzip() {
    let folder = folder();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(PROFILE.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    folder.write("p.gz", &gzip);
    let expected = folder.page(&["p.out"]);
    for input in [PROFILE.as_bytes(), &gzip] {
        let page = folder.program(&["-"]).stdin(input).run().page();
        assert_eq!(page, expected.replace("'p.out'", "'-'"));
    }
    let page = folder.page(&["p.gz"]);
    assert_eq!(page, expected.replace("'p.out'", "'p.gz'"));
}

fn without_a_name_the_newest_run_is_read() {
    let folder = Folder::with(&[]);
    let write = |name: &str, seconds: u64| {
        folder.write(name, PROFILE);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = File::options().write(true).open(folder.path(name)).unwrap();
        file.set_modified(time).unwrap();
    };
    write("cachegrind.out.1", 4);
    let output = folder.run(&[]);
    assert_eq!(output.error(), "");
    let head = "Reading data from 'cachegrind.out.1'...\n----";
    assert!(output.page().starts_with(head));
    write("callgrind.out.9", 6);
    write("callgrind.out.10", 5);
    write("callgrind.out.9.1", 3);
    folder.write("callgrind.out.11", "");
    folder.write("callgrind.out.9.svg", "<svg>");
    let output = folder.run(&["--auto=no"]);
    let note = "cgannotate: note: reading callgrind.out.9 and 1 more file (newest of 3 runs)\n";
    assert_eq!(output.error(), note);
    let files =
        "Reading data from 'callgrind.out.9.1'...\nReading data from 'callgrind.out.9'...\n";
    let page = output.page();
    assert!(page.starts_with(files), "{page}");
    assert_has(&page, &["10 (100.0%)  PROGRAM TOTALS"]);
    assert_eq!(folder.run(&["--format=csv"]).error(), note);
}

fn a_closed_pipe_is_not_an_error() {
    let lines = (0..20_000).map(|i| format!("fn=function_{i}\n1 1\n"));
    let folder = Folder::with(&[]);
    let lines: String = lines.collect();
    folder.write("p.out", format!("events: Ir\nfl=a.c\n{lines}"));
    let mut child = folder.program(&["p.out"]).start();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
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
