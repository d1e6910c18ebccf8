//! The list of rows, with or without the call tree, and the program's total above it.

use std::io::{self, Write};
use std::ops::Range;

use super::columns::Figures;
use super::nested::write_nested;
use super::omitted::omitted_lines;
use super::parallel::{ChunkWriter, write_rows};
use super::path_tree::write_path_trees;
use super::table::Table;
use super::{ObjectStyle, Style, row_title};
use crate::profile::Events;
use crate::view::{
    CallLine, CallTree, Cycles, Item, List, ListRow, NestedList, PathTrees, Rows, Selection, Total,
};

/// Which calls the tree shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tree {
    /// None: a plain list.
    #[default]
    None,
    /// The callers of each function.
    Caller,
    /// The callees of each function.
    Calling,
    /// Both.
    Both,
}

impl Tree {
    /// Whether callers are shown.
    pub fn has_callers(self) -> bool {
        matches!(self, Tree::Caller | Tree::Both)
    }

    /// Whether callees are shown.
    pub fn has_callees(self) -> bool {
        matches!(self, Tree::Calling | Tree::Both)
    }
}

/// The calls to show around rows.
pub struct TreeCalls<'c> {
    /// Which of them.
    pub tree: Tree,
    /// All calls.
    pub calls: &'c CallTree,
    /// Decides their order.
    pub selection: &'c Selection,
    /// Callers and callees over several levels, in place of the direct ones.
    pub paths: Option<&'c PathTrees<'c, 'c>>,
}

impl<'c> TreeCalls<'c> {
    fn callers<'p>(&self, item: Item, rows: &Rows<'p>) -> Vec<CallLine<'c, 'p>> {
        match self.tree.has_callers() {
            true => self.calls.callers(item, rows, self.selection),
            false => Vec::new(),
        }
    }

    fn callees<'p>(&self, item: Item, rows: &Rows<'p>) -> Vec<CallLine<'c, 'p>> {
        match self.tree.has_callees() {
            true => self.calls.callees(item, rows, self.selection),
            false => Vec::new(),
        }
    }
}

/// Writes the program's total.
pub fn write_total(
    total: &Total,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let total_cost = total.figure.counts();
    let table = Table::of_one(style, events, total_cost);
    table.write_heading(events, "", out)?;
    table.write_cost(total_cost, out)?;
    writeln!(
        out,
        "PROGRAM TOTALS{}\n",
        if total.is_calculated {
            " (calculated)"
        } else {
            ""
        }
    )
}

/// Writes that two profiles are the same.
pub fn write_no_difference(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "The profiles are identical.\n")
}

/// What is shown around the rows of a list.
#[derive(Clone, Copy, Default)]
pub struct Around<'c> {
    /// Callers and callees.
    pub tree: Option<&'c TreeCalls<'c>>,
    /// What is nested in rows.
    pub nested: Option<&'c NestedList<'c>>,
}

/// Writes the list.
pub fn write_functions(
    list: &List,
    rows: &Rows<'_>,
    around: Around<'_>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let extent = around.nested.map_or(&list.extent, |nested| &nested.extent);
    let table = Table::of_list(style, events, list, extent);
    table.write_heading(events, row_title(rows.row_by()), out)?;
    let write = |positions: Range<usize>, out: &mut ChunkWriter<'_>| {
        for (position, row) in positions.clone().zip(list.lines_at(positions, rows)) {
            if let Some(tree) = around.tree {
                write_tree(&row, tree, rows, &table, out)?;
                continue;
            }
            write_row(&row, "", &table, out)?;
            let nested = around.nested.map(|nested| nested.below(position));
            write_nested(nested.unwrap_or_default(), &table, out)?;
        }
        Ok(())
    };
    write_rows(list.items.len(), write, out)?;
    if let Some(omitted) = list.omitted.as_ref().filter(|omitted| omitted.is_shown()) {
        let lines = omitted_lines(omitted, events, style);
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
    let write_calls = |lines: Vec<CallLine<'_, '_>>, sign, out: &mut _| {
        lines.iter().try_for_each(|line| {
            let figures = Figures::of_cost(line.cost);
            let label = (&line.label, Some(line.count));
            table.write_line(&figures, sign, label, ObjectStyle::Known, out)
        })
    };
    out.write_all(b"\n")?;
    if let Some(paths) = tree.paths {
        write_row(row, "*  ", table, out)?;
        return write_path_trees(paths, tree.tree, row.item, rows, table, out);
    }
    write_calls(tree.callers(row.item, rows), "< ", out)?;
    write_row(row, "*  ", table, out)?;
    write_calls(tree.callees(row.item, rows), ">   ", out)
}

fn write_row(
    row: &ListRow<'_, '_>,
    sign: &str,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let figures = Figures {
        calls: row.calls,
        ..Figures::of_cost(row.cost)
    };
    table.write_line(&figures, sign, (&row.label, None), ObjectStyle::Named, out)
}

/// Writes the number of functions in call cycles, if there are any.
pub fn write_cycles(cycles: &Cycles, out: &mut impl Write) -> io::Result<()> {
    let (count, functions) = (
        cycles.len(),
        cycles.members().map(<[_]>::len).sum::<usize>(),
    );
    match count {
        0 => Ok(()),
        1 => writeln!(out, "{functions} functions form a call cycle, <cycle 1>.\n"),
        _ => writeln!(
            out,
            "{functions} functions form {count} call cycles, <cycle 1> to <cycle {count}>.\n"
        ),
    }
}
