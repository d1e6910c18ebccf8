//! The header of the report: what was profiled, and with which options it is reported.

use std::collections::HashSet;
use std::hash::Hash;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::profile::{Events, Part};
use crate::render::{Style, escaped_text, with_commas, write_escaped, write_rule};
use crate::view::{Selection, Verdict};

/// The `desc:` lines that are of one part only.
const PART_DESCRIPTIONS: [&[u8]; 2] = [b"Timerange", b"Trigger"];

/// The `desc:` line that says how many samples there are.
const SAMPLES: &[u8] = b"Samples";

/// What the header has in addition to the profile's own.
#[derive(Clone, Debug)]
pub struct PageHeader<'a> {
    /// The folders that are searched for sources.
    pub folders: &'a [Vec<u8>],
    /// The sources that the user wants annotated.
    pub user_annotated: &'a [Vec<u8>],
    /// Whether the sources of listed functions are annotated.
    pub auto: bool,
    /// The parts of the base profile.
    pub base: &'a [Part],
}

pub fn write_header(
    header: &PageHeader<'_>,
    parts: &[Part],
    events: &Events,
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
    for description in parts
        .first()
        .into_iter()
        .flat_map(|part| &part.descriptions)
    {
        // The list of parts has the descriptions of each.
        let is_of_part = PART_DESCRIPTIONS
            .iter()
            .any(|name| description.starts_with(name));
        if parts.len() == 1 || !is_of_part {
            write_escaped(description, style.escapes, out)?;
            writeln!(out)?;
        }
    }
    write_samples("Base samples:", header.base, style, out)?;
    for part in unique_by(parts, |part| (&part.command, &part.pid)) {
        write_target(part, parts.len() == 1, style, out)?;
    }
    if parts.len() > 1 {
        write_parts(parts, events, style, out)?;
    }
    write_options(header, events, selection, style, out)?;
    writeln!(out)
}

/// Writes a header of two lines, for the parts of both sides: what was profiled, and how it is listed; then how many
/// samples there are, if it was sampled.
pub fn write_short_header(
    (parts, base): (&[Part], &[Part]),
    events: &Events,
    selection: &Selection,
    hidden: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut line = what_was_profiled(parts);
    if let Some(creator) = parts.first().and_then(|part| part.creator.as_ref()) {
        line.extend([b" (", &creator[..], b")"].concat());
    }
    write_cut(&line, style, out)?;
    let sorted = match (&selection.by_calls, selection.first()) {
        (Some(_), _) => &b"calls"[..],
        (None, Some(event)) => events.name(event),
        (None, None) => &b""[..],
    };
    let mut line = b"Sorted by ".to_vec();
    line.extend_from_slice(sorted);
    if let Some(long_name) = events.long_name(sorted) {
        line.extend([b" (", long_name, b")"].concat());
    }
    if hidden > 0 {
        let s = if hidden == 1 { "" } else { "s" };
        line.extend(format!("; +{hidden} event{s}: --show").into_bytes());
    }
    if !base.is_empty() {
        line.extend(b"; compared with ");
        line.extend(what_was_profiled(base));
    }
    write_cut(&line, style, out)?;
    write_samples("Samples:", parts, style, out)?;
    write_samples("Base samples:", base, style, out)?;
    writeln!(out)
}

/// Writes how many samples a profile of gprof has.
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
    write_cut(&[name.as_bytes(), b" ", samples].concat(), style, out)
}

