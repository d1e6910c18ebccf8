//! Instructions as rows, as comma-separated values and as JSON.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use super::Style;
use super::columns::{Column, Figures, Measure, Show};
use super::csv::Csv;
use super::json::{Bytes, Cost, write_value};
use super::parallel::{ChunkWriter, write_rows};
use crate::profile::Profile;
use crate::view::asm::{InstructionList, ListedInstruction};
use crate::view::{Figure, Label};

/// The columns before the events.
const COLUMNS: [&[u8]; 5] = [b"object", b"address", b"file", b"line", b"function"];

/// Instructions, and what their names are in.
pub struct InstructionRows<'a> {
    pub list: &'a InstructionList,
    pub profile: &'a Profile,
    /// Whether names are demangled.
    pub demangles: bool,
}

#[derive(Serialize)]
struct Row<'a> {
    object: Option<Bytes<'a>>,
    address: String,
    file: Bytes<'a>,
    line: Option<u32>,
    #[serde(serialize_with = "super::json::name")]
    function: Cow<'a, [u8]>,
    #[serde(rename = "self")]
    cost: Cost<'a>,
}

impl<'a> InstructionRows<'a> {
    fn name(&self, row: &ListedInstruction) -> Cow<'a, [u8]> {
        match Label::of_function(self.profile, row.function, self.demangles) {
            Label::Function { name, .. } => name,
            _ => b"".into(),
        }
    }

    fn object(&self, row: &ListedInstruction) -> Option<&'a [u8]> {
        self.profile.defined_object(row.object)
    }
}

/// Writes instructions as comma-separated values. Unknown objects and lines are empty, and so are undefined counts.
pub fn write_instructions_csv(
    rows: &InstructionRows<'_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut csv = Csv::new(style, &mut *out);
    COLUMNS
        .into_iter()
        .try_for_each(|column| csv.write(column))?;
    for &event in style.shown {
        csv.write_text(rows.profile.events().name(event))?;
    }
    csv.end_row()?;
    csv.flush()?;
    drop(csv);
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut csv = Csv::new(style, out);
        for row in &rows.list.rows[range] {
            csv.write_text(rows.object(row).unwrap_or_default())?;
            csv.write(format!("{:#x}", row.address).as_bytes())?;
            csv.write_text(rows.profile.file(row.file))?;
            let line = (row.line != 0).then(|| row.line.to_string());
            csv.write(line.unwrap_or_default().as_bytes())?;
            csv.write_text(&rows.name(row))?;
            let figures = Figures::of_cost(Figure::plain(rows.list.cost(row)));
            for &event in style.shown {
                csv.write_cell(Column::new(Measure::Cost(event), Show::Count), &figures)?;
            }
            csv.end_row()?;
        }
        csv.flush()
    };
    write_rows(rows.list.rows.len(), write, out)
}

/// Writes instructions as the rows of a JSON report.
pub fn write_instructions_json(
    rows: &InstructionRows<'_>,
    (shown, unit): (&[usize], i64),
    out: &mut impl Write,
) -> io::Result<()> {
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for at in range {
            let row = &rows.list.rows[at];
            out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
            let row = Row {
                object: rows.object(row).map(Bytes),
                address: format!("{:#x}", row.address),
                file: Bytes(rows.profile.file(row.file)),
                line: (row.line != 0).then_some(row.line),
                function: rows.name(row),
                cost: Cost::new(shown, rows.list.cost(row)),
            };
            write_value(&row, unit, out)?;
        }
        Ok(())
    };
    write_rows(rows.list.rows.len(), write, out)?;
    out.write_all(b"\n]")
}
