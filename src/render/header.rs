//! The header of the report: the profiled command, the profiles and the options of the report.

use std::collections::HashSet;
use std::hash::Hash;
use std::io::{self, Write};
use std::sync::Arc;

use unicode_width::UnicodeWidthStr;

use crate::profile::{Count, Events, KNOWN_EVENTS, Part};
use crate::render::number::NumberText;
use crate::render::shorten::{GAP, elide_end, elide_folders, in_words};
use crate::render::{
    AroundMain, Style, escaped_text, marked_name, percent, with_commas, write_rule, write_text_line,
};
use crate::view::{CostFigure, KeptCost, KeptPart, Selection, Total, Verdict};

/// The `desc:` lines that are of one part only.
const PART_DESCRIPTIONS: [&[u8]; 2] = [b"Timerange", b"Trigger"];

/// What was spent before, after or apart from `main` is shown from this percentage on: less is
/// 0.0%.
const MIN_OUTSIDE: f64 = 0.05;

/// The parts of the header that are not from the profile.
pub struct PageHeader<'a> {
    /// The folders to search for sources.
    pub folders: &'a [Vec<u8>],
    /// The sources given on the command line.
    pub user_annotated: &'a [Vec<u8>],
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
    pub base: &'a [Part],
    /// The functions that have another name in BASE.
    pub renamed: &'a [RenamedName],
    /// Whether all of them are named.
    pub has_all_renamed: bool,
    /// What was kept of the profile.
    pub kept: &'a [String],
}

/// The short names of a function in BASE and in NEW.
pub struct RenamedName {
    pub base: Vec<u8>,
    pub new: Vec<u8>,
}

pub fn write_header(
    header: &PageHeader<'_>,
    parts: &[Part],
    selection: &Selection,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let files = |what: &'static str, parts| {
        let of_files = unique_by(parts, |part: &Part| &part.file).into_iter();
        of_files.map(move |part| file_line(what, part))
    };
    let base_files = files("Base:", header.base);
    write_rule(style, out)?;
    for line in files("Profile data file", parts).chain(base_files) {
        write_text_line(&[&line], style.escapes, out)?;
    }
    write_rule(style, out)?;
    let descriptions = parts.first().map_or(&[][..], |part| &part.descriptions);
    // The list of parts has the descriptions of each.
    let is_of_part = |line: &&Vec<u8>| PART_DESCRIPTIONS.iter().any(|name| line.starts_with(name));
    let descriptions = descriptions.iter().filter(|line| parts.len() == 1 || !is_of_part(line));
    let samples = samples_line("Base samples:", header.base);
    let mut lines: Vec<Vec<u8>> = descriptions.cloned().chain(samples).collect();
    for part in unique_by(parts, |part| (&part.command, &part.pid)) {
        let target = vec![target(part, parts.len() == 1)];
        lines.extend(field("Profiled target:", target));
    }
    if parts.len() > 1 {
        let parts = (1..).zip(parts).map(|(number, part)| part_text(number, part, style));
        lines.extend(field("Parts:", parts.collect()));
    }
    lines.extend(options(header, selection, style.events));
    let kept = header.kept.iter().map(|line| line.clone().into_bytes()).collect::<Vec<_>>();
    if !kept.is_empty() {
        lines.extend(field("Kept:", kept));
    }
    for line in &lines {
        write_text_line(&[line], style.escapes, out)?;
    }
    writeln!(out)
}

/// The event of estimated cycles.
const ESTIMATE: &[u8] = b"CEst";

/// The maximum number of other events whose totals are described.
const MAX_DESCRIBED: usize = 4;

/// The minimum width of a command in the header.
const MIN_COMMAND: usize = 16;

