//! The list of callgrind_annotate's page, the program's total above it, and what it leaves out.

use std::io::{self, Write};
use std::ops::Range;

use crate::profile::Count;
use crate::render::line::{Line, ReportLines, Role};
use crate::render::parallel::write_rows;
use crate::render::table::CostColumns;
use crate::render::{
    ObjectStyle, Style, counted, escaped_text, marked_name, percent, percentage, with_commas,
    write_label,
};
use crate::view::{
    Cost, Cycles, Figure, LineKey, Omission, Omitted, PathDirection, ShownLine, Total,
};

pub fn write_total(total: &Total, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let total_cost = total.figure.counts();
    let table = CostColumns::of_one(style, total_cost);
    table.write_heading("", out)?;
    table.write_cost(total_cost, out)?;
    let calculated = if total.is_calculated { " (calculated)" } else { "" };
    writeln!(out, "PROGRAM TOTALS{calculated}\n")
}

pub fn write_no_difference(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "The profiles are identical.\n")
}

/// Writes the list of callgrind_annotate's page: its rows, each with its direct callers and
/// callees.
pub fn write_functions(lines: &ReportLines<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let (report, has_tree) = (lines.report, lines.tree.is_some());
    let (list, rows) = (&report.list, &report.rows);
    let table = CostColumns::of_list(report);
    table.write_heading(rows.row_by.title(), out)?;
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        for (position, row) in positions.clone().zip(list.lines_at(positions, rows)) {
            if has_tree {
                out.push(b'\n');
            }
            let calls = lines.calls(&row);
            lines.each_line(position, &row, &calls, true, |line| {
                write_line(&line, has_tree, &table, out)
            })?;
        }
        Ok(())
    };
    write_rows(list.items.len(), write, out)?;
    for note in report.estimated_notes() {
        writeln!(out, "\n{note}")?;
    }
    writeln!(out)
}

#[inline]
fn write_line(
    line: &Line<'_>,
    has_tree: bool,
    table: &CostColumns<'_>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    table.write_figures(&line.figures, out)?;
    let (calls, objects) = match line.role {
        Role::Call(direction, _) => {
            out.extend(match direction {
                PathDirection::Callers => &b"< "[..],
                PathDirection::Callees => b">   ",
            });
            (line.figures.calls, ObjectStyle::Known)
        }
        _ => {
            out.extend(if has_tree { &b"*  "[..] } else { b"" });
            (None, ObjectStyle::Named)
        }
    };
    if let Some(label) = line.labels().first() {
        write_label(label, calls.map(|calls| *calls), objects, table.style, out)?;
    }
    out.push(b'\n');
    Ok(())
}

/// Writes the number of functions in call cycles, if there are any.
pub fn write_cycles(cycles: &Cycles, out: &mut impl Write) -> io::Result<()> {
    let functions = cycles.members().map(<[_]>::len).sum::<usize>();
    match cycles.len() {
        0 => Ok(()),
        1 => writeln!(out, "{functions} functions form a call cycle, <cycle 1>.\n"),
        count => writeln!(
            out,
            "{functions} functions form {count} call cycles, <cycle 1> to <cycle {count}>.\n"
        ),
    }
}

/// The omitted rows, one line per reason: in percent of the first sort event, or with both sides of
/// a difference. In columns, those after the end of the list have a line of their own.
pub(super) fn omitted_lines(omitted: &Omitted, style: Style<'_>) -> Vec<String> {
    let Some(event) = style.sorted.or(style.shown.first().copied()) else {
        return Vec::new();
    };
    let name = marked_name(&escaped_text(style.events.name(event), style.escapes));
    let are_inclusive = omitted.are_inclusive || omitted.inclusive.is_some();
    let own = if are_inclusive { format!("{name} by self cost") } else { name.clone() };
    let text = OmittedText { style: style.in_unit_of(event), event, name, own };
    let more = Some(&omitted.more).filter(|more| more.rows > 0 && !style.is_columns);
    let unchanged = omitted.unchanged.as_ref().filter(|unchanged| unchanged.rows > 0);
    let lines = [
        more.map(|more| text.more(more)),
        unchanged.map(|unchanged| {
            let is_hinted = style.is_columns && omitted.chosen.is_some();
            text.unchanged(unchanged) + if is_hinted { ": --min=0" } else { "" }
        }),
        omitted.chosen.as_ref().map(|chosen| text.filtered(chosen, omitted)),
        of_no_function(omitted, style),
    ];
    lines.into_iter().flatten().collect()
}

