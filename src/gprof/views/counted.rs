//! What counts of a Callgrind profile's costs in the call graph if calls are left out (`-k`) or
//! only some functions count (`-F`, `-E`, `-n`, `-N`).
//!
//! A call has its recorded cost. It has less if calls below it are left out: what these cost is
//! taken from the callers of their caller, from each in proportion to what it paid. And it counts
//! in part if its caller does: what a function with several callers spent is divided by what they
//! paid, not by how often they called. gprof knows only the numbers of calls, and so does this file
//! where a call that is left out breaks a cycle: what its members paid each other was counted once
//! for each level of recursion.
//!
//! All costs are integers, and the parts of each add up to it.

use crate::gprof::views::graph::{Calls, Graph, Site};
use crate::gprof::views::symspecs::{Included, Scope, Selected};
use crate::graph::{Groups, components};

impl<'c> Graph<'c, i64> {
    /// The graph of recorded costs and, by line, of calls' sites. `left_out` are the calls that are
    /// no part of it.
    pub fn recorded(
        own: &[i64],
        calls: &'c [Calls],
        sites: &'c [Site],
        selected: &Selected,
        left_out: &[Calls],
    ) -> Graph<'c, i64> {
        let (mut graph, bottom_up) = Graph::complete(own, calls);
        graph.sites = sites;
        graph.show(selected.of(Scope::Shown), &bottom_up);
        let counted = selected.of(Scope::Counted);
        if counted.is_empty() && left_out.is_empty() {
            graph.set_counted(own, Vec::new());
        } else {
            let Counted { own, calls } = Counted::new(&graph, left_out, counted, &bottom_up);
            graph.set_counted(&own, calls);
        }
        graph
    }
}

/// The costs that count.
struct Counted {
    /// By function, of its self cost.
    own: Vec<i64>,
    /// By number of the calls.
    calls: Vec<i64>,
}

impl Counted {
    /// `left_out` are the calls that are no part of the graph, `selected` the functions that count.
    /// Of the `components`, callees come before their callers.
    fn new(
        graph: &Graph<'_, i64>,
        left_out: &[Calls],
        selected: &Included,
        components: &Groups,
    ) -> Counted {
        let mut division = CostDivision {
            graph,
            selected,
            recorded: RecordedSums::new(graph, left_out),
            is_broken: broken_cycles(graph, left_out),
            kept: vec![0; graph.nodes.len()],
            kept_calls: vec![0; graph.calls.len()],
            counted: Counted {
                own: vec![0; graph.functions().len()],
                calls: vec![0; graph.calls.len()],
            },
        };
        for members in components.iter() {
            division.keep(members);
        }
        for at in (0..components.len()).rev() {
            division.count(components.get(at));
        }
        division.counted
    }
}

/// The recorded costs of functions and cycles, by number; calls within a cycle are left out.
struct RecordedSums {
    /// Their self costs and what they paid for calls.
    spent: Vec<i128>,
    /// What their callers paid.
    paid: Vec<i128>,
}

impl RecordedSums {
    fn new(graph: &Graph<'_, i64>, left_out: &[Calls]) -> RecordedSums {
        let mut spent = vec![0; graph.nodes.len()];
        let mut paid = spent.clone();
        for (node, &unit) in graph.functions().iter().zip(&graph.unit_of) {
            spent[unit as usize] += i128::from(node.own);
        }
        let calls = graph.calls.iter().chain(left_out);
        for call in calls.filter(|call| !graph.is_nested(call)) {
            spent[graph.unit_of[call.caller as usize] as usize] += i128::from(call.cost);
            paid[graph.unit_of[call.callee as usize] as usize] += i128::from(call.cost);
        }
        RecordedSums { spent, paid }
    }
}

