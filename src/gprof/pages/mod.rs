//! The text of gprof's views: each has one writer for recorded costs and for samples, whose styles
//! differ.

mod explanations;
mod graph;
mod index;
mod recorded;
mod sampled;
mod sources;

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use crate::gprof::pages::explanations::{Explained, write_flat_explanation};
pub use crate::gprof::pages::graph::write_graph;
use crate::gprof::pages::graph::{Widths, push_label};
pub use crate::gprof::pages::index::write_index;
pub use crate::gprof::pages::recorded::RecordedStyle;
pub use crate::gprof::pages::sampled::SampledStyle;
pub use crate::gprof::pages::sources::{CountedStyle, write_counted_file, write_counted_title};
use crate::gprof::views::{Amount, ExecCount, Flat, FlatRow, GraphTable};
use crate::profile::RecordCounts;
use crate::render::number::NumberText;
use crate::render::parallel::write_rows;
use crate::render::{write_escaped, write_spaces, write_text_line};
use crate::source::basename;
use crate::view::asm::SourceLine;

pub const SECTION_END: &[u8] = b"\x0c\n";

/// How all views of `gprof` are displayed.
#[derive(Clone, Copy, Debug)]
pub struct DisplayOptions {
    /// Whether the name of a function is followed by its file and first line.
    pub with_files: bool,
    pub by_line: bool,
    /// Whether files are shown with their directories.
    pub full_paths: bool,
    pub width: usize,
    /// Whether tables have the layout of BSD's gprof.
    pub is_traditional: bool,
    /// Whether each table has an explanation.
    pub explains: bool,
    /// Whether the index also lists functions without a shown entry, because other entries refer to
    /// them.
    pub lists_hidden: bool,
    /// Whether functions without cost and calls are shown.
    pub zeros: bool,
    /// Whether control characters are shown as escapes, for output to a terminal.
    pub escapes: bool,
}

impl DisplayOptions {
    fn path<'n>(&self, path: &'n [u8]) -> &'n [u8] {
        if self.full_paths { path } else { basename(path) }
    }
}

/// The format of numbers, names and headings.
pub trait GprofStyle: Sync {
    type Cost: Amount;
    fn display(&self) -> &DisplayOptions;
    fn prepend_cost(&self, cost: Self::Cost, text: &mut NumberText);
    fn prepend_calls(&self, calls: i64, text: &mut NumberText);
    fn cost(&self, cost: Self::Cost) -> NumberText {
        NumberText::of(|text| self.prepend_cost(cost, text))
    }
    fn calls(&self, calls: i64) -> NumberText {
        NumberText::of(|text| self.prepend_calls(calls, text))
    }
    fn per_call(&self, cost: Self::Cost, calls: i64) -> NumberText;
    fn percent(&self, cost: Self::Cost, whole: Self::Cost) -> f64;
    fn name(&self, function: u32, site: Option<SourceLine>) -> Cow<'_, [u8]>;
    fn index_name(&self, function: u32) -> Cow<'_, [u8]> {
        self.name(function, None)
    }
    /// The name in the program, without a file.
    fn plain_name(&self, function: u32) -> &[u8];
    /// The names of the columns that costs are in, in explanations.
    fn explained(&self) -> Explained<'_>;
    /// The file, line and function name of a count.
    fn counted_place(&self, count: &ExecCount) -> (&[u8], u32, &[u8]);
    /// Whether a function or cycle can have an entry.
    fn has_entry(&self, _of: u32) -> bool {
        true
    }
    /// The widths of the columns for the entries that are listed.
    fn widths(&self, table: &GraphTable<'_, Self::Cost>) -> Widths;
    /// Writes the heading of the call graph, of which `whole` is 100%.
    fn write_graph_titles(
        &self,
        whole: Self::Cost,
        widths: &Widths,
        out: &mut impl Write,
    ) -> io::Result<()>;
    /// Writes the heading of the flat profile, and returns the widths of its columns.
    fn write_flat_titles(
        &self,
        flat: &Flat<Self::Cost>,
        out: &mut impl Write,
    ) -> io::Result<Vec<usize>>;
}

/// Writes the calls of functions and the executions of lines or basic blocks, one count per line.
pub fn write_exec_counts(
    exec_counts: &[ExecCount],
    style: &impl GprofStyle,
    out: &mut impl Write,
) -> io::Result<()> {
    let escapes = style.display().escapes;
    for count in exec_counts {
        let (file, line, name) = style.counted_place(count);
        let line = format!(":{line}: (");
        let address = count.address.map(|address| format!(":{address:#x}"));
        let (address, number) = (address.unwrap_or_default(), style.calls(count.count));
        let end = format!("{address}) {number} executions");
        write_text_line(&[file, line.as_bytes(), name, end.as_bytes()], escapes, out)?;
    }
    Ok(())
}

