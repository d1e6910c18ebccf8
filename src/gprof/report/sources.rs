//! Writes annotated sources, and says which are not found.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::Result;

use crate::gprof::options::GprofOptions;
use crate::gprof::pages::{self, CountedStyle};
use crate::gprof::views::CountedFile;
use crate::run::message::{Messages, display_name};
use crate::run::output::{OutputFile, is_same_file};
use crate::source::{self, Found, basename};

/// The separator between annotated sources.
const SOURCE_END: &[u8] = b"\n\x0c\n";

pub(super) fn warn_not_found(name: &[u8], messages: &Messages) {
    messages.warn(format!("{}: source file not found", display_name(name)));
}

/// Writes an annotated source after `before`, which becomes [`SOURCE_END`], or with -y to a file of
/// its own. Returns false if the source was not found or cannot be read.
pub(super) fn write_source(
    name: &[u8],
    file: &CountedFile,
    found: Option<&Found>,
    gprof: &GprofOptions,
    cuts: bool,
    before: &mut &[u8],
    out: &mut impl Write,
) -> Result<bool> {
    let Some(source) = found else {
        return Ok(false);
    };
    let Ok(text) = source.read() else {
        return Ok(false);
    };
    let mut style =
        CountedStyle { top_lines: gprof.top_lines, cuts, escapes: gprof.display.escapes };
    if gprof.separate_files {
        let mut output = OutputFile::create(&separate_file(basename(name), source))?;
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

/// The file for an annotated source of its own: `main.c-ann`; or `main.ann` where the former is too
/// long for the file system, or is the source itself by a link.
fn separate_file(name: &[u8], source: &Found) -> PathBuf {
    let usual = source::path(&[name, b"-ann"].concat()).into_owned();
    let known = fs::symlink_metadata(&usual);
    let is_too_long = known.is_err_and(|error| error.kind() == ErrorKind::InvalidFilename);
    if is_too_long || is_same_file(&source::path(&source.path), &usual) {
        source::path(name).with_extension("ann")
    } else {
        usual
    }
}
