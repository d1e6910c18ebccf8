//! The text of the call graph: entries between their callers and their callees, in gprof's columns.

use std::io::{self, Write};
use std::ops::Range;

use super::{DisplayOptions, GprofStyle, width, write_right};
use crate::gprof::pages::explanations::write_graph_explanation;
use crate::gprof::pages::index::{MIN_NUMBER_WIDTH, number, push_number};
use crate::gprof::views::{GraphEntry, GraphTable, Neighbour, Node};
use crate::render::number::{MAX_AFTER, NumberText, push_digits};
use crate::render::parallel::{ROWS, map_rows, write_rows};
use crate::render::{write_escaped, write_spaces};
use crate::view::asm::SourceLine;
use crate::view::beside;

const END: &[u8] = b"-----------------------------------------------\n";

/// The number of spaces before the name of a caller, member or callee of an entry.
const GAP: usize = 4;

/// The minimum widths of the columns. The numbers of calls before and after a `/` or `+` have a
/// column each.
const MIN_WIDTHS: Widths =
    Widths { index: MIN_NUMBER_WIDTH, percent: 5, own: 7, children: 7, calls: 7, more_calls: 8 };

/// The minimum widths in a layout.
pub(super) fn min_widths(display: &DisplayOptions) -> Widths {
    if display.is_traditional {
        Widths { children: "descendants".len(), ..MIN_WIDTHS }
    } else {
        MIN_WIDTHS
    }
}

pub struct Widths {
    pub(super) index: usize,
    pub(super) percent: usize,
    pub(super) own: usize,
    pub(super) children: usize,
    pub(super) calls: usize,
    /// Including the sign before the number.
    pub(super) more_calls: usize,
}

#[derive(Default)]
pub(super) struct EntryNumbers<C> {
    pub(super) cost: Option<(C, C)>,
    pub(super) calls: Option<i64>,
    /// The sign between two numbers of calls, and the second number.
    pub(super) more_calls: Option<(u8, i64)>,
}

impl<C: Copy> EntryNumbers<C> {
    pub(super) fn of_entry(node: &Node<C>) -> EntryNumbers<C> {
        let has_calls = node.calls != 0 || node.self_calls != 0;
        EntryNumbers {
            cost: Some((node.counted, node.counted_children)),
            calls: has_calls.then_some(node.calls),
            more_calls: (node.self_calls != 0).then_some((b'+', node.self_calls)),
        }
    }

    pub(super) fn of_line(line: &Neighbour<C>, sign: u8) -> EntryNumbers<C> {
        EntryNumbers {
            cost: line.cost,
            calls: Some(line.count),
            more_calls: line.of.map(|of| (sign, of)),
        }
    }
}

pub fn write_graph<S: GprofStyle>(
    table: &GraphTable<'_, S::Cost>,
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let is_listed = |of: u32| style.has_entry(of) && table.is_shown(of, style.display().zeros);
    // Labels that are seldom written are not worth their memory.
    let functions = table.by_name.len();
    let labelled = functions * usize::from(table.call_count() > 2 * functions);
    let labels = || {
        map_rows(labelled, |numbers| {
            let mut labels = Labels::default();
            for number in numbers {
                labels.starts.push(labels.text.len());
                push_label(number as u32, None, table, style, &mut labels.text);
            }
            [labels]
        })
    };
    let (_, labels) = beside(table.entries.len(), || table.cycle_entries().len(), labels);
    let widths = style.widths(table);
    let display = style.display();
    if display.is_traditional && display.explains {
        write_graph_explanation(style, out)?;
    }
    let title: &[u8] = match (display.is_traditional, display.explains) {
        (true, _) => b"\n",
        (false, true) => b"\t\t     Call graph (explanation follows)\n\n\n",
        (false, false) => b"\t\t\tCall graph\n\n\n",
    };
    out.write_all(title)?;
    style.write_graph_titles(table.whole(), &widths, out)?;
    let rows = EntryRows { table, style, widths, labels };
    let write = |mut range: Range<usize>, out: &mut Vec<u8>| {
        range.try_for_each(|at| {
            let of = table.entries[at];
            if !is_listed(of) {
                return Ok(());
            }
            match table.cycle_entry(of) {
                Some(entry) => rows.write(at, entry, out),
                None => rows.write(at, &table.entry(of), out),
            }
        })
    };
    write_rows(table.entries.len(), write, out)?;
    if display.explains && !display.is_traditional {
        write_graph_explanation(style, out)?;
    }
    Ok(())
}

/// Writes the titles of the columns in BSD's layout; `percent` is that of the shares.
pub(super) fn write_traditional_titles(
    percent: &[u8],
    escapes: bool,
    widths: &Widths,
    out: &mut impl Write,
) -> io::Result<()> {
    let calls = widths.index + widths.percent + widths.own + widths.children + 5;
    let called = widths.calls + widths.more_calls;
    let parents = called.saturating_sub("called/total".len()) + GAP;
    writeln!(out, "{:calls$}called/total{:parents$}parents ", "", "")?;
    let before = (widths.index + 1 + widths.percent).saturating_sub(width(percent));
    write!(out, "{:before$}", "index")?;
    write_escaped(percent, escapes, out)?;
    let (own, children) = (widths.own, widths.children);
    writeln!(
        out,
        " {:>own$} {:>children$}  {:<called$}name    \tindex",
        "self", "descendants", "called+self"
    )?;
    writeln!(out, "{:calls$}called/total{:parents$}children\n", "", "")
}

