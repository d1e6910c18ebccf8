//! The report as JSON.

use std::io::Write;

use anyhow::Result;

use crate::render::{self, JsonReport};
use crate::run::Context;
use crate::run::prepare::Prepared;
use crate::view::asm::{Instructions, LineFlow};
use crate::view::{Details, List, Rows};

impl<'r> Context<'r> {
    /// Writes JSON; with the minimum percentage of a row in a `page` it is the data of HTML.
    pub(in crate::run) fn write_json(
        &self,
        prepared: &Prepared<'_, 'r>,
        page: Option<f64>,
        out: &mut impl Write,
    ) -> Result<()> {
        let Some(inclusive) = &prepared.inclusive else {
            return Ok(());
        };
        let instructions = prepared.instructions.as_ref();
        let (options, list, rows) = (prepared.options, &prepared.list, &prepared.rows);
        let (profile, code) = (self.profile, &self.options.code);
        let tree = self.tree(prepared);
        let (selection, alignments) = (&self.selection, &prepared.alignments);
        let flow = self.flow(instructions, rows);
        let jumps = flow.as_ref().filter(|_| code.jumps);
        let details = Details::new(rows, inclusive, selection, alignments, jumps);
        let nesting = options.nested.then(|| self.nesting(rows, true));
        let report = JsonReport {
            tree: tree.as_ref(),
            nesting: nesting.as_ref(),
            flow: flow.as_ref().map(|flow| self.source_flow(flow)),
            is_listed: (page.is_some() || profile.is_difference()).then(|| list.is_listed(rows)),
            verdict: prepared.gate.verdict(),
            page,
            ..self.json_report(list, rows, &details)
        };
        render::write_json(&report, out)?;
        if page.is_some() {
            render::write_json_sums(profile, &self.options.rows, self.style(), out)?;
            self.write_stacks(rows, list, out)?;
        }
        if let Some(instructions) = instructions.filter(|_| code.asm.is_some()) {
            out.write_all(b",\"functions\":[")?;
            let mut separator = "\n";
            self.for_each_asm_page(instructions, (list, rows), |page| {
                out.write_all(std::mem::replace(&mut separator, ",\n").as_bytes())?;
                render::write_json_function(page, self.style(), out)
            })?;
            out.write_all(b"\n]")?;
        }
        Ok(out.write_all(render::JSON_END)?)
    }

    /// A report of a list and nothing else.
    fn json_report<'a>(
        &'a self,
        list: &'a List,
        rows: &'a Rows<'r>,
        details: &'a Details<'a, 'r>,
    ) -> JsonReport<'a, 'r> {
        JsonReport {
            total: &self.total,
            selection: &self.selection,
            list,
            style: self.style(),
            scale: self.input.scale.factors,
            rows,
            details,
            tree: None,
            nesting: None,
            flow: None,
            is_listed: None,
            verdict: None,
            page: None,
        }
    }

    fn flow(&self, instructions: Option<&Instructions<'_>>, rows: &Rows<'_>) -> Option<LineFlow> {
        let code = &self.options.code;
        let instructions = instructions.filter(|_| code.counts || code.jumps);
        instructions.map(|instructions| LineFlow::new(instructions, rows, true))
    }
}
