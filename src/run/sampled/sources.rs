//! Annotated sources, link orders and sums of gprof's data.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::load::Loaded;
use super::views::SampledViews;
use crate::options::{Options, Report};
use crate::profile::RawCall;
use crate::read::gmon::write_gmon;
use crate::render::{self, CountedStyle};
use crate::run::message::Messages;
use crate::run::output::OutputFile;
use crate::source::{self, Finder};
use crate::view::{Blocks, CountedFile, basename};

/// The file of a sum.
const SUM: &str = "gmon.sum";

/// What is between two annotated sources.
const SOURCE_END: &[u8] = b"\n\x0c\n";

impl SampledViews<'_> {
    /// Writes annotated sources. Those that are not found are reported.
    /// `before` is written before the first one.
    pub(super) fn write_sources(
        &self,
        mut before: &[u8],
        out: &mut impl Write,
        messages: &Messages,
    ) -> Result<()> {
        let selects = |place| self.selected.sources.includes(place);
        let (symbols, places) = (&self.loaded.symbols, &self.loaded.places);
        let files = self.graph.counted_files(
            symbols,
            places,
            self.blocks.as_ref(),
            selects,
            (
                self.gprof.zeros,
                self.gprof.by_line && self.gprof.all_blocks,
            ),
        );
        let input = &self.options.input;
        let finder = Finder::new(input.folders.clone(), input.source_maps.clone());
        for (place, file) in files {
            let name = places.file(place as usize).unwrap_or_default();
            let found = finder.find(name).found;
            let text = found.and_then(|found| found.read().ok());
            let Some(text) = text else {
                let name = name.escape_ascii();
                messages.warn(format!("{name}: source file not found"));
                continue;
            };
            write_source(
                name,
                &file,
                &text,
                (self.options, self.escapes),
                &mut before,
                out,
            )?;
        }
        Ok(())
    }

    /// Writes the names of functions for a linker: the most expensive first, those without samples by calls, then by address.
    pub(super) fn write_link_order(&self, out: &mut impl Write) -> Result<()> {
        let places = &self.loaded.places;
        let all = 0..places.list().len();
        let mut order: Vec<usize> = all
            .filter(|&place| places.list()[place].is_function)
            .collect();
        let samples = |place: usize| self.ticks.of[place];
        let calls = |place: usize| self.graph.nodes[place].calls;
        order.sort_by(|&a, &b| {
            let by_samples = samples(b).total_cmp(&samples(a));
            by_samples.then_with(|| calls(b).cmp(&calls(a)))
        });
        let names: Vec<&[u8]> = order.into_iter().map(|place| places.name(place)).collect();
        Ok(render::write_names(&names, self.escapes, out)?)
    }
}

/// Writes an annotated source, or with -y a file of its own. `before` is written before the next one.
pub(in crate::run) fn write_source(
    name: &[u8],
    file: &CountedFile,
    text: &[u8],
    (options, escapes): (&Options, bool),
    before: &mut &[u8],
    out: &mut impl Write,
) -> Result<()> {
    let Report::Gprof(gprof) = &options.report else {
        return Ok(());
    };
    let style = |escapes| CountedStyle {
        top_lines: gprof.top_lines,
        cuts: options.input.program.as_gprof,
        escapes,
    };
    if gprof.separate_files {
        let name = [basename(name), b"-ann"].concat();
        let mut output = OutputFile::create(&source::path(&name))?;
        render::write_counted_file(file, text, style(false), &mut output)?;
        return output.finish();
    }
    out.write_all(std::mem::replace(before, SOURCE_END))?;
    render::write_counted_title(name, escapes, out)?;
    Ok(render::write_counted_file(file, text, style(escapes), out)?)
}

/// Writes what all files hold.
pub(super) fn write_info(
    profiles: &[PathBuf],
    loaded: &Loaded,
    escapes: bool,
    out: &mut impl Write,
) -> Result<()> {
    for (path, counts) in profiles.iter().zip(&loaded.samples.files) {
        let path = path.as_os_str().as_encoded_bytes();
        render::write_record_counts(path, counts, escapes, out)?;
    }
    Ok(())
}

/// Writes the sum of all files to a file.
pub(super) fn write_sum(loaded: &Loaded) -> Result<()> {
    let places = loaded.places.list();
    let mut calls: Vec<_> = loaded.calls.list().iter().rev().collect();
    calls.sort_by_key(|call| call.caller);
    let calls = calls.into_iter().map(|call| RawCall {
        from: places[call.caller as usize].address,
        to: places[call.callee as usize].address,
        count: call.count.unsigned_abs(),
    });
    let blocks = Blocks::new(&loaded.samples.blocks, &loaded.places)?;
    let mut blocks = blocks.list().to_vec();
    blocks.sort_by_key(|block| block.address);
    let mut file = OutputFile::create(Path::new(SUM))?;
    write_gmon(&loaded.samples, calls, &blocks, loaded.layout, &mut file)?;
    file.finish()
}
