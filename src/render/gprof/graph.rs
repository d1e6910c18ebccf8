//! The call graph: entries between their callers and their callees.

use std::io::{self, Write};
use std::ops::Range;

use super::{GprofStyle, index, percent, width, write_right};
use crate::render::number::{NumberRange, NumberText};
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{with_commas, write_escaped, write_spaces};
use crate::view::{Entry, EntryOf, GraphTable, Neighbour, SourceLine};

/// The line below an entry.
const END: &[u8] = b"-----------------------------------------------\n";

/// The minimum widths of gprof's columns: index, percentage, self and children, and calls on both sides of the sign.
const INDEX: usize = 6;
const PERCENT: usize = 5;
const COST: usize = 7;
const CALLS: usize = 7;

/// Writes the call graph. `sites` are the call sites, if callers are shown by line.
///
/// # Errors
/// Those of `out`.
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
    let mut widths = Widths::new(&entries, style.whole);
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
    let rows = EntryRows {
        table,
        sites,
        style,
        widths,
    };
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for &(place, entry) in &entries[range] {
            rows.write(place, entry, out)?;
            out.write_all(END)?;
        }
        Ok(())
    };
    write_rows(entries.len(), write, out)
}

/// The numbers of a row.
#[derive(Clone, Copy, Default)]
struct Numbers {
    own: Option<i64>,
    children: Option<i64>,
    calls: Option<i64>,
    /// A sign between two numbers of calls, and the second of them.
    more_calls: Option<(u8, i64)>,
}

impl Numbers {
    fn of_entry(entry: &Entry) -> Numbers {
        let has_calls = entry.calls != 0 || entry.self_calls != 0;
        Numbers {
            own: Some(entry.self_cost),
            children: Some(entry.children),
            calls: has_calls.then_some(entry.calls),
            more_calls: (entry.self_calls != 0).then_some((b'+', entry.self_calls)),
        }
    }

    fn of_line(line: &Neighbour, sign: u8) -> Numbers {
        Numbers {
            own: line.cost.map(|cost| cost.0),
            children: line.cost.map(|cost| cost.1),
            calls: Some(line.count),
            more_calls: line.of.map(|of| (sign, of)),
        }
    }
}

/// The widths of the columns.
struct Widths {
    index: usize,
    percent: usize,
    own: usize,
    children: usize,
    calls: usize,
    more_calls: usize,
}

impl Widths {
    /// The widths that the rows of these entries need.
    fn new(entries: &[(usize, &Entry)], whole: i64) -> Widths {
        let mut ranges: [NumberRange; 4] = Default::default();
        let mut include = |numbers: Numbers| {
            let more_calls = numbers.more_calls.map(|(_, calls)| calls);
            let numbers = [numbers.own, numbers.children, numbers.calls, more_calls];
            for (range, number) in ranges.iter_mut().zip(numbers) {
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
        let last = entries.last().map_or(0, |&(place, _)| place);
        let percent = |percent| percent_text(percent).len();
        let [own, children, calls, more_calls] = ranges.map(|range| range.width());
        Widths {
            index: INDEX.max(index::number(last, true).len()),
            percent: PERCENT.max(percent(low)).max(percent(high)),
            own: COST.max(own),
            children: "children".len().max(children),
            calls: CALLS.max(calls),
            more_calls: CALLS.max(more_calls) + 1,
        }
    }
}

/// Writes the rows of entries.
struct EntryRows<'a> {
    table: &'a GraphTable,
    sites: &'a [SourceLine],
    style: GprofStyle<'a>,
    widths: Widths,
}

impl EntryRows<'_> {
    /// Writes the rows of an entry.
    fn write(&self, place: usize, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        if entry.is_spontaneous {
            self.write_no_index(out)?;
            self.write_numbers(Numbers::default(), out)?;
            out.write_all(b"    <spontaneous>\n")?;
        }
        for line in &entry.callers {
            self.write_line(line, b'/', self.sites.get(line.site as usize), out)?;
        }
        self.write_entry(place, entry, out)?;
        for line in &entry.members {
            self.write_line(line, b'+', None, out)?;
        }
        for line in &entry.callees {
            let by_line = !self.sites.is_empty();
            let start = by_line.then(|| self.style.functions.start(line.function));
            self.write_line(line, b'/', start.as_ref(), out)?;
        }
        Ok(())
    }

    fn write_entry(&self, place: usize, entry: &Entry, out: &mut impl Write) -> io::Result<()> {
        let number = index::number(place, true);
        out.write_all(number.as_bytes())?;
        write_spaces(self.widths.index - number.len() + 1, out)?;
        let percent = percent(entry.inclusive(), self.style.whole);
        write_right(percent_text(percent), self.widths.percent, out)?;
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
        line: &Neighbour,
        sign: u8,
        site: Option<&SourceLine>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.write_no_index(out)?;
        self.write_numbers(Numbers::of_line(line, sign), out)?;
        out.write_all(b"    ")?;
        let name = match site {
            Some(site) => self.style.name_at(line.function, site),
            None => self.style.name(line.function),
        };
        self.write_name(&name, line.function, out)
    }

    /// Writes spaces in place of an index and a percentage.
    fn write_no_index(&self, out: &mut impl Write) -> io::Result<()> {
        write_spaces(self.widths.index + 1 + self.widths.percent, out)
    }

    fn write_numbers(&self, numbers: Numbers, out: &mut impl Write) -> io::Result<()> {
        let columns = [
            (numbers.own, self.widths.own),
            (numbers.children, self.widths.children),
            (numbers.calls, self.widths.calls),
        ];
        for (number, width) in columns {
            let text = number.map_or_else(NumberText::new, NumberText::number);
            write_right(text, width + 1, out)?;
        }
        let mut text = NumberText::new();
        if let Some((sign, calls)) = numbers.more_calls {
            text.prepend_number(calls);
            text.prepend(sign);
        }
        out.write_all(text.as_bytes())?;
        write_spaces(self.widths.more_calls - text.len() + 1, out)
    }

    /// Writes a name with the function's cycle and its index, which is in parentheses if its entry is not shown.
    fn write_name(&self, name: &[u8], function: u32, out: &mut impl Write) -> io::Result<()> {
        write_escaped(name, self.style.escapes, out)?;
        if let Some(cycle) = self.table.cycle_of[function as usize] {
            write!(out, " <cycle {cycle}>")?;
        }
        let place = self.table.entry_of[function as usize] as usize;
        let mut number = index::number(place, self.table.entries[place].is_shown);
        number.prepend(b' ');
        out.write_all(number.as_bytes())?;
        out.write_all(b"\n")
    }
}

fn percent_text(percent: f64) -> NumberText {
    let mut text = NumberText::new();
    text.prepend_tenths(percent);
    text
}
