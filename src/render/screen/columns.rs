//! The columns of a list for a terminal: which of them fit, their widths and their cells.

use std::io::{self, Write};

use super::names::{
    ENOUGH_FOR_NAMES, GAP, MIN_NAME_WIDTH, PREFERRED_CHAIN, PREFERRED_PLACE, Places, ScreenNames,
};
use crate::render::cell::Cell;
use crate::render::colour::Paint;
use crate::render::columns::{AFTER, BEFORE, Column, Show, not_shown_text};
use crate::render::line::ReportLines;
use crate::render::measure::{Figures, Measure};
use crate::render::number::NumberText;
use crate::render::shorten::{right_aligned, width};
use crate::render::{Style, escaped_text, write_spaces};

/// The width of the title of most columns of names, `function`.
const TITLE: usize = 8;

/// A possible column of a list: its heading, its figure, and the width of its widest cell.
pub(super) struct ScreenColumn {
    pub(super) heading: String,
    pub(super) column: Column,
    pub(super) width: usize,
    /// The number of spaces before it.
    pub(super) gap: usize,
}

/// The event of gprof's data: microseconds, which are shown with a suitable unit.
pub(super) const MICROSECONDS: &[u8] = b"us";

/// The chosen columns of a list, with the widths of their cells: those that fit are shown.
pub(super) struct ColumnWidths {
    /// The main columns: self and inclusive cost and calls, or both sides of a difference.
    main: Vec<ScreenColumn>,
    /// The other events: count and percentage of each.
    others: Vec<[ScreenColumn; 2]>,
    /// Whether rows are sorted by inclusive cost, or callers and callees have no other.
    is_inclusive: bool,
    /// Whether the columns were requested, so that they are left out last.
    are_requested: bool,
}

