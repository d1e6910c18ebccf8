//! The summary of a profile, and the names of functions for a linker.

use std::io::{self, Write};

use crate::profile::{Count, Events, Part};
use crate::render::{with_commas, write_escaped};
use crate::view::ProfileInfo;

/// Writes the summary of a profile.
pub fn write_info(
    contents: &ProfileInfo,
    parts: &[Part],
    events: &Events,
    total: &[Count],
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut files: Vec<&[u8]> = Vec::new();
    for part in parts.iter().filter(|part| !part.file.is_empty()) {
        if !files.contains(&&part.file[..]) {
            files.push(&part.file);
        }
    }
    out.write_all(if files.len() == 1 {
        b"File "
    } else {
        b"Files "
    })?;
    for (i, file) in files.iter().enumerate() {
        out.write_all(if i > 0 { b", '" } else { b"'" })?;
        write_escaped(file, escapes, out)?;
        out.write_all(b"'")?;
    }
    writeln!(
        out,
        " {}:",
        if files.len() == 1 {
            "contains"
        } else {
            "contain"
        }
    )?;
    let functions = numbered(contents.functions, "function");
    let lines = numbered(contents.lines, "line");
    writeln!(out, "\t{}", numbered(parts.len(), "part"))?;
    writeln!(
        out,
        "\t{functions} in {}",
        numbered(contents.objects, "object")
    )?;
    writeln!(out, "\t{lines} in {}", numbered(contents.files, "file"))?;
    writeln!(out, "\t{}", numbered(contents.call_sites, "call site"))?;
    writeln!(out, "\t{} calls", with_commas(contents.calls))?;
    writeln!(out, "\t{}:", numbered(events.len(), "event"))?;
    for (name, count) in events.names().zip(total) {
        out.write_all(b"\t\t")?;
        write_escaped(name, escapes, out)?;
        if let Some(long_name) = events.long_name(name) {
            out.write_all(b" (")?;
            write_escaped(long_name, escapes, out)?;
            out.write_all(b")")?;
        }
        let total = count.value().map_or_else(|| ".".to_owned(), with_commas);
        writeln!(out, ": {total} in all")?;
    }
    Ok(())
}

fn numbered(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    let count = with_commas(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{count} {what}{plural}")
}

/// Writes names, one per line.
pub fn write_names(names: &[&[u8]], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    for name in names {
        write_escaped(name, escapes, out)?;
        writeln!(out)?;
    }
    Ok(())
}
