//! What the first screen says of the user's most expensive lines, in words: the terminal, JSON and
//! the page for a browser have the same.

use std::collections::HashMap;

use crate::profile::{Count, FileId, Profile, is_unknown_name};
use crate::render::header::event_in_words;
use crate::render::number::{NumberText, ShownPercent};
use crate::render::shorten::{elide_folders, shorten_name};
use crate::render::{Style, escaped_text, percent, with_commas};
use crate::view::{
    CostlyLine, FirstScreen, LeadingLine, LibraryWork, Misses, NoLines, OwnSources, ScreenLine,
    ScreenSystemCalls, ScreenWork, ThreadWork, Times, basename, interpreter, not_of_script,
    remedy_of_stripped, rounded,
};

/// A part of a line's cost is named from this percentage on.
const MIN_ELSEWHERE: f64 = 5.0;

/// A share of misses is named from this percentage on.
const MIN_MISSES: f64 = 10.0;

/// The room for the name of a function in the row below a line.
const NOTED_NAME: usize = 40;

/// The same where rows have any width.
const LONG_NOTED_NAME: usize = 80;

/// The maximum number of lines that are named as they lead to another one, unless rows have any
/// width.
const MAX_LEADING: usize = 2;

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

/// The sentences of a first screen.
pub(in crate::render) struct ScreenWords<'a> {
    screen: &'a FirstScreen,
    profile: &'a Profile,
    style: Style<'a>,
    names: SourceNames<'a>,
    /// The room for the name of a function in a note.
    noted_name: usize,
}

