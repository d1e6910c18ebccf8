//! Which members of cycles have exact costs, because Callgrind recorded their levels of recursion,
//! or because the calls tell that they are [never nested](super::never_nested).
//!
//! By default Callgrind counts the outermost activation of a function as `f`, and all activations
//! within it as `f'2` (`--separate-recs=2`); the highest level of a profile has all deeper ones. So
//! activations of a level below the highest never overlap, and the function costs what was paid for
//! that level. If names were folded, calls of `f'2` are calls of `f` that are marked as nested.
//!
//! Levels are recorded if some name has one and nothing contradicts it: no function below the
//! highest level calls itself, and none was paid more than its cycle cost. Profiles made with
//! `--separate-recs=1`, or with levels for some functions only, contradict it if they have much
//! recursion.

use hashbrown::HashMap;

use super::members::Members;
use super::never_nested::never_nested;
use super::{Arc, CallGraph};
use crate::profile::{
    FileId, Function, FunctionId, ObjectId, Profile, level_after, suffixes_after, without_suffixes,
};

#[derive(Default)]
pub(super) struct Levels {
    /// By member whether its activations never overlap. Empty if levels are not recorded.
    is_exact: Vec<bool>,
    /// By member whether it is never nested by the calls that were recorded. Empty if calls were
    /// not counted.
    is_never_nested: Vec<bool>,
    /// The outermost level of functions that are deeper levels: `f` of `f'2`.
    outermost: HashMap<FunctionId, FunctionId>,
}

/// A function without the level and the callers in its name.
type FunctionOfLevels<'p> = (ObjectId, FileId, &'p [u8]);

/// The levels of the functions of a profile.
struct RecordedLevels {
    /// The highest level, which has all deeper ones; 1 if there is none.
    highest: u32,
    /// The functions with a level above 1 in their names; none if names were folded.
    deeper: HashMap<FunctionId, u32>,
}

impl Levels {
    pub(super) fn new(graph: &CallGraph<'_>, members: &Members) -> Levels {
        let has_cycle = members.components.iter().any(|component| component.is_cycle);
        let is_callgrind = graph.side.parts.iter().all(|part| part.callgrind().is_some());
        if graph.profile.has_rewritten_names() || !is_callgrind {
            return Levels::default();
        }
        let (recorded, outermost) = RecordedLevels::of_names(graph);
        if !has_cycle {
            // All functions have exact costs; only rows of several functions need their levels.
            return Levels { outermost, ..Levels::default() };
        }
        let recorded = match recorded.highest {
            1 => RecordedLevels::of_marks(graph),
            _ => recorded,
        };
        let is_exact = members.list.iter().map(|&member| recorded.is_exact(graph.profile, member));
        let mut levels = Levels { is_exact: is_exact.collect(), outermost, ..Levels::default() };
        let are_recorded = match &graph.side.kept {
            // Costs that were divided may contradict what was recorded.
            Some(kept) => kept.has_levels,
            None => !recorded.is_contradicted(graph) && !levels.is_contradicted(members),
        };
        if recorded.highest < 2 || !are_recorded {
            return Levels::default();
        }
        levels.leave_out_unpaid(members);
        levels
    }

    /// Adds the members that are never nested by the calls that were recorded.
    pub(super) fn add_never_nested(&mut self, graph: &CallGraph<'_>, members: &Members) {
        self.is_never_nested = never_nested(graph, members, |member| self.is_exact(member));
    }

    /// Whether a member's activations never overlap, or those that are not marked as nested.
    pub(super) fn is_exact(&self, member: usize) -> bool {
        [&self.is_exact, &self.is_never_nested].iter().any(|of| of.get(member) == Some(&true))
    }

    pub(super) fn are_recorded(&self) -> bool {
        !self.is_exact.is_empty() || !self.outermost.is_empty()
    }

    /// Whether some function is a deeper level of another one.
    pub(super) fn has_deeper(&self) -> bool {
        !self.outermost.is_empty()
    }

    /// The function whose level 1 is on the stack whenever this deeper level is.
    pub(super) fn outermost(&self, function: FunctionId) -> Option<FunctionId> {
        self.outermost.get(&function).copied()
    }

    /// Whether some member was paid more than its cycle cost.
    fn is_contradicted(&self, members: &Members) -> bool {
        let mut exact = (0..members.list.len()).filter(|&member| self.is_exact(member));
        exact.any(|member| {
            let component = members.component(member);
            let mut bounds = component.plain_events();
            bounds.any(|event| {
                let entered = component.entered[event].or_zero();
                component.is_cycle && members.once(member, event) > entered.into()
            })
        })
    }

    /// Leaves out members that spent more than was paid for their first level: their outermost
    /// activation was not recorded, or their name only looks like a level.
    fn leave_out_unpaid(&mut self, members: &Members) {
        for (member, is_exact) in self.is_exact.iter_mut().enumerate() {
            let mut events = members.component(member).plain_events();
            *is_exact &=
                events.all(|event| members.once(member, event) >= members.floor(member, event));
        }
    }
}

