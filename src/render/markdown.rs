//! The list as a table in Markdown, to be pasted into a pull request.

mod cells;

use std::io::{self, Write};

use self::cells::{code, escaped, of_label, path, source};
use super::columns::{change_text, mark_text, total_change_text};
use super::nested::{line_text, more_text};
use super::omitted::omitted_lines;
use super::{Style, percent, row_title};
use crate::profile::{Count, Events};
use crate::view::{CostFigure, Figure, List, NestedList, NestedOf, RowBy, Rows, Total};

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
