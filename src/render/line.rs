//! The lines of a list, which all of its formats write: a row, its callers and callees, and its
//! parts.

use std::io;

use super::measure::Figures;
use super::report::Report;
use super::{counted, with_commas};
use crate::view::{
    CallLine, CallTree, Divided, Label, ListRow, MAX_PATH_ROWS, MAX_REPORT_ROWS, NestedList,
    NestedOf, NestedRow, PathDirection, PathTrees, RowId, Rows, Selection,
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Row,
    /// A caller or a callee, and whether it is of a tree over several levels.
    Call(PathDirection, bool),
    /// A part of the row above, or a note in place of lines.
    Nested,
}

impl Role {
    /// The sign before the name.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Role::Call(PathDirection::Callers, _) => "< ",
            Role::Call(PathDirection::Callees, _) => "> ",
            _ => "",
        }
    }
}

pub(super) enum What<'l> {
    /// The label of a row, followed by those of its chain of single callers.
    Rows(&'l [Label<'l>]),
    Part(&'l NestedOf<'l>),
    Text(String),
}

/// A line of a list. Formats differ in how they write it, and whether callers come before their
/// row.
pub(super) struct Line<'l> {
    pub(super) role: Role,
    /// The number of levels that it is below its row.
    pub(super) level: usize,
    pub(super) row: Option<RowId>,
    pub(super) what: What<'l>,
    pub(super) figures: Figures<'l>,
    /// What is said after the name of a caller or callee.
    pub(super) note: &'static str,
}

impl<'l> Line<'l> {
    pub(super) fn text(level: usize, text: String) -> Line<'l> {
        Line {
            role: Role::Nested,
            level,
            row: None,
            what: What::Text(text),
            figures: Figures::default(),
            note: "",
        }
    }

    /// The functions of the line, each with its level below the row, for formats that write one a
    /// line. `levels` has the level of the last function of each line above, by level of the tree.
    /// The number of calls is that of the first function of a chain.
    pub(super) fn functions(
        &self,
        levels: &mut Vec<usize>,
    ) -> impl Iterator<Item = (usize, &'l Label<'l>, Figures<'l>)> + use<'l> {
        levels.truncate(self.level);
        let first = levels.last().map_or(0, |above| above + 1);
        let labels = self.labels();
        levels.push((first + labels.len()).saturating_sub(1));
        let of_first = self.figures;
        let of_others = Figures { calls: None, ..of_first };
        (first..).zip(labels).map(move |(level, label)| {
            (level, label, if level == first { of_first } else { of_others })
        })
    }

    pub(super) fn labels(&self) -> &'l [Label<'l>] {
        match self.what {
            What::Rows(labels) => labels,
            _ => &[],
        }
    }
}

/// The rows of a report with what is shown around them.
#[derive(Clone, Copy)]
pub struct ReportLines<'a, 'p> {
    pub report: &'a Report<'a, 'p>,
    pub tree: Option<&'a TreeCalls<'a>>,
    pub nested: Option<&'a NestedList<'a>>,
}

impl<'a> ReportLines<'a, '_> {
    pub(super) fn calls(&self, row: &ListRow<'_, '_>) -> Vec<CallsOfRow<'a>> {
        self.tree.map_or_else(Vec::new, |tree| tree.of(row.item, &self.report.rows))
    }

    /// Calls `each` for the row at a position of the list, its callers and callees, and its parts.
    /// Callers come before the row if `callers_first`.
    #[inline]
    pub(super) fn each_line<'l>(
        &'l self,
        position: usize,
        row: &'l ListRow<'l, 'l>,
        calls: &'l [CallsOfRow<'l>],
        callers_first: bool,
        mut each: impl FnMut(Line<'l>) -> io::Result<()>,
    ) -> io::Result<()> {
        let are_callers =
            |of: &CallsOfRow<'_>| matches!(of.role, Role::Call(PathDirection::Callers, _));
        let is_above = |calls: &CallsOfRow<'_>| callers_first && are_callers(calls);
        let (above, below) = calls.split_at(calls.partition_point(is_above));
        for calls in above {
            calls.lines(self.report.figures(row)).try_for_each(&mut each)?;
        }
        each(Line {
            role: Role::Row,
            level: 0,
            row: Some(row.item),
            what: What::Rows(std::slice::from_ref(&row.label)),
            figures: self.report.figures(row),
            note: "",
        })?;
        for calls in below {
            calls.lines(self.report.figures(row)).try_for_each(&mut each)?;
        }
        let nested = self.nested.map(|nested| nested.below(position));
        let parts = nested.map_or_else(Vec::new, |nested| self.parts(nested));
        parts.into_iter().try_for_each(each)
    }

    /// The parts of a row. In columns, source lines without a text are only counted.
    fn parts<'l>(&'l self, nested: &'l [NestedRow<'l>]) -> Vec<Line<'l>> {
        let is_line =
            |of: &NestedOf<'_>| matches!(of, NestedOf::Line(_) | NestedOf::More(_, "line"));
        let is_same = |a: &NestedRow<'_>, b: &NestedRow<'_>| {
            a.level == b.level && is_line(&a.of) && is_line(&b.of)
        };
        let mut lines = Vec::with_capacity(nested.len());
        for same in nested.chunk_by(is_same) {
            let level = same[0].level + 1;
            let has_no_text = |row: &NestedRow<'_>| match &row.of {
                NestedOf::Line(line) => line.source.is_none(),
                of => is_line(of),
            };
            if self.report.style.is_columns && same.iter().all(has_no_text) {
                let counts = same.iter().map(|row| match row.of {
                    NestedOf::More(count, _) => count,
                    _ => 1,
                });
                let count = counted(counts.sum(), "line");
                lines.push(Line::text(level, format!("({count}, source not found)")));
                continue;
            }
            lines.extend(same.iter().map(|row| Line {
                what: What::Part(&row.of),
                figures: Figures::of_cost(row.cost.counts()),
                ..Line::text(level, String::new())
            }));
        }
        lines
    }
}

