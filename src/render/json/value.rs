//! The values that members have: names, counts, costs, and members that may be left out.

use std::borrow::Cow;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::profile::{Count, Events};
use crate::render::Style;
use crate::render::cell::Cell;
use crate::render::columns::{Column, Show};
use crate::render::measure::Figures;
use crate::view::{CostRange, InlinedPart, Mark};

/// A name or another text of the profile, as its bytes.
#[derive(Clone, Copy)]
pub(in crate::render) struct Name<'a>(pub(in crate::render) &'a [u8]);

impl Serialize for Name<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// Serializes a text that is not borrowed as a [`Name`].
pub(in crate::render) fn as_name<T: AsRef<[u8]>, S: Serializer>(
    text: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Name(text.as_ref()).serialize(serializer)
}

/// An address, in hexadecimal digits after `0x`.
pub(in crate::render) struct Address(pub(in crate::render) u64);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:#x}", self.0))
    }
}

/// A defined count: an exact number, or its quotient if the report divides counts.
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(super) struct Number(pub(super) i64);

impl Number {
    /// None of an undefined count.
    #[inline]
    pub(super) fn of(count: Count) -> Option<Number> {
        count.value().map(Number)
    }
}

/// The counts of the shown events.
#[derive(Clone, Copy)]
pub(in crate::render) struct Cost<'a> {
    shown: &'a [usize],
    cost: &'a [Count],
}

impl<'a> Cost<'a> {
    #[inline]
    pub(in crate::render) fn new(shown: &'a [usize], cost: &'a [Count]) -> Cost<'a> {
        Cost { shown, cost }
    }
}

impl Serialize for Cost<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = |&event: &usize| Number::of(*self.cost.get(event)?);
        serializer.collect_seq(self.shown.iter().map(count))
    }
}

/// The same counts by the names of their events, for a reader who wants one of them.
pub(super) struct Totals<'a> {
    pub(super) cost: Cost<'a>,
    pub(super) events: &'a Events,
}

/// The name of a member that has a text of the profile, and with it any characters.
#[derive(Serialize)]
struct NameOfProfile<'a>(Cow<'a, str>);

impl Serialize for Totals<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let total = |&event: &usize| {
            let name = NameOfProfile(String::from_utf8_lossy(self.events.name(event)));
            (name, Number::of(self.cost.cost[event]))
        };
        serializer.collect_map(self.cost.shown.iter().map(total))
    }
}

/// Numbers of a row, by the names of their columns in CSV.
pub(super) struct Columns<'a> {
    pub(super) columns: &'a [(Column, Style<'a>)],
    pub(super) figures: &'a Figures<'a>,
}

/// What a column shows: a count, or a number with decimals.
#[derive(Serialize)]
#[serde(untagged)]
enum ColumnNumber {
    Count(Number),
    Decimal(f64),
}

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = self.columns.iter().filter(|(column, _)| column.show != Show::Step);
        serializer.collect_map(numbers.map(|(column, style)| {
            let name = String::from_utf8_lossy(&column.field(*style)).into_owned();
            let number = match column.cell(self.figures, style) {
                Cell::Count(count) | Cell::Change(count) => {
                    Number::of(count).map(ColumnNumber::Count)
                }
                cell => number_of(cell, style).map(ColumnNumber::Decimal),
            };
            (NameOfProfile(name.into()), number)
        }))
    }
}

/// The bounds of the shown counts of an estimated cost.
pub(super) struct Range<'a> {
    pub(super) shown: &'a [usize],
    pub(super) range: &'a CostRange,
}

impl Serialize for Range<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bounds = |&event: &usize| self.range[event].map(|bounds| bounds.map(Number::of));
        serializer.collect_seq(self.shown.iter().map(bounds))
    }
}

/// A member that is left out of its object if it is absent. (An [`Option`] is null then.)
#[derive(Clone, Copy, Serialize)]
#[serde(transparent)]
pub(in crate::render) struct Maybe<T>(Option<T>);

impl<T> Maybe<T> {
    pub(super) const ABSENT: Maybe<T> = Maybe(None);

    pub(in crate::render) fn is_absent(&self) -> bool {
        self.0.is_none()
    }
}

