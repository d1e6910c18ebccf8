//! Annotated sources as gprof has them: beside each line how often functions that begin there were called, or by line how
//! often it was executed.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;

use super::GprofViews;
use crate::options::GprofView;
use crate::profile::FileId;
use crate::run::Context;
use crate::run::sampled::write_source;
use crate::source::is_of_system;
use crate::view::asm::LineExecutions;
use crate::view::{Choices, CountedFile, Lists, Rows, exec_counts};

/// Source files with what is beside their lines.
type CountedFiles = BTreeMap<FileId, CountedFile>;

impl GprofViews<'_> {
    /// Writes the annotated sources that the symspecs choose.
    pub(super) fn write_annotated(&self, out: &mut impl Write) -> Result<()> {
        let mut options = self.report.options.clone();
        options.rows.filter.choices.extend(self.sources.clone());
        let context = Context::new(
            &options,
            self.report.input,
            self.report.escapes,
            self.report.messages,
        )?;
        let rows = Rows::new(&context.input.profile, &options.rows);
        let listed = context.list(&rows);
        let choices = context.choose_sources(&self.options.annotation, &listed, &rows);
        let selected = rows.selected_fragments();
        let executed =
            self.executed(|function, file| selected.contains(&(function, file)).then_some(file));
        let files = match executed {
            Some(executed) => {
                let mut files = CountedFiles::default();
                for LineExecutions {
                    line: (file, line),
                    executions,
                    ..
                } in executed
                {
                    let count = u64::try_from(executions).unwrap_or(0);
                    files.entry(file).or_default().add(line, count);
                }
                files
            }
            None => {
                self.note_unknown()?;
                self.called_files()
            }
        };
        self.write_counted(&context, &choices, files, out)
    }

    /// Says which counts are not known.
    fn note_unknown(&self) -> Result<()> {
        if self.report.input.profile.calls().is_empty() {
            let text = "no annotated sources: the profile has no calls";
            if self.options.views == [GprofView::Sources] {
                return Err(self.report.error(text));
            }
            self.report.messages.note(text);
        } else if self.options.by_line {
            let text =
                "without addresses of instructions (--dump-instr=yes) executions are unknown";
            self.report
                .messages
                .note(format!("{text}: -A prints calls"));
        }
        Ok(())
    }

    /// The files in which functions begin, with their calls.
    fn called_files(&self) -> CountedFiles {
        let list = &self.selected.sources;
        let counts = exec_counts(
            self.functions,
            &self.recorded.graph(&Lists::default()),
            |function| list.includes(function) && self.accepts(function),
            self.options.by_line,
            Vec::new(),
            u64::from(!self.options.zeros),
        );
        let mut files = CountedFiles::default();
        for count in counts {
            let (file, line) = self.functions.start(count.function);
            if line > 0 {
                let calls = u64::try_from(count.count).unwrap_or(0);
                files.entry(file).or_default().add(line, calls);
            }
        }
        files
    }

    /// Writes these sources with their counts.
    fn write_counted(
        &self,
        context: &Context<'_>,
        choices: &Choices,
        mut files: CountedFiles,
        out: &mut impl Write,
    ) -> Result<()> {
        let mut before: &[u8] = b"";
        for choice in &choices.files {
            let file = choice.file().and_then(|file| files.remove(&file));
            let Some(file) = file else {
                continue;
            };
            context.log_search(choice, self.options.annotation.verbose);
            let found = choice.lookup.found.as_ref();
            let Some(text) = found.and_then(|found| found.read().ok()) else {
                if !is_of_system(&choice.name) {
                    let name = choice.name.escape_ascii();
                    self.report
                        .messages
                        .warn(format!("{name}: source file not found"));
                }
                continue;
            };
            let how = (context.options, context.escapes);
            write_source(&choice.name, &file, &text, how, &mut before, out)?;
        }
        context.note_missing_sources(&choices.files);
        Ok(())
    }
}
