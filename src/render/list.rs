//! The list of rows, with or without the call tree, and the program's total above it.

use std::io::{self, Write};
use std::ops::Range;

use crate::profile::Count;
use crate::render::colour::Paint;
use crate::render::columns::{Figures, ListColumn};
use crate::render::parallel::write_rows;
use crate::render::table::Table;
use crate::render::{
    ObjectStyle, Style, counted, escaped_bytes, escaped_text, percentage, with_commas, write_label,
    write_spaces,
};
use crate::view::{
    CallLine, CallTree, Cycles, FigureTable, GroupPlace, Inclusive, Item, Label, LineKey, List,
    ListRow, MAX_PATH_ROWS, NestedList, NestedOf, NestedRow, Omission, Omitted, PathDirection,
    PathLine, PathTree, PathTrees, Rows, Selection, ShownLine, Total,
};

/// Which calls the tree shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// None: a plain list.
    #[default]
    None,
    Caller,
    Calling,
    Both,
}

impl Tree {
    /// Whether it shows the callers of rows, or their callees.
    pub(super) fn has(self, direction: PathDirection) -> bool {
        match self {
            Tree::None => false,
            Tree::Caller => direction == PathDirection::Callers,
            Tree::Calling => direction == PathDirection::Callees,
            Tree::Both => true,
        }
    }
}

/// The calls to show around rows.
pub struct TreeCalls<'c> {
    pub tree: Tree,
    pub calls: CallTree,
    pub selection: &'c Selection,
    /// Callers and callees over several levels, in place of the direct ones.
    pub paths: Option<PathTrees<'c, 'c>>,
}

/// The trees of callers and of callees of an item over several levels.
pub(super) type ItemPaths = Vec<(PathDirection, PathTree)>;

/// What is before a caller or a callee.
pub(super) fn path_sign(direction: PathDirection) -> &'static str {
    match direction {
        PathDirection::Callers => "< ",
        PathDirection::Callees => "> ",
    }
}

impl TreeCalls<'_> {
    /// The trees over several levels, if they are requested.
    pub(super) fn paths(&self, item: Item) -> ItemPaths {
        let Some(paths) = &self.paths else {
            return Vec::new();
        };
        let directions = [PathDirection::Callers, PathDirection::Callees].into_iter();
        let shown = directions.filter(|&direction| self.tree.has(direction));
        let trees = shown.map(|direction| (direction, paths.tree(direction, item)));
        trees.collect()
    }

    pub(super) fn calls<'c, 'p>(
        &'c self,
        direction: PathDirection,
        item: Item,
        rows: &Rows<'p>,
    ) -> Vec<CallLine<'c, 'p>> {
        match self.tree.has(direction) {
            true => self.calls.calls(direction, item, rows, self.selection),
            false => Vec::new(),
        }
    }
}

pub fn write_total(total: &Total, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    let total_cost = total.figure.counts();
    let table = Table::of_one(style, total_cost);
    table.write_heading("", out)?;
    table.write_cost(total_cost, out)?;
    let calculated = match total.is_calculated {
        true => " (calculated)",
        false => "",
    };
    writeln!(out, "PROGRAM TOTALS{calculated}\n")
}

pub fn write_no_difference(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "The profiles are identical.\n")
}

/// A list with what is shown of its rows, around them and below them.
#[derive(Clone, Copy)]
pub struct Listed<'a, 'p> {
    /// What is listed, in order.
    pub list: &'a List,
    /// Its rows.
    pub rows: &'a Rows<'p>,
    /// That of the program.
    pub total: &'a Total,
    /// What came of the limits of a difference, a line each.
    pub verdicts: &'a [String],
    /// The self costs of rows; none where they have only the cost that the list is about.
    pub own: Option<&'a FigureTable>,
    /// The inclusive costs of rows and cycles, if they are shown.
    pub inclusive: Option<&'a Inclusive<'a>>,
    /// The requested columns; if empty, those that the format has.
    pub columns: &'a [ListColumn],
    /// Callers and callees.
    pub tree: Option<&'a TreeCalls<'a>>,
    /// What is nested in rows.
    pub nested: Option<&'a NestedList<'a>>,
}

