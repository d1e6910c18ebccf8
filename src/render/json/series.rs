//! The profiles of a series, and the figures of a row on each of them.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::sides::Side;
use super::value::{Cost, Maybe, Name, Number, Totals, number, number_of};
use crate::profile::Count;
use crate::render::cell::Cell;
use crate::render::columns::{Column, Show};
use crate::render::measure::{Figures, Measure};

/// A profile of a series.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SeriesProfile<'a> {
    /// What tells it apart, or its name.
    name: Name<'a>,
    /// The paths of its files, as given.
    files: Vec<Name<'a>>,
    /// The costs of the program.
    total: Cost<'a>,
    totals: Totals<'a>,
    /// The ratios of the program.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    ratios: Maybe<Vec<Option<f64>>>,
    /// Whether a file of it is known to be damaged: its costs may be too small.
    damaged: bool,
    /// By shown event whether the profile has it: one without costs may have it, too.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    recorded: Maybe<Vec<bool>>,
}

/// The largest step of a cost from one profile of a series to the next.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SeriesStep<'a> {
    /// The profile at which the cost changed.
    name: Name<'a>,
    change: Option<Number>,
    /// The change in percent; null if the cost was 0 or unknown before.
    percent: Option<f64>,
}

/// The profiles of a series, the first one first; none in other reports.
pub(super) fn profiles<'a>(report: &'a JsonReport<'_, '_>) -> Option<Vec<SeriesProfile<'a>>> {
    let listed = &report.listed;
    let style = listed.style;
    let series = style.series?;
    let events = style.events;
    let profile = |side: usize| {
        let measured = listed.rows.profile.sides().get(side)?;
        let total: &[Count] = listed.total.sides.get(side)?;
        let mut files: Vec<_> = measured.parts.iter().map(|part| Name(&part.file)).collect();
        files.dedup_by_key(|file| file.0);
        let recorded = style.shown.iter().map(|&event| series.has_event(side, event));
        let ratios = style.ratios.iter().map(|&event| number(total[event], event, style));
        Some(SeriesProfile {
            name: Name(series.label(side).as_bytes()),
            files,
            total: Cost::new(style.shown, total),
            totals: Totals { cost: Cost::new(style.shown, total), events },
            ratios: (!style.ratios.is_empty()).then(|| ratios.collect()).into(),
            damaged: series.is_damaged(side),
            recorded: report.is_page().then(|| recorded.collect()).into(),
        })
    };
    Some(series.sides().filter_map(profile).collect())
}

/// The figures of a row on the profiles of a series; none in other reports.
pub(super) fn sides<'a>(
    report: &JsonReport<'a, '_>,
    figures: &Figures<'a>,
) -> Option<Vec<Side<'a>>> {
    let series = report.listed.style.series?;
    let side = |side: usize| Side::of_series(&figures.on(side), side, report.listed.style.shown);
    Some(series.sides().map(side).collect())
}

/// By shown event the largest step of the cost that rows are listed by; none outside of a series.
pub(super) fn steps<'a>(
    report: &JsonReport<'a, '_>,
    figures: &Figures<'a>,
) -> Option<Vec<Option<SeriesStep<'a>>>> {
    let style = report.listed.style;
    let series = style.series?;
    let measure = if figures.inclusive.is_some() && report.listed.list.is_inclusive {
        Measure::Inclusive
    } else {
        Measure::Cost
    };
    let step = |&event: &usize| {
        let cell = |show| {
            let column = Column::new(measure, event, show);
            column.cell(figures, &column.style(style))
        };
        let Cell::Step(Some((step, _))) = cell(Show::Step) else {
            return None;
        };
        Some(SeriesStep {
            name: Name(series.label(step.side).as_bytes()),
            change: Number::of(step.change()),
            percent: number_of(cell(Show::Percent), &style),
        })
    };
    Some(style.shown.iter().map(step).collect())
}