impl<T> Default for Maybe<T> {
    fn default() -> Maybe<T> {
        Maybe::ABSENT
    }
}

impl<T> From<Option<T>> for Maybe<T> {
    fn from(member: Option<T>) -> Maybe<T> {
        Maybe(member)
    }
}

impl<T> Maybe<Option<T>> {
    /// A member that is null without a value, or left out then if `omits_null`.
    pub(super) fn known(value: Option<T>, omits_null: bool) -> Maybe<Option<T>> {
        Maybe((value.is_some() || !omits_null).then_some(value))
    }
}

/// Which of the functions of a row are inlined copies.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum Inlined {
    No,
    Some,
    All,
}

impl From<InlinedPart> for Inlined {
    fn from(part: InlinedPart) -> Inlined {
        match part {
            InlinedPart::None => Inlined::No,
            InlinedPart::Some => Inlined::Some,
            InlinedPart::All => Inlined::All,
        }
    }
}

/// The only side of a difference that has a row.
#[derive(Clone, Copy)]
pub(super) struct OnlySide(pub(super) Mark);

impl Serialize for OnlySide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

/// The number of a cell, with the digits that it has in CSV; none if it is unknown.
pub(super) fn number_of(cell: Cell, style: &Style<'_>) -> Option<f64> {
    let mut text = Vec::new();
    cell.push_exact(style, &mut text);
    std::str::from_utf8(&text).ok()?.parse().ok()
}

/// The number that a count of an event is written as: the ratio that it holds, or its quotient by
/// the unit of the event.
pub(super) fn number(count: Count, event: usize, style: Style<'_>) -> Option<f64> {
    let style = match style.events.unit(event) {
        1 => Style { is_ratio: true, ..style },
        _ => style.in_unit_of(event),
    };
    number_of(Cell::Count(count), &style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::json::writer::text_of;

    #[test]
    fn an_absent_member_is_left_out_and_an_unknown_one_is_null() {
        #[derive(Serialize)]
        struct Members {
            #[serde(skip_serializing_if = "Maybe::is_absent")]
            a: Maybe<u32>,
            #[serde(skip_serializing_if = "Maybe::is_absent")]
            b: Maybe<Option<u32>>,
        }
        let members = |a: Option<u32>, b| text_of(&Members { a: a.into(), b });
        assert_eq!(members(None, Maybe::ABSENT), "{}");
        assert_eq!(members(Some(1), Maybe::known(None, false)), r#"{"a":1,"b":null}"#);
        assert_eq!(members(None, Maybe::known(None, true)), "{}");
        assert_eq!(members(None, Maybe::known(Some(2), true)), r#"{"b":2}"#);
    }

    #[test]
    fn a_cost_has_the_shown_events_in_their_order() {
        let cost = [Count::new(7), Count::UNDEFINED, Count::new(-3)];
        assert_eq!(text_of(&Cost::new(&[2, 0, 1], &cost)), "[-3,7,null]");
        assert_eq!(text_of(&Cost::new(&[], &cost)), "[]");
        // An instruction that was not executed has no costs.
        assert_eq!(text_of(&Cost::new(&[0, 1], &[])), "[null,null]");
    }

    #[test]
    fn a_range_has_two_bounds_of_each_shown_event() {
        let range = vec![Some([Count::new(1), Count::new(5)]), None];
        assert_eq!(text_of(&Range { shown: &[1, 0], range: &range }), "[null,[1,5]]");
    }

    #[test]
    fn an_address_has_hexadecimal_digits() {
        assert_eq!(text_of(&Address(0x40_11f0)), r#""0x4011f0""#);
        assert_eq!(text_of(&Address(0)), r#""0x0""#);
    }

    #[test]
    fn what_one_side_has_and_what_is_inlined_are_words() {
        assert_eq!(text_of(&[Mark::New, Mark::Gone].map(OnlySide)), r#"["new","gone"]"#);
        let parts = [InlinedPart::None, InlinedPart::Some, InlinedPart::All];
        assert_eq!(text_of(&parts.map(Inlined::from)), r#"["no","some","all"]"#);
    }
}
