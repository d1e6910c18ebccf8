//! The list for a terminal: one line per row, in aligned columns, and no line wider than the
//! terminal. `columns` chooses those that fit, and `names` shortens names to the room that is left
//! such that different ones stay different. What is below the list, or in its place, is in `first`
//! (the first screen), `why` (reasons of a difference), `series`, and `words` (what is said of a
//! line).

mod columns;
mod first;
pub(super) mod names;
mod series;
pub(super) mod why;
pub(super) mod words;

use std::io::{self, Write};

use self::columns::{ColumnWidths, MICROSECONDS, ScreenColumns};
use self::names::{Named, Places, ScreenNames, UNKNOWN};
use super::colour::Paint;
use super::label::{
    ObjectStyle, group_place, instruction_place, prepend_calls_of_cost, write_label,
};
use super::line::{CallsOfRow, Line, ReportLines, Role, TreeCalls, What};
use super::list::{INDENT, MAX_INDENTED, line_text, more_text, of_no_function, omitted_lines};
use super::measure::{Figures, Measure};
use super::number::NumberText;
use super::shorten::{in_words, left_aligned, width};
use super::{
    Report, Style, SuggestedCommand, escaped_text, with_commas, without_marks, write_spaces,
};
use crate::profile::{NameKind, is_unknown_name};
use crate::view::{
    CallCounts, Figure, Label, List, ListRow, NameOptions, NestedOf, Omitted, PathDirection, RowBy,
    RowId, RowLimit, RowNames, Rows, basename, normal,
};

struct Shown<'l> {
    line: Line<'l>,
    named: Named,
    /// Whether its cost is that of a member of a call cycle, or of a call within one.
    is_in_cycle: bool,
}

pub use first::{FirstScreenPage, write_first_screen};
pub use series::{write_series, write_series_header};
pub use why::{WhyPage, write_why};

/// Writes the list; `hints` are short suggestions of commands that show more.
pub fn write_screen(
    lines: &ReportLines<'_, '_>,
    hints: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let report = lines.report;
    let (style, row_by) = (report.style, report.rows.row_by);
    let rows: Vec<_> = report
        .list
        .lines(&report.rows)
        .map(|row| {
            let calls = lines.calls(&row);
            (row, calls)
        })
        .collect();
    let shown = lines.shown(&rows)?;
    let figures: Vec<&Figures<'_>> = shown.iter().map(|shown| &shown.line.figures).collect();
    let widths = ColumnWidths::new(lines, &figures);
    let named = shown.iter().map(|shown| (shown.start(), &shown.named));
    let all = ScreenNames::new(named, report.rows.names.is_short, style.names);
    let columns = ScreenColumns::new(&widths, &all, style);
    let title = title_of_names(lines, &columns, &all);
    let names = all.within(columns.room, columns.places, &title);
    if !shown.is_empty() {
        write_heading([&title, titles(row_by)[1]], &columns, names.width, style, out)?;
    }
    for (shown, (name, place)) in shown.iter().zip(&names.texts) {
        write_line(shown, (name, place), &columns, names.width, style, out)?;
    }
    let not_shown = columns.not_shown.iter().cloned();
    let limited = lines.tree.and_then(TreeCalls::limited);
    let has_quotient = columns.has(Measure::InclusivePerCall);
    let divisor = has_quotient.then(|| note_on_outermost_calls(&shown)).flatten();
    let of_table = lines.notes(&shown).into_iter().chain(divisor).chain(limited);
    let notes = of_table.chain(report.estimated_notes());
    write_end(report, not_shown.chain(notes).collect(), hints, out)
}

/// What an inclusive cost per call is the cost of, if it is not that of each call of a row.
fn note_on_outermost_calls(lines: &[Shown<'_>]) -> Option<String> {
    let of_row = |shown: &Shown<'_>| {
        let calls = shown.line.figures.calls?.value;
        let outermost = calls.outermost().filter(|&calls| calls > 0)?;
        let [outermost, all] = [outermost, calls.by_others.or_zero()].map(with_commas);
        Some(format!(
            "incl./call is what an outermost call costs, with the calls nested in it: {} has {outermost} of {all} calls",
            shown.named.name
        ))
    };
    lines.iter().find_map(of_row)
}

