//! The index of the call graph: the numbers and names of its entries, in columns.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::gprof::pages::{GprofStyle, SECTION_END, width};
use crate::gprof::views::{Amount, GraphTable};
use crate::render::number::push_digits;
use crate::render::{write_escaped, write_spaces};

/// The minimum width of an entry's number.
pub(super) const MIN_NUMBER_WIDTH: usize = 6;

/// An entry's number: in brackets, or in parentheses if it is not shown.
pub(super) fn number(entry: (usize, bool)) -> Vec<u8> {
    let mut text = Vec::with_capacity(MIN_NUMBER_WIDTH);
    push_number(entry, &mut text);
    text
}

pub(super) fn push_number((position, is_shown): (usize, bool), text: &mut Vec<u8>) {
    let (open, close) = if is_shown { (b'[', b']') } else { (b'(', b')') };
    text.push(open);
    push_digits(position as u64 + 1, text);
    text.push(close);
}

const COLUMNS: usize = 3;

const GAP: usize = 8;

/// The number of rows of the index, and what writes one: all functions with costs or calls, and the cycles.
pub(super) fn index<'s, S: GprofStyle>(
    table: &'s GraphTable<'_, S::Cost>,
    style: &'s S,
) -> (usize, impl Fn(usize, &mut Vec<u8>) -> io::Result<()> + Sync + 's) {
    let display = style.display();
    let functions = table.by_name.iter().copied();
    let functions = functions.filter(|&function| display.zeros || table.is_used(function));
    let entries = functions.chain(table.cycles());
    let entries = entries.map(|of| table.entry_of(of));
    let entries: Vec<_> =
        entries.filter(|&(_, is_shown)| display.lists_hidden || is_shown).collect();
    let widest = entries.iter().map(|&(position, _)| position).max();
    let widest = widest.filter(|_| S::Cost::IS_RECORDED).unwrap_or(0);
    let widest = number((widest, true)).len().max(MIN_NUMBER_WIDTH);
    let count = entries.len();
    let entry = move |at: usize| {
        let of = table.entries[entries[at].0];
        let name = match table.cycle(of) {
            Some(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
            None => style.index_name(of),
        };
        (number(entries[at]), name)
    };
    columns(count, entry, widest, display.width, display.escapes)
}

/// The titles and rows of entries in three columns, read downwards, with numbers right-aligned to `widest` bytes where
/// possible.
fn columns<'n>(
    count: usize,
    entry: impl Fn(usize) -> (Vec<u8>, Cow<'n, [u8]>) + Sync,
    widest: usize,
    columns: usize,
    escapes: bool,
) -> (usize, impl Fn(usize, &mut Vec<u8>) -> io::Result<()> + Sync) {
    let column = columns.saturating_sub(1) / COLUMNS + GAP - MIN_NUMBER_WIDTH;
    let rows = count.div_ceil(COLUMNS);
    let write = move |row: usize, out: &mut Vec<u8>| {
        let Some(row) = row.checked_sub(1) else {
            out.write_all(SECTION_END)?;
            return writeln!(out, "Index by function name\n");
        };
        let mut at = 0;
        for (i, position) in (row..count).step_by(rows).enumerate() {
            let (number, name) = entry(position);
            // Numbers are right-aligned in their column, after at least one space.
            let end = i * column + widest;
            let spaces = end.saturating_sub(at + number.len()).max(1);
            write_spaces(spaces, out)?;
            out.write_all(&number)?;
            out.write_all(b" ")?;
            write_escaped(&name, escapes, out)?;
            at += spaces + number.len() + 1 + width(&name);
        }
        out.write_all(b"\n")
    };
    (1 + rows, write)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(entries: &'static str, columns: usize) -> String {
        let words: Vec<&str> = entries.split(' ').collect();
        let entry = |at: usize| {
            let position = words[2 * at].parse::<usize>().unwrap() - 1;
            let name = words[2 * at + 1].as_bytes().into();
            (number((position, true)), name)
        };
        let mut out = Vec::new();
        let (rows, write) = super::columns(words.len() / 2, entry, 6, columns, true);
        (0..rows).for_each(|row| write(row, &mut out).unwrap());
        String::from_utf8(out.split_off(SECTION_END.len())).unwrap()
    }

    #[test]
    fn a_space_is_before_every_number_and_long_ones_are_whole() {
        let expected = "Index by function name

 [1403] a      [1405] c
 [1404] a_function [1406] d
";
        let entries = "1403 a 1404 a_function 1405 c 1406 d";
        assert_eq!(index(entries, 42), expected);
        // Lines printed by gprof.
        let expected = "Index by function name

 [10286] f0                  [573] f2799                [9713] f6399
 [8571] f1                 [10857] f28                  [9714] f64
";
        let entries = "10286 f0 8571 f1 573 f2799 10857 f28 9713 f6399 9714 f64";
        assert_eq!(index(entries, 80), expected);
        let expected = "Index by function name

   [1] a [2] ack
";
        assert_eq!(index("1 a 2 ack", 10), expected);
    }
}