/// By number of a function or cycle, whether a larger cycle has been broken by leaving out calls,
/// and it is a part of it.
fn broken_cycles(graph: &Graph<'_, i64>, left_out: &[Calls]) -> Vec<bool> {
    let mut is_broken = vec![false; graph.nodes.len()];
    if left_out.is_empty() {
        return is_broken;
    }
    let calls: Vec<&Calls> = graph.calls.iter().chain(left_out).collect();
    let callers = calls.iter().map(|call| Some(call.caller as usize));
    let callees = Groups::new(graph.functions().len(), callers);
    for members in components(&callees, |call| calls[call as usize].callee).iter() {
        for &member in members {
            let unit = graph.unit_of[member as usize];
            is_broken[unit as usize] = graph.members(&unit).len() < members.len();
        }
    }
    is_broken
}

struct CostDivision<'d, 'c> {
    graph: &'d Graph<'c, i64>,
    selected: &'d Included,
    recorded: RecordedSums,
    is_broken: Vec<bool>,
    /// By function or cycle, what is left of its inclusive cost without the calls that are left out
    /// and without the functions that are excluded.
    kept: Vec<i128>,
    /// By number of the calls, what is left of their cost.
    kept_calls: Vec<i128>,
    counted: Counted,
}

impl CostDivision<'_, '_> {
    /// The numbers of the calls to a function or cycle from outside it.
    fn calls_into(&self, members: &[u32]) -> Vec<usize> {
        self.calls_across(members, &self.graph.callers)
    }

    /// The numbers of the calls that a function makes, but for those within its cycle.
    fn calls_out_of(&self, function: u32) -> Vec<usize> {
        self.calls_across(&[function], &self.graph.callees)
    }

    fn calls_across(&self, functions: &[u32], calls: &Groups) -> Vec<usize> {
        let calls = functions
            .iter()
            .flat_map(|&function| calls.get(function as usize))
            .map(|&call| call as usize);
        let is_paid = |&call: &usize| {
            let call = &self.graph.calls[call];
            !call.is_static && !self.graph.is_nested(call)
        };
        calls.filter(is_paid).collect()
    }

    /// Determines what is left of the cost of a function or cycle, and of the calls to it.
    fn keep(&mut self, members: &[u32]) {
        let unit = self.graph.unit_of[members[0] as usize] as usize;
        let mut kept = 0;
        for &member in members.iter().filter(|&&member| !self.selected.excludes(member)) {
            kept += i128::from(self.graph.nodes[member as usize].own);
            let calls = self.calls_out_of(member).into_iter();
            kept += calls.map(|call| self.kept_calls[call]).sum::<i128>();
        }
        self.kept[unit] = kept;
        let (calls, callers) = (self.graph.calls, self.calls_into(members));
        let count = |call: usize| i128::from(calls[call].count.max(1));
        let (spent, paid) = (self.recorded.spent[unit], self.recorded.paid[unit]);
        let mut lost = PartsOfAmount::new(spent - kept, larger(spent, paid));
        let mut by_number = PartsOfAmount::new(kept, callers.iter().map(|&call| count(call)).sum());
        for call in callers {
            let cost = i128::from(calls[call].cost);
            self.kept_calls[call] = if self.is_broken[unit] {
                by_number.next(count(call))
            } else {
                within(cost - lost.next(cost), cost)
            };
            if self.selected.excludes(calls[call].callee) {
                self.kept_calls[call] = 0;
            }
        }
    }

    /// Determines what counts of the cost of a function or cycle and of its calls. Its callers have
    /// been counted.
    fn count(&mut self, members: &[u32]) {
        let kept = self.kept[self.graph.unit_of[members[0] as usize] as usize];
        let (mut entered, mut counted) = (0, 0);
        for call in self.calls_into(members) {
            entered += self.kept_calls[call];
            counted += i128::from(self.counted.calls[call]);
        }
        let is_called = counted != 0;
        if entered.abs() > kept.abs() {
            counted = PartsOfAmount::new(kept, entered).next(counted);
        } else if self.selected.include.is_empty() {
            // Nobody paid for the rest.
            counted += kept - entered;
        }
        let counted = within(counted, kept);
        let mut parts = PartsOfAmount::new(counted, kept);
        for &member in members.iter().filter(|&&member| !self.selected.excludes(member)) {
            let is_whole = self.selected.names(member)
                || !is_called && self.selected.includes(member)
                || is_called && counted == kept;
            let mut part = |cost| if is_whole { cost } else { parts.next(cost) };
            let own = part(i128::from(self.graph.nodes[member as usize].own));
            self.counted.own[member as usize] = own as i64;
            for call in self.calls_out_of(member) {
                self.counted.calls[call] = part(self.kept_calls[call]) as i64;
            }
        }
    }
}

