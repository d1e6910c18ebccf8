//! The columns of counts in a table of the report.

use std::io::{self, Write};

use super::number::{NumberText, PERCENTAGE_WIDTH};
use super::{Style, percent, write_escaped, write_rule, write_spaces};
use crate::profile::{Count, Events};
use crate::view::{Cost, Extent};

/// The columns of one table.
pub(super) struct Columns<'a> {
    pub(super) style: Style<'a>,
    /// The width of each shown event's column.
    widths: Vec<usize>,
    /// The width of the columns between the counts and the label.
    pub(super) extra: usize,
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
                style.number(low).len().max(style.number(high).len()) + percentage
            });
            counts.max(events.name(event).len())
        };
        Columns {
            style,
            widths: style.shown.iter().map(width).collect(),
            extra: 0,
        }
    }

    /// Columns for a table of a single row.
    pub(super) fn for_one(style: Style<'a>, events: &Events, cost: &Cost) -> Columns<'a> {
        // The total is always 100% of itself.
        let colours = style.colours && style.signed;
        let style = Style { colours, ..style };
        let mut extent = Extent::new(cost.len());
        extent.include(cost);
        Columns::new(style, events, &extent)
    }

    /// Writes the names of the events, each with a space after it.
    pub(super) fn write_names(&self, events: &Events, out: &mut impl Write) -> io::Result<()> {
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let name = events.name(event);
            write_escaped(name, self.style.escapes, out)?;
            write_spaces(width.saturating_sub(name.len()) + 1, out)?;
        }
        Ok(())
    }

    /// Writes a cost, each count with a space after it, and one more space at the end.
    pub(super) fn write_cost(&self, cost: &[Count], out: &mut impl Write) -> io::Result<()> {
        let mut left = self.widths.len();
        for (&event, &width) in self.style.shown.iter().zip(&self.widths) {
            let (count, mut cell) = (cost[event], NumberText::new());
            if self.style.percentages {
                cell.prepend_percentage(percent(count, self.style.total[event]));
            }
            let share = cell.len();
            match count.value() {
                Some(value) => self.style.prepend_number(value, &mut cell),
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

    /// The width of everything before a label.
    pub(super) fn indent(&self) -> usize {
        self.widths.iter().map(|width| width + 1).sum::<usize>() + 1 + self.extra
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
