//! Why the rows with the largest changes of a difference changed.

use std::collections::HashSet;
use std::io::{self, Write};

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::value::{Maybe, Name, Number, as_name};
use super::writer::write_value;
use super::{JsonReport, write_json_messages};
use crate::render::screen::why::WhyTexts;
use crate::render::without_marks;
use crate::view::{self, BaseAndNew, ScreenLine};

/// A function that has another name in BASE.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct RenamedFunction<'a> {
    base: Name<'a>,
    new: Name<'a>,
    /// Its file in NEW.
    file: Name<'a>,
}

/// Why the self cost of a row changed. Costs are of the first event to sort by.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Reason<'a> {
    /// The id of the row.
    row: usize,
    /// Its short name.
    name: Name<'a>,
    /// NEW's self cost minus BASE's.
    change: Number,
    /// The self costs.
    #[serde(rename = "self")]
    own: BothCounts,
    /// The calls from other rows; null if they were not recorded.
    calls: Option<BothCounts>,
    /// The calls by itself; null if they were not recorded.
    calls_by_itself: Option<BothCounts>,
    /// What the additional or missing calls cost, each as much as one in BASE; null if a side has
    /// no calls.
    by_calls: Option<Number>,
    /// The rest of the change: what all calls of NEW cost more or less than as many in BASE.
    by_cost: Option<Number>,
    /// The caller that most of the additional or missing calls come from, its caller, and so on.
    callers: Vec<Caller<'a>>,
    /// The changed lines of the last of these callers; null if they are not known, or its own calls
    /// explain the change.
    callers_code: Option<Code<'a>>,
    /// Of a function of the C library whose calls cost more or less: the caller whose calls
    /// did, its caller, and so on up to the program's own code.
    cost_callers: Vec<Caller<'a>>,
    /// The changed lines of the last of these callers; null if they are not known.
    cost_code: Option<Code<'a>>,
    /// The changed lines of the row itself; null if they are not known, or its calls cost as much
    /// as before.
    code: Option<Code<'a>>,
    /// Of a row that only one side has: the row that has most of its lines on the other side.
    part_of: Option<PartOf<'a>>,
    /// Of a row of both sides: functions that only one side has and whose lines the row has on
    /// the other, those with the largest changes first; missing without one.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines_here: Maybe<Vec<LinesHere<'a>>>,
    /// The same in words: the sentence of the row, then one text for each line below it.
    text: Vec<String>,
}

/// A number of BASE and one of NEW.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct BothCounts {
    base: Number,
    new: Number,
}

/// A caller that makes more or fewer calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "ChangedCaller"))]
struct Caller<'a> {
    name: Name<'a>,
    /// NEW's calls minus BASE's.
    calls: Number,
    /// NEW's cost of these calls minus BASE's.
    cost: Number,
    /// The line where it makes most of them; null if it is not known.
    at: Option<SourceLine<'a>>,
    /// Whether that line is new, or gone.
    changed_line: bool,
    /// How often the caller itself is called, if that does not explain the change.
    called: Option<BothCounts>,
}

/// A source line. A removed line has the file and number that it has in BASE.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SourceLine<'a> {
    file: Name<'a>,
    line: u32,
    /// Its text with single blanks; null if the source is not known.
    text: Option<Name<'a>>,
}

/// The changed lines in the code of a function.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "ChangedCode"))]
struct Code<'a> {
    /// Whether all of its lines are the same as before: it was compiled differently, or had other
    /// data.
    unchanged: bool,
    /// Of unchanged code the line with most of the change, if it has half of it.
    largest: Option<LineWithChange<'a>>,
    /// Of unchanged code the changed line that most calls of it are made at; missing without one.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    called_at: Maybe<SourceLine<'a>>,
    /// The changed places, those with the largest changes of self cost first.
    places: Vec<Place<'a>>,
    /// The number of changed places that are not named.
    more: usize,
}

/// A line and its change.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "LineWithChange"))]
pub(super) struct LineWithChange<'a> {
    change: Number,
    at: SourceLine<'a>,
    /// The calls that are made there; null for the line with most of the change of a row.
    calls: Option<BothCounts>,
}

