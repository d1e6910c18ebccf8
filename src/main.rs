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
            // Otherwise the rest of the buffer would still be written when it is dropped.
            drop(out.into_parts());
            if error.chain().any(is_closed_pipe) {
                return ExitCode::SUCCESS;
            }
            let (program, status) = if error.is::<cgannotate::UsageError>() {
                ("error", ExitCode::from(2))
            } else if error.is::<cgannotate::LimitFailed>() {
                ("cgannotate", ExitCode::from(3))
            } else {
                ("cgannotate", ExitCode::FAILURE)
            };
            let _ = writeln!(io::stderr(), "{program}: {error:#}");
            status
        }
    }
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
