//! The list as a table in Markdown, to be pasted into a pull request.

use std::io::{self, Write};

use super::columns::change_text;
use super::label::place_text;
use super::list::omitted_lines;
use super::nested::{line_text, more_text};
use super::{Style, percent, row_title, write_escaped};
use crate::profile::{Count, Events};
use crate::view::{
    CostFigure, Figure, FunctionList, Label, NestedList, NestedOf, RowBy, Rows, Total,
};

/// What is written as a table.
pub struct MarkdownTable<'a, 'p> {
    /// What came of limits.
    pub verdicts: &'a [String],
    /// The total.
    pub total: &'a Total,
    /// The rows to write.
    pub list: &'a FunctionList,
    /// What is nested in them, if it is requested.
    pub nested: Option<&'a NestedList<'p>>,
}

/// Writes the verdicts, the total and the rows of a list with short names.
///
/// # Errors
/// Those of `out`.
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
    let (list, total) = (report.list, report.total);
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
        let (name, second) = cells_of(&row.label);
        let calls = row.calls.map(|calls| calls.map(|calls| calls.by_others));
        table.write_row(&name, &second, row.cost, calls, out)?;
        let nested = report.nested.map(|nested| nested.below(position));
        for nested in nested.unwrap_or_default() {
            let (name, second) = match &nested.of {
                NestedOf::File(name) => (code(name), String::new()),
                NestedOf::Function(label) => cells_of(label),
                NestedOf::Line(line) => {
                    let source = line.source.as_deref().map_or_else(String::new, code);
                    (code(line_text(line).as_bytes()), source)
                }
                NestedOf::More(count, what) => (more_text(*count, what, style), String::new()),
            };
            let name = NESTED.repeat(nested.level + 1) + &name;
            table.write_row(&name, &second, nested.cost.counts(), None, out)?;
        }
    }
    let rest = list.rest.as_ref();
    for line in rest.map_or_else(Vec::new, |rest| omitted_lines(rest, events, style)) {
        writeln!(out, "\n{}", escaped(&line))?;
    }
    Ok(())
}

/// What is before the name of something nested in a row, for each level.
const NESTED: &str = "&emsp;";

/// The name of a row, and what is in the column behind it.
fn cells_of(label: &Label<'_>) -> (String, String) {
    match label {
        Label::Function {
            file, name, cycle, ..
        } => {
            let cycle = cycle.map_or_else(String::new, |number| format!(" &lt;cycle {number}&gt;"));
            (code(name) + &cycle, code(file))
        }
        Label::Line { file, line, source } => {
            let source = source.as_deref().map_or_else(String::new, code);
            (
                code(&[*file, b":", line.to_string().as_bytes()].concat()),
                source,
            )
        }
        Label::Group { name, place } => {
            let name = match &name[..] {
                b"" => "(none)".to_owned(),
                name => code(name),
            };
            (name, escaped(&place_text(place)))
        }
        Label::Cycle(number) => (format!("&lt;cycle {number}&gt;"), String::new()),
    }
}

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
                Some(_) => names.extend(["calls before", "calls after"].map(str::to_owned)),
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
                (Some(_), calls) => {
                    let sides = calls.and_then(|calls| calls.compared);
                    let sides = sides.map(|sides| [sides.base, sides.new]);
                    cells.extend(match sides {
                        Some(sides) => sides.map(|side| self.style.count(side, false)),
                        None => [String::new(), String::new()],
                    });
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
                let sides = count.compared.map(|sides| [sides.base, sides.new]);
                cells.extend(
                    sides
                        .into_iter()
                        .flatten()
                        .map(|side| style.count(side, false)),
                );
                cells.push(style.count(count.value, true));
                let of_row = || change_text(count);
                cells.extend(
                    self.style
                        .percentages
                        .then(|| match difference.percent_of_total {
                            true => of_total(),
                            false => of_row(),
                        }),
                );
            }
            Some(_) => cells.push(style.count(count.value, true)),
        }
    }
}

/// A name as code in a cell of a table, on one line.
fn code(name: &[u8]) -> String {
    let mut text = Vec::new();
    // A vector takes any text.
    let _ = write_escaped(name, true, &mut text);
    let text = String::from_utf8_lossy(&text)
        .replace('\t', " ")
        .replace('|', "\\|");
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
    let mut plain = Vec::new();
    let _ = write_escaped(text, true, &mut plain);
    let mut escaped = String::new();
    for c in String::from_utf8_lossy(&plain).chars() {
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
            assert_eq!(code(name.as_bytes()), expected);
        }
        assert_eq!(escaped(b"a->b *c* <d>"), "a->b \\*c\\* &lt;d>");
    }
}
