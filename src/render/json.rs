//! The whole report as JSON: one object, with each row on a line of its own.
//!
//! README.md has the schema. `VERSION` is increased when a member is removed or its meaning changes, not when one is added.

mod code;
mod header;
mod row;
mod text;

use std::io::{self, Write};
use std::ops::Range;

use crate::profile::{Count, Profile, Sides};
use crate::render::EXACT_DECIMALS;
use crate::render::columns::Figures;
pub use crate::render::json::code::write_json_function;
use crate::render::json::header::write_members;
use crate::render::json::row::Row;
pub(super) use crate::render::json::text::{Json, Value};
use crate::render::line::Listed;
use crate::render::number::ratio_text;
use crate::render::parallel::write_rows;
use crate::render::screen::narrow_names;
use crate::render::{SourceFlow, Style};
use crate::view::{
    CostFigure, CostRange, Details, Figure, Mark, Nesting, RowBy, RowId, RowOptions, Rows,
    Selection, Verdict, self_costs,
};

const VERSION: u32 = 2;

pub const JSON_END: &[u8] = b"}\n";

/// The number of rows whose lines and calls are added up at once: those of more do not fit in the fastest cache.
const DETAILED_ROWS: usize = 16;

pub struct JsonReport<'a, 'p> {
    pub listed: Listed<'a, 'p>,
    pub selection: &'a Selection,
    /// The factors by which counts were multiplied, if any.
    pub scale: Option<Sides<f64>>,
    pub details: &'a Details<'a, 'p>,
    pub nesting: Option<&'a Nesting<'a, 'p>>,
    pub flow: Option<SourceFlow<'a>>,
    /// In a difference: the verdict of the limit, if there is one.
    pub verdict: Option<&'a Verdict>,
    /// In a difference: by row whether it is listed.
    pub is_listed: Option<Vec<bool>>,
    /// The minimum percentage of a row in HTML, if this is its data; members that it does not use are then omitted.
    pub page: Option<f64>,
}

impl JsonReport<'_, '_> {
    fn is_page(&self) -> bool {
        self.page.is_some()
    }
}

/// Writes a report as JSON up to the end of the rows. Further members may follow, then [`JSON_END`].
pub fn write_json(report: &JsonReport<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let Listed { list, rows, style, .. } = &report.listed;
    // The members before the rows, which go into the same object.
    let mut json = Json::new(style.unit);
    json.text.push(b'{');
    write_members(report, &mut json);
    json.name("rows").text.push(b'[');
    out.write_all(&json.text)?;
    let items = &list.items;
    let first = items.iter().position(|&item| rows.is_row(item));
    let names = report.is_page();
    let names = names.then(|| narrow_names(list, rows, *style));
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        let mut json = Json::new(style.unit);
        std::mem::swap(&mut json.text, out);
        let is_row = |item: &RowId| rows.is_row(*item);
        let lines = list.lines_at(positions.clone(), rows);
        let lines = positions.clone().zip(lines);
        let mut lines = lines.filter(|(_, line)| is_row(&line.item));
        let listed: Vec<RowId> = items[positions].iter().copied().filter(is_row).collect();
        for part in listed.chunks(DETAILED_ROWS) {
            let details = report.details.of(part);
            let lines = lines.by_ref().take(part.len());
            for (number, (position, line)) in lines.enumerate() {
                let is_first = first == Some(position);
                json.text.extend(if is_first { &b"\n"[..] } else { b",\n" });
                let row = Row {
                    report,
                    narrow: names.as_ref().map(|names| &names[position][..]),
                    figures: report.listed.figures(&line),
                    details: &details,
                    number,
                    nested: report.nesting.map(|nesting| nesting.of(line.item)),
                    line,
                };
                row.write(&mut json);
            }
        }
        *out = json.text;
        Ok(())
    };
    write_rows(items.len(), write, out)?;
    out.write_all(b"\n]")
}

