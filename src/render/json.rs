//! The whole report as JSON: one object, with each row on a line of its own. The browser's page
//! reads most of the same members.
//!
//! Each member is a field of a struct, whose comment says what it means. The schema for other
//! programs is derived from these structs, with their comments.

mod code;
mod head;
mod line;
mod nested;
mod own_lines;
mod reasons;
mod row;
#[cfg(test)]
mod schema;
mod series;
mod sides;
mod tree;
mod value;
mod writer;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use crate::profile::{Count, Sides};
pub use crate::render::json::code::{
    write_json_code_left_out, write_json_function, write_page_function,
};
use crate::render::json::head::Head;
use crate::render::json::nested::FoundPart;
pub use crate::render::json::own_lines::write_json_lines_by_event;
pub use crate::render::json::reasons::write_json_changes;
use crate::render::json::row::FoundRow;
use crate::render::json::value::Number;
pub(super) use crate::render::json::value::{Address, Cost, Maybe, Name, as_name};
pub(super) use crate::render::json::writer::write_value;
use crate::render::line::TreeCalls;
use crate::render::parallel::write_rows;
use crate::render::screen::narrow_names;
use crate::render::{Report, SourceFlow, Style, SuggestedCommand, without_marks};
use crate::view::{
    CostFigure, Details, FirstScreen, Graphs, Inclusive, ItemCost, KeptPart, MainCosts, Nesting,
    RowBy, RowId, RowOptions, Rows, Selection, Series, UnlistedContexts, Verdict, Why, first_lines,
    self_costs, short_function,
};

pub const JSON_END: &[u8] = b"}\n";

/// The number of rows whose lines and calls are added up at once: those of more do not fit in the
/// fastest cache.
const DETAILED_ROWS: usize = 16;

pub struct JsonReport<'a, 'p> {
    pub listed: &'a Report<'a, 'p>,
    pub tree: Option<&'a TreeCalls<'a>>,
    /// In a difference why the largest rows changed.
    pub why: Option<&'a Why>,
    pub selection: &'a Selection,
    /// The factors by which counts were multiplied, if any.
    pub scale: Option<Sides<f64>>,
    /// What options kept of the profile.
    pub kept: &'a [KeptPart],
    /// Where files are known to be damaged, and how.
    pub damaged: Vec<String>,
    pub details: &'a Details<'a, 'p>,
    pub nesting: Option<&'a Nesting<'a, 'p>>,
    pub flow: Option<SourceFlow<'a>>,
    /// In a difference: the verdict of the limit, if there is one.
    pub verdict: Option<&'a Verdict>,
    /// In a difference: by row whether it is listed.
    pub is_listed: Option<Vec<bool>>,
    /// The user's most expensive lines, if they are requested.
    pub screen: Option<&'a FirstScreen>,
    /// What was spent in `main` and outside it, if lines are requested.
    pub main_costs: Option<&'a MainCosts>,
    /// The same in words, by event, if much was spent outside it.
    pub outside_main: Vec<Option<String>>,
    /// The command that records the lines of inlined code, if they are not recorded.
    pub record: Option<SuggestedCommand>,
    /// The size in bytes of the simulated last-level cache, if it is larger than usual.
    pub cache_size: Option<u64>,
    /// The minimum percentage of a row in HTML, if this is its data; members that it does not use
    /// are then omitted.
    pub page: Option<f64>,
}

impl JsonReport<'_, '_> {
    fn is_page(&self) -> bool {
        self.page.is_some()
    }
}

/// Writes a report as JSON up to the end of the rows. Further members may follow, then
/// [`JSON_END`].
pub fn write_json(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let Report { list, rows, style, .. } = report.listed;
    let mut text = Vec::new();
    write_value(&Head::of(report), style.unit, &mut text)?;
    // The rows go into the same object.
    text.pop();
    text.extend(b",\"rows\":[");
    out.write_all(&text)?;
    let items = &list.items;
    let first = items.iter().position(|&item| rows.is_row(item));
    let columns = report.listed.columns.styled(*style);
    let names = report.is_page().then(|| narrow_names(list, rows, *style));
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        let is_row = |item: &RowId| rows.is_row(*item);
        let mut lines = positions
            .clone()
            .zip(list.lines_at(positions.clone(), rows))
            .filter(|(_, line)| is_row(&line.item));
        let listed: Vec<RowId> = items[positions].iter().copied().filter(is_row).collect();
        for part in listed.chunks(DETAILED_ROWS) {
            let details = report.details.of(part);
            let lines = lines.by_ref().take(part.len());
            for (number, (position, line)) in lines.enumerate() {
                out.extend(if first == Some(position) { &b"\n"[..] } else { b",\n" });
                let found = FoundRow {
                    report,
                    line: &line,
                    columns: &columns,
                    figures: report.listed.figures(&line),
                    short: short_function(&line.label.name, rows.profile.name_kind()),
                    narrow: names.as_ref().map(|names| &names[position][..]),
                    details: &details,
                    number,
                    nested: FoundPart::of_row(report, line.item),
                    callers: report.callers(line.item),
                    trees: report.trees(line.item),
                };
                write_value(&found.row(), style.unit, out)?;
            }
        }
        Ok(())
    };
    write_rows(items.len(), write, out)?;
    out.write_all(b"\n]")
}

