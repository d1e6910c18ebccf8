//! The instructions of a function with their costs, source lines, arrows for jumps, and calls.

mod notes;

use std::cmp::Reverse;
use std::io::{self, Write};
use std::ops::Range;

use hashbrown::HashMap;

use super::colour::Paint;
use super::header::figure_text;
use super::screen::call_texts;
use super::shorten::{elide_end_of_bytes, width_of_bytes};
use super::table::{CostColumns, executed_width};
use super::{Style, counted, escaped_bytes, percent, with_commas, write_edge, write_spaces};
use crate::profile::{Count, FileId, FunctionId, Profile};
use crate::view::asm::{
    AsmObject, Executed, FunctionCode, Glyph, Instruction, InstructionPage, LaneRow, MAX_TARGETS,
    PageRow, readable_text,
};
use crate::view::{Figure, Label, SourceTexts};
use notes::{Note, SourceLocation, label_of_place, locations, notes};

/// The maximum width of instruction texts that notes are aligned after, in columns.
const MAX_NOTE_COLUMN: usize = 40;

/// The minimum of that width if space is short.
const MIN_NOTE_COLUMN: usize = 24;

/// The minimum width of an instruction text in columns.
const MIN_TEXT: usize = 12;

/// The minimum width that lanes leave for an address, an instruction and its jump target, in
/// columns.
const MIN_ROW_WIDTH: usize = 24;

/// The number of rows from which on a page has its most expensive instructions at its head: they
/// would be screens apart.
const LONG_PAGE: usize = 60;

/// How many instructions these are.
const MOST_EXPENSIVE: usize = 5;

/// The width of a lane in columns.
const LANE: usize = 3;

pub struct AsmPage<'a> {
    pub profile: &'a Profile,
    pub function: &'a FunctionCode,
    pub object: &'a AsmObject,
    pub page: &'a InstructionPage,
    pub sources: &'a SourceTexts,
    /// Whether executions are shown.
    pub counts: bool,
    pub demangles: bool,
}

impl<'a> AsmPage<'a> {
    pub(in crate::render) fn label(&self, function: FunctionId) -> Label<'a> {
        Label::of_function(self.profile, function, self.demangles)
    }

    /// The text of an instruction of the object, if known.
    pub(in crate::render) fn text(&self, code: Option<usize>) -> Option<Vec<u8>> {
        let is_own = |address| self.function.has_address(address);
        let line = self.object.line(code)?;
        Some(readable_text(&line.text, is_own, self.demangles))
    }
}

/// A number of executions, or a dot if unknown.
pub(super) fn executed_text(executed: Option<Executed>, style: Style<'_>) -> String {
    executed.map_or(".".to_owned(), |Executed { count, is_estimated }| {
        let mark = if is_estimated { "~" } else { "" };
        mark.to_owned() + &style.unsigned(count)
    })
}

/// How often a jump was taken and, for a conditional jump, its executions: `9,487 of 14,151
/// (67.04%)`.
pub(super) fn taken_text(
    taken: i64,
    executed: Option<i64>,
    is_exact: bool,
    [before, after]: [&str; 2],
    style: Style<'_>,
) -> String {
    let text = style.unsigned(taken);
    let Some(executed) = executed else {
        return text;
    };
    let of = style.unsigned(executed);
    if !is_exact {
        return format!("{text} of at least {of}");
    }
    match taken_percent(taken, executed) {
        Some(percent) => format!("{text} of {of}{before}{percent:.2}%{after}"),
        None => text,
    }
}

/// The percentage of a jump's executions that took it, unless these cannot be all.
fn taken_percent(taken: i64, executed: i64) -> Option<f64> {
    let is_share = executed > 0 && executed >= taken;
    is_share.then(|| taken as f64 * 100.0 / executed as f64)
}

struct Writer<'a> {
    asm: &'a AsmPage<'a>,
    columns: CostColumns<'a>,
    /// By row its source location, if that differs from the row above.
    locations: Vec<Option<SourceLocation>>,
    /// The column of notes, from the start of the text.
    note_column: usize,
}

