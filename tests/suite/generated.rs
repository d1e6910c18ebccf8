//! Generated profiles of programs that never ran, complete and damaged.

use std::fs;

use cgannotate::internal::profile::LIMIT;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::corpus;
use crate::common::generated::damage::damaged;
use crate::common::generated::expected;
use crate::common::generated::grammar::expand;
use crate::common::generated::laws;
use crate::common::generated::model::{Dice, Model};

trials![
    a_profile_has_what_was_executed,
    laws_hold_for_profiles_and_damaged_ones,
    laws_hold_for_unusual_profiles,
    threads_change_nothing,
    a_file_may_be_cut_at_every_byte,
    a_sum_that_is_too_large_is_that_of_its_line,
    lines_that_are_joined_have_the_counts_of_each
];

/// How many cases are tried; debug builds take at most 25, and .ci/run has an optimised one.
///
/// They are the same in each run. `PROPTEST_RNG_SEED` chooses others, and `PROPTEST_CASES` another
/// number of them.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let is_set = |name| std::env::var_os(name).is_some();
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if !is_set("PROPTEST_RNG_SEED") {
        config.rng_seed = RngSeed::Fixed(1);
    }
    if !is_set("PROPTEST_CASES") {
        config.cases = if cfg!(debug_assertions) { cases.min(25) } else { cases };
    }
    config
}

fn play(bytes: &[u8]) -> Model {
    Model::play(&mut Dice::new(bytes))
}

/// Profiles of three kinds: cost lines that differ in little, so that many can be joined, with some
/// other lines; functions as callgrind writes them, with calls and jumps, and some lines that it
/// does not write; and short functions, of which most are as callgrind writes them and some have
/// one line that is not. Positions before `@` are addresses.
const GRAMMAR: &str = include_str!("../../testdata/grammar.txt");

/// A profile that a rule of the grammar describes.
fn described(rule: &str, bytes: &[u8]) -> String {
    let text = expand(GRAMMAR, rule, &mut Dice::new(bytes));
    let has_addresses = text.contains("positions: instr");
    let line = |line: &str| match line.split_once('@') {
        Some((address, rest)) if has_addresses => format!("{address} {rest}"),
        Some((_, rest)) => rest.to_owned(),
        None => line.to_owned(),
    };
    text.split_inclusive('\n').map(line).collect()
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..400)
}

proptest! {
    #![proptest_config(cases(100))]

    fn a_profile_has_what_was_executed(bytes in bytes(), at in any::<prop::sample::Index>()) {
        let model = play(&bytes);
        let text = model.text();
        let (profile, warnings) = laws::read_text(&text).unwrap();
        prop_assert_eq!(warnings, ["0 more"]);
        expected::matches(&model, &profile);
        prop_assert!(laws::is_consistent(&profile));
        laws::order_of_parts_changes_nothing(&model.parts);
        laws::a_cut_raises_no_cost(&text, at.index(text.len() + 1));
    }

    fn laws_hold_for_profiles_and_damaged_ones(
        bytes in bytes(),
        damages in vec(any::<(u8, u16, u8)>(), 0..8),
        sizes in vec(any::<u8>(), 0..8),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let sources = laws::write_sources(folder.path());
        let text = play(&bytes).text();
        laws::hold(&damaged(&text, &damages), &sizes, &sources);
        laws::hold(&text, &sizes, &sources).unwrap();
    }
}

proptest! {
    #![proptest_config(cases(500))]

    fn laws_hold_for_unusual_profiles(bytes in vec(any::<u8>(), 0..800), size in any::<u8>()) {
        for rule in ["similar lines", "functions", "short functions"] {
            let text = described(rule, &bytes);
            laws::it_is_read_the_same(text.as_bytes(), &[size]);
            // An instruction may have several lines, which what is written has not.
            if let Ok((profile, _)) = laws::read_text(text.as_bytes()) {
                laws::costs_are_the_same_in_all_views(&profile, b"/nowhere/");
            }
        }
    }
}

