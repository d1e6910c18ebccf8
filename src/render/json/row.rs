//! A row of the list, with all that is written of it.

use std::borrow::Cow;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::line::{Call, Line};
use super::nested::{FoundPart, Nested};
#[cfg(test)]
use super::schema::AlsoRequired;
use super::series::{self, SeriesStep};
use super::sides::{BothSides, Side};
use super::tree::{Caller, Tree};
use super::value::{
    Columns, Cost, Inlined, Maybe, Name, Number, OnlySide, Range, number, number_of,
};
use crate::render::Style;
use crate::render::columns::{Column, Show};
use crate::render::measure::{Figures, Measure};
use crate::view::{
    CallCounts, CallLine, CostFigure, InlinedPart, ItemCost, Label, ListRow, PathDirection,
    PathTree, RowBy, RowDetails, component_starts,
};

/// A row of the list: a function, a group of functions, a source line or an instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["mark", "lines", "calls"])))]
pub(super) struct Row<'a> {
    /// The number by which calls and cycles name the row.
    id: usize,
    #[serde(flatten)]
    what: What<'a>,
    /// Which side of a difference has the row, if only one has it.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    mark: Maybe<Option<OnlySide>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    called: Maybe<Called>,
    /// Which functions of the row are inlined copies, if the profile has any; null if none of them
    /// has a cost or a call.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<Option<Inlined>>,
    /// The cost of its own code; in a difference the change, in a series the largest minus the
    /// smallest.
    #[serde(rename = "self")]
    own: Option<Cost<'a>>,
    /// The cost of its own code and all that it called; in a difference the change, in a series the
    /// largest minus the smallest.
    inclusive: Option<Cost<'a>>,
    /// The bounds of the inclusive cost, where it is estimated; null if it is exact, and in a
    /// difference, whose sides have them.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive_range: Maybe<Option<Range<'a>>>,
    /// With `--below` or `--without` whether its self cost or what was paid for it is an estimate,
    /// divided by what callers paid.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    divided: Maybe<bool>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    ratios: Maybe<Ratios>,
    /// With `--columns` what these show.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    columns: Maybe<Columns<'a>>,
    /// Of each shown event whether the inclusive cost is estimated, if one is.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    estimated: Maybe<Vec<bool>>,
    /// Whether the self cost is an estimate, and whether the number of calls is, where functions
    /// were divided.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    divided_figures: Maybe<[bool; 2]>,
    /// The self cost in percent of the total, or in a difference of that of BASE.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    self_percent: Maybe<Option<Vec<Option<f64>>>>,
    /// The inclusive cost in percent of the same total.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive_percent: Maybe<Option<Vec<Option<f64>>>>,
    #[serde(flatten)]
    sides: BothSides<'a>,
    /// Of a series the figures of each profile, in the order of the profiles.
    #[serde(rename = "sides", skip_serializing_if = "Maybe::is_absent")]
    of_series: Maybe<Vec<Side<'a>>>,
    /// Of a series for each shown event the largest step of the cost that rows are sorted by; null
    /// if all profiles have the same cost.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    steps: Maybe<Vec<Option<SeriesStep<'a>>>>,
    /// With `--nested` what the self cost is made of, the most expensive first; of a difference
    /// only what changed.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    nested: Maybe<Vec<Nested<'a>>>,
    /// The lines of a function in its file, by number; of a difference those that changed, of a
    /// series none.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    lines: Maybe<Vec<Line<'a>>>,
    /// The calls by line and callee; of a difference those that changed, of a series none.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    calls: Maybe<Vec<Call<'a>>>,
    /// With `--tree=caller` or `--tree=both` the calls from other rows, the most expensive first.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    callers: Maybe<Vec<Caller<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    tree: Maybe<Tree<'a>>,
}

