//! HTML for a browser: one file with the data of a report as JSON, the sources, and a script that shows them.

use std::io::{self, Write};

use crate::render::json::Json;
use crate::render::{Listed, escaped_text, with_commas};
use crate::view::{Annotated, Caveat, Choice, LineChange};

/// The template of the page, with placeholders for its parts.
const PAGE: &str = include_str!("page.html");

/// The number of functions in the table that is shown without scripts.
const STATIC_ROWS: usize = 50;

/// Writes a page with the data of a report and the sources that have lines with costs. Returns the number of bytes.
pub fn write_html(
    title: &str,
    listed: &Listed<'_, '_>,
    data: &[u8],
    sources: Vec<(&Choice, Annotated<'_>)>,
    out: &mut impl Write,
) -> io::Result<usize> {
    let mut texts = Json::new(1);
    texts.array(sources, |json, (choice, annotated)| {
        json.object(|json| write_source(choice, annotated, json))
    });
    let parts = [
        ("@TITLE@", entities(title.as_bytes())),
        ("@STATIC@", table(listed)),
        ("@DATA@", escaped(data)),
        ("@SOURCES@", escaped(&texts.text)),
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

/// Writes the regions of a source around lines with costs or calls; in a difference also what was added and removed.
fn write_source(choice: &Choice, annotated: Annotated<'_>, json: &mut Json) {
    let (Some(found), Some(mut shown)) = (&choice.lookup.found, annotated.annotation) else {
        return;
    };
    let is_newer = annotated.is_newer || choice.is_doubtful;
    let caveat = match found.caveat {
        Some(Caveat::OnlyBaseName) => Some("matched by file name only"),
        Some(Caveat::OtherRelease) => Some("from a different Rust release"),
        None => (is_newer && annotated.aligned.is_none()).then_some("newer than the profile"),
    };
    json.member("file", &choice.name[..]);
    json.member("path", &found.path[..]);
    json.optional("caveat", caveat);
    let length = shown.text.length();
    let lines = (shown.regions.iter()).flat_map(|&(first, last)| first..=last.min(length));
    let lines: Vec<u32> = lines.collect();
    let ranges = lines.chunk_by(|line, next| line + 1 == *next);
    json.name("ranges").array(ranges, |json, lines| {
        json.tuple(|json| {
            json.element().value(lines[0]);
            json.element().array(lines, |json, &line| {
                let text = String::from_utf8_lossy(shown.text.line(line).unwrap_or_default());
                json.value(text.trim_end_matches('\n'));
            });
        });
    });
    let Some(map) = annotated.aligned else { return };
    let added = lines.iter().copied();
    let added = added.filter(|&line| map.change(line) == LineChange::Added);
    json.name("added").array(added, Json::value);
    let removed = lines.iter().flat_map(|&line| map.removed_after(line));
    json.name("removed").array(removed, |json, (key, text)| {
        json.tuple(|json| {
            json.element().value(key.new);
            json.element().value(key.removed);
            let text = String::from_utf8_lossy(text);
            json.element().value(text.trim_end_matches('\n'));
        });
    });
}

/// The most expensive functions as a table, for browsers without scripts.
fn table(listed: &Listed<'_, '_>) -> String {
    let (list, style) = (listed.list, listed.style);
    let event = style.first_event().unwrap_or(0);
    let name = entities(style.events.name(event)) + style.difference.map_or("", |_| " change");
    let mut table = format!(
        "<table><thead><tr><th class=\"num\">Inclusive {name}</th><th class=\"num\">Self {name}</th><th>Function</th>\
         <th>File</th></tr></thead><tbody>\n"
    );
    for row in list.lines(listed.rows).take(STATIC_ROWS) {
        let inclusive = listed.inclusive.and_then(|of| of.of_row(row.item));
        let costs = [inclusive.unwrap_or(row.cost), row.cost];
        let [inclusive, own] = costs.map(|cost| style.count(cost.value[event], false));
        let [name, file] = [&row.label.name[..], row.label.file.unwrap_or_default()].map(entities);
        table += &format!(
            "<tr><td class=\"num\">{inclusive}</td><td class=\"num\">{own}</td><td>{name}</td><td>{file}</td></tr>\n"
        );
    }
    table += "</tbody></table>";
    let more = list.items.len().saturating_sub(STATIC_ROWS);
    if more > 0 {
        let more = with_commas(more);
        table += &format!("<p>{more} more functions are shown with JavaScript.</p>");
    }
    table
}

/// JSON within HTML: `<`, which only occurs in strings, is escaped, so that nothing ends the element; and `…` of narrow
/// names, because browsers read a text with characters outside Latin-1 more slowly.
fn escaped(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json).replace('<', "\\u003c");
    text.replace('…', "\\u2026")
}

/// Text with HTML's markup characters escaped, and control characters as escape sequences.
fn entities(text: &[u8]) -> String {
    let text = escaped_text(text, true).replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}