/// Writes the template of an editor's addresses, and the folder at which relative paths of sources
/// begin, as members.
pub fn write_json_editor(template: &str, folder: &[u8], out: &mut impl Write) -> io::Result<()> {
    let mut text = b",\"editor\":".to_vec();
    write_value(&template, 1, &mut text)?;
    text.extend(b",\"folder\":");
    write_value(&Name(folder), 1, &mut text)?;
    out.write_all(&text)
}

/// Writes what standard error says, if anything, as a member.
pub fn write_json_messages(
    member: &str,
    messages: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    if messages.is_empty() {
        return Ok(());
    }
    let mut text = format!(",\"{member}\":").into_bytes();
    write_value(&messages, 1, &mut text)?;
    out.write_all(&text)
}

/// Writes how much of the profile options kept, by shown event and in words, and the words of the
/// command that wrote the page, as members: its options but for `--below`, this, its files, and the
/// options that every report needs.
pub fn write_json_command(
    kept: &[Vec<String>],
    command: Option<[SuggestedCommand; 4]>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut text = Vec::new();
    if kept.iter().any(|lines| !lines.is_empty()) {
        text.extend(b",\"kept_lines\":");
        write_value(&kept, 1, &mut text)?;
    }
    if let Some(command) = command {
        let texts = command.map(|words| without_marks(&words.to_string()));
        text.extend(b",\"command\":");
        write_value(&texts, 1, &mut text)?;
    }
    out.write_all(&text)
}

/// What a thread of a page does.
#[derive(Serialize)]
struct PageThread<'a> {
    /// The rows that cost most in it, and their self costs there.
    functions: Vec<(usize, Cost<'a>)>,
    /// What the first screen of the thread alone would say.
    notes: Vec<String>,
}

/// Writes what each thread does, if there are several.
pub fn write_json_threads(
    report: &JsonReport<'_, '_>,
    threads: &[Vec<(RowId, Vec<Count>)>],
    out: &mut impl Write,
) -> io::Result<()> {
    if threads.is_empty() {
        return Ok(());
    }
    let style = report.listed.style;
    let mut notes = report.notes_of_threads().into_iter();
    let of_page = threads.iter().map(|of_thread| {
        let rows = of_thread.iter();
        let functions = rows.map(|(row, cost)| (row.index(), Cost::new(style.shown, cost)));
        PageThread { functions: functions.collect(), notes: notes.next().unwrap_or_default() }
    });
    let all: Vec<_> = of_page.collect();
    let mut text = b",\"threads\":".to_vec();
    write_value(&all, style.unit, &mut text)?;
    out.write_all(&text)
}

/// Writes of each function the contexts that are not listed, as a member: the id of one that is
/// listed, the number of the others, their self and inclusive costs, and their calls.
pub fn write_json_contexts(
    contexts: &[UnlistedContexts],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    if contexts.is_empty() {
        return Ok(());
    }
    let cost = |cost| Cost::new(style.shown, cost);
    let all = contexts.iter().map(|of| {
        (of.listed.index(), of.count, cost(&of.own), cost(&of.inclusive), Number(of.calls))
    });
    let mut text = b",\"unlisted_contexts\":".to_vec();
    write_value(&all.collect::<Vec<_>>(), style.unit, &mut text)?;
    out.write_all(&text)
}

/// The cost of the profile, or of both sides of a difference.
fn new_and_base<'a>(cost: CostFigure<'a>, style: Style<'a>) -> (Cost<'a>, Option<Cost<'a>>) {
    match cost.sides() {
        Some((base, new)) => (Cost::new(style.shown, new), Some(Cost::new(style.shown, base))),
        None => (Cost::new(style.shown, cost.value), None),
    }
}

/// The costs of an item in the order of the profiles of a series.
fn costs_of_sides<'a>(
    costs: ItemCost<'a>,
    series: &Series,
    style: Style<'a>,
) -> Vec<Option<Cost<'a>>> {
    let cost = |side: usize| costs.on(side).map(|cost| Cost::new(style.shown, cost));
    series.sides().map(cost).collect()
}

