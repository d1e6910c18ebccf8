//! Which of some functions lead to others of them, and what code that is in several of them costs
//! once.

use std::cmp::Reverse;
use std::collections::VecDeque;

use hashbrown::HashMap;

use crate::graph::CallGraph;
use crate::profile::FunctionId;

/// The number of functions that are followed at once: each is a bit.
const BATCH: usize = 64;

/// The maximum number of batches; of further functions it is not known what leads to them.
const MAX_BATCHES: usize = 64;

/// Of more functions than these it is only asked whether one of them leads to another.
const MAX_PARTED: usize = 32;

/// The functions that lead to some functions.
#[derive(Default)]
pub(in crate::view) struct Leading {
    numbers: HashMap<FunctionId, usize>,
    /// By batch and function the bits of those that it leads to, or is.
    batches: Vec<Vec<u64>>,
}

impl Leading {
    /// Linear in the calls for each batch of functions.
    pub(in crate::view) fn to(
        functions: impl Iterator<Item = FunctionId>,
        graph: &CallGraph<'_>,
    ) -> Leading {
        let mut leading = Leading::default();
        for function in functions {
            let next = leading.numbers.len();
            leading.numbers.entry(function).or_insert(next);
        }
        let mut all = vec![FunctionId(0); leading.numbers.len()];
        leading.numbers.iter().for_each(|(&function, &number)| all[number] = function);
        let batches = all.chunks(BATCH).take(MAX_BATCHES);
        leading.batches = batches.map(|batch| leading_to(batch, graph)).collect();
        leading
    }

    /// Whether a function is another one, or calls it by way of others.
    pub(in crate::view) fn leads(&self, from: FunctionId, to: FunctionId) -> bool {
        self.numbers.get(&to).is_some_and(|number| {
            let batch = self.batches.get(number / BATCH);
            batch.is_some_and(|of| of[from.index()] & (1 << (number % BATCH)) != 0)
        })
    }

    pub(in crate::view) fn leads_to_any(&self, from: FunctionId, to: &[FunctionId]) -> bool {
        to.iter().any(|&function| self.leads(from, function))
    }

    /// Functions in groups, within which one leads to another.
    pub(in crate::view) fn groups(&self, functions: &[FunctionId]) -> Vec<Vec<FunctionId>> {
        if functions.len() > MAX_PARTED {
            return vec![functions.to_vec()];
        }
        let mut groups: Vec<Vec<FunctionId>> = Vec::new();
        for &function in functions {
            let is_joined = |group: &Vec<FunctionId>| {
                let mut others = group.iter();
                others.any(|&other| self.leads(function, other) || self.leads(other, function))
            };
            let (joined, others) = groups.into_iter().partition::<Vec<_>, _>(is_joined);
            groups = others;
            groups.push(joined.into_iter().flatten().chain([function]).collect());
        }
        groups
    }
}

/// By function the bits of those that it leads to.
fn leading_to(functions: &[FunctionId], graph: &CallGraph<'_>) -> Vec<u64> {
    let mut bits = vec![0; graph.profile.function_count()];
    let mut open = VecDeque::new();
    for (bit, function) in functions.iter().enumerate() {
        bits[function.index()] |= 1 << bit;
        open.push_back(*function);
    }
    while let Some(function) = open.pop_front() {
        let here: u64 = bits[function.index()];
        for (_, arc) in graph.into(function) {
            let caller = graph.caller(arc);
            let more = here & !bits[caller.index()];
            if more != 0 {
                bits[caller.index()] |= more;
                open.push_back(caller);
            }
        }
    }
    bits
}

/// What a function spent in code that others have, too.
#[derive(Default)]
pub(in crate::view) struct SpentInCode {
    /// All of it, without what is nested in itself.
    pub(in crate::view) inclusive: i128,
    /// Without calls.
    own: i128,
    calls: HashMap<FunctionId, i128>,
}

impl SpentInCode {
    pub(in crate::view) fn of(inclusive: i128) -> SpentInCode {
        SpentInCode { inclusive, ..SpentInCode::default() }
    }

    /// Adds a self cost, or the cost of calls.
    pub(in crate::view) fn add(&mut self, callee: Option<FunctionId>, cost: i128) {
        match callee {
            Some(callee) => *self.calls.entry(callee).or_default() += cost,
            None => self.own += cost,
        }
    }
}

/// What is counted of the code that functions of a group have, so that no time counts twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::view) enum Counted {
    /// What one of them spent: the others are called there.
    Of(FunctionId),
    /// What all of them spent, without calls that lead to one of them.
    Once,
}

/// What explains most of the cost of code that functions of a group have, given what each of them
/// spent in it.
pub(in crate::view) fn counted<'s>(
    group: &[FunctionId],
    spent: impl Fn(FunctionId) -> &'s SpentInCode,
    leading: &Leading,
) -> Counted {
    let once_of = |&function: &FunctionId| {
        let of = spent(function);
        let calls = of.calls.iter().filter(|(callee, _)| !leading.leads_to_any(**callee, group));
        of.own + calls.map(|(_, cost)| cost).sum::<i128>()
    };
    let once: i128 = group.iter().map(once_of).sum();
    let by_cost = |function: &FunctionId| (spent(*function).inclusive, Reverse(*function));
    match group.iter().copied().max_by_key(by_cost) {
        Some(most) if spent(most).inclusive > once => Counted::Of(most),
        _ => Counted::Once,
    }
}
