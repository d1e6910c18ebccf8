//! What is nested in a row of the list, on lines below it.

use std::io::{self, Write};

use super::colour::Paint;
use super::shorten::{elide_end, elide_folders, width};
use super::table::Table;
use super::{ObjectStyle, Style, escaped_text, write_label, write_spaces};
use crate::view::{LineKey, NestedOf, NestedRow, ShownLine};

/// How far a line is to the right of the one that it is nested in.
const INDENT: usize = 2;

/// Writes what is nested in a row, a line each.
pub(super) fn write_nested(
    nested: &[NestedRow<'_>],
    table: &Table<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for row in nested {
        table.write_cost(row.cost.counts(), out)?;
        let indent = INDENT * (row.level + 1);
        write_spaces(indent, out)?;
        let indent = table.indent() + indent;
        write_name(&row.of, indent, table.style, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn write_name(
    of: &NestedOf<'_>,
    indent: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let room = style.width.map(|columns| columns.saturating_sub(indent));
    match of {
        NestedOf::Function(label) => {
            let style = Style {
                colours: false,
                ..style
            };
            write_label(label, None, ObjectStyle::Named, indent, style, out)
        }
        NestedOf::File(name) => {
            let mut name = escaped_text(name, style.escapes);
            if let Some(room) = room {
                name = elide_folders(&name, room);
            }
            Paint::File.around(style.colours, out, |out| out.write_all(name.as_bytes()))
        }
        NestedOf::Line(line) => {
            let number = line_text(line);
            out.write_all(number.as_bytes())?;
            let Some(source) = &line.source else {
                return Ok(());
            };
            let mut source = escaped_text(source, style.escapes);
            if let Some(room) = room {
                source = elide_end(&source, room.saturating_sub(width(&number) + 2));
            }
            write!(out, "  {source}")
        }
        NestedOf::More(count, what) => write!(out, "({})", more_text(*count, what, style)),
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
pub(super) fn more_text(count: usize, what: &str, style: Style<'_>) -> String {
    let s = if count == 1 { "" } else { "s" };
    let count = style.integer(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{count} more {what}{s}")
}
