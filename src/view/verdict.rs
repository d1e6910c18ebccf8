//! Limits on the growth of a difference, compared exactly, and what came of them.

use std::cmp::Ordering;

use super::figure::costs_of_place;
use crate::profile::{Count, Profile};
use crate::view::figure::{Cost, Figure, Mark, Total};
use crate::view::item::Item;
use crate::view::rows::Rows;

/// A percentage as it was written, to be compared without rounding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percentage {
    /// How it was written, without the percent sign.
    pub text: String,
    /// The digits without the point.
    digits: i128,
    /// Ten to the power of the number of decimals.
    scale: i128,
}

/// The most digits before and after the point of a percentage.
const MAX_DIGITS: usize = 9;

impl Percentage {
    /// A percentage of up to nine digits and nine decimals; a percent sign after it is tolerated.
    pub fn parse(text: &str) -> Option<Percentage> {
        let text = text.strip_suffix('%').unwrap_or(text);
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = [whole, decimals].concat();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let fits = whole.len() <= MAX_DIGITS && decimals.len() <= MAX_DIGITS;
        (is_number && fits).then_some(())?;
        Some(Percentage {
            text: text.to_owned(),
            digits: digits.parse().ok()?,
            scale: 10i128.pow(u32::try_from(decimals.len()).ok()?),
        })
    }

    /// How a part of a whole compares with this percentage of its size.
    fn cmp_part(&self, part: i64, whole: i64) -> Ordering {
        let part = i128::from(part) * 100 * self.scale;
        part.cmp(&(self.digits * i128::from(whole.unsigned_abs())))
    }

    /// Whether a figure grew by more. Any growth from 0 is more.
    fn is_exceeded(&self, figure: Figure<Count>) -> bool {
        let change = figure.value.or_zero();
        let base = figure.compared.map_or(0, |sides| sides.base.or_zero());
        change > 0 && (base == 0 || self.cmp_part(change, base).is_gt())
    }
}

/// What a limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// The total, or the self cost of the rows that the filter selects.
    Total,
    /// Each row.
    Row,
}

/// The largest growth that is no failure.
#[derive(Clone, Debug)]
pub struct Limit {
    /// What it applies to.
    pub of: Limited,
    /// The event; the first one to sort by if none.
    pub event: Option<Vec<u8>>,
    /// Percent of what was there before.
    pub percent: Percentage,
}

/// The rows that a limit applies to.
#[derive(Clone, Debug)]
pub struct RowLimit {
    /// The event.
    pub event: usize,
    /// The least part of NEW's total that they have in NEW, in percent.
    pub min: Percentage,
}

impl RowLimit {
    /// The row that grew most.
    pub(super) fn most_grown(
        &self,
        items: impl Iterator<Item = (Item, Figure<Count>)>,
        rows: &Rows<'_>,
        total: &Total,
    ) -> Option<(Item, Figure<Count>)> {
        let (_, total) = total.figure.sides()?;
        let total = total[self.event].or_zero();
        let after = |figure: &Figure<Count>| figure.compared.map_or(0, |sides| sides.new.or_zero());
        let is_large = |figure: &Figure<Count>| self.min.cmp_part(after(figure), total).is_ge();
        let grown = items.filter(|(_, figure)| figure.value.or_zero() > 0 && is_large(figure));
        grown.min_by(|(a, figure_a), (b, figure_b)| {
            let by_growth = cmp_growth(*figure_b, *figure_a);
            by_growth.then_with(|| a.cmp_names(*b, rows))
        })
    }
}

/// What came of a limit.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Whether nothing grew by more.
    pub passed: bool,
    /// What the limit applies to.
    pub of: Limited,
    /// The event.
    pub event: usize,
    /// The limit.
    pub limit: Percentage,
    /// The cost that was compared: of rows that of the one that grew most; none if no row grew.
    pub figure: Option<Figure<Count>>,
    /// That row.
    pub item: Option<Item>,
}

