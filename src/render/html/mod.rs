//! HTML for a browser: one file with the data of a report as JSON, the sources, and a script that shows them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::render::json::{JSON_END, Json, JsonReport, write_json};
use crate::render::screen::texts_within;
use crate::render::{Style, escaped_text, with_commas};
use crate::view::{Caveat, Choice, Label, LineChange, LineMap, List, RowId, RowNames, Rows, Text};

/// The template of the page, with placeholders for the parts in the order of [`PLACEHOLDERS`].
const PAGE: &str = include_str!("page.html");

const PLACEHOLDERS: [&str; 4] = ["@TITLE@", "@STATIC@", "@DATA@", "@SOURCES@"];

/// The size in bytes from which browsers are slow.
pub const MAX_HTML: usize = 32 << 20;

/// The number of functions in the table that is shown without scripts.
const STATIC_ROWS: usize = 50;

/// The width of a page's narrow columns of names, in letters.
const NARROW_WIDTH: usize = 30;

/// The names of a list's functions in a narrow column, where different names stay different if possible.
pub fn narrow_names(list: &List, rows: &Rows<'_>, style: Style<'_>) -> HashMap<RowId, String> {
    let short = RowNames::short(&list.items, rows, true);
    let label = |&item| Label {
        cycle: None,
        ..short.label(item, rows)
    };
    let labels: Vec<Label<'_>> = list.items.iter().map(label).collect();
    let texts = texts_within(labels.iter(), NARROW_WIDTH, style);
    list.items.iter().copied().zip(texts).collect()
}

/// A source whose lines a page shows.
pub struct HtmlSource<'a> {
    pub choice: &'a Choice,
    /// Whether it is newer than a profile.
    pub is_newer: bool,
    pub text: Text,
    /// The first and last line of each region to show. The last region may end past the end of the source.
    pub regions: Vec<(u32, u32)>,
    /// In a difference: the alignment of BASE's text and this one.
    pub aligned: Option<&'a LineMap>,
}

impl HtmlSource<'_> {
    fn write(mut self, json: &mut Json) {
        let found = self.choice.lookup.found.as_ref();
        let caveat = match found.and_then(|found| found.caveat) {
            Some(Caveat::OnlyBaseName) => Some("matched by file name only"),
            Some(Caveat::OtherRelease) => Some("from a different Rust release"),
            None if self.is_newer && self.aligned.is_none() => Some("newer than the profile"),
            None => None,
        };
        json.member("file", &self.choice.name[..]);
        json.member("path", found.map(|found| &found.path[..]));
        json.optional("caveat", caveat);
        let (regions, length) = (self.regions.iter(), self.text.length());
        let lines = regions.flat_map(|&(first, last)| first..=last.min(length));
        let lines: Vec<u32> = lines.collect();
        let ranges = lines.chunk_by(|line, next| line + 1 == *next);
        json.name("ranges").array(ranges, |json, range| {
            json.tuple(|json| {
                json.element().value(range[0]);
                json.element().array(range, |json, &line| {
                    let text = self.text.line(line).unwrap_or_default();
                    json.value(&*text_of_line(text));
                });
            });
        });
        let Some(map) = self.aligned else { return };
        let added = lines.iter().copied();
        let added = added.filter(|&line| map.change(line) == LineChange::Added);
        json.name("added").array(added, Json::value);
        let removed = lines.iter().flat_map(|&line| map.removed_after(line));
        json.name("removed").array(removed, |json, (key, text)| {
            json.tuple(|json| {
                json.element().value(key.new);
                json.element().value(key.removed);
                json.element().value(&*text_of_line(text));
            });
        });
    }
}

/// The text of a line without its newline.
fn text_of_line(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(line))
}

/// Writes a page with the data of `report`; `more` writes members after its rows. Returns the number of bytes.
pub fn write_html(
    title: &str,
    report: &JsonReport<'_, '_>,
    more: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    sources: Vec<HtmlSource<'_>>,
    out: &mut impl Write,
) -> io::Result<usize> {
    let mut data = Vec::new();
    write_json(report, &mut data)?;
    more(&mut data)?;
    data.extend(JSON_END);
    let mut texts = Json::new(1);
    texts.array(sources, |json, source| {
        json.object(|json| source.write(json))
    });
    let parts = [
        entities(title.as_bytes()).into_bytes(),
        table(report).into_bytes(),
        escaped(&data),
        escaped(&texts.text),
    ];
    let mut rest = PAGE;
    for (place, part) in PLACEHOLDERS.into_iter().zip(&parts) {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(part)?;
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    out.flush()?;
    Ok(PAGE.len() + parts.iter().map(Vec::len).sum::<usize>())
}

/// The most expensive functions as a table, for browsers without scripts.
fn table(report: &JsonReport<'_, '_>) -> String {
    let profile = report.rows.profile;
    let event = report.page.as_ref().map_or(0, |page| page.event);
    let change = if profile.is_difference() {
        " change"
    } else {
        ""
    };
    let name = entities(profile.events().name(event)) + change;
    let mut table = format!(
        "<table><thead><tr><th class=\"num\">Inclusive {name}</th><th class=\"num\">Self {name}</th><th>Function</th>\
         <th>File</th></tr></thead><tbody>\n"
    );
    for row in report.list.lines(report.rows).take(STATIC_ROWS) {
        let Some(file) = row.label.file else {
            continue;
        };
        let details = report.details.of(row.item);
        let own = details.self_cost.value[event];
        let inclusive = details.inclusive.map_or(own, |cost| cost.value[event]);
        let [inclusive, own] = [inclusive, own].map(|count| report.style.count(count, false));
        let [name, file] = [&row.label.name[..], file].map(entities);
        table += &format!(
            "<tr><td class=\"num\">{inclusive}</td><td class=\"num\">{own}</td><td>{name}</td><td>{file}</td></tr>\n"
        );
    }
    table += "</tbody></table>";
    match report.list.items.len().saturating_sub(STATIC_ROWS) {
        0 => table,
        more => format!(
            "{table}<p>{} more functions are shown with JavaScript.</p>",
            with_commas(more)
        ),
    }
}

/// JSON within HTML: `<`, which only occurs in strings, is escaped, so that nothing ends the element; and `…` of narrow
/// names, because browsers read a text with characters outside Latin-1 more slowly.
fn escaped(json: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(json).replace('<', "\\u003c");
    text.replace('…', "\\u2026").into_bytes()
}

/// Text with HTML's markup characters escaped, and control characters as escape sequences.
fn entities(text: &[u8]) -> String {
    let text = escaped_text(text, true).replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
