//! The figures of both sides of a difference.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(test)]
use super::schema::AlsoRequired;
use super::value::{Cost, Inlined, Maybe, Number, Range};
use crate::profile::{BASE, NEW};
use crate::render::measure::Figures;
use crate::view::{ItemCost, Mark};

/// The members that only a difference has: the figures of each side. (Those beside them are the
/// changes, NEW minus BASE.)
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
pub(super) struct BothSides<'a> {
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    pub(super) base: Maybe<Box<Side<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    pub(super) new: Maybe<Box<Side<'a>>>,
}

/// The figures of one side of a difference, or of one profile of a series; null is what the side
/// does not have.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["self", "inclusive", "calls"])))]
pub(super) struct Side<'a> {
    #[serde(rename = "self", skip_serializing_if = "Maybe::is_absent")]
    own: Maybe<Option<Cost<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive: Maybe<Option<Cost<'a>>>,
    /// The bounds of the inclusive cost, where it is estimated.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive_range: Maybe<Range<'a>>,
    /// The calls from other rows.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    calls: Maybe<Option<Number>>,
    /// In the page the number of those whose cost is a part of the cost of other calls.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    nested: Maybe<Number>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<Inlined>,
}

impl<'a> Side<'a> {
    /// The figures of one profile of a series.
    pub(super) fn of_series(figures: &Figures<'a>, side: usize, shown: &'a [usize]) -> Side<'a> {
        let cost = |cost: Option<ItemCost<'a>>| cost.map(|cost| Cost::new(shown, cost.value));
        let range = figures.estimate.and_then(|estimate| estimate.range(side));
        let calls = figures.calls.and_then(|calls| Number::of(calls.value.by_others));
        Side {
            own: Some(cost(figures.cost)).into(),
            inclusive: Some(cost(figures.inclusive)).into(),
            inclusive_range: range.map(|range| Range { shown, range }).into(),
            calls: Some(calls).into(),
            nested: Maybe::ABSENT,
            inlined: Maybe::ABSENT,
        }
    }
}

impl<'a> BothSides<'a> {
    /// Absent if the figures are not those of a difference. Figures that are unknown or not on a
    /// side are null, or left out in details of the page; `inlined` is that of BASE and of NEW.
    #[cold]
    pub(super) fn of(
        figures: &Figures<'a>,
        inlined: [Option<Inlined>; 2],
        is_page_detail: bool,
        shown: &'a [usize],
    ) -> BothSides<'a> {
        let mut costs = figures.cost.iter().chain(&figures.inclusive);
        if costs.clone().all(|cost| cost.compared.is_none()) {
            return BothSides::default();
        }
        let mark = costs.find_map(|cost| cost.mark());
        let side = |side: usize, other_mark: Mark, inlined: Option<Inlined>| {
            let has_item = mark != Some(other_mark);
            let figures = if has_item { figures.on(side) } else { Figures::default() };
            let cost = |cost: Option<ItemCost<'a>>| Some(Cost::new(shown, cost?.value));
            let range = figures.estimate.and_then(|estimate| estimate.range(side));
            let counts = figures.calls.map(|calls| calls.value);
            let nested =
                counts.filter(|_| is_page_detail).and_then(|counts| Number::of(counts.nested));
            let calls = counts.and_then(|counts| Number::of(counts.by_others));
            Box::new(Side {
                own: Maybe::known(cost(figures.cost), is_page_detail),
                inclusive: Maybe::known(cost(figures.inclusive), is_page_detail),
                inclusive_range: range.map(|range| Range { shown, range }).into(),
                calls: Maybe::known(calls, is_page_detail),
                nested: nested.filter(|nested| nested.0 > 0).into(),
                inlined: inlined.into(),
            })
        };
        let [base, new] = inlined;
        BothSides {
            base: Some(side(BASE, Mark::New, base)).into(),
            new: Some(side(NEW, Mark::Gone, new)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Count;
    use crate::render::json::writer::text_of;
    use crate::view::{Cost as Counts, Figure};

    /// A change from 1 to 3.
    fn changed(mark: Option<Mark>) -> Figure<Counts> {
        let mut figure = Figure::undefined(1, true).marked(mark);
        let sides = figure.compared.as_mut().unwrap();
        (sides.base, sides.new) = (vec![Count::new(1)], vec![Count::new(3)]);
        figure.value = vec![Count::new(2)];
        figure
    }

    fn text(figure: &Figure<Counts>, is_page_detail: bool) -> String {
        let figures = Figures::of_cost(figure.counts());
        let inlined = [None, Some(Inlined::All)];
        text_of(&BothSides::of(&figures, inlined, is_page_detail, &[0]))
    }

    #[test]
    fn only_a_difference_has_sides() {
        assert_eq!(text(&Figure::undefined(1, false), false), "{}");
    }

    #[test]
    fn unknown_figures_are_null_but_in_the_page() {
        let all = r#"{"base":{"self":[1],"inclusive":null,"calls":null},"#.to_owned()
            + r#""new":{"self":[3],"inclusive":null,"calls":null,"inlined":"all"}}"#;
        assert_eq!(text(&changed(None), false), all);
        let known = r#"{"base":{"self":[1]},"new":{"self":[3],"inlined":"all"}}"#;
        assert_eq!(text(&changed(None), true), known);
    }

    #[test]
    fn a_side_without_the_row_has_no_figures() {
        let new = r#"{"base":{},"new":{"self":[3],"inlined":"all"}}"#;
        assert_eq!(text(&changed(Some(Mark::New)), true), new);
        let gone = r#"{"base":{"self":[1]},"new":{"inlined":"all"}}"#;
        assert_eq!(text(&changed(Some(Mark::Gone)), true), gone);
    }
}
