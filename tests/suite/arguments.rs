//! Several profiles: the order in which they are named changes no number.

use std::fs;

use crate::common::corpus::testdata;
use crate::suite::reports::{LISTS, Profiles, assert_same, generated};

trials![generated_profiles_in_any_order, real_profiles_in_any_order];

/// Checks that reports of three profiles are the same in any order.
fn check(parts: [&[u8]; 3], name: &str) {
    let profiles = Profiles::new(&parts);
    for options in LISTS {
        let report = profiles.list(options, &["a", "b", "c"]);
        let what = format!("{name} {options}");
        assert_same(&profiles.list(options, &["c", "a", "b"]), &report, &what);
    }
    let report = profiles.details(&["a", "b", "c"]);
    let what = format!("{name} as JSON");
    assert_same(&profiles.details(&["b", "c", "a"]), &report, &what);
    // Options may be before, between and after them.
    let page = profiles.print(&["--auto=no", "--inclusive", "a", "b"]);
    let mixed = profiles.print(&["a", "--auto=no", "b", "--inclusive"]);
    assert_eq!(mixed, page);
}

fn generated_profiles_in_any_order() {
    for seed in 0..6 {
        let [a, b, c] = [seed, seed + 1000, seed + 2000].map(generated);
        check([&a, &b, &c], &format!("seed {seed}"));
    }
}

fn real_profiles_in_any_order() {
    let words = testdata("words");
    let read = |name| fs::read(words.join(name)).unwrap();
    let [a, b, c] = ["words.out", "words-longer.out", "words.sim.out"].map(read);
    check([&a, &b, &c], "words");
}
