//! The lines of a source, including removed ones, with their costs, executions and jumps.

use std::io::{self, Write};
use std::iter::Peekable;

use crate::profile::Profile;
use crate::render::asm::{executed_text, taken_text};
use crate::render::screen::call_texts;
use crate::render::shorten::{
    elide_end_of_bytes, elide_folders, width_of_bytes, with_tabs_expanded,
};
use crate::render::table::CostColumns;
use crate::render::{
    Style, counted, escaped_bytes, escaped_text, percent, write_edge, write_escaped, write_spaces,
};
use crate::view::asm::{DID_NOT_RUN, Executed, LineFlow};
use crate::view::{
    AnnotatedLine, Annotation, CallSite, Elsewhere, LineChange, LineMap, basename, without_line_end,
};

const REMOVED: &[u8] = b"- ";

#[derive(Clone, Copy)]
pub struct SourceFlow<'a> {
    /// The executions and jumps by file.
    pub flow: &'a LineFlow,
    pub profile: &'a Profile,
    pub counts: bool,
    pub jumps: bool,
}

pub(super) struct LineWriter<'a> {
    pub(super) columns: &'a CostColumns<'a>,
    /// The executions and jumps to show, and the number of the file.
    pub(super) flow: Option<(SourceFlow<'a>, usize)>,
    /// The alignment of both texts, if a column shows the change of each line.
    pub(super) aligned: Option<&'a LineMap>,
    /// The width of line numbers; 0 if they are not shown.
    pub(super) numbers: usize,
}