/// The line that names the functions which have another name in BASE or, in a series, in a profile
/// before; as many as fit, or all.
pub(super) fn write_renamed(
    renamed: &[RenamedName],
    has_all: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let text = |name: &[u8]| escaped_text(name, style.escapes);
    let names: Vec<String> = renamed
        .iter()
        .map(|names| format!("{} -> {}", text(&names.base), text(&names.new)))
        .collect();
    let Some(first) = names.first() else {
        return Ok(());
    };
    let width = style.width.unwrap_or(usize::MAX);
    if has_all {
        let all = names.iter().map(|name| name.replace(' ', NO_BREAK)).collect::<Vec<_>>();
        for line in in_words(&format!("renamed: {}", all.join(", ")), width) {
            writeln!(out, "{}", line.replace(NO_BREAK, " "))?;
        }
        return Ok(());
    }
    let more = |shown: usize| match names.len() - shown {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let (mut line, mut shown) = (format!("renamed: {first}"), 1);
    for name in &names[1..] {
        let longer = format!("{line}, {name}");
        if shown == MAX_RENAMED || longer.width() + more(shown + 1).len() > width {
            break;
        }
        (line, shown) = (longer, shown + 1);
    }
    let more = more(shown);
    writeln!(out, "{}{more}", elide_end(&line, width.saturating_sub(more.len())))
}

/// The maximum number of renamed functions that a header names.
pub(super) const MAX_RENAMED: usize = 4;

/// Writes a header of one line: the command, its total of the sort event and the files (in a
/// difference of both sides), then the totals of the other shown events, and the number of samples
/// of a sampled profile.
pub fn write_header_line(
    header: &PageHeader<'_>,
    parts: &[Part],
    total: &Total,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let width = style.width.unwrap_or(usize::MAX);
    let costs = total.figure.counts();
    writeln!(out, "{}", first_line(header, parts, costs, style))?;
    write_renamed(header.renamed, header.has_all_renamed, style, out)?;
    let first = style.first_event();
    let others: Vec<usize> =
        style.shown.iter().copied().filter(|&event| first != Some(event)).collect();
    let are_few = others.len() <= MAX_DESCRIBED;
    let total_of = |event: usize| {
        let figure = costs.event(event);
        let described = || {
            let name = long_name(style.events, style.events.name(event)).filter(|_| are_few)?;
            Some(escaped_text(name, style.escapes))
        };
        let words = event_in_words(style.events.name(event), figure.value.or_zero());
        let total = match words.filter(|_| style.difference.is_none()) {
            Some(words) => format!("{} {words}", style.of_event(event).counts(figure)),
            None => figure_text(costs, event, peak(event, parts, style).or_else(described), style),
        };
        total.replace(' ', NO_BREAK)
    };
    let totals: Vec<String> = others.into_iter().map(total_of).collect();
    let lines = in_words(&totals.join(", "), width);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{}", line.replace(NO_BREAK, " "))?;
    }
    if let Some(line) = more_events(style) {
        writeln!(out, "{}", elide_end(&line, width))?;
    }
    for line in header.kept.iter().flat_map(|line| in_words(line, width)) {
        writeln!(out, "{line}")?;
    }
    let samples = [samples_line("Samples:", parts), samples_line("Base samples:", header.base)];
    for line in samples.iter().flatten() {
        writeln!(out, "{}", elide_end(&escaped_text(line, style.escapes), width))?;
    }
    writeln!(out)
}

/// The command, its total of the sort event and the files, as far as there is room for them.
fn first_line(
    header: &PageHeader<'_>,
    parts: &[Part],
    costs: CostFigure<'_>,
    style: Style<'_>,
) -> String {
    let text = |text: &[u8]| escaped_text(text, style.escapes);
    let new_files = text(&what_was_read(parts));
    let files = match header.base {
        [] => new_files,
        base => format!("{} -> {new_files}", text(&what_was_read(base))),
    };
    let command = command_of(parts, text);
    let event = style.first_event();
    let what = event.and_then(|event| {
        let name = style.events.name(event);
        let of_profile = || long_name(style.events, name).map(text);
        let count = costs.event(event).value.or_zero() as f64 / style.of_event(event).unit as f64;
        let time = in_milliseconds(style.events, name, count);
        time.or_else(of_profile).or_else(|| peak(event, parts, style))
    });
    let total_as =
        |what| event.map_or_else(String::new, |event| figure_text(costs, event, what, style));
    let beside = |total: &str| total.width() + files.width() + 2 * HEADER_GAP.len();
    let width = style.width.unwrap_or(usize::MAX);
    // The file name is more important than the event's description.
    let formula = event.and_then(|event| estimate(style.events, event));
    let with_formula = formula.map(|what| text(&what));
    let described = with_formula.into_iter().chain(what).map(|what| total_as(Some(what)));
    let fits = |total: &String| beside(total) + command.width().min(MIN_COMMAND) <= width;
    let total = described.into_iter().find(fits).unwrap_or_else(|| total_as(None));
    let room = width.saturating_sub(beside(&total)).max(MIN_COMMAND);
    let texts = [shortened_command(&command, room), total, files];
    let known: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    elide_end(&known.join(HEADER_GAP), width)
}

