//! Inclusive costs on small graphs with their arithmetic.

use super::CallGraph;
use crate::graph::partition::Partition;
use crate::profile::{Call, Count, Division, Part, Place, PositionId, Profile, ProfileBuilder};

/// The one part of a profile of one event, with a total that limits no group.
fn part() -> Part {
    Part {
        columns: vec![0],
        total: vec![Count::new(1000)],
        ..Part::default()
    }
}

/// A profile of one event. Function `n` has the self cost `own[n]`; a call is caller, callee and inclusive cost.
fn profile(own: &[i64], calls: &[(usize, usize, i64)]) -> Profile {
    let mut builder = ProfileBuilder::default();
    builder.add_event(b"Ir").unwrap();
    let object = builder.add_object(b"prog").unwrap();
    let file = builder.add_file(b"a.c").unwrap();
    let place = |number: usize, builder: &mut ProfileBuilder| {
        let name = builder.add_name(format!("f{number}").as_bytes()).unwrap();
        let function = builder.functions().add((object, file, name)).unwrap();
        let fragment = builder.functions().fragment(function, file, Division::NONE);
        let fragment = fragment.unwrap();
        let position = PositionId(1);
        (function, Place { fragment, position })
    };
    for (number, &own) in own.iter().enumerate() {
        let (_, place) = place(number, &mut builder);
        builder.add_cost(place, &[Count::new(own)]).unwrap();
    }
    for &(caller, callee, cost) in calls {
        let (_, site) = place(caller, &mut builder);
        let (callee, _) = place(callee, &mut builder);
        let cost = [Count::new(cost)];
        builder.add_call(Call { site, callee }, 1, &cost).unwrap();
    }
    builder.add_part(part()).unwrap();
    builder.finish()
}

/// The inclusive costs of rows; function `n` is in row `rows[n]`.
fn inclusive(own: &[i64], calls: &[(usize, usize, i64)], rows: &[u32]) -> Vec<i64> {
    let profile = profile(own, calls);
    let graph = CallGraph::of_sides(&profile, true).new;
    let count = rows.iter().max().unwrap() + 1;
    let partition = Partition::new(&profile, count as usize, rows.to_vec());
    let costs = graph.inclusive(&partition);
    costs.iter().map(|cost| cost[0].or_zero()).collect()
}

/// Own costs, calls, the row of each function, and what the rows cost.
type Case<'c> = (&'c [i64], &'c [(usize, usize, i64)], &'c [u32], &'c [i64]);

