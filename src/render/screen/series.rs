//! The list of a series: a column a profile, and the profile at which each row changed most. Where
//! columns do not fit, those of the first and the last profile and around the largest step of the
//! total are left.

use std::io::{self, Write};

use super::names::{
    ENOUGH_FOR_NAMES, GAP, MIN_NAME_WIDTH, Named, PREFERRED_PLACE, Places, ScreenNames,
};
use super::{columns, titles, write_end, write_name};
use crate::render::colour::Paint;
use crate::render::columns::{Column, Show, not_shown_text};
use crate::render::header::{HEADER_GAP, RenamedName, long_name, write_renamed};
use crate::render::measure::Figures;
use crate::render::shorten::{elide_end, elide_folders, width};
use crate::render::{Report, Style, escaped_text, write_spaces};
use crate::view::{Series, Total};

/// The title of the column of the largest steps.
const STEP: &str = "largest step";

/// The mark of a profile that is known to be damaged, behind its label.
const DAMAGED: &str = "!";

/// What the mark means.
const DAMAGED_NOTE: &str = "! a damaged profile: its costs may be too small";

/// A column of the table.
struct SeriesColumn {
    /// The side; none for the largest steps.
    side: Option<usize>,
    heading: String,
    /// The texts of the total and of the rows.
    texts: Vec<String>,
    width: usize,
}

impl SeriesColumn {
    fn new(side: Option<usize>, heading: String, texts: Vec<String>) -> SeriesColumn {
        let widest = texts.iter().map(|text| width(text)).max().unwrap_or(0);
        SeriesColumn { side, width: widest.max(width(&heading)), heading, texts }
    }

    fn write(
        &self,
        text: &str,
        style: Style<'_>,
        paint: Paint,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let spaces = self.width - width(text);
        let is_step = self.side.is_none();
        write_spaces(if is_step { GAP } else { spaces }, out)?;
        paint.around(style.colours, out, |out| out.write_all(text.as_bytes()))?;
        write_spaces(if is_step { spaces } else { GAP }, out)
    }
}

/// Writes the header: the command, the event and the number of profiles, and with `has_sparkline`
/// the course of the total. `files` has the names of the files by side, if they are wanted.
pub fn write_series_header(
    command: &[u8],
    total: &Total,
    has_sparkline: bool,
    files: &[Vec<u8>],
    renamed: &[RenamedName],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(series) = style.series else {
        return Ok(());
    };
    let room = style.width.unwrap_or(usize::MAX);
    let event = style.first_event();
    let what = event.map_or_else(String::new, |event| {
        let name = style.events.name(event);
        let long = long_name(style.events, name)
            .map_or_else(String::new, |long| format!(" ({})", escaped_text(long, true)));
        escaped_text(name, true) + &long
    });
    let profiles = format!("{what}, {} profiles", series.len());
    let line = event.filter(|_| has_sparkline).map(|event| sparkline(series, total, event));
    let command = escaped_text(command, style.escapes);
    let rest = [profiles].into_iter().chain(line).collect::<Vec<String>>().join(HEADER_GAP);
    let left = room.saturating_sub(width(&rest) + HEADER_GAP.len()).max(MIN_NAME_WIDTH);
    let fitting = elide_end(&elide_folders(&command, left), left);
    let texts: Vec<String> = [fitting, rest].into_iter().filter(|text| !text.is_empty()).collect();
    writeln!(out, "{}", elide_end(&texts.join(HEADER_GAP), room))?;
    let labels: Vec<String> =
        series.sides().map(|side| escaped_text(series.label(side).as_bytes(), true)).collect();
    let widest = labels.iter().map(|label| width(label)).max().unwrap_or(0);
    for (label, files) in labels.iter().zip(files.iter().rev()) {
        let spaces = widest - width(label) + GAP;
        writeln!(out, "{label}{:spaces$}{}", "", escaped_text(files, style.escapes))?;
    }
    write_renamed(renamed, false, style, out)?;
    writeln!(out)
}

/// The heights of a sparkline.
const BARS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];

