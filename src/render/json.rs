//! The whole report as JSON, for other programs: one object, with each row on a line of its own.
//!
//! README.md has the schema. `VERSION` is increased when a member is removed or its meaning changes, not when one is added.

mod code;
mod header;
mod row;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;
use serde::ser::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::profile::{Count, RATIO_UNIT, Sides};
pub use crate::render::json::code::{write_instructions_json, write_json_function};
use crate::render::json::header::Header;
use crate::render::json::row::Row;
use crate::render::list::TreeCalls;
use crate::render::number::NumberText;
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{EXACT_DECIMALS, SourceFlow, Style, is_control};
use crate::view::{
    CostFigure, Details, Figure, FigureTable, Item, Label, List, Mark, Nesting, RowId, Rows,
    Selection, Total, Verdict,
};

const VERSION: u32 = 2;

pub const JSON_END: &[u8] = b"}\n";

/// What a JSON report is made of.
pub struct JsonReport<'a, 'p> {
    pub total: &'a Total,
    /// The events to show and to sort by.
    pub selection: &'a Selection,
    /// The rows to write, in order.
    pub list: &'a List,
    /// The shown events, what all counts are divided by, what 100% is. Percentages are there if they are requested.
    pub style: Style<'a>,
    /// What counts were multiplied by to be those shown, if they were.
    pub scale: Option<Sides<f64>>,
    pub rows: &'a Rows<'p>,
    /// The costs, lines and calls of each row.
    pub details: &'a Details<'a, 'p>,
    /// The callers of each row, or callers and callees over several levels, if they are requested.
    pub tree: Option<&'a TreeCalls<'a>>,
    /// What is nested in rows, if it is requested.
    pub nesting: Option<&'a Nesting<'a, 'p>>,
    /// Executions and jumps of lines, if they are shown.
    pub flow: Option<SourceFlow<'a>>,
    /// Of a difference: what came of the limit, if there is one.
    pub verdict: Option<&'a Verdict>,
    /// Of a difference: whether each row is listed.
    pub is_listed: Option<Vec<bool>>,
    /// What a page for a browser has in addition, if these are its data: without what it has no use for.
    pub page: Option<PageMembers>,
}

/// What only a page for a browser has.
pub struct PageMembers {
    /// The least row in percent.
    pub minimum: f64,
    /// The event of the table that is there without scripts.
    pub event: usize,
    /// What rows are called where there is little room.
    pub names: HashMap<RowId, String>,
}

impl JsonReport<'_, '_> {
    /// Whether these are the data of a page for a browser.
    fn is_page(&self) -> bool {
        self.page.is_some()
    }
}

/// Writes a report as JSON, up to where further members may follow its rows. Their end is [`JSON_END`].
pub fn write_json(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    write_json_header(report, out)?;
    let items = &report.list.items;
    let first = items.iter().position(|item| matches!(item, Item::Row(_)));
    let write = |positions: Range<usize>, out: &mut ChunkWriter<'_>| {
        let lines = report.list.lines_at(positions.clone(), report.rows);
        for (position, line) in positions.zip(lines) {
            let Item::Row(id) = line.item else { continue };
            let details = report.details.of(id);
            let nested = report.nesting.map(|nesting| nesting.of(id));
            let is_first = first == Some(position);
            out.write_all(if is_first { b"\n" } else { b",\n" })?;
            let row = Row {
                report,
                id,
                label: line.label,
                mark: line.cost.mark(),
                called: line.calls,
                details,
                nested,
            };
            write_value(&row, report.style.unit, out)?;
        }
        Ok(())
    };
    write_rows(items.len(), write, out)?;
    out.write_all(b"\n]")
}

/// Writes all that is before the rows.
pub fn write_json_header(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let mut header = Vec::new();
    write_value(&Header::new(report), report.style.unit, &mut header)?;
    // The rows go into the same object.
    header.pop();
    out.write_all(&header)?;
    out.write_all(b",\"rows\":[")
}

/// Writes what each group of functions costs itself, on both sides of a difference, as a member of this name.
pub fn write_json_sums(
    member: &str,
    rows: &Rows<'_>,
    costs: &FigureTable,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, ",\"{member}\":")?;
    let sums = rows.all().filter(|&row| rows.is_selected(row));
    let sums = sums.filter_map(|row| {
        let Label::Group { name, .. } = rows.label_of(Item::Row(row)) else {
            return None;
        };
        let own = costs.get(row.index());
        let (base, new) = match own.sides() {
            Some((&base, &new)) => (Some(Cost::new(style.shown, base)), new),
            None => (None, own.value),
        };
        let new = Cost::new(style.shown, new);
        Some((name.into_owned(), new, base))
    });
    let sums: Vec<_> = sums.collect();
    let sums = sums
        .iter()
        .map(|(name, new, base)| (Bytes(name), new, base));
    write_value(&Sequence(sums), style.unit, out)
}

/// Writes a value, all counts in which are divided by `unit`.
pub(super) fn write_value(
    value: &impl Serialize,
    unit: i64,
    out: &mut impl Write,
) -> io::Result<()> {
    let formatter = ReportFormatter {
        json: CompactFormatter,
        unit,
        is_key: false,
    };
    let mut serializer = serde_json::Serializer::with_formatter(out, formatter);
    Ok(value.serialize(&mut serializer)?)
}

/// Writes bytes as strings, and escapes all control characters, including those that JSON allows, because the output
/// may be a terminal. Numbers of the type `i64` are counts.
struct ReportFormatter {
    json: CompactFormatter,
    unit: i64,
    /// Whether a string is the name of a member, which is plain.
    is_key: bool,
}