impl ColumnWidths {
    pub(super) fn new(lines: &ReportLines<'_, '_>, figures: &[&Figures<'_>]) -> ColumnWidths {
        let report = lines.report;
        // Callers and callees have inclusive costs only.
        let is_inclusive = report.list.is_inclusive || lines.tree.is_some();
        let columns = &report.columns.all[..];
        let first = columns.first().map(|column| column.event);
        let is_main = |column: &&Column| Some(column.event) == first;
        let has_inclusive =
            columns.iter().filter(is_main).any(|column| column.measure == Measure::Inclusive);
        let measured = |column: &Column| {
            let widths = figures.iter().map(|of| text(*column, of, report.style).len());
            let heading = if is_main(&column) {
                heading(*column, has_inclusive, is_inclusive, report.style)
            } else {
                heading_of_other(*column, report.style)
            };
            ScreenColumn { gap: GAP, width: widths.max().unwrap_or(0), heading, column: *column }
        };
        let main = columns.iter().filter(is_main).map(measured);
        let others: Vec<&Column> = columns.iter().filter(|column| !is_main(column)).collect();
        ColumnWidths {
            main: main.filter(|column| column.width > 0).collect(),
            others: others
                .as_chunks()
                .0
                .iter()
                .map(|count_and_percent: &[&Column; 2]| count_and_percent.map(measured))
                .collect(),
            is_inclusive,
            are_requested: report.columns.are_requested,
        }
    }
}

/// The heading of a column of the first event. `has_inclusive` is whether the inclusive cost has a
/// column, `is_inclusive` whether the list is about it.
fn heading(column: Column, has_inclusive: bool, is_inclusive: bool, style: Style<'_>) -> String {
    let is_compared = style.difference.is_some();
    let name = escaped_text(style.events.name(column.event), true);
    // Next to other events, the heading names the event.
    let of = match (column.measure, is_inclusive, style.shown.len()) {
        (Measure::Cost, ..) if is_compared && !has_inclusive => String::new(),
        (measure, ..) if is_compared => format!("{} ", measure.heading()),
        (Measure::Cost, false, 2..) => format!("{name} self"),
        (Measure::Inclusive, true, 2..) => format!("{name} incl."),
        (measure, ..) => measure.heading().to_owned(),
    };
    match column.show {
        BEFORE => of + "before",
        AFTER => of + "after",
        Show::Change => of + "change",
        Show::Percent if is_compared => of + "%",
        Show::Percent | Show::Mark => String::new(),
        _ => of,
    }
}

/// The heading of a column of another event than the first.
fn heading_of_other(column: Column, style: Style<'_>) -> String {
    let what = if column.measure == Measure::Inclusive { " incl." } else { "" };
    escaped_text(style.events.name(column.event), true) + what
}

/// From this cost per call on, decimals are not shown.
const WITHOUT_DECIMAL: f64 = 1000.0;

/// The text of a cell. Undefined values are empty; percentages have one decimal.
pub(super) fn text(column: Column, figures: &Figures<'_>, style: Style<'_>) -> NumberText {
    let style = column.style(style);
    match column.cell(figures, &style) {
        Cell::Count(count) | Cell::Change(count) if count.value().is_none() => NumberText::new(),
        Cell::PerCall(None) | Cell::Share(None) => NumberText::new(),
        Cell::Share(Some(percent)) => NumberText::percentage(percent),
        Cell::PerCall(Some(time)) if style.events.name(column.event) == MICROSECONDS => {
            NumberText::time(time)
        }
        Cell::PerCall(Some(cost)) if cost.abs() >= WITHOUT_DECIMAL => {
            NumberText::number(cost.round() as i64)
        }
        cell => cell.text(&style),
    }
}

/// The optional columns to show; each of the [`steps`] has less.
#[derive(Clone, Copy)]
struct OptionalColumns {
    /// Whether the cost that rows are not sorted by (inclusive or self) has a count, not only a
    /// percentage.
    both_counts: bool,
    /// Whether there are numbers of calls and the cost per call; in a difference only whether there
    /// is the cost per call.
    calls: bool,
    /// Whether both sides of a difference have columns, not only the change; likewise for numbers
    /// of calls.
    sides: bool,
    call_sides: bool,
    /// Whether the change of the number of calls has a column.
    call_changes: bool,
    /// The number of other events.
    others: usize,
    other_counts: bool,
    places: Places,
}

impl OptionalColumns {
    /// All numbers of the first event with percentages of others.
    const NARROW: OptionalColumns = OptionalColumns {
        both_counts: false,
        calls: true,
        sides: true,
        call_sides: true,
        call_changes: true,
        others: 0,
        other_counts: false,
        places: Places::Full,
    };
}

/// The choices of columns from the widest to the narrowest, with at most this number of other
/// events.
fn steps(others: usize, widths: &ColumnWidths, style: Style<'_>) -> Vec<OptionalColumns> {
    let (is_fixed, is_compared) = (widths.are_requested, style.difference.is_some());
    let mut optional = OptionalColumns {
        both_counts: true,
        calls: true,
        sides: true,
        call_sides: true,
        call_changes: true,
        others,
        other_counts: true,
        places: Places::Full,
    };
    let mut steps = vec![optional];
    let mut step = |change: &dyn Fn(&mut OptionalColumns)| {
        change(&mut optional);
        steps.push(optional);
    };
    step(&|optional| optional.other_counts = false);
    step(&|optional| optional.both_counts = is_fixed);
    step(&|optional| optional.places = Places::Files);
    step(&|optional| optional.call_changes = false);
    step(&|optional| optional.calls = is_fixed);
    if style.has_requested_events() && others > 0 {
        step(&|optional| optional.places = Places::Basenames);
        step(&|optional| optional.places = Places::None);
        step(&|optional| optional.sides = false);
    }
    (0..others)
        .rev()
        .for_each(|left| step(&|optional| (optional.others, optional.sides) = (left, true)));
    step(&|optional| optional.places = Places::Basenames);
    if is_fixed && is_compared {
        step(&|optional| optional.places = Places::None);
        step(&|optional| optional.sides = false);
        step(&|optional| (optional.calls, optional.sides) = (false, true));
        step(&|optional| optional.places = Places::Basenames);
        step(&|optional| (optional.call_sides, optional.call_changes) = (false, true));
        step(&|optional| optional.sides = false);
    }
    // Requested columns are left out only if names would not fit, but a percentage is kept of the
    // other cost.
    step(&|optional| optional.both_counts = false);
    step(&|optional| optional.places = Places::None);
    step(&|optional| optional.calls = false);
    steps
}

pub(super) struct ScreenColumns {
    columns: Vec<ScreenColumn>,
    /// The maximum total width of names and places.
    pub(super) room: Option<usize>,
    pub(super) places: Places,
    /// What does not fit, and how it is shown.
    pub(super) not_shown: Vec<String>,
    /// Whether any name is followed by a place.
    pub(super) has_places: bool,
}

impl ScreenColumns {
    pub(super) fn has(&self, measure: Measure) -> bool {
        self.columns.iter().any(|of| of.column.measure == measure)
    }

