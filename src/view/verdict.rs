//! Limits on the growth between BASE and NEW, or on a total, compared without rounding, and their
//! verdicts.

use crate::graph::RowCosts;
use crate::graph::{CallGraph, Partition};
use crate::profile::{Count, Fraction, FragmentId, Profile, Sides};
use crate::view::figure::{Cost, Figure, FigureTable};
use crate::view::row_costs::estimates;
use crate::view::rows::Rows;

/// A decimal percentage, or a number as it is, that is compared without rounding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitNumber {
    /// The text as given, without the percent sign.
    pub text: String,
    /// Whether it was given with one.
    pub is_percentage: bool,
    digits: i128,
    /// Ten to the power of the number of decimals.
    scale: i128,
}

/// The maximum number of digits before and after the point of a percentage: with them, all products
/// fit into 256 bits.
const MAX_DIGITS: usize = 18;

/// What may follow a number, and how many zeros each is.
const UNITS: [(char, usize); 5] = [('%', 0), ('K', 3), ('k', 3), ('M', 6), ('G', 9)];

impl LimitNumber {
    /// Parses a number of up to 18 digits and 18 decimals, in percent (%), thousands (K or
    /// k), millions (M) or billions (G), or as it is.
    pub fn parse(text: &str) -> Option<LimitNumber> {
        let in_unit = |&(unit, zeros): &(char, usize)| Some((text.strip_suffix(unit)?, zeros));
        let (number, zeros) = UNITS.iter().find_map(in_unit).unwrap_or((text, 0));
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let digits = [whole, decimals].concat();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let fits = whole.len() + zeros <= MAX_DIGITS && decimals.len() <= MAX_DIGITS;
        (is_number && fits).then_some(())?;
        Some(LimitNumber {
            text: text.strip_suffix('%').unwrap_or(text).to_owned(),
            is_percentage: text.ends_with('%'),
            digits: (digits + &"0".repeat(zeros)).parse().ok()?,
            scale: 10i128.pow(u32::try_from(decimals.len()).ok()?),
        })
    }

    /// Whether a figure grew by more than this percentage. Any growth from 0 exceeds it.
    fn is_exceeded(&self, figure: Figure<Count>) -> bool {
        let change = figure.value.or_zero();
        let base = figure.compared.map_or(0, |sides| sides.base.or_zero());
        change > 0 && self.is_below(change.unsigned_abs().into(), base.unsigned_abs().into())
    }

    /// The same for a ratio. Fractions are compared by the products of each sum with the other's
    /// divisor.
    fn is_exceeded_by_ratio(&self, base: Fraction, new: Fraction) -> bool {
        let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
        // Both changed to the divisor `base.by * new.by`, whose sign is that of the change.
        let sign = i128::from(base.by.signum() * new.by.signum());
        let change = (product(new.sum, base.by) - product(base.sum, new.by)) * sign;
        let size = product(base.sum, new.by).unsigned_abs();
        change > 0 && self.is_below(change.unsigned_abs(), size)
    }

    /// Whether the number itself, or as a percentage its hundredth, is below a value, which is a
    /// sum by a divisor.
    fn is_below_value(&self, value: Fraction) -> bool {
        let sum = i128::from(value.sum) * i128::from(value.by.signum());
        let divisor = value.by.unsigned_abs().into();
        if self.is_percentage {
            return sum > 0 && self.is_below(sum.unsigned_abs(), divisor);
        }
        let [scale, limit] = [self.scale, self.digits].map(i128::unsigned_abs);
        sum > 0 && wide_product(sum.unsigned_abs(), scale) > wide_product(divisor, limit)
    }

    /// Whether it is at most a number.
    pub fn is_at_most(&self, number: u16) -> bool {
        self.digits <= i128::from(number) * self.scale
    }

    /// Whether this part of a size is below a change.
    fn is_below(&self, change: u128, size: u128) -> bool {
        let [percent, limit] = [100 * self.scale, self.digits].map(i128::unsigned_abs);
        wide_product(change, percent) > wide_product(size, limit)
    }
}

/// The product of two numbers, as its upper and lower half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let [(a_high, a_low), (b_high, b_low)] = [a, b].map(|number| (number >> 64, number & LOW));
    // No overflow: a product of halves leaves room for two halves to be added.
    let low = a_low * b_low;
    let first = a_high * b_low + (low >> 64);
    let second = a_low * b_high + (first & LOW);
    (a_high * b_high + (first >> 64) + (second >> 64), second << 64 | low & LOW)
}

/// The maximum of the total, or of the rows that the filter selects: of their self cost, or with
/// --inclusive of their inclusive cost.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The event; none for the first sort event.
    pub event: Option<Vec<u8>>,
    /// The maximum growth in percent of BASE, or without one the maximum itself.
    pub number: LimitNumber,
}

