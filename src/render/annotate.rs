//! Annotated sources: each line of a file with its cost and the calls made there.

mod flow;

use std::io::{self, Write};

use super::colour::Paint;
use super::label::{ObjectStyle, write_label};
use super::{Columns, Style, write_escaped, write_heading, write_rule};
use crate::profile::{Count, Events};
use crate::view::{Annotated, AnnotatedLine, Annotation, Caveat, Choice, Cost, Figure};

pub use flow::SourceFlow;

use flow::FileFlow;

/// Follows the number of the first and the last line of a region.
const DASHES: &str = "----------------------------------------";
/// The edge of a box with a warning.
const BOX_EDGE: &str =
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
/// How long the mark of a line is that was never executed.
const MARK: usize = 5;
/// The line below the upper edge of a box.
const BOX_TITLE: &str =
    "@@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@";

/// Writes the section of one file.
///
/// # Errors
/// Those of `out`.
pub fn write_annotated(
    choice: &Choice,
    annotated: &mut Annotated<'_, '_>,
    profile_file: &[u8],
    flow: Option<SourceFlow<'_>>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_title(choice, style, out)?;
    let Some(annotation) = &mut annotated.annotation else {
        out.write_all(b"  No information has been collected for ")?;
        write_escaped(&choice.name, style.escapes, out)?;
        return writeln!(out, "\n");
    };
    write_caveats(choice, annotated.is_newer, profile_file, style, out)?;
    let columns = Columns::new(style, events, &annotation.lines.extent);
    let flow = flow.zip(choice.file());
    let flow = flow.map(|(flow, file)| FileFlow::new(flow, file.index(), style));
    columns.write_names(events, out)?;
    flow.map_or(Ok(()), |flow| flow.write_heading(out))?;
    writeln!(out, "\n")?;
    write_regions(annotation, &choice.code_lines, &columns, flow, out)?;
    let past_end = write_lines_past_end(annotation, &columns, flow, out)?;
    writeln!(out)?;
    if past_end {
        let line = [
            &b"The profile has costs for lines beyond the end of '"[..],
            &choice.name,
            b"':",
        ]
        .concat();
        write_box(
            &[line, b"probably a different version of the file.".to_vec()],
            style,
            out,
        )?;
    }
    if let Some(cost) = &annotation.lines.unidentified {
        columns.write_cost(cost.counts(), out)?;
        out.write_all(b"<counts for unidentified lines in ")?;
        write_escaped(&choice.name, style.escapes, out)?;
        writeln!(out, ">\n")?;
    }
    Ok(())
}

/// Writes the name of a source and where it was found, between two rules.
fn write_title(choice: &Choice, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write_rule(style, out)?;
    write!(
        out,
        "-- {}-annotated source: ",
        if choice.is_user { "User" } else { "Auto" }
    )?;
    let found = choice.lookup.found.as_ref();
    if let Some(found) = found.filter(|found| !found.folder.is_empty()) {
        write_escaped(&found.folder, style.escapes, out)?;
        out.write_all(b" + ")?;
    }
    Paint::Title.around(style.colours, out, |out| {
        write_escaped(&choice.name, style.escapes, out)
    })?;
    if let Some(found) =
        found.filter(|found| found.path != [&found.folder[..], &choice.name].concat())
    {
        out.write_all(b" (read from ")?;
        write_escaped(&found.path, style.escapes, out)?;
        out.write_all(b")")?;
    }
    writeln!(out)?;
    write_rule(style, out)
}

/// Writes warnings if the source may be a different version of what was profiled.
fn write_caveats(
    choice: &Choice,
    is_newer: bool,
    profile_file: &[u8],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if style.difference.is_some() {
        let line = b"The profiles may come from different versions of this file: line numbers may not match.";
        write_box(&[line.to_vec()], style, out)?;
    }
    if let Some(caveat) = choice.lookup.found.as_ref().and_then(|found| found.caveat) {
        let line: &[u8] = match caveat {
            Caveat::OnlyBaseName => b"Matched by file name only: this may be a different file.",
            Caveat::OtherRelease => {
                b"This file is from a different Rust release: line numbers may not match."
            }
        };
        write_box(&[line.to_vec()], style, out)?;
    }
    if is_newer {
        let lines = [
            [
                &b"'"[..],
                &choice.name,
                b"' is newer than '",
                profile_file,
                b"':",
            ]
            .concat(),
            b"costs may be shown on the wrong lines.".to_vec(),
        ];
        write_box(&lines, style, out)?;
    }
    Ok(())
}

