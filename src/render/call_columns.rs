//! The columns of `--calls`: calls from other functions, recursive calls, and the cost per call.

use std::io::{self, Write};

use super::{Style, with_commas, write_spaces};
use crate::profile::{Count, Events};
use crate::view::{CallCounts, FunctionList};

/// The columns, as wide as their content needs.
pub(super) struct CallColumns<'a> {
    style: Style<'a>,
    /// The names of the columns and their widths.
    columns: Vec<(String, usize)>,
    /// The event of the cost per call; none in a difference, where it would be meaningless.
    event: Option<usize>,
    is_inclusive: bool,
}

impl<'a> CallColumns<'a> {
    /// Columns wide enough for all rows; none if the list has no numbers of calls.
    pub(super) fn new(
        list: &FunctionList,
        events: &Events,
        style: Style<'a>,
    ) -> Option<CallColumns<'a>> {
        let counts = list.call_counts()?;
        let event = style.shown.first().copied().filter(|_| !style.signed);
        let mut names = vec!["Calls".to_owned(), "Recursive".to_owned()];
        // Always escaped, so that its width is known.
        names.extend(event.map(|event| format!("{}/call", events.name(event).escape_ascii())));
        let mut columns = CallColumns {
            style,
            columns: names.into_iter().map(|name| (name, 0)).collect(),
            event,
            is_inclusive: list.is_inclusive,
        };
        let mut widths: Vec<usize> = columns.columns.iter().map(|(name, _)| name.len()).collect();
        for (counts, cost) in counts {
            let cells = columns.cells(counts, cost);
            widths
                .iter_mut()
                .zip(cells)
                .for_each(|(width, cell)| *width = cell.len().max(*width));
        }
        columns
            .columns
            .iter_mut()
            .zip(widths)
            .for_each(|(column, width)| column.1 = width);
        Some(columns)
    }

    fn cells(&self, calls: CallCounts, cost: &[Count]) -> Vec<String> {
        let count = |count: Count| {
            let number = count.value().map(|value| self.style.number(value));
            number.unwrap_or_else(|| ".".to_owned())
        };
        let mut cells = vec![count(calls.by_others), count(calls.recursive)];
        cells.extend(self.event.map(|event| {
            let per_call = calls.per_call(cost[event], self.is_inclusive);
            per_call.map_or_else(|| ".".to_owned(), with_tenths)
        }));
        cells
    }

    /// The names of the columns, padded with spaces.
    pub(super) fn names(&self) -> String {
        let columns = self.columns.iter();
        columns
            .map(|(name, width)| format!("{name:width$}  "))
            .collect()
    }

    /// Writes the columns of a row.
    pub(super) fn write_row(
        &self,
        calls: CallCounts,
        cost: &[Count],
        out: &mut impl Write,
    ) -> io::Result<()> {
        for ((_, width), cell) in self.columns.iter().zip(self.cells(calls, cost)) {
            write_spaces(width.saturating_sub(cell.len()), out)?;
            write!(out, "{cell}  ")?;
        }
        Ok(())
    }

    /// Writes spaces in place of the columns, before a caller or callee, whose label has its calls.
    pub(super) fn write_spaces(&self, out: &mut impl Write) -> io::Result<()> {
        write_spaces(self.width(), out)
    }

    /// Their width together.
    pub(super) fn width(&self) -> usize {
        self.columns.iter().map(|(_, width)| width + 2).sum()
    }
}

/// A number with one decimal.
fn with_tenths(value: f64) -> String {
    let text = format!("{value:.1}");
    let (whole, tenths) = text.split_once('.').unwrap_or((&text, "0"));
    match whole.trim_start_matches('-').parse() {
        Ok(number) => {
            let sign = if whole.starts_with('-') { "-" } else { "" };
            format!("{sign}{}.{tenths}", with_commas(number))
        }
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::with_tenths;

    #[test]
    fn tenths() {
        let table = [
            (0.0, "0.0"),
            (0.04, "0.0"),
            (0.06, "0.1"),
            (91.03, "91.0"),
            (1234.56, "1,234.6"),
            (999.96, "1,000.0"),
            (-0.5, "-0.5"),
            (-1234.5, "-1,234.5"),
        ];
        for (value, text) in table {
            assert_eq!(with_tenths(value), text);
        }
    }
}