/// Lines that were removed and added at one place, or at several places of a function.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(rename = "ChangedPlace"))]
pub(super) struct Place<'a> {
    /// The change of cost at these lines.
    change: Number,
    /// The removed line that changed most; null without one.
    removed: Option<SourceLine<'a>>,
    /// The added line that changed most; null without one.
    added: Option<SourceLine<'a>>,
    /// The first and the last of the removed lines, if they are several.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    removed_lines: Maybe<(u32, u32)>,
    /// The first and the last of the added lines, if they are several.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    added_lines: Maybe<(u32, u32)>,
    /// The calls that are made at the removed line before, and at the added one after.
    calls: BothCounts,
    /// True if the change lacks the cost of what is inlined at the lines.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lacks_inlined: Maybe<bool>,
    /// The number of other places of the function that the change is of, too, as what was removed
    /// at some and added at others is set off; missing without them.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    other_places: Maybe<usize>,
}

/// The row that has the lines of another one.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct PartOf<'a> {
    #[serde(serialize_with = "as_name")]
    #[cfg_attr(test, schemars(with = "Name<'static>"))]
    name: &'a [u8],
    /// What the lines cost there, less what they cost there on the side that has the row.
    cost: Number,
    /// What the lines cost in all rows, NEW's cost minus BASE's.
    all_rows: Number,
    /// Whether both sides have that row; otherwise it is on the other side alone.
    on_both_sides: bool,
}

/// A function that only one side has, and whose lines the row has on the other.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct LinesHere<'a> {
    #[serde(serialize_with = "as_name")]
    #[cfg_attr(test, schemars(with = "Name<'static>"))]
    name: &'a [u8],
    /// What the row costs at the lines of the function, NEW's cost minus BASE's.
    change: Number,
    /// The self costs of the function.
    #[serde(rename = "self")]
    own: BothCounts,
}

/// A row that only one side has, and the one that has its lines on the other, for the page.
#[derive(Serialize)]
struct PartOfRow<'a> {
    row: usize,
    /// The id of the other row.
    of: usize,
    #[serde(flatten)]
    part: PartOf<'a>,
}

/// Writes as members which rows that only one side has are parts of others on the other side, and
/// what is said of changed lines if none of them is shown.
pub fn write_json_changes(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let Some(why) = report.why else {
        return Ok(());
    };
    let parts = why.parts_of_others.iter().map(|(row, other)| PartOfRow {
        row: row.index(),
        of: other.row.index(),
        part: PartOf::of(other),
    });
    let parts: Vec<PartOfRow<'_>> = parts.collect();
    if !parts.is_empty() {
        let mut text = b",\"parts_of_others\":".to_vec();
        write_value(&parts, report.listed.style.unit, &mut text)?;
        out.write_all(&text)?;
    }
    let notes = WhyTexts::new(why, report.listed).notes();
    let notes: Vec<String> = notes.iter().map(|note| without_marks(note)).collect();
    write_json_messages("why_notes", &notes, out)
}

impl<'a> PartOf<'a> {
    fn of(other: &'a view::PartOfOther) -> PartOf<'a> {
        PartOf {
            name: &other.name,
            cost: Number(other.cost),
            all_rows: Number(other.of_all),
            on_both_sides: other.is_on_both_sides,
        }
    }
}

impl<'a> RenamedFunction<'a> {
    /// None if no function has another name.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<RenamedFunction<'a>>> {
        let profile = report.listed.rows.profile;
        let renamed = &profile.renamed().functions;
        let function = |of: &'a crate::profile::RenamedFunction| RenamedFunction {
            base: Name(&of.base),
            new: Name(&of.new),
            file: Name(profile.file(of.file)),
        };
        (!renamed.is_empty()).then(|| renamed.iter().map(function).collect())
    }
}

impl<'a> Reason<'a> {
    /// None if the report has no reasons.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<Reason<'a>>> {
        let why = report.why?;
        let texts = WhyTexts::new(why, report.listed);
        let mut shown = HashSet::new();
        let reasons = why.reasons.iter().map(|reason| {
            let sentence = texts.row(reason);
            let explanations = texts.explanations(reason, &mut shown);
            let text = std::iter::once(sentence).chain(explanations);
            let parts = reason.parts;
            Reason {
                row: reason.row.index(),
                name: Name(&reason.name),
                change: Number(reason.cost.change()),
                own: BothCounts::of(reason.cost),
                calls: reason.calls.map(BothCounts::of),
                calls_by_itself: reason.calls.map(|_| BothCounts::of(reason.recursive)),
                by_calls: parts.map(|parts| Number(parts.by_calls)),
                by_cost: parts.map(|parts| Number(parts.by_cost)),
                callers: reason.callers.iter().map(Caller::of).collect(),
                callers_code: reason.callers_code.as_ref().map(Code::of),
                cost_callers: reason.cost_callers.iter().map(Caller::of).collect(),
                cost_code: reason.cost_code.as_ref().map(Code::of),
                code: reason.code.as_ref().map(Code::of),
                part_of: reason.part_of.as_ref().map(PartOf::of),
                lines_here: LinesHere::all(&reason.lines_here),
                text: text.map(|text| without_marks(&text)).collect(),
            }
        });
        Some(reasons.collect())
    }
}

