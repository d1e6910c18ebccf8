//! What a person at a terminal sees: a real one (a pseudo-terminal), and what it shows as an emulator has it.

#![cfg(unix)]

use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::time::Duration;

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

const ROWS: u16 = 60;

/// A program in a terminal of so many columns.
struct Session {
    terminal: Pty,
    child: std::process::Child,
}

impl Session {
    fn start(folder: &Path, columns: u16, settings: &[(&str, &str)], args: &[&str]) -> Session {
        Session::spawn(
            columns,
            command(folder, settings, args).stdin(Stdio::piped()),
        )
    }

    fn spawn(columns: u16, command: Command) -> Session {
        let (terminal, inside) = open().unwrap();
        terminal.resize(Size::new(ROWS, columns)).unwrap();
        let child = command.spawn(inside).unwrap();
        Session { terminal, child }
    }

    /// The other end of standard input.
    fn input(&mut self) -> ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// What the terminal got until `text` came, or the end.
    fn until(&mut self, text: Option<&str>) -> Vec<u8> {
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
    fn finish(mut self) -> Vec<u8> {
        let all = self.until(None);
        assert!(self.child.wait().unwrap().success());
        all
    }
}

fn command(folder: &Path, settings: &[(&str, &str)], args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
    command = command.args(args).current_dir(folder);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "CI"] {
        command = command.env_remove(name);
    }
    command
        .env("TERM", "xterm-256color")
        .envs(settings.iter().copied())
}

/// The lines that a terminal shows after it got these bytes.
fn screen(columns: u16, bytes: &[u8]) -> Vec<String> {
    let mut parser = vt100::Parser::new(ROWS.try_into().unwrap(), columns.try_into().unwrap(), 0);
    parser.process(bytes);
    let rows = parser.screen().rows(0, columns);
    rows.map(|row| row.trim_end().to_owned()).collect()
}

const RULE: &str =
    "--------------------------------------------------------------------------------";

#[test]
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
        "cgannotate: bad.out:3: not a line of the callgrind format, left out"
    );
    assert_eq!(screen[1], RULE);
    assert!(
        screen
            .iter()
            .any(|line| line == "17 (100.0%)  PROGRAM TOTALS (calculated)"),
        "{screen:?}"
    );
    assert!(
        !screen.iter().any(|line| line.contains("reading")),
        "{screen:?}"
    );
}

#[test]
fn no_bar_where_nobody_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["--auto=no", "-"];
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
        assert!(all.starts_with(RULE), "{all}");
        let mut told = String::new();
        errors.map(|mut errors| errors.read_to_string(&mut told).unwrap());
        assert_eq!(told, "");
    }
}
