//! A page for a browser: one file with the data of a report as JSON, the sources, and a script that shows them.

mod names;

use std::io::{self, Write};

use serde::Serialize;

use crate::render::json::{Bytes, write_value};
use crate::render::{Style, escaped_text, with_commas};
use crate::view::{FigureTable, Inclusive, Item, Label, List, Rows};
pub use names::told_apart;

/// The page, with names in place of what differs from report to report, in the order of [`PLACES`].
const PAGE: &str = include_str!("page.html");

const PLACES: [&str; 4] = ["@TITLE@", "@STATIC@", "@DATA@", "@SOURCES@"];

/// The size from which on browsers take their time, in bytes.
pub const MAX_HTML: u64 = 32 << 20;

/// How many functions the table has that is there without the script.
const STATIC_ROWS: usize = 50;

/// What a page is made of.
pub struct HtmlPage<'a, 'p> {
    /// The profiled program, or the files.
    pub title: &'a str,
    pub list: &'a List,
    pub rows: &'a Rows<'p>,
    pub own: &'a FigureTable,
    pub inclusive: &'a Inclusive<'a>,
    /// The event that rows are sorted by, and its name.
    pub event: (usize, &'a [u8]),
    /// Whether costs are changes.
    pub is_difference: bool,
    pub sources: &'a [HtmlSource<'a>],
}

/// The lines of a source that a page shows.
#[derive(Serialize)]
pub struct HtmlSource<'a> {
    /// Its name in the profile.
    #[serde(serialize_with = "bytes")]
    pub file: &'a [u8],
    /// Where it was found.
    #[serde(serialize_with = "bytes")]
    pub path: Vec<u8>,
    /// Why its lines may not be those of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caveat: Option<&'static str>,
    /// Neighbouring lines, with the number of the first.
    pub ranges: Vec<(u32, Vec<String>)>,
    /// Of a difference: which of them BASE's text does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<u32>,
    /// Of a difference: lines that only BASE's text has, each with the line before it, its number there and its text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<(u32, u32, String)>,
}

fn bytes<S: serde::Serializer>(text: &impl AsRef<[u8]>, serializer: S) -> Result<S::Ok, S::Error> {
    Bytes(text.as_ref()).serialize(serializer)
}

/// Writes a page; `write_data` writes its data, as JSON. Returns how many bytes it has.
pub fn write_html<W: Write>(
    page: &HtmlPage<'_, '_>,
    write_data: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    style: Style<'_>,
    out: W,
) -> io::Result<u64> {
    let mut out = Counted { out, bytes: 0 };
    let mut rest = PAGE;
    let next = |place: &str| {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        rest = after;
        before
    };
    let [title, table, data, sources] = PLACES.map(next);
    out.write_all(title.as_bytes())?;
    out.write_all(entities(&escaped_text(page.title.as_bytes(), true)).as_bytes())?;
    out.write_all(table.as_bytes())?;
    write_table(page, style, &mut out)?;
    out.write_all(data.as_bytes())?;
    write_data(&mut Escaped(&mut out))?;
    out.write_all(sources.as_bytes())?;
    write_value(&page.sources, 1, &mut Escaped(&mut out))?;
    out.write_all(rest.as_bytes())?;
    out.flush()?;
    Ok(out.bytes)
}

/// Writes the most expensive functions as a table, for browsers that run no script.
fn write_table(page: &HtmlPage<'_, '_>, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let (event, name) = page.event;
    let change = if page.is_difference { " change" } else { "" };
    let name = entities(&escaped_text(name, true)) + change;
    writeln!(
        out,
        "<table><thead><tr><th class=\"num\">Inclusive {name}</th><th class=\"num\">Self {name}</th><th>Function</th>\
         <th>File</th></tr></thead><tbody>"
    )?;
    for row in page.list.lines(page.rows).take(STATIC_ROWS) {
        let (Item::Row(id), Label::Function { file, name, .. }) = (row.item, &row.label) else {
            continue;
        };
        let own = page.own.get(id.index()).value[event];
        let inclusive = page.inclusive.of_item(row.item);
        let inclusive = inclusive.map_or(own, |cost| cost.value[event]);
        let [inclusive, own] = [inclusive, own].map(|count| style.count(count, false));
        let [name, file] = [&name[..], file].map(|text| entities(&escaped_text(text, true)));
        writeln!(
            out,
            "<tr><td class=\"num\">{inclusive}</td><td class=\"num\">{own}</td><td>{name}</td><td>{file}</td></tr>"
        )?;
    }
    let rows = page.list.items.len();
    let more = rows.saturating_sub(STATIC_ROWS);
    let note = match more {
        0 => String::new(),
        more => format!(
            "<p>{} more functions are shown with JavaScript.</p>",
            with_commas(more)
        ),
    };
    write!(out, "</tbody></table>{note}")
}

/// Text in which nothing is markup.
fn entities(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Counts the bytes that are written.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// JSON within HTML: `<`, which occurs in strings only, is escaped there, so that nothing ends the element.
struct Escaped<W>(W);

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut parts = bytes.split(|&byte| byte == b'<');
        self.0.write_all(parts.next().unwrap_or_default())?;
        for part in parts {
            self.0.write_all(b"\\u003c")?;
            self.0.write_all(part)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
