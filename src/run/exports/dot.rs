//! The call graph and the control flow of functions for graphviz.

use std::io::Write;

use anyhow::Result;

use crate::render::{self};
use crate::run::Context;
use crate::run::input::display_paths;
use crate::view::asm::Instructions;
use crate::view::{DotGraph, GraphOptions, List, RowNames, Rows};

/// The least function and the least calls of a graph, likewise.
const LEAST_NODE: f64 = 1.0;

/// How many nodes a graph has if neither their number nor their least cost is requested.
const MOST_NODES: usize = 60;

impl Context<'_> {
    /// Writes the call graph, of that event too.
    pub(in crate::run) fn write_dot(
        &self,
        cycles: bool,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        if let Some(instructions) = self.instructions()? {
            return self.write_flow(&instructions, out, err);
        }
        let (profile, asked) = (&self.input.profile, &self.options.selection);
        let _in_files = || display_paths(&self.input.paths);
        let (rows, graphs) = self.rows_with_cycles(cycles);
        let inclusive = graphs.inclusive(&rows);
        let options = GraphOptions {
            event: self.event(),
            total: self.total.reference()[self.event()].or_zero(),
            min_percent: asked.min.as_ref().map_or(LEAST_NODE, |min| min.percent),
            top: asked.top.or(asked.min.is_none().then_some(MOST_NODES)),
        };
        let graph = DotGraph::new(&graphs.sides, &rows, &graphs.cycles, &inclusive, options);
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
        instructions: &Instructions<'_>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let rows = Rows::new(profile, &self.options.rows);
        let list = List::by_self_cost(profile, &rows, &self.selection, &self.total);
        render::write_flow_start(out)?;
        let mut number = 0;
        self.for_each_asm_page(instructions, (&list, &rows), err, |page, _| {
            let flow = instructions.flow_of(page.function);
            number += 1;
            render::write_flow(page, &flow, number, self.event(), self.style(), out)
        })?;
        Ok(out.write_all(render::FLOW_END)?)
    }
}
