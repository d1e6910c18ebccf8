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

    /// Whether a function is one of a group, or leads to one of it.
    pub(in crate::view) fn leads_to_any(&self, from: FunctionId, group: &Group) -> bool {
        let mut batches = self.batches.iter().zip(&group.bits);
        batches.any(|(of, bits)| of[from.index()] & bits != 0)
    }

    /// Functions in groups, within which one leads to another.
    pub(in crate::view) fn groups(&self, functions: &[FunctionId]) -> Vec<Group> {
        let (known, others): (Vec<FunctionId>, Vec<FunctionId>) =
            functions.iter().partition(|&function| self.numbers.contains_key(function));
        let mut groups: Vec<Vec<FunctionId>> = Vec::new();
        if known.len() > MAX_PARTED {
            groups.push(known);
        } else {
            for function in known {
                let is_joined = |group: &Vec<FunctionId>| {
                    let mut others = group.iter();
                    others.any(|&other| self.leads(function, other) || self.leads(other, function))
                };
                let (joined, apart) = groups.into_iter().partition::<Vec<_>, _>(is_joined);
                groups = apart;
                groups.push(joined.into_iter().flatten().chain([function]).collect());
            }
        }
        groups.extend(others.into_iter().map(|function| vec![function]));
        groups.into_iter().map(|group| self.group(group)).collect()
    }

    fn group(&self, mut functions: Vec<FunctionId>) -> Group {
        functions.sort_unstable();
        let mut bits = vec![0; self.batches.len()];
        for number in functions.iter().filter_map(|function| self.numbers.get(function)) {
            if let Some(of_batch) = bits.get_mut(number / BATCH) {
                *of_batch |= 1 << (number % BATCH);
            }
        }
        Group { functions, bits }
    }
}

/// Functions, in order.
pub(in crate::view) struct Group {
    pub(in crate::view) functions: Vec<FunctionId>,
    /// Their bits by batch.
    bits: Vec<u64>,
}

impl Group {
    pub(in crate::view) fn has_several(&self) -> bool {
        self.functions.len() > 1
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
    group: &Group,
    spent: impl Fn(FunctionId) -> &'s SpentInCode,
    leading: &Leading,
) -> Counted {
    let once_of = |&function: &FunctionId| {
        let of = spent(function);
        let calls = of.calls.iter().filter(|(callee, _)| !leading.leads_to_any(**callee, group));
        of.own + calls.map(|(_, cost)| cost).sum::<i128>()
    };
    let once: i128 = group.functions.iter().map(once_of).sum();
    let by_cost = |function: &FunctionId| (spent(*function).inclusive, Reverse(*function));
    match group.functions.iter().copied().max_by_key(by_cost) {
        Some(most) if spent(most).inclusive > once => Counted::Of(most),
        _ => Counted::Once,
    }
}
