//! The output in a pseudo-terminal, as an emulator shows it.

#![cfg(unix)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

use crate::common::corpus::{self, testdata};
use crate::common::program::program;

trials![
    a_long_load_shows_a_bar_and_then_nothing_of_it,
    no_bar_where_nobody_sees_it,
    a_terminal_gets_colours_unless_told_otherwise,
    names_are_as_short_as_the_terminal_wants_them,
    names_and_sources_send_no_control_characters,
    the_unit_of_samples_sends_no_control_characters,
    the_short_head_has_the_samples_of_both_sides,
    a_pipe_gets_no_colours_and_with_them_the_same_text,
    a_terminal_gets_a_short_page,
    functions_on_a_terminal_have_their_lines
];

const ROWS: u16 = 60;

/// Environment variables.
pub(crate) type Settings<'a> = &'a [(&'a str, &'a str)];

/// A program in a terminal of a given width.
pub(crate) struct Session {
    pub(crate) terminal: Pty,
    pub(crate) child: std::process::Child,
}

impl Session {
    pub(crate) fn start(folder: &Path, columns: u16, settings: Settings, args: &[&str]) -> Session {
        Session::spawn(
            columns,
            command(folder, settings, args).stdin(Stdio::piped()),
        )
    }

    pub(crate) fn spawn(columns: u16, command: Command) -> Session {
        let (terminal, inside) = open().unwrap();
        terminal.resize(Size::new(ROWS, columns)).unwrap();
        let child = command.spawn(inside).unwrap();
        Session { terminal, child }
    }

    /// The other end of standard input.
    pub(crate) fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// What the terminal got until `text` came, or the end.
    pub(crate) fn until(&mut self, text: Option<&str>) -> Vec<u8> {
        let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
        loop {
            // At the end Linux tells of an error instead of no more bytes.
            let size = self.terminal.read(&mut buffer).unwrap_or(0);
            all.extend_from_slice(&buffer[..size]);
            let is_there = text.is_some_and(|text| String::from_utf8_lossy(&all).contains(text));
            if size == 0 || is_there {
                return all;
            }
        }
    }

    /// All that it got, after the program ended well.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let all = self.until(None);
        assert!(self.child.wait().unwrap().success());
        all
    }
}

pub(crate) fn command(folder: &Path, settings: Settings, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
    command = command.args(args).current_dir(folder);
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "CI",
        "LESS",
    ] {
        command = command.env_remove(name);
    }
    command
        .env("TERM", "xterm-256color")
        .env("CGANNOTATE_PAGER", "")
        .envs(settings.iter().copied())
}

/// The lines that a terminal shows after it got these bytes.
pub(crate) fn screen(columns: u16, bytes: &[u8]) -> Vec<String> {
    let mut parser = vt100::Parser::new(ROWS.try_into().unwrap(), columns.try_into().unwrap(), 0);
    parser.process(bytes);
    let rows = parser.screen().rows(0, columns);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

fn a_long_load_shows_a_bar_and_then_nothing_of_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("bad.out"),
        "events: Ir\nfn=f\nwhat\n1 5\n",
    )
    .unwrap();
    let mut session = Session::start(folder.path(), 100, &[], &["--auto=no", "-", "bad.out"]);
    let mut input = session.input();
    input.write_all(b"events: Ir\nfn=f\n1 5\n").unwrap();
    // It waits for more, and the bar comes; without one this would wait for ever.
    let mut all = session.until(Some("reading"));
    assert!(
        screen(100, &all)[0].starts_with("reading "),
        "{:?}",
        screen(100, &all)
    );
    input.write_all(b"2 7\n").unwrap();
    drop(input);
    all.extend(session.finish());
    let screen = screen(100, &all);
    assert_eq!(
        screen[0],
        "cgannotate: warning: bad.out:3: unrecognised line, skipped"
    );
    assert_eq!(
        screen[1],
        "17 Ir (instructions executed)    standard input + 1 file"
    );
    assert!(
        !screen.iter().any(|line| line.contains("reading")),
        "{screen:?}"
    );
}