/// Writes the regions of the source around lines with costs.
fn write_regions(
    annotation: &mut Annotation<'_, '_>,
    code_lines: &[u32],
    columns: &Columns<'_>,
    flow: Option<FileFlow<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    // Most lines have no cost; the columns before them are always the same.
    let mut nothing = Vec::new();
    let none = vec![Count::UNDEFINED; columns.style.total.len()];
    columns.write_nothing(&none, &mut nothing)?;
    // Line 0 has no executions.
    flow.map_or(Ok(()), |flow| {
        flow.write_executed(Some(0), columns.style, &mut nothing)
    })?;
    let mut never = nothing.clone();
    mark_never(&mut never);
    let mut next = 1;
    let mut lines = annotation.lines.iter();
    let mut annotated = lines.next();
    for &(first, last) in &annotation.regions {
        if first > 1 {
            write_line_number(first, columns.style, out)?;
        }
        annotation.text.skip(first - next);
        for number in first..=last {
            let Some(text) = annotation.text.next_line() else {
                return Ok(());
            };
            match &annotated {
                Some(line) if line.line == number => {
                    write_line(line, text, columns, flow, out)?;
                    annotated = lines.next();
                }
                _ => {
                    let has_code = code_lines.binary_search(&number).is_ok();
                    out.write_all(if has_code { &never } else { &nothing })?;
                    write_source(text, columns.style, out)?;
                }
            }
        }
        next = last.saturating_add(1);
        write_line_number(last, columns.style, out)?;
    }
    Ok(())
}

/// Turns what is before a line without cost into what is before one that has code and was never executed: as gcov
/// marks it, as far as there is room.
fn mark_never(nothing: &mut [u8]) {
    let Some(dot) = nothing.iter().position(|&byte| byte == b'.') else {
        return;
    };
    // Two spaces are between the counts and the source.
    let end = (dot + 1).max(MARK).min(nothing.len() - 2).max(dot + 1);
    nothing[end.saturating_sub(MARK)..end].fill(b'#');
}

/// Writes a line of the source, including its newline.
fn write_source(line: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    if !style.escapes {
        return out.write_all(line);
    }
    write_escaped(line.strip_suffix(b"\n").unwrap_or(line), style.escapes, out)?;
    out.write_all(b"\n")
}

/// Writes a line with its cost and calls.
fn write_line(
    line: &AnnotatedLine<'_, '_>,
    text: &[u8],
    columns: &Columns<'_>,
    flow: Option<FileFlow<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    columns.write_cost(line.cost, out)?;
    let write_executed = |number, out: &mut _| match flow {
        Some(flow) => flow.write_executed(number, columns.style, out),
        None => Ok(()),
    };
    write_executed(Some(line.line), out)?;
    write_source(text, columns.style, out)?;
    for call in line.calls() {
        columns.write_cost(call.cost, out)?;
        write_executed(None, out)?;
        out.write_all(b"=> ")?;
        let (count, indent) = (Some(call.count), columns.indent() + "=> ".len());
        write_label(
            call.label,
            count,
            ObjectStyle::None,
            indent,
            columns.style,
            out,
        )?;
        out.write_all(b"\n")?;
    }
    flow.map_or(Ok(()), |flow| flow.write_jumps(line.line, columns, out))
}

/// Writes the line number at the start or end of a region.
fn write_line_number(line: u32, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    Paint::Dim.around(style.colours, out, |out| {
        write!(out, "-- line {line} {DASHES}")
    })?;
    writeln!(out)
}

/// Writes the costs of lines past the end of the source; returns whether there are any.
fn write_lines_past_end(
    annotation: &Annotation<'_, '_>,
    columns: &Columns<'_>,
    flow: Option<FileFlow<'_>>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let length = annotation.text.length().unwrap_or(u32::MAX);
    let lines = annotation.lines.iter();
    let mut past_end = lines.skip_while(|line| line.line <= length).peekable();
    let any = past_end.peek().is_some();
    for line in past_end {
        let text = format!("<bogus line {}>\n", line.line);
        write_line(&line, text.as_bytes(), columns, flow, out)?;
    }
    Ok(any)
}

/// Writes a warning in a box, and an empty line.
fn write_box(lines: &[Vec<u8>], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let own = |text: &str| text.as_bytes().to_vec();
    let lines = lines.iter().map(|line| [b"@ ", &line[..]].concat());
    let lines = [own(BOX_EDGE), own(BOX_TITLE), own(BOX_EDGE)]
        .into_iter()
        .chain(lines);
    // Each line is coloured by itself, because pagers lose colours that span lines.
    for line in lines.chain([own(BOX_EDGE)]) {
        Paint::Warning.around(style.colours, out, |out| {
            write_escaped(&line, style.escapes, out)
        })?;
        writeln!(out)?;
    }
    writeln!(out)
}

/// Writes the names of the files that should be annotated but were not found.
///
/// # Errors
/// Those of `out`.
pub fn write_not_found(names: &[&[u8]], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write_rule(style, out)?;
    writeln!(
        out,
        "The following files chosen for auto-annotation could not be found:"
    )?;
    write_rule(style, out)?;
    for name in names {
        out.write_all(b"  ")?;
        write_escaped(name, style.escapes, out)?;
        writeln!(out)?;
    }
    writeln!(out)
}

/// Writes the sum of the costs that were annotated to lines of sources.
///
/// # Errors
/// Those of `out`.
pub fn write_annotated_total(
    annotated: &Figure<Cost>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let columns = Columns::for_one(style, events, annotated.counts());
    write_heading(&columns, events, "", out)?;
    columns.write_cost(annotated.counts(), out)?;
    writeln!(out, "events annotated\n")
}
