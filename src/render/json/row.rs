//! One row of the report with its lines and calls.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeStruct, Serializer};

use crate::profile::Count;
use crate::render::Style;
use crate::render::columns::{Cell, Column, Figures, Measure, Show};
use crate::render::json::{BothSides, Bytes, Cost, JsonReport, Sequence, ratio};
use crate::render::list::TreeCalls;
use crate::view::{
    CallCounts, CallFigure, CallLine, CostFigure, Figure, InlinedPart, Item, Label, LineKey, Mark,
    NestedPart, PartOf, PathDirection, PathLine, RowBy, RowDetails, RowId, short_function,
};

pub(super) struct Row<'a, 'p> {
    pub(super) report: &'a JsonReport<'a, 'p>,
    pub(super) id: RowId,
    pub(super) label: Label<'p>,
    pub(super) mark: Option<Mark>,
    pub(super) called: Option<Figure<CallCounts>>,
    pub(super) details: RowDetails<'a>,
    /// What is nested in it, if that is requested.
    pub(super) nested: Option<Vec<NestedPart>>,
}

#[derive(Serialize)]
struct Called {
    by_others: Option<i64>,
    by_itself: Option<i64>,
}

/// The cost of a source line.
#[derive(Default, Serialize)]
pub(super) struct Line<'a> {
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_line: Option<Option<u32>>,
    #[serde(rename = "self", skip_serializing_if = "Cost::is_none")]
    pub(super) cost: Cost<'a>,
    #[serde(flatten)]
    pub(super) sides: Option<BothSides<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) executed: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jumps: Option<Vec<LineJump<'a>>>,
}

#[derive(Serialize)]
pub(super) struct LineJump<'a> {
    file: Bytes<'a>,
    line: u32,
    conditional: bool,
    taken: i64,
    executed: i64,
}

/// How many calls there are, and what they cost.
#[derive(Default, Serialize)]
struct Calls<'a> {
    count: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inlined: bool,
    #[serde(skip_serializing_if = "Cost::is_none")]
    inclusive: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
}

impl<'a> Calls<'a> {
    fn new(count: Option<CallFigure>, cost: CostFigure<'a>, shown: &'a [usize]) -> Calls<'a> {
        Calls {
            count: count.and_then(|count| count.number()),
            inlined: count.is_some_and(|count| count.has_inlined),
            inclusive: Cost::new(shown, cost.value),
            sides: BothSides::new(None, Some(cost), count.map(|count| count.counted), shown),
        }
    }
}

#[derive(Default, Serialize)]
struct Callee<'a> {
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_line: Option<Option<u32>>,
    id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Bytes<'a>>,
    /// The line at which the callee begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<u32>,
    #[serde(flatten)]
    calls: Calls<'a>,
}

impl Row<'_, '_> {
    fn serialize_label<S: SerializeStruct>(&self, row: &mut S) -> Result<(), S::Error> {
        let row_by = self.report.rows.row_by;
        if let Label::Function {
            file,
            name,
            cycle,
            object,
        } = &self.label
        {
            row.serialize_field("file", &Bytes(file))?;
            if row_by == RowBy::Line {
                row.serialize_field("line", &None::<u32>)?;
                row.serialize_field("source", &None::<u32>)?;
            }
            row.serialize_field("function", &Bytes(name))?;
            let short = short_function(name);
            if !self.report.is_page() {
                row.serialize_field("symbol", &Bytes(self.report.details.symbol(self.id)))?;
            }
            if !self.report.is_page() || short != *name {
                row.serialize_field("short", &Bytes(&short))?;
            }
            let page = self.report.page.as_ref();
            let narrow = page.and_then(|page| page.names.get(&self.id));
            if let Some(narrow) = narrow.filter(|narrow| narrow.as_bytes() != &short[..]) {
                row.serialize_field("narrow", narrow)?;
            }
            row.serialize_field("object", &object.map(Bytes))?;
            row.serialize_field("cycle", cycle)?;
        } else if let Label::Line { file, line, source } = &self.label {
            row.serialize_field("file", &Bytes(file))?;
            row.serialize_field("line", line)?;
            row.serialize_field("source", &source.as_deref().map(Bytes))?;
        } else if let Label::Group { name, place } = &self.label {
            row.serialize_field("group", &Bytes(name))?;
            if let Some(files) = place.files {
                row.serialize_field("file", &files.only().map(Bytes))?;
                row.serialize_field("files", &files.count())?;
            }
            if let Some(objects) = place.objects {
                row.serialize_field("object", &objects.only().map(Bytes))?;
                row.serialize_field("objects", &objects.count())?;
            }
        }
        row.serialize_field("mark", &self.mark.map(Mark::name))
    }
}

