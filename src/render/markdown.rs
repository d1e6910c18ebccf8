//! The list as a table in Markdown, to be pasted into a pull request.

use std::io;
use std::io::Write;

use crate::profile::{Count, Events};
use crate::render::columns::{change_text, mark_text, total_change_text};
use crate::render::label::{LabelTexts, MIN_NAME, place_text, short_place_text};
use crate::render::nested::{line_text, more_text};
use crate::render::omitted::omitted_lines;
use crate::render::shorten::{elide_end, elide_folders, elide_middle, width};
use crate::render::{Style, escaped_text, percent, row_title};
use crate::view::{CostFigure, Figure, Label, List, NestedList, NestedOf, RowBy, Rows, Total};

/// What is written as a table.
pub struct MarkdownTable<'a, 'p> {
    /// What came of limits.
    pub verdicts: &'a [String],
    /// The total.
    pub total: &'a Total,
    /// The rows to write.
    pub list: &'a List,
    /// What is nested in them, if it is requested.
    pub nested: Option<&'a NestedList<'p>>,
}

/// Writes the verdicts, the total and the rows of a list with short names.
pub fn write_markdown(
    report: &MarkdownTable<'_, '_>,
    rows: &Rows<'_>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for verdict in report.verdicts {
        let (word, rest) = verdict.split_once(' ').unwrap_or((verdict, ""));
        writeln!(out, "**{word}** {}\n", escaped(rest.as_bytes()))?;
    }
    let (list, total, row_by) = (report.list, report.total, rows.row_by());
    let table = Table {
        style,
        second: second_title(rows.row_by()),
        has_calls: list.call_counts().is_some(),
    };
    table.write_heading(events, row_title(rows.row_by()), out)?;
    let note = if total.is_calculated {
        " (calculated)"
    } else {
        ""
    };
    let name = format!("**total**{note}");
    table.write_row(&name, "", total.figure.counts(), None, out)?;
    for (position, row) in list.lines(rows).enumerate() {
        let (name, second) = of_label(&row.label, row_by, style)?;
        let calls = row.calls.map(|calls| calls.map(|calls| calls.by_others));
        table.write_row(&name, &second, row.cost, calls, out)?;
        let nested = report.nested.map(|nested| nested.below(position));
        for nested in nested.unwrap_or_default() {
            let (name, second) = match &nested.of {
                NestedOf::File(name) => (code(&path(name, style)), String::new()),
                NestedOf::Function(label) => of_label(label, row_by, style)?,
                NestedOf::Line(line) => {
                    let source = line
                        .source
                        .as_deref()
                        .map_or_else(String::new, |text| code(&source(text, style)));
                    (code(&line_text(line)), source)
                }
                NestedOf::More(count, what) => (more_text(*count, what, style), String::new()),
            };
            let name = NESTED.repeat(nested.level + 1) + &name;
            table.write_row(&name, &second, nested.cost.counts(), None, out)?;
        }
    }
    let omitted = list.omitted.as_ref();
    for line in omitted.map_or_else(Vec::new, |omitted| omitted_lines(omitted, events, style)) {
        writeln!(out, "\n{}", escaped(&line))?;
    }
    Ok(())
}

/// What is before the name of something nested in a row, for each level.
const NESTED: &str = "&emsp;";

/// The title of the column behind the names of rows.
fn second_title(row_by: RowBy) -> &'static str {
    match row_by {
        RowBy::Line => "source",
        row_by if row_by.is_group() => "in",
        _ => "file",
    }
}

struct Table<'a> {
    style: Style<'a>,
    /// The title of the column behind the names.
    second: &'static str,
    has_calls: bool,
}