    pub(super) fn new(
        widths: &ColumnWidths,
        names: &ScreenNames<'_>,
        style: Style<'_>,
    ) -> ScreenColumns {
        let all = steps(widths.others_beside_texts(names, style), widths, style);
        let wanted = |optional: &OptionalColumns, name: usize| {
            let columns = widths.columns(optional);
            let widest = names.widest_place(optional.places);
            let has_text = optional.others > 0 && names.are_before_events(style);
            let place = match if has_text { widest } else { widest.min(PREFERRED_PLACE) } {
                0 => 0,
                place => place + GAP,
            };
            width_of(&columns) + names.widest.max(TITLE).min(name) + place
        };
        let fitting = |steps: &[OptionalColumns], name| {
            let fits = |optional: &&OptionalColumns| {
                style.width.is_none_or(|width| wanted(optional, name) <= width)
            };
            steps.iter().find(fits).copied()
        };
        // If names have to be short, all other columns are left out first, except requested ones. A
        // chain of callers is more important than other events.
        let fits_chains = !names.has_chains() || fitting(&all[..1], PREFERRED_CHAIN).is_some();
        let allowed = if fits_chains { all.clone() } else { steps(0, widths, style) };
        let requested = &allowed[..allowed.len() - 1];
        let optional = fitting(requested, ENOUGH_FOR_NAMES)
            .or_else(|| fitting(&allowed[allowed.len() - 2..], MIN_NAME_WIDTH))
            .or(allowed.last().copied())
            .unwrap_or(allowed[0]);
        let columns = widths.columns(&optional);
        let mut events: Vec<&[u8]> = widths.others[optional.others..]
            .iter()
            .map(|[of, _]| style.events.name(of.column.event))
            .collect();
        let mut missing = widths.missing(&columns);
        if style.has_requested_events() {
            missing.extend(events.drain(..).map(|name| escaped_text(name, true)));
        }
        let is_whole = |optional: &&OptionalColumns| {
            optional.others == widths.others.len()
                && widths.missing(&widths.columns(optional)).is_empty()
        };
        let whole =
            all.iter().rev().find(is_whole).filter(|_| !missing.is_empty()).map(|optional| {
                let (names, width) = (missing.join(", "), wanted(optional, ENOUGH_FOR_NAMES));
                format!("not shown: {names}: --width={width}")
            });
        ScreenColumns {
            room: style.width.map(|width| width.saturating_sub(width_of(&columns))),
            places: optional.places,
            not_shown: not_shown_text(events.into_iter().map(|name| (name, String::new())))
                .into_iter()
                .chain(whole)
                .collect(),
            has_places: names.widest_place(optional.places) > 0,
            columns,
        }
    }

    pub(super) fn heading(&self) -> String {
        heading_of(&self.columns)
    }

    /// Writes the cells of a line, and the gap before its name.
    pub(super) fn write_cells(
        &self,
        figures: &Figures<'_>,
        is_dim: bool,
        style: Style<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        write_cells(&self.columns, figures, is_dim, style, out)
    }
}

impl ColumnWidths {
    /// The number of other events for which there is room.
    fn others_beside_texts(&self, names: &ScreenNames<'_>, style: Style<'_>) -> usize {
        let all = self.others.len();
        let Some(width) = style.width.filter(|_| names.are_before_events(style)) else {
            return all;
        };
        let texts = names.widest_place(Places::Full);
        let beside = names.widest.clamp(TITLE, ENOUGH_FOR_NAMES) + GAP + texts;
        let fits = |&others: &usize| {
            let optional = OptionalColumns { others, ..OptionalColumns::NARROW };
            width_of(&self.columns(&optional)) + beside <= width
        };
        (1..=all).rev().find(fits).unwrap_or(0)
    }

