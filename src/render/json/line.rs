//! The lines of a row, and the calls made there.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
#[cfg(test)]
use super::schema::AlsoRequired;
use super::sides::{BothSides, Side};
use super::value::{Cost, Maybe, Name, Number};
use crate::render::measure::Figures;
use crate::view::asm::{Executed, LineJump};
use crate::view::{
    CallCounts, CostFigure, Figure, ItemFigure, LineCost, LineKey, RowDetails, RowId,
};

/// The cost of a line.
// A report has most members in lines and calls, so these are not flattened from structs.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["self"])))]
pub(super) struct Line<'a> {
    /// The number of the line, 0 if unknown; null if NEW does not have the line.
    line: Option<u32>,
    /// In a difference its number in BASE; null if BASE does not have the line.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base_line: Maybe<Option<u32>>,
    /// The cost of the line's own code; in a difference the change.
    #[serde(rename = "self", skip_serializing_if = "Maybe::is_absent")]
    own: Maybe<Cost<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base: Maybe<Box<Side<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    new: Maybe<Box<Side<'a>>>,
    /// With `--counts`, if the profile has addresses, how often the line was executed; null if
    /// unknown.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    executed: Maybe<Option<Number>>,
    /// True if that is an estimate, as optimized code leaves it open.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    executed_estimated: Maybe<bool>,
    /// With `--counts`, if the profile has jumps, those from the line, the most frequent first.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    jumps: Maybe<Vec<Jump<'a>>>,
}

/// Jumps from a line to another.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Jump<'a> {
    /// The file of the other line.
    file: Name<'a>,
    line: u32,
    conditional: bool,
    /// How often they jumped.
    taken: Number,
    /// How often they were executed.
    executed: Number,
}

/// Calls from a line to a row.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["inclusive"])))]
pub(super) struct Call<'a> {
    /// The number of the line, 0 if unknown; null if NEW does not have the line.
    line: Option<u32>,
    /// In a difference its number in BASE; null if BASE does not have the line.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base_line: Maybe<Option<u32>>,
    /// The row of the callee; null if it is not listed.
    id: Option<usize>,
    /// The file of a callee that is a function.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    file: Maybe<Name<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    function: Maybe<Name<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    group: Maybe<Name<'a>>,
    /// The line at which the callee begins, if known.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    target: Maybe<u32>,
    /// The number of calls; null if unknown, or if all are executions of inlined copies.
    count: Option<Number>,
    /// In the page the number of those whose cost is a part of the cost of other calls.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    nested: Maybe<Number>,
    /// True if there are executions of inlined copies, which are not counted.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<bool>,
    /// The inclusive cost of the calls, as recorded; in a difference the change.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive: Maybe<Cost<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    base: Maybe<Box<Side<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    new: Maybe<Box<Side<'a>>>,
}

/// The name of another row.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
pub(super) struct RowName<'a> {
    /// The file of a function.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    file: Maybe<Name<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    function: Maybe<Name<'a>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    group: Maybe<Name<'a>>,
}

/// The number and cost of calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["inclusive"])))]
pub(super) struct Calls<'a> {
    /// The number of calls; null if unknown, or if all are executions of inlined copies.
    count: Option<Number>,
    /// In the page the number of those whose cost is a part of the cost of other calls.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    nested: Maybe<Number>,
    /// True if there are executions of inlined copies, which are not counted.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<bool>,
    /// The inclusive cost of the calls, as recorded; in a difference the change.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive: Maybe<Cost<'a>>,
    #[serde(flatten)]
    sides: BothSides<'a>,
}

impl JsonReport<'_, '_> {
    /// The lines of a row; `details` are those of several rows, of which it has this number.
    pub(super) fn lines_of<'d>(
        &'d self,
        row: RowId,
        details: &'d RowDetails,
        number: usize,
    ) -> Vec<Line<'d>> {
        let lines = details.lines.of_row(number).map(|(line, cost)| {
            let (executed, jumps) =
                (self.executed(row, line.key.new), self.jumps(row, line.key.new));
            let is_estimated = executed.flatten().is_some_and(|of| of.is_estimated);
            Line {
                executed: executed.map(|of| of.map(|of| Number(of.count))).into(),
                executed_estimated: is_estimated.then_some(true).into(),
                jumps: jumps.into(),
                ..Line::of(self, line, cost, Some(&line.calls))
            }
        });
        lines.collect()
    }

    fn executed(&self, row: RowId, line: u32) -> Option<Option<Executed>> {
        let flow = self.flow.as_ref().filter(|flow| flow.counts)?;
        Some(flow.flow.executed(row.index(), line))
    }

    fn jumps(&self, row: RowId, line: u32) -> Option<Vec<Jump<'_>>> {
        let profile = self.listed.rows.profile;
        let flow = self.flow.as_ref().filter(|flow| flow.jumps)?;
        let jump = |jump: &LineJump| Jump {
            file: Name(profile.file(jump.target.0)),
            line: jump.target.1,
            conditional: jump.is_conditional,
            taken: Number(jump.taken),
            executed: Number(jump.executed),
        };
        Some(flow.flow.jumps(row.index(), line).map(jump).collect())
    }

    /// The calls of a row by line and callee, as [`JsonReport::lines_of`] has its lines; without
    /// their numbers if the row was divided.
    pub(super) fn calls_of<'d>(&'d self, details: &'d RowDetails, number: usize) -> Vec<Call<'d>> {
        let calls = details.calls.of_row(number).map(|(site, cost)| {
            let file = self.details.file(site.callee);
            let callee = RowName::of(file, self.details.name(site.callee), file.is_none());
            let numbers = self.calls(Some(&site.count), cost);
            Call {
                // 0 if unknown.
                target: (site.target > 0).then_some(site.target).into(),
                ..Call::of(self, site.key, site.base_line, self.id_of(site.callee), callee, numbers)
            }
        });
        calls.collect()
    }
}