impl ReportLines<'_, '_> {
    fn shown<'l>(
        &'l self,
        rows: &'l [(ListRow<'l, 'l>, Vec<CallsOfRow<'l>>)],
    ) -> io::Result<Vec<Shown<'l>>> {
        let are_trees = rows.iter().any(|(_, calls)| calls.iter().any(CallsOfRow::is_tree));
        let mut shown = Vec::with_capacity(rows.len());
        for (position, (row, calls)) in rows.iter().enumerate() {
            let cycle = row.label.member_of();
            let mut add = |line: Line<'l>| {
                let label = line.labels().first();
                let is_in_same = cycle.is_some() && label.is_some_and(|of| of.member_of() == cycle);
                shown.push(Shown {
                    named: self.report.named_line(&line),
                    is_in_cycle: match line.role {
                        Role::Row => self.tree.is_none() && is_in_same,
                        Role::Call(_, is_tree) => {
                            !is_tree && (is_in_same || line.row == Some(row.item))
                        }
                        Role::Nested => false,
                    },
                    line,
                });
                Ok(())
            };
            if self.tree.is_some() && position > 0 {
                add(Line::text(0, String::new()))?;
            }
            self.each_line(position, row, calls, !are_trees, add)?;
        }
        Ok(shown)
    }

    /// A note on the costs of cycles, callers and callees.
    fn notes(&self, lines: &[Shown<'_>]) -> Option<String> {
        let are_in_cycles = lines.iter().any(|shown| shown.is_in_cycle);
        let has_levels = || lines.iter().any(|shown| shown.line.level > 1);
        let paths = self.tree.and_then(|tree| tree.paths.as_ref());
        let are_estimates = paths.is_some_and(|paths| !paths.ends_at_own() || has_levels());
        let counts_pairs = self.report.rows.profile.sides().new.counts_outermost_calls();
        let text = match (self.tree, self.report.inclusive_beside_own()) {
            (None, Some(inclusive)) if are_in_cycles && inclusive.has_levels() => {
                "nested calls of functions in a cycle are counted once: --cycles=no prints the recorded \
                 costs, with nested calls added up, --fold=none keeps levels of recursion apart"
            }
            (None, Some(_)) if are_in_cycles => {
                "nested calls of functions in a cycle are counted once: --cycles=no prints the recorded \
                 costs, with nested calls added up"
            }
            (Some(_), _) if are_estimates => {
                let are_estimated = |shown: &Shown<'_>| {
                    shown.line.figures.calls.is_some_and(|calls| calls.value.are_estimated)
                };
                let calls = if lines.iter().any(are_estimated) { ESTIMATED_CALLS } else { "" };
                let is_change = self.report.style.difference.is_some();
                let whole = if is_change { "change" } else { "total" };
                return Some(format!(
                    "costs of functions with several callers are divided among them in proportion, an estimate \
                     (~ if bounds are more than 1% of the {whole} apart){calls}; small ones from the second level on are left out (--min, 1% by default)"
                ));
            }
            (Some(_), _) if lines.iter().any(|shown| shown.line.figures.is_unknown) => {
                "- unknown: how much of the cost of these calls within a cycle is nested was not recorded"
            }
            (Some(_), _) if are_in_cycles && counts_pairs => {
                "calls within a cycle have the time in which there was such a call, as Python's profiler counts it; \
                 those of several callers may overlap"
            }
            (Some(_), _) if are_in_cycles => {
                let is_cycle = |shown: &Shown<'_>| {
                    shown.line.labels().iter().any(|label| label.member_of().is_some())
                };
                let of = if lines.iter().any(is_cycle) { "within a cycle" } else { "by itself" };
                return Some(format!(
                    "of calls {of} only the outermost have a cost, which includes that of the calls nested in them"
                ));
            }
            _ => return None,
        };
        Some(text.to_owned())
    }
}

