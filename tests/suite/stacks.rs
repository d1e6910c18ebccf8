//! Stacks: those that end with a function cost what it costs, and flame graphs are drawn of them.

use std::collections::BTreeMap;

use cgannotate::internal::graph::CallGraph;
use cgannotate::internal::profile::Profile;
use cgannotate::internal::view::{RowOptions, Rows, Stacks};

use crate::common::corpus::{check_each, files_of_case, testdata};
use crate::common::formats::{folded, pprof::Pprof};
use crate::common::generated::tables::costs;
use crate::common::program::{Folder, print_of, printed};

trials![
    stacks_that_end_with_a_function_add_up_to_its_self_cost,
    printed_stacks_add_up_to_the_self_costs,
    lines_have_their_costs_in_a_profile_for_pprof,
    a_profile_for_pprof_has_the_program_to_disassemble,
    the_frame_of_a_flame_graph_below_all_others_has_the_total,
    the_colours_of_a_flame_graph_of_a_difference_are_those_of_changes,
    a_long_chain_of_calls_is_cut
];

/// The event of stacks without --sort: the first with a cost, which calls have, too.
fn first_event(profile: &Profile) -> usize {
    let is_of_calls = |&event: &usize| profile.events().name(event) != b"hits";
    let mut events = (0..profile.events().len()).filter(is_of_calls);
    events.find(|&event| profile.has_cost_of(event)).unwrap_or(0)
}

fn stacks_that_end_with_a_function_add_up_to_its_self_cost() {
    check_each(101, |_, profile| {
        let mut expected = vec![0; profile.function_count()];
        for (at, cost) in costs(profile) {
            expected[at.function.index()] += i128::from(cost[0].or_zero());
        }
        let rows = Rows::new(profile, &RowOptions::default());
        let graph = CallGraph::of_sides(profile, true).new;
        let Ok(stacks) = Stacks::new(&graph, &rows, 0) else {
            return false;
        };
        // The smallest share of the program, and one that cuts much.
        for least in [0.01, 5.0] {
            let mut ends = vec![0; expected.len()];
            let added = stacks.for_each(least, true, &rows, |stack, cost| {
                assert!(cost > 0);
                ends[stack.last().unwrap().index()] += i128::from(cost);
                Ok::<(), std::convert::Infallible>(())
            });
            let Ok(()) = added;
            assert_eq!(ends, expected, "{least}");
        }
        true
    });
}

fn printed_stacks_add_up_to_the_self_costs() {
    check_each(101, |path, profile| {
        let names = profile.events().names().enumerate();
        let sums: Vec<(String, i128)> = names
            .map(|(event, name)| {
                let counts = costs(profile).map(|(_, cost)| i128::from(cost[event].or_zero()));
                (String::from_utf8_lossy(name).into_owned(), counts.sum())
            })
            .collect();
        let print = |format| print_of(&[format], path).ok();
        let pprof = print("--format=pprof").map(|out| Pprof::read(&out).sums());
        // Events that are ratios, or that the format cannot express, are left out.
        let wrong = pprof.iter().flatten().find(|sum| !sums.contains(sum));
        assert_eq!(wrong, None, "{sums:?}");
        let Some(out) = print("--format=folded") else {
            return false;
        };
        let counts = folded(&out, 1).into_iter().map(|(_, counts)| counts[0]);
        assert_eq!(counts.sum::<i128>(), sums[first_event(profile)].1);
        pprof.is_some()
    });
}

fn lines_have_their_costs_in_a_profile_for_pprof() {
    check_each(101, |path, profile| {
        let Ok(out) = print_of(&["--format=pprof"], path) else {
            return false;
        };
        let text = |name| String::from_utf8_lossy(name).into_owned();
        let mut expected: BTreeMap<(String, String, i64), i128> = BTreeMap::new();
        for (at, cost) in costs(profile) {
            let recorded = profile.function(at.function).name;
            // Contexts of a function are one, as their callers are in the stacks.
            let name = if profile.is_from_callgrind() {
                profile.without_callers(recorded)
            } else {
                profile.name(recorded).into()
            };
            let function = String::from_utf8_lossy(&name).into_owned();
            let line = (function, text(profile.file(at.file)), i64::from(at.line));
            let count = cost[first_event(profile)].or_zero();
            *expected.entry(line).or_default() += i128::from(count);
        }
        // The lines of a function share what those below 0 leave of its cost.
        if expected.values().any(|cost| *cost < 0) {
            return false;
        }
        expected.retain(|_, cost| *cost > 0);
        let mut found = BTreeMap::new();
        for (frames, values) in Pprof::read(&out).samples {
            let frame = frames[0].clone();
            let line = (frame.name, frame.file, frame.line);
            *found.entry(line).or_default() += i128::from(values[0]);
        }
        found.retain(|_, cost| *cost > 0);
        assert_eq!(found, expected);
        true
    });
}

