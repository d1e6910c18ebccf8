//! Renders the views as text and in other formats. A renderer computes only widths and percentages.
//!
//! A format is an entry of `formats`; what it can say about itself is in `format`, and it is
//! written by the file of its name. The formats that are lists write a [`Report`]: `chosen` chooses
//! its columns, each of which shows a measure of `measure`; `line` goes through its rows, with the
//! callers, callees and parts of each; and a column has a `cell` of each of these lines. `screen`
//! writes them for a terminal, `list` as callgrind_annotate's page, and `csv`, `markdown` and
//! `json` in these formats. What all share is in this file ([`Style`], escapes), and in `number`,
//! `label`, `shorten`, `colour`, `marks` and `command`.

mod annotate;
mod asm;
mod callgrind;
mod cell;
mod chosen;
mod colour;
mod columns;
mod command;
mod csv;
mod dot;
mod folded;
mod format;
mod formats;
mod header;
mod html;
mod json;
mod label;
mod line;
mod list;
mod markdown;
mod marks;
mod measure;
pub(crate) mod number;
mod numbered;
mod outside_main;
pub(crate) mod parallel;
mod pprof;
mod report;
mod screen;
mod shorten;
mod table;

use std::fmt;
use std::io::{self, Write};
use std::ops::RangeInclusive;

use crate::profile::{Count, Events, NameKind};
use crate::view::{Figure, Series};

pub use crate::render::folded::write_flame_graph;
pub use crate::render::header::verdict_line;
pub use annotate::{
    SourceFlow, UnknownInlines, write_annotated, write_annotated_total, write_not_annotated,
    write_not_found,
};
pub use asm::{AsmPage, write_asm};
pub use callgrind::{unwritable_name, write_callgrind};
pub use chosen::{ChosenColumns, ColumnChoice, ColumnLayout, ShownCosts};
use colour::Paint;
pub use columns::not_shown_text;
pub use command::SuggestedCommand;
pub use dot::write_dot;
pub use folded::{StackOptions, write_folded};
pub use format::{Contents, Feature, Format, FormatWriter, HeaderKind, RatioStyle};
pub use formats::{CLASSIC, FORMATS, TEXT};
pub use header::{PageHeader, RenamedName, kept_lines, write_header, write_header_line};
pub use html::{PageSource, write_html};
pub use json::{
    JSON_END, JsonReport, write_json, write_json_changes, write_json_code_left_out,
    write_json_command, write_json_contexts, write_json_editor, write_json_function,
    write_json_lines_by_event, write_json_messages, write_json_sums, write_json_threads,
    write_page_function,
};
use label::{ObjectStyle, write_label};
pub use line::{ReportLines, Tree, TreeCalls};
pub use list::{write_cycles, write_functions, write_no_difference, write_total};
pub use marks::{marked_name, without_marks};
pub use measure::{CostsOfRows, LIST_COLUMNS, Measure, MeasureTables};
use number::{NumberText, ratio_text};
pub use outside_main::AroundMain;
pub use parallel::write_in_order;
pub use pprof::write_pprof;
pub use report::Report;
pub use screen::{
    FirstScreenPage, WhyPage, write_first_screen, write_screen, write_series, write_series_header,
    write_why,
};
pub use shorten::in_words;

const RULE: &str =
    "--------------------------------------------------------------------------------";

/// The number of decimals of a divided count, in text and in formats for programs.
pub const DECIMALS: u32 = 2;
pub const EXACT_DECIMALS: u32 = 6;

/// The number of decimals of a ratio in text; a small one has as many significant digits.
const RATIO_DECIMALS: u32 = 4;

