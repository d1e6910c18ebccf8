//! The index of the call graph: the numbers and names of its entries, in columns.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use crate::gprof::pages::{GprofStyle, width};
use crate::gprof::views::{Amount, GraphTable};
use crate::render::number::push_digits;
use crate::render::parallel::write_rows;
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

/// The width of a name in BSD's layout, which cuts longer ones.
const TRADITIONAL_NAME: usize = 19;

/// Writes all functions with costs or calls, and the cycles.
pub fn write_index<S: GprofStyle>(
    table: &GraphTable<'_, S::Cost>,
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let display = style.display();
    let functions =
        table.by_name.iter().copied().filter(|&function| display.zeros || table.is_used(function));
    let entries: Vec<_> = functions
        .chain(table.cycles())
        .map(|of| table.entry_of(of))
        .filter(|&(_, is_shown)| display.lists_hidden || is_shown)
        .collect();
    let widest = entries
        .iter()
        .map(|&(position, _)| position)
        .max()
        .filter(|_| S::Cost::IS_RECORDED)
        .unwrap_or(0);
    let widest = number((widest, true)).len().max(MIN_NUMBER_WIDTH);
    let entry = |at: usize| {
        let of = table.entries[entries[at].0];
        let name = match table.cycle(of) {
            Some(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
            None if display.is_traditional => style.plain_name(of).into(),
            None => style.index_name(of),
        };
        (number(entries[at]), name)
    };
    writeln!(out, "Index by function name\n")?;
    let rows = entries.len().div_ceil(COLUMNS);
    let write = |range: Range<usize>, out: &mut Vec<u8>| {
        for row in range {
            let of_row = (row..entries.len()).step_by(rows).map(entry);
            if display.is_traditional {
                write_traditional_row(of_row, widest, display.escapes, out)?;
            } else {
                write_row(of_row, widest, display.width, display.escapes, out)?;
            }
        }
        Ok(())
    };
    write_rows(rows, write, out)
}

/// Writes entries in columns, with numbers right-aligned to `widest` bytes where possible.
fn write_row<'n>(
    entries: impl Iterator<Item = (Vec<u8>, Cow<'n, [u8]>)>,
    widest: usize,
    columns: usize,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let column = columns.saturating_sub(1) / COLUMNS + GAP - MIN_NUMBER_WIDTH;
    let mut at = 0;
    for (i, (number, name)) in entries.enumerate() {
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
}

/// Writes entries in columns of a fixed width, in which names are cut.
fn write_traditional_row<'n>(
    entries: impl Iterator<Item = (Vec<u8>, Cow<'n, [u8]>)>,
    widest: usize,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    for (number, name) in entries {
        write_spaces(widest.saturating_sub(number.len()), out)?;
        out.write_all(&number[..number.len().min(widest)])?;
        out.write_all(b" ")?;
        let shown = first_characters(&name, TRADITIONAL_NAME);
        write_escaped(shown, escapes, out)?;
        write_spaces(TRADITIONAL_NAME.saturating_sub(width(shown)), out)?;
    }
    out.write_all(b"\n")
}

/// The start of a text, of at most this many characters.
fn first_characters(text: &[u8], count: usize) -> &[u8] {
    let is_start = |byte: &u8| (*byte as i8) >= -0x40;
    let starts = text.iter().enumerate().filter(|(_, byte)| is_start(byte));
    let end = starts.map(|(at, _)| at).nth(count);
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(words: &[&'static str], columns: usize) -> String {
        let entries = words.chunks(2).map(|words| {
            let position = words[0].parse::<usize>().unwrap() - 1;
            (number((position, true)), words[1].as_bytes().into())
        });
        let mut out = Vec::new();
        write_row(entries, 6, columns, true, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_space_is_before_every_number_and_long_ones_are_whole() {
        // All but the first two are lines printed by gprof.
        let table: [(&[&str], usize, &str); 5] = [
            (&["1403", "a", "1405", "c"], 42, " [1403] a      [1405] c\n"),
            (&["1404", "a_function", "1406", "d"], 42, " [1404] a_function [1406] d\n"),
            (
                &["10286", "f0", "573", "f2799", "9713", "f6399"],
                80,
                " [10286] f0                  [573] f2799                [9713] f6399\n",
            ),
            (
                &["8571", "f1", "10857", "f28", "9714", "f64"],
                80,
                " [8571] f1                 [10857] f28                  [9714] f64\n",
            ),
            (&["1", "a", "2", "ack"], 10, "   [1] a [2] ack\n"),
        ];
        for (words, columns, expected) in table {
            assert_eq!(row(words, columns), expected, "{words:?}");
        }
    }

    #[test]
    fn the_first_characters_are_whole() {
        let table = [("", ""), ("abc", "abc"), ("abcd", "abc"), ("äöü€", "äöü")];
        for (text, expected) in table {
            assert_eq!(first_characters(text.as_bytes(), 3), expected.as_bytes(), "{text}");
        }
    }
}