fn check(cases: &[Case<'_>]) {
    for &(own, calls, rows, expected) in cases {
        assert_eq!(inclusive(own, calls, rows), expected, "{calls:?} {rows:?}");
    }
}

#[test]
fn a_function_costs_what_its_callers_paid_or_what_it_spent() {
    // f0 calls f1 and f2, f1 calls f2.
    let calls = [(0, 1, 30), (0, 2, 5), (1, 2, 20)];
    check(&[(&[10, 10, 25], &calls, &[0, 1, 2], &[45, 30, 25])]);
    // Calls of a function by itself are part of the call from outside.
    let calls = [(0, 1, 30), (1, 1, 29), (1, 1, 28)];
    check(&[(&[10, 30], &calls, &[0, 1], &[40, 30])]);
    // Callers paid 5 for f1, which spent 30 + 20.
    let calls = [(0, 1, 5), (1, 2, 20)];
    check(&[(&[10, 30, 20], &calls, &[0, 1, 2], &[15, 50, 20])]);
}

#[test]
fn what_entered_from_outside_is_on_behalf_of_no_caller() {
    // The first function of a thread, f2, is called for 10 and spends 2 + 98, which f3 and f4 cost. f0 and f3 are in a row, f1
    // and f2 in another: of the 90 that f3 cost, a tenth is on behalf of f0, as f2's 10 of 100 are. Further down the same: f3
    // calls f4.
    let own = [5, 10, 2, 90, 8];
    let calls = [(0, 1, 20), (1, 2, 10), (2, 3, 90), (2, 4, 8)];
    let below = [(0, 1, 20), (1, 2, 10), (2, 3, 98), (3, 4, 8)];
    check(&[
        (&own, &calls, &[0, 1, 1, 0, 2], &[25 + 81, 20 + 90, 8]),
        (&own, &below, &[0, 1, 1, 2, 0], &[25 + 7, 20 + 90, 98]),
    ]);
}

#[test]
fn of_a_cycle_that_is_entered_elsewhere_no_more_is_passed_on_than_was_paid() {
    // f1 and f2 are a cycle that f0 enters with 10 and 90. Both call f3, which with f1 is a row: of its 100, the 9 that f1
    // paid and 1 of what f2 paid are part of the 10 that were paid for f1.
    let (entering, nested) = ([(0, 1, 10), (0, 2, 90)], [(1, 2, 1), (2, 1, 1)]);
    let calls = [&entering[..], &nested, &[(1, 3, 9), (2, 3, 91)]].concat();
    assert_eq!(inclusive(&[0, 0, 0, 100], &calls, &[0, 1, 2, 1])[1], 100);
}

#[test]
fn a_member_of_a_cycle_has_the_larger_of_two_bounds() {
    // f0 pays 90 for f1, which calls f2, which calls f1 and f3: f1 and f2 are a cycle.
    let calls = [(0, 1, 90), (1, 2, 60), (2, 1, 25), (2, 3, 40)];
    let own = [10, 30, 20, 40];
    check(&[
        // f1: max(30 spent, 90 paid); f2: max(20 + 40, nothing).
        (&own, &calls, &[0, 1, 2, 3], &[100, 90, 60, 40]),
        // With f3 in the row of f1: all that f3 costs was paid for f1.
        (&own, &calls, &[0, 1, 2, 1], &[100, 90, 60]),
        // With f3 in the row of f2: 20 + 40, and f3 is part of it.
        (&own, &calls, &[0, 1, 2, 2], &[100, 90, 60]),
        // The whole cycle in a row.
        (&own, &calls, &[0, 1, 1, 2], &[100, 90, 40]),
    ]);
}

#[test]
fn what_comes_back_to_a_row_counts_once() {
    let rows = [0, 1, 2, 1];
    let chain = [(0, 1, 90), (1, 2, 60), (2, 3, 40)];
    let joined = [(0, 1, 90), (1, 2, 60), (0, 2, 30), (2, 3, 60)];
    let apart = [(0, 1, 30), (0, 3, 40), (0, 2, 20)];
    check(&[
        // f0 -> f1 -> f2 -> f3, f1 and f3 in a row: all of f3 is on behalf of f1.
        (&[10, 30, 20, 40], &chain, &rows, &[100, 90, 60]),
        // f0 calls f2 too: 30 of the 90 that f2 costs are on its behalf, and of the 60 that f3 costs a third is new.
        (&[10, 30, 30, 60], &joined, &rows, &[130, 90 + 20, 90]),
        // Nobody in between: f0 calls f1 and f3 side by side.
        (&[10, 30, 20, 40], &apart, &rows, &[100, 70, 20]),
    ]);
}

/// A profile of functions f0, f1, ... with these self costs and calls, of which f1 is a copy that is inlined into f0.
fn with_copy(own: &[i64], calls: &[(usize, usize, i64, i64)]) -> Profile {
    let mut builder = ProfileBuilder::default();
    builder.add_event(b"Ir").unwrap();
    let object = builder.add_object(b"prog").unwrap();
    let file = builder.add_file(b"a.c").unwrap();
    let mut functions = Vec::new();
    for number in 0..own.len() {
        let name = builder.add_name(format!("f{number}").as_bytes()).unwrap();
        let builder = builder.functions();
        functions.push(match number {
            1 => builder.add_inlined(functions[0], file, name).unwrap(),
            _ => builder.add((object, file, name)).unwrap(),
        });
    }
    let place = |number: usize, builder: &mut ProfileBuilder| Place {
        fragment: builder
            .functions()
            .fragment(functions[number], file, Division::NONE)
            .unwrap(),
        position: PositionId(1),
    };
    for (number, &own) in own.iter().enumerate() {
        let place = place(number, &mut builder);
        builder.add_cost(place, &[Count::new(own)]).unwrap();
    }
    for &(caller, callee, count, cost) in calls {
        let site = place(caller, &mut builder);
        let callee = functions[callee];
        builder
            .add_call(Call { site, callee }, count, &[Count::new(cost)])
            .unwrap();
    }
    builder.add_part(part()).unwrap();
    builder.finish()
}

/// The inclusive costs of rows, to which the functions belong by number.
fn inclusive_of(graph: &CallGraph<'_>, rows: &[u32], count: usize) -> Vec<i64> {
    let partition = Partition::new(graph.profile, count, rows.to_vec());
    let costs = graph.inclusive(&partition);
    costs.iter().map(|cost| cost[0].or_zero()).collect()
}

#[test]
fn copies_count_with_what_they_are_inlined_into_where_they_call_it_back() {
    // f0, which nobody calls, spends 10; its copy f1 spends 5, calls f0 again for 15, and f2 for 7. f3 spends 3.
    let calls = [(0, 1, 0, 27), (1, 0, 1, 15), (1, 2, 1, 7)];
    let profile = with_copy(&[10, 5, 7, 3], &calls);
    for has_cycles in [true, false] {
        let graph = CallGraph::of_sides(&profile, has_cycles).new;
        assert_eq!(graph.cycles().count(), 0);
        let of_functions = inclusive_of(&graph, &[0, 1, 2, 3], 4);
        assert_eq!(of_functions, [22, 12, 7, 3], "{has_cycles}");
        let of_rows = inclusive_of(&graph, &[0, 1, 2, 0], 3);
        assert_eq!(of_rows, [25, 12, 7], "{has_cycles}");
    }
}

#[test]
fn copies_count_with_those_that_call_them_where_their_host_is_charged() {
    // f2 and f3, which nobody else calls, call each other, and f2 calls f1, the copy in f0, which was charged to f2.
    let profile = with_copy(&[0, 5, 7, 3], &[(2, 1, 0, 5), (2, 3, 1, 15), (3, 2, 1, 12)]);
    let graph = CallGraph::of_sides(&profile, true).new;
    assert_eq!(inclusive_of(&graph, &[0, 1, 2, 3], 4)[1..], [5, 12, 3]);
}
