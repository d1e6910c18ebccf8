//! The list as a Markdown table, for a pull request.

use std::collections::HashMap;
use std::io;
use std::io::Write;

use crate::render::columns::{Column, Figures, Measure, Show};
use crate::render::format::{Form, Format, format};
use crate::render::label::{place_text, short_place_text};
use crate::render::list::omitted_lines;
use crate::render::screen::names::short_files;
use crate::render::shorten::{
    ANGLES, MIN_NAME, ROUND, elide_arguments, elide_end, elide_folders, elide_middle, width,
};
use crate::render::{Listed, Style, escaped_text};
use crate::view::{Label, List, RowBy, basename};

pub(super) const MARKDOWN: (&str, Format) = format(
    "markdown|md",
    Form::Summary(write_markdown),
    "diff sort threshold calls columns inclusive top min group_by cycles demangle per names show_percs",
);

/// Writes the verdicts, the total and the rows of a list with short names.
fn write_markdown(listed: &Listed<'_, '_>, mut out: &mut dyn Write) -> io::Result<()> {
    let (total, style, out) = (listed.total, listed.style, &mut out);
    for verdict in listed.verdicts {
        let (word, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
        writeln!(out, "**{word}** {}\n", escaped(rest.as_bytes()))?;
    }
    let (list, row_by) = (listed.list, listed.rows.row_by);
    let table = Table {
        style,
        columns: columns(listed.columns, list, style),
    };
    table.write_heading(
        titles(row_by),
        list.is_inclusive && listed.columns.is_empty(),
        out,
    )?;
    let note = if total.is_calculated {
        " (calculated)"
    } else {
        ""
    };
    let name = format!("**total**{note}");
    table.write_row([&name, ""], &Figures::of_cost(total.figure.counts()), out)?;
    table.write_rows(listed, out)?;
    let omitted = list.omitted.as_ref();
    for line in omitted.map_or_else(Vec::new, |omitted| omitted_lines(omitted, style)) {
        writeln!(out, "\n{}", escaped(line.as_bytes()))?;
    }
    Ok(())
}

/// A label whose file has only the path components that distinguish it from the others.
fn with_short_file<'l>(mut label: Label<'l>, short: &HashMap<&'l str, &'l str>) -> Label<'l> {
    let known = label
        .file
        .and_then(|file| short.get(str::from_utf8(file).ok()?));
    label.file = known.map(|file| file.as_bytes()).or(label.file);
    label
}

/// The titles of the columns of names and places.
fn titles(row_by: RowBy) -> [&'static str; 2] {
    match row_by {
        RowBy::Line => [row_by.title(), "source"],
        row_by if row_by.is_group() => [row_by.title(), "in"],
        _ => ["function", "file"],
    }
}

/// The columns after the names: the requested ones of all shown events, with the cost per call of the first. By default
/// by event the count and its percentage; in a difference both sides and the change of the sort event, and the change
/// of the others; then the calls from other functions and the cost per call.
fn columns(requested: &[Measure], list: &List, style: Style<'_>) -> Vec<Column> {
    let (is_default, is_difference) = (requested.is_empty(), style.difference.is_some());
    let measures: &[Measure] = match list.call_counts() {
        _ if !is_default => requested,
        None => &[Measure::Cost],
        Some(_) => &[Measure::Cost, Measure::Calls, Measure::PerCall],
    };
    let per_call = match is_default {
        true => style.first_event(),
        false => style.shown.first().copied(),
    };
    let mut columns = Vec::new();
    for measure in measures.iter().map(|measure| measure.in_list(list)) {
        let events = match measure {
            Measure::PerCall | Measure::InclusivePerCall => per_call.as_slice(),
            measure => measure.of_events(style.shown),
        };
        let is_change = is_default && is_difference && measure == Measure::Calls;
        let has_percent = style.percentages && (is_change || !measure.is_of_calls());
        for &event in events {
            let is_sorted = style.difference.is_none_or(|of| of == event);
            let is_whole = !is_default || is_sorted || measure.is_of_calls();
            let all = Column::of(measure, event, style, has_percent);
            let shown = all.filter(|column| is_whole || column.show == Show::Change);
            columns.extend(shown);
        }
    }
    columns
}

struct Table<'a> {
    style: Style<'a>,
    columns: Vec<Column>,
}

