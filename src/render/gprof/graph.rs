//! The call graph: entries between their callers and their callees.

use std::io::{self, Write};

use super::{GprofStyle, percent, width};
use crate::render::{with_commas, write_escaped, write_spaces};
use crate::view::{Entry, GraphLine, GraphTable, SourceLine, Who};

/// The line below an entry.
const END: &str = "-----------------------------------------------";

/// The minimum widths of gprof's columns: index, percentage, self and children, and calls on both sides of the sign.
const INDEX: usize = 6;
const PERCENT: usize = 5;
const COST: usize = 7;
const CALLS: usize = 7;

/// The cells of a row.
#[derive(Default)]
struct Row {
    index: String,
    percent: String,
    own: String,
    children: String,
    calls: String,
    /// `/` or `+` and what follows.
    more_calls: String,
    indent: usize,
    name: Vec<u8>,
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
    let shown = || {
        let entries = table.entries.iter().enumerate();
        entries.filter(|(_, entry)| entry.is_shown && (style.zeros || !entry.is_blank()))
    };
    let event = [b"% ", style.event_name()].concat();
    let mut widths = Widths {
        index: INDEX,
        percent: PERCENT.max(width(&event)),
        own: COST,
        children: "children".len(),
        calls: CALLS,
        more_calls: CALLS + 1,
    };
    let maker = EntryRows {
        table,
        sites,
        style,
    };
    shown().for_each(|(place, entry)| maker.rows(place, entry, &mut |row| widths.include(&row)));

    write!(
        out,
        "\t\t\tCall graph\n\n\n100% are {} ",
        with_commas(style.whole)
    )?;
    write_escaped(style.event_name(), style.escapes, out)?;
    writeln!(out, ".\n")?;
    write!(
        out,
        "{:<1$}",
        "index",
        widths.index + 1 + widths.percent - width(&event)
    )?;
    write_escaped(&event, style.escapes, out)?;
    writeln!(
        out,
        " {:>3$} {:>4$} {:^5$} name",
        "self",
        "children",
        "called",
        widths.own,
        widths.children,
        widths.calls + widths.more_calls,
    )?;
    for (place, entry) in shown() {
        let mut done = Ok(());
        maker.rows(place, entry, &mut |row| {
            if done.is_ok() {
                done = write_row(&row, &widths, style.escapes, out);
            }
        });
        done?;
        writeln!(out, "{END}")?;
    }
    Ok(())
}

impl Widths {
    fn include(&mut self, row: &Row) {
        self.index = self.index.max(row.index.len());
        self.percent = self.percent.max(row.percent.len());
        self.own = self.own.max(row.own.len());
        self.children = self.children.max(row.children.len());
        self.calls = self.calls.max(row.calls.len());
        self.more_calls = self.more_calls.max(row.more_calls.len());
    }
}

fn write_row(row: &Row, widths: &Widths, escapes: bool, out: &mut impl Write) -> io::Result<()> {
    write!(
        out,
        "{:<6$} {:>7$} {:>8$} {:>9$} {:>10$}{:<11$} ",
        row.index,
        row.percent,
        row.own,
        row.children,
        row.calls,
        row.more_calls,
        widths.index,
        widths.percent,
        widths.own,
        widths.children,
        widths.calls,
        widths.more_calls,
    )?;
    write_spaces(row.indent, out)?;
    write_escaped(&row.name, escapes, out)?;
    writeln!(out)
}

/// Makes the rows of entries.
struct EntryRows<'a> {
    table: &'a GraphTable,
    sites: &'a [SourceLine],
    style: GprofStyle<'a>,
}

impl EntryRows<'_> {
    /// Calls `put` with each row of an entry.
    fn rows(&self, place: usize, entry: &Entry, put: &mut dyn FnMut(Row)) {
        if entry.is_spontaneous {
            put(Row {
                indent: 4,
                name: b"<spontaneous>".to_vec(),
                ..Row::default()
            });
        }
        for line in &entry.callers {
            put(self.line(line, '/', true));
        }
        put(self.entry(place, entry));
        let sign = if matches!(entry.who, Who::Cycle(_)) {
            '+'
        } else {
            '/'
        };
        for line in &entry.callees {
            put(self.line(line, sign, false));
        }
    }

    fn entry(&self, place: usize, entry: &Entry) -> Row {
        let has_calls = entry.calls != 0 || entry.self_calls != 0;
        let number = format!("[{}]", place + 1);
        let name = match entry.who {
            Who::Function(function) => self.name(self.style.name(function), function),
            Who::Cycle(cycle) => format!("<cycle {cycle} as a whole> {number}").into_bytes(),
        };
        Row {
            index: number,
            percent: format!("{:.1}", percent(entry.inclusive(), self.style.whole)),
            own: with_commas(entry.self_cost),
            children: with_commas(entry.children),
            calls: if has_calls {
                with_commas(entry.calls)
            } else {
                String::new()
            },
            more_calls: if entry.self_calls == 0 {
                String::new()
            } else {
                format!("+{}", with_commas(entry.self_calls))
            },
            indent: 0,
            name,
        }
    }

    fn line(&self, line: &GraphLine, sign: char, is_caller: bool) -> Row {
        let site = self.sites.get(line.site as usize).filter(|_| is_caller);
        let name = match site {
            Some(site) => self.style.name_at(line.function, site.file, site.line),
            None => self.style.name(line.function),
        };
        let cost = |pick: fn((i64, i64)) -> i64| {
            line.cost
                .map_or_else(String::new, |cost| with_commas(pick(cost)))
        };
        Row {
            own: cost(|cost| cost.0),
            children: cost(|cost| cost.1),
            calls: with_commas(line.count),
            more_calls: line
                .of
                .map_or_else(String::new, |of| format!("{sign}{}", with_commas(of))),
            indent: 4,
            name: self.name(name, line.function),
            ..Row::default()
        }
    }

    /// A name with the function's cycle and its index, which is in parentheses if its entry is not shown.
    fn name(&self, mut name: Vec<u8>, function: u32) -> Vec<u8> {
        if let Some(cycle) = self.table.cycle_of[function as usize] {
            name.extend(format!(" <cycle {cycle}>").into_bytes());
        }
        let place = self.table.entry_of[function as usize] as usize;
        let is_shown = self.table.entries[place].is_shown;
        name.push(b' ');
        name.extend(super::index::number(place, is_shown).into_bytes());
        name
    }
}