/// What a row is, which `--group-by` chooses.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
enum What<'a> {
    Function(FunctionRow<'a>),
    Group(GroupRow<'a>),
    Instruction(InstructionRow<'a>),
    Line(LineRow<'a>),
}

/// A function.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
struct FunctionRow<'a> {
    /// The source file.
    file: Option<Name<'a>>,
    #[serde(flatten)]
    function: FunctionNames<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
#[cfg_attr(test, schemars(transform = AlsoRequired(&["symbol", "short", "cycle"])))]
struct FunctionNames<'a> {
    /// The name, demangled.
    function: Name<'a>,
    /// The name in the profile.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    symbol: Maybe<Name<'a>>,
    /// The name without arguments, templates' arguments and what else is rarely needed.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    short: Maybe<Name<'a>>,
    /// The last component of a name of another language than C++ and Rust, which the page does not
    /// shorten.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    own: Maybe<String>,
    /// The name in a narrow column.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    narrow: Maybe<Name<'a>>,
    /// The path of the program or library.
    object: Option<Name<'a>>,
    /// The number of the cycle of calls that it is in.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    cycle: Maybe<Option<u32>>,
}

/// A group of functions: an object, a file, a namespace, a name or a bucket.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
struct GroupRow<'a> {
    group: Name<'a>,
    /// The file of all its functions; null if there are several, or none is known.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    file: Maybe<Option<Name<'a>>>,
    /// The number of files.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    files: Maybe<usize>,
    /// The object of all its functions; null if there are several, or none is known.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    object: Maybe<Option<Name<'a>>>,
    /// The number of objects.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    objects: Maybe<usize>,
}

/// An instruction.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
struct InstructionRow<'a> {
    object: Option<Name<'a>>,
    /// Hexadecimal digits after `0x`.
    #[cfg_attr(test, schemars(with = "super::value::Address"))]
    address: Name<'a>,
    file: Option<Name<'a>>,
    /// Null if unknown.
    line: Option<u32>,
    function: Name<'a>,
    /// The disassembled instruction, null if its object is not found or has changed.
    text: Option<Name<'a>>,
}

/// A source line; or a function whose lines are unknown, which has no line.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(inline))]
struct LineRow<'a> {
    file: Option<Name<'a>>,
    line: Option<u32>,
    /// The text of the line, trimmed, if it was found.
    source: Option<Name<'a>>,
    #[serde(flatten)]
    function: Option<FunctionNames<'a>>,
}

/// How often a row was called.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Called {
    /// The calls from other rows.
    by_others: Option<Number>,
    /// Recursive calls, or calls within the group or cycle.
    by_itself: Option<Number>,
}

/// The ratios of a row, in the order of the report's.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Ratios {
    /// Those of the self cost; in a difference the changes.
    #[serde(rename = "self")]
    own: Option<Vec<Option<f64>>>,
    /// Those of the inclusive cost; in a difference the changes.
    inclusive: Option<Vec<Option<f64>>>,
}

/// A row of the list, and what was found of it.
pub(super) struct FoundRow<'a, 'p> {
    pub(super) report: &'a JsonReport<'a, 'p>,
    pub(super) line: &'a ListRow<'a, 'p>,
    /// The requested columns.
    pub(super) columns: &'a [(Column, Style<'a>)],
    pub(super) figures: Figures<'a>,
    pub(super) short: Cow<'a, [u8]>,
    /// The name in a narrow column of the page.
    pub(super) narrow: Option<&'a str>,
    /// The lines and calls of several rows, and which of these this is.
    pub(super) details: &'a RowDetails,
    pub(super) number: usize,
    pub(super) nested: Option<Vec<FoundPart<'p>>>,
    pub(super) callers: Option<Vec<(CallLine<'a>, Label<'p>)>>,
    /// By direction the callers and callees over several levels.
    pub(super) trees: Option<Vec<(PathDirection, PathTree)>>,
}

