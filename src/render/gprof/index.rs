//! The index of the call graph, by name.

use std::io::{self, Write};
use std::ops::Range;

use super::{GprofStyle, width};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::{EntryOf, GraphTable};

const COLUMNS: usize = 3;

/// The width of an entry's number, and of the space before the next column.
const NUMBER: usize = 6;
const GAP: usize = 8;

/// An entry's number: in brackets, or in parentheses if it is not shown.
pub(super) fn number(place: usize, is_shown: bool) -> NumberText {
    let (open, close) = if is_shown { (b'[', b']') } else { (b'(', b')') };
    let mut text = NumberText::new();
    text.prepend(close);
    text.prepend_digits(place as u64 + 1, 1);
    text.prepend(open);
    text
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
    let is_listed = |place: u32| style.lists_hidden || table.entries[place as usize].is_shown;
    let functions = style.functions.by_name().iter().filter(|&&function| {
        let entry = &table.entries[table.entry_of[function as usize] as usize];
        entry.calls != 0 || table.has_cost[function as usize] || style.zeros
    });
    let functions = functions.map(|&function| table.entry_of[function as usize]);
    let cycles = table.entry_of_cycle.iter().copied();
    let places: Vec<u32> = functions.chain(cycles).filter(|&n| is_listed(n)).collect();
    let widest = places.iter().max().copied().unwrap_or(0);
    let widest = number(widest as usize, true).len().max(NUMBER);
    let column = ((style.width.saturating_sub(1)) / COLUMNS).saturating_sub(NUMBER) + GAP;
    let rows = places.len().div_ceil(COLUMNS);
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for row in range {
            let mut at = 0;
            for (i, &place) in places[row..].iter().step_by(rows).enumerate() {
                let entry = &table.entries[place as usize];
                let number = number(place as usize, entry.is_shown);
                let name = match entry.of {
                    EntryOf::Function(function) => style.name(function),
                    EntryOf::Cycle(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
                };
                // Numbers are right-aligned in their column, after at least one space.
                let end = i * column + widest;
                let spaces = end.saturating_sub(at + number.len());
                let spaces = if i > 0 { spaces.max(1) } else { spaces };
                write_spaces(spaces, out)?;
                out.write_all(number.with_spaces_after(1))?;
                write_escaped(&name, style.escapes, out)?;
                at += spaces + number.len() + 1 + width(&name);
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(rows, write, out)
}
