//! The call graph of samples and its index.

use std::io::{self, Write};
use std::ops::Range;

use super::{SampledStyle, width};
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::{EntryOf, SampledEntry, SampledLine, SampledTable};

/// The line below an entry.
const END: &[u8] = b"-----------------------------------------------\n";

/// How many columns the index has, how wide a number is, and the space before the next column.
const COLUMNS: usize = 3;
const NUMBER: usize = 6;
const GAP: usize = 8;

/// Writes the call graph.
///
/// # Errors
/// Those of `out`.
pub fn write_sampled_graph(
    table: &SampledTable<'_>,
    style: &SampledStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let bytes = (style.scale as i64).saturating_mul(2);
    out.write_all(b"\t\t\tCall graph\n\n\n")?;
    write!(out, "granularity: each sample hit covers {bytes} byte(s)")?;
    if style.total > 0.0 {
        let (part, time) = (100.0 / style.total, style.seconds(style.total));
        writeln!(out, " for {part:.2}% of {time:.2} seconds\n")?;
    } else {
        writeln!(out, " no time propagated\n")?;
    }
    writeln!(out, "index % time    self  children    called     name")?;
    let is_listed = |who: &EntryOf| {
        let has_entry = match *who {
            EntryOf::Function(place) => {
                !style.by_line || style.places.list()[place as usize].is_function
            }
            EntryOf::Cycle(_) => !style.by_line,
        };
        has_entry && table.is_shown(*who, style.zeros)
    };
    let entries = (1..).zip(table.entries());
    let entries: Vec<(u32, &EntryOf)> = entries.filter(|(_, who)| is_listed(who)).collect();
    let rows = EntryRows { table, style };
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for &(index, who) in &entries[range] {
            rows.write(index, &table.entry(*who), out)?;
            out.write_all(END)?;
        }
        Ok(())
    };
    write_rows(entries.len(), write, out)
}

/// Writes the rows of entries.
struct EntryRows<'a> {
    table: &'a SampledTable<'a>,
    style: &'a SampledStyle<'a>,
}

impl EntryRows<'_> {
    fn write(&self, index: u32, entry: &SampledEntry, out: &mut impl Write) -> io::Result<()> {
        if entry.is_spontaneous {
            writeln!(out, "{:49}<spontaneous>", "")?;
        }
        for line in &entry.callers {
            self.write_line(line, '/', out)?;
        }
        let time = entry.samples.0 + entry.samples.1;
        let percent = 100.0 * time / SampledStyle::whole(self.style.total);
        let (own, children) = entry.samples;
        let [own, children] = [own, children].map(|samples| self.style.seconds(samples));
        let number = fit(format!("[{index}]"));
        write!(out, "{number:<6} {percent:5.1} {own:7.2} {children:7.2}")?;
        match (entry.calls, entry.self_calls) {
            (0, 0) => write!(out, " {:15} ", "")?,
            (calls, 0) => write!(out, " {calls:7} {:7} ", "")?,
            (calls, own) => write!(out, " {calls:7}+{own:<7} ")?,
        }
        match entry.who {
            EntryOf::Function(place) => self.write_name(place, out)?,
            EntryOf::Cycle(cycle) => write!(out, "<cycle {cycle} as a whole> [{index}]")?,
        }
        out.write_all(b"\n")?;
        let sign = match entry.who {
            EntryOf::Function(_) => '/',
            EntryOf::Cycle(_) => '+',
        };
        for line in &entry.callees {
            self.write_line(line, sign, out)?;
        }
        Ok(())
    }

    fn write_line(&self, line: &SampledLine, sign: char, out: &mut impl Write) -> io::Result<()> {
        match line.samples {
            Some((own, children)) => {
                let [own, children] = [own, children].map(|samples| self.style.seconds(samples));
                write!(out, "{:12} {own:7.2} {children:7.2}", "")?;
            }
            None => write!(out, "{:28}", "")?,
        }
        match line.of {
            Some(of) => write!(out, " {:7}{sign}{of:<7}", line.count)?,
            None => write!(out, " {:7} {:7}", line.count, "")?,
        }
        write_spaces(5, out)?;
        self.write_name(line.place, out)?;
        out.write_all(b"\n")
    }

    /// A name with the place's cycle and index; in parentheses if it has no entry that is shown.
    fn write_name(&self, place: u32, out: &mut impl Write) -> io::Result<()> {
        write_escaped(&self.style.name(place), self.style.escapes, out)?;
        if let Some(cycle) = self.table.cycle_of(place) {
            write!(out, " <cycle {cycle}>")?;
        }
        write!(out, " {}", number(self.table.entry_of(place)))
    }
}

/// An entry's number: in brackets, or in parentheses if it is not shown.
fn number((position, is_shown): (u32, bool)) -> String {
    match is_shown {
        true => format!("[{}]", position + 1),
        false => format!("({})", position + 1),
    }
}

/// As much of a number as its column has room for.
fn fit(mut number: String) -> String {
    number.truncate(NUMBER);
    number
}

/// Writes all places with samples or calls, and the cycles, in three columns that go downwards.
///
/// # Errors
/// Those of `out`.
pub fn write_sampled_index(
    table: &SampledTable<'_>,
    style: &SampledStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    writeln!(out, "Index by function name\n")?;
    let is_listed = |&&place: &&u32| style.zeros || table.is_used(place);
    let places = style.by_name.iter().filter(is_listed);
    let places = places.map(|&place| table.entry_of(place));
    let entries: Vec<(u32, bool)> = places.chain(table.entries_of_cycles()).collect();
    let column = ((style.width.saturating_sub(1)) / COLUMNS).saturating_sub(NUMBER) + GAP;
    let rows = entries.len().div_ceil(COLUMNS);
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for row in range {
            let mut at = 0;
            for (i, &entry) in entries[row..].iter().step_by(rows).enumerate() {
                let name = match table.entries()[entry.0 as usize] {
                    EntryOf::Function(place) => style.index_name(place),
                    EntryOf::Cycle(cycle) => format!("<cycle {cycle}>").into_bytes(),
                };
                let number = fit(number(entry));
                // Numbers are right-aligned in their column, after at least one space.
                let end = i * column + NUMBER;
                let spaces = end.saturating_sub(at + number.len());
                let spaces = if i > 0 { spaces.max(1) } else { spaces };
                write_spaces(spaces, out)?;
                write!(out, "{number} ")?;
                write_escaped(&name, style.escapes, out)?;
                at += spaces + number.len() + 1 + width(&name);
            }
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(rows, write, out)
}
