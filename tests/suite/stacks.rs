//! `--format=folded` and `--format=csv` of all profiles of testdata: the lines add up to the self costs.

use std::ffi::OsStr;
use std::path::Path;

use cgannotate::internal::graph::CallGraph;
use cgannotate::internal::profile::Profile;
use cgannotate::internal::read::ReadOptions;
use cgannotate::internal::view::{RowOptions, Rows, Stacks};

use crate::common::corpus::{files_of_case, profiles};
use crate::common::generated::tables::{costs, read_file};
use crate::common::program::{print, program};

trials![
    stacks_add_up_to_the_self_costs,
    stacks_that_end_with_a_function_add_up_to_its_self_cost,
    the_frame_of_a_flame_graph_below_all_others_has_the_total,
    the_colours_of_a_flame_graph_of_a_difference_are_those_of_changes,
    samples_of_pprof_add_up_to_the_self_costs_of_every_event,
    the_list_adds_up_to_the_self_costs,
    a_long_chain_of_calls_is_cut
];

fn lines(options: &[&str], file: &Path) -> Vec<Vec<u8>> {
    let args = options.iter().map(OsStr::new).chain([file.as_os_str()]);
    let out = print(args).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = out.split(|&b| b == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

/// The sum of the first event, if it is nowhere below 0.
fn self_cost(profile: &Profile) -> Option<i128> {
    let counts = || costs(profile).map(|(_, cost)| i128::from(cost[0].or_zero()));
    counts().all(|count| count >= 0).then(|| counts().sum())
}

fn stacks_add_up_to_the_self_costs() {
    let mut compared = 0;
    for (path, profile) in profiles() {
        let Some(expected) = self_cost(&profile).filter(|&sum| i64::try_from(sum).is_ok()) else {
            continue;
        };
        let costs = lines(&["--format=folded"], &path).into_iter().map(|line| {
            let (_, cost) = line.split_at(line.iter().rposition(|&b| b == b' ').unwrap() + 1);
            String::from_utf8_lossy(cost).parse::<i128>().unwrap()
        });
        assert_eq!(costs.sum::<i128>(), expected, "{path:?}");
        compared += 1;
    }
    assert!(compared > 100, "where are the profiles?");
}

fn stacks_that_end_with_a_function_add_up_to_its_self_cost() {
    let mut compared = 0;
    for (path, profile) in profiles() {
        let mut expected = vec![0; profile.function_count()];
        for (at, cost) in costs(&profile) {
            expected[at.function.index()] += i128::from(cost[0].or_zero());
        }
        let rows = Rows::new(&profile, &RowOptions::default());
        let graph = CallGraph::of_sides(&profile, true).new;
        let Ok(stacks) = Stacks::new(&graph, &rows, 0) else {
            continue;
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
            assert_eq!(ends, expected, "{least} {path:?}");
        }
        compared += 1;
    }
    assert!(compared > 100, "where are the profiles?");
}

fn the_frame_of_a_flame_graph_below_all_others_has_the_total() {
    let profile = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/words/words.out");
    let total: i64 = lines(&["--format=folded"], &profile)
        .iter()
        .map(|line| {
            let line = String::from_utf8_lossy(line);
            line.rsplit(' ').next().unwrap().parse::<i64>().unwrap()
        })
        .sum();
    let graph = lines(&["--format=flamegraph"], &profile).join(&b'\n');
    let graph = String::from_utf8(graph).unwrap().replace(',', "");
    assert!(graph.contains(&format!("<title>all ({total} Ir 100%)</title>")));
}

fn the_colours_of_a_flame_graph_of_a_difference_are_those_of_changes() {
    let case = files_of_case("folded/diff");
    let base = format!("--diff={}", case.join("base.out").display());
    let graph = lines(&["--format=flamegraph", &base], &case.join("new.out")).join(&b'\n');
    let graph = String::from_utf8(graph).unwrap();
    for (frame, colour) in [("work", "rgb(250,250,250)"), ("less", "rgb(255,100,100)")] {
        let (_, frame) = graph.split_once(&format!("<title>{frame} (")).unwrap();
        let (_, fill) = frame.split_once("fill=\"").unwrap();
        assert!(fill.starts_with(colour), "{}", &fill[..30]);
    }
}

/// The fields of a protobuf message: their numbers, with a number or bytes.
fn fields(mut message: &[u8]) -> Vec<(u64, u64, &[u8])> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let value = varint(&mut message);
        let bytes = match key & 7 {
            0 => 0,
            2 => value as usize,
            other => panic!("wire type {other}"),
        };
        let (bytes, rest) = message.split_at(bytes);
        fields.push((key >> 3, value, bytes));
        message = rest;
    }
    fields
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
    let (number, rest) = bytes.split_at(length);
    *bytes = rest;
    let digits = number.iter().rev().map(|byte| u64::from(byte & 0x7f));
    digits.fold(0, |number, digit| number << 7 | digit)
}