/// The width of a text in characters.
fn width(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let chars = text.utf8_chunks();
    chars.map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

fn write_right(mut number: NumberText, width: usize, out: &mut impl Write) -> io::Result<()> {
    let more = number.pad(width);
    write_spaces(more, out)?;
    out.write_all(number.as_bytes())
}

pub fn write_names(names: &[&[u8]], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    let mut names = names.iter();
    names.try_for_each(|name| write_text_line(&[name], escapes, out))
}

pub fn write_record_counts(
    path: &[u8],
    counts: &RecordCounts,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let version = counts.version.unwrap_or(0);
    let end = format!("' (version {version}) contains:");
    write_text_line(&[b"File `", path, end.as_bytes()], escapes, out)?;
    let table = [
        (counts.histograms, "histogram"),
        (counts.calls, "call-graph"),
        (counts.blocks, "basic-block count"),
    ];
    for (count, what) in table {
        let plural = if count == 1 { "" } else { "s" };
        writeln!(out, "\t{count} {what} record{plural}")?;
    }
    Ok(())
}

/// The minimum widths of the flat profile's columns in gprof, and those in BSD's.
const WIDTHS: [usize; 6] = [6, 9, 8, 8, 8, 8];
const TRADITIONAL_WIDTHS: [usize; 6] = [5, 10, 8, 8, 8, 8];

impl DisplayOptions {
    /// The minimum widths of the flat profile's columns.
    fn flat_widths(&self) -> [usize; 6] {
        if self.is_traditional { TRADITIONAL_WIDTHS } else { WIDTHS }
    }
}

/// Writes the flat profile. In BSD's layout each name is followed by its cycle and the number of
/// its entry in the call graph.
pub fn write_flat<S: GprofStyle>(
    flat: &Flat<S::Cost>,
    table: Option<&GraphTable<'_, S::Cost>>,
    style: &S,
    out: &mut impl Write,
) -> io::Result<()> {
    let display = style.display();
    if display.is_traditional && display.explains {
        write_flat_explanation(style, out)?;
    }
    out.write_all(if display.is_traditional { b"\n" } else { b"Flat profile:\n\n" })?;
    let widths = style.write_flat_titles(flat, out)?;
    let write = |range: Range<usize>, out: &mut Vec<u8>| {
        let mut cells = Vec::new();
        for row in &flat.rows[range] {
            fill_cells(row, flat.whole, style, &mut cells);
            write_cells(cells.iter().map(NumberText::as_bytes), &widths, out)?;
            out.write_all(b"  ")?;
            if let Some(table) = table {
                push_label(row.number, row.site, table, style, out);
                continue;
            }
            let name = style.name(row.number, row.site);
            write_escaped(&name, display.escapes, out)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    };
    write_rows(flat.rows.len(), write, out)?;
    if display.explains && !display.is_traditional {
        write_flat_explanation(style, out)?;
    }
    Ok(())
}

fn fill_cells<S: GprofStyle>(
    row: &FlatRow<S::Cost>,
    whole: S::Cost,
    style: &S,
    cells: &mut Vec<NumberText>,
) {
    let empty = NumberText::new;
    let more = row.more.iter().map(|count| count.value());
    let decimals = if style.display().is_traditional { 1 } else { 2 };
    let share = NumberText::decimal(style.percent(row.own, whole), decimals);
    cells.clear();
    cells.extend([share, style.cost(row.cumulative), style.cost(row.own)]);
    cells.extend(more.map(|count| count.map_or_else(empty, NumberText::number)));
    cells.extend(match row.calls {
        0 => [empty(), empty(), empty()],
        calls => [
            style.calls(calls),
            style.per_call(row.own, calls),
            style.per_call(row.inclusive, calls),
        ],
    });
}

/// Writes texts right-aligned in their columns; long texts exceed them.
fn write_cells<'t>(
    texts: impl Iterator<Item = &'t [u8]>,
    widths: &[usize],
    out: &mut impl Write,
) -> io::Result<()> {
    // The spaces of empty cells are written before the next text.
    let mut left = 0;
    for (i, (text, column)) in texts.zip(widths).enumerate() {
        left += usize::from(i > 0) + column.saturating_sub(width(text));
        if !text.is_empty() {
            write_spaces(left, out)?;
            out.write_all(text)?;
            left = 0;
        }
    }
    write_spaces(left, out)
}