impl Table<'_> {
    fn write_heading(&self, events: &Events, title: &str, out: &mut impl Write) -> io::Result<()> {
        let title = match self.second {
            "file" => "function",
            _ => title,
        };
        let mut names = vec![title.to_owned(), self.second.to_owned()];
        let texts = names.len();
        for &event in self.style.shown {
            let name = escaped(events.name(event));
            match self.style.difference {
                Some(difference) if difference.event == event => {
                    names
                        .extend(["before", "after", "change"].map(|side| format!("{name} {side}")));
                    names.extend(self.style.percentages.then(|| "%".to_owned()));
                }
                Some(_) => names.push(format!("{name} change")),
                None => {
                    names.push(name);
                    names.extend(self.style.percentages.then(|| "%".to_owned()));
                }
            }
        }
        if self.has_calls {
            match self.style.difference {
                Some(_) => {
                    names.extend(["before", "after", "change"].map(|side| format!("calls {side}")));
                    names.extend(self.style.percentages.then(|| "%".to_owned()));
                }
                None => names.push("calls".to_owned()),
            }
        }
        writeln!(out, "| {} |", names.join(" | "))?;
        let rule = |at| if at < texts { "---|" } else { "---:|" };
        let rules: String = (0..names.len()).map(rule).collect();
        writeln!(out, "|{rules}")
    }

    fn write_row(
        &self,
        name: &str,
        file: &str,
        cost: CostFigure<'_>,
        calls: Option<Figure<Count>>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut cells = vec![name.to_owned(), file.to_owned()];
        for &event in self.style.shown {
            self.add_cost(cost.event(event), event, &mut cells);
        }
        if self.has_calls {
            match (self.style.difference, calls) {
                (None, calls) => cells.push(
                    calls.map_or_else(String::new, |calls| self.style.count(calls.value, false)),
                ),
                (Some(_), Some(calls)) => {
                    let calls = calls.marked(cost.mark());
                    add_sides(calls, self.style, &mut cells);
                    cells.extend(self.style.percentages.then(|| change_text(calls)));
                }
                (Some(_), None) => {
                    let count = if self.style.percentages { 4 } else { 3 };
                    cells.extend(vec![String::new(); count]);
                }
            }
        }
        writeln!(out, "| {} |", cells.join(" | "))
    }

    /// The cells of one event.
    fn add_cost(&self, count: Figure<Count>, event: usize, cells: &mut Vec<String>) {
        let style = self.style.of_event(event);
        let of_total = || {
            let percent = percent(count.value, style.total[event]);
            percent.map_or_else(String::new, |percent| format!("{percent:.2}%"))
        };
        match style.difference {
            None => {
                cells.push(style.count(count.value, false));
                cells.extend(self.style.percentages.then(|| match style.percentages {
                    true => of_total(),
                    false => String::new(),
                }));
            }
            Some(difference) if difference.event == event => {
                add_sides(count, style, cells);
                cells.extend(
                    self.style
                        .percentages
                        .then(|| match difference.percent_of_total {
                            true => {
                                let of_total = total_change_text(count.value, style.total[event]);
                                format!("{of_total} {}", mark_text(count.mark()))
                                    .trim_end()
                                    .to_owned()
                            }
                            false => change_text(count),
                        }),
                );
            }
            Some(_) => cells.push(style.count(count.value, true)),
        }
    }
}

/// The cells of both sides and of the change.
fn add_sides(count: Figure<Count>, style: Style<'_>, cells: &mut Vec<String>) {
    let sides = count.compared.map(|sides| [sides.base, sides.new]);
    let sides = sides.into_iter().flatten();
    cells.extend(sides.map(|side| style.count(side, false)));
    cells.push(style.count(count.value, true));
}

/// The cells of a label: its name, and where that is. Both together fit the width, if there is one.
fn of_label(label: &Label<'_>, row_by: RowBy, style: Style<'_>) -> io::Result<(String, String)> {
    let room = style.width.unwrap_or(usize::MAX);
    Ok(match label {
        Label::Function {
            file, name, cycle, ..
        } => {
            let mut texts = LabelTexts::new(file, name, None, style)?;
            texts.shorten(room);
            let cycle = cycle.map_or_else(String::new, |number| format!(" &lt;cycle {number}&gt;"));
            (code(&texts.name) + &cycle, code(&texts.file))
        }
        Label::Line { file, line, source } => {
            let file = format!("{}:{line}", text(file));
            let Some(source) = source.as_deref().map(text) else {
                return Ok((code(&elide_folders(&file, room)), String::new()));
            };
            let file = elide_folders(&file, room.saturating_sub(width(&source)));
            let source = elide_end(&source, room.saturating_sub(width(&file)));
            (code(&file), code(&source))
        }
        Label::Group { name, place } => {
            let place = match style.width {
                Some(_) => short_place_text(place),
                None => place_text(place),
            };
            let place = text(&place);
            let room = room.saturating_sub(width(&place)).max(MIN_NAME);
            let mut name = match &name[..] {
                b"" => return Ok(("(none)".to_owned(), escaped(place.as_bytes()))),
                name => text(name),
            };
            if matches!(row_by, RowBy::File | RowBy::Object) {
                name = elide_folders(&name, room);
            }
            (code(&elide_middle(&name, room)), escaped(place.as_bytes()))
        }
        Label::Cycle(number) => (format!("&lt;cycle {number}&gt;"), String::new()),
    })
}

/// The path of a file.
fn path(path: &[u8], style: Style<'_>) -> String {
    elide_folders(&text(path), style.width.unwrap_or(usize::MAX))
}

/// A line of a source.
fn source(source: &[u8], style: Style<'_>) -> String {
    elide_end(&text(source), style.width.unwrap_or(usize::MAX))
}

/// A name on one line.
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

/// Plain text, in which nothing is markup.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_code_in_one_cell() {
        let table = [
            ("main", "`main`"),
            ("operator|", "`operator\\|`"),
            ("a`b", "`` a`b ``"),
            ("a\nb", "`a\\nb`"),
            ("", "(no name)"),
        ];
        for (name, expected) in table {
            assert_eq!(code(&text(name.as_bytes())), expected);
        }
        assert_eq!(escaped(b"a->b *c* <d>"), "a->b \\*c\\* &lt;d>");
    }
}
