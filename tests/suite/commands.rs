//! Commands that messages suggest are safe to paste into a shell: whatever the names in a profile
//! and of files are, only the suggested program is run, and the names reach it as they are.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;

use crate::common::program::{Folder, Output, other_program};

trials![
    suggested_commands_with_names_of_files_are_read_as_they_are_by_a_shell,
    suggested_commands_with_names_of_a_profile_are_read_as_they_are_by_a_shell
];

/// Names that a shell, a terminal or this program may take for something else.
const NAMES: [&str; 24] = [
    "plain",
    "$(touch PWNED)",
    "`touch PWNED`",
    "a;touch${IFS}PWNED",
    "a&b",
    "a|b",
    ">PWNED",
    "<none",
    "-x",
    "--help",
    "it's",
    "a\"b",
    "a b",
    "a\nb",
    "\ttab",
    "~",
    "*",
    "a?[b]",
    "a!b",
    "#x",
    "a\\b",
    "{a,b}",
    "\u{1b}[31mred",
    "\u{202e}fdp",
];

/// The programs of suggested commands. Each prints its arguments.
const PROGRAMS: [&str; 4] = ["cgannotate", "perf", "speedscope", "valgrind"];

/// A folder with only these programs in `bin`.
fn folder() -> Folder {
    let folder = Folder::with(&[]);
    fs::create_dir(folder.path("bin")).unwrap();
    for program in PROGRAMS {
        let script = "for word; do printf '%s\\0' \"$word\"; done\n";
        folder.write_script(&format!("bin/{program}"), script);
    }
    folder
}

/// The command or the options that a message suggests after `before`; the first of several hints
/// ends at blanks.
fn suggested(output: &Output, before: &str) -> Option<String> {
    let text = String::from_utf8_lossy(&output.out) + String::from_utf8_lossy(&output.err);
    let (_, rest) = text.split_once(before)?;
    let line = rest.split('\n').next()?;
    Some(line.split("      ").next()?.to_owned())
}

/// Checks that a shell passes `expected` to the program of a command and does nothing else.
fn assert_read(folder: &Folder, command: &str, expected: &[&str]) {
    assert!(!command.contains(|c: char| c.is_control() || c == '\u{202e}'), "{command:?}");
    let names = || {
        let entries = fs::read_dir(folder.path("")).unwrap();
        entries.map(|entry| entry.unwrap().file_name()).collect::<BTreeSet<_>>()
    };
    let (before, bin) = (names(), folder.path("bin"));
    let shell = other_program("/bin/sh").args(["-c", command]).in_dir(folder.path(""));
    let output = shell.env("PATH", &bin).run();
    assert_eq!((output.status, &*output.error()), (0, ""), "{command}");
    let words = String::from_utf8(output.out).unwrap();
    let words: Vec<&str> = words.split_terminator('\0').collect();
    assert_eq!(words, expected, "{command}");
    assert_eq!(names(), before, "{command}");
}

/// A path in the current directory that is no option.
fn here(name: &str) -> String {
    if name.starts_with('-') { format!("./{name}") } else { name.to_owned() }
}

