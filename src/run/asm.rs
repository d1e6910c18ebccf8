//! The instructions of functions: their objects are found and disassembled, then each function has a page.

mod objects;

use std::io::Write;

use anyhow::{Context as _, Result, bail};

use super::Context;
use super::input::display_paths;
use crate::render::{self, AsmPage};
use crate::view::asm::{AsmOptions, Instructions, Page, PageOptions, SourceTexts};
use crate::view::{FunctionList, Rows};

/// What a profile without addresses lacks.
const NO_ADDRESSES: &str =
    "the profile has no addresses of instructions (callgrind writes them with --dump-instr=yes)";

/// What a profile of other events lacks.
const NO_EXECUTIONS: &str =
    "without Ir the profile does not tell how often instructions were executed";

impl Context<'_> {
    /// The instructions of the profile, which the report needs.
    pub(super) fn instructions(&self, asm: &AsmOptions) -> Result<Instructions<'_>> {
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let code = profile.sides().new.code().filter(|code| code.has_addresses);
        let code = code.with_context(|| format!("{}: {NO_ADDRESSES}", in_files()))?;
        let instructions = Instructions::new(profile, code);
        if asm.counts && !instructions.has_executions() {
            bail!("{}: {NO_EXECUTIONS}", in_files());
        }
        Ok(instructions)
    }

    /// Writes the pages of functions.
    pub(super) fn write_asm(
        &self,
        asm: &AsmOptions,
        instructions: &Instructions<'_>,
        list: &FunctionList,
        rows: &Rows<'_>,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let profile = &self.input.profile;
        let in_files = || display_paths(&self.input.paths);
        let functions = asm
            .choose(instructions, rows, list, &self.selection)
            .with_context(in_files)?;
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
            let function = instructions.of(id).with_context(in_files)?;
            let code = objects.get(&profile.function(id).object);
            let is_of_other = |address| instructions.is_of_other(id, address);
            let page = Page::new(&function, code, &options, is_of_other).with_context(in_files)?;
            let page = AsmPage {
                profile,
                function: &function,
                code,
                page: &page,
                sources: sources.as_ref(),
                counts: asm.counts,
                demangles: self.options.rows.demangles,
            };
            render::write_asm(&page, profile.events(), self.style(), out)?;
        }
        Ok(())
    }
}
