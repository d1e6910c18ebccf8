//! The list of rows, with or without the call tree, and the program's total above it.

use std::io::{self, Write};
use std::ops::Range;

use crate::profile::Count;
use crate::render::colour::Paint;
use crate::render::columns::{Figures, Measure};
use crate::render::parallel::write_rows;
use crate::render::table::Table;
use crate::render::{
    ObjectStyle, Style, counted, escaped_text, percentage, with_commas, write_label, write_spaces,
};
use crate::view::{
    CallLine, CallTree, Cost, Cycles, Figure, FigureTable, Inclusive, Label, LineKey, List,
    ListRow, MAX_PATH_ROWS, NestedList, NestedOf, NestedRow, Omission, Omitted, PathDirection,
    PathTrees, RowId, Rows, Selection, ShownLine, Total,
};

/// The calls that the tree shows, in order; empty for a plain list.
pub type Tree = &'static [PathDirection];

/// The calls to show around rows.
pub struct TreeCalls<'c> {
    pub tree: Tree,
    pub calls: CallTree,
    pub selection: &'c Selection,
    /// Callers and callees over several levels, instead of the direct ones.
    pub paths: Option<PathTrees<'c, 'c>>,
}

impl TreeCalls<'_> {
    /// The requested callers and callees of an item.
    fn of<'l>(&'l self, item: RowId, rows: &'l Rows<'_>) -> Vec<Calls<'l>> {
        let of = |&direction: &PathDirection| {
            let paths = self.paths.as_ref();
            let tree = paths.and_then(|paths| paths.tree(direction, item));
            let is_tree = tree.is_some();
            let (lines, is_cut) = match tree {
                Some(tree) => (tree.lines, tree.is_cut),
                None => {
                    let lines = self.calls.calls(direction, item, rows, self.selection);
                    (lines, false)
                }
            };
            let named = lines.iter().flat_map(CallLine::rows);
            // The names in a tree must differ from that of its row.
            let named: Vec<RowId> = named.chain(is_tree.then_some(item)).collect();
            Calls {
                role: Role::Call(direction, is_tree),
                labels: rows.labels_of(&named),
                lines,
                is_cut,
            }
        };
        self.tree.iter().map(of).collect()
    }
}

/// The callers or the callees of a row.
pub(super) struct Calls<'l> {
    pub(super) role: Role,
    lines: Vec<CallLine<'l>>,
    /// By line the label of its row, followed by those of its chain.
    labels: Vec<Label<'l>>,
    /// Whether rows are missing because there were too many.
    is_cut: bool,
}

impl<'l> Calls<'l> {
    fn is_of_callers(&self) -> bool {
        matches!(self.role, Role::Call(PathDirection::Callers, _))
    }

    pub(super) fn are_tree(&self) -> bool {
        matches!(self.role, Role::Call(_, true))
    }

    fn lines(&'l self, of_row: Figures<'l>) -> impl Iterator<Item = Line<'l>> {
        let mut labels = &self.labels[..];
        let lines = self.lines.iter().map(move |line| Line {
            role: self.role,
            level: line.level + 1,
            row: Some(line.row),
            what: What::Rows(labels.split_off(..1 + line.chain.len()).unwrap_or_default()),
            figures: of_row.of_call(line.cost(), line.count),
        });
        lines.chain(self.is_cut.then(|| {
            let rows = with_commas(MAX_PATH_ROWS);
            Line::text(1, format!("(more than {rows} rows: the rest is not shown)"))
        }))
    }
}

/// The kind of a line of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Row,
    /// A caller or a callee, and whether it is of a tree over several levels.
    Call(PathDirection, bool),
    /// A part of the row above, or a note in place of lines.
    Nested,
}

impl Role {
    /// The sign before the name.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Role::Call(PathDirection::Callers, _) => "< ",
            Role::Call(PathDirection::Callees, _) => "> ",
            _ => "",
        }
    }
}

pub(super) enum What<'l> {
    /// The label of a row, followed by those of its chain of single callers.
    Rows(&'l [Label<'l>]),
    Part(&'l NestedOf<'l>),
    Text(String),
}

