//! Annotated sources as gprof has them: beside each line how often its basic blocks were executed.

use std::io::Write;

use anyhow::Result;

use super::GprofViews;
use crate::render;
use crate::run::Context;
use crate::run::sampled::{SOURCE_END, write_separate};
use crate::view::{Choices, Executed};

impl GprofViews<'_> {
    /// Writes these sources with their executions.
    pub(super) fn write_executed(
        &self,
        context: &Context<'_>,
        choices: &Choices,
        executed: &Executed,
        out: &mut impl Write,
        err: &mut impl Write,
    ) -> Result<()> {
        let mut files = executed.files(self.options.all_blocks);
        let mut before: &[u8] = b"";
        for choice in &choices.files {
            let found = choice.lookup.found.as_ref();
            let text = found.and_then(|found| found.read().ok());
            let file = choice.file().and_then(|file| files.remove(&file));
            let (Some(text), Some(mut file)) = (text, file) else {
                continue;
            };
            for &line in &choice.code_lines {
                if file.code.insert(line) {
                    file.margins.insert(line, Vec::new());
                }
            }
            if self.options.separate_files {
                write_separate(&choice.name, &file, &text, self.options)?;
                continue;
            }
            out.write_all(std::mem::replace(&mut before, SOURCE_END))?;
            render::write_counted_title(&choice.name, context.escapes, out)?;
            let top = self.options.top_lines;
            render::write_counted_file(&file, &text, top, context.escapes, out)?;
        }
        Ok(context.note_missing_sources(&choices.files, err)?)
    }
}
