//! The columns of tables of rows: the figure that each shows, and how. Text, Markdown and CSV
//! differ in which columns they [have](super::chosen) and how they write a [`Cell`].

use super::cell::Cell;
use super::measure::{Figures, Kind, Measure, Value};
use super::number::ShownPercent;
use super::{Style, SuggestedCommand, escaped_text, percent};
use crate::profile::{BASE, Count, NEW};
use crate::view::{Series, Step};

/// The part of a figure that a column shows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    Count,
    /// The count and its percentage of the total, in one cell.
    CountAndShare,
    /// The figure on the side with this index.
    Side(usize),
    Change,
    /// The percentage of the total; in a difference the change in percent, or the mark of a row on
    /// one side.
    Percent,
    Mark,
    /// In a series the profile at which the figure changed most, and by how much.
    Step,
}

/// The sides of a difference.
pub(super) const BEFORE: Show = Show::Side(BASE);
pub(super) const AFTER: Show = Show::Side(NEW);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) measure: Measure,
    pub(super) event: usize,
    pub(super) show: Show,
}

impl Column {
    pub(super) fn new(measure: Measure, event: usize, show: Show) -> Column {
        Column { measure, event, show }
    }

    /// The columns of a measure: the count, or both sides and the change of a difference, and the
    /// percentage if `has_percent`. A cost per call has no change.
    pub(super) fn of(
        measure: Measure,
        event: usize,
        style: Style<'_>,
        has_percent: bool,
    ) -> Vec<Column> {
        if let Some(series) = style.series {
            let steps = (!measure.is_per_call()).then_some(Show::Step);
            let percent = has_percent.then_some(Show::Percent);
            let shows = series.sides().map(Show::Side).chain(steps).chain(percent);
            return shows.map(|show| Column::new(measure, event, show)).collect();
        }
        let shows: &[Show] = match (measure, style.difference) {
            (_, None) => &[Show::Count],
            _ if measure.is_per_call() => &[BEFORE, AFTER],
            (_, Some(_)) => &[BEFORE, AFTER, Show::Change],
        };
        let percent = has_percent.then_some(&Show::Percent);
        let shows = shows.iter().chain(percent);
        shows.map(|&show| Column::new(measure, event, show)).collect()
    }

    /// The name of the column in CSV.
    pub(super) fn field(self, style: Style<'_>) -> Vec<u8> {
        let name = style.events.name(self.event);
        let spec = self.measure.spec();
        let of = if spec.kind == Kind::Number { &b""[..] } else { name };
        let show = match (self.show, style.series) {
            (Show::Side(side), Some(series)) => format!(".{}", series.label(side)),
            (BEFORE, _) => ".base".to_owned(),
            (AFTER, _) => ".new".to_owned(),
            (Show::Percent, _) => ".percent".to_owned(),
            (Show::Step, _) => ".step".to_owned(),
            _ => String::new(),
        };
        [of, spec.field.as_bytes(), show.as_bytes()].concat()
    }

    /// The name of the column in tables for people.
    pub(super) fn name(self, style: Style<'_>) -> Vec<u8> {
        let name = style.events.name(self.event);
        let spec = self.measure.spec();
        let of = match spec.kind {
            Kind::Cost => [name, spec.title.as_bytes()].concat(),
            Kind::Number => spec.title.as_bytes().to_vec(),
            // Always escaped, so that the width is known.
            Kind::Quotient => format!("{}{}", name.escape_ascii(), spec.title).into_bytes(),
        };
        let side = match (self.show, style.series) {
            (Show::Percent, _) => return b"%".to_vec(),
            (Show::Mark, _) => return Vec::new(),
            (Show::Count | Show::CountAndShare, _) => return of,
            (Show::Side(side), Some(series)) => series.label(side),
            (BEFORE, None) => "before",
            (Show::Side(_), None) => "after",
            (Show::Change, _) => "change",
            (Show::Step, _) => "largest step",
        };
        [&of, &b" "[..], side.as_bytes()].concat()
    }

    /// The event whose costs it shows; none for numbers of calls and costs per call, which have
    /// neither a percentage of the total nor a colour.
    pub(super) fn cost_event(self) -> Option<usize> {
        (!self.measure.is_of_calls()).then_some(self.event)
    }

