//! The first screen: a short list of functions with the costliest line of each, the user's most
//! expensive lines, and what to do next.

use std::collections::HashMap;
use std::io::{self, Write};

use super::columns::text;
use super::names::{GAP, Named, Places, ScreenNames};
use super::write_end_of_list;
use crate::profile::{Count, FileId, Profile};
use crate::render::chosen::first_screen_columns;
use crate::render::colour::Paint;
use crate::render::columns::Column;
use crate::render::header::event_in_words;
use crate::render::measure::{Figures, Measure};
use crate::render::number::{NumberText, ShownPercent};
use crate::render::shorten::{
    elide_end, elide_folders, in_words, left_aligned, right_aligned, shorten_name, width,
};
use crate::render::{
    Report, Style, SuggestedCommand, escaped_text, percent, with_commas, without_marks,
    write_spaces,
};
use crate::view::{
    CostlyLine, FirstScreen, Misses, NoLines, OwnSources, ScreenLine, ScreenSystemCalls, Times,
    basename,
};

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

/// A part of a line's cost is named from this percentage on.
const MIN_ELSEWHERE: f64 = 5.0;

/// A share of misses is named from this percentage on.
const MIN_MISSES: f64 = 10.0;

/// Most characters of a note have to fit for it to be shown in part.
const MIN_NOTE: usize = 16;

/// The room for the name of a function in the row below a line.
const NOTED_NAME: usize = 40;

/// The title of the column of lines.
const LINE_TITLE: &str = "costliest line";

pub struct FirstScreenPage<'a, 'p> {
    pub report: &'a Report<'a, 'p>,
    pub screen: &'a FirstScreen,
    pub has_list: bool,
    /// The size in bytes of the simulated last-level cache, if it is larger than usual.
    pub cache_size: Option<u64>,
    /// The command that records the lines of inlined code.
    pub record: Option<SuggestedCommand>,
    /// The commands that show the lines.
    pub next: Vec<SuggestedCommand>,
}

pub fn write_first_screen(page: &FirstScreenPage<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let writer = Writer {
        page,
        style: page.report.style,
        // Counts are of the event that rows are sorted by.
        event: page.screen.events.first().copied().unwrap_or(0),
        names: SourceNames::new(page.report.rows.profile),
    };
    if page.has_list && !page.report.list.items.is_empty() {
        writer.write_list(out)?;
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

/// The short names of source files.
pub(super) struct SourceNames<'a> {
    /// The number of files with each base name.
    counts: HashMap<&'a [u8], usize>,
}

impl<'a> SourceNames<'a> {
    pub(super) fn new(profile: &'a Profile) -> SourceNames<'a> {
        let mut counts: HashMap<&[u8], usize> = HashMap::new();
        // What BASE calls another name is one file.
        let is_own = |(file, name): &(u32, &[u8])| profile.find_file(name) == Some(FileId(*file));
        for (_, file) in (0..).zip(profile.files()).filter(is_own) {
            *counts.entry(basename(file)).or_default() += 1;
        }
        SourceNames { counts }
    }

    /// The base name, with its folder if another file of the profile has the same one, as `mod.rs`
    /// in Rust.
    pub(super) fn short<'f>(&self, file: &'f [u8]) -> &'f [u8] {
        let is_alone = self.counts.get(basename(file)).is_none_or(|&count| count < 2);
        let components = if is_alone { 1 } else { 2 };
        let last = file.rsplit(|&byte| byte == b'/').take(components);
        let length: usize = last.map(|component| component.len() + 1).sum();
        &file[(file.len() + 1).saturating_sub(length)..]
    }
}

struct Writer<'a, 'p> {
    page: &'a FirstScreenPage<'a, 'p>,
    style: Style<'a>,
    event: usize,
    names: SourceNames<'a>,
}

/// A column of the list.
struct ListColumn {
    heading: String,
    column: Column,
    width: usize,
    gap: usize,
}

impl Writer<'_, '_> {
    fn width(&self) -> usize {
        self.style.width.unwrap_or(usize::MAX)
    }

    fn place(&self, line: &ScreenLine) -> String {
        let file = escaped_text(self.names.short(&line.file), self.style.escapes);
        format!("{file}:{}", line.line)
    }

    fn text(&self, line: &ScreenLine) -> Option<String> {
        line.text.as_deref().map(|text| escaped_text(text, self.style.escapes))
    }

    fn name(&self, name: &[u8], room: usize) -> String {
        shorten_name(&escaped_text(name, self.style.escapes), room, self.style.names)
    }

    fn share_of(&self, count: i64, total: i64) -> Option<f64> {
        percent(Count::new(count), Count::new(total))
    }

