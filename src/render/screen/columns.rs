//! The columns of a list for a terminal: which of them fit, their widths and their cells.

use std::io::{self, Write};

use super::names::{
    ENOUGH_FOR_NAMES, GAP, MIN_NAME_WIDTH, PREFERRED_CHAIN, PREFERRED_PLACE, Places, ScreenNames,
};
use crate::profile::Measured;
use crate::render::colour::Paint;
use crate::render::columns::{AFTER, BEFORE, Cell, Column, Figures, Measure, Show, not_shown_text};
use crate::render::number::NumberText;
use crate::render::shorten::right_aligned;
use crate::render::{Listed, Style, escaped_text, write_spaces};

/// The width of the title of most columns of names, `function`.
const TITLE: usize = 8;

/// A possible column of a list: its heading, its figure, and the width of its widest cell.
struct ScreenColumn {
    heading: String,
    column: Column,
    width: usize,
    /// The number of spaces before it.
    gap: usize,
}

/// The event of gprof's data: microseconds, which are shown with a suitable unit.
pub(super) const MICROSECONDS: &[u8] = b"us";

/// All possible columns of a list, with the widths of their cells.
pub(super) struct Cells {
    /// The main columns: self and inclusive cost and calls, or both sides of a difference.
    main: Vec<ScreenColumn>,
    /// The other events: count and percentage of each.
    others: Vec<[ScreenColumn; 2]>,
    /// Whether rows are sorted by inclusive cost, or callers and callees have no other.
    is_inclusive: bool,
    /// Whether the columns were requested, so that they are left out last.
    are_requested: bool,
}

