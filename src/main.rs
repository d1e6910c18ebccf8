//! The binary: parses the command line, runs, and sets the exit status.

use std::error::Error;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use cgannotate::{
    EarlyExit, LimitFailed, Messages, Pager, UsageError, message_lines, message_width,
};

fn main() -> ExitCode {
    let config = match cgannotate::parse(std::env::args_os()) {
        Ok(config) => config,
        Err(instead) => return print(&instead),
    };
    let escapes = io::stdout().is_terminal();
    let mut out = Pager::new(config.pager.clone());
    let messages = if config.pager.is_empty() { Messages::default() } else { Messages::held() };
    let messages = messages.within(message_width());
    let done = cgannotate::run(&config, escapes, &mut out, &messages);
    let done = done.and(out.wait().map_err(Into::into));
    let is_complete = messages.print();
    match done {
        Ok(()) if is_complete => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
        Err(error) => match error.downcast::<LimitFailed>() {
            Ok(LimitFailed(unwritten)) => {
                unwritten.map(report);
                ExitCode::from(3)
            }
            Err(error) => report(error),
        },
    }
}

/// Prints an error unless it is a closed pipe; returns its exit status.
fn report(error: anyhow::Error) -> ExitCode {
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    let (program, status) = if error.is::<UsageError>() {
        ("error", ExitCode::from(2))
    } else {
        ("cgannotate", ExitCode::FAILURE)
    };
    let text = message_lines(&format!("{program}: {error:#}"), message_width());
    let _ = io::stderr().write_all(text.as_bytes());
    status
}

/// Prints the requested help, version or completions, or an error in the command line.
fn print(instead: &EarlyExit) -> ExitCode {
    match instead.print() {
        Ok(()) => ExitCode::from(u8::try_from(instead.exit_code()).unwrap_or(2)),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "cgannotate: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader has closed the pipe, as `| head` does; not an error.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