impl Formatter for ReportFormatter {
    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.is_key = true;
        self.json.begin_object_key(out, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_key = false;
        Ok(())
    }

    fn write_i64<W: ?Sized + Write>(&mut self, out: &mut W, value: i64) -> io::Result<()> {
        if self.unit == 1 {
            return self.json.write_i64(out, value);
        }
        let quotient =
            |text: &mut NumberText| text.prepend_quotient(value, self.unit, EXACT_DECIMALS, false);
        out.write_all(NumberText::of(quotient).as_bytes())
    }

    fn write_byte_array<W: ?Sized + Write>(&mut self, out: &mut W, text: &[u8]) -> io::Result<()> {
        if is_plain(text) {
            out.write_all(b"\"")?;
            out.write_all(text)?;
            return out.write_all(b"\"");
        }
        let mut string = Vec::new();
        match std::str::from_utf8(text) {
            Ok(text) => write_value(&text, 1, &mut string)?,
            Err(_) => {
                let hex = text.iter().map(|byte| format!("{byte:02x}")).collect();
                let text = String::from_utf8_lossy(text);
                write_value(&NoText { hex, text }, 1, &mut string)?;
            }
        }
        out.write_all(&string)
    }

    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        if self.is_key || is_plain(text.as_bytes()) {
            return self.json.write_string_fragment(out, text);
        }
        let mut rest = text;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_control(c)) {
            self.json.write_string_fragment(out, &rest[..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = &rest[at + c.len_utf8()..];
        }
        self.json.write_string_fragment(out, rest)
    }
}

/// Whether a text is a string without escapes. Most are, and a fold without early exit is vectorized.
fn is_plain(text: &[u8]) -> bool {
    let is_plain = |b: u8| matches!(b, b' '..=b'~') & (b != b'"') & (b != b'\\');
    text.iter().fold(true, |all, &b| all & is_plain(b))
}

/// Bytes that usually are UTF-8.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Bytes that are not UTF-8.
#[derive(Serialize)]
struct NoText<'a> {
    hex: String,
    text: Cow<'a, str>,
}

/// Items that are serialized as they are made.
struct Sequence<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Sequence<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

/// The shown counts of a cost.
#[derive(Default)]
pub(super) struct Cost<'a> {
    shown: &'a [usize],
    cost: &'a [Count],
}

impl<'a> Cost<'a> {
    /// Whether it is no cost of any event.
    fn is_none(&self) -> bool {
        self.shown.is_empty()
    }

    pub(super) fn new(shown: &'a [usize], cost: &'a [Count]) -> Cost<'a> {
        Cost { shown, cost }
    }
}

impl Serialize for Cost<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = |&event: &usize| self.cost.get(event)?.value();
        serializer.collect_seq(self.shown.iter().map(count))
    }
}

#[derive(Serialize)]
struct BothSides<'a> {
    base: Side<'a>,
    new: Side<'a>,
}

/// What is null is not known of this side, or the side does not have it.
#[derive(Serialize)]
struct Side<'a> {
    #[serde(rename = "self", skip_serializing_if = "Option::is_none")]
    own: Option<Option<Cost<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inclusive: Option<Option<Cost<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<&'static str>,
}

impl<'a> BothSides<'a> {
    /// The sides of these figures of one thing; none if there is no difference.
    fn new(
        own: Option<CostFigure<'a>>,
        inclusive: Option<CostFigure<'a>>,
        calls: Option<Figure<i64>>,
        shown: &'a [usize],
    ) -> Option<BothSides<'a>> {
        let is_compared = |figure: &CostFigure<'_>| figure.compared.is_some();
        if !own.as_ref().is_some_and(is_compared) && !inclusive.as_ref().is_some_and(is_compared) {
            return None;
        }
        let mut figures = [own, inclusive].into_iter().flatten();
        let mark = figures.find_map(|figure| figure.mark());
        let side = |is_base: bool| {
            let absent = if is_base { Mark::New } else { Mark::Gone };
            let has = mark != Some(absent);
            let cost = |figure: CostFigure<'a>| {
                let (base, new) = figure.compared.map(|sides| (sides.base, sides.new))?;
                let cost = if is_base { base } else { new };
                has.then_some(Cost { shown, cost })
            };
            let count = |figure: Figure<i64>| {
                let (&base, &new) = figure.sides()?;
                has.then_some(if is_base { base } else { new })
            };
            Side {
                own: Some(own.and_then(cost)),
                inclusive: Some(inclusive.and_then(cost)),
                calls: Some(calls.and_then(count)),
                inlined: None,
            }
        };
        Some(BothSides {
            base: side(true),
            new: side(false),
        })
    }

    /// The same without members for what is not known.
    fn known(mut self) -> BothSides<'a> {
        for side in [&mut self.base, &mut self.new] {
            side.own.take_if(|own| own.is_none());
            side.inclusive.take_if(|inclusive| inclusive.is_none());
            side.calls.take_if(|calls| calls.is_none());
        }
        self
    }

    /// The sides of a self cost alone.
    fn of_self(own: CostFigure<'a>, shown: &'a [usize]) -> Option<BothSides<'a>> {
        BothSides::new(Some(own), None, None, shown)
    }
}

/// The count of a ratio as a number.
pub(super) fn ratio(count: Count) -> Option<f64> {
    Some(count.value()? as f64 / RATIO_UNIT as f64)
}