impl<'a> Row<'a, '_> {
    /// The id of a callee; none in a difference that does not have its row, and where functions are no rows.
    fn id_of(&self, callee: RowId) -> Option<usize> {
        let is_listed = self.report.is_listed.as_ref();
        let has_row = is_listed.is_none_or(|is_listed| is_listed[callee.index()])
            && self.report.rows.row_by.has_callers();
        has_row.then_some(callee.index())
    }

    /// The self and the inclusive cost, and what follows from them.
    fn serialize_costs<S: SerializeStruct>(&self, row: &mut S) -> Result<(), S::Error> {
        let (report, shown) = (self.report, self.report.style.shown);
        let (own, inclusive) = (self.details.self_cost.counts(), self.details.inclusive);
        row.serialize_field("self", &Cost::new(shown, own.value))?;
        let cost = inclusive.map(|cost| Cost::new(shown, cost.value));
        row.serialize_field("inclusive", &cost)?;
        if !report.style.ratios.is_empty() {
            let of = |figure: CostFigure<'_>| {
                let ratios = report.style.ratios.iter();
                ratios.map(|&event| ratio(figure.value[event])).collect()
            };
            let (own, inclusive) = (of(own), inclusive.map(of));
            row.serialize_field("ratios", &Ratios { own, inclusive })?;
        }
        if report.style.percentages {
            let style = report.style;
            let percent = |cost| Percentages { style, cost };
            row.serialize_field("self_percent", &percent(own))?;
            row.serialize_field("inclusive_percent", &inclusive.map(percent))?;
        }
        Ok(())
    }

    fn serialize_lines_and_calls<S: SerializeStruct>(&self, row: &mut S) -> Result<(), S::Error> {
        let shown = self.report.style.shown;
        let is_difference = self.report.rows.profile.is_difference();
        let lines = self.details.lines.iter().map(|(line, cost)| Line {
            line: line.key.in_new(),
            base_line: is_difference.then_some(line.base_line),
            cost: Cost::new(shown, cost.value),
            sides: BothSides::new(Some(cost), None, Some(line.calls), shown),
            executed: self.executed(line.key.new),
            jumps: self.jumps(line.key.new),
        });
        row.serialize_field("lines", &Sequence(lines))?;
        let calls = self.details.calls.iter().map(|(site, cost)| {
            let file = self.report.details.file(site.callee);
            let name = Bytes(self.report.details.name(site.callee));
            Callee {
                line: site.key.in_new(),
                base_line: is_difference.then_some(site.base_line),
                id: self.id_of(site.callee),
                file: file.map(Bytes),
                function: file.map(|_| name),
                group: file.is_none().then_some(name),
                target: (site.target > 0).then_some(site.target),
                calls: Calls::new(Some(site.count), cost, shown),
            }
        });
        row.serialize_field("calls", &Sequence(calls))
    }

    /// How often it was called, and whether it was inlined.
    fn serialize_called<S: SerializeStruct>(&self, row: &mut S) -> Result<(), S::Error> {
        if let Some(counts) = self.called {
            let counts = counts.value;
            let called = Called {
                by_others: counts.by_others.value(),
                by_itself: counts.recursive.value(),
            };
            row.serialize_field("called", &called)?;
        }
        let Some(inlined) = self.report.details.inlined(self.id) else {
            return Ok(());
        };
        let part = match (inlined.new, inlined.base.flatten()) {
            (Some(new), Some(base)) if new != base => Some(InlinedPart::Some),
            (new, base) => new.or(base),
        };
        row.serialize_field("inlined", &part.map(inlined_name))
    }

    fn serialize_sides<S: SerializeStruct>(&self, row: &mut S) -> Result<(), S::Error> {
        let shown = self.report.style.shown;
        let calls = self.called.map(|calls| {
            let number = |count: Count| count.or_zero();
            calls.map(|calls| number(calls.by_others))
        });
        let own = self.details.self_cost.counts().marked(self.mark);
        let sides = BothSides::new(Some(own), self.details.inclusive, calls, shown);
        let inlined = self.report.details.inlined(self.id);
        sides.map_or(Ok(()), |mut sides| {
            if let Some(inlined) = inlined {
                sides.new.inlined = inlined.new.map(inlined_name);
                sides.base.inlined = inlined.base.flatten().map(inlined_name);
            }
            row.serialize_field("base", &sides.base)?;
            row.serialize_field("new", &sides.new)
        })
    }

    /// The executions of a line, if they are shown.
    fn executed(&self, line: u32) -> Option<Option<i64>> {
        let flow = self.report.flow.filter(|flow| flow.counts)?;
        Some(flow.flow.executed(self.id.index(), line))
    }

    /// The jumps from a line, if they are shown.
    fn jumps(&self, line: u32) -> Option<Vec<LineJump<'a>>> {
        let flow = self.report.flow.filter(|flow| flow.jumps)?;
        let jumps = flow.flow.jumps(self.id.index(), line).map(|jump| LineJump {
            file: Bytes(self.report.rows.profile.file(jump.target.0)),
            line: jump.target.1,
            conditional: jump.is_conditional,
            taken: jump.taken,
            executed: jump.executed,
        });
        Some(jumps.collect())
    }
}

