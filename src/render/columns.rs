//! The columns of counts in a table of the report.

use std::io::{self, Write};

use super::colour::Paint;
use super::number::{NumberText, PERCENTAGE_WIDTH};
use super::{
    DifferenceStyle, Style, change_of_total, percent, write_escaped, write_rule, write_spaces,
};
use crate::profile::{Count, Events};
use crate::view::{CostFigure, Extent, Figure, Mark};

/// The columns of one table.
pub(super) struct Columns<'a> {
    pub(super) style: Style<'a>,
    /// The width of each shown event's column.
    widths: Vec<usize>,
    /// The columns of a difference, in place of these.
    compared: Option<Vec<ComparedColumn>>,
    /// The width of the columns between the counts and the label.
    pub(super) extra: usize,
}

/// A column of a difference.
struct ComparedColumn {
    kind: ColumnKind,
    event: usize,
    name: Vec<u8>,
    width: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Before,
    After,
    Change,
    Percent,
    /// Which side has the row, if percentages do not show it.
    Mark,
}

impl<'a> Columns<'a> {
    /// Columns as wide as the names of the events and the counts of `extent` need.
    pub(super) fn new(style: Style<'a>, events: &Events, extent: &Extent) -> Columns<'a> {
        let percentage = if style.percentages {
            PERCENTAGE_WIDTH
        } else {
            0
        };
        let width = |&event: &usize| {
            let counts = extent.ranges[event].map_or(0, |(low, high)| {
                let style = style.of_event(event);
                let percentage = if style.percentages { percentage } else { 0 };
                style.number(low).len().max(style.number(high).len()) + percentage
            });
            counts.max(events.name(event).len())
        };
        let compared = style.difference.map(|difference| {
            let mut columns = compared_columns(style, difference, events);
            for column in &mut columns {
                column.width = column.width(style, extent).max(column.name.len());
            }
            columns
        });
        Columns {
            style,
            widths: style.shown.iter().map(width).collect(),
            compared,
            extra: 0,
        }
    }

    /// Columns for a table of a single row.
    pub(super) fn for_one(
        style: Style<'a>,
        events: &Events,
        figure: CostFigure<'_>,
    ) -> Columns<'a> {
        // The total is always 100% of itself.
        let colours = style.colours && style.difference.is_some();
        let style = Style { colours, ..style };
        let mut extent = Extent::new(figure.value.len());
        extent.include_figure(figure);
        Columns::new(style, events, &extent)
    }

    /// Writes the names of the columns, each with a space after it.
    pub(super) fn write_names(&self, events: &Events, out: &mut impl Write) -> io::Result<()> {
        for column in self.compared.iter().flatten() {
            write_spaces(column.width.saturating_sub(column.name.len()), out)?;
            write_escaped(&column.name, self.style.escapes, out)?;
            out.write_all(b" ")?;
        }
        if self.compared.is_some() {
            return Ok(());
        }
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let name = events.name(event);
            write_escaped(name, self.style.escapes, out)?;
            write_spaces(width.saturating_sub(name.len()) + 1, out)?;
        }
        Ok(())
    }

    /// Writes a cost, each count with a space after it, and one more space at the end.
    pub(super) fn write_cost(
        &self,
        figure: CostFigure<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if let Some(columns) = &self.compared {
            for column in columns {
                let text = column.text(figure, self.style);
                write_spaces(column.width.saturating_sub(text.len()), out)?;
                let paint = column.paint(figure, self.style);
                paint.around(self.style.colours, out, |out| {
                    out.write_all(text.as_bytes())
                })?;
                out.write_all(b" ")?;
            }
            return out.write_all(b" ");
        }
        let mut left = self.widths.len();
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let (count, mut cell) = (figure.value[event], NumberText::new());
            let style = self.style.of_event(event);
            if style.percentages {
                cell.prepend_percentage(percent(count, self.style.total[event]));
            }
            let share = cell.len();
            match count.value() {
                Some(value) => style.prepend_number(value, &mut cell),
                None => cell.prepend(b'.'),
            }
            let percentage = share.min(PERCENTAGE_WIDTH);
            let spaces = width.saturating_sub(percentage + cell.len() - share);
            left -= 1;
            let after = if left == 0 { 2 } else { 1 };
            if self.style.colours {
                write_spaces(spaces, out)?;
                let paint = self.style.paint(count, event);
                paint.around(true, out, |out| out.write_all(cell.as_bytes()))?;
                write_spaces(after, out)?;
            } else {
                write_spaces(cell.prepend_spaces(spaces), out)?;
                out.write_all(cell.with_spaces_after(after))?;
            }
        }
        Ok(())
    }

    /// Writes what is before a line without any cost.
    pub(super) fn write_nothing(&self, none: &[Count], out: &mut impl Write) -> io::Result<()> {
        let Some(columns) = &self.compared else {
            return self.write_cost(Figure::plain(none), out);
        };
        for column in columns {
            let has_dot = column.kind == ColumnKind::Change;
            let dot = if has_dot { "." } else { "" };
            write!(out, "{dot:>width$} ", width = column.width)?;
        }
        out.write_all(b" ")
    }

    /// The width of everything before a label.
    pub(super) fn indent(&self) -> usize {
        let widths = match &self.compared {
            None => self.widths.iter().map(|width| width + 1).sum::<usize>(),
            Some(columns) => columns.iter().map(|column| column.width + 1).sum(),
        };
        widths + 1 + self.extra
    }
}

