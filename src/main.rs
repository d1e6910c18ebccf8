//! The program: reads the command line, runs, and is the only one to end the process.

use std::error::Error;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let config = cgannotate::cli::parse();
    let stdout = io::stdout();
    let escapes = stdout.is_terminal();
    let mut out = BufWriter::with_capacity(64 << 10, stdout.lock());
    let done = cgannotate::run(&config, escapes, &mut out, &mut io::stderr().lock());
    match done.and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // What is still in the buffer would be written when it goes, error or not.
            drop(out.into_parts());
            if error.chain().any(is_closed_pipe) {
                return ExitCode::SUCCESS;
            }
            let _ = writeln!(io::stderr(), "cgannotate: {error:#}");
            if error.is::<cgannotate::AboveLimit>() {
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

/// Whether nobody reads any further, as with `| head`: not an error.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
