//! The program: reads the command line, runs, and is the only one to end the process.

use std::error::Error;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, LineWriter, Write};
use std::process::ExitCode;

use cgannotate::cli::{self, EarlyExit};

fn main() -> ExitCode {
    let config = match cli::parse(std::env::args_os()) {
        Ok(config) => config,
        Err(instead) => return print(&instead),
    };
    let stdout = io::stdout();
    let escapes = stdout.is_terminal();
    let mut out = BufWriter::with_capacity(64 << 10, stdout.lock());
    let mut err = LineWriter::new(Warnings { is_lost: false });
    let done = cgannotate::run(&config, escapes, &mut out, &mut err);
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) if err.get_ref().is_lost => ExitCode::FAILURE,
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // What is still in the buffer would be written when it goes, error or not.
            drop(out.into_parts());
            if error.chain().any(is_closed_pipe) {
                return ExitCode::SUCCESS;
            }
            let _ = writeln!(io::stderr(), "cgannotate: {error:#}");
            if error.is::<cgannotate::LimitFailed>() {
                return ExitCode::from(3);
            }
            if error.is::<cgannotate::UsageError>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

/// Writes what the command line asks for, or what is wrong with it.
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

/// Standard error, as warnings see it: that one cannot be written must not keep the report from being
/// printed. The exit status tells of it, unless nobody wants to read.
struct Warnings {
    is_lost: bool,
}

impl Write for Warnings {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if let Err(error) = io::stderr().write_all(text) {
            self.is_lost |= !is_closed_pipe(&error);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
