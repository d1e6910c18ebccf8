//! Writes annotated sources, and says which are not found.

use std::io::Write;

use anyhow::Result;

use crate::gprof::options::GprofOptions;
use crate::gprof::pages::{self, CountedStyle};
use crate::gprof::views::CountedFile;
use crate::run::message::{Messages, display_name};
use crate::run::output::OutputFile;
use crate::source::{self, Found, basename};

/// The separator between annotated sources.
const SOURCE_END: &[u8] = b"\n\x0c\n";

pub(super) fn warn_not_found(name: &[u8], messages: &Messages) {
    messages.warn(format!("{}: source file not found", display_name(name)));
}

/// Writes an annotated source after `before`, which becomes [`SOURCE_END`], or with -y to a file of its own. Returns
/// false if the source was not found or cannot be read.
pub(super) fn write_source(
    name: &[u8],
    file: &CountedFile,
    found: Option<&Found>,
    gprof: &GprofOptions,
    cuts: bool,
    before: &mut &[u8],
    out: &mut impl Write,
) -> Result<bool> {
    let Some(text) = found.and_then(|found| found.read().ok()) else {
        return Ok(false);
    };
    let mut style =
        CountedStyle { top_lines: gprof.top_lines, cuts, escapes: gprof.display.escapes };
    if gprof.separate_files {
        let name = [basename(name), b"-ann"].concat();
        let mut output = OutputFile::create(&source::path(&name))?;
        style.escapes = false;
        pages::write_counted_file(file, &text, style, &mut output)?;
        output.finish()?;
    } else {
        out.write_all(std::mem::replace(before, SOURCE_END))?;
        pages::write_counted_title(name, style.escapes, out)?;
        pages::write_counted_file(file, &text, style, out)?;
    }
    Ok(true)
}
