//! Columns of costs before a text, as callgrind_annotate's page, sources and instructions have
//! them: their widths, and the writing of their names and cells.

use std::io::{self, Write};

use super::cell::{Cell, GONE};
use super::chosen::cost_columns;
use super::colour::Paint;
use super::columns::{Column, Show, not_shown_text};
use super::measure::Figures;
use super::number::{NumberText, PERCENTAGE_WIDTH};
use super::shorten::{elide_end_of_bytes, in_words};
use super::{Report, Style, write_escaped, write_rule, write_spaces};
use crate::profile::Count;
use crate::view::{CostFigure, Extent, Figure};

const EXECUTED: &str = "Executed";

/// The number of spaces after it.
const EXECUTED_GAP: usize = 2;

/// The width of the column of executions, whose widest number has this width, with the spaces after
/// it.
pub(super) fn executed_width(widest: usize) -> usize {
    widest.max(EXECUTED.len()) + EXECUTED_GAP
}

pub(super) struct CostColumns<'a> {
    pub(super) style: Style<'a>,
    /// The columns of costs.
    columns: Vec<TextColumn<'a>>,
    /// The width of the column of executions after the others; 0 if they are not shown.
    pub(super) executed: usize,
    /// The events that do not fit, the last one first.
    not_shown: Vec<usize>,
    /// The least and the largest count of each event, unless sides are compared.
    extent: Option<Extent>,
}

/// A column, the style of its counts, and its width.
struct TextColumn<'a> {
    column: Column,
    style: Style<'a>,
    width: usize,
}

