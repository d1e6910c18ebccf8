//! HTML for a browser: one file with the data of a report as JSON, the sources, and a script that
//! shows them.

#[cfg(test)]
mod compact;
#[cfg(test)]
mod short_names;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use crate::render::chosen::scriptless_columns;
use crate::render::json::{Address, Cost, Maybe, Name, as_name, write_value};
use crate::render::{Measure, Report, escaped_text, with_commas};
use crate::view::{
    Annotated, Caveat, Choice, InlinedAtLine, InlinedOnce, LineChange, short_function,
    without_line_end,
};

/// The template of the page, with placeholders for its parts.
const PAGE: &str = include_str!("page/page.html");

/// The compact style and script, which the build script makes of the files beside the template.
const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.css"));
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));

/// The largest size of an element with data: WebKit takes a time for an element that grows with the
/// square of its size, 0.05 seconds for 1 MB and minutes for 20 MB.
const MAX_BLOCK: usize = 512 << 10;

/// The number of functions in the table that is shown without scripts.
const STATIC_ROWS: usize = 50;

/// Writes a page with the data of a report and the sources that have lines with costs. Returns the
/// number of bytes.
pub fn write_html(
    title: &str,
    report: &Report<'_, '_>,
    data: &[u8],
    mut sources: Vec<PageSource<'_, '_>>,
    out: &mut impl Write,
) -> io::Result<usize> {
    let sources = sources.iter_mut().filter_map(|source| Source::of(source, report));
    let mut texts = Vec::new();
    write_value(&sources.collect::<Vec<_>>(), 1, &mut texts)?;
    let parts = [
        ("@TITLE@", entities(title.as_bytes())),
        ("@STYLE@", STYLE.to_owned()),
        ("@STATIC@", table(report)),
        ("@DATA@", blocks("data", &without_last_nulls(data))),
        ("@SOURCES@", blocks("sources", &texts)),
        ("@SCRIPT@", SCRIPT.to_owned()),
    ];
    let (mut rest, mut bytes) = (PAGE, PAGE.len());
    for (place, part) in parts {
        let (before, after) = rest.split_once(place).unwrap_or((rest, ""));
        out.write_all(before.as_bytes())?;
        out.write_all(part.as_bytes())?;
        bytes += part.len();
        rest = after;
    }
    out.write_all(rest.as_bytes())?;
    Ok(bytes)
}

/// A source that was found.
pub struct PageSource<'a, 'p> {
    pub choice: &'a Choice,
    pub annotated: Annotated<'p>,
    /// Whether the page has all of its lines, not only the regions around lines with costs.
    pub is_whole: bool,
    /// Whether it is known not to be the user's own.
    pub is_foreign: bool,
    /// What is inlined at its lines, by listed row.
    pub inlined: Vec<InlinedAtLine<'p>>,
    /// What it costs in all rows, where these are less than the sum of the rows.
    pub inlined_once: Vec<InlinedOnce<'p>>,
}

/// The regions of a source around lines with costs or calls, or all of it.
#[derive(Serialize)]
struct Source<'a> {
    /// Its name in the profile.
    file: Name<'a>,
    /// Where it was found.
    path: Name<'a>,
    /// The number of its lines.
    lines: u32,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    is_foreign: Maybe<bool>,
    /// Why it may be another source than that of the profile.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    caveat: Maybe<&'static str>,
    /// Consecutive lines: the number of the first, and their texts.
    ranges: Vec<(u32, Vec<String>)>,
    /// In a difference the lines that BASE does not have.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    added: Maybe<Vec<u32>>,
    /// In a difference the lines that only BASE has: the line before it, its number in BASE, and
    /// its text.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    removed: Maybe<Vec<(u32, u32, Cow<'a, str>)>>,
    /// What is inlined at lines, where the program's debug information says it.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<Vec<InlinedCopy<'a>>>,
    /// The short names of the inlined functions, several of which may have the same.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined_names: Maybe<Vec<ShortName<'a>>>,
    /// The line, the index of the name, and the cost in all rows of what is inlined into functions
    /// that lead to each other: less than the sum of the rows.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined_once: Maybe<Vec<(u32, usize, Cost<'a>)>>,
}

