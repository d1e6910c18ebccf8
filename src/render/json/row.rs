//! A row of the list, with its lines, calls and trees.

use std::borrow::Cow;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::nested::{FoundPart, Nested};
#[cfg(test)]
use super::schema::AlsoRequired;
use super::series::{self, SeriesStep};
use super::sides::{BothSides, Side};
use super::value::{
    Columns, Cost, Inlined, Maybe, Name, Number, OnlySide, Range, number, number_of,
};
use crate::profile::{Count, NEW};
use crate::render::Style;
use crate::render::columns::{Column, Figures, Measure, Show};
use crate::render::line::TreeCalls;
use crate::view::asm::LineJump;
use crate::view::{
    CallCounts, CallLine, CostFigure, Figure, InlinedPart, Label, LineCost, LineKey, ListRow,
    PathDirection, PathTree, RowBy, RowDetails, RowId, component_starts,
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
    /// The bounds of the inclusive cost, where it is estimated; null if it is exact, for rows of
    /// several functions, and in a difference, whose sides have them.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive_range: Maybe<Option<Range<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    ratios: Maybe<Ratios>,
    /// With `--columns` what these show.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    columns: Maybe<Columns<'a>>,
    /// Of each shown event whether the inclusive cost is estimated, if one is.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    #[cfg_attr(test, schemars(skip))]
    estimated: Maybe<Vec<bool>>,
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
    /// Of a series for each shown event the largest step of the cost that rows are sorted by; null if
    /// all profiles have the same cost.
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
    /// True if there are executions of inlined copies, which are not counted.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inlined: Maybe<bool>,
    /// The inclusive cost of the calls, as recorded; in a difference the change.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive: Maybe<Cost<'a>>,
    #[serde(flatten)]
    sides: BothSides<'a>,
}

/// Calls from another row.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Caller<'a> {
    #[serde(flatten)]
    caller: RowName<'a>,
    /// With `--group-by=line` the line of the calls, in that file.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    line: Maybe<u32>,
    #[serde(flatten)]
    calls: Calls<'a>,
}

/// With `--tree` and `--depth` callers and callees over several levels.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Tree<'a> {
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    callers: Maybe<Vec<Path<'a>>>,
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    callees: Maybe<Vec<Path<'a>>>,
    /// False if rows are missing because there are too many.
    complete: bool,
}

/// A line of a tree. Lines are not nested, because the number of levels is unlimited: each is below
/// the last one of a level less.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Path<'a> {
    /// 0 directly below the row.
    level: usize,
    /// True where the path ends, because calls go back to a function that was entered before.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    recursive: Maybe<bool>,
    /// The caller or callee; several if each has a single caller.
    functions: Vec<PathFunction<'a>>,
    #[serde(flatten)]
    calls: Calls<'a>,
}