impl<'a> Listed<'a, '_> {
    /// The figures of a row. A cycle as a whole has no cost in addition to that of its members.
    pub(super) fn figures<'l>(&self, row: &ListRow<'l, '_>) -> Figures<'l>
    where
        'a: 'l,
    {
        let cost = match (self.own, row.item) {
            (None, _) => Some(row.cost),
            (Some(own), Item::Row(id)) => Some(own.get(id.index()).marked(row.cost.mark())),
            (Some(_), Item::Cycle(_)) => None,
        };
        let inclusive = self.inclusive;
        Figures {
            cost,
            inclusive: inclusive.and_then(|inclusive| inclusive.of_item(row.item)),
            calls: row.calls,
        }
    }

    pub(super) fn below(&self, position: usize) -> &'a [NestedRow<'a>] {
        let nested = self.nested.map(|nested| nested.below(position));
        nested.unwrap_or_default()
    }
}

/// Writes the list.
pub fn write_functions(
    listed: &Listed<'_, '_>,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let (list, rows) = (listed.list, listed.rows);
    let extent = listed.nested.map_or(&list.extent, |nested| &nested.extent);
    let table = Table::of_list(style, list, extent);
    table.write_heading(rows.row_by.title(), out)?;
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        for (position, row) in positions.clone().zip(list.lines_at(positions, rows)) {
            if let Some(tree) = listed.tree {
                write_tree(&row, tree, rows, &table, out)?;
                continue;
            }
            write_row(&row, "", &table, out)?;
            write_nested(listed.below(position), &table, out)?;
        }
        Ok(())
    };
    write_rows(list.items.len(), write, out)?;
    if let Some(omitted) = list.omitted.as_ref().filter(|omitted| omitted.is_shown()) {
        let lines = omitted_lines(omitted, style);
        if !lines.is_empty() {
            writeln!(out)?;
        }
        for line in lines {
            out.write_all(&line)?;
            writeln!(out)?;
        }
    }
    writeln!(out)
}

/// Writes a row with its callers and callees.
fn write_tree(
    row: &ListRow<'_, '_>,
    tree: &TreeCalls<'_>,
    rows: &Rows<'_>,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let figures = row_figures(row);
    let write_calls = |lines: Vec<CallLine<'_, '_>>, sign, out: &mut _| {
        lines.iter().try_for_each(|line| {
            let figures = figures.of_call(line.cost, None);
            let label = (&line.label, Some(line.count));
            table.write_line(&figures, sign, label, ObjectStyle::Known, out)
        })
    };
    out.write_all(b"\n")?;
    if tree.paths.is_some() {
        write_row(row, "*  ", table, out)?;
        return write_path_trees(
            &tree.paths(row.item),
            (row.item, &figures),
            rows,
            table,
            out,
        );
    }
    write_calls(
        tree.calls(PathDirection::Callers, row.item, rows),
        "< ",
        out,
    )?;
    write_row(row, "*  ", table, out)?;
    write_calls(
        tree.calls(PathDirection::Callees, row.item, rows),
        ">   ",
        out,
    )
}

fn row_figures<'l>(row: &ListRow<'l, '_>) -> Figures<'l> {
    Figures {
        calls: row.calls,
        ..Figures::of_cost(row.cost)
    }
}

fn write_row(
    row: &ListRow<'_, '_>,
    sign: &str,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let figures = row_figures(row);
    table.write_line(&figures, sign, (&row.label, None), ObjectStyle::Named, out)
}

