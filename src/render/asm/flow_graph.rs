//! The control flow of functions in Graphviz's DOT language: a box for each block with its instructions, executions and
//! cost, and an arrow for each edge, which is wider and redder the more often it is taken.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::AsmPage;
use crate::render::dot::{fill_color, line_color, quoted};
use crate::render::{Style, percentage};
use crate::view::asm::{FlowBlock, FlowGraph};
use crate::view::basename;

/// The maximum number of instructions of a block to show; the first ones are shown.
const MAX_INSTRUCTIONS: usize = 12;

pub const FLOW_END: &[u8] = b"}\n";

pub fn write_flow_start(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph flow {{")?;
    writeln!(
        out,
        "node [shape=box, fontname=\"monospace\", fontsize=10, style=filled, fillcolor=white];"
    )?;
    writeln!(out, "edge [fontname=\"monospace\", fontsize=9];")
}

/// Writes the blocks of a function as a cluster of the graph.
pub fn write_flow(
    asm: &AsmPage<'_>,
    flow: &FlowGraph,
    number: usize,
    event: usize,
    style: Style<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    let label = asm.label(asm.function.function);
    let name = [label.file.unwrap_or_default(), b":", &label.name].concat();
    writeln!(out, "subgraph cluster_{number} {{")?;
    writeln!(out, "label={};", quoted(&String::from_utf8_lossy(&name)))?;
    let executions = flow.blocks.iter().map(|block| block.executions);
    let most = executions.max().unwrap_or(0);
    for (index, block) in flow.blocks.iter().enumerate() {
        // Left-aligned lines.
        let text = quoted(&block_text(asm, block, event, style)).replace("\\n", "\\l");
        let colour = fill_color(share(block.executions, most));
        writeln!(out, "f{number}b{index} [label={text}, fillcolor=\"{colour}\"];")?;
    }
    for edge in &flow.edges {
        let share = share(edge.count, most);
        let dashed = if edge.is_jump { "" } else { ", style=dashed" };
        let count = style.unsigned(edge.count);
        let [from, to] = [edge.from, edge.to].map(|block| format!("f{number}b{block}"));
        let (colour, width) = (line_color(share, false), 1.0 + 3.0 * share);
        writeln!(
            out,
            "{from} -> {to} [label=\"{count}\", color=\"{colour}\", penwidth={width:.1}{dashed}];"
        )?;
    }
    writeln!(out, "}}")
}

/// `1179–1188`, executions and cost, then the instructions.
fn block_text(asm: &AsmPage<'_>, block: &FlowBlock, event: usize, style: Style<'_>) -> String {
    let mut text = format!("{} executions", style.unsigned(block.executions));
    if let Some(value) = block.cost[event].value() {
        let name = String::from_utf8_lossy(style.events.name(event));
        let _ = write!(text, ", {} {name}", style.unsigned(value));
        let total = style.total[event];
        if value != 0 && total.or_zero() != 0 {
            let _ = write!(text, " ({}%)", percentage(block.cost[event], total));
        }
    }
    text.push('\n');
    let mut line = None;
    for number in block.instructions.clone().take(MAX_INSTRUCTIONS) {
        let one = &asm.function.instructions[number];
        if one.line != 0 && line != Some((one.file, one.line)) {
            line = Some((one.file, one.line));
            let file = asm.profile.file(one.file);
            let file = String::from_utf8_lossy(basename(file));
            let _ = writeln!(text, "{file}:{}", one.line);
        }
        let code = asm.object.code.as_ref().ok();
        let code = code.and_then(|code| code.number_of(one.address));
        let code = asm.text(code).unwrap_or_default();
        let code = String::from_utf8_lossy(&code);
        let _ = writeln!(text, "  {:x}  {code}", one.address);
    }
    let more = block.instructions.len().saturating_sub(MAX_INSTRUCTIONS);
    if more > 0 {
        let _ = writeln!(text, "  {more} more");
    }
    text
}

fn share(count: i64, most: i64) -> f64 {
    match most {
        1.. => count as f64 / most as f64,
        _ => 0.0,
    }
}