/// The course of the total of an event: a bar a profile, from the lowest for the smallest to the
/// highest for the largest, and a blank for a profile without the event.
fn sparkline(series: &Series, total: &Total, event: usize) -> String {
    let is_ratio = series.is_ratio(event);
    let value = |side: usize| {
        let count = *total.sides.get(side)?.get(event)?;
        let number = if is_ratio { count.ratio().unwrap_or(0.0) } else { count.or_zero() as f64 };
        series.has_event(side, event).then_some(number)
    };
    let values: Vec<Option<f64>> = series.sides().map(value).collect();
    let known = values.iter().flatten().copied();
    let least = known.clone().fold(f64::INFINITY, f64::min);
    let most = known.fold(f64::NEG_INFINITY, f64::max);
    let bar = |value: &Option<f64>| {
        value.map_or(' ', |value| {
            let part = if most > least { (value - least) / (most - least) } else { 0.0 };
            let height = (part * (BARS.len() - 1) as f64).round() as usize;
            BARS.get(height).copied().unwrap_or(BARS[0])
        })
    };
    values.iter().map(bar).collect()
}

/// Writes the list, below the totals of all profiles.
pub fn write_series(report: &Report<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let style = report.style;
    let (Some(series), Some(event)) = (style.series, style.first_event()) else {
        return Ok(());
    };
    let rows: Vec<_> = report.list.lines(&report.rows).collect();
    let lines: Vec<Figures<'_>> = rows.iter().map(|row| report.figures(row)).collect();
    let totals = report.total.table();
    let of_total = Figures::of_total(report.total, &totals);
    let columns = all_columns(&report.columns.all, &of_total, &lines, series, style);
    let named: Vec<Named> = rows.iter().map(|row| report.named_row(row)).collect();
    let names = ScreenNames::new(
        named.iter().map(|named| (0, named)),
        report.rows.names.is_short,
        style.names,
    );
    let step_of = |figures: &Figures<'_>| {
        let step = report.columns.all.iter().find(|column| column.show == Show::Step)?;
        step.cell(figures, &step.style(style)).step_side()
    };
    let increase =
        report.columns.all.iter().find(|column| column.show == Show::Step).map(|column| {
            let style = column.style(style);
            (column.increase(&of_total, series, &style), style)
        });
    let around = step_of(&of_total).or_else(|| lines.iter().find_map(step_of));
    let table = Fitting::new(&columns, &names, around, series, style);
    let [title, place_title] = titles(report.rows.row_by);
    let texts = names.within(table.room, table.places, title);
    write_lines(&table.columns, &texts, [title, place_title], style, out)?;
    let not_shown: Vec<String> = columns
        .iter()
        .filter(|column| !table.columns.iter().any(|shown| shown.side == column.side))
        .map(|column| column.heading.clone())
        .collect();
    let mut notes = Vec::new();
    if let Some((increase, style)) = &increase
        && increase.step_side().is_some()
    {
        notes.push(format!("largest increase of the total: {}", increase.labelled_text(style)));
    }
    if !not_shown.is_empty() {
        let labels = not_shown.join(", ");
        notes.push(format!("not shown: {labels}: --width={}", table.wanted));
    }
    let others = style.shown.iter().filter(|&&shown| shown != event);
    notes.extend(not_shown_text(others.map(|&event| (style.events.name(event), String::new()))));
    if series.sides().any(|side| series.is_damaged(side)) {
        notes.push(DAMAGED_NOTE.to_owned());
    }
    notes.extend(report.estimated_notes());
    write_end(report, notes, &[], out)
}

/// The columns of all profiles and of the largest steps.
fn all_columns(
    chosen: &[Column],
    total: &Figures<'_>,
    lines: &[Figures<'_>],
    series: &Series,
    style: Style<'_>,
) -> Vec<SeriesColumn> {
    let of_column = |column: &Column| {
        let figures = || std::iter::once(total).chain(lines);
        let Show::Side(side) = column.show else {
            let texts = figures().map(|of| column.text(of, style));
            return SeriesColumn::new(None, STEP.to_owned(), texts.collect());
        };
        let mark = if series.is_damaged(side) { DAMAGED } else { "" };
        let heading = escaped_text(series.label(side).as_bytes(), true) + mark;
        let texts = figures().map(|of| columns::text(*column, of, style).to_string());
        SeriesColumn::new(Some(side), heading, texts.collect())
    };
    chosen.iter().map(of_column).collect()
}

/// The columns that fit, and the room for names.
struct Fitting<'c> {
    columns: Vec<&'c SeriesColumn>,
    places: Places,
    room: Option<usize>,
    /// The width in which all columns fit.
    wanted: usize,
}

