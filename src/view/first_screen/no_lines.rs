//! Why the first screen has no lines.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::ScreenMaker;
use super::items::Item;
use super::lines::is_large;
use crate::profile::{FunctionId, NameKind, ObjectId, is_unknown_name};
use crate::view::charged::is_std_object;

/// Why there are no lines.
#[derive(Debug, PartialEq, Eq)]
pub enum NoLines {
    /// The object with most of the cost has no debug information; its name may be empty.
    NoDebugInformation(Vec<u8>),
    /// The profile is of another language, whose profilers need not record lines.
    NotRecorded,
    /// The total is 0.
    NoCost,
    /// The total is 0, but calls have costs: the producer writes no self costs.
    NoSelfCost,
    /// All lines are small.
    NoLargeLine,
    /// Some costs are negative, as in the difference of two profiles: a line with what it leads to
    /// may cost less than that.
    NegativeCosts,
}

impl ScreenMaker<'_, '_> {
    /// Why there are no lines: by the object with most of the cost.
    pub(super) fn no_lines(&self) -> NoLines {
        if self.input.total[self.spent.event] == 0 {
            let have_cost = self.spent.items.all_calls().any(|item| self.spent.cost(item) != 0);
            return if have_cost { NoLines::NoSelfCost } else { NoLines::NoCost };
        }
        let mut of_objects: HashMap<ObjectId, [i128; 2]> = HashMap::new();
        let profile = self.profile();
        let object = |function: FunctionId| profile.function(function).object;
        // With all that other objects did for them.
        let is_counted = |item: &Item| {
            let is_call_of_other = |callee: FunctionId| {
                object(callee) != object(self.spent.items.function(*item))
                    && !self.spent.items.is_inner(*item)
            };
            self.spent.items.callee(*item).is_none_or(is_call_of_other)
        };
        for item in self.spent.items.all().filter(is_counted) {
            let at = profile.code_place(self.spent.items.place(item));
            let has_line = at.line > 0 && !is_unknown_name(profile.file(at.file));
            let cost = i128::from(self.spent.cost(item));
            of_objects.entry(object(at.function)).or_default()[usize::from(has_line)] += cost.abs();
        }
        let largest = of_objects
            .into_iter()
            .filter(|&(object, _)| !is_std_object(profile.object(object)))
            .max_by_key(|&(object, [without, with])| (without + with, Reverse(object)));
        match largest {
            Some((object, [without, with]))
                if without > with && is_large(without, self.input.total[self.spent.event]) =>
            {
                let name = profile.object(object);
                if profile.name_kind() == NameKind::Other {
                    NoLines::NotRecorded
                } else {
                    NoLines::NoDebugInformation(name.to_vec())
                }
            }
            _ => NoLines::NoLargeLine,
        }
    }
}
