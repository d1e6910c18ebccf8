//! How often each function was called, one a line.

use std::io::{self, Write};

use super::GprofStyle;
use crate::render::{with_commas, write_text};
use crate::view::Tally;

/// Writes the tally.
///
/// # Errors
/// Those of `out`.
pub fn write_tally(tally: &[Tally], style: GprofStyle<'_>, out: &mut impl Write) -> io::Result<()> {
    for Tally { function, calls } in tally {
        let known = &style.functions.list()[*function as usize];
        write_text(style.functions.file(*function), style.escapes, out)?;
        write!(out, ":{}: (", known.line)?;
        write_text(&known.name, style.escapes, out)?;
        writeln!(out, ") {} executions", with_commas(*calls))?;
    }
    Ok(())
}
