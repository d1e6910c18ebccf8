//! Input that cannot be a stored file: endless, too large, a pipe, or changed while it is read.
//! Each run ends soon, in little memory, with the right status and at most one line on standard
//! error. testdata/golden/hostile has the rest.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::Write;
use std::thread;

use flate2::Compression;

use crate::common::corpus::testdata;
use crate::common::generated::laws::{pack, read_text};
use crate::common::program::{self, Folder, Output, PROGRAM, Run, assert_has, other_program};

trials![
    endless_input_is_refused,
    gzip_bombs_are_refused,
    any_number_of_parts_is_read,
    large_numbers_in_a_file_take_no_memory,
    named_pipes_are_profiles_but_not_sources,
    a_source_that_is_too_large_is_not_annotated,
    a_file_may_grow_and_shrink_while_it_is_read,
    a_real_profile_cut_anywhere_has_a_warning,
    no_report_for_people_has_characters_that_are_not_seen,
    messages_escape_every_mention_of_a_file
];

/// A program with less address space than this many KiB would not start its threads.
const MEMORY: u32 = 300 << 10;

const PROFILE: &str = "events: Ir\nfl=a.c\nfn=f\n1 5\n";

/// The program with little memory.
fn limited<'w>(folder: &Folder, args: &[&str]) -> Run<'w> {
    let run = program::limited(&format!("-v {MEMORY}"), PROGRAM).args(args);
    run.in_dir(folder.path(""))
}

fn run(folder: &Folder, args: &[&str]) -> Output {
    limited(folder, args).run()
}

/// Checks that there is no report, and one line that says why.
fn assert_refused(output: &Output, why: &str) {
    let error = output.error();
    assert_eq!(output.status, 1, "{error}");
    assert!(output.out.is_empty());
    assert_eq!(error, format!("cgannotate: {why}\n"));
}

/// Checks that the small profile is reported, whatever its file is called.
fn assert_reported(output: &Output) {
    assert_has(&output.page(), &["\n5 (100.0%)  a.c:f\n"]);
}

fn endless_input_is_refused() {
    let folder = Folder::with(&[]);
    let why = "/dev/zero:1: not a callgrind profile (a line of more than 1 MiB)";
    assert_refused(&run(&folder, &["/dev/zero"]), why);
    let random = run(&folder, &["/dev/urandom"]);
    assert_eq!(random.status, 1);
    assert_eq!(random.err.iter().filter(|&&b| b == b'\n').count(), 1);
    // After a correct beginning, and as one long name.
    for (begin, line) in [("", 1), ("events: Ir\nfn=f\n1 5\n", 4), ("events: Ir\nfn=", 2)] {
        let write = |pipe: &mut dyn Write| {
            pipe.write_all(begin.as_bytes())?;
            (0..1600).try_for_each(|_| pipe.write_all(&[b'x'; 64 << 10]))
        };
        let output = limited(&folder, &["-"]).stdin_from(write).run();
        let why = format!("-:{line}: not a callgrind profile (a line of more than 1 MiB)");
        assert_refused(&output, &why);
    }
}

fn gzip_bombs_are_refused() {
    let folder = Folder::with(&[]);
    // 100 GB of zeros, of lines that are not of a profile, and of headers.
    let long = "-:1: not a callgrind profile (a line of more than 1 MiB)";
    let no_events = "-: not a callgrind profile (no events: line)";
    let table = [
        ("", "\0", long),
        ("", "hello\n", no_events),
        ("events: Ir\n", "desc: x\n", "a header exceeds 64 MiB"),
    ];
    for (text, bytes, why) in table {
        let repeated = bytes.repeat((4 << 20) / bytes.len());
        let [begin, member] =
            [text, &repeated].map(|text| pack(text.as_bytes(), Compression::best()));
        let write = |pipe: &mut dyn Write| {
            pipe.write_all(&begin)?;
            (0..25_000).try_for_each(|_| pipe.write_all(&member))
        };
        let output = limited(&folder, &["-"]).stdin_from(write).run();
        let error = output.error();
        assert_eq!(output.status, 1, "{error}");
        assert!(error.contains(why) && error.lines().count() == 1, "{error}");
    }
}