/// An integer that is divided by weights, which are passed one after another. The parts of all
/// weights add up to it, and each is within one of its exact share.
struct PartsOfAmount {
    amount: i128,
    whole: i128,
    weights: i128,
    given: i128,
}

impl PartsOfAmount {
    /// `whole` is the sum of all weights; of 0 if that is 0, too.
    fn new(amount: i128, whole: i128) -> PartsOfAmount {
        PartsOfAmount { amount, whole, weights: 0, given: 0 }
    }

    fn next(&mut self, weight: i128) -> i128 {
        if self.whole == 0 {
            return 0;
        }
        self.weights += weight;
        // Counts are below 2^62 and so are their sums: see `Budget`.
        let product = self.amount * self.weights;
        let (quotient, rest) = (product / self.whole, product % self.whole);
        let is_rounded_up = 2 * rest.abs() >= self.whole.abs();
        let sign = product.signum() * self.whole.signum();
        let given = quotient + if is_rounded_up { sign } else { 0 };
        let part = given - self.given;
        self.given = given;
        part
    }
}

/// The number that is larger in size.
fn larger(a: i128, b: i128) -> i128 {
    if b.abs() > a.abs() { b } else { a }
}

/// The number between 0 and the limit, which may be negative, that is nearest to `number`.
fn within(number: i128, limit: i128) -> i128 {
    number.clamp(limit.min(0), limit.max(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gprof::views::symspecs::{Scope, Selected};

    #[test]
    fn parts_are_rounded_half_up_and_add_up() {
        let cases: [(i128, &[i128], &[i128]); 6] = [
            (1, &[1, 1], &[1, 0]),
            (-1, &[1, 1], &[-1, 0]),
            (10, &[1, 1, 1], &[3, 4, 3]),
            (7, &[3, 1], &[5, 2]),
            (7, &[0, 4], &[0, 7]),
            (7, &[0, 0], &[0, 0]),
        ];
        for (amount, weights, expected) in cases {
            let mut parts = PartsOfAmount::new(amount, weights.iter().sum());
            let got: Vec<i128> = weights.iter().map(|&weight| parts.next(weight)).collect();
            assert_eq!(got, expected, "{amount} by {weights:?}");
        }
    }

    /// The numbers of a linear congruential generator.
    fn random(state: &mut u64, below: u64) -> i64 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((*state >> 33) % below) as i64
    }

    /// The self costs of functions without recursion, and their calls, each caller of a function
    /// paying for a part of it.
    fn consistent(seed: u64, size: u32) -> (Vec<i64>, Vec<Calls>) {
        let mut state = seed;
        let own: Vec<i64> = (0..size).map(|_| random(&mut state, 1 << 30) << 24).collect();
        let mut inclusive: Vec<i128> = own.iter().map(|&own| own.into()).collect();
        let mut calls: Vec<Calls> = Vec::new();
        for callee in (1..size).rev() {
            let mut callers: Vec<u32> =
                (0..callee).filter(|_| random(&mut state, 3) == 0).collect();
            callers.truncate(4);
            let weights: Vec<i64> = callers.iter().map(|_| 1 + random(&mut state, 9)).collect();
            let mut parts =
                PartsOfAmount::new(inclusive[callee as usize], weights.iter().sum::<i64>().into());
            for (caller, weight) in callers.into_iter().zip(weights) {
                let cost = parts.next(weight.into());
                inclusive[caller as usize] += cost;
                let (cost, count) = (cost as i64, random(&mut state, 5));
                calls.push(Calls { caller, callee, count, cost, is_static: false });
            }
        }
        calls.sort_by_key(|call| (call.caller, call.callee));
        (own, calls)
    }

    /// What each function and its callees cost, and what its callers have paid for that.
    fn inclusive_and_paid(graph: &Graph<'_, i64>, of: u32) -> (i64, i64) {
        let callers = graph.callers.get(of as usize).iter();
        let paid = callers.map(|&call| graph.counted_cost(call as usize)).sum();
        (graph.functions()[of as usize].inclusive(), paid)
    }

    #[test]
    fn all_that_counts_is_paid_for() {
        for seed in 0..200 {
            let (own, calls) = consistent(seed, 30);
            let one = (seed % 30) as u32;
            let mut include = Included::default();
            include.add(false, &(0..30).map(|of| of == one).collect::<Vec<_>>());
            let selected = Selected::of_scope(Scope::Counted, include);
            let whole = Graph::recorded(&own, &calls, &[], &Selected::default(), &[]);
            let graph = Graph::recorded(&own, &calls, &[], &selected, &[]);
            assert_eq!(graph.total, whole.functions()[one as usize].inclusive(), "{seed}");
            for of in (0..30).filter(|&of| of != one) {
                let (inclusive, paid) = inclusive_and_paid(&graph, of);
                assert_eq!(inclusive, paid, "{seed} {of}");
            }
        }
    }

    #[test]
    fn calls_keep_their_cost_and_their_callers_lose_what_is_left_out() {
        for seed in 0..200 {
            let (own, calls) = consistent(seed, 30);
            let out = seed as usize % calls.len();
            let mut kept = calls.clone();
            let left_out = kept.remove(out);
            let whole = Graph::recorded(&own, &calls, &[], &Selected::default(), &[]);
            let graph = Graph::recorded(&own, &kept, &[], &Selected::default(), &[left_out]);
            assert_eq!(graph.total, whole.total, "{seed}");
            let mut lost = 0;
            for of in 0..30 {
                let (inclusive, paid) = inclusive_and_paid(&graph, of);
                let before = inclusive_and_paid(&whole, of);
                if of == left_out.callee {
                    assert_eq!((inclusive, paid), (before.0, before.1 - left_out.cost), "{seed}");
                } else if graph.callers.get(of as usize).is_empty() {
                    lost += before.0 - inclusive;
                } else {
                    assert_eq!(inclusive, paid, "{seed} {of}");
                }
            }
            assert_eq!(lost, left_out.cost, "{seed}");
        }
    }

    #[test]
    fn calls_that_were_not_recorded_pay_nothing_where_a_cycle_is_broken() {
        let call = |caller, callee, count, cost| Calls {
            caller,
            callee,
            count,
            cost,
            is_static: count == 0,
        };
        // Function 0 calls 1, which calls 2; that calls 1 again, which is left out. Function 3 has
        // a call of 1 in its code.
        let own = [0, 6, 4, 0];
        let calls = [call(0, 1, 1, 10), call(1, 2, 2, 8), call(3, 1, 0, 0)];
        let left_out = [call(2, 1, 2, 4)];
        let graph = Graph::recorded(&own, &calls, &[], &Selected::default(), &left_out);
        let paid: Vec<i64> = (0..calls.len()).map(|call| graph.counted_cost(call)).collect();
        assert_eq!(paid, [10, 4, 0]);
    }

    #[test]
    fn parts_add_up() {
        let table: [(i128, &[i128], &[i128]); 8] = [
            (2300, &[300, 3000], &[209, 2091]),
            (10, &[1, 1, 1], &[3, 4, 3]),
            (-10, &[1, 1, 1], &[-3, -4, -3]),
            (10, &[-1, -1, -1], &[3, 4, 3]),
            (7, &[0, 0], &[0, 0]),
            (5, &[3, -1, 3], &[3, -1, 3]),
            (1, &[2, 1], &[1, 0]),
            (1 << 61, &[1 << 60, 1 << 60], &[1 << 60, 1 << 60]),
        ];
        for (amount, weights, expected) in table {
            let mut parts = PartsOfAmount::new(amount, weights.iter().sum());
            let parts: Vec<i128> = weights.iter().map(|&weight| parts.next(weight)).collect();
            assert_eq!(parts, expected, "{amount} {weights:?}");
        }
    }
}
