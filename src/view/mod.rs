//! Views: pure functions from a [`Profile`] and a few settings to tables of labels and raw costs, one
//! file a question. No view formats a number; every order is total, its last key the name.

mod annotate;
pub mod asm;
mod call_counts;
mod cycles;
mod details;
mod dot_graph;
mod export;
pub mod filter;
mod functions;
mod gprof;
mod grouping;
mod inclusive;
mod listing;
mod namespace;
mod pattern;
mod rest;
mod rows;
mod selection;
mod stacks;
mod tree;

use std::borrow::Cow;

use crate::demangle::demangle;
use crate::profile::{Count, FunctionId, Overflow, Presence, Profile};

pub use crate::source::Doubt;
pub use annotate::{
    AnnotateError, AnnotateOptions, Annotated, AnnotatedLine, Annotation, Annotator, CallSite,
    Choice, Lines, Shown,
};
pub use call_counts::CallCounts;
pub use cycles::Cycles;
pub use details::{CallsFromLine, Details, LineCost, RowDetails};
pub use dot_graph::{DotEdge, DotGraph, DotNode, DotNodeKind, GraphOptions};
pub use export::{Export, ExportLine};
pub use filter::{Filter, Rule, Subject};
pub use functions::{FunctionList, FunctionRow};
pub use gprof::{
    CodePlace, CountedFile, Entry, EntryOf, EventGraph, ExecCount, Flat, FlatRow, GraphTable,
    Included, LinkOrder, Lists, Matched, MergedFunctions, Microseconds, Neighbour, PlaceCalls,
    PlaceCount, Places, ProfileInfo, Qualifier, SampledCalls, SampledEntry, SampledFlat,
    SampledGraph, SampledLine, SampledRow, SampledTable, Scope, SourceLine, Symspec, Symspecs,
    Ticks, basename, calls_of_functions, exec_counts, is_measuring, link_order, parts,
};
pub use grouping::Grouping;
pub use inclusive::Inclusive;
pub use namespace::BareName;
pub use pattern::{Pattern, PatternError};
pub use rest::{Rest, Share};
pub use rows::{Item, RowId, RowOptions, Rows};
pub use selection::{Selection, SelectionOptions, Threshold, UnknownEvent};
pub use stacks::{StackError, Stacks};
pub use tree::{CallLine, CallTree};

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
        /// Of a difference: whether only one side has it.
        mark: Option<Mark>,
    },
    /// Several functions together.
    Group {
        /// What they have in common, readable: a file, an object, a namespace or a name. Empty if there is none.
        name: Cow<'p, [u8]>,
        /// Of a difference: whether only one side has it.
        mark: Option<Mark>,
    },
    /// All members of a call cycle.
    Cycle(usize),
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
            mark: None,
        }
    }
}

impl Label<'_> {
    /// The same with another mark.
    fn marked(mut self, new_mark: Option<Mark>) -> Self {
        if let Label::Function { mark, .. } | Label::Group { mark, .. } = &mut self {
            *mark = new_mark;
        }
        self
    }
}

/// The smallest and the largest count of each event in a table, which decide how wide its columns are.
#[derive(Clone, Debug)]
pub struct Extent {
    /// By event: the smallest count and the largest, if any is defined.
    pub ranges: Vec<Option<(i64, i64)>>,
}

impl Extent {
    /// An extent of no counts for this number of events.
    pub fn new(events: usize) -> Extent {
        Extent {
            ranges: vec![None; events],
        }
    }

    /// Takes in one more cost of the table.
    pub fn include(&mut self, cost: &[Count]) {
        for (range, count) in self.ranges.iter_mut().zip(cost) {
            if let Some(value) = count.value() {
                let (low, high) = range.unwrap_or((value, value));
                *range = Some((low.min(value), high.max(value)));
            }
        }
    }
}

/// The program's total, of which all percentages are parts.
#[derive(Clone, Debug)]
pub struct Total {
    /// The counts; of a difference the changes.
    pub cost: Cost,
    /// What 100% are: the counts, or those of what was subtracted.
    pub reference: Cost,
    /// Whether no file stated it, so that it is the sum of the self costs.
    pub is_calculated: bool,
}

impl Total {
    /// The total of all parts of a profile.
    ///
    /// # Errors
    /// [`Overflow`] when it does not fit.
    pub fn of(profile: &Profile) -> Result<Total, Overflow> {
        let sides = profile.sides();
        let (mut cost, is_calculated) = sides.new.total(profile.events())?;
        let mut reference = cost.clone();
        if let Some(base) = &sides.base {
            reference = base.total(profile.events())?.0;
            let mut counts = cost.iter_mut().zip(&reference);
            counts.try_for_each(|(count, base)| count.subtract(*base))?;
        }
        Ok(Total {
            cost,
            reference,
            is_calculated,
        })
    }
}
