//! What a program spent outside `main`: before and after it, and where code begins apart from it,
//! as that of signal handlers and threads does.

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
        let mains = outermost(profile, chosen);
        let leads = leading_to(&graph, &mains);
        // Without a start nothing is recorded to call `main`.
        let has_start = leads.iter().zip(&mains).any(|(&leads, &is_main)| leads && !is_main);
        if !has_start {
            return None;
        }
        let mut costs = CostTable::new(graph.width(), 2);
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc).index();
            let is_exit = || is_exit(profile, arc.callee);
            if leads[caller] && !mains[caller] && !leads[arc.callee.index()] && is_exit() {
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

    /// What the program spent before `main`, of which all that it does costs `below` of a total of
    /// `all`; none if the parts are more than the total.
    pub fn before(&self, event: usize, all: Count, below: Count) -> Option<Count> {
        let [after, apart] = [self.after(event), self.apart(event)].map(Count::or_zero);
        let outside = all.or_zero().checked_sub(below.or_zero())?;
        let before = outside.checked_sub(after)?.checked_sub(apart)?;
        (before >= 0).then(|| Count::new(before))
    }

    /// All parts, if `main` costs this; none if they are more than the total of an event.
    pub fn with_main(self, main: Vec<Count>, all: &[Count]) -> Option<MainCosts> {
        let costs = (0..main.len()).map(|event| self.before(event, all[event], main[event]));
        Some(MainCosts {
            before: costs.collect::<Option<Vec<Count>>>()?,
            main,
            after: self.costs.get(AFTER).to_vec(),
            apart: self.costs.get(APART).to_vec(),
            starts: self.starts,
        })
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

/// What a program spent in `main` with all that it calls, and outside it, by event.
#[derive(Debug)]
pub struct MainCosts {
    pub before: Vec<Count>,
    pub main: Vec<Count>,
    pub after: Vec<Count>,
    /// Where code begins that nothing is recorded to call.
    pub apart: Vec<Count>,
    /// The functions at which that begins, the most expensive first.
    pub starts: Vec<Vec<u8>>,
}

/// What `main` costs with all that it calls; those of several programs are added up.
pub fn cost_of_main(graph: &CallGraph<'_>, mains: &[bool]) -> Option<Vec<Count>> {
    let profile = graph.profile;
    let outer = outermost(profile, mains);
    let mut ids = profile.functions().map(|(id, _)| id).filter(|id| outer[id.index()]).peekable();
    ids.peek()?;
    let mut costs = CostTable::new(graph.width(), 1);
    ids.for_each(|id| costs.add(0, graph.inclusive_by_function().costs.get(id.index())));
    costs.derive(profile.events());
    Some(costs.get(0).to_vec())
}

/// Of these functions those that no other one of them is called by: a function `main` calls that of
/// another language, to which what starts a thread may lead, too.
fn outermost(profile: &Profile, mains: &[bool]) -> Vec<bool> {
    let is_outer = |id: FunctionId| {
        let name = profile.name(profile.function(id).name);
        mains[id.index()] && profile.name_kind().without_suffixes(name) == b"main"
    };
    let outer: Vec<bool> = profile.functions().map(|(id, _)| is_outer(id)).collect();
    if outer.contains(&true) { outer } else { mains.to_vec() }
}

/// Whether a program calls this function, whose name a version may follow, after `main`.
fn is_exit(profile: &Profile, id: FunctionId) -> bool {
    let name = profile.name_kind().without_suffixes(profile.name(profile.function(id).name));
    let without_version = name.split(|&byte| byte == b'@').next();
    without_version.is_some_and(|name| EXITS.contains(&name))
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