fn suggested_commands_with_names_of_files_are_read_as_they_are_by_a_shell() {
    let profile = |file: &str| format!("events: Ir\nfl={file}\nfn=f\n1 5\n");
    for name in NAMES {
        let path = format!("./{name}");
        let check = |folder: &Folder, args: &[&str], before: &str, expected: &[&str]| {
            let output = folder.run(args);
            let command = suggested(&output, before);
            let command = command.unwrap_or_else(|| panic!("{name:?} {args:?} {output:?}"));
            assert_read(folder, &command, expected);
        };
        let with = |file: &str, content: &[u8]| {
            let folder = folder();
            folder.write(file, content);
            folder
        };
        let program = fs::read("/bin/true").unwrap();

        let out = format!("{name}.out");
        let folder = with(&out, profile("a.c").as_bytes());
        check(&folder, &[], "other profile is: ", &[&here(&out)]);

        let folder = with(name, b"text\n");
        let newest = format!("callgrind.out.1{name}");
        folder.write(&newest, profile("a.c"));
        if folder.run(&["--auto=no"]).status == 0 {
            check(&folder, &[&path], "is annotated by: ", &[&newest, &path]);
        }

        let folder = with(name, b"PERFILE2");
        check(&folder, &[&path], "it is read by: ", &["report", "-i", &path]);
        let folder = with(name, b"{\"nodes\":[]}");
        check(&folder, &[&path], "it is read by: ", &[&path]);

        let folder = with(name, &program);
        let record = ["--tool=callgrind", &path];
        check(&folder, &[], "make one with: ", &record);
        check(&folder, &[&path], "make one with: ", &record);
        folder.write("p.out", profile("a.c"));
        let gmon = [&b"gmon\x01\0\0\0"[..], &[0; 12]].concat();
        folder.write("gmon.out", &gmon);
        check(&folder, &["gmon.out"], "directory: ", &[&here(name), "gmon.out"]);
        check(&folder, &[&path, "p.out"], "without the program: ", &["p.out"]);
        fs::remove_file(folder.path("p.out")).unwrap();
        check(&folder, &[], "gprof's data is: ", &[&here(name), "gmon.out"]);
        let folder = with(name, &gmon);
        check(&folder, &[&path], "directory: ", &["PROGRAM", &path]);
        let folder = with(name, profile("a.c").as_bytes());
        folder.write("program", &program);
        check(&folder, &["program", &path], "without the program: ", &[&path]);
    }
}

fn suggested_commands_with_names_of_a_profile_are_read_as_they_are_by_a_shell() {
    // Names with a newline cannot be in a profile, and those of events have no blanks.
    let mut counts = [0; 7];
    for name in NAMES.iter().filter(|name| !name.contains('\n') && name.trim() == **name) {
        let folder = folder();
        let event = name.replace(' ', "_");
        let functions = format!("fn={name}\n1 5 3\nfn=x{name}y\n2 7 4\n");
        let calls = format!("cfn={name}\ncalls=3 1\n3 1 1\n");
        folder.write("p.out", format!("events: {event} Long_name_of_an_event_that_fills_a_line\nfl={name}\n{functions}{calls}"));
        folder.write(name, "a\nb\n");
        let path = format!("./{name}");
        let sort = format!("--sort={event}");
        let file = format!("--file={name}");
        let wide = format!("*{name}*");
        let part = format!("--function={name}");
        let line = here(&format!("{name}:2"));
        let table: [(&[&str], &str, &[&str]); 7] = [
            (&["--format=text", &sort, "p.out"], "next: ", &[&sort, "p.out", &line]),
            (
                &["--format=text", "--lines=no", &sort, "p.out"],
                "source lines: ",
                &["-s", &event, "p.out", &here(name)],
            ),
            (
                &["--format=text", "--lines=no", &sort, "p.out"],
                "hottest lines: ",
                &["-g", "line", "-s", &event],
            ),
            (
                &[
                    "--format=text",
                    "--lines=no",
                    "--width=40",
                    "--sort=Long_name_of_an_event_that_fills_a_line",
                    "p.out",
                ],
                ": --show=",
                &[&event],
            ),
            (
                &["--format=csv", "p.out", &path],
                "its lines: ",
                &["-g", "line", &file, "--format=csv"],
            ),
            (&["--format=text", &part, "p.out"], "in the name: ", &["-f", &wide]),
            (&["p.out", &format!("x{name}y")], "for the function: ", &["-f", &format!("x{name}y")]),
        ];
        for ((args, before, expected), count) in table.into_iter().zip(&mut counts) {
            let output = folder.run(args);
            let Some(command) = suggested(&output, before) else {
                continue;
            };
            *count += 1;
            let command = match command.strip_prefix("cgannotate ") {
                Some(_) => command,
                None => format!("cgannotate {command}"),
            };
            // An option and a value that begins with a dash are one word.
            let dashed = expected.iter().position(|word| word.starts_with('-') && *word == event);
            match dashed.filter(|&at| at > 0) {
                Some(at) => {
                    let joined = format!("{}={}", expected[at - 1], expected[at]);
                    let mut words = expected.to_vec();
                    words.splice(at - 1..=at, [&*joined]);
                    assert_read(&folder, &command, &words);
                }
                None => assert_read(&folder, &command, expected),
            }
        }
    }
    assert!(counts.iter().all(|&count| count >= 10), "{counts:?}");
}
