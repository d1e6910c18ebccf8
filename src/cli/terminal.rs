//! What the terminal is asked about, and the options that say otherwise.

use std::io::{self, IsTerminal};

/// Whether a progress bar can be drawn on standard error.
pub(super) fn shows_progress() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    !is_dumb && io::stderr().is_terminal()
}
