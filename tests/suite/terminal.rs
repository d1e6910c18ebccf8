//! The output in a pseudo-terminal, as an emulator shows it.

#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Pty, open};

use crate::common::corpus::{path_of, testdata};
use crate::common::program::{Folder, assert_has, assert_lacks, program};

trials![
    a_long_load_shows_a_bar_and_then_nothing_of_it,
    no_bar_where_nobody_sees_it,
    a_terminal_gets_colours_unless_an_option_or_variable_says_no,
    a_list_is_as_wide_as_the_terminal,
    names_and_sources_send_no_control_characters,
    the_unit_of_samples_sends_no_control_characters,
    messages_are_wrapped_between_words,
    a_pipe_gets_no_colours_and_with_them_the_same_text,
    a_terminal_gets_a_short_page
];

const ROWS: u16 = 60;

/// Environment variables.
pub(crate) type Settings<'a> = &'a [(&'a str, &'a str)];

/// A program in a terminal of a given width.
pub(crate) struct Session {
    terminal: Pty,
    /// The program's side of the terminal. It stays open until all has been read: Linux may lose
    /// the last bytes that a program writes if its end closes the terminal.
    inside: File,
    pub(crate) child: std::process::Child,
}

/// What the terminal gets after all that the program wrote.
const END: &str = "\0end of the program";

impl Session {
    pub(crate) fn start(folder: &Path, columns: u16, settings: Settings, args: &[&str]) -> Session {
        let mut command = command(folder, settings, args);
        Session::spawn(columns, command.stdin(Stdio::piped()), None)
    }

    /// Standard output is the terminal, and so is standard error output unless it is given.
    pub(crate) fn spawn(columns: u16, command: &mut Command, errors: Option<Stdio>) -> Session {
        let (terminal, inside) = open().unwrap();
        terminal.resize(Size::new(ROWS, columns)).unwrap();
        let inside = File::from(inside.as_fd().try_clone_to_owned().unwrap());
        let errors = errors.unwrap_or_else(|| inside.try_clone().unwrap().into());
        let child = command.stdout(inside.try_clone().unwrap()).stderr(errors).spawn().unwrap();
        Session { terminal, inside, child }
    }

    /// The other end of standard input.
    pub(crate) fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// What the terminal got until `text` came.
    pub(crate) fn until(&mut self, text: &str) -> Vec<u8> {
        read_until(&mut self.terminal, text)
    }

    /// All that the terminal got, and the exit status.
    pub(crate) fn ended(mut self) -> (Vec<u8>, ExitStatus) {
        let Session { terminal, inside, child } = &mut self;
        std::thread::scope(|scope| {
            let status = scope.spawn(|| {
                let status = child.wait().unwrap();
                inside.write_all(END.as_bytes()).unwrap();
                status
            });
            let mut all = read_until(terminal, END);
            all.truncate(all.len() - END.len());
            (all, status.join().unwrap())
        })
    }

    /// All that the terminal got, after the program ended well.
    pub(crate) fn finish(self) -> Vec<u8> {
        let (all, status) = self.ended();
        assert!(status.success());
        all
    }
}

fn read_until(terminal: &mut Pty, text: &str) -> Vec<u8> {
    let (mut all, mut buffer) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&all).contains(text) {
        let size = terminal.read(&mut buffer).unwrap();
        all.extend_from_slice(&buffer[..size]);
    }
    all
}

pub(crate) fn command(folder: &Path, settings: Settings, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
    command.args(args).current_dir(folder);
    for name in "NO_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS CI LESS LESSCHARSET".split(' ') {
        command.env_remove(name);
    }
    command
        .env("TERM", "xterm-256color")
        .env("CGANNOTATE_PAGER", "")
        .envs(settings.iter().copied());
    command
}

