//! What is inlined at the lines of both sides, by debug information at the addresses of the
//! profiles.

use super::ReasonMaker;
use crate::graph::CallGraph;
use crate::profile::{FileId, FunctionId, Place, Profile, Sides};
use crate::transform::{InlinedCode, InlinedObjects};
use crate::view::annotate::{CostSource, InlinedCallee, InlinedCosts};

/// A function's lines are known from the debug information of an object if those of this part of
/// its cost, in percent, are the ones in the profile: the object may be that of another build.
const MIN_EQUAL_PERCENT: i128 = 90;

/// Reads the debug information of the objects that have some functions, given by whether each is
/// wanted; none if a side has no addresses.
pub type InlinedOfSides<'p> = dyn Fn(&[bool]) -> Option<Sides<InlinedObjects>> + 'p;

/// What is inlined in some files.
pub(super) struct InlinedAtLines {
    /// By function whether it is known what is inlined in it, on all sides.
    is_known: Vec<bool>,
    /// By function whether it has code of other files.
    has_other_files: Vec<bool>,
    /// The costs, each at the lines that its code was inlined into.
    pub(super) spent: Vec<SpentInlined>,
}

/// The cost of a place or a call in code that was inlined into lines of one side.
pub(super) struct SpentInlined {
    pub(super) source: CostSource,
    pub(super) is_base: bool,
    /// Whether it is a call within a cycle, of which it is not known what it costs.
    pub(super) is_in_cycle: bool,
    /// These lines, each once, the innermost first, without the line of the code itself.
    pub(super) lines: Vec<(FileId, u32)>,
}

impl InlinedAtLines {
    /// Of the code in files, by whether each is wanted.
    pub(super) fn new(maker: &ReasonMaker<'_, '_>, is_wanted: &[bool]) -> InlinedAtLines {
        let profile = maker.profile;
        let mut wanted = vec![false; profile.function_count()];
        let mut has_other_files = wanted.clone();
        for fragment in profile.fragments() {
            let at = fragment.function.index();
            wanted[at] |= is_wanted[fragment.file.index()];
            has_other_files[at] |= fragment.file != profile.function(fragment.function).file;
        }
        let mut lines = InlinedAtLines { is_known: Vec::new(), has_other_files, spent: Vec::new() };
        let Some(objects) = (maker.input.inlined)(&wanted) else {
            lines.is_known = vec![false; wanted.len()];
            return lines;
        };
        lines.is_known = known_functions(profile, &objects);
        lines.leave_whole_rows(maker);
        lines.add(maker, &objects, is_wanted);
        lines
    }

    /// Leaves what is known of rows of which all functions are known: the sides of a row may be
    /// functions of other objects.
    fn leave_whole_rows(&mut self, maker: &ReasonMaker<'_, '_>) {
        let rows = maker.input.rows;
        let row_of = |function: FunctionId| rows.of_function(function).index();
        let mut is_whole = vec![true; rows.len()];
        for (function, _) in maker.profile.functions() {
            is_whole[row_of(function)] &= self.is_known(function);
        }
        for (function, _) in maker.profile.functions() {
            self.is_known[function.index()] = is_whole[row_of(function)];
        }
    }

    /// Whether the cost of what is inlined at the lines of a function is left out of theirs.
    pub(super) fn lacks(&self, function: FunctionId) -> bool {
        self.has_other_files[function.index()] && !self.is_known(function)
    }

    pub(super) fn is_known(&self, function: FunctionId) -> bool {
        self.is_known[function.index()]
    }

    fn add(
        &mut self,
        maker: &ReasonMaker<'_, '_>,
        objects: &Sides<InlinedObjects>,
        is_wanted: &[bool],
    ) {
        let (profile, graphs) = (maker.profile, maker.input.graphs);
        let costs = InlinedCosts::new(maker.input.rows, objects, is_wanted);
        let at_line = costs.all().filter(|cost| matches!(cost.callee, InlinedCallee::Copy(_)));
        for cost in at_line {
            let place = place_of(profile, cost.spent);
            let fragment = profile.fragment(place.fragment);
            let own = (fragment.file, profile.line(place));
            if !self.is_known(fragment.function) || (cost.file, cost.line) == own {
                continue;
            }
            let is_base = cost.on.base;
            let is_inner = |graph: &CallGraph<'_>| match cost.spent {
                CostSource::Place(_) => false,
                CostSource::Call(number) => {
                    let callee = profile.calls[number as usize].callee;
                    graph.is_inner(fragment.function, callee)
                }
            };
            let is_in_cycle =
                [Some(&graphs.new), graphs.base.as_ref()].into_iter().flatten().any(is_inner);
            let line = (cost.file, cost.line);
            match self.spent.last_mut() {
                // The lines of one cost follow each other.
                Some(last) if (last.source, last.is_base) == (cost.spent, is_base) => {
                    if !last.lines.contains(&line) {
                        last.lines.push(line);
                    }
                }
                _ => self.spent.push(SpentInlined {
                    source: cost.spent,
                    is_base,
                    is_in_cycle,
                    lines: vec![line],
                }),
            }
        }
    }
}

/// The place of a cost or a call.
pub(super) fn place_of(profile: &Profile, source: CostSource) -> Place {
    match source {
        CostSource::Place(number) => profile.places[number as usize],
        CostSource::Call(number) => profile.calls[number as usize].site,
    }
}

/// By function whether each side that has it has the debug information of its object, with the
/// lines that the profile has.
fn known_functions(profile: &Profile, objects: &Sides<InlinedObjects>) -> Vec<bool> {
    let mut is_known = vec![true; profile.function_count()];
    for (index, side) in profile.sides().iter().enumerate() {
        let of_side = objects.get(index);
        let mut equal: Vec<(i128, i128)> = vec![(0, 0); is_known.len()];
        for (place, cost) in profile.costs_of(side) {
            let at = profile.code_place(place);
            let object = profile.function(at.function).object;
            let Some(code) = of_side.and_then(|of| of.get(object)) else {
                is_known[at.function.index()] = false;
                continue;
            };
            let count = cost.first().map_or(0, |count| i128::from(count.or_zero()).abs());
            if at.line > 0 {
                let (all, same) = &mut equal[at.function.index()];
                *all += count;
                *same += if has_line(code, at.address, at.line) { count } else { 0 };
            }
        }
        for (is_known, (all, same)) in is_known.iter_mut().zip(equal) {
            *is_known &= same * 100 >= all * MIN_EQUAL_PERCENT;
        }
    }
    is_known
}

fn has_line(code: &InlinedCode, address: u64, line: u32) -> bool {
    code.at.get(address).is_some_and(|at| at.line == line)
}
