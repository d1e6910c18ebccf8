//! The rows of a call graph's entries, in gprof's columns. What numbers and names look like is up to the kind of profile.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use crate::render::gprof::{GprofStyle, width, write_right};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::{Entry, EntryOf, GraphTable, Neighbour};

/// The line below an entry.
const END: &[u8] = b"-----------------------------------------------\n";

/// The minimum widths of the columns. What is left of and right of a sign between calls has a column each.
pub(super) const MIN_WIDTHS: Widths = Widths {
    index: 6,
    percent: 5,
    own: 7,
    children: 7,
    calls: 7,
    more_calls: 8,
};

/// The widths of the columns.
#[derive(Clone, Copy)]
pub(super) struct Widths {
    pub(super) index: usize,
    pub(super) percent: usize,
    pub(super) own: usize,
    pub(super) children: usize,
    pub(super) calls: usize,
    /// With the sign before them.
    pub(super) more_calls: usize,
}

/// How a kind of call graph is shown.
pub(super) trait GraphStyle {
    type Cost: Copy;
    fn cost(&self, cost: Self::Cost) -> NumberText;
    fn calls(&self, calls: i64) -> NumberText;
    /// What of 100% an entry is.
    fn percent(&self, entry: &Entry<Self::Cost>) -> NumberText;
    fn name(&self, function: u32) -> Cow<'_, [u8]>;
    /// By line, the name of a caller has the line of the calls.
    fn caller_name(&self, line: &Neighbour<Self::Cost>) -> Cow<'_, [u8]> {
        self.name(line.function)
    }
    /// The number of a function's cycle.
    fn cycle_of(&self, function: u32) -> Option<u32>;
    /// The position of a function's entry, and whether it is shown.
    fn entry_of(&self, function: u32) -> (usize, bool);
    /// Whether control characters are shown as escapes.
    fn escapes(&self) -> bool;
}

/// An entry's number: in brackets, or in parentheses if it is not shown.
pub(super) fn number((position, is_shown): (usize, bool)) -> NumberText {
    let (open, close) = if is_shown { (b'[', b']') } else { (b'(', b')') };
    let mut text = NumberText::new();
    text.prepend(close);
    text.prepend_digits(position as u64 + 1, 1);
    text.prepend(open);
    text
}

/// The numbers of a row.
pub(super) struct Numbers<C> {
    pub(super) cost: Option<(C, C)>,
    pub(super) calls: Option<i64>,
    /// A sign between two numbers of calls, and the second of them.
    pub(super) more_calls: Option<(u8, i64)>,
}

impl<C: Copy> Numbers<C> {
    pub(super) fn of_entry(entry: &Entry<C>) -> Numbers<C> {
        let has_calls = entry.calls != 0 || entry.self_calls != 0;
        Numbers {
            cost: Some((entry.self_cost, entry.children)),
            calls: has_calls.then_some(entry.calls),
            more_calls: (entry.self_calls != 0).then_some((b'+', entry.self_calls)),
        }
    }

    pub(super) fn of_line(line: &Neighbour<C>, sign: u8) -> Numbers<C> {
        Numbers {
            cost: line.cost,
            calls: Some(line.count),
            more_calls: line.of.map(|of| (sign, of)),
        }
    }
}

/// Writes the rows of entries.
pub(super) struct EntryRows<'s, S> {
    pub(super) style: &'s S,
    pub(super) widths: Widths,
}