/// The lines that a terminal shows after it got these bytes.
pub(crate) fn screen(columns: u16, bytes: &[u8]) -> Vec<String> {
    let mut parser = vt100::Parser::new(ROWS.try_into().unwrap(), columns.try_into().unwrap(), 0);
    parser.process(bytes);
    let rows = parser.screen().rows(0, columns);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

fn a_long_load_shows_a_bar_and_then_nothing_of_it() {
    let folder = Folder::with(&[("bad.out", "events: Ir\nfn=f\nwhat\n1 5\n")]);
    let args = ["--auto=no", "-", "bad.out"];
    let mut session = Session::start(&folder.path(""), 100, &[], &args);
    let mut input = session.input();
    input.write_all(b"events: Ir\nfn=f\n1 5\n").unwrap();
    // It waits for more, and the bar comes; without one this would wait for ever.
    let mut all = session.until("reading");
    let before = screen(100, &all);
    assert!(before[0].starts_with("reading "), "{before:?}");
    input.write_all(b"2 7\n").unwrap();
    drop(input);
    all.extend(session.finish());
    let screen = screen(100, &all);
    let warning = "cgannotate: warning: bad.out:3: unrecognised line, skipped";
    let head = "17 Ir (instructions executed)    standard input + 1 file";
    assert_eq!(screen[..2], [warning, head]);
    assert_lacks(&screen.join("\n"), &["reading"]);
}

fn no_bar_where_nobody_sees_it() {
    let folder = Folder::with(&[]);
    let args = ["--auto=no", "--color=never", "-"];
    let dumb = command(&folder.path(""), &[("TERM", "dumb")], &args);
    let piped = command(&folder.path(""), &[], &args);
    for (mut command, errors) in [(dumb, None), (piped, Some(Stdio::piped()))] {
        let mut session = Session::spawn(100, command.stdin(Stdio::piped()), errors);
        let mut input = session.input();
        let errors = session.child.stderr.take();
        input.write_all(b"events: Ir\nfn=f\n1 5\n").unwrap();
        std::thread::sleep(Duration::from_millis(800));
        drop(input);
        let all = String::from_utf8(session.finish()).unwrap();
        let head = "5 Ir (instructions executed)    standard input\r\n";
        assert!(all.starts_with(head), "{all}");
        let mut text = String::new();
        errors.map(|mut errors| errors.read_to_string(&mut text).unwrap());
        assert_eq!(text, "");
    }
}

const MANY_ARGUMENTS: &str =
    "std::map<std::string, std::vector<int, std::allocator<int> > >::find(std::string const&)";

/// What a terminal of a given width gets of a profile of long and of evil names.
fn shown(columns: u16, settings: Settings, args: &[&str]) -> String {
    let profile = format!(
        "events: Ir\nob=/usr/lib/some/where/libmap.so\nfl=a.c\nfn={MANY_ARGUMENTS}\n1 900\nfn=\x1b]0;owned\x07\n2 99\n\
         fn=\u{65e5}\u{672c}\n3 1\n"
    );
    let source = "one\n\x1b[31mtwo\u{9b}\nthree\n";
    let folder = Folder::with(&[("p.out", &profile), ("a.c", source)]);
    let args = [args, &["p.out"]].concat();
    let session = Session::start(&folder.path(""), columns, settings, &args);
    String::from_utf8(session.finish()).unwrap()
}

fn a_terminal_gets_colours_unless_an_option_or_variable_says_no() {
    let without: [(Settings, &[&str]); 4] = [
        (&[("NO_COLOR", "1")], &[]),
        (&[("TERM", "dumb")], &[]),
        (&[("CLICOLOR", "0")], &[]),
        (&[], &["--color=never"]),
    ];
    for (settings, args) in without {
        let page = shown(100, settings, args);
        let row = "900 90.0%  std::map::find       a.c:1  one";
        assert_has(&page, &[row]);
        assert_lacks(&page, &["\x1b"]);
    }
    let with: [(Settings, &[&str]); 3] =
        [(&[], &[]), (&[], &["--output=/dev/stdout"]), (&[("NO_COLOR", "1")], &["--color=always"])];
    for (settings, args) in with {
        let row = "\x1b[1m\x1b[31m90.0%\x1b[0m  \x1b[1mstd::map::find\x1b[0m";
        let place = "\x1b[36ma.c:1  one\x1b[0m";
        assert_has(&shown(100, settings, args), &[row, place, "\x1b[2mself"]);
    }
}

/// Golden cases of columns have the other widths.
fn a_list_is_as_wide_as_the_terminal() {
    let args = ["--lines=no", "--auto=no", "--threshold=100", "--names=full"];
    let name = "std::map<std::string, std::vector<\u{2026}> >::find(std::string const&)";
    let page = shown(110, &[], &args);
    let line = format!("\n   900 90.0%  {name}  a.c [libmap.so]\n");
    assert_has(&screen(110, page.as_bytes()).join("\n"), &[&line]);
    // One that has no size is as wide as the shell says.
    let page = shown(0, &[("COLUMNS", "110")], &args);
    assert_has(&screen(110, page.as_bytes()).join("\n"), &[&line]);
    let args = [&args[..], &["--width=0", "--color=never"]].concat();
    let whole = format!("   900 90.0%  {MANY_ARGUMENTS}  a.c [libmap.so]");
    assert_has(&shown(60, &[], &args), &[&whole]);
}

fn names_and_sources_send_no_control_characters() {
    for option in ["--auto", "--color=never", "--tree=both", "--format=classic"] {
        let page = shown(200, &[], &["--auto", option]);
        assert_has(&page, &["\\u{1b}]0;owned\\u{7}", "\\u{1b}[31mtwo\\u{9b}"]);
        let safe = anstream::adapter::strip_str(&page).to_string();
        let is_odd = |c: char| c.is_control() && c != '\n' && c != '\r';
        assert!(!safe.contains(is_odd), "{safe:?}");
    }
}

fn the_unit_of_samples_sends_no_control_characters() {
    let mut data = std::fs::read(testdata("gmon/gmon.out")).unwrap();
    let unit = memchr::memmem::find(&data, b"seconds").unwrap();
    data[unit + 3] = b'\x1b';
    data[unit + 15] = b' ';
    let folder = Folder::with(&[]);
    folder.write("gmon.out", data);
    let args = ["gprof", "-b", "-p", &path_of("gmon/words"), "gmon.out"];
    let page = Session::start(&folder.path(""), 200, &[], &args).finish();
    let page = String::from_utf8(page).unwrap();
    assert_has(&page, &["Each sample counts as 0.01 sec\\u{1b}nds."]);
    assert_lacks(&page, &["\x1b"]);
    let profile = folder.page(&["--format=callgrind", &path_of("gmon/words"), "gmon.out"]);
    assert_has(&profile, &["\nevents: us\n"]);
}

fn messages_are_wrapped_between_words() {
    let folder = Folder::with(&[]);
    let (error, _) = Session::start(&folder.path(""), 40, &[], &["a-missing-profile"]).ended();
    let error = String::from_utf8(error).unwrap();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines, ["cgannotate: a-missing-profile: No such", "file or directory"]);
}

