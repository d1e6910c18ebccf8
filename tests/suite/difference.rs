//! Several profiles: in every view, a difference is the new report minus the base one, a sum is one
//! plus the other, and their order changes nothing of it.

use std::collections::HashSet;
use std::fs;

use crate::common::case;
use crate::common::corpus::{self, testdata};
use crate::suite::reports::{
    LISTS, Profiles, Report, add, assert_same, generated, without_events, without_zeros,
};

trials![
    differences_of_real_profiles,
    differences_of_golden_cases,
    differences_of_generated_profiles
];

/// One report minus another.
fn minus(new: &Report, base: &Report) -> Report {
    let mut difference = new.clone();
    for (name, counts) in base {
        let sum = difference.entry(name.clone()).or_default();
        counts.iter().for_each(|(event, count)| add(sum, event, -count));
    }
    without_zeros(difference)
}

/// Checks the differences of two profiles in both directions, and that a profile does not differ
/// from itself.
fn check(a: &[u8], b: &[u8], lists: &[&str], name: &str) {
    let profiles = Profiles::new(&[a, b]);
    // Those that one side lacks are left out.
    let (of_a, of_b) = (profiles.events("a"), profiles.events("b"));
    if of_a.is_disjoint(&of_b) {
        return;
    }
    let left_out = &of_a ^ &of_b;
    for options in lists {
        let report = |names: &[&str]| without_events(profiles.list(options, names), &left_out);
        let (a, b) = (report(&["a"]), report(&["b"]));
        let what = format!("{name} {options}");
        let changes = report(&["--diff=b", "a"]);
        assert_same(&changes, &minus(&a, &b), &what);
        for (side, whole) in [("base", &b), ("new", &a)] {
            let mut of_side = whole.clone();
            of_side.retain(|name, _| changes.contains_key(name));
            let found = profiles.columns(side, options, &["--diff=b", "a"]);
            assert_same(&found, &of_side, &format!("{what} {side}"));
        }
        assert_same(&report(&["--diff=a", "b"]), &minus(&b, &a), &what);
        assert_same(&report(&["b", "a"]), &report(&["a", "b"]), &what);
        assert_same(&report(&["--diff=a", "a"]), &Report::new(), &what);
    }
    let verdict = |filter: &[&str]| {
        profiles.verdict(&[&["--diff=b", "--fail-above=1", "a"], filter].concat())
    };
    let (status, of_all) = verdict(&[]);
    // With a filter the verdict says what it is about.
    let of_matching =
        |line: &String| line.replace("limit 1%", "limit 1%, self cost of matching rows");
    let of_matching = of_all.iter().map(of_matching).collect();
    let of_rows = verdict(&["-f", "*"]);
    assert_eq!(of_rows, (status, of_matching), "{name}: the verdict");
    let details = |names: &[&str]| without_events(profiles.details(names), &left_out);
    let [a, b] = ["a", "b"].map(|name| details(&[name]));
    assert_same(&minus(&details(&["a", "b"]), &a), &b, name);
    assert_same(&minus(&details(&["b", "a"]), &a), &b, name);
    let difference = profiles.details(&["--diff=b", "a"]);
    let mut expected = minus(&a, &b);
    // A function whose inclusive cost did not change has no row, whatever it calls.
    expected.retain(|name, _| difference.contains_key(name) || !name.contains(" > "));
    assert_same(&difference, &expected, &format!("{name} as JSON"));
}

fn differences_of_real_profiles() {
    let read = |name| fs::read(testdata(name)).unwrap();
    let [a, b] = ["words/words.out", "words/words-longer.out"].map(read);
    check(&a, &b, &LISTS, "words");
}

fn differences_of_golden_cases() {
    // Some, as there are many pairs.
    let lists: Vec<&str> = LISTS.into_iter().step_by(3).collect();
    let mut compared = 0;
    let mut seen = HashSet::new();
    for (case, _) in case::files() {
        let folder = corpus::files_of_case(&case);
        let read = |name| fs::read(folder.join(name)).ok();
        let pairs = [("new.out", "base.out"), ("b.out", "a.out")];
        for pair in pairs.into_iter().filter_map(|(a, b)| read(a).zip(read(b))) {
            if !seen.insert(pair.clone()) {
                continue;
            }
            check(&pair.0, &pair.1, &lists, &case);
            compared += 1;
        }
    }
    assert!(compared > 10, "only {compared} pairs");
}

fn differences_of_generated_profiles() {
    for seed in 0..6 {
        let (a, b) = (generated(seed), generated(seed + 1000));
        check(&a, &b, &LISTS, &format!("seed {seed}"));
    }
}
