//! The page: a header, the total, a list of rows and annotated sources.

use std::io::Write;

use anyhow::Result;

use super::Context;
use crate::options::{Header, Page};
use crate::render::{self, Around, PageHeader, Tree, TreeCalls};
use crate::run::prepare::{Graphs, Prepared};
use crate::view::{CallTree, List, Omitted, Rows};

impl<'r> Context<'r> {
    pub(super) fn write_page(
        &self,
        page: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (options, profile) = (&page.list, &self.input.profile);
        let (list, rows, graphs) = (&prepared.list, &prepared.rows, prepared.graphs);
        if !self.options.rows.row_by.is_group() {
            self.note_missing_debug(err)?;
        }
        self.write_header(page, out)?;
        render::write_total(&self.total, profile.events(), self.style(), out)?;
        if self.are_identical(list, rows) {
            render::write_no_difference(out)?;
            return Ok(());
        }
        self.write_list(prepared, out)?;
        let has_cycles = self.options.rows.row_by.has_cycles();
        if let Some(graphs) = graphs.filter(|_| options.inclusive && has_cycles) {
            render::write_cycles(&graphs.cycles, out)?;
        }
        let instructions = prepared.instructions.as_ref();
        if let Some(instructions) = instructions {
            self.for_each_asm_page(instructions, (list, rows), err, |page| {
                render::write_asm(page, profile.events(), self.style(), out)
            })?;
        }
        if page.annotation.auto || !self.input.sources.is_empty() {
            let graphs = (graphs, options.cycles);
            self.write_sources(
                &page.annotation,
                (list, rows),
                graphs,
                instructions,
                out,
                err,
            )?;
        }
        Ok(())
    }

    fn write_header(&self, page: &Page, out: &mut impl Write) -> Result<()> {
        let (profile, selection, style) = (&self.input.profile, &self.selection, self.style());
        let (parts, events) = (profile.parts(), profile.events());
        let base = profile.sides().base.as_ref();
        let header = PageHeader {
            folders: &self.options.input.folders,
            user_annotated: &self.input.sources,
            auto: page.annotation.auto,
            base: base.map_or(&[], |base| base.parts()),
        };
        match page.header {
            Header::Full => {
                render::write_header(&header, parts, events, selection, style, out)?;
            }
            Header::Short => {
                let (sides, hidden) = ((parts, header.base), self.hidden_events);
                render::write_short_header(sides, events, selection, hidden, style, out)?;
            }
            Header::None => {}
        }
        Ok(())
    }

    /// Whether the two sides of a difference are the same, with this list of what differs.
    fn are_identical(&self, list: &List, rows: &Rows<'_>) -> bool {
        let profile = &self.input.profile;
        let is_nothing_listed = || {
            let total = &self.total.figure.value;
            list.items.is_empty()
                && list.omitted.as_ref().is_none_or(Omitted::is_empty)
                && total.iter().all(|count| count.or_zero() == 0)
        };
        profile.is_difference() && is_nothing_listed() && rows.are_identical()
    }

    fn write_list(&self, prepared: &Prepared<'_, 'r>, out: &mut impl Write) -> Result<()> {
        let events = self.input.profile.events();
        let (options, list, rows) = (prepared.options, &prepared.list, &prepared.rows);
        let graphs = prepared.graphs.filter(|_| options.tree != Tree::None);
        let calls = graphs.map(|Graphs { sides, cycles }| CallTree::new(sides, rows, cycles));
        let paths = graphs.and_then(|graphs| self.path_trees(options, graphs, rows));
        let calls = calls.as_ref().map(|calls| TreeCalls {
            tree: options.tree,
            calls,
            selection: &self.selection,
            paths: paths.as_ref(),
        });
        let nested = options.nested.then(|| self.nested_list(rows, list));
        let around = Around {
            tree: calls.as_ref(),
            nested: nested.as_ref(),
        };
        let style = self.style();
        Ok(render::write_functions(
            list, rows, around, events, style, out,
        )?)
    }
}
