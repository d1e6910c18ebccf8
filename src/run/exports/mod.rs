//! The formats of the report other than the page of a terminal and of callgrind_annotate.

mod html;

use std::io::Write;

use anyhow::Result;

use crate::graph::CallGraph;
use crate::profile::Sides;
use crate::render::{self, JsonReport, Report, StackOptions, Style};
use crate::run::Context;
use crate::run::first_screen::PageJson;
use crate::run::message::{UsageError, display_name, display_paths};
use crate::run::prepare::Prepared;
use crate::run::read_files::ReadFile;
use crate::view::asm::{AsmOptions, Instructions, LineFlow};
use crate::view::default_min;
use crate::view::{
    Details, DotGraph, Export, Filter, GraphOptions, Inclusive, NegativeCost, RowBy, Rows,
    StackLines, Stacks, Why, beside,
};

impl Context<'_> {
    /// The event of a report of one event: the first to sort by, or without --sort the first that
    /// --show names.
    pub(in crate::run) fn event(&self) -> usize {
        let requested = &self.options.selection;
        let events = if requested.sort.is_empty() && !requested.show.is_empty() {
            &self.selection.shown
        } else {
            &self.selection.order
        };
        events.first().copied().unwrap_or(0)
    }

    pub(crate) fn write_callgrind(&self, style: Style<'_>, out: &mut impl Write) -> Result<()> {
        if let Some(name) = render::unwritable_name(self.profile) {
            let (name, what) = (name.escape_ascii(), "the callgrind format cannot represent");
            return Err(self.error(format!("{what} the name '{name}'")));
        }
        let rows = self.rows();
        let export = Export::new(&rows);
        let written = render::write_callgrind(&export, self.profile, &self.total, style, out);
        Ok(written?)
    }
}

impl Context<'_> {
    pub(in crate::run) fn write_folded(
        &self,
        style: Style<'_>,
        out: &mut impl Write,
    ) -> Result<()> {
        let (rows, graphs) = self.rows_and_graphs_of_functions();
        let stacks = graphs.as_ref().try_map(|graph| self.stacks(graph, &rows, self.event()))?;
        let options = self.stack_options();
        Ok(render::write_folded(&stacks, &rows, options, style, out)?)
    }

    pub(in crate::run) fn write_pprof(&self, out: &mut impl Write) -> Result<()> {
        if self.escapes {
            let text = "pprof is binary and not for a terminal: -o FILE writes it to a file, or use a pipe";
            return Err(UsageError(text.to_owned()).into());
        }
        let (rows, graphs) = self.rows_and_graphs_of_functions();
        let stacks = self.stacks_by_event(graphs.new, &rows)?;
        let lines = StackLines::new(&rows, self.input.copies_at());
        let options = self.stack_options();
        Ok(render::write_pprof(stacks, &lines, &rows, options, out)?)
    }

    /// The stacks of each event. Nothing but these needs the graph, which is dropped.
    fn stacks_by_event(
        &self,
        graph: CallGraph<'_>,
        rows: &Rows<'_>,
    ) -> Result<Vec<(usize, Stacks)>> {
        // The stacks with the most of the first event are kept.
        let mut events = self.selection.shown.clone();
        events.sort_by_key(|&event| event != self.event());
        let of_events =
            events.into_iter().map(|event| Ok((event, self.stacks(&graph, rows, event)?)));
        of_events.collect()
    }

    fn rows_and_graphs_of_functions(&self) -> (Rows<'_>, Sides<CallGraph<'_>>) {
        let functions = self.profile.function_count();
        beside(functions, || self.rows(), || self.graphs_of_functions())
    }

    pub(in crate::run) fn graphs_of_functions(&self) -> Sides<CallGraph<'_>> {
        CallGraph::of_sides(self.profile, true)
    }

    pub(in crate::run) fn stacks(
        &self,
        graph: &CallGraph<'_>,
        rows: &Rows<'_>,
        event: usize,
    ) -> Result<Stacks> {
        Stacks::new(graph, rows, event).map_err(|NegativeCost(function)| {
            let negative = display_name(self.profile.events().name(event));
            let name = rows.display_name(rows.of_function(function));
            let shown = display_name(&name);
            let text = format!("cannot make stacks: {negative} is negative for {shown}");
            self.error(text)
        })
    }

    pub(in crate::run) fn stack_options(&self) -> StackOptions {
        let min = self.options.selection.list.min.as_ref();
        StackOptions {
            min: min.map_or(default_min::OF_FRAME, |min| min.percent),
            keeps_all: min.is_none(),
            top: self.options.selection.list.top,
            is_inverted: self.options.inverted,
        }
    }

    /// The command of the profiled program, or else the profiles' names.
    fn title(&self) -> String {
        let command = self.profile.command().map(display_name);
        command.unwrap_or_else(|| display_paths(&self.input.paths))
    }

    pub(in crate::run) fn write_flame_graph(&self, out: &mut impl Write) -> Result<()> {
        // XML must not have control characters, not even escaped.
        let style = Style { escapes: true, ..self.style() };
        let mut folded = Vec::new();
        self.write_folded(style, &mut folded)?;
        if folded.is_empty() {
            return Err(self.error("no cost to draw"));
        }
        let (title, event) = (self.title(), self.event());
        let is_inverted = self.options.inverted;
        Ok(render::write_flame_graph(&folded, &title, event, is_inverted, style, out)?)
    }
}

