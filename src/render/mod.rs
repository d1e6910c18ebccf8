//! The looks of the page: digits, commas, percentages, widths, rules. A renderer computes nothing else.
//!
//! The labels and the layout are those of callgrind_annotate, byte for byte, since scripts read them.

mod annotate;
mod call_columns;
mod callgrind;
mod colour;
mod csv;
mod dot;
mod folded;
mod functions;
mod gprof;
mod header;
mod json;
mod label;
mod number;
mod parallel;
mod shorten;

use std::io::{self, Write};

use crate::profile::{Count, Events};
use crate::view::{Cost, Extent, Grouping, Mark};

pub use self::csv::write_csv;
pub use annotate::{write_annotated, write_annotated_total, write_not_found};
pub use callgrind::{WriteError, write_callgrind};
use colour::Ink;
pub use dot::write_dot;
pub use folded::write_folded;
pub use functions::{
    Tree, TreeCalls, write_cycles, write_functions, write_no_difference, write_total,
};
pub use gprof::{
    GprofStyle, SECTION_END, write_contents, write_flat, write_graph, write_index, write_names,
    write_tally,
};
pub use header::{ReportHeader, write_header};
pub use json::{JsonReport, write_json};
use label::{Brackets, write_label};
use number::Figure;
pub use parallel::{ChunkWriter, write_in_order};

/// The line between sections.
const RULE: &str =
    "--------------------------------------------------------------------------------";

/// What a percentage takes behind its count: ` (12.34%)`.
const PERCENTAGE_WIDTH: usize = 9;

/// In which form a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The page.
    #[default]
    Text,
    /// All of it, for other programs.
    Json,
    /// The list as comma-separated values.
    Csv,
    /// Stacks for flame graphs.
    Folded,
    /// The call graph in the language of Graphviz.
    Dot,
    /// The profile in callgrind's format.
    Callgrind,
}

impl Format {
    /// What the user calls it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Csv => "csv",
            Format::Folded => "folded",
            Format::Dot => "dot",
            Format::Callgrind => "callgrind",
        }
    }
}

/// What all sections of a page have in common.
#[derive(Clone, Copy, Debug)]
pub struct Style<'a> {
    /// Whether counts have percentages.
    pub percentages: bool,
    /// Whether control characters are shown as escapes, for the sake of a terminal.
    pub escapes: bool,
    /// Whether there are colours.
    pub colours: bool,
    /// How many columns a line may take if it can be shortened; none if any.
    pub width: Option<usize>,
    /// Whether counts are changes, and so have a sign also for gains.
    pub signed: bool,
    /// The events to show, by number, in this order.
    pub shown: &'a [usize],
    /// What 100% are, by event.
    pub total: &'a [Count],
}

impl Style<'_> {
    /// A count as it is shown.
    fn number(&self, value: i64) -> String {
        let mut figure = Figure::new();
        self.put_number(value, &mut figure);
        figure.to_string()
    }

    fn put_number(&self, value: i64, figure: &mut Figure) {
        figure.put_number(value);
        if self.signed && value > 0 {
            figure.put(b'+');
        }
    }

    /// The colour of a count.
    fn ink(&self, count: Count, event: usize) -> Ink {
        let (value, total) = (count.or_zero(), self.total[event].or_zero());
        if value == 0 {
            return Ink::Aside;
        }
        let percent = if total == 0 {
            0.0
        } else {
            value as f64 * 100.0 / total as f64
        };
        match self.signed {
            // The sign is that of the change, also where there was nothing before.
            true => Ink::Change(percent.abs().copysign(value as f64)),
            false => Ink::Share(percent),
        }
    }
}

/// The columns of one table.
struct Columns<'a> {
    style: Style<'a>,
    /// The width of each shown event's column.
    widths: Vec<usize>,
    /// How wide the columns are that stand between the counts and the label.
    others: usize,
}

impl<'a> Columns<'a> {
    /// Columns as wide as the names of the events and the counts of `extent` need.
    fn new(style: Style<'a>, events: &Events, extent: &Extent) -> Columns<'a> {
        let percentage = if style.percentages {
            PERCENTAGE_WIDTH
        } else {
            0
        };
        let width = |&event: &usize| {
            let counts = extent.ranges[event].map_or(0, |(low, high)| {
                style.number(low).len().max(style.number(high).len()) + percentage
            });
            counts.max(events.name(event).len())
        };
        Columns {
            style,
            widths: style.shown.iter().map(width).collect(),
            others: 0,
        }
    }

    /// Columns for a table of a single row.
    fn for_one(style: Style<'a>, events: &Events, cost: &Cost) -> Columns<'a> {
        // All of the total is no great share of it.
        let colours = style.colours && style.signed;
        let style = Style { colours, ..style };
        let mut extent = Extent::new(cost.len());
        extent.include(cost);
        Columns::new(style, events, &extent)
    }

    /// The names of the events, each with a blank behind it.
    fn write_names(&self, events: &Events, out: &mut impl Write) -> io::Result<()> {
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let name = events.name(event);
            write_text(name, self.style.escapes, out)?;
            write_blanks(width.saturating_sub(name.len()) + 1, out)?;
        }
        Ok(())
    }

    /// A cost, each count with a blank behind it, and one more blank before what follows.
    fn write_cost(&self, cost: &[Count], out: &mut impl Write) -> io::Result<()> {
        let mut left = self.widths.len();
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let (count, mut cell) = (cost[event], Figure::new());
            if self.style.percentages {
                cell.put_share(percent(count, self.style.total[event]));
            }
            let share = cell.len();
            match count.value() {
                Some(value) => self.style.put_number(value, &mut cell),
                None => cell.put(b'.'),
            }
            let percentage = share.min(PERCENTAGE_WIDTH);
            let blanks = width.saturating_sub(percentage + cell.len() - share);
            left -= 1;
            let behind = if left == 0 { 2 } else { 1 };
            if self.style.colours {
                write_blanks(blanks, out)?;
                let ink = self.style.ink(count, event);
                ink.around(true, out, |out| out.write_all(cell.as_bytes()))?;
                write_blanks(behind, out)?;
            } else {
                write_blanks(cell.put_blanks(blanks), out)?;
                out.write_all(cell.with_blanks_behind(behind))?;
            }
        }
        Ok(())
    }