fn any_number_of_parts_is_read() {
    let folder = Folder::with(&[]);
    let parts = (4 << 20) / "part: 1\n1 1\n".len();
    let text = "events: Ir\n".to_owned() + &"part: 1\n1 1\n".repeat(parts);
    let limited = limited(&folder, &["--auto=no", "-"]);
    let page = limited.stdin(text).run().page();
    let total = format!("\n{},{:03} (100.0%)  ???:???", parts / 1000, parts % 1000);
    assert!(page.contains(&total), "{}", &page[page.len() - 500..]);
    let listed = page.lines().filter(|line| line.ends_with(" 1: 1 Ir"));
    assert_eq!(listed.count(), parts);
}

fn large_numbers_in_a_file_take_no_memory() {
    let text = "events: Ir\nfl=(4000000000) a.c\nfn=(18446744073709551615) f\n4294967295 2\n2000000000 2\n0 1\n";
    let folder = Folder::with(&[("p.out", text), ("a.c", "source\n")]);
    let output = run(&folder, &["--context=4294967295", "p.out"]);
    // Line numbers are kept up to 2^31.
    let warning = "cgannotate: warning: p.out:4: position out of range, line skipped: 2 Ir\n";
    assert_eq!(output.error(), warning);
    assert_has(&output.page(), &["2 (66.67%)  <bogus line 2000000000>\n"]);
}

fn named_pipes_are_profiles_but_not_sources() {
    // As a source that a profile names it is not opened: nothing writes to it.
    let profile = "events: Ir\nfl=a.c\nfn=f\n1 5\nfl=fifo\nfn=g\n1 1\n";
    let folder = Folder::with(&[("p.out", profile)]);
    let fifo = folder.path("fifo");
    assert_eq!(other_program("mkfifo").arg(&fifo).run().status, 0);
    let output = run(&folder, &["--threshold=100", "p.out"]);
    assert_has(&output.page(), &["could not be found:\n----"]);
    // As a profile that the user names it is opened.
    thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, PROFILE).unwrap());
        assert_reported(&run(&folder, &["fifo"]));
    });
}

fn a_source_that_is_too_large_is_not_annotated() {
    let folder = Folder::with(&[("p.out", PROFILE)]);
    let source = File::create(folder.path("a.c")).unwrap();
    source.set_len((64 << 20) + 1).unwrap();
    let output = run(&folder, &["p.out"]);
    assert_reported(&output);
    let why = "cgannotate: warning: a.c: is larger than 64 MiB, not annotated\n";
    assert_eq!(output.error(), why);
}

fn a_file_may_grow_and_shrink_while_it_is_read() {
    let folder = Folder::with(&[]);
    let path = folder.path("p.out");
    let lines = "fn=f\n1 5\ncfn=g\ncalls=1 1\n1 5\n".repeat(20_000);
    let text = format!("creator: callgrind-3\nevents: Ir\nfl=a.c\n{lines}");
    fs::write(&path, &text).unwrap();
    let mut statuses = Vec::new();
    thread::scope(|scope| {
        let changing = scope.spawn(|| {
            let file = File::options().write(true).open(&path).unwrap();
            for round in 0u64..100 {
                let length = text.len() as u64 * (round % 7) / 6;
                file.set_len(length).unwrap();
                let length = text.len() * (round as usize % 5) / 4;
                folder.write("p.out", &text.as_bytes()[..length]);
            }
        });
        while !changing.is_finished() {
            let output = run(&folder, &["p.out"]);
            let error = output.error();
            // A hole is one long line. What is there is reported, with a warning that the file ends
            // early.
            let starts = ["cgannotate: warning: p.out:", "cgannotate: p.out:"];
            assert!(starts.iter().any(|start| error.starts_with(start)));
            assert!(error.lines().count() <= 11, "{error}");
            statuses.push(output.status);
        }
    });
    let mut all = statuses.iter();
    assert!(all.all(|status| matches!(status, 0 | 1)), "{statuses:?}");
}

fn a_real_profile_cut_anywhere_has_a_warning() {
    let text = fs::read(testdata("words/words.out")).unwrap();
    let end = text.len() - 1;
    let warnings = |end: usize| read_text(&text[..end]).map(|(_, warnings)| warnings);
    // Everywhere at the end, where the stated totals are, and at places in all the rest.
    for at in (end - 60..end).chain((0..end - 60).step_by(499)) {
        if let Ok(warnings) = warnings(at) {
            assert_ne!(warnings, ["0 more"], "cut at {at}");
        }
    }
    assert_eq!(warnings(end).unwrap(), ["0 more"]);
}

