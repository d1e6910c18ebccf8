//! Views: pure functions from a [`Profile`] and a few settings to tables of labels and raw costs. Each file answers one
//! question. No view formats a number; every order is total, with the name as its last key.

mod annotate;
pub mod asm;
mod charged;
mod cycles;
mod details;
mod dot_graph;
mod export;
mod figure;
pub mod filter;
mod gprof;
mod label;
mod language;
mod line_sums;
mod list;
mod namespace;
mod nested;
mod path_tree;
mod pattern;
mod row_by;
mod row_costs;
mod rows;
mod selection;
mod short_name;
mod source_texts;
mod stack_lines;
mod stacks;
mod sums;
mod threads;
mod tree;
mod verdict;

pub use crate::source::{Caveat, LineChange, LineKey, LineMap, basename};
pub use annotate::{Annotated, AnnotatedLine, Annotation, Annotator, Choice, Choices};
pub use charged::Charged;
pub use cycles::{Cycles, Graphs};
pub use details::{Details, InlinedPart, RowDetails};
pub use dot_graph::{DotEdge, DotGraph, DotNode, GraphOptions};
pub use export::{Export, ExportLine, ExportRecord};
pub use figure::{CallCounts, Cost, CostFigure, Extent, Figure, FigureTable, Mark, Total};
pub use filter::{Filter, Rule, Subject};
pub use gprof::{
    Amount, Blocks, Calls, CountedFile, Entry, ExecCount, Flat, FlatRow, Graph, GraphTable,
    NamedFunctions, Neighbour, Node, ReadableNames, Recorded, Scope, Selected, Symspec, Symspecs,
    Ticks, calls_of, exec_counts, place_counts, source_line,
};
pub use label::{GroupPlace, Label, OneOrMany, RowId};
pub use language::component_starts;
pub use list::{List, ListBy, ListRow, Omission, Omitted};
pub use namespace::without_parameters;
pub use nested::{NestedList, NestedOf, NestedOptions, NestedPart, NestedRow, Nesting, ShownLine};
pub use path_tree::{MAX_PATH_ROWS, MAX_REPORT_ROWS, PathEnd, PathOptions, PathTrees};
pub use pattern::{Pattern, PatternError};
pub use row_by::{Bucket, RowBy, RowOptions};
pub use row_costs::{CostEstimate, CostRange, Inclusive, self_costs};
pub use rows::{RowNames, Rows};
pub use selection::{CALLS, Selection, SelectionOptions, Threshold};
pub use short_name::short_function;
pub use source_texts::SourceTexts;
pub use stack_lines::{Spot, StackLines};
pub use stacks::{NegativeCost, Stacks};
pub use sums::Alignments;
pub use threads::beside;
pub use tree::{CallLine, CallTree, PathDirection};
pub use verdict::{Limit, Percentage, Verdict, selected_cost, selected_inclusive_cost};