/// What the mark of a number of calls in a tree means.
const ESTIMATED_CALLS: &str = "; ~ of calls: each call of a function that makes as many as it has itself is taken to make one";

impl Report<'_, '_> {
    fn named_line(&self, line: &Line<'_>) -> Named {
        let (label, others) = match &line.what {
            What::Rows([label, others @ ..]) => (label, others),
            What::Rows([]) => return Named::default(),
            What::Part(of) => return self.nested_name(of),
            What::Text(text) => return Named::plain(text.clone()),
        };
        let mut named = self.named_item(label, line.row);
        let chain = others.iter().map(|label| self.named(label));
        named.chain = chain.map(|next| next.name + &next.suffix).collect();
        if let Role::Call(..) = line.role {
            named.between = format!(" {}", line.role.sign());
            if line.figures.calls.is_some_and(|calls| calls.is_inlined()) {
                named.suffix.push_str(" (inlined)");
            }
            named.suffix.push_str(line.note);
        }
        named
    }

    fn nested_name(&self, of: &NestedOf<'_>) -> Named {
        match of {
            NestedOf::Function(label) => self.named(label),
            NestedOf::File(name) if is_unknown_name(name) => {
                Named { is_path: true, ..Named::plain(UNKNOWN.to_owned()) }
            }
            NestedOf::File(name) => {
                Named { is_path: true, ..Named::plain(escaped_text(name, self.style.escapes)) }
            }
            NestedOf::Line(line) => {
                let source = line.source.as_deref().unwrap_or_default();
                Named {
                    name: line_text(line),
                    text: escaped_text(source, self.style.escapes),
                    ..Named::default()
                }
            }
            NestedOf::More(count, what) => Named::plain(format!("({})", more_text(*count, what))),
        }
    }

    fn named_row(&self, row: &ListRow<'_, '_>) -> Named {
        self.named_item(&row.label, Some(row.item))
    }

    /// The name of a row, with the text of an instruction after its place. In a difference, which
    /// may have no calls, with whether it is an inlined function.
    fn named_item(&self, label: &Label<'_>, row: Option<RowId>) -> Named {
        let mut named = Named { row, ..self.named(label) };
        let function = row
            .filter(|&item| self.style.difference.is_some() && self.rows.is_row(item))
            .and_then(|item| self.rows.first_function(item));
        if function.is_some_and(|function| self.rows.profile.is_inlined(function)) {
            named.suffix.push_str(" (inlined)");
        }
        if let Some(code) = row.and_then(|row| self.rows.instruction_texts.get(&row)) {
            let text = escaped_text(code, self.style.escapes);
            for place in [&mut named.text, &mut named.full_text] {
                place.push_str("  ");
                place.push_str(&text);
            }
        }
        named
    }

    fn named(&self, label: &Label<'_>) -> Named {
        let mut named = named(label, self.rows.row_by, self.style);
        let object = label.named_object().map(basename);
        if object.is_some() && object == self.program {
            named.object.clear();
        }
        named
    }
}

/// A name, or an empty text if it is unknown.
fn known(name: &[u8], style: Style<'_>) -> String {
    match name {
        b"UnknownFile???" => String::new(),
        name if is_unknown_name(name) => String::new(),
        name => escaped_text(name, style.escapes),
    }
}