impl Serialize for Row<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_struct("Row", 12)?;
        row.serialize_field("id", &self.id.index())?;
        self.serialize_label(&mut row)?;
        self.serialize_called(&mut row)?;
        self.serialize_costs(&mut row)?;
        self.serialize_sides(&mut row)?;
        if let Some(parts) = &self.nested {
            let parts = parts.iter().map(|part| Nested { row: self, part });
            let parts = parts.filter(Nested::is_shown);
            row.serialize_field("nested", &Sequence(parts))?;
        }
        if self.report.is_page() {
            return row.end();
        }
        self.serialize_lines_and_calls(&mut row)?;
        let tree = self.report.tree;
        if let Some(tree) = tree.filter(|tree| tree.tree.has(PathDirection::Callers)) {
            let (rows, shown) = (self.report.rows, self.report.style.shown);
            let callers = tree.calls(PathDirection::Callers, Item::Row(self.id), rows);
            let callers = callers.iter().filter_map(|line| Caller::new(line, shown));
            row.serialize_field("callers", &Sequence(callers))?;
        }
        if let Some(tree) = tree.filter(|tree| tree.paths.is_some()) {
            let trees = Trees::new(self.report, tree, self.id);
            row.serialize_field("tree", &trees)?;
        }
        row.end()
    }
}

fn inlined_name(part: InlinedPart) -> &'static str {
    match part {
        InlinedPart::None => "no",
        InlinedPart::Some => "some",
        InlinedPart::All => "all",
    }
}

/// The ratios of a row, in the order of the report's.
#[derive(Serialize)]
struct Ratios {
    #[serde(rename = "self")]
    own: Vec<Option<f64>>,
    inclusive: Option<Vec<Option<f64>>>,
}

/// The shown counts of a cost in percent, to two decimals.
struct Percentages<'a> {
    style: Style<'a>,
    cost: CostFigure<'a>,
}

impl Serialize for Percentages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = Figures::of_cost(self.cost);
        let percent = |&event: &usize| {
            let column = Column::new(Measure::Cost(event), Show::Percent);
            match column.cell(&figures, &self.style) {
                Cell::Share(percent) | Cell::Percent(percent, _) => {
                    Some((percent? * 100.0).round() / 100.0)
                }
                _ => None,
            }
        };
        serializer.collect_seq(self.style.shown.iter().map(percent))
    }
}