/// A line of a list.
pub(super) struct Line<'l> {
    pub(super) role: Role,
    /// The number of levels that it is below its row.
    pub(super) level: usize,
    pub(super) row: Option<RowId>,
    pub(super) what: What<'l>,
    pub(super) figures: Figures<'l>,
}

impl<'l> Line<'l> {
    pub(super) fn text(level: usize, text: String) -> Line<'l> {
        Line {
            role: Role::Nested,
            level,
            row: None,
            what: What::Text(text),
            figures: Figures::default(),
        }
    }

    /// The labels of a row and its chain.
    pub(super) fn labels(&self) -> &'l [Label<'l>] {
        match self.what {
            What::Rows(labels) => labels,
            _ => &[],
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

/// A list with everything that is shown for its rows.
#[derive(Clone, Copy)]
pub struct Listed<'a, 'p> {
    /// The listed rows, in order.
    pub list: &'a List,
    pub rows: &'a Rows<'p>,
    /// The program's total.
    pub total: &'a Total,
    pub style: Style<'a>,
    /// The verdicts of the limits, one line each.
    pub verdicts: &'a [String],
    /// The self costs of rows if shown next to inclusive costs; otherwise rows only have the list's cost.
    pub own: Option<&'a FigureTable>,
    /// The inclusive costs of rows and cycles, if shown.
    pub inclusive: Option<&'a Inclusive<'a>>,
    /// The requested columns; if empty, the default ones of the format.
    pub columns: &'a [Measure],
    /// Callers and callees.
    pub tree: Option<&'a TreeCalls<'a>>,
    pub nested: Option<&'a NestedList<'a>>,
    /// The base name of the profiled program.
    pub program: Option<&'a [u8]>,
    /// Short suggestions of commands that show more.
    pub hints: &'a [String],
}

impl<'a> Listed<'a, '_> {
    /// The figures of a row; inclusive ones only next to self costs. A cycle has no self cost, because its members have
    /// it.
    pub(super) fn figures<'l>(&self, row: &ListRow<'l, '_>) -> Figures<'l>
    where
        'a: 'l,
    {
        let cost = match self.own {
            None => Some(row.cost),
            Some(own) if self.rows.is_row(row.item) => {
                Some(own.get(row.item.index()).marked(row.cost.mark()))
            }
            Some(_) => None,
        };
        let inclusive = self.inclusive.filter(|_| self.own.is_some());
        Figures {
            cost,
            inclusive: inclusive.and_then(|inclusive| inclusive.of_row(row.item)),
            calls: row.calls,
        }
    }

    pub(super) fn calls<'l>(&'l self, row: &ListRow<'_, '_>) -> Vec<Calls<'l>> {
        self.tree
            .map_or_else(Vec::new, |tree| tree.of(row.item, self.rows))
    }

    /// Calls `each` for a row, its callers and callees, and its parts. Callers come before the row if `callers_first`.
    #[inline]
    pub(super) fn each_line<'l>(
        &'l self,
        (position, row): (usize, &'l ListRow<'l, 'l>),
        calls: &'l [Calls<'l>],
        callers_first: bool,
        mut each: impl FnMut(Line<'l>) -> io::Result<()>,
    ) -> io::Result<()> {
        let is_above = |calls: &Calls<'_>| callers_first && calls.is_of_callers();
        let (above, below) = calls.split_at(calls.partition_point(is_above));
        for calls in above {
            calls.lines(self.figures(row)).try_for_each(&mut each)?;
        }
        each(Line {
            role: Role::Row,
            level: 0,
            row: Some(row.item),
            what: What::Rows(std::slice::from_ref(&row.label)),
            figures: self.figures(row),
        })?;
        for calls in below {
            calls.lines(self.figures(row)).try_for_each(&mut each)?;
        }
        let nested = self.nested.map(|nested| nested.below(position));
        let parts = nested.map_or_else(Vec::new, |nested| self.parts(nested));
        parts.into_iter().try_for_each(each)
    }

    /// The parts of a row. In columns, source lines without a text are only counted.
    fn parts<'l>(&'l self, nested: &'l [NestedRow<'l>]) -> Vec<Line<'l>> {
        let is_line =
            |of: &NestedOf<'_>| matches!(of, NestedOf::Line(_) | NestedOf::More(_, "line"));
        let is_same = |a: &NestedRow<'_>, b: &NestedRow<'_>| {
            a.level == b.level && is_line(&a.of) && is_line(&b.of)
        };
        let mut lines = Vec::with_capacity(nested.len());
        for same in nested.chunk_by(is_same) {
            let level = same[0].level + 1;
            let has_no_text = |row: &NestedRow<'_>| match &row.of {
                NestedOf::Line(line) => line.source.is_none(),
                of => is_line(of),
            };
            if self.style.is_columns && same.iter().all(has_no_text) {
                let count = same.iter().map(|row| match row.of {
                    NestedOf::More(count, _) => count,
                    _ => 1,
                });
                let count = counted(count.sum(), "line");
                lines.push(Line::text(level, format!("({count}, source not found)")));
                continue;
            }
            lines.extend(same.iter().map(|row| Line {
                what: What::Part(&row.of),
                figures: Figures::of_cost(row.cost.counts()),
                ..Line::text(level, String::new())
            }));
        }
        lines
    }
}

