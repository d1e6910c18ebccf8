//! The report in other forms than the page.

use std::io::{self, Write};

use anyhow::{Context as _, Result, anyhow};

use super::Context;
use super::gate::Gate;
use super::input::display_paths;
use crate::graph::CallGraph;
use crate::options::{ListOptions, Report};
use crate::profile::Sides;
use crate::render::{
    self, CsvTable, FlameGraphHead, InstructionRows, JsonReport, WriteError, write_instructions_csv,
};
use crate::view::asm::{InstructionList, Instructions, LineFlow};
use crate::view::{
    CallTree, Details, DotGraph, Export, FunctionList, GraphOptions, Inclusive, RowNames, Rows,
    StackError, Stacks, self_costs,
};

/// The least frame of a stack, in percent of the total.
const LEAST_FRAME: f64 = 0.01;

/// The least function and the least calls of a graph, likewise.
const LEAST_NODE: f64 = 1.0;

/// How many nodes a graph has if neither their number nor their least cost is requested.
const MOST_NODES: usize = 60;

impl<'r> Context<'r> {
    /// Writes the report as JSON.
    pub(super) fn write_json(
        &self,
        options: &ListOptions,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<Gate> {
        let instructions = self.instructions()?;
        let (rows, profile) = (&self.options.rows, &self.input.profile);
        let in_files = || display_paths(&self.input.paths);
        let rows = Rows::new(profile, rows);
        let graphs = self.graphs(options.cycles, &rows).with_context(in_files)?;
        let rows = rows.with_cycles(&graphs.cycles);
        let inclusive = Inclusive::new(&graphs.sides, &rows, &graphs.cycles);
        let inclusive = inclusive.with_context(in_files)?;
        let selection = &self.selection;
        let rows = match profile.is_difference() {
            true => rows.with_changes(&inclusive, &selection.shown),
            false => rows,
        };
        let by = options.inclusive.then_some((&graphs, &inclusive));
        let list = self.list_by(&rows, by).with_context(in_files)?;
        let gate = self.gate(&rows, list.grown)?;
        let rows = self.with_sources(rows, &list);
        let calls = options.tree.has_callers();
        let calls = calls.then(|| CallTree::new(&graphs.sides, &rows, &graphs.cycles));
        let calls = calls.transpose().with_context(in_files)?;
        let alignments = self.alignments(&rows);
        let details = Details::new(profile, &rows, &inclusive, &graphs.cycles, selection);
        let details = details.with_alignments(&alignments);
        let is_listed = profile.is_difference().then(|| list.is_listed(&rows));
        let code = &self.options.code;
        let lines = instructions.as_ref().filter(|_| code.counts || code.jumps);
        let flow = lines.map(|instructions| LineFlow::by_row(&instructions.new, &rows));
        let flow = flow.transpose().with_context(in_files)?;
        let report = JsonReport {
            profile,
            total: &self.total,
            selection: &self.selection,
            list: &list,
            is_inclusive: options.inclusive,
            unit: self.input.scale.unit,
            scale: self.input.scale.factors,
            rows: &rows,
            details: &details,
            callers: calls.as_ref(),
            flow: flow.as_ref(),
            counts: code.counts,
            jumps: code.jumps,
            percentages: options.percentages,
            shares: self.selection.shares(profile.events()),
            ratios: &self.ratios,
            is_listed,
            verdict: gate.verdict(),
        };
        render::write_json(&report, out)?;
        if let (Some(instructions), true) = (&instructions, code.asm.is_some()) {
            out.write_all(b",\"functions\":[")?;
            let mut separator = "\n";
            self.for_each_asm_page(instructions, (&list, &rows), err, |page, object| {
                out.write_all(std::mem::replace(&mut separator, ",\n").as_bytes())?;
                let shown = (&self.selection.shown[..], self.input.scale.unit);
                render::write_json_function(page, &object.state, shown, out)
            })?;
            out.write_all(b"\n]")?;
        }
        out.write_all(render::JSON_END)?;
        Ok(gate)
    }

    /// Writes instructions, as JSON or as comma-separated values.
    pub(super) fn write_instructions(
        &self,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let Some(instructions) = self.instructions()? else {
            return Ok(());
        };
        let rows = Rows::new(profile, &self.options.rows);
        let rebuilt = self.rebuilt(&instructions, err)?;
        let list = InstructionList::new(&instructions, &rebuilt, &rows, &self.selection);
        let instructions = InstructionRows {
            list: &list.with_context(in_files)?,
            profile,
            demangles: self.options.rows.demangles,
        };
        if matches!(self.options.report, Report::Csv(_)) {
            return Ok(write_instructions_csv(&instructions, self.style(), out)?);
        }
        let graphs = self.graphs(false, &rows).with_context(in_files)?;
        let inclusive = Inclusive::new(&graphs.sides, &rows, &graphs.cycles);
        let inclusive = inclusive.with_context(in_files)?;
        let (selection, total) = (&self.selection, &self.total);
        let details = Details::new(profile, &rows, &inclusive, &graphs.cycles, selection);
        let list = FunctionList::by_self_cost(profile, &rows, selection, total);
        let mut list = list.with_context(in_files)?;
        // What functions leave out is not what instructions do.
        list.rest = None;
        let report = JsonReport {
            profile,
            total,
            selection,
            list: &list,
            is_inclusive: false,
            unit: self.input.scale.unit,
            scale: self.input.scale.factors,
            rows: &rows,
            details: &details,
            callers: None,
            flow: None,
            counts: false,
            jumps: false,
            percentages: false,
            shares: Vec::new(),
            ratios: &[],
            is_listed: None,
            verdict: None,
        };
        render::write_json_header(&report, out)?;
        let shown = (&selection.shown[..], self.input.scale.unit);
        render::write_instructions_json(&instructions, shown, out)?;
        Ok(out.write_all(render::JSON_END)?)
    }

    /// Rows by the requested names.
    pub(super) fn named(&self, rows: Rows<'r>, list: &FunctionList) -> Rows<'r> {
        match self.options.rows.short_names {
            true => {
                let names = RowNames::short(list.items.iter().copied(), &rows, true);
                rows.with_names(names)
            }
            false => rows,
        }
    }

    /// All rows and their list.
    pub(super) fn rows_and_list(&self, options: &ListOptions) -> Result<(Rows<'r>, FunctionList)> {
        let in_files = || display_paths(&self.input.paths);
        let mut rows = Rows::new(&self.input.profile, &self.options.rows);
        let graphs = options.inclusive;
        let graphs = graphs.then(|| self.graphs(options.cycles, &rows));
        let graphs = graphs.transpose().with_context(in_files)?;
        if let Some(graphs) = &graphs {
            rows = rows.with_cycles(&graphs.cycles);
        }
        let list = self.list(options, &rows, graphs.as_ref());
        let list = list.with_context(in_files)?;
        let rows = self.with_sources(rows, &list);
        Ok((self.named(rows, &list), list))
    }

    /// Writes the list as comma-separated values.
    pub(super) fn write_csv(&self, options: &ListOptions, out: &mut impl Write) -> Result<Gate> {
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let rows = Rows::new(profile, &self.options.rows);
        let graphs = self.graphs(options.cycles, &rows).with_context(in_files)?;
        let rows = rows.with_cycles(&graphs.cycles);
        let inclusive = Inclusive::new(&graphs.sides, &rows, &graphs.cycles);
        let inclusive = inclusive.with_context(in_files)?;
        let selection = &self.selection;
        let own = self_costs(profile, &rows).with_context(in_files)?;
        let rows = match profile.is_difference() {
            true => rows.with_cost_changes(&own, &inclusive, selection),
            false => rows,
        };
        let by = options.inclusive.then_some((&graphs, &inclusive));
        let list = self.list_by(&rows, by).with_context(in_files)?;
        let gate = self.gate(&rows, list.grown)?;
        let rows = self.with_sources(rows, &list);
        let table = CsvTable {
            list: &list,
            rows: &rows,
            events: profile.events(),
            own: &own,
            inclusive: &inclusive,
            percentages: options.percentages,
        };
        render::write_csv(&table, self.style(), out)?;
        Ok(gate)
    }

    /// Writes the list as a table in Markdown.
    pub(super) fn write_markdown(
        &self,
        options: &ListOptions,
        out: &mut impl Write,
    ) -> Result<Gate> {
        let (rows, list) = self.rows_and_list(options)?;
        let gate = self.gate(&rows, list.grown)?;
        let (total, events, style) = (&self.total, self.input.profile.events(), self.style());
        render::write_markdown(&gate.lines, &list, &rows, total, events, style, out)?;
        Ok(gate)
    }

    /// Writes stacks, of the first event to sort by, or else the first to show.
    pub(super) fn write_folded(&self, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let (graphs, style) = (self.graphs_of_functions()?, self.style());
        let graphs = graphs.as_ref();
        let stacks = graphs.try_map(|graph| self.stacks(graph, &rows, self.event()))?;
        let least = self.least_frame();
        Ok(render::write_folded(
            &stacks, profile, &rows, least, style, out,
        )?)
    }

    /// Writes stacks of all events that are shown as a profile of pprof.
    pub(super) fn write_pprof(&self, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let graph = self.graphs_of_functions()?.new;
        let events = self.selection.shown.iter();
        let events: Result<Vec<_>> = events
            .map(|&event| Ok((event, self.stacks(&graph, &rows, event)?)))
            .collect();
        let least = self.least_frame();
        Ok(render::write_pprof(&events?, profile, &rows, least, out)?)
    }

    fn graphs_of_functions(&self) -> Result<Sides<CallGraph<'_>>> {
        let graphs = CallGraph::of_sides(&self.input.profile, true);
        graphs.with_context(|| display_paths(&self.input.paths))
    }

    fn stacks(&self, graph: &CallGraph<'_>, rows: &Rows<'_>, event: usize) -> Result<Stacks> {
        Stacks::new(graph, rows, event).map_err(|error| {
            let event = self.input.profile.events().name(event).escape_ascii();
            let why = match error {
                StackError::Overflow => format!("64-bit overflow in a sum of {event}"),
                StackError::Negative(function) => format!(
                    "cannot make stacks: {event} is negative for {}",
                    rows.name_of(function).escape_ascii()
                ),
            };
            anyhow!("{}: {why}", display_paths(&self.input.paths))
        })
    }

    /// The least cost of a frame, in percent of the total.
    fn least_frame(&self) -> f64 {
        let min = self.options.selection.min.as_ref();
        min.map_or(LEAST_FRAME, |min| min.percent)
    }

    /// Writes these stacks as a flame graph.
    pub(super) fn write_flame_graph(&self, out: &mut impl Write) -> Result<()> {
        let mut folded = Vec::new();
        self.write_folded(&mut folded)?;
        let in_files = || display_paths(&self.input.paths);
        if folded.is_empty() {
            return Err(anyhow!("{}: no cost to draw", in_files()));
        }
        let mut command = self.input.profile.sides().new.parts().iter();
        let command = command.find_map(|part| part.command.as_deref());
        let command = command.map(|command| String::from_utf8_lossy(command).into_owned());
        let head = FlameGraphHead {
            title: &command.unwrap_or_else(in_files),
            event: &String::from_utf8_lossy(self.input.profile.events().name(self.event())),
            is_difference: self.input.profile.is_difference(),
        };
        Ok(render::write_flame_graph(&folded, &head, out)?)
    }

    /// Writes the call graph, of that event too.
    pub(super) fn write_dot(
        &self,
        cycles: bool,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        if let Some(instructions) = self.instructions()? {
            return self.write_flow(&instructions, out, err);
        }
        let (profile, asked) = (&self.input.profile, &self.options.selection);
        let in_files = || display_paths(&self.input.paths);
        let rows = Rows::new(profile, &self.options.rows);
        let graphs = self.graphs(cycles, &rows).with_context(in_files)?;
        let rows = rows.with_cycles(&graphs.cycles);
        let inclusive = Inclusive::new(&graphs.sides, &rows, &graphs.cycles);
        let inclusive = inclusive.with_context(in_files)?;
        let options = GraphOptions {
            event: self.event(),
            total: self.total.reference()[self.event()].or_zero(),
            min_percent: asked.min.as_ref().map_or(LEAST_NODE, |min| min.percent),
            top: asked.top.or(asked.min.is_none().then_some(MOST_NODES)),
        };
        let graph = DotGraph::new(&graphs.sides, &rows, &graphs.cycles, &inclusive, options);
        let graph = graph.with_context(in_files)?;
        let nodes = graph.nodes.iter().map(|node| node.item(&rows));
        let rows = match self.options.rows.short_names {
            true => {
                let names = RowNames::short(nodes, &rows, false);
                rows.with_names(names)
            }
            false => rows,
        };
        Ok(render::write_dot(
            &graph,
            profile,
            &rows,
            self.event(),
            self.style(),
            out,
        )?)
    }

    /// Writes the control flow of functions.
    fn write_flow(
        &self,
        instructions: &Sides<Instructions<'_>>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let list = FunctionList::by_self_cost(profile, &rows, &self.selection, &self.total);
        let list = list.with_context(|| display_paths(&self.input.paths))?;
        render::write_flow_start(out)?;
        let mut number = 0;
        self.for_each_asm_page(instructions, (&list, &rows), err, |page, _| {
            let flow = instructions.new.flow_of(page.function);
            let flow = flow.map_err(|overflow| io::Error::other(overflow.to_string()))?;
            number += 1;
            render::write_flow(page, &flow, number, self.event(), self.style(), out)
        })?;
        Ok(out.write_all(render::FLOW_END)?)
    }

    /// The event of a report that is about one.
    pub(super) fn event(&self) -> usize {
        let events = match self.options.selection.sort.is_empty() {
            true => &self.selection.shown,
            false => &self.selection.order,
        };
        events.first().copied().unwrap_or(0)
    }

    /// Writes the profile back.
    pub(super) fn write_callgrind(&self, out: &mut impl Write) -> Result<()> {
        let rows = Rows::new(&self.input.profile, &self.options.rows);
        let export = Export::new(&self.input.profile, &rows, &self.selection);
        let export = export.with_context(|| display_paths(&self.input.paths))?;
        let done =
            render::write_callgrind(&export, &self.input.profile, &self.total, self.style(), out);
        match done {
            Err(WriteError::Io(error)) => Err(error.into()),
            done => done.with_context(|| display_paths(&self.input.paths)),
        }
    }
}
