//! The flat profile.

use std::io::{self, Write};
use std::ops::Range;

use crate::profile::Count;
use crate::render::gprof::{GprofStyle, percent, width};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{with_commas, write_escaped, write_spaces};
use crate::view::{ExecCount, Flat, FlatRow};

/// The minimum widths of gprof's own columns.
const WIDTHS: [usize; 6] = [6, 9, 8, 8, 8, 8];

/// Writes the flat profile.
pub fn write_flat(flat: &Flat, style: GprofStyle<'_>, out: &mut impl Write) -> io::Result<()> {
    let whole = with_commas(flat.reference);
    write!(out, "Flat profile:\n\n100% are {whole} ")?;
    write_escaped(style.event_name(), style.escapes, out)?;
    writeln!(out, ".")?;
    let widths = write_titles(flat, style, out)?;
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut cells = Vec::new();
        for row in &flat.rows[range] {
            fill_cells(row, flat.reference, style, &mut cells);
            write_cells(cells.iter().map(NumberText::as_bytes), &widths, out)?;
            out.write_all(b"  ")?;
            let name = match &row.site {
                Some(site) => style.name_at(row.function, site),
                None => style.name(row.function),
            };
            write_escaped(&name, style.escapes, out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(flat.rows.len(), write, out)
}

/// Writes the titles of the columns, in two lines; returns the widths of the columns.
fn write_titles(
    flat: &Flat,
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<Vec<usize>> {
    let escaped = |text: &[u8]| {
        let mut escaped = Vec::new();
        write_escaped(text, style.escapes, &mut escaped)?;
        io::Result::Ok(escaped)
    };
    let event = escaped(style.event_name())?;
    let per_call = [&event[..], b"/call"].concat();
    let mut above = vec!["%", "cumulative", "self"];
    let mut below = vec![event.clone(), event.clone(), event];
    for &other in style.more_events {
        above.push("self");
        below.push(escaped(style.profile.events().name(other))?);
    }
    above.extend(["", "self", "total"]);
    below.extend([b"calls".to_vec(), per_call.clone(), per_call]);

    let (first, last) = WIDTHS.split_at(3);
    let more = style.more_events.iter().map(|_| &first[2]);
    let min = first.iter().chain(more).chain(last);
    let widths = above.iter().zip(&below).zip(min);
    let mut widths: Vec<usize> = widths
        .map(|((above, below), min)| above.len().max(width(below)).max(*min))
        .collect();
    let mut cells = Vec::new();
    for row in &flat.rows {
        fill_cells(row, flat.reference, style, &mut cells);
        for (width, cell) in widths.iter_mut().zip(&cells) {
            *width = (*width).max(cell.len());
        }
    }
    write_cells(above.iter().map(|text| text.as_bytes()), &widths, out)?;
    writeln!(out)?;
    write_cells(below.iter().map(|text| &text[..]), &widths, out)?;
    writeln!(out, "  name")?;
    Ok(widths)
}

/// Replaces `cells` by those of a row.
fn fill_cells(row: &FlatRow, whole: i64, style: GprofStyle<'_>, cells: &mut Vec<NumberText>) {
    let empty = NumberText::new;
    let count = |count: Count| count.value().map_or_else(empty, NumberText::number);
    let own = row.cost[style.event].or_zero();
    let mut share = NumberText::new();
    share.prepend_hundredths(percent(i128::from(own), whole));
    cells.clear();
    cells.extend([
        share,
        NumberText::number(row.cumulative),
        NumberText::number(own),
    ]);
    let others = style.more_events.iter();
    cells.extend(others.map(|&event| count(row.cost[event])));
    cells.extend(match row.calls {
        0 => [empty(), empty(), empty()],
        calls => [
            NumberText::number(calls),
            per_call(own, calls),
            per_call(row.inclusive, calls),
        ],
    });
}

/// The cost per call, with two decimals.
fn per_call(cost: i64, calls: i64) -> NumberText {
    let is_negative = (cost < 0) != (calls < 0) && cost != 0;
    let (cost, calls) = (i128::from(cost) * 100, i128::from(calls));
    let hundredths = (cost.abs() + calls.abs() / 2) / calls.abs().max(1);
    let mut text = NumberText::new();
    text.prepend_digits((hundredths % 100) as u64, 2);
    text.prepend(b'.');
    text.prepend_number(i64::try_from(hundredths / 100).unwrap_or(i64::MAX));
    if is_negative {
        text.prepend(b'-');
    }
    text
}

/// Writes texts, right-aligned in their columns.
fn write_cells<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    widths: &[usize],
    out: &mut impl Write,
) -> io::Result<()> {
    // The width of empty cells is left to the next text.
    let mut left = 0;
    for (i, (text, column)) in texts.zip(widths).enumerate() {
        left += column + usize::from(i > 0);
        if !text.is_empty() {
            write_spaces(left.saturating_sub(width(text)), out)?;
            out.write_all(text)?;
            left = 0;
        }
    }
    write_spaces(left, out)
}

/// Writes the execution counts.
pub fn write_exec_counts(
    exec_counts: &[ExecCount],
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for ExecCount {
        function,
        count,
        line,
    } in exec_counts
    {
        let known = &style.functions.list()[*function as usize];
        let (file, number) = match line {
            Some((_, at)) => (style.profile.file(at.file), at.line),
            None => (style.functions.file(*function), known.line),
        };
        write_escaped(file, style.escapes, out)?;
        write!(out, ":{number}: (")?;
        write_escaped(&known.name, style.escapes, out)?;
        if let Some((address, _)) = line {
            write!(out, ":{address:#x}")?;
        }
        writeln!(out, ") {} executions", with_commas(*count))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_of_a_call() {
        let table = [
            (0, 3, "0.00"),
            (10, 3, "3.33"),
            (20, 3, "6.67"),
            (1, 8, "0.13"),
            (-1, 8, "-0.13"),
            (1_234_567, 1, "1,234,567.00"),
            (i64::MAX, 1, "9,223,372,036,854,775,807.00"),
            (i64::MIN, 1, "-9,223,372,036,854,775,807.00"),
        ];
        for (cost, calls, text) in table {
            assert_eq!(per_call(cost, calls).as_str(), text, "{cost}/{calls}");
        }
    }
}