/// The names of [`ROWS`] functions with their cycles and the numbers of their entries, in one text.
#[derive(Default)]
struct Labels {
    text: Vec<u8>,
    starts: Vec<usize>,
}

/// Appends a function's name, its cycle and the number of its entry.
pub(super) fn push_label<S: GprofStyle>(
    function: u32,
    site: Option<SourceLine>,
    table: &GraphTable<'_, S::Cost>,
    style: &S,
    text: &mut Vec<u8>,
) {
    let name = style.name(function, site);
    // Nothing fails in memory.
    let _ = write_escaped(&name, style.display().escapes, text);
    if let Some(cycle) = table.cycle_of(function) {
        text.extend_from_slice(b" <cycle ");
        push_digits(cycle.into(), text);
        text.push(b'>');
    }
    text.push(b' ');
    push_number(table.entry_of(function), text);
    text.push(b'\n');
}

struct EntryRows<'s, 'g, S: GprofStyle> {
    table: &'s GraphTable<'g, S::Cost>,
    style: &'s S,
    widths: Widths,
    /// By function the end of lines about it without a site; empty if it is made for each line.
    labels: Vec<Labels>,
}

impl<S: GprofStyle> EntryRows<'_, '_, S> {
    fn write(
        &self,
        position: usize,
        entry: &GraphEntry<'_, S::Cost>,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        if entry.is_spontaneous {
            self.write_numbers(self.indent(), EntryNumbers::default(), GAP, out)?;
            out.write_all(b"<spontaneous>\n")?;
        }
        for line in &entry.callers {
            self.write_line(line, b'/', out)?;
        }
        let number = number((position, true));
        let index = &number[..number.len().min(self.widths.index)];
        out.write_all(index)?;
        write_spaces(self.widths.index - index.len() + 1, out)?;
        let (cost, whole) = (entry.node.inclusive(), self.table.whole());
        let percent = self.style.percent(cost, whole);
        write_right(NumberText::decimal(percent, 1), self.widths.percent, out)?;
        self.write_numbers(0, EntryNumbers::of_entry(entry.node), 0, out)?;
        match self.table.cycle(entry.of) {
            None => self.write_label(entry.of, None, out),
            Some(cycle) => writeln!(out, "<cycle {cycle} as a whole> {}", number.escape_ascii())?,
        }
        for line in &entry.members {
            self.write_line(line, b'+', out)?;
        }
        for line in &entry.callees {
            self.write_line(line, b'/', out)?;
        }
        if self.style.display().is_traditional {
            out.write_all(b"\n")?;
            out.write_all(END)?;
            return out.write_all(b"\n");
        }
        out.write_all(END)
    }

    fn write_line(&self, line: &Neighbour<S::Cost>, sign: u8, out: &mut Vec<u8>) -> io::Result<()> {
        self.write_numbers(self.indent(), EntryNumbers::of_line(line, sign), GAP, out)?;
        self.write_label(line.function, line.site.map(|(_, line)| line), out);
        Ok(())
    }

    fn write_label(&self, function: u32, site: Option<SourceLine>, out: &mut Vec<u8>) {
        let (chunk, at) = (function as usize / ROWS, function as usize % ROWS);
        let Some(labels) = self.labels.get(chunk).filter(|_| site.is_none()) else {
            return push_label(function, site, self.table, self.style, out);
        };
        let end = labels.starts.get(at + 1).copied().unwrap_or(labels.text.len());
        out.extend_from_slice(&labels.text[labels.starts[at]..end]);
    }

    /// The width of the index and percentage columns.
    fn indent(&self) -> usize {
        self.widths.index + 1 + self.widths.percent
    }

    /// Writes numbers in their columns, after `indent` spaces and before `gap` more. Long numbers
    /// exceed their columns.
    fn write_numbers(
        &self,
        indent: usize,
        numbers: EntryNumbers<S::Cost>,
        gap: usize,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let (widths, style) = (&self.widths, self.style);
        let mut text = NumberText::new();
        if let Some((sign, more)) = numbers.more_calls {
            style.prepend_calls(more, &mut text);
            text.prepend(sign);
        }
        let more = text.len();
        if let Some(calls) = numbers.calls {
            style.prepend_calls(calls, &mut text);
        }
        text.pad(widths.calls + more);
        text.prepend(b' ');
        let calls = text.len();
        if let Some((own, children)) = numbers.cost {
            style.prepend_cost(children, &mut text);
            text.pad(calls + widths.children);
            text.prepend(b' ');
            let width = text.len() + widths.own;
            style.prepend_cost(own, &mut text);
            text.pad(width);
        }
        let width = (text.len() - calls).max(widths.own + 1 + widths.children);
        write_spaces(text.pad(calls + width + 1 + indent), out)?;
        let after = (widths.more_calls + 1).saturating_sub(more).max(1) + gap;
        out.write_all(text.with_spaces_after(after.min(MAX_AFTER)))?;
        write_spaces(after.saturating_sub(MAX_AFTER), out)
    }
}
