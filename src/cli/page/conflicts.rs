//! Options that cannot be combined.

use super::Arguments;
use crate::cli::output::FormatArgument;
use crate::render::Tree;
use crate::view::RowBy;

impl Arguments {
    /// What cannot be combined with how rows are grouped.
    pub(super) fn conflict(&self) -> Option<String> {
        if let Some(text) = self.list.conflict_of_buckets() {
            return Some(text.to_owned());
        }
        let is_for_people = self.format.format != FormatArgument::Json;
        if let Some(other) = self.list.conflict_of_nested(is_for_people) {
            return Some(format!("--nested cannot be combined with {other}"));
        }
        let has_functions = !self.list.row_by().is_group() && self.list.finer_rows().is_none();
        if self.list.list().depth.is_some() && !has_functions {
            return Some("--depth requires --group-by=file:function or function".to_owned());
        }
        if let Some(rows) = self.list.finer_rows() {
            return self.conflict_of_finer_rows(rows);
        }
        if self.list.by_instruction() {
            return self.conflict_of_instructions();
        }
        let others = [
            (self.list.row_by() != RowBy::FileFunction, "--group-by"),
            (self.scale.is_given(), "--per or --normalize"),
            (!self.diff.diff.is_empty(), "--diff"),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        let other = other.filter(|_| self.asm.is_given());
        let charged = "--charge-to-callers cannot be combined with --asm, --counts or --jumps";
        let is_charged = !self.charge.charge_to_callers.is_empty() && self.asm.is_any_given();
        other
            .map(|(_, other)| format!("--asm cannot be combined with {other}"))
            .or_else(|| is_charged.then(|| charged.to_owned()))
    }

    /// What cannot be combined with lines, threads or parts as rows.
    fn conflict_of_finer_rows(&self, rows: &str) -> Option<String> {
        let others = [
            (self.list.list().tree != Tree::None, "--tree"),
            (self.list.calls, "--calls"),
            (self.asm.is_given(), "--asm"),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        let format = match self.format.format {
            FormatArgument::Dot => Some("--format=dot"),
            FormatArgument::Folded => Some("--format=folded"),
            FormatArgument::Flamegraph => Some("--format=flamegraph"),
            FormatArgument::Pprof => Some("--format=pprof"),
            _ => None,
        };
        let other = other.map(|(_, other)| other).or(format)?;
        Some(format!("--group-by={rows} cannot be combined with {other}"))
    }

    /// What cannot be combined with rows of instructions.
    fn conflict_of_instructions(&self) -> Option<String> {
        let list = self.list.list();
        if !matches!(
            self.format.format,
            FormatArgument::Csv | FormatArgument::Json
        ) {
            return Some(
                "--group-by=instruction requires --format=csv or --format=json".to_owned(),
            );
        }
        let others = [
            (self.asm.is_any_given(), "--asm, --counts or --jumps"),
            (list.inclusive, "--inclusive"),
            (list.tree != Tree::None, "--tree"),
            (self.list.calls, "--calls"),
            (self.scale.is_given(), "--per or --normalize"),
            (!self.diff.diff.is_empty(), "--diff"),
            (
                !self.charge.charge_to_callers.is_empty(),
                "--charge-to-callers",
            ),
        ];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        other.map(|(_, other)| format!("--group-by=instruction cannot be combined with {other}"))
    }
}
