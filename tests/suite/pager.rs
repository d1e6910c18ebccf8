//! The pager, in a pseudo-terminal: when there is one, and what becomes of the report and the exit status.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::suite::terminal::{Session, Settings, command};

trials![
    a_terminal_gets_the_report_through_a_pager,
    there_is_no_pager_without_a_person_to_read_it,
    the_exit_status_is_that_of_the_report
];

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\nwhat\n";

/// A folder with a profile and a pager that shows its arguments and marks the lines of the report.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p.out"), PROFILE).unwrap();
    fs::write(
        folder.path().join("old.out"),
        "events: Ir\nfl=a.c\nfn=f\n1 1\n",
    )
    .unwrap();
    let mut lines = String::from("events: Ir\n");
    (0..20_000).for_each(|i| lines.push_str(&format!("fn=function_{i}\n1 1\n")));
    fs::write(folder.path().join("long.out"), lines).unwrap();
    let script = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(
        "mark",
        "#!/bin/sh\necho \"pager $*, LESS=$LESS\"\nsed 's/^/| /'\n",
    );
    script("impatient", "#!/bin/sh\nhead -n 2\n");
    folder
}

/// What a terminal gets, and the exit status.
fn shown(folder: &Path, settings: Settings, args: &[&str]) -> (String, i32) {
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let settings = [&[("PATH", &path[..])], settings].concat();
    let run = command(folder, &settings, args).stdin(Stdio::null());
    let mut session = Session::spawn(100, run);
    let text = String::from_utf8(session.until(None)).unwrap();
    let status = session.child.wait().unwrap().code().unwrap();
    (text.replace("\r\n", "\n"), status)
}

fn a_terminal_gets_the_report_through_a_pager() {
    let folder = folder();
    let with: [(Settings, &str); 5] = [
        (&[("CGANNOTATE_PAGER", "mark")], "pager , LESS=RFX\n"),
        (
            &[("CGANNOTATE_PAGER", "mark -a 'b  c'"), ("PAGER", "nothing")],
            "pager -a b  c, LESS=RFX\n",
        ),
        (
            &[("CGANNOTATE_PAGER", "mark"), ("LESS", "S"), ("CI", "")],
            "pager , LESS=S\n",
        ),
        (
            &[("CGANNOTATE_PAGER", "mark"), ("NO_COLOR", "1")],
            "pager , LESS=RFX\n",
        ),
        (
            &[("CGANNOTATE_PAGER", "mark"), ("TERM", "xterm")],
            "pager , LESS=RFX\n",
        ),
    ];
    for (settings, start) in with {
        let (text, status) = shown(folder.path(), settings, &["--auto=no", "p.out"]);
        let report = format!("{start}| 5 Ir (instructions executed)    p.out\n| \n");
        assert!(text.starts_with(&report), "{settings:?} {text}");
        // Warnings follow when the pager has ended.
        let end = "\ncgannotate: warning: p.out:5: unrecognised line, skipped\n";
        assert!(text.ends_with(end), "{settings:?} {text}");
        assert_eq!(status, 0);
    }
}

fn there_is_no_pager_without_a_person_to_read_it() {
    let folder = folder();
    let mark = ("CGANNOTATE_PAGER", "mark");
    let without: [(Settings, &[&str]); 8] = [
        (&[("CGANNOTATE_PAGER", ""), ("PAGER", "mark")], &[]),
        (&[("CGANNOTATE_PAGER", "cat")], &[]),
        (&[("CGANNOTATE_PAGER", "/nonexistent/pager -x")], &[]),
        (&[mark, ("TERM", "dumb")], &[]),
        (&[mark, ("CI", "true")], &[]),
        (&[mark], &["--no-pager"]),
        (&[mark], &["--pager=no"]),
        (&[mark], &["--pager", "--no-pager"]),
    ];
    for (settings, args) in without {
        let (text, status) = shown(folder.path(), settings, &[args, &["p.out"]].concat());
        let has_report = text.contains("100.0%");
        assert!(has_report && !text.contains("pager"), "{settings:?} {text}");
        assert!(!text.contains("\n| "), "{settings:?} {text}");
        assert_eq!(status, 0);
    }
    // Nor for a file.
    let (text, _) = shown(folder.path(), &[mark], &["--output=page", "p.out"]);
    assert!(text.starts_with("cgannotate: warning"), "{text}");
}

fn the_exit_status_is_that_of_the_report() {
    let folder = folder();
    let pager: Settings = &[("CGANNOTATE_PAGER", "mark")];
    let (text, status) = shown(folder.path(), pager, &["none.out"]);
    assert_eq!((&text[..12], status), ("cgannotate: ", 1), "{text}");
    let (text, status) = shown(folder.path(), pager, &["--show=Dr", "p.out"]);
    assert!(text.contains("no event 'Dr'") && status == 1, "{text}");
    let limited = ["--diff=old.out", "--fail-above=1", "p.out"];
    let (text, status) = shown(folder.path(), pager, &limited);
    assert!(text.contains("pager , LESS"), "{text}");
    assert!(text.contains("FAIL Ir 1 -> 5 +4"), "{text}");
    assert_eq!(status, 3);
    // A pager that ends early ends neither the report nor its status.
    let pager: Settings = &[("CGANNOTATE_PAGER", "impatient")];
    let (_, status) = shown(folder.path(), pager, &["--threshold=100", "long.out"]);
    assert_eq!(status, 0);
    let limited = ["--diff=old.out", "--fail-above=1", "long.out"];
    let (text, status) = shown(folder.path(), pager, &limited);
    assert!(text.contains("FAIL Ir 1 -> 20,000 "), "{text}");
    assert_eq!(status, 3, "{text}");
}
