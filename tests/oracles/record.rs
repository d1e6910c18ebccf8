//! `cgannotate record` with the real valgrind: programs that end in every way.

use std::fs;

use libtest_mimic::Trial;

use crate::common::program::{Folder, Output, assert_has};
use crate::oracles::{run, source, trial};

pub fn trials() -> Vec<Trial> {
    let needs = ["valgrind", "gcc"];
    let all: [(&str, fn()); 10] = [
        ("a program runs as without valgrind, and its profile is printed", the_profile_is_printed),
        ("the exit status is the program's", the_exit_status_is_the_programs),
        ("an interrupted program has a profile", an_interrupted_program_has_a_profile),
        ("a request to end is passed on", a_request_to_end_is_passed_on),
        ("options are passed to valgrind", options_are_passed_to_valgrind),
        ("caches of a desktop computer", caches_are_those_of_a_desktop_computer),
        ("parts and threads are read", all_parts_are_read),
        ("other processes are named", other_processes_are_named),
        ("a program that is replaced has no profile", a_replaced_program_has_no_profile),
        ("no profile is an error of its own", no_profile_is_an_error_of_its_own),
    ];
    let of_valgrind = all.map(|(name, run)| trial(&needs, &format!("record: {name}"), run));
    let before =
        trial(&[], "record: programs that cannot be executed", programs_that_cannot_be_executed);
    of_valgrind.into_iter().chain([before]).collect()
}

/// A folder with the program `ending`.
fn folder() -> Folder {
    let folder = Folder::with(&[]);
    let source = source("ending.c");
    run(&folder.path(""), "gcc", &["-g", "-O1", "-o", "ending", source.to_str().unwrap()]);
    folder
}

fn record(folder: &Folder, args: &[&str]) -> Output {
    folder.run(&[&["record"], args].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8(output.out.clone()).unwrap()
}

/// The names of the profiles in a folder.
fn profiles(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path("")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("callgrind.out")).collect()
}

fn the_profile_is_printed() {
    let folder = folder();
    let input = folder.program(&["record", "./ending", "read"]).stdin("a line\n");
    let output = input.run();
    let page = output.page();
    assert!(page.starts_with("read a line\ndone\n./ending read "), "{page}");
    let profiles = profiles(&folder);
    assert_eq!(profiles.len(), 1);
    assert_has(&page, &[&profiles[0], "work", "ending.c"]);
    assert_eq!(output.error(), "");
    // The list is that of the file.
    let list = folder.page(&["--format=text", &profiles[0]]);
    assert!(page.ends_with(&list), "{page}");
    // With addresses.
    assert_has(&folder.read(&profiles[0]), &["\npositions: instr line\n"]);
}

fn the_exit_status_is_the_programs() {
    let folder = folder();
    for (how, status) in [("", 0), ("seven", 7), ("abort", 134)] {
        let output = record(&folder, &["./ending", how]);
        assert_eq!(output.status, status, "{how}: {}", output.error());
        assert_has(&text(&output), &["work"]);
    }
}

fn an_interrupted_program_has_a_profile() {
    let folder = folder();
    // In a process group of its own, all of which gets the signal, as from a terminal.
    let script = r#"set -m; "$0" record ./ending interrupt & wait %1; exit $?"#;
    let args = ["-c", script, env!("CARGO_BIN_EXE_cgannotate")];
    let output =
        crate::common::program::other_program("bash").args(args).in_dir(folder.path("")).run();
    assert_eq!(output.status, 130, "{}", output.error());
    assert_has(&text(&output), &["work"]);
}

fn a_request_to_end_is_passed_on() {
    let folder = folder();
    let output = record(&folder, &["./ending", "terminate"]);
    assert_eq!(output.status, 143, "{}", output.error());
    assert_has(&text(&output), &["work"]);
}

fn options_are_passed_to_valgrind() {
    let folder = folder();
    let options = ["--toggle-collect=work", "--callgrind-out-file=my.%p.out", "--", "./ending"];
    let page = record(&folder, &options).page();
    // Nothing but what is collected below `work`.
    assert_has(&page, &["100.0%", "work", " my."]);
    assert!(!page.split_whitespace().any(|word| word == "main"), "{page}");
    assert_eq!(profiles(&folder), [""; 0]);
}

