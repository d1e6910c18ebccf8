//! What a terminal is asked about, and the options that override it.

use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};

/// For both commands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct ColourArguments {
    /// When to use colour
    ///
    /// `auto` is on a terminal, unless NO_COLOR is set or TERM is dumb.
    #[arg(
        long,
        hide_short_help = true,
        value_name = "WHEN",
        default_value = "auto"
    )]
    color: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl ColourArguments {
    /// Whether there are colours. `auto` asks standard output, if that is where the report goes. It also knows the
    /// variables CLICOLOR and CLICOLOR_FORCE.
    pub(super) fn is_on(&self, on_stdout: bool) -> bool {
        match self.color {
            When::Auto => on_stdout && AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            When::Always => true,
            When::Never => false,
        }
    }
}

/// How many columns a line may take: the given number, or what standard output has, if that is where the report goes.
pub(super) fn columns(given: Option<usize>, on_stdout: bool) -> Option<usize> {
    let columns = given.or_else(|| {
        let stdout = io::stdout();
        (on_stdout && stdout.is_terminal()).then_some(())?;
        Some(usize::from(terminal_size::terminal_size_of(stdout)?.0.0))
    });
    columns.filter(|&columns| columns > 0)
}

/// Whether a progress bar can be drawn on standard error.
pub(super) fn shows_progress() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_dumb && io::stderr().is_terminal()
}