/// Writes the number of functions in call cycles, if there are any.
pub fn write_cycles(cycles: &Cycles, out: &mut impl Write) -> io::Result<()> {
    let functions = cycles.members().map(<[_]>::len).sum::<usize>();
    match cycles.len() {
        0 => Ok(()),
        1 => writeln!(out, "{functions} functions form a call cycle, <cycle 1>.\n"),
        count => writeln!(
            out,
            "{functions} functions form {count} call cycles, <cycle 1> to <cycle {count}>.\n"
        ),
    }
}

/// What the list omits, a line each: in percent of the first sort event, or of a difference on both sides.
pub(super) fn omitted_lines(omitted: &Omitted, style: Style<'_>) -> Vec<Vec<u8>> {
    let sorted = style.sorted.or(style.shown.first().copied());
    let Some(event) = sorted else {
        return Vec::new();
    };
    let mut name = escaped_bytes(style.events.name(event), style.escapes);
    if omitted.are_inclusive {
        name.extend(b" by self cost");
    }
    let texts = Texts { event, name, style };
    let mut lines = Vec::new();
    let more = &omitted.more;
    if more.rows > 0 {
        let text = format!("{} not listed", counted(more.rows, "more row"));
        lines.push(line(text, &texts.cost(more), ")"));
    }
    let unchanged = omitted.unchanged.as_ref();
    if let Some(unchanged) = unchanged.filter(|unchanged| unchanged.rows > 0) {
        let text = format!("{} without a change", counted(unchanged.rows, "row"));
        let sides = unchanged.cost.sides();
        let base = sides.map_or(0, |(base, _)| base[event].or_zero());
        let end = format!(" {})", style.unsigned(base));
        lines.push(line(text, &texts.name, &end));
    }
    if let Some(chosen) = &omitted.chosen {
        lines.push(texts.of_filters(chosen, &omitted.not_chosen));
    }
    lines
}

/// Writes numbers of rows and their cost of one event.
struct Texts<'s> {
    event: usize,
    name: Vec<u8>,
    style: Style<'s>,
}

impl Texts<'_> {
    fn percent(&self, omission: &Omission) -> String {
        let (cost, total) = (&omission.cost.value, &self.style.total);
        let percent = percentage(cost[self.event], total[self.event]);
        percent.map_or_else(|| "0.00".to_owned(), |text| text.trim_start().to_owned())
    }

    fn cost(&self, omission: &Omission) -> Vec<u8> {
        let figure = omission.cost.counts().event(self.event);
        let (before, after) = match figure.compared {
            None => (format!("{}% of ", self.percent(omission)), String::new()),
            Some(sides) => {
                let sides = [sides.base, sides.new];
                let [base, new] = sides.map(|side| self.style.unsigned(side.or_zero()));
                let change = self.style.count(Count::new(figure.value.or_zero()), true);
                (String::new(), format!(" {base} -> {new} {change}"))
            }
        };
        [before.as_bytes(), &self.name, after.as_bytes()].concat()
    }

    fn of_filters(&self, chosen: &Omission, others: &Omission) -> Vec<u8> {
        let verb = match chosen.rows {
            1 => "row matches",
            _ => "rows match",
        };
        let text = format!("filters: {} {verb}", with_commas(chosen.rows));
        let not_chosen = format!("), {} filtered out", with_commas(others.rows));
        let is_difference = self.style.difference.is_some();
        // In columns what matches is added up, and the rest is of no interest.
        if self.style.is_columns {
            let count = chosen.cost.value[self.event].or_zero();
            let sum = match is_difference {
                true => self.cost(chosen),
                false => {
                    let (count, percent) = (self.style.unsigned(count), self.percent(chosen));
                    [
                        count.as_bytes(),
                        b" ",
                        &self.name,
                        b", ",
                        percent.as_bytes(),
                        b"%",
                    ]
                    .concat()
                }
            };
            return line(text, &sum, &not_chosen);
        }
        let cost = match is_difference {
            false => format!("{}%", self.percent(others)).into_bytes(),
            true => self.cost(others),
        };
        let end = line(not_chosen, &cost, ")");
        [line(text, &self.cost(chosen), ""), end].concat()
    }
}

