//! The columns of tables of rows: the figure that each shows, and how. Text, Markdown and CSV
//! differ in which columns they have and how they write a [`Cell`].

use super::number::{NumberText, PERCENTAGE_WIDTH, push_count, push_quotient, ratio_text};
use super::{EXACT_DECIMALS, Style, SuggestedCommand, escaped_text, percent};
use crate::profile::{BASE, Count, NEW};
use crate::view::{
    CallCounts, CostEstimate, CostFigure, Figure, FigureTable, ItemCost, ItemFigure, List, Mark,
    Series, Step, Total,
};

/// A figure that columns show: the name of a [`MeasureSpec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The cost of the line; the self cost if inclusive costs have columns of their own.
    Cost,
    Inclusive,
    /// The self costs of a row and of all that come before it in the list.
    Cumulative,
    Calls,
    Recursive,
    PerCall,
    InclusivePerCall,
    /// The number of calls of a callee for each call of its row.
    CallsPerCall,
}

/// What a measure is, for all formats that have columns.
struct MeasureSpec {
    /// The name by which it is requested.
    name: &'static str,
    /// The heading on a terminal, without the event.
    heading: &'static str,
    /// The name of a number of calls in CSV; of others what follows the name of the event.
    field: &'static str,
    /// The same in tables for people.
    title: &'static str,
    kind: Kind,
    /// The costs that it is made of: a row of a difference has changed if one of these has.
    costs: &'static [Measure],
    /// Its figure of a line and an event; none if the line has none.
    value: fn(&Figures<'_>, usize) -> Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A cost of each event, in a difference with its change, and perhaps with its percentage.
    Cost,
    /// A number, whatever the event.
    Number,
    /// A quotient for each event, which has no change.
    Quotient,
}

enum Value {
    Count(Figure<Count>),
    Quotient(Option<f64>),
    CallsPerCall(Option<f64>),
}

const SELF: MeasureSpec = MeasureSpec {
    name: "self",
    heading: "self",
    field: "",
    title: "",
    kind: Kind::Cost,
    costs: &[Measure::Cost],
    value: |of, event| Some(Value::Count(of.cost?.event(event))),
};

const INCLUSIVE: MeasureSpec = MeasureSpec {
    name: "inclusive",
    heading: "inclusive",
    field: ".inclusive",
    title: "",
    kind: Kind::Cost,
    costs: &[Measure::Inclusive],
    value: |of, event| Some(Value::Count(of.inclusive?.event(event))),
};

const CUMULATIVE: MeasureSpec = MeasureSpec {
    name: "cumulative",
    heading: "cumulative",
    field: ".cumulative",
    title: " cumulative",
    kind: Kind::Cost,
    costs: &[Measure::Cost],
    value: |of, event| Some(Value::Count(of.cumulative?.event(event))),
};

const CALLS: MeasureSpec = MeasureSpec {
    name: "calls",
    heading: "calls",
    field: "calls",
    title: "Calls",
    kind: Kind::Number,
    costs: &[],
    value: |of, _| of.number(|calls| calls.by_others),
};

const RECURSIVE: MeasureSpec = MeasureSpec {
    name: "recursive",
    heading: "recursive",
    field: "recursive_calls",
    title: "Recursive",
    kind: Kind::Number,
    costs: &[],
    value: |of, _| of.number(|calls| calls.recursive),
};

const PER_CALL: MeasureSpec = MeasureSpec {
    name: "per-call",
    heading: "self/call",
    field: ".per_call",
    title: "/call",
    kind: Kind::Quotient,
    costs: &[Measure::Cost, Measure::Inclusive],
    value: |of, event| of.per_call(*of.cost?, event, false),
};

/// The cost per call of a list by inclusive cost.
const INCLUSIVE_PER_CALL: MeasureSpec = MeasureSpec {
    heading: "incl./call",
    value: |of, event| of.per_call(*of.inclusive.or(of.cost)?, event, true),
    ..PER_CALL
};

const CALLS_PER_CALL: MeasureSpec = MeasureSpec {
    name: "calls-per-call",
    heading: "per call",
    field: "calls_per_call",
    title: "Per call",
    kind: Kind::Number,
    costs: &[],
    value: |of, _| Some(Value::CallsPerCall(of.calls_per_call)),
};

/// The columns of a list that can be requested by name.
pub const LIST_COLUMNS: &[(&str, Measure)] = &[
    Measure::Cost.named(),
    Measure::Inclusive.named(),
    Measure::Calls.named(),
    Measure::Recursive.named(),
    Measure::PerCall.named(),
    Measure::Cumulative.named(),
];

impl Measure {
    const fn spec(self) -> &'static MeasureSpec {
        match self {
            Measure::Cost => &SELF,
            Measure::Inclusive => &INCLUSIVE,
            Measure::Cumulative => &CUMULATIVE,
            Measure::Calls => &CALLS,
            Measure::Recursive => &RECURSIVE,
            Measure::PerCall => &PER_CALL,
            Measure::InclusivePerCall => &INCLUSIVE_PER_CALL,
            Measure::CallsPerCall => &CALLS_PER_CALL,
        }
    }

    const fn named(self) -> (&'static str, Measure) {
        (self.spec().name, self)
    }

