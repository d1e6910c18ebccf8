//! The callers and callees of a row over several levels, as a tree below it.

use std::io::{self, Write};

use super::table::Table;
use super::{ObjectStyle, with_commas, write_label};
use crate::render::list::Tree;
use crate::view::{
    GroupPlace, Item, Label, MAX_PATH_ROWS, PathDirection, PathLine, PathTrees, Rows,
};

/// How far a line is to the right of the line above it in the tree.
const INDENT: usize = 2;

/// The least room for a label after another one on a terminal.
const MIN_LABEL: usize = 30;

/// Writes the requested trees of a row.
pub(super) fn write_path_trees(
    paths: &PathTrees<'_, '_>,
    tree: Tree,
    item: Item,
    rows: &Rows<'_>,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let directions = [
        (tree.has_callers(), PathDirection::Callers),
        (tree.has_callees(), PathDirection::Callees),
    ];
    for (_, direction) in directions.into_iter().filter(|(is_shown, _)| *is_shown) {
        let tree = paths.tree(direction, item);
        let items = tree.lines.iter().flat_map(|line| &line.rows);
        let mut items: Vec<Item> = items.map(|&row| Item::Row(row)).collect();
        items.push(item);
        let labels = rows.labels_of(&items);
        let mut labels = labels.into_iter();
        for line in &tree.lines {
            let labels = labels.by_ref().take(line.rows.len());
            write_line(direction, line, labels, table, out)?;
        }
        if tree.is_cut {
            let rows = with_commas(MAX_PATH_ROWS as i64);
            writeln!(
                out,
                "{:1$}(more than {rows} rows: the rest is not shown)",
                "",
                table.indent() + 3
            )?;
        }
    }
    Ok(())
}

fn write_line<'l>(
    direction: PathDirection,
    line: &PathLine,
    labels: impl Iterator<Item = Label<'l>>,
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    table.write_cost(line.cost.counts(), out)?;
    let sign = match direction {
        PathDirection::Callers => "< ",
        PathDirection::Callees => "> ",
    };
    let indent = 3 + INDENT * line.level;
    write!(out, "{:indent$}{sign}", "")?;
    let style = table.style;
    let mut column = table.indent() + indent + sign.len();
    let mut calls = Some(line.calls);
    for (at, label) in labels.enumerate() {
        if at > 0 {
            column += sign.len() + 1;
            let has_room = style.width.is_none_or(|width| column + MIN_LABEL <= width);
            if has_room {
                write!(out, " {sign}")?;
            } else {
                column = table.indent() + indent + sign.len();
                let spaces = column - sign.len();
                write!(out, "\n{:spaces$}{sign}", "")?;
            }
        }
        let label = match (at, label) {
            // Of a chain the names are enough.
            (1.., Label::Function { name, .. }) => Label::Group {
                name,
                place: GroupPlace::default(),
            },
            (_, label) => label,
        };
        let mut text = Vec::new();
        let objects = ObjectStyle::Known;
        write_label(&label, calls.take(), objects, column, style, &mut text)?;
        out.write_all(&text)?;
        column += text.len();
    }
    writeln!(out)
}