impl Verdict {
    /// The verdict on a total.
    pub fn of_total(limit: &Percentage, event: usize, figure: Figure<Count>) -> Verdict {
        Verdict {
            passed: !limit.is_exceeded(figure),
            of: Limited::Total,
            event,
            limit: limit.clone(),
            figure: Some(figure),
            item: None,
        }
    }

    /// The verdict on rows, of which this one grew most.
    pub fn of_rows(
        limit: &Percentage,
        event: usize,
        worst: Option<(Item, Figure<Count>)>,
    ) -> Verdict {
        Verdict {
            passed: !worst.is_some_and(|(_, figure)| limit.is_exceeded(figure)),
            of: Limited::Row,
            event,
            limit: limit.clone(),
            figure: worst.map(|(_, figure)| figure),
            item: worst.map(|(item, _)| item),
        }
    }

    /// The growth in percent; none if it is from 0.
    pub fn percent(&self) -> Option<f64> {
        self.figure?.percent()
    }

    /// Whether the row is new.
    pub fn is_new(&self) -> bool {
        let mark = self.figure.and_then(|figure| figure.mark());
        mark == Some(Mark::New)
    }
}

/// Compares growths in percent of what was there before; growth from 0 is more than any other.
fn cmp_growth(a: Figure<Count>, b: Figure<Count>) -> Ordering {
    let parts = |figure: Figure<Count>| {
        let base = figure.compared.map_or(0, |sides| sides.base.or_zero());
        (
            i128::from(figure.value.or_zero()),
            i128::from(base.unsigned_abs()),
        )
    };
    let ((change_a, base_a), (change_b, base_b)) = (parts(a), parts(b));
    match (base_a == 0, base_b == 0) {
        (true, true) => change_a.cmp(&change_b),
        (false, false) => (change_a * base_b).cmp(&(change_b * base_a)),
        (is_new, _) => is_new.cmp(&!is_new),
    }
}

/// The self cost of all rows that the filter selects.
pub fn selected_cost(profile: &Profile, rows: &Rows<'_>) -> Figure<Cost> {
    let mut sum = Figure::undefined(profile.events().len(), profile.is_difference());
    for (number, &place) in profile.places().iter().enumerate() {
        if rows.is_selected(rows.of_place(place)) {
            sum.add_sides(costs_of_place(profile, number));
        }
    }
    sum.derive(profile.events());
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::figure::Compared;

    fn figure(base: i64, new: i64) -> Figure<Count> {
        let count = |value| Count::new(value);
        Figure {
            value: count(new - base),
            compared: Some(Compared {
                base: count(base),
                new: count(new),
                mark: None,
            }),
        }
    }

    #[test]
    fn limits_are_compared_exactly() {
        for (limit, base, new, exceeds) in [
            ("1", 100, 101, false),
            ("1%", 10_000, 10_101, true),
            ("0.1", 1_000, 1_001, false),
            ("0.1", 10_000_000_000_000_000, 10_010_000_000_000_000, false),
            ("0.1", 10_000_000_000_000_000, 10_010_000_000_000_001, true),
            ("0", 100, 100, false),
            ("0", 100, 101, true),
            ("50", 0, 1, true),
            ("50", 0, 0, false),
            ("10", -100, -90, false),
            ("10", -100, -89, true),
            ("999999999", 1, i64::MAX - 1, true),
        ] {
            let limit = Percentage::parse(limit).unwrap();
            assert_eq!(
                limit.is_exceeded(figure(base, new)),
                exceeds,
                "{limit:?} {base} {new}"
            );
        }
        for text in [
            "",
            "%",
            ".",
            "-1",
            "1e1",
            "nan",
            "1.2.3",
            " 1",
            "+1",
            "1.0123456789",
        ] {
            assert_eq!(Percentage::parse(text), None, "{text}");
        }
    }

    #[test]
    fn growth_is_compared_in_percent() {
        assert!(cmp_growth(figure(10, 20), figure(100, 150)).is_gt());
        assert!(cmp_growth(figure(0, 1), figure(1, 100)).is_gt());
        assert!(cmp_growth(figure(0, 1), figure(0, 2)).is_lt());
    }
}
