//! The call graph of a Callgrind profile: entries between their callers and their callees.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use crate::render::gprof::entries::{
    EntryRows, GraphStyle, IndexEntry, MIN_WIDTHS, Numbers, Widths, number, write_columns,
};
use crate::render::gprof::{GprofStyle, SampledStyle, percent, width};
use crate::render::number::{NumberRange, NumberText};
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{with_commas, write_escaped};
use crate::view::{Entry, EntryOf, GraphTable, Neighbour, SampledTable, SourceLine};

/// Writes the call graph. `sites` are the call sites, if callers are shown by line.
pub fn write_graph(
    table: &GraphTable,
    sites: &[SourceLine],
    style: GprofStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let entries = table.entries.iter().enumerate();
    let is_listed = |entry: &Entry| entry.is_shown && (style.zeros || !entry.is_empty());
    let entries: Vec<_> = entries.filter(|(_, entry)| is_listed(entry)).collect();
    let event = [b"% ", style.event_name()].concat();
    let mut widths = widths(&entries, style.whole);
    widths.percent = widths.percent.max(width(&event));

    let whole = with_commas(style.whole);
    write!(out, "\t\t\tCall graph\n\n\n100% are {whole} ")?;
    write_escaped(style.event_name(), style.escapes, out)?;
    let before = widths.index + 1 + widths.percent - width(&event);
    write!(out, ".\n\n{:before$}", "index")?;
    write_escaped(&event, style.escapes, out)?;
    let (own, children) = (widths.own, widths.children);
    let called = widths.calls + widths.more_calls;
    writeln!(
        out,
        " {:>own$} {:>children$} {:^called$} name",
        "self", "children", "called",
    )?;
    let style = &RecordedGraph {
        table,
        sites,
        style,
    };
    let rows = EntryRows { style, widths };
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        let mut entries = entries[range].iter();
        entries.try_for_each(|(position, entry)| rows.write(*position, entry, out))
    };
    write_rows(entries.len(), write, out)
}

/// The widths that the rows of these entries need.
fn widths(entries: &[(usize, &Entry)], whole: i64) -> Widths {
    let mut ranges: [NumberRange; 4] = Default::default();
    let mut include = |numbers: Numbers<i64>| {
        let (own, children) = numbers.cost.unzip();
        let more_calls = numbers.more_calls.map(|(_, calls)| calls);
        for (range, number) in ranges
            .iter_mut()
            .zip([own, children, numbers.calls, more_calls])
        {
            number.into_iter().for_each(|number| range.include(number));
        }
    };
    let (mut low, mut high) = (0.0, 0.0);
    for (_, entry) in entries {
        let percent = percent(entry.inclusive(), whole);
        (low, high) = (percent.min(low), percent.max(high));
        include(Numbers::of_entry(entry));
        let lines = entry.callers.iter().chain(&entry.members);
        for line in lines.chain(&entry.callees) {
            include(Numbers::of_line(line, b'/'));
        }
    }
    let last = entries.last().map_or(0, |&(position, _)| position);
    let percent = percent_text(low).len().max(percent_text(high).len());
    let [own, children, calls, more_calls] = ranges.map(|range| range.width());
    Widths {
        index: MIN_WIDTHS.index.max(number((last, true)).len()),
        percent: MIN_WIDTHS.percent.max(percent),
        own: MIN_WIDTHS.own.max(own),
        children: "children".len().max(children),
        calls: MIN_WIDTHS.calls.max(calls),
        more_calls: MIN_WIDTHS.more_calls.max(more_calls + 1),
    }
}

fn percent_text(percent: f64) -> NumberText {
    let mut text = NumberText::new();
    text.prepend_tenths(percent);
    text
}

/// Counts with commas.
struct RecordedGraph<'a> {
    table: &'a GraphTable,
    sites: &'a [SourceLine],
    style: GprofStyle<'a>,
}

impl GraphStyle for RecordedGraph<'_> {
    type Cost = i64;

    fn cost(&self, cost: i64) -> NumberText {
        NumberText::number(cost)
    }

    fn calls(&self, calls: i64) -> NumberText {
        NumberText::number(calls)
    }

    fn percent(&self, entry: &Entry) -> NumberText {
        percent_text(percent(entry.inclusive(), self.style.whole))
    }

    fn name(&self, function: u32) -> Cow<'_, [u8]> {
        self.style.name(function)
    }

    fn caller_name(&self, line: &Neighbour) -> Cow<'_, [u8]> {
        match self.sites.get(line.site as usize) {
            Some(site) => self.style.name_at(line.function, site),
            None => self.style.name(line.function),
        }
    }

    fn cycle_of(&self, function: u32) -> Option<u32> {
        self.table.cycle_of[function as usize]
    }

    fn entry_of(&self, function: u32) -> (usize, bool) {
        let position = self.table.entry_of[function as usize] as usize;
        (position, self.table.entries[position].is_shown)
    }

    fn escapes(&self) -> bool {
        self.style.escapes
    }
}

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