/// Two parts of a program and a library with code at the same addresses. pprof looks for a name as
/// the symbol that it is.
fn a_profile_for_pprof_has_the_program_to_disassemble() {
    let code = "ob=libx.so\nfl=x.c\nfn=lib\n0x10 1 3 9\nob=./prog\nfl=a.c\nfn=work\n0x10 1 5 1\nfn=ns::f(int)\n0x20 2 4 1\n\
                fn=main\n0x30 3 1 0\ncfn=work\ncalls=1 0x10 1\n0x34 3 5 1\n";
    let part = |number| format!("cmd: /home/prog 1\npart: {number}\nevents: Ir Dr\n{code}");
    let parts = [1, 2].map(part).join("\n");
    let text = format!("version: 1\npositions: instr line\n{parts}");
    let folder = Folder::with(&[("p.out", &text)]);
    let read = |more: &[&str]| {
        let options = [&["--format=pprof"], more].concat();
        Pprof::read(&printed(&options, &folder.path("p.out")))
    };
    let pprof = read(&[]);
    assert_eq!(pprof.default, "Ir");
    assert_eq!(pprof.comments, ["/home/prog 1"]);
    let frames: BTreeMap<_, _> = pprof
        .samples
        .iter()
        .map(|(frames, _)| &frames[0])
        .map(|frame| (&*frame.name, frame))
        .collect();
    let place = |name| (frames[name].address % (1 << 40), &*frames[name].object);
    let places = ["lib", "work", "ns::f(int)"].map(place);
    assert_eq!(places, [(0x10, ""), (0x10, "./prog"), (0x20, "")]);
    assert_ne!(frames["lib"].address, frames["work"].address);
    // The most expensive stacks are those of the first event.
    let [(frames, values)] = &read(&["--top=1"]).samples[..] else { panic!() };
    assert_eq!((&*frames[0].name, &values[..]), ("work", &[10, 2][..]));
    // Without addresses there is nothing to disassemble.
    let text =
        "cmd: ./prog\nevents: Ir\nob=x.so\nfl=x.c\nfn=lib\n1 3\nob=./prog\nfl=a.c\nfn=work\n2 5\n";
    let lines = Folder::with(&[("lines.out", text)]);
    let of_lines = Pprof::read(&printed(&["--format=pprof"], &lines.path("lines.out")));
    let frames = of_lines.samples.iter().flat_map(|(frames, _)| frames);
    assert!(frames.clone().count() > 0);
    assert!(frames.clone().all(|frame| frame.address == 0 && frame.object.is_empty()));
    // `main` and what it calls in its file are one frame, of the file alone.
    let by_file = read(&["--group-by=file"]).samples;
    let names: Vec<Vec<&str>> = by_file
        .iter()
        .map(|(frames, _)| frames.iter().map(|frame| &*frame.shown).collect())
        .collect();
    assert_eq!(names, [["a.c"], ["x.c"]]);
    assert!(by_file.iter().all(|(frames, _)| frames[0].file.is_empty()));
}

fn the_frame_of_a_flame_graph_below_all_others_has_the_total() {
    let profile = testdata("words/words.out");
    let stacks = folded(&printed(&["--format=folded"], &profile), 1);
    let total: i128 = stacks.iter().map(|(_, counts)| counts[0]).sum();
    let graph = printed(&["--format=flamegraph"], &profile);
    let graph = String::from_utf8(graph).unwrap().replace(',', "");
    assert!(graph.contains(&format!("<title>all ({total} Ir 100%)</title>")));
}

fn the_colours_of_a_flame_graph_of_a_difference_are_those_of_changes() {
    let case = files_of_case("folded/diff");
    let base = format!("--diff={}", case.join("base.out").display());
    let graph = printed(&["--format=flamegraph", &base], &case.join("new.out"));
    let graph = String::from_utf8(graph).unwrap();
    for (frame, colour) in [("work", "rgb(250,250,250)"), ("less", "rgb(255,100,100)")] {
        let (_, frame) = graph.split_once(&format!("<title>{frame} (")).unwrap();
        let (_, fill) = frame.split_once("fill=\"").unwrap();
        assert!(fill.starts_with(colour), "{}", &fill[..30]);
    }
}

fn a_long_chain_of_calls_is_cut() {
    let functions = (0..5000).map(|i| {
        let cost = 2 * (5000 - i);
        format!("fn=f{i}\n1 2\ncfn=f{}\ncalls=1 1\n1 {}\n", i + 1, cost - 2)
    });
    let profile = format!("events: Ir\n{}", functions.collect::<String>());
    let folder = Folder::with(&[("p.out", &profile)]);
    let stacks = printed(&["--format=folded"], &folder.path("p.out"));
    let stacks = folded(&stacks, 1);
    assert_eq!(stacks.len(), 1000);
    let (last, cost) = &stacks[999];
    // What the 4001 functions from f999 on cost.
    assert!(last.ends_with(b";f998;f999") && cost[..] == [8002]);
}
