//! The items that tests and fuzz targets use. Not a public interface: it changes with the program.

pub use crate::run;
pub use crate::run::Messages;

pub mod cli {
    pub use crate::cli::Request;
    pub use crate::parse;
}

pub mod demangle {
    pub use crate::demangle::demangle;
}

pub mod graph {
    pub use crate::graph::CallGraph;
}

pub mod profile {
    pub use crate::profile::{
        CodePlace, Count, DivideBy, FileId, Fragment, FunctionId, LIMIT, NameId, Part, Profile,
        ProfileBuilder, Sides, SuffixFold, add_cost,
    };
}

pub mod program {
    pub use crate::program::{Inlines, Program};
}

pub mod read {
    pub use crate::read::{
        Detail, ReadOptions, is_profile, parts_of, read_all, read_from, warning::Error,
    };
}

pub mod render {
    pub use crate::render::{
        ChosenColumns, MeasureTables, Report, ReportLines, ShownCosts, Style, write_callgrind,
        write_functions,
    };
}

pub mod source {
    pub use crate::source::Finder;
}

pub mod transform {
    pub use crate::transform::{
        ChargedCode, InlinedObjects, Kept, LateFold, charge_to_callers, keep,
    };
}

pub mod view {
    pub use crate::view::{
        Alignments, Annotator, CallLine, CallTree, Choice, Choices, CostFigure, Export, Filter,
        Graphs, Inclusive, List, ListBy, NestedList, NestedOptions, Nesting, PathDirection,
        PathEnd, PathOptions, PathTrees, Pattern, RowBy, RowId, RowOptions, Rows, Rule, Selection,
        SelectionOptions, Stacks, Threshold, Total, filter, self_costs,
    };
}