fn no_bar_where_nobody_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--auto=no", "--color=never", "-"];
    let dumb = command(folder.path(), &[("TERM", "dumb")], &args);
    let piped = command(folder.path(), &[], &args).stderr(Stdio::piped());
    for command in [dumb, piped] {
        let mut session = Session::spawn(100, command.stdin(Stdio::piped()));
        let mut input = session.input();
        let errors = session.child.stderr.take();
        input.write_all(b"events: Ir\nfn=f\n1 5\n").unwrap();
        std::thread::sleep(Duration::from_millis(800));
        drop(input);
        let all = String::from_utf8(session.finish()).unwrap();
        assert!(
            all.starts_with("5 Ir (instructions executed)    standard input\r\n"),
            "{all}"
        );
        let mut text = String::new();
        errors.map(|mut errors| errors.read_to_string(&mut text).unwrap());
        assert_eq!(text, "");
    }
}

const MANY_ARGUMENTS: &str =
    "std::map<std::string, std::vector<int, std::allocator<int> > >::find(std::string const&)";

/// A folder with a profile of long and of evil names, and a source.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let profile = format!(
        "events: Ir\nob=/usr/lib/some/where/libmap.so\nfl=a.c\nfn={MANY_ARGUMENTS}\n1 900\nfn=\x1b]0;owned\x07\n2 99\n\
         fn=\u{65e5}\u{672c}\n3 1\n"
    );
    std::fs::write(folder.path().join("p.out"), profile).unwrap();
    std::fs::write(folder.path().join("a.c"), "one\n\x1b[31mtwo\u{9b}\nthree\n").unwrap();
    folder
}

/// What a terminal of a given width gets.
fn shown(columns: u16, settings: Settings, args: &[&str]) -> String {
    let folder = folder();
    let session = Session::start(folder.path(), columns, settings, args);
    String::from_utf8(session.finish()).unwrap()
}

fn a_terminal_gets_colours_unless_told_otherwise() {
    let bold_red = "\x1b[1m\x1b[31m90.0%\x1b[0m";
    let without: [(Settings, &[&str]); 4] = [
        (&[("NO_COLOR", "1")], &["p.out"]),
        (&[("TERM", "dumb")], &["p.out"]),
        (&[("CLICOLOR", "0")], &["p.out"]),
        (&[], &["--color=never", "p.out"]),
    ];
    for (settings, args) in without {
        let page = shown(100, settings, args);
        assert!(
            page.contains("900 90.0%  std::map::find       a.c [libmap.so]"),
            "{settings:?} {args:?}: {page}"
        );
        assert!(!page.contains('\x1b'), "{settings:?} {args:?}: {page}");
    }
    let with: [(Settings, &[&str]); 2] = [
        (&[], &["p.out"]),
        (&[("NO_COLOR", "1")], &["--color=always", "p.out"]),
    ];
    for (settings, args) in with {
        let page = shown(100, settings, args);
        assert!(
            page.contains(&format!("{bold_red}  \x1b[1mstd::map::find\x1b[0m")),
            "{page}"
        );
        assert!(page.contains("\x1b[36ma.c [libmap.so]\x1b[0m"), "{page}");
        assert!(page.contains("\x1b[2m  self"), "{page}");
    }
}

fn names_are_as_short_as_the_terminal_wants_them() {
    let lines = |columns, args: &[&str]| {
        let args = [args, &["--auto=no", "--threshold=100", "p.out"]].concat();
        let page = shown(columns, &[], &args);
        let screen = screen(columns, page.as_bytes());
        let from = screen.iter().position(|line| line.contains("function"));
        let from = from.unwrap();
        screen[from + 1..from + 4].to_vec()
    };
    let find = |line: &str| format!("   900 90.0%  {line}");
    let place = "a.c [libmap.so]";
    let short = find("std::map::find       a.c [libmap.so]");
    assert_eq!(lines(160, &[])[0], short);
    let full = &["--names=full"];
    assert_eq!(
        lines(160, full)[0],
        find(&format!("{MANY_ARGUMENTS}  {place}"))
    );
    let inner = "std::map<std::string, std::vector<\u{2026}> >::find(std::string const&)";
    assert_eq!(lines(110, full)[0], find(&format!("{inner}  {place}")));
    let outer = "std::map<\u{2026}>::find(std::string const&)";
    assert_eq!(lines(76, full)[0], find(&format!("{outer}  {place}")));
    assert_eq!(
        lines(48, full)[0],
        find("std::map<\u{2026}>::find(\u{2026})")
    );
    // The Japanese name has four columns, not two.
    assert_eq!(
        lines(160, &[])[2],
        "     1  0.1%  \u{65e5}\u{672c}                 a.c [libmap.so]"
    );
    let args = [
        "--names=full",
        "--auto=no",
        "--width=0",
        "--color=never",
        "p.out",
    ];
    let whole = shown(60, &[], &args);
    assert!(
        whole.contains(&find(&format!("{MANY_ARGUMENTS}  {place}"))),
        "{whole}"
    );
}