/// The id of the row with the code, the line, the index of the inlined function's name, its cost
/// there with the calls that it makes, and the addresses of its instructions, if the page has
/// machine code.
type InlinedCopy<'a> = (usize, u32, usize, Cost<'a>, Vec<Address>);

#[derive(Serialize)]
#[serde(transparent)]
struct ShortName<'a>(#[serde(serialize_with = "as_name")] Cow<'a, [u8]>);

impl<'a> Source<'a> {
    /// None if the source was not found, or none of its lines is shown.
    fn of(source: &'a mut PageSource<'_, '_>, report: &'a Report<'_, '_>) -> Option<Source<'a>> {
        let PageSource { choice, annotated, is_whole, is_foreign, inlined: copies, inlined_once } =
            source;
        let (found, shown) = (choice.lookup.found.as_ref()?, annotated.annotation.as_mut()?);
        let is_newer = annotated.is_newer || choice.is_doubtful;
        let caveat = match found.caveat {
            Some(Caveat::OnlyBaseName) => Some("matched by file name only"),
            Some(Caveat::OtherRelease) => Some("from a different Rust release"),
            None => (is_newer && annotated.aligned.is_none()).then_some("newer than the profile"),
        };
        let length = shown.text.length();
        let whole = [(1, length)];
        let regions = if *is_whole { &whole[..] } else { &shown.regions };
        let lines: Vec<u32> =
            regions.iter().flat_map(|&(first, last)| first..=last.min(length)).collect();
        let mut ranges = Vec::new();
        for lines in lines.chunk_by(|line, next| line + 1 == *next) {
            let texts = lines
                .iter()
                .map(|&line| line_text(shown.text.line(line).unwrap_or_default()).into_owned());
            ranges.push((lines[0], texts.collect()));
        }
        let added = annotated.aligned.as_ref().map(|map| {
            let added = lines.iter().copied();
            added.filter(|&line| map.change(line) == LineChange::Added).collect()
        });
        let removed = annotated.aligned.as_ref().map(|map| {
            let removed = lines.iter().flat_map(|&line| map.removed_after(line));
            removed.map(|(key, text)| (key.new, key.removed, line_text(text))).collect()
        });
        let kind = report.rows.profile.name_kind();
        let mut names: Vec<ShortName<'a>> = Vec::new();
        let mut number_of: HashMap<&[u8], usize> = HashMap::new();
        let mut inlined = Vec::new();
        for copy in &*copies {
            let number = *number_of.entry(&copy.label.name).or_insert_with(|| {
                names.push(ShortName(short_function(&copy.label.name, kind)));
                names.len() - 1
            });
            let cost = Cost::new(report.style.shown, &copy.cost.value);
            let addresses = copy.addresses.iter().copied().map(Address).collect();
            inlined.push((copy.row.index(), copy.line, number, cost, addresses));
        }
        // Of those that a row has.
        let once: Vec<_> = inlined_once
            .iter()
            .filter_map(|copy| {
                let number = *number_of.get(&copy.label.name[..])?;
                Some((copy.line, number, Cost::new(report.style.shown, &copy.cost.value)))
            })
            .collect();
        let has_inlined = !inlined.is_empty();
        Some(Source {
            file: Name(&choice.name),
            path: Name(&found.path),
            lines: length,
            is_foreign: is_foreign.then_some(true).into(),
            caveat: caveat.into(),
            ranges,
            added: added.into(),
            removed: removed.into(),
            inlined: has_inlined.then_some(inlined).into(),
            inlined_names: has_inlined.then_some(names).into(),
            inlined_once: (!once.is_empty()).then_some(once).into(),
        })
    }
}

fn line_text(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(without_line_end(line))
}