impl Table<'_> {
    fn write_rows(&self, listed: &Listed<'_, '_>, out: &mut impl Write) -> io::Result<()> {
        let (list, rows, style) = (listed.list, listed.rows, self.style);
        let row_by = rows.row_by;
        // Without a width, names are not shortened.
        let files: Vec<String> = match style.width {
            Some(_) => {
                let files = list.lines(rows).filter_map(|row| row.label.file);
                files
                    .filter_map(|file| String::from_utf8(file.to_vec()).ok())
                    .collect()
            }
            None => Vec::new(),
        };
        let short = short_files(files.iter().map(String::as_str).collect());
        for row in list.lines(rows) {
            let figures = listed.figures(&row);
            let [name, second] = of_label(&with_short_file(row.label, &short), row_by, style);
            self.write_row([&name, &second], &figures, out)?;
        }
        Ok(())
    }

    /// Writes the heading; `inclusive` tells whether the costs are.
    fn write_heading(
        &self,
        names: [&str; 2],
        inclusive: bool,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let events = self.style.events;
        let figures = self.columns.iter().map(|column| match column.measure {
            Measure::Calls | Measure::Recursive => column.name(events).to_ascii_lowercase(),
            Measure::Inclusive => [&column.name(events), &b" inclusive"[..]].concat(),
            Measure::Cost if inclusive && column.show == Show::Count => {
                [&column.name(events), &b" inclusive"[..]].concat()
            }
            _ => column.name(events),
        });
        let figures: Vec<_> = figures.map(|name| escaped(&name)).collect();
        writeln!(out, "| {} | {} |", names.join(" | "), figures.join(" | "))?;
        let rules = "---:|".repeat(figures.len());
        writeln!(out, "|---|---|{rules}")
    }

    fn write_row(
        &self,
        [name, second]: [&str; 2],
        figures: &Figures<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write!(out, "| {name} | {second} |")?;
        for column in &self.columns {
            write!(out, " {} |", column.text(figures, self.style))?;
        }
        writeln!(out)
    }
}

/// The cells of a label: its name and its place, which together fit the width, if any.
fn of_label(label: &Label<'_>, row_by: RowBy, style: Style<'_>) -> [String; 2] {
    let room = style.width.unwrap_or(usize::MAX);
    if let Some(place) = &label.group {
        let place = match style.width {
            Some(_) => short_place_text(place),
            None => place_text(place),
        };
        let place = text(&place);
        let room = room.saturating_sub(width(&place)).max(MIN_NAME);
        let mut name = match &label.name[..] {
            b"" => return ["(none)".to_owned(), escaped(place.as_bytes())],
            b"???" => "(unknown)".to_owned(),
            name => text(name),
        };
        if matches!(row_by, RowBy::File | RowBy::Object) {
            name = elide_folders(&name, room);
        }
        return [code(&elide_middle(&name, room)), escaped(place.as_bytes())];
    }
    let cycle = label.cycle.map(|number| format!("&lt;cycle {number}&gt;"));
    let Some(file) = label.file else {
        return [cycle.unwrap_or_default(), String::new()];
    };
    let Some(line) = label.line else {
        let object = || Some([b"[", basename(label.object?), b"]"].concat());
        let place = match file {
            b"" | b"???" => object().unwrap_or_default(),
            file => file.to_vec(),
        };
        let [name, place] = within(text(&label.name), text(&place), room);
        let cycle = cycle.map_or_else(String::new, |cycle| format!(" {cycle}"));
        let place = match &place[..] {
            "" => String::new(),
            place => code(place),
        };
        return [code(&name) + &cycle, place];
    };
    let file = format!("{}:{line}", text(file));
    let Some(source) = label.source.as_deref().map(text) else {
        return [code(&elide_folders(&file, room)), String::new()];
    };
    let file = elide_folders(&file, room.saturating_sub(width(&source)));
    let source = elide_end(&source, room.saturating_sub(width(&file)));
    [code(&file), code(&source)]
}

/// A name and its file in `room` columns together, with a colon. Elides, in this order and as far as needed: template
/// arguments, arguments, the folders of the file, and the middles of the name and the file.
fn within(mut name: String, mut file: String, room: usize) -> [String; 2] {
    let beside = |other: &str| room.saturating_sub(width(other) + 1);
    for brackets in [ANGLES, ROUND] {
        name = elide_arguments(&name, brackets, beside(&file));
    }
    file = elide_folders(&file, beside(&name));
    name = elide_middle(&name, beside(&file).max(MIN_NAME));
    file = elide_middle(&file, beside(&name).max(MIN_NAME));
    [name, file]
}

fn text(name: &[u8]) -> String {
    escaped_text(name, true).replace('\t', " ")
}

/// A text as code in a cell of a table.
fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.trim().is_empty() {
        return "(no name)".to_owned();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match longest {
        0 => format!("{fence}{text}{fence}"),
        _ => format!("{fence} {text} {fence}"),
    }
}

/// Text with Markdown's markup characters escaped.
fn escaped(text: &[u8]) -> String {
    let mut escaped = String::new();
    for c in self::text(text).chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '@' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