impl<'a> Line<'a> {
    /// A line without its flow. Only a difference has `calls`, the number of calls from the line.
    #[inline]
    pub(super) fn of(
        report: &'a JsonReport<'_, '_>,
        line: &LineCost,
        cost: CostFigure<'a>,
        calls: Option<&Figure<CallCounts>>,
    ) -> Line<'a> {
        let figures =
            || Figures { calls: calls.copied().map(ItemFigure::from), ..Figures::of_cost(cost) };
        let BothSides { base, new } = report.sides(figures);
        Line {
            line: line.key.in_new(),
            base_line: report.base_line(line.base_line),
            own: report.cost(cost),
            base,
            new,
            executed: Maybe::ABSENT,
            executed_estimated: Maybe::ABSENT,
            jumps: Maybe::ABSENT,
        }
    }
}

impl<'a> Call<'a> {
    #[inline]
    pub(super) fn of(
        report: &JsonReport<'_, '_>,
        key: LineKey,
        base_line: Option<u32>,
        id: Option<usize>,
        callee: RowName<'a>,
        calls: Calls<'a>,
    ) -> Call<'a> {
        let RowName { file, function, group } = callee;
        let Calls { count, nested, inlined, inclusive, sides: BothSides { base, new } } = calls;
        Call {
            line: key.in_new(),
            base_line: report.base_line(base_line),
            id,
            file,
            function,
            group,
            target: Maybe::ABSENT,
            count,
            nested,
            inlined,
            inclusive,
            base,
            new,
        }
    }
}

impl<'a> RowName<'a> {
    pub(super) fn of(file: Option<&'a [u8]>, name: &'a [u8], is_group: bool) -> RowName<'a> {
        let name = Name(name);
        RowName {
            file: file.map(Name).into(),
            function: (!is_group).then_some(name).into(),
            group: is_group.then_some(name).into(),
        }
    }
}

impl JsonReport<'_, '_> {
    /// The id of a callee; none if a difference does not list its row, or if rows are not
    /// functions.
    pub(super) fn id_of(&self, callee: RowId) -> Option<usize> {
        let is_listed = self.is_listed.as_ref();
        let has_row = is_listed.is_none_or(|is_listed| is_listed[callee.index()])
            && self.listed.rows.row_by.has_callers();
        has_row.then_some(callee.index())
    }

    /// In a difference the number of a line in BASE's text.
    #[inline]
    fn base_line(&self, line: Option<u32>) -> Maybe<Option<u32>> {
        self.listed.rows.profile.is_difference().then_some(line).into()
    }

    /// The cost of lines or calls; in a difference the change, which the page computes itself.
    #[inline]
    fn cost<'c>(&'c self, cost: CostFigure<'c>) -> Maybe<Cost<'c>> {
        let has_changes = !self.is_page() || cost.compared.is_none();
        let is_shown = has_changes && !self.listed.style.shown.is_empty();
        is_shown.then(|| Cost::new(self.listed.style.shown, cost.value)).into()
    }

    #[inline]
    pub(super) fn calls<'c>(
        &'c self,
        calls: Option<&Figure<CallCounts>>,
        cost: CostFigure<'c>,
    ) -> Calls<'c> {
        let count = calls.map(|calls| &calls.value);
        let nested = calls
            .filter(|calls| self.is_page() && calls.compared.is_none())
            .and_then(|calls| Number::of(calls.value.nested))
            .filter(|nested| nested.0 > 0);
        let has_inlined = count.is_some_and(|count| count.has_inlined);
        let known = count.filter(|count| !count.are_estimated);
        let calls = calls.copied();
        let figures = || Figures {
            inclusive: Some(cost.into()),
            calls: calls.map(ItemFigure::from),
            ..Figures::default()
        };
        Calls {
            count: known.and_then(|count| Number::of(count.by_others)),
            nested: nested.into(),
            inlined: has_inlined.then_some(true).into(),
            inclusive: self.cost(cost),
            sides: self.sides(figures),
        }
    }

    #[inline]
    pub(super) fn sides<'c>(&'c self, figures: impl FnOnce() -> Figures<'c>) -> BothSides<'c> {
        if !self.listed.rows.profile.is_difference() {
            return BothSides::default();
        }
        BothSides::of(&figures(), [None; 2], self.is_page(), self.listed.style.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Count;
    use crate::render::json::writer::text_of;

    #[test]
    fn a_call_names_its_callee_by_function_or_group_or_only_by_id() {
        let cost = [Count::new(9)];
        let of = |RowName { file, function, group }: RowName<'static>| {
            text_of(&Call {
                line: Some(4),
                base_line: Some(None).into(),
                id: Some(5),
                file,
                function,
                group,
                target: Some(3).into(),
                count: Some(Number(2)),
                nested: Maybe::ABSENT,
                inlined: Some(true).into(),
                inclusive: Some(Cost::new(&[0], &cost)).into(),
                base: Maybe::ABSENT,
                new: Maybe::ABSENT,
            })
        };
        let start = r#"{"line":4,"base_line":null,"id":5,"#;
        let end = r#""count":2,"inlined":true,"inclusive":[9]}"#;
        let function = of(RowName::of(Some(b"a.c"), b"f", false));
        assert_eq!(function, format!(r#"{start}"file":"a.c","function":"f","target":3,{end}"#));
        let group = of(RowName::of(None, b"std", true));
        assert_eq!(group, format!(r#"{start}"group":"std","target":3,{end}"#));
        let only_id = of(RowName::default());
        assert_eq!(only_id, format!(r#"{start}"target":3,{end}"#));
    }
}