    /// How much stands before a label.
    fn indent(&self) -> usize {
        self.widths.iter().map(|width| width + 1).sum::<usize>() + 1 + self.others
    }
}

/// A number with a comma before each group of three digits.
fn with_commas(value: i64) -> String {
    Figure::number(value).to_string()
}

/// Three or four digits of a percentage, ` 0.12`, `12.34` or `100.0`; none for no cost and of no total.
fn percentage(count: Count, total: Count) -> Option<String> {
    let mut figure = Figure::new();
    figure.put_percent(percent(count, total)?);
    Some(figure.to_string())
}

/// How much of a total a count is; none for no cost and of no total.
fn percent(count: Count, total: Count) -> Option<f64> {
    let (count, total) = (count.or_zero(), total.or_zero());
    (count != 0 && total != 0).then(|| count as f64 * 100.0 / total as f64)
}

/// What the rows of a list are called.
fn name_of_group(grouping: Grouping) -> &'static str {
    match grouping {
        Grouping::Function => "file:function",
        Grouping::File => "file",
        Grouping::Object => "object",
        Grouping::Namespace => "namespace",
        Grouping::Name => "function",
    }
}

/// Tells that only one side of a difference has something.
fn write_mark(mark: Option<Mark>, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let Some(mark) = mark else {
        return Ok(());
    };
    let sign = match mark {
        Mark::New => 1.0,
        Mark::Gone => -1.0,
    };
    Ink::Change(sign).around(style.colours, out, |out| {
        out.write_all(mark_text(mark).as_bytes())
    })
}

fn mark_text(mark: Mark) -> &'static str {
    match mark {
        Mark::New => " (new)",
        Mark::Gone => " (gone)",
    }
}

/// Whether a character steers a terminal: those that are control characters by name, and those that turn the
/// direction of the text around them, which makes it read as something else than it is.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes the line between sections, which is not to run into a second line.
fn write_rule(style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let rule = &RULE[..style.width.unwrap_or(RULE.len()).min(RULE.len())];
    Ink::Aside.around(style.colours, out, |out| out.write_all(rule.as_bytes()))?;
    writeln!(out)
}

/// Writes bytes of the profile or a source: as they are, or safe for a terminal.
fn write_text(text: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    // Most text is plain; this looks at all of it at once, not at one byte after the other.
    let is_plain = |text: &[u8]| {
        let plain = text.iter().map(|b| matches!(b, b' '..=b'~' | b'\t'));
        plain.fold(true, |all, one| all & one)
    };
    if !escapes || is_plain(text) {
        return out.write_all(text);
    }
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find(|c| is_control(c) && c != '\t') {
            let (plain, controls) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            let mut controls = controls.chars();
            if let Some(control) = controls.next() {
                write!(out, "{}", control.escape_default())?;
            }
            rest = controls.as_str();
        }
        out.write_all(rest.as_bytes())?;
        write!(out, "{}", chunk.invalid().escape_ascii())?;
    }
    Ok(())
}

fn write_blanks(mut count: usize, out: &mut impl Write) -> io::Result<()> {
    const BLANKS: &[u8] = b"                                ";
    while count > 0 {
        let now = count.min(BLANKS.len());
        out.write_all(&BLANKS[..now])?;
        count -= now;
    }
    Ok(())
}

/// The names of the columns between two rules.
fn write_heading(
    columns: &Columns<'_>,
    events: &Events,
    title: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    write_rule(columns.style, out)?;
    columns.write_names(events, out)?;
    writeln!(out, "{title}")?;
    write_rule(columns.style, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_control_characters() {
        let mut out = Vec::new();
        let text = b"a\x1b[31m\tb\xff\xc2\x9b\x07\xc3\xa9\xe2\x80\xae";
        write_text(text, true, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a\\u{1b}[31m\tb\\xff\\u{9b}\\u{7}é\\u{202e}"
        );
        let mut out = Vec::new();
        write_text(b"\x1b\xff", false, &mut out).unwrap();
        assert_eq!(out, b"\x1b\xff");
    }
}
