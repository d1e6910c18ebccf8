//! The flat profile.

use std::io::{self, Write};
use std::ops::Range;

use super::{GprofStyle, width};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::{Flat, FlatRow};

/// The minimum widths of gprof's own columns.
pub(super) const WIDTHS: [usize; 6] = [6, 9, 8, 8, 8, 8];

/// Writes the flat profile.
pub fn write_flat<S: GprofStyle>(
    flat: &Flat<S::Cost>,
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"Flat profile:\n\n")?;
    let widths = style.write_flat_titles(flat, out)?;
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut cells = Vec::new();
        for row in &flat.rows[range] {
            fill_cells(row, flat.whole, style, &mut cells);
            write_cells(cells.iter().map(NumberText::as_bytes), &widths, out)?;
            out.write_all(b"  ")?;
            write_escaped(&style.row_name(row.number), style.looks().escapes, out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(flat.rows.len(), write, out)
}

/// Replaces `cells` by those of a row.
pub(super) fn fill_cells<S: GprofStyle>(
    row: &FlatRow<S::Cost>,
    whole: S::Cost,
    style: &S,
    cells: &mut Vec<NumberText>,
) {
    let empty = NumberText::new;
    let share = NumberText::hundredths(style.percent(row.own, whole));
    cells.clear();
    cells.extend([share, style.cost(row.cumulative), style.cost(row.own)]);
    style.add_more_cells(row.number, cells);
    cells.extend(match row.calls {
        0 => [empty(), empty(), empty()],
        calls => [
            style.calls(calls),
            style.per_call(row.own, calls),
            style.per_call(row.inclusive, calls),
        ],
    });
}

/// Writes texts, right-aligned in their columns, which long ones exceed.
pub(super) fn write_cells<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    widths: &[usize],
    out: &mut impl Write,
) -> io::Result<()> {
    // The width of empty cells is left to the next text.
    let mut left = 0;
    for (i, (text, column)) in texts.zip(widths).enumerate() {
        left += usize::from(i > 0) + column.saturating_sub(width(text));
        if !text.is_empty() {
            write_spaces(left, out)?;
            out.write_all(text)?;
            left = 0;
        }
    }
    write_spaces(left, out)
}