fn names_and_sources_send_no_control_characters() {
    for args in [
        &["--auto", "p.out"][..],
        &["--auto", "--color=never", "p.out"],
        &["--auto", "--tree=both", "p.out"],
        &["--auto", "--layout=classic", "p.out"],
    ] {
        let page = shown(200, &[], args);
        assert!(page.contains("\\u{1b}]0;owned\\u{7}"), "{page}");
        assert!(page.contains("\\u{1b}[31mtwo\\u{9b}"), "{page}");
        let safe = anstream::adapter::strip_str(&page).to_string();
        assert!(
            !safe
                .chars()
                .any(|c| c.is_control() && c != '\n' && c != '\r'),
            "{safe:?}"
        );
    }
}

fn the_unit_of_samples_sends_no_control_characters() {
    let testdata = testdata("gmon");
    let folder = tempfile::tempdir().unwrap();
    let mut data = std::fs::read(testdata.join("gmon.out")).unwrap();
    let unit = memchr::memmem::find(&data, b"seconds").unwrap();
    data[unit + 3] = b'\x1b';
    std::fs::write(folder.path().join("gmon.out"), data).unwrap();
    let words = testdata.join("words").to_str().unwrap().to_owned();
    let args = ["gprof", "-b", "-p", &words, "gmon.out"];
    let page = Session::start(folder.path(), 200, &[], &args).finish();
    let page = String::from_utf8(page).unwrap();
    let head = "Each sample counts as 0.01 sec\\u{1b}nds.";
    assert!(page.contains(head) && !page.contains('\x1b'), "{page:?}");
}

fn the_short_head_has_the_samples_of_both_sides() {
    let folder = corpus::files_of_case("gmon/diff");
    let args = ["--auto=no", "--diff=old.out", "prog", "gmon.out"];
    let page = Session::start(&folder, 100, &[], &args).finish();
    let lines = screen(100, &page);
    let samples =
        |name, count| format!("{name}: {count} of 0.01 seconds (inclusive costs are estimates)");
    assert_eq!(
        lines[1..3],
        [samples("Samples", 114), samples("Base samples", 252)]
    );
}

/// What standard output gets if it is a pipe.
fn piped(settings: Settings, args: &[&str]) -> Vec<u8> {
    let words = testdata("words");
    let mut run = program().args(args).in_dir(words);
    run = run.without_env(&["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"]);
    for (name, value) in settings {
        run = run.env(name, value);
    }
    run.run().page().into_bytes()
}

fn a_pipe_gets_no_colours_and_with_them_the_same_text() {
    let options: [&[&str]; 6] = [
        &["words.out"],
        &["--layout=columns", "--tree=both", "words.out"],
        &["-I=../..", "--tree=both", "--threshold=100", "words.out"],
        &["--inclusive", "--show-percs=no", "words.sim.out"],
        &["-I=../..", "--diff=words.out", "words-longer.out"],
        &[
            "-I=../..",
            "--diff=words-longer.out",
            "--threshold=100",
            "--tree=both",
            "words.out",
        ],
    ];
    for options in options {
        let with = |more: &'static str| [options, &[more]].concat();
        let plain = piped(&[("TERM", "xterm")], options);
        assert!(!plain.contains(&0x1b), "{options:?}");
        assert_eq!(plain, piped(&[], &with("--color=never")), "{options:?}");
        let colourful = piped(&[], &with("--color=always"));
        assert!(
            colourful.windows(4).any(|four| four == b"\x1b[1m"),
            "{options:?}"
        );
        let stripped = anstream::adapter::strip_bytes(&colourful).into_vec();
        assert_eq!(
            String::from_utf8(stripped),
            String::from_utf8(plain),
            "{options:?}"
        );
        assert_eq!(
            piped(&[("CLICOLOR_FORCE", "1")], options),
            colourful,
            "{options:?}"
        );
    }
}

