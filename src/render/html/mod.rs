//! A page for a browser: one file with the data of a report as JSON, the sources, and a script that shows them.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::render::json::{JSON_END, Json, JsonReport, write_json};
use crate::render::screen::texts_within;
use crate::render::{Style, escaped_text, with_commas};
use crate::view::{Item, Label, List, RowId, RowNames, Rows};

/// The page, with names in place of what differs from report to report, in the order of [`PLACES`].
const PAGE: &str = include_str!("page.html");

const PLACES: [&str; 4] = ["@TITLE@", "@STATIC@", "@DATA@", "@SOURCES@"];

/// The size from which on browsers take their time, in bytes.
pub const MAX_HTML: u64 = 32 << 20;

/// How many functions the table has that is there without the script.
const STATIC_ROWS: usize = 50;

/// The width of a page's narrow columns of names, in letters.
const NARROW: usize = 30;

/// What the functions of a list are called in a narrow column, so that they read differently as far as it has room.
pub fn narrow_names(list: &List, rows: &Rows<'_>, style: Style<'_>) -> HashMap<RowId, String> {
    let short = RowNames::short(&list.items, rows, true);
    let label = |&item| match short.label(item, rows) {
        Label::Function {
            file, name, object, ..
        } => Label::Function {
            file,
            name,
            object,
            cycle: None,
        },
        label => label,
    };
    let labels: Vec<Label<'_>> = list.items.iter().map(label).collect();
    let texts = texts_within(labels.iter(), NARROW, style);
    let named = list.items.iter().zip(texts);
    let named = named.filter_map(|(item, text)| match item {
        Item::Row(row) => Some((*row, text)),
        Item::Cycle(_) => None,
    });
    named.collect()
}

/// The lines of a source that a page shows.
pub struct HtmlSource<'a> {
    /// Its name in the profile.
    pub file: &'a [u8],
    /// Where it was found.
    pub path: Vec<u8>,
    /// Why its lines may not be those of the profile.
    pub caveat: Option<&'static str>,
    /// Neighbouring lines, with the number of the first.
    pub ranges: Vec<(u32, Vec<String>)>,
    /// Of a difference: which of them BASE's text does not have.
    pub added: Vec<u32>,
    /// Of a difference: lines that only BASE's text has, each with the line before it, its number there and its text.
    pub removed: Vec<(u32, u32, String)>,
}

impl HtmlSource<'_> {
    fn write(&self, json: &mut Json) {
        json.member("file", self.file);
        json.member("path", &self.path[..]);
        json.optional("caveat", self.caveat);
        json.name("ranges")
            .array(&self.ranges, |json, (first, lines)| {
                json.tuple(|json| {
                    json.element().value(*first);
                    let lines = lines.iter().map(String::as_str);
                    json.element().array(lines, Json::value);
                });
            });
        if !self.added.is_empty() {
            json.name("added")
                .array(self.added.iter().copied(), Json::value);
        }
        if !self.removed.is_empty() {
            json.name("removed")
                .array(&self.removed, |json, (before, number, text)| {
                    json.tuple(|json| {
                        json.element().value(*before);
                        json.element().value(*number);
                        json.element().value(&text[..]);
                    });
                });
        }
    }
}

/// Writes a page: the data are `report`, and `more` writes members behind its rows. Returns how many bytes it has.
pub fn write_html(
    title: &str,
    report: &JsonReport<'_, '_>,
    more: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    sources: &[HtmlSource<'_>],
    out: &mut impl Write,
) -> io::Result<u64> {
    let mut data = Vec::new();
    write_json(report, &mut data)?;
    more(&mut data)?;
    data.extend(JSON_END);
    let mut texts = Json::new(1);
    texts.array(sources, |json, source| {
        json.object(|json| source.write(json))
    });
    let title = entities(&escaped_text(title.as_bytes(), true));
    let parts = [
        title.into_bytes(),
        table(report).into_bytes(),
        escaped(&data),
        escaped(&texts.text),
    ];
    let (mut rest, mut bytes) = (PAGE, 0);
    let mut write = |text: &[u8]| {
        bytes += text.len() as u64;
        out.write_all(text)
    };
    for (place, part) in PLACES.into_iter().zip(parts) {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        write(before.as_bytes())?;
        write(&part)?;
        rest = after;
    }
    write(rest.as_bytes())?;
    out.flush()?;
    Ok(bytes)
}

/// The most expensive functions as a table, for browsers that run no script.
fn table(report: &JsonReport<'_, '_>) -> String {
    let profile = report.rows.profile;
    let event = report.page.as_ref().map_or(0, |page| page.event);
    let change = if profile.is_difference() {
        " change"
    } else {
        ""
    };
    let name = entities(&escaped_text(profile.events().name(event), true)) + change;
    let mut table = format!(
        "<table><thead><tr><th class=\"num\">Inclusive {name}</th><th class=\"num\">Self {name}</th><th>Function</th>\
         <th>File</th></tr></thead><tbody>\n"
    );
    for row in report.list.lines(report.rows).take(STATIC_ROWS) {
        let (Item::Row(id), Label::Function { file, name, .. }) = (row.item, &row.label) else {
            continue;
        };
        let details = report.details.of(id);
        let own = details.self_cost.value[event];
        let inclusive = details.inclusive.map_or(own, |cost| cost.value[event]);
        let [inclusive, own] = [inclusive, own].map(|count| report.style.count(count, false));
        let [name, file] = [&name[..], file].map(|text| entities(&escaped_text(text, true)));
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

/// JSON within HTML: `<`, which occurs in strings only, is escaped there, so that nothing ends the element.
fn escaped(json: &[u8]) -> Vec<u8> {
    json.split(|&byte| byte == b'<')
        .collect::<Vec<_>>()
        .join(&b"\\u003c"[..])
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