impl<'a> FoundRow<'a, '_> {
    /// The row as it is written.
    pub(super) fn row(&self) -> Row<'_> {
        let report = self.report;
        let is_page = report.is_page();
        let is_difference = report.listed.rows.profile.is_difference();
        let style = report.listed.style;
        let is_series = style.series.is_some();
        let is_part = report.listed.rows.profile.is_part() && !is_page;
        let (own, inclusive) = (self.figures.cost, self.figures.inclusive);
        let cost = |cost: ItemCost<'a>| Cost::new(style.shown, cost.value);
        let percentages = |cost: Option<ItemCost<'_>>| {
            (style.percentages && !is_series).then(|| cost.map(|cost| report.percentages(*cost)))
        };
        let mark = self.line.cost.mark().filter(|_| !is_series).map(OnlySide);
        let called = self.line.calls.filter(|_| !is_series);
        Row {
            id: self.line.item.index(),
            what: self.what(),
            mark: Maybe::known(mark, is_page && (!is_difference || is_series)),
            called: called.map(|calls| Called::of(calls.value)).into(),
            inlined: self.inlined().into(),
            own: own.map(cost),
            inclusive: inclusive.map(cost),
            inclusive_range: (inclusive.is_some() && !is_page).then(|| self.range()).into(),
            divided: is_part.then_some(self.figures.divided.is_any()).into(),
            ratios: (!style.ratios.is_empty()).then(|| self.ratios()).into(),
            columns: self.columns().into(),
            estimated: self.estimated().into(),
            divided_figures: self.divided_figures().into(),
            self_percent: percentages(own).into(),
            inclusive_percent: percentages(inclusive).into(),
            sides: if is_series { BothSides::default() } else { self.sides() },
            of_series: series::sides(report, &self.figures).into(),
            steps: (!is_page).then(|| series::steps(report, &self.figures)).flatten().into(),
            nested: self.nested().into(),
            lines: (!is_page).then(|| if is_series { Vec::new() } else { self.lines() }).into(),
            calls: (!is_page).then(|| if is_series { Vec::new() } else { self.calls() }).into(),
            callers: self.callers.as_deref().map(|of| report.written_callers(of)).into(),
            tree: self.trees.as_deref().map(|of| report.written_tree(self.line.item, of)).into(),
        }
    }

    fn lines(&self) -> Vec<Line<'_>> {
        self.report.lines_of(self.line.item, self.details, self.number)
    }

    fn calls(&self) -> Vec<Call<'_>> {
        self.report.calls_of(self.details, self.number)
    }

    fn what(&self) -> What<'_> {
        let label = &self.line.label;
        let row_by = self.report.listed.rows.row_by;
        let file = label.file.map(Name);
        if label.is_function() && row_by != RowBy::Line {
            return What::Function(FunctionRow { file, function: self.function() });
        }
        if let Some(place) = &label.group {
            return What::Group(GroupRow {
                group: Name(&label.name),
                file: place.files.map(|files| files.only().map(Name)).into(),
                files: place.files.map(|files| files.count).into(),
                object: place.objects.map(|objects| objects.only().map(Name)).into(),
                objects: place.objects.map(|objects| objects.count).into(),
            });
        }
        if row_by == RowBy::Instruction {
            let texts = &self.report.listed.rows.instruction_texts;
            return What::Instruction(InstructionRow {
                object: label.object.map(Name),
                address: Name(label.source.as_deref().unwrap_or(b"0x0")),
                file,
                line: label.line.filter(|&line| line != 0),
                function: Name(&label.name),
                text: texts.get(&self.line.item).map(|text| Name(text)),
            });
        }
        What::Line(LineRow {
            file,
            line: label.line,
            source: label.source.as_deref().map(Name),
            function: label.is_function().then(|| self.function()),
        })
    }

    fn function(&self) -> FunctionNames<'_> {
        let (report, label) = (self.report, &self.line.label);
        let is_page = report.is_page();
        let narrow = self.narrow.map(str::as_bytes).filter(|&narrow| narrow != &self.short[..]);
        let has_short = !is_page || self.short != label.name;
        FunctionNames {
            function: Name(&label.name),
            symbol: (!is_page).then(|| Name(report.listed.rows.symbol(self.line.item))).into(),
            short: has_short.then_some(Name(&self.short)).into(),
            own: is_page.then(|| self.own_name_of_other_language()).flatten().into(),
            narrow: narrow.map(Name).into(),
            object: label.object.map(Name),
            cycle: Maybe::known(label.cycle, is_page),
        }
    }

    fn own_name_of_other_language(&self) -> Option<String> {
        let name = String::from_utf8_lossy(&self.short);
        let kind = self.report.listed.rows.profile.name_kind();
        let starts = component_starts(&name, kind)?;
        Some(name[starts.last().copied().unwrap_or(0)..].to_owned())
    }

    /// None if the profile has no inlined copies.
    fn inlined(&self) -> Option<Option<Inlined>> {
        let inlined = self.report.details.inlined(self.line.item)?;
        let part = match (inlined.new, inlined.base.flatten()) {
            (Some(new), Some(base)) if new != base => Some(InlinedPart::Some),
            (new, base) => new.or(base),
        };
        Some(part.map(Inlined::from))
    }

    fn range(&self) -> Option<Range<'_>> {
        self.report.range(self.figures.estimate?)
    }

    #[cold]
    fn ratios(&self) -> Ratios {
        let style = self.report.listed.style;
        let ratios = |cost: ItemCost<'_>| {
            style.ratios.iter().map(|&event| number(cost.value[event], event, style)).collect()
        };
        Ratios { own: self.figures.cost.map(ratios), inclusive: self.figures.inclusive.map(ratios) }
    }

    fn columns(&self) -> Option<Columns<'_>> {
        let columns = Columns { columns: self.columns, figures: &self.figures };
        (!self.columns.is_empty()).then_some(columns)
    }

    fn estimated(&self) -> Option<Vec<bool>> {
        let shown = self.report.listed.style.shown;
        if !self.report.is_page() {
            return None;
        }
        if self.figures.divided.paid {
            return Some(vec![true; shown.len()]);
        }
        self.figures.estimate?.marks_of(shown)
    }

    /// None if nothing was divided, and outside the page.
    fn divided_figures(&self) -> Option<[bool; 2]> {
        let divided = self.figures.divided;
        (self.report.is_page() && divided.is_any()).then_some([divided.own, divided.paid])
    }

    fn sides(&self) -> BothSides<'_> {
        let inlined = self
            .report
            .details
            .inlined(self.line.item)
            .map(|sides| [sides.base.flatten(), sides.new])
            .unwrap_or_default()
            .map(|part| part.map(Inlined::from));
        BothSides::of(&self.figures, inlined, false, self.report.listed.style.shown)
    }

    fn nested(&self) -> Option<Vec<Nested<'_>>> {
        let parts = self.nested.as_ref()?.iter();
        Some(parts.map(|part| Nested::of(part, self.report, &self.line.label)).collect())
    }
}

