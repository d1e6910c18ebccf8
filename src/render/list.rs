//! The list of rows, with or without the call tree, and the program's total above it.

use std::io::{self, Write};
use std::ops::Range;

use super::call_columns::CallColumns;
use super::parallel::{ChunkWriter, write_rows};
use super::{
    Columns, ObjectStyle, Style, percentage, row_title, with_commas, write_escaped, write_heading,
    write_label,
};
use crate::profile::Events;
use crate::view::{
    CallLine, CallTree, Cycles, FunctionList, FunctionRow, Item, Rest, Rows, Selection, Share,
    Total,
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
}

impl<'c> TreeCalls<'c> {
    /// The callers of an item.
    fn callers<'p>(&self, item: Item, rows: &Rows<'p>) -> Vec<CallLine<'c, 'p>> {
        match self.tree.has_callers() {
            true => self.calls.callers(item, rows, self.selection),
            false => Vec::new(),
        }
    }

    /// The callees of an item.
    fn callees<'p>(&self, item: Item, rows: &Rows<'p>) -> Vec<CallLine<'c, 'p>> {
        match self.tree.has_callees() {
            true => self.calls.callees(item, rows, self.selection),
            false => Vec::new(),
        }
    }
}

/// Writes the program's total.
///
/// # Errors
/// Those of `out`.
pub fn write_total(
    total: &Total,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let columns = Columns::for_one(style, events, &total.cost);
    write_heading(&columns, events, "", out)?;
    columns.write_cost(&total.cost, out)?;
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
///
/// # Errors
/// Those of `out`.
pub fn write_no_difference(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "The profiles do not differ.\n")
}

/// Writes the list, with callers and callees around each row if there is a `tree`.
///
/// # Errors
/// Those of `out`.
pub fn write_functions(
    list: &FunctionList,
    rows: &Rows<'_>,
    tree: Option<&TreeCalls<'_>>,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut columns = Columns::new(style, events, &list.extent);
    let counts = CallColumns::new(list, rows.grouping(), events, style);
    columns.extra = counts.as_ref().map_or(0, CallColumns::width);
    let names = counts.as_ref().map(CallColumns::names).unwrap_or_default();
    let title = format!(" {names}{}", row_title(rows.grouping()));
    write_heading(&columns, events, &title, out)?;
    let write = |positions: Range<usize>, out: &mut ChunkWriter<'_>| {
        let Some(tree) = tree else {
            let mut lines = list.lines_at(positions, rows);
            return lines.try_for_each(|row| write_row(&row, "", &columns, counts.as_ref(), out));
        };
        list.lines_at(positions, rows).try_for_each(|row| {
            out.write_all(b"\n")?;
            for line in tree.callers(row.item, rows) {
                write_tree_line(&line, "< ", &columns, counts.as_ref(), out)?;
            }
            write_row(&row, "*  ", &columns, counts.as_ref(), out)?;
            for line in tree.callees(row.item, rows) {
                write_tree_line(&line, ">   ", &columns, counts.as_ref(), out)?;
            }
            Ok(())
        })
    };
    write_rows(list.items.len(), write, out)?;
    if let Some(rest) = list.rest.as_ref().filter(|rest| rest.is_worth_a_line()) {
        write_omitted(rest, events, style, out)?;
    }
    writeln!(out)
}

/// Writes a row of the list.
fn write_row(
    row: &FunctionRow<'_, '_>,
    sign: &str,
    columns: &Columns<'_>,
    counts: Option<&CallColumns<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    columns.write_cost(row.cost, out)?;
    if let Some((counts, calls)) = counts.zip(row.calls) {
        counts.write_row(calls, row.cost, out)?;
    }
    out.write_all(sign.as_bytes())?;
    let indent = columns.indent() + sign.len();
    let named = ObjectStyle::Named;
    write_label(&row.label, None, named, indent, columns.style, out)?;
    out.write_all(b"\n")
}

/// Writes a caller or a callee.
fn write_tree_line(
    line: &CallLine<'_, '_>,
    sign: &str,
    columns: &Columns<'_>,
    counts: Option<&CallColumns<'_>>,
    out: &mut impl Write,
) -> io::Result<()> {
    columns.write_cost(line.cost, out)?;
    counts.map_or(Ok(()), |counts| counts.write_spaces(out))?;
    out.write_all(sign.as_bytes())?;
    let indent = columns.indent() + sign.len();
    let calls = Some(line.count);
    let known = ObjectStyle::Known;
    write_label(&line.label, calls, known, indent, columns.style, out)?;
    out.write_all(b"\n")
}

/// Writes what the list omits, in percent of the first shown event.
fn write_omitted(
    rest: &Rest,
    events: &Events,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(&event) = style.shown.first() else {
        return Ok(());
    };
    let mut of_total = b" of the total".to_vec();
    if style.shown.len() > 1 {
        of_total.push(b' ');
        write_escaped(events.name(event), style.escapes, &mut of_total)?;
    }
    if rest.are_inclusive {
        of_total.extend(b" by self cost");
    }
    let share = |share: &Share, what: &str, out: &mut dyn Write| {
        let rows = with_commas(i64::try_from(share.rows).unwrap_or(i64::MAX));
        let s = if share.rows == 1 { "" } else { "s" };
        let percent = percentage(share.cost[event], style.total[event]);
        let percent = percent.as_deref().map_or("0.00", str::trim_start);
        write!(out, "{rows} {what}row{s}, {percent}%")
    };
    writeln!(out)?;
    if rest.more.rows > 0 {
        share(&rest.more, "more ", out)?;
        out.write_all(&of_total)?;
        writeln!(out)?;
    }
    if let Some(chosen) = &rest.chosen {
        write!(out, "chosen: ")?;
        share(chosen, "", out)?;
        out.write_all(&of_total)?;
        write!(out, "; not chosen: ")?;
        share(&rest.not_chosen, "", out)?;
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the number of functions in call cycles, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write_cycles(cycles: &Cycles, out: &mut impl Write) -> io::Result<()> {
    let (count, functions) = (
        cycles.len(),
        cycles.members().map(<[_]>::len).sum::<usize>(),
    );
    match count {
        0 => Ok(()),
        1 => writeln!(
            out,
            "{functions} functions are in a call cycle; <cycle 1> is the sum over them.\n"
        ),
        _ => writeln!(
            out,
            "{functions} functions are in {count} call cycles; each <cycle N> is the sum over its members.\n"
        ),
    }
}