/// What standard output gets if it is a pipe.
fn piped(settings: Settings, args: &[&str]) -> String {
    let mut run = program().args(args).in_dir(testdata("words"));
    run = run.without_env(&["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"]);
    for (name, value) in settings {
        run = run.env(name, value);
    }
    run.run().page()
}

fn a_pipe_gets_no_colours_and_with_them_the_same_text() {
    for options in [
        "words.out",
        "--format=text --tree=both words.out",
        "-I=../.. --tree=both --threshold=100 words.out",
        "--inclusive --show-percs=no words.sim.out",
        "-I=../.. --diff=words.out words-longer.out",
        "-I=../.. --diff=words-longer.out --threshold=100 --tree=both words.out",
    ] {
        let print = |settings, more: &str| {
            let args = options.split(' ').chain(more.split_whitespace());
            piped(settings, &args.collect::<Vec<_>>())
        };
        let plain = print(&[("TERM", "xterm")], "");
        assert!(!plain.contains('\x1b'), "{options}");
        assert_eq!(plain, print(&[], "--color=never"), "{options}");
        let colourful = print(&[], "--color=always");
        assert!(colourful.contains("\x1b[1m"), "{options}");
        let stripped = anstream::adapter::strip_str(&colourful).to_string();
        assert_eq!(stripped, plain, "{options}");
        let forced = print(&[("CLICOLOR_FORCE", "1")], "");
        assert_eq!(forced, colourful, "{options}");
    }
}

