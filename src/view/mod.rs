//! Views: pure functions from a [`Profile`] and a few settings to tables of labels and raw costs, one
//! file a question. No view formats a number; every order is total, its last key the name.

mod annotate;
mod apportion;
pub mod asm;
mod bucket;
mod call_counts;
mod charged;
mod cycles;
mod details;
mod dot_graph;
mod export;
mod figure;
mod file_sides;
pub mod filter;
mod gprof;
mod inclusive;
mod item;
mod list;
mod listing;
mod namespace;
mod nested;
mod omitted;
mod pairing;
mod path_tree;
mod pattern;
mod row_by;
mod rows;
mod selection;
mod short_name;
mod stacks;
mod tree;
mod verdict;

use std::borrow::Cow;

use crate::demangle::demangle;
use crate::profile::{Count, FunctionId, Presence, Profile, Sides};

pub use crate::source::{Caveat, LineChange, LineKey, LineMap};
pub use annotate::{
    AnnotateOptions, Annotated, AnnotatedLine, Annotation, Annotator, CallSite, Choice, Choices,
    Lines, Shown,
};
pub use bucket::Bucket;
pub use call_counts::CallCounts;
pub use charged::Charged;
pub use cycles::Cycles;
pub use details::{CallsFromLine, Details, LineCost, RowDetails};
pub use dot_graph::{DotEdge, DotGraph, DotNode, DotNodeKind, GraphOptions};
pub use export::{Export, ExportLine};
pub use figure::{Compared, CostFigure, Figure, FigureTable};
pub use file_sides::{Alignments, FileSides, file_sides};
pub use filter::{Filter, Rule, Subject};
pub use gprof::{
    Blocks, CodePlace, CountedFile, CountedFiles, Ends, Entry, EntryOf, EventGraph, ExecCount,
    Executed, Flat, FlatRow, GraphTable, Included, LinkOrder, Lists, Matched, MergedFunctions,
    Microseconds, Neighbour, PlaceCalls, PlaceCount, Places, ProfileInfo, Qualifier, SampledCalls,
    SampledFlat, SampledGraph, SampledRow, SampledTable, Scope, SourceLine, Symspec, Symspecs,
    Ticks, basename, calls_of_functions, exec_counts, is_measuring, link_order,
};
pub use inclusive::Inclusive;
pub use item::Item;
pub use list::{List, ListRow, self_cost_tables, self_costs};
pub use namespace::BareName;
pub use nested::{
    NestedLine, NestedList, NestedOf, NestedOptions, NestedPart, NestedRow, Nesting, PartOf,
    ShownLine,
};
pub use omitted::{Omission, Omitted};
pub use pairing::Pairing;
pub use path_tree::{MAX_PATH_ROWS, PathDirection, PathLine, PathOptions, PathTree, PathTrees};
pub use pattern::{Pattern, PatternError};
pub use row_by::RowBy;
pub use rows::{RowId, RowOptions, Rows};
pub use selection::{Selection, SelectionOptions, Threshold, UnknownEvent};
pub use short_name::{RowNames, short_function};
pub use stacks::{NegativeCost, Stacks};
pub use tree::{CallLine, CallTree};
pub use verdict::{Limit, Limited, Percentage, RowLimit, Verdict, selected_cost};

/// One count an event.
pub type Cost = Vec<Count>;

/// What a row of a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label<'p> {
    /// A function, or the part of it that lies in one file.
    Function {
        /// The source file.
        file: &'p [u8],
        /// The function's name, readable.
        name: Cow<'p, [u8]>,
        /// The number of the call cycle it is a member of.
        cycle: Option<usize>,
        /// Where it was defined; none if it is known only from calls or from inlined code.
        object: Option<&'p [u8]>,
    },
    /// A source line.
    Line {
        /// The source file.
        file: &'p [u8],
        /// The number of the line.
        line: u32,
        /// Its text without the space around it, if it was found.
        source: Option<Cow<'p, [u8]>>,
    },
    /// Several functions together.
    Group {
        /// What they have in common, readable: a file, an object, a namespace or a name. Empty if there is none.
        name: Cow<'p, [u8]>,
        /// Where their code is.
        place: GroupPlace<'p>,
    },
    /// All members of a call cycle.
    Cycle(usize),
}

/// Where the code of a group is; none of what the group itself is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupPlace<'p> {
    /// Its source files.
    pub files: Option<OneOrMany<'p>>,
    /// Its objects.
    pub objects: Option<OneOrMany<'p>>,
}