pub fn write_asm(asm: &AsmPage<'_>, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let label = asm.label(asm.function.function);
    // Without the file, which is that of the code that the function begins with.
    let object = label.object.map_or(Vec::new(), |object| [b"  ", object].concat());
    let whole = escaped_bytes(&[&label.name[..], &object].concat(), style.escapes);
    let text = elide_end_of_bytes(&whole, style.width.unwrap_or(usize::MAX));
    Paint::Function.around(style.colours, out, |out| out.write_all(&text))?;
    writeln!(out)?;
    let writer = Writer::new(asm, style);
    writer.columns.write_heading_of_text(out)?;
    if asm.page.rows.len() >= LONG_PAGE {
        writer.write_most_expensive(out)?;
    }
    for stretch in &asm.page.stretches {
        writer.write_stretch(stretch.clone(), out)?;
    }
    let (executed, shown) = (asm.function.instructions.len(), asm.page.executed());
    write!(out, "\n{} executed", counted(executed, "instruction"))?;
    if let Some(event) = style.first_event() {
        let mut own = Figure::plain(asm.function.own());
        own.derive(style.events);
        let share = percent(own.value[event], style.total[event])
            .filter(|_| style.percentages)
            .map(|share| format!("{share:.1}% of the program's"));
        write!(out, ", {}", figure_text(own.counts(), event, share, style))?;
    }
    if shown < executed {
        write!(out, ", {} shown", with_commas(shown))?;
    }
    out.write_all(b"\n\n")
}

impl<'a> Writer<'a> {
    fn new(asm: &'a AsmPage<'a>, style: Style<'a>) -> Writer<'a> {
        let mut costs = Vec::new();
        let (mut most, mut note_column) = (0, 0);
        let locations = locations(asm, style);
        for (row, location) in asm.page.rows.iter().zip(&locations) {
            let Some(number) = row.instruction else {
                continue;
            };
            costs.push(Figure::plain(asm.function.cost(number)));
            let calls = asm.function.calls_from(row.address).iter();
            costs.extend(calls.map(|call| Figure::plain(&call.cost[..])));
            let instruction = &asm.function.instructions[number];
            most = most.max(executed_text(instruction.executed(), style).len());
            if !notes(asm.function, row, location.as_ref(), MAX_TARGETS, style).is_empty() {
                let text = asm.text(row.code).unwrap_or_default();
                note_column = note_column.max(text.len().min(MAX_NOTE_COLUMN));
            }
        }
        let labels = locations.iter().flatten().filter(|location| location.text.is_none());
        let label = labels.map(|location| width_of_bytes(&location.label)).max();
        let executed = if asm.counts { executed_width(most) } else { 0 };
        let others = executed + asm.page.lanes.count * LANE;
        let mut columns = CostColumns::within_width(style, others, costs.into_iter());
        columns.executed = executed;
        let mut writer = Writer { asm, columns, locations, note_column };
        let last = asm.page.rows.last();
        let address = last.map_or(0, |row| format!("{:x}:  ", row.address).len());
        let room = writer.room(address + label.map_or(0, |label| label + 2));
        writer.note_column = writer.note_column.min(room.max(MIN_NOTE_COLUMN));
        writer
    }

    fn style(&self) -> Style<'a> {
        self.columns.style
    }

    /// Writes the most expensive instructions of the page by the first event, each with its place;
    /// of those that cost the same, those of the most expensive lines.
    fn write_most_expensive(&self, out: &mut impl Write) -> io::Result<()> {
        let (style, function) = (self.style(), self.asm.function);
        let Some(event) = style.first_event() else {
            return Ok(());
        };
        let cost = |row: &PageRow| Some(function.cost(row.instruction?)[event].or_zero());
        let rows = self.asm.page.rows.iter();
        let mut by_cost: Vec<(i64, &PageRow)> =
            rows.filter_map(|row| Some((cost(row)?, row))).filter(|&(cost, _)| cost > 0).collect();
        let line = |row: &PageRow| {
            row.instruction.map(|at| &function.instructions[at]).map(|of| (of.file, of.line))
        };
        let mut of_lines: HashMap<Option<(FileId, u32)>, i64> = HashMap::new();
        for (cost, row) in &by_cost {
            let of_line = of_lines.entry(line(row)).or_default();
            *of_line = of_line.saturating_add(*cost);
        }
        by_cost.sort_by_key(|&(cost, row)| (Reverse(cost), Reverse(of_lines[&line(row)])));
        let others = by_cost.split_off(by_cost.len().min(MOST_EXPENSIVE));
        let Some(&(last, _)) = by_cost.last() else {
            return Ok(());
        };
        let equal = others.iter().filter(|&&(cost, _)| cost == last).count();
        let labels: Vec<Vec<u8>> =
            by_cost.iter().map(|(_, row)| label_of_place(self.asm, row, style)).collect();
        let widest = labels.iter().map(|label| width_of_bytes(label)).max().unwrap_or(0);
        writeln!(out, "most expensive:")?;
        for ((_, row), label) in by_cost.into_iter().zip(labels) {
            self.write_costs(row, &LaneRow::default(), out)?;
            let address = format!("{:x}:", row.address);
            Paint::Dim.around(style.colours, out, |out| out.write_all(address.as_bytes()))?;
            out.write_all(b"  ")?;
            Paint::File.around(style.colours, out, |out| out.write_all(&label))?;
            write_spaces(widest - width_of_bytes(&label) + 2, out)?;
            let text = escaped_bytes(&self.asm.text(row.code).unwrap_or_default(), style.escapes);
            let fixed = address.len() + 4 + widest;
            out.write_all(&elide_end_of_bytes(&text, self.room(fixed)))?;
            writeln!(out)?;
        }
        if equal > 0 {
            writeln!(out, "{} more cost as much as the last of these", with_commas(equal))?;
        }
        writeln!(out)
    }