/// A row on a line of a tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct PathFunction<'a> {
    id: usize,
    file: Option<Name<'a>>,
    function: Name<'a>,
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
        let (own, inclusive) = (self.figures.cost, self.figures.inclusive);
        let cost = |figure: CostFigure<'a>| Cost::new(style.shown, figure.value);
        let percentages = |figure: Option<CostFigure<'_>>| {
            (style.percentages && !is_series)
                .then(|| figure.map(|figure| report.percentages(figure)))
        };
        let mark = self.line.cost.mark().filter(|_| !is_series).map(OnlySide);
        let called = self.line.calls.filter(|_| !is_series);
        Row {
            id: self.line.item.index(),
            what: self.what(),
            mark: Maybe::known(mark, is_page && !is_difference),
            called: called.map(|calls| Called::of(calls.value)).into(),
            inlined: self.inlined().into(),
            own: own.map(cost),
            inclusive: inclusive.map(cost),
            inclusive_range: (inclusive.is_some() && !is_page).then(|| self.range()).into(),
            ratios: (!style.ratios.is_empty()).then(|| self.ratios()).into(),
            columns: self.columns().into(),
            estimated: self.estimated().into(),
            self_percent: percentages(own).into(),
            inclusive_percent: percentages(inclusive).into(),
            sides: if is_series { BothSides::default() } else { self.sides() },
            of_series: series::sides(report, &self.figures).into(),
            steps: series::steps(report, &self.figures).into(),
            nested: self.nested().into(),
            lines: (!is_page).then(|| if is_series { Vec::new() } else { self.lines() }).into(),
            calls: (!is_page).then(|| if is_series { Vec::new() } else { self.calls() }).into(),
            callers: self.callers().into(),
            tree: self.tree().into(),
        }
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
            return What::Instruction(InstructionRow {
                object: label.object.map(Name),
                address: Name(label.source.as_deref().unwrap_or(b"0x0")),
                file,
                line: label.line.filter(|&line| line != 0),
                function: Name(&label.name),
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
        let range = self.figures.estimate?.range(NEW)?;
        let is_difference = self.report.listed.rows.profile.is_difference();
        (!is_difference).then_some(Range { shown: self.report.listed.style.shown, range })
    }

    #[cold]
    fn ratios(&self) -> Ratios {
        let style = self.report.listed.style;
        let ratios = |cost: CostFigure<'_>| {
            style.ratios.iter().map(|&event| number(cost.value[event], event, style)).collect()
        };
        Ratios { own: self.figures.cost.map(ratios), inclusive: self.figures.inclusive.map(ratios) }
    }

    fn columns(&self) -> Option<Columns<'_>> {
        let columns = Columns { columns: self.columns, figures: &self.figures };
        (!self.columns.is_empty()).then_some(columns)
    }

    fn estimated(&self) -> Option<Vec<bool>> {
        let shown = self.report.listed.style.shown.iter();
        let marks = &self.figures.estimate.filter(|_| self.report.is_page())?.is_marked;
        let of_shown: Vec<bool> = shown.map(|&event| marks[event]).collect();
        of_shown.contains(&true).then_some(of_shown)
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

    fn lines(&self) -> Vec<Line<'_>> {
        let report = self.report;
        let lines = self.details.lines.of_row(self.number).map(|(line, cost)| {
            let executed = self.executed(line.key.new);
            let jumps = self.jumps(line.key.new);
            let calls = Some(&line.calls);
            Line {
                executed: executed.into(),
                jumps: jumps.into(),
                ..Line::of(report, line, cost, calls)
            }
        });
        lines.collect()
    }

    fn executed(&self, line: u32) -> Option<Option<Number>> {
        let flow = self.report.flow.as_ref().filter(|flow| flow.counts)?;
        Some(flow.flow.executed(self.line.item.index(), line).map(Number))
    }

    fn jumps(&self, line: u32) -> Option<Vec<Jump<'_>>> {
        let profile = self.report.listed.rows.profile;
        let flow = self.report.flow.as_ref().filter(|flow| flow.jumps)?;
        let jump = |jump: &LineJump| Jump {
            file: Name(profile.file(jump.target.0)),
            line: jump.target.1,
            conditional: jump.is_conditional,
            taken: Number(jump.taken),
            executed: Number(jump.executed),
        };
        Some(flow.flow.jumps(self.line.item.index(), line).map(jump).collect())
    }

    fn calls(&self) -> Vec<Call<'_>> {
        let report = self.report;
        let calls = self.details.calls.of_row(self.number);
        let calls = calls.map(|(site, cost)| {
            let file = report.details.file(site.callee);
            let callee = RowName::of(file, report.details.name(site.callee), file.is_none());
            let numbers = report.calls(Some(&site.count), cost);
            Call {
                // 0 if unknown.
                target: (site.target > 0).then_some(site.target).into(),
                ..Call::of(
                    report,
                    site.key,
                    site.base_line,
                    report.id_of(site.callee),
                    callee,
                    numbers,
                )
            }
        });
        calls.collect()
    }

    #[cold]
    fn callers(&self) -> Option<Vec<Caller<'_>>> {
        let callers = self.callers.as_ref()?.iter().map(|(line, label)| Caller {
            caller: RowName::of(label.file, &label.name, label.group.is_some()),
            line: line.site.map(|site| site.line).into(),
            calls: self.report.calls(line.count.as_ref(), line.cost()),
        });
        Some(callers.collect())
    }

    #[cold]
    fn tree(&self) -> Option<Tree<'_>> {
        let trees = self.trees.as_ref()?;
        let paths = |direction: PathDirection| {
            let (_, tree) = trees.iter().find(|(of, _)| *of == direction)?;
            Some(tree.lines.iter().map(|line| self.path(line)).collect())
        };
        let paths_of = self.report.listed.tree.and_then(|tree| tree.paths.as_ref());
        let is_left_out = paths_of.is_some_and(|paths| paths.is_left_out(self.line.item));
        Some(Tree {
            callers: paths(PathDirection::Callers).into(),
            callees: paths(PathDirection::Callees).into(),
            complete: !is_left_out && trees.iter().all(|(_, tree)| !tree.is_cut),
        })
    }

    fn path<'s>(&'s self, line: &'s CallLine<'_>) -> Path<'s> {
        let details = self.report.details;
        let functions = line.rows().map(|row| PathFunction {
            id: row.index(),
            file: details.file(row).map(Name),
            function: Name(details.name(row)),
        });
        Path {
            level: line.level,
            recursive: line.is_recursive.then_some(true).into(),
            functions: functions.collect(),
            calls: self.report.calls(line.count.as_ref(), line.cost()),
        }
    }
}

