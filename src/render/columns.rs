//! The columns of tables of rows: the figure that each shows, and how. Text, Markdown and CSV
//! differ in which columns they [have](super::chosen) and how they write a [`Cell`].

use super::measure::{Figures, Kind, Measure, Value};
use super::number::{NumberText, PERCENTAGE_WIDTH, push_count, push_quotient, ratio_text};
use super::{EXACT_DECIMALS, Style, SuggestedCommand, escaped_text, percent};
use crate::profile::{BASE, Count, NEW};
use crate::view::{Mark, Series, Step};

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

/// A percentage, and whether the number that it is of is estimated.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) percent: f64,
    pub(super) is_estimated: bool,
}

/// The smallest number of calls for each call that is shown, and that from which on it has no
/// decimal.
const MIN_CALLS_PER_CALL: f64 = 0.05;
const WHOLE_CALLS_PER_CALL: f64 = 100.0;

/// The mark of percentages of estimated costs.
pub(super) const ESTIMATED: u8 = b'~';

/// What the mark means.
pub(super) const ESTIMATED_NOTE: &str =
    "~ estimated: the profile does not record how much of this cost is nested";

#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// The line does not have the figure.
    Empty,
    Count(Count),
    CountAndShare(Count, Option<Share>),
    Change(Count),
    /// A percentage of the total; none if it or the count is 0.
    Share(Option<Share>),
    /// A signed change in percent, none if BASE is 0, or the mark instead if there is one.
    Percent(Option<Share>, Option<Mark>),
    /// The largest step of a series, and its change in percent; none if nothing changed.
    Step(Option<(Step, Option<Share>)>),
    Mark(Option<Mark>),
    PerCall(Option<f64>),
    /// A number of calls; none if it is unknown or nearly 0.
    CallsPerCall(Option<f64>),
    /// A cost that is not shown because the part of nested calls in it is unknown.
    Unknown,
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
        let label = match (self.show, style.series) {
            (Show::Side(side), Some(series)) => format!(".{}", series.label(side)),
            _ => String::new(),
        };
        let show = match self.show {
            _ if !label.is_empty() => label.as_bytes(),
            BEFORE => b".base",
            AFTER => b".new",
            Show::Percent => b".percent",
            Show::Step => b".step",
            _ => b"",
        };
        [of, spec.field.as_bytes(), show].concat()
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
        match (self.show, style.series) {
            (Show::Side(side), Some(series)) => {
                return [&of, &b" "[..], series.label(side).as_bytes()].concat();
            }
            (Show::Step, _) => return [&of, &b" largest step"[..]].concat(),
            _ => {}
        }
        match self.show {
            Show::Count | Show::CountAndShare | Show::Step => of,
            BEFORE => [&of, &b" before"[..]].concat(),
            Show::Side(_) => [&of, &b" after"[..]].concat(),
            Show::Change => [&of, &b" change"[..]].concat(),
            Show::Percent => b"%".to_vec(),
            Show::Mark => Vec::new(),
        }
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
        let is_estimated = self.is_estimated(of);
        let share = || {
            let percent = percent(figure.value, total.filter(|_| style.percentages)?)?;
            Some(Share { percent, is_estimated })
        };
        match self.show {
            Show::Count | Show::Side(_) => Cell::Count(figure.value),
            Show::CountAndShare => Cell::CountAndShare(figure.value, share()),
            Show::Change => Cell::Change(figure.value),
            Show::Percent if figure.compared.is_none() => Cell::Share(share()),
            Show::Percent => {
                let change = style.change(figure).map(|percent| Share { percent, is_estimated });
                Cell::Percent(change, figure.mark())
            }
            Show::Mark => Cell::Mark(figure.mark()),
            // Only a series has steps.
            Show::Step => Cell::Empty,
        }
    }

    /// The cell of the largest step of a series, or of its change in percent.
    fn step(self, of: &Figures<'_>, series: &Series, style: &Style<'_>) -> Cell {
        let value = |side: usize| (self.measure.spec().value)(&of.on(side), self.event, style);
        let count = |side: usize| match value(side) {
            Some(Value::Count(figure)) => figure.value,
            _ => Count::UNDEFINED,
        };
        let Some(step) = series.largest_step(self.event, count) else {
            return Cell::Empty;
        };
        let is_estimated = self.is_estimated(of);
        let percent = step.percent(style.is_ratio).map(|percent| Share { percent, is_estimated });
        match self.show {
            Show::Percent => Cell::Percent(percent, None),
            _ => Cell::Step(Some((step, percent))),
        }
    }

    /// Whether the column shows an inclusive cost that is estimated.
    pub(super) fn is_estimated(self, of: &Figures<'_>) -> bool {
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

impl Cell {
    /// The text in tables for people, in the style of the column.
    pub(super) fn text(self, style: &Style<'_>) -> NumberText {
        NumberText::of(|text| self.prepend_to(text, style))
    }

    #[inline]
    pub(super) fn prepend_to(self, text: &mut NumberText, style: &Style<'_>) {
        match self {
            Cell::Empty => {}
            Cell::Count(count) => style.prepend_count(count, text),
            Cell::CountAndShare(count, share) => {
                if style.percentages {
                    text.prepend_percentage(share);
                }
                style.prepend_count(count, text);
            }
            Cell::Change(count) => {
                style.prepend_count(count, text);
                if count.or_zero() > 0 {
                    text.prepend(b'+');
                }
            }
            Cell::Share(share) => {
                if let Some(share) = share {
                    text.prepend(b'%');
                    text.prepend_decimal(share.percent, 2, false);
                    text.prepend_estimated(share);
                }
            }
            Cell::Step(None) => {}
            Cell::Step(Some((step, percent))) => {
                let change = match percent {
                    _ if step.before.value().is_none() => Cell::Mark(Some(Mark::New)),
                    _ if step.after.value().is_none() => Cell::Mark(Some(Mark::Gone)),
                    Some(_) if style.percentages || style.is_ratio => Cell::Percent(percent, None),
                    _ => Cell::Change(step.change()),
                };
                change.prepend_to(text, style);
            }
            Cell::Percent(None, None) => text.prepend(b'-'),
            Cell::Percent(Some(change), None) => {
                match change.percent {
                    0.0 => text.prepend_text("0.0%"),
                    percent => text.prepend_text(&format!("{percent:+.1}%")),
                }
                text.prepend_estimated(change);
            }
            Cell::Percent(_, mark) | Cell::Mark(mark) => {
                text.prepend_text(mark.map_or("", Mark::name))
            }
            Cell::Unknown => text.prepend(b'-'),
            Cell::CallsPerCall(calls) => {
                if let Some(calls) = calls.filter(|&calls| calls >= MIN_CALLS_PER_CALL) {
                    if calls.fract() == 0.0 || calls >= WHOLE_CALLS_PER_CALL {
                        text.prepend_number(calls.round() as i64)
                    } else {
                        text.prepend_decimal(calls, 1, true)
                    }
                }
            }
            Cell::PerCall(None) => text.prepend(b'.'),
            Cell::PerCall(Some(cost)) => text.prepend_decimal(cost, 1, true),
        }
    }

    /// The side of a step.
    pub(super) fn step_side(self) -> Option<usize> {
        match self {
            Cell::Step(Some((step, _))) => Some(step.side),
            _ => None,
        }
    }

    /// The label of the profile of a step.
    pub(super) fn label<'s>(self, style: &Style<'s>) -> Option<&'s str> {
        match self {
            Cell::Step(Some((step, _))) => Some(style.series?.label(step.side)),
            _ => None,
        }
    }

    /// The text in tables for people, in the style of the column, after the label of a step.
    pub(super) fn labelled_text(self, style: &Style<'_>) -> String {
        let text = self.text(style).to_string();
        match self.label(style) {
            Some(label) => format!("{} {text}", escaped_text(label.as_bytes(), true)),
            None => text,
        }
    }

    /// Appends the number as formats for programs have it: a count exactly, a percentage with two
    /// decimals, and nothing if the number is unknown.
    #[inline]
    pub(super) fn push_exact(self, style: &Style<'_>, text: &mut Vec<u8>) {
        match self {
            Cell::Count(count) | Cell::Change(count) => match count.value() {
                Some(ratio) if style.is_ratio => {
                    text.extend_from_slice(ratio_text(ratio, EXACT_DECIMALS, false).as_bytes());
                }
                Some(value) if style.exact_decimals != EXACT_DECIMALS => {
                    push_quotient(value, style.unit, style.exact_decimals, text);
                }
                Some(value) => push_count(value, style.unit, text),
                None => {}
            },
            Cell::PerCall(Some(cost)) => text.extend_from_slice(format!("{cost:.2}").as_bytes()),
            Cell::Share(Some(share)) | Cell::Percent(Some(share), _) => {
                text.extend_from_slice(NumberText::decimal(share.percent, 2).as_bytes());
            }
            _ => {}
        }
    }

    /// The number of characters that do not fit the column, which is wide enough for four digits of
    /// a percentage.
    pub(super) fn overhang(self) -> usize {
        match self {
            Cell::CountAndShare(_, Some(share)) if !(-99.9..999.9).contains(&share.percent) => {
                let mut text = NumberText::new();
                text.prepend_percentage(Some(share));
                text.len().saturating_sub(PERCENTAGE_WIDTH)
            }
            _ => 0,
        }
    }
}

/// The text of the percentage of an item that is only in BASE.
pub(super) const GONE: &str = "gone";

/// A message about events that do not fit, if any, each with a note, and the option that shows
/// them.
pub fn not_shown_text<'n>(events: impl Iterator<Item = (&'n [u8], String)>) -> Option<String> {
    let mut events = events.peekable();
    let option = SuggestedCommand::new("").option("--show", events.peek()?.0);
    let events = events.map(|(name, note)| escaped_text(name, true) + &note);
    Some(format!("not shown: {}: {option}", events.collect::<Vec<_>>().join(" ")))
}

impl Style<'_> {
    /// A count, or `.` if undefined; a change has a sign.
    pub fn count(self, count: Count, is_change: bool) -> String {
        let cell = if is_change { Cell::Change(count) } else { Cell::Count(count) };
        cell.text(&self).to_string()
    }

    #[inline]
    fn prepend_count(&self, count: Count, text: &mut NumberText) {
        match count.value() {
            Some(value) => self.prepend_unsigned(value, text),
            None => text.prepend(b'.'),
        }
    }
}