/// What an estimate of cycles is made of: it is one of instructions alone if no misses were
/// recorded.
fn estimate(events: &Events, event: usize) -> Option<Vec<u8>> {
    let name = events.name(event);
    if name != ESTIMATE {
        return None;
    }
    let formula = events.formula_of_known(name)?;
    let terms = formula.to_bytes();
    Some(if formula.events().eq([&b"Ir"[..]]) {
        b"estimated cycles: Ir alone, no misses were recorded".to_vec()
    } else {
        [b"estimated cycles: ", &terms[..]].concat()
    })
}

/// The command of all parts. If their arguments differ, it ends where they do; that of another
/// program, which the first one may have started, does not count.
fn command_of(parts: &[Part], text: impl Fn(&[u8]) -> String) -> String {
    let mut commands = parts.iter().filter_map(|part| part.command.as_deref());
    let first = commands.next().map_or_else(String::new, &text);
    let words: Vec<&str> = first.split(' ').collect();
    let different = commands.map(text).filter(|command| *command != first);
    let equal_words = different.map(|command| {
        words.iter().zip(command.split(' ')).take_while(|(word, other)| *word == other).count()
    });
    match equal_words.filter(|&count| count > 0).min() {
        Some(count) => [&words[..count], &[GAP]].concat().join(" "),
        None => first,
    }
}

/// A command within some columns. Its arguments are shortened first, down to a minimum.
fn shortened_command(command: &str, room: usize) -> String {
    let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
    let with_short_folders = if arguments.is_empty() {
        elide_folders(program, room)
    } else {
        let program_room = room.saturating_sub(arguments.width().min(MIN_COMMAND) + 1);
        format!("{} {arguments}", elide_folders(program, program_room))
    };
    elide_end(&with_short_folders, room)
}

/// The largest peak of an event, if the files state peaks of it.
fn peak(event: usize, parts: &[Part], style: Style<'_>) -> Option<String> {
    let peaks = parts.iter().flat_map(|part| &part.peaks);
    let of_event = peaks.filter(|(of, _)| *of == event).map(|(_, peak)| peak.or_zero());
    let largest = of_event.max()?;
    Some(format!("peak {}", style.of_event(event).unsigned(largest)))
}

/// How much an option kept, and how much of that is exact: `below f: 2,900 of 6,000 Ir (48.3%), all
/// of it exact`. One line for each side; `has_counts` is whether the counts are shown as they were
/// recorded.
pub fn kept_lines(
    part: &KeptPart,
    event: usize,
    has_counts: bool,
    style: Style<'_>,
) -> Vec<String> {
    let text = |text: &[u8]| escaped_text(text, style.escapes);
    let patterns: Vec<_> = part.patterns.iter().map(|pattern| text(pattern)).collect();
    let what = format!("{} {}", part.option, patterns.join(", "));
    let is_below = part.option == "below";
    let name = text(style.events.name(event));
    let of_event = style.of_event(event);
    let line = |side: &str, cost: &KeptCost| {
        let [all, kept, exact] = [&cost.all, &cost.kept, &cost.exact].map(|cost| cost[event]);
        let mark = if cost.is_estimated { "~" } else { "" };
        let share = format!("{mark}{:.1}%", percent(kept, all).unwrap_or(0.0));
        let of_all = if has_counts {
            let [all, kept] = [all, kept].map(|count| of_event.unsigned(count.or_zero()));
            format!("{kept} of {all} {name} ({share})")
        } else {
            format!("{share} of {name}")
        };
        let is_divided = cost.is_divided.get(event) == Some(&true);
        let how = if !cost.has_calls {
            ", self costs alone: the profile has no calls".to_owned()
        } else if !is_divided && exact == kept {
            ", all of it exact".to_owned()
        } else {
            // Not all of it is exact.
            let exact = percent(exact, kept).unwrap_or(0.0).min(99.9);
            format!("; {exact:.1}% of it exact, the rest estimated by what each caller paid")
        };
        let calls = cost.calls.filter(|_| is_below).map_or_else(String::new, |calls| {
            let s = if calls == 1 { "" } else { "s" };
            format!(" ({} call{s})", with_commas(calls))
        });
        format!("{side}{what}{calls}: {of_all}{how}")
    };
    if let Some(series) = style.series {
        let side = |side: usize| {
            let label = text(series.label(side).as_bytes());
            Some(line(&format!("{label}: "), part.cost.get(side)?))
        };
        return series.sides().filter_map(side).collect();
    }
    match &part.cost.base {
        None => {
            let cost = &part.cost.new;
            let around = part.outside.as_ref().and_then(|outside| {
                let (all, below) = (cost.all[event], cost.kept[event]);
                let is_estimated = cost.is_estimated;
                AroundMain { outside, all, below, is_estimated, min_percent: MIN_OUTSIDE }
                    .line(event, has_counts, style)
            });
            std::iter::once(line("", cost)).chain(around).collect()
        }
        Some(base) => vec![line("BASE ", base), line("NEW ", &part.cost.new)],
    }
}