impl<S: GraphStyle> EntryRows<'_, S> {
    /// Writes the rows of the entry at a position.
    pub(super) fn write(
        &self,
        position: usize,
        entry: &Entry<S::Cost>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if entry.is_spontaneous {
            self.write_no_index(out)?;
            let nothing = Numbers {
                cost: None,
                calls: None,
                more_calls: None,
            };
            self.write_numbers(nothing, out)?;
            out.write_all(b"    <spontaneous>\n")?;
        }
        for line in &entry.callers {
            self.write_line(line, b'/', &self.style.caller_name(line), out)?;
        }
        self.write_entry(position, entry, out)?;
        for line in &entry.members {
            self.write_line(line, b'+', &self.style.name(line.function), out)?;
        }
        for line in &entry.callees {
            self.write_line(line, b'/', &self.style.name(line.function), out)?;
        }
        out.write_all(END)
    }

    fn write_entry(
        &self,
        position: usize,
        entry: &Entry<S::Cost>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let number = number((position, true));
        let index = number.as_bytes();
        let index = &index[..index.len().min(self.widths.index)];
        out.write_all(index)?;
        write_spaces(self.widths.index - index.len() + 1, out)?;
        write_right(self.style.percent(entry), self.widths.percent, out)?;
        self.write_numbers(Numbers::of_entry(entry), out)?;
        match entry.of {
            EntryOf::Function(function) => {
                self.write_name(&self.style.name(function), function, out)
            }
            EntryOf::Cycle(cycle) => {
                writeln!(out, "<cycle {cycle} as a whole> {}", number.as_str())
            }
        }
    }

    fn write_line(
        &self,
        line: &Neighbour<S::Cost>,
        sign: u8,
        name: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.write_no_index(out)?;
        self.write_numbers(Numbers::of_line(line, sign), out)?;
        out.write_all(b"    ")?;
        self.write_name(name, line.function, out)
    }

    /// Writes spaces in place of an index and a percentage.
    fn write_no_index(&self, out: &mut impl Write) -> io::Result<()> {
        write_spaces(self.widths.index + 1 + self.widths.percent, out)
    }

    fn write_numbers(&self, numbers: Numbers<S::Cost>, out: &mut impl Write) -> io::Result<()> {
        let widths = &self.widths;
        let cost =
            |cost: Option<S::Cost>| cost.map_or_else(NumberText::new, |cost| self.style.cost(cost));
        let calls = |calls: i64| self.style.calls(calls);
        let cells = [
            (cost(numbers.cost.map(|cost| cost.0)), widths.own),
            (cost(numbers.cost.map(|cost| cost.1)), widths.children),
            (
                numbers.calls.map_or_else(NumberText::new, calls),
                widths.calls,
            ),
        ];
        for (text, width) in cells {
            out.write_all(b" ")?;
            write_right(text, width, out)?;
        }
        let more_calls = numbers
            .more_calls
            .map_or_else(NumberText::new, |(sign, more)| {
                let mut text = calls(more);
                text.prepend(sign);
                text
            });
        out.write_all(more_calls.as_bytes())?;
        write_spaces(widths.more_calls.saturating_sub(more_calls.len()) + 1, out)
    }

    /// Writes a name with the function's cycle and its number.
    fn write_name(&self, name: &[u8], function: u32, out: &mut impl Write) -> io::Result<()> {
        write_escaped(name, self.style.escapes(), out)?;
        if let Some(cycle) = self.style.cycle_of(function) {
            write!(out, " <cycle {cycle}>")?;
        }
        let mut number = number(self.style.entry_of(function));
        number.prepend(b' ');
        out.write_all(number.as_bytes())?;
        out.write_all(b"\n")
    }
}

const COLUMNS: usize = 3;

/// The space before the next column.
const GAP: usize = 8;

/// Writes all functions with costs or calls, and the cycles.
pub fn write_index(
    table: &GraphTable,
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let is_listed = |place: u32| style.lists_hidden || table.entries[place as usize].is_shown;
    let functions = style.functions.by_name().iter().filter(|&&function| {
        let entry = &table.entries[table.entry_of[function as usize] as usize];
        entry.calls != 0 || table.has_cost[function as usize] || style.zeros
    });
    let functions = functions.map(|&function| table.entry_of[function as usize]);
    let cycles = table.entry_of_cycle.iter().copied();
    let places: Vec<u32> = functions.chain(cycles).filter(|&n| is_listed(n)).collect();
    let widest = places.iter().max().copied().unwrap_or(0) as usize;
    let widest = number((widest, true)).len().max(MIN_WIDTHS.index);
    let entry = |at: usize| {
        let place = places[at] as usize;
        IndexEntry {
            number: number((place, table.entries[place].is_shown)),
            name: match table.entries[place].of {
                EntryOf::Function(function) => style.name(function),
                EntryOf::Cycle(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
            },
        }
    };
    write_columns(
        places.len(),
        entry,
        (widest, style.width),
        style.escapes,
        out,
    )
}

/// An entry of the index.
pub(super) struct IndexEntry<'n> {
    pub(super) number: NumberText,
    pub(super) name: Cow<'n, [u8]>,
}

/// Writes entries in three columns that go downwards, whose numbers end where one of `widest` bytes does, if they can.
pub(super) fn write_columns<'n>(
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
