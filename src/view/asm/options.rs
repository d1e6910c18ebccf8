//! Which instructions are shown, and how.

use std::ffi::OsString;

use super::Instructions;
use crate::profile::{Count, FunctionId, Profile, add_cost};
use crate::view::filter::{IncludeExclude, Subject};
use crate::view::label::Item;
use crate::view::list::List;
use crate::view::rows::Rows;
use crate::view::selection::{Selection, Threshold};

/// What came of looking for the code of an object.
#[derive(Clone, Debug)]
pub struct ObjectState {
    /// found, missing, changed, unknown or unreadable.
    pub state: &'static str,
    /// The file, if there is one.
    pub path: Option<Vec<u8>>,
    /// How many recorded addresses are those of its instructions.
    pub matching: usize,
    /// How many addresses of the chosen functions were recorded.
    pub recorded: usize,
}

/// What the user requested.
#[derive(Clone, Debug)]
pub struct AsmOptions {
    /// The functions; none for those that are listed.
    pub functions: Option<IncludeExclude>,
    /// Up to which share of a function's own cost its most expensive instructions are shown.
    pub threshold: Threshold,
    /// Whether source lines are between the instructions.
    pub sources: bool,
    /// Whether the bytes of instructions are shown.
    pub bytes: bool,
    /// How many instructions are shown before and after each of them.
    pub context: u32,
    /// The program that disassembles.
    pub objdump: OsString,
    /// A folder that is put before the paths of objects.
    pub sysroot: Option<OsString>,
}

impl AsmOptions {
    /// The functions to show, the most expensive first.
    pub fn choose(
        &self,
        instructions: &Instructions<'_>,
        rows: &Rows<'_>,
        list: &List,
        selection: &Selection,
    ) -> Vec<FunctionId> {
        let profile = instructions.profile();
        let mut is_listed = vec![false; rows.len()];
        for item in &list.items {
            if let Item::Row(row) = item {
                is_listed[row.index()] = true;
            }
        }
        let is_chosen = |function: FunctionId| match &self.functions {
            None => is_listed[rows.of_function(function).index()],
            Some(choice) => choice.accepts(&subject(profile, function)),
        };
        let mut functions = own_costs(instructions);
        functions.retain(|(function, _)| is_chosen(*function));
        let events = profile.events();
        functions
            .iter_mut()
            .for_each(|(_, cost)| events.derive(cost));
        functions.sort_by(|(a, a_cost), (b, b_cost)| {
            selection.falling(a_cost, b_cost).then_with(|| {
                let name = |id| {
                    let function = profile.function(id);
                    let (file, object) =
                        (profile.file(function.file), profile.object(function.object));
                    (file, profile.name(function.name), object)
                };
                name(*a).cmp(&name(*b))
            })
        });
        functions
            .into_iter()
            .map(|(function, _)| function)
            .collect()
    }
}

fn subject(profile: &Profile, function: FunctionId) -> Subject<'_> {
    let function = profile.function(function);
    let object = profile.defined_object(function.object);
    Subject::new(
        object,
        profile.file(function.file),
        profile.name(function.name),
    )
}

/// The own costs of all functions that have instructions, also of those that only called or jumped.
fn own_costs(instructions: &Instructions<'_>) -> Vec<(FunctionId, Vec<Count>)> {
    let nothing = vec![Count::UNDEFINED; instructions.profile().events().len()];
    let functions = instructions.functions().into_iter();
    let mut costs: Vec<_> = functions
        .map(|function| (function, nothing.clone()))
        .collect();
    let mut at = 0;
    for (place, cost) in instructions.costs() {
        if costs[at].0 != place.function {
            at += costs[at..].partition_point(|&(function, _)| function < place.function);
        }
        add_cost(&mut costs[at].1, cost);
    }
    costs
}
