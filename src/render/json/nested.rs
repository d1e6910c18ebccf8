//! What the self cost of a row is made of: files with their lines, or functions.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::line::{Call, Line, RowName};
#[cfg(test)]
use super::schema::AlsoRequired;
use super::sides::BothSides;
use super::value::{Cost, Maybe, Name};
use crate::profile::Count;
use crate::render::measure::Figures;
use crate::view::{CallCounts, Figure, Label, LineKey, NestedPart, RowId};

/// A part of a row's self cost: a file of a function with its lines, or a function of a group.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["file"])))]
pub(super) struct Nested<'a> {
    /// The source file.
    // The page takes that of the row if it is absent.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    file: Maybe<Option<Name<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    function: Maybe<Name<'a>>,
    /// The object of the function.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    object: Maybe<Option<Name<'a>>>,
    /// The self cost of the part; in a difference the change.
    #[serde(rename = "self")]
    own: Cost<'a>,
    #[serde(flatten)]
    sides: BothSides<'a>,
    /// The lines of a file, the most expensive first.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines: Maybe<Vec<Line<'a>>>,
    /// The calls from the lines of a file.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    calls: Maybe<Vec<Call<'a>>>,
}

/// A part of a row that is shown.
pub(super) struct FoundPart<'p> {
    part: NestedPart,
    /// The label of a function.
    label: Option<Label<'p>>,
    calls: Vec<FoundCalls>,
}

/// The calls from a line to a row, or to all rows that are not listed.
struct FoundCalls {
    id: Option<usize>,
    key: LineKey,
    base_line: Option<u32>,
    count: Figure<CallCounts>,
    cost: Figure<Vec<Count>>,
}

impl FoundCalls {
    fn add(&mut self, other: &FoundCalls) {
        self.count.add(other.count);
        self.cost.add(other.cost.counts());
        self.cost = std::mem::take(&mut self.cost).marked(None);
    }
}

impl<'p> FoundPart<'p> {
    /// The parts of a row that are shown: in a difference those that changed.
    pub(super) fn of_row(report: &JsonReport<'_, 'p>, row: RowId) -> Option<Vec<FoundPart<'p>>> {
        let nesting = report.nesting?;
        let mut parts = nesting.of(row);
        parts.retain(|part| is_shown(report, part));
        let found = parts.into_iter().map(|part| FoundPart {
            label: part.file.is_none().then(|| nesting.parts.label_of(part.of)),
            calls: calls(report, row, &part),
            part,
        });
        Some(found.collect())
    }
}

fn is_shown(report: &JsonReport<'_, '_>, part: &NestedPart) -> bool {
    let shows = |cost: &[Count]| report.selection.shows(cost);
    let (mut lines, mut calls) = (part.lines.of_row(0), part.calls.of_row(0));
    shows(&part.cost.value)
        || lines.any(|(_, cost)| shows(cost.value))
        || calls.any(|(call, cost)| call.count.value.by_others.or_zero() != 0 || shows(cost.value))
}

/// The calls of a part; those of a line to rows that are not listed are merged.
fn calls(report: &JsonReport<'_, '_>, caller: RowId, part: &NestedPart) -> Vec<FoundCalls> {
    let mut found: Vec<FoundCalls> = Vec::new();
    // The index of the current line's calls to rows that are not listed.
    let mut unlisted: Option<usize> = None;
    for (call, cost) in part.calls.of_row(0) {
        let id = report.id_of(call.callee);
        let is_within = id.is_none() && report.listed.rows.are_in_one_cycle(caller, call.callee);
        let calls = FoundCalls {
            id,
            key: call.key,
            base_line: call.base_line,
            count: call.count,
            cost: if is_within {
                Figure::undefined(cost.value.len(), cost.compared.is_some())
            } else {
                cost.to_owned()
            },
        };
        let same = unlisted.filter(|&at| id.is_none() && found[at].key == call.key);
        match same {
            Some(at) => found[at].add(&calls),
            None => {
                unlisted = id.is_none().then_some(found.len()).or(unlisted);
                found.push(calls);
            }
        }
    }
    found
}

impl<'a> Nested<'a> {
    /// A part as it is written below its row.
    pub(super) fn of(
        found: &'a FoundPart<'_>,
        report: &'a JsonReport<'_, '_>,
        row: &Label<'_>,
    ) -> Nested<'a> {
        let part = &found.part;
        let is_file = part.file.is_some();
        let file = match (part.file, &found.label) {
            (Some(file), _) => Some(Some(report.listed.rows.profile.file(file))),
            (None, label) => label.as_ref().map(|label| label.file),
        };
        let is_of_row = |file: &Option<&[u8]>| report.is_page() && is_file && row.file == *file;
        let label = found.label.as_ref();
        let lines = || part.lines.of_row(0).filter(|(_, cost)| report.selection.shows(cost.value));
        Nested {
            file: file.filter(|file| !is_of_row(file)).map(|file| file.map(Name)).into(),
            function: label.map(|label| Name(&label.name)).into(),
            object: label.map(|label| label.object.map(Name)).into(),
            own: Cost::new(report.listed.style.shown, &part.cost.value),
            sides: report.sides(|| Figures::of_cost(part.cost.counts())),
            lines: is_file
                .then(|| lines().map(|(line, cost)| Line::of(report, line, cost, None)).collect())
                .into(),
            calls: is_file.then(|| found.calls.iter().map(|of| of.calls(report)).collect()).into(),
        }
    }
}

impl FoundCalls {
    fn calls<'a>(&'a self, report: &'a JsonReport<'_, '_>) -> Call<'a> {
        let calls = report.calls(Some(&self.count), self.cost.counts());
        Call::of(report, self.key, self.base_line, self.id, RowName::default(), calls)
    }
}
