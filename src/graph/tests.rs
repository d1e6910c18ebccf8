//! Inclusive costs of inlined copies on small graphs with their arithmetic.

use super::CallGraph;
use crate::graph::partition::Partition;
use crate::profile::{Call, Count, Division, Part, Place, Profile, ProfileBuilder, Spot};

/// The one part of a profile of one event, with a total that limits no group.
fn part() -> Part {
    Part {
        columns: vec![0],
        total: vec![Count::new(1000)],
        ..Part::default()
    }
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
        position: builder.position(Spot::of_line(1)).unwrap(),
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
