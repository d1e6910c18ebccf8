//! The list for a terminal: one line per row, in aligned columns, and no line wider than the terminal.

mod columns;
pub(super) mod names;

use std::io::{self, Write};

use self::columns::{Cells, MICROSECONDS, ScreenColumns};
use self::names::{Named, Places, ScreenNames};
use super::colour::Paint;
use super::columns::Figures;
use super::label::{
    ObjectStyle, instruction_place, place_text, prepend_calls, short_place_text, write_label,
};
use super::list::{Calls, INDENT, line_text, more_text, omitted_within};
use super::number::NumberText;
use super::shorten::{in_words, width};
use super::{Listed, Style, counted, escaped_text, write_spaces};
use crate::view::{
    CallCounts, Figure, Label, List, NestedOf, NestedRow, Omitted, RowBy, RowId, RowNames, Rows,
    basename,
};

/// The kind of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Row,
    /// A caller or a callee.
    Call,
    /// A part of the row above.
    Nested,
    /// An empty line between two rows with their callers and callees.
    Gap,
}

struct Line<'l> {
    role: Role,
    /// The indentation of the name in columns.
    indent: usize,
    /// The sign before the name.
    sign: &'static str,
    figures: Figures<'l>,
    named: Named,
    /// Whether it is a member of a call cycle, or a call within one.
    is_in_cycle: bool,
}

/// Writes the list, the omitted rows, and commands that show more.
pub fn write_screen(listed: &Listed<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let style = listed.style;
    let calls = listed.tree.map_or_else(Vec::new, |tree| {
        let items = listed.list.items.iter();
        let calls = items.map(|&item| tree.of(item, listed.rows));
        calls.collect()
    });
    let lines = listed.lines(&calls);
    let figures: Vec<&Figures<'_>> = lines.iter().map(|line| &line.figures).collect();
    let cells = Cells::new(listed, &figures);
    let named = lines.iter().map(|line| (line.start(), &line.named));
    let names = ScreenNames::new(named, listed.rows.names.is_short);
    let columns = ScreenColumns::new(&cells, &names, style);
    let [title, _] = titles(listed.rows.row_by);
    let names = names.within(columns.room, columns.places, title);
    if !lines.is_empty() {
        write_heading(listed.rows.row_by, &columns, names.width, style, out)?;
    }
    for (line, (name, place)) in lines.iter().zip(&names.texts) {
        write_line(line, (name, place), &columns, names.width, style, out)?;
    }
    let are_estimates = calls.iter().flatten().any(Calls::are_estimates);
    let not_shown = columns.not_shown.iter().cloned();
    let notes = not_shown.chain(listed.notes(&lines, are_estimates));
    write_end(listed, notes.collect(), out)
}