    /// The sides of a difference, and costs of a call, that are not among these columns.
    fn missing(&self, columns: &[ScreenColumn]) -> Vec<String> {
        let is_missing = |of: &&ScreenColumn| {
            let is_side = matches!(of.column.show, Show::Side(_));
            let is_requested = is_side || of.column.measure.is_per_call();
            is_requested && columns.iter().all(|shown| shown.column != of.column)
        };
        let missing = self.main.iter().filter(is_missing);
        missing.map(|of| of.heading.clone()).collect()
    }

    fn columns(&self, optional: &OptionalColumns) -> Vec<ScreenColumn> {
        let is_of_all =
            |candidate: &ScreenColumn| candidate.column.measure == Measure::InclusivePerCall;
        let has_both = self.main.iter().any(is_of_all);
        let is_side = |candidate: &ScreenColumn| matches!(candidate.column.show, Show::Side(_));
        let is_count = |candidate: &ScreenColumn| candidate.column.show == Show::Count;
        let is_compared = self.main.iter().any(is_side);
        let is_shown = |candidate: &&ScreenColumn| match candidate.column.measure {
            Measure::Calls | Measure::AllCalls if is_side(candidate) => optional.call_sides,
            // Next to the inclusive one, only if everything fits.
            Measure::PerCall if has_both => optional.calls && optional.places == Places::Full,
            measure if measure.is_per_call() && is_compared => optional.calls,
            Measure::Calls | Measure::AllCalls | Measure::CallsPerCall if is_compared => {
                optional.call_changes
            }
            _ if is_side(candidate) => optional.sides,
            Measure::Inclusive if !self.is_inclusive && is_count(candidate) => optional.both_counts,
            Measure::Cost if self.is_inclusive && is_count(candidate) => optional.both_counts,
            measure => optional.calls || !measure.is_of_calls(),
        };
        let main = self.main.iter().filter(is_shown);
        let others = self.others[..optional.others].iter().map(|[count, percent]| {
            if optional.other_counts || percent.width == 0 { count } else { percent }
        });
        let mut columns: Vec<ScreenColumn> = Vec::new();
        for candidate in main.chain(others) {
            let of = |candidate: &ScreenColumn| (candidate.column.measure, candidate.column.event);
            let before = columns.last().filter(|before| of(before) == of(candidate));
            let follows = before.is_some();
            let follows_count = before.is_some_and(|before| before.column.show == Show::Count);
            let is_percent = candidate.column.show == Show::Percent;
            let heading = match &candidate.heading[..] {
                "" if is_percent && !follows_count => candidate.column.measure.percent_heading(),
                // What the sides are of is in the heading of the first.
                heading if follows => heading.rsplit(' ').next().unwrap_or_default(),
                heading => heading,
            };
            columns.push(ScreenColumn {
                width: candidate.width.max(width(heading)),
                heading: heading.to_owned(),
                column: candidate.column,
                gap: if is_percent && follows_count { 1 } else { GAP },
            });
        }
        columns
    }
}

/// The headings of columns, and the gap before names.
pub(super) fn heading_of(columns: &[ScreenColumn]) -> String {
    let mut heading = String::new();
    for column in columns {
        heading.push_str(&" ".repeat(column.gap));
        heading.push_str(&right_aligned(&column.heading, column.width));
    }
    heading.push_str(&" ".repeat(GAP));
    heading
}

/// Writes the cells of a line, and the gap before its name.
pub(super) fn write_cells(
    columns: &[ScreenColumn],
    figures: &Figures<'_>,
    is_dim: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for ScreenColumn { column, width, gap, .. } in columns {
        let text = text(*column, figures, style);
        let paint = match (column.measure, column.show, figures.cost) {
            _ if is_dim => Paint::Dim,
            (_, Show::Side(_), _) => Paint::Plain,
            (Measure::Cost, _, Some(cost)) => style.paint(cost.value[column.event], column.event),
            _ => Paint::Plain,
        };
        write_spaces(gap + width.saturating_sub(text.len()), out)?;
        paint.around(style.colours, out, |out| out.write_all(text.as_bytes()))?;
    }
    write_spaces(GAP, out)
}

/// The width of the columns with the gap before names.
pub(super) fn width_of(columns: &[ScreenColumn]) -> usize {
    let widths = columns.iter().map(|column| column.gap + column.width);
    widths.sum::<usize>() + GAP
}
