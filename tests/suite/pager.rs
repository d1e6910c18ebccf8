//! The pager, in a pseudo-terminal: when there is one, and what becomes of the report and the exit
//! status.

#![cfg(unix)]

use std::process::Stdio;

use crate::common::program::{Folder, assert_has, assert_lacks};
use crate::suite::terminal::{Session, Settings, command};

trials![
    a_terminal_gets_the_report_through_a_pager,
    there_is_no_pager_without_a_person_to_read_it,
    the_exit_status_is_that_of_the_report,
    a_terminal_does_not_get_pprof
];

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\nwhat\n";

/// A folder with profiles, a pager that shows its arguments and marks the lines of the report, and
/// one that ends early.
fn folder() -> Folder {
    let old = "events: Ir\nfl=a.c\nfn=f\n1 1\n";
    let lines = (0..20_000).map(|i| format!("fn=function_{i}\n1 1\n"));
    let long = format!("events: Ir\n{}", lines.collect::<String>());
    let new = "events: Ir\nfl=a.c\nfn=f\n1 5\n";
    let files = [("p.out", PROFILE), ("old.out", old), ("new.out", new), ("long.out", &long)];
    let folder = Folder::with(&files);
    folder.write_script("mark", "echo \"pager $*, LESS=$LESS $LESSCHARSET\"\nsed 's/^/| /'\n");
    folder.write_script("impatient", "head -n 2\n");
    folder.write_script("cat", "sed 's/^/| /'\n");
    folder
}

/// What a terminal gets, and the exit status.
fn shown(folder: &Folder, settings: Settings, args: &[&str]) -> (String, i32) {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.path("").display());
    let settings = [&[("PATH", &path[..])], settings].concat();
    let mut run = command(&folder.path(""), &settings, args);
    let (text, status) = Session::spawn(100, run.stdin(Stdio::null()), None).ended();
    let text = String::from_utf8(text).unwrap();
    (text.replace("\r\n", "\n"), status.code().unwrap())
}

fn a_terminal_gets_the_report_through_a_pager() {
    let folder = folder();
    let mark = ("CGANNOTATE_PAGER", "mark");
    let quoted = ("CGANNOTATE_PAGER", "mark -a 'b  c'");
    let other = ("PAGER", "nothing");
    let with: [(Settings, &str); 5] = [
        (&[mark], "pager , LESS=RFX utf-8\n"),
        (&[quoted, other], "pager -a b  c, LESS=RFX utf-8\n"),
        (&[mark, ("LESS", "S"), ("CI", "")], "pager , LESS=S utf-8\n"),
        (&[mark, ("LESSCHARSET", "x")], "pager , LESS=RFX x\n"),
        (&[mark, ("TERM", "xterm")], "pager , LESS=RFX utf-8\n"),
    ];
    for (settings, start) in with {
        let (text, status) = shown(&folder, settings, &["--auto=no", "p.out"]);
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
        let (text, status) = shown(&folder, settings, &[args, &["p.out"]].concat());
        assert_has(&text, &["100.0%"]);
        assert_lacks(&text, &["pager", "\n| "]);
        assert_eq!(status, 0);
    }
    // Nor for a file.
    let (text, _) = shown(&folder, &[mark], &["--output=page", "p.out"]);
    assert!(text.starts_with("cgannotate: warning"), "{text}");
    assert_lacks(&folder.read("page"), &["\x1b"]);
}

fn the_exit_status_is_that_of_the_report() {
    let folder = folder();
    let pager: Settings = &[("CGANNOTATE_PAGER", "mark")];
    let (text, status) = shown(&folder, pager, &["none.out"]);
    assert_eq!((&text[..12], status), ("cgannotate: ", 1), "{text}");
    let (text, status) = shown(&folder, pager, &["--show=Dr", "p.out"]);
    assert_has(&text, &["no event 'Dr'"]);
    assert_eq!(status, 1);
    let limited = ["--diff=old.out", "--fail-above=1", "new.out"];
    let (text, status) = shown(&folder, pager, &limited);
    assert_has(&text, &["pager , LESS", "FAIL Ir 1 -> 5 +4"]);
    assert_eq!(status, 3);
    // Nobody has seen the report.
    for (command, code) in [("false", 1), ("sh -c 'exit 7'", 7)] {
        let (text, status) = shown(&folder, &[("CGANNOTATE_PAGER", command)], &["p.out"]);
        let error = format!(
            "cgannotate: the pager failed with exit status {code}; --no-pager prints the report\n"
        );
        assert_has(&text, &[&error]);
        assert_eq!(status, 1);
    }
    // A pager that ends early ends neither the report nor its status.
    let pager: Settings = &[("CGANNOTATE_PAGER", "impatient")];
    let (_, status) = shown(&folder, pager, &["--threshold=100", "long.out"]);
    assert_eq!(status, 0);
    let limited = ["--diff=old.out", "--fail-above=1", "long.out"];
    let (text, status) = shown(&folder, pager, &limited);
    assert_has(&text, &["FAIL Ir 1 -> 20,000 "]);
    assert_eq!(status, 3, "{text}");
}

fn a_terminal_does_not_get_pprof() {
    let folder = folder();
    for pager in ["", "mark"] {
        let settings: Settings = &[("CGANNOTATE_PAGER", pager)];
        let (text, status) = shown(&folder, settings, &["--format=pprof", "old.out"]);
        let error = "error: pprof is binary and not for a terminal: -o FILE writes it to a file, or use a pipe\n";
        assert_eq!((&text[..], status), (error, 2));
    }
    assert!(!folder.run(&["--format=pprof", "old.out"]).out.is_empty());
}
