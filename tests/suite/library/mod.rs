//! The public library: its numbers add up, and are those that the program prints.

mod reading;
mod rows;

use std::io::Write;
use std::path::{Path, PathBuf};

use cgannotate::{CallGraph, Count, Diff, Error, Filter, Part, Pattern, Profile, ReadOptions};
use tempfile::NamedTempFile;

use rows::ROW_BYS;

fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata")
        .join(path)
}

fn words() -> Profile {
    Profile::read(testdata("words/words.out")).unwrap()
}

/// Profiles with several objects, events and parts.
fn several() -> impl Iterator<Item = Profile> {
    let paths = [
        "words/words.out",
        "words/words.sim.out",
        "golden/parts-event-in-one-only/profile.out",
        "golden/by-thread/profile.out",
    ];
    paths
        .into_iter()
        .map(|path| Profile::read(testdata(path)).unwrap())
}

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap()
}

fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

fn sum(counts: impl Iterator<Item = Count>) -> i64 {
    counts.map(Count::or_zero).sum()
}

/// The total of an event by its name.
fn total(profile: &Profile, event: &str) -> Option<i64> {
    let event = profile.event(event)?;
    profile.total(event).unwrap().value()
}

#[test]
fn rows_functions_and_lines_add_up_to_the_parts() {
    for profile in several() {
        let graph = CallGraph::new(&profile).unwrap();
        for event in profile.events() {
            let in_part = |part: &Part| {
                let columns = profile.events().of_part(part);
                let costs = columns.zip(&part.self_cost);
                sum(costs
                    .filter(|column| column.0 == event)
                    .map(|column| *column.1))
            };
            let expected: i64 = profile.parts().iter().map(in_part).sum();
            assert_eq!(sum(graph.functions().map(|f| f.own(event))), expected);
            let lines = graph.functions().flat_map(|function| function.lines());
            assert_eq!(sum(lines.map(|line| line.own(event).unwrap())), expected);
            for (by, _) in ROW_BYS {
                let rows = profile.rows(by).unwrap();
                assert_eq!(sum(rows.iter().map(|row| row.own(event))), expected);
            }
        }
    }
}

#[test]
fn the_call_sites_of_an_arc_add_up_to_it() {
    let mut largest = 0;
    for profile in several() {
        let graph = CallGraph::new(&profile).unwrap();
        for arc in graph.functions().flat_map(|function| function.callees()) {
            let sites: Vec<_> = arc.sites().collect();
            largest = largest.max(sites.len());
            let count: i64 = sites.iter().map(|site| site.count()).sum();
            assert_eq!(count, arc.count(), "{}", arc.callee().name());
            for event in profile.events() {
                let cost = sum(sites.iter().map(|site| site.cost(event).unwrap()));
                assert_eq!(cost, arc.cost(event).unwrap().or_zero());
            }
        }
    }
    assert!(largest > 1);
}

#[test]
fn a_call_site_is_the_line_of_the_call() {
    let profile = file(
        "events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=f\ncalls=2 10\n3 20\ncfn=f\ncalls=1 10\n4 11\n\
         cfn=g\ncalls=7 10\n4 7\nfn=f\n10 31\nfn=g\n20 7\n",
    );
    let profile = Profile::read(profile.path()).unwrap();
    let ir = profile.event("Ir").unwrap();
    let graph = CallGraph::new(&profile).unwrap();
    let callee = graph.functions().find(|function| function.name() == "f");
    let arc = callee.unwrap().callers().next().unwrap();
    let sites = arc.sites().map(|site| {
        let cost = site.cost(ir).unwrap().value();
        (site.file().into_owned(), site.line(), site.count(), cost)
    });
    assert_eq!(
        sites.collect::<Vec<_>>(),
        [
            ("a.c".to_owned(), 3, 2, Some(20)),
            ("a.c".to_owned(), 4, 1, Some(11))
        ]
    );
}

/// A profile is read by one thread and shown by others.
#[test]
fn threads_share_all_of_it() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Profile>();
    is_shared::<Diff>();
    is_shared::<CallGraph<'_>>();
    is_shared::<Filter>();
    is_shared::<ReadOptions>();
    is_shared::<Error>();
}

#[test]
fn functions_have_an_identity() {
    let profile = file(
        "events: Ir\nfl=a.c\nfn=f\n1 1\ncfn=g\ncalls=3 1\n2 1\nfn=g\n4 1\ncfn=f\ncalls=1 1\n5 1\n",
    );
    let [profile, other] = [(); 2].map(|()| Profile::read(profile.path()).unwrap());
    let graph = CallGraph::new(&profile).unwrap();
    let [f, g] = graph.functions().collect::<Vec<_>>().try_into().unwrap();
    let call = f.callees().next().unwrap();
    assert_eq!(call.callee(), g);
    assert_ne!(call.callee(), f);
    assert_eq!(format!("{call:?}"), "a.c:f -> a.c:g x 3");
    assert_eq!(format!("{:?}", call.sites().next().unwrap()), "a.c:2 x 3");
    assert_eq!(format!("{:?}", f.cycle().unwrap()), "[a.c:f, a.c:g]");
    assert_eq!(f.cycle(), g.cycle());
    for (number, function) in graph.functions().enumerate() {
        assert_eq!(function.index(), number);
    }
    let graph = CallGraph::new(&other).unwrap();
    assert_ne!(graph.functions().next().unwrap(), f);
    assert!(format!("{other:?}").contains("events: [\"Ir\"]"));
}
