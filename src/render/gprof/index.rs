//! The index of the call graph, by name.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::graph::{MIN_WIDTHS, number};
use super::{GprofStyle, width};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::{Amount, EntryOf, GraphTable};

const COLUMNS: usize = 3;

/// The space before the next column.
const GAP: usize = 8;

/// Writes all functions with costs or calls, and the cycles.
pub(super) fn write_index<S: GprofStyle>(
    table: &GraphTable<'_, S::Cost>,
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let looks = style.looks();
    let functions = style.by_name();
    let functions = functions.filter(|&function| looks.zeros || table.is_used(function));
    let functions = functions.map(|function| table.entry_of(function));
    let entries = functions.chain(table.entries_of_cycles());
    let entries: Vec<_> = entries
        .filter(|&(_, is_shown)| looks.lists_hidden || is_shown)
        .collect();
    let widest = entries.iter().map(|&(position, _)| position).max();
    let widest = widest.filter(|_| S::Cost::IS_RECORDED).unwrap_or(0);
    let widest = number((widest, true)).len().max(MIN_WIDTHS.index);
    let entry = |at: usize| IndexEntry {
        number: number(entries[at]),
        name: match table.entries()[entries[at].0] {
            EntryOf::Function(function) => style.index_name(function),
            EntryOf::Cycle(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
        },
    };
    write_columns(
        entries.len(),
        entry,
        (widest, looks.width),
        looks.escapes,
        out,
    )
}

struct IndexEntry<'n> {
    number: NumberText,
    name: Cow<'n, [u8]>,
}

/// Writes entries in three columns that go downwards, whose numbers end where one of `widest` bytes does, if they can.
fn write_columns<'n>(
    count: usize,
    entry: impl Fn(usize) -> IndexEntry<'n> + Sync,
    (widest, columns): (usize, usize),
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "Index by function name\n")?;
    let column = (columns.saturating_sub(1) / COLUMNS).saturating_sub(MIN_WIDTHS.index) + GAP;
    let rows = count.div_ceil(COLUMNS);
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for row in range {
            let mut at = 0;
            for (i, position) in (row..count).step_by(rows).enumerate() {
                let IndexEntry { number, name } = entry(position);
                let number = number.as_bytes();
                // Numbers are right-aligned in their column, after at least one space.
                let end = i * column + widest;
                let spaces = end.saturating_sub(at + number.len()).max(1);
                write_spaces(spaces, out)?;
                out.write_all(number)?;
                out.write_all(b" ")?;
                write_escaped(&name, escapes, out)?;
                at += spaces + number.len() + 1 + width(&name);
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(rows, write, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_before_every_number() {
        let names = ["a", "a_function", "c", "d"];
        let entry = |at: usize| IndexEntry {
            number: number((1402 + at, true)),
            name: Cow::Borrowed(names[at].as_bytes()),
        };
        let mut out = Vec::new();
        write_columns(4, entry, (6, 42), true, &mut out).unwrap();
        let lines = [
            "Index by function name",
            "",
            " [1403] a      [1405] c",
            " [1404] a_function [1406] d",
            "",
        ];
        assert_eq!(String::from_utf8(out).unwrap(), lines.join("\n"));
    }

    #[test]
    fn long_numbers_are_whole() {
        let numbers = [10286, 8571, 573, 10857, 9713, 9714];
        let names = ["f0", "f1", "f2799", "f28", "f6399", "f64"];
        let entry = |at: usize| IndexEntry {
            number: number((numbers[at] - 1, true)),
            name: Cow::Borrowed(names[at].as_bytes()),
        };
        let mut out = Vec::new();
        write_columns(6, entry, (6, 80), true, &mut out).unwrap();
        // Lines of gprof.
        let lines = [
            "Index by function name",
            "",
            " [10286] f0                  [573] f2799                [9713] f6399",
            " [8571] f1                 [10857] f28                  [9714] f64",
            "",
        ];
        assert_eq!(String::from_utf8(out).unwrap(), lines.join("\n"));
    }
}
