//! Why the rows of a difference changed: finds the sources of both sides, and makes the commands
//! that it suggests.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::Context;
use super::base_sources::texts_of_sides;
use super::prepare::Prepared;
use crate::options::ScreenOptions;
use crate::render::{self, Listed, SuggestedCommand, WhyPage};
use crate::source;
use crate::view::{Why, WhyInput};

/// The maximum number of commands that are suggested.
const MAX_HINTS: usize = 2;

impl<'r> Context<'r> {
    /// The options of the reasons below the list of a difference, if it has them.
    pub(super) fn why_options(&self) -> Option<&'r ScreenOptions> {
        let options = self.options.report.page()?.why.as_ref();
        let is_plain = self.input.sources.is_empty() && self.ratios.is_empty();
        options.filter(|_| is_plain && self.profile.is_difference())
    }

    /// Why the listed rows changed; none without the graphs of calls.
    pub(super) fn why(&self, prepared: &Prepared<'_, 'r>) -> Option<Why> {
        let graphs = prepared.graphs.filter(|_| self.why_options().is_some())?;
        let input = &self.options.input;
        let finder = &self.input.finder;
        let texts = texts_of_sides(self.profile, finder, &input.base_folders);
        let event = self.event();
        Some(Why::new(&WhyInput {
            rows: &prepared.rows,
            graphs: &graphs.sides,
            listed: &prepared.list.items,
            event,
            change: self.total.figure.value[event].or_zero(),
            texts: &|file| texts(self.profile, file),
        }))
    }

    /// Writes the reasons below the list.
    pub(super) fn write_why(
        &self,
        options: &ScreenOptions,
        prepared: &Prepared<'_, 'r>,
        listed: &Listed<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        if let Some(why) = self.why(prepared) {
            let next = self.commands_of_lines(options, &why);
            render::write_why(&WhyPage { listed, why: &why, next }, out)?;
        }
        Ok(())
    }

    /// The commands that show the changed lines in their sources.
    fn commands_of_lines(&self, options: &ScreenOptions, why: &Why) -> Vec<SuggestedCommand> {
        let given = &self.options.input.files;
        let files: &[PathBuf] = if given.is_empty() { &self.input.paths } else { given };
        let base = &self.options.input.base;
        // Standard input cannot be read again.
        if files.iter().chain(base).any(|file| file == Path::new("-")) {
            return Vec::new();
        }
        let lines = why.lines().into_iter().filter(|line| self.input.finder.has(&line.file));
        let command = |line: &crate::view::ScreenLine| {
            let repeated = options.repeated.iter();
            let command = repeated
                .fold(SuggestedCommand::new("cgannotate"), |command, (option, value)| {
                    command.option(option, value)
                });
            let command = base.iter().fold(command, |command, base| {
                command.option("--diff", base.as_os_str().as_encoded_bytes())
            });
            let command = files.iter().fold(command, |command, file| command.file(file));
            let line = [&line.file[..], format!(":{}", line.line).as_bytes()].concat();
            command.file(&source::path(&line))
        };
        lines.take(MAX_HINTS).map(command).collect()
    }
}