/// The calls from a line to a row, or to all rows that are not listed.
struct Site {
    id: Option<usize>,
    key: LineKey,
    base_line: Option<u32>,
    count: CallFigure,
    cost: Figure<Vec<Count>>,
}

impl Site {
    fn add(&mut self, other: &Site) {
        self.count.counted.add(other.count.counted);
        self.count.has_inlined |= other.count.has_inlined;
        self.cost.add(other.cost.counts());
        self.cost = std::mem::take(&mut self.cost).marked(None);
    }
}

/// A file with its lines, or a function.
struct Nested<'a, 'r, 'p> {
    row: &'a Row<'r, 'p>,
    part: &'a NestedPart,
}

impl Nested<'_, '_, '_> {
    /// Whether it is shown: of a difference only what changed is.
    pub(super) fn is_shown(&self) -> bool {
        let shows = |cost: &[Count]| self.row.report.selection.shows(cost);
        let (mut lines, mut calls) = (self.part.lines.iter(), self.part.calls.iter());
        shows(&self.part.cost.value)
            || lines.any(|(_, cost)| shows(cost.value))
            || calls.any(|(call, cost)| call.count.counted.value != 0 || shows(cost.value))
    }

    /// These sides, in a page without what is not known.
    fn sides<'s>(&self, sides: Option<BothSides<'s>>) -> Option<BothSides<'s>> {
        match self.row.report.is_page() {
            true => sides.map(BothSides::known),
            false => sides,
        }
    }

    /// The calls, those to rows that are not listed together by line.
    fn sites(&self) -> Vec<Site> {
        let report = self.row.report;
        let mut sites: Vec<Site> = Vec::new();
        // Where the calls of the current line to rows that are not listed are.
        let mut unlisted: Option<usize> = None;
        for (call, cost) in self.part.calls.iter() {
            let id = self.row.id_of(call.callee);
            let is_within = id.is_none() && report.rows.are_in_one_cycle(self.row.id, call.callee);
            let site = Site {
                id,
                key: call.key,
                base_line: call.base_line,
                count: call.count,
                cost: match is_within {
                    true => Figure::undefined(cost.value.len(), cost.compared.is_some()),
                    false => cost.to_owned(),
                },
            };
            let same = unlisted.filter(|&at| id.is_none() && sites[at].key == call.key);
            match same {
                Some(at) => sites[at].add(&site),
                None => {
                    unlisted = id.is_none().then_some(sites.len()).or(unlisted);
                    sites.push(site);
                }
            }
        }
        sites
    }

    fn serialize_name<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let report = self.row.report;
        let functions = report
            .nesting
            .and_then(|nesting| nesting.functions.as_ref());
        match (self.part.of, functions) {
            (PartOf::Function(row), Some(functions)) => {
                if let Label::Function {
                    file, name, object, ..
                } = functions.label(row)
                {
                    map.serialize_entry("file", &Bytes(file))?;
                    map.serialize_entry("function", &Bytes(&name))?;
                    map.serialize_entry("object", &object.map(Bytes))?;
                }
                Ok(())
            }
            (PartOf::Function(_), None) => Ok(()),
            (PartOf::File(file), _) => {
                map.serialize_entry("file", &Bytes(report.rows.profile.file(file)))
            }
        }
    }
}

