//! What a terminal is asked about, and the options that say otherwise.

use std::io::{self, IsTerminal};

use anstream::{AutoStream, ColorChoice};
use clap::{Args, ValueEnum};

#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(super) struct TerminalArguments {
    /// Show shares of the total, and what is what, in colours; `auto`: on a terminal, unless NO_COLOR is set or TERM is dumb
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: When,

    /// Shorten names so that lines of functions have at most so many columns; 0: not at all [default: the width of the
    /// terminal; of anything else 0]
    #[arg(long, value_name = "COLUMNS")]
    pub(super) width: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl TerminalArguments {
    /// Whether there are colours. `auto` asks standard output, if that is where the page goes. Other variables that are known to users are CLICOLOR and CLICOLOR_FORCE.
    pub(super) fn colours(&self, on_stdout: bool) -> bool {
        match self.color {
            When::Auto => on_stdout && AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            When::Always => true,
            When::Never => false,
        }
    }

    /// How many columns there are to be, or standard output has, if that is where the page goes.
    pub(super) fn columns(&self, on_stdout: bool) -> Option<usize> {
        let columns = self.width.or_else(|| {
            let stdout = io::stdout();
            (on_stdout && stdout.is_terminal()).then_some(())?;
            Some(usize::from(terminal_size::terminal_size_of(stdout)?.0.0))
        });
        columns.filter(|&columns| columns > 0)
    }
}

/// Whether a progress bar can be drawn on standard error.
pub(super) fn shows_progress() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_dumb && io::stderr().is_terminal()
}