/// What a terminal shows of a profile with sources of three kinds and four events, in a folder with
/// one of the sources.
fn page(columns: u16, args: &[&str]) -> String {
    let profile = "creator: xdebug 3.2\ncmd: ./program one two\nevent: I1mr : Fetch Misses\nevents: Ir Dr Dw I1mr\n\
                   fl=a.c\nfn=main\n1 9000 50 50 50\nfl=/usr/include/c++/12/vector\nfn=grow\n2 500 50 50 70\nfl=/rustc/0123/library/core/src/num.rs\nfn=parse\n3 300 1 1 1\n\
                   fl=gone.c\nfn=gone\n3 200 1 1 1\nsummary: 10000 102 102 122\n";
    let folder = Folder::with(&[("p.out", profile), ("a.c", "int main() {}\n")]);
    let args = [&["p.out"], args].concat();
    let session = Session::start(&folder.path(""), columns, &[], &args);
    screen(columns, &session.finish()).join("\n")
}

fn a_terminal_gets_a_short_page() {
    let start = "./program one two    11,220 CEst (estimated cycles: Ir + 10 L1m)    p.out\n\
                 10,000 Ir (instructions executed), 122 L1 misses\n\n";
    let text = page(80, &[]);
    assert!(text.starts_with(start), "{text}");
    let titles = "\n self          Ir   L1m  function  costliest line, with its calls\n";
    assert_has(&text, &[titles, "next: cgannotate p.out a.c:1\n"]);
    let start = "./program one two    10,000 Ir (instructions executed)    p.out\n\
                 102 Dr (memory reads), 102 Dw (memory writes), 122 I1mr (Fetch Misses)\n\n";
    let text = page(80, &["--lines=no"]);
    assert!(text.starts_with(start), "{text}");
    let titles = "\n  Ir self        Dr  Dw  I1mr  function  where\n";
    assert_has(&text, &[titles, "source lines: cgannotate p.out a.c\n"]);
    // No source is annotated unless that is requested, or one is named.
    assert_lacks(&text, &["annotated"]);
    let text = page(80, &["a.c"]);
    assert_has(&text, &["int main() {}\n"]);
    assert_lacks(&text, &["grow"]);
    assert_has(&page(80, &["--auto"]), &["  gone.c\n"]);
    // As many events as there is room for, the first sort event among them.
    let text = page(40, &["--lines=no", "--sort=I1mr"]);
    let start = "./program one two    122 I1mr    p.out\n";
    assert!(text.starts_with(start), "{text}");
    assert_has(&text, &["\nnot shown: Ir Dr Dw: --show=Ir\n"]);
    let recorded = "Events recorded:  Ir Dr Dw I1mr\n";
    assert_has(&page(80, &["--header"]), &[recorded]);
    let text = page(80, &["--no-header"]);
    assert!(text.starts_with(" self "), "{text}");
    // As in a pipe.
    let text = page(140, &["--format=classic", "--auto=no"]);
    let total = "\n10,000 (100.0%) 102 (100.0%)";
    let name = "/usr/include/c++/12/vector:grow\n";
    assert_has(&text, &[recorded, total, name]);
}