fn line(text: String, cost: &[u8], end: &str) -> Vec<u8> {
    [text.as_bytes(), b" (", cost, end.as_bytes()].concat()
}

/// How far a line is to the right of the one that it is nested in, or above it in a tree.
pub(super) const INDENT: usize = 2;

/// Writes what is nested in a row, a line each.
pub(super) fn write_nested(
    nested: &[NestedRow<'_>],
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for row in nested {
        table.write_cost(row.cost.counts(), out)?;
        write_spaces(INDENT * (row.level + 1), out)?;
        write_name(&row.of, table.style, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_name(of: &NestedOf<'_>, style: Style<'_>, out: &mut impl Write) -> io::Result<()> {
    match of {
        NestedOf::Function(label) => {
            let style = Style {
                colours: false,
                ..style
            };
            write_label(label, None, ObjectStyle::Named, style, out)
        }
        NestedOf::File(name) => {
            let name = escaped_text(name, style.escapes);
            Paint::File.around(style.colours, out, |out| out.write_all(name.as_bytes()))
        }
        NestedOf::Line(line) => {
            out.write_all(line_text(line).as_bytes())?;
            let source = line.source.as_ref();
            let source = source.map(|source| escaped_text(source, style.escapes));
            source.map_or(Ok(()), |source| write!(out, "  {source}"))
        }
        NestedOf::More(count, what) => write!(out, "({})", more_text(*count, what)),
    }
}

/// The number of a line, as behind the name of its file.
pub(super) fn line_text(line: &ShownLine) -> String {
    match line.key {
        LineKey { new: 0, removed: 0 } => "(unknown line)".to_owned(),
        LineKey { new, removed: 0 } => format!(":{new}"),
        LineKey { removed, .. } => format!(":{removed} (removed)"),
    }
}

/// How many are not shown.
pub(super) fn more_text(count: usize, what: &str) -> String {
    counted(count, &format!("more {what}"))
}

/// Writes the requested trees of a row.
pub(super) fn write_path_trees(
    trees: &ItemPaths,
    (item, figures): (Item, &Figures<'_>),
    rows: &Rows<'_>,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for (direction, tree) in trees {
        let items = tree.lines.iter().flat_map(|line| &line.rows);
        let mut items: Vec<Item> = items.map(|&row| Item::Row(row)).collect();
        items.push(item);
        let labels = rows.labels_of(&items);
        let mut labels = labels.into_iter();
        for line in &tree.lines {
            let labels = labels.by_ref().take(line.rows.len());
            let figures = figures.of_call(line.cost.counts(), None);
            write_line(*direction, line, labels, (&figures, table), out)?;
        }
        if tree.is_cut {
            let rows = with_commas(MAX_PATH_ROWS);
            write_spaces(table.indent() + 3, out)?;
            writeln!(out, "(more than {rows} rows: the rest is not shown)")?;
        }
    }
    Ok(())
}

fn write_line<'l>(
    direction: PathDirection,
    line: &PathLine,
    labels: impl Iterator<Item = Label<'l>>,
    (figures, table): (&Figures<'_>, &Table<'_>),
    out: &mut impl Write,
) -> io::Result<()> {
    table.write_figures(figures, out)?;
    let sign = path_sign(direction);
    let indent = 3 + INDENT * line.level;
    write!(out, "{:indent$}{sign}", "")?;
    let mut calls = line.calls;
    for (at, label) in labels.enumerate() {
        if at > 0 {
            write!(out, " {sign}")?;
        }
        let label = match (at, label) {
            // Of a chain the names are enough.
            (1.., Label::Function { name, .. }) => Label::Group {
                name,
                place: GroupPlace::default(),
            },
            (_, label) => label,
        };
        write_label(&label, calls.take(), ObjectStyle::Known, table.style, out)?;
    }
    writeln!(out)
}