    /// Whether it is made of the self or of the inclusive cost.
    pub fn is_made_of(self, cost: Measure) -> bool {
        self.spec().costs.contains(&cost)
    }

    pub fn is_of_calls(self) -> bool {
        self.spec().kind != Kind::Cost
    }

    pub(super) fn is_per_call(self) -> bool {
        self.spec().kind == Kind::Quotient
    }

    /// The heading on a terminal, without the event.
    pub(super) fn heading(self) -> &'static str {
        self.spec().heading
    }

    /// The measure in a list by self or inclusive cost, which is the cost that the cost per call is
    /// of.
    pub(super) fn in_list(self, list: &List) -> Measure {
        match self {
            Measure::PerCall if list.is_inclusive => Measure::InclusivePerCall,
            other => other,
        }
    }

    /// The events that it has columns for: numbers of calls have a single column.
    pub(super) fn of_events(self, events: &[usize]) -> &[usize] {
        match self.spec().kind {
            Kind::Number => &events[..events.len().min(1)],
            Kind::Cost | Kind::Quotient => events,
        }
    }
}

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

/// The figures of a line; missing ones are empty cells.
#[derive(Clone, Copy, Default)]
pub(super) struct Figures<'l> {
    pub(super) cost: Option<ItemCost<'l>>,
    pub(super) inclusive: Option<ItemCost<'l>>,
    pub(super) cumulative: Option<ItemCost<'l>>,
    pub(super) calls: Option<ItemFigure<'l, CallCounts>>,
    /// What is known of the inclusive cost, or of the cost if there is no other, if it is
    /// estimated.
    pub(super) estimate: Option<&'l CostEstimate>,
    /// Whether the cost includes an unknown cost of nested calls, and is not shown.
    pub(super) is_unknown: bool,
    /// The number of calls of a callee for each call of its row.
    pub(super) calls_per_call: Option<f64>,
}

impl<'l> Figures<'l> {
    pub(super) fn of_cost(cost: impl Into<ItemCost<'l>>) -> Figures<'l> {
        Figures { cost: Some(cost.into()), ..Figures::default() }
    }

    /// The totals; `of_sides` is the table of them.
    pub(super) fn of_total(total: &'l Total, of_sides: &'l FigureTable) -> Figures<'l> {
        Figures::of_cost(of_sides.item(0).with_figure(total.figure.counts()))
    }

    /// The figures on one side of a comparison; those that the side does not have are missing.
    pub(super) fn on(&self, side: usize) -> Figures<'l> {
        let cost = |item: Option<ItemCost<'l>>| Some(Figure::plain(item?.on(side)?).into());
        let calls = |item: ItemFigure<'l, CallCounts>| Some(Figure::plain(item.on(side)?).into());
        Figures {
            cost: cost(self.cost),
            inclusive: cost(self.inclusive),
            cumulative: cost(self.cumulative),
            calls: self.calls.and_then(calls),
            ..*self
        }
    }

    /// The figures of a caller or callee of this line. Its cost is inclusive if the line has an
    /// inclusive cost.
    pub(super) fn of_call(
        &self,
        cost: CostFigure<'l>,
        calls: Option<Figure<CallCounts>>,
    ) -> Figures<'l> {
        let cost = Some(cost.into());
        Figures {
            cost: cost.filter(|_| self.inclusive.is_none()),
            inclusive: cost.filter(|_| self.inclusive.is_some()),
            calls: calls.map(ItemFigure::from),
            ..Figures::default()
        }
    }

    /// The number of calls of a callee for each call of this line, if both are known.
    pub(super) fn calls_per_call(
        &self,
        callee: Option<Figure<CallCounts>>,
        counts_recursive: bool,
    ) -> Option<f64> {
        let (row, callee) = (self.calls?.value, callee?.value);
        let recursive = if counts_recursive { row.recursive.or_zero() } else { 0 };
        let calls = row.by_others.or_zero() as f64 + recursive as f64;
        let is_known = !row.has_inlined && !callee.has_inlined && calls > 0.0;
        is_known.then(|| callee.by_others.or_zero() as f64 / calls)
    }

    pub(super) fn mark(&self) -> Option<Mark> {
        self.cost.or(self.inclusive)?.mark()
    }

    fn number(&self, count: fn(CallCounts) -> Count) -> Option<Value> {
        let mark = self.cost.and_then(|cost| cost.mark());
        Some(Value::Count(self.calls?.map(count).marked(mark)))
    }

    fn per_call(&self, cost: CostFigure<'_>, event: usize, is_inclusive: bool) -> Option<Value> {
        let (calls, cost) = (self.calls?.value, cost.event(event).value);
        Some(Value::Quotient(calls.per_call(cost, is_inclusive)))
    }
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
        let figure = match (self.measure.spec().value)(of, self.event) {
            None => return Cell::Empty,
            Some(Value::Quotient(_)) if of.is_unknown => return Cell::Empty,
            Some(Value::Quotient(quotient)) => {
                let unit = style.events.unit(self.event) as f64;
                return Cell::PerCall(quotient.map(|quotient| quotient / unit));
            }
            Some(Value::CallsPerCall(calls)) => return Cell::CallsPerCall(calls),
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
        let count = |side: usize| match (self.measure.spec().value)(&of.on(side), self.event) {
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
