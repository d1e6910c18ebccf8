//! The looks of gprof's views of samples: times in seconds, in columns of gprof's widths, which long numbers exceed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use crate::profile::{RecordCounts, Unit};
use crate::render::parallel::{ChunkWriter, write_rows};
use crate::render::{escaped_text, write_escaped};
use crate::view::{CountedFile, PlaceCount, Places, SampledFlat, SampledRow, basename};

/// What the views of samples have in common.
#[derive(Clone, Copy)]
pub struct SampledStyle<'a> {
    /// The functions or lines that are spoken of by number.
    pub places: &'a Places,
    /// Their numbers in the order of the index.
    pub by_name: &'a [u32],
    /// What is counted.
    pub unit: &'a Unit,
    /// How many units of two bytes a bin covers.
    pub scale: f64,
    /// All samples of the call graph.
    pub total: f64,
    /// Whether names are shown in their readable form.
    pub demangles: bool,
    /// Whether names are followed by their source files and lines.
    pub with_files: bool,
    /// Whether they are followed by files, lines and addresses.
    pub by_line: bool,
    /// Whether files are shown with their folders.
    pub full_paths: bool,
    /// The width of the index.
    pub width: usize,
    /// Whether places without samples and calls are shown.
    pub zeros: bool,
    /// Whether control characters are shown as escapes, for the sake of a terminal.
    pub escapes: bool,
}

impl SampledStyle<'_> {
    fn rate(&self) -> f64 {
        f64::from(self.unit.rate)
    }

    /// What 100% are: any number of samples if there are none.
    pub(super) fn whole(total: f64) -> f64 {
        if total > 0.0 { total } else { 1.0 }
    }

    fn readable(&self, place: u32) -> &[u8] {
        match self.demangles {
            true => self.places.readable(place as usize),
            false => self.places.name(place as usize),
        }
    }

    fn path<'n>(&self, path: &'n [u8]) -> &'n [u8] {
        if self.full_paths {
            path
        } else {
            basename(path)
        }
    }

    /// A place's source file, as it is shown.
    fn file(&self, place: u32) -> Option<&[u8]> {
        self.places.file(place as usize).map(|file| self.path(file))
    }

    /// Samples as time.
    pub(super) fn seconds(&self, samples: f64) -> f64 {
        samples / self.rate()
    }

    /// A name in the index: that of a local function has its source file.
    pub(super) fn index_name(&self, place: u32) -> Vec<u8> {
        let mut name = self.name(place).into_owned();
        let is_local = self.places.list()[place as usize].is_local;
        if let Some(file) = self.file(place).filter(|_| is_local && !self.by_line) {
            name.extend([b" (", file, b")"].concat());
        }
        name
    }

    /// A name as tables have it.
    pub(super) fn name(&self, place: u32) -> Cow<'_, [u8]> {
        let name = self.readable(place);
        let code = &self.places.list()[place as usize];
        let line = match (self.by_line, self.with_files) {
            (true, _) => format!(":{} @ {:x})", code.line, code.address),
            (false, true) => format!(":{})", code.line),
            (false, false) => return name.into(),
        };
        match self.file(place) {
            Some(file) => [name, b" (", file, line.as_bytes()].concat().into(),
            None => name.into(),
        }
    }
}

/// The first line of the flat profile's headings.
const HEADINGS: &[u8] = b"  %   cumulative   self              self     total           \n";

/// Writes how often functions were called.
pub fn write_place_counts(
    counts: &[PlaceCount],
    style: &SampledStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for count in counts {
        let code = &style.places.list()[count.place as usize];
        let file = style.places.file(count.place as usize);
        write_escaped(file.unwrap_or(b"<unknown>"), style.escapes, out)?;
        write!(out, ":{}: (", code.line)?;
        write_escaped(style.readable(count.place), style.escapes, out)?;
        writeln!(out, ":{:#x}) {} executions", count.address, count.count)?;
    }
    Ok(())
}

/// The prefixes of units, and the factors to them.
const PREFIXES: [(&str, f64); 11] = [
    ("T", 1e-12),
    ("G", 1e-9),
    ("M", 1e-6),
    ("K", 1e-3),
    (" ", 1.0),
    ("m", 1e3),
    ("u", 1e6),
    ("n", 1e9),
    ("p", 1e12),
    ("f", 1e15),
    ("a", 1e18),
];

