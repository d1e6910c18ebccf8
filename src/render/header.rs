//! The head of the page: what was profiled, and how this report was asked for.

use std::io::{self, Write};

use super::{RULE, Style, write_text};
use crate::profile::{Events, Part};
use crate::view::Selection;

/// What the head says besides the profile's own header.
#[derive(Clone, Debug)]
pub struct ReportHeader<'a> {
    /// The name of the profile's file.
    pub file: &'a [u8],
    /// The folders in which sources are looked for.
    pub folders: &'a [Vec<u8>],
    /// The sources that are annotated in any case.
    pub user_annotated: &'a [Vec<u8>],
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
}

/// Writes the head.
///
/// # Errors
/// Those of `out`; so with all that writes.
pub fn write_header(
    header: &ReportHeader<'_>,
    part: &Part,
    events: &Events,
    selection: &Selection,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = |bytes: &[u8]| write_text(bytes, style.escapes, out);
    text(RULE.as_bytes())?;
    text(b"\nProfile data file '")?;
    text(header.file)?;
    text(b"'")?;
    if let Some(creator) = &part.creator {
        text(b" (creator: ")?;
        text(creator)?;
        text(b")")?;
    }
    text(b"\n")?;
    writeln!(out, "{RULE}")?;
    for description in &part.descriptions {
        write_text(description, style.escapes, out)?;
        writeln!(out)?;
    }
    write_target(part, style, out)?;
    let names = |events_shown: &[usize]| {
        events_shown
            .iter()
            .map(|&event| events.name(event))
            .collect::<Vec<_>>()
    };
    let recorded: Vec<_> = events.names().collect();
    write_field("Events recorded:", &recorded.join(&b' '), style, out)?;
    write_field(
        "Events shown:",
        &names(&selection.shown).join(&b' '),
        style,
        out,
    )?;
    write_field(
        "Event sort order:",
        &names(&selection.order).join(&b' '),
        style,
        out,
    )?;
    let thresholds: Vec<_> = selection
        .thresholds
        .iter()
        .map(|threshold| threshold.text.as_str())
        .collect();
    write_field("Thresholds:", thresholds.join(" ").as_bytes(), style, out)?;
    write_list("Include dirs:", header.folders, style, out)?;
    write_list("User annotated:", header.user_annotated, style, out)?;
    write_field(
        "Auto-annotation:",
        if header.auto { b"on" } else { b"off" },
        style,
        out,
    )?;
    writeln!(out)
}

fn write_target(part: &Part, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut target = part
        .command
        .clone()
        .unwrap_or_else(|| b"(unknown)".to_vec());
    if let Some(pid) = &part.pid {
        target.extend_from_slice(b" (PID ");
        target.extend_from_slice(pid);
        for (what, value) in [(", part ", &part.number), (", thread ", &part.thread)] {
            if let Some(value) = value {
                target.extend_from_slice(what.as_bytes());
                target.extend_from_slice(value);
            }
        }
        target.push(b')');
    }
    write_field("Profiled target:", &target, style, out)
}

fn write_field(name: &str, value: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{name:<18}")?;
    write_text(value, style.escapes, out)?;
    writeln!(out)
}

fn write_list(
    name: &str,
    values: &[Vec<u8>],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some((first, others)) = values.split_first() else {
        return write_field(name, b"", style, out);
    };
    write_field(name, first, style, out)?;
    others
        .iter()
        .try_for_each(|value| write_field("", value, style, out))
}