fn caches_are_those_of_a_desktop_computer() {
    let folder = folder();
    record(&folder, &["--cache", "./ending"]).page();
    let profile = folder.read(&profiles(&folder)[0]);
    assert_has(&profile, &["\ndesc: LL cache: 8388608 B, 64 B, 16-way associative\n", " Bcm "]);
    // Later options win.
    record(&folder, &["--cache", "--LL=1048576,16,64", "--callgrind-out-file=other", "./ending"])
        .page();
    assert_has(&folder.read("other"), &["\ndesc: LL cache: 1048576 B"]);
}

fn all_parts_are_read() {
    let folder = folder();
    let parts = record(&folder, &["--dump-before=work", "./ending"]).page();
    assert_has(&parts, &[".1 + 1 part\n"]);
    let threads = record(&folder, &["--separate-threads=yes", "./ending"]).page();
    assert_has(&threads, &["-01\n", "work"]);
}

fn other_processes_are_named() {
    let folder = folder();
    // A profile that was there before is none of them.
    folder.write("callgrind.out.1", "events: Ir\nfn=f\n1 1\n");
    let output = record(&folder, &["./ending", "fork"]);
    assert_eq!(output.error(), "cgannotate: note: 1 more process: cgannotate callgrind.out.*\n");
    assert_eq!(output.status, 0);
    assert_eq!(profiles(&folder).len(), 3);
}

fn a_replaced_program_has_no_profile() {
    let folder = folder();
    let output = record(&folder, &["./ending", "exec"]);
    let error = "cgannotate: ./ending started another program in its place: record that program, or with \
                 --trace-children=yes\n";
    assert_eq!((output.error(), output.status), (error.to_owned(), 125));
    let page = record(&folder, &["--trace-children=yes", "./ending", "exec"]).page();
    assert_has(&page, &["/bin/true "]);
}

fn no_profile_is_an_error_of_its_own() {
    let folder = folder();
    let output = record(&folder, &["./ending", "kill"]);
    let error = "cgannotate: ./ending: ended by signal 9 before a profile was written\n";
    assert_eq!((output.error(), output.status), (error.to_owned(), 125));
    let output = record(&folder, &["--no-such-option", "./ending"]);
    assert_has(
        &output.error(),
        &["\ncgannotate: valgrind wrote no profile of ./ending (exit status: 1)\n"],
    );
    assert_eq!(output.status, 125);
    // Nor is an older profile of the name that is given the one of this run.
    let name = "--callgrind-out-file=named";
    assert_has(&record(&folder, &[name, "./ending"]).page(), &["work"]);
    let output = record(&folder, &[name, "--no-such-option", "./ending"]);
    assert_eq!((text(&output), output.status), (String::new(), 125));
}

/// All are found out before valgrind starts, which is not there.
fn programs_that_cannot_be_executed() {
    let folder = Folder::with(&[("text", "no program\n")]);
    folder.write_script("script", "exit 0\n");
    let table = [
        (&["./missing"][..], 127, "cgannotate: ./missing: not found"),
        (&["missing"], 127, "cgannotate: missing: not found"),
        (&["./text"], 126, "cgannotate: ./text: cannot be executed: its file is not executable"),
        (&["./"], 126, "cgannotate: ./: cannot be executed: it is no file"),
        (
            &["./script"],
            125,
            "cgannotate: valgrind: not found; install it, for example: apt install valgrind",
        ),
        (&[], 125, "error: which program? cgannotate record PROGRAM [ARGS]"),
        (
            &["--format=json", "./script"],
            125,
            "error: --format=json is an option of reports, which run after the recording: cgannotate record \
             ./script && cgannotate --format=json",
        ),
    ];
    for (args, status, error) in table {
        let run = folder.program(&[&["record"], args].concat()).env("PATH", "/nonexistent").run();
        assert_eq!((run.error(), run.status), (format!("{error}\n"), status), "{args:?}");
    }
}
