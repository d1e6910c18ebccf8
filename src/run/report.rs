//! Writes the report of a context: the notes about all of it, then what the writer of its format
//! writes.

use std::cell::OnceCell;
use std::io::Write;

use anyhow::Result;

use super::compare::Gate;
use super::{Context, WriteViews};
use crate::options::ReportKind;
use crate::render::{FormatWriter, ReportLines};

impl Context<'_> {
    /// Writes the requested report; the verdicts on the limits are in `gate` before any of it is
    /// written.
    pub(super) fn write<V: WriteViews>(&self, gate: &mut Gate, out: &mut impl Write) -> Result<()> {
        *gate = self.gate()?;
        self.warn_of_events();
        self.note_small_threshold();
        self.note_sides();
        self.note_few_samples();
        let pairs = self.input.changes.pairs.iter();
        pairs.for_each(|text| self.messages.note(text));
        self.note_kept();
        self.note_nothing();
        self.note_no_calls();
        self.note_sum_of_runs();
        self.note_other_parts();
        let page = match &self.options.report {
            ReportKind::Gprof(views) => return V::write_profile(self, views, out),
            ReportKind::Page(page) => page,
        };
        let graphs = OnceCell::new();
        let format = page.format;
        if self.escapes && format.is_for_browsers {
            self.messages.note("a page for a browser: -o report.html writes it to a file");
        }
        let prepare = || self.prepare(&page.list, &graphs, gate);
        match format.writer {
            FormatWriter::Page if self.series.is_some() => {
                self.write_series(page, &prepare()?, out)
            }
            FormatWriter::Page => self.write_page(page, &prepare()?, out),
            FormatWriter::Json => {
                let prepared = prepare()?;
                self.write_json(&prepared, self.why(&prepared).as_ref(), None, out)
            }
            FormatWriter::Html => self.write_html(page, &prepare()?, out),
            FormatWriter::Table(write) => {
                let prepared = prepare()?;
                let (tree, why) = (self.tree(&prepared), self.why(&prepared));
                let report = &prepared.report;
                if !format.is_for_people {
                    self.note_unchanged();
                }
                let lines = ReportLines { report, tree: tree.as_ref(), nested: None };
                Ok(write(&lines, why.as_ref(), out)?)
            }
            FormatWriter::Folded => self.write_folded(self.style(), out),
            FormatWriter::FlameGraph => self.write_flame_graph(out),
            FormatWriter::Pprof { is_for_speedscope } => {
                if is_for_speedscope {
                    self.messages
                        .note("this is pprof's format, compressed, which Speedscope opens");
                }
                self.write_pprof(out)
            }
            FormatWriter::Dot => self.write_dot(page.list.cycles, out),
            FormatWriter::Callgrind => self.write_callgrind(self.style(), out),
        }
    }
}
