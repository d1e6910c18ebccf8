//! What happened below functions and the rest are together the profile, in lists of every kind, and
//! in differences and series as in the reports of each profile.

use std::collections::BTreeSet;
use std::fs;

use crate::common::corpus::testdata;
use crate::suite::reports::{Profiles, Report, add, assert_same, generated, without_zeros};

trials![
    parts_of_real_profiles_add_up,
    charged_costs_of_parts_add_up,
    parts_of_generated_profiles_add_up,
    lines_and_calls_of_real_profiles_add_up,
    differences_and_series_have_the_parts_of_each_profile
];

/// Options of lists whose self costs add up.
const LISTS: [&str; 5] = [
    "",
    "--inclusive --fold=callers,recursion",
    "--group-by=file",
    "--group-by=object --inclusive",
    "--group-by=namespace",
];

/// The self costs of both parts together, and of the profile.
fn sums(profiles: &Profiles, options: &str, pattern: &str) -> [Report; 2] {
    let is_self = |event: &String| !event.ends_with(".inclusive");
    let events: BTreeSet<String> = profiles.events("a").into_iter().filter(is_self).collect();
    let of = |part: &str| {
        let mut report = profiles.list(&format!("{options} {part}"), &["a"]);
        report.values_mut().for_each(|counts| counts.retain(|event, _| events.contains(event)));
        report
    };
    let parts = ["below", "without"].map(|option| of(&format!("--{option}={pattern}")));
    [together(parts), without_zeros(of(""))]
}

fn together([mut sum, other]: [Report; 2]) -> Report {
    for (row, counts) in other {
        let of_row = sum.entry(row).or_default();
        counts.iter().for_each(|(event, &count)| add(of_row, event, count));
    }
    without_zeros(sum)
}

fn parts_of_real_profiles_add_up() {
    let patterns = [
        ("words/words.out", "find"),
        ("words/words.sim.out", "_dl_*"),
        ("lua/v5.4.4.out", "luaV_execute"),
        ("lua/v5.5.0.out", "luaM_*"),
    ];
    for (name, pattern) in patterns {
        let profiles = Profiles::new(&[&fs::read(testdata(name)).unwrap()]);
        for options in LISTS {
            let [sum, all] = sums(&profiles, options, pattern);
            assert_same(&sum, &all, &format!("{name} {options}"));
        }
    }
}

/// The code of libraries is charged by what callers paid in each part, so that only the totals are
/// the same.
fn charged_costs_of_parts_add_up() {
    let profiles = Profiles::new(&[&fs::read(testdata("words/words.sim.out")).unwrap()]);
    let [sum, all] = sums(&profiles, "--charge-to-callers=std", "find");
    let total = |report: &Report, event: &str| -> i128 {
        report.values().filter_map(|counts| counts.get(event)).sum()
    };
    for event in ["Ir", "Dr", "Dw", "Bc"] {
        assert!(total(&all, event) > 0);
        assert_eq!(total(&sum, event), total(&all, event), "{event}");
    }
}

fn parts_of_generated_profiles_add_up() {
    let mut compared = 0;
    for seed in 0..12 {
        let profiles = Profiles::new(&[&generated(seed)]);
        let names = profiles.list("", &["a"]);
        let name = names.keys().filter_map(|name| name.rsplit(':').next());
        let plain = name.filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        for name in plain.take(2) {
            let [sum, all] = sums(&profiles, "", name);
            assert_same(&sum, &all, &format!("seed {seed}, {name}"));
            compared += 1;
        }
    }
    assert!(compared > 5, "only {compared}");
}

/// The inclusive cost of each call, too.
fn lines_and_calls_of_real_profiles_add_up() {
    for (name, pattern) in [("words/words.out", "find"), ("lua/v5.4.4.out", "luaH_*")] {
        let profiles = Profiles::new(&[&fs::read(testdata(name)).unwrap()]);
        let of = |option: &str| profiles.details(&[&format!("--{option}={pattern}"), "a"]);
        let sum = together(["below", "without"].map(of));
        assert_same(&sum, &profiles.details(&["a"]), name);
    }
}

fn differences_and_series_have_the_parts_of_each_profile() {
    let read = |name| fs::read(testdata(name)).unwrap();
    let [a, b] = ["lua/v5.4.0.out", "lua/v5.4.4.out"].map(read);
    let profiles = Profiles::new(&[&a, &b]);
    for options in ["--below=luaV_execute", "--without=luaH_*", "--below=lua_* --group-by=file"] {
        let alone = ["a", "b"].map(|name| profiles.list(options, &[name]));
        for (side, label, alone) in [("base", "a", &alone[0]), ("new", "b", &alone[1])] {
            let difference = profiles.columns(side, options, &["--diff=a", "b"]);
            let series = profiles.columns(label, options, &["--series", "a", "b"]);
            assert!(difference.len() > 3, "{options}: {difference:?}");
            assert_same(&series, &difference, &format!("{options} {label}"));
            let mut listed = alone.clone();
            listed.retain(|name, _| difference.contains_key(name));
            assert_same(&difference, &listed, &format!("{options} {label} alone"));
        }
    }
}