/// The calls that the tree shows, in order; empty for a plain list.
pub type Tree = &'static [PathDirection];

/// The calls to show around rows.
pub struct TreeCalls<'c> {
    pub tree: Tree,
    /// Whether calls from different lines have lines of their own.
    pub by_line: bool,
    pub calls: CallTree,
    /// The event and the minimum cost of direct calls, if they have one.
    pub min: Option<(usize, u64)>,
    pub selection: &'c Selection,
    /// Callers and callees over several levels, instead of the direct ones.
    pub paths: Option<PathTrees<'c, 'c>>,
}

impl TreeCalls<'_> {
    /// A text about rows without trees, if there are any.
    pub fn limited(&self) -> Option<String> {
        let rows = with_commas(self.paths.as_ref()?.limited()?);
        let max = with_commas(MAX_REPORT_ROWS);
        Some(format!(
            "only the first {rows} rows have trees: those of all rows have more than {max} lines"
        ))
    }

    /// The requested callers and callees of an item.
    fn of<'l>(&'l self, item: RowId, rows: &'l Rows<'_>) -> Vec<CallsOfRow<'l>> {
        let of = |&direction: &PathDirection| {
            let paths = self.paths.as_ref();
            let tree = paths.and_then(|paths| paths.tree(direction, item));
            let is_tree = tree.is_some();
            let (lines, is_cut) = match tree {
                Some(tree) => (tree.lines, tree.is_cut),
                None => {
                    let mut lines = self.calls.calls(direction, item, rows, self.selection);
                    if let Some((event, min)) = self.min {
                        lines.retain(|line| {
                            line.cost().value[event].or_zero().unsigned_abs() >= min
                        });
                    }
                    (lines, false)
                }
            };
            // The names in a tree must differ from that of its row.
            let own = is_tree.then_some(item);
            let named: Vec<RowId> = lines.iter().flat_map(CallLine::rows).chain(own).collect();
            let mut labels = rows.labels_of(&named);
            for (line, label) in lines.iter().zip(&mut labels).filter(|_| self.by_line) {
                if let Some(site) = line.site {
                    *label = label.clone().at_line(rows.profile.file(site.file), site.line);
                }
            }
            let caller = |line: &CallLine<'_>| match direction {
                PathDirection::Callers => line.row,
                PathDirection::Callees => item,
            };
            CallsOfRow {
                are_divided: lines.iter().map(|line| rows.divided(caller(line)).own).collect(),
                role: Role::Call(direction, is_tree),
                labels,
                lines,
                is_cut,
                counts_recursive: rows.is_row(item) && !rows.row_by.is_group(),
            }
        };
        self.tree.iter().map(of).collect()
    }
}

/// The callers or the callees of a row.
pub(super) struct CallsOfRow<'l> {
    pub(super) role: Role,
    lines: Vec<CallLine<'l>>,
    /// By line the label of its row, followed by those of its chain.
    labels: Vec<Label<'l>>,
    /// By line whether what the caller paid was divided.
    are_divided: Vec<bool>,
    /// Whether rows are missing because there were too many.
    is_cut: bool,
    /// Whether calls of the row by itself are calls from which callees are called; a cycle or a
    /// group is entered by others.
    counts_recursive: bool,
}

impl<'l> CallsOfRow<'l> {
    pub(super) fn is_tree(&self) -> bool {
        matches!(self.role, Role::Call(_, true))
    }

    fn lines(&'l self, of_row: Figures<'l>) -> impl Iterator<Item = Line<'l>> {
        let mut labels = &self.labels[..];
        let all = self.lines.iter().zip(&self.are_divided);
        let lines = all.map(move |(line, &is_divided)| Line {
            role: self.role,
            level: line.level + 1,
            row: Some(line.row),
            what: What::Rows(labels.split_off(..1 + line.chain.len()).unwrap_or_default()),
            figures: if line.is_recursive {
                Figures::default()
            } else {
                let calls_per_call = match self.role {
                    Role::Call(PathDirection::Callees, _) => {
                        of_row.calls_per_call(line.count, self.counts_recursive)
                    }
                    _ => None,
                };
                Figures {
                    estimate: line.estimate.as_ref(),
                    divided: Divided { own: is_divided, paid: is_divided },
                    is_of_divided: of_row.is_of_divided,
                    is_unknown: line.is_unknown,
                    calls_per_call,
                    ..of_row.of_call(line.cost(), line.count)
                }
            },
            note: if line.is_recursive || line.is_nested { " (recursive)" } else { "" },
        });
        lines.chain(self.is_cut.then(|| {
            let rows = with_commas(MAX_PATH_ROWS);
            Line::text(1, format!("(more than {rows} rows: the rest is not shown)"))
        }))
    }
}