impl Called {
    fn of(calls: CallCounts) -> Called {
        Called { by_others: Number::of(calls.by_others), by_itself: Number::of(calls.recursive) }
    }
}

impl JsonReport<'_, '_> {
    /// The shown counts of a cost in percent, to two decimals.
    #[cold]
    fn percentages(&self, cost: CostFigure<'_>) -> Vec<Option<f64>> {
        let (figures, style) = (Figures::of_cost(cost), self.listed.style);
        let percent = |&event: &usize| {
            let column = Column::new(Measure::Cost, event, Show::Percent);
            number_of(column.cell(&figures, &style), &style)
        };
        style.shown.iter().map(percent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::json::writer::text_of;

    fn names() -> FunctionNames<'static> {
        FunctionNames {
            function: Name(b"f(int)"),
            symbol: Some(Name(b"_Z1fi")).into(),
            short: Some(Name(b"f")).into(),
            own: Maybe::ABSENT,
            narrow: Maybe::ABSENT,
            object: None,
            cycle: Maybe::known(Some(2), false),
        }
    }

    #[test]
    fn each_kind_of_row_has_its_members() {
        let file = Some(Name(b"a.c"));
        let function =
            r#""function":"f(int)","symbol":"_Z1fi","short":"f","object":null,"cycle":2"#;
        let table = [
            (
                What::Function(FunctionRow { file, function: names() }),
                format!(r#"{{"file":"a.c",{function}}}"#),
            ),
            (
                What::Group(GroupRow {
                    group: Name(b"std"),
                    file: Some(None).into(),
                    files: Some(3).into(),
                    object: Maybe::ABSENT,
                    objects: Maybe::ABSENT,
                }),
                r#"{"group":"std","file":null,"files":3}"#.to_owned(),
            ),
            (
                What::Instruction(InstructionRow {
                    object: Some(Name(b"/bin/a")),
                    address: Name(b"0x10"),
                    file,
                    line: None,
                    function: Name(b"f"),
                    text: Some(Name(b"ret")),
                }),
                r#"{"object":"/bin/a","address":"0x10","file":"a.c","line":null,"function":"f","text":"ret"}"#
                    .to_owned(),
            ),
            (
                What::Line(LineRow {
                    file,
                    line: Some(7),
                    source: Some(Name(b"return;")),
                    function: None,
                }),
                r#"{"file":"a.c","line":7,"source":"return;"}"#.to_owned(),
            ),
            (
                What::Line(LineRow { file, line: None, source: None, function: Some(names()) }),
                format!(r#"{{"file":"a.c","line":null,"source":null,{function}}}"#),
            ),
        ];
        for (what, expected) in table {
            assert_eq!(text_of(&what), expected);
        }
    }
}