    fn total(&self, event: usize) -> i64 {
        self.style.total[event].or_zero()
    }

    /// The columns of the list that fit, and the room after them.
    fn columns(&self, figures: &[Figures<'_>]) -> (Vec<ListColumn>, Option<usize>) {
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
            let is_other = column.event != self.event;
            let is_shown = match column.measure {
                Measure::Calls => has_counts,
                _ => !is_other || others < MAX_OTHERS && is_large(column.event),
            };
            if !is_shown {
                continue;
            }
            let name = || escaped_text(style.events.name(column.event), style.escapes);
            let (heading, gap) = match column.measure {
                Measure::Calls => ("calls".to_owned(), GAP),
                Measure::Inclusive => ("incl.".to_owned(), 1),
                _ if is_other => (name(), 1),
                _ if columns.is_empty() => ("self".to_owned(), 0),
                _ => (String::new(), 1),
            };
            let widths = figures.iter().map(|of| text(column, of, style).len());
            let width = widths.max().unwrap_or(0).max(width(&heading));
            columns.push(ListColumn { heading, column, width, gap });
            others += usize::from(is_other);
            always += usize::from(!is_other && column.measure != Measure::Calls);
        }
        let used = |columns: &[ListColumn]| {
            columns.iter().map(|column| column.gap + column.width).sum::<usize>() + GAP
        };
        let Some(all) = style.width else {
            return (columns, None);
        };
        while columns.len() > always && used(&columns) + MIN_ROOM > all {
            columns.pop();
        }
        let room = all.saturating_sub(used(&columns));
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
                        let text = self.text(line).map(|text| format!("  {text}"));
                        let exact = [&named.file, " ", &named.object].concat();
                        Named {
                            text: self.place(line) + &text.unwrap_or_default(),
                            full_text: exact,
                            ..named
                        }
                    }
                }
            })
            .collect();
        let with_starts = named.iter().map(|named| (0, named));
        let names = ScreenNames::new(with_starts, report.rows.names.is_short, style.names);
        // In a narrow list different names are more important than lines.
        let is_narrow = room.is_some_and(|room| room < MIN_ROOM);
        let places = if is_narrow { Places::None } else { Places::Basenames };
        let names = names.within(room, places, "function");
        let mut heading = String::new();
        for ListColumn { heading: name, width, gap, .. } in &columns {
            heading.push_str(&" ".repeat(*gap));
            heading.push_str(&right_aligned(name, *width));
        }
        let has_lines = !is_narrow && self.page.screen.costliest.iter().any(Option::is_some);
        let title = if has_lines { LINE_TITLE } else { "" };
        let function = left_aligned("function", names.width);
        heading.push_str(&format!("{:GAP$}{function}{:GAP$}{title}", "", ""));
        let heading = elide_end(heading.trim_end(), self.width());
        Paint::Dim.around(style.colours, out, |out| out.write_all(heading.as_bytes()))?;
        writeln!(out)?;
        for (figures, (name, place)) in figures.iter().zip(&names.texts) {
            self.write_cells(&columns, figures, out)?;
            Paint::Function.around(style.colours, out, |out| out.write_all(name.as_bytes()))?;
            if !place.is_empty() {
                write_spaces(names.width.saturating_sub(width(name)) + GAP, out)?;
                Paint::File.around(style.colours, out, |out| out.write_all(place.as_bytes()))?;
            }
            writeln!(out)?;
        }
        write_end_of_list(report, out)
    }

    fn write_cells(
        &self,
        columns: &[ListColumn],
        figures: &Figures<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let style = self.style;
        for ListColumn { column, width, gap, .. } in columns {
            let text = text(*column, figures, style);
            let paint = match (column.measure, figures.cost) {
                (Measure::Cost, Some(cost)) => style.paint(cost.value[column.event], column.event),
                _ => Paint::Plain,
            };
            write_spaces(gap + width.saturating_sub(text.len()), out)?;
            paint.around(style.colours, out, |out| out.write_all(text.as_bytes()))?;
        }
        write_spaces(GAP, out)
    }

    /// Writes the user's most expensive lines, each with a row about what its cost is; or why there
    /// are none.
    fn write_lines(&self, max: usize, out: &mut impl Write) -> io::Result<()> {
        let (screen, style) = (self.page.screen, self.style);
        if let Some(why) = &screen.no_lines {
            return writeln!(out, "{}", elide_end(&self.no_lines(why), self.width()));
        }
        let own = match screen.own {
            OwnSources::BelowHere => "your lines",
            OwnSources::Found | OwnSources::OfObjects => "lines",
        };
        writeln!(out, "{own}{}:", self.page.report.with_all_called())?;
        let of_event = style.of_event(self.event);
        let count = |line: &CostlyLine| of_event.unsigned(line.costs.first().copied().unwrap_or(0));
        let lines = &screen.lines[..screen.lines.len().min(max)];
        let counts: Vec<String> = lines.iter().map(count).collect();
        let places: Vec<String> = lines.iter().map(|line| self.place(&line.at)).collect();
        let count_width = counts.iter().map(String::len).max().unwrap_or(0);
        let place_width = places.iter().map(|place| width(place)).max().unwrap_or(0);
        for (line, (count, place)) in lines.iter().zip(counts.iter().zip(&places)) {
            let cost = line.costs.first().copied().unwrap_or(0);
            let share = self.percent(cost, self.total(self.event));
            let lead = format!("{count:>count_width$} {share:>6}");
            let paint = style.paint(Count::new(cost), self.event);
            paint.around(style.colours, out, |out| out.write_all(lead.as_bytes()))?;
            let room = self.width().saturating_sub(lead.len() + GAP);
            let function = || format!("in {}", self.name(&line.function, room));
            let text = self.text(&line.at).unwrap_or_else(function);
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

    fn percent(&self, count: i64, total: i64) -> String {
        match self.share_of(count, total).filter(|_| self.style.percentages) {
            Some(percent) => {
                NumberText::percentage(ShownPercent { percent, is_estimated: false }).to_string()
            }
            None => String::new(),
        }
    }

    /// What a line's cost is, in this room; what does not fit is left out.
    fn notes(&self, line: &CostlyLine, room: usize) -> String {
        let mut text = String::new();
        for note in self.all_notes(line) {
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

    fn all_notes(&self, line: &CostlyLine) -> Vec<String> {
        let mut notes = Vec::new();
        let cost = line.costs.first().copied().unwrap_or(0);
        let style = self.style.of_event(self.event);
        let name = |name: &[u8]| self.name(name, NOTED_NAME);
        // Less than half of a unit each says nothing.
        let each_of = |cost: i64, count: i64| {
            let each = Some(rounded(cost, count)).filter(|&each| each > 0);
            each.map(|each| format!(", {} each", style.unsigned(each)))
        };
        let share = |part: i64| {
            let percent = self.share_of(part, cost).unwrap_or(0.0).min(100.0);
            NumberText::percentage(ShownPercent { percent, is_estimated: false })
        };
        // The calls of a recursive function say nothing of its outermost ones.
        let says_times = |times: &Times| {
            times.count() > 1 && !(line.is_nested && matches!(times, Times::Calls(_)))
        };
        if let Some(times) = line.times.filter(says_times) {
            let count = with_commas(times.count());
            let times_text = match times {
                Times::Executed(_) => format!("{count}x"),
                Times::Calls(_) => format!("its function is called {count} times"),
            };
            // The cost of a recursive line is not that of all of its executions.
            let each = each_of(cost, times.count()).filter(|_| !line.is_nested);
            notes.push(times_text + &each.unwrap_or_default());
        }
        let is_large =
            |part: i64| self.share_of(part, cost).is_some_and(|percent| percent >= MIN_ELSEWHERE);
        if is_large(line.elsewhere) {
            let share = share(line.elsewhere);
            notes.push(format!("{share} is code from other files (inlined) and its calls"));
        }
        let times = line.times.filter(says_times).map_or(0, Times::count);
        let called = line.most_called.as_ref();
        let per_time = called
            .filter(|called| called.count > 1 && times > 1 && called.count / 2 >= times)
            .map(|called| (rounded(called.count, times), called));
        if let Some((count, called)) = per_time {
            notes.push(format!("{} calls of {} each", with_commas(count), name(&called.name)));
        }
        let costly = line.most_cost.as_ref();
        let is_same = costly.is_some_and(|costly| costly.is_most_called);
        if let Some(costly) = costly {
            let text = format!("{} {}", share(costly.cost), name(&costly.name));
            if costly.is_inlined {
                notes.push(text + " (inlined)");
            } else if !is_same || called.is_some_and(|called| called.count == 1) {
                notes.push(text);
            }
        }
        if let Some(called) = called.filter(|called| called.count > 1 && per_time.is_none()) {
            let is_each_time =
                matches!(line.times, Some(Times::Executed(times)) if times == called.count);
            let costly = costly.filter(|_| is_same);
            notes.push(match (is_each_time, costly) {
                (true, Some(costly)) => format!("{} {}", share(costly.cost), name(&called.name)),
                (true, None) => format!("calls {}", name(&called.name)),
                (false, _) => {
                    let each = called
                        .cost
                        .filter(|_| is_same)
                        .and_then(|cost| each_of(cost, called.count));
                    let count = with_commas(called.count);
                    format!("{count} calls of {}{}", name(&called.name), each.unwrap_or_default())
                }
            });
        }
        for (&event, &count) in self.page.screen.events.iter().zip(&line.costs).skip(1) {
            let words = event_in_words(self.style.events.name(event), 0);
            let percent = self.share_of(count, self.total(event));
            if let (Some(words), Some(percent)) = (words, percent)
                && percent >= MIN_MISSES
            {
                let share = NumberText::percentage(ShownPercent { percent, is_estimated: false });
                notes.push(format!("{share} of {words}"));
            }
        }
        notes
    }

    fn no_lines(&self, why: &NoLines) -> String {
        match why {
            NoLines::NoDebugInformation(object) => {
                let why = "has no debug information (compile with -g)";
                let object = match &object[..] {
                    b"" | b"???" => "the program".to_owned(),
                    object => {
                        let room = self.width().saturating_sub("no lines:  ".len() + why.len());
                        elide_folders(&escaped_text(object, self.style.escapes), room)
                    }
                };
                format!("no lines: {object} {why}")
            }
            NoLines::NegativeCosts => "no lines: some costs are negative".to_owned(),
            NoLines::NoLargeLine => {
                "no lines: no line of the program's own sources has 5% of the total".to_owned()
            }
        }
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
        let calls = screen.system_calls.as_ref().map(|calls| self.system_calls(calls));
        let misses = screen.misses.iter().map(|misses| self.misses(misses));
        let of_sources = calls.into_iter().chain(misses);
        lines.extend(of_sources.map(|line| elide_end(&line, self.width()).trim_end().to_owned()));
        lines.extend(screen.missing_source.as_ref().map(|file| {
            let text = "sources are not found (-I DIR): ";
            let room = self.width().saturating_sub(text.len());
            format!("{text}{}", elide_folders(&escaped_text(file, true), room))
        }));
        if let Some(size) = self.page.cache_size {
            let size = with_commas(size >> 20);
            let advice = "valgrind --LL=8388608,16,64 simulates a desktop's";
            let text = format!("the last-level cache simulated is {size} MB: {advice}");
            lines.extend(in_words(&text, self.width()));
        }
        if let Some(record) = &self.page.record {
            let with_calls = screen.largest_elsewhere();
            let (cost, and_calls) = if with_calls > screen.unknown {
                (with_calls, " with its calls")
            } else {
                (screen.unknown, "")
            };
            // The other lines may have more of it, and functions of libraries, too.
            let share = match &self.percent(cost, self.total(self.event))[..] {
                "" => "much".to_owned(),
                share => format!("at least {share}"),
            };
            let text = format!(
                "{share} is inlined code{and_calls} whose lines are not recorded; this records them:"
            );
            lines.extend(in_words(&text, self.width()));
            lines.push(format!("  {}", without_marks(&record.to_string())));
        }
        let next = self.page.next.iter();
        lines.extend(next.map(|next| format!("next: {}", without_marks(&next.to_string()))));
        lines
    }

    fn misses(&self, misses: &Misses) -> String {
        let name = self.style.events.name(misses.event);
        let words = event_in_words(name, 0).unwrap_or("misses");
        let total = self.total(misses.event);
        let share = self.share_of(misses.count, total).unwrap_or(0.0);
        let text = self.text(&misses.at).unwrap_or_default();
        let (count, total) = (with_commas(misses.count), with_commas(total));
        let (place, from) = (self.place(&misses.at), self.from(&misses.from));
        format!("{words}: {count} of {total} ({share:.1}%) at {place}{from}  {text}")
    }

    /// The lines that lead to one, innermost first.
    fn from(&self, lines: &[ScreenLine]) -> String {
        let places: Vec<String> = lines.iter().map(|line| self.place(line)).collect();
        if places.is_empty() { String::new() } else { format!(", from {}", places.join(" < ")) }
    }

    fn system_calls(&self, calls: &ScreenSystemCalls) -> String {
        let at_least = if calls.is_at_least { "at least " } else { "" };
        let share = self.share_of(calls.of_function, calls.count).unwrap_or(0.0);
        let from = self.from(&calls.from);
        let count = with_commas(calls.count);
        let name = self.name(&calls.function, usize::MAX);
        format!("system calls: {at_least}{count}, {share:.1}% {name}{from}")
    }
}

/// A quotient, rounded.
fn rounded(count: i64, by: i64) -> i64 {
    let (count, by) = (i128::from(count), i128::from(by.max(1)));
    i64::try_from((2 * count + by) / (2 * by)).unwrap_or(i64::MAX)
}