impl RecordedLevels {
    /// The levels in the names of the side's functions, and the outermost level of each deeper one.
    /// Paired programs have functions of the same names on both sides. With callers in the names
    /// `f'2'x` may be within `f'y`, so that no function has all of it.
    fn of_names(graph: &CallGraph<'_>) -> (RecordedLevels, HashMap<FunctionId, FunctionId>) {
        let profile = graph.profile;
        let name_of = |function: &Function| profile.name(function.name);
        let bare = |function: &Function, own| (function.object, function.file, own);
        let parts: Vec<(&[u8], u32)> = profile
            .functions()
            .map(|(_, function)| {
                let own = profile.own_name(function.name);
                (own, level_after(own.len(), name_of(function)))
            })
            .collect();
        let functions =
            || profile.functions().zip(&parts).filter(|((id, _), _)| graph.has_function(*id));
        let levels = functions().filter(|(_, (_, level))| *level > 1);
        // Those of them that have a first level, with the function whose name is nothing else.
        let mut first: HashMap<FunctionOfLevels<'_>, Option<Option<FunctionId>>> =
            levels.clone().map(|((_, function), (own, _))| (bare(function, *own), None)).collect();
        let of_first = functions().filter(|(_, (_, level))| *level == 1);
        for ((id, function), (own, _)) in of_first {
            if let Some(alone) = first.get_mut(&bare(function, *own)) {
                let is_alone = own.len() == name_of(function).len();
                *alone = Some(alone.flatten().or(is_alone.then_some(id)));
            }
        }
        // A name may end like a level, although no function of its object and file is the first.
        let levels: Vec<(FunctionId, &Function, u32, Option<FunctionId>)> = levels
            .filter_map(|((id, function), (own, level))| {
                Some((id, function, *level, first[&bare(function, *own)]?))
            })
            .collect();
        let has_callers = |of: &Function| {
            suffixes_after(profile.own_name(of.name).len(), name_of(of)).nth(1).is_some()
        };
        let outermost = levels.iter().filter_map(|&(id, function, _, alone)| {
            alone.filter(|_| !has_callers(function)).map(|alone| (id, alone))
        });
        let recorded = RecordedLevels {
            highest: levels.iter().map(|&(_, _, level, _)| level).max().unwrap_or(1),
            deeper: levels.iter().map(|&(id, _, level, _)| (id, level)).collect(),
        };
        (recorded, outermost.collect())
    }

    /// The levels of a profile whose names were folded, in which some call is marked as nested. The
    /// marks of inlined copies are no levels.
    fn of_marks(graph: &CallGraph<'_>) -> RecordedLevels {
        let is_level = |arc: &Arc| arc.is_nested && !graph.profile.is_inlined(arc.callee);
        let highest = if graph.arcs.iter().any(is_level) { 2 } else { 1 };
        RecordedLevels { highest, deeper: HashMap::new() }
    }

    /// Whether a function is below the highest level. Where names were folded, only a name without
    /// callers has all calls of the first level.
    fn is_exact(&self, profile: &Profile, function: FunctionId) -> bool {
        let name = profile.name(profile.function(function).name);
        let is_below = match self.deeper.get(&function) {
            Some(&level) => level < self.highest,
            None => !self.deeper.is_empty() || without_suffixes(name).len() == name.len(),
        };
        is_below && !profile.is_inlined(function) && !profile.is_instance(function)
    }

    /// Whether a function below the highest level calls itself.
    fn is_contradicted(&self, graph: &CallGraph<'_>) -> bool {
        graph.arcs.iter().any(|&arc| {
            let calls_itself = graph.caller(arc) == arc.callee && !arc.is_nested;
            calls_itself && self.is_exact(graph.profile, arc.callee)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{FunctionKey, ProfileBuilder};

    /// Of a function with levels the first one is exact. Levels are those of the function: how
    /// many activations of each of its instances are nested is not known, nor of inlined copies.
    #[test]
    fn functions_whose_activations_never_overlap() {
        let mut builder = ProfileBuilder::default();
        let object = builder.add_object(b"prog").unwrap();
        let file = builder.add_file(b"a.rs").unwrap();
        let mut add = |name: &str| {
            let name = builder.add_name(name.as_bytes()).unwrap();
            builder.functions().add(FunctionKey { object, file, name }).unwrap()
        };
        let [plain, first, second, generic, context] =
            ["main", "f", "f'2", "generic", "g'main"].map(&mut add);
        let instance = builder.functions().add_instance(generic).unwrap();
        let name = builder.add_name(b"copy").unwrap();
        let copy = builder.functions().add_inlined(plain, file, name).unwrap();
        let profile = builder.finish();
        let of_names = RecordedLevels { highest: 2, deeper: HashMap::from_iter([(second, 2)]) };
        // If names were folded, a name with callers has not all calls of the first level.
        let of_marks = RecordedLevels { highest: 2, deeper: HashMap::new() };
        for (function, expected) in [
            (plain, [true, true]),
            (first, [true, true]),
            (second, [false, false]),
            (generic, [false, false]),
            (instance, [false, false]),
            (context, [true, false]),
            (copy, [false, false]),
        ] {
            let is_exact = [&of_names, &of_marks].map(|of| of.is_exact(&profile, function));
            assert_eq!(is_exact, expected, "{function:?}");
        }
    }
}