/// The style that all sections of a report share.
#[derive(Clone, Copy)]
pub struct Style<'a> {
    pub percentages: bool,
    /// The divisor of all counts.
    pub unit: i64,
    /// Whether counts hold ratios.
    pub is_ratio: bool,
    /// The numbers of decimals of divided counts: in text, and in formats for programs.
    pub decimals: u32,
    pub exact_decimals: u32,
    pub events: &'a Events,
    /// The shown events that are ratios.
    pub ratios: &'a [usize],
    /// How the names of functions were written.
    pub names: NameKind,
    /// Whether control characters are escaped, to protect a terminal.
    pub escapes: bool,
    pub colours: bool,
    /// The width in columns to which lines are shortened, if any. callgrind_annotate's page has
    /// none.
    pub width: Option<usize>,
    /// Whether lists, sources and instructions are those of cgannotate's text: in columns, with
    /// titles of one line.
    pub is_columns: bool,
    /// The delimiter of CSV fields.
    pub delimiter: u8,
    /// Whether CSV begins with the column names.
    pub has_heading: bool,
    /// In a difference the event whose sides are both shown.
    pub difference: Option<usize>,
    /// The profiles of a series, if more than a difference is shown.
    pub series: Option<&'a Series>,
    /// The events to show, by number, in this order.
    pub shown: &'a [usize],
    /// The number of the first sort event that is not a ratio.
    pub sorted: Option<usize>,
    /// The cost that is 100%, by event.
    pub total: &'a [Count],
}

impl Style<'_> {
    /// Whether the events were selected: by default all are shown, or of a difference the first.
    fn has_requested_events(&self) -> bool {
        self.shown.len() < self.events.len()
    }

    /// The style for counts of an event: ratios have no percentages.
    fn of_event(self, event: usize) -> Self {
        if self.ratios.contains(&event) && self.events.unit(event) == 1 {
            Style { percentages: false, is_ratio: true, ..self }
        } else {
            self.in_unit_of(event)
        }
    }

    /// The style for counts of an event that may be divided by a unit of its own.
    pub fn in_unit_of(self, event: usize) -> Self {
        let unit = self.events.unit(event);
        if unit == 1 {
            return self;
        }
        let decimals = self.events.decimals(event);
        let is_exact = self.unit == 1;
        Style {
            // Their product fits, as was checked before the report.
            unit: self.unit.saturating_mul(unit),
            decimals: decimals.min(DECIMALS),
            exact_decimals: if is_exact { decimals } else { decimals.max(EXACT_DECIMALS) },
            ..self
        }
    }

    /// The sort event, or else the first shown event.
    fn first_event(&self) -> Option<usize> {
        let sorted = self.sorted.filter(|event| self.shown.contains(event));
        sorted.or(self.shown.first().copied())
    }

    /// Prepends a count without a sign if it is positive.
    fn prepend_unsigned(&self, value: i64, text: &mut NumberText) {
        match self.unit {
            _ if self.is_ratio => text.prepend_text(&ratio_text(value, RATIO_DECIMALS, true)),
            1 => text.prepend_number(value),
            unit => text.prepend_quotient(value, unit, self.decimals, true),
        }
    }

    fn unsigned(&self, value: i64) -> String {
        NumberText::of(|text| self.prepend_unsigned(value, text)).to_string()
    }

    /// A count; in a difference both sides, `BASE -> NEW`.
    fn counts(&self, figure: Figure<Count>) -> String {
        let text = |count: Count| self.unsigned(count.or_zero());
        match figure.compared {
            None => text(figure.value),
            Some(sides) => format!("{} -> {}", text(sides.base), text(sides.new)),
        }
    }

    /// The change in percent of BASE, in the style of the event.
    fn change(&self, figure: Figure<Count>) -> Option<f64> {
        if self.is_ratio { figure.percent_of_ratio() } else { figure.percent() }
    }

    fn paint(&self, count: Count, event: usize) -> Paint {
        let (value, total) = (count.or_zero(), self.total[event].or_zero());
        if value == 0 {
            return Paint::Dim;
        }
        // A ratio is not a share of the program's ratio.
        if self.ratios.contains(&event) && self.difference.is_none() {
            return Paint::Plain;
        }
        let [value, total] = if self.ratios.contains(&event) {
            [count, self.total[event]].map(|count| count.ratio().unwrap_or(0.0))
        } else {
            [value as f64, total as f64]
        };
        let percent = if total == 0.0 { 0.0 } else { value * 100.0 / total };
        if self.difference.is_none() {
            return Paint::Share(percent);
        }
        // The sign is that of the change, even if BASE is 0.
        Paint::Change(percent.abs().copysign(value))
    }
}

pub(crate) fn with_commas(value: impl TryInto<i64>) -> String {
    NumberText::number(value.try_into().unwrap_or(i64::MAX)).to_string()
}

