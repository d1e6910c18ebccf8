//! The cell of a line and a column: what it holds, and how tables for people and for programs write
//! it.

use super::number::{
    NumberText, PERCENTAGE_WIDTH, ShownPercent, push_count, push_quotient, ratio_text,
};
use super::{EXACT_DECIMALS, Style, escaped_text};
use crate::profile::Count;
use crate::view::{Mark, Step};

/// The smallest number of calls for each call that is shown, and that from which on it has no
/// decimal.
const MIN_CALLS_PER_CALL: f64 = 0.05;
const WHOLE_CALLS_PER_CALL: f64 = 100.0;

/// What the mark means, of a cost that is nested and of one that was divided.
pub(super) const ESTIMATED_NOTE: &str =
    "~ estimated: the profile does not record how much of this cost is nested";
pub(super) const DIVIDED_NOTE: &str = "~ estimated: divided by what callers paid";

#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// The line does not have the figure.
    Empty,
    Count(Count),
    CountAndShare(Count, Option<ShownPercent>),
    Change(Count),
    /// A percentage of the total; none if it or the count is 0.
    Share(Option<ShownPercent>),
    /// A signed change in percent, none if BASE is 0, or the mark instead if there is one.
    Percent(Option<ShownPercent>, Option<Mark>),
    /// The largest step of a series, and its change in percent; none if nothing changed.
    Step(Option<(Step, Option<ShownPercent>)>),
    Mark(Option<Mark>),
    PerCall(Option<f64>),
    Calls {
        by_others: Count,
        by_itself: Count,
    },
    /// A number of calls that is an estimate.
    EstimatedCalls(Count),
    /// A number of calls; none if it is unknown or nearly 0.
    CallsPerCall(Option<f64>),
    /// A cost that is not shown because the part of nested calls in it is unknown.
    Unknown,
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
                    // No cost: that of each call is in other columns.
                    text.prepend(b'x');
                    if calls.fract() == 0.0 || calls >= WHOLE_CALLS_PER_CALL {
                        text.prepend_number(calls.round() as i64)
                    } else {
                        text.prepend_decimal(calls, 1, true)
                    }
                }
            }
            Cell::Calls { by_others, by_itself } => {
                style.prepend_count(by_itself, text);
                text.prepend(b'+');
                if by_others.value().is_some() {
                    style.prepend_count(by_others, text);
                }
            }
            Cell::EstimatedCalls(count) => {
                style.prepend_count(count, text);
                text.prepend(b'~');
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
            // What is unknown, and cells that only tables for people have.
            Cell::Empty
            | Cell::Unknown
            | Cell::PerCall(None)
            | Cell::Share(None)
            | Cell::Percent(None, _)
            | Cell::CountAndShare(..)
            | Cell::Step(_)
            | Cell::Mark(_)
            | Cell::Calls { .. }
            | Cell::EstimatedCalls(_)
            | Cell::CallsPerCall(_) => {}
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