impl<'a> ScreenWords<'a> {
    pub(in crate::render) fn new(
        screen: &'a FirstScreen,
        profile: &'a Profile,
        style: Style<'a>,
    ) -> ScreenWords<'a> {
        let noted_name = if style.width.is_some() { NOTED_NAME } else { LONG_NOTED_NAME };
        ScreenWords { screen, profile, style, names: SourceNames::new(profile), noted_name }
    }

    /// The event that rows are sorted by, which counts of lines are of.
    pub(super) fn event(&self) -> usize {
        self.screen.events.first().copied().unwrap_or(0)
    }

    /// Whether only a part of the costs was kept.
    pub(in crate::render) fn is_part(&self) -> bool {
        self.profile.is_part()
    }

    /// Whose lines they are.
    pub(in crate::render) fn heading(&self) -> String {
        let own = match self.screen.own {
            OwnSources::BelowHere => "your lines",
            OwnSources::Found | OwnSources::OfObjects => "lines",
        };
        format!("{own}{}", with_all_called(self.profile))
    }

    /// Whose lines they are, or why there are none.
    pub(in crate::render) fn heading_or_reason(&self) -> String {
        self.no_lines(usize::MAX).unwrap_or_else(|| self.heading())
    }

    pub(super) fn place(&self, line: &ScreenLine) -> String {
        let file = escaped_text(self.names.short(&line.file), self.style.escapes);
        format!("{file}:{}", line.line)
    }

    pub(super) fn text(&self, line: &ScreenLine) -> Option<String> {
        line.text.as_deref().map(|text| escaped_text(text, self.style.escapes))
    }

    pub(super) fn name(&self, name: &[u8], room: usize) -> String {
        shorten_name(&escaped_text(name, self.style.escapes), room, self.style.names)
    }

    fn share_of(&self, count: i64, total: i64) -> Option<f64> {
        percent(Count::new(count), Count::new(total))
    }

    pub(super) fn total(&self, event: usize) -> i64 {
        self.style.total[event].or_zero()
    }

    pub(super) fn percent(&self, count: i64, total: i64, is_estimated: bool) -> String {
        match self.share_of(count, total).filter(|_| self.style.percentages) {
            Some(percent) => {
                NumberText::percentage(ShownPercent { percent, is_estimated }).to_string()
            }
            None => String::new(),
        }
    }

    /// What the cost of a line is, but for the lines that are left out for it.
    pub(in crate::render) fn notes(&self, line: &CostlyLine) -> Vec<String> {
        let cost = line.costs.first().copied().unwrap_or(0);
        // The calls of a recursive function say nothing of its outermost ones.
        let says_times = |times: &Times| {
            times.count() > 1 && !(line.is_nested && matches!(times, Times::Calls { .. }))
        };
        let times = line.times.filter(says_times);
        let mut notes: Vec<String> =
            times.map(|times| self.times_note(times, cost, line.is_nested)).into_iter().collect();
        let is_large =
            |part: i64| self.share_of(part, cost).is_some_and(|percent| percent >= MIN_ELSEWHERE);
        if is_large(line.elsewhere) {
            let share = self.share_text(line.elsewhere, cost);
            notes.push(format!("{share} is code from other files (inlined) and its calls"));
        }
        notes.extend(self.call_notes(line, times));
        notes.extend(self.miss_notes(line));
        if notes.is_empty() {
            // Where nothing else is known, a recursive function is called by itself.
            let calls =
                line.times.filter(|times| matches!(times, Times::Calls { by_itself: 1.., .. }));
            notes.extend(calls.map(|times| self.times_note(times, cost, line.is_nested)));
        }
        notes
    }

    /// The lines that are left out for a line, as they cost little more than what they lead to.
    pub(in crate::render) fn leading_note(&self, line: &CostlyLine) -> Option<String> {
        let total = self.total(self.event());
        let of = |leading: &LeadingLine| {
            let share = self.percent(leading.cost, total, leading.is_estimated);
            let place = self.place(&leading.at);
            if share.is_empty() { place } else { format!("{place} ({share})") }
        };
        let max = if self.style.width.is_some() { MAX_LEADING } else { usize::MAX };
        let named = line.leading.len().min(max);
        let mut lines: Vec<String> = line.leading[..named].iter().map(of).collect();
        let more = line.leading.len() - named;
        if more > 0 {
            lines.push(format!("{more} more"));
        }
        let verb = if lines.len() == 1 { "leads" } else { "lead" };
        (!lines.is_empty()).then(|| format!("{} {verb} here", list(&lines)))
    }

    /// How often a line was executed, or its function called, and what each time cost.
    fn times_note(&self, times: Times, cost: i64, is_nested: bool) -> String {
        let count = with_commas(times.count());
        let text = match times {
            Times::Executed(of) => {
                format!("{}{count}x", if of.is_estimated { "~" } else { "" })
            }
            Times::Calls { by_itself: 0, .. } => format!("its function is called {count} times"),
            Times::Calls { by_itself, .. } => {
                let by_itself = with_commas(by_itself);
                format!("its function is called {count} times ({by_itself} by itself)")
            }
        };
        // The cost of a recursive line is not that of all of its executions.
        let each = self.each_text(cost, times.count(), times.is_estimated()).filter(|_| !is_nested);
        text + &each.unwrap_or_default()
    }

    /// What each of several costs, small costs with a decimal; less than half of a unit says
    /// nothing.
    fn each_text(&self, cost: i64, count: i64, is_estimated: bool) -> Option<String> {
        let mark = if is_estimated { "~" } else { "" };
        let style = self.style.of_event(self.event());
        let tenths = each(cost.saturating_mul(10), count);
        if style.unit == 1 && (5..100).contains(&tenths) && tenths % 10 != 0 {
            return Some(format!(", {mark}{}.{} each", tenths / 10, tenths % 10));
        }
        let whole = each(cost, count);
        (whole > 0).then(|| format!(", {mark}{} each", style.unsigned(whole)))
    }

    fn share_text(&self, part: i64, cost: i64) -> String {
        let percent = self.share_of(part, cost).unwrap_or(0.0).min(100.0);
        NumberText::percentage(ShownPercent { percent, is_estimated: false }).to_string()
    }

    /// What is called most from a line that was executed so often, and what costs most there.
    fn call_notes(&self, line: &CostlyLine, of_line: Option<Times>) -> Vec<String> {
        let times = of_line.map_or(0, Times::count);
        let mut notes = Vec::new();
        let cost = line.costs.first().copied().unwrap_or(0);
        let name = |name: &[u8]| self.name(name, self.noted_name);
        let share = |part: i64| self.share_text(part, cost);
        let called = line.most_called.as_ref();
        let per_time = called
            .filter(|called| called.count > 1 && times > 1 && called.count / 2 >= times)
            .map(|called| (each(called.count, times), called));
        if let Some((count, called)) = per_time {
            let mark = if of_line.is_some_and(Times::is_estimated) { "~" } else { "" };
            notes.push(format!(
                "{mark}{} calls of {} each",
                with_commas(count),
                name(&called.name)
            ));
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
                matches!(line.times, Some(Times::Executed(of)) if of.count == called.count);
            let costly = costly.filter(|_| is_same);
            notes.push(match (is_each_time, costly) {
                (true, Some(costly)) => format!("{} {}", share(costly.cost), name(&called.name)),
                (true, None) => format!("calls {}", name(&called.name)),
                (false, _) => {
                    let each = called
                        .cost
                        .filter(|_| is_same)
                        .and_then(|cost| self.each_text(cost, called.count, false));
                    let count = with_commas(called.count);
                    format!("{count} calls of {}{}", name(&called.name), each.unwrap_or_default())
                }
            });
        }
        notes
    }

    /// The shares of a line in misses.
    fn miss_notes(&self, line: &CostlyLine) -> Vec<String> {
        let mut notes = Vec::new();
        for (&event, &count) in self.screen.events.iter().zip(&line.costs).skip(1) {
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

    /// Why there are no lines; a path is shortened to this room.
    pub(in crate::render) fn no_lines(&self, room: usize) -> Option<String> {
        let text = match self.screen.no_lines.as_ref()? {
            NoLines::NoDebugInformation(object) => {
                let remedy = remedy_of_stripped(object);
                let why = format!("has no debug information ({remedy})");
                let first = self.why_of_object(object, &why, room);
                match interpreter(object).map(not_of_script) {
                    Some(of_script) => format!("{first}; {of_script}"),
                    None => first,
                }
            }
            NoLines::NotRecorded => "no lines: the profile has none".to_owned(),
            NoLines::NoCost => "no lines: nothing was counted".to_owned(),
            NoLines::NoSelfCost => {
                "no lines: calls alone have costs (-i lists their functions)".to_owned()
            }
            NoLines::NegativeCosts => "no lines: some costs are negative".to_owned(),
            NoLines::NoLargeLine => {
                let sources = match self.screen.own {
                    OwnSources::BelowHere => "the sources below this folder",
                    OwnSources::Found => "the sources that are found",
                    OwnSources::OfObjects => "the program's own sources",
                };
                format!("no lines: no line of {sources} has 5% of the total (-g line: all lines)")
            }
        };
        Some(text)
    }

    /// Why an object has no lines.
    fn why_of_object(&self, object: &[u8], why: &str, room: usize) -> String {
        let object = match object {
            object if is_unknown_name(object) => "the program".to_owned(),
            object => {
                let room = room.saturating_sub("no lines:  ".len() + why.len());
                elide_folders(&escaped_text(object, self.style.escapes), room)
            }
        };
        format!("no lines: {object} {why}")
    }

    pub(in crate::render) fn misses(&self, misses: &Misses) -> String {
        let name = self.style.events.name(misses.event);
        let words = event_in_words(name, 0).unwrap_or("misses");
        let total = self.total(misses.event);
        let share = self.share_of(misses.count, total).unwrap_or(0.0);
        let text = self.text(&misses.at).unwrap_or_default();
        let (count, total) = (with_commas(misses.count), with_commas(total));
        let lead = if misses.is_mostly { "mostly from" } else { "from" };
        let (place, from) = (self.place(&misses.at), self.way(lead, &misses.from));
        // With all that it calls the line may have more.
        let part = if self.profile.calls.is_empty() { "" } else { " without calls" };
        format!("{words}: {count} of {total} ({share:.1}%) at {place}{part}{from}  {text}")
    }

    /// The lines that lead to one, innermost first.
    fn way(&self, lead: &str, lines: &[ScreenLine]) -> String {
        if lines.is_empty() { String::new() } else { format!(", {lead} {}", self.chain(lines)) }
    }

    fn chain(&self, lines: &[ScreenLine]) -> String {
        let places: Vec<String> = lines.iter().map(|line| self.place(line)).collect();
        places.join(" < ")
    }

    pub(in crate::render) fn system_calls(&self, calls: &ScreenSystemCalls) -> String {
        // Not recorded, but counted by the calls of functions that make one each.
        let (at_least, known) = if calls.is_at_least {
            ("at least ", " (calls of libc's functions for these)")
        } else {
            ("", "")
        };
        let share = self.share_of(calls.of_function, calls.count).unwrap_or(0.0);
        let from = self.way("from", &calls.from);
        let count = with_commas(calls.count);
        let name = self.name(&calls.function, usize::MAX);
        format!("system calls: {at_least}{count}{known}, {share:.1}% of them {name}{from}")
    }

    /// What is spent in functions of the C library that allocate, copy or compare.
    pub(in crate::render) fn library_work(&self, work: &ScreenWork) -> String {
        let event = escaped_text(self.style.events.name(self.event()), self.style.escapes);
        self.work_of(work, self.total(self.event()), &event)
    }

    /// The same of what a thread spends.
    pub(in crate::render) fn work_of_thread(&self, thread: &ThreadWork) -> Vec<String> {
        let event = escaped_text(self.style.events.name(self.event()), self.style.escapes);
        let of = format!("the thread's {event}");
        thread.works.iter().map(|work| self.work_of(work, thread.total, &of)).collect()
    }

    /// How much of a total, in words, is spent in such functions.
    fn work_of(&self, work: &ScreenWork, total: i64, total_in_words: &str) -> String {
        let what = match work.kind {
            LibraryWork::Memory => "memory",
            LibraryWork::Copies => "copies and fills",
            LibraryWork::Comparisons => "comparisons and searches",
        };
        let name = |name: &[u8]| self.name(name, self.noted_name);
        let share = self.percent(work.cost, total, false);
        let in_calls = work.calls.map_or_else(String::new, |calls| {
            let s = if calls == 1 { "" } else { "s" };
            format!(" in {} call{s}", with_commas(calls))
        });
        let most: Vec<String> = work.functions.iter().map(|function| name(function)).collect();
        let spent =
            format!("{what}: {share} of {total_in_words}{in_calls}, mostly of {}", list(&most));
        let Some(line) = &work.line else { return spent };
        let part = self.percent(line.cost, work.cost, line.is_estimated);
        let from = match &line.unknown_in {
            Some(function) => format!("{} (at a line that is not recorded)", name(function)),
            // The share is that of the first line, whoever leads to it.
            None => line.from.split_first().map_or_else(String::new, |(first, leading)| {
                self.place(first) + &self.way("mostly from", leading)
            }),
        };
        let repeated = line.repeated.as_ref().map(|repeated| {
            let (each, function) = (with_commas(repeated.each), name(&repeated.function));
            let from = repeated.from.as_ref().map(|line| format!(" from {}", self.place(line)));
            format!(", {each} in each call of {function}{}", from.unwrap_or_default())
        });
        format!("{spent}; {part} of it for {from}{}", repeated.unwrap_or_default())
    }

    /// The text of the line that library functions work for, if no other place is named beside it.
    pub(in crate::render) fn text_of_work(&self, work: &ScreenWork) -> Option<String> {
        let line = work.line.as_ref()?;
        let text = self.text(line.from.first()?)?;
        let is_only_place = line.from.len() == 1 && line.repeated.is_none();
        let is_known = line.unknown_in.is_none() && is_only_place;
        let is_shown = is_known && text.contains(char::is_alphanumeric);
        is_shown.then_some(text)
    }

    /// Which source is not found; its path is shortened to this room.
    pub(in crate::render) fn missing_source(&self, room: usize) -> Option<String> {
        let file = self.screen.missing_source.as_ref()?;
        let text = "sources are not found (-I DIR): ";
        let room = room.saturating_sub(text.len());
        Some(format!("{text}{}", elide_folders(&escaped_text(file, true), room)))
    }

    /// Why lines of inlined code are worth recording, before the command that does it.
    pub(in crate::render) fn reason_to_record(&self) -> String {
        let with_calls = self.screen.largest_elsewhere();
        let (cost, and_calls) = if with_calls > self.screen.unknown {
            (with_calls, " with its calls")
        } else {
            (self.screen.unknown, "")
        };
        // The other lines may have more of it, and functions of libraries, too.
        let share = match &self.percent(cost, self.total(self.event()), false)[..] {
            "" => "much".to_owned(),
            share => format!("at least {share}"),
        };
        format!(
            "{share} is inlined code{and_calls} whose lines are not recorded; this records them:"
        )
    }
}

/// What a heading of lines says of their costs, unless the profile has no calls.
pub(in crate::render) fn with_all_called(profile: &Profile) -> &'static str {
    if profile.calls.is_empty() { "" } else { ", with all that they call" }
}

/// What is said of a simulated last-level cache that is larger than that of most machines.
pub(in crate::render) fn large_cache(size: u64) -> String {
    let advice = "valgrind's option --LL=8388608,16,64 simulates a desktop's";
    format!("the last-level cache simulated is {} MB: {advice}", with_commas(size >> 20))
}

/// Names in a sentence: `a`, `a and b`, `a, b and c`.
fn list(names: &[String]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// The part of a count for each time, rounded.
fn each(count: i64, times: i64) -> i64 {
    i64::try_from(rounded(count.into(), times.max(1).into())).unwrap_or(i64::MAX)
}
