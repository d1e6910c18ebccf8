//! Limits on the growth between BASE and NEW, compared without rounding, and their verdicts.

use crate::graph::{CallGraph, Partition};
use crate::profile::{Count, Sides};
use crate::view::figure::{Cost, Figure, FigureTable};
use crate::view::rows::Rows;

/// A decimal percentage that is compared without rounding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Percentage {
    /// The text as given, without the percent sign.
    pub text: String,
    digits: i128,
    /// Ten to the power of the number of decimals.
    scale: i128,
}

/// The maximum number of digits before and after the point of a percentage.
const MAX_DIGITS: usize = 9;

impl Percentage {
    /// Parses a percentage of up to nine digits and nine decimals, with an optional percent sign.
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

    /// Whether a figure grew by more than this percentage. Any growth from 0 exceeds it.
    fn is_exceeded(&self, figure: Figure<Count>) -> bool {
        let change = figure.value.or_zero();
        let base = figure.compared.map_or(0, |sides| sides.base.or_zero());
        let limit = self.digits * i128::from(base.unsigned_abs());
        change > 0 && i128::from(change) * 100 * self.scale > limit
    }
}

/// The maximum allowed growth of the total, or of the rows that the filter selects: their self cost, or with
/// --inclusive their inclusive cost.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The event; none for the first sort event.
    pub event: Option<Vec<u8>>,
    /// The maximum growth in percent of BASE.
    pub percent: Percentage,
}

pub struct Verdict {
    pub passed: bool,
    pub event: usize,
    pub limit: Percentage,
    pub figure: Figure<Count>,
}

impl Verdict {
    pub fn new(limit: &Percentage, event: usize, figure: Figure<Count>) -> Verdict {
        Verdict { passed: !limit.is_exceeded(figure), event, limit: limit.clone(), figure }
    }
}

/// The self cost of all rows that the filter selected.
pub fn selected_cost(rows: &Rows<'_>) -> Figure<Cost> {
    let profile = rows.profile;
    let costs =
        profile.self_costs_by(1, |id, _| rows.is_selected(rows.of_fragment(id)).then_some(0));
    FigureTable::new(costs, profile.events()).get(0).to_owned()
}

/// The inclusive cost of all rows that the filter selected, as one group.
pub fn selected_inclusive_cost(graphs: &Sides<CallGraph<'_>>, rows: &Rows<'_>) -> Figure<Cost> {
    let profile = rows.profile;
    let is_other = |(id, _)| u32::from(!rows.is_selected(rows.of_fragment(id)));
    let of_fragment = profile.fragments_with_ids().map(is_other);
    let mut groups = Partition::new(profile, 2, of_fragment.collect());
    groups.has_homes = rows.partition.has_homes;
    let costs = graphs.as_ref().map(|graph| graph.inclusive(&groups));
    let costs = FigureTable::new(costs, profile.events());
    costs.get(0).to_owned()
}
