//! Annotated sources: each line of a file with its cost and the calls made there.

mod lines;

use std::io::{self, Write};

pub use crate::render::annotate::lines::SourceFlow;
use crate::render::annotate::lines::{LineWriter, width_of_numbers};
use crate::render::asm::executed_text;
use crate::render::colour::Paint;
use crate::render::header::{HEADER_GAP, figure_text};
use crate::render::shorten::{elide_end, in_words};
use crate::render::table::{CostColumns, executed_width};
use crate::render::{
    Style, SuggestedCommand, counted, escaped_text, percent, with_commas, without_marks,
    write_escaped, write_rule, write_text_line,
};
use crate::view::{Annotated, Annotation, Caveat, Choice, Cost, Figure};

const BOX_EDGE: &str =
    "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@";
/// The line below the upper edge of a box.
const BOX_TITLE: &str =
    "@@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@ WARNING @@";

/// What the numbers of executions are.
const EXECUTED_NOTE: &str = "Executed: how often the most executed instruction of the line ran; . is a line without any: it did not run, or \
     it has no code of its own";

/// The same where lines that have code are known.
const EXECUTED_NOTE_OF_CODE: &str = "Executed: how often the most executed instruction of the line ran; 0 is a line with code that did not run";

/// The same where the beginnings of statements are marked.
const EXECUTED_NOTE_OF_STATEMENTS: &str = "Executed: how often the most executed statement of the line ran, by the compiler's marks, with all copies of it, ~ where \
     these leave it open; a loop that was unrolled or vectorized runs fewer times; 0 is a line with code that did not run";

/// The same where code is optimized without marks.
const EXECUTED_NOTE_OF_UNMARKED: &str = "Executed: how often the most executed instruction of the line ran, ~ in optimized code, of which this is an estimate; 0 is a \
     line with code that did not run";

/// What the numbers of calls in recursion are.
const NESTED_NOTE: &str = "calls a+bx: the b calls are nested in others, and have no cost of their own; the cost of the a outermost ones \
     includes that of all calls nested in them, also of other functions at these lines; what a line costs in all: -i -g line";

/// What functions that are inlined at one line have in common.
const COPIES_NOTE: &str = "=> (inlined): with the code inlined into it, which may also have a row below the same line: such rows do \
     not add up";

/// Why the lines of inlined code are unknown, and the command that records them.
pub struct UnknownInlines {
    /// Empty if it needs no words.
    pub why: String,
    pub record: Option<SuggestedCommand>,
    /// What may have the lines of other code without lines, in words.
    pub lines: Option<&'static str>,
}

/// Code without lines is noted from this percentage of the total on.
const MIN_UNIDENTIFIED: f64 = 1.0;

/// Writes a source with its costs; `profile_file` is the profile that it may be newer than.
pub fn write_annotated(
    choice: &Choice,
    annotated: &mut Annotated<'_>,
    profile_file: &[u8],
    unknown: &UnknownInlines,
    flow: Option<SourceFlow<'_>>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let cost = annotated.annotation.as_ref().map(|shown| shown.lines.sum(style.events));
    write_title(choice, cost.filter(|_| style.is_columns), style, out)?;
    let Some(annotation) = &mut annotated.annotation else {
        let nothing = b"  No information has been collected for ";
        write_text_line(&[nothing, &choice.name], style.escapes, out)?;
        return writeln!(out);
    };
    write_note_on_inlined_code(annotation, unknown, style, out)?;
    if style.is_columns && annotation.has_partly_nested_calls() {
        let width = style.width.unwrap_or(usize::MAX);
        writeln!(out, "{}", in_words(NESTED_NOTE, width).join("\n"))?;
    }
    if style.is_columns && annotation.lines.has_copies_in_copies {
        let width = style.width.unwrap_or(usize::MAX);
        writeln!(out, "{}", in_words(COPIES_NOTE, width).join("\n"))?;
    }
    write_caveats(choice, annotated.is_newer, profile_file, style, out)?;
    let costs = annotation.shown_costs();
    // The costs of calls are in the same columns.
    let of_calls = annotation.costs_of_calls().filter(|_| style.is_columns);
    let mut columns = CostColumns::within_width(style, 0, costs.chain(of_calls));
    let flow = flow.zip(choice.file.map(|file| file.index()));
    if let Some((flow, file)) = flow.filter(|(flow, _)| flow.counts) {
        let most = executed_text(Some(flow.flow.most_executed(file)), style);
        columns.executed = executed_width(most.len());
        if style.is_columns {
            write_notes_on_executions(choice, flow, file, style, out)?;
        }
    }
    columns.write_heading_of_text(out)?;
    let writer = LineWriter {
        columns: &columns,
        flow,
        aligned: annotated.aligned.as_ref(),
        numbers: width_of_numbers(flow, !choice.lines.is_empty(), &annotation.regions, style),
    };
    writer.write_regions(annotation, out)?;
    write_left_out(annotation.lines.left_out, style, out)?;
    let past_end = writer.write_lines_past_end(annotation, out)?;
    writeln!(out)?;
    if past_end {
        write_warning_of_lines_past_end(choice, style, out)?;
    }
    write_unidentified(annotation, &choice.name, unknown, &writer, out)
}

