//! What a program spent outside `main`: before and after it, and where code begins apart from it,
//! as that of signal handlers and threads does.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::demangle::displayed;
use crate::graph::CallGraph;
use crate::profile::{CostTable, Count, FunctionId, NameKind, Profile};
use crate::source::basename;
use crate::view::short_name::short_function;

/// The functions that programs call when `main` has returned.
const EXITS: [&[u8]; 2] = [b"exit", b"_exit"];

/// The dynamic linker's code begins before `main`, whether it is recorded to lead to it or not.
const LINKERS: [&[u8]; 3] = [b"ld-linux", b"ld-musl", b"ld.so"];

/// The maximum number of functions that are named of those that are called before `main`.
const MAX_BEFORE: usize = 3;

/// The rows of the costs.
const AFTER: usize = 0;
const APART: usize = 1;

/// What a program spent outside `main`, as far as it is not before it.
pub struct OutsideMain {
    costs: CostTable,
    /// The functions that cost most before `main`, of those that are called there.
    pub called_before: Vec<Vec<u8>>,
    /// The functions at which code begins apart from `main`, the most expensive first.
    pub starts: Vec<Vec<u8>>,
}

impl OutsideMain {
    /// What was spent outside these functions, all of which are `main`; none if nothing is recorded
    /// to call it, or of a comparison.
    pub fn new(graph: &CallGraph<'_>, all_mains: &[bool]) -> Option<OutsideMain> {
        let profile = graph.profile;
        if profile.is_difference() || profile.name_kind() != NameKind::Symbol {
            return None;
        }
        let mains = outermost(graph, all_mains);
        if mains.is_empty() {
            return None;
        }
        let below = reached(graph, &mains, |of| callees(graph, of));
        let mut leads = reached(graph, &mains, |of| callers(graph, of));
        mains.iter().for_each(|main| leads[main.index()] = true);
        let is_before = |id: FunctionId| leads[id.index()] && !below[id.index()];
        let mut costs = CostTable::new(graph.width(), 2);
        let mut before: BTreeMap<FunctionId, i64> = BTreeMap::new();
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc);
            let is_outside = is_before(caller) && mains.binary_search(&caller).is_err();
            if !is_outside || leads[arc.callee.index()] {
                continue;
            }
            if is_exit(profile, arc.callee) {
                costs.add(AFTER, graph.cost(id));
            } else {
                let of_callee = before.entry(arc.callee).or_default();
                *of_callee = of_callee.saturating_add(first_count(graph.cost(id)));
            }
        }
        let is_apart = |id: FunctionId| !leads[id.index()] && !is_of_linker(profile, id);
        let apart = profile.functions().map(|(id, _)| id).filter(|&id| is_apart(id));
        apart.for_each(|id| costs.add(APART, graph.unpaid(id)));
        costs.derive(profile.events());
        let all = profile.functions().map(|(id, _)| id).filter(|&id| is_apart(id));
        let starts = names_by_cost(profile, all.map(|id| (id, first_count(graph.unpaid(id)))));
        let mut called_before = names_by_cost(profile, before.into_iter());
        called_before.truncate(MAX_BEFORE);
        Some(OutsideMain { costs, called_before, starts })
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
            called_before: self.called_before,
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
    /// The functions that cost most before `main`, of those that are called there.
    pub called_before: Vec<Vec<u8>>,
    /// The functions at which that begins, the most expensive first.
    pub starts: Vec<Vec<u8>>,
}

/// What `main` costs with all that it calls; those of several programs are added up.
pub fn cost_of_main(graph: &CallGraph<'_>, mains: &[bool]) -> Vec<Count> {
    let mut costs = CostTable::new(graph.width(), 1);
    for id in outermost(graph, mains) {
        costs.add(0, graph.inclusive_by_function().costs.get(id.index()));
    }
    costs.derive(graph.profile.events());
    costs.get(0).to_vec()
}

/// Of these functions, sorted, those that are called by what is neither one of them nor below one:
/// not the nested calls of a recursive `main`, nor that of another language, which `main` calls,
/// though what starts a thread may lead to it, too.
fn outermost(graph: &CallGraph<'_>, mains: &[bool]) -> Vec<FunctionId> {
    let profile = graph.profile;
    let name = |id: FunctionId| profile.name(profile.function(id).name);
    let chosen = profile.functions().map(|(id, _)| id).filter(|id| mains[id.index()]);
    let (of_c, others): (Vec<FunctionId>, Vec<FunctionId>) =
        chosen.partition(|&id| profile.name_kind().without_suffixes(name(id)) == b"main");
    let candidates = if of_c.is_empty() { others } else { of_c };
    let below = reached(graph, &candidates, |of| callees(graph, of));
    let is_outside = |id: FunctionId| !below[id.index()] && candidates.binary_search(&id).is_err();
    candidates.iter().copied().filter(|&id| callers(graph, id).any(is_outside)).collect()
}

fn callers<'g>(
    graph: &'g CallGraph<'_>,
    function: FunctionId,
) -> impl Iterator<Item = FunctionId> + use<'g> {
    graph.into(function).map(|(_, arc)| graph.caller(arc))
}

fn callees<'g>(
    graph: &'g CallGraph<'_>,
    function: FunctionId,
) -> impl Iterator<Item = FunctionId> + use<'g> {
    let calls = graph.fragments_of(function).flat_map(|fragment| graph.out_of(fragment));
    calls.map(|(_, arc)| arc.callee)
}

/// By function whether one or more steps lead to it from these.
fn reached<N: Iterator<Item = FunctionId>>(
    graph: &CallGraph<'_>,
    from: &[FunctionId],
    next: impl Fn(FunctionId) -> N,
) -> Vec<bool> {
    let mut reached = vec![false; graph.profile.function_count()];
    let mut left = from.to_vec();
    while let Some(function) = left.pop() {
        for of in next(function) {
            if !std::mem::replace(&mut reached[of.index()], true) {
                left.push(of);
            }
        }
    }
    reached
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

/// The count of the first event that has one.
fn first_count(cost: &[Count]) -> i64 {
    cost.iter().map(|count| count.or_zero()).find(|&count| count != 0).unwrap_or(0)
}

/// The names of the functions with these costs, if they are more than 0, the largest first.
fn names_by_cost(
    profile: &Profile,
    costs: impl Iterator<Item = (FunctionId, i64)>,
) -> Vec<Vec<u8>> {
    let mut functions: Vec<(FunctionId, i64)> = costs.filter(|&(_, cost)| cost > 0).collect();
    functions.sort_by_key(|&(id, cost)| (Reverse(cost), id));
    let name_of = |(id, _): (FunctionId, i64)| {
        let name = displayed(profile.name(profile.function(id).name), true);
        short_function(&name, profile.name_kind()).into_owned()
    };
    functions.into_iter().map(name_of).collect()
}
