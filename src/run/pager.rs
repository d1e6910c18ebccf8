//! The pager: a program through which a report is read on a terminal.
//!
//! It is started by the first bytes of the report. If it ends before the report does, the rest is not shown, but the report is
//! finished, so that the exit status is its own.

use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Standard output, through a pager if one is wanted.
pub struct Pager {
    state: State,
}

enum State {
    /// Nothing is written so far; this is the command.
    Waiting(Vec<String>),
    /// There is no pager.
    Direct(Stdout),
    Running(Child, ChildStdin),
    /// It does not read any further.
    Closed(Child),
}

impl Pager {
    /// Standard output through this command, or itself if the command is empty.
    pub fn new(command: Vec<String>) -> BufWriter<Pager> {
        let state = match command.is_empty() {
            true => State::Direct(io::stdout()),
            false => State::Waiting(command),
        };
        BufWriter::with_capacity(64 << 10, Pager { state })
    }

    /// Waits until the pager has ended.
    ///
    /// # Errors
    /// Those of waiting.
    pub fn wait(self) -> io::Result<()> {
        let mut child = match self.state {
            State::Waiting(_) | State::Direct(_) => return Ok(()),
            State::Running(child, input) => {
                drop(input);
                child
            }
            State::Closed(child) => child,
        };
        child.wait().map(drop)
    }

    /// What is done if the pager's input cannot be written.
    fn closed(&mut self, error: io::Error) -> io::Result<()> {
        if error.kind() != ErrorKind::BrokenPipe {
            return Err(error);
        }
        let state = std::mem::replace(&mut self.state, State::Waiting(Vec::new()));
        self.state = match state {
            State::Running(child, _) => State::Closed(child),
            other => other,
        };
        Ok(())
    }
}

/// Starts a pager; one that cannot be started is none.
fn start(command: &[String]) -> State {
    let spawn = |(program, args): (&String, &[String])| {
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped());
        // What `less` needs to show colours and to end at once after a short report, as git does it.
        if std::env::var_os("LESS").is_none() {
            command.env("LESS", "RFX");
        }
        // The report is UTF-8, also where no language is set, as in a container.
        if std::env::var_os("LESSCHARSET").is_none() {
            command.env("LESSCHARSET", "utf-8");
        }
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take()?;
        Some(State::Running(child, input))
    };
    let Some(running) = command.split_first().and_then(spawn) else {
        return State::Direct(io::stdout());
    };
    // Ctrl-C is for the pager. If this program ended, pager and shell would both read the terminal.
    let is_set = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, is_set);
    running
}

impl Write for Pager {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let State::Waiting(command) = &self.state {
            self.state = start(command);
        }
        let written = match &mut self.state {
            State::Direct(stdout) => return stdout.write(bytes),
            State::Running(_, input) => input.write(bytes),
            State::Waiting(_) | State::Closed(_) => return Ok(bytes.len()),
        };
        written.or_else(|error| self.closed(error).map(|()| bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.state {
            State::Direct(stdout) => return stdout.flush(),
            State::Running(_, input) => input.flush(),
            State::Waiting(_) | State::Closed(_) => return Ok(()),
        };
        flushed.or_else(|error| self.closed(error))
    }
}
