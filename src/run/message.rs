//! Messages on standard error, and errors that decide the exit status.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::render::is_control;

/// Something is wrong with the input, or something requested cannot be shown.
pub(super) fn warn(err: &mut impl Write, text: impl Display) -> io::Result<()> {
    writeln!(err, "cgannotate: warning: {text}")
}

/// Something useful to know.
pub(super) fn note(err: &mut impl Write, text: impl Display) -> io::Result<()> {
    writeln!(err, "cgannotate: note: {text}")
}

/// A difference exceeds a limit, which a line on standard error says; and why the report could not be written, if so.
#[derive(Debug, Error)]
#[error("the difference exceeds a limit")]
pub struct LimitFailed(pub Option<anyhow::Error>);

/// Wrong usage that only the files show.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct UsageError(pub(super) String);

/// A file's name in messages: on one line, and safe for a terminal.
pub(crate) fn display_path(path: &Path) -> String {
    let name = path.to_string_lossy();
    let show = |c: char| match is_control(c) {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    name.chars().map(show).collect()
}

/// The names of files in messages.
pub(crate) fn display_paths(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| display_path(path))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A tip for a missing file that was probably meant as the value of an option.
pub(super) fn value_tip(path: &Path) -> &'static str {
    match path.to_str() {
        Some("yes" | "no") if !path.exists() => {
            "; the value of an option follows '=', as in --auto=no"
        }
        _ => "",
    }
}