/// A count with its noun: `1 row`, `2,000 rows`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    let plural = match count {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {what}{plural}", with_commas(count))
}

/// The digits of a percentage: `0.12`, `12.34` or `100.0`.
fn percentage(count: Count, total: Count) -> String {
    let percent = percent(count, total).unwrap_or(0.0);
    let text = NumberText::of(|text| text.prepend_percent(percent));
    text.as_str().trim_start().to_owned()
}

/// A count in percent of a total; none if either is 0.
pub(crate) fn percent(count: Count, total: Count) -> Option<f64> {
    let (count, total) = (count.or_zero(), total.or_zero());
    (count != 0 && total != 0).then(|| count as f64 * 100.0 / total as f64)
}

/// Whether a character does something else than being seen: a terminal executes it, it disguises
/// text, as two names that differ in it look equal, or XML must not have it.
fn is_control(c: char) -> bool {
    c.is_control() || (c >= '\u{61c}' && INVISIBLE.iter().any(|range| range.contains(&c)))
}

/// Characters that are no control characters, but invisible.
const INVISIBLE: [RangeInclusive<char>; 8] = [
    // The Arabic letter mark.
    '\u{61c}'..='\u{61c}',
    // The zero width space.
    '\u{200b}'..='\u{200b}',
    // Marks of the direction of text. The joiners between them are part of words and emojis.
    '\u{200e}'..='\u{200f}',
    // Separators of lines and paragraphs; embeddings and overrides of the direction.
    '\u{2028}'..='\u{202e}',
    // Isolates of the direction.
    '\u{2066}'..='\u{2069}',
    // The byte order mark.
    '\u{feff}'..='\u{feff}',
    // Noncharacters, which XML must not have.
    '\u{fffe}'..='\u{ffff}',
    // Tags.
    '\u{e0000}'..='\u{e007f}',
];

/// Writes the line between sections.
fn write_rule(style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    Paint::Dim.around(style.colours, out, |out| out.write_all(RULE.as_bytes()))?;
    writeln!(out)
}

/// Writes the first or last position of a region of a source or of instructions; in columns, only
/// the first.
fn write_edge(
    at: fmt::Arguments<'_>,
    is_end: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if is_end && style.is_columns {
        return Ok(());
    }
    Paint::Dim.around(style.colours, out, |out| {
        if style.is_columns {
            write!(out, "-- {at}")
        } else {
            write!(out, "-- {at} {}", &RULE[..RULE.len() / 2])
        }
    })?;
    writeln!(out)
}

/// The text that [`write_escaped`] writes.
pub(crate) fn escaped_text(text: &[u8], escapes: bool) -> String {
    String::from_utf8_lossy(&escaped_bytes(text, escapes)).into_owned()
}

/// The bytes that [`write_escaped`] writes.
pub(crate) fn escaped_bytes(text: &[u8], escapes: bool) -> Vec<u8> {
    let mut escaped = Vec::new();
    // Writing to a vector cannot fail.
    let _ = write_escaped(text, escapes, &mut escaped);
    escaped
}

/// Whether all bytes satisfy `holds`. A fold without early exit over whole blocks is vectorized:
/// the last block may overlap the one before it.
#[inline]
fn are_all(text: &[u8], holds: impl Fn(u8) -> bool) -> bool {
    let all = |text: &[u8]| text.iter().fold(true, |all, &byte| all & holds(byte));
    if let Some(last) = text.last_chunk::<16>() {
        all(&text[..text.len() & !15]) & all(last)
    } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        all(first) & all(last)
    } else {
        all(text)
    }
}

/// Writes bytes of the profile or a source, with control characters escaped if `escapes` is set.
pub(crate) fn write_escaped(text: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    // Most text is plain.
    if !escapes || are_all(text, |b| matches!(b, b' '..=b'~' | b'\t')) {
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

pub(crate) fn write_text_line(
    texts: &[&[u8]],
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    write_escaped(&texts.concat(), escapes, out)?;
    out.write_all(b"\n")
}

pub(crate) fn write_spaces(mut count: usize, out: &mut impl Write) -> io::Result<()> {
    const SPACES: &[u8] = b"                                ";
    while count > 0 {
        let now = count.min(SPACES.len());
        out.write_all(&SPACES[..now])?;
        count -= now;
    }
    Ok(())
}