    pub(super) fn style<'s>(self, style: Style<'s>) -> Style<'s> {
        self.cost_event().map_or(style, |event| style.of_event(event))
    }

    /// The cell of a line; `style` is that of the column.
    #[inline]
    pub(super) fn cell(self, of: &Figures<'_>, style: &Style<'_>) -> Cell {
        if let (Show::Step | Show::Percent, Some(series)) = (self.show, style.series) {
            return self.step(of, series, style);
        }
        let on_side;
        let of = match self.show {
            Show::Side(side) => {
                on_side = of.on(side);
                &on_side
            }
            _ => of,
        };
        let figure = match (self.measure.spec().value)(of, self.event, style) {
            None => return Cell::Empty,
            Some(Value::Cell(cell)) => return cell,
            Some(Value::Count(figure)) => figure,
        };
        if of.is_unknown && !self.measure.is_of_calls() {
            let is_count = matches!(self.show, Show::Count | Show::CountAndShare | Show::Change);
            return if is_count { Cell::Unknown } else { Cell::Empty };
        }
        let total = self.cost_event().map(|event| style.total[event]);
        let is_above = |total: Count| figure.value.or_zero() > total.or_zero();
        let is_estimated = self.is_estimated(of) || of.is_of_divided && total.is_some_and(is_above);
        let share = || {
            let percent = percent(figure.value, total.filter(|_| style.percentages)?)?;
            Some(ShownPercent { percent, is_estimated })
        };
        match self.show {
            Show::Count | Show::Side(_) => Cell::Count(figure.value),
            Show::CountAndShare => Cell::CountAndShare(figure.value, share()),
            Show::Change => Cell::Change(figure.value),
            Show::Percent if figure.compared.is_none() => Cell::Share(share()),
            // A row without a cost on either side has no change.
            Show::Percent if figure.mark().is_none() && figure.value.value().is_none() => {
                Cell::Empty
            }
            Show::Percent => {
                let change =
                    style.change(figure).map(|percent| ShownPercent { percent, is_estimated });
                Cell::Percent(change, figure.mark())
            }
            Show::Mark => Cell::Mark(figure.mark()),
            // Only a series has steps.
            Show::Step => Cell::Empty,
        }
    }

    /// The cell of the largest step of a series, or of its change in percent.
    fn step(self, of: &Figures<'_>, series: &Series, style: &Style<'_>) -> Cell {
        let steps = self.steps(of, series, style);
        self.step_cell(series.largest(self.event, steps), of, style)
    }

    /// The cell of the largest increase of a series, if the largest step is none.
    pub(super) fn increase(self, of: &Figures<'_>, series: &Series, style: &Style<'_>) -> Cell {
        let steps = self.steps(of, series, style);
        let is_increase = |step: &Step| step.is_increase(style.is_ratio);
        let largest = series.largest(self.event, steps.iter().copied());
        let increases = steps.into_iter().filter(is_increase);
        let increase = series.largest(self.event, increases).filter(|&step| Some(step) != largest);
        self.step_cell(increase, of, style)
    }

    fn steps(self, of: &Figures<'_>, series: &Series, style: &Style<'_>) -> Vec<Step> {
        let value = |side: usize| (self.measure.spec().value)(&of.on(side), self.event, style);
        let count = |side: usize| match value(side) {
            Some(Value::Count(figure)) => figure.value,
            _ => Count::UNDEFINED,
        };
        series.steps(self.event, count)
    }

    fn step_cell(self, step: Option<Step>, of: &Figures<'_>, style: &Style<'_>) -> Cell {
        let Some(step) = step else {
            return Cell::Empty;
        };
        let is_estimated = self.is_estimated(of);
        let percent =
            step.percent(style.is_ratio).map(|percent| ShownPercent { percent, is_estimated });
        match self.show {
            Show::Percent => Cell::Percent(percent, None),
            _ => Cell::Step(Some((step, percent))),
        }
    }

    /// Whether the column shows a cost that was divided, or an inclusive cost that is estimated.
    pub(super) fn is_estimated(self, of: &Figures<'_>) -> bool {
        let is_divided = match self.measure {
            Measure::Cost => of.divided.own,
            Measure::Inclusive => of.divided.paid,
            _ => false,
        };
        if is_divided {
            return true;
        }
        let is_inclusive = match self.measure {
            Measure::Inclusive => true,
            Measure::Cost => of.inclusive.is_none(),
            _ => false,
        };
        is_inclusive && of.estimate.is_some_and(|estimate| estimate.is_marked[self.event])
    }

    pub(super) fn text(self, of: &Figures<'_>, style: Style<'_>) -> String {
        let style = self.style(style);
        self.cell(of, &style).labelled_text(&style)
    }
}

/// A message about events that do not fit, if any, each with a note, and the option that shows
/// them.
pub fn not_shown_text<'n>(events: impl Iterator<Item = (&'n [u8], String)>) -> Option<String> {
    let mut hidden = events.peekable();
    let option = SuggestedCommand::new("").option("--show", hidden.peek()?.0);
    let texts: Vec<String> = hidden.map(|(name, note)| escaped_text(name, true) + &note).collect();
    Some(format!("not shown: {}: {option}", texts.join(" ")))
}
