//! The flat profile.

use std::io::{self, Write};

use super::{GprofStyle, percent, width};
use crate::profile::Count;
use crate::render::{with_commas, write_escaped, write_spaces};
use crate::view::{Flat, FlatRow};

/// The minimum widths of gprof's own columns.
const WIDTHS: [usize; 6] = [6, 9, 8, 8, 8, 8];

/// Writes the flat profile.
///
/// # Errors
/// Those of `out`.
pub fn write_flat(flat: &Flat, style: GprofStyle<'_>, out: &mut impl Write) -> io::Result<()> {
    let event = style.event_name().to_vec();
    let per_call = [&event[..], b"/call"].concat();
    write!(
        out,
        "Flat profile:\n\n100% are {} ",
        with_commas(flat.whole)
    )?;
    write_escaped(&event, style.escapes, out)?;
    writeln!(out, ".")?;
    let mut headings: Vec<(&[u8], Vec<u8>)> = vec![
        (b"%", event.clone()),
        (b"cumulative", event.clone()),
        (b"self", event.clone()),
    ];
    for &other in style.more_events {
        headings.push((b"self", style.profile.events.name(other).to_vec()));
    }
    headings.push((b"", b"calls".to_vec()));
    headings.push((b"self", per_call.clone()));
    headings.push((b"total", per_call));
    let rows: Vec<Vec<String>> = flat
        .rows
        .iter()
        .map(|row| cells(row, flat.whole, style))
        .collect();
    let (first, last) = WIDTHS.split_at(3);
    let least = first
        .iter()
        .chain(style.more_events.iter().map(|_| &first[2]))
        .chain(last);
    let mut widths: Vec<usize> = headings
        .iter()
        .zip(least)
        .map(|((above, below), least)| above.len().max(width(below)).max(*least))
        .collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.len());
        }
    }
    let above: Vec<&[u8]> = headings.iter().map(|heading| heading.0).collect();
    let below: Vec<&[u8]> = headings.iter().map(|heading| &heading.1[..]).collect();
    write_cells(&above[..above.len()], &widths, style, out)?;
    writeln!(out)?;
    write_cells(&below, &widths, style, out)?;
    writeln!(out, "  name")?;
    for (row, texts) in flat.rows.iter().zip(&rows) {
        let texts: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        write_cells(&texts, &widths, style, out)?;
        out.write_all(b"  ")?;
        let name = match row.site {
            Some(site) => style.name_at(row.function, site.file, site.line),
            None => style.name(row.function),
        };
        write_escaped(&name, style.escapes, out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The cells of a row.
fn cells(row: &FlatRow, whole: i64, style: GprofStyle<'_>) -> Vec<String> {
    let count = |count: Count| count.value().map_or_else(String::new, with_commas);
    let own = row.cost[style.event].or_zero();
    let mut cells = vec![
        format!("{:.2}", percent(i128::from(own), whole)),
        with_commas(row.cumulative),
        with_commas(own),
    ];
    cells.extend(
        style
            .more_events
            .iter()
            .map(|&event| count(row.cost[event])),
    );
    if row.calls == 0 {
        cells.extend([String::new(), String::new(), String::new()]);
    } else {
        cells.push(with_commas(row.calls));
        cells.push(per_call(own, row.calls));
        cells.push(per_call(row.inclusive, row.calls));
    }
    cells
}

/// The cost per call, with two decimals.
fn per_call(cost: i64, calls: i64) -> String {
    let (cost, calls) = (i128::from(cost) * 100, i128::from(calls));
    let sign = if (cost < 0) != (calls < 0) && cost != 0 {
        "-"
    } else {
        ""
    };
    let hundredths = (cost.abs() + calls.abs() / 2) / calls.abs().max(1);
    let whole = i64::try_from(hundredths / 100).unwrap_or(i64::MAX);
    format!("{sign}{}.{:02}", with_commas(whole), hundredths % 100)
}

/// Writes texts, right-aligned in their columns.
fn write_cells(
    texts: &[&[u8]],
    widths: &[usize],
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut due = 0;
    for (i, (text, column)) in texts.iter().zip(widths).enumerate() {
        due += column + usize::from(i > 0);
        let taken = width(text);
        if taken > 0 {
            write_spaces(due.saturating_sub(taken), out)?;
            write_escaped(text, style.escapes, out)?;
            due = 0;
        }
    }
    write_spaces(
        if texts.last().is_some_and(|text| text.is_empty()) {
            due
        } else {
            0
        },
        out,
    )
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
            assert_eq!(per_call(cost, calls), text, "{cost}/{calls}");
        }
    }
}
