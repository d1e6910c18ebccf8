//! What a program spent before and after its `main`: in the dynamic linker, in initialisers, and in
//! what runs at its exit.

use crate::graph::CallGraph;
use crate::profile::{Count, FunctionId, NameKind, Profile};

/// The costs of the first thread, by event of the profile.
#[derive(Debug)]
pub struct StartUp {
    /// Of what leads to `main`, without `main` and what runs after it.
    pub before_main: Vec<Count>,
    /// Of `main` with all that it calls.
    pub main: Vec<Count>,
    /// Of `exit`, if the caller of `main` calls it.
    pub after_main: Vec<Count>,
}

impl StartUp {
    /// None if no function is recorded to call `main`, or costs do not add up.
    pub fn new(graph: &CallGraph<'_>) -> Option<StartUp> {
        let profile = graph.profile;
        if profile.name_kind() != NameKind::Symbol || profile.is_difference() || profile.is_part() {
            return None;
        }
        let is_main: Vec<bool> =
            profile.functions().map(|(id, _)| bare_name(profile, id) == b"main").collect();
        let mut main = vec![0i128; profile.events().len()];
        let mut leads = is_main.clone();
        let mut left: Vec<FunctionId> = Vec::new();
        for (id, arc) in graph.arcs() {
            let caller = graph.caller(arc);
            if is_main[arc.callee.index()] && !is_main[caller.index()] {
                add(&mut main, graph, graph.cost(id));
                left.push(caller);
            }
        }
        let mut after = vec![0i128; main.len()];
        left.sort_unstable();
        left.dedup();
        let calls_of = |caller: FunctionId| {
            graph.fragments_of(caller).flat_map(|fragment| graph.out_of(fragment))
        };
        for &caller in &left {
            let exits =
                calls_of(caller).filter(|(_, arc)| bare_name(profile, arc.callee) == b"exit");
            exits.for_each(|(id, _)| add(&mut after, graph, graph.cost(id)));
        }
        let mut all = vec![0i128; main.len()];
        while let Some(function) = left.pop() {
            if std::mem::replace(&mut leads[function.index()], true) {
                continue;
            }
            let callers = graph.into(function).map(|(_, arc)| graph.caller(arc));
            let others: Vec<FunctionId> = callers.filter(|&caller| caller != function).collect();
            if others.is_empty() {
                let fragments = graph.fragments_of(function);
                fragments.for_each(|fragment| add(&mut all, graph, graph.own(fragment)));
                let calls = calls_of(function).filter(|(_, arc)| arc.callee != function);
                calls.for_each(|(id, _)| add(&mut all, graph, graph.cost(id)));
            }
            left.extend(others);
        }
        let parts = main.iter().zip(&after);
        let before: Vec<i128> =
            all.iter().zip(parts).map(|(all, (main, after))| all - main - after).collect();
        let is_known = before.iter().all(|&cost| cost >= 0) && before.iter().any(|&cost| cost > 0);
        is_known.then(|| StartUp {
            before_main: counts(&before),
            main: counts(&main),
            after_main: counts(&after),
        })
    }
}

/// The name of a function without the version of its symbol, and without what is before `exit` in
/// the C library.
fn bare_name(profile: &Profile, function: FunctionId) -> &[u8] {
    let symbol = profile.name(profile.function(function).name);
    let name = symbol.split(|&byte| byte == b'@').next().unwrap_or_default();
    name.strip_prefix(b"__GI_").unwrap_or(name)
}

fn add(sums: &mut [i128], graph: &CallGraph<'_>, costs: &[Count]) {
    let events = graph.profile.events();
    for (event, sum) in sums.iter_mut().enumerate() {
        *sum += i128::from(events.count(costs, event).or_zero());
    }
}

fn counts(sums: &[i128]) -> Vec<Count> {
    sums.iter().map(|&sum| Count::new(i64::try_from(sum).unwrap_or(i64::MAX))).collect()
}
