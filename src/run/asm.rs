//! The instructions of functions: their objects are found and disassembled, then each function has a page.

mod objects;

use std::io::{self, Write};

use anyhow::{Context as _, Result, bail};

use super::Context;
use super::input::display_paths;
use crate::options::Report;
use crate::profile::Code;
use crate::render::AsmPage;
use crate::view::asm::{Instructions, Page, PageOptions, SourceTexts};
use crate::view::{List, Rows};
pub(super) use objects::Object;

/// What a profile without addresses lacks.
const NO_ADDRESSES: &str =
    "the profile has no addresses of instructions (callgrind writes them with --dump-instr=yes)";

/// What a profile without jumps lacks.
const NO_JUMPS: &str = "the profile has no jumps (callgrind writes them with --collect-jumps=yes)";

/// What a profile of other events lacks.
const NO_EXECUTIONS: &str =
    "without Ir the profile does not say how often instructions were executed";

impl Context<'_> {
    /// The instructions of the profile, if they or what follows from them is shown.
    pub(super) fn instructions(&self) -> Result<Option<Instructions<'_>>> {
        let options = &self.options.code;
        if !options.is_shown() {
            return Ok(None);
        }
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let is_enough = |code: &&Code| code.has_addresses || !options.needs_addresses();
        let code = profile.sides().new.code().filter(is_enough);
        let code = code.with_context(|| format!("{}: {NO_ADDRESSES}", in_files()))?;
        if options.jumps && code.jumps.is_empty() {
            bail!("{}: {NO_JUMPS}", in_files());
        }
        let instructions = Instructions::new(profile, code);
        // The blocks of a graph have executions.
        let is_graph = matches!(self.options.report, Report::Dot { .. });
        if (options.counts || is_graph) && !instructions.has_executions() {
            bail!("{}: {NO_EXECUTIONS}", in_files());
        }
        Ok(Some(instructions))
    }

    /// Makes the page of each function, the most expensive first, and has `write` write it.
    pub(super) fn for_each_asm_page(
        &self,
        instructions: &Instructions<'_>,
        (list, rows): (&List, &Rows<'_>),
        err: &mut impl Write,
        mut write: impl FnMut(&AsmPage<'_>, &Object) -> io::Result<()>,
    ) -> Result<()> {
        let Some(asm) = &self.options.code.asm else {
            return Ok(());
        };
        let profile = &self.input.profile;
        let functions = asm.choose(instructions, rows, list, &self.selection);
        let objects = self.objects(asm, instructions, &functions, err)?;
        let sources = asm.sources.then(|| {
            let lines = functions
                .iter()
                .flat_map(|&function| instructions.lines(function));
            SourceTexts::read(profile, &self.input.finder, lines)
        });
        let options = PageOptions {
            threshold: asm.threshold.percent,
            context: asm.context,
            event: self.selection.order.first().copied().unwrap_or(0),
        };
        for id in functions {
            let object = &objects[&profile.function(id).object];
            let function = instructions.of(id);
            let is_of_other = |address| instructions.is_of_other(id, address);
            let code = object.code.as_ref();
            let page = Page::new(&function, code, &options, is_of_other);
            let page = AsmPage {
                profile,
                function: &function,
                code,
                page: &page,
                sources: sources.as_ref(),
                counts: self.options.code.counts,
                demangles: self.options.rows.demangles,
            };
            write(&page, object)?;
        }
        Ok(())
    }
}