/// The width of line numbers, which are shown on a terminal if jumps refer to them, or if some
/// lines were requested.
pub(super) fn width_of_numbers(
    flow: Option<(SourceFlow<'_>, usize)>,
    are_requested: bool,
    regions: &[(u32, u32)],
    style: Style<'_>,
) -> usize {
    let has_jumps = flow.is_some_and(|(flow, _)| flow.jumps);
    let has_numbers = style.is_columns && (has_jumps || are_requested);
    let last = regions.last().filter(|_| has_numbers);
    last.map_or(0, |(_, last)| last.to_string().len())
}

/// The share of the file with most of the code, in percent; none in a difference, where changes may
/// cancel out.
fn share_of_file(elsewhere: &Elsewhere<'_, '_>, style: Style<'_>) -> Option<f64> {
    let event = style.first_event().filter(|_| style.difference.is_none())?;
    percent(elsewhere.cost_of_file.value[event], elsewhere.cost.value[event])
}

impl LineWriter<'_> {
    pub(super) fn write_regions(
        &self,
        annotation: &mut Annotation<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let [blank, did_not_run] =
            [self.without_cost(None)?, self.without_cost(Some(DID_NOT_RUN))?];
        let mut lines = annotation.lines.iter().peekable();
        for &(first, last) in &annotation.regions {
            match first {
                ..2 => self.write_removed(0, &mut lines, &blank, out)?,
                _ => {
                    while lines.next_if(|line| line.line < first).is_some() {}
                    self.write_edge(first, false, out)?
                }
            }
            for number in first..=last {
                let Some(text) = annotation.text.line(number) else {
                    return Ok(());
                };
                match lines.next_if(|line| line.line == number && line.removed == 0) {
                    Some(line) => self.write_line(&line, text, out)?,
                    None => {
                        // What the compiler joined with other lines has no cost of its own.
                        match self.executed(number) {
                            None => out.write_all(&blank)?,
                            Some(DID_NOT_RUN) => out.write_all(&did_not_run)?,
                            executed => out.write_all(&self.without_cost(executed)?)?,
                        }
                        out.write_all(self.mark(number))?;
                        self.write_number(Some(number), out)?;
                        self.write_source(text, out)?;
                    }
                }
                self.write_removed(number, &mut lines, &blank, out)?;
            }
            self.write_edge(last, true, out)?;
        }
        Ok(())
    }

    fn write_edge(&self, line: u32, is_end: bool, out: &mut impl Write) -> io::Result<()> {
        write_edge(format_args!("line {line}"), is_end, self.columns.style, out)
    }

    /// The cells of a line without a cost, which are the same for all such lines that have code,
    /// and for all others.
    fn without_cost(&self, executed: Option<Executed>) -> io::Result<Vec<u8>> {
        let mut cells = Vec::new();
        self.columns.write_nothing(&mut cells)?;
        let text = self.flow.map(|_| executed_text(executed, self.columns.style));
        self.columns.write_executed(&text.unwrap_or_default(), &mut cells)?;
        Ok(cells)
    }

    fn executed(&self, line: u32) -> Option<Executed> {
        self.flow.and_then(|(flow, file)| flow.flow.executed(file, line))
    }

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

    /// Writes the removed lines that follow this line, with their costs if any.
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
                    self.write_number(None, out)?;
                    self.write_source(text, out)?;
                }
            }
        }
        // Lines past the end of BASE's text.
        while let Some(line) = lines.next_if(|line| line.line == after && line.removed > 0) {
            if line.is_of_interest {
                let text = format!("<bogus line {}>\n", line.removed);
                self.write_line(&line, text.as_bytes(), out)?;
            }
        }
        Ok(())
    }

    fn write_line(
        &self,
        line: &AnnotatedLine<'_, '_>,
        text: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let columns = self.columns;
        columns.write_cost(line.cost, out)?;
        self.write_executed(Some(line.line), out)?;
        out.write_all(match line.removed {
            0 => self.mark(line.line),
            _ => REMOVED,
        })?;
        self.write_number(Some(line.line).filter(|_| line.removed == 0), out)?;
        self.write_source(text, out)?;
        let gap = if self.aligned.is_some() { "  " } else { "" };
        self.write_calls(line.calls(), gap, out)?;
        if let Some(elsewhere) = line.elsewhere() {
            self.write_elsewhere(&elsewhere, gap, out)?;
        }
        if line.more_calls > 0 {
            columns.write_nothing(out)?;
            self.write_executed(None, out)?;
            writeln!(out, "{gap}=> {} more", line.more_calls)?;
        }
        self.write_jumps(line.line, out)
    }

    /// Writes what a line calls, each callee on a line of its own behind `before`.
    fn write_calls<'l, 'p: 'l>(
        &self,
        calls: impl Iterator<Item = CallSite<'l, 'p>> + Clone,
        before: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let columns = self.columns;
        let (style, indent) = (columns.style, columns.indent() + before.len() + "=> ".len());
        let labels = calls.clone().map(|(label, count, _)| (label, count));
        let texts = call_texts(labels, indent, style);
        for ((.., cost), text) in calls.zip(texts) {
            columns.write_cost(cost, out)?;
            self.write_executed(None, out)?;
            write!(out, "{before}=> ")?;
            out.write_all(&text)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes the code from other files in the functions that begin at a line, and what it calls.
    pub(super) fn write_elsewhere(
        &self,
        elsewhere: &Elsewhere<'_, '_>,
        gap: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (columns, style) = (self.columns, self.columns.style);
        if let Some(file) = elsewhere.file {
            columns.write_cost(elsewhere.cost, out)?;
            self.write_executed(None, out)?;
            let mut after = String::new();
            if elsewhere.more_files > 0 {
                if let Some(percent) = share_of_file(elsewhere, style) {
                    after.push_str(&format!(" {percent:.1}%"));
                }
                after.push_str(&format!(", {}", counted(elsewhere.more_files, "more file")));
            }
            let before = format!("{gap}| inlined from ");
            let used = columns.indent() + before.len() + after.len();
            let room = style.width.map_or(usize::MAX, |width| width.saturating_sub(used));
            let file = elide_folders(&escaped_text(file, style.escapes), room);
            writeln!(out, "{before}{file}{after}")?;
        }
        self.write_calls(elsewhere.calls(), &format!("{gap}| "), out)
    }

    /// Writes the jumps from a line, each on a line of its own.
    fn write_jumps(&self, line: u32, out: &mut impl Write) -> io::Result<()> {
        let Some((shown, own)) = self.flow.filter(|(flow, _)| flow.jumps) else {
            return Ok(());
        };
        let SourceFlow { flow, profile, .. } = shown;
        let (style, indent) = (self.columns.style, self.columns.indent());
        for jump in flow.jumps(own, line) {
            write_spaces(indent, out)?;
            out.write_all(b"-> ")?;
            let (file, line) = jump.target;
            let path = profile.file(file);
            let name = if style.is_columns { basename(path) } else { path };
            let target = if file.index() == own {
                format!("line {line}").into_bytes()
            } else {
                [&escaped_bytes(name, style.escapes), format!(":{line}").as_bytes()].concat()
            };
            let executed = jump.is_conditional.then_some(jump.executed);
            let around = [", ", ""];
            let text_with = |executed| {
                let taken = taken_text(jump.taken, executed, flow.is_exact, around, style);
                [&target[..], format!(" ({taken})").as_bytes()].concat()
            };
            let room = style.width.map_or(usize::MAX, |width| width.saturating_sub(indent + 3));
            // The number of executions is left out first.
            let text = match text_with(executed) {
                long if width_of_bytes(&long) > room => elide_end_of_bytes(&text_with(None), room),
                short => short,
            };
            out.write_all(&text)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Writes the number of a line, if numbers are shown; a removed line has none.
    fn write_number(&self, line: Option<u32>, out: &mut impl Write) -> io::Result<()> {
        match (self.numbers, line) {
            (0, _) => Ok(()),
            (width, Some(line)) => write!(out, "{line:>width$}  "),
            (width, None) => write_spaces(width + 2, out),
        }
    }

    /// Writes a line of the source, including its newline, truncated to the width of the report.
    fn write_source(&self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        let style = self.columns.style;
        if let Some(columns) = style.width {
            let own = without_line_end(line);
            let whole = with_tabs_expanded(&escaped_bytes(own, style.escapes));
            let mark = self.aligned.map_or(0, |_| REMOVED.len());
            let numbers = if self.numbers > 0 { self.numbers + 2 } else { 0 };
            let room = columns.saturating_sub(self.columns.indent() + mark + numbers);
            let text = elide_end_of_bytes(&whole, room);
            out.write_all(text.trim_ascii_end())?;
            return writeln!(out);
        }
        if !style.escapes {
            return out.write_all(line);
        }
        write_escaped(without_line_end(line), style.escapes, out)?;
        out.write_all(b"\n")
    }

    /// Writes the executions of a line, if they are shown; without a line, spaces.
    fn write_executed(&self, line: Option<u32>, out: &mut impl Write) -> io::Result<()> {
        let text = line
            .filter(|_| self.flow.is_some())
            .map(|line| executed_text(self.executed(line), self.columns.style));
        self.columns.write_executed(&text.unwrap_or_default(), out)
    }

    /// Writes the costs of lines past the end of the source; returns whether there are any.
    pub(super) fn write_lines_past_end(
        &self,
        annotation: &Annotation<'_>,
        out: &mut impl Write,
    ) -> io::Result<bool> {
        let length = annotation.text.length();
        let lines = annotation.lines.iter();
        let mut past_end =
            lines.filter(|line| line.line > length && line.is_of_interest).peekable();
        let any = past_end.peek().is_some();
        for line in past_end {
            let number = match line.removed {
                0 => line.line,
                removed => removed,
            };
            let text = format!("<bogus line {number}>\n");
            self.write_line(&line, text.as_bytes(), out)?;
        }
        Ok(any)
    }
}