impl<'c> Fitting<'c> {
    /// `around` is the side of the largest step.
    fn new(
        columns: &'c [SeriesColumn],
        names: &ScreenNames<'_>,
        around: Option<usize>,
        series: &Series,
        style: Style<'_>,
    ) -> Fitting<'c> {
        let all: Vec<usize> = series.sides().collect();
        let ends: Vec<usize> = all.iter().copied().filter(|&side| is_end(side, &all)).collect();
        let is_kept = |side: &usize| {
            let is_around = around.is_some_and(|step| *side == step || *side == step + 1);
            is_end(*side, &all) || is_around
        };
        let few: Vec<usize> = all.iter().copied().filter(is_kept).collect();
        let last: Vec<usize> = all.iter().rev().take(1).copied().collect();
        let of = |sides: &[usize]| -> Vec<&'c SeriesColumn> {
            let is_shown =
                |column: &&SeriesColumn| column.side.is_none_or(|of| sides.contains(&of));
            columns.iter().filter(is_shown).collect()
        };
        let width_of = |columns: &[&SeriesColumn]| -> usize {
            columns.iter().map(|column| column.width + GAP).sum::<usize>() + GAP
        };
        let wanted = |sides: &[usize], places: Places, name: usize| {
            let place = match names.widest_place(places).min(PREFERRED_PLACE) {
                0 => 0,
                place => place + GAP,
            };
            width_of(&of(sides)) + names.widest.max(TOTAL.len()).min(name) + place
        };
        let steps = [
            (&all, Places::Full, ENOUGH_FOR_NAMES),
            (&all, Places::Files, ENOUGH_FOR_NAMES),
            (&all, Places::Basenames, ENOUGH_FOR_NAMES),
            (&all, Places::None, ENOUGH_FOR_NAMES),
            (&few, Places::Files, ENOUGH_FOR_NAMES),
            (&few, Places::Basenames, ENOUGH_FOR_NAMES),
            (&few, Places::None, MIN_NAME_WIDTH),
            (&ends, Places::None, MIN_NAME_WIDTH),
            (&last, Places::None, MIN_NAME_WIDTH),
        ];
        let fits = |&&(sides, places, name): &&(&Vec<usize>, Places, usize)| {
            style.width.is_none_or(|width| wanted(sides, places, name) <= width)
        };
        let (sides, places, _) = steps.iter().find(fits).copied().unwrap_or(steps[steps.len() - 1]);
        let shown = of(sides);
        Fitting {
            room: style.width.map(|width| width.saturating_sub(width_of(&shown))),
            places,
            wanted: wanted(&all, Places::Basenames, ENOUGH_FOR_NAMES),
            columns: shown,
        }
    }
}

/// Whether a side is that of the first or the last profile.
fn is_end(side: usize, all: &[usize]) -> bool {
    all.first() == Some(&side) || all.last() == Some(&side)
}

/// The name of the line of totals.
const TOTAL: &str = "total";

fn write_lines(
    columns: &[&SeriesColumn],
    names: &super::names::NameTexts,
    [title, place_title]: [&str; 2],
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let has_places = names.texts.iter().any(|(_, place)| !place.is_empty());
    let mut heading = Vec::new();
    for column in columns {
        column.write(
            &column.heading,
            Style { colours: false, ..style },
            Paint::Plain,
            &mut heading,
        )?;
    }
    // The gap before names is that of the last column.
    write_spaces(GAP, &mut heading)?;
    heading.extend(title.as_bytes());
    if has_places {
        write_spaces(names.width.saturating_sub(title.len()) + GAP, &mut heading)?;
        heading.extend(place_title.as_bytes());
    }
    Paint::Dim.around(style.colours, out, |out| out.write_all(heading.trim_ascii_end()))?;
    writeln!(out)?;
    let total = (TOTAL.to_owned(), String::new());
    for (number, (name, place)) in std::iter::once(&total).chain(&names.texts).enumerate() {
        for column in columns {
            column.write(&column.texts[number], style, Paint::Plain, out)?;
        }
        write_spaces(GAP, out)?;
        let paint = if number == 0 { Paint::Plain } else { Paint::Function };
        write_name(name, place, names.width, [paint, Paint::File], style, out)?;
    }
    Ok(())
}