/// The costs of an object, a source file or a namespace in the page.
#[derive(Serialize)]
#[serde(untagged)]
enum GroupSum<'a> {
    Exact(Name<'a>, Cost<'a>, Option<Cost<'a>>, Option<Cost<'a>>, Option<Cost<'a>>),
    /// The last member is whether the inclusive cost of each event is estimated.
    Estimated(Name<'a>, Cost<'a>, Option<Cost<'a>>, Option<Cost<'a>>, Option<Cost<'a>>, Vec<bool>),
}

/// The groups whose sums are written.
fn groups_with_sums(rows: &Rows<'_>) -> impl Iterator<Item = RowId> {
    rows.all().filter(|&row| rows.is_selected(row) && rows.has_part(row))
}

/// By listed row the index of its namespace, if it is in one that has a name.
fn namespaces_of(
    functions: &Rows<'_>,
    is_listed: &[bool],
    namespaces: &Rows<'_>,
) -> BTreeMap<usize, usize> {
    let selected = groups_with_sums(namespaces).zip(0..);
    let has_name = |row| !namespaces.label_of(row).name.is_empty();
    let index_of: HashMap<RowId, usize> = selected.filter(|&(row, _)| has_name(row)).collect();
    let of_functions = functions.profile.functions().filter_map(|(id, _)| {
        let row = functions.of_function(id).index();
        is_listed[row].then_some((row, *index_of.get(&namespaces.of_function(id))?))
    });
    of_functions.collect()
}

/// Of each listed row with code of other files the first line of its own file: what is inlined from
/// others is shown there.
fn first_lines_of(functions: &Rows<'_>, is_listed: &[bool]) -> Vec<(usize, u32)> {
    let profile = functions.profile;
    let mut has_others = vec![false; functions.len()];
    for fragment in profile.fragments() {
        let is_other = fragment.file != profile.function(fragment.function).file;
        has_others[functions.of_function(fragment.function).index()] |= is_other;
    }
    let lines = first_lines(profile);
    let shown = functions.all().filter(|row| is_listed[row.index()] && has_others[row.index()]);
    let first = |row: RowId| Some(lines[functions.first_function(row)?.index()]);
    let with_line = shown.filter_map(|row| Some((row.index(), first(row)?)));
    with_line.filter(|&(_, line)| line > 0).collect()
}

/// Writes the costs of all objects, source files and namespaces as members: for each its name, its
/// self cost, that in BASE, or null, its inclusive cost, and that in BASE, and for each event
/// whether the inclusive cost is estimated, if one is; in a series its name, and its self and its
/// inclusive costs in the order of the profiles. Then the namespace of each listed row that is in
/// one, as its index, the first lines of functions with code of other files, and the files whose
/// names in rows are not those of the sums, with these.
pub fn write_json_sums(
    functions: &Rows<'_>,
    is_listed: &[bool],
    graphs: &Graphs<'_>,
    options: &RowOptions,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let profile = functions.profile;
    let mut text = Vec::new();
    let mut namespaces: BTreeMap<usize, usize> = BTreeMap::new();
    let members =
        [("objects", RowBy::Object), ("files", RowBy::File), ("namespaces", RowBy::Namespace)];
    for (member, row_by) in members {
        let rows = Rows::new(profile, &RowOptions { row_by, ..options.clone() });
        let (costs, inclusive) = (self_costs(&rows), Inclusive::new(graphs, &rows));
        if row_by == RowBy::Namespace {
            namespaces = namespaces_of(functions, is_listed, &rows);
        }
        let labels: Vec<_> = groups_with_sums(&rows).map(|row| (row, rows.label_of(row))).collect();
        text.extend(format!(",\"{member}\":").bytes());
        if let Some(series) = style.series {
            let sums = labels.iter().map(|(row, label)| {
                let own = costs_of_sides(costs.item(row.index()), series, style);
                let all = inclusive.item(*row);
                (Name(&label.name), own, all.map(|all| costs_of_sides(all, series, style)))
            });
            write_value(&sums.collect::<Vec<_>>(), style.unit, &mut text)?;
            continue;
        }
        let sums = labels.iter().map(|(row, label)| {
            let (own, base) = new_and_base(costs.get(row.index()), style);
            let (all, all_of_base) =
                inclusive.of_row(*row).map(|cost| new_and_base(cost, style)).unzip();
            let (name, of_base) = (Name(&label.name), all_of_base.flatten());
            match inclusive.estimate(*row).and_then(|of| of.marks_of(style.shown)) {
                Some(marks) => GroupSum::Estimated(name, own, base, all, of_base, marks),
                None => GroupSum::Exact(name, own, base, all, of_base),
            }
        });
        write_value(&sums.collect::<Vec<_>>(), style.unit, &mut text)?;
    }
    text.extend(b",\"namespace_of\":");
    write_value(&namespaces.into_iter().collect::<Vec<_>>(), style.unit, &mut text)?;
    if !profile.is_difference() && !profile.is_series() {
        text.extend(b",\"first_lines\":");
        write_value(&first_lines_of(functions, is_listed), style.unit, &mut text)?;
    }
    let listed: Vec<RowId> = functions.all().filter(|row| is_listed[row.index()]).collect();
    let detours = functions.paths_with_detours(&listed);
    let paths = detours.iter().map(|(file, normal)| (Name(file), Name(normal)));
    text.extend(b",\"paths\":");
    write_value(&paths.collect::<Vec<_>>(), style.unit, &mut text)?;
    out.write_all(&text)
}
