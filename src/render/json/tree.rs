//! The callers and callees of a row over several levels.

use serde::{Serialize, Serializer};

use crate::render::json::BothSides;
use crate::render::json::{Bytes, Cost, JsonReport};
use crate::render::list::Tree;
use crate::view::{CallLine, Item, Label, PathDirection, PathLine, PathTrees, RowId};

/// The requested trees of a row.
#[derive(Serialize)]
pub(super) struct Trees<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Vec<Line<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callees: Option<Vec<Line<'a>>>,
    /// Whether no tree was cut for its number of rows.
    complete: bool,
}

/// A line of a tree. Lines are not nested in each other, as there is no limit of levels.
struct Line<'a> {
    shown: &'a [usize],
    line: PathLine,
    functions: Vec<Function<'a>>,
}

#[derive(Serialize)]
struct LineMembers<'a> {
    level: usize,
    functions: &'a [Function<'a>],
    count: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inlined: bool,
    inclusive: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
}

#[derive(Serialize)]
struct Function<'a> {
    id: usize,
    file: Option<Bytes<'a>>,
    function: Bytes<'a>,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (shown, line) = (self.shown, &self.line);
        let cost = line.cost.counts();
        let members = LineMembers {
            level: line.level,
            functions: &self.functions,
            count: line.calls.number(),
            inlined: line.calls.has_inlined,
            inclusive: Cost::new(shown, cost.value),
            sides: BothSides::new(None, Some(cost), Some(line.calls.counted), shown),
        };
        members.serialize(serializer)
    }
}

impl<'a> Trees<'a> {
    pub(super) fn new(
        report: &'a JsonReport<'a, '_>,
        paths: &PathTrees<'_, '_>,
        which: Tree,
        row: RowId,
    ) -> Trees<'a> {
        let mut complete = true;
        let mut lines = |direction| {
            let tree = paths.tree(direction, Item::Row(row));
            complete &= !tree.is_cut;
            let line = |line: PathLine| Line {
                shown: &report.selection.shown,
                functions: line.rows.iter().map(|&row| function(report, row)).collect(),
                line,
            };
            tree.lines.into_iter().map(line).collect()
        };
        Trees {
            callers: which.has_callers().then(|| lines(PathDirection::Callers)),
            callees: which.has_callees().then(|| lines(PathDirection::Callees)),
            complete,
        }
    }
}

fn function<'a>(report: &'a JsonReport<'a, '_>, row: RowId) -> Function<'a> {
    Function {
        id: row.index(),
        file: report.details.file(row).map(Bytes),
        function: Bytes(report.details.name(row)),
    }
}

/// Calls from one row.
#[derive(serde::Serialize)]
pub(super) struct Caller<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Bytes<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<Bytes<'a>>,
    count: Option<i64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inlined: bool,
    inclusive: Cost<'a>,
    #[serde(flatten)]
    sides: Option<BothSides<'a>>,
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
            count: line.count.number(),
            inlined: line.count.has_inlined,
            inclusive: Cost::new(shown, line.cost.value),
            sides: BothSides::new(None, Some(line.cost), Some(line.count.counted), shown),
        })
    }
}
