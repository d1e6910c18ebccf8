//! The first screen: a short list of functions with the costliest line of each, the user's most
//! expensive lines, and what to do next.

use std::io::{self, Write};

use super::columns::{ScreenColumn, heading_of, text, width_of, write_cells};
use super::names::{GAP, Named, Places, ScreenNames};
use super::words::{ScreenWords, large_cache};
use super::{write_end_of_list, write_name};
use crate::profile::Count;
use crate::render::chosen::first_screen_columns;
use crate::render::colour::Paint;
use crate::render::measure::{Figures, Measure};
use crate::render::shorten::{elide_end, in_words, left_aligned, width};
use crate::render::{
    Report, Style, SuggestedCommand, escaped_text, percent, without_marks, write_spaces,
};
use crate::view::{CostlyLine, FirstScreen, RowLimit};

/// The minimum room for names and lines, below which columns are left out.
const MIN_ROOM: usize = 32;

/// The minimum percentage of a column in some row for it to be shown.
const MIN_PERCENT: f64 = 1.0;

/// The maximum number of rows of a screen whose list has at most these rows; but some lines are
/// always shown.
const ROWS: usize = 40;
const LISTED_ROWS: usize = 15;
const MIN_LINES: usize = 3;

/// The maximum number of columns of other events.
const MAX_OTHERS: usize = 4;

/// Most characters of a note have to fit for it to be shown in part.
const MIN_NOTE: usize = 16;

/// The title of the column of lines.
const LINE_TITLE: &str = "costliest line, with its calls";