/// What a part of the total is named from, in percent: less is 0.0%.
const MIN_OF_NO_FUNCTION: f64 = 0.05;

/// How much of the first sort event no row has.
pub(super) fn of_no_function(omitted: &Omitted, style: Style<'_>) -> Option<String> {
    let event = style.sorted.or(style.shown.first().copied())?;
    let rest = omitted.of_no_row.as_ref()?[event];
    let share = percent(rest, style.total[event]).filter(|&share| share >= MIN_OF_NO_FUNCTION)?;
    let name = escaped_text(style.events.name(event), style.escapes);
    Some(format!("{share:.1}% of {name} belongs to no function"))
}

/// What is said of omitted rows.
struct OmittedText<'a> {
    style: Style<'a>,
    event: usize,
    /// The name of the event, and that of its self cost.
    name: String,
    own: String,
}

impl OmittedText<'_> {
    fn figure(&self, cost: &Figure<Cost>) -> Figure<Count> {
        cost.counts().event(self.event)
    }

    fn percent(&self, figure: Figure<Count>) -> String {
        percentage(figure.value, self.style.total[self.event]).to_string()
    }

    fn sum(&self, figure: Figure<Count>, name: &str) -> String {
        let counts = self.style.counts(figure);
        match figure.compared {
            Some(_) => {
                let change = self.style.count(Count::new(figure.value.or_zero()), true);
                format!("{name} {counts} {change}")
            }
            None if self.style.is_columns => format!("{counts} {name}, {}%", self.percent(figure)),
            None => format!("{}% of {name}", self.percent(figure)),
        }
    }

    fn more(&self, more: &Omission) -> String {
        let rows = counted(more.rows, "more row");
        if self.style.series.is_some() {
            return format!("{rows} not listed");
        }
        format!("{rows} not listed ({})", self.sum(self.figure(&more.cost), &self.own))
    }

    fn unchanged(&self, unchanged: &Omission) -> String {
        let sides = self.figure(&unchanged.cost).compared;
        let base = self.style.unsigned(sides.map_or(0, |sides| sides.base.or_zero()));
        let (rows, own) = (counted(unchanged.rows, "row"), &self.own);
        if self.style.series.is_some() {
            return format!("{rows} equal in all profiles ({own} {base})");
        }
        format!("{rows} without a change ({own} {base})")
    }

    fn filtered(&self, chosen: &Omission, omitted: &Omitted) -> String {
        let verb = if chosen.rows == 1 { "row matches" } else { "rows match" };
        let [rows, others] = [chosen, &omitted.not_chosen].map(|of| with_commas(of.rows));
        if self.style.series.is_some() {
            return format!("filters: {rows} {verb}, {others} filtered out");
        }
        let cost = self.figure(&chosen.cost);
        let inclusive = omitted
            .inclusive
            .as_ref()
            .map(|of| (self.figure(&of.cost), of.is_marked.get(self.event) == Some(&true)))
            .filter(|(inclusive, _)| *inclusive != cost)
            .map(|(inclusive, is_estimated)| {
                let mark = if is_estimated { "~" } else { "" };
                format!("; inclusive {mark}{}", self.sum(inclusive, &self.name))
            });
        let sums = self.sum(cost, &self.own) + &inclusive.unwrap_or_default();
        let of_others = self.figure(&omitted.not_chosen.cost);
        // In columns, the sum of the matching rows is shown, but not that of the others.
        let rest = match (self.style.is_columns, self.style.difference) {
            (true, _) => String::new(),
            (false, Some(_)) => format!(" ({})", self.sum(of_others, &self.own)),
            (false, None) => format!(" ({}%)", self.percent(of_others)),
        };
        format!("filters: {rows} {verb} ({sums}), {others} filtered out{rest}")
    }
}

/// The indentation of a line below the one that it is nested in, or below in a tree, in columns.
pub(super) const INDENT: usize = 2;

/// The level from which lines are not indented further: the lines of a deep tree would take the
/// square of its depth.
pub(super) const MAX_INDENTED: usize = 100;

/// The number of a line, in the form that follows a file name.
pub(super) fn line_text(line: &ShownLine) -> String {
    match line.key {
        LineKey { new: 0, removed: 0 } => "(unknown line)".to_owned(),
        LineKey { new, removed: 0 } => format!(":{new}"),
        LineKey { removed, .. } => format!(":{removed} (removed)"),
    }
}

pub(super) fn more_text(count: usize, what: &str) -> String {
    counted(count, &format!("more {what}"))
}
