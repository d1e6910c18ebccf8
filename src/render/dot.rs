//! The call graph in Graphviz's DOT language, for `dot -Tsvg`.
//!
//! A box is a function with its inclusive and its self cost; an ellipse is a call cycle, with
//! dotted arrows to its members. A higher inclusive cost makes a box redder, a higher self cost
//! makes its name larger. An arrow is an arc with its cost and its number of calls; a higher cost
//! makes it thicker. In a difference, green is a lower cost. Functions that the filter rejected,
//! but that call or are called by selected ones, have a dashed border. A long name takes several
//! lines; its tooltip has all of the name.

use std::io::{self, Write};

use super::cell::Cell;
use super::label::prepend_calls;
use super::number::NumberText;
use super::number::ShownPercent;
use super::{Style, is_control, percentage, with_commas};
use crate::profile::{Count, FunctionId};
use crate::view::{Cycles, DotEdge, DotGraph, DotNode, Figure, RowBy, RowId, Rows};

/// The number of characters of a name after which it is wrapped.
const NAME_WIDTH: usize = 48;

pub fn write_dot(
    graph: &DotGraph,
    rows: &Rows<'_>,
    cycles: &Cycles,
    event: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let of_event = style.in_unit_of(event);
    let total = style.total[event];
    let mut writer = DotWriter { rows, cycles, style, of_event, total, out };
    let event_name = String::from_utf8_lossy(style.events.name(event));
    let whole = of_event.unsigned(total.or_zero());
    let vertices = with_commas(graph.hidden_nodes);
    let edges = with_commas(graph.hidden_edges);
    let what = match rows.row_by {
        RowBy::FileFunction | RowBy::Function => "functions",
        _ => "groups",
    };
    let title = format!(
        "{event_name}, 100% = {whole}\nnot shown: {vertices} {what}, {edges} pairs of caller and callee"
    );
    writeln!(writer.out, "digraph calls {{")?;
    let label = quoted(&title);
    writeln!(writer.out, "graph [labelloc=t, fontname=Helvetica, label={label}]")?;
    writeln!(writer.out, "node [shape=box, fontname=Helvetica]")?;
    writeln!(writer.out, "edge [fontname=Helvetica, fontsize=10]")?;
    for (at, vertex) in graph.nodes.iter().enumerate() {
        writer.vertex(at, vertex)?;
    }
    graph.edges.iter().try_for_each(|edge| writer.edge(edge))?;
    writeln!(writer.out, "}}")
}

struct DotWriter<'a, W> {
    rows: &'a Rows<'a>,
    cycles: &'a Cycles,
    style: Style<'a>,
    /// The style of costs.
    of_event: Style<'a>,
    total: Count,
    out: &'a mut W,
}

