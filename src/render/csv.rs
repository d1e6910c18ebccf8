//! The list as comma-separated values: a line with the names of the columns, then one line per row.

use std::io::{self, Write};
use std::ops::Range;

use csv::{ByteRecord, Writer};

use super::number::NumberText;
use super::parallel::{ChunkWriter, write_rows};
use super::{EXACT_DECIMALS, Style, row_title, write_escaped};
use crate::profile::{Count, Events};
use crate::view::{Figure, FunctionList, FunctionRow, Label, Mark, RowBy, Rows};

/// Writes the list: file, function and object, or the name of the group; in a difference the mark; with `--calls` the
/// calls from other functions and the recursive ones; then one column per event. Undefined counts and unknown objects
/// are empty.
///
/// # Errors
/// Those of `out`.
pub fn write_csv(
    list: &FunctionList,
    rows: &Rows<'_>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut csv = Csv::new(style, &mut *out);
    match rows.row_by() {
        RowBy::FileFunction | RowBy::Function | RowBy::Inlined => {
            csv.write(b"file")?;
            csv.write(b"function")?;
            csv.write(b"object")?;
        }
        group => csv.write(row_title(group).as_bytes())?,
    }
    let is_difference = style.difference.is_some();
    if is_difference {
        csv.write(b"mark")?;
    }
    if list.call_counts().is_some() {
        csv.write_column(b"calls")?;
        csv.write_column(b"calls by itself")?;
    }
    for &event in style.shown {
        csv.write_column(events.name(event))?;
    }
    csv.end_row()?;
    csv.flush()?;
    drop(csv);
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut csv = Csv::new(style, out);
        let mut lines = list.lines_at(range, rows);
        lines.try_for_each(|row| csv.write_row(&row))?;
        csv.flush()
    };
    write_rows(list.items.len(), write, out)
}

pub(super) struct Csv<'a, W: Write> {
    style: Style<'a>,
    writer: Writer<W>,
    /// The fields of the current row: the writer takes whole rows in half the time of single fields.
    row: ByteRecord,
    escaped: Vec<u8>,
}

impl<'a, W: Write> Csv<'a, W> {
    pub(super) fn new(style: Style<'a>, out: W) -> Csv<'a, W> {
        Csv {
            style,
            writer: Writer::from_writer(out),
            row: ByteRecord::new(),
            escaped: Vec::new(),
        }
    }

    pub(super) fn write(&mut self, field: &[u8]) -> io::Result<()> {
        self.row.push_field(field);
        Ok(())
    }

    /// Writes text of the profile, with control characters escaped if the style wants it.
    pub(super) fn write_text(&mut self, text: &[u8]) -> io::Result<()> {
        if !self.style.escapes {
            return self.write(text);
        }
        self.escaped.clear();
        write_escaped(text, true, &mut self.escaped)?;
        self.row.push_field(&self.escaped);
        Ok(())
    }

    /// Writes the name of a column; of a difference those of BASE, NEW and the change.
    pub(super) fn write_column(&mut self, name: &[u8]) -> io::Result<()> {
        if self.style.difference.is_some() {
            self.write_text(&[name, b".base"].concat())?;
            self.write_text(&[name, b".new"].concat())?;
        }
        self.write_text(name)
    }

    /// Writes a count, of a difference with both sides.
    pub(super) fn write_count(&mut self, count: Figure<Count>) -> io::Result<()> {
        let sides = count.compared.map(|sides| [sides.base, sides.new]);
        for count in sides.into_iter().flatten().chain([count.value]) {
            self.write_number(count)?;
        }
        Ok(())
    }

    /// Writes the mark of a row, if there is a column for it.
    pub(super) fn write_mark(&mut self, mark: Option<Mark>) -> io::Result<()> {
        if self.style.difference.is_none() {
            return Ok(());
        }
        self.write(match mark {
            None => b"",
            Some(Mark::New) => b"new",
            Some(Mark::Gone) => b"gone",
        })
    }

    fn write_number(&mut self, count: Count) -> io::Result<()> {
        let mut text = NumberText::new();
        match (count.value(), self.style.unit) {
            (None, _) => {}
            (Some(value), 1) => text.prepend_plain(value),
            (Some(value), unit) => text.prepend_quotient(value, unit, EXACT_DECIMALS, false),
        }
        self.write(text.as_bytes())
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    pub(super) fn end_row(&mut self) -> io::Result<()> {
        self.writer.write_byte_record(&self.row)?;
        self.row.clear();
        Ok(())
    }

    fn write_row(&mut self, row: &FunctionRow<'_, '_>) -> io::Result<()> {
        match &row.label {
            Label::Function {
                file, name, object, ..
            } => {
                self.write_text(file)?;
                self.write_text(name)?;
                self.write_text(object.unwrap_or_default())?;
            }
            Label::Group { name } => self.write_text(name)?,
            Label::Cycle(number) => {
                self.write(b"")?;
                self.write(format!("<cycle {number}>").as_bytes())?;
                self.write(b"")?;
            }
        }
        self.write_mark(row.cost.mark())?;
        if let Some(calls) = row.calls {
            self.write_count(calls.map(|calls| calls.by_others))?;
            self.write_count(calls.map(|calls| calls.recursive))?;
        }
        for &event in self.style.shown {
            self.write_count(row.cost.event(event))?;
        }
        self.end_row()
    }
}
