//! The call graph of samples and its index.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use super::SampledStyle;
use super::entries::{EntryRows, GraphStyle, MIN_WIDTHS, number};
use super::index::{IndexEntry, write_columns};
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::view::{Entry, EntryOf, SampledTable};

/// Writes the call graph.
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
    let is_listed = |of: &EntryOf| {
        let has_entry = match *of {
            EntryOf::Function(place) => {
                !style.by_line || style.places.list()[place as usize].is_function
            }
            EntryOf::Cycle(_) => !style.by_line,
        };
        has_entry && table.is_shown(*of, style.zeros)
    };
    let entries = table.entries().iter().enumerate();
    let entries: Vec<(usize, &EntryOf)> = entries.filter(|(_, of)| is_listed(of)).collect();
    let rows = EntryRows {
        style: &SampledGraphStyle { table, style },
        widths: MIN_WIDTHS,
    };
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut entries = entries[range].iter();
        entries.try_for_each(|(position, of)| rows.write(*position, &table.entry(**of), out))
    };
    write_rows(entries.len(), write, out)
}

/// Seconds, and calls without commas.
struct SampledGraphStyle<'a> {
    table: &'a SampledTable<'a>,
    style: &'a SampledStyle<'a>,
}

impl GraphStyle for SampledGraphStyle<'_> {
    type Cost = f64;

    fn cost(&self, samples: f64) -> NumberText {
        let mut text = NumberText::new();
        text.prepend_hundredths(self.style.seconds(samples));
        text
    }

    fn calls(&self, calls: i64) -> NumberText {
        NumberText::plain(calls)
    }

    fn percent(&self, entry: &Entry<f64>) -> NumberText {
        let time = entry.self_cost + entry.children;
        let mut text = NumberText::new();
        text.prepend_tenths(100.0 * time / SampledStyle::whole(self.style.total));
        text
    }

    fn name(&self, place: u32) -> Cow<'_, [u8]> {
        self.style.name(place)
    }

    fn cycle_of(&self, place: u32) -> Option<u32> {
        self.table.cycle_of(place)
    }

    fn entry_of(&self, place: u32) -> (usize, bool) {
        self.table.entry_of(place)
    }

    fn escapes(&self) -> bool {
        self.style.escapes
    }
}

/// Writes the index: all places with samples or calls, and the cycles.
pub fn write_sampled_index(
    table: &SampledTable<'_>,
    style: &SampledStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let is_listed = |&&place: &&u32| style.zeros || table.is_used(place);
    let places = style.by_name.iter().filter(is_listed);
    let places = places.map(|&place| table.entry_of(place));
    let entries: Vec<(usize, bool)> = places.chain(table.entries_of_cycles()).collect();
    let entry = |at: usize| IndexEntry {
        number: number(entries[at]),
        name: match table.entries()[entries[at].0] {
            EntryOf::Function(place) => style.index_name(place).into(),
            EntryOf::Cycle(cycle) => format!("<cycle {cycle}>").into_bytes().into(),
        },
    };
    let (widest, columns) = (MIN_WIDTHS.index, style.width);
    write_columns(entries.len(), entry, (widest, columns), style.escapes, out)
}