/// Writes a line, cut to the width of the terminal.
fn write_cut(line: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let text = escaped_text(line, style.escapes);
    let width = style.width.unwrap_or(usize::MAX);
    if text.width() <= width {
        return writeln!(out, "{text}");
    }
    let mut left = width.saturating_sub(1);
    let mut fits = |c: &char| {
        let rest = left.checked_sub(c.width().unwrap_or(0));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let cut: String = text.chars().take_while(&mut fits).collect();
    writeln!(out, "{cut}…")
}

/// The first file of these parts, how many more there are, and its command.
fn what_was_profiled(parts: &[Part]) -> Vec<u8> {
    let files = unique_by(parts, |part| &part.file);
    let Some(first) = files.first() else {
        return Vec::new();
    };
    let mut text = match &first.file[..] {
        b"-" => b"standard input".to_vec(),
        file => file.to_vec(),
    };
    match files.len() - 1 {
        0 => {}
        1 => text.extend(b" and 1 more file"),
        more => text.extend(format!(" and {more} more files").into_bytes()),
    }
    if let Some(command) = &first.command {
        text.extend([b": ", &command[..]].concat());
    }
    text
}

/// Writes the events, the sources and the other options of the report.
fn write_options(
    header: &PageHeader<'_>,
    events: &Events,
    selection: &Selection,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let names = |events_shown: &[usize]| {
        events_shown
            .iter()
            .map(|&event| events.name(event))
            .collect::<Vec<_>>()
    };
    let recorded: Vec<_> = events.recorded().collect();
    write_field("Events recorded:", &recorded.join(&b' '), style, out)?;
    write_field(
        "Events shown:",
        &names(&selection.shown).join(&b' '),
        style,
        out,
    )?;
    let calls = selection.by_calls.as_ref().map(|_| &b"calls"[..]);
    let ratio = selection.by_ratio.map(|ratio| events.name(ratio));
    let order = calls.into_iter().chain(ratio);
    let order: Vec<_> = order.chain(names(&selection.order)).collect();
    write_field("Event sort order:", &order.join(&b' '), style, out)?;
    let thresholds = selection.by_calls.iter().chain(&selection.thresholds);
    let thresholds = thresholds.map(|threshold| &threshold.text[..]);
    // The ratio has none.
    let thresholds: Vec<_> = ratio.map(|_| "-").into_iter().chain(thresholds).collect();
    write_field("Thresholds:", thresholds.join(" ").as_bytes(), style, out)?;
    write_list("Include dirs:", header.folders, style, out)?;
    write_list("User annotated:", header.user_annotated, style, out)?;
    write_field(
        "Auto-annotation:",
        if header.auto { b"on" } else { b"off" },
        style,
        out,
    )
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
    write_escaped(&line, style.escapes, out)?;
    writeln!(out)
}

/// Writes what was profiled, with the number and thread of its part if it is the only one.
fn write_target(
    part: &Part,
    is_only: bool,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut target = part
        .command
        .clone()
        .unwrap_or_else(|| b"(unknown)".to_vec());
    if let Some(pid) = &part.pid {
        target.extend_from_slice(b" (PID ");
        target.extend_from_slice(pid);
        for (what, value) in [(", part ", &part.part_number), (", thread ", &part.thread)] {
            if let Some(value) = value.as_ref().filter(|_| is_only) {
                target.extend_from_slice(what.as_bytes());
                target.extend_from_slice(value);
            }
        }
        target.push(b')');
    }
    write_field("Profiled target:", &target, style, out)
}

/// Writes the parts, one per line: number, thread, time range, trigger, and the total of the first shown event.
fn write_parts(
    parts: &[Part],
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut lines = Vec::new();
    for (i, part) in (1..).zip(parts) {
        let mut line = match (part.added_up, &part.part_number) {
            (Some(1), _) => b"1 more part".to_vec(),
            (Some(parts), _) => format!("{} more parts", with_commas(parts as i64)).into_bytes(),
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
            Some((part.total.get(column)?.value()?, events.name(event)))
        });
        if let Some((count, event)) = shown {
            line.extend([b": ", style.unsigned(count).as_bytes(), b" ", event].concat());
        }
        lines.push(line);
    }
    write_list("Parts:", &lines, style, out)
}

fn write_field(name: &str, value: &[u8], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{name:<18}")?;
    write_escaped(value, style.escapes, out)?;
    writeln!(out)
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
    others
        .iter()
        .try_for_each(|value| write_field("", value, style, out))
}

/// The verdict as a line of text: `FAIL Ir 722,748 -> 748,764 +26,016 +3.60% (limit 1%)`.
pub fn verdict_line(verdict: &Verdict, events: &Events, style: Style<'_>) -> String {
    let word = if verdict.passed { "ok" } else { "FAIL" };
    let event = events.name(verdict.event).escape_ascii();
    let (figure, limit) = (verdict.figure, &verdict.limit.text);
    let (base, new) = figure
        .sides()
        .map_or((0, 0), |(base, new)| (base.or_zero(), new.or_zero()));
    let percent = match figure.percent() {
        Some(percent) => format!("{percent:+.2}%"),
        None => "-".to_owned(),
    };
    let style = style.of_event(verdict.event);
    let change = style.count(figure.value, true);
    let (base, new) = (style.unsigned(base), style.unsigned(new));
    format!("{word} {event} {base} -> {new} {change} {percent} (limit {limit}%)")
}
