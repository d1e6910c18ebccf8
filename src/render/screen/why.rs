//! Why the largest rows of a difference changed, below its list: for each row more calls or more
//! expensive ones, their callers, and the changed lines; then the changed lines of the program, and
//! what to do next.

mod places;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Write};
use std::iter;

pub(in crate::render) use self::places::ChangedLines;
use self::places::{more_places, signed_lines};
use super::names::{GAP, Named, Places, ScreenNames};
use super::words::{SourceNames, with_all_called};
use crate::profile::{Count, Profile};
use crate::render::colour::Paint;
use crate::render::shorten::{elide_end, elide_folders, in_words, width};
use crate::render::{
    Report, Style, SuggestedCommand, escaped_text, marked_name, percent, with_commas,
    without_marks, write_spaces,
};
use crate::view::{
    BaseAndNew, CallerChange, ChangedCode, LinesHere, Reason, ScreenLine, Why, normal,
};

/// The number of spaces before what explains a row.
const INDENT: usize = 2;

/// The maximum number of decimals of what each call cost.
const MAX_DECIMALS: usize = 4;

/// What is said of code that did not change.
const OTHER_CAUSES: &str = "compiled differently, or other data";
/// The maximum number of changed lines elsewhere that a reason names.
const MAX_NAMED: usize = 3;

const CAUSES_ELSEWHERE: &str = "compiled differently, other data, or a changed line elsewhere";

pub struct WhyPage<'a, 'p> {
    pub report: &'a Report<'a, 'p>,
    pub why: &'a Why,
    /// The commands that show changed lines.
    pub next: Vec<SuggestedCommand>,
}

pub fn write_why(page: &WhyPage<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let texts = WhyTexts::new(page.why, page.report);
    let style = page.report.style;
    let all = style.width.unwrap_or(usize::MAX);
    let mut shown = ShownLines::new();
    let reasons = texts.reasons(&mut shown);
    let places = texts.places(&shown);
    let called = with_all_called(page.report.rows.profile);
    let changed = format!("changed lines{}", texts.with_what(page.report.rows.profile));
    let mut blocks = vec![(changed, places)];
    blocks.extend(texts.elsewhere().into_iter().map(|(heading, texts)| {
        let line = |text| WhyLine { lead: " ".repeat(INDENT), text, is_row: true, is_source: true };
        (heading.to_owned(), texts.into_iter().map(line).collect())
    }));
    // Changed lines that no reason names may be the cause of all of them.
    let place = if page.why.has_causes_elsewhere() { blocks.len() } else { 0 };
    blocks.insert(place, ("why".to_owned(), reasons));
    let unchanged = format!("{}{called}", texts.heading_of_unchanged());
    blocks.push((unchanged, texts.unchanged()));
    blocks.retain(|(_, lines)| !lines.is_empty());
    for (number, (heading, lines)) in blocks.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", elide_end(&format!("{heading}:"), all))?;
        for line in lines {
            line.write(style, out)?;
        }
    }
    let next = page.next.iter().map(|next| format!("next: {}", without_marks(&next.to_string())));
    let notes: Vec<String> = texts
        .notes()
        .into_iter()
        .map(|note| elide_end(&without_marks(&note), all))
        .chain(next)
        .collect();
    if !notes.is_empty() && !blocks.is_empty() {
        writeln!(out)?;
    }
    for note in notes {
        Paint::Dim.around(style.colours, out, |out| out.write_all(note.as_bytes()))?;
        writeln!(out)?;
    }
    Ok(())
}

/// A line below a list: a change in its column, and a text.
struct WhyLine {
    lead: String,
    text: String,
    is_row: bool,
    /// Whether it is a source line.
    is_source: bool,
}

