//! The style of recorded costs: counts with commas, in columns as wide as their widest number.

use std::borrow::Cow;
use std::io::{self, Write};

use super::graph::{EntryNumbers, Widths, min_widths, write_traditional_titles};
use super::index::number;
use super::{DisplayOptions, Explained, GprofStyle, width};
use crate::gprof::pages::{fill_cells, write_cells};
use crate::gprof::views::{CallgrindCosts, ExecCount, Flat, GraphTable};
use crate::render::number::{NumberRange, NumberText};
use crate::render::parallel::map_rows;
use crate::render::{escaped_bytes, with_commas, write_escaped, write_text_line};
use crate::view::asm::SourceLine;

pub struct RecordedStyle<'a> {
    pub recorded: &'a CallgrindCosts<'a>,
    pub display: DisplayOptions,
}

impl RecordedStyle<'_> {
    /// A function's name, with its file or object if other functions have the same name.
    fn unique_name(&self, function: u32) -> Cow<'_, [u8]> {
        let functions = self.recorded.functions;
        let known = &functions.list[function as usize];
        let name = &known.name[..];
        let paths = match known.qualifiers {
            [false, false] => return name.into(),
            [true, false] => vec![functions.file(function)],
            [false, true] => vec![functions.object(function)],
            [true, true] => vec![functions.file(function), functions.object(function)],
        };
        let paths: Vec<_> = paths.iter().map(|path| self.display.path(path)).collect();
        [name, b" (", &paths.join(&b", "[..]), b")"].concat().into()
    }

    fn event_name(&self) -> &[u8] {
        let events = self.recorded.functions.profile.events();
        events.name(self.recorded.event)
    }
}