/// The columns of a difference: both sides and the change of the event that rows are sorted by, and the changes of the
/// other shown ones.
fn compared_columns(
    style: Style<'_>,
    difference: DifferenceStyle,
    events: &Events,
) -> Vec<ComparedColumn> {
    let column = |kind, event: usize, name: &str| ComparedColumn {
        kind,
        event,
        name: match kind {
            ColumnKind::Percent | ColumnKind::Mark => name.as_bytes().to_vec(),
            _ => [events.name(event), b" ", name.as_bytes()].concat(),
        },
        width: 0,
    };
    let event = difference.event;
    let mut columns = vec![
        column(ColumnKind::Before, event, "before"),
        column(ColumnKind::After, event, "after"),
        column(ColumnKind::Change, event, "change"),
    ];
    if style.percentages {
        columns.push(column(ColumnKind::Percent, event, "%"));
    }
    if !style.percentages || difference.percent_of_total {
        columns.push(column(ColumnKind::Mark, event, ""));
    }
    let others = style.shown.iter().filter(|&&other| other != event);
    columns.extend(others.map(|&other| column(ColumnKind::Change, other, "change")));
    columns
}

impl ComparedColumn {
    /// The width that the figures of an extent need.
    fn width(&self, style: Style<'_>, extent: &Extent) -> usize {
        let style = style.of_event(self.event);
        let Some(compared) = &extent.compared else {
            return 0;
        };
        let of_range = |range: Option<(i64, i64)>, signed: bool| {
            range.map_or(1, |(low, high)| {
                let text = |value| style.count(Count::new(value), signed).len();
                text(low).max(text(high))
            })
        };
        match self.kind {
            ColumnKind::Before => of_range(compared.base[self.event], false),
            ColumnKind::After => of_range(compared.new[self.event], false),
            ColumnKind::Change => of_range(extent.ranges[self.event], true),
            ColumnKind::Mark => GONE.len(),
            ColumnKind::Percent => {
                let (low, high) = compared.percent[self.event];
                let (low, high) = match percent_of_total(style) {
                    true => (-100.0, 100.0),
                    false => (low, high),
                };
                let text = |percent| percent_text(percent).len();
                text(low).max(text(high)).max(GONE.len())
            }
        }
    }

    fn text(&self, figure: CostFigure<'_>, style: Style<'_>) -> String {
        let style = style.of_event(self.event);
        let count = figure.event(self.event);
        let of_side =
            |side: Option<Count>| side.map_or_else(String::new, |side| style.count(side, false));
        match self.kind {
            ColumnKind::Before => of_side(count.compared.map(|sides| sides.base)),
            ColumnKind::After => of_side(count.compared.map(|sides| sides.new)),
            ColumnKind::Change => style.count(count.value, true),
            ColumnKind::Mark => mark_text(figure.mark()).to_owned(),
            ColumnKind::Percent if percent_of_total(style) => {
                total_change_text(count.value, style.total[self.event])
            }
            ColumnKind::Percent => change_text(count),
        }
    }

    fn paint(&self, figure: CostFigure<'_>, style: Style<'_>) -> Paint {
        match self.kind {
            ColumnKind::Before | ColumnKind::After => Paint::Plain,
            _ => style.paint(figure.value[self.event], self.event),
        }
    }
}

fn percent_of_total(style: Style<'_>) -> bool {
    style.difference.is_some_and(|style| style.percent_of_total)
}

/// What the column of percentages has for something that is only in BASE.
const GONE: &str = "gone";

pub(super) fn mark_text(mark: Option<Mark>) -> &'static str {
    match mark {
        None => "",
        Some(Mark::New) => "new",
        Some(Mark::Gone) => GONE,
    }
}

/// A change in percent of what was there before, `new` or `gone`, or `-` if that was 0.
pub(super) fn change_text(figure: Figure<Count>) -> String {
    match (figure.mark(), figure.percent()) {
        (None, Some(percent)) => percent_text(percent),
        (None, None) => "-".to_owned(),
        (mark, _) => mark_text(mark).to_owned(),
    }
}

/// A change in percent of BASE's total, or `-` if that is 0.
pub(super) fn total_change_text(change: Count, total: Count) -> String {
    change_of_total(change, total).map_or_else(|| "-".to_owned(), percent_text)
}

/// A signed percentage with one decimal.
pub(super) fn percent_text(percent: f64) -> String {
    match percent == 0.0 {
        true => "0.0%".to_owned(),
        false => format!("{percent:+.1}%"),
    }
}

impl Style<'_> {
    /// A count, or `.` if it is not defined; a change with its sign.
    pub(super) fn count(&self, count: Count, is_change: bool) -> String {
        let Some(value) = count.value() else {
            return ".".to_owned();
        };
        let mut text = NumberText::new();
        self.prepend_unsigned(value, &mut text);
        if is_change && value > 0 {
            text.prepend(b'+');
        }
        text.to_string()
    }
}

/// Writes the names of the columns between two rules.
pub(super) fn write_heading(
    columns: &Columns<'_>,
    events: &Events,
    title: &str,
    out: &mut impl Write,
) -> io::Result<()> {
    write_rule(columns.style, out)?;
    columns.write_names(events, out)?;
    writeln!(out, "{title}")?;
    write_rule(columns.style, out)
}