/// The maximum number of nodes if neither --top nor --min is given.
const MAX_NODES: usize = 60;

impl Context<'_> {
    pub(in crate::run) fn write_dot(&self, cycles: bool, out: &mut impl Write) -> Result<()> {
        let selection = &self.options.selection;
        let min = selection.list.min.as_ref().map(|min| min.percent);
        let mut row_options = self.options.rows.clone();
        if !row_options.row_by.is_group() {
            // A function is one node, even if the filter selects only some of its files.
            row_options.row_by = RowBy::Function;
            row_options.filter = Filter::default();
        }
        let rows = Rows::new(self.profile, &row_options);
        let graphs = self.graphs(cycles, &rows);
        let inclusive = Inclusive::new(&graphs, &rows);
        let options = GraphOptions {
            event: self.event(),
            total: self.total.reference[self.event()].or_zero(),
            min_percent: min.unwrap_or(default_min::OF_NODE),
            top: selection.list.top.or(min.is_none().then_some(MAX_NODES)),
        };
        let filter = &self.options.rows.filter;
        let graph = DotGraph::new(&rows, &inclusive, filter, options);
        let nodes: Vec<_> = graph.nodes.iter().map(|node| node.item).collect();
        let named_rows = self.named(rows, &nodes, false);
        let (event, style) = (self.event(), self.style());
        Ok(render::write_dot(&graph, &named_rows, &graphs.cycles, event, style, out)?)
    }
}

impl<'r> Context<'r> {
    /// Writes JSON; with the minimum percentage of a row in a `page` it is the data of HTML.
    pub(in crate::run) fn write_json(
        &self,
        prepared: &Prepared<'_, 'r>,
        why: Option<&Why>,
        page: Option<PageJson<'_>>,
        out: &mut impl Write,
    ) -> Result<()> {
        let listed = &prepared.report;
        let Some(inclusive) = &listed.inclusive else {
            return Ok(());
        };
        let instructions = prepared.instructions.as_ref();
        let (options, list, rows) = (prepared.options, &listed.list, &listed.rows);
        let (profile, code) = (self.profile, &self.options.code);
        let tree = self.tree(prepared);
        let (selection, alignments) = (&self.selection, &prepared.alignments);
        let flow = instructions.filter(|_| code.counts).map(|instructions| {
            let copies = self.copies_of_lines();
            LineFlow::new(instructions, &copies, rows, |row, _| Some(row.index()))
        });
        let details = Details::new(rows, inclusive, selection, alignments, flow.as_ref());
        let nesting = options.nested.then(|| {
            let recorded = self.nesting(rows, true);
            match prepared.graphs.filter(|_| page.is_some()) {
                Some(graphs) => recorded.with_own_costs(graphs),
                None => recorded,
            }
        });
        let screen = self
            .first_screen()
            .and_then(|options| self.screen_of(options, prepared, &[], page.as_ref()));
        let graph = prepared.graphs.filter(|_| screen.is_some());
        let main_costs = graph.and_then(|graphs| self.main_costs(&graphs.sides.new));
        let events: Vec<usize> = (0..profile.events().len()).collect();
        let outside_main = graph.map(|graphs| self.outside_main(&graphs.sides.new, &events));
        let report = JsonReport {
            listed,
            tree: tree.as_ref(),
            why,
            selection,
            scale: self.input.scale.factors.clone(),
            kept: &self.input.changes.kept,
            damaged: self.input.files.iter().flatten().filter_map(ReadFile::damage).collect(),
            details: &details,
            nesting: nesting.as_ref(),
            flow: flow.as_ref().map(|flow| self.source_flow(flow)),
            is_listed: (page.is_some() || profile.is_difference()).then(|| list.is_listed(rows)),
            verdict: prepared.gate.verdict(),
            record: screen
                .as_ref()
                .and_then(|screen| self.command_for(screen))
                .or_else(|| page.as_ref().and_then(|_| self.command_for_page())),
            cache_size: screen.as_ref().and_then(|screen| self.large_cache(&screen.events)),
            screen: screen.as_ref(),
            main_costs: main_costs.as_ref(),
            outside_main: outside_main.unwrap_or_default(),
            page: page.map(|page| page.min_percent),
        };
        render::write_json(&report, out)?;
        if let Some(graphs) = prepared.graphs.filter(|_| report.page.is_some()) {
            render::write_json_lines_by_event(&report, out)?;
            render::write_json_changes(&report, out)?;
            self.write_page_members(graphs, &report, out)?;
        } else if let Some((instructions, asm)) = instructions.zip(code.asm.as_ref()) {
            self.write_json_functions(asm, instructions, listed, out)?;
        }
        Ok(out.write_all(render::JSON_END)?)
    }

    /// Writes the member that has the instructions of functions.
    fn write_json_functions(
        &self,
        asm: &AsmOptions,
        instructions: &Instructions<'_>,
        report: &Report<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        out.write_all(b",\"functions\":[")?;
        let mut separator = "\n";
        self.for_each_asm_page(asm, instructions, report, |page| {
            out.write_all(std::mem::replace(&mut separator, ",\n").as_bytes())?;
            render::write_json_function(page, self.style(), out)
        })?;
        Ok(out.write_all(b"\n]")?)
    }
}
