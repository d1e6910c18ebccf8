//! The sides of a difference, beside the change: members `base` and `new` of a row, a line or a call.

use serde::Serialize;

use super::Cost;
use crate::view::{CostFigure, Figure, Mark};

#[derive(Serialize)]
pub(super) struct BothSides<'a> {
    pub(super) base: Side<'a>,
    pub(super) new: Side<'a>,
}

/// What is null is not known of this side, or the side does not have it.
#[derive(Serialize)]
pub(super) struct Side<'a> {
    #[serde(rename = "self")]
    own: Option<Cost<'a>>,
    inclusive: Option<Cost<'a>>,
    calls: Option<i64>,
}

impl<'a> BothSides<'a> {
    /// The sides of these figures of one thing; none if there is no difference.
    pub(super) fn new(
        own: Option<CostFigure<'a>>,
        inclusive: Option<CostFigure<'a>>,
        calls: Option<Figure<i64>>,
        shown: &'a [usize],
    ) -> Option<BothSides<'a>> {
        let marks = [own, inclusive].into_iter().flatten();
        let mark = marks.clone().find_map(|figure| figure.mark());
        if !marks.into_iter().any(|figure| figure.compared.is_some()) {
            return None;
        }
        let side = |is_base: bool| {
            let absent = if is_base { Mark::New } else { Mark::Gone };
            let has = mark != Some(absent);
            let cost = |figure: CostFigure<'a>| {
                let (base, new) = figure.compared.map(|sides| (sides.base, sides.new))?;
                let cost = if is_base { base } else { new };
                has.then_some(Cost { shown, cost })
            };
            let count = |figure: Figure<i64>| {
                let (&base, &new) = figure.sides()?;
                has.then_some(if is_base { base } else { new })
            };
            Side {
                own: own.and_then(cost),
                inclusive: inclusive.and_then(cost),
                calls: calls.and_then(count),
            }
        };
        Some(BothSides {
            base: side(true),
            new: side(false),
        })
    }

    /// The sides of a self cost alone.
    pub(super) fn of_self(own: CostFigure<'a>, shown: &'a [usize]) -> Option<BothSides<'a>> {
        BothSides::new(Some(own), None, None, shown)
    }
}
