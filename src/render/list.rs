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
    pub(super) fn of<'l>(&'l self, item: RowId, rows: &'l Rows<'_>) -> Vec<Calls<'l>> {
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
            let mut named = Vec::with_capacity(lines.len() + 1);
            for line in &lines {
                named.push(line.row);
                named.extend_from_slice(&line.chain);
            }
            // The names in a tree must differ from that of its row.
            named.extend(is_tree.then_some(item));
            Calls {
                direction,
                is_tree,
                ends_at_own: paths.is_some_and(PathTrees::ends_at_own),
                labels: rows.labels_of(&named),
                lines,
                is_cut,
            }
        };
        self.tree.iter().map(of).collect()
    }

    /// Splits calls into those above the row (direct callers, unless some `are_trees`) and those below it.
    pub(super) fn around<'s, 'l>(
        &self,
        calls: &'s [Calls<'l>],
        are_trees: bool,
    ) -> (&'s [Calls<'l>], &'s [Calls<'l>]) {
        let is_above = |calls: &Calls<'_>| !are_trees && calls.direction == PathDirection::Callers;
        calls.split_at(calls.partition_point(is_above))
    }
}

/// The callers or the callees of a row.
pub(super) struct Calls<'l> {
    pub(super) direction: PathDirection,
    /// Whether they are over several levels.
    pub(super) is_tree: bool,
    /// Whether chains end at the user's own code.
    pub(super) ends_at_own: bool,
    lines: Vec<CallLine<'l>>,
    /// By line the label of its row, followed by those of its chain.
    labels: Vec<Label<'l>>,
    /// Whether rows are missing because there were too many.
    is_cut: bool,
}

impl<'l> Calls<'l> {
    /// The lines, each with the labels of its row and its chain.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&CallLine<'l>, &[Label<'l>])> {
        let mut labels = &self.labels[..];
        self.lines.iter().map(move |line| {
            let of_line = labels.split_off(..1 + line.chain.len());
            (line, of_line.unwrap_or_default())
        })
    }

    /// Whether some of the costs are estimates.
    pub(super) fn are_estimates(&self) -> bool {
        self.is_tree && (!self.ends_at_own || self.lines.iter().any(|line| line.level > 0))
    }

    pub(super) fn sign(&self) -> &'static str {
        match self.direction {
            PathDirection::Callers => "< ",
            PathDirection::Callees => "> ",
        }
    }

    /// The text in place of missing rows.
    pub(super) fn missing(&self) -> Option<String> {
        self.is_cut.then(|| {
            let rows = with_commas(MAX_PATH_ROWS);
            format!("(more than {rows} rows: the rest is not shown)")
        })
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

    pub(super) fn below(&self, position: usize) -> &'a [NestedRow<'a>] {
        let nested = self.nested.map(|nested| nested.below(position));
        nested.unwrap_or_default()
    }
}

pub fn write_functions(listed: &Listed<'_, '_>, out: &mut impl Write) -> io::Result<()> {
    let (list, rows, style) = (listed.list, listed.rows, listed.style);
    let extent = listed.nested.map_or(&list.extent, |nested| &nested.extent);
    let table = Table::of_list(style, list, extent);
    table.write_heading(rows.row_by.title(), out)?;
    let write = |positions: Range<usize>, out: &mut Vec<u8>| {
        for (position, row) in positions.clone().zip(list.lines_at(positions, rows)) {
            let figures = listed.figures(&row);
            let write_row = |sign: &[u8], out: &mut Vec<u8>| {
                table.write_figures(&figures, out)?;
                out.extend(sign);
                write_label(&row.label, None, ObjectStyle::Named, style, out)?;
                out.write_all(b"\n")
            };
            let Some(tree) = listed.tree else {
                write_row(b"", out)?;
                write_nested(listed.below(position), &table, out)?;
                continue;
            };
            let calls = tree.of(row.item, rows);
            let (above, below) = tree.around(&calls, calls.iter().any(|calls| calls.is_tree));
            out.push(b'\n');
            let mut above = above.iter();
            above.try_for_each(|calls| write_calls(calls, &figures, &table, out))?;
            write_row(b"*  ", out)?;
            let mut below = below.iter();
            below.try_for_each(|calls| write_calls(calls, &figures, &table, out))?;
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

/// Writes the callers or callees of a row that has these figures.
fn write_calls(
    calls: &Calls<'_>,
    figures: &Figures<'_>,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let sign = calls.sign();
    let front = match (calls.is_tree, calls.direction) {
        (true, PathDirection::Callers) => "   < ",
        (true, PathDirection::Callees) => "   > ",
        (false, PathDirection::Callers) => "< ",
        (false, PathDirection::Callees) => ">   ",
    };
    for (line, labels) in calls.iter() {
        let Some((label, chain)) = labels.split_first() else {
            continue;
        };
        table.write_figures(&figures.of_call(line.cost(), None), out)?;
        write_spaces(INDENT * line.level, out)?;
        out.write_all(front.as_bytes())?;
        write_label(label, line.count, ObjectStyle::Known, table.style, out)?;
        for label in chain {
            write!(out, " {sign}")?;
            // Functions in a chain have only names.
            let name = Label {
                name: label.name.clone(),
                group: label.group.clone().or(Some(Box::default())),
                ..Label::default()
            };
            write_label(&name, None, ObjectStyle::Known, table.style, out)?;
        }
        out.write_all(b"\n")?;
    }
    calls.missing().map_or(Ok(()), |text| {
        write_spaces(table.indent() + 3, out)?;
        writeln!(out, "{text}")
    })
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
        let Some(sides) = figure.compared else {
            let (count, percent) = (figure.value.or_zero(), self.percent(cost));
            return match self.style.is_columns {
                true => format!("{} {name}, {percent}%", self.style.unsigned(count)),
                false => format!("{percent}% of {name}"),
            };
        };
        let [base, new] = [sides.base, sides.new].map(|side| self.style.unsigned(side.or_zero()));
        let change = self.style.count(Count::new(figure.value.or_zero()), true);
        format!("{name} {base} -> {new} {change}")
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
