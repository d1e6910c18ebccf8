//! Exit statuses, standard input, the default file, closed pipes, full disks.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use crate::common::program::{Output, Run, program};

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

fn cgannotate<'w>(folder: &Path, args: &[&str]) -> Run<'w> {
    program().args(args).in_dir(folder)
}

fn run(folder: &Path, args: &[&str]) -> Output {
    cgannotate(folder, args).run()
}

fn folder_with(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn help_and_version_go_to_standard_output() {
    let folder = folder_with(&[]);
    for (arg, begin) in [
        ("--help", "Annotate"),
        ("-h", "Annotate"),
        ("--version", "cgannotate "),
        ("-V", "cgannotate "),
    ] {
        let output = run(folder.path(), &[arg]);
        assert_eq!(output.status, 0, "{arg}");
        assert!(output.out.starts_with(begin.as_bytes()), "{arg}");
        assert!(output.err.is_empty(), "{arg}");
    }
}

fn wrong_usage_ends_with_2_and_says_why() {
    let folder = folder_with(&[("p.out", PROFILE.as_bytes())]);
    let wrong: [&[&str]; 11] = [
        &["--bogus", "p.out"],
        &["--threshold=101", "p.out"],
        &["--threshold=abc", "p.out"],
        &["--context=-1", "p.out"],
        &["--auto=maybe", "p.out"],
        &["--tree=up", "p.out"],
        &["--depth=2", "p.out"],
        &["--tree=callers", "--depth=0", "p.out"],
        &["--tree=callers", "--depth=2", "--format=markdown", "p.out"],
        &["--tree=callers", "--depth=2", "--group-by=file", "p.out"],
        &[],
    ];
    for args in wrong {
        let output = run(folder.path(), args);
        assert_eq!(output.status, 2, "{args:?}");
        assert!(output.out.is_empty(), "{args:?}");
        assert!(!output.err.is_empty(), "{args:?}");
    }
}

fn yes_no_options_work_bare_and_the_last_one_counts() {
    let folder = folder_with(&[("p.out", PROFILE.as_bytes())]);
    let page = |args: &[&str]| run(folder.path(), args).page();
    assert_eq!(page(&["--auto", "p.out"]), page(&["p.out"]));
    assert_eq!(page(&["--auto=no", "--auto", "p.out"]), page(&["p.out"]));
    assert_ne!(page(&["--auto", "--auto=no", "p.out"]), page(&["p.out"]));
    let dirs = page(&[
        "-I",
        "x",
        "-Iy",
        "-I=z",
        "--include=u",
        "--include",
        "v",
        "p.out",
    ]);
    assert!(dirs.contains("Include dirs:     x/\n                  y/\n                  z/\n"));
}

fn standard_input_plain_and_gzip() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(PROFILE.as_bytes()).unwrap();
    let folder = folder_with(&[
        ("p.out", PROFILE.as_bytes()),
        ("p.gz", &gzip.finish().unwrap()),
    ]);
    let expected = run(folder.path(), &["p.out"]).page();
    for input in ["p.out", "p.gz"] {
        let input = fs::read(folder.path().join(input)).unwrap();
        let page = cgannotate(folder.path(), &["-"]).stdin(input).run().page();
        assert_eq!(page, expected.replace("'p.out'", "'-'"));
    }
    let page = run(folder.path(), &["p.gz"]).page();
    assert_eq!(page, expected.replace("'p.out'", "'p.gz'"));
}

fn without_a_name_the_newest_run_is_read() {
    let folder = folder_with(&[("cachegrind.out.1", PROFILE.as_bytes())]);
    let write = |name: &str, seconds: u64| {
        let path = folder.path().join(name);
        fs::write(&path, PROFILE).unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(time).unwrap();
    };
    write("cachegrind.out.1", 4);
    let output = run(folder.path(), &[]);
    assert_eq!(output.err, b"");
    let page = output.page();
    assert!(page.starts_with("Reading data from 'cachegrind.out.1'...\n----"));
    write("callgrind.out.9", 6);
    write("callgrind.out.10", 5);
    write("callgrind.out.9.1", 3);
    fs::write(folder.path().join("callgrind.out.11"), "").unwrap();
    fs::write(folder.path().join("callgrind.out.9.svg"), "<svg>").unwrap();
    let output = run(folder.path(), &["--auto=no"]);
    let note = "cgannotate: note: reading callgrind.out.9 and 1 more file (newest of 3 runs)\n";
    assert_eq!(output.error(), note);
    let page = String::from_utf8(output.out).unwrap();
    let files =
        "Reading data from 'callgrind.out.9.1'...\nReading data from 'callgrind.out.9'...\n";
    assert!(page.starts_with(files), "{page}");
    assert!(page.contains("10 (100.0%)  PROGRAM TOTALS"), "{page}");
    let output = run(folder.path(), &["--format=csv"]);
    assert_eq!(output.error(), note);
}

fn a_closed_pipe_is_not_an_error() {
    let lines: String = (0..20_000)
        .map(|i| format!("fn=function_{i}\n1 1\n"))
        .collect();
    let folder = folder_with(&[("p.out", format!("events: Ir\nfl=a.c\n{lines}").as_bytes())]);
    let mut child = cgannotate(folder.path(), &["p.out"]).start();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let folder = folder_with(&[("p.out", PROFILE.as_bytes())]);
    for args in [&["p.out"][..], &["--help"], &["--version"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = cgannotate(folder.path(), args).stdout(full).run();
        assert_eq!(output.status, 1, "{args:?}");
        let error = output.error();
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.starts_with("cgannotate: "), "{error}");
    }
}

#[cfg(target_os = "linux")]
fn warnings_that_cannot_be_written_do_not_stop_the_report() {
    let bad = format!("{PROFILE}nonsense\n");
    let folder = folder_with(&[("p.out", PROFILE.as_bytes()), ("bad.out", bad.as_bytes())]);
    let expected = run(folder.path(), &["p.out"]).page();
    let expected = expected.replace("p.out", "bad.out");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let (read, closed) = std::io::pipe().unwrap();
    drop(read);
    for (stderr, status) in [(Stdio::from(full), 1), (Stdio::from(closed), 0)] {
        let output = cgannotate(folder.path(), &["bad.out"]).stderr(stderr).run();
        assert_eq!(output.status, status);
        assert_eq!(String::from_utf8(output.out).unwrap(), expected);
    }
}

fn names_below_the_current_folder_are_shortened_everywhere() {
    let folder = folder_with(&[]);
    let here = folder.path().canonicalize().unwrap();
    let profile = format!(
        "events: Ir\nfl={0}/a.c\nfn=f\n1 5\ncfi={0}/b.c\ncfn=g\ncalls=1 1\n1 7\nfl={0}/b.c\nfn=g\n1 7\n",
        here.display()
    );
    fs::write(here.join("p.out"), profile).unwrap();
    fs::write(here.join("b.c"), "g\n").unwrap();
    let source = here.join("b.c");
    let output = run(
        &here,
        &[
            "--tree=both",
            "--inclusive=yes",
            "p.out",
            source.to_str().unwrap(),
        ],
    );
    let page = output.page();
    assert!(
        page.contains(" 7 (58.33%)  < a.c:f (1x) []\n 7 (58.33%)  *  b.c:g\n"),
        "{page}"
    );
    assert!(page.contains("-- User-annotated source: b.c\n"), "{page}");
    assert!(page.contains("7 (58.33%)  g\n"), "{page}");
}