impl<'a> Line<'a> {
    /// A line without its flow. Only a difference has `calls`, the number of calls from the line.
    #[inline]
    pub(super) fn of(
        report: &'a JsonReport<'_, '_>,
        line: &LineCost,
        cost: CostFigure<'a>,
        calls: Option<&Figure<Count>>,
    ) -> Line<'a> {
        let counted = |calls: &Figure<Count>| Figure::of_calls(calls.map(Count::or_zero), false);
        let figures = || Figures { calls: calls.map(counted), ..Figures::of_cost(cost) };
        let BothSides { base, new } = report.sides(figures);
        Line {
            line: line.key.in_new(),
            base_line: report.base_line(line.base_line),
            own: report.cost(cost),
            base,
            new,
            executed: Maybe::ABSENT,
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
        let Calls { count, inlined, inclusive, sides: BothSides { base, new } } = calls;
        Call {
            line: key.in_new(),
            base_line: report.base_line(base_line),
            id,
            file,
            function,
            group,
            target: Maybe::ABSENT,
            count,
            inlined,
            inclusive,
            base,
            new,
        }
    }
}

impl Called {
    fn of(calls: CallCounts) -> Called {
        Called { by_others: Number::of(calls.by_others), by_itself: Number::of(calls.recursive) }
    }
}

impl<'a> RowName<'a> {
    fn of(file: Option<&'a [u8]>, name: &'a [u8], is_group: bool) -> RowName<'a> {
        let name = Name(name);
        RowName {
            file: file.map(Name).into(),
            function: (!is_group).then_some(name).into(),
            group: is_group.then_some(name).into(),
        }
    }
}

impl<'a, 'p> JsonReport<'a, 'p> {
    /// The callers of a row, if they are requested. (Rows of lines have no name.)
    pub(super) fn callers(&self, row: RowId) -> Option<Vec<(CallLine<'a>, Label<'p>)>> {
        let tree = self.tree().filter(|tree| tree.tree.contains(&PathDirection::Callers))?;
        let rows = self.listed.rows;
        let callers =
            tree.calls.calls(PathDirection::Callers, row, rows, tree.selection).into_iter().map(
                |line| {
                    let label = rows.label_of(line.row);
                    let file = line.site.map(|site| rows.profile.file(site.file));
                    let label = Label { file: file.or(label.file), ..label };
                    (line, label)
                },
            );
        Some(callers.filter(|(_, label)| label.line.is_none()).collect())
    }

    /// The trees of a row over several levels, if they are requested.
    pub(super) fn trees(&self, row: RowId) -> Option<Vec<(PathDirection, PathTree)>> {
        let tree = self.tree()?;
        let paths = tree.paths.as_ref()?;
        let tree_in = |&direction: &PathDirection| {
            (direction, paths.tree(direction, row).unwrap_or_default())
        };
        Some(tree.tree.iter().map(tree_in).collect())
    }

    fn tree(&self) -> Option<&'a TreeCalls<'a>> {
        self.listed.tree.filter(|_| !self.is_page())
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
        let has_inlined = count.is_some_and(|count| count.has_inlined);
        let calls = calls.copied();
        let figures = || Figures { inclusive: Some(cost), calls, ..Figures::default() };
        Calls {
            count: count.and_then(|count| Number::of(count.by_others)),
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
                }),
                r#"{"object":"/bin/a","address":"0x10","file":"a.c","line":null,"function":"f"}"#
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