impl Serialize for Nested<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let report = self.row.report;
        let shown = report.style.shown;
        let mut map = serializer.serialize_map(None)?;
        self.serialize_name(&mut map)?;
        map.serialize_entry("self", &Cost::new(shown, &self.part.cost.value))?;
        if let Some(sides) = self.sides(BothSides::of_self(self.part.cost.counts(), shown)) {
            map.serialize_entry("base", &sides.base)?;
            map.serialize_entry("new", &sides.new)?;
        }
        if let PartOf::File(_) = self.part.of {
            let is_difference = report.rows.profile.is_difference();
            let lines = self.part.lines.iter();
            let lines = lines.filter(|(_, cost)| report.selection.shows(cost.value));
            // A page computes changes from both sides.
            let changes: &[usize] = match report.is_page() && is_difference {
                true => &[],
                false => shown,
            };
            let lines = lines.map(|(line, cost)| Line {
                line: line.key.in_new(),
                base_line: is_difference.then_some(line.base_line),
                cost: Cost::new(changes, cost.value),
                sides: self.sides(BothSides::of_self(cost, shown)),
                ..Line::default()
            });
            map.serialize_entry("lines", &Sequence(lines))?;
            let sites = self.sites();
            let sites = sites.iter().map(|site| {
                let calls = Calls::new(Some(site.count), site.cost.counts(), shown);
                Callee {
                    line: site.key.in_new(),
                    base_line: is_difference.then_some(site.base_line),
                    id: site.id,
                    calls: Calls {
                        inclusive: Cost::new(changes, &site.cost.value),
                        sides: self.sides(calls.sides),
                        ..calls
                    },
                    ..Callee::default()
                }
            });
            map.serialize_entry("calls", &Sequence(sites))?;
        }
        map.end()
    }
}

/// The requested trees of a row.
#[derive(Serialize)]
pub(super) struct Trees<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Vec<TreeLine<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callees: Option<Vec<TreeLine<'a>>>,
    /// Whether no tree was cut for its number of rows.
    complete: bool,
}

/// A line of a tree. Lines are not nested in each other, as there is no limit of levels.
struct TreeLine<'a> {
    shown: &'a [usize],
    line: PathLine,
    functions: Vec<Function<'a>>,
}

#[derive(Serialize)]
struct LineMembers<'a> {
    level: usize,
    functions: &'a [Function<'a>],
    #[serde(flatten)]
    calls: Calls<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    id: usize,
    file: Option<Bytes<'a>>,
    function: Bytes<'a>,
}

impl Serialize for TreeLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, line) = (self.shown, &self.line);
        let cost = line.cost.counts();
        let members = LineMembers {
            level: line.level,
            functions: &self.functions,
            calls: Calls::new(line.calls, cost, shown),
        };
        members.serialize(serializer)
    }
}

impl<'a> Trees<'a> {
    pub(super) fn new(
        report: &'a JsonReport<'a, '_>,
        tree: &TreeCalls<'_>,
        row: RowId,
    ) -> Trees<'a> {
        let mut trees = Trees {
            callers: None,
            callees: None,
            complete: true,
        };
        for (direction, tree) in tree.paths(Item::Row(row)) {
            trees.complete &= !tree.is_cut;
            let line = |line: PathLine| TreeLine {
                shown: report.style.shown,
                functions: line.rows.iter().map(|&row| function(report, row)).collect(),
                line,
            };
            let lines = Some(tree.lines.into_iter().map(line).collect());
            match direction {
                PathDirection::Callers => trees.callers = lines,
                PathDirection::Callees => trees.callees = lines,
            }
        }
        trees
    }
}

fn function<'a>(report: &'a JsonReport<'a, '_>, row: RowId) -> Function<'a> {
    Function {
        id: row.index(),
        file: report.details.file(row).map(Bytes),
        function: Bytes(report.details.name(row)),
    }
}

#[derive(Serialize)]
pub(super) struct Caller<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Bytes<'a>>,
    #[serde(flatten)]
    calls: Calls<'a>,
}

impl<'a> Caller<'a> {
    /// The calls of a line of the call tree; none of a cycle as a whole.
    pub(super) fn new(line: &'a CallLine<'_, '_>, shown: &'a [usize]) -> Option<Caller<'a>> {
        let (file, function, group) = match &line.label {
            Label::Function { file, name, .. } => (Some(Bytes(file)), Some(Bytes(name)), None),
            Label::Group { name, .. } => (None, None, Some(Bytes(name))),
            Label::Line { .. } | Label::Cycle(_) => return None,
        };
        Some(Caller {
            file,
            function,
            group,
            calls: Calls::new(Some(line.count), line.cost, shown),
        })
    }
}
