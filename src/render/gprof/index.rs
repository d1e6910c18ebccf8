//! The index of the call graph, by name.

use std::io::{self, Write};

use super::{GprofStyle, width};
use crate::render::{write_escaped, write_spaces};
use crate::view::GraphTable;

const COLUMNS: usize = 3;

/// The width of an entry's number, and of the space before the next column.
const NUMBER: usize = 6;
const GAP: usize = 8;

/// An entry's number: in brackets, or in parentheses if it is not shown.
pub(super) fn number(place: usize, is_shown: bool) -> String {
    if is_shown {
        format!("[{}]", place + 1)
    } else {
        format!("({})", place + 1)
    }
}

/// Writes all functions with costs or calls, and the cycles, in three columns that go downwards.
///
/// # Errors
/// Those of `out`.
pub fn write_index(
    table: &GraphTable,
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "Index by function name\n")?;
    let mut items: Vec<(String, Vec<u8>)> = Vec::new();
    for &function in style.functions.by_name() {
        let place = table.entry_of[function as usize] as usize;
        let entry = &table.entries[place];
        let has_cost = table.has_cost[function as usize];
        let is_blank = entry.calls == 0 && !has_cost && !style.zeros;
        if !is_blank && (entry.is_shown || style.lists_hidden) {
            items.push((number(place, entry.is_shown), style.name(function)));
        }
    }
    for (cycle, &place) in (1..).zip(&table.entry_of_cycle) {
        let is_shown = table.entries[place as usize].is_shown;
        if is_shown || style.lists_hidden {
            let name = format!("<cycle {cycle}>").into_bytes();
            items.push((number(place as usize, is_shown), name));
        }
    }
    let widest = items
        .iter()
        .map(|item| item.0.len())
        .max()
        .unwrap_or(0)
        .max(NUMBER);
    let column = ((style.width.saturating_sub(1)) / COLUMNS).saturating_sub(NUMBER) + GAP;
    let rows = items.len().div_ceil(COLUMNS);
    for row in 0..rows {
        let mut at = 0;
        for (i, (number, name)) in items.iter().skip(row).step_by(rows.max(1)).enumerate() {
            // Numbers are right-aligned in their column, after at least one space.
            let end = i * column + widest;
            let spaces = end.saturating_sub(at + number.len());
            let spaces = if i > 0 { spaces.max(1) } else { spaces };
            write_spaces(spaces, out)?;
            write!(out, "{number} ")?;
            write_escaped(name, style.escapes, out)?;
            at += spaces + number.len() + 1 + width(name);
        }
        writeln!(out)?;
    }
    Ok(())
}