/// The unit for the time of a call: the first in which the longest one is from 1 to 1000.
fn call_unit(longest: f64, rate: f64) -> (&'static str, f64) {
    let fits = |&(_, factor): &(&str, f64)| (1.0..1000.0).contains(&(factor * (longest / rate)));
    PREFIXES.into_iter().find(fits).unwrap_or(PREFIXES[0])
}

/// Writes the flat profile.
pub fn write_sampled_flat(
    flat: &SampledFlat,
    style: &SampledStyle<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let rate = style.rate();
    let unit = escaped_text(&style.unit.name, style.escapes);
    let (prefix, factor) = call_unit(flat.longest_call, rate);
    let letter = escaped_text(&[style.unit.letter], style.escapes);
    let per_call = format!("{prefix}{letter}/call");
    let each = short_number(1.0 / rate);
    writeln!(out, "Flat profile:\n\nEach sample counts as {each} {unit}.")?;
    if flat.total <= 0.0 {
        writeln!(out, " no time accumulated\n")?;
    }
    let [long, short] = [9, 8].map(|width| unit.chars().take(width).collect::<String>());
    out.write_all(HEADINGS)?;
    writeln!(
        out,
        "{:>5} {long:>9} {short:>9} {:>8} {per_call:>8.8} {per_call:>8.8}  {:<8}",
        "time", "calls", "name",
    )?;
    let sums = flat.rows.iter().scan(0.0, |sum, row| {
        *sum += row.own;
        Some(*sum)
    });
    let sums: Vec<f64> = sums.collect();
    let write = |range: Range<usize>, out: &mut ChunkWriter<'_>| {
        for (row, sum) in flat.rows[range.clone()].iter().zip(&sums[range]) {
            let percent = 100.0 * row.own / SampledStyle::whole(flat.total);
            let (so_far, own) = (sum / rate, row.own / rate);
            write!(out, "{percent:6.2} {so_far:9.2} {own:8.2}")?;
            write_calls(row, factor, rate, out)?;
            write_escaped(&style.name(row.place), style.escapes, out)?;
            writeln!(out)?;
        }
        Ok(())
    };
    write_rows(flat.rows.len(), write, out)
}

/// Writes the columns about calls.
fn write_calls(row: &SampledRow, factor: f64, rate: f64, out: &mut impl Write) -> io::Result<()> {
    if row.calls == 0 {
        return write!(out, " {:8} {:8} {:8}  ", "", "", "");
    }
    let calls = row.calls as f64;
    let own = factor * row.own / rate / calls;
    let inclusive = factor * row.inclusive / rate / calls;
    write!(out, " {:8} {own:8.2} {inclusive:8.2}  ", row.calls)
}