    fn write_stretch(&self, rows: Range<usize>, out: &mut impl Write) -> io::Result<()> {
        let page = self.asm.page;
        let edge = |row: usize, is_end, out: &mut _| {
            let address = page.rows[row].address;
            write_edge(format_args!("{address:x}"), is_end, self.style(), out)
        };
        edge(rows.start, false, out)?;
        for row in rows.clone() {
            let location = self.locations[row].as_ref();
            if let Some(location) = location {
                self.write_source(location, &page.lanes.rows[row], out)?;
            }
            self.write_row(row, out)?;
        }
        edge(rows.end - 1, true, out)
    }

    /// Writes the cells before a row: costs, executions and lanes.
    fn write_front(
        &self,
        cost: Option<&[Count]>,
        executed: &str,
        lanes: &LaneRow,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match cost {
            Some(cost) => self.columns.write_cost(Figure::plain(cost), out)?,
            None => self.columns.write_nothing(out)?,
        }
        self.columns.write_executed(executed, out)?;
        write_lanes(lanes, self.lanes(), self.style().colours, out)
    }

    /// Writes the source line of the next instruction, if its text is known.
    fn write_source(
        &self,
        location: &SourceLocation,
        next: &LaneRow,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let (Some(text), style) = (&location.text, self.style()) else {
            return Ok(());
        };
        write_spaces(self.columns.indent(), out)?;
        write_lanes(&next.adjacent(Glyph::Top), self.lanes(), style.colours, out)?;
        let label = elide_end_of_bytes(&location.label, self.room(0) / 3 * 2);
        Paint::File.around(style.colours, out, |out| out.write_all(&label))?;
        let left = self.columns_left(width_of_bytes(&label) + 2);
        let text = elide_end_of_bytes(&escaped_bytes(text, style.escapes), left);
        out.write_all(b"  ")?;
        Paint::Dim.around(style.colours, out, |out| out.write_all(&text))?;
        writeln!(out)
    }

    /// Writes the cells before an instruction.
    fn write_costs(&self, row: &PageRow, lanes: &LaneRow, out: &mut impl Write) -> io::Result<()> {
        let function = self.asm.function;
        let cost = row.instruction.map(|number| function.cost(number));
        let executed = row
            .instruction
            .map(|number| &function.instructions[number])
            .and_then(Instruction::executed);
        self.write_front(cost, &executed_text(executed, self.style()), lanes, out)
    }

    fn write_row(&self, number: usize, out: &mut impl Write) -> io::Result<()> {
        let (style, function) = (self.style(), self.asm.function);
        let page = self.asm.page;
        let (row, lanes) = (&page.rows[number], &page.lanes.rows[number]);
        self.write_costs(row, lanes, out)?;
        let address = format!("{:x}:", row.address);
        Paint::Dim.around(style.colours, out, |out| out.write_all(address.as_bytes()))?;
        let mut fixed = address.len() + 2;
        let location = self.locations[number].as_ref();
        let of_row = |targets| notes(function, row, location, targets, style);
        let mut notes = of_row(MAX_TARGETS);
        if let Some(instruction) = self.asm.text(row.code) {
            let taken = |notes: &[Note]| -> usize {
                let widths = notes.iter().map(|note| width_of_bytes(&note.text) + 2);
                widths.sum()
            };
            let is_cut = instruction.len() > self.columns_left(fixed + taken(&notes));
            if is_cut {
                // The instruction is more important than its line, further targets and all counts
                // of a jump.
                notes = of_row(1);
                notes.retain(|note| note.paint != Paint::File || !note.text.starts_with(b":"));
            }
            let with_notes = fixed + taken(&notes);
            let whole = escaped_bytes(&instruction, self.style().escapes);
            let text = elide_end_of_bytes(&whole, self.room(with_notes));
            out.write_all(b"  ")?;
            out.write_all(&text)?;
            fixed += width_of_bytes(&text);
            if !notes.is_empty() {
                let room = self.room(with_notes).min(self.note_column);
                let spaces = room.saturating_sub(width_of_bytes(&text));
                if self.columns_left(fixed + spaces) >= taken(&notes) {
                    write_spaces(spaces, out)?;
                    fixed += spaces;
                }
            }
        }
        self.write_notes(&notes, self.columns_left(fixed), out)?;
        writeln!(out)?;
        self.write_calls(row, &lanes.adjacent(Glyph::Bottom), out)
    }