/// The events that the files define by formulas and the report does not show.
fn more_events(style: Style<'_>) -> Option<String> {
    let is_shown = |name| style.shown.iter().any(|&event| style.events.name(event) == name);
    let text = |text: &[u8]| escaped_text(text, style.escapes);
    let formulas: Vec<_> = style
        .events
        .formulas()
        .filter(|(name, formula)| !formula.is_ratio() && !is_shown(*name))
        .map(|(name, formula)| format!("{} = {}", text(name), text(&formula.to_bytes())))
        .collect();
    (!formulas.is_empty()).then(|| format!("more events (--show=EVENT): {}", formulas.join(", ")))
}

/// A cost: `480 Ir (WHAT)`, or in a difference both sides and the change.
pub(super) fn figure_text(
    cost: CostFigure<'_>,
    event: usize,
    what: Option<String>,
    style: Style<'_>,
) -> String {
    let name = escaped_text(style.events.name(event), style.escapes);
    let figure = cost.event(event);
    let style = style.of_event(event);
    let count = style.counts(figure);
    let note = match figure.compared {
        Some(_) => style.change(figure).map(|percent| format!("{percent:+.1}%")),
        None => what,
    };
    let note_in_brackets = note.map_or_else(String::new, |note| format!(" ({note})"));
    format!("{count} {name}{note_in_brackets}")
}

/// The events that a text names by words after a number, and these for one of them and for several.
const EVENTS_IN_WORDS: [(&[u8], [&str; 2]); 4] = [
    (b"L1m", ["L1 miss", "L1 misses"]),
    (b"LLm", ["miss to memory", "misses to memory"]),
    (b"Bm", ["misprediction", "mispredictions"]),
    (b"sysCount", ["system call", "system calls"]),
];

/// What an event counts, in the words that follow a number.
pub(super) fn event_in_words(name: &[u8], count: i64) -> Option<&'static str> {
    let (_, words) = EVENTS_IN_WORDS.iter().find(|(known, _)| *known == name)?;
    Some(words[usize::from(count != 1)])
}

/// A time from which on it is shown, in milliseconds, and one from which on seconds are shown.
const MIN_TIME: f64 = 0.01;
const MIN_SECONDS: f64 = 10_000.0;

/// The number of milliseconds that one of an event is, if its name says that it counts smaller
/// units.
pub(super) fn milliseconds(events: &Events, name: &[u8]) -> Option<f64> {
    Some(events.nanoseconds(name).filter(|&unit| unit < 1e6)? / 1e6)
}

/// A time in milliseconds or seconds, if the name of its event says that it counts smaller units.
fn in_milliseconds(events: &Events, name: &[u8], count: f64) -> Option<String> {
    let time = count * milliseconds(events, name)?;
    if time < MIN_TIME {
        return None;
    }
    let (time, unit) = if time < MIN_SECONDS { (time, "ms") } else { (time / 1e3, "s") };
    let time = NumberText::of(|text| text.prepend_decimal(time, 2, true));
    Some(format!("{time} {unit}"))
}

/// The separator of a total and its event while totals are wrapped into lines.
const NO_BREAK: &str = "\u{a0}";

/// The separator of the texts of a header.
pub(super) const HEADER_GAP: &str = "    ";

