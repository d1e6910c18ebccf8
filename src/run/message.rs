//! Messages on standard error that do not change the exit status.

use std::fmt::Display;
use std::io::{self, Write};

/// Something is wrong with the input, or something requested cannot be shown.
pub(super) fn warn(err: &mut impl Write, text: impl Display) -> io::Result<()> {
    writeln!(err, "cgannotate: warning: {text}")
}

/// Something useful to know.
pub(super) fn note(err: &mut impl Write, text: impl Display) -> io::Result<()> {
    writeln!(err, "cgannotate: note: {text}")
}
