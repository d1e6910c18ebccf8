//! A series of profiles: each column has what the report of its profile alone has, two profiles are
//! a difference, and their order changes nothing but the order of the columns.

use std::fs;

use crate::common::corpus::testdata;
use crate::suite::reports::{LISTS, Profiles, Report, assert_same, generated, without_events};

trials![
    series_of_real_profiles,
    series_of_generated_profiles,
    two_profiles_are_a_difference,
    pairing_goes_along_the_series,
    renamed_functions_cost_what_they_do_in_differences
];

/// The rows of a report that a series lists.
fn listed_of(mut report: Report, listed: &[&Report]) -> Report {
    report.retain(|name, _| listed.iter().any(|of| of.contains_key(name)));
    report
}

/// Checks the columns of three profiles in two orders against the reports of each.
fn check(profiles: &[&[u8]; 3], lists: &[&str], name: &str) {
    let profiles = Profiles::new(profiles);
    for options in lists {
        let what = format!("{name} {options}");
        let names = ["a", "b", "c"];
        let of = |order: &[&str], label: &str| {
            profiles.columns(label, options, &[&["--series"], order].concat())
        };
        let columns = names.map(|label| of(&names, label));
        let turned = names.map(|label| of(&["c", "a", "b"], label));
        let all: Vec<&Report> = columns.iter().collect();
        for (label, (column, turned)) in names.iter().zip(columns.iter().zip(&turned)) {
            assert_same(turned, column, &format!("{what} {label} in another order"));
            let alone = profiles.list(options, &[label]);
            assert_same(column, &listed_of(alone, &all), &format!("{what} {label}"));
        }
    }
}

fn series_of_real_profiles() {
    let read = |name| fs::read(testdata(name)).unwrap();
    let [a, b] = ["words/words.out", "words/words-longer.out"].map(read);
    check(&[&a, &b, &a], &LISTS, "words");
}

fn series_of_generated_profiles() {
    for seed in 0..3 {
        let profiles = [seed, seed + 1000, seed + 2000].map(generated);
        check(&profiles.each_ref().map(|profile| &profile[..]), &LISTS, &format!("seed {seed}"));
    }
}

fn two_profiles_are_a_difference() {
    for seed in 0..4 {
        let (a, b) = (generated(seed), generated(seed + 1000));
        let profiles = Profiles::new(&[&a, &b]);
        let (of_a, of_b) = (profiles.events("a"), profiles.events("b"));
        if of_a.is_disjoint(&of_b) {
            continue;
        }
        // Those that one side lacks are left out of a difference.
        let left_out = &of_a ^ &of_b;
        for options in LISTS {
            for (side, label) in [("base", "a"), ("new", "b")] {
                let difference = profiles.columns(side, options, &["--diff=a", "b"]);
                let series = profiles.columns(label, options, &["--series", "a", "b"]);
                // A row that differs in such an event alone is no row of the difference.
                let series = without_events(series, &left_out);
                let same = listed_of(series.clone(), &[&difference]);
                assert_same(&same, &difference, &format!("seed {seed} {options} {label}"));
                if left_out.is_empty() {
                    assert_same(&series, &difference, &format!("seed {seed} {options} {label}"));
                }
            }
        }
        for limit in ["--fail-above=0", "--fail-above=5", "--fail-above=1000"] {
            let (status, lines) = profiles.verdict(&["--series", limit, "a", "b"]);
            // That of a series says which profiles it is about.
            let lines: Vec<String> =
                lines.iter().map(|line| line.replace(", b against a", "")).collect();
            assert_eq!((status, lines), profiles.verdict(&["--diff=a", limit, "b"]), "{limit}");
        }
    }
}

/// Folders and clones of a function are paired through a profile between.
fn pairing_goes_along_the_series() {
    let profile = |folder: &str, name: &str, cost: u32| {
        format!(
            "events: Ir\nfl={folder}/src/a.c\nfn={name}\n1 {cost}\nfl={folder}/src/b.c\nfn=g\n1 5\n"
        )
    };
    let texts = [
        profile("/v1", "f", 10),
        profile("/v2", "f.isra.0", 20),
        profile("/v3", "f.constprop.0", 40),
    ];
    let profiles = Profiles::new(&texts.each_ref().map(|text| text.as_bytes()));
    let printed = profiles.print_paired(&["--series", "--format=csv", "a", "b", "c"]);
    let out = String::from_utf8(printed).unwrap();
    let rows: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(rows.len(), 1, "{out}");
    assert!(rows[0].contains(",10,20,40,c,"), "{out}");
}

/// A function with another name in each profile is one row, whose figures are those of the
/// differences of neighbours, in any order of the profiles.
fn renamed_functions_cost_what_they_do_in_differences() {
    let profile = |name: &str, cost: u32| {
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn={name}\ncalls=30 20\n2 {cost}\nfn={name}\n\
             20 {cost}\ncfn=g\ncalls=50 40\n21 0\ncfn=h\ncalls=20 50\n22 0\nfn=g\n40 0\nfn=h\n50 0\n"
        )
    };
    let texts = [profile("one", 1000), profile("two", 1010), profile("three", 1030)];
    let profiles = Profiles::new(&texts.each_ref().map(|text| text.as_bytes()));
    let costs = |args: &[&str]| -> Vec<String> {
        let args = [&["--format=csv", "--columns=self"], args].concat();
        let out = String::from_utf8(profiles.print_paired(&args)).unwrap();
        let csv: Vec<&str> = out.lines().collect();
        assert_eq!(csv.len(), 2, "{args:?}: {out}");
        csv[1].split(',').map(str::to_owned).collect()
    };
    let cost_of = |name: &str| {
        ["a", "b", "c"].iter().zip(["1000", "1010", "1030"]).find(|(of, _)| **of == name).unwrap().1
    };
    for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
        let row = costs(&[&["--series"], &order[..]].concat());
        for name in order {
            assert!(row.iter().any(|field| field == cost_of(name)), "{order:?}: {row:?}");
        }
        for pair in order.windows(2) {
            let base = format!("--diff={}", pair[0]);
            let row = costs(&[&base, pair[1]]);
            assert!(pair.iter().all(|name| row.iter().any(|of| of == cost_of(name))), "{row:?}");
        }
    }
}