fn named(label: &Label<'_>, row_by: RowBy, style: Style<'_>) -> Named {
    let text = |name: &[u8]| escaped_text(name, style.escapes);
    let place = label.group.as_ref();
    let is_file = row_by.is_of_files();
    // A function at a line, as callers of a tree by line and instructions are.
    let is_at_line = label.line.is_some() && !label.name.is_empty();
    let is_unknown = |name: Option<&[u8]>| name.is_some_and(is_unknown_name);
    // Code that is in no file, such as that of a compiler at run time.
    let is_nowhere =
        label.name.starts_with(b"0x") && is_unknown(label.file) && is_unknown(label.named_object());
    let address = label
        .source
        .as_deref()
        .filter(|_| row_by == RowBy::Instruction)
        .map(|address| [address, b"  "].concat())
        .or(is_at_line.then(Vec::new))
        .map(|address| [&address, &instruction_place(label, basename)[..]].concat());
    let name = match (label.whole_cycle(), &label.name[..]) {
        (Some(number), _) => format!("cycle {number}"),
        (_, b"") if place.is_some() && !is_file => "(none)".to_owned(),
        (_, name) if place.is_some() && is_unknown_name(name) => UNKNOWN.to_owned(),
        (_, name) => text(name),
    };
    Named {
        name,
        suffix: label.member_of().map_or_else(String::new, |number| format!(" (cycle {number})")),
        is_path: place.is_some() && (is_file || row_by == RowBy::Object),
        file: known(&normal(label.file.unwrap_or_default()), style),
        recorded_file: known(label.file.unwrap_or_default(), style),
        object: if is_nowhere {
            "unknown object".to_owned()
        } else {
            known(label.named_object().unwrap_or_default(), style)
        },
        line: label.line.filter(|_| address.is_none()),
        text: match (place, &address, label.source.as_deref()) {
            (Some(place), ..) => text(&group_place(place, basename)),
            (None, Some(address), _) => text(address.trim_ascii_end()),
            (None, None, source) => text(source.unwrap_or_default()),
        },
        full_text: match place {
            Some(place) => text(&group_place(place, |name| name)),
            None => address.map_or_else(String::new, |address| text(&address)),
        },
        ..Named::default()
    }
}

/// The width of a page's narrow columns of names, in letters.
const NARROW_WIDTH: usize = 30;

/// The names of a list's functions in a narrow column, without places. Different names stay
/// different if possible.
pub(super) fn narrow_names(list: &List, rows: &Rows<'_>, style: Style<'_>) -> Vec<String> {
    // The arguments of a template say more than the file that it is in.
    let short = RowNames::short(&list.items, rows, NameOptions::default());
    let functions: Vec<Named> = list
        .items
        .iter()
        .map(|&item| Named {
            suffix: String::new(),
            ..named(&short.label(item, rows), RowBy::Function, style)
        })
        .collect();
    texts_of(functions.iter(), Some(NARROW_WIDTH), style.names)
}

/// The name and place of each row of a list within the style's width. Different rows stay
/// different.
pub(super) fn row_texts(report: &Report<'_, '_>) -> Vec<(String, String)> {
    let rows = report.list.lines(&report.rows);
    let named: Vec<Named> = rows.map(|row| report.named_row(&row)).collect();
    let with_starts = named.iter().map(|named| (0, named));
    let width = report.style.width;
    let places = width.map_or(Places::Exact, |_| Places::Files);
    let names = ScreenNames::new(with_starts, report.rows.names.is_short, report.style.names);
    names.within(width, places, "").texts
}

fn texts_of<'n>(
    functions: impl Iterator<Item = &'n Named>,
    room: Option<usize>,
    kind: NameKind,
) -> Vec<String> {
    let names = ScreenNames::new(functions.map(|named| (0, named)), true, kind);
    let texts = names.within(room, Places::None, "").texts;
    texts.into_iter().map(|(name, _)| name).collect()
}

/// The functions that a line calls, after `indent` columns, each with its number of calls. In
/// columns, different names stay different.
pub(super) fn call_texts<'l>(
    calls: impl Iterator<Item = (&'l Label<'l>, Figure<CallCounts>)>,
    indent: usize,
    style: Style<'_>,
) -> Vec<Vec<u8>> {
    if !style.is_columns {
        let text_of = |(label, of_label)| {
            let mut text = Vec::new();
            // A vector takes any text.
            let _ = write_label(label, Some(of_label), ObjectStyle::None, style, &mut text);
            text
        };
        return calls.map(text_of).collect();
    }
    let callees: Vec<(Named, String)> = calls
        .map(|(label, of_label)| {
            let mut callee = named(label, RowBy::Function, style);
            let mut counts = String::new();
            if of_label.is_inlined() {
                // This tells a function from what is inlined of it.
                callee.suffix.push_str(" (inlined)");
            } else if !of_label.is_unknown() {
                let number = NumberText::of(|text| prepend_calls_of_cost(of_label, style, text));
                counts = format!(" ({number})");
            }
            (callee, counts)
        })
        .collect();
    let widest_counts = callees.iter().map(|(_, counts)| counts.len()).max().unwrap_or(0);
    let room = style.width.map(|width| width.saturating_sub(indent + widest_counts));
    let names = texts_of(callees.iter().map(|(callee, _)| callee), room, style.names);
    let with_counts = names.into_iter().zip(&callees);
    with_counts.map(|(name, (_, counts))| (name + counts).into_bytes()).collect()
}

