//! The report as JSON, and its instructions, which CSV has too.

use std::io::Write;

use anyhow::Result;

use crate::options::{ListOptions, Report};
use crate::render::{self, JsonReport, write_instructions_csv};
use crate::run::Context;
use crate::run::compare::Gate;
use crate::view::asm::{InstructionList, Instructions, LineFlow};
use crate::view::{Alignments, CallTree, Details, List, Rows};

impl<'r> Context<'r> {
    /// Writes the report as JSON.
    pub(in crate::run) fn write_json(
        &self,
        options: &ListOptions,
        gate: &Gate,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let instructions = self.instructions()?;
        let profile = &self.input.profile;
        let (rows, graphs) = self.rows_with_cycles(options.cycles);
        let inclusive = graphs.inclusive(&rows);
        let alignments = self.alignments();
        let rows = match profile.is_difference() {
            true => rows.with_changes(&inclusive, &self.selection.shown, &alignments),
            false => rows,
        };
        let by = options.inclusive.then_some((&graphs, &inclusive));
        let list = self.list_by(&rows, by);
        let rows = self.with_sources(rows, &list);
        let calls = options.tree.has_callers();
        let calls = calls.then(|| CallTree::new(&graphs.sides, &rows, &graphs.cycles));
        let paths = self.path_trees(options, &graphs, &rows);
        let cycles = &graphs.cycles;
        let details = Details::new(
            profile,
            &rows,
            &inclusive,
            cycles,
            &self.selection,
            &alignments,
        );
        let code = &self.options.code;
        let flow = self.flow(instructions.as_ref(), &rows);
        let jumps = flow.as_ref().filter(|_| code.jumps);
        let details = details.with_jumps(jumps);
        let nested_in = options.nested.then(|| self.nested_in());
        let nesting = nested_in.as_ref().map(|of| self.nesting(&rows, of));
        let report = JsonReport {
            is_inclusive: options.inclusive,
            callers: calls.as_ref(),
            paths: paths.as_ref().map(|paths| (paths, options.tree)),
            nesting: nesting.as_ref(),
            flow: flow.as_ref(),
            counts: code.counts,
            jumps: code.jumps,
            percentages: options.percentages,
            percent_of_total: self.options.style.percent_of_total,
            ratios: &self.ratios,
            is_listed: profile.is_difference().then(|| list.is_listed(&rows)),
            verdict: gate.verdict(),
            ..self.json_report(&list, &rows, &details)
        };
        render::write_json(&report, out)?;
        if let (Some(instructions), true) = (&instructions, code.asm.is_some()) {
            self.write_json_functions(instructions, (&list, &rows), out, err)?;
        }
        Ok(out.write_all(render::JSON_END)?)
    }

    /// Executions and jumps of lines, if they are requested.
    fn flow(&self, instructions: Option<&Instructions<'_>>, rows: &Rows<'_>) -> Option<LineFlow> {
        let code = &self.options.code;
        let instructions = instructions.filter(|_| code.counts || code.jumps);
        instructions.map(|instructions| LineFlow::by_row(instructions, rows))
    }

    /// Writes the instructions of functions after the other members of the report.
    fn write_json_functions(
        &self,
        instructions: &Instructions<'_>,
        list: (&List, &Rows<'_>),
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        out.write_all(b",\"functions\":[")?;
        let mut separator = "\n";
        self.for_each_asm_page(instructions, list, err, |page| {
            out.write_all(std::mem::replace(&mut separator, ",\n").as_bytes())?;
            let shown = (&self.selection.shown[..], self.input.scale.unit);
            render::write_json_function(page, shown, out)
        })?;
        Ok(out.write_all(b"\n]")?)
    }

    /// Writes instructions, as JSON or as comma-separated values.
    pub(in crate::run) fn write_instructions(&self, out: &mut impl Write) -> Result<()> {
        let profile = &self.input.profile;
        let Some(instructions) = self.instructions()? else {
            return Ok(());
        };
        let rows = Rows::new(profile, &self.options.rows);
        let listed = InstructionList::new(&instructions, &rows, &self.selection);
        let demangles = self.options.rows.demangles;
        if matches!(self.options.report, Report::Csv(_)) {
            let style = self.style();
            return Ok(write_instructions_csv(&listed, demangles, style, out)?);
        }
        let graphs = self.graphs(false, &rows);
        let inclusive = graphs.inclusive(&rows);
        let selection = &self.selection;
        let (cycles, alignments) = (&graphs.cycles, Alignments::default());
        let details = Details::new(profile, &rows, &inclusive, cycles, selection, &alignments);
        let mut list = List::by_self_cost(profile, &rows, selection, &self.total);
        // What functions leave out is not what instructions do.
        list.omitted = None;
        render::write_json_header(&self.json_report(&list, &rows, &details), out)?;
        let shown = (&selection.shown[..], self.input.scale.unit);
        render::write_instructions_json(&listed, demangles, shown, out)?;
        Ok(out.write_all(render::JSON_END)?)
    }

    /// A report of a list, without what only some options add.
    fn json_report<'a>(
        &'a self,
        list: &'a List,
        rows: &'a Rows<'r>,
        details: &'a Details<'a, 'r>,
    ) -> JsonReport<'a, 'r> {
        JsonReport {
            profile: &self.input.profile,
            total: &self.total,
            selection: &self.selection,
            list,
            is_inclusive: false,
            unit: self.input.scale.unit,
            scale: self.input.scale.factors,
            rows,
            details,
            callers: None,
            paths: None,
            nesting: None,
            flow: None,
            counts: false,
            jumps: false,
            ratios: &[],
            percentages: false,
            percent_of_total: false,
            verdict: None,
            is_listed: None,
        }
    }
}