impl<'a> CostColumns<'a> {
    /// Columns that are wide enough for their names.
    fn of_columns(columns: &[Column], style: Style<'a>) -> CostColumns<'a> {
        let column = |column: &Column| TextColumn {
            column: *column,
            style: column.style(style),
            width: column.name(style).len(),
        };
        CostColumns {
            style,
            columns: columns.iter().map(column).collect(),
            executed: 0,
            not_shown: Vec::new(),
            extent: None,
        }
    }

    /// Columns of costs, wide enough for the names of the events and these costs.
    fn new<'c>(style: Style<'a>, costs: impl Iterator<Item = CostFigure<'c>>) -> CostColumns<'a> {
        let mut table = CostColumns::of_columns(&cost_columns(style), style);
        // The longest ratios are the smallest ones.
        if style.difference.is_some() || !style.ratios.is_empty() {
            costs.for_each(|cost| table.include(&Figures::of_cost(cost)));
        } else {
            let mut extent = Extent::new(style.events.len());
            costs.for_each(|cost| extent.include(cost.value));
            table.include_extent(&extent);
            table.extent = Some(extent);
        }
        table
    }

    /// Makes the columns wide enough for a line. Those of costs have room for marks, and for
    /// percentages in their place.
    fn include(&mut self, figures: &Figures<'_>) {
        let unmarked = Figures { cost: figures.cost.map(|cost| cost.marked(None)), ..*figures };
        for TextColumn { column, style, width } in &mut self.columns {
            let (figures, min) = match (column.cost_event(), column.show) {
                (Some(_), Show::Percent | Show::Mark) => (&unmarked, GONE.len()),
                _ => (figures, 0),
            };
            let cell = column.cell(figures, style);
            let text = cell.text(style).len() - cell.overhang();
            *width = text.max(min).max(*width);
        }
    }

    /// Makes the columns wide enough for the counts of lines that are not compared.
    fn include_extent(&mut self, extent: &Extent) {
        let costs = self.columns.iter_mut();
        for of in costs.filter(|of| of.column.cost_event().is_some()) {
            let ends = extent.0[of.column.event].map(|(low, high)| [low, high]);
            for end in ends.into_iter().flatten() {
                let text = Cell::Count(Count::new(end)).text(&of.style);
                of.width = of.width.max(text.len() + of.share());
            }
        }
    }

    /// Columns of costs that leave three fifths of the width without the `other` columns to the
    /// text after them, or two if events were selected: other events than the first lose their
    /// percentages, then events are left out: those of which all texts have least, or of selected
    /// ones the last.
    pub(super) fn within_width<'c>(
        style: Style<'a>,
        other: usize,
        costs: impl Iterator<Item = CostFigure<'c>>,
    ) -> CostColumns<'a> {
        let mut table = CostColumns::new(style, costs);
        let Some(width) = style.width else {
            return table;
        };
        let fifths = if style.has_requested_events() { 3 } else { 2 };
        let room = width.saturating_sub(other) * fifths / 5;
        if table.indent() > room {
            let first = table.columns.first().and_then(|first| first.column.cost_event());
            let others = table.columns.iter_mut();
            for column in others.filter(|column| column.column.cost_event() != first) {
                let name = column.column.name(style).len();
                column.width = column.width.saturating_sub(column.share()).max(name);
                column.style.percentages = false;
            }
        }
        while table.indent() > room
            && let Some(at) = table.least_important()
        {
            let column = table.columns.remove(at);
            table.not_shown.extend(column.column.cost_event());
        }
        if !style.has_requested_events() {
            table.not_shown.sort_unstable_by_key(|&event| std::cmp::Reverse(event));
        }
        table
    }

    /// The column that is left out first, which is not of the first event: the last one, or unless
    /// events were selected that of the event of which no line has as large a share.
    fn least_important(&self) -> Option<usize> {
        let first = self.columns.first().and_then(|first| first.column.cost_event());
        let mut others = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.column.cost_event() != first)
            .map(|(at, column)| (at, column.column.event));
        let Some(extent) = self.extent.as_ref().filter(|_| !self.style.has_requested_events())
        else {
            return others.next_back().map(|(at, _)| at);
        };
        let share = |event: usize| {
            let (low, high) = extent.0[event].unwrap_or_default();
            let largest = low.unsigned_abs().max(high.unsigned_abs());
            largest as f64 / self.style.total[event].or_zero().unsigned_abs().max(1) as f64
        };
        let by_share = |a: &(usize, usize), b: &(usize, usize)| {
            share(a.1).total_cmp(&share(b.1)).then(b.0.cmp(&a.0))
        };
        others.min_by(by_share).map(|(at, _)| at)
    }

    pub(super) fn of_one(style: Style<'a>, figure: CostFigure<'_>) -> CostColumns<'a> {
        // The total is always 100% of itself.
        let colours = style.colours && style.difference.is_some();
        CostColumns::new(Style { colours, ..style }, [figure].into_iter())
    }

    /// The table of a list: wide enough for all rows that may be listed.
    pub(super) fn of_list(report: &Report<'a, '_>) -> CostColumns<'a> {
        let (list, style) = (&report.list, report.style);
        let mut table = CostColumns::of_columns(&report.columns.all, style);
        table.include_extent(&list.extent);
        if !style.ratios.is_empty() {
            list.figures().for_each(|(cost, _)| table.include(&Figures::of_cost(cost)));
        }
        table
    }

    fn not_shown(&self) -> Option<String> {
        let names = self.not_shown.iter().rev().map(|&event| self.style.events.name(event));
        not_shown_text(names.map(|name| (name, String::new())))
    }

    /// Writes the names of the columns before a text, and a note on events that do not fit.
    pub(super) fn write_heading_of_text(&self, out: &mut impl Write) -> io::Result<()> {
        if self.style.is_columns {
            writeln!(out)?;
            if let Some(text) = self.not_shown() {
                let width = self.style.width.unwrap_or(usize::MAX);
                writeln!(out, "{}\n", in_words(&text, width).join("\n"))?;
            }
        }
        let width = self.executed.saturating_sub(EXECUTED_GAP);
        let executed = if width > 0 { EXECUTED } else { "" };
        let names = self.names(&format!("{executed:>width$}"))?;
        let (heading, paint) = if self.style.is_columns {
            let room = self.style.width.unwrap_or(usize::MAX);
            (elide_end_of_bytes(names.trim_ascii_end(), room), Paint::Dim)
        } else {
            (names, Paint::Plain)
        };
        paint.around(self.style.colours, out, |out| out.write_all(&heading))?;
        writeln!(out)?;
        if self.style.is_columns { Ok(()) } else { writeln!(out) }
    }

    /// The names of the columns, and the title of what is after them.
    fn names(&self, title: &str) -> io::Result<Vec<u8>> {
        let mut names = Vec::new();
        for (at, TextColumn { column, width, .. }) in self.columns.iter().enumerate() {
            let name = column.name(self.style);
            let spaces = width.saturating_sub(name.len());
            let (before, after) = if self.style.difference.is_some() || self.style.is_columns {
                (spaces, 0)
            } else {
                (0, spaces)
            };
            write_spaces(before, &mut names)?;
            write_escaped(&name, self.style.escapes, &mut names)?;
            write_spaces(after + self.gap(at), &mut names)?;
        }
        names.extend(title.as_bytes());
        if title.is_empty() {
            names.pop();
        }
        Ok(names)
    }

    /// Writes the names of the columns and the title of the rows between two rules. A total has no
    /// title.
    pub(super) fn write_heading(&self, title: &str, out: &mut impl Write) -> io::Result<()> {
        write_rule(self.style, out)?;
        out.write_all(&self.names(title)?)?;
        writeln!(out)?;
        write_rule(self.style, out)
    }

    /// The number of spaces after a column.
    fn gap(&self, at: usize) -> usize {
        let is_cost =
            |at: usize| self.columns.get(at).is_some_and(|of| of.column.cost_event().is_some());
        if is_cost(at + 1) { 1 } else { 2 }
    }

    pub(super) fn write_cost(
        &self,
        figure: CostFigure<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.write_figures(&Figures::of_cost(figure), out)
    }

    /// Writes the cells of a line, with two spaces after the last one.
    pub(super) fn write_figures(
        &self,
        figures: &Figures<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let paint = |column: Column| match (column.show, column.cost_event(), figures.cost) {
            (Show::Side(_), ..) => Paint::Plain,
            (_, Some(event), Some(cost)) => self.style.paint(cost.value[event], event),
            _ => Paint::Plain,
        };
        for (at, column) in self.columns.iter().enumerate() {
            let cell = column.column.cell(figures, &column.style);
            column.write(cell, self.gap(at), || paint(column.column), out)?;
        }
        Ok(())
    }

    pub(super) fn write_nothing(&self, out: &mut impl Write) -> io::Result<()> {
        let nothing = vec![Count::UNDEFINED; self.style.events.len()];
        self.write_cost(Figure::plain(&nothing), out)
    }

    /// Writes the cell of executions, if they are shown. Other lines such as calls have an empty
    /// one.
    pub(super) fn write_executed(&self, text: &str, out: &mut impl Write) -> io::Result<()> {
        match self.executed {
            0 => Ok(()),
            width => write!(out, "{text:>0$}  ", width - EXECUTED_GAP),
        }
    }

    /// The width of everything before a label.
    pub(super) fn indent(&self) -> usize {
        let columns = self.columns.iter().enumerate().map(|(at, of)| of.width + self.gap(at));
        columns.sum::<usize>() + self.executed
    }
}

impl TextColumn<'_> {
    /// The width of the percentages after counts.
    fn share(&self) -> usize {
        let has_share = self.column.show == Show::CountAndShare && self.style.percentages;
        if has_share { PERCENTAGE_WIDTH } else { 0 }
    }

    /// Writes a right-aligned cell and the spaces after it.
    #[inline]
    fn write(
        &self,
        cell: Cell,
        gap: usize,
        paint: impl FnOnce() -> Paint,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut text = NumberText::new();
        cell.prepend_to(&mut text, &self.style);
        let spaces = self.width.saturating_sub(text.len() - cell.overhang());
        if self.style.colours {
            write_spaces(spaces, out)?;
            paint().around(true, out, |out| out.write_all(text.as_bytes()))?;
            return write_spaces(gap, out);
        }
        write_spaces(text.prepend_spaces(spaces), out)?;
        out.write_all(text.with_spaces_after(gap))
    }
}
