//! Why the rows of a difference changed, from the sources of both sides.

use std::io::Write;

use anyhow::Result;

use super::Context;
use super::base_sources::{texts_of_names, texts_of_sides};
use super::prepare::Prepared;
use crate::options::ScreenOptions;
use crate::render::{self, WhyPage};
use crate::source::is_of_system;
use crate::view::{Graphs, ScreenLine, Why, WhyInput};

/// The maximum number of commands that are suggested.
const MAX_HINTS: usize = 2;

impl<'r> Context<'r> {
    /// The options of the reasons below the list of a difference, if it has them.
    pub(super) fn why_options(&self) -> Option<&'r ScreenOptions> {
        let options = self.options.report.page()?.reasons();
        let is_plain = self.input.sources.is_empty() && self.ratios.is_empty();
        options.filter(|_| is_plain && self.profile.is_difference())
    }

    /// Why the listed rows changed; none without the graphs of calls.
    pub(super) fn why(&self, prepared: &Prepared<'_, 'r>) -> Option<Why> {
        let graphs = prepared.graphs.filter(|_| self.why_options().is_some())?;
        Some(self.why_of_list(prepared, graphs))
    }

    fn why_of_list(&self, prepared: &Prepared<'_, 'r>, graphs: &Graphs<'r>) -> Why {
        let input = &self.options.input;
        let finder = &self.input.finder;
        let texts = texts_of_sides(self.profile, finder, &input.base_folders);
        let of_names = texts_of_names(finder, &input.base_folders);
        let has_addresses = self.profile.sides().iter().all(|side| side.has_addresses);
        let reads_inlines = self.options.reads_inlines_of_changes() && has_addresses;
        let inlined =
            |is_wanted: &[bool]| reads_inlines.then(|| self.code_of_functions(is_wanted).objects);
        let event = self.event();
        Why::new(&WhyInput {
            rows: &prepared.report.rows,
            graphs: &graphs.sides,
            listed: &prepared.report.list.items,
            event,
            change: self.total.figure.value[event].or_zero(),
            texts: &|file| texts(self.profile, file),
            texts_of_names: &|name, base_name| of_names(name, base_name, true),
            inlined: &inlined,
            has_base_folders: !input.base_folders.is_empty(),
            has_parts_of_others: self.options.is_for_browsers(),
        })
    }

    /// Whether the reason of a row is shown if it is the only one that filters leave.
    pub(super) fn explains_row(&self) -> bool {
        let is_requested = self.options.report.page().is_some_and(|page| page.explains_row);
        let is_plain = self.input.sources.is_empty() && self.ratios.is_empty();
        is_requested && is_plain && self.profile.is_difference() && self.series.is_none()
    }

    /// Writes the reason of the only listed row below it.
    pub(super) fn write_reason_of_row(
        &self,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let graphs = prepared.graphs.filter(|_| self.explains_row());
        if let (Some(graphs), [_]) = (graphs, &prepared.report.list.items[..]) {
            let why = self.why_of_list(prepared, graphs).only_reasons();
            let page = WhyPage { report: &prepared.report, why: &why, next: Vec::new() };
            render::write_why(&page, out)?;
        }
        Ok(())
    }

    /// Writes the reasons below the list.
    pub(super) fn write_why(
        &self,
        options: &ScreenOptions,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        if let Some(why) = self.why(prepared) {
            // Headers without costs are no sources of the profile.
            let is_of_profile = |line: &ScreenLine| self.profile.find_file(&line.file).is_some();
            let is_own = |line: &&ScreenLine| {
                let is_found = self.input.finder.has(&line.file);
                is_found && is_of_profile(line) && !is_of_system(&line.file)
            };
            let lines = why.lines().into_iter().filter(is_own);
            let next = self.commands_of_lines(options, lines.take(MAX_HINTS));
            render::write_why(&WhyPage { report: &prepared.report, why: &why, next }, out)?;
        }
        Ok(())
    }
}