pub struct FirstScreenPage<'a, 'p> {
    pub report: &'a Report<'a, 'p>,
    pub screen: &'a FirstScreen,
    pub has_list: bool,
    /// The size in bytes of the simulated last-level cache, if it is larger than usual.
    pub cache_size: Option<u64>,
    /// What was spent outside `main`, if that is much.
    pub outside_main: Option<String>,
    /// The command that records the lines of inlined code.
    pub record: Option<SuggestedCommand>,
    /// The commands that show the lines.
    pub next: Vec<SuggestedCommand>,
    /// Of a profile of several processes, threads or parts: which of these, and the command that
    /// has a row for each.
    pub each: Option<(&'static str, SuggestedCommand)>,
}

pub fn write_first_screen(page: &FirstScreenPage<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let writer = Writer {
        page,
        style: page.report.style,
        words: ScreenWords::new(page.screen, page.report.rows.profile, page.report.style),
    };
    if page.has_list && !page.report.list.items.is_empty() {
        writer.write_list(out)?;
        writeln!(out)?;
    } else if page.has_list && has_minimum(page.report) {
        write_end_of_list(page.report, out)?;
        writeln!(out)?;
    }
    let notes = writer.notes_below();
    writer.write_lines(writer.rows_of_lines(notes.len()), out)?;
    if !notes.is_empty() {
        writeln!(out)?;
    }
    for note in notes {
        Paint::Dim.around(writer.style.colours, out, |out| out.write_all(note.as_bytes()))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Whether a minimum leaves rows out.
fn has_minimum(report: &Report<'_, '_>) -> bool {
    report.list.omitted.as_ref().is_some_and(|omitted| omitted.limits.contains(&RowLimit::Min))
}

struct Writer<'a, 'p> {
    page: &'a FirstScreenPage<'a, 'p>,
    style: Style<'a>,
    words: ScreenWords<'a>,
}

impl Writer<'_, '_> {
    fn width(&self) -> usize {
        self.style.width.unwrap_or(usize::MAX)
    }

    /// The columns of the list that fit, and the room after them.
    fn columns(&self, figures: &[Figures<'_>]) -> (Vec<ScreenColumn>, Option<usize>) {
        let style = self.style;
        let mut counts = figures.iter().filter_map(|figures| figures.calls);
        let has_counts = counts.any(|calls| calls.value.by_others.or_zero() > 0);
        let is_large = |event: usize| {
            let total = style.total[event];
            let mut costs = figures.iter().filter_map(|figures| figures.cost);
            costs.any(|cost| {
                percent(cost.value[event], total).is_some_and(|percent| percent >= MIN_PERCENT)
            })
        };
        let (mut columns, mut always, mut others) = (Vec::new(), 0, 0);
        let events = &self.page.screen.events[..];
        for column in first_screen_columns(events, self.page.report.costs, style.percentages) {
            let is_other = column.event != self.words.event();
            let is_shown = match column.measure {
                Measure::AllCalls => has_counts,
                _ => !is_other || others < MAX_OTHERS && is_large(column.event),
            };
            if !is_shown {
                continue;
            }
            let name = || escaped_text(style.events.name(column.event), style.escapes);
            let (heading, gap) = match column.measure {
                Measure::AllCalls => ("calls".to_owned(), GAP),
                Measure::Inclusive => ("incl.".to_owned(), 1),
                _ if is_other => (name(), 1),
                _ if columns.is_empty() => ("self".to_owned(), 0),
                _ => (String::new(), 1),
            };
            let widths = figures.iter().map(|of| text(column, of, style).len());
            let width = widths.max().unwrap_or(0).max(width(&heading));
            columns.push(ScreenColumn { heading, column, width, gap });
            others += usize::from(is_other);
            always += usize::from(!is_other && column.measure != Measure::AllCalls);
        }
        let Some(all) = style.width else {
            return (columns, None);
        };
        while columns.len() > always && width_of(&columns) + MIN_ROOM > all {
            columns.pop();
        }
        let room = all.saturating_sub(width_of(&columns));
        (columns, Some(room))
    }

    fn write_list(&self, out: &mut impl Write) -> io::Result<()> {
        let (report, style) = (self.page.report, self.style);
        let rows: Vec<_> = report.list.lines(&report.rows).collect();
        let figures: Vec<Figures<'_>> = rows.iter().map(|row| report.figures(row)).collect();
        let (columns, room) = self.columns(&figures);
        let costliest =
            self.page.screen.costliest.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let named: Vec<Named> = rows
            .iter()
            .zip(costliest)
            .map(|(row, line)| {
                let named = Named { row: Some(row.item), ..report.named(&row.label) };
                match line {
                    None => named,
                    Some(line) => {
                        let text = self.words.text(line).map(|text| format!("  {text}"));
                        let exact = [&named.file, " ", &named.object].concat();
                        Named {
                            text: self.words.place(line) + &text.unwrap_or_default(),
                            full_text: exact,
                            ..named
                        }
                    }
                }
            })
            .collect();
        let with_starts = named.iter().map(|named| (0, named));
        let all = ScreenNames::new(with_starts, report.rows.names.is_short, style.names);
        // In a narrow list different names are more important than lines.
        let is_narrow = room.is_some_and(|room| room < MIN_ROOM);
        let places = if is_narrow { Places::None } else { Places::Basenames };
        let names = all.within(room, places, "function");
        let mut heading = heading_of(&columns);
        let has_lines = !is_narrow && self.page.screen.costliest.iter().any(Option::is_some);
        let title = if has_lines { LINE_TITLE } else { "" };
        let function = left_aligned("function", names.width);
        heading.push_str(&format!("{function}{:GAP$}{title}", ""));
        let fitting = elide_end(heading.trim_end(), self.width());
        Paint::Dim.around(style.colours, out, |out| out.write_all(fitting.as_bytes()))?;
        writeln!(out)?;
        for (figures, (name, place)) in figures.iter().zip(&names.texts) {
            write_cells(&columns, figures, false, style, out)?;
            write_name(name, place, names.width, [Paint::Function, Paint::File], style, out)?;
        }
        write_end_of_list(report, out)
    }

    /// Writes the user's most expensive lines, each with a row about what its cost is; or why there
    /// are none.
    fn write_lines(&self, max: usize, out: &mut impl Write) -> io::Result<()> {
        let (screen, style) = (self.page.screen, self.style);
        if let Some(why) = self.words.no_lines(self.width()) {
            let mut rows = in_words(&why, self.width()).into_iter();
            return rows.try_for_each(|row| writeln!(out, "{row}"));
        }
        writeln!(out, "{}:", self.words.heading())?;
        let of_event = style.of_event(self.words.event());
        let count = |line: &CostlyLine| of_event.unsigned(line.costs.first().copied().unwrap_or(0));
        let lines = &screen.lines[..screen.lines.len().min(max)];
        let counts: Vec<String> = lines.iter().map(count).collect();
        let places: Vec<String> = lines.iter().map(|line| self.words.place(&line.at)).collect();
        let count_width = counts.iter().map(String::len).max().unwrap_or(0);
        let place_width = places.iter().map(|place| width(place)).max().unwrap_or(0);
        for (line, (count, place)) in lines.iter().zip(counts.iter().zip(&places)) {
            let cost = line.costs.first().copied().unwrap_or(0);
            let total = self.words.total(self.words.event());
            let share = self.words.percent(cost, total, line.is_estimated());
            let lead = format!("{count:>count_width$} {share:>6}");
            let paint = style.paint(Count::new(cost), self.words.event());
            paint.around(style.colours, out, |out| out.write_all(lead.as_bytes()))?;
            let room = self.width().saturating_sub(lead.len() + GAP);
            let text = self.text_of(line, room);
            let place = left_aligned(place, place_width);
            let rest = elide_end(&format!("{place}  {text}"), room);
            writeln!(out, "  {}", rest.trim_end())?;
            let indent = count_width + " 100.0%".len() + GAP;
            let notes = self.notes(line, self.width().saturating_sub(indent));
            if !notes.is_empty() {
                write_spaces(indent, out)?;
                Paint::Dim.around(style.colours, out, |out| out.write_all(notes.as_bytes()))?;
                writeln!(out)?;
            }
        }
        Ok(())
    }

    /// The text of a line; its function if there is none, or only a bracket, which costs what
    /// entering or leaving a function or a block does.
    fn text_of(&self, line: &CostlyLine, room: usize) -> String {
        let text = self.words.text(&line.at).unwrap_or_default();
        if text.contains(char::is_alphanumeric) {
            return text;
        }
        let gap = if text.is_empty() { "" } else { " " };
        format!("{text}{gap}in {}", self.words.name(&line.function, room))
    }

    /// What a line's cost is, in this room; what does not fit is left out, but for the lines that
    /// lead to it.
    fn notes(&self, line: &CostlyLine, room: usize) -> String {
        let Some(leading) = self.words.leading_note(line) else {
            return self.notes_of_cost(line, room);
        };
        let text = self.notes_of_cost(line, room.saturating_sub(width(&leading) + 2));
        let gap = if text.is_empty() { "" } else { "; " };
        elide_end(&format!("{text}{gap}{leading}"), room)
    }

    fn notes_of_cost(&self, line: &CostlyLine, room: usize) -> String {
        let mut text = String::new();
        for note in self.words.notes(line) {
            let begun = if text.is_empty() { note } else { format!("; {note}") };
            let left = room.saturating_sub(width(&text));
            if width(&begun) <= left {
                text.push_str(&begun);
                continue;
            }
            if left >= MIN_NOTE {
                text.push_str(&elide_end(&begun, left));
            }
            break;
        }
        text
    }

    /// The number of the user's lines for which the screen has room beside the list and its notes.
    fn rows_of_lines(&self, notes: usize) -> usize {
        let listed = if self.page.has_list { self.page.report.list.items.len() } else { 0 };
        // The header, the titles of list and lines, the rest of the list, and the lines between.
        let rest = 9;
        let room = ROWS.saturating_sub(rest + listed + notes) / 2;
        if listed > LISTED_ROWS { usize::MAX } else { room.max(MIN_LINES) }
    }

    /// What is below the lines: system calls, misses, and what to do next.
    fn notes_below(&self) -> Vec<String> {
        let screen = self.page.screen;
        let mut lines: Vec<String> = Vec::new();
        let calls = screen.system_calls.as_ref().map(|calls| self.words.system_calls(calls));
        let misses = screen.misses.iter().map(|misses| self.words.misses(misses));
        let of_sources = calls.into_iter().chain(misses);
        lines.extend(of_sources.map(|line| elide_end(&line, self.width()).trim_end().to_owned()));
        for work in &screen.library_work {
            let mut rows = in_words(&self.words.library_work(work), self.width());
            if let (Some(last), Some(text)) = (rows.last_mut(), self.words.text_of_work(work)) {
                *last = elide_end(&format!("{last}  {text}"), self.width());
            }
            lines.extend(rows);
        }
        let outside = self.page.outside_main.iter();
        lines.extend(outside.flat_map(|text| in_words(text, self.width())));
        lines.extend(self.words.missing_source(self.width()));
        if let Some(size) = self.page.cache_size {
            lines.extend(in_words(&large_cache(size), self.width()));
        }
        if let Some(record) = &self.page.record {
            lines.extend(in_words(&self.words.reason_to_record(), self.width()));
            lines.push(format!("  {}", without_marks(&record.to_string())));
        }
        let next = self.page.next.iter();
        lines.extend(next.map(|next| format!("next: {}", without_marks(&next.to_string()))));
        let each = self.page.each.iter();
        lines.extend(each.map(|(each, command)| {
            format!("each {each}: {}", without_marks(&command.to_string()))
        }));
        lines
    }
}