/// Two parts as callgrind writes them, with all that functions consist of.
fn small() -> String {
    let path = corpus::files_of_case("read/functions-of-callgrind").join("profile.out");
    fs::read_to_string(path).unwrap()
}

/// Wherever a file is cut, it is read as its lines are one by one, and whatever the sizes of its
/// chunks.
fn a_file_may_be_cut_at_every_byte() {
    let small = small();
    for at in 0..=small.len() {
        let text = &small.as_bytes()[..at];
        laws::comments_between_lines_change_nothing(text);
        laws::chunks_and_gzip_change_nothing(text, &[63]);
    }
}

/// The bytes of 300 parts of two layouts, with one, two, four and eight threads.
fn threads_change_nothing() {
    let small = small();
    let part = |number: usize| match number % 3 {
        0 => small.clone(),
        1 => small.replace("Ir Dr", "Dr Ir"),
        _ => format!("version: 1\npositions: line\nevents: Ir\nfn=f\n{number} 5\n+1 x\n"),
    };
    let text: String = (0..300).map(part).collect();
    laws::threads_change_nothing(text.as_bytes(), 255);
}

/// Without lines too, the sum that does not fit is that of the line at which it no longer fits.
fn a_sum_that_is_too_large_is_that_of_its_line() {
    let most = LIMIT - 8;
    let files = "fi=(1) y;+1 1 1;fi=(1);+1 1 5;fi=x;+1 1 1;fi=(2) z;fi=(1);+1 1 1;fi=(2);+1 1 1";
    let files = format!("+1 1 {most};{files}").replace(';', "\n");
    // The largest number that is joined with others.
    let joined = "+1 1 9999999999999999\n".repeat(400);
    for (body, line) in [(files, None), (joined, Some("Some(234)"))] {
        let text = format!("positions: instr line\nevents: A\nfn=f\n{body}\n# the end\n");
        let found = |outcome: laws::Outcome| {
            let found = outcome.map(|(_, found)| found);
            found.map_err(|error| error.split(':').next().map(str::to_owned))
        };
        let all = found(laws::read_text(text.as_bytes()));
        assert_eq!(found(laws::read_list(text.as_bytes())), all);
        assert!(line.is_none_or(|line| all == Err(Some(line.to_owned()))));
        laws::comments_between_lines_change_nothing(text.as_bytes());
        laws::detail_changes_no_sum(text.as_bytes());
    }
}

fn lines_that_are_joined_have_the_counts_of_each() {
    // More lines in sequence than can be joined.
    let many = "+8 9 1;".to_owned() + &vec!["+1 +1 5"; 700].join(";");
    for body in [
        "+8 9 1;+8 +1 5;+8 +1 5;+8 +1 5",
        // Files in the order of their first costs, not of their names.
        "fl=(2) b;fl=(3) c;+8 9 1;fi=(2);fi=(3);+1 1 1;fi=(2);+1 1 1",
        &many,
        // Different numbers of counts.
        "+8 9 1 1;+1 1 5 6;+1 1 7;+1 1 8 9;+1 1 7",
        "+8 9 1;+1 * 5 6 7;+1 * 8;+1 * 1 2;+1 * 3 4 5;+1 7 6;+1 7 1 1;+1 7 1 1 1",
        "+8 9 1;+1 +1 +1 5;+1 +1 +1 5;+1 +1 5;+1 +1 +1 5",
    ] {
        let body = body.replace(';', "\n");
        for (positions, events) in [("", "A"), ("bb ", "A"), ("", "A B C"), ("bb ", "A B C")] {
            let text = format!(
                "positions: instr {positions}line\nevents: {events}\nfn=f\n{body}\n# the end\n"
            );
            laws::comments_between_lines_change_nothing(text.as_bytes());
        }
    }
}