pub fn write_functions(listed: &Listed<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let (list, rows, style) = (listed.list, listed.rows, listed.style);
    let table = Table::of_list(listed);
    table.write_heading(rows.row_by.title(), out)?;
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        for (position, row) in positions.clone().zip(list.lines_at(positions, rows)) {
            if listed.tree.is_some() {
                out.push(b'\n');
            }
            let calls = listed.calls(&row);
            let callers_first = !calls.iter().any(Calls::are_tree);
            listed.each_line((position, &row), &calls, callers_first, |line| {
                write_line(&line, listed.tree.is_some(), &table, out)
            })?;
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
            writeln!(out, "{line}")?;
        }
    }
    writeln!(out)
}

#[inline]
fn write_line(
    line: &Line<'_>,
    has_tree: bool,
    table: &Table<'_>,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let (style, indent) = (table.style, INDENT * line.level);
    match (line.role, &line.what) {
        (Role::Call(direction, is_tree), What::Rows([label, chain @ ..])) => {
            // Only rows have columns of calls.
            let figures = Figures {
                calls: None,
                ..line.figures
            };
            table.write_figures(&figures, out)?;
            write_spaces(indent - INDENT, out)?;
            out.extend(match (is_tree, direction) {
                (true, PathDirection::Callers) => &b"   < "[..],
                (true, PathDirection::Callees) => b"   > ",
                (false, PathDirection::Callers) => b"< ",
                (false, PathDirection::Callees) => b">   ",
            });
            write_label(label, line.figures.calls, ObjectStyle::Known, style, out)?;
            for label in chain {
                write!(out, " {}", line.role.sign())?;
                // Functions in a chain have only names.
                let name = Label {
                    name: label.name.clone(),
                    group: label.group.clone().or(Some(Box::default())),
                    ..Label::default()
                };
                write_label(&name, None, ObjectStyle::Known, style, out)?;
            }
        }
        (_, What::Rows(labels)) => {
            table.write_figures(&line.figures, out)?;
            out.extend(if has_tree { &b"*  "[..] } else { b"" });
            for label in *labels {
                write_label(label, None, ObjectStyle::Named, style, out)?;
            }
        }
        (_, What::Part(part)) => {
            table.write_figures(&line.figures, out)?;
            write_spaces(indent, out)?;
            write_name(part, style, out)?;
        }
        (_, What::Text(text)) => {
            write_spaces(table.indent() + 3, out)?;
            out.extend(text.as_bytes());
        }
    }
    out.push(b'\n');
    Ok(())
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

/// The omitted rows, one line per reason: in percent of the first sort event, or with both sides of a difference.
pub(super) fn omitted_lines(omitted: &Omitted, style: Style<'_>) -> Vec<String> {
    let (more, texts) = (&omitted.more, Texts::new(omitted, style));
    let text = |texts: Texts<'_>| {
        let rows = counted(more.rows, "more row");
        format!("{rows} not listed ({})", texts.cost(more))
    };
    let more = texts.filter(|_| more.rows > 0).map(text);
    let others = omitted_within(omitted, style).into_iter();
    more.into_iter().chain(others).collect()
}