impl Listed<'_, '_> {
    fn lines<'l>(&'l self, calls: &'l [Vec<Calls<'l>>]) -> Vec<Line<'l>> {
        let mut lines = Vec::new();
        let are_trees = calls.iter().flatten().any(|calls| calls.is_tree);
        for (position, row) in self.list.lines(self.rows).enumerate() {
            if self.tree.is_some() && position > 0 {
                let role = Role::Gap;
                lines.push(Line {
                    role,
                    ..Line::note(0, String::new())
                });
            }
            let (figures, cycle) = (self.figures(&row), row.label.member_of());
            let add = |calls: &'l [Calls<'l>], lines: &mut _| {
                let calls = calls.iter();
                calls.for_each(|calls| self.add_calls(calls, (&figures, row.item, cycle), lines));
            };
            let calls = calls.get(position).map_or(&[][..], |calls| calls);
            let (above, below) = self
                .tree
                .map_or((&[][..], calls), |tree| tree.around(calls, are_trees));
            add(above, &mut lines);
            lines.push(Line {
                role: Role::Row,
                figures,
                named: Named {
                    row: Some(row.item),
                    ..self.named(&row.label)
                },
                is_in_cycle: cycle.is_some(),
                ..Line::note(0, String::new())
            });
            add(below, &mut lines);
            self.add_nested_lines(self.below(position), &mut lines);
        }
        lines
    }

    /// A note on the costs of cycles, callers and callees.
    fn notes(&self, lines: &[Line<'_>], are_estimates: bool) -> Option<String> {
        let are_in_cycles = |role| {
            let mut lines = lines.iter();
            lines.any(|line| line.role == role && line.is_in_cycle)
        };
        let text = match self.tree {
            None if self.inclusive.is_some() && are_in_cycles(Role::Row) => {
                "inclusive costs of functions in a cycle leave out calls within the cycle: --cycles=no adds them, \
                 --fold=none keeps levels of recursion apart"
            }
            Some(_) if are_estimates => {
                "costs of functions with several callers are divided among them in proportion, an estimate; \
                 small ones from the second level on are left out (--min, 1% by default)"
            }
            Some(_) if are_in_cycles(Role::Call) => {
                "the cost of a recursive call or one within a cycle includes the calls nested in it, so these rows add up to \
                 more than the total"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    fn add_calls<'l>(
        &self,
        calls: &'l Calls<'l>,
        (of_row, item, cycle): (&Figures<'l>, RowId, Option<u32>),
        lines: &mut Vec<Line<'l>>,
    ) {
        lines.extend(calls.iter().filter_map(|(line, labels)| {
            let (label, chain) = labels.split_first()?;
            let mut named = self.named(label);
            named.row = Some(line.row);
            if let Some(calls) = line.count {
                named = named.inlined_in(calls);
            }
            if calls.is_tree {
                // Functions in a chain have only names.
                let chain = chain.iter().map(|label| self.named(label));
                named.chain = chain.map(|next| next.name + &next.suffix).collect();
                named.between = format!(" {}", calls.sign());
            }
            let is_in_cycle = cycle.is_some() && cycle == label.member_of() || line.row == item;
            Some(Line {
                role: Role::Call,
                indent: INDENT * (line.level + 1),
                sign: calls.sign(),
                figures: of_row.of_call(line.cost(), line.count),
                named,
                is_in_cycle: is_in_cycle && !calls.is_tree,
            })
        }));
        let missing = calls.missing();
        lines.extend(missing.map(|text| Line::note(INDENT, text)));
    }

    /// Lines without a text are only counted.
    fn add_nested_lines<'l>(&self, nested: &'l [NestedRow<'_>], lines: &mut Vec<Line<'l>>) {
        let is_line =
            |of: &NestedOf<'_>| matches!(of, NestedOf::Line(_) | NestedOf::More(_, "line"));
        let is_same = |a: &NestedRow<'_>, b: &NestedRow<'_>| {
            a.level == b.level && is_line(&a.of) && is_line(&b.of)
        };
        for same in nested.chunk_by(is_same) {
            let indent = INDENT * (same[0].level + 1);
            let has_no_text = |row: &NestedRow<'_>| match &row.of {
                NestedOf::Line(line) => line.source.is_none(),
                of => is_line(of),
            };
            if same.iter().all(has_no_text) {
                let count = same.iter().map(|row| match row.of {
                    NestedOf::More(count, _) => count,
                    _ => 1,
                });
                let count = counted(count.sum(), "line");
                lines.push(Line::note(indent, format!("({count}, source not found)")));
                continue;
            }
            lines.extend(same.iter().map(|row| Line {
                figures: Figures::of_cost(row.cost.counts()),
                named: self.nested_name(&row.of),
                ..Line::note(indent, String::new())
            }));
        }
    }

    fn nested_name(&self, of: &NestedOf<'_>) -> Named {
        match of {
            NestedOf::Function(label) => self.named(label),
            NestedOf::File(name) => Named {
                is_path: true,
                ..Named::plain(escaped_text(name, self.style.escapes))
            },
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

    fn named(&self, label: &Label<'_>) -> Named {
        let mut named = named(label, self.rows.row_by, self.style);
        let object = label.object.map(basename);
        if object.is_some() && object == self.program {
            named.object.clear();
        }
        named
    }
}

/// A name, or an empty text if it is unknown.
fn known(name: &[u8], style: Style<'_>) -> String {
    match name {
        b"" | b"???" => String::new(),
        name => escaped_text(name, style.escapes),
    }
}

fn named(label: &Label<'_>, row_by: RowBy, style: Style<'_>) -> Named {
    let text = |name: &[u8]| escaped_text(name, style.escapes);
    let place = label.group.as_ref();
    let is_file = row_by == RowBy::File;
    let address = label
        .source
        .as_deref()
        .filter(|_| row_by == RowBy::Instruction);
    let address =
        address.map(|address| [address, b"  ", &instruction_place(label, basename)].concat());
    let name = match (label.whole_cycle(), &label.name[..]) {
        (Some(number), _) => format!("cycle {number}"),
        (_, b"") if place.is_some() && !is_file => "(none)".to_owned(),
        (_, b"" | b"???") if place.is_some() => "(unknown)".to_owned(),
        (_, name) => text(name),
    };
    Named {
        name,
        suffix: label
            .member_of()
            .map_or_else(String::new, |number| format!(" (cycle {number})")),
        is_path: place.is_some() && (is_file || row_by == RowBy::Object),
        file: known(label.file.unwrap_or_default(), style),
        object: known(label.object.unwrap_or_default(), style),
        line: label.line.filter(|_| address.is_none()),
        text: match (place, &address, label.source.as_deref()) {
            (Some(place), ..) => text(&short_place_text(place)),
            (None, Some(address), _) => text(address.trim_ascii_end()),
            (None, None, source) => text(source.unwrap_or_default()),
        },
        full_text: match place {
            Some(place) => text(&place_text(place)),
            None => address.map_or_else(String::new, |address| text(&address)),
        },
        ..Named::default()
    }
}

/// The width of a page's narrow columns of names, in letters.
const NARROW_WIDTH: usize = 30;

/// The names of a list's functions in a narrow column, without places. Different names stay different if possible.
pub(super) fn narrow_names(list: &List, rows: &Rows<'_>, style: Style<'_>) -> Vec<String> {
    let short = RowNames::short(&list.items, rows, true, false);
    let functions = list.items.iter().map(|&item| Named {
        suffix: String::new(),
        ..named(&short.label(item, rows), RowBy::Function, style)
    });
    let functions: Vec<Named> = functions.collect();
    texts_of(functions.iter(), Some(NARROW_WIDTH))
}

/// The name and place of each row of a list within the style's width. Different rows stay different.
pub(super) fn row_texts(listed: &Listed<'_, '_>) -> Vec<(String, String)> {
    let rows = listed.list.lines(listed.rows);
    let named = rows.map(|row| Named {
        row: Some(row.item),
        ..listed.named(&row.label)
    });
    let named: Vec<Named> = named.collect();
    let named = named.iter().map(|named| (0, named));
    let width = listed.style.width;
    let places = width.map_or(Places::Exact, |_| Places::Files);
    let names = ScreenNames::new(named, listed.rows.names.is_short);
    names.within(width, places, "").texts
}

fn texts_of<'n>(functions: impl Iterator<Item = &'n Named>, room: Option<usize>) -> Vec<String> {
    let names = ScreenNames::new(functions.map(|named| (0, named)), true);
    let texts = names.within(room, Places::None, "").texts;
    texts.into_iter().map(|(name, _)| name).collect()
}

/// The functions that a line calls, after `indent` columns, each with its number of calls. In columns, different names
/// stay different.
pub(super) fn call_texts<'l>(
    calls: impl Iterator<Item = (&'l Label<'l>, Figure<CallCounts>)>,
    indent: usize,
    style: Style<'_>,
) -> Vec<Vec<u8>> {
    if !style.is_columns {
        let text = |(label, calls)| {
            let mut text = Vec::new();
            // A vector takes any text.
            let _ = write_label(label, Some(calls), ObjectStyle::None, style, &mut text);
            text
        };
        return calls.map(text).collect();
    }
    let calls = calls.map(|(label, calls)| {
        let counts = NumberText::of(|text| prepend_calls(calls, style, text));
        let counts = format!(" ({counts})");
        (named(label, RowBy::Function, style), counts)
    });
    let calls: Vec<(Named, String)> = calls.collect();
    let widest = calls.iter().map(|(_, counts)| counts.len()).max();
    let indent = indent + widest.unwrap_or(0);
    let room = style.width.map(|width| width.saturating_sub(indent));
    let texts = texts_of(calls.iter().map(|(named, _)| named), room);
    let texts = texts.into_iter().zip(&calls);
    texts
        .map(|(name, (_, counts))| (name + counts).into_bytes())
        .collect()
}

impl Line<'_> {
    /// A line of text alone.
    fn note(indent: usize, text: String) -> Self {
        Line {
            role: Role::Nested,
            indent,
            sign: "",
            figures: Figures::default(),
            named: Named::plain(text),
            is_in_cycle: false,
        }
    }

    /// The start of its name in the column of names.
    fn start(&self) -> usize {
        self.indent + self.sign.len()
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

fn write_heading(
    row_by: RowBy,
    columns: &ScreenColumns,
    names: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let [name, place] = titles(row_by);
    let mut heading = columns.heading();
    heading.push_str(name);
    if columns.has_places {
        let spaces = names.saturating_sub(name.len()) + columns::GAP;
        heading.push_str(&format!("{:spaces$}{place}", ""));
    }
    Paint::Dim.around(style.colours, out, |out| {
        out.write_all(heading.trim_end().as_bytes())
    })?;
    writeln!(out)
}

fn write_line(
    line: &Line<'_>,
    (name, place): (&str, &str),
    columns: &ScreenColumns,
    names: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if line.role == Role::Gap {
        return writeln!(out);
    }
    let is_dim = line.role == Role::Nested;
    columns.write_cells(&line.figures, is_dim, style, out)?;
    write_spaces(line.indent, out)?;
    let paint = match line.role {
        Role::Row => Paint::Function,
        Role::Nested => Paint::Dim,
        _ => Paint::Plain,
    };
    out.write_all(line.sign.as_bytes())?;
    paint.around(style.colours, out, |out| out.write_all(name.as_bytes()))?;
    if !place.is_empty() {
        let used = line.start() + width(name);
        write_spaces(names.saturating_sub(used) + columns::GAP, out)?;
        let paint = if is_dim { Paint::Dim } else { Paint::File };
        paint.around(style.colours, out, |out| out.write_all(place.as_bytes()))?;
    }
    writeln!(out)
}

/// Writes the omitted rows, and commands that show more.
fn write_end(
    listed: &Listed<'_, '_>,
    mut lines: Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let style = listed.style;
    if let Some(omitted) = &listed.list.omitted {
        let more = (omitted.more.rows > 0).then(|| more_line(listed, omitted));
        lines.extend(more.into_iter().chain(omitted_within(omitted, style)));
    }
    let width = style.width.unwrap_or(usize::MAX);
    let mut lines = lines
        .iter()
        .flat_map(|line| in_words(line, width))
        .collect::<Vec<_>>();
    match listed.hints.join("      ") {
        hints if hints.is_empty() => {}
        hints if super::shorten::width(&hints) <= width => lines.push(hints),
        _ => lines.extend_from_slice(listed.hints),
    }
    if !listed.list.items.is_empty() {
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

/// The numbers of rows that `-n` is suggested with.
const MORE_ROWS: [usize; 6] = [50, 100, 200, 500, 1000, 10_000];

/// The text about rows after the last one, with the option that lists them.
fn more_line(listed: &Listed<'_, '_>, omitted: &Omitted) -> String {
    let (style, more) = (listed.style, &omitted.more);
    let [what, _] = titles(listed.rows.row_by);
    let event = style.sorted.or(style.shown.first().copied());
    let figure = event.map(|event| (event, more.cost.counts().event(event)));
    // A list ends where all of the cost is listed.
    let has_cost = figure.is_none_or(|(_, figure)| figure.value.or_zero() != 0);
    let cost = figure.map(|(event, figure)| {
        let name = style.events.name(event).escape_ascii();
        let self_cost = if omitted.are_inclusive {
            " by self cost"
        } else {
            ""
        };
        match figure.compared {
            Some(_) => format!(", {} {name}", style.count(figure.value, true)),
            None => {
                let percent = super::percent(figure.value, style.total[event]).unwrap_or(0.0);
                match style.events.name(event) {
                    MICROSECONDS => format!(", {percent:.1}% of the time{self_cost}"),
                    _ => format!(", {percent:.1}% of {name}{self_cost}"),
                }
            }
        }
    });
    let known = listed.list.items.len();
    let rows = MORE_ROWS.into_iter().find(|&rows| rows >= 2 * known);
    let rows = rows.unwrap_or(known + more.rows);
    let more = more_text(more.rows, what);
    let what = cost.unwrap_or_default();
    match omitted.are_below_min {
        _ if !has_cost => format!("{more}{what}"),
        true => format!("{more}{what}: --min=0"),
        false => format!("{more}{what}: -n {rows}"),
    }
}
