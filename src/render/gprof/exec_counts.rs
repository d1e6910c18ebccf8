//! How often functions were called and lines executed, one per line.

use std::io::{self, Write};

use super::GprofStyle;
use crate::render::{with_commas, write_escaped};
use crate::view::ExecCount;

/// Writes the execution counts.
pub fn write_exec_counts(
    exec_counts: &[ExecCount],
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for ExecCount {
        function,
        count,
        line,
    } in exec_counts
    {
        let known = &style.functions.list()[*function as usize];
        let (file, number) = match line {
            Some((_, at)) => (style.profile.file(at.file), at.line),
            None => (style.functions.file(*function), known.line),
        };
        write_escaped(file, style.escapes, out)?;
        write!(out, ":{number}: (")?;
        write_escaped(&known.name, style.escapes, out)?;
        if let Some((address, _)) = line {
            write!(out, ":{address:#x}")?;
        }
        writeln!(out, ") {} executions", with_commas(*count))?;
    }
    Ok(())
}
