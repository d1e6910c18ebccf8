//! The program: reads the command line, runs, and is the only one to end the process.

use std::error::Error;
use std::io::{self, ErrorKind, IsTerminal, LineWriter, Write};
use std::process::ExitCode;

use cgannotate::{EarlyExit, LimitFailed, Pager, UsageError};

fn main() -> ExitCode {
    let config = match cgannotate::parse(std::env::args_os()) {
        Ok(config) => config,
        Err(instead) => return print(&instead),
    };
    let escapes = io::stdout().is_terminal();
    let mut out = Pager::new(config.pager.clone());
    let mut err = LineWriter::new(Warnings {
        is_lost: false,
        held: (!config.pager.is_empty()).then(Vec::new),
    });
    let done = cgannotate::run(&config, escapes, &mut out, &mut err);
    // Otherwise the rest of the buffer of a failed run would still be written when it is dropped.
    let (pager, _) = out.into_parts();
    let done = done.and(pager.wait().map_err(Into::into));
    let _ = err.flush();
    err.get_mut().release();
    match done {
        Ok(()) if err.get_ref().is_lost => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => match error.downcast::<LimitFailed>() {
            Ok(LimitFailed(unwritten)) => {
                unwritten.map(report);
                ExitCode::from(3)
            }
            Err(error) => report(error),
        },
    }
}

/// Prints an error, but for a closed pipe; returns its exit status.
fn report(error: anyhow::Error) -> ExitCode {
    if error.chain().any(is_closed_pipe) {
        return ExitCode::SUCCESS;
    }
    let (program, status) = match error.is::<UsageError>() {
        true => ("error", ExitCode::from(2)),
        false => ("cgannotate", ExitCode::FAILURE),
    };
    let _ = writeln!(io::stderr(), "{program}: {error:#}");
    status
}

/// Prints the requested help, version or completions, or what is wrong with the command line.
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

/// Whether nobody reads any further, as with `| head`: not an error.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// Standard error for warnings: one that cannot be written does not keep the report from being printed, but the
/// exit status says so, unless the reader has closed the pipe.
struct Warnings {
    is_lost: bool,
    /// With a pager they are held back until it has ended.
    held: Option<Vec<u8>>,
}

impl Warnings {
    /// Prints what was held back, and no longer holds anything back.
    fn release(&mut self) {
        if let Some(text) = self.held.take() {
            let _ = self.write(&text);
        }
    }
}

impl Write for Warnings {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(text);
        } else if let Err(error) = io::stderr().write_all(text) {
            self.is_lost |= !is_closed_pipe(&error);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
