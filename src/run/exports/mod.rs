//! The report in other forms than the page.

mod dot;
mod json;
mod stacks;

use std::io::Write;

use anyhow::{Context as _, Result};

use super::Context;
use super::gate::Gate;
use super::input::display_paths;
use crate::options::ListOptions;
use crate::render::{self, CsvTable, MarkdownTable, WriteError};
use crate::view::{Export, List, RowNames, Rows, self_costs};

impl<'r> Context<'r> {
    /// Rows by the requested names.
    pub(in crate::run) fn named(&self, rows: Rows<'r>, list: &List) -> Rows<'r> {
        match self.options.rows.short_names {
            true => {
                let names = RowNames::short(list.items.iter().copied(), &rows, true);
                rows.with_names(names)
            }
            false => rows,
        }
    }

    /// All rows and their list.
    pub(in crate::run) fn rows_and_list(&self, options: &ListOptions) -> (Rows<'r>, List) {
        let _in_files = || display_paths(&self.input.paths);
        let mut rows = Rows::new(&self.input.profile, &self.options.rows);
        let graphs = options
            .inclusive
            .then(|| self.graphs(options.cycles, &rows));
        if let Some(graphs) = &graphs {
            rows = rows.with_cycles(&graphs.cycles);
        }
        let list = self.list(options, &rows, graphs.as_ref());
        let rows = self.with_sources(rows, &list);
        (self.named(rows, &list), list)
    }

    /// Writes the list as comma-separated values.
    pub(in crate::run) fn write_csv(
        &self,
        options: &ListOptions,
        out: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let _in_files = || display_paths(&self.input.paths);
        let (rows, graphs) = self.rows_with_cycles(options.cycles);
        let inclusive = graphs.inclusive(&rows);
        let selection = &self.selection;
        let own = self_costs(profile, &rows);
        let rows = match profile.is_difference() {
            true => rows.with_cost_changes(&own, &inclusive, selection),
            false => rows,
        };
        let by = options.inclusive.then_some((&graphs, &inclusive));
        let list = self.list_by(&rows, by);
        let rows = self.with_sources(rows, &list);
        let table = CsvTable {
            list: &list,
            rows: &rows,
            events: profile.events(),
            own: &own,
            inclusive: &inclusive,
            percentages: options.percentages,
        };
        Ok(render::write_csv(&table, self.style(), out)?)
    }

    /// Writes the list as a table in Markdown.
    pub(in crate::run) fn write_markdown(
        &self,
        options: &ListOptions,
        gate: &Gate,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (rows, list) = self.rows_and_list(options);
        self.note_nameless(&rows, &list, err)?;
        let nested = options.nested.then(|| self.nested_list(&rows, &list));
        let table = MarkdownTable {
            verdicts: &gate.lines,
            total: &self.total,
            list: &list,
            nested: nested.as_ref(),
        };
        let (events, style) = (self.input.profile.events(), self.style());
        Ok(render::write_markdown(&table, &rows, events, style, out)?)
    }

    /// The event of a report that is about one.
    pub(in crate::run) fn event(&self) -> usize {
        let events = match self.options.selection.sort.is_empty() {
            true => &self.selection.shown,
            false => &self.selection.order,
        };
        events.first().copied().unwrap_or(0)
    }

    /// Writes the profile back.
    pub(in crate::run) fn write_callgrind(&self, out: &mut impl Write) -> Result<()> {
        let rows = Rows::new(&self.input.profile, &self.options.rows);
        let export = Export::new(&self.input.profile, &rows, &self.selection);
        let done =
            render::write_callgrind(&export, &self.input.profile, &self.total, self.style(), out);
        match done {
            Err(WriteError::Io(error)) => Err(error.into()),
            done => done.with_context(|| display_paths(&self.input.paths)),
        }
    }
}