/// Writes the self costs of all objects and source files, with both sides of a difference, as members.
pub fn write_json_sums(
    profile: &Profile,
    options: &RowOptions,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut json = Json::new(style.unit);
    for (member, row_by) in [("objects", RowBy::Object), ("files", RowBy::File)] {
        let options = options.clone();
        let rows = Rows::new(profile, &RowOptions { row_by, ..options });
        let costs = self_costs(&rows);
        let sums = rows.all().filter(|&row| rows.is_selected(row));
        let sums = sums.map(|row| (rows.label_of(row).name, costs.get(row.index())));
        json.name(member).array(sums, |json, (name, own)| {
            let base = own.sides().map(|(base, _)| Cost::new(style.shown, base));
            let new = own.sides().map_or(own.value, |(_, new)| *new);
            json.tuple(|json| {
                json.element().value(&name[..]);
                json.element().value(Cost::new(style.shown, new));
                json.element().value(base);
            });
        });
    }
    out.write_all(&json.text)
}

pub(super) struct Cost<'a> {
    shown: &'a [usize],
    cost: &'a [Count],
}

impl<'a> Cost<'a> {
    pub(super) fn new(shown: &'a [usize], cost: &'a [Count]) -> Cost<'a> {
        Cost { shown, cost }
    }
}

impl Value for Cost<'_> {
    #[inline]
    fn write(self, json: &mut Json) {
        let count = |&event: &usize| self.cost.get(event)?.value();
        json.array(self.shown.iter().map(count), Json::value);
    }
}

/// Writes the lower and the upper bound of each shown count; null if there are none.
#[cold]
fn write_range(range: Option<&CostRange>, shown: &[usize], json: &mut Json) {
    let Some(range) = range else {
        return json.value(None::<f64>);
    };
    let bounds = shown.iter().map(|&event| range[event]);
    json.array(bounds, |json, bounds| match bounds {
        Some(bounds) => json.array(bounds.iter().map(|count| count.value()), Json::value),
        None => json.value(None::<f64>),
    });
}

/// Writes the figures of both sides as members, if this is a difference. Figures that are unknown or not on a side are
/// null, or left out if `omits_unknown`; `inlined` tells of each side whether the function was inlined.
#[cold]
fn write_sides<'a>(
    figures: &Figures<'a>,
    inlined: [Option<&'static str>; 2],
    omits_unknown: bool,
    shown: &[usize],
    json: &mut Json,
) {
    let mut costs = figures.cost.iter().chain(&figures.inclusive);
    if costs.clone().all(|cost| cost.compared.is_none()) {
        return;
    }
    let mark = costs.find_map(Figure::mark);
    let sides = [("base", true, Mark::New), ("new", false, Mark::Gone)];
    for ((name, is_base, absent), inlined) in sides.into_iter().zip(inlined) {
        let has = mark != Some(absent);
        let cost = |figure: Option<CostFigure<'a>>| {
            let sides = figure?.compared.filter(|_| has)?;
            Some(if is_base { sides.base } else { sides.new })
        };
        let [own, inclusive] = [figures.cost, figures.inclusive]
            .map(|figure| cost(figure).map(|cost| Cost::new(shown, cost)));
        let calls = figures.calls.and_then(|calls| calls.compared);
        let calls = calls.filter(|_| has);
        let calls = calls.map(|calls| if is_base { calls.base } else { calls.new });
        json.name(name).object(|json| {
            json.known("self", own, omits_unknown);
            json.known("inclusive", inclusive, omits_unknown);
            let ranges = figures.estimate.map(|estimate| &estimate.ranges);
            let range = ranges.and_then(|ranges| ranges[usize::from(is_base)].as_ref());
            if range.is_some() && has {
                write_range(range, shown, json.name("inclusive_range"));
            }
            let calls = calls.map(|calls| calls.by_others.or_zero());
            json.known("calls", calls, omits_unknown);
            json.optional("inlined", inlined);
        });
    }
}

/// The ratio that a count holds, with the digits that it has in CSV.
pub(super) fn ratio(count: Count) -> Option<f64> {
    ratio_text(count.value()?, EXACT_DECIMALS, false).parse().ok()
}
