//! The binary: parses the command line, runs, and sets the exit status.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use cgannotate::{
    EarlyExit, LimitFailed, Messages, NotRecorded, OWN_FAILURE, Options, Pager, RecordOptions,
    Recorded, Request, UsageError, error_text, io_text, message_lines, message_width,
};

fn main() -> ExitCode {
    match cgannotate::parse(std::env::args_os()) {
        Ok(Request::Report(options)) => print_report(&options),
        Ok(Request::Record(options)) => record(&options),
        Err(instead) => print(&instead),
    }
}

/// Prints a report; returns its exit status.
fn print_report(options: &Options) -> ExitCode {
    let escapes = io::stdout().is_terminal();
    let mut out = Pager::new(options.pager.clone());
    let messages = if options.pager.is_empty() { Messages::default() } else { Messages::held() };
    let messages = messages.within(message_width());
    let done =
        cgannotate::run(options, escapes, &mut out, &messages).and(out.wait().map_err(Into::into));
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

/// Records a profile and prints its list. Returns the exit status of the program that was recorded,
/// unless there is no profile or it cannot be printed.
fn record(options: &RecordOptions) -> ExitCode {
    let Recorded { files, status, note } = match cgannotate::record(options) {
        Ok(recorded) => recorded,
        Err(NotRecorded { text, status }) => {
            write_error(&format!("cgannotate: {text}"));
            return ExitCode::from(status);
        }
    };
    let words = ["cgannotate", "--format=text", "--pager=no", "--"]
        .map(OsString::from)
        .into_iter()
        .chain(files.into_iter().map(OsString::from));
    let printed = match cgannotate::parse(words) {
        Ok(Request::Report(options)) => print_report(&options),
        _ => ExitCode::FAILURE,
    };
    if let Some(note) = note {
        write_error(&format!("cgannotate: note: {note}"));
    }
    let is_printed = printed == ExitCode::SUCCESS;
    ExitCode::from(if is_printed { status } else { OWN_FAILURE })
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
    write_error(&format!("{program}: {}", error_text(&error)));
    status
}

fn write_error(text: &str) {
    let text = message_lines(text, message_width());
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Prints the requested help, version or completions, or an error in the command line.
fn print(instead: &EarlyExit) -> ExitCode {
    match instead.print() {
        Ok(()) => ExitCode::from(u8::try_from(instead.exit_code()).unwrap_or(2)),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            write_error(&format!("cgannotate: {}", io_text(&error)));
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader has closed the pipe, as `| head` does; not an error.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