/// One name, or how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneOrMany<'p> {
    /// The only one; empty if it is not known.
    One(&'p [u8]),
    /// How many.
    Many(usize),
}

/// What only one side of a difference has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Only the profile itself.
    New,
    /// Only the one that was subtracted.
    Gone,
}

impl Mark {
    /// The mark for what is on these sides; none if it is on both, or there are none.
    pub fn of(presence: Presence) -> Option<Mark> {
        match presence {
            Presence {
                new: true,
                base: false,
            } => Some(Mark::New),
            Presence {
                new: false,
                base: true,
            } => Some(Mark::Gone),
            _ => None,
        }
    }
}

impl<'p> Label<'p> {
    /// What a function is called, with the object that has it.
    pub fn of_function(profile: &'p Profile, function: FunctionId, demangles: bool) -> Label<'p> {
        let function = profile.function(function);
        let name = profile.name(function.name);
        Label::Function {
            file: profile.file(function.file),
            name: if demangles {
                demangle(name)
            } else {
                name.into()
            },
            cycle: None,
            object: profile.defined_object(function.object),
        }
    }
}

/// The smallest and the largest counts in a table, which decide how wide its columns are.
#[derive(Clone, Debug)]
pub struct Extent {
    /// By event: the smallest count and the largest, if any is defined.
    pub ranges: Vec<Option<(i64, i64)>>,
    /// The same of BASE and NEW, and the smallest and largest change in percent of BASE, of a difference.
    pub compared: Option<ComparedExtent>,
}

/// The extents of the sides of a difference.
#[derive(Clone, Debug)]
pub struct ComparedExtent {
    /// Of BASE.
    pub base: Vec<Option<(i64, i64)>>,
    /// Of NEW.
    pub new: Vec<Option<(i64, i64)>>,
    /// Of the changes in percent.
    pub percent: Vec<(f64, f64)>,
}

impl Extent {
    /// An extent of no counts of this many events.
    pub fn new(events: usize) -> Extent {
        Extent {
            ranges: vec![None; events],
            compared: None,
        }
    }

    /// Takes in one more cost of the table.
    pub fn include(&mut self, cost: &[Count]) {
        include(&mut self.ranges, cost);
    }

    /// Takes in one more cost with its sides.
    pub fn include_figure(&mut self, figure: CostFigure<'_>) {
        self.include(figure.value);
        let Some(sides) = figure.compared else { return };
        let events = figure.value.len();
        let compared = self.compared.get_or_insert_with(|| ComparedExtent {
            base: vec![None; events],
            new: vec![None; events],
            percent: vec![(0.0, 0.0); events],
        });
        include(&mut compared.base, sides.base);
        include(&mut compared.new, sides.new);
        for (event, (low, high)) in compared.percent.iter_mut().enumerate() {
            let percent = figure.event(event).percent().unwrap_or(0.0);
            (*low, *high) = (low.min(percent), high.max(percent));
        }
    }
}

fn include(ranges: &mut [Option<(i64, i64)>], cost: &[Count]) {
    for (range, count) in ranges.iter_mut().zip(cost) {
        if let Some(value) = count.value() {
            let (low, high) = range.unwrap_or((value, value));
            *range = Some((low.min(value), high.max(value)));
        }
    }
}

/// The program's total.
#[derive(Clone, Debug)]
pub struct Total {
    /// The counts; of a difference with both sides.
    pub figure: Figure<Cost>,
    /// Whether no file stated it, so that it is the sum of the self costs.
    pub is_calculated: bool,
    /// What 100% is, by event.
    reference: Vec<Count>,
}

impl Total {
    /// The total of all parts of a profile.
    pub fn of(profile: &Profile) -> Total {
        let (sides, events) = (profile.sides(), profile.events());
        let mut figure = Figure::undefined(events.len(), profile.is_difference());
        let (new, is_calculated) = sides.new.total(events);
        let base = sides.base.as_ref().map(|base| base.total(events));
        let base = base.map(|(base, _)| base);
        figure.add_sides(Sides {
            new: &new[..],
            base: base.as_deref(),
        });
        let reference = figure.sides().map_or(&figure.value, |(base, _)| base);
        let mut reference = reference.clone();
        // Shares of threads and parts are in percent of the whole program too.
        for &(event, share) in events.shares() {
            reference[share] = reference[event];
        }
        Total {
            figure,
            is_calculated,
            reference,
        }
    }

    /// What 100% is, by event: the total, or that of BASE.
    pub fn reference(&self) -> &[Count] {
        &self.reference
    }
}