impl GprofStyle for RecordedStyle<'_> {
    type Cost = i64;

    fn display(&self) -> &DisplayOptions {
        &self.display
    }

    fn prepend_cost(&self, cost: i64, text: &mut NumberText) {
        text.prepend_number(cost);
    }

    fn prepend_calls(&self, calls: i64, text: &mut NumberText) {
        text.prepend_number(calls);
    }

    fn per_call(&self, cost: i64, calls: i64) -> NumberText {
        // Numbers of calls in damaged profiles may be negative.
        let (cost, calls) = (cost.saturating_mul(calls.signum()), calls.saturating_abs());
        NumberText::of(|text| text.prepend_quotient(cost, calls, 2, true))
    }

    fn percent(&self, cost: i64, whole: i64) -> f64 {
        match whole {
            0 => 0.0,
            whole => cost as f64 * 100.0 / whole as f64,
        }
    }

    /// `name (file:line)` for `site` or, if it is displayed, for the function's first line; without
    /// a known line, the unique name.
    fn name(&self, function: u32, site: Option<SourceLine>) -> Cow<'_, [u8]> {
        let functions = self.recorded.functions;
        let has_start = self.display.with_files || self.display.by_line;
        let start = || has_start.then(|| functions.start(function));
        match site.or_else(start) {
            None | Some((_, 0)) => self.unique_name(function),
            Some((file, line)) => {
                let name = functions.name(function);
                let file = self.display.path(functions.profile.file(file));
                [name, b" (", file, format!(":{line})").as_bytes()].concat().into()
            }
        }
    }

    fn counted_place(&self, count: &ExecCount) -> (&[u8], u32, &[u8]) {
        let functions = self.recorded.functions;
        let at = count.line.unwrap_or(functions.start(count.function));
        let name = functions.name(count.function);
        (functions.profile.file(at.0), at.1, name)
    }

    fn plain_name(&self, function: u32) -> &[u8] {
        self.recorded.functions.name(function)
    }

    fn explained(&self) -> Explained<'_> {
        Explained::Recorded { event: self.event_name() }
    }

    fn widths(&self, table: &GraphTable<'_, i64>) -> Widths {
        let min = min_widths(&self.display);
        // Missing numbers are taken as 0, which is in every range.
        let include = |ranges: &mut [NumberRange; 5], numbers: EntryNumbers<i64>| {
            let (own, children) = numbers.cost.unwrap_or_default();
            let more_calls = numbers.more_calls.unwrap_or_default().1;
            let numbers = [own, children, numbers.calls.unwrap_or_default(), more_calls];
            for (range, number) in ranges.iter_mut().zip(numbers) {
                range.include(number);
            }
        };
        // The last is that of inclusive costs.
        let mut ranges: [NumberRange; 5] = Default::default();
        let is_listed = |of: u32| table.is_shown(of, self.display.zeros);
        let of_chunks = map_rows(table.entries.len(), |numbers| {
            let mut ranges: [NumberRange; 5] = Default::default();
            for of in numbers.map(|number| number as u32) {
                if is_listed(of) {
                    include(&mut ranges, EntryNumbers::of_entry(table.node(of)));
                    ranges[4].include(table.node(of).inclusive());
                }
                table.for_each_line(of, is_listed, |line| {
                    include(&mut ranges, EntryNumbers::of_line(line, b'/'));
                });
            }
            [ranges]
        });
        for of_chunk in of_chunks {
            let ranges = ranges.iter_mut().zip(of_chunk);
            ranges.for_each(|(range, of_chunk)| range.join(of_chunk));
        }
        let percent = |cost| NumberText::decimal(self.percent(cost, table.whole()), 1).len();
        let percent = percent(ranges[4].low).max(percent(ranges[4].high));
        let last = table.entries.iter().rposition(|&of| is_listed(of));
        let last = number((last.unwrap_or(0), true));
        let [own, children, calls, more_calls, _] = ranges.map(|range| range.width());
        Widths {
            index: min.index.max(last.len()),
            percent: (min.percent.max(percent)).max(width(self.event_name()) + "% ".len()),
            own: min.own.max(own),
            children: "children".len().max(min.children).max(children),
            calls: min.calls.max(calls),
            more_calls: min.more_calls.max(more_calls + 1),
        }
    }

    fn write_graph_titles(
        &self,
        whole: i64,
        widths: &Widths,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let event = [b"% ", self.event_name()].concat();
        let whole = format!("100% are {} ", with_commas(whole));
        let texts = [whole.as_bytes(), self.event_name(), b"."];
        write_text_line(&texts, self.display.escapes, out)?;
        writeln!(out)?;
        if self.display.is_traditional {
            return write_traditional_titles(&event, self.display.escapes, widths, out);
        }
        let before = widths.index + 1 + widths.percent - width(&event);
        write!(out, "{:before$}", "index")?;
        write_escaped(&event, self.display.escapes, out)?;
        let (own, children) = (widths.own, widths.children);
        let called = widths.calls + widths.more_calls;
        writeln!(out, " {:>own$} {:>children$} {:^called$} name", "self", "children", "called",)
    }

    /// Writes the titles of the columns in two lines.
    fn write_flat_titles(&self, flat: &Flat<i64>, out: &mut impl Write) -> io::Result<Vec<usize>> {
        let escaped = |event: usize| {
            let events = self.recorded.functions.profile.events();
            escaped_bytes(events.name(event), self.display.escapes)
        };
        let (event, more_events) = (escaped(self.recorded.event), &self.recorded.more_events);
        let whole = format!("100% are {} ", with_commas(flat.whole));
        write_text_line(&[whole.as_bytes(), &event, b"."], false, out)?;
        let per_call = [&event[..], b"/call"].concat();
        let mut above = vec!["%", "cumulative", "self"];
        let mut below = vec![event.clone(), event.clone(), event];
        for &other in more_events {
            above.push("self");
            below.push(escaped(other));
        }
        above.extend(["", "self", "total"]);
        below.extend([b"calls".to_vec(), per_call.clone(), per_call]);

        if self.display.is_traditional {
            writeln!(out)?;
        }
        let of_layout = self.display.flat_widths();
        let (first, last) = of_layout.split_at(3);
        let more = more_events.iter().map(|_| &first[2]);
        let min = first.iter().chain(more).chain(last);
        let mut widths: Vec<usize> = above
            .iter()
            .zip(&below)
            .zip(min)
            .map(|((above, below), min)| above.len().max(width(below)).max(*min))
            .collect();
        let mut cells = Vec::new();
        for row in &flat.rows {
            fill_cells(row, flat.whole, self, &mut cells);
            for (width, cell) in widths.iter_mut().zip(&cells) {
                *width = (*width).max(cell.len());
            }
        }
        write_cells(above.iter().map(|text| text.as_bytes()), &widths, out)?;
        writeln!(out)?;
        write_cells(below.iter().map(|text| &text[..]), &widths, out)?;
        writeln!(out, "  name")?;
        Ok(widths)
    }
}