impl<W: Write> DotWriter<'_, W> {
    fn vertex(&mut self, at: usize, vertex: &DotNode) -> io::Result<()> {
        let inclusive = self.percent(vertex.inclusive, vertex.is_estimated);
        let own = self.percent(vertex.own, false);
        let label = self.rows.label_of(vertex.item);
        let name = match (label.whole_cycle(), &label.name[..]) {
            (Some(cycle), _) => format!("<cycle {cycle}>"),
            (None, b"") if label.group.is_some() => "(none)".to_owned(),
            (None, name) => String::from_utf8_lossy(name).into_owned(),
        };
        let is_function = self.rows.is_row(vertex.item) && !self.rows.row_by.is_group();
        let function = is_function.then(|| self.rows.first_function(vertex.item)).flatten();
        let cycle = function
            .and_then(|function| self.cycles.number_of(function))
            .map_or_else(String::new, |number| format!(" <cycle {number}>"));
        let (tooltip, shape) = match label.whole_cycle() {
            None => (self.tooltip(vertex.item, function), ""),
            Some(number) => {
                let members = self.cycles.members().nth(number as usize - 1);
                let count = with_commas(members.map_or(0, <[_]>::len));
                (format!("{name}: {count} functions"), ", shape=ellipse")
            }
        };
        let text = quoted(&format!("{}{cycle}\n{inclusive}\nself {own}", wrapped(&name)));
        let border = if vertex.is_selected { "filled" } else { "filled,dashed" };
        let color = fill_color(self.share(vertex.inclusive.value));
        let size = 11.0 + 17.0 * self.share(vertex.own.value).abs();
        writeln!(
            self.out,
            "n{at} [label={text}, tooltip={}, style=\"{border}\", fillcolor=\"{color}\", fontsize={size:.1}{shape}]",
            quoted(&tooltip)
        )
    }

    fn edge(&mut self, edge: &DotEdge) -> io::Result<()> {
        let share = self.share(edge.cost.value);
        let ends = format!("n{} -> n{}", edge.caller, edge.callee);
        let is_change = self.style.difference.is_some();
        let (color, width) = (line_color(share, is_change), 1.0 + 4.0 * share.abs());
        match edge.count {
            None => writeln!(self.out, "{ends} [style=dotted, color=\"{color}\"]"),
            Some(count) => {
                let cost = self.percent(edge.cost, false);
                let calls = NumberText::of(|text| prepend_calls(count, self.style, text));
                let text = if count.is_unknown() { cost } else { format!("{cost}\n{calls}") };
                let label = quoted(&text);
                // Edges to inlined copies are dashed.
                let style = if count.is_inlined() { ", style=dashed" } else { "" };
                writeln!(
                    self.out,
                    "{ends} [label={label}, color=\"{color}\", penwidth={width:.1}{style}]"
                )
            }
        }
    }

    /// `file:name [object]` of a function, the name of a group.
    fn tooltip(&self, row: RowId, function: Option<FunctionId>) -> String {
        let recorded = self.rows.display_name(row);
        let name = String::from_utf8_lossy(&recorded);
        if function.is_none() {
            return name.into_owned();
        }
        let file = String::from_utf8_lossy(self.rows.file_name(row).unwrap_or_default());
        match self.rows.object(row).unwrap_or_default() {
            b"" => format!("{file}:{name}"),
            object => format!("{file}:{name} [{}]", String::from_utf8_lossy(object)),
        }
    }

    /// A cost in percent of the total; in a difference before, after and the change in percent.
    /// An estimated one has a mark.
    fn percent(&self, figure: Figure<Count>, is_estimated: bool) -> String {
        if figure.compared.is_some() {
            let percent = figure.percent().map(|percent| ShownPercent { percent, is_estimated });
            let change = Cell::Percent(percent, figure.mark()).text(&self.style);
            return format!("{} {change}", self.of_event.counts(figure));
        }
        let mark = if is_estimated { "~" } else { "" };
        format!("{mark}{}%", percentage(figure.value, self.total))
    }

    /// The square root of a cost's share of the total, from -1 to 1, so that small costs differ
    /// visibly from none.
    fn share(&self, cost: Count) -> f64 {
        let share = cost.or_zero() as f64 / (self.total.or_zero() as f64).abs().max(1.0);
        (share.abs().sqrt() * share.signum()).clamp(-1.0, 1.0)
    }
}

/// From white to red; to green if negative.
fn fill_color(share: f64) -> String {
    let other = (245.0 - 175.0 * share.abs()) as u8;
    if share < 0.0 {
        format!("#{:02x}e6{other:02x}", other.saturating_sub(10))
    } else {
        format!("#ff{other:02x}{:02x}", other.saturating_sub(10))
    }
}

/// From grey to red; green if negative. Only a change of 0 is grey.
fn line_color(share: f64, is_change: bool) -> &'static str {
    match share {
        share if share < 0.0 => "#2e8b57",
        share if share == 0.0 || share < 0.32 && !is_change => "#808080",
        share if share < 0.71 => "#b05a3c",
        _ => "#c02020",
    }
}

/// A long name in several lines, which end after `::`, a space, a comma or a slash.
fn wrapped(name: &str) -> String {
    let (mut lines, mut columns) = (String::new(), 0);
    let words = name.split_inclusive("::");
    for word in words.flat_map(|word| word.split_inclusive([' ', ',', '/'])) {
        let width = word.chars().count();
        if columns > 0 && columns + width > NAME_WIDTH {
            lines.push('\n');
            columns = 0;
        }
        lines.push_str(word);
        columns += width;
    }
    lines
}

pub(super) fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            c if is_control(c) => quoted.extend(c.escape_default().flat_map(|c| match c {
                '\\' => vec!['\\', '\\'],
                c => vec![c],
            })),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