impl Shown<'_> {
    /// The start of its name in the column of names.
    fn start(&self) -> usize {
        INDENT * self.line.level.min(MAX_INDENTED) + self.line.role.sign().len()
    }
}

/// The titles of the columns of names and places.
pub(super) fn titles(row_by: RowBy) -> [&'static str; 2] {
    match row_by {
        RowBy::FileFunction | RowBy::Function => ["function", "where"],
        RowBy::Line => ["line", "source"],
        RowBy::Instruction => ["instruction", "where"],
        row_by => [row_by.title(), "where"],
    }
}

/// The title of the column of names, with the signs of callers and callees if these leave room for
/// places.
fn title_of_names(
    lines: &ReportLines<'_, '_>,
    columns: &ScreenColumns,
    names: &ScreenNames<'_>,
) -> String {
    let title = match lines.report.rows.row_by {
        RowBy::Namespace => "namespace or class",
        row_by => titles(row_by)[0],
    };
    let sign = |direction: &PathDirection| match direction {
        PathDirection::Callers => "< caller",
        PathDirection::Callees => "> callee",
    };
    let signs: Vec<&str> = lines.tree.iter().flat_map(|tree| tree.tree).map(sign).collect();
    let with_signs = [&[title], &signs[..]].concat().join(", ");
    let beside = names::GAP + names.widest_place(columns.places);
    let fits = columns.room.is_none_or(|room| width(&with_signs) + beside <= room);
    if fits { with_signs } else { title.to_owned() }
}

fn write_heading(
    [name, place]: [&str; 2],
    columns: &ScreenColumns,
    names: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut heading = columns.heading();
    if columns.has_places {
        heading.push_str(&left_aligned(name, names + names::GAP));
        heading.push_str(place);
    } else {
        heading.push_str(name);
    }
    Paint::Dim.around(style.colours, out, |out| out.write_all(heading.trim_end().as_bytes()))?;
    writeln!(out)
}

fn write_line(
    shown: &Shown<'_>,
    (name, place): (&str, &str),
    columns: &ScreenColumns,
    names: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let line = &shown.line;
    let (paint, of_place) = match line.role {
        Role::Nested if name.is_empty() => return writeln!(out),
        Role::Row => (Paint::Function, Paint::File),
        Role::Call(..) => (Paint::Plain, Paint::File),
        Role::Nested => (Paint::Dim, Paint::Dim),
    };
    columns.write_cells(&line.figures, paint == Paint::Dim, style, out)?;
    write_spaces(INDENT * line.level.min(MAX_INDENTED), out)?;
    out.write_all(line.role.sign().as_bytes())?;
    write_name(name, place, names.saturating_sub(shown.start()), [paint, of_place], style, out)
}

/// Writes a name in a column of this width, and behind it the place.
fn write_name(
    name: &str,
    place: &str,
    names: usize,
    [paint, of_place]: [Paint; 2],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    paint.around(style.colours, out, |out| out.write_all(name.as_bytes()))?;
    if !place.is_empty() {
        write_spaces(names.saturating_sub(width(name)) + names::GAP, out)?;
        of_place.around(style.colours, out, |out| out.write_all(place.as_bytes()))?;
    }
    writeln!(out)
}

