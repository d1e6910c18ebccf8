//! The number of calls of each function, one per line.

use std::io::{self, Write};

use super::GprofStyle;
use crate::render::{with_commas, write_escaped};
use crate::view::ExecCount;

/// Writes the execution counts.
///
/// # Errors
/// Those of `out`.
pub fn write_exec_counts(
    exec_counts: &[ExecCount],
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for ExecCount { function, calls } in exec_counts {
        let known = &style.functions.list()[*function as usize];
        write_escaped(style.functions.file(*function), style.escapes, out)?;
        write!(out, ":{}: (", known.line)?;
        write_escaped(&known.name, style.escapes, out)?;
        writeln!(out, ") {} executions", with_commas(*calls))?;
    }
    Ok(())
}
