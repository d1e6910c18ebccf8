//! The callers of a row, and its callers and callees over several levels.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::JsonReport;
use super::line::{Calls, RowName};
use super::value::{Maybe, Name, Number, Range};
use crate::profile::NEW;
use crate::render::line::TreeCalls;
use crate::view::{CallLine, CostEstimate, Label, PathDirection, PathTree, RowId};

/// Calls from another row.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct Caller<'a> {
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
pub(super) struct Tree<'a> {
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
    /// The number of calls, if it is an estimate; `count` is then null.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    estimated_count: Maybe<Number>,
    /// Of each event the least and the most that the cost can be, if it is estimated.
    #[serde(skip_serializing_if = "Maybe::is_absent")]
    inclusive_range: Maybe<Range<'a>>,
}

/// A row on a line of a tree.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct PathFunction<'a> {
    id: usize,
    file: Option<Name<'a>>,
    function: Name<'a>,
}

impl JsonReport<'_, '_> {
    /// The calls from other rows, as they are written.
    #[cold]
    pub(super) fn written_callers<'c>(
        &'c self,
        callers: &'c [(CallLine<'_>, Label<'_>)],
    ) -> Vec<Caller<'c>> {
        let caller = |(line, label): &'c (CallLine<'_>, Label<'_>)| Caller {
            caller: RowName::of(label.file, &label.name, label.group.is_some()),
            line: line.site.map(|site| site.line).into(),
            calls: self.calls(line.count.as_ref(), line.cost()),
        };
        callers.iter().map(caller).collect()
    }

    /// The trees of a row, as they are written.
    #[cold]
    pub(super) fn written_tree<'t>(
        &'t self,
        row: RowId,
        trees: &'t [(PathDirection, PathTree)],
    ) -> Tree<'t> {
        let paths = |direction: PathDirection| {
            let (_, tree) = trees.iter().find(|(of, _)| *of == direction)?;
            Some(tree.lines.iter().map(|line| self.path(line)).collect())
        };
        let paths_of = self.tree.and_then(|tree| tree.paths.as_ref());
        let is_left_out = paths_of.is_some_and(|paths| paths.is_left_out(row));
        Tree {
            callers: paths(PathDirection::Callers).into(),
            callees: paths(PathDirection::Callees).into(),
            complete: !is_left_out && trees.iter().all(|(_, tree)| !tree.is_cut),
        }
    }

    fn path<'s>(&'s self, line: &'s CallLine<'_>) -> Path<'s> {
        let functions = line.rows().map(|row| PathFunction {
            id: row.index(),
            file: self.details.file(row).map(Name),
            function: Name(self.details.name(row)),
        });
        let range = line.estimate.as_ref().and_then(|estimate| self.range(estimate));
        let count = line.count.as_ref().map(|count| count.value);
        let estimated = count.filter(|count| count.are_estimated);
        Path {
            level: line.level,
            recursive: line.is_recursive.then_some(true).into(),
            functions: functions.collect(),
            calls: self.calls(line.count.as_ref(), line.cost()),
            estimated_count: estimated.and_then(|calls| Number::of(calls.by_others)).into(),
            inclusive_range: range.into(),
        }
    }

    /// The bounds of an estimated cost; those of a change are not known.
    pub(super) fn range<'s>(&'s self, estimate: &'s CostEstimate) -> Option<Range<'s>> {
        let range = estimate.range(NEW)?;
        let is_difference = self.listed.rows.profile.is_difference();
        (!is_difference).then_some(Range { shown: self.listed.style.shown, range })
    }
}

impl<'a, 'p> JsonReport<'a, 'p> {
    /// The callers of a row, if they are requested. (Rows of lines have no name.)
    pub(super) fn callers(&self, row: RowId) -> Option<Vec<(CallLine<'a>, Label<'p>)>> {
        let tree = self.tree().filter(|tree| tree.tree.contains(&PathDirection::Callers))?;
        let rows = &self.listed.rows;
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
        self.tree.filter(|_| !self.is_page())
    }
}
