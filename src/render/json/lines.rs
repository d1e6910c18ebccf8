//! The lines and calls of a row.

use serde::ser::SerializeStruct;

use super::row::Row;
use super::sides::{BothSides, Side};
use super::{Bytes, Cost, Sequence};
use crate::view::RowId;

/// The cost of a source line.
#[derive(serde::Serialize)]
pub(super) struct Line<'a> {
    pub(super) line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_line: Option<Option<u32>>,
    #[serde(rename = "self")]
    pub(super) cost: Cost<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base: Option<Side<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new: Option<Side<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) executed: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) jumps: Option<Vec<LineJump<'a>>>,
}

#[derive(serde::Serialize)]
pub(super) struct LineJump<'a> {
    file: Bytes<'a>,
    line: u32,
    conditional: bool,
    taken: i64,
    executed: i64,
}

#[derive(serde::Serialize)]
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
    count: i64,
    inclusive: Cost<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Side<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Side<'a>>,
}

impl<'a> Row<'a, '_> {
    /// Its members `lines` and `calls`.
    pub(super) fn serialize_lines_and_calls<S: SerializeStruct>(
        &self,
        row: &mut S,
    ) -> Result<(), S::Error> {
        let shown = &self.report.selection.shown[..];
        let is_difference = self.report.profile.is_difference();
        let lines = self.details.lines.iter().map(|line| {
            let sides = BothSides::new(Some(line.cost.counts()), None, Some(line.calls), shown);
            let (base, new) = BothSides::members(sides);
            Line {
                line: line.key.in_new(),
                base_line: is_difference.then_some(line.base_line),
                cost: Cost {
                    shown,
                    cost: &line.cost.value,
                },
                base,
                new,
                executed: self.executed(line.key.new),
                jumps: self.jumps(line.key.new),
            }
        });
        row.serialize_field("lines", &Sequence(lines))?;
        let calls = self.details.calls.iter().map(|site| {
            let file = self.report.details.file(site.callee);
            let name = Bytes(self.report.details.name(site.callee));
            let sides = BothSides::new(None, Some(site.cost.counts()), Some(site.count), shown);
            let (base, new) = BothSides::members(sides);
            Callee {
                line: site.key.in_new(),
                base_line: is_difference.then_some(site.base_line),
                id: self.id_of(site.callee),
                file: file.map(Bytes),
                function: file.map(|_| name),
                group: file.is_none().then_some(name),
                target: (site.target > 0).then_some(site.target),
                count: site.count.value,
                inclusive: Cost {
                    shown,
                    cost: &site.cost.value,
                },
                base,
                new,
            }
        });
        row.serialize_field("calls", &Sequence(calls))
    }

    /// The id of a callee; none in a difference that does not have its row, and where functions are no rows.
    fn id_of(&self, callee: RowId) -> Option<usize> {
        let is_listed = self.report.is_listed.as_ref();
        let has_row = is_listed.is_none_or(|is_listed| is_listed[callee.index()])
            && self.report.rows.row_by().has_callers();
        has_row.then_some(callee.index())
    }

    /// The executions of a line, if they are shown.
    fn executed(&self, line: u32) -> Option<Option<i64>> {
        let flow = self.report.flow.filter(|_| self.report.counts)?;
        Some(flow.executed(self.id.index(), line))
    }

    /// The jumps from a line, if they are shown.
    fn jumps(&self, line: u32) -> Option<Vec<LineJump<'a>>> {
        let flow = self.report.flow.filter(|_| self.report.jumps)?;
        let jumps = flow.jumps(self.id.index(), line).map(|jump| LineJump {
            file: Bytes(self.report.profile.file(jump.target.0)),
            line: jump.target.1,
            conditional: jump.is_conditional,
            taken: jump.taken,
            executed: jump.executed,
        });
        Some(jumps.collect())
    }
}