/// A number with up to six digits, as C's `%g` writes it.
fn short_number(number: f64) -> String {
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trim(&format!("{number:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(digits), exponent.abs())
}

/// How many columns the counts beside a line have at least, and at most.
const COUNTS: [usize; 2] = [12, 24];

/// What is between counts and the line, and in place of further counts.
const ARROW: &str = " -> ";
const OTHERS: &str = "...";

/// How sources are annotated.
#[derive(Clone, Copy, Debug)]
pub struct CountedStyle {
    /// How many lines the summary lists.
    pub top_lines: usize,
    /// Whether counts are cut where gprof cuts them, within a number.
    pub cuts: bool,
    /// Whether control characters are shown as escapes.
    pub escapes: bool,
}

/// Writes the name of a source file.
pub fn write_counted_title(name: &[u8], escapes: bool, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"*** File ")?;
    write_escaped(name, escapes, out)?;
    writeln!(out, ":")
}

/// Writes the lines of a source file with their counts, and a summary.
pub fn write_counted_file(
    file: &CountedFile,
    source: &[u8],
    style: CountedStyle,
    out: &mut impl Write,
) -> io::Result<()> {
    let (top, escapes) = (style.top_lines, style.escapes);
    let counts = |(&line, counts): (&u32, &Vec<u64>)| (line, counts_text(counts, style.cuts));
    let margins: BTreeMap<u32, String> = file.margins.iter().map(counts).collect();
    let widest = margins.values().map(String::len).max();
    let widest = widest.filter(|_| !style.cuts).unwrap_or(0).max(COUNTS[0]);
    let width = widest + ARROW.len();
    let mut length = 0;
    for (number, line) in (1..).zip(source.split_inclusive(|&b| b == b'\n')) {
        length = number;
        let margin = margins.get(&number);
        let margin = margin.map_or_else(String::new, |text| format!("{text:>widest$}{ARROW}"));
        write!(out, "{:width$}", margin.get(..width).unwrap_or(&margin))?;
        match line.strip_suffix(b"\n") {
            Some(line) => {
                write_escaped(line, escapes, out)?;
                writeln!(out)?;
            }
            None => write_escaped(line, escapes, out)?,
        }
    }
    let counts = file.lines.range(1..=length);
    let mut lines: Vec<(u32, u64)> = counts.map(|(&line, &count)| (line, count)).collect();
    lines.sort_by_key(|&(line, count)| (Reverse(count), line));
    if top > 0 {
        writeln!(out, "\n\nTop {top} Lines:\n\n     Line      Count\n")?;
        for (line, count) in lines.iter().filter(|line| line.1 > 0).take(top) {
            writeln!(out, "{line:9} {count:10}")?;
        }
    }
    let code = file.code.range(1..=length).count();
    let sum = lines.iter().map(|line| line.1).sum::<u64>();
    let others = file.margins.range(1..=length);
    let others =
        others.filter(|(line, counts)| !counts.is_empty() && !file.lines.contains_key(line));
    let executed = lines.len() + others.count();
    let average = sum as f64 / code.max(1) as f64;
    let percent = match code {
        0 => 100.0,
        code => 100.0 * executed as f64 / code as f64,
    };
    writeln!(out, "\nExecution Summary:\n")?;
    writeln!(out, "{code:9}   Executable lines in this file")?;
    writeln!(out, "{executed:9}   Lines executed")?;
    writeln!(out, "{percent:9.2}   Percent of the file executed")?;
    writeln!(out, "\n{sum:9}   Total number of line executions")?;
    writeln!(out, "{average:9.2}   Average executions per line")
}

/// The counts beside a line with code. Those that do not fit are left out, unless they are cut later.
fn counts_text(counts: &[u64], cuts: bool) -> String {
    if counts.iter().all(|&count| count == 0) {
        return "#####".to_owned();
    }
    let all = counts
        .iter()
        .map(u64::to_string)
        .collect::<Vec<_>>()
        .join(",");
    if cuts || all.len() <= COUNTS[1] {
        return all;
    }
    let fits = all.match_indices(',').map(|(at, comma)| at + comma.len());
    let fits = fits.take_while(|at| at + OTHERS.len() <= COUNTS[1]).last();
    [&all[..fits.unwrap_or(0)], OTHERS].concat()
}

/// Writes what a file of gprof's data holds.
pub fn write_record_counts(
    path: &[u8],
    counts: &RecordCounts,
    escapes: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let version = counts.version.unwrap_or(0);
    out.write_all(b"File `")?;
    write_escaped(path, escapes, out)?;
    writeln!(out, "' (version {version}) contains:")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_those_of_c() {
        let table = [
            (0.01, "0.01"),
            (0.001, "0.001"),
            (1.0, "1"),
            (1.0 / 3.0, "0.333333"),
            (1.0 / 1024.0, "0.000976562"),
            (1e-5, "1e-05"),
            (1.0 / 4_294_967_295.0, "2.32831e-10"),
            (1.0 / 70_000.0, "1.42857e-05"),
        ];
        for (number, text) in table {
            assert_eq!(short_number(number), text, "{number}");
        }
    }

    #[test]
    fn units_of_calls() {
        let table = [
            (0.0, 100.0, "T"),
            (100.0, 100.0, " "),
            (1.0, 100.0, "m"),
            (1e6, 100.0, "K"),
            // Rounding makes 0.999… nanoseconds of one, so it is given in picoseconds.
            (1e-7, 100.0, "p"),
        ];
        for (longest, rate, prefix) in table {
            assert_eq!(call_unit(longest, rate).0, prefix, "{longest}");
        }
    }

    #[test]
    fn counts_that_do_not_fit_are_left_out_whole() {
        let table: [(&[u64], &str); 4] = [
            (&[0, 0], "#####"),
            (&[2048, 1024, 1024, 2048], "2048,1024,1024,2048"),
            (
                &[1, 1_234_567, 123_456, 1_234_567],
                "1,1234567,123456,1234567",
            ),
            (
                &[11, 1_234_567, 123_456, 1_234_567],
                "11,1234567,123456,...",
            ),
        ];
        for (counts, text) in table {
            assert_eq!(counts_text(counts, false), text);
        }
        assert_eq!(
            counts_text(&[u64::MAX; 9], false),
            format!("{},...", u64::MAX)
        );
    }
}
