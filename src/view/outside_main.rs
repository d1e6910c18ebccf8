//! What a program spent outside `main`: before and after it, and where code begins apart from it, as
//! that of signal handlers and threads does.

use std::cmp::Reverse;

use crate::demangle::displayed;
use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, FunctionId, NameKind, Profile};
use crate::source::basename;
use crate::view::short_name::short_function;

/// The functions that programs call when `main` has returned.
const EXITS: [&[u8]; 2] = [b"exit", b"_exit"];

/// The dynamic linker's code begins before `main`, whether it is recorded to lead to it or not.
const LINKERS: [&[u8]; 3] = [b"ld-linux", b"ld-musl", b"ld.so"];

/// The rows of the costs.
const AFTER: usize = 0;
const APART: usize = 1;

/// What a program spent outside `main`, as far as it is not before it.
pub struct OutsideMain {
    costs: CostTable,
    /// The functions at which code begins apart from `main`, the most expensive first.
    pub starts: Vec<Vec<u8>>,
}

impl OutsideMain {
    /// What was spent outside these functions; none if one of them is not `main`, if nothing is
    /// recorded to call it, or of a comparison.
    pub fn new(profile: &Profile, chosen: &[bool]) -> Option<OutsideMain> {
        let of_chosen = profile.functions().map(|(id, _)| id).filter(|id| chosen[id.index()]);
        let are_main = of_chosen.clone().all(|id| is_main(profile, id));
        if !are_main || profile.is_difference() || profile.name_kind() != NameKind::Symbol {
            return None;
        }
        let graph = CallGraph::of_sides(profile, true).new;
        let leads = leading_to(&graph, chosen);
        // Without a start nothing is recorded to call `main`.
        let has_start = leads.iter().zip(chosen).any(|(&leads, &is_chosen)| leads && !is_chosen);
        if !has_start {
            return None;
        }
        let mut costs = CostTable::new(graph.width(), 2);
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc).index();
            let is_exit = || EXITS.contains(&profile.name(profile.function(arc.callee).name));
            if leads[caller] && !chosen[caller] && !leads[arc.callee.index()] && is_exit() {
                costs.add(AFTER, graph.cost(id));
            }
        }
        let is_apart = |id: FunctionId| !leads[id.index()] && !is_of_linker(profile, id);
        let apart = profile.functions().map(|(id, _)| id).filter(|&id| is_apart(id));
        apart.for_each(|id| costs.add(APART, graph.unpaid(id)));
        costs.derive(profile.events());
        let starts = names_of_starts(&graph, is_apart);
        Some(OutsideMain { costs, starts })
    }

    /// What the program spent after `main`.
    pub fn after(&self, event: usize) -> Count {
        self.costs.get(AFTER)[event]
    }

    /// What was spent where code begins that nothing is recorded to call.
    pub fn apart(&self, event: usize) -> Count {
        self.costs.get(APART)[event]
    }
}

/// Whether a function is `main`, or a program's own of that name in another language.
pub fn is_main(profile: &Profile, id: FunctionId) -> bool {
    let name = profile.name_kind().without_suffixes(profile.name(profile.function(id).name));
    name == b"main" || name.ends_with(b"::main")
}

fn is_of_linker(profile: &Profile, id: FunctionId) -> bool {
    let object = basename(profile.object(profile.function(id).object));
    LINKERS.iter().any(|linker| object.starts_with(linker))
}

/// The names of the functions that spent more than was paid for their calls, those with most of it
/// first.
fn names_of_starts(graph: &CallGraph<'_>, is_apart: impl Fn(FunctionId) -> bool) -> Vec<Vec<u8>> {
    let profile = graph.profile;
    let unpaid = |id: FunctionId| {
        let mut counts = graph.unpaid(id).iter().map(|count| count.or_zero());
        counts.find(|&count| count != 0).unwrap_or(0)
    };
    let all = profile.functions().map(|(id, _)| id);
    let mut starts: Vec<FunctionId> = all.filter(|&id| is_apart(id) && unpaid(id) > 0).collect();
    starts.sort_by_key(|&id| (Reverse(unpaid(id)), id));
    let name_of = |id: FunctionId| {
        let name = displayed(profile.name(profile.function(id).name), true);
        short_function(&name, profile.name_kind()).into_owned()
    };
    starts.into_iter().map(name_of).collect()
}

/// By function whether it leads to a chosen one, or is one.
fn leading_to(graph: &CallGraph<'_>, chosen: &[bool]) -> Vec<bool> {
    let mut leads = chosen.to_vec();
    let all = graph.profile.functions().map(|(id, _)| id);
    let mut left: Vec<FunctionId> = all.filter(|id| chosen[id.index()]).collect();
    while let Some(function) = left.pop() {
        for (_, arc) in graph.into(function) {
            let caller = graph.caller(arc);
            if !std::mem::replace(&mut leads[caller.index()], true) {
                left.push(caller);
            }
        }
    }
    leads
}
