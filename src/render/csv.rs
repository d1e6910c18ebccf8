//! The list as comma-separated values: a line with the names of the columns, then one line per row.

use std::io::{self, Write};
use std::ops::Range;

use csv::{ByteRecord, Writer};

use super::number::NumberText;
use super::parallel::{ChunkWriter, write_rows};
use super::{EXACT_DECIMALS, Style, figure_percent, row_title, write_escaped};
use crate::profile::{Count, Events};
use crate::view::{
    Figure, FigureTable, Inclusive, Item, Label, List, ListRow, Mark, OneOrMany, RowBy, Rows,
};

/// What the values of a row are looked up in.
pub struct CsvTable<'a, 'p> {
    /// What is listed, in order.
    pub list: &'a List,
    /// All rows.
    pub rows: &'a Rows<'p>,
    /// The events.
    pub events: &'a Events,
    /// The self costs of rows.
    pub own: &'a FigureTable,
    /// Their inclusive costs, and those of cycles.
    pub inclusive: &'a Inclusive<'a>,
    /// Whether percentages are requested.
    pub percentages: bool,
}

/// Writes the list: what rows are; in a difference the mark; for each event the self and the inclusive cost; then the calls
/// from other functions and the recursive ones. Undefined counts and unknown names are empty.
pub fn write_csv(
    table: &CsvTable<'_, '_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (mut csv, events) = (Csv::new(style, &mut *out), table.events);
    let row_by = table.rows.row_by();
    let names: &[&[u8]] = match row_by {
        RowBy::FileFunction | RowBy::Function | RowBy::Inlined => {
            &[b"file", b"function", b"object", b"cycle"]
        }
        RowBy::Line => &[b"file", b"line", b"function", b"source"],
        RowBy::Thread => &[b"thread"],
        RowBy::Part => &[b"part"],
        RowBy::File => &[b"file", b"object", b"objects"],
        RowBy::Object => &[b"object", b"file", b"files"],
        RowBy::Namespace | RowBy::Name | RowBy::Bucket => &[
            row_title(row_by).as_bytes(),
            b"file",
            b"files",
            b"object",
            b"objects",
        ],
    };
    names.iter().try_for_each(|name| csv.write(name))?;
    if style.difference.is_some() {
        csv.write(b"mark")?;
    }
    for &event in style.shown {
        // A ratio has no percentage.
        let has_percentages = table.percentages && !style.ratios.contains(&event);
        for name in [
            events.name(event),
            &[events.name(event), b".inclusive"].concat(),
        ] {
            csv.write_column(name)?;
            if has_percentages {
                csv.write_text(&[name, b".percent"].concat())?;
            }
        }
    }
    csv.write_column(b"calls")?;
    csv.write_column(b"recursive_calls")?;
    csv.end_row()?;
    csv.flush()?;
    drop(csv);
    let list = table.list;
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut csv = Csv::new(style, out);
        let mut lines = list.lines_at(range, table.rows);
        lines.try_for_each(|row| csv.write_row(&row, table))?;
        csv.flush()
    };
    write_rows(list.items.len(), write, out)
}

/// In place of the number of an event, for counts of calls.
const NO_EVENT: usize = usize::MAX;

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
    pub(super) fn write_count(&mut self, event: usize, count: Figure<Count>) -> io::Result<()> {
        let sides = count.compared.map(|sides| [sides.base, sides.new]);
        for count in sides.into_iter().flatten().chain([count.value]) {
            self.write_number(event, count)?;
        }
        Ok(())
    }

    /// Writes the mark of a row, if there is a column for it.
    fn write_mark(&mut self, mark: Option<Mark>) -> io::Result<()> {
        if self.style.difference.is_none() {
            return Ok(());
        }
        self.write(match mark {
            None => b"",
            Some(Mark::New) => b"new",
            Some(Mark::Gone) => b"gone",
        })
    }

    fn write_number(&mut self, event: usize, count: Count) -> io::Result<()> {
        let mut text = NumberText::new();
        match (count.value(), self.style.of_event(event).unit) {
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

    fn write_row(&mut self, row: &ListRow<'_, '_>, table: &CsvTable<'_, '_>) -> io::Result<()> {
        self.write_names(&row.label, table.rows.row_by())?;
        self.write_mark(row.cost.mark())?;
        // A cycle as a whole has no cost in addition to that of its members.
        let own = match row.item {
            Item::Row(row) => Some(table.own.get(row.index())),
            Item::Cycle(_) => None,
        };
        let inclusive = table.inclusive.of_item(row.item);
        for &event in self.style.shown {
            for cost in [own, inclusive] {
                let none = row.cost.event(event).map(|_| Count::UNDEFINED);
                let count = cost.map_or(none, |cost| cost.event(event));
                self.write_count(event, count)?;
                if table.percentages && !self.style.ratios.contains(&event) {
                    let of_total = self.style.difference.is_some_and(|of| of.percent_of_total);
                    let percent = figure_percent(count, self.style.total[event], of_total);
                    let percent = percent.map(|percent| format!("{percent:.2}"));
                    self.write(percent.unwrap_or_default().as_bytes())?;
                }
            }
        }
        if let Some(calls) = row.calls {
            self.write_count(NO_EVENT, calls.map(|calls| calls.by_others))?;
            self.write_count(NO_EVENT, calls.map(|calls| calls.recursive))?;
        }
        self.end_row()
    }

    /// Writes what a row is.
    fn write_names(&mut self, label: &Label<'_>, row_by: RowBy) -> io::Result<()> {
        match label {
            Label::Function { file, name, .. } if row_by == RowBy::Line => {
                self.write_text(file)?;
                self.write(b"")?;
                self.write_text(name)?;
                self.write(b"")
            }
            Label::Function {
                file,
                name,
                cycle,
                object,
            } => {
                self.write_text(file)?;
                self.write_text(name)?;
                self.write_text(object.unwrap_or_default())?;
                let cycle = cycle.map(|number| number.to_string());
                self.write(cycle.unwrap_or_default().as_bytes())
            }
            Label::Line { file, line, source } => {
                self.write_text(file)?;
                self.write(line.to_string().as_bytes())?;
                self.write(b"")?;
                self.write_text(source.as_deref().unwrap_or_default())
            }
            Label::Group { name, place } => {
                self.write_text(name)?;
                for names in [place.files, place.objects].into_iter().flatten() {
                    let (only, count) = match names {
                        OneOrMany::One(name) => (name, 1),
                        OneOrMany::Many(count) => (&b""[..], count),
                    };
                    self.write_text(only)?;
                    self.write(count.to_string().as_bytes())?;
                }
                Ok(())
            }
            Label::Cycle(number) => {
                self.write(b"")?;
                self.write(format!("<cycle {number}>").as_bytes())?;
                self.write(b"")?;
                self.write(number.to_string().as_bytes())
            }
        }
    }
}
