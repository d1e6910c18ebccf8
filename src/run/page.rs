//! The page of a terminal, and that of callgrind_annotate: a header, the total, a list of rows,
//! annotated sources and instructions.

use std::io::{self, Write};

use anyhow::Result;

use super::Context;
use crate::demangle::displayed;
use crate::options::Page;
use crate::profile::{Measured, RenamedFunction, without_build};
use crate::render::{
    self, HeaderKind, PageHeader, RenamedName, ReportLines, SuggestedCommand, with_commas,
};
use crate::run::prepare::Prepared;
use crate::view::{Alignments, List, Rows, basename, short_function};

/// After more lines of sources, a report without options suggests the first screen.
const MAX_LINES: usize = 2000;

/// Counts the lines that it writes.
struct LineCounter<'o, W> {
    out: &'o mut W,
    lines: usize,
}

impl<W: Write> Write for LineCounter<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let written = self.out.write(text)?;
        self.lines += memchr::memchr_iter(b'\n', &text[..written]).count();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<'r> Context<'r> {
    pub(super) fn write_page(
        &self,
        page: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let options = &page.list;
        let (list, rows) = (&prepared.report.list, &prepared.report.rows);
        if !self.options.rows.row_by.is_group() && self.first_screen().is_none() {
            self.note_missing_debug();
        }
        self.write_header(page, out)?;
        let is_columns = self.options.is_text();
        if !is_columns {
            render::write_total(&self.total, self.style(), out)?;
        }
        if self.are_identical(list, rows) {
            render::write_no_difference(out)?;
            return Ok(());
        }
        if list.items.is_empty() && !self.options.input.charged.is_empty() {
            let text = "nothing is listed: with --mine and --charge-to-callers the code of libraries is part of its callers; \
                        without them --tree=callers shows who calls it";
            self.messages.note(text);
        }
        if let Some(screen) = self.first_screen() {
            return self.write_first_screen(screen, prepared, out);
        }
        // Named sources and functions come without the list, but callgrind_annotate's page has it
        // before sources.
        let asm = self.options.code.asm.as_ref();
        let is_alone = if is_columns {
            !self.input.sources.is_empty() || asm.is_some()
        } else {
            asm.is_some_and(|asm| asm.functions.is_some())
        };
        if !is_alone {
            self.write_list(prepared, out)?;
        }
        self.write_inlined_share(out)?;
        let has_cycles = self.options.rows.row_by.has_cycles();
        let has_note = options.inclusive && has_cycles && !is_columns;
        if let Some(graphs) = prepared.graphs.filter(|_| has_note) {
            render::write_cycles(&graphs.cycles, out)?;
        }
        if let Some((instructions, asm)) = prepared.instructions.as_ref().zip(asm) {
            self.for_each_asm_page(asm, instructions, &prepared.report, |page| {
                render::write_asm(page, self.style(), out)
            })?;
        }
        if page.annotation.auto || !self.input.sources.is_empty() {
            return self.write_sources_of_page(page, prepared, out);
        }
        let code = &self.options.code;
        if code.counts && code.asm.is_none() {
            let text = "executions and jumps are shown beside source lines and instructions: add --auto, a source file or --asm";
            self.messages.note(text);
        }
        Ok(())
    }

    /// Writes the sources, and notes how a pipe gets less of them.
    fn write_sources_of_page(
        &self,
        page: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let mut counted = LineCounter { out, lines: 0 };
        self.write_sources(&page.annotation, prepared, &mut counted)?;
        if page.is_classic_by_default && !self.input.sources.is_empty() {
            self.messages.note(
                "in a pipe a source follows the list, as callgrind_annotate prints it; --format=text has it alone",
            );
        } else if page.is_without_options && counted.lines > MAX_LINES {
            let lines = with_commas(counted.lines);
            self.messages
                .note(format!("{lines} lines of sources; the first screen: --format=text"));
        }
        if self.options.is_text() && !self.options.of_lists.is_empty() {
            self.note_options_of_lists(&self.options.of_lists);
        }
        Ok(())
    }

    /// Notes the options that have no effect, as sources that are named come without a list.
    fn note_options_of_lists(&self, options: &[String]) {
        let Some(source) = self.input.sources.first() else { return };
        let verb = if options.len() == 1 { "has" } else { "have" };
        let by_cost = SuggestedCommand::new("-g line").option("--file", source);
        self.messages.note(format!(
            "{} {verb} no effect: a source is shown without a list; its lines by cost: {by_cost}",
            options.join(" and ")
        ));
    }

    /// Writes the list of a series: a column a profile.
    pub(super) fn write_series(
        &self,
        page: &Page,
        prepared: &Prepared<'_, 'r>,
        out: &mut impl Write,
    ) -> Result<()> {
        let report = &prepared.report;
        let (style, command) = (report.style, self.profile.command().unwrap_or_default());
        if page.header != HeaderKind::None {
            let has_sparkline = self.options.style.has_sparkline;
            let files = match page.header {
                HeaderKind::Full => self.files_of_sides(),
                _ => Vec::new(),
            };
            let renamed = self.renamed_names();
            let total = &self.total;
            render::write_series_header(
                command,
                total,
                has_sparkline,
                &files,
                &renamed,
                style,
                out,
            )?;
        }
        if self.are_identical(&report.list, &report.rows) {
            return Ok(render::write_no_difference(out)?);
        }
        Ok(render::write_series(report, out)?)
    }

    /// By side the names of its files.
    fn files_of_sides(&self) -> Vec<Vec<u8>> {
        let of_side = |side: &Measured| {
            let mut files: Vec<&[u8]> = side.parts.iter().map(|part| &part.file[..]).collect();
            files.dedup();
            files.join(&b", "[..])
        };
        self.profile.sides().iter().map(of_side).collect()
    }

    pub(super) fn write_header(&self, page: &Page, out: &mut impl Write) -> Result<()> {
        let (profile, selection, style) = (self.profile, &self.selection, self.style());
        let parts = profile.parts();
        let base = profile.sides().base.as_ref();
        let kept = self.kept_lines(self.event());
        let header = PageHeader {
            folders: &self.options.input.folders,
            user_annotated: &self.input.sources,
            auto: page.annotation.auto,
            base: base.map_or(&[], |base| &base.parts),
            renamed: &self.renamed_names(),
            has_all_renamed: self.options.selection.list.shows_calls,
            kept: &kept,
        };
        match page.header {
            HeaderKind::Full => {
                render::write_header(&header, parts, selection, style, out)?;
            }
            HeaderKind::Line => {
                render::write_header_line(&header, parts, &self.total, style, out)?;
            }
            HeaderKind::None => {}
        }
        Ok(())
    }

    /// The short names of the functions that have another name in BASE, and whole names if the
    /// short ones are equal.
    pub(super) fn renamed_names(&self) -> Vec<RenamedName> {
        let (profile, demangles) = (self.profile, self.options.rows.demangles);
        let whole = |name: &[u8]| without_build(&displayed(name, demangles));
        let short = |name: &[u8]| short_function(name, profile.name_kind()).into_owned();
        let named = |of: &RenamedFunction| {
            let [base, new] = [&of.base, &of.new].map(|name| whole(name));
            if short(&base) == short(&new) {
                RenamedName { base, new }
            } else {
                RenamedName { base: short(&base), new: short(&new) }
            }
        };
        profile.renamed().functions.iter().map(named).collect()
    }

    /// Whether both sides of a difference are equal; `list` has the rows that differ.
    fn are_identical(&self, list: &List, rows: &Rows<'_>) -> bool {
        let total = &self.total.figure.value;
        let events: Vec<usize> = (0..total.len()).collect();
        let omitted = list.omitted.as_ref();
        let has_more = omitted.is_some_and(|of| of.more.rows + of.not_chosen.rows > 0);
        self.profile.is_difference()
            && !has_more
            && list.items.is_empty()
            && total.iter().all(|count| count.or_zero() == 0)
            && (self.profile.is_series()
                || !rows.changes(&events, &Alignments::default()).contains(&true))
    }

    fn write_list(&self, prepared: &Prepared<'_, 'r>, out: &mut impl Write) -> Result<()> {
        let report = &prepared.report;
        let tree = self.tree(prepared);
        let is_nested = prepared.options.nested;
        let nested = is_nested.then(|| self.nested_list(&report.rows, &report.list));
        let lines = ReportLines { report, tree: tree.as_ref(), nested: nested.as_ref() };
        if !self.options.is_text() {
            return Ok(render::write_functions(&lines, out)?);
        }
        render::write_screen(&lines, &self.hints(&report.list, &report.rows), out)?;
        match self.why_options() {
            Some(options) => self.write_why(options, prepared, out),
            None => self.write_reason_of_row(prepared, out),
        }
    }

    /// The profiled program, without its folder.
    pub(super) fn program(&self) -> Option<&'r [u8]> {
        let command = self.profile.command()?;
        let program = command.split(|byte| byte.is_ascii_whitespace());
        program.map(basename).find(|name| !name.is_empty())
    }
}