/// The most expensive functions as a table, for browsers without scripts; of a series what changed
/// most.
fn table(report: &Report<'_, '_>) -> String {
    let (list, style) = (&report.list, report.style);
    let columns = scriptless_columns(style);
    let mut table = "<table><thead><tr>".to_owned();
    for column in &columns {
        let cost = if column.measure == Measure::Inclusive { "Inclusive" } else { "Self" };
        let name = entities(&column.name(style));
        table += &format!("<th class=\"num\">{cost} {name}</th>");
    }
    table += "<th>Function</th><th>File</th></tr></thead><tbody>\n";
    for row in list.lines(&report.rows).take(STATIC_ROWS) {
        let figures = report.figures(&row);
        table += "<tr>";
        for column in &columns {
            table += &format!("<td class=\"num\">{}</td>", column.text(&figures, style));
        }
        let [name, file] = [&row.label.name[..], row.label.file.unwrap_or_default()].map(entities);
        table += &format!("<td>{name}</td><td>{file}</td></tr>\n");
    }
    table += "</tbody></table>";
    let more = list.items.len().saturating_sub(STATIC_ROWS);
    if more > 0 {
        let more = with_commas(more);
        table += &format!("<p>{more} more functions are shown with JavaScript.</p>");
    }
    table
}

/// The members that are costs, with an event's count or null in each place.
const COSTS: [&[u8]; 2] = [b"\"self\":[", b"\"inclusive\":["];

/// The data without what costs lack at their ends: most lines have a few of many events. (A quote
/// within a string has a backslash before it, so that no string has the name of a member.)
fn without_last_nulls(json: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = memchr::memchr(b'[', rest) {
        let (before, after) = rest.split_at(start + 1);
        kept.extend_from_slice(before);
        rest = after;
        let is_cost = COSTS.iter().any(|name| kept.ends_with(name));
        let end = memchr::memchr(b']', rest).filter(|_| is_cost);
        if let Some(end) = end {
            let (mut cost, after) = rest.split_at(end);
            while let Some(shorter) = cost.strip_suffix(b",null") {
                cost = shorter;
            }
            kept.extend_from_slice(cost);
            rest = after;
        }
    }
    kept.extend_from_slice(rest);
    kept
}

/// JSON as elements of the page, which together have its text. The first one has the id, the others
/// name it.
fn blocks(id: &str, json: &[u8]) -> String {
    let json = escaped(json);
    let mut elements = String::with_capacity(json.len() + 256);
    let (mut rest, mut key) = (&json[..], "id");
    loop {
        let mut end = rest.len().min(MAX_BLOCK);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (block, after) = rest.split_at(end);
        elements += &format!("<script type=\"application/json\" {key}=\"{id}\">{block}</script>\n");
        if after.is_empty() {
            return elements;
        }
        (rest, key) = (after, "data-of");
    }
}

/// JSON within HTML: `<`, which only occurs in strings, is escaped, so that nothing ends the
/// element; and `…` of narrow names, because browsers read a text with characters outside Latin-1
/// more slowly.
fn escaped(json: &[u8]) -> String {
    // A text that is UTF-8, as JSON is, is read faster as a whole.
    let text = str::from_utf8(json).map_or_else(|_| String::from_utf8_lossy(json), Cow::Borrowed);
    text.replace('<', "\\u003c").replace('…', "\\u2026")
}

/// Text with HTML's markup characters escaped, and control characters as escape sequences.
fn entities(text: &[u8]) -> String {
    let text =
        escaped_text(text, true).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_at_the_ends_of_costs_are_left_out() {
        let table = [
            (
                "{\"self\":[1,null,2,null,null],\"a\":[1,null]}",
                "{\"self\":[1,null,2],\"a\":[1,null]}",
            ),
            ("{\"inclusive\":[null,null],\"self\":[]}", "{\"inclusive\":[null],\"self\":[]}"),
            ("{\"name\":\"\\\"self\\\":[1,null]\"}", "{\"name\":\"\\\"self\\\":[1,null]\"}"),
            ("{\"self\":[1", "{\"self\":[1"),
        ];
        for (json, expected) in table {
            assert_eq!(without_last_nulls(json.as_bytes()), expected.as_bytes());
        }
    }
}