impl Cells {
    pub(super) fn new(listed: &Listed<'_, '_>, lines: &[&Figures<'_>]) -> Cells {
        let style = listed.style;
        let sorted = style.sorted.filter(|event| style.shown.contains(event));
        let first = style.difference.or(sorted);
        let first = first.or(style.shown.first().copied()).unwrap_or(0);
        let candidate = |(heading, column): (String, Column)| {
            let widths = lines.iter().map(|of| text(column, of, style).len());
            ScreenColumn { gap: GAP, width: widths.max().unwrap_or(0), heading, column }
        };
        let main = main_columns(listed, first).into_iter().map(candidate);
        // Ratios are only present if requested, so they come first.
        let (ratios, plain): (Vec<usize>, Vec<usize>) =
            style.shown.iter().partition(|event| style.ratios.contains(event));
        let others = ratios.into_iter().chain(plain).filter(|&event| event != first);
        // Callers and callees have inclusive costs only.
        let is_inclusive = listed.list.is_inclusive || listed.tree.is_some();
        let (measure, what) = match listed.inclusive.filter(|_| is_inclusive) {
            Some(_) => (Measure::Inclusive, " incl."),
            None => (Measure::Cost, ""),
        };
        let others = others.map(|event| {
            let name = format!("{}{what}", style.events.name(event).escape_ascii());
            let count = match style.difference {
                Some(_) => Show::Change,
                None => Show::Count,
            };
            [count, Show::Percent]
                .map(|show| candidate((name.clone(), Column::new(measure, event, show))))
        });
        Cells {
            main: main.filter(|candidate| candidate.width > 0).collect(),
            others: others.collect(),
            is_inclusive,
            are_requested: !listed.columns.is_empty() || has_calls_above_reasons(listed),
        }
    }
}

/// The columns of an event with their headings: the requested measures; in a difference each on
/// both sides, with the change and its percentage.
fn main_columns(listed: &Listed<'_, '_>, event: usize) -> Vec<(String, Column)> {
    if has_calls_above_reasons(listed) {
        return columns_above_reasons(listed.style, event);
    }
    let (list, style) = (listed.list, listed.style);
    let is_compared = style.difference.is_some();
    let requested = match listed.columns {
        [] if is_compared => &[Measure::Cost][..],
        [] if listed.tree.is_some() => {
            &[Measure::Cost, Measure::Inclusive, Measure::Calls, Measure::CallsPerCall]
        }
        [] => &[Measure::Cost, Measure::Inclusive, Measure::Calls],
        requested => requested,
    };
    // Both costs per call if both costs are shown.
    let measures = requested.iter().flat_map(|&measure| match measure {
        Measure::PerCall if listed.inclusive.is_some() => {
            vec![Measure::InclusivePerCall, Measure::PerCall]
        }
        measure => vec![measure.in_list(list)],
    });
    let has_inclusive = requested.contains(&Measure::Inclusive);
    let is_inclusive = list.is_inclusive || listed.tree.is_some();
    let name = style.events.name(event).escape_ascii();
    let mut columns = Vec::new();
    for measure in measures {
        let has_percent = style.percentages
            && if is_compared {
                !measure.is_per_call()
            } else {
                !measure.is_of_calls() && !style.ratios.contains(&event)
            };
        // Next to other events, the heading names the event.
        let of = match (measure, is_inclusive, style.shown.len()) {
            (Measure::Cost, ..) if is_compared && !has_inclusive => String::new(),
            _ if is_compared => format!("{} ", measure.heading()),
            (Measure::Cost, false, 2..) => format!("{name} self"),
            (Measure::Inclusive, true, 2..) => format!("{name} incl."),
            _ => measure.heading().to_owned(),
        };
        // Of cumulative costs the percentage says it all.
        let has_count = measure != Measure::Cumulative || is_compared || !has_percent;
        let all = Column::of(measure, event, style, has_percent)
            .into_iter()
            .filter(|column| has_count || column.show != Show::Count);
        columns.extend(all.map(|column| match column.show {
            BEFORE => (format!("{of}before"), column),
            AFTER => (format!("{of}after"), column),
            Show::Change => (format!("{of}change"), column),
            Show::Percent if is_compared => (format!("{of}%"), column),
            Show::Percent => (String::new(), column),
            _ => (of.clone(), column),
        }));
        if is_compared && measure == Measure::Cost && !style.percentages {
            columns.push((String::new(), Column::new(measure, event, Show::Mark)));
        }
    }
    columns
}

/// Whether the list is that above the reasons of a difference whose sides both count calls.
pub(in crate::render) fn has_calls_above_reasons(listed: &Listed<'_, '_>) -> bool {
    let are_counted = |side: &Measured| side.call_counts.iter().any(|&count| count != 0);
    listed.why.is_some()
        && listed.columns.is_empty()
        && listed.list.has_calls()
        && listed.rows.profile.sides().iter().all(are_counted)
}

/// The columns that the reasons are about: the change, the calls and what each of them costs.
fn columns_above_reasons(style: Style<'_>, event: usize) -> Vec<(String, Column)> {
    let change = if style.percentages { Show::Percent } else { Show::Mark };
    let columns = [
        ("change", Measure::Cost, Show::Change),
        (if style.percentages { "%" } else { "" }, Measure::Cost, change),
        ("calls before", Measure::Calls, BEFORE),
        ("calls after", Measure::Calls, AFTER),
        ("each before", Measure::EachCall, BEFORE),
        ("each after", Measure::EachCall, AFTER),
    ];
    let column = |(heading, measure, show): (&str, Measure, Show)| {
        (heading.to_owned(), Column::new(measure, event, show))
    };
    columns.map(column).into()
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
struct Room {
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

/// The choices of columns from the widest to the narrowest, with at most this number of other
/// events.
fn steps(others: usize, cells: &Cells, style: Style<'_>) -> Vec<Room> {
    let (is_fixed, is_compared) = (cells.are_requested, style.difference.is_some());
    let mut room = Room {
        both_counts: true,
        calls: true,
        sides: true,
        call_sides: true,
        call_changes: true,
        others,
        other_counts: true,
        places: Places::Full,
    };
    let mut steps = vec![room];
    let mut step = |change: &dyn Fn(&mut Room)| {
        change(&mut room);
        steps.push(room);
    };
    step(&|room| room.other_counts = false);
    step(&|room| room.both_counts = is_fixed);
    step(&|room| room.places = Places::Files);
    step(&|room| room.call_changes = false);
    step(&|room| room.calls = is_fixed);
    if style.has_requested_events() && others > 0 {
        step(&|room| room.places = Places::Basenames);
        step(&|room| room.places = Places::None);
        step(&|room| room.sides = false);
    }
    (0..others).rev().for_each(|left| step(&|room| (room.others, room.sides) = (left, true)));
    step(&|room| room.places = Places::Basenames);
    if is_fixed && is_compared {
        step(&|room| room.places = Places::None);
        step(&|room| room.sides = false);
        step(&|room| (room.calls, room.sides) = (false, true));
        step(&|room| room.places = Places::Basenames);
        step(&|room| (room.call_sides, room.call_changes) = (false, true));
        step(&|room| room.sides = false);
    }
    // Requested columns are left out only if names would not fit, but a percentage is kept of the
    // other cost.
    step(&|room| room.both_counts = false);
    step(&|room| room.places = Places::None);
    step(&|room| room.calls = false);
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
    pub(super) fn new(cells: &Cells, names: &ScreenNames<'_>, style: Style<'_>) -> ScreenColumns {
        let steps = |others| steps(others, cells, style);
        let all = steps(cells.others.len());
        let wanted = |room: &Room, name: usize| {
            let columns = cells.columns(room);
            let place = names.widest_place(room.places);
            let place = match place.min(PREFERRED_PLACE) {
                0 => 0,
                place => place + GAP,
            };
            width_of(&columns) + names.widest.max(TITLE).min(name) + place
        };
        let fitting = |rooms: &[Room], name| {
            let fits = |room: &&Room| style.width.is_none_or(|width| wanted(room, name) <= width);
            rooms.iter().find(fits).copied()
        };
        // If names have to be short, all other columns are left out first, except requested ones. A
        // chain of callers is more important than other events.
        let fits_chains = !names.has_chains() || fitting(&all[..1], PREFERRED_CHAIN).is_some();
        let steps = if fits_chains { all.clone() } else { steps(0) };
        let requested = &steps[..steps.len() - 1];
        let room = fitting(requested, ENOUGH_FOR_NAMES)
            .or_else(|| fitting(&steps[steps.len() - 2..], MIN_NAME_WIDTH))
            .or(steps.last().copied())
            .unwrap_or(steps[0]);
        let columns = cells.columns(&room);
        let events = cells.others[room.others..].iter();
        let mut events: Vec<&[u8]> =
            events.map(|[of, _]| style.events.name(of.column.event)).collect();
        let mut missing = cells.missing(&columns);
        if style.has_requested_events() {
            missing.extend(events.drain(..).map(|name| escaped_text(name, true)));
        }
        let is_whole = |room: &&Room| {
            room.others == cells.others.len() && cells.missing(&cells.columns(room)).is_empty()
        };
        let whole = all.iter().rev().find(is_whole).filter(|_| !missing.is_empty()).map(|room| {
            let (missing, width) = (missing.join(", "), wanted(room, ENOUGH_FOR_NAMES));
            format!("not shown: {missing}: --width={width}")
        });
        ScreenColumns {
            room: style.width.map(|width| width.saturating_sub(width_of(&columns))),
            places: room.places,
            not_shown: not_shown_text(events.into_iter().map(|name| (name, String::new())))
                .into_iter()
                .chain(whole)
                .collect(),
            has_places: names.widest_place(room.places) > 0,
            columns,
        }
    }

    pub(super) fn heading(&self) -> String {
        let mut heading = String::new();
        for column in &self.columns {
            heading.push_str(&" ".repeat(column.gap));
            heading.push_str(&right_aligned(&column.heading, column.width));
        }
        heading.push_str(&" ".repeat(GAP));
        heading
    }

    /// Writes the cells of a line, and the gap before its name.
    pub(super) fn write_cells(
        &self,
        figures: &Figures<'_>,
        is_dim: bool,
        style: Style<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for ScreenColumn { column, width, gap, .. } in &self.columns {
            let text = text(*column, figures, style);
            let paint = match (column.measure, column.show, figures.cost) {
                _ if is_dim => Paint::Dim,
                (_, Show::Side(_), _) => Paint::Plain,
                (Measure::Cost, _, Some(cost)) => {
                    style.paint(cost.value[column.event], column.event)
                }
                _ => Paint::Plain,
            };
            write_spaces(gap + width.saturating_sub(text.len()), out)?;
            paint.around(style.colours, out, |out| out.write_all(text.as_bytes()))?;
        }
        write_spaces(GAP, out)
    }
}

impl Cells {
    /// The sides of a difference that are not among these columns.
    fn missing(&self, columns: &[ScreenColumn]) -> Vec<String> {
        let is_missing = |of: &&ScreenColumn| {
            let is_side = matches!(of.column.show, Show::Side(_));
            is_side && columns.iter().all(|shown| shown.column != of.column)
        };
        let missing = self.main.iter().filter(is_missing);
        missing.map(|of| of.heading.clone()).collect()
    }

    fn columns(&self, room: &Room) -> Vec<ScreenColumn> {
        let is_of_all =
            |candidate: &ScreenColumn| candidate.column.measure == Measure::InclusivePerCall;
        let has_both = self.main.iter().any(is_of_all);
        let is_side = |candidate: &ScreenColumn| matches!(candidate.column.show, Show::Side(_));
        let is_count = |candidate: &ScreenColumn| candidate.column.show == Show::Count;
        let is_compared = self.main.iter().any(is_side);
        let is_shown = |candidate: &&ScreenColumn| match candidate.column.measure {
            Measure::Calls if is_side(candidate) => room.call_sides,
            // Next to the inclusive one, only if everything fits.
            Measure::PerCall if has_both => room.calls && room.places == Places::Full,
            measure if measure.is_per_call() && is_compared => room.calls,
            Measure::Calls | Measure::CallsPerCall if is_compared => room.call_changes,
            _ if is_side(candidate) => room.sides,
            Measure::Inclusive if !self.is_inclusive && is_count(candidate) => room.both_counts,
            Measure::Cost if self.is_inclusive && is_count(candidate) => room.both_counts,
            measure => room.calls || !measure.is_of_calls(),
        };
        let main = self.main.iter().filter(is_shown);
        let others = self.others[..room.others].iter().map(|[count, percent]| {
            if room.other_counts || percent.width == 0 { count } else { percent }
        });
        let mut columns: Vec<ScreenColumn> = Vec::new();
        for candidate in main.chain(others) {
            let before = columns.last();
            let of = |candidate: &ScreenColumn| (candidate.column.measure, candidate.column.event);
            let before = before.filter(|before| of(before) == of(candidate));
            let follows = before.is_some();
            let follows_count = before.is_some_and(|before| before.column.show == Show::Count);
            let is_percent = candidate.column.show == Show::Percent;
            let heading = match (&candidate.heading[..], candidate.column.measure) {
                ("", Measure::Inclusive) if !follows_count => "incl.".to_owned(),
                ("", Measure::Cumulative) if !follows_count => "cumulative".to_owned(),
                ("", Measure::Cost) if is_percent && !follows_count => "self".to_owned(),
                // What the sides are of is in the heading of the first.
                (heading, _) if follows => {
                    heading.rsplit(' ').next().unwrap_or_default().to_owned()
                }
                (heading, _) => heading.to_owned(),
            };
            columns.push(ScreenColumn {
                width: candidate.width.max(heading.len()),
                heading,
                column: candidate.column,
                gap: if is_percent && follows_count { 1 } else { GAP },
            });
        }
        columns
    }
}

/// The width of the columns with the gap before names.
fn width_of(columns: &[ScreenColumn]) -> usize {
    let widths = columns.iter().map(|column| column.gap + column.width);
    widths.sum::<usize>() + GAP
}
