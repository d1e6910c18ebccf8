//! Views: pure functions from a profile and a few settings to tables of labels and raw costs.
//! Each file answers one question. No view formats a number; every order is total, with the name as
//! its last key.
//!
//! Most begin with [`Rows`], which say to which row of the report each piece of code belongs: by
//! its function, file or another kind of `row_by`, and whether the `filter` selects it. `row_costs`
//! adds up the costs of rows, and `sums` those of anything else, such as lines and calls. What they
//! return are figures (`figure`): numbers that have both sides and the change in a difference. The
//! [`Selection`] says which events are shown and how rows are ordered, and a [`List`] has those
//! that are shown. All other views show something of these rows: their callers and callees
//! (`tree`, `path_tree`), lines (`annotate`, `details`), instructions (`asm`), stacks or parts.

mod annotate;
pub mod asm;
mod bucket;
mod call_count_table;
mod call_counts;
mod call_lines;
mod charged;
mod contexts;
mod cycles;
pub mod default_min;
mod details;
mod dot_graph;
mod export;
mod figure;
pub mod filter;
mod first_screen;
mod frame_numbers;
mod kept;
mod label;
mod language;
mod leading;
mod line_sums;
pub(crate) mod list;
mod merged_stacks;
mod name_syntax;
mod namespace;
mod nested;
mod outside_main;
mod path_tree;
mod pattern;
mod quotient;
mod row_by;
mod row_costs;
mod rows;
mod selection;
mod series;
mod short_name;
mod source_texts;
mod stack_lines;
mod stack_nodes;
mod stack_walks;
mod stacks;
pub(crate) mod sums;
mod thread_costs;
pub(crate) mod threads;
mod tree;
mod verdict;
mod why;

pub use crate::source::{
    Caveat, LineChange, LineKey, LineMap, basename, interpreter, normal, not_of_script,
    remedy_of_stripped, without_line_end,
};
pub use annotate::{
    Annotated, AnnotatedLine, Annotation, Annotator, CallSite, Choice, Choices, Elsewhere,
    InlinedAtLine, InlinedOnce,
};
pub use bucket::Bucket;
pub use call_counts::{CallCounts, CallDivisor};
pub use charged::{Charged, is_std_object};
pub use contexts::{UnlistedContexts, unlisted_contexts};
pub use cycles::{Cycles, Graphs};
pub use details::{Details, InlinedPart, RowDetails};
pub use dot_graph::{DotEdge, DotGraph, DotNode, GraphOptions};
pub use export::{Export, ExportLine, ExportRecord};
pub use figure::{
    Cost, CostFigure, Extent, Figure, FigureTable, ItemCost, ItemFigure, Mark, Total,
};
pub use filter::{Filter, Rule, Subject};
pub use first_screen::{
    CostlyLine, FirstScreen, LeadingLine, LibraryWork, Misses, NoLines, OwnSources, ScreenInput,
    ScreenLine, ScreenSystemCalls, ScreenWork, ThreadWork, Times, first_lines,
};
pub use kept::{Kept, KeptCode, KeptCost, KeptPart, matching_functions};
pub use label::{GroupPlace, Label, OneOrMany, RowId};
pub use language::component_starts;
pub use line_sums::LineCost;
pub use list::{List, ListBy, ListRow, Omission, Omitted};
pub use namespace::without_parameters;
pub use nested::{NestedList, NestedOf, NestedOptions, NestedPart, NestedRow, Nesting, ShownLine};
pub use outside_main::{MainCosts, OutsideMain, cost_of_main, is_main};
pub use path_tree::{
    MAX_PATH_ROWS, MAX_REPORT_ROWS, PASSED_PARTS, PathEnd, PathOptions, PathTree, PathTrees,
};
pub use pattern::{Pattern, PatternError};
pub use quotient::rounded;
pub use row_by::{RowBy, RowOptions};
pub use row_costs::{CostEstimate, CostRange, Inclusive, self_costs};
pub use rows::{Divided, NameOptions, RowNames, Rows};
pub use selection::{CallKey, ListSelection, RowLimit, Selection, SelectionOptions, Threshold};
pub use series::{Series, Step};
pub use short_name::short_function;
pub use source_texts::SourceTexts;
pub use stack_lines::{FrameLine, StackLines};
pub use stacks::{NegativeCost, Stacks};
pub use sums::Alignments;
pub use thread_costs::{costly_threads, rows_of_threads};
pub use threads::beside;
pub use tree::{CallLine, CallTree, PathDirection};
pub use verdict::{GroupCost, Limit, LimitNumber, Verdict, selected_cost, selected_inclusive_cost};
pub use why::{
    BaseAndNew, CallerChange, ChangedCode, ChangedPlace, LineWithChange, LinesHere, OtherPlaces,
    PartOfOther, Reason, Why, WhyInput,
};
