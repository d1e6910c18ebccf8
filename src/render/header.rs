//! The header of the report: the profiled command, the profiles and the options of the report.

use std::collections::HashSet;
use std::hash::Hash;
use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::profile::{Events, KNOWN_EVENTS, Part};
use crate::render::shorten::{elide_end, elide_folders, in_words};
use crate::render::{Style, escaped_text, with_commas, write_rule, write_text_line};
use crate::view::{CostFigure, Selection, Total, Verdict};

/// The `desc:` lines that are of one part only.
const PART_DESCRIPTIONS: [&[u8]; 2] = [b"Timerange", b"Trigger"];

/// The `desc:` line with the number of samples.
const SAMPLES: &[u8] = b"Samples";

/// The parts of the header that are not from the profile.
#[derive(Clone, Debug)]
pub struct PageHeader<'a> {
    /// The folders to search for sources.
    pub folders: &'a [Vec<u8>],
    /// The sources given on the command line.
    pub user_annotated: &'a [Vec<u8>],
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
    pub base: &'a [Part],
}

pub fn write_header(
    header: &PageHeader<'_>,
    parts: &[Part],
    selection: &Selection,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    write_rule(style, out)?;
    for part in unique_by(parts, |part| &part.file) {
        write_file("Profile data file", part, style, out)?;
    }
    for part in unique_by(header.base, |part| &part.file) {
        write_file("Base:", part, style, out)?;
    }
    write_rule(style, out)?;
    for description in parts.first().map_or(&[][..], |part| &part.descriptions) {
        // The list of parts has the descriptions of each.
        let mut of_parts = PART_DESCRIPTIONS.iter();
        if parts.len() == 1 || !of_parts.any(|name| description.starts_with(name)) {
            write_text_line(&[description], style.escapes, out)?;
        }
    }
    write_samples("Base samples:", header.base, style, out)?;
    for part in unique_by(parts, |part| (&part.command, &part.pid)) {
        write_target(part, parts.len() == 1, style, out)?;
    }
    if parts.len() > 1 {
        write_parts(parts, style, out)?;
    }
    write_options(header, selection, style, out)?;
    writeln!(out)
}

/// The minimum width of a command in the header.
const MIN_COMMAND: usize = 16;

/// Writes a header of one line: the command, its total of the sort event and the files (in a difference of both sides),
/// then the totals of the other shown events, and the number of samples of a sampled profile.
pub fn write_header_line(
    (parts, base): (&[Part], &[Part]),
    total: &Total,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let text = |text: &[u8]| escaped_text(text, style.escapes);
    let event = style.first_event();
    let what = event.and_then(|event| long_name(style.events, style.events.name(event)));
    let total_of = |event, what| figure_text(total.figure.counts(), event, what, style);
    let total = |what| event.map_or_else(String::new, |event| total_of(event, what));
    let files = text(&what_was_read(parts));
    let files = match base {
        [] => files,
        base => format!("{} -> {files}", text(&what_was_read(base))),
    };
    let command = parts.iter().find_map(|part| part.command.as_deref());
    let command = command.map_or_else(String::new, text);
    let width = style.width.unwrap_or(usize::MAX);
    let others = |total: &str| total.width() + files.width() + 2 * HEADER_GAP.len();
    // The file name is more important than the event's description.
    let long = total(what.map(text));
    let total = match others(&long) + command.width().min(MIN_COMMAND) > width {
        true => total(None),
        false => long,
    };
    let others = others(&total);
    let room = width.saturating_sub(others).max(MIN_COMMAND);
    let (program, arguments) = command.split_once(' ').unwrap_or((&command, ""));
    let short = match arguments {
        "" => elide_folders(program, room),
        // Arguments are shortened first, down to a minimum.
        arguments => {
            let program_room = room.saturating_sub(arguments.width().min(MIN_COMMAND) + 1);
            format!("{} {arguments}", elide_folders(program, program_room))
        }
    };
    let command = elide_end(&short, room);
    let texts = [command, total, files];
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    writeln!(out, "{}", elide_end(&texts.join(HEADER_GAP), width))?;
    let others = style.shown.iter().filter(|&&shown| event != Some(shown));
    let others = others.filter(|_| base.is_empty());
    let others = others.map(|&event| total_of(event, None).replace(' ', NO_BREAK));
    let others = others.collect::<Vec<_>>().join(", ");
    let lines = in_words(&others, width);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{}", line.replace(NO_BREAK, " "))?;
    }
    write_samples("Samples:", parts, style, out)?;
    write_samples("Base samples:", base, style, out)?;
    writeln!(out)
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
    let count = match figure.sides() {
        None => style.unsigned(figure.value.or_zero()),
        Some((base, new)) => {
            let [base, new] = [base, new].map(|count| style.unsigned(count.or_zero()));
            format!("{base} -> {new}")
        }
    };
    let what = match figure.compared {
        Some(_) => figure.percent().map(|percent| format!("{percent:+.1}%")),
        None => what,
    };
    let what = what.map_or_else(String::new, |what| format!(" ({what})"));
    format!("{count} {name}{what}")
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
        rest.strip_prefix(b"(")
            .and_then(|rest| rest.strip_suffix(b")"))
            .unwrap_or(rest)
    });
    own.filter(|own| !own.is_empty()).or_else(known)
}