/// Whether a total or selected cost grew by more than a limit, or is more than it.
pub struct Verdict {
    pub passed: bool,
    pub event: usize,
    pub limit: LimitNumber,
    pub figure: Figure<Count>,
    is_ratio: bool,
    /// Without a base, what the figure is judged as a share of.
    share_of: Option<i64>,
}

impl Verdict {
    pub fn new(limit: &LimitNumber, event: usize, figure: Figure<Count>) -> Verdict {
        let passed = !limit.is_exceeded(figure);
        Verdict { passed, event, limit: limit.clone(), figure, is_ratio: false, share_of: None }
    }

    /// The verdict on a ratio that is defined on both sides.
    pub fn of_ratio(
        limit: &LimitNumber,
        event: usize,
        figure: Figure<Count>,
        base: Fraction,
        new: Fraction,
    ) -> Verdict {
        let passed = !limit.is_exceeded_by_ratio(base, new);
        Verdict { passed, event, limit: limit.clone(), figure, is_ratio: true, share_of: None }
    }

    /// The verdict on a figure without a base, whose value is a sum by a divisor.
    pub fn of_value(
        limit: &LimitNumber,
        event: usize,
        figure: Figure<Count>,
        value: Fraction,
    ) -> Verdict {
        let passed = !limit.is_below_value(value);
        Verdict { passed, event, limit: limit.clone(), figure, is_ratio: false, share_of: None }
    }

    /// The verdict on a figure without a base, as a share of a total.
    pub fn of_share(
        limit: &LimitNumber,
        event: usize,
        figure: Figure<Count>,
        total: i64,
    ) -> Verdict {
        let share = Fraction { sum: figure.value.or_zero(), by: total };
        Verdict { share_of: Some(total), ..Verdict::of_value(limit, event, figure, share) }
    }

    /// The change in percent of BASE, or the share of a total; none if that is 0.
    pub fn percent(&self) -> Option<f64> {
        if let Some(total) = self.share_of {
            let share = 100.0 * self.figure.value.or_zero() as f64 / total as f64;
            return (total != 0).then_some(share);
        }
        if self.is_ratio { self.figure.percent_of_ratio() } else { self.figure.percent() }
    }
}

/// The self cost of all selected code, as the only item.
pub fn selected_cost(profile: &Profile, is_selected: impl Fn(FragmentId) -> bool) -> FigureTable {
    let costs = profile.self_costs_by(1, |id, _| is_selected(id).then_some(0));
    FigureTable::new(costs, profile)
}

/// The inclusive cost of all selected code of these rows, as one group: the first item.
pub fn selected_inclusive_cost(
    graphs: &Sides<CallGraph<'_>>,
    rows: &Rows<'_>,
    is_selected: impl Fn(FragmentId) -> bool,
) -> FigureTable {
    let of_sides = inclusive_of_selected(graphs, rows, is_selected);
    FigureTable::new(of_sides.map(|of_side| of_side.costs), rows.profile)
}

/// What code costs as one group.
pub struct GroupCost {
    pub cost: Figure<Cost>,
    /// The events of which the cost is estimated; empty if none is.
    pub is_marked: Vec<bool>,
}

impl GroupCost {
    /// The inclusive cost of all selected code of these rows.
    pub fn of_selected(
        graphs: &Sides<CallGraph<'_>>,
        rows: &Rows<'_>,
        is_selected: impl Fn(FragmentId) -> bool,
    ) -> GroupCost {
        let mut of_sides = inclusive_of_selected(graphs, rows, is_selected);
        let is_marked = estimates(&mut of_sides, rows).remove(&0).map(|of| of.is_marked);
        let costs = FigureTable::new(of_sides.map(|of_side| of_side.costs), rows.profile);
        GroupCost { cost: costs.get(0).to_owned(), is_marked: is_marked.unwrap_or_default() }
    }
}