/// Writes the costs of a source at no line.
fn write_unidentified(
    annotation: &Annotation<'_>,
    source: &[u8],
    unknown: &UnknownInlines,
    writer: &LineWriter<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (columns, style) = (writer.columns, writer.columns.style);
    let unidentified_cost = annotation.lines.unidentified.as_ref();
    let elsewhere = annotation.lines.elsewhere();
    if unidentified_cost.is_none() && elsewhere.is_none() {
        return Ok(());
    }
    match unidentified_cost {
        Some(cost) => columns.write_cost(cost.counts(), out)?,
        None => columns.write_nothing(out)?,
    }
    let unidentified = b"<counts for unidentified lines in ";
    write_text_line(&[unidentified, source, b">"], style.escapes, out)?;
    let share = unidentified_cost
        .zip(style.first_event())
        .and_then(|(cost, event)| percent(cost.counts().value[event], style.total[event]));
    let is_much = style.is_columns && share.is_some_and(|share| share >= MIN_UNIDENTIFIED);
    if let Some(lines) = unknown.lines.filter(|_| is_much) {
        writeln!(out, "lines that the profile does not have: {lines}")?;
    }
    if let Some(elsewhere) = elsewhere {
        writer.write_elsewhere(&elsewhere, "", out)?;
    }
    writeln!(out)
}

/// Writes how executions were counted, and which lines of a source did not run.
fn write_notes_on_executions(
    choice: &Choice,
    flow: SourceFlow<'_>,
    file: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let width = style.width.unwrap_or(usize::MAX);
    let note = if flow.flow.knows_statements {
        EXECUTED_NOTE_OF_STATEMENTS
    } else if flow.flow.is_estimated(file) {
        EXECUTED_NOTE_OF_UNMARKED
    } else if flow.flow.knows_code() {
        EXECUTED_NOTE_OF_CODE
    } else {
        EXECUTED_NOTE
    };
    writeln!(out, "{}", in_words(note, width).join("\n"))?;
    let idle = flow.flow.not_executed(file);
    if choice.lines.is_empty() && !idle.is_empty() {
        let s = if idle.len() == 1 { "" } else { "s" };
        let text = format!("did not run: line{s} {}", ranges(&idle).join(", "));
        writeln!(out, "{}", elide_end(&text, width))?;
    }
    Ok(())
}

/// Writes the number of calls and inlined functions at lines that are not shown.
fn write_left_out(count: usize, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let left_out = match count {
        0 => return Ok(()),
        1 => "1 call or inlined function".to_owned(),
        _ => format!("{} calls and inlined functions", with_commas(count)),
    };
    let note = format!("left out at other lines: {left_out}");
    writeln!(out, "{}", elide_end(&note, style.width.unwrap_or(usize::MAX)))
}

fn write_warning_of_lines_past_end(
    choice: &Choice,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let begin = &b"The profile has costs for lines beyond the end of '"[..];
    let what = [begin, &choice.name, b"':"].concat();
    let why = b"probably a different version of the file.";
    write_box(&[&what, why], style, out)?;
    if style.is_columns { writeln!(out) } else { Ok(()) }
}

/// Writes how much code from other files, with what it calls, is at none of the lines of a source.
fn write_note_on_inlined_code(
    annotation: &Annotation<'_>,
    unknown: &UnknownInlines,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(((cost, is_at_least), event)) =
        annotation.lines.sum_of_elsewhere(style.events).zip(style.first_event())
    else {
        return Ok(());
    };
    let cost = share_text(&cost, event, style);
    let at_least = if is_at_least { "at least " } else { "" };
    let mut text = format!(
        "{at_least}{cost} more at no line: that of code inlined from other files, with its calls; after a | at the first line of the \
         function that has it"
    );
    if !unknown.why.is_empty() {
        text.push_str(&format!(" ({})", unknown.why));
    }
    if unknown.record.is_some() {
        text.push_str("; this records their lines:");
    }
    let width = style.width.unwrap_or(usize::MAX);
    writeln!(out, "{}", in_words(&escaped_text(text.as_bytes(), style.escapes), width).join("\n"))?;
    match &unknown.record {
        Some(record) => writeln!(out, "  {}", without_marks(&record.to_string())),
        None => Ok(()),
    }
}

/// Numbers in ascending order, each run of them as its first and last one.
fn ranges(numbers: &[u32]) -> Vec<String> {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    })
    .collect()
}

