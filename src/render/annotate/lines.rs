//! The lines of a source with their costs, and those that were removed.

use std::io::{self, Write};
use std::iter::Peekable;

use super::flow::FileFlow;
use crate::render::colour::Paint;
use crate::render::label::{ObjectStyle, write_label};
use crate::render::table::Table;
use crate::render::{Style, write_escaped};
use crate::view::{AnnotatedLine, Annotation, LineChange, LineMap};

/// Follows the number of the first and the last line of a region.
const DASHES: &str = "----------------------------------------";

/// What is before a line that was removed.
const REMOVED: &[u8] = b"- ";

/// Writes the lines of one file.
pub(super) struct LineWriter<'a> {
    pub(super) columns: &'a Table<'a>,
    pub(super) flow: Option<FileFlow<'a>>,
    /// How the texts of both sides are aligned: a column shows what became of each line.
    pub(super) aligned: Option<&'a LineMap>,
}

impl LineWriter<'_> {
    /// Writes the regions of the source around lines with costs.
    pub(super) fn write_regions(
        &self,
        annotation: &mut Annotation<'_, '_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let blank = self.blank()?;
        let mut next = 1;
        let mut lines = annotation.lines.iter().peekable();
        for &(first, last) in &annotation.regions {
            match first {
                ..2 => self.write_removed(0, &mut lines, &blank, out)?,
                _ => write_line_number(first, self.columns.style, out)?,
            }
            annotation.text.skip(first - next);
            for number in first..=last {
                let Some(text) = annotation.text.next_line() else {
                    return Ok(());
                };
                match lines.next_if(|line| line.line == number && line.removed == 0) {
                    Some(line) => self.write_line(&line, text, out)?,
                    None => {
                        out.write_all(&blank)?;
                        out.write_all(self.mark(number))?;
                        write_source(text, self.columns.style, out)?;
                    }
                }
                self.write_removed(number, &mut lines, &blank, out)?;
            }
            next = last.saturating_add(1);
            write_line_number(last, self.columns.style, out)?;
        }
        Ok(())
    }

    /// What is before lines without costs, which are most: it is always the same.
    fn blank(&self) -> io::Result<Vec<u8>> {
        let mut nothing = Vec::new();
        self.columns.write_nothing(&mut nothing)?;
        // Line 0 has no executions.
        self.flow.map_or(Ok(()), |flow| {
            flow.write_executed(Some(0), self.columns.style, &mut nothing)
        })?;
        Ok(nothing)
    }

    /// What became of a line, in a column of its own.
    fn mark(&self, line: u32) -> &'static [u8] {
        let Some(aligned) = self.aligned else {
            return b"";
        };
        match aligned.change(line) {
            LineChange::Same => b"  ",
            LineChange::Moved => b"> ",
            LineChange::Added => b"+ ",
        }
    }

    /// Writes the lines that were removed after this one, with their costs if they have any.
    fn write_removed<'l, 'p: 'l>(
        &self,
        after: u32,
        lines: &mut Peekable<impl Iterator<Item = AnnotatedLine<'l, 'p>>>,
        blank: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(aligned) = self.aligned else {
            return Ok(());
        };
        for (key, text) in aligned.removed_after(after) {
            match lines.next_if(|line| line.line == after && line.removed == key.removed) {
                Some(line) => self.write_line(&line, text, out)?,
                None => {
                    out.write_all(blank)?;
                    out.write_all(REMOVED)?;
                    write_source(text, self.columns.style, out)?;
                }
            }
        }
        // Those past the end of BASE's text.
        while let Some(line) = lines.next_if(|line| line.line == after && line.removed > 0) {
            let text = format!("<bogus line {}>\n", line.removed);
            self.write_line(&line, text.as_bytes(), out)?;
        }
        Ok(())
    }

    /// Writes a line with its cost and calls.
    fn write_line(
        &self,
        line: &AnnotatedLine<'_, '_>,
        text: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (columns, flow) = (self.columns, self.flow);
        columns.write_cost(line.cost, out)?;
        let write_executed = |number, out: &mut _| match flow {
            Some(flow) => flow.write_executed(number, columns.style, out),
            None => Ok(()),
        };
        write_executed(Some(line.line), out)?;
        out.write_all(match line.removed {
            0 => self.mark(line.line),
            _ => REMOVED,
        })?;
        write_source(text, columns.style, out)?;
        let gap = if self.aligned.is_some() { "  " } else { "" };
        for call in line.calls() {
            columns.write_cost(call.cost, out)?;
            write_executed(None, out)?;
            write!(out, "{gap}=> ")?;
            let indent = columns.indent() + gap.len() + "=> ".len();
            let (count, style) = (Some(call.count), columns.style);
            write_label(call.label, count, ObjectStyle::None, indent, style, out)?;
            out.write_all(b"\n")?;
        }
        flow.map_or(Ok(()), |flow| flow.write_jumps(line.line, columns, out))
    }

    /// Writes the costs of lines past the end of the source; returns whether there are any.
    pub(super) fn write_lines_past_end(
        &self,
        annotation: &Annotation<'_, '_>,
        out: &mut impl Write,
    ) -> io::Result<bool> {
        let length = annotation.text.length().unwrap_or(u32::MAX);
        let lines = annotation.lines.iter();
        let mut past_end = lines.skip_while(|line| line.line <= length).peekable();
        let any = past_end.peek().is_some();
        for line in past_end {
            let number = if line.removed > 0 {
                line.removed
            } else {
                line.line
            };
            let text = format!("<bogus line {number}>\n");
            self.write_line(&line, text.as_bytes(), out)?;
        }
        Ok(any)
    }
}

/// Writes a line of the source, including its newline.
fn write_source(line: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    if !style.escapes {
        return out.write_all(line);
    }
    write_escaped(line.strip_suffix(b"\n").unwrap_or(line), style.escapes, out)?;
    out.write_all(b"\n")
}

/// Writes the line number at the start or end of a region.
fn write_line_number(line: u32, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    Paint::Dim.around(style.colours, out, |out| {
        write!(out, "-- line {line} {DASHES}")
    })?;
    writeln!(out)
}