impl<'a> LinesHere<'a> {
    /// Absent without any.
    fn all(functions: &'a [view::LinesHere]) -> Maybe<Vec<LinesHere<'a>>> {
        let one = |of: &'a view::LinesHere| LinesHere {
            name: &of.name,
            change: Number(of.change),
            own: BothCounts::of(of.cost),
        };
        let all: Vec<LinesHere<'a>> = functions.iter().map(one).collect();
        Some(all).filter(|all| !all.is_empty()).into()
    }
}

impl BothCounts {
    fn of(counts: BaseAndNew) -> BothCounts {
        BothCounts { base: Number(counts.base), new: Number(counts.new) }
    }
}

impl<'a> Caller<'a> {
    fn of(caller: &'a view::CallerChange) -> Caller<'a> {
        Caller {
            name: Name(&caller.name),
            calls: Number(caller.calls),
            cost: Number(caller.cost),
            at: caller.at.as_ref().map(SourceLine::of),
            changed_line: caller.is_changed_line,
            called: caller.called.map(BothCounts::of),
        }
    }
}

impl<'a> SourceLine<'a> {
    pub(super) fn of(line: &'a ScreenLine) -> SourceLine<'a> {
        SourceLine { file: Name(&line.file), line: line.line, text: line.text.as_deref().map(Name) }
    }
}

impl<'a> Code<'a> {
    fn of(code: &'a view::ChangedCode) -> Code<'a> {
        match code {
            view::ChangedCode::Unchanged { largest, called_at } => Code {
                unchanged: true,
                largest: largest.as_ref().map(|(line, change)| LineWithChange {
                    change: Number(*change),
                    at: SourceLine::of(line),
                    calls: None,
                }),
                called_at: called_at.as_ref().map(SourceLine::of).into(),
                places: Vec::new(),
                more: 0,
            },
            view::ChangedCode::Places { places, more, .. } => Code {
                unchanged: false,
                largest: None,
                called_at: None.into(),
                places: places.iter().map(Place::of).collect(),
                more: *more,
            },
        }
    }
}

impl<'a> LineWithChange<'a> {
    /// The lines whose texts did not change; none if the report has no reasons.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<LineWithChange<'a>>> {
        let lines = report.why?.unchanged.iter();
        let line = |line: &'a view::LineWithChange| LineWithChange {
            change: Number(line.change),
            at: SourceLine::of(&line.at),
            calls: Some(BothCounts::of(line.calls)),
        };
        Some(lines.map(line).collect())
    }
}

impl<'a> Place<'a> {
    fn of(place: &'a view::ChangedPlace) -> Place<'a> {
        Place {
            change: Number(place.change),
            removed: place.removed.as_ref().map(SourceLine::of),
            added: place.added.as_ref().map(SourceLine::of),
            removed_lines: place.removed_lines.into(),
            added_lines: place.added_lines.into(),
            calls: BothCounts::of(place.calls),
            lacks_inlined: place.lacks_inlined.then_some(true).into(),
            other_places: Some(place.more).filter(|&more| more > 0).into(),
        }
    }

    /// The changed places of the program; none if the report has no reasons.
    pub(super) fn all(report: &'a JsonReport<'_, '_>) -> Option<Vec<Place<'a>>> {
        Some(report.why?.places.iter().map(Place::of).collect())
    }

    /// The changed places that were executed and explain no reason; none if the report has no
    /// reasons.
    pub(super) fn executed(report: &'a JsonReport<'_, '_>) -> Option<Vec<Place<'a>>> {
        Some(report.why?.executed.places.iter().map(Place::of).collect())
    }

    /// The changed places outside of functions; none if the report has no reasons.
    pub(super) fn declarations(report: &'a JsonReport<'_, '_>) -> Option<Vec<Place<'a>>> {
        Some(report.why?.declarations.places.iter().map(Place::of).collect())
    }
}