/// The description of an event: the profile's, or else the one for a known event.
pub(super) fn long_name<'e>(events: &'e Events, name: &[u8]) -> Option<&'e [u8]> {
    let known = || {
        let mut known = KNOWN_EVENTS.iter();
        let (_, what) = known.find(|(known, _)| known.as_bytes() == name)?;
        Some(what.as_bytes())
    };
    let own = events.long_name(name).map(|own| {
        // Some descriptions begin with the event.
        let rest = own.strip_prefix(name).unwrap_or(own).trim_ascii();
        rest.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")")).unwrap_or(rest)
    });
    own.filter(|own| !own.is_empty()).or_else(known)
}

/// The number of samples of a gprof profile.
fn samples_line(name: &str, parts: &[Part]) -> Option<Vec<u8>> {
    let samples = parts.first()?.description(b"Samples")?;
    Some([name.as_bytes(), b" ", samples].concat())
}

/// The first file of these parts, and the number of further ones.
fn what_was_read(parts: &[Part]) -> Vec<u8> {
    let files = unique_by(parts, |part| &part.file);
    let Some(first) = files.first() else {
        return Vec::new();
    };
    let mut text = match &first.file[..] {
        b"-" => b"standard input".to_vec(),
        file => file.to_vec(),
    };
    match (files.len() - 1, parts.len()) {
        (0, 0 | 1) => {}
        (0, parts) => text.extend(format!(" ({parts} parts)").into_bytes()),
        (more, _) => {
            let s = if more == 1 { "" } else { "s" };
            let numbers = |number: fn(&Part) -> &Option<Arc<[u8]>>| unique_by(parts, number).len();
            let what = match numbers(|part| &part.pid) {
                runs if runs == files.len() => "run",
                1 if numbers(|part| &part.thread) == files.len() => "thread",
                1 if numbers(|part| &part.part_number) == files.len() => "part",
                _ => "file",
            };
            text.extend(format!(" + {more} {what}{s}").into_bytes());
            let first_word = |part: &Part| {
                let command = part.command.as_deref().unwrap_or_default();
                command.split(u8::is_ascii_whitespace).next().unwrap_or_default().to_vec()
            };
            let programs = parts.iter().map(first_word).collect::<HashSet<_>>().len();
            if what == "run" && programs > 1 {
                text.extend(format!(", of {programs} programs").into_bytes());
            }
        }
    }
    text
}

fn options(header: &PageHeader<'_>, selection: &Selection, events: &Events) -> Vec<Vec<u8>> {
    let name = |&event: &usize| events.name(event);
    let calls = selection.by_calls.as_ref().map(|of| of.key.name().as_bytes());
    let ratio = selection.by_ratio.as_ref().map(name);
    let first = calls.into_iter().chain(ratio);
    let order: Vec<_> = first.chain(selection.order.iter().map(name)).collect();
    let of_others = selection
        .by_calls
        .iter()
        .map(|of| &of.threshold)
        .chain(&selection.thresholds)
        .map(|threshold| threshold.text.as_bytes());
    // A ratio has no threshold.
    let thresholds: Vec<_> = ratio.map(|_| &b"-"[..]).into_iter().chain(of_others).collect();
    let shown: Vec<_> = selection.shown.iter().map(name).collect();
    let recorded: Vec<_> = events.recorded().collect();
    let auto: &[u8] = if header.auto { b"on" } else { b"off" };
    let fields = [
        ("Events recorded:", vec![recorded.join(&b' ')]),
        ("Events shown:", vec![shown.join(&b' ')]),
        ("Event sort order:", vec![order.join(&b' ')]),
        ("Thresholds:", vec![thresholds.join(&b' ')]),
        ("Include dirs:", header.folders.to_vec()),
        ("User annotated:", header.user_annotated.to_vec()),
        ("Auto-annotation:", vec![auto.to_vec()]),
    ];
    fields.into_iter().flat_map(|(name, values)| field(name, values)).collect()
}

/// The lines of a field, one for each value.
fn field(name: &str, values: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let values = if values.is_empty() { vec![Vec::new()] } else { values };
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    let lines = names.zip(values);
    lines.map(|(name, value)| [format!("{name:<18}").as_bytes(), &value].concat()).collect()
}

/// The first part for each different `key`, in order.
fn unique_by<'p, K: Eq + Hash + 'p>(
    parts: &'p [Part],
    key: impl Fn(&'p Part) -> K,
) -> Vec<&'p Part> {
    let mut seen = HashSet::new();
    parts.iter().filter(|part| seen.insert(key(part))).collect()
}