fn samples_of_pprof_add_up_to_the_self_costs_of_every_event() {
    let profile = files_of_case("parts/event-in-one-only").join("profile.out");
    let output = program().args(["--format=pprof"]).arg(&profile).run();
    assert_eq!(output.status, 0, "{}", output.error());
    let mut message = Vec::new();
    let mut unpacked = flate2::read::GzDecoder::new(&output.out[..]);
    std::io::Read::read_to_end(&mut unpacked, &mut message).unwrap();
    let fields_of_profile = fields(&message);
    let of = |number| {
        fields_of_profile
            .iter()
            .filter(move |field| field.0 == number)
    };
    let names: Vec<_> = of(6).map(|field| field.2).collect();
    assert_eq!(names[0], b"");
    let events: Vec<_> = of(1)
        .map(|field| names[fields(field.2)[0].1 as usize])
        .collect();
    let mut sums = vec![0; events.len()];
    for (_, _, sample) in of(2) {
        let values = fields(sample).into_iter().find(|field| field.0 == 2);
        let mut values = values.unwrap().2;
        for sum in &mut sums {
            *sum += varint(&mut values);
        }
        assert!(values.is_empty());
    }
    let expected = read_file(&profile, &ReadOptions::default()).unwrap();
    for (event, sum) in sums.iter().enumerate() {
        assert_eq!(events[event], expected.events().name(event));
        let costs = costs(&expected).map(|(_, cost)| cost[event].or_zero() as u64);
        assert_eq!(*sum, costs.sum::<u64>(), "{event}");
    }
    assert!(events.len() > 1);
}

fn the_list_adds_up_to_the_self_costs() {
    for (path, profile) in profiles() {
        let Some(expected) = self_cost(&profile) else {
            continue;
        };
        let mut reader = csv::Reader::from_reader(std::io::Cursor::new(
            lines(&["--format=csv"], &path).join(&b'\n'),
        ));
        let sum = reader.byte_records().map(|record| {
            let count = record.unwrap().get(4).unwrap().to_vec();
            String::from_utf8(count)
                .unwrap()
                .parse::<i128>()
                .unwrap_or(0)
        });
        assert_eq!(sum.sum::<i128>(), expected, "{path:?}");
    }
}

fn a_long_chain_of_calls_is_cut() {
    let functions = (0..5000).map(|i| {
        let cost = 2 * (5000 - i);
        format!("fn=f{i}\n1 2\ncfn=f{}\ncalls=1 1\n1 {}\n", i + 1, cost - 2)
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.out");
    std::fs::write(
        &file,
        format!("events: Ir\n{}", functions.collect::<String>()),
    )
    .unwrap();
    let stacks = lines(&["--format=folded"], &file);
    assert_eq!(stacks.len(), 1000);
    let last = String::from_utf8(stacks[999].clone()).unwrap();
    // What the 4001 functions from f999 on cost.
    assert!(last.ends_with(";f998;f999 8002"), "{last}");
}
