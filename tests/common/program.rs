//! Runs cgannotate, or another program, and collects what came out. Shared by all test targets that
//! run programs.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use cgannotate::internal::{Messages, cli};

pub use super::case::{Output, write_executable};

/// Writes the standard input of a run.
type Writer<'w> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'w>;

/// The path of this project's program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_cgannotate");

/// A program with its arguments and its standard streams.
pub struct Run<'w> {
    command: Command,
    /// What writes standard input; without it the input is empty.
    stdin: Option<Writer<'w>>,
    out: Stdio,
    err: Stdio,
}

/// This project's program, without arguments.
pub fn program<'w>() -> Run<'w> {
    other_program(PROGRAM)
}

/// Another program, found in the PATH.
pub fn other_program<'w>(name: impl AsRef<OsStr>) -> Run<'w> {
    Run { command: Command::new(name), stdin: None, out: Stdio::piped(), err: Stdio::piped() }
}

/// A program with a limit, in arguments of the shell's `ulimit`.
pub fn limited<'w>(limit: &str, name: impl AsRef<OsStr>) -> Run<'w> {
    let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
    other_program("sh").args(["-c", &script]).arg(name)
}

/// What this project's program prints for these arguments, without a process of its own; or its
/// error.
pub fn print(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<Vec<u8>, String> {
    print_both(args).map(|(out, _)| out)
}

/// The same with what it writes to standard error.
pub fn print_both(
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Result<(Vec<u8>, String), String> {
    let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
    let words = std::iter::once("cgannotate".into()).chain(args);
    let cli::Request::Report(options) =
        cli::parse(words).map_err(|instead| format!("{instead:?}"))?
    else {
        return Err("it is no report".to_owned());
    };
    let (mut out, messages) = (Vec::new(), Messages::held());
    let run = cgannotate::internal::run(&options, false, &mut out, &messages);
    run.map_err(|error| format!("{error:#}"))?;
    Ok((out, messages.take()))
}

/// The same for one profile.
pub fn print_of(options: &[&str], profile: &Path) -> Result<Vec<u8>, String> {
    let options = options.iter().map(OsStr::new);
    print(options.chain([profile.as_os_str()]))
}

/// The same; a run that fails is none of what is tested.
pub fn printed(options: &[&str], profile: &Path) -> Vec<u8> {
    let printed = print_of(options, profile);
    printed.unwrap_or_else(|error| panic!("{options:?} {}: {error}", profile.display()))
}

/// Whether a program can be started.
pub fn is_installed(name: &str) -> bool {
    let mut command = Command::new(name);
    let command = command.arg("--version").stdin(Stdio::null());
    command.output().is_ok()
}

impl<'w> Run<'w> {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub fn args(mut self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(args);
        self
    }

    pub fn in_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn without_env(mut self, names: &[&str]) -> Self {
        names.iter().for_each(|name| {
            self.command.env_remove(name);
        });
        self
    }

    /// Gives these bytes as standard input.
    pub fn stdin(self, bytes: impl AsRef<[u8]> + Send + 'w) -> Self {
        self.stdin_from(move |pipe| pipe.write_all(bytes.as_ref()))
    }

    /// Lets `write` write standard input until the program closes it.
    pub fn stdin_from(
        mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'w,
    ) -> Self {
        self.stdin = Some(Box::new(write));
        self
    }

    /// Sends standard output elsewhere.
    pub fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.out = to.into();
        self
    }

    /// Sends standard error elsewhere.
    pub fn stderr(mut self, to: impl Into<Stdio>) -> Self {
        self.err = to.into();
        self
    }

    /// Runs the program to its end.
    pub fn run(mut self) -> Output {
        let write = self.stdin.take();
        let mut child = self.spawn(write.is_some());
        let stdin = child.stdin.take();
        thread::scope(|scope| {
            if let (Some(write), Some(mut stdin)) = (write, stdin) {
                // A program that needs no more input closes the pipe: not an error.
                scope.spawn(move || drop(write(&mut stdin)));
            }
            child.wait_with_output().unwrap().into()
        })
    }

    /// Starts the program with an empty standard input.
    pub fn start(self) -> Child {
        self.spawn(false)
    }

    fn spawn(self, has_stdin: bool) -> Child {
        let mut command = self.command;
        command.stdin(match has_stdin {
            true => Stdio::piped(),
            false => Stdio::null(),
        });
        command.stdout(self.out).stderr(self.err);
        let child = command.spawn();
        child.unwrap_or_else(|error| panic!("{command:?}: {error}"))
    }
}

impl Output {
    /// Standard output as text, of a run that succeeded.
    pub fn page(&self) -> String {
        assert_eq!(self.status, 0, "{}", self.error());
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard error as text.
    pub fn error(&self) -> String {
        String::from_utf8_lossy(&self.err).into_owned()
    }
}

/// A folder of its own, in which the program runs.
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// With these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    /// The path of a file in it; with no name its own.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    /// Writes a program, in the language of the shell.
    pub fn write_script(&self, name: &str, text: &str) {
        write_executable(&self.path(name), format!("#!/bin/sh\n{text}")).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with these arguments, to be run there.
    pub fn program<'w>(&self, args: &[&str]) -> Run<'w> {
        program().args(args).in_dir(self.0.path())
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.program(args).run()
    }

    /// What it prints; the run has to succeed.
    pub fn page(&self, args: &[&str]) -> String {
        self.run(args).page()
    }
}

/// Checks that a text has all of these parts.
#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    let lacks = parts.iter().find(|part| !text.contains(**part));
    assert_eq!(lacks, None, "in {text}");
}

/// Checks that a text has none of these parts.
#[track_caller]
pub fn assert_lacks(text: &str, parts: &[&str]) {
    let has = parts.iter().find(|part| text.contains(**part));
    assert_eq!(has, None, "in {text}");
}