/// Writes the number of samples of a gprof profile.
fn write_samples(
    name: &str,
    parts: &[Part],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let samples = parts.first().and_then(|part| part.description(SAMPLES));
    let Some(samples) = samples else {
        return Ok(());
    };
    let line = escaped_text(&[name.as_bytes(), b" ", samples].concat(), style.escapes);
    let width = style.width.unwrap_or(usize::MAX);
    writeln!(out, "{}", elide_end(&line, width))
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
            let numbers = |number: fn(&Part) -> &Option<Vec<u8>>| unique_by(parts, number).len();
            let what = match numbers(|part| &part.pid) {
                runs if runs == files.len() => "run",
                1 if numbers(|part| &part.thread) == files.len() => "thread",
                1 if numbers(|part| &part.part_number) == files.len() => "part",
                _ => "file",
            };
            text.extend(format!(" + {more} {what}{s}").into_bytes());
        }
    }
    text
}

/// Writes the events, the sources and the other options of the report.
fn write_options(
    header: &PageHeader<'_>,
    selection: &Selection,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let events = style.events;
    let name = |&event: &usize| events.name(event);
    let recorded: Vec<_> = events.recorded().collect();
    write_field("Events recorded:", &recorded.join(&b' '), style, out)?;
    let shown: Vec<_> = selection.shown.iter().map(name).collect();
    write_field("Events shown:", &shown.join(&b' '), style, out)?;
    let calls = selection.by_calls.as_ref().map(|_| &b"calls"[..]);
    let ratio = selection.by_ratio.map(|ratio| events.name(ratio));
    let order = calls.into_iter().chain(ratio);
    let order: Vec<_> = order.chain(selection.order.iter().map(name)).collect();
    write_field("Event sort order:", &order.join(&b' '), style, out)?;
    let thresholds = selection.by_calls.iter().chain(&selection.thresholds);
    let thresholds = thresholds.map(|threshold| &threshold.text[..]);
    // A ratio has no threshold.
    let thresholds: Vec<_> = ratio.map(|_| "-").into_iter().chain(thresholds).collect();
    write_field("Thresholds:", thresholds.join(" ").as_bytes(), style, out)?;
    write_list("Include dirs:", header.folders, style, out)?;
    write_list("User annotated:", header.user_annotated, style, out)?;
    let auto: &[u8] = if header.auto { b"on" } else { b"off" };
    write_field("Auto-annotation:", auto, style, out)
}

/// The first part for each different `key`, in order.
fn unique_by<'p, K: Eq + Hash + 'p>(
    parts: &'p [Part],
    key: impl Fn(&'p Part) -> K,
) -> Vec<&'p Part> {
    let mut seen = HashSet::new();
    parts.iter().filter(|part| seen.insert(key(part))).collect()
}

fn write_file(what: &str, part: &Part, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut line = [what.as_bytes(), b" '", &part.file, b"'"].concat();
    if let Some(creator) = &part.creator {
        line.extend([b" (creator: ", &creator[..], b")"].concat());
    }
    write_text_line(&[&line], style.escapes, out)
}

/// Writes the profiled command, with the number and thread of its part if it is the only one.
fn write_target(
    part: &Part,
    is_only: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
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
    write_field("Profiled target:", &target, style, out)
}

/// Writes the parts, one per line: number, thread, time range, trigger, and the total of the first shown event.
fn write_parts(parts: &[Part], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut lines = Vec::new();
    for (i, part) in (1..).zip(parts) {
        let mut line = match (part.added_up, &part.part_number) {
            (Some(1), _) => b"1 more part".to_vec(),
            (Some(parts), _) => format!("{} more parts", with_commas(parts)).into_bytes(),
            (None, Some(number)) => number.clone(),
            (None, None) => i.to_string().into_bytes(),
        };
        if let Some(thread) = &part.thread {
            line.extend([b", thread ", &thread[..]].concat());
        }
        for name in PART_DESCRIPTIONS {
            if let Some(description) = part.description(name) {
                line.extend([b", ", description].concat());
            }
        }
        let shown = style.shown.iter().find_map(|&event| {
            let column = part.columns.iter().position(|&column| column == event)?;
            Some((part.total.get(column)?.value()?, style.events.name(event)))
        });
        if let Some((count, event)) = shown {
            line.extend([b": ", style.unsigned(count).as_bytes(), b" ", event].concat());
        }
        lines.push(line);
    }
    write_list("Parts:", &lines, style, out)
}

fn write_field(name: &str, value: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write_text_line(
        &[format!("{name:<18}").as_bytes(), value],
        style.escapes,
        out,
    )
}

fn write_list(
    name: &str,
    values: &[Vec<u8>],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some((first, others)) = values.split_first() else {
        return write_field(name, b"", style, out);
    };
    write_field(name, first, style, out)?;
    let mut others = others.iter();
    others.try_for_each(|value| write_field("", value, style, out))
}

/// The verdict as a line of text: `FAIL Ir 722,748 -> 748,764 +26,016 +3.60% (limit 1%)`; `of` names what it
/// is about.
pub fn verdict_line(verdict: &Verdict, of: &str, style: Style<'_>) -> String {
    let word = if verdict.passed { "ok" } else { "FAIL" };
    let event = style.events.name(verdict.event).escape_ascii();
    let (figure, limit) = (verdict.figure, &verdict.limit.text);
    let sides = figure.sides();
    let (base, new) = sides.map_or((0, 0), |(base, new)| (base.or_zero(), new.or_zero()));
    let percent = figure.percent();
    let percent = percent.map_or("-".to_owned(), |percent| format!("{percent:+.2}%"));
    let style = style.of_event(verdict.event);
    let change = style.count(figure.value, true);
    let (base, new) = (style.unsigned(base), style.unsigned(new));
    format!("{word} {event} {base} -> {new} {change} {percent} (limit {limit}%{of})")
}