/// By side the inclusive costs of selected code, the first row, and of all other code.
fn inclusive_of_selected(
    graphs: &Sides<CallGraph<'_>>,
    rows: &Rows<'_>,
    is_selected: impl Fn(FragmentId) -> bool,
) -> Sides<RowCosts> {
    let profile = rows.profile;
    let is_other = |(id, _)| u32::from(!is_selected(id));
    let of_fragment = profile.fragments_with_ids().map(is_other);
    let mut groups = Partition::new(profile, 2, of_fragment.collect());
    groups.has_homes = rows.partition.has_homes;
    graphs.as_ref().map(|graph| graph.inclusive(&groups))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exceeds(limit: &str, [a, b, c, d]: [i64; 4]) -> bool {
        let [base, new] = [(a, b), (c, d)].map(|(sum, by)| Fraction { sum, by });
        LimitNumber::parse(limit).unwrap().is_exceeded_by_ratio(base, new)
    }

    #[test]
    fn limits_of_ratios_are_exact() {
        const MOST: i64 = 1 << 61;
        let table = [
            // Exactly the limit is not above it.
            ("50", [1600, 1_000_000_000, 2400, 1_000_000_000], false),
            ("49.999999999", [1600, 1_000_000_000, 2400, 1_000_000_000], true),
            ("1", [2499, 1_000_000_000, 2501, 1_000_000_000], false),
            ("0", [1, 3, 2, 6], false),
            // Growth from 0.
            ("999999999", [0, 5, 1, MOST], true),
            ("0", [0, 5, 0, 7], false),
            // Signs: from -1/2 to -1/4 and back, also with the sign in the divisor.
            ("49", [-1, 2, -1, 4], true),
            ("50", [1, -2, -1, 4], false),
            ("0", [-1, 4, -1, 2], false),
            ("0", [1, -4, 1, -8], true),
            // The products need 122 bits, and 182 with the limit.
            ("0", [MOST - 1, MOST, MOST, MOST], true),
            ("0", [MOST, MOST, MOST - 1, MOST], false),
            ("999999999.999999999", [1, MOST, MOST, 1], true),
            ("999999999", [MOST, 1, MOST, 2], false),
            // All decimals count: a third of the base is more than any of these.
            ("33.3333333333333", [3, 1, 4, 1], true),
            ("33.333333333333333333", [3, 1, 4, 1], true),
            ("33.333333333333333334", [3, 1, 4, 1], false),
            ("999999999999999999.999999999999999999", [1, MOST, MOST, 1], true),
        ];
        for (limit, sums, is_exceeded) in table {
            assert_eq!(exceeds(limit, sums), is_exceeded, "{limit} {sums:?}");
        }
    }

    #[test]
    fn limits_of_values_are_exact() {
        let table = [
            ("1000", (1000, 1), false),
            ("1000", (1001, 1), true),
            ("999.5", (1000, 1), true),
            ("0.1", (1, 10), false),
            ("0.1", (11, 100), true),
            ("0", (0, 1), false),
            ("0", (-5, 1), false),
            ("0.5", (-2, -3), true),
            ("999999999999999999", (i64::MAX, 1), true),
            ("999999999999999999", (i64::MAX, 10), false),
            ("50M", (50_000_000, 1), false),
            ("50M", (50_000_001, 1), true),
            ("1.5K", (1500, 1), false),
            ("1.5K", (1501, 1), true),
            ("1.5k", (1501, 1), true),
            ("9G", (9_000_000_001, 1), true),
            ("5%", (5, 100), false),
            ("5%", (501, 10_000), true),
            ("0.5%", (-6, -1000), true),
            ("0%", (0, 0), false),
        ];
        for (limit, (sum, by), is_exceeded) in table {
            let number = LimitNumber::parse(limit).unwrap();
            assert_eq!(
                number.is_below_value(Fraction { sum, by }),
                is_exceeded,
                "{limit} {sum} {by}"
            );
        }
    }

    #[test]
    fn numbers_of_limits() {
        let table = [
            ("5", true),
            ("5%", true),
            ("0.5M", true),
            ("999999999G", true),
            ("1000000000G", false),
            ("M", false),
            ("5MM", false),
            ("5M%", false),
            ("5m", false),
            ("-5", false),
        ];
        for (text, is_number) in table {
            assert_eq!(LimitNumber::parse(text).is_some(), is_number, "{text}");
        }
    }

    proptest! {
        #[test]
        fn wide_products_are_those_of_128_bits(a in any::<u64>(), b in any::<u64>()) {
            prop_assert_eq!(wide_product(a.into(), b.into()), (0, u128::from(a) * u128::from(b)));
            let (high, low) = wide_product(u128::from(a) << 64, u128::from(b) << 60);
            let product = u128::from(a) * u128::from(b);
            prop_assert_eq!((high, low), (product >> 4, product << 124));
        }

        #[test]
        fn limits_of_ratios_are_those_of_counts(base in 1i64..1 << 40, new in 0i64..1 << 40, by in 1i64..1 << 20) {
            let compared = crate::view::figure::Compared {
                base: Count::new(base), new: Count::new(new), mark: None,
            };
            let figure = Figure { value: Count::new(new - base), compared: Some(compared) };
            for limit in ["0", "0.1", "7.25"] {
                let is_exceeded = LimitNumber::parse(limit).unwrap().is_exceeded(figure);
                prop_assert_eq!(exceeds(limit, [base, by, new, by]), is_exceeded);
                prop_assert_eq!(exceeds(limit, [-base, -by, -new, -by]), is_exceeded);
            }
        }
    }
}