/// Writes the name and path of a source: between two rules, or with its cost.
fn write_title(
    choice: &Choice,
    cost: Option<Figure<Cost>>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if !style.is_columns {
        write_rule(style, out)?;
        let who = if choice.is_user { "User" } else { "Auto" };
        write!(out, "-- {who}-annotated source: ")?;
    }
    let found = choice.lookup.found.as_ref();
    if let Some(found) = found.filter(|found| !found.folder.is_empty()) {
        write_escaped(&[&found.folder[..], b" + "].concat(), style.escapes, out)?;
    }
    Paint::Title
        .around(style.colours, out, |out| write_escaped(&choice.name, style.escapes, out))?;
    if let Some(found) = found
        && found.path != [&found.folder[..], &choice.name].concat()
    {
        let from = [b" (read from ", &found.path[..], b")"].concat();
        write_escaped(&from, style.escapes, out)?;
    }
    if let Some((cost, event)) = cost.zip(style.first_event()) {
        out.write_all(HEADER_GAP.as_bytes())?;
        out.write_all(share_text(&cost, event, style).as_bytes())?;
    }
    writeln!(out)?;
    if style.is_columns { Ok(()) } else { write_rule(style, out) }
}

fn share_text(cost: &Figure<Cost>, event: usize, style: Style<'_>) -> String {
    let value = cost.value[event];
    let percent = percent(value, style.total[event]).filter(|_| style.percentages);
    let share = percent.map(|percent| format!("{percent:.1}%"));
    figure_text(cost.counts(), event, share, style)
}

/// Writes warnings if the source may be a different version of what was profiled.
fn write_caveats(
    choice: &Choice,
    is_newer: bool,
    profile_file: &[u8],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if choice.is_doubtful {
        let line = b"The profiles may come from different versions of this file: line numbers may not match.";
        write_box(&[line], style, out)?;
    }
    if let Some(caveat) = choice.lookup.found.as_ref().and_then(|found| found.caveat) {
        let line: &[u8] = match caveat {
            Caveat::OnlyBaseName => b"Matched by file name only: this may be a different file.",
            Caveat::OtherRelease => {
                b"This file is from a different Rust release: line numbers may not match."
            }
        };
        write_box(&[line], style, out)?;
    }
    if is_newer {
        let names = [&choice.name, &b"' is newer than '"[..], profile_file].concat();
        let what = [b"'", &names[..], b"':"].concat();
        let effect = b"costs may be shown on the wrong lines.";
        write_box(&[&what, effect], style, out)?;
    }
    Ok(())
}

/// Writes a warning: a line in columns, or else a box and an empty line.
fn write_box(lines: &[&[u8]], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    if style.is_columns {
        let text = escaped_text(&lines.join(&b" "[..]), style.escapes);
        Paint::Warning.around(style.colours, out, |out| write!(out, "warning: {text}"))?;
        return writeln!(out);
    }
    let own = |text: &str| text.as_bytes().to_vec();
    let marked = lines.iter().map(|line| [b"@ ", *line].concat());
    let head = [own(BOX_EDGE), own(BOX_TITLE), own(BOX_EDGE)];
    // Each line is coloured separately, because pagers lose colours that span lines.
    for line in head.into_iter().chain(marked).chain([own(BOX_EDGE)]) {
        Paint::Warning
            .around(style.colours, out, |out| write_escaped(&line, style.escapes, out))?;
        writeln!(out)?;
    }
    writeln!(out)
}

pub fn write_not_found(names: &[&[u8]], style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    write_rule(style, out)?;
    out.write_all(b"The following files chosen for auto-annotation could not be found:\n")?;
    write_rule(style, out)?;
    for name in names {
        write_text_line(&[b"  ", name], style.escapes, out)?;
    }
    writeln!(out)
}

pub fn write_annotated_total(
    annotated: &Figure<Cost>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some(event) = style.first_event().filter(|_| style.is_columns) {
        let text = share_text(annotated, event, style);
        return writeln!(out, "annotated: {text}\n");
    }
    let columns = CostColumns::of_one(style, annotated.counts());
    columns.write_heading("", out)?;
    columns.write_cost(annotated.counts(), out)?;
    writeln!(out, "events annotated\n")
}

/// Writes which source is missing, or how many are, and the number of those of the system and of
/// toolchains, which a terminal omits unless they are given.
pub fn write_not_annotated(
    missing: &[&[u8]],
    of_system: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let sources = |count| counted(count, "source");
    if !missing.is_empty() {
        let what = match missing {
            [name] => escaped_text(name, style.escapes),
            _ => sources(missing.len()),
        };
        writeln!(out, "{what} not found (-I DIR or --source-map=OLD=NEW)")?;
    }
    if of_system > 0 {
        let (count, what) = (sources(of_system), "of the system and of toolchains not annotated");
        writeln!(out, "{count} {what} (all: --annotate)")?;
    }
    match missing.len() + of_system {
        0 => Ok(()),
        _ => writeln!(out),
    }
}
