//! The page: a header, the total, a list of rows and annotated sources.

use std::io::Write;

use anyhow::Result;

use super::Context;
use crate::options::{Header, ListOptions, Page};
use crate::render::{self, Around, PageHeader, Tree, TreeCalls};
use crate::run::Graphs;
use crate::view::{CallTree, Inclusive, List, Omitted, PathOptions, PathTrees, Rows};

/// The least line of a tree of callers or callees, in percent of the total.
const LEAST_LINE: f64 = 1.0;

impl<'r> Context<'r> {
    pub(super) fn write_page(
        &self,
        page: &Page,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let (options, profile) = (&page.list, &self.input.profile);
        let instructions = self.instructions()?;
        let annotates = page.annotation.auto || !self.input.sources.is_empty();
        let needs_graph = options.inclusive || options.tree != Tree::None;
        let has_cycles = self.options.rows.row_by.has_cycles();
        let mut rows = Rows::new(profile, &self.options.rows);
        if options.tree != Tree::None {
            rows = rows.with_names_checked();
        }
        let graphs = needs_graph.then(|| self.graphs(options.cycles, &rows));
        if let Some(graphs) = graphs.as_ref().filter(|_| options.inclusive) {
            rows = rows.with_cycles(&graphs.cycles);
        }
        let list = self.list(options, &rows, graphs.as_ref());
        self.note_nameless(&rows, &list, err)?;

        let rows = self.named(self.with_sources(rows, &list), &list);
        if !self.options.rows.row_by.is_group() {
            self.note_missing_debug(err)?;
        }
        self.write_header(page, out)?;
        render::write_total(&self.total, profile.events(), self.style(), out)?;
        if self.are_identical(&list, &rows) {
            render::write_no_difference(out)?;
            return Ok(());
        }
        self.write_list(options, &list, &rows, graphs.as_ref(), out)?;
        if let Some(graphs) = graphs.as_ref().filter(|_| options.inclusive && has_cycles) {
            render::write_cycles(&graphs.cycles, out)?;
        }
        if let Some(instructions) = &instructions {
            self.for_each_asm_page(instructions, (&list, &rows), err, |page| {
                render::write_asm(page, profile.events(), self.style(), out)
            })?;
        }
        if annotates {
            let graphs = (graphs.as_ref(), options.cycles);
            let code = instructions.as_ref();
            self.write_sources(&page.annotation, (&list, &rows), graphs, code, out, err)?;
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

    /// The list of rows, by self cost, or by inclusive cost in these graphs.
    pub(super) fn list(
        &self,
        options: &ListOptions,
        rows: &Rows<'r>,
        graphs: Option<&Graphs<'r>>,
    ) -> List {
        let graphs = graphs.filter(|_| options.inclusive);
        let inclusive = graphs.map(|graphs| Inclusive::new(&graphs.sides, rows, &graphs.cycles));
        self.list_by(rows, graphs.zip(inclusive.as_ref()))
    }

    /// The same, if inclusive costs are known.
    pub(super) fn list_by(
        &self,
        rows: &Rows<'r>,
        inclusive: Option<(&Graphs<'r>, &Inclusive<'_>)>,
    ) -> List {
        let (selection, total) = (&self.selection, &self.total);
        match inclusive {
            None => List::by_self_cost(&self.input.profile, rows, selection, total),
            Some((graphs, inclusive)) => {
                let sides = &graphs.sides;
                List::by_inclusive_cost(sides, rows, inclusive, selection, total)
            }
        }
    }

    fn write_list(
        &self,
        options: &ListOptions,
        list: &List,
        rows: &Rows<'r>,
        graphs: Option<&Graphs<'r>>,
        out: &mut impl Write,
    ) -> Result<()> {
        let events = self.input.profile.events();
        let graphs = graphs.filter(|_| options.tree != Tree::None);
        let calls = graphs.map(|Graphs { sides, cycles }| CallTree::new(sides, rows, cycles));
        let paths = graphs.map(|graphs| self.path_trees(options, graphs, rows));
        let paths = paths.flatten();
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

    /// Callers and callees over several levels, if they are requested.
    pub(super) fn path_trees<'g>(
        &self,
        options: &ListOptions,
        graphs: &'g Graphs<'r>,
        rows: &'g Rows<'r>,
    ) -> Option<PathTrees<'g, 'r>> {
        let depth = options.depth.filter(|&depth| depth > 1);
        let depth = depth.filter(|_| options.tree != Tree::None)?;
        let first = self.event();
        let shown = self.selection.shown.iter().copied();
        let events: Vec<usize> = std::iter::once(first)
            .chain(shown.filter(|&event| event != first))
            .collect();
        let min = self.options.selection.min.as_ref();
        let min = min.map_or(LEAST_LINE, |min| min.percent);
        let total = self.total.reference()[first].or_zero();
        let options = PathOptions {
            depth,
            total: total.unsigned_abs(),
            min,
        };
        let trees = PathTrees::new(&graphs.sides, rows, &graphs.cycles, events, options);
        Some(trees)
    }
}