/// Writes the omitted rows, and commands that show more.
fn write_end(
    report: &Report<'_, '_>,
    mut lines: Vec<String>,
    hints: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    let style = report.style;
    if let Some(omitted) = &report.list.omitted {
        let has_more = omitted.more.rows > 0;
        let more = has_more.then(|| more_line(report, omitted));
        lines.extend(more.into_iter().chain(omitted_lines(omitted, style)));
    }
    let width = style.width.unwrap_or(usize::MAX);
    let mut lines = lines.iter().flat_map(|line| in_words(line, width)).collect::<Vec<_>>();
    match hints.join("      ") {
        all if all.is_empty() => {}
        all if super::shorten::width(&without_marks(&all)) <= width => {
            lines.push(without_marks(&all));
        }
        _ => lines.extend(hints.iter().flat_map(|hint| in_words(hint, width))),
    }
    if !report.list.items.is_empty() {
        writeln!(out)?;
    }
    for line in &lines {
        Paint::Dim.around(style.colours, out, |out| out.write_all(line.as_bytes()))?;
        writeln!(out)?;
    }
    if !lines.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// Writes what a list on the first screen leaves out, without a line before it.
fn write_end_of_list(report: &Report<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let style = report.style;
    let omitted = report.list.omitted.as_ref();
    let more =
        omitted.filter(|omitted| omitted.more.rows > 0).map(|omitted| more_line(report, omitted));
    let rest = omitted.and_then(|omitted| of_no_function(omitted, style));
    let lines = more.into_iter().chain(rest).chain(report.estimated_notes());
    for line in lines.flat_map(|line| in_words(&line, style.width.unwrap_or(usize::MAX))) {
        Paint::Dim.around(style.colours, out, |out| out.write_all(line.as_bytes()))?;
        writeln!(out)?;
    }
    Ok(())
}

/// The numbers of rows that `-n` is suggested with.
const MORE_ROWS: [usize; 6] = [50, 100, 200, 500, 1000, 10_000];

/// The options that raise these limits of a list of some rows, so that it has more.
fn options_for_more(omitted: &Omitted, listed: usize, style: Style<'_>) -> SuggestedCommand {
    let twice = MORE_ROWS.into_iter().find(|&rows| rows >= 2 * listed);
    let rows = twice.unwrap_or(listed + omitted.more.rows);
    let sorted = style.sorted.map_or(&b""[..], |event| style.events.name(event));
    let start = SuggestedCommand::new("");
    omitted.limits.iter().fold(start, |options, limit| match limit {
        RowLimit::Top => options.words(&format!("-n {rows}")),
        RowLimit::Min => options.words("--min=0"),
        RowLimit::Threshold => options.words("--threshold=100"),
        RowLimit::SortThreshold { of_calls } => {
            let key = of_calls.map_or(sorted, |key| key.name().as_bytes());
            options.option("-s", &[key, b":100"].concat())
        }
    })
}

/// The text about rows after the last one, with the options that list them.
fn more_line(report: &Report<'_, '_>, omitted: &Omitted) -> String {
    let (style, more) = (report.style, &omitted.more);
    let [what, _] = titles(report.rows.row_by);
    let text = more_text(more.rows, what);
    let options = match &omitted.limits[..] {
        [] => String::new(),
        _ => format!(": {}", options_for_more(omitted, report.list.items.len(), style)),
    };
    let Some(event) = style.sorted.or(style.shown.first().copied()) else {
        return text + &options;
    };
    let figure = more.cost.counts().event(event);
    let percent = super::percent(figure.value, style.total[event]).unwrap_or(0.0);
    let own = if omitted.are_inclusive { " by self cost" } else { "" };
    let is_costless = omitted.are_by_calls && figure.value.or_zero() == 0;
    if style.series.is_some() || is_costless {
        return text + &options;
    }
    let cost = match (figure.compared, style.events.name(event)) {
        (None, MICROSECONDS) => format!("{percent:.1}% of the time{own}"),
        (None, name) => format!("{percent:.1}% of {}{own}", escaped_text(name, true)),
        (Some(_), name) => {
            let change = style.in_unit_of(event).count(figure.value, true);
            format!("{change} {}", escaped_text(name, true))
        }
    };
    // A list ends where all of the cost is listed.
    match figure.value.or_zero() {
        0 => format!("{text}, {cost}"),
        _ => format!("{text}, {cost}{options}"),
    }
}
