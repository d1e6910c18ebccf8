//! The style of samples: times in seconds, in columns of gprof's widths, which long numbers exceed.

use std::borrow::Cow;
use std::io::{self, Write};

use super::graph::{Widths, min_widths, write_traditional_titles};
use super::{DisplayOptions, Explained, GprofStyle};
use crate::gprof::views::{ExecCount, Flat, GraphTable, ReadableNames};
use crate::profile::Unit;
use crate::read::gmon::ProgramPlaces;
use crate::render::escaped_text;
use crate::render::number::NumberText;
use crate::view::asm::SourceLine;

pub struct SampledStyle<'a> {
    /// The functions or lines, by number.
    pub places: &'a ProgramPlaces,
    pub unit: &'a Unit,
    /// The size of a bin in units of two bytes.
    pub scale: f64,
    /// The highest inclusive cost per call of any function, in samples.
    pub longest_call: f64,
    /// The names to show in place of the symbols; none to show these.
    pub readable_names: Option<&'a ReadableNames>,
    pub display: DisplayOptions,
}

impl SampledStyle<'_> {
    fn rate(&self) -> f64 {
        f64::from(self.unit.rate)
    }

    /// The prefix for times per call, and the factor that converts times to it. In BSD's layout
    /// they are always thousandths.
    fn call_unit(&self) -> (&'static str, f64) {
        if self.display.is_traditional {
            ("m", 1e3)
        } else {
            call_unit(self.longest_call, self.rate())
        }
    }

    /// Writes how much a sample is of all that was `what`.
    fn write_granularity(
        &self,
        whole: f64,
        unit: &str,
        what: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let bytes = (self.scale as i64).saturating_mul(2);
        write!(out, "granularity: each sample hit covers {bytes} byte(s)")?;
        if whole <= 0.0 {
            return writeln!(out, " no time {what}\n");
        }
        let (part, time) = (100.0 / whole, whole / self.rate());
        writeln!(out, " for {part:.2}% of {time:.2} {unit}\n")
    }

    fn readable(&self, place: u32) -> &[u8] {
        match self.readable_names {
            Some(names) => names.of(self.places, place as usize),
            None => self.places.name(place as usize),
        }
    }

    fn file(&self, place: u32) -> Option<&[u8]> {
        let file = self.places.file(place as usize);
        file.map(|file| self.display.path(file))
    }
}

impl GprofStyle for SampledStyle<'_> {
    type Cost = f64;

    fn display(&self) -> &DisplayOptions {
        &self.display
    }

    fn prepend_cost(&self, samples: f64, text: &mut NumberText) {
        text.prepend_decimal(samples / self.rate(), 2, false);
    }

    fn prepend_calls(&self, calls: i64, text: &mut NumberText) {
        text.prepend_plain(calls);
    }

    fn per_call(&self, samples: f64, calls: i64) -> NumberText {
        let (_, factor) = self.call_unit();
        NumberText::decimal(factor * samples / self.rate() / calls as f64, 2)
    }

    /// If there are no samples, the whole is taken as one sample.
    fn percent(&self, samples: f64, whole: f64) -> f64 {
        100.0 * samples / if whole > 0.0 { whole } else { 1.0 }
    }

    /// The site is ignored, because a line is a place of its own.
    fn name(&self, place: u32, _: Option<SourceLine>) -> Cow<'_, [u8]> {
        let name = self.readable(place);
        let code = &self.places.list[place as usize];
        let line = match (self.display.by_line, self.display.with_files) {
            (true, _) => format!(":{} @ {:x})", code.line, code.address),
            (false, true) => format!(":{})", code.line),
            (false, false) => return name.into(),
        };
        match self.file(place) {
            Some(file) => [name, b" (", file, line.as_bytes()].concat().into(),
            None => name.into(),
        }
    }

    /// The name of a local function is followed by its source file.
    fn index_name(&self, place: u32) -> Cow<'_, [u8]> {
        let name = self.name(place, None);
        let is_local = self.places.list[place as usize].is_local;
        let shows_file = is_local && !self.display.by_line;
        match self.file(place).filter(|_| shows_file) {
            Some(file) => [&name, &b" ("[..], file, b")"].concat().into(),
            None => name,
        }
    }

    fn counted_place(&self, count: &ExecCount) -> (&[u8], u32, &[u8]) {
        let place = count.function as usize;
        let file = self.places.file(place).unwrap_or(b"<unknown>");
        let line = self.places.list[place].line;
        (file, line, self.readable(count.function))
    }

    /// With `by_line`, only functions have entries.
    fn has_entry(&self, of: u32) -> bool {
        let place = self.places.list.get(of as usize);
        !self.display.by_line || place.is_some_and(|place| place.is_function)
    }

    fn plain_name(&self, place: u32) -> &[u8] {
        self.readable(place)
    }

    fn explained(&self) -> Explained<'_> {
        Explained::Samples
    }

    fn widths(&self, _: &GraphTable<'_, f64>) -> Widths {
        min_widths(&self.display)
    }

    fn write_graph_titles(
        &self,
        total: f64,
        widths: &Widths,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.write_granularity(total, "seconds", "propagated", out)?;
        if self.display.is_traditional {
            return write_traditional_titles(b"%time", false, widths, out);
        }
        writeln!(out, "index % time    self  children    called     name")
    }

    fn write_flat_titles(&self, flat: &Flat<f64>, out: &mut impl Write) -> io::Result<Vec<usize>> {
        let unit = escaped_text(&self.unit.name, self.display.escapes);
        let (prefix, _) = self.call_unit();
        let letter = escaped_text(&[self.unit.letter], self.display.escapes);
        let per_call = format!("{prefix}{letter}/call");
        if self.display.is_traditional {
            self.write_granularity(flat.whole, &unit, "accumulated", out)?;
        } else {
            let each = short_number(1.0 / self.rate());
            writeln!(out, "Each sample counts as {each} {unit}.")?;
            if flat.whole <= 0.0 {
                writeln!(out, " no time accumulated\n")?;
            }
        }
        let [long, short] = [9, 8].map(|width| unit.chars().take(width).collect::<String>());
        out.write_all(HEADINGS)?;
        writeln!(
            out,
            "{:>5} {long:>9} {short:>9} {:>8} {per_call:>8.8} {per_call:>8.8}  {:<8}",
            "time", "calls", "name",
        )?;
        Ok(self.display.flat_widths().to_vec())
    }
}

/// The first line of the flat profile's headings.
const HEADINGS: &[u8] = b"  %   cumulative   self              self     total           \n";

/// The prefixes of units, and the factor that converts a number to each.
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

/// The prefix for times per call: the first with which the longest is at least 1 and below 1000,
/// else the first of all.
fn call_unit(longest: f64, rate: f64) -> (&'static str, f64) {
    let fits = |&(_, factor): &(&str, f64)| (1.0..1000.0).contains(&(factor * (longest / rate)));
    PREFIXES.into_iter().find(fits).unwrap_or(PREFIXES[0])
}

/// A number with up to six significant digits, as C's `%g` writes it.
fn short_number(number: f64) -> String {
    let scientific = format!("{number:.5e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trim(&format!("{number:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(digits), exponent.abs())
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
}