/// The omitted rows except those after the end of the list.
pub(super) fn omitted_within(omitted: &Omitted, style: Style<'_>) -> Vec<String> {
    let Some(texts) = Texts::new(omitted, style) else {
        return Vec::new();
    };
    let unchanged = omitted.unchanged.as_ref();
    let unchanged = unchanged.filter(|unchanged| unchanged.rows > 0);
    let unchanged = unchanged.map(|unchanged| {
        let rows = counted(unchanged.rows, "row");
        let sides = unchanged.cost.sides();
        let base = sides.map_or(0, |(base, _)| base[texts.event].or_zero());
        let (name, base) = (&texts.name, style.unsigned(base));
        format!("{rows} without a change ({name} {base})")
    });
    let chosen = omitted.chosen.as_ref();
    let inclusive = omitted.inclusive.as_ref();
    let chosen = chosen.map(|chosen| texts.of_filters(chosen, inclusive, &omitted.not_chosen));
    unchanged.into_iter().chain(chosen).collect()
}

/// Writes numbers of rows and their cost of one event.
struct Texts<'s> {
    event: usize,
    name: String,
    style: Style<'s>,
}

impl<'s> Texts<'s> {
    fn new(omitted: &Omitted, style: Style<'s>) -> Option<Texts<'s>> {
        let event = style.sorted.or(style.shown.first().copied())?;
        let mut name = escaped_text(style.events.name(event), style.escapes);
        if omitted.are_inclusive || omitted.inclusive.is_some() {
            name.push_str(" by self cost");
        }
        Some(Texts { event, name, style })
    }

    fn percent(&self, cost: &Figure<Cost>) -> String {
        percentage(cost.value[self.event], self.style.total[self.event])
    }

    fn cost(&self, omission: &Omission) -> String {
        self.sum(&omission.cost, &self.name)
    }

    fn sum(&self, cost: &Figure<Cost>, name: &str) -> String {
        let figure = cost.counts().event(self.event);
        let (counts, percent) = (self.style.counts(figure), self.percent(cost));
        if figure.compared.is_some() {
            let change = self.style.count(Count::new(figure.value.or_zero()), true);
            return format!("{name} {counts} {change}");
        }
        match self.style.is_columns {
            true => format!("{counts} {name}, {percent}%"),
            false => format!("{percent}% of {name}"),
        }
    }

    fn of_filters(
        &self,
        chosen: &Omission,
        inclusive: Option<&Figure<Cost>>,
        others: &Omission,
    ) -> String {
        let verb = if chosen.rows == 1 {
            "row matches"
        } else {
            "rows match"
        };
        let [rows, others_count] = [chosen, others].map(|of| with_commas(of.rows));
        let event = |cost: &Figure<Cost>| cost.counts().event(self.event);
        let name = escaped_text(self.style.events.name(self.event), self.style.escapes);
        let inclusive = inclusive.filter(|cost| event(cost) != event(&chosen.cost));
        let inclusive = inclusive.map(|cost| format!("; inclusive {}", self.sum(cost, &name)));
        let sum = self.cost(chosen) + &inclusive.unwrap_or_default();
        // In columns, the sum of the matching rows is shown, but not that of the others.
        let rest = match (self.style.is_columns, self.style.difference) {
            (true, _) => String::new(),
            (false, Some(_)) => format!(" ({})", self.cost(others)),
            (false, None) => format!(" ({}%)", self.percent(&others.cost)),
        };
        format!("filters: {rows} {verb} ({sum}), {others_count} filtered out{rest}")
    }
}

/// The indentation of a line below the one that it is nested in, or below in a tree, in columns.
pub(super) const INDENT: usize = 2;

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

/// The number of a line, in the form that follows a file name.
pub(super) fn line_text(line: &ShownLine) -> String {
    match line.key {
        LineKey { new: 0, removed: 0 } => "(unknown line)".to_owned(),
        LineKey { new, removed: 0 } => format!(":{new}"),
        LineKey { removed, .. } => format!(":{removed} (removed)"),
    }
}

pub(super) fn more_text(count: usize, what: &str) -> String {
    counted(count, &format!("more {what}"))
}