/// A profile with sources of three kinds and four events, and a folder with one of the sources.
fn folder_of_page() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let profile = "creator: xdebug 3.2\ncmd: ./program one two\nevent: I1mr : Fetch Misses\nevents: Ir Dr Dw I1mr\n\
                   fl=a.c\nfn=main\n1 9000 50 50 50\nfl=/usr/include/c++/12/vector\nfn=grow\n2 500 50 50 70\nfl=/rustc/0123/library/core/src/num.rs\nfn=parse\n3 300 1 1 1\n\
                   fl=gone.c\nfn=gone\n3 200 1 1 1\n";
    std::fs::write(folder.path().join("p.out"), profile).unwrap();
    std::fs::write(folder.path().join("a.c"), "int main() {}\n").unwrap();
    folder
}

fn a_terminal_gets_a_short_page() {
    let folder = folder_of_page();
    let page = |columns, args: &[&str]| {
        let session = Session::start(folder.path(), columns, &[], &[&["p.out"], args].concat());
        screen(columns, &session.finish()).join("\n")
    };
    let start = "./program one two    10,000 Ir (instructions executed)    p.out\n\n";
    let text = page(80, &[]);
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.contains("\n   self        Dr  Dw  I1mr  function  where\n"),
        "{text}"
    );
    // No source is annotated unless that is requested, or one is named.
    assert!(!text.contains("annotated"), "{text}");
    assert!(
        text.contains("source lines: cgannotate p.out a.c\n"),
        "{text}"
    );
    let text = page(80, &["a.c"]);
    assert!(
        text.contains("int main() {}\n") && !text.contains("grow"),
        "{text}"
    );
    let text = page(80, &["--auto"]);
    assert!(text.contains("  gone.c\n"), "{text}");
    // As many events as there is room for, the first sort event among them.
    let text = page(40, &["--sort=I1mr"]);
    assert!(
        text.starts_with("./program one t…    122 I1mr (Fetch Mis…\n"),
        "{text}"
    );
    assert!(
        text.contains("\nnot shown: Ir Dr Dw: --show=Ir\n"),
        "{text}"
    );
    let text = page(80, &["--header"]);
    assert!(text.contains("Events recorded:  Ir Dr Dw I1mr\n"), "{text}");
    let text = page(80, &["--no-header"]);
    assert!(text.starts_with("   self "), "{text}");
    // As in a pipe.
    let text = page(140, &["--layout=classic", "--auto=no"]);
    assert!(text.contains("Events recorded:  Ir Dr Dw I1mr\n"), "{text}");
    assert!(text.contains("\n10,000 (100.0%) 102 (100.0%)"), "{text}");
    assert!(text.contains("/usr/include/c++/12/vector:grow\n"), "{text}");
}

fn functions_on_a_terminal_have_their_lines() {
    let folder = folder_of_page();
    let page = |args: &[&str]| {
        let all = [&["p.out", "--auto=no", "--show=Ir"], args].concat();
        let session = Session::start(folder.path(), 80, &[], &all);
        screen(80, &session.finish()).join("\n")
    };
    let nested = "  9,000 90.0%  main      a.c\n  9,000 90.0%    :1      int main() {}\n";
    assert!(
        page(&["--nested"]).contains(nested),
        "{}",
        page(&["--nested"])
    );
    let others: [&[&str]; 3] = [&[], &["-g", "function", "-i"], &["-g", "file"]];
    for options in others {
        assert!(!page(options).contains("    :1"), "{options:?}");
    }
}