    /// Writes the first notes, as many as fit, and a mark if there are more.
    fn write_notes(&self, notes: &[Note], mut room: usize, out: &mut impl Write) -> io::Result<()> {
        for (number, Note { text, paint }) in notes.iter().enumerate() {
            let width = width_of_bytes(text) + 2;
            if width > room {
                return out.write_all(if room < 3 { b"" } else { "  …".as_bytes() });
            }
            room -= width;
            out.write_all(if number == 0 { b"  " } else { b"; " })?;
            paint.around(self.style().colours, out, |out| out.write_all(text))?;
        }
        Ok(())
    }

    /// Writes the calls of an instruction, the most expensive first.
    fn write_calls(&self, row: &PageRow, lanes: &LaneRow, out: &mut impl Write) -> io::Result<()> {
        let style = self.style();
        let mut calls: Vec<_> = self.asm.function.calls_from(row.address).iter().collect();
        let first = style.shown.first();
        calls.sort_by_key(|call| {
            let cost = first.map_or(0, |&event| call.cost[event].or_zero().saturating_abs());
            (std::cmp::Reverse(cost), call.callee)
        });
        let labels: Vec<Label<'_>> = calls.iter().map(|call| self.asm.label(call.callee)).collect();
        let counts = calls.iter().map(|call| Figure::of_known_calls(call.count));
        let indent = self.before_text() + "=> ".len();
        let texts = call_texts(labels.iter().zip(counts), indent, style);
        for (call, text) in calls.iter().zip(texts) {
            self.write_front(Some(&call.cost), "", lanes, out)?;
            out.write_all(b"=> ")?;
            out.write_all(&text)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// The number of lanes that fit; the ones nearest to the instructions are shown.
    fn lanes(&self) -> usize {
        let all = self.asm.page.lanes.count;
        let others = self.columns.indent() + 1 + MIN_ROW_WIDTH;
        let room = self.style().width.map_or(usize::MAX, |width| width.saturating_sub(others));
        all.min(room / LANE)
    }

    /// The number of columns before an address.
    fn before_text(&self) -> usize {
        let lanes = self.lanes();
        let width = if lanes == 0 { 0 } else { lanes * LANE + 1 };
        self.columns.indent() + width
    }

    /// The number of columns for a text after the lanes and `fixed` more columns, at least a
    /// minimum.
    fn room(&self, fixed: usize) -> usize {
        self.columns_left(fixed).max(MIN_TEXT)
    }

    /// The number of columns after the lanes and `fixed` more columns; may be 0.
    fn columns_left(&self, fixed: usize) -> usize {
        let columns = self.style().width.unwrap_or(usize::MAX);
        columns.saturating_sub(self.before_text() + fixed)
    }
}

/// Writes the lanes of one row, and a space.
fn write_lanes(row: &LaneRow, count: usize, colours: bool, out: &mut impl Write) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let mut is_joined = false;
    for lane in (0..count).rev() {
        let glyph = row.glyphs[lane];
        let byte = match glyph {
            Glyph::Blank if is_joined => b'-',
            glyph => glyph as u8,
        };
        let paint =
            if row.is_loop[lane] && glyph != Glyph::Blank { Paint::Function } else { Paint::Plain };
        paint.around(colours, out, |out| out.write_all(&[byte]))?;
        is_joined |= !matches!(glyph, Glyph::Blank | Glyph::Through);
        let between = if is_joined { b"--" } else { b"  " };
        match (lane, row.is_target) {
            (0, true) => out.write_all(b"->")?,
            _ => out.write_all(between)?,
        }
    }
    out.write_all(b" ")
}
