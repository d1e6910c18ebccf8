//! The columns of `--calls`: calls from other functions, recursive calls, and the cost per call; of a difference the
//! calls before and after, and their change.

use std::io::{self, Write};

use super::columns::change_text;
use super::{Style, write_spaces};
use crate::profile::{Count, Events};
use crate::view::{CallCounts, CostFigure, Figure, List};

/// The columns, as wide as their content needs.
pub(super) struct CallColumns<'a> {
    style: Style<'a>,
    /// The names of the columns and their widths.
    columns: Vec<(String, usize)>,
    /// The event of the cost per call; none in a difference.
    event: Option<usize>,
    /// Of a difference: whether recursive calls have columns.
    has_recursive: bool,
    is_inclusive: bool,
}

impl<'a> CallColumns<'a> {
    /// Columns wide enough for all rows; none if the list has no numbers of calls.
    pub(super) fn new(list: &List, events: &Events, style: Style<'a>) -> Option<CallColumns<'a>> {
        let counts = list.call_counts()?;
        let is_difference = style.difference.is_some();
        let event = style.shown.first().copied().filter(|_| !is_difference);
        let has_recursive = list.call_counts().is_some_and(|mut counts| {
            counts.any(|(counts, _)| {
                let sides = counts.compared.map(|sides| [sides.base, sides.new]);
                let mut sides = sides.into_iter().flatten();
                sides.any(|side| side.recursive.or_zero() != 0)
            })
        });
        let mut names: Vec<String> = if is_difference {
            let kinds: &[&str] = match has_recursive {
                true => &["Calls", "Recursive"],
                false => &["Calls"],
            };
            let of_kind = |kind: &&str| {
                let names = ["before", "after", "change"].map(|name| format!("{kind} {name}"));
                let percent = style.percentages.then(|| "%".to_owned());
                names.into_iter().chain(percent).collect::<Vec<_>>()
            };
            kinds.iter().flat_map(of_kind).collect()
        } else {
            vec!["Calls".to_owned(), "Recursive".to_owned()]
        };
        // Always escaped, so that its width is known.
        names.extend(event.map(|event| format!("{}/call", events.name(event).escape_ascii())));
        let mut columns = CallColumns {
            style,
            columns: names.into_iter().map(|name| (name, 0)).collect(),
            event,
            has_recursive,
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

    fn cells(&self, calls: Figure<CallCounts>, cost: CostFigure<'_>) -> Vec<String> {
        if calls.compared.is_some() {
            let recursive = self
                .has_recursive
                .then(|| calls.map(|calls| calls.recursive));
            let of_kind = |calls: Figure<Count>| {
                let sides = calls.compared.map(|sides| [sides.base, sides.new]);
                let sides = sides.into_iter().flatten();
                let cells = sides.map(|side| self.style.count(side, false));
                let change = [self.style.count(calls.value, true)];
                let percent = self.style.percentages.then(|| change_text(calls));
                cells.chain(change).chain(percent).collect::<Vec<_>>()
            };
            let kinds = [Some(calls.map(|calls| calls.by_others)), recursive];
            let kinds = kinds.into_iter().flatten();
            let kinds = kinds.map(|calls| calls.marked(cost.mark()));
            return kinds.flat_map(of_kind).collect();
        }
        let (calls, cost) = (calls.value, cost.value);
        let count = |count: Count| {
            let number = count.value().map(|value| self.style.number(value));
            number.unwrap_or_else(|| ".".to_owned())
        };
        let mut cells = vec![count(calls.by_others), count(calls.recursive)];
        cells.extend(self.event.map(|event| {
            let per_call = calls.per_call(cost[event], self.is_inclusive);
            per_call.map_or_else(
                || ".".to_owned(),
                |value| with_tenths(value, |number| self.style.integer(number)),
            )
        }));
        cells
    }

    /// The names of the columns, padded with spaces.
    pub(super) fn names(&self) -> String {
        let columns = self.columns.iter();
        columns
            .map(|(name, width)| match self.style.difference {
                None => format!("{name:width$}  "),
                Some(_) => format!("{name:>width$}  "),
            })
            .collect()
    }

    /// Writes the columns of a row.
    pub(super) fn write_row(
        &self,
        calls: Figure<CallCounts>,
        cost: CostFigure<'_>,
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
fn with_tenths(value: f64, digits: impl Fn(i64) -> String) -> String {
    let text = format!("{value:.1}");
    let (whole, tenths) = text.split_once('.').unwrap_or((&text, "0"));
    match whole.trim_start_matches('-').parse() {
        Ok(number) => {
            let sign = if whole.starts_with('-') { "-" } else { "" };
            format!("{sign}{}.{tenths}", digits(number))
        }
        Err(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::with_tenths;
    use crate::render::with_commas;

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
            assert_eq!(with_tenths(value, with_commas), text);
        }
    }
}