impl WhyLine {
    fn write(&self, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
        let used = width(&self.lead);
        let room = style.width.unwrap_or(usize::MAX).saturating_sub(used);
        let text = without_marks(&self.text);
        // The text of a source is cut, a sentence goes on in the next line.
        let lines = if self.is_source {
            vec![elide_end(&text, room)]
        } else {
            in_words(&text, room.saturating_sub(INDENT))
        };
        let paint = if self.is_row { Paint::Plain } else { Paint::Dim };
        for (number, line) in lines.iter().enumerate() {
            if number == 0 {
                out.write_all(self.lead.as_bytes())?;
            } else {
                write_spaces(used + INDENT, out)?;
            }
            paint.around(style.colours, out, |out| out.write_all(line.trim_end().as_bytes()))?;
            writeln!(out)?;
        }
        Ok(())
    }
}

/// The file and the number of lines that were shown.
pub(in crate::render) type ShownLines = HashSet<(Vec<u8>, u32)>;

/// The sentences of the reasons.
pub(in crate::render) struct WhyTexts<'a> {
    why: &'a Why,
    style: Style<'a>,
    names: SourceNames<'a>,
    /// The functions that are named, as a list of them has them.
    functions: HashMap<&'a [u8], String>,
}

impl<'a> WhyTexts<'a> {
    pub(in crate::render) fn new(why: &'a Why, report: &'a Report<'_, '_>) -> WhyTexts<'a> {
        let style = report.style;
        let names = SourceNames::new(report.rows.profile);
        WhyTexts { why, style, names, functions: short_names(why, style) }
    }

    pub(in crate::render) fn change(&self, change: i64) -> String {
        let count = self.style.in_unit_of(self.why.event).count(Count::new(change), true);
        count.to_string()
    }

    /// A cost, which has no sign unless it is negative.
    fn cost(&self, cost: i64) -> String {
        self.change(cost).trim_start_matches('+').to_owned()
    }

    fn name(&self, name: &[u8]) -> String {
        match self.functions.get(name) {
            Some(short) => marked_name(short),
            None => marked_name(&escaped_text(name, true)),
        }
    }

    /// A line without its text.
    fn place(&self, line: &ScreenLine) -> String {
        let file = escaped_text(self.names.short(&line.file), true);
        marked_name(&format!("{file}:{}", line.line))
    }

    /// A line with its text.
    fn line(&self, line: &ScreenLine) -> String {
        let file = escaped_text(self.names.short(&line.file), true);
        let text = line.text.as_deref().unwrap_or_default();
        marked_name(&format!("{file}:{}  {}", line.line, escaped_text(text, true)))
    }

    /// A line with its text, and the calls that are made there if there are more or fewer of them.
    fn line_with_calls(&self, line: &ScreenLine, calls: BaseAndNew) -> String {
        if calls.change() == 0 {
            return self.line(line);
        }
        let calls =
            format!("makes {} -> {} calls", with_commas(calls.base), with_commas(calls.new));
        self.line_with_note(line, &calls)
    }

    /// A line with its text, and a note between both.
    fn line_with_note(&self, line: &ScreenLine, note: &str) -> String {
        let file = escaped_text(self.names.short(&line.file), true);
        let text = escaped_text(line.text.as_deref().unwrap_or_default(), true);
        marked_name(&format!("{file}:{} ({note})  {text}", line.line))
    }

    /// A row with its sentence.
    pub(in crate::render) fn row(&self, reason: &Reason) -> String {
        let (name, text) = (self.name(&reason.name), self.sentence(reason));
        let separator = if text.is_empty() { "" } else { ": " };
        format!("{name}{separator}{text}")
    }

    /// The lines of all reasons.
    fn reasons(&self, shown: &mut ShownLines) -> Vec<WhyLine> {
        let changes: Vec<String> =
            self.why.reasons.iter().map(|reason| self.change(reason.cost.change())).collect();
        let column = changes.iter().map(String::len).max().unwrap_or(0);
        let mut lines = Vec::new();
        for (reason, change) in self.why.reasons.iter().zip(changes) {
            lines.push(WhyLine {
                lead: format!("{change:>column$}{:GAP$}", ""),
                text: self.row(reason),
                is_row: true,
                is_source: false,
            });
            let indent = column + GAP + INDENT;
            lines.extend(self.explanations(reason, shown).into_iter().map(|text| WhyLine {
                lead: " ".repeat(indent),
                is_source: text.starts_with("  "),
                text,
                is_row: false,
            }));
        }
        lines
    }

    /// More calls, or more expensive ones; of a function whose lines are in another one on the
    /// side that lacks it, what they cost there, as it is neither new nor gone.
    fn sentence(&self, reason: &Reason) -> String {
        if let Some(other) = reason.part_of.as_ref().filter(|other| other.is_on_both_sides) {
            let side = if reason.cost.change() > 0 { "BASE" } else { "NEW" };
            let (name, cost) = (self.name(&other.name), self.cost(other.cost));
            let event = escaped_text(self.style.events.name(self.why.event), self.style.escapes);
            let of_all = self.change(other.of_all);
            return format!(
                "its lines are in {name} in {side}, where they cost {cost} {event}: {of_all} in all functions"
            );
        }
        let is_called = |all: &BaseAndNew| all.base != 0 || all.new != 0;
        let (Some(calls), Some(all_calls)) = (reason.calls, reason.all_calls().filter(is_called))
        else {
            return match reason.cost {
                BaseAndNew { base: 0, .. } => "new".to_owned(),
                BaseAndNew { new: 0, .. } => "gone".to_owned(),
                _ if reason.has_uncounted => {
                    "how often its inlined copies were called is not known".to_owned()
                }
                _ => String::new(),
            };
        };
        let before = calls_with_those_by_itself(calls.base, reason.recursive.base);
        let after = calls_with_those_by_itself(calls.new, reason.recursive.new);
        let Some(parts) = reason.parts else {
            return match (reason.cost, all_calls) {
                (BaseAndNew { base: 0, .. }, BaseAndNew { base: 0, .. }) => format!("new: {after}"),
                (BaseAndNew { new: 0, .. }, BaseAndNew { new: 0, .. }) => {
                    format!("gone: {before} before")
                }
                _ => format!("{before} before, {after} after"),
            };
        };
        let mut texts = Vec::new();
        if calls.change() == 0 && all_calls.change() == 0 {
            texts.push(format!("{after} as before"));
        } else if parts.is_named(parts.by_calls) {
            let more = if all_calls.change() > 0 { "more" } else { "fewer" };
            let count = all_calls.change().saturating_abs();
            let s = if count == 1 { "" } else { "s" };
            let change = self.change(parts.by_calls);
            texts.push(format!("{change} by {} {more} call{s}", with_commas(count)));
        }
        if reason.has_other_recursion() {
            let BaseAndNew { base, new } = reason.recursive;
            let [before, after] = [base, new].map(with_commas);
            texts.push(format!("it calls itself {before} -> {after} times"));
        }
        // What a few calls before cost is no measure of what each costs now.
        let is_measured = !all_calls.were_few() || parts.is_large(parts.by_cost);
        if is_measured && parts.is_named(parts.by_cost) {
            let change = self.change(parts.by_cost);
            let more = if parts.by_cost > 0 { "more" } else { "less" };
            texts.push(match all_calls {
                BaseAndNew { base: 1, new: 1 } => format!("{change} as it costs {more}"),
                _ => {
                    let [before, after] = self.each(reason.cost, all_calls);
                    format!("{change} as each costs {more} ({before} -> {after})")
                }
            });
        }
        texts.join("; ")
    }

    /// What a row cost more or less at the lines of a function that it has on the side that lacks
    /// the function, and what that costs by itself.
    fn lines_here(&self, of: &LinesHere) -> String {
        let (name, change) = (self.name(&of.name), self.change(of.change));
        let (side, other, own) = if of.change < 0 {
            ("BASE", "NEW", of.cost.new)
        } else {
            ("NEW", "BASE", of.cost.base)
        };
        let own = self.cost(own);
        format!(
            "{change} at the lines of {name}, which are here in {side}; it costs {own} in {other}"
        )
    }

    /// What each call cost on both sides, with one decimal, or as many more as tell them apart.
    fn each(&self, cost: BaseAndNew, calls: BaseAndNew) -> [String; 2] {
        let texts = |decimals: usize| {
            [(cost.base, calls.base), (cost.new, calls.new)]
                .map(|(cost, calls)| self.each_with(decimals, cost, calls))
        };
        let mut all = (1..MAX_DECIMALS).map(texts);
        all.find(|[before, after]| before != after).unwrap_or_else(|| texts(MAX_DECIMALS))
    }

    fn each_with(&self, decimals: usize, cost: i64, calls: i64) -> String {
        let style = self.style.in_unit_of(self.why.event);
        let each = cost as f64 / calls.max(1) as f64 / style.unit as f64;
        let text = format!("{each:.decimals$}");
        match text.split_once('.') {
            Some((whole, rest)) => match whole.parse::<i64>() {
                Ok(number) if number != 0 => format!("{}.{rest}", with_commas(number)),
                _ => text.clone(),
            },
            None => text,
        }
    }

    /// What explains a row, a text for each line below it. Lines that were `shown` before are only
    /// named.
    pub(in crate::render) fn explanations(
        &self,
        reason: &Reason,
        shown: &mut ShownLines,
    ) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        if let Some(other) = reason.part_of.as_ref().filter(|other| !other.is_on_both_sides) {
            let name = self.name(&other.name);
            let is = if reason.cost.change() > 0 { "gone" } else { "new" };
            texts.push(format!("most of its lines are those of {name}, which is {is}"));
        }
        texts.extend(reason.lines_here.iter().map(|of| self.lines_here(of)));
        if let Some(file) = &reason.other_file {
            let file = escaped_text(&normal(file), self.style.escapes);
            texts.push(if reason.cost.change() > 0 {
                format!("{file} had a function of this name, which is gone")
            } else {
                format!("{file} has a new function of this name")
            });
        }
        texts.extend(self.chain(&reason.callers, |caller, of| self.caller(caller, of)));
        if let (Some(code), Some(caller)) = (&reason.callers_code, reason.callers.last()) {
            let name = self.name(&caller.name);
            texts.extend(self.code(code, &name, shown));
        }
        texts.extend(self.chain(&reason.cost_callers, |caller, of| self.cost_caller(caller, of)));
        if let (Some(code), Some(caller)) = (&reason.cost_code, reason.cost_callers.last()) {
            let name = self.name(&caller.name);
            texts.extend(self.code(code, &name, shown));
        }
        if let Some(code) = &reason.code {
            texts.extend(self.code(code, "it", shown));
        }
        texts
    }

    /// Callers, each of which calls the one before. Of several of libraries that call each other
    /// the last is named, which the program calls.
    fn chain(
        &self,
        callers: &[CallerChange],
        text: impl Fn(&CallerChange, &str) -> String,
    ) -> Vec<String> {
        let runs = callers.chunk_by(|a, b| a.is_of_library && b.is_of_library);
        // The first ones call the row itself.
        let called = iter::once(None).chain(runs.clone().map(<[_]>::last));
        let of_run = |(run, called): (&[CallerChange], Option<&CallerChange>)| {
            let of = called
                .filter(|_| run.len() == 1)
                .map_or_else(String::new, |called| format!(" of {}", self.name(&called.name)));
            let last = text(run.last()?, &of);
            Some(match run.len() {
                1 => last,
                2 => format!("{last}, by way of {}", self.name(&run[0].name)),
                count => format!("{last}, by way of {} functions of libraries", count - 1),
            })
        };
        runs.zip(called).filter_map(of_run).collect()
    }

    /// `of` names what a caller calls, where that is not the row.
    fn caller(&self, caller: &CallerChange, of: &str) -> String {
        let sign = if caller.calls > 0 { "+" } else { "" };
        let calls = with_commas(caller.calls);
        let s = if caller.calls.abs() == 1 { "" } else { "s" };
        let at = match &caller.at {
            Some(line) if caller.is_changed_line => {
                format!(" at {}, a changed line", self.place(line))
            }
            Some(line) => format!(" at {}", self.place(line)),
            None => String::new(),
        };
        let name = self.name(&caller.name);
        // After a line that changed, `which` would be that line.
        let is_called = if caller.is_changed_line {
            format!("; {name} is called")
        } else {
            ", which is called".to_owned()
        };
        let called = match caller.called {
            None => String::new(),
            Some(BaseAndNew { base, new }) if base == new => {
                let more = if caller.calls > 0 { "more" } else { "fewer" };
                format!("{is_called} as often as before but makes {more} of them")
            }
            Some(BaseAndNew { base, new }) => {
                format!("{is_called} {} -> {} times", with_commas(base), with_commas(new))
            }
        };
        format!("{sign}{calls} call{s}{of} from {name}{at}{called}")
    }

    fn cost_caller(&self, caller: &CallerChange, of: &str) -> String {
        let (cost, name) = (self.change(caller.cost), self.name(&caller.name));
        let at = caller.at.as_ref().map_or_else(String::new, |line| {
            let changed = if caller.is_changed_line { ", a changed line" } else { "" };
            format!(" at {}{changed}", self.place(line))
        });
        format!("{cost} in calls{of} from {name}{at}")
    }

    fn code(&self, code: &ChangedCode, whose: &str, shown: &mut ShownLines) -> Vec<String> {
        let (places, more) = match code {
            ChangedCode::Places { places, more, .. } => (places, *more),
            ChangedCode::Unchanged { called_at: Some(line), largest } => {
                let is_new = shown.insert((line.file.clone(), line.line));
                let line = if is_new { self.line(line) } else { self.place(line) };
                let text = "but it is called at a changed one";
                let mut texts = vec![format!("no changed line in {whose}, {text}: +{line}")];
                texts.extend(self.largest_change(largest.as_ref()));
                return texts;
            }
            ChangedCode::Unchanged { largest, called_at: None } => {
                let elsewhere: Vec<&ScreenLine> = self.places_elsewhere().collect();
                let causes = if elsewhere.is_empty() { OTHER_CAUSES } else { CAUSES_ELSEWHERE };
                // They are named once.
                let known = shown.len();
                shown.extend(elsewhere.iter().map(|line| (line.file.clone(), line.line)));
                let are_new = shown.len() > known;
                let mut named = String::new();
                if are_new {
                    let first: Vec<String> =
                        elsewhere.iter().map(|line| self.place(line)).take(MAX_NAMED).collect();
                    let others = if elsewhere.len() > MAX_NAMED { ", ..." } else { "" };
                    named = format!(" ({}{others})", first.join(", "));
                }
                let mut texts = vec![format!("no changed line in {whose}: {causes}{named}")];
                texts.extend(self.largest_change(largest.as_ref()));
                return texts;
            }
        };
        let where_they_are = match code {
            ChangedCode::Places { are_around_call: true, .. } => "around that call".to_owned(),
            _ => format!("in {whose}"),
        };
        let mut is_shown = |line: &ScreenLine| !shown.insert((line.file.clone(), line.line));
        let all: Vec<(char, &ScreenLine)> = places.iter().flat_map(signed_lines).collect();
        let are_shown: Vec<bool> = all.iter().map(|(_, line)| is_shown(line)).collect();
        if are_shown.iter().all(|&is_shown| is_shown) {
            let lines = self.signed_places(places);
            return vec![format!("changed lines {where_they_are}, as above: {lines}")];
        }
        let mut texts = vec![format!("changed lines {where_they_are}:")];
        let lines = places.iter().flat_map(|place| self.of_place(place));
        texts.extend(lines.map(|line| format!("  {line}")));
        texts.extend(more_places(more).map(|text| format!("  {text}")));
        texts
    }

    /// The line of unchanged code that has most of a change.
    fn largest_change(&self, largest: Option<&(ScreenLine, i64)>) -> Option<String> {
        let (line, change) = largest?;
        Some(format!("  {} of it at {}", self.change(*change), self.line(line)))
    }

    /// The lines of the changed places of the program.
    fn places(&self, shown: &ShownLines) -> Vec<WhyLine> {
        self.with_changes(self.changed_places(shown))
    }

    fn unchanged(&self) -> Vec<WhyLine> {
        self.with_changes(self.unchanged_lines())
    }

    /// Source lines after their change and its percentage of the total.
    fn with_changes(&self, changed: Vec<ChangedLines>) -> Vec<WhyLine> {
        let column = changed.iter().map(|of| of.change.len()).max().unwrap_or(0);
        let total = self.style.total[self.why.event];
        let mut lines = Vec::new();
        for ChangedLines { change, count, lines: texts } in changed {
            let share = percent(Count::new(count), total)
                .filter(|_| self.style.percentages)
                .map_or_else(String::new, |share| format!(" {share:>+7.2}%"));
            let mut next_lead = format!("{change:>column$}{share}{:GAP$}", "");
            for text in texts {
                let indent = " ".repeat(width(&next_lead));
                let lead = std::mem::replace(&mut next_lead, indent);
                lines.push(WhyLine { lead, text, is_row: true, is_source: true });
            }
        }
        lines
    }

    /// What the costs of changed lines have beside their own, and what they lack.
    pub(in crate::render) fn with_what(&self, profile: &Profile) -> String {
        format!("{}{}", with_all_called(profile), self.without_inlined())
    }

    fn without_inlined(&self) -> &'static str {
        if self.why.lacks_inlined { ", without what is inlined at them" } else { "" }
    }

    /// What is said of the changed lines if none of them is shown.
    pub(in crate::render) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(change) = self.why.small_changes {
            let change = self.change(change);
            let inlined = self.without_inlined();
            notes.push(format!(
                "changed lines: {change} in all, none of them 1% of the change{inlined}"
            ));
        }
        if let Some(file) = &self.why.missing {
            let (text, unchanged) = if self.why.has_base_folders {
                ("changed lines are not known: --base-include does not have the old text of ", "")
            } else {
                let text =
                    "changed lines are not known: --base-include=DIR has the old sources of ";
                (text, " (DIR is . if they are the same)")
            };
            let width = self.style.width.unwrap_or(usize::MAX);
            let room = width.saturating_sub(text.len() + unchanged.len());
            let file = elide_folders(&escaped_text(file, true), room.max(INDENT * 6));
            notes.push(format!("{text}{}{unchanged}", marked_name(&file)));
        }
        notes
    }
}

/// The functions that reasons name, each in at most two thirds of the width, so that those stay
/// different whose short names are equal.
fn short_names<'a>(why: &'a Why, style: Style<'_>) -> HashMap<&'a [u8], String> {
    let names: BTreeSet<&[u8]> = why.reasons.iter().flat_map(Reason::names).collect();
    let named: Vec<Named> =
        names.iter().map(|name| Named::plain(escaped_text(name, true))).collect();
    let lines = named.iter().map(|named| (0, named));
    let room = style.width.map(|width| width * 2 / 3);
    let texts = ScreenNames::new(lines, true, style.names).within(room, Places::None, "").texts;
    names.into_iter().zip(texts.into_iter().map(|(name, _)| name)).collect()
}

/// Calls by others and, after a plus as in lists, by the function itself.
fn calls_with_those_by_itself(by_others: i64, by_itself: i64) -> String {
    match by_itself {
        0 => calls_text(by_others),
        _ => format!("{}+{} calls", with_commas(by_others), with_commas(by_itself)),
    }
}

fn calls_text(count: i64) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} call{s}", with_commas(count))
}