fn file_line(what: &str, part: &Part) -> Vec<u8> {
    let mut line = [what.as_bytes(), b" '", &part.file, b"'"].concat();
    if let Some(creator) = &part.creator {
        line.extend([b" (creator: ", &creator[..], b")"].concat());
    }
    line
}

/// The profiled command, with the number and thread of its part if it is the only one.
fn target(part: &Part, is_only: bool) -> Vec<u8> {
    let command = part.command.as_deref();
    let mut target = command.unwrap_or(b"(unknown)").to_vec();
    if let Some(pid) = &part.pid {
        target.extend([b" (PID ", &pid[..]].concat());
        for (what, value) in [(", part ", &part.part_number), (", thread ", &part.thread)] {
            if let Some(value) = value.as_ref().filter(|_| is_only) {
                target.extend([what.as_bytes(), value].concat());
            }
        }
        target.push(b')');
    }
    target
}

/// The number of a part, its thread, time range, trigger, and the total of the first shown event.
fn part_text(number: usize, part: &Part, style: Style<'_>) -> Vec<u8> {
    let mut text = match &part.part_number {
        Some(number) => number.to_vec(),
        None => number.to_string().into_bytes(),
    };
    if let Some(thread) = &part.thread {
        text.extend([b", thread ", &thread[..]].concat());
    }
    let descriptions = PART_DESCRIPTIONS.iter().filter_map(|name| part.description(name));
    descriptions.for_each(|description| text.extend([b", ", description].concat()));
    let shown = style.shown.iter().find_map(|&event| {
        let column = part.columns.iter().position(|&column| column == event)?;
        Some((part.total.get(column)?.value()?, style.events.name(event)))
    });
    if let Some((count, event)) = shown {
        text.extend([b": ", style.unsigned(count).as_bytes(), b" ", event].concat());
    }
    text
}

/// The decimals of a number as given, with commas before them.
fn with_commas_within(number: &str) -> String {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), |whole: i64| with_commas(whole));
    if decimals.is_empty() { whole } else { format!("{whole}.{decimals}") }
}

/// The verdict as a line of text: `FAIL Ir 722,748 -> 748,764 +26,016 +3.60% (limit 1%)`; `of`
/// names what it is about.
pub fn verdict_line(verdict: &Verdict, of: &str, style: Style<'_>) -> String {
    let word = if verdict.passed { "ok" } else { "FAIL" };
    let event = marked_name(&escaped_text(style.events.name(verdict.event), true));
    let (figure, limit) = (verdict.figure, &verdict.limit.text);
    if figure.compared.is_none() {
        let counts = style.of_event(verdict.event).counts(figure);
        let limit = with_commas_within(limit);
        let unit = if verdict.limit.is_percentage { "%" } else { "" };
        let share = verdict.percent().map_or_else(String::new, |share| format!(" {share:.2}%"));
        return format!("{word} {event} {counts}{share} (limit {limit}{unit}{of})");
    }
    // Without a percentage, BASE is 0.
    let percent = match (verdict.percent(), figure.value.or_zero()) {
        (Some(percent), _) => format!("{percent:+.2}%"),
        (None, 0) => "-".to_owned(),
        (None, _) => "new".to_owned(),
    };
    let style = style.of_event(verdict.event);
    let change = style.count(Count::new(figure.value.or_zero()), true);
    let counts = style.counts(figure);
    format!("{word} {event} {counts} {change} {percent} (limit {limit}%{of})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_whose_events_have_a_unit_are_in_milliseconds() {
        let table = [
            ("Time_(10ns)", 123_456_789.0, Some("1,234.57 ms")),
            ("wt (µs)", 1500.0, Some("1.50 ms")),
            ("ns", 157_223_939.0, Some("157.22 ms")),
            ("ns", 135.0, None),
            ("us", 12_345_678.0, Some("12.35 s")),
            ("us", 9_999_999.0, Some("10,000.00 ms")),
            ("cpu(ms)", 7.0, None),
            ("ms", 7.0, None),
            ("Memory_(bytes)", 7.0, None),
            ("Ir", 7.0, None),
            ("(x10ns)", 7.0, None),
        ];
        for (name, count, text) in table {
            let events = Events::default();
            let time = in_milliseconds(&events, name.as_bytes(), count);
            assert_eq!(time.as_deref(), text, "{name}");
        }
    }
}