/// Characters that a terminal executes, XML must not have, or nobody sees.
const UNSEEN: [char; 22] = [
    '\0',
    '\u{1}',
    '\u{7}',
    '\u{8}',
    '\u{b}',
    '\u{c}',
    '\u{1b}',
    '\u{7f}',
    '\u{85}',
    '\u{9b}',
    '\u{61c}',
    '\u{200b}',
    '\u{200e}',
    '\u{200f}',
    '\u{2028}',
    '\u{2029}',
    '\u{202e}',
    '\u{2066}',
    '\u{feff}',
    '\u{fffe}',
    '\u{ffff}',
    '\u{e0041}',
];

fn no_report_for_people_has_characters_that_are_not_seen() {
    for unseen in UNSEEN {
        let name = |letter: char| format!("{letter}{unseen}{letter}");
        let [event, file, object, main, callee, command] = ['e', 'f', 'o', 'm', 'c', 'p'].map(name);
        // Blanks separate events.
        let event = if unseen.is_ascii_whitespace() || unseen == '\u{b}' { "e" } else { &event };
        let profile = |cost: u32| {
            format!(
                "cmd: ./{command}\ndesc: Trigger: {command}\nevents: {event} {event}2\nob={object}\nfl={file}\n\
                 fn={main}\n1 {cost} 1\ncfn={callee}\ncalls=1 2\n1 20 1\nfn={callee}\n2 20 1\n"
            )
        };
        let folder = Folder::with(&[("p.out", &profile(10)), ("base.out", &profile(9))]);
        if unseen != '\0' {
            folder.write(&file, format!("a{unseen}b\nc\n"));
        }
        let all: [&[&str]; 14] = [
            &["--format=flamegraph"],
            &["--format=html"],
            &["--format=html", "--diff=base.out"],
            &["--format=markdown"],
            &["--format=markdown", "-g", "file"],
            &["--format=markdown", "--diff=base.out", "--fail-above=900"],
            &["--format=dot"],
            &["--format=json"],
            &["--format=text", "--width=90", "--tree=both", "--auto"],
            &["--format=text", "--width=40", "--nested"],
            &["--format=text", "--width=60", "-g", "line"],
            &["--format=text", "--width=60", "-g", "object"],
            &["--format=text", "--width=60", "--diff=base.out"],
            &["--width=80", "--tree=both", "--auto"],
        ];
        for options in all {
            let output = folder.run(&[options, &["p.out"]].concat());
            let (page, error) = (output.page(), output.error());
            assert!(!page.contains(unseen), "{options:?} {unseen:?}\n{page}");
            assert!(!error.contains(unseen), "{options:?} {unseen:?}\n{error}");
        }
    }
}

fn messages_escape_every_mention_of_a_file() {
    let folder = Folder::with(&[]);
    let name = "a\u{1b}[31m\u{202e}\nb";
    let path = |name: &str| folder.path(name);
    fs::create_dir(path(name)).unwrap();
    folder.write(&format!("{name}.out"), PROFILE);
    folder.write(&format!("{name}.empty"), "");
    folder.write(&format!("{name}.data"), "PERFILE2");
    folder.write(&format!("{name}.bad"), "events: Ir\nnonsense\n1 x\n");
    let file = |end: &str| format!("{name}{end}");
    let output = |end: &str| format!("--output={name}{end}");
    let runs: [&[&str]; 10] = [
        &[&file(".none")],
        &[&file(".ou")],
        &[&file("")],
        &[&file(".empty"), &file(".out")],
        &[&file(".data")],
        &[&file(".bad")],
        &[&output(""), &file(".out")],
        &[&output("/x/y"), &file(".out")],
        &[&file(".out"), &file(".data")],
        &["--format=csv", &file(".out"), &file(".data")],
    ];
    for args in runs {
        let error = folder.run(args).error();
        assert!(error.contains(r"a\u{1b}[31m\u{202e}\nb"), "{args:?} {error}");
        assert!(!error.contains(['\u{1b}', '\u{202e}']), "{args:?} {error}");
        assert!(error.lines().all(|line| !line.starts_with('b')), "{args:?} {error}");
    }
}
