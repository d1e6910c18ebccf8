//! The instructions of functions: their objects are found and disassembled, then each function has a page.

mod objects;
mod sides;

use std::io::{self, Write};

use anyhow::Result;

use super::Context;
use super::input::display_paths;
use crate::profile::{FunctionId, Sides};
use crate::render::AsmPage;
use crate::view::asm::{FunctionCode, Instructions, Page, PageOptions, SourceTexts};
use crate::view::{List, Rows};
pub(super) use objects::Object;

impl Context<'_> {
    /// Makes the page of each function, the most expensive first, and has `write` write it.
    pub(super) fn for_each_asm_page(
        &self,
        sides: &Sides<Instructions<'_>>,
        (list, rows): (&List, &Rows<'_>),
        err: &mut impl Write,
        mut write: impl FnMut(&AsmPage<'_>, &Object) -> io::Result<()>,
    ) -> Result<()> {
        let Some(asm) = &self.options.code.asm else {
            return Ok(());
        };
        let profile = &self.input.profile;
        let _in_files = || display_paths(&self.input.paths);
        let functions = asm.choose(sides, rows, list, &self.selection);
        let mut functions = functions;
        let rebuilt = self.rebuilt(sides, err)?;
        functions.retain(|&function| {
            let object = profile.function(function).object;
            rebuilt.iter().all(|rebuilt| rebuilt.object != object)
        });
        let objects = self.objects(asm, sides, &functions, err)?;
        let sources = asm.sources.then(|| {
            let lines = functions
                .iter()
                .flat_map(|&function| sides.iter().flat_map(move |side| side.lines(function)));
            SourceTexts::read(profile, &self.input.finder, lines)
        });
        let options = PageOptions {
            threshold: asm.threshold.percent,
            context: asm.context,
            event: self.selection.order.first().copied().unwrap_or(0),
        };
        for id in functions {
            let object = &objects[&profile.function(id).object];
            let function = function_of(sides, id);
            let is_of_other = |address| sides.iter().any(|side| side.is_of_other(id, address));
            let code = object.code.as_ref();
            let page = Page::new(&function, code, &options, is_of_other);
            let page = AsmPage {
                profile,
                function: &function,
                code,
                page: &page,
                sources: sources.as_ref(),
                inlined: object.inlined.as_ref(),
                counts: self.options.code.counts,
                demangles: self.options.rows.demangles,
            };
            write(&page, object)?;
        }
        Ok(())
    }
}

/// The instructions of a function; of a difference those of both sides.
fn function_of(sides: &Sides<Instructions<'_>>, function: FunctionId) -> FunctionCode {
    let new = sides.new.of(function);
    match &sides.base {
        Some(base) => new.compared_with(&base.of(function)),
        None => new,
    }
}
